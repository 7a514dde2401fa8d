"""Ranks and grades from a collection: one function for each convention, in this order.

Every convention that moves or regrades a document is read here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments, tie_breaking
from rankstone.core.as_numpy import lowest
from rankstone.core.cutoff import Cuts
from rankstone.core.ids import at
from rankstone.core.matches import Matches
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_matches import RankedMatches
from rankstone.core.ranked_rows import condensed, select
from rankstone.core.ranked_table import RankedTable, RankedTop, WholeLists
from rankstone.core.subtopics import Subtopics
from rankstone.core.tie_breaking import id_order, is_by_id, keeps_order, tie_extreme
from rankstone.core.timing import stage
from rankstone.errors import DataError
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.collection import Collection
    from rankstone.core.items import ItemLists

Array = np.ndarray


@frozen(eq=False)
class Documents:
    """The judged documents of every query, and where they were retrieved.

    Rows ``bounds[q]:bounds[q + 1]`` of ``grades`` belong to query q; ``judged`` masks those that
    have a judgment, None if all have. ``matches`` says which of them were retrieved and where.
    Without matches all were: the rows of a query are its list, in the order of ``scores``, or in
    order of rank if there are no scores. ``width`` is the length of all lists if they have one.
    ``lowest`` is the lowest grade if it is known, ``max_grade`` the highest of the scale if that
    is not the highest here. ``retrieved_grades`` are the grades of the retrieved documents if they
    differ from ``grades``, ``subtopics`` the grades by subtopic. ``strangers`` returns the ranks of
    documents that are judged for no query, under some conventions and down to some rank; ``cuts``
    where lists end at a cutoff, if that is not a rank of documents, and ``shown`` the first items.
    ``probabilities`` say how likely each was to be judged, if documents were drawn.
    """

    queries: Sequence[Any]
    bounds: Array
    grades: Array
    scores: Array | None
    name: str = "run"
    matches: Matches | None = None
    width: int | None = None
    lowest: float | None = None
    judged: Array | None = None
    retrieved_grades: Array | None = None
    subtopics: Subtopics | None = None
    max_grade: float | None = None
    strangers: Callable[[Conventions, int | None], Mapping[Any, Array]] | None = None
    cuts: Callable[[Conventions], Cuts] | None = None
    shown: Callable[[Conventions, int | None], ItemLists] | None = None
    probabilities: Array | None = None
    all_judged: bool = False  # documents without a row have grade 0
    whole_lists: WholeLists | None = None  # if these are the first documents of longer lists
    negated: bool = False  # the sign of the scores says nothing, since the lowest was the best

    def select(self, chosen: Array, max_grade: float) -> Documents:
        """Return the chosen queries of documents that have matches."""
        rows = np.repeat(chosen, segments.lengths(self.bounds))
        matches = None
        scores = self.scores
        if self.matches is not None:
            matches = self.matches.select(chosen, np.cumsum(rows) - 1)
            scores = None if scores is None else matches.score
        bounds = segments.offsets_of(segments.lengths(self.bounds)[chosen])
        return replace(
            self,
            queries=at(self.queries, np.flatnonzero(chosen)),
            bounds=bounds,
            subtopics=self.subtopics and self.subtopics.of_rows(rows, bounds),
            grades=self.grades[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            scores=scores,
            matches=matches,
            max_grade=max_grade,
        )


def rank(collection: Collection, conventions: Conventions) -> Ranked:
    """Return the ranks and grades of a collection's judged documents."""
    with stage("scanning"):
        documents = collection.documents(
            **match_options(conventions), run_queries=adds_run_queries(conventions)
        )
    with stage("ranking"):
        documents = apply_negatives(documents, conventions.negatives)
        documents = apply_nonpositive(documents, conventions.nonpositive)
        documents = apply_missed(documents, conventions.missed)
        documents = apply_duplicates(documents, conventions.duplicates, conventions.ties)
        ranked = apply_ties(documents, conventions.ties, conventions)
        ranked = apply_unjudged(ranked, conventions.unjudged)
        return apply_queries(ranked, documents, conventions.queries)


