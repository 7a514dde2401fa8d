"""Labels and scores in arrays or tensors: tables of lists, long arrays of groups, one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.reading import block_names
from rankstone.core import gpu, segments
from rankstone.core.as_numpy import (
    all_finite,
    array_of,
    lowest_and_finite,
    numbers_of,
    speaks_arrays,
)
from rankstone.core.collection import LabelledCollection, default_conventions
from rankstone.core.ids import Ids, sort_key
from rankstone.core.notice_texts import reading_notice
from rankstone.core.notices import below_one_notices, negative_notices, scale_notices
from rankstone.core.rank import ListNeeds, ScoreNeeds
from rankstone.errors import DataError, Notice, UsageError, amount, plural
from rankstone.language import tr

Array = np.ndarray
_LOOKED_AT = 1000
_EXAMPLES = 3

# What measures read of lists, and what conventions read of scores, given the default conventions.
Needs = Callable[[Conventions], tuple[ListNeeds, ScoreNeeds]]


def are_arrays(data: Any) -> bool:
    """Return whether data are held in a list, an array, a tensor or a column."""
    if isinstance(data, list | tuple):
        return True
    return speaks_arrays(data) and not hasattr(data, "columns")


def table_of_labels(labels: Array, scores: Array) -> LabelledCollection:
    """Return lists of finite labels and scores of one shape, in one or two dimensions."""
    lowest, finite = lowest_and_finite(labels, scores)
    if finite:
        return _table(labels, scores, lowest=lowest)
    _check("label", labels)
    if np.isneginf(scores).any():
        return labels_and_scores(labels, scores)
    _check("score", scores)
    return _table(labels, scores, lowest=lowest)


def _table(
    labels: Array, scores: Array | None, *, lowest: float | None = None, **known: Any
) -> LabelledCollection:
    width = labels.shape[-1]
    rows = labels.shape[0] if labels.ndim == 2 else 1
    return LabelledCollection(
        labels.reshape(-1),
        None if scores is None else scores.reshape(-1),
        np.arange(rows + 1) * width,
        width,
        single=labels.ndim == 1,
        lowest=lowest,
        **known,
    )


def _check(what: str, values: Array) -> None:
    if not all_finite(values):
        bad = values[~np.isfinite(values)][0]
        raise DataError(f"a {what} is {bad}; rankings need finite numbers.")


def grades_in_rank_order(value: Any, name: str = "run") -> LabelledCollection:
    """Return lists of grades in order of rank; None marks a document without a judgment."""
    grades = numbers_of(value, "grades")
    if not all_finite(grades) and (np.isinf(grades).any() or _has_nan(value)):
        raise DataError("grades must be finite numbers, or None for a document without a judgment.")
    return _table(grades, None, name=name)


def _has_nan(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_has_nan(v) for v in value)
    return value is not None and bool(np.isnan(array_of(value, "grades")).any())


def labels_and_scores(
    labels: Any,
    scores: Any,
    *,
    mask: Any = None,
    qid: Any = None,
    group_sizes: Any = None,
    qid_blocks: str = "merge",
    name: str = "run",
    ascending: bool = False,
    needs: Needs | None = None,
    finite: bool = False,
) -> LabelledCollection:
    """Read ``[queries, items]`` tables, one list, or long arrays with ``qid`` or ``group_sizes``.

    Args:
        labels: a label for each item; NaN for an item without a judgment.
        scores: a score for each item; -inf for an item that is masked, as by ``mask``.
        mask: False marks padding.
        qid: the query of each item, or of each row of a table.
        group_sizes: the number of items of each query, for long arrays.
        qid_blocks: whether items of a query that are not next to each other are one list.
        name: the name of the run.
        ascending: the lowest score is the best.
        needs: what measures and conventions read; of a table in another device's memory no more
            is moved.
        finite: refuse labels that are NaN.
    """
    keyed = mask is not None or qid is not None or group_sizes is not None
    if qid_blocks == "separate":
        qid = _separate(qid)
    if ascending:
        scores = -_numbers(scores, "scores")
    if needs is not None and group_sizes is None:
        wanted = needs(default_conventions(has_ids=False))
        part = gpu.top_k(labels, scores, *wanted) if mask is None else None
        if part is not None and (qid is None or labels.ndim == 2):
            swapped = _look_swapped(*(gpu.head(v, _LOOKED_AT) for v in (labels, scores)))
            made = _from_device(part, labels.ndim, qid, name, swapped=swapped)
            return replace(made, own_notices=(*made.own_notices, *below_one_notices(labels)))
        labels, scores = _moved(labels, "labels"), _moved(scores, "scores")
        read = labels, scores, mask, *wanted
        lists = _counted(*read) or _first_documents(*read)
        if lists is not None:
            queries = _rows(labels, qid, None)[0]
            return replace(lists, queries=queries, name=name)
    if hasattr(labels, "tocoo"):
        labels = labels.toarray()
    label, score = _numbers(labels, "labels"), _numbers(scores, "scores")
    if label.shape != score.shape:
        raise DataError(
            f"labels are {_shape(label)} and scores {_shape(score)}: the two must have the same "
            "shape. For lists of ids give the relevant ones as a set."
        )
    if finite and not keyed:
        return table_of_labels(label, score)
    if not label.size:
        raise DataError("the labels are empty.")
    kept = None if mask is None else _mask(mask, label)
    kept, notices, least = _checked(label, score, kept)
    table = label.ndim == 2
    single = not table and qid is None and group_sizes is None
    if table:
        queries, offsets, order = _rows(label, qid, group_sizes)
    elif single:
        queries, offsets, order = [0], np.array([0, len(label)]), None
    else:
        queries, offsets, order = _groups(label, qid, group_sizes)
    notices += _one_list(label) if single else []
    notices += scale_notices(label if kept is None else label[kept], least)
    notices += reading_notice("labels-and-scores", int(_look_swapped(label, score)))
    if order is not None:
        notices += _starting_again(order, offsets, queries)
        label, score = label[order], score[order]
        kept = None if kept is None else kept[order]
    width = label.shape[1] if table else None
    if offsets is None:
        offsets = np.arange(len(label) + 1) * label.shape[1]
    label, score = label.reshape(-1), score.reshape(-1)
    if kept is not None and not kept.all():
        flat = kept.reshape(-1)
        label, score, offsets = label[flat], score[flat], segments.keep(flat, offsets)
        width = None
    return LabelledCollection(
        label,
        score,
        offsets,
        width,
        queries,
        tuple(notices),
        name,
        single=single,
        lowest=least,
    )


def _separate(qid: Any) -> list[str]:
    """Return the query of each item, with a name of its own for each block of items."""
    if qid is None:
        raise UsageError("qid_blocks='separate' needs qid=, the query of each item.")
    listed = _listed(qid)
    return block_names(listed.tolist() if isinstance(listed, np.ndarray) else listed)


def _moved(values: Any, what: str) -> Any:
    """Return arrays of other libraries and devices as arrays, and what is not an array as it is."""
    return array_of(values, what) if speaks_arrays(values) else values


def _counted(
    labels: Any, scores: Any, mask: Any, lists: ListNeeds, needs: ScoreNeeds
) -> LabelledCollection | None:
    """Return a table with few labels above 0 as counts; None if its rows have to be sorted."""
    from rankstone.core import counted

    if not counted.suffices(lists, scores, needs) or np.shape(labels) != scores.shape:
        return None
    entries: counted.Entries | None = None
    if hasattr(labels, "tocoo"):
        from rankstone.io.sparse import entries_of

        entries = entries_of(labels)
    elif counted.is_plain(labels):
        entries = counted.entries_of(labels)
    if entries is None or (needs.negatives and (entries.grades < 0).any()):
        return None
    kept = None if mask is None else _mask(mask, scores)
    counts = counted.count(entries, scores, kept)
    if counts is None:
        return None
    found, matches = counts.entries, counts.matches
    notices = _masked_relevant(counts.masked_relevant) + negative_notices(found.grades)
    notices += below_one_notices(found.grades)
    some = entries.grades[(entries.rows * scores.shape[1] + entries.columns) < _LOOKED_AT]
    notices += reading_notice("labels-and-scores", int(_look_swapped(some, scores)))
    return LabelledCollection(
        found.grades,
        matches.score,
        found.offsets,
        ties=counts.ties,
        matches=matches,
        own_notices=tuple(notices),
    )


def _first_documents(
    labels: Any, scores: Any, mask: Any, lists: ListNeeds, needs: ScoreNeeds
) -> LabelledCollection | None:
    """Return the first documents of a table's lists; None if measures read more of it."""
    from rankstone.core.top import top_of

    top = top_of(labels, scores, lists, needs) if mask is None else None
    if top is None:
        return None
    notices = reading_notice("grades-below-one", top.below_one)
    if top.lists.relevant.sum() == labels.size:
        notices = scale_notices(labels)
    return _table(
        top.grades,
        top.scores,
        ties=top.ties,
        own_notices=(
            *notices,
            *reading_notice("labels-and-scores", int(_look_swapped(labels, scores))),
        ),
        whole_lists=top.lists,
    )


