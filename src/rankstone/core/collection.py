"""Judgments and a run, matched: what every choice of conventions starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core.cutoff import Cut, Cutoff, Cuts, Cutter
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notice_texts import OF_JUDGMENTS
from rankstone.core.notices import large_ties_in_lists, nothing_in_common, tally_matches
from rankstone.core.provenance import MEMORY, Source
from rankstone.core.rank import (
    Documents,
    adds_run_queries,
    match_options,
    order_while_reading,
    rank,
)
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_table import WholeLists
from rankstone.core.run import Run
from rankstone.core.tally import Tally
from rankstone.errors import DataError, Notice
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.documents import TopDocuments
    from rankstone.core.items import ItemLists, ItemTable

Array = np.ndarray
_CACHED = 4
LEAST_SHOWN = 20  # items of a list that are read at once, though a cutoff is lower
_READING = Lock()  # parts of a ranking are computed by several threads


def default_conventions(*, has_ids: bool) -> Conventions:
    """Return the conventions in force if none are chosen.

    Without ids the order by id is not defined, and labels such as -1 and 1 are all judgments.
    """
    return _WITH_IDS if has_ids else _WITHOUT_IDS


_WITH_IDS = Conventions()
_WITHOUT_IDS = Conventions(ties="expected", negatives="nonrelevant")


@frozen(eq=False)
class _Rankings:
    """The base of collections: a cache of rankings by conventions, for the next measure."""

    _ranked: dict[Conventions, Ranked] = field(default_factory=dict, repr=False, init=False)

    def ranked(self, conventions: Conventions) -> Ranked:
        """Return ranks and grades under some conventions; the last few are kept."""
        # The value of a query without relevant documents moves no document.
        plain = conventions.replace(no_relevant="zero")
        if plain not in self._ranked:
            if len(self._ranked) == _CACHED:
                del self._ranked[next(iter(self._ranked))]
            own: Any = self
            self._ranked[plain] = rank(own, plain)
        ranked = self._ranked[plain]
        return ranked if conventions == plain else ranked.with_conventions(conventions)


def _weakly(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that does not keep its collection alive.

    A ranking that a collection keeps would else keep the collection, and with it the file of its run
    open, until the next garbage collection.
    """
    reference = WeakMethod(method)

    def call(*args: Any) -> Any:
        bound = reference()
        if bound is None:
            raise RuntimeError("the collection of this ranking is gone")
        return bound(*args)

    return call