def rounds_scores(conventions: Conventions) -> bool:
    """Return whether scores are compared as 32-bit floats."""
    return conventions.precision == "float32"


def match_options(conventions: Conventions) -> dict[str, bool]:
    """Return the arguments of ``Run.match`` that follow from the conventions."""
    return {
        "float32": rounds_scores(conventions),
        "repeats": conventions.duplicates in ("keep", "count"),
    }


def adds_run_queries(conventions: Conventions) -> bool:
    """Return whether queries of the run without judgments are evaluated, too."""
    return conventions.queries == "run"


def asks_for_extremes(conventions: Conventions) -> bool:
    """Return whether tied documents are in their best or in their worst order."""
    return tie_extreme(conventions.ties) != 0


def reads_input_order(conventions: Conventions) -> bool:
    """Return whether tied documents are ranked by the order of rows in the input."""
    return tie_breaking.is_by_input(conventions.ties)


def tie_rule(conventions: Conventions) -> str:
    """Return the rule for tied documents."""
    return conventions.ties


def order_while_reading(conventions: Conventions) -> int | None:
    """Return the order of tied documents that a scanner can keep while it reads, None if it needs all rows.

    1: the greater id is first; -1: the smaller; 0: the earlier row, also for ``expected``, which averages
    over every order.
    """
    rule = conventions.ties
    return id_order(rule) if is_by_id(rule) or keeps_order(rule) or tie_extreme(rule) else None


def apply_negatives(documents: Documents, rule: str) -> Documents:
    """Read negative grades as no judgment, or as judged and not relevant."""
    if rule == "unjudged" and documents.subtopics is not None:
        documents = replace(documents, subtopics=documents.subtopics.without_negatives())
    grades = documents.grades
    if not len(grades):
        return documents
    low = lowest(grades) if documents.lowest is None else documents.lowest
    if low >= 0:  # NaN, a document without a grade, fails this too
        return documents
    if rule == "nonrelevant":
        grades = np.maximum(grades, 0.0)
    judged = grades >= 0
    return replace(documents, grades=grades, judged=None if judged.all() else judged)


def apply_nonpositive(documents: Documents, rule: str) -> Documents:
    """Read retrieved documents with a score of 0 or less as not relevant."""
    if rule == "any" or documents.scores is None or documents.negated:
        return documents
    grades = documents.grades
    if documents.matches is not None:
        grades = grades[documents.matches.judgment]
    positive = documents.scores > 0
    return replace(documents, retrieved_grades=np.where(positive, grades, np.minimum(grades, 0.0)))


def apply_missed(documents: Documents, rule: str) -> Documents:
    """Keep or drop judged documents that were not retrieved."""
    if rule == "count" or documents.matches is None:
        return documents
    retrieved = np.zeros(len(documents.grades), bool)
    retrieved[documents.matches.judgment] = True
    judged = retrieved if documents.judged is None else documents.judged & retrieved
    return replace(documents, judged=judged)


def apply_duplicates(documents: Documents, rule: str, ties: str) -> Documents:
    """Refuse documents that are ranked more than once, or let the repetitions keep their ranks.

    With ``first`` they were left out when documents were looked up. Of occurrences that share a
    score the earlier is ranked first.
    """
    matches = documents.matches
    if rule == "first" or matches is None or not matches.duplicates.any():
        return documents
    if rule == "error":
        query = int(np.flatnonzero(matches.duplicates)[0])
        raise DataError(
            f"{documents.name}: document {matches.duplicate[query]!r} is ranked more than once "
            f"for query {documents.queries[query]!r}. Remove the repetition, or choose "
            "duplicates='first'."
        )
    matches = matches.with_distinct_ids(earlier_is_greater=ties != "docid-asc")
    if rule == "count":
        return replace(documents, matches=matches)
    first = np.append(True, np.diff(matches.judgment) != 0)[: len(matches.judgment)]
    scores, grades = documents.scores, documents.retrieved_grades
    return replace(
        documents,
        matches=matches.with_rows(first),
        scores=None if scores is None else scores[first],
        retrieved_grades=None if grades is None else grades[first],
    )


