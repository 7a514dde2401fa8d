"""One ranking, or a table of them, as people hold it in their hands, made into a Ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError

Array = np.ndarray
_WITH_IDS = Conventions()
_BARE = Conventions(ties="expected")


def ranked_of(data: tuple[Any, ...], conventions: Conventions | None) -> tuple[Ranked, bool]:
    """Return the rankings in the data, and whether there is only one.

    The data may be grades in rank order; true grades and predicted scores; or relevant
    documents and a ranked list. Numbers may be lists, arrays or tensors, with one row for each
    query where there are several. Two lists of numbers are grades and scores: relevant
    documents whose ids are numbers go into a set.
    """
    ranked, single = _read(data, conventions)
    return ranked.condensed() if ranked.conventions.unjudged == "remove" else ranked, single


def _read(data: tuple[Any, ...], conventions: Conventions | None) -> tuple[Ranked, bool]:
    if len(data) == 1:
        return _from_grades(data[0], conventions or _WITH_IDS)
    if len(data) != 2:
        raise UsageError(
            "give grades in rank order; true grades and predicted scores; or relevant documents "
            f"and a ranked list; not {len(data)} things."
        )
    truth, predicted = data
    if isinstance(truth, AbstractSet | Mapping):
        judged = [_judged(truth)]
        return _from_ids(judged, [_listed(predicted)], conventions or _WITH_IDS), True
    if _depth(truth) == 1 and _depth(predicted) == 2:
        table = np.asarray(predicted)
        if table.dtype.kind == "f":
            raise DataError(
                "one row of grades and several rows of scores; give the two the same shape "
                "(or, for predicted documents, ids that are text or whole numbers)."
            )
        rows = table.tolist()
        truths = list(truth)
        if len(truths) != len(rows):
            raise DataError(f"{len(truths)} truths for {len(rows)} rows of predictions.")
        judged = [{t: 1.0} for t in truths]
        return _from_ids(judged, rows, conventions or _WITH_IDS), False
    if _is_ids(truth) or _is_ids(predicted):
        return _from_ids([_judged(truth)], [_listed(predicted)], conventions or _WITH_IDS), True
    return _from_scores(truth, predicted, conventions or _BARE)


def _is_ids(value: Any) -> bool:
    if getattr(value, "dtype", None) is not None:
        return np.asarray(value).dtype.kind in "OUST"
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str)


def grades_by_position(preferred: Iterable[Any]) -> dict[Any, float]:
    """Return grades for a list of preferences, best first: 1 / position.

    >>> grades_by_position(["a", "b"])
    {'a': 1.0, 'b': 0.5}
    """
    return {doc: 1 / place for place, doc in enumerate(dict.fromkeys(preferred), 1)}


def _depth(value: Any) -> int:
    """Return the dimensions of an array, or of a list of numbers, texts or lists."""
    if hasattr(value, "ndim"):
        return int(value.ndim)
    if not isinstance(value, list | tuple) or not value:
        return 1
    return 2 if isinstance(value[0], list | tuple) or np.ndim(value[0]) else 1


def _judged(value: Any) -> dict[Any, float]:
    if isinstance(value, Mapping):
        return {doc: _finite(grade, "grade") for doc, grade in value.items()}
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise DataError(f"relevant documents are a set, a list or a dict of grades, not {value!r}.")
    return dict.fromkeys(_hashable(value), 1.0)


def _hashable(values: Iterable[Any]) -> list[Any]:
    documents = list(values)
    for doc in documents:
        if isinstance(doc, list | dict | set | np.ndarray):
            raise DataError(f"a document id is text or a whole number, not {doc!r}.")
    return documents


def _finite(value: Any, what: str) -> float:
    try:
        number = float("nan") if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise DataError(f"{what} {value!r} is not a finite number.")
    return number


def _listed(value: Any) -> list[Any]:
    if isinstance(value, AbstractSet | Mapping | str) or not isinstance(value, Iterable):
        raise DataError(f"a ranking is a list of documents, best first, not {value!r}.")
    return _hashable(value)


def _numbers(value: Any, what: str) -> Array:
    """Return lists, arrays or tensors of numbers as a table with one row for each query."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise DataError(f"{what}: the rows differ in length.") from None
    if array.dtype.kind == "O" and array.ndim in (1, 2):
        rows: list[Any] = array.tolist()
        array = np.array([np.nan if v is None else v for v in rows])
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise DataError(
            f"{what} must be numbers in one or two dimensions, not {array.dtype} in {array.ndim}."
        )
    return np.atleast_2d(array.astype(np.float64, copy=False))


def _from_grades(value: Any, conventions: Conventions) -> tuple[Ranked, bool]:
    """Grades in rank order; None marks a document without a judgment."""
    single = _depth(value) == 1
    table = _numbers(value, "grades")
    if np.isinf(table).any() or (np.isnan(table).any() and _has_nan(value)):
        raise DataError("grades must be finite numbers, or None for a document without a judgment.")
    width = table.shape[1]
    rank = np.broadcast_to(np.arange(1, width + 1), table.shape)
    one = np.ones(table.shape, np.int64)
    return _ranked(table, -rank.astype(float), rank, rank - 1, one, conventions), single


def _has_nan(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_nan(v) for v in value)
    return value is not None and bool(np.isnan(np.asarray(value)).any())