@frozen(eq=False)
class MatchedCollection(_Rankings):
    """A run whose documents are looked up in the judgments by their ids.

    ``is_part`` says that there may be more of the run, so that no query need be in both;
    ``max_grade`` is the highest grade of all parts if each has its own judgments. ``changes`` are
    those that were made to the data, as a result records them. ``cutter`` cuts its lists, if cutoffs
    are not ranks of documents alone. ``scores_all`` says that the run scores a whole catalogue, of
    which the documents without a judgment have the label 0, as in a table. ``items`` is what is known
    of documents beyond judgments.
    """

    run: Run
    judgments: Judgments
    single: bool = False
    has_ids: bool = True
    is_part: bool = False
    max_grade: float | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    _matches: dict[tuple[bool, bool, bool], Matches] = field(default_factory=dict, repr=False)
    cutter: Cutter | None = None
    scores_all: bool = False
    items: ItemTable | None = None
    _shown: dict[Conventions, ItemLists] = field(default_factory=dict, repr=False)
    _strangers: dict[Any, dict[Any, Array]] = field(default_factory=dict, repr=False)
    _cuts: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run.name

    @property
    def default(self) -> Conventions:
        """The conventions in force if none are chosen."""
        return default_conventions(has_ids=self.has_ids and not self.scores_all)

    @property
    def sources(self) -> tuple[Source, Source]:
        """Where judgments and run came from."""
        return self.judgments.source, self.run.source

    def matches(
        self, *, float32: bool = False, run_queries: bool = False, repeats: bool = False
    ) -> Matches:
        """Return the judged documents that the run retrieved, looked up once for each choice."""
        key = float32, run_queries, repeats
        if key not in self._matches:
            judged = self._judged(run_queries=run_queries)
            matches = self.run.match(judged, float32=float32, repeats=repeats)
            if not (self.is_part or matches.present.any()):
                raise nothing_in_common(
                    self.run.name, self.judgments.queries, matches.unjudged_sample
                )
            self._matches[key] = matches
        return self._matches[key]

    def _judged(self, *, run_queries: bool) -> Judgments:
        return self._with_run_queries if run_queries else self.judgments

    @cached_property
    def _with_run_queries(self) -> Judgments:
        """The judgments and the other queries of the run, for which nothing is judged."""
        matches = self.matches()
        queries = matches.unjudged_sample
        if matches.unjudged_capped or len(queries) < matches.unjudged_queries:
            raise DataError(
                f"{self.run.name}: queries='run' averages all queries of the run, but more than "
                f"{len(queries)} of them have no judgments, and no more are remembered. Choose "
                "queries='both', or give the judgments of these queries."
            )
        return self.judgments.with_queries(queries) if queries else self.judgments

    def documents(self, *, float32: bool, run_queries: bool, repeats: bool) -> Documents:
        """Return the judged documents and where they were retrieved.

        Args:
            float32: compare scores rounded to 32 bits.
            run_queries: include the queries of the run that have no judgments.
            repeats: find every occurrence of a document, not only its best.
        """
        matches = self.matches(float32=float32, run_queries=run_queries, repeats=repeats)
        judgments = self._judged(run_queries=run_queries)
        return Documents(
            judgments.queries,
            judgments.groups,
            judgments.grades,
            matches.score if self.run.direction > 0 else None,
            self.run.name,
            matches,
            subtopics=judgments.subtopics,
            max_grade=self.max_grade,
            probabilities=judgments.probabilities,
            strangers=None if self.is_part or not self.has_ids else _weakly(self.strangers),
            shown=_weakly(self.shown) if self.has_ids else None,
            cuts=None if self.cutter is None else _weakly(self._cuts_of),
            all_judged=self.scores_all,
        )

    def tied(self, conventions: Conventions) -> tuple[int, int]:
        """Return how many retrieved judged documents share their score, and how many there are."""
        tied = self.matches(**match_options(conventions)).tied
        return int((tied > 1).sum()), len(tied)

    def tally(self, conventions: Conventions) -> Tally:
        """Count what is odd about the data."""
        tally = tally_matches(self.judgments, self.matches(**match_options(conventions)))
        if not self.is_part:
            return tally
        # The judgments of a part do not show whether the scale has a grade 0.
        known = tuple(n for n in tally.reading if n.code != "grades-without-zero")
        return replace(tally, reading=known)

    def top(
        self, depth: int, conventions: Conventions, queries: Sequence[Any] | None = None
    ) -> tuple[list[Any], TopDocuments]:
        """Return queries (default: all of the run) and their first documents, judged or not."""
        from rankstone.core.documents import kept_documents, top_documents

        if queries is not None:
            matches = self.matches(**match_options(conventions))
            kept = kept_documents(matches, self.judgments, queries)
            if kept is not None:
                return list(queries), kept
        return top_documents(self.run, self.judgments, queries, depth, conventions)

    def _top_of_judged(
        self, depth: int, conventions: Conventions, run: Run | None = None, **more: bool
    ) -> tuple[list[Any], TopDocuments]:
        """Return the queries that are evaluated, and their first documents."""
        from rankstone.core.documents import top_documents

        judgments = self._judged(run_queries=adds_run_queries(conventions))
        queries = list(judgments.queries)
        return top_documents(run or self.run, judgments, queries, depth, conventions, **more)

    def strangers(self, conventions: Conventions, depth: int | None) -> dict[Any, Array]:
        """Return the ranks of each query's first documents that are judged for no query at all."""
        with _READING:
            key = conventions, depth
            if key not in self._strangers:
                most = depth or int(self.matches().retrieved.max(initial=1))
                queries, tops = self._top_of_judged(most, conventions)
                known = {*map(str, self.judgments.docs.objects)}
                strange = np.array([doc not in known for doc in tops.docs], bool)
                bounds = zip(queries, pairwise(tops.offsets.tolist()), strict=True)
                ranks = {q: np.flatnonzero(strange[a:b]) + 1 for q, (a, b) in bounds}
                self._strangers[key] = ranks
            return self._strangers[key]

    def shown(self, conventions: Conventions, depth: int | None) -> ItemLists:
        """Return the first items of each query's list, judged or not; at least that many."""
        from rankstone.core.items import EMPTY, ItemLists

        with _READING:
            matches = self.matches(**match_options(conventions))
            most = int(matches.retrieved.max(initial=0))
            depth = most if depth is None else min(depth, most)
            lists = self._shown.get(conventions)
            if lists is None or lists.items.shape[1] < depth:
                least, distinct = max(depth, LEAST_SHOWN), not matches.duplicates.any()
                queries, tops = self._top_of_judged(least, conventions, distinct=distinct)
                table = EMPTY if self.items is None else self.items
                lists = self._shown[conventions] = ItemLists.of(queries, tops, table)
            return lists

    def _cuts_of(self, conventions: Conventions) -> Cuts:
        """Return where lists end under some conventions."""
        cutter: Any = self.cutter
        cut, chunks = (
            partial(_weakly(of), cutter, conventions)
            for of in (self._cut, self._documents_of_chunks)
        )
        return Cuts(cut, cutter.counts_chunks, None if cutter.chunks is None else chunks)

    def _cut(self, cutter: Cutter, conventions: Conventions, cutoff: Cutoff) -> Mapping[Any, Cut]:
        with _READING:
            lists = self._lists(cutter, conventions)
            if (conventions, cutoff) not in self._cuts:
                self._cuts[conventions, cutoff] = {
                    query: cutter.cut(query, docs, chunks, cutoff) for query, docs, chunks in lists
                }
            cuts: dict[Any, Cut] = self._cuts[conventions, cutoff]
            return cuts

    def _lists(self, cutter: Cutter, conventions: Conventions) -> list[tuple[Any, Any, Any]]:
        """Return queries with all their documents, and all their chunks if there are any."""
        if conventions not in self._cuts:
            judgments = self._judged(run_queries=adds_run_queries(conventions))
            lists = []
            for run in (self.run, cutter.chunks and cutter.chunks()):
                if run is not None:
                    matches = run.match(judgments, float32=False, repeats=True)
                    most = int(matches.retrieved.max(initial=1))
                    queries, tops = self._top_of_judged(most, conventions, run)
                    lists.append(tops.lists())
            self._cuts[conventions] = list(zip(queries, lists[0], lists[-1], strict=True))
        known: list[tuple[Any, Any, Any]] = self._cuts[conventions]
        return known

    def _documents_of_chunks(
        self, cutter: Cutter, conventions: Conventions
    ) -> Mapping[Any, list[int]]:
        """Return the document of each chunk by query: its judgment, else a negative number."""
        made: dict[Any, list[int]] = {}
        with _READING:
            judgments = self._judged(run_queries=adds_run_queries(conventions))
            lists = zip(self._lists(cutter, conventions), judgments.docs_by_query, strict=True)
            for (query, docs, chunks), judged in lists:
                number = {doc: -1 - i for i, doc in enumerate(docs)}
                begin = int(judgments.groups[len(made)])
                own = {str(doc): begin + i for i, doc in enumerate(judged) if str(doc) in number}
                of = (str(cutter.document_of(chunk)) for chunk in chunks)
                made[query] = [{**number, **own}[doc] for doc in of if doc in number]
        return made

    def keeping_top(self, depth: int, conventions: Conventions) -> MatchedCollection:
        """Return a collection that keeps the first documents while it reads its run, if it can."""
        order = order_while_reading(conventions)
        is_able = hasattr(self.run, "kept") and order is not None
        if not is_able or match_options(conventions)["repeats"]:
            return self
        run: Any = self.run
        kept = replace(run, kept=depth, ids_fall=order)
        return replace(self, run=kept, _matches={})

    def document(self, judgment: int) -> Any:
        """Return the id of a row of ``Ranked.judgment``, None if documents have no ids."""
        return self.judgments.docs[judgment] if self.has_ids else None

    def judged_documents(self, query: Any) -> list[tuple[Any, float]]:
        """Return the ids and grades of a query's judged documents, none if they have no ids."""
        queries = list(self.judgments.queries) if self.has_ids else []
        if query not in queries:
            return []
        row = queries.index(query)
        begin, end = self.judgments.groups[row : row + 2].tolist()
        grades = self.judgments.grades[begin:end].tolist()
        return [(self.judgments.docs[begin + i], grade) for i, grade in enumerate(grades)]


