"""The join: run and judgments and conventions become ranks and grades, here and only here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.ids import look_alike, type_names
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.ranked import Ranked
from rankstone.core.run import Run
from rankstone.core.tie_breaking import before_in_tie, found_grades, meant_grades
from rankstone.errors import DataError, NothingInCommonError, Notice, plural

Array = np.ndarray
_REMEMBERED = 4


@dataclass(frozen=True, eq=False)
class Join:
    """Where a run's judged documents landed: what every choice of conventions starts from."""

    run: Run
    judgments: Judgments
    _found: dict[tuple[bool, bool], Matches] = field(default_factory=dict, repr=False)
    _made: dict[Conventions, Ranked] = field(default_factory=dict, repr=False)

    def matches(self, conventions: Conventions) -> Matches:
        """Return the judged documents found in the run, looked up once for each precision."""
        key = conventions.precision == "float32", conventions.queries == "run"
        if key not in self._found:
            judged = self.judged(conventions)
            self._found[key] = self.run.match(judged, float32=key[0])
        return self._found[key]

    def judged(self, conventions: Conventions) -> Judgments:
        """Return the judgments, with the other queries of the run where these are averaged."""
        return self._of_the_run if conventions.queries == "run" else self.judgments

    @cached_property
    def _of_the_run(self) -> Judgments:
        matches = self.matches(Conventions())
        named = matches.unjudged_sample
        if matches.unjudged_capped or len(named) < matches.unjudged_queries:
            raise DataError(
                f"{self.run.name}: queries='run' averages all queries of the run, but more than "
                f"{len(named)} of them have no judgments, and no more are remembered. Choose "
                "queries='both', or give the judgments of these queries."
            )
        return self.judgments.with_queries(named) if named else self.judgments

    def ranked(self, conventions: Conventions) -> Ranked:
        """Return ranks and grades under some conventions; the last few are remembered."""
        # What a query without relevant documents is worth moves no document.
        plain = conventions.replace(no_relevant="zero")
        if plain not in self._made:
            if len(self._made) == _REMEMBERED:
                del self._made[next(iter(self._made))]
            self._made[plain] = self._rank(plain)
        made = self._made[plain]
        return made if conventions == plain else replace(made, conventions=conventions)

    def _rank(self, conventions: Conventions) -> Ranked:
        matches = self.matches(conventions)
        if conventions.duplicates == "error" and matches.duplicates.any():
            query, doc = _first_duplicate(self.judged(conventions), matches)
            raise DataError(
                f"{self.run.name}: document {doc!r} stands more than once in the ranking of query "
                f"{query!r}. Remove the repetition, or choose duplicates='first'."
            )
        return _rank(self.judged(conventions), matches, conventions, scored=self.run.scored)

    def tied(self, conventions: Conventions) -> tuple[int, int]:
        """Return how many judged documents found share their score, and how many were found."""
        tied = self.matches(conventions).tied
        return int((tied > 1).sum()), len(tied)

    def notices(self, conventions: Conventions) -> tuple[Notice, ...]:
        """Return what was noticed on the way."""
        matches = self.matches(conventions.replace(queries="both"))
        found = _notices(self.judgments, matches, conventions)
        return (*self.judgments.notices, *found)


def join(run: Run, judgments: Judgments, conventions: Conventions) -> Join:
    """Look every judged document up in the run; conventions may differ in what follows."""
    found = Join(run, judgments)
    matches = found.matches(conventions.replace(queries="both"))
    if not matches.present.any():
        raise _no_common_query(run, judgments, matches)
    return found


def align(
    run: Run, judgments: Judgments, conventions: Conventions
) -> tuple[Ranked, tuple[Notice, ...]]:
    """Return where the judged documents stand, and what was noticed on the way."""
    found = join(run, judgments, conventions)
    return found.ranked(conventions), found.notices(conventions)


