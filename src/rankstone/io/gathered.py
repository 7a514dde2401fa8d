"""Runs gathered from rows of a query, a document and a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from itertools import pairwise

from rankstone.core.dicts import ListedRun, ScoredRun, no_scores
from rankstone.core.judgments import Judgments
from rankstone.core.matches import BY_ROW, Matches
from rankstone.core.notice_texts import reading_notice
from rankstone.core.provenance import Source
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.tally import EXAMPLES
from rankstone.core.text import encode
from rankstone.errors import DataError, EmptyError, Notice, UsageError
from rankstone.frozen import frozen
from rankstone.io import frames
from rankstone.io.frames.columns import PlainTable
from rankstone.io.input_file import ReadOptions
from rankstone.io.rows import Id, Lists, falls


@frozen(eq=False)
class GatheredRun(ScoredRun):
    """A scored run gathered from rows.

    ``sequences`` has the documents and scores in input order of each query in which a document is
    repeated; ``data`` has the best score of each. ``about`` are notices on how it was made.
    """

    sequences: dict[Id, list[tuple[Id, float]]] = field(default_factory=dict)
    about: tuple[Notice, ...] = ()

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents, and count those that were repeated."""
        matches = super().match(judgments, float32=float32, repeats=False)
        matches = replace(matches, notices=(*matches.notices, *self.about))
        if not self.sequences:
            return matches
        counts = matches.duplicates.copy()
        examples: dict[int, Id] = {}
        for q, query in enumerate(judgments.queries):
            rows = self.sequences.get(query) or self.sequences.get(str(query))
            if rows:
                times = Counter(doc for doc, _ in rows)
                counts[q] = len(rows) - len(times)
                again = (doc for doc, n in times.items() if n > 1)
                examples[q] = min(again, key=lambda doc: encode(str(doc)))
        matches = replace(matches, duplicates=counts, duplicate=examples)
        return self._with_repeats(matches, judgments, float32=float32) if repeats else matches

    def _with_repeats(self, matches: Matches, judgments: Judgments, *, float32: bool) -> Matches:
        """Return the matches with a row for every occurrence of a document."""
        rows = (row for row in self.rows() if row[1] != NO_DOCUMENT)
        query, doc, score = map(list, zip(*rows, strict=True))
        table = PlainTable({"query": query, "doc": doc, "score": score})
        run = frames.run_of(table, ReadOptions(name=self.name), typed=self.typed)
        every = run.match(judgments, float32=float32, repeats=True)
        by_row = {name: getattr(every, name) for name in ("offsets", *BY_ROW)}
        return replace(matches, retrieved=every.retrieved, **by_row)

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield every row; those of a query in input order."""
        sign = -1.0 if self.ascending else 1.0
        for query, scores in self.data.items():
            yield query, NO_DOCUMENT, 0.0
            for doc, score in self.sequences.get(query) or scores.items():
                yield query, doc, sign * score


@frozen(eq=False)
class ShownRun(ListedRun):
    """Lists in the order that was shown, though their scores have another, or ties.

    ``by_score`` is the run as its scores rank it, ``against`` warns of lists that disagree.
    """

    by_score: GatheredRun = field(kw_only=True)
    against: tuple[Notice, ...] = field(kw_only=True)

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is."""
        return self.by_score.direction

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the lists, with their own scores."""
        matches = super().match(judgments, float32=float32, repeats=repeats)
        own = self.by_score.match(judgments, float32=False, repeats=repeats).score
        return replace(matches, score=own, notices=(*matches.notices, *self.against))


@frozen(eq=False)
class AnswerRun(ListedRun):
    """The answers of a system, each of which has to be judged."""

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the answers in the judgments; refuse one to which nothing was assigned."""
        for query, judged in zip(judgments.queries, judgments.docs_by_query, strict=True):
            known = [*map(str, judged)]
            for answer in self.data.get(str(query), ()) if known else ():
                if answer not in known:
                    raise DataError(
                        f"{self.name}: nothing was assigned to the answer {answer!a} to query "
                        f"{str(query)!a}; the judgments know {', '.join(map(ascii, known[:3]))}. Put "
                        "the records of this run into the file of judgments, too."
                    )
        return super().match(judgments, float32=float32, repeats=repeats)


def against_scores(lists: Lists, *, ascending: bool = False) -> tuple[Notice, ...]:
    """Return a warning if the order of some lists is not that of their scores."""
    scores = {q: own[::-1] if ascending else own for q, own in (lists.scores or {}).items()}
    odd = {q: own for q, own in scores.items() if any(a < b for a, b in pairwise(own))}
    rising = all(a <= b for own in odd.values() for a, b in pairwise(own))
    more = "; if the lowest score is the best, say scores='ascending'" if rising else ""
    examples = sorted(map(str, odd))[:EXAMPLES]
    n = len(odd)
    return tuple(reading_notice("order-against-scores", n, examples, of=len(scores), more=more))


def run_from(
    rows: Iterable[Row] | Lists,
    source: Source,
    path: str,
    options: ReadOptions,
    *,
    name: str,
    typed: bool = False,
) -> GatheredRun | ListedRun:
    """Gather a run; of a document that is there more than once the best score counts.

    The order of lists decides, unless the options ask to rank by score.

    With ``typed`` ids are known to be text or to be numbers, as in Python objects.
    """
    ascending = options.ascending
    if not isinstance(rows, Lists):
        data, sequences = _by_query(rows, ascending=ascending)
        if not data:
            raise EmptyError(f"{path}: the file holds no rows.")
        return GatheredRun(data, name, source, ascending, typed, sequences=sequences)
    if not rows.data:
        raise EmptyError(f"{path}: the file holds no rows.")
    if rows.scores is None:
        if ascending:
            raise UsageError(no_scores(path))
        return (AnswerRun if rows.are_answers else ListedRun)(
            rows.data, name, source, typed, rows.notices
        )
    data, sequences = _by_query(rows.scored_rows(), ascending=ascending)
    run = GatheredRun(data, name, source, ascending, typed, sequences=sequences, about=rows.notices)
    scores = rows.scores.values()
    if options.by_score or all(falls(reversed(own) if ascending else own) for own in scores):
        return run
    against = against_scores(rows, ascending=ascending)
    about = rows.notices
    return ShownRun(rows.data, name, source, typed, about, by_score=run, against=against)


def _by_query(
    rows: Iterable[Row], *, ascending: bool
) -> tuple[dict[Id, dict[Id, float]], dict[Id, list[tuple[Id, float]]]]:
    """Return the best score of each document by query, and all rows of queries with repetitions."""
    data: dict[Id, dict[Id, float]] = {}
    sequences: dict[Id, list[tuple[Id, float]]] = {}
    for query, doc, score in rows:
        scores = data.setdefault(query, {})
        if doc == NO_DOCUMENT:
            continue
        if doc in scores and query not in sequences:
            sequences[query] = list(scores.items())
        if query in sequences:
            sequences[query].append((doc, score))
        if doc in scores:
            if (score >= scores[doc]) if ascending else (score <= scores[doc]):
                continue
            del scores[doc]  # the better row's place in the input is what counts
        scores[doc] = score
    return data, sequences