@frozen(eq=False)
class CollectionPart(_Rankings):
    """Some queries of a collection: the queries of its run, or the ones in the mask ``chosen``.

    The scale of grades is that of all judgments.
    """

    whole: MatchedCollection
    chosen: Array | None = None
    single: bool = False

    name = property(attrgetter("whole.name"))
    default = property(attrgetter("whole.default"))
    sources = property(attrgetter("whole.sources"))
    changes = property(attrgetter("whole.changes"))

    def documents(self, *, float32: bool, run_queries: bool, repeats: bool) -> Documents:
        """Return the judged documents of the chosen queries, and where they were retrieved."""
        matches = self.whole.matches(float32=float32, run_queries=run_queries, repeats=repeats)
        chosen = matches.present if self.chosen is None else self.chosen
        documents = self.whole.documents(float32=float32, run_queries=run_queries, repeats=repeats)
        highest = self.whole.max_grade
        if highest is None:
            highest = self.whole.judgments.max_grade
        selected = documents.select(chosen, max_grade=highest)
        return replace(selected, strangers=self.whole.strangers)

    def tied(self, conventions: Conventions) -> tuple[int, int]:
        """Return how many retrieved judged documents share their score, and how many there are."""
        return self.whole.tied(conventions)

    def tally(self, conventions: Conventions) -> Tally:
        """Count what is unusual about the queries; notices on the judgments are added once, at the end."""
        judgments, is_last = self.whole.judgments, self.chosen is not None
        matches = self.whole.matches(**match_options(conventions))
        missing = np.zeros(len(matches.present), bool) if self.chosen is None else self.chosen
        tally = tally_matches(judgments, matches, missing)
        if is_last:
            return tally
        reading = tuple(n for n in matches.notices if n.code not in OF_JUDGMENTS)
        return replace(tally, judged_queries=0, reading=reading)

    def document(self, judgment: int) -> Any:
        """Return None: rows are numbered within the chosen queries."""
        return None

    def judged_documents(self, query: Any) -> list[tuple[Any, float]]:
        """Return the ids and grades of a query's judged documents."""
        return self.whole.judged_documents(query)