def _rank(
    judgments: Judgments, matches: Matches, conventions: Conventions, *, scored: bool
) -> Ranked:
    grades, known_grades = meant_grades(judgments.grades, conventions.negatives)
    judged = np.ones(len(grades), bool) if known_grades is None else known_grades
    above, tied = matches.above, matches.tied
    grade, score = grades[matches.judgment], matches.score
    row, offsets, original_grade = matches.judgment, matches.offsets, grade
    if conventions.nonpositive == "nonrelevant" and scored:
        grade = found_grades(grade, score)
    if conventions.missed == "ignore":
        known = np.zeros(len(judged), bool)
        known[row] = True
        judged &= known
    retrieved = matches.retrieved
    # Negative grades that mean "unjudged" are gone from here on, like unjudged documents.
    kept = judged[row]
    rank = np.empty(len(row), np.int64)
    for some in (kept, ~kept) if not kept.all() else (kept,):
        rank[some] = (above[some] + 1) + before_in_tie(
            conventions.ties,
            offsets=segments.keep(some, offsets),
            grade=grade[some],
            above=above[some],
            tied=tied[some],
            earlier=matches.earlier[some],
            judgment=row[some],
            greater=matches.greater[some],
        )
    order = np.lexsort((rank, segments.numbers(offsets)))
    pooled = pooled_offsets = None
    if not kept.all():
        pooled = rank[order[~kept[order]]]
        pooled_offsets = segments.keep(~kept, offsets)
    order = order[kept[order]]
    offsets = segments.keep(kept, offsets)
    columns = (rank, above, tied, grade, score, row, original_grade)
    rank, above, tied, grade, score, row, original_grade = (a[order] for a in columns)
    judged_offsets = segments.keep(judged, judgments.groups)
    judged_grade = grades[judged]
    judged_grade, _ = segments.falling_values(judged_grade, judged_offsets)
    ranked = Ranked(
        queries=list(judgments.queries),
        offsets=offsets,
        rank=rank,
        grade=grade,
        original_grade=original_grade,
        score=score,
        judgment=row,
        above=above,
        tied=tied,
        retrieved=retrieved,
        judged_offsets=judged_offsets,
        judged_grade=judged_grade,
        max_grade=judgments.max_grade,
        conventions=conventions,
        pooled=pooled,
        pooled_offsets=pooled_offsets,
    )
    if conventions.unjudged == "remove":
        ranked = ranked.condensed()
    return ranked if conventions.queries == "judged" else select(ranked, matches.present)


def select(ranked: Ranked, chosen: Array) -> Ranked:
    """Return the chosen queries alone."""
    rows = np.repeat(chosen, segments.lengths(ranked.offsets))
    judged = np.repeat(chosen, segments.lengths(ranked.judged_offsets))
    pooled, pooled_offsets, said = ranked.pooled, ranked.pooled_offsets, ranked.preferences
    if pooled is not None and pooled_offsets is not None:
        lengths = segments.lengths(pooled_offsets)
        pooled = pooled[np.repeat(chosen, lengths)]
        pooled_offsets = segments.offsets_of(lengths[chosen])
    if said is not None:
        said = tuple(s for s, keep in zip(said, chosen.tolist(), strict=True) if keep)
    return Ranked(
        queries=[q for q, keep in zip(ranked.queries, chosen.tolist(), strict=True) if keep],
        offsets=segments.offsets_of(segments.lengths(ranked.offsets)[chosen]),
        rank=ranked.rank[rows],
        grade=ranked.grade[rows],
        original_grade=ranked.original_grade[rows],
        score=ranked.score[rows],
        judgment=ranked.judgment[rows],
        above=ranked.above[rows],
        tied=ranked.tied[rows],
        retrieved=ranked.retrieved[chosen],
        judged_offsets=segments.offsets_of(segments.lengths(ranked.judged_offsets)[chosen]),
        judged_grade=ranked.judged_grade[judged],
        max_grade=ranked.max_grade,
        conventions=ranked.conventions,
        pooled=pooled,
        pooled_offsets=pooled_offsets,
        preferences=said,
    )


def _examples(ids: Any, chosen: Array) -> tuple[str, ...]:
    return tuple(str(ids[i]) for i in np.flatnonzero(chosen)[:3].tolist())


def _first_duplicate(judgments: Judgments, matches: Matches) -> tuple[Any, Any]:
    query = int(np.flatnonzero(matches.duplicates)[0])
    return judgments.queries[query], matches.duplicate[query]


