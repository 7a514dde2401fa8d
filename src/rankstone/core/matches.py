"""Ranks of the judged documents in a run, before any convention is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from rankstone.core import segments
from rankstone.errors import Notice
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.ids import Ids


SAMPLED_QUERIES, SAMPLED_DOCS = 32, 256


def sampled_queries(queries: list[int]) -> list[int]:
    """Return a sample of the queries, evenly spread over them.

    >>> sampled_queries(list(range(65)))[:3]
    [0, 3, 6]
    """
    return queries[:: -(-len(queries) // SAMPLED_QUERIES) or 1]


def lacks_judged(groups: np.ndarray, judgment: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return which queries of the run miss judged documents; a judgment may have several matches.

    >>> lacks_judged(np.array([0, 2, 4]), np.array([0, 0, 2, 3]), np.array([True, True])).tolist()
    [True, False]
    """
    missing = np.ones(int(groups[-1]), bool)
    missing[judgment] = False
    return present & (segments.count(missing, groups) > 0)


BY_ROW = ("judgment", "score", "above", "tied", "greater", "earlier")
_BY_QUERY = {
    "present": np.uint8, "retrieved": np.int64, "duplicates": np.int64, "rank_disagrees": np.uint8,
}  # fmt: skip
_ARRAYS = ("offsets", *BY_ROW, *_BY_QUERY)  # as an engine names them


class Outcome(NamedTuple):
    """The outcome of one judged query; a match is a judgment and the other numbers of its row."""

    present: bool = False
    retrieved: int = 0
    duplicates: int = 0
    rank_disagrees: bool = False
    duplicate: Any = None
    matches: Sequence[tuple[int, float, int, int, int, int]] = ()


def arrays_of(outcomes: list[Outcome]) -> dict[str, Any]:
    """Lay the outcomes of all queries out as flat arrays."""
    matches = [match for outcome in outcomes for match in outcome.matches]
    columns: list[Any] = list(zip(*matches, strict=True)) or [[]] * len(BY_ROW)
    arrays = {
        name: np.array(column, np.float64 if name == "score" else np.int64)
        for name, column in zip(BY_ROW, columns, strict=True)
    }
    return {
        "offsets": np.cumsum([0] + [len(o.matches) for o in outcomes], dtype=np.int64),
        **arrays,
        **{n: np.array([getattr(o, n) for o in outcomes], kind) for n, kind in _BY_QUERY.items()},
        "duplicate": {q: o.duplicate for q, o in enumerate(outcomes) if o.duplicates},
    }


Docs = TypeVar("Docs", bound=Sequence[Any])


class DocsByQuery(NamedTuple, Generic[Docs]):
    """Documents of some queries of the run.

    Those of ``queries[i]`` are ``docs[bounds[i]:bounds[i + 1]]``.
    """

    queries: np.ndarray
    bounds: np.ndarray
    docs: Docs


def doc_samples(
    scan: Mapping[str, Any],
    groups: np.ndarray,
    docs: Sequence[Any],
    ranking: Callable[[int], Iterable[Any]],
) -> DocsByQuery[list[Any]]:
    """Return unjudged documents of a few queries in which judged documents are missing.

    Args:
        scan: arrays of matches.
        groups: bounds of the judged documents of each query.
        docs: the judged documents.
        ranking: returns the documents of a query of the run.
    """
    lacking = lacks_judged(groups, scan["judgment"], scan["present"].astype(bool))
    queries = sampled_queries(np.flatnonzero(lacking).tolist())
    unjudged: list[Any] = []
    bounds = [0]
    for q in queries:
        judged = set(docs[groups[q] : groups[q + 1]])
        unjudged += islice((doc for doc in ranking(q) if doc not in judged), SAMPLED_DOCS)
        bounds.append(len(unjudged))
    return DocsByQuery(np.array(queries, np.int64), np.array(bounds, np.int64), unjudged)