def apply_ties(documents: Documents, rule: str, conventions: Conventions) -> Ranked:
    """Rank the retrieved documents by falling score, and tied ones by the rule."""
    if documents.matches is not None:
        matches = documents.matches
        repeats = match_options(conventions)["repeats"] and bool(matches.duplicates.any())
        return RankedMatches(documents, matches, conventions, rule, has_repeats=repeats)
    if documents.scores is not None and is_by_id(rule):
        raise tie_breaking.needs_ids(rule)
    table = RankedTable if documents.whole_lists is None else RankedTop
    return table(documents, conventions, rule)


def apply_unjudged(ranked: Ranked, rule: str) -> Ranked:
    """Leave unjudged documents in their places, or close the ranks."""
    return condensed(ranked) if rule == "remove" else ranked


def keeping_unjudged(conventions: Conventions) -> Conventions:
    """Return conventions under which documents without a judgment keep their ranks."""
    return conventions.replace(unjudged="nonrelevant")


def apply_queries(ranked: Ranked, documents: Documents, rule: str) -> Ranked:
    """Keep all judged queries, or only those of the run."""
    if rule == "judged" or documents.matches is None or documents.matches.present.all():
        return ranked
    return select(ranked, documents.matches.present)


class ListNeeds(NamedTuple):
    """The part of a list that measures read: ranks down to ``k``, None if they read all.

    ``supports_expected_ties``: they can average over the orders of tied documents. A measure that
    cannot refuses any tie, wherever it is. ``count_ties``: ties below the cutoff are counted too.
    ``nonrelevant``: they read where documents are whose grade is 0, too. ``below``: they read where
    documents below the cutoff are.
    """

    k: int | None
    supports_expected_ties: bool
    count_ties: bool = False
    nonrelevant: bool = True
    below: bool = False


class ScoreNeeds(NamedTuple):
    """The facts about a table, beside the order of its scores, that conventions read.

    ``values``: which scores are above 0. ``float32``: the order of rounded scores. ``every_tie``:
    whether there are ties anywhere. ``negatives``: negative grades are not judged. ``unjudged``:
    which documents have a judgment. ``ids``: the ids of tied documents.
    """

    values: bool
    float32: bool
    every_tie: bool
    negatives: bool
    unjudged: bool
    ids: bool


def score_needs(several: Iterable[Conventions]) -> ScoreNeeds:
    """Return the facts about scores and grades that any of several conventions reads."""
    chosen = list(several)
    return ScoreNeeds(
        any(c.nonpositive != "any" for c in chosen),
        any(rounds_scores(c) for c in chosen),
        any(c.ties == "expected" for c in chosen),
        any(c.negatives == "unjudged" for c in chosen),
        any(c.unjudged != "nonrelevant" for c in chosen),
        any(is_by_id(c.ties) for c in chosen),
    )


def conventions_that_matter(collection: Collection, base: Conventions) -> dict[str, list[Any]]:
    """Return the conventions that could change a number on these data, with their values."""
    documents = collection.documents(**match_options(base), run_queries=False)
    ranked = rank(collection, base)
    rounded = rank(collection, base.replace(precision="float32"))
    grades, matches = documents.grades, documents.matches
    levels = np.unique(grades[grades > 0])
    rows = segments.lengths(ranked.offsets)
    same_order = np.array_equal(ranked.above, rounded.above) and np.array_equal(
        ranked.tied, rounded.tied
    )
    matters = {
        "ties": ranked.has_ties,
        "precision": not same_order,
        "queries": matches is not None
        and bool(not matches.present.all() or matches.unjudged_queries),
        "no_relevant": bool((ranked.relevant_count() == 0).any()),
        "negatives": bool((grades < 0).any()),
        "unjudged": bool((ranked.retrieved != rows).any()),
        "missed": matches is not None and len(np.unique(matches.judgment)) < len(grades),
        "duplicates": matches is not None and bool(matches.duplicates.any()),
        "nonpositive": documents.scores is not None and bool((documents.scores <= 0).any()),
    }
    values: dict[str, list[Any]] = {
        name: list(choices) for name, choices in Conventions.choices().items() if matters.get(name)
    }
    if len(levels) > 1 or (levels < 1).any():
        values["relevance"] = levels.tolist()
    return values
