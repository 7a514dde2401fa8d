"""One ranking, or a table of them, as people hold it in their hands, made into a Ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import gpu, segments
from rankstone.core.as_numpy import all_finite, array_of, lowest_and_finite, numbers_of
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_table import Lists
from rankstone.core.tie_breaking import found_grades, meant_grades, needs_ids
from rankstone.errors import DataError, UsageError

Array = np.ndarray
_WITH_IDS = Conventions(negatives="nonrelevant")
BARE = Conventions(ties="expected", negatives="nonrelevant")


def ranked_of(
    data: tuple[Any, ...],
    conventions: Conventions | None,
    reach: Callable[[], gpu.Reach | None] | None = None,
) -> tuple[Ranked, bool]:
    """Return the rankings in the data, and whether there is only one.

    The data may be grades in rank order; true grades and predicted scores; or relevant
    documents and a ranked list. Numbers may be lists, arrays or tensors, with one row for each
    query where there are several. Two lists of numbers are grades and scores: relevant
    documents whose ids are numbers go into a set. ``reach`` returns how much of a list will be
    read, if not all.
    """
    ranked, single = _read(data, conventions, reach)
    return ranked.condensed() if ranked.conventions.unjudged == "remove" else ranked, single


def _read(
    data: tuple[Any, ...],
    conventions: Conventions | None,
    reach: Callable[[], gpu.Reach | None] | None,
) -> tuple[Ranked, bool]:
    if len(data) == 1:
        return _from_grades(data[0], conventions or _WITH_IDS)
    if len(data) != 2:
        raise UsageError(
            "give grades in rank order; true grades and predicted scores; or relevant documents "
            f"and a ranked list; not {len(data)} things."
        )
    truth, predicted = data
    if type(truth) is type(predicted) is np.ndarray and _alike(truth, predicted):
        return _from_scores(truth, predicted, conventions or BARE)
    if isinstance(truth, AbstractSet | Mapping):
        judged = [_judged(truth)]
        return _from_ids(judged, [_listed(predicted)], conventions or _WITH_IDS), True
    if _depth(truth) == 1 and _depth(predicted) == 2:
        table = array_of(predicted, "predicted documents")
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
    rules = conventions or BARE
    if reach is not None and gpu.elsewhere(predicted):
        part = gpu.cut(truth, predicted, reach(), (rules,), count=False)
        if part is not None:
            return ranked_lists(part.grades, part.scores, rules), truth.ndim == 1
    return _from_scores(truth, predicted, rules)


def _alike(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.dtype.kind in "biuf" and b.dtype.kind in "biuf"


def _is_ids(value: Any) -> bool:
    if getattr(value, "dtype", None) is not None:
        kind = getattr(value.dtype, "kind", "")  # of other libraries' arrays, which hold numbers
        return kind in "OUST" if kind else False
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


def _from_grades(value: Any, conventions: Conventions) -> tuple[Ranked, bool]:
    """Grades in rank order; None marks a document without a judgment."""
    grades = numbers_of(value, "grades")
    if not all_finite(grades) and (np.isinf(grades).any() or _has_nan(value)):
        raise DataError("grades must be finite numbers, or None for a document without a judgment.")
    return ranked_lists(grades, None, conventions), grades.ndim == 1


def _has_nan(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_nan(v) for v in value)
    return value is not None and bool(np.isnan(array_of(value, "grades")).any())


def _from_scores(truth: Any, predicted: Any, conventions: Conventions) -> tuple[Ranked, bool]:
    grades, scores = numbers_of(truth, "true grades"), numbers_of(predicted, "predicted scores")
    if grades.shape != scores.shape:
        sizes = [" x ".join(map(str, np.shape(v))) for v in (grades, scores)]
        raise DataError(
            f"{sizes[0]} true grades and {sizes[1]} predicted scores: the two must have "
            "the same shape. For lists of ids give the relevant ones as a set."
        )
    lowest, finite = lowest_and_finite(grades, scores)
    for what, values in (("true grade", grades), ("predicted score", scores)):
        if not finite and not all_finite(values):
            bad = values[~np.isfinite(values)][0]
            raise DataError(f"a {what} is {bad}; rankings need finite numbers.")
    return ranked_lists(grades, scores, conventions, lowest=lowest), scores.ndim == 1


def ranked_lists(
    grades: Array,
    scores: Array | None,
    conventions: Conventions,
    offsets: Array | None = None,
    lowest: float | None = None,
    **known: Any,
) -> Ranked:
    """Return the ranking of lists of grades, NaN where there is none, by falling score.

    The lists are the rows of a table, or stretches of one long array as ``offsets`` say.
    Without scores their documents stand in order of rank. ``lowest`` is the lowest grade, where
    it is known.
    """
    if scores is not None:
        if conventions.ties.startswith("docid"):
            raise needs_ids(conventions.ties)
        if conventions.precision == "float32":
            with np.errstate(over="ignore"):
                scores = scores.astype(np.float32).astype(np.float64)
        scores = scores.reshape(-1)
    width = None
    if offsets is None:
        width = grades.shape[-1]
        rows = grades.shape[0] if grades.ndim == 2 else 1
        offsets = np.arange(rows + 1) * width
    grades, judged = meant_grades(grades.reshape(-1), conventions.negatives, lowest)
    found = None
    if conventions.nonpositive == "nonrelevant" and scores is not None:
        found = found_grades(grades, scores)
    lists = Lists(grades, scores, offsets, conventions.ties, judged, width, found)
    return Ranked.of(lists, conventions, **known)


def _from_ids(
    judged: list[dict[Any, float]], rankings: list[list[Any]], conventions: Conventions
) -> Ranked:
    """Known documents in ranked lists; a document that is repeated counts where it comes first."""
    rank, grade, row, lengths, retrieved, all_grades = [], [], [], [], [], []
    highest = 0.0
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
        highest = max(highest, *known.values(), 0.0)
        counted = [g for _, g in found] if conventions.missed == "ignore" else known.values()
        all_grades.append(np.sort(np.array(list(counted), float))[::-1])
    ranks = np.array(rank, np.int64)
    return Ranked(
        queries=list(range(len(judged))),
        offsets=segments.offsets_of(np.array(lengths)),
        rank=ranks,
        grade=np.array(grade, np.float64),
        original_grade=np.array(grade, np.float64),
        score=-ranks.astype(np.float64),
        judgment=np.array(row, np.int64),
        above=ranks - 1,
        tied=np.ones(len(ranks), np.int64),
        retrieved=np.array(retrieved),
        judged_offsets=segments.offsets_of(np.array([len(g) for g in all_grades])),
        judged_grade=np.concatenate(all_grades) if all_grades else np.zeros(0),
        max_grade=float(highest),
        conventions=conventions,
    )
