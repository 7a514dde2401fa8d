"""Ranks of the judged documents of one query, as in place.hpp and match_mapping.hpp."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from rankstone.core.matches import SAMPLED_DOCS, sampled_queries

# A row of a run: document, score, rank as written (None if it is not a whole number).
Row = tuple[bytes, float, int | None]


class Outcome:
    """The outcome of one judged query; matches as (judgment, score, above, tied, greater, earlier)."""

    def __init__(self) -> None:
        self.present = False
        self.retrieved = 0
        self.duplicates = 0
        self.rank_disagrees = False
        self.duplicate: Any = None
        self.matches: list[tuple[int, float, int, int, int, int]] = []


def place(rows: list[Row], judged: dict[bytes, int], *, repeats: bool) -> Outcome:
    """Place the judged documents among the rows of a query, in input order.

    With ``repeats`` every row of a document counts, else the best one.
    """
    outcome = Outcome()
    outcome.present = True
    outcome.rank_disagrees = _rank_disagrees(rows)
    best: dict[bytes, tuple[int, float]] = {}
    for i, (doc, score, _) in enumerate(rows):
        if doc not in best:
            best[doc] = (i, score)
            continue
        outcome.duplicates += 1
        outcome.duplicate = doc if outcome.duplicates == 1 else min(doc, outcome.duplicate)
        if score > best[doc][1]:
            best[doc] = (i, score)
    kept = [(doc, *at) for doc, at in best.items()]
    if repeats:
        kept = [(doc, i, score) for i, (doc, score, _) in enumerate(rows)]
    outcome.retrieved = len(kept)
    groups: dict[float, list[tuple[int, bytes]]] = {}
    for doc, i, score in kept:
        groups.setdefault(score, []).append((i, doc))
    above = 0
    for score in sorted(groups, reverse=True):
        tie = sorted(groups[score])
        ids = sorted(doc for _, doc in tie)
        for earlier, (_, doc) in enumerate(tie):
            if doc in judged:
                greater = len(ids) - bisect_right(ids, doc)
                outcome.matches.append((judged[doc], score, above, len(tie), greater, earlier))
        above += len(tie)
    return outcome


def _rank_disagrees(rows: list[Row]) -> bool:
    """Return whether a row is ranked better than another but has a lower score."""
    if any(rank is None for _, _, rank in rows):
        return False
    lowest = float("inf")
    by_rank: dict[int, list[float]] = {}
    for _, score, rank in rows:
        by_rank.setdefault(rank or 0, []).append(score)
    for rank in sorted(by_rank):
        if max(by_rank[rank]) > lowest:
            return True
        lowest = min(lowest, *by_rank[rank])
    return False


def sampled(outcomes: Sequence[Outcome], judged: Sequence[Any]) -> list[int]:
    """Return a few queries in which judged documents are missing, spread over all of them."""
    pairs = enumerate(zip(outcomes, judged, strict=True))
    return sampled_queries(
        [q for q, (o, d) in pairs if o.present and len({m[0] for m in o.matches}) < len(d)]
    )


def samples_of(
    queries: list[int], rows_of: Callable[[int], Iterable[Row]], judged: Sequence[dict[bytes, int]]
) -> tuple[np.ndarray, np.ndarray, bytes, np.ndarray]:
    """Return the queries, and their first unjudged documents laid end to end."""

    def sample_of(q: int) -> Iterable[bytes]:
        return islice((doc for doc, _, _ in rows_of(q) if doc not in judged[q]), SAMPLED_DOCS)

    return _laid_out(queries, sample_of)


def tops_of(
    queries: list[int], rows_of: Callable[[int], Iterable[Row]], most: int, ids_fall: int
) -> tuple[np.ndarray, np.ndarray, bytes, np.ndarray]:
    """Return the queries, and their first documents, each once, laid end to end.

    Of equal scores the greater id is first if ``ids_fall`` is 1, the smaller if it is -1, the earlier
    row if it is 0.
    """

    def top_of(q: int) -> Iterable[bytes]:
        rows = list(rows_of(q))
        if ids_fall:
            rows.sort(key=lambda row: row[0], reverse=ids_fall > 0)
        ordered = sorted(rows, key=lambda row: row[1], reverse=True)
        return islice(dict.fromkeys(doc for doc, _, _ in ordered), most)

    return _laid_out(queries if most else [], top_of)


def _laid_out(
    queries: list[int], docs_of: Callable[[int], Iterable[bytes]]
) -> tuple[np.ndarray, np.ndarray, bytes, np.ndarray]:
    docs: list[bytes] = []
    bounds = [0]
    for q in queries:
        docs += docs_of(q)
        bounds.append(len(docs))
    ends = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    return np.array(queries, np.int64), np.array(bounds, np.int64), b"".join(docs), ends


def arrays_of(outcomes: list[Outcome]) -> dict[str, Any]:
    """Lay the outcomes of all queries out as flat arrays."""
    # by judgment; those of one by falling score and in input order
    matches = [m for o in outcomes for m in sorted(o.matches, key=lambda m: (m[0], m[2], m[5]))]
    columns: list[Any] = list(zip(*matches, strict=True)) or [[]] * 6
    ints = [np.array(c, np.int64) for i, c in enumerate(columns) if i != 1]
    judgment, above, tied, greater, earlier = ints
    return {
        "offsets": np.cumsum([0] + [len(o.matches) for o in outcomes], dtype=np.int64),
        "judgment": judgment,
        "score": np.array(columns[1], np.float64),
        "above": above,
        "tied": tied,
        "greater": greater,
        "earlier": earlier,
        "present": np.array([o.present for o in outcomes], np.uint8),
        "retrieved": np.array([o.retrieved for o in outcomes], np.int64),
        "duplicates": np.array([o.duplicates for o in outcomes], np.int64),
        "rank_disagrees": np.array([o.rank_disagrees for o in outcomes], np.uint8),
        "duplicate": {q: o.duplicate for q, o in enumerate(outcomes) if o.duplicates},
    }


def read_judged(judged: list[Any]) -> tuple[list[Any], bool, np.ndarray, np.ndarray] | None:
    """Read the judgments of queries from dictionaries; None if they need a closer look."""
    if not all(type(rows) is dict for rows in judged):
        return None
    docs = [doc for rows in judged for doc in rows]
    grades = [grade for rows in judged for grade in rows.values()]
    types = {*map(type, docs)}
    if (types - {str} and types - {int}) or "" in docs or {*map(type, grades)} - {int, float, bool}:
        return None
    try:
        values = np.array(grades, np.float64)
    except OverflowError:
        return None
    if not np.isfinite(values).all():
        return None
    groups = np.cumsum([0, *map(len, judged)], dtype=np.int64)
    return docs, types == {int}, groups, values


def match_mapping(
    run: dict[Any, Any],
    queries: list[Any],
    docs: list[Any],
    groups: np.ndarray,
    ascending: bool,
    float32: bool,
) -> dict[str, Any]:
    """Place the judged documents of a run held in dictionaries."""
    outcomes = [Outcome() for _ in queries]
    kinds: set[bool] = set()
    bounds = pairwise(groups.tolist())
    for query, (first, last), outcome in zip(queries, bounds, outcomes, strict=True):
        if query in run:
            rows = run[query]
            if not isinstance(rows, dict):
                return {"fault": ("not_a_mapping", query, None, rows)}
            outcome.present = True
            fault = _check_ids(rows, kinds) or _place_mapping(
                rows, docs[first:last], first, (ascending, float32), outcome
            )
            if fault:
                kind, doc, value = fault
                return {"fault": (kind, query, doc, value)}
    return {**arrays_of(outcomes), "fault": None}


def _check_ids(rows: dict[Any, Any], kinds: set[bool]) -> tuple[str, Any, Any] | None:
    """Return the fault of the first id that is not plain, or of another kind than others.

    A score before it that is at fault comes first.
    """
    for i, (doc, value) in enumerate(rows.items()):
        is_text = isinstance(doc, str)
        whole = isinstance(doc, int | np.integer) and not isinstance(doc, bool)
        if not (is_text or whole) or (is_text and not doc):
            fault = "not_an_id"
        else:
            kinds.add(is_text)
            fault = "mixed_ids" if len(kinds) > 1 else ""
        if fault:
            before = _scores(dict(islice(rows.items(), i)))
            return before if isinstance(before, tuple) else (fault, doc, value)
    return None


def _place_mapping(
    rows: dict[Any, Any], judged: list[Any], first: int, how: tuple[bool, bool], outcome: Outcome
) -> tuple[str, Any, Any] | None:
    """Place the judged documents in a dict of scores; return what is wrong with it, if anything."""
    scores = _scores(rows)
    if not isinstance(scores, np.ndarray):
        return scores
    ascending, float32 = how
    if ascending:
        scores = 0.0 - scores
    if float32:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    outcome.retrieved = len(scores)
    falling = np.sort(-scores)
    places = {doc: i for i, doc in enumerate(rows)}
    keys = list(rows)
    for i, doc in enumerate(judged):
        if doc not in places:
            continue
        score = float(scores[places[doc]])
        above = bisect_left(falling, -score)
        tied = bisect_right(falling, -score) - above
        greater = earlier = 0
        if tied > 1:
            tie = [keys[j] for j in np.flatnonzero(scores == score)]
            greater = sum(other > doc for other in tie)
            earlier = tie.index(doc)
        outcome.matches.append((first + i, score, above, tied, greater, earlier))
    return None


def _scores(rows: dict[Any, Any]) -> Any:
    """Return the scores as an array, or what is wrong with the first bad one."""
    items = list(rows.items())  # reading a score may change the dict
    try:
        values = [v if type(v) is float else _number(v) for _, v in items]
    except TypeError:
        values = []
    scores = np.array(values, np.float64)
    if len(scores) == len(items) and np.isfinite(scores).all():
        return scores
    for doc, value in items:
        try:
            number = _number(value)
        except TypeError:
            return ("not_a_number", doc, value)
        if not np.isfinite(number):
            return ("not_finite", doc, value)
    return scores


def _number(value: Any) -> float:
    if isinstance(value, str | bytes | bytearray):
        raise TypeError
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise TypeError from error
