"""Labels and scores held in arrays or tensors: tables of lists, or long arrays of groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.as_numpy import all_finite, array_of, numbers_of, speaks_arrays
from rankstone.core.direct import ranked_lists
from rankstone.core.gpu import Reach, cut
from rankstone.core.ids import Ids, sort_key
from rankstone.core.notices import negative_notices
from rankstone.core.parallel import on_each
from rankstone.core.provenance import Source
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, Notice, UsageError, plural

Array = np.ndarray
_MEMORY = Source("memory")


@dataclass(frozen=True, eq=False)
class Arrays:
    """Lists of labels and scores; ``offsets`` is None where they are the rows of a table.

    They are judgments and run in one, and need no join. ``ties`` is known where the lists are
    parts of longer ones.
    """

    labels: Array
    scores: Array
    offsets: Array | None
    queries: list[Any]
    noticed: tuple[Notice, ...]
    name: str = "run"
    source: Source = _MEMORY
    ties: tuple[int, int] | None = None

    @property
    def run(self) -> Arrays:
        """The run, which is here."""
        return self

    @property
    def judgments(self) -> Arrays:
        """The judgments, which are here too."""
        return self

    def notices(self, conventions: Conventions) -> tuple[Notice, ...]:
        """Return what was noticed, whatever the conventions."""
        return self.noticed

    def ranked(self, conventions: Conventions) -> Ranked:
        """Return ranks and grades under some conventions, to be worked out when asked for."""
        ranked = ranked_lists(
            self.labels, self.scores, conventions, self.offsets, queries=self.queries
        )
        return ranked.condensed() if conventions.unjudged == "remove" else ranked

    def tied(self, conventions: Conventions) -> tuple[int, int]:
        """Return how many judged documents share their score, and how many there are."""
        if self.ties is not None:
            return self.ties
        ranked = self.ranked(conventions.replace(unjudged="nonrelevant"))
        found = on_each(lambda part: _tied(ranked.part(*part)), ranked.parts())
        return sum(tied for tied, _ in found), sum(all_of for _, all_of in found)


def _tied(part: Ranked) -> tuple[int, int]:
    has_ties = part.lists is not None and part.lists.has_ties
    return int((part.tied > 1).sum()) if has_ties else 0, int(part.offsets[-1])


def are_arrays(judgments: Any) -> bool:
    """Return whether judgments are held in a list, an array, a tensor or a column."""
    if isinstance(judgments, list | tuple):
        return True
    return speaks_arrays(judgments) and not hasattr(judgments, "columns")


def meant_as_arrays(judgments: Any, run: Any, *, keyed: bool) -> bool:
    """Return whether judgments and run are labels and scores, not ids of documents.

    Lists are where they go with a mask, query ids or group sizes, or hold fractions. Lists of
    whole numbers of the same shape could be both, so they are refused.
    """
    for what, data in (("judgments", judgments), ("run", run)):
        if hasattr(data, "to_dict") and not hasattr(data, "columns") and _holds_lists(data):
            raise UsageError(
                f"the {what}: a {type(data).__name__} of lists. Give the dict of the lists by query: "
                f"{what}.to_dict()."
            )
    if not isinstance(judgments, list | tuple):
        return are_arrays(judgments)
    if keyed or (not isinstance(run, list | tuple) and are_arrays(run)):
        return True
    for what, rows in (("the judgments", judgments), ("the run", run)):
        if isinstance(rows, list | tuple) and rows and all(map(_is_row, rows[:10])):
            raise UsageError(
                f"{what}: {rows[0]!r} looks like a row of query, document and number. Give a dict, "
                "{query: {document: number}}, or a dataframe with columns of these names."
            )
    kinds = {type(v) for v in [*_items(judgments), *_items(run)]}
    if kinds and kinds <= {int, bool} and _lengths(judgments) == _lengths(run):
        raise UsageError(
            "two lists of lists of whole numbers of the same shape may be labels and scores, or "
            "ids of documents. For labels and scores give arrays (numpy.array); for ids write "
            "text, or put the relevant ones into sets."
        )
    return float in kinds


def _holds_lists(column: Any) -> bool:
    first = next(iter(column), None)
    return isinstance(first, list | tuple | set | frozenset | np.ndarray)


def _is_row(item: Any) -> bool:
    """Return whether an item is a tuple of two ids and a number, and no list of ids or labels."""
    if not isinstance(item, tuple) or len(item) != 3 or isinstance(item[2], str):
        return False
    ids = {type(v) for v in item[:2]}
    return ids <= {int, str} and (str in ids or isinstance(item[2], float))


def _items(rows: Any) -> list[Any]:
    """Return the items of the first rows, as a sample."""
    found: list[Any] = []
    for row in rows[:10] if isinstance(rows, list | tuple) else ():
        found += row[:100] if isinstance(row, list | tuple) else [row]
    return found


def _lengths(rows: Any) -> list[int]:
    return [len(row) if isinstance(row, list | tuple) else -1 for row in rows]


def no_arrays(**given: Any) -> None:
    """Refuse what goes with arrays where there are none."""
    for name, value in given.items():
        if value is not None:
            raise UsageError(
                f"{name}= goes with labels and scores in arrays; files and dicts say by "
                "themselves which document belongs to which query."
            )


def arrays_of(
    labels: Any,
    scores: Any,
    *,
    mask: Any = None,
    qid: Any = None,
    group_sizes: Any = None,
    name: str = "run",
    reach: Reach | None = None,
    rules: Iterable[Conventions] = (),
) -> Arrays:
    """Take ``[queries, items]`` tables, or long arrays with ``qid`` or ``group_sizes``.

    ``mask`` is False for what is no item of its list. Of a table in another device's memory
    only what is within ``reach`` is taken, if the conventions in ``rules`` need no more.
    """
    if mask is None and getattr(labels, "ndim", 0) == 2:
        part = cut(labels, scores, reach, rules, count=True)
        if part is not None:
            queries, _, _ = _rows(part.grades, qid, group_sizes)
            noticed = tuple(negative_notices(part.grades))
            return Arrays(part.grades, part.scores, None, queries, noticed, name, ties=part.ties)
    label, score = _numbers(labels, "labels"), _numbers(scores, "scores")
    if label.shape != score.shape:
        raise DataError(
            f"labels are {_shape(label)} and scores {_shape(score)}; give one score for each label."
        )
    kept = None if mask is None else _mask(mask, label)
    table = label.ndim == 2
    queries, offsets, order = (_rows if table else _groups)(label, qid, group_sizes)
    notices = _noticed(label, score, kept)
    if kept is not None and not kept.all():
        if offsets is None:
            offsets = np.arange(len(label) + 1) * label.shape[1]
        flat = kept.reshape(-1) if order is None else kept[order]
        label, score = label.reshape(-1), score.reshape(-1)
        if order is not None:
            label, score, order = label[order], score[order], None
        label, score, offsets = label[flat], score[flat], segments.keep(flat, offsets)
    if order is not None:
        label, score = label[order], score[order]
    return Arrays(label, score, offsets, queries, tuple(notices), name)


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
            f"{error} Fill the rows up and say with mask= which items are real, or lay the "
            "lists end to end and give group_sizes=."
        ) from None


def _shape(array: Array) -> str:
    return " x ".join(map(str, array.shape))


def _mask(mask: Any, label: Array) -> Array:
    array = array_of(mask, "mask")
    if array.dtype != np.bool_:
        raise DataError(
            f"mask is {array.dtype}, and must be boolean: True for an item of the list, False for "
            "filling. Compare it to something, for example mask=lengths > position."
        )
    if array.shape != label.shape:
        raise DataError(f"mask is {_shape(array)} and labels are {_shape(label)}; make them alike.")
    return array


def _noticed(label: Array, score: Array, kept: Array | None) -> list[Notice]:
    """Return what is odd about labels and scores, and refuse what cannot be."""
    if kept is None and all_finite(label) and all_finite(score):
        return negative_notices(label)
    _check(label, score, kept)
    unlabelled = np.isnan(label) if kept is None else np.isnan(label) & kept
    return [*_unlabelled(unlabelled), *negative_notices(label if kept is None else label[kept])]


_Grouping = tuple[list[Any], Array | None, Array | None]


def _rows(label: Array, qid: Any, group_sizes: Any) -> _Grouping:
    """Return the queries of a table: row numbers, or an id for each row."""
    if group_sizes is not None:
        raise UsageError("group_sizes= divides long arrays; the rows of a table are its lists.")
    if qid is None:
        return list(range(len(label))), None, None
    listed = _listed(qid)
    if len(listed) != len(label):
        raise DataError(f"{plural(len(listed), 'query')} in qid for {len(label)} rows of labels.")
    ids = Ids.of(listed, "query")
    if len(set(ids.objects)) < len(ids):
        raise DataError("a query id stands for more than one row. Give every row its own.")
    return list(ids.objects), None, None


def _groups(label: Array, qid: Any, group_sizes: Any) -> _Grouping:
    """Return the queries of long arrays, where each begins, and the order that brings them together."""
    if (qid is None) == (group_sizes is None):
        raise UsageError(
            "labels and scores in one dimension need qid= (the query of each item) or "
            "group_sizes= (how many items each query has), one of the two. "
            "A single list goes in brackets: [labels], [scores]."
        )
    if group_sizes is not None:
        sizes = _sizes(group_sizes, len(label))
        return list(range(len(sizes))), segments.offsets_of(sizes), None
    listed = _listed(qid)
    if len(listed) != len(label):
        raise DataError(f"{len(listed)} query ids in qid for {len(label)} labels.")
    if isinstance(listed, np.ndarray):
        found, code = np.unique(listed, return_inverse=True)
        seen = found.tolist()
    else:
        places = {query: i for i, query in enumerate(dict.fromkeys(listed))}
        code = np.array([places[query] for query in listed], np.int64)
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


def _check(label: Array, score: Array, kept: Array | None) -> None:
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
            "What is no item of its list goes out with mask=."
        )


def _unlabelled(missing: Array) -> list[Notice]:
    n = int(missing.sum())
    if not n:
        return []
    text = f"{n} of {plural(missing.size, 'label')} NaN; such documents count as not judged"
    first = ", ".join(str(int(i[0])) for i in np.nonzero(missing))
    return [Notice("missing-labels", n, text, (f"at {first}",))]
