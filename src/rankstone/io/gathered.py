"""Runs gathered from rows of a query, a document and a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from rankstone.core.dicts import ListedRun, ScoredRun, no_scores
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.core.text import encode
from rankstone.errors import EmptyError, UsageError
from rankstone.io import frames
from rankstone.io.frames.columns import PlainTable
from rankstone.io.rows import NO_DOCUMENT, Id, Lists, Row


@dataclass(frozen=True, eq=False)
class GatheredRun(ScoredRun):
    """A scored run gathered from rows.

    ``sequences`` has the documents and scores in input order of each query in which a document is
    repeated; ``data`` has the best score of each.
    """

    sequences: dict[Id, list[tuple[Id, float]]] = field(default_factory=dict)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents, and count those that were repeated."""
        matches = super().match(judgments, float32=float32, repeats=False)
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
        query, doc, score = map(list, zip(*self.rows(), strict=True))
        table = PlainTable({"query": query, "doc": doc, "score": score})
        run = frames.run_of(table, name=self.name, typed=self.typed, ascending=self.ascending)
        every = run.match(judgments, float32=float32, repeats=True)
        by_row = ("offsets", "judgment", "score", "above", "tied", "greater", "earlier")
        return replace(
            matches,
            retrieved=every.retrieved,
            **{name: getattr(every, name) for name in by_row},
        )

    def rows(self) -> Iterator[Row]:
        """Yield every row; those of a query in input order."""
        for query, scores in self.data.items():
            for doc, score in self.sequences.get(query) or scores.items():
                yield query, doc, score


def run_from(
    rows: Iterable[Row] | Lists,
    name: str,
    source: Source,
    path: str,
    *,
    ascending: bool = False,
    typed: bool = False,
) -> GatheredRun | ListedRun:
    """Gather a run; of a document that is there more than once the best score counts.

    With ``typed`` ids are known to be text or to be numbers, as in Python objects.
    """
    if isinstance(rows, Lists):
        if not rows.data:
            raise EmptyError(f"{path}: the file holds no rows.")
        if ascending:
            raise UsageError(no_scores(path))
        return ListedRun(rows.data, name, source, typed)
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
    if not data:
        raise EmptyError(f"{path}: the file holds no rows.")
    return GatheredRun(data, name, source, ascending, typed, sequences)
