"""Recognition of two lists or arrays: labels and scores, or ids of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set as AbstractSet
from typing import Any

import numpy as np

from rankstone.core.as_numpy import array_of
from rankstone.core.notice_texts import reading_notice
from rankstone.core.text import decode, is_number
from rankstone.errors import DataError, Notice, UsageError
from rankstone.io.arrays import are_arrays

_SAMPLE = 10
_ITEMS = 100


def are_labels(judgments: Any, run: Any, *, keyed: bool) -> bool:
    """Return whether judgments and run are labels and scores, not ids of documents.

    ``keyed`` is whether a mask, query ids or group sizes came with them, which only labels have.
    Text is ids. Whole numbers in both places and of one shape could be either, so they are refused.
    """
    for what, data in (("judgments", judgments), ("run", run)):
        _refuse_column_of_lists(what, data)
    if keyed:
        return are_arrays(judgments)
    if not are_arrays(judgments) or _rows_are_sets(judgments):
        return False
    if not are_arrays(run):
        if not isinstance(judgments, list | tuple) and not _is_truth_and_table(judgments, run):
            raise UsageError(
                f"labels are in an array and scores are {type(run).__name__}; give both as lists, "
                "arrays or tensors, labels first."
            )
        return False
    _refuse_rows(judgments, run)
    kinds = _kinds(judgments) | _kinds(run)
    if "text" in kinds:
        _refuse_numbers_as_text(judgments, run)
    if "text" in kinds or _is_truth_and_table(judgments, run):
        return False
    if "other" in kinds or kinds == {"whole"}:
        if kinds == {"whole"} and _shape(judgments) == _shape(run):
            raise UsageError(_AMBIGUOUS)
        return False
    return True


_AMBIGUOUS = (
    "whole numbers in both places, of the same shape, may be labels and scores, or ids of "
    "documents. For labels and scores give the scores as fractions: numpy.asarray(scores, float). "
    "For ids put the relevant ones of each query into a set, such as {3, 17}, or write them as text."
)


def _refuse_numbers_as_text(judgments: Any, run: Any) -> None:
    """Refuse labels and scores that are text, which would be read as ids of documents."""
    for what, data in (("labels", judgments), ("scores", run)):
        items = _items(data if isinstance(data, list | tuple) else array_of(data, what).tolist())
        texts = [decode(item) if isinstance(item, bytes) else item for item in items]
        texts = [text for text in texts if isinstance(text, str)]
        fraction = next((t for t in texts if _is_number(t) and not _is_whole(t)), None)
        if fraction is not None and len(texts) == len(items) and all(map(_is_number, texts)):
            raise UsageError(
                f"the {what} are numbers written as text, such as {fraction!r}, and text is read as "
                f"ids of documents. Convert them first: numpy.asarray({what}, float)."
            )
    labels, scores = (_whole_texts(data) for data in (judgments, run))
    if labels and len(labels) == len(scores) and not {*labels} & {*scores}:
        raise UsageError(
            f"text in both places, as many whole numbers such as {labels[0]!r} and {scores[0]!r}, and "
            "none in common: for labels and scores convert them, numpy.asarray(scores, float); for "
            "ids put the relevant ones into a set."
        )


def _whole_texts(data: Any) -> list[str]:
    """Return the items of a list or array if all are whole numbers written as text, else none."""
    if not isinstance(data, list | tuple | np.ndarray):
        return []
    items = _items(list(data))
    whole = [item for item in items if isinstance(item, str) and _is_whole(item)]
    return whole if len(whole) == len(items) else []


def _is_number(text: str) -> bool:
    """Return whether text is a number, also with a decimal comma."""
    return is_number(text) or is_number(text.replace(",", ".", 1))


def _is_whole(text: str) -> bool:
    return text.lstrip("+-").isdigit()


def _refuse_column_of_lists(what: str, data: Any) -> None:
    if hasattr(data, "to_dict") and not hasattr(data, "columns"):
        first = next(iter(data), None)
        if isinstance(first, list | tuple | set | frozenset | np.ndarray):
            raise UsageError(
                f"the {what}: a {type(data).__name__} of lists. Give the dict of the lists by "
                f"query: {what}.to_dict()."
            )


def _refuse_rows(judgments: Any, run: Any) -> None:
    for what, rows in (("the judgments", judgments), ("the run", run)):
        if isinstance(rows, list | tuple) and rows and all(map(_is_row, rows[:_SAMPLE])):
            raise UsageError(
                f"{what}: {rows[0]!r} looks like a row of query, document and number. Give a dict, "
                "{query: {document: number}}, or a dataframe with columns of these names."
            )


def _is_row(item: Any) -> bool:
    """Return whether an item is a tuple of two ids and a number, and not a list of ids or labels."""
    if not isinstance(item, tuple) or len(item) != 3 or isinstance(item[2], str):
        return False
    ids = {type(v) for v in item[:2]}
    return ids <= {int, str} and (str in ids or isinstance(item[2], float))


def _rows_are_sets(data: Any) -> bool:
    return isinstance(data, list | tuple) and any(
        isinstance(row, AbstractSet | Mapping) for row in data[:_SAMPLE]
    )


def _kinds(data: Any) -> set[str]:
    """Return the kind of the items: ``text``, ``whole``, ``fraction``, ``truth`` or ``other``."""
    if isinstance(data, list | tuple):
        return {_kind(item) for item in _items(data)}
    dtype = str(getattr(data, "dtype", ""))
    kind = getattr(getattr(data, "dtype", None), "kind", "")
    if (kind in "OUST" and kind) or dtype in ("str", "string", "String"):
        return {_kind(item) for item in _items(array_of(data, "array").tolist())} or {"text"}
    if "bool" in dtype:
        return {"truth"}
    return {"whole" if "int" in dtype else "fraction"}


def _kind(item: Any) -> str:
    if isinstance(item, str | bytes | np.str_):
        return "text"
    if isinstance(item, bool | np.bool_):
        return "truth"
    if isinstance(item, int | np.integer):
        return "whole"
    return "fraction" if item is None or isinstance(item, float | np.floating) else "other"


def _items(rows: Any) -> list[Any]:
    """Return the items of the first rows, as a sample."""
    items: list[Any] = []
    for row in rows[:_SAMPLE]:
        items += row[:_ITEMS] if isinstance(row, list | tuple) else [row]
    return items


def _depth(value: Any) -> int:
    """Return the dimensions of an array, or of a list of numbers, texts or lists."""
    if hasattr(value, "ndim"):
        return int(value.ndim)
    if not isinstance(value, list | tuple) or not value:
        return 1
    return 2 if isinstance(value[0], list | tuple) or np.ndim(value[0]) else 1


def _shape(value: Any) -> tuple[int, ...] | list[int]:
    if hasattr(value, "shape"):
        return tuple(int(n) for n in value.shape)
    if _depth(value) == 1:
        return (len(value),)
    lengths = [len(row) for row in value]
    return (len(lengths), lengths[0]) if len(set(lengths)) == 1 else lengths


def _is_truth_and_table(judgments: Any, run: Any) -> bool:
    """Return whether judgments are the one relevant document of each row of a table."""
    if _depth(judgments) != 1 or _depth(run) != 2:
        return False
    kinds = _kinds(judgments)
    return bool(kinds) and kinds <= {"text", "whole"}


def by_query(judgments: Any, run: Any) -> tuple[Any, Any, bool, list[Notice]]:
    """Return judgments and run by query, whether they are one ranking, and notices.

    One ranking is a set, list or dict of relevant documents and a list of documents; its query
    is called 0. A list of one relevant document for each row of a table of documents is as many
    rankings. Everything else is returned unchanged, without the padding of arrays of whole numbers:
    ids below 0.
    """
    judgments, padded = _without_padding(judgments)
    run, more = _without_padding(run)
    notices = reading_notice("padding", padded + more)
    if padded + more and not isinstance(run, Mapping) and _depth(judgments) == _depth(run) == 2:
        return _rows(judgments), _rows(run), False, notices
    if are_arrays(judgments) and _is_truth_and_table(judgments, run):
        return *_truth_and_table(judgments, run), False, notices
    if _is_one_judged(judgments) and _is_one_ranking(run):
        return {0: _rows(judgments)}, {0: _rows(run)}, True, notices
    if isinstance(judgments, AbstractSet) or (
        isinstance(judgments, Mapping)
        and judgments
        and _is_one_judged(judgments)
        and not isinstance(run, Mapping)
    ):
        raise DataError(
            "the judgments are those of one query, so the run must be one ranking: a list of "
            f"documents, best first, not {run!r}."
        )
    if are_arrays(judgments):
        judgments, run = _rows(judgments), _rows(run)
    return judgments, run, False, notices


def _without_padding(data: Any) -> tuple[Any, int]:
    """Return an array of whole numbers as lists without those below 0, and how many these were."""
    if isinstance(data, list | tuple) or not are_arrays(data) or _kinds(data) != {"whole"}:
        return data, 0
    array = array_of(data, "ids")
    if array.dtype.kind != "i" or not (count := int((array < 0).sum())):
        return data, 0
    if array.ndim == 1:
        return array[array >= 0].tolist(), count
    return [row[row >= 0].tolist() for row in array], count


def _rows(data: Any) -> Any:
    """Return the rows or the items of a list or an array as a list, and anything else unchanged."""
    if isinstance(data, list | tuple):
        return list(data)
    return array_of(data, "ids").tolist() if are_arrays(data) else data


def _is_one_judged(judgments: Any) -> bool:
    if isinstance(judgments, Mapping):
        return all(isinstance(grade, int | float | np.number) for grade in judgments.values())
    return isinstance(judgments, AbstractSet) or (
        are_arrays(judgments) and _depth(judgments) == 1 and _kinds(judgments) <= {"text", "whole"}
    )


def _is_one_ranking(run: Any) -> bool:
    if isinstance(run, Mapping):
        return bool(run) and not any(
            isinstance(v, Mapping | AbstractSet | list | tuple | np.ndarray) for v in run.values()
        )
    return are_arrays(run) and _depth(run) == 1


def _truth_and_table(judgments: Any, run: Any) -> tuple[Any, Any]:
    table = array_of(run, "predicted documents")
    if table.dtype.kind == "f":
        raise DataError(
            "one row of grades and several rows of scores; give the two the same shape "
            "(or, for predicted documents, ids that are text or whole numbers)."
        )
    rows, truths = table.tolist(), _rows(judgments)
    if len(truths) != len(rows):
        raise DataError(
            f"{len(truths)} truths for {len(rows)} rows of predictions: give one relevant document "
            "for each row, or a list of lists of relevant documents."
        )
    return {i: [t] for i, t in enumerate(truths)}, dict(enumerate(rows))


def grades_by_position(preferred: Iterable[Any]) -> dict[Any, float]:
    """Return grades for a list of preferences, best first: 1 / position.

    >>> grades_by_position(["a", "b"])
    {'a': 1.0, 'b': 0.5}
    """
    return {doc: 1 / place for place, doc in enumerate(dict.fromkeys(preferred), 1)}