@frozen(eq=False)
class LabelledCollection(_Rankings):
    """Lists of labels and scores, which belong together by position.

    ``labels`` and ``scores`` are flat; ``width`` is the length of all lists if they are the rows
    of a table. Without scores documents are in order of rank. ``ties`` is known if the lists are
    parts of longer ones. ``lowest`` is the lowest label if it is known. With ``matches`` labels and
    scores are those that are not 0, of which it was counted where they landed. Scores of which the
    lowest was the best are ``negated``. With ``whole_lists`` labels and scores are those of their first
    documents.
    """

    labels: Array
    scores: Array | None
    bounds: Array
    width: int | None = None
    queries: list[Any] | None = None
    own_notices: tuple[Notice, ...] = ()
    name: str = "run"
    single: bool = False
    ties: tuple[int, int] | None = None
    matches: Matches | None = None
    lowest: float | None = None
    negated: bool = False
    whole_lists: WholeLists | None = None
    default: Conventions = field(default=default_conventions(has_ids=False))
    sources: tuple[Source, Source] = (MEMORY, MEMORY)
    changes: Mapping[str, Any] = field(default_factory=dict)

    def with_scores(self, scores: Array) -> LabelledCollection:
        """Return the same labels with other scores."""
        return replace(self, scores=scores)

    def documents(self, *, float32: bool, run_queries: bool, repeats: bool) -> Documents:
        """Return the labelled documents."""
        scores = self.scores
        if scores is not None and float32:
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32).astype(np.float64)
        return Documents(
            range(len(self.bounds) - 1) if self.queries is None else self.queries,
            self.bounds,
            self.labels,
            scores,
            self.name,
            self.matches,
            width=self.width,
            all_judged=self.matches is not None,
            lowest=self.lowest,
            negated=self.negated,
            whole_lists=self.whole_lists,
        )

    def tied(self, conventions: Conventions) -> tuple[int, int]:
        """Return how many labelled documents share their score, and how many there are."""
        if self.ties is not None:
            return self.ties
        return self.ranked(conventions.replace(unjudged="nonrelevant")).count_ties()

    def tally(self, conventions: Conventions) -> Tally:
        """Count what is odd about the data."""
        tied, documents = self.tied(conventions)
        large = 0 if self.scores is None else large_ties_in_lists(self.scores, self.bounds)
        return Tally(tied=tied, documents=documents, large_ties=large, reading=self.own_notices)

    def document(self, judgment: int) -> Any:
        """Return the position of a document in its list, None if it is in order of rank."""
        return None if self.scores is None else judgment

    def judged_documents(self, query: Any) -> list[tuple[Any, float]]:
        """Return the positions and labels of a query's documents, if they are not in order of rank."""
        if self.scores is None:
            return []
        row = query if self.queries is None else self.queries.index(query)
        labels = self.labels[self.bounds[row] : self.bounds[row + 1]].tolist()
        return [(i, max(label, 0.0)) for i, label in enumerate(labels) if label == label]  # noqa: PLR0124


#: Judgments and a run, from whatever the user holds: every verb takes one, and ``rank`` is the only
#: way from here to ranks.
Collection = MatchedCollection | CollectionPart | LabelledCollection