def _notices(judgments: Judgments, matches: Matches, conventions: Conventions) -> list[Notice]:
    found = list(matches.notices)
    missing = ~matches.present
    if missing.any():
        n = int(missing.sum())
        rule = "count as 0" if conventions.queries == "judged" else "are left out of the mean"
        text = f"{n} of {plural(len(missing), 'judged query')} not in the run; missing ones {rule}"
        found.append(Notice("missing-queries", n, text, _examples(judgments.queries, missing)))
    if matches.unjudged_queries:
        n = matches.unjudged_queries
        many = "more than " if matches.unjudged_capped else ""
        rule = "no relevant document" if conventions.queries == "run" else "ignored"
        text = f"{many}{plural(n, 'query')} of the run without judgments; {rule}"
        examples = tuple(str(q) for q in matches.unjudged_sample[:3])
        found.append(Notice("unjudged-queries", n, text, examples))
    if missing.any() and matches.unjudged_queries:
        absent = [judgments.queries[i] for i in np.flatnonzero(missing)[:1000].tolist()]
        found += _alike("query", absent, matches.unjudged_sample)
    known = np.flatnonzero(matches.present & (np.diff(judgments.groups) > 0))
    if not len(matches.judgment) and matches.doc_sample and len(known):
        q = int(known[0])
        alike = _alike("document", judgments.docs_by_query[q], matches.doc_sample)
        text = "no judged document was retrieved for any query"
        examples = (f"run {matches.doc_sample[0]!r}", f"judged {judgments.docs_by_query[q][0]!r}")
        found += alike or [Notice("no-document-found", len(missing), text, examples)]
    if matches.duplicates.any():
        n = int(matches.duplicates.sum())
        query, doc = _first_duplicate(judgments, matches)
        text = f"{plural(n, 'repeated document')} in the run; the best-ranked occurrence counts"
        found.append(Notice("duplicate-documents", n, text, (f"document {doc} of query {query}",)))
    if matches.rank_disagrees.any():
        n = int(matches.rank_disagrees.sum())
        text = f"in {plural(n, 'query')} the rank column disagrees with the scores; scores decide"
        examples = _examples(judgments.queries, matches.rank_disagrees)
        found.append(Notice("rank-disagrees", n, text, examples))
    in_ties = matches.tied > 1
    if in_ties.any() and conventions.ties in ("docid-desc", "docid-asc", "input"):
        n = int(in_ties.sum())
        text = (
            f"{n} of {plural(len(in_ties), 'judged document')} found "
            f"{'shares its' if n == 1 else 'share their'} score with another; "
            f"ties={conventions.ties} decides"
        )
        level = "note" if n >= 0.01 * len(in_ties) else "info"
        found.append(Notice("ties", n, text, level=level))
    return found


def _alike(what: str, missing: Any, found: Any) -> list[Notice]:
    pair = look_alike(missing, found)
    if pair is None:
        return []
    text = (
        f"{what} ids differ by type or padding only: judged {pair[0]}, run {pair[1]}; "
        "ids are compared exactly, so write them alike"
    )
    return [Notice("ids-look-alike", 1, text)]


def _no_common_query(run: Run, judgments: Judgments, matches: Matches) -> DataError:
    judged = judgments.queries
    shown = ", ".join(repr(q) for q in judged[:3])
    in_run = ", ".join(repr(q) for q in matches.unjudged_sample[:3]) or "none"
    message = (
        f"{run.name}: no query is both judged and in the run "
        f"(judged: {shown}, ...; in the run: {in_run}). "
    )
    pair = look_alike(judged[:1000], matches.unjudged_sample)
    if pair:
        kinds = ""
        if judged.kind == "number" or any(isinstance(q, int) for q in matches.unjudged_sample):
            run_kind = "number" if isinstance(matches.unjudged_sample[0], int) else "text"
            kinds = f" (judged ids are {type_names[judged.kind]}, the run's {type_names[run_kind]})"
        message += (
            f"Ids are compared exactly, and {pair[0]} is not {pair[1]}{kinds}: "
            "write them alike on both sides."
        )
    else:
        message += "Check that the two belong together and were given in the order: judgments, run."
    return NothingInCommonError(message)