def _look_swapped(label: Array, score: Array) -> bool:
    """Return whether some of the first labels are fractions and all scores whole, but not alike."""
    labels, scores = (_first(array) for array in (label, score))
    return bool(
        (labels % 1 != 0).any() and (scores % 1 == 0).all() and (scores != scores[:1]).any()
    )


def _first(array: Array) -> Array:
    """Return the first numbers of an array that are finite."""
    rows = array[: 1 + _LOOKED_AT // array.shape[1]] if array.ndim == 2 else array
    some = rows.reshape(-1)[:_LOOKED_AT].astype(np.float64)
    return some[np.isfinite(some)]


def _starting_again(order: Array, offsets: Array | None, queries: list[Any]) -> list[Notice]:
    """Count the queries whose items are not next to each other."""
    jumps = np.flatnonzero(np.diff(order) != 1)
    query = np.searchsorted(np.asarray(offsets), jumps, "right") - 1
    again = np.unique(query[jumps + 1 < np.asarray(offsets)[query + 1]])
    examples = tuple(str(queries[i]) for i in again[:_EXAMPLES])
    return reading_notice("query-starts-again", len(again), examples)


def _from_device(
    part: gpu.TopK, ndim: int, qid: Any, name: str, *, swapped: bool
) -> LabelledCollection:
    shape = part.grades.shape if ndim == 2 else (-1,)
    queries, _, _ = _rows(part.grades, qid, None)
    return _table(
        part.grades.reshape(shape),
        part.scores.reshape(shape),
        name=name,
        queries=queries,
        ties=part.ties,
        own_notices=(
            *negative_notices(part.grades),
            *reading_notice("labels-and-scores", int(swapped)),
        ),
    )


def _numbers(value: Any, what: str) -> Array:
    if isinstance(value, str | bytes) or not are_arrays(value):
        raise UsageError(
            f"labels are in an array and {what} are {type(value).__name__}; "
            "give both as lists, arrays or tensors, labels first."
        )
    try:
        return numbers_of(value, what)
    except DataError as error:
        if "differ in length" not in str(error):
            raise
        raise DataError(
            f"{error} Pad the rows and mark the real items with mask=, or lay the lists end to "
            "end and give group_sizes=."
        ) from None


def _one_list(label: Array) -> list[Notice]:
    text = tr(
        "labels in one dimension were read as one list of {}; give qid= or group_sizes= if "
        "they are the items of several queries"
    ).format(plural(len(label), "item"))
    return [Notice("one-list", 1, text, level="note")]


def _shape(array: Array) -> str:
    return " x ".join(map(str, array.shape))


def _mask(mask: Any, label: Array) -> Array:
    array = array_of(mask, "mask")
    if array.dtype != np.bool_:
        raise DataError(
            f"mask is {array.dtype}, and must be boolean: True for an item of the list, False for "
            "padding. Compare it to something, for example mask=lengths > position."
        )
    if array.shape != label.shape:
        raise DataError(f"mask is {_shape(array)} and labels are {_shape(label)}; make them alike.")
    return array


def _without_masked(
    label: Array, score: Array, kept: Array | None
) -> tuple[Array | None, list[Notice]]:
    """Leave out items with the score -inf, as recommenders mark what a user knows already."""
    if not (masked := np.isneginf(score)).any():
        return kept, []
    if kept is not None:
        masked &= kept
    kept = ~masked if kept is None else kept & ~masked
    return kept, _masked_relevant(int((masked & (label > 0)).sum()))


def _masked_relevant(count: int) -> list[Notice]:
    if not count:
        return []
    text = tr(
        "{} with a label above 0 and the score -inf, which masks it; masked items count "
        "neither as retrieved nor as relevant"
    ).format(plural(count, "item"))
    return [Notice("masked-relevant", count, text)]


def _checked(
    label: Array, score: Array, kept: Array | None
) -> tuple[Array | None, list[Notice], float | None]:
    """Return which items count, notices on odd labels and scores, and the lowest label if known.

    Values that no list can have are refused.
    """
    least, finite = lowest_and_finite(label, score)
    if finite and kept is None:
        return None, negative_notices(label, least), least
    notices: list[Notice] = []
    if not finite:
        kept, notices = _without_masked(label, score, kept)
    _check_items(label, score, kept)
    unlabelled = np.isnan(label) if kept is None else np.isnan(label) & kept
    chosen = label if kept is None else label[kept]
    return kept, [*notices, *_unlabelled(unlabelled), *negative_notices(chosen)], None


_Grouping = tuple[list[Any], Array | None, Array | None]


def _rows(label: Array, qid: Any, group_sizes: Any) -> _Grouping:
    """Return the queries of a table: row numbers, or an id for each row."""
    if group_sizes is not None:
        raise UsageError("group_sizes= divides long arrays; the rows of a table are its lists.")
    if qid is None:
        return list(range(label.shape[0])), None, None
    listed = _listed(qid)
    if len(listed) != label.shape[0]:
        rows = label.shape[0]
        raise DataError(f"{amount(len(listed), 'query')} in qid for {rows} rows of labels.")
    ids = Ids.of(listed, "query")
    if len(set(ids.objects)) < len(ids):
        raise DataError("a query id is used for more than one row. Give every row its own.")
    return list(ids.objects), None, None


def _groups(label: Array, qid: Any, group_sizes: Any) -> _Grouping:
    """Return the queries of long arrays, where each begins, and the order that brings them together."""
    if qid is not None and group_sizes is not None:
        raise UsageError(
            "give qid= (the query of each item) or group_sizes= (how many items each query has), "
            "not both."
        )
    if group_sizes is not None:
        sizes = _sizes(group_sizes, len(label))
        return list(range(len(sizes))), segments.offsets_of(sizes), None
    listed = _listed(qid)
    if len(listed) != len(label):
        raise DataError(f"{len(listed)} query ids in qid for {len(label)} labels.")
    if isinstance(listed, np.ndarray):
        distinct, code = np.unique(listed, return_inverse=True)
        seen = distinct.tolist()
    else:
        named = Ids.of(listed, "query").objects
        places = {query: i for i, query in enumerate(dict.fromkeys(named))}
        code = np.array([places[query] for query in named], np.int64)
        seen = list(places)
    ids = Ids.of(seen, "query")
    keys = sort_key(ids.objects)
    by_id = sorted(range(len(ids)), key=keys.__getitem__)
    rank = np.empty(len(ids), np.int64)
    rank[by_id] = np.arange(len(ids))
    group = rank[code.reshape(-1)]
    offsets = segments.offsets_of(np.bincount(group, minlength=len(ids)))
    together = bool((group[1:] >= group[:-1]).all())
    order = None if together else np.argsort(group, kind="stable")
    return [ids.objects[i] for i in by_id], offsets, order


def _listed(qid: Any) -> Array | Sequence[Any]:
    """Return query ids as an array of numbers or text, or as Python objects."""
    if isinstance(qid, list | tuple):
        return qid
    if not are_arrays(qid):
        raise UsageError(f"qid is a list or an array of query ids, not {type(qid).__name__}.")
    array = array_of(qid, "qid")
    if array.ndim != 1:
        raise DataError(f"qid is {_shape(array)}; give a query id for each item, in one dimension.")
    return array if array.dtype.kind in "iuU" else list(array.tolist())


def _sizes(group_sizes: Any, items: int) -> Array:
    sizes = array_of(group_sizes, "group_sizes")
    if sizes.ndim != 1 or (sizes.dtype.kind not in "iu" and len(sizes)):
        raise DataError("group_sizes are whole numbers in one dimension: how many items in a list.")
    sizes = sizes.astype(np.int64)
    if (sizes < 0).any():
        raise DataError(f"group {int(np.flatnonzero(sizes < 0)[0])} has a size below 0.")
    if sizes.sum() != items:
        raise DataError(
            f"group_sizes add up to {int(sizes.sum())}, but there are {items} labels and scores."
        )
    return sizes


def _check_items(label: Array, score: Array, kept: Array | None) -> None:
    """Refuse scores that are not finite and labels that are infinite."""
    for what, odd in (("score", ~np.isfinite(score)), ("label", np.isinf(label))):
        bad = odd if kept is None else odd & kept
        if not bad.any():
            continue
        at = tuple(int(i[0]) for i in np.nonzero(bad))
        where = f"row {at[0]}, column {at[1]}" if len(at) == 2 else f"item {at[0]}"
        value = (score if what == "score" else label)[at]
        raise DataError(
            f"the {what} at {where} is {value}; a {what} is a finite number. "
            "Mark padding with mask=."
        )


def _unlabelled(missing: Array) -> list[Notice]:
    n = int(missing.sum())
    first = ", ".join(str(int(i[0])) for i in np.nonzero(missing)) if n else ""
    return reading_notice("missing-labels", n, (tr("at {}").format(first),), of=missing.size)