@frozen(eq=False)
class Matches:
    """For every judged document that was retrieved, the counts any tie rule follows from.

    Rows ``offsets[q]:offsets[q + 1]`` belong to judged query q, in the order of the
    judgments. ``above`` documents have a higher score; ``tied`` share its score, itself
    included; of those, ``greater`` have a greater id and ``earlier`` come earlier in the input.
    A document that is ranked more than once has one row, its best, unless the run was matched with
    repetitions: then it has a row for each occurrence, one after another by falling score and in
    input order, and ``retrieved`` counts them too. ``duplicates`` counts the repetitions.
    ``doc_samples`` are unjudged documents of a few queries in which judged ones are missing; ``tops``
    are the first documents of every query, best first, if the run was asked to keep them.
    """

    offsets: np.ndarray
    judgment: np.ndarray
    score: np.ndarray
    above: np.ndarray
    tied: np.ndarray
    greater: np.ndarray
    earlier: np.ndarray
    present: np.ndarray
    retrieved: np.ndarray
    duplicates: np.ndarray
    rank_disagrees: np.ndarray
    duplicate: dict[int, str | int] = field(default_factory=dict)
    unjudged_queries: int = 0
    unjudged_capped: bool = False
    unjudged_sample: tuple[str | int, ...] = ()
    doc_samples: DocsByQuery[Sequence[Any]] | None = None
    tops: DocsByQuery[Ids] | None = None
    notices: tuple[Notice, ...] = ()
    tag: str = ""

    @classmethod
    def of(cls, scan: dict[str, Any], **more: Any) -> Matches:
        """Take the arrays an engine returned, and ``more`` fields."""
        arrays = {name: scan[name] for name in _ARRAYS}
        for name in ("present", "rank_disagrees"):
            arrays[name] = arrays[name].astype(bool)
        return cls(**arrays, **more)

    @classmethod
    def none(cls, queries: int) -> Matches:
        """Return the matches of a run without rows."""
        return cls.of(arrays_of([Outcome()] * queries))

    def select(self, chosen: np.ndarray, rows: np.ndarray) -> Matches:
        """Return the matches of the chosen queries; ``rows`` are the new rows of judgments."""
        kept = self.with_rows(np.repeat(chosen, np.diff(self.offsets)))
        place = np.cumsum(chosen) - 1
        return replace(
            kept,
            offsets=np.append(0, np.cumsum(np.diff(self.offsets)[chosen])),
            judgment=rows[kept.judgment],
            **{name: getattr(self, name)[chosen] for name in _BY_QUERY},
            duplicate={int(place[q]): doc for q, doc in self.duplicate.items() if chosen[q]},
            tops=None,
        )

    def with_rows(self, kept: np.ndarray) -> Matches:
        """Return some of the rows; the other documents were retrieved, and are not judged."""
        return replace(
            self,
            offsets=np.append(0, np.cumsum(kept))[self.offsets],
            **{name: getattr(self, name)[kept] for name in BY_ROW},
        )

    def part(self, begin: int, end: int) -> Matches:
        """Return the matches of consecutive queries, without a copy; judgments keep their rows."""
        bounds = self.offsets[begin : end + 1]
        rows = slice(bounds[0], bounds[-1])
        return replace(
            self,
            offsets=bounds - bounds[0],
            **{name: getattr(self, name)[rows] for name in BY_ROW},
            **{name: getattr(self, name)[begin:end] for name in _BY_QUERY},
        )

    def with_distinct_ids(self, *, earlier_is_greater: bool) -> Matches:
        """Return matches in which the occurrences of a document in a tie are in order of id."""
        again = np.zeros(len(self.judgment), bool)
        again[1:] = (np.diff(self.judgment) == 0) & (np.diff(self.above) == 0)
        bounds = np.append(np.flatnonzero(~again), len(again))
        copies = np.arange(len(again)) - np.repeat(bounds[:-1], np.diff(bounds))
        if not earlier_is_greater:
            copies = np.repeat(np.diff(bounds), np.diff(bounds)) - 1 - copies
        return replace(self, greater=self.greater + copies)