def _from_scores(truth: Any, predicted: Any, conventions: Conventions) -> tuple[Ranked, bool]:
    grades, scores = _numbers(truth, "true grades"), _numbers(predicted, "predicted scores")
    if grades.shape != scores.shape:
        sizes = [" x ".join(map(str, np.shape(v))) for v in (truth, predicted)]
        raise DataError(
            f"{sizes[0]} true grades and {sizes[1]} predicted scores: the two must have "
            "the same shape. For lists of ids give the relevant ones as a set."
        )
    if conventions.ties.startswith("docid"):
        raise UsageError(
            f"ties={conventions.ties!r} needs document ids, and these are bare scores. "
            "Choose 'expected', 'input', 'optimistic' or 'pessimistic'."
        )
    for what, values in (("true grade", grades), ("predicted score", scores)):
        if not np.isfinite(values).all():
            bad = values[~np.isfinite(values)][0]
            raise DataError(f"a {what} is {bad}; rankings need finite numbers.")
    if conventions.precision == "float32":
        scores = scores.astype(np.float32).astype(np.float64)
    return _sorted(grades, scores, conventions), _depth(predicted) == 1


def _sorted(grades: Array, scores: Array, conventions: Conventions) -> Ranked:
    """Order every row by falling score, equal scores as the conventions say."""
    if conventions.ties in ("optimistic", "pessimistic"):
        sign = -1.0 if conventions.ties == "optimistic" else 1.0
        order = np.lexsort((sign * grades, -scores), axis=1)
    elif conventions.ties == "expected":
        order = np.argsort(-scores, axis=1)  # the order within ties is of no account
    else:
        order = np.argsort(-scores, axis=1, kind="stable")
    flat = order + np.arange(len(scores))[:, None] * scores.shape[1]
    scores, grades = scores.take(flat), grades.take(flat)
    place = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    first = np.ones(scores.shape, bool)
    first[:, 1:] = scores[:, 1:] != scores[:, :-1]
    if first.all():
        above, tied = place, np.ones(scores.shape, np.int64)
    else:
        above = np.maximum.accumulate(np.where(first, place, 0), axis=1)
        sizes = np.diff(np.append(np.flatnonzero(first), first.size))
        tied = np.repeat(sizes, sizes).reshape(scores.shape)
    return _ranked(grades, scores, place + 1, above, tied, conventions, order)


def _from_ids(
    judged: list[dict[Any, float]], rankings: list[list[Any]], conventions: Conventions
) -> Ranked:
    """Known documents in ranked lists; a document that is repeated counts where it comes first."""
    rank, grade, row, lengths, retrieved, all_grades = [], [], [], [], [], []
    for known, ranking in zip(judged, rankings, strict=True):
        order = list(dict.fromkeys(ranking))
        if len(order) < len(ranking) and conventions.duplicates == "error":
            raise DataError("a document stands more than once in the ranking. Remove it.")
        found = [(i, known[doc]) for i, doc in enumerate(order, 1) if doc in known]
        rank += [i for i, _ in found]
        grade += [g for _, g in found]
        row += [i - 1 for i, _ in found]
        lengths.append(len(found))
        retrieved.append(len(order))
        all_grades.append(np.sort(np.array(list(known.values()), float))[::-1])
    ranks = np.array(rank, np.int64)
    return Ranked(
        queries=list(range(len(judged))),
        offsets=segments.offsets_of(np.array(lengths)),
        rank=ranks,
        grade=np.array(grade, np.float64),
        score=-ranks.astype(np.float64),
        judgment=np.array(row, np.int64),
        above=ranks - 1,
        tied=np.ones(len(ranks), np.int64),
        retrieved=np.array(retrieved),
        judged_offsets=segments.offsets_of(np.array([len(g) for g in all_grades])),
        judged_grade=np.concatenate(all_grades) if all_grades else np.zeros(0),
        max_grade=float(max((g.max(initial=0.0) for g in all_grades), default=0.0)),
        conventions=conventions,
    )


def _ranked(
    grades: Array,
    scores: Array,
    rank: Array,
    above: Array,
    tied: Array,
    conventions: Conventions,
    order: Array | None = None,
) -> Ranked:
    """Make a Ranked of tables in rank order; NaN is a document without a judgment."""
    judged = ~np.isnan(grades)
    whole = bool(judged.all())
    offsets = segments.offsets_of(judged.sum(axis=1))
    rows = np.broadcast_to(np.arange(grades.shape[1]), grades.shape) if order is None else order

    def pick(table: Array) -> Array:
        return table.reshape(-1) if whole else table[judged]

    falling = -np.sort(-(grades if whole else np.where(judged, grades, -np.inf)), axis=1)
    return Ranked(
        queries=list(range(len(grades))),
        offsets=offsets,
        rank=pick(rank),
        grade=pick(grades),
        score=pick(scores),
        judgment=pick(rows),
        above=pick(above),
        tied=pick(tied),
        retrieved=np.full(len(grades), grades.shape[1]),
        judged_offsets=offsets,
        judged_grade=falling[np.isfinite(falling)] if not whole else falling.reshape(-1),
        max_grade=float(np.max(falling, initial=0.0)),
        conventions=conventions,
        width=grades.shape[1] if whole else None,
    )
