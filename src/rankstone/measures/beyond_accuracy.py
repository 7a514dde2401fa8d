"""Beyond accuracy: coverage, novelty, diversity, serendipity, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.core.items import Bags, ItemLists, ItemTable, ListCounts
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Number, Text
from rankstone.measures.summation import Pooled, Terms

Array = np.ndarray
_BLOCK = 1 << 21  # numbers that are worked on at once
_QUERIES = 1 << 12  # lists whose categories are

BASE = Number("base", "base of the logarithm", default=2, above=1, examples=(2, math.e, 10))
SHORT = Choice.of(
    "short",
    "what the sum over a list of fewer than k items is divided by",
    own="its number of items",
    k="the cutoff: missing items count 0",
)
EMPTY = Choice.of(
    "empty", "value of a list without items", skip="left out of the mean", zero="0", one="1"
)
UNKNOWN = Choice.of(
    "unknown",
    "items that nobody has used before",
    one="count as if one had used them",
    zero="count 0",
    out="are left out of the list",
)
OUTSIDE = Choice.of(
    "unknown",
    "shown items that are not in the catalogue",
    out="do not count",
    count="count like the others",
)
CATALOGUE = Choice.of(
    "of",
    "which items could be shown",
    catalogue="those of the catalogue, or all that are known",
    history="those that somebody has used",
)
DISCOUNT = Choice.of(
    "discount",
    "exposure of an item at rank i",
    none="1",
    log2="1 / log2(i + 1)",
    geometric="p^(i - 1)",
)
P = Number("p", "p of the geometric discount", default=0.85, above=0, below=1, examples=(0.5, 0.85))


class _Shown(NamedTuple):
    """The items of each list: a number at each place, -1 beyond its end."""

    lists: ItemLists
    items: Array

    @property
    def table(self) -> ItemTable:
        return self.lists.table

    @property
    def filled(self) -> Array:
        return self.items >= 0

    def of(self, column: Array, missing: Any) -> Array:
        """Return a column of the table at each place; ``missing`` if an item is not in the table."""
        padded = np.concatenate([column, np.full((1, *column.shape[1:]), missing, column.dtype)])
        return padded[np.minimum(self.items, len(column))]


def _shown(r: Ranked, m: Measure) -> _Shown:
    """Return the first k items of each list."""
    if r.shown is None:
        raise UsageError(
            f"{m} looks items up by their ids, and these data have none. Give runs of items with ids: "
            "a file, a dict, a dataframe, a table of ids, rs.Factors or rs.Scorer."
        )
    lists = r.shown(m.k)
    row = np.fromiter(map(lists.row.__getitem__, r.queries), np.int64, len(r))
    last = r.depth(m.k)
    items = lists.items[row, : int(last.max(initial=0))]
    return _Shown(lists, np.where(np.arange(items.shape[1]) < last[:, None], items, -1))


def _weights(m: Measure, width: int) -> Array:
    """Return the exposure at each rank."""
    rank = np.arange(1, width + 1)
    if m.discount == "log2":
        return 1 / np.log2(rank + 1)
    return m.p ** (rank - 1.0) if m.discount == "geometric" else np.ones(width)


def _mean(
    r: Ranked,
    m: Measure,
    s: _Shown,
    value: Array,
    columns: Mapping[str, Array],
    *,
    within: Array | None = None,
    **more: Any,
) -> Terms:
    """Return the mean over each list of a value per item, of those ``within`` (default: all)."""
    within = s.filled if within is None else within
    size = within.sum(axis=1)
    below = np.where(size > 0, m.k, 0) if m.get("short") == "k" and m.k else size
    shown = {name: column[within] for name, column in columns.items()}
    return Terms(
        r,
        value[within].astype(np.float64),
        more.pop("denominator", below),
        columns={"item": lambda: s.lists.names(s.items[within]), **shown},
        offsets=segments.offsets_of(size),
        undefined=more.pop("undefined", {"zero": 0.0, "one": 1.0}.get(m.get("empty"), np.nan)),
        **more,
    )


def _users(r: Ranked, table: ItemTable) -> Array:
    """Return each query's user in the history, -1 for users who have used nothing."""
    sizes = np.append(table.needed("history").sizes, 0)
    user = np.fromiter(map(table.users.get, map(str, r.queries), repeat(-1)), np.int64, len(r))
    return np.where(sizes[user] > 0, user, -1)


def _in_history(table: ItemTable, user: Array, item: Array) -> Array:
    """Return whether a user has used an item, for arrays of both."""
    history = table.needed("history")
    keys = segments.numbers(history.offsets) * len(table) + history.values
    wanted = user * len(table) + np.minimum(item, len(table) - 1)
    found = keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted
    return found & (user >= 0) & (item >= 0) & (item < len(table))


def _relevant(r: Ranked, m: Measure, width: int) -> Array:
    """Return which places of each list hold a relevant item."""
    hits = np.zeros((len(r), width), bool)
    row = np.flatnonzero(r.relevant(m.rel) & (r.rank <= width))
    hits[segments.numbers(r.offsets)[row], r.rank[row] - 1] = True
    return hits


def _is_head(table: ItemTable, share: float) -> Array:
    """Return the most popular items, which together have a share of all interactions."""
    counts = table.counts
    falling = np.sort(counts)[::-1]
    reached = np.searchsorted(np.cumsum(falling), share * counts.sum())
    return (counts > 0) & (counts >= falling[min(reached, len(falling) - 1)])


def exposure_by_popularity(ranked: Ranked, k: int, groups: int = 10) -> Array:
    """Return the share of the first k places of all lists that groups of items have.

    The groups are of equally many items of the history or the catalogue, the most popular first;
    items that nobody has used are of the last one. Nothing if the popularity of items is not known.
    """
    lists = None if ranked.shown is None else ranked.shown(k)
    if lists is None or not len(lists.table):
        return np.zeros(0)
    table = lists.table
    if table.popularity is None and table.history is None:
        return np.zeros(0)
    group = np.full(len(table) + 1, groups - 1)
    order = np.argsort(-table.counts, kind="stable")
    group[order] = np.arange(len(table)) * groups // len(table)
    group[:-1][table.counts == 0] = groups - 1
    rows = np.fromiter(map(lists.row.__getitem__, ranked.queries), np.int64, len(ranked))
    shown = lists.items[rows, :k]
    counts = np.bincount(group[np.minimum(shown[shown >= 0], len(table))], minlength=groups)
    return counts / max(int(counts.sum()), 1)


_ITEMS: dict[str, Any] = {
    "undefined_without_relevant": False,
    "reaches_max": False,
    "supports_extreme_ties": False,
    "reads_nonrelevant": False,
    "reads_items": True,
}
_UNBOUNDED = {**_ITEMS, "range": (0.0, math.inf)}
_HISTORY = {"history": {"u1": ["a", "b"], "u2": ["a"], "u3": ["a"], "u4": ["c"]}}
_example = partial(Example, grades=(), given=_HISTORY)


def _pooled(r: Ranked, m: Measure, *, by_length: bool = False) -> Pooled:
    """Return the items of all lists, each at its rank or at the length of its list."""
    s = _shown(r, m)
    table = s.table
    catalogue = table.user_counts > 0 if m.get("of") == "history" else table.catalogue
    if m.get("of") and not len(table) and m.unknown == "out":
        raise UsageError(
            f"{m} needs to know which items could be shown: give history= (--history FILE) or "
            "items=rs.Items(catalogue=...) (--items FILE)."
        )
    place = s.filled.sum(axis=1)[:, None] if by_length else np.arange(s.items.shape[1])
    return Pooled(r, s.lists, s.items, np.broadcast_to(place, s.items.shape), catalogue)


def _coverage(m: Measure, counts: ListCounts) -> float:
    found = len(counts.ids) if m.unknown == "count" else int(counts.inside.sum())
    return found if m.unit == "items" else found / counts.size if counts.size else math.nan


def _exposures(m: Measure, counts: ListCounts) -> Array:
    """Return the exposure of each item in rising order, so that sums have the same bits."""
    table = counts.counts if m.unknown == "count" else counts.counts[counts.inside]
    exposure = (table * _weights(m, table.shape[1])).sum(axis=1)
    never = counts.size - int(counts.inside.sum())
    return np.sort(np.append(exposure, np.zeros(max(never, 0))))


def _gini(m: Measure, counts: ListCounts) -> float:
    x = _exposures(m, counts)
    total = len(x) * x.sum()
    place = 2 * np.arange(1, len(x) + 1) - len(x) - 1
    return max(float((x * place).sum() / total), 0.0) if total else math.nan


def _entropy(m: Measure, counts: ListCounts) -> float:
    x = _exposures(m, counts)
    share = x[x > 0] / x.sum() if x.any() else x[:0]
    top = math.log(len(x)) if m.scale == "max" and len(x) > 1 else math.log(m.base)
    return float(-(share * np.log(share)).sum() / top) if len(share) else math.nan


def _personalisation(m: Measure, counts: ListCounts) -> float:  # noqa: ARG001
    table = counts.counts
    length = np.maximum(np.arange(table.shape[1]), 1)
    lists = int((table.sum(axis=0) // length)[1:].sum())
    if lists < 2:
        return math.nan
    common = table.T @ table  # of all lists of one length with all of another, in whole numbers
    overlap = (common / np.sqrt(np.outer(length, length))).sum() - lists
    return float(1 - overlap / (lists * (lists - 1)))


@measure(
    "Coverage of the catalogue",
    params=(
        K,
        Choice.of(
            "unit",
            "what is counted",
            share="the share of the catalogue",
            items="the number of items",
        ),
        CATALOGUE,
        OUTSIDE,
    ),
    of_all_lists=_coverage,
    example=_example("Coverage@2", value="2 / 3", shown=("a", "c")),
    **_UNBOUNDED,
)
def Coverage(r: Ranked, m: Measure) -> Pooled:
    """The share of the catalogue that is among the first k items of any list.

    Coverage@k = |items of the catalogue in the first k of any list| / |catalogue|

    Reading: how much of the catalogue users can find at all. It grows with the number of lists.
    Not for: runs over different users, or intervals: users drawn again with replacement show fewer
    different items, so a bootstrap interval lies below the value.
    Reference: Ge et al., Beyond accuracy: coverage and serendipity, RecSys 2010.
    """
    return _pooled(r, m)


@measure(
    "Gini index of exposure",
    params=(K, DISCOUNT, P, CATALOGUE, OUTSIDE),
    higher_is_better=False,
    of_all_lists=_gini,
    example=_example("Gini@1", value="2 / 3", shown=("a", "c")),
    **_ITEMS,
)
def Gini(r: Ranked, m: Measure) -> Pooled:
    """How unequal the exposure of the items of the catalogue is: 0 if all have the same.

    Gini@k = sum of (2i - n - 1) x_i / (n * sum of x_i), over the n items, x_i in rising order

    x_i is the exposure of an item: its number of places in the first k of all lists, or the sum of
    a discount by rank.

    Reading: whether a few items have all the attention.
    Not for: catalogues of different size; items that are never shown count, too.
    Reference: Fleder and Hosanagar, Blockbuster culture's next rise or fall, Management Science 2009.
    """
    return _pooled(r, m)


@measure(
    "Entropy of exposure",
    params=(
        K,
        DISCOUNT,
        P,
        BASE,
        Choice.of(
            "scale",
            "what the entropy is divided by",
            none="nothing",
            max="that of a catalogue shown evenly, so that it is at most 1",
        ),
        CATALOGUE,
        OUTSIDE,
    ),
    of_all_lists=_entropy,
    example=_example("Entropy@2", value="1", shown=("a", "c")),
    **_UNBOUNDED,
)
def Entropy(r: Ranked, m: Measure) -> Pooled:
    """The entropy of the exposure of items over all lists.

    Entropy@k = -sum of q_i log q_i, where q_i is an item's share of the exposure

    Reading: 2^Entropy items shown evenly would have this entropy.
    Not for: telling which items are shown; see Exposure.
    Reference: Shani and Gunawardana, Evaluating recommendation systems, 2011, formula 21.
    """
    return _pooled(r, m)


@measure(
    "Personalisation",
    params=(K,),
    of_all_lists=_personalisation,
    example=_example("Personalisation@2", value="float('nan')", shown=("a", "c")),
    **_ITEMS,
)
def Personalisation(r: Ranked, m: Measure) -> Pooled:
    """How different the lists of users are: 1 less the mean similarity of two lists.

    Personalisation@k = 1 - mean over pairs of lists of |common items| / sqrt(|A| * |B|)

    Reading: 0 if everybody is shown the same items, 1 if no two lists share one.
    Not for: whether lists suit their users; random lists have almost 1.
    """
    return _pooled(r, m, by_length=True)


@measure(
    "Novelty",
    params=(
        K,
        Choice.of(
            "of",
            "to whom an item is new",
            users="to most users: -log of the share of users who used it",
            interactions="-log of its share of all interactions, or of the popularity of items",
            own="to the user of the list: 1 if the user has not used it, else 0",
        ),
        BASE,
        Choice.of(
            "scale",
            "what the information is divided by",
            none="nothing",
            max="the highest: that of an item used once",
        ),
        UNKNOWN,
        SHORT,
        EMPTY,
        Choice.of(
            "weight",
            "what a list counts in the mean",
            none="all lists the same",
            items="its number of items",
        ),
    ),
    example=_example("Novelty@2", value="(log2(4 / 3) + log2(4)) / 2", shown=("a", "c")),
    **_UNBOUNDED,
)
def Novelty(r: Ranked, m: Measure) -> Terms:
    """The mean self-information of the first k items: how few users have used them before.

    Novelty@k = sum over the first k items of -log2(users of the item / all users) / |first k|

    With of='own' an item is new if the user of the list has not used it. Users who are not in the
    history have no value then.

    Reading: in bits; an item that a quarter of the users know has 2.
    Not for: whether the items are any good; see Serendipity.
    Reference: Zhou et al., Solving the apparent diversity-accuracy dilemma, PNAS 2010.
    """
    s = _shown(r, m)
    table = s.table
    weight = s.filled.sum(axis=1).astype(np.float64) if m.weight == "items" else None
    if m.of == "own":
        user = _users(r, table)
        own = _in_history(table, np.broadcast_to(user[:, None], s.items.shape), s.items)
        empty = np.where(user >= 0, {"zero": 0.0, "one": 1.0}.get(m.empty, np.nan), np.nan)
        below = np.where(user >= 0, s.filled.sum(axis=1), 0)
        more = {"denominator": below, "undefined": empty, "query_weight": weight}
        return _mean(r, m, s, ~own, {"used": own}, **more)
    counts = table.user_counts if m.of == "users" else table.counts
    every = len(table.users) if m.of == "users" else counts.sum()
    if not every:
        raise DataError("the history is empty, so nothing is known of the novelty of items.")
    used = s.of(counts, 0)
    known = used > 0
    bits = -np.log(np.where(known, used, 1) / every) / math.log(m.base)
    if m.unknown != "one":
        bits = np.where(known, bits, 0.0)
    if m.scale == "max":
        bits = bits / (math.log(every) / math.log(m.base) or math.nan)
    within = s.filled & known if m.unknown == "out" else None
    columns = {m.of: used, "information": bits}
    return _mean(r, m, s, bits, columns, within=within, query_weight=weight)


@measure(
    "Popularity of what is shown",
    params=(
        K,
        Choice.of(
            "scale",
            "what popularity is",
            count="the number of users of the item, or its popularity as given",
            share="its share of all interactions",
            rank="its rank among items by popularity, from 0 to 1 for the most popular",
            lift="the mean popularity of the list over that of the user's history, less 1",
        ),
        SHORT,
        EMPTY,
    ),
    range=(-1.0, math.inf),
    higher_is_better=False,
    example=_example("Popularity@2", value="(3 + 1) / 2", shown=("a", "c")),
    **_ITEMS,
)
def Popularity(r: Ranked, m: Measure) -> Terms:
    """The mean popularity of the first k items.

    Popularity@k = sum over the first k items of the number of users of the item / |first k|

    An item that nobody has used has 0.

    Reading: how much a system lives off bestsellers; as a lift, compared with what its users chose.
    Not for: different histories, unless as a share or a rank.
    Reference: Abdollahpouri et al., The unfairness of popularity bias in recommendation, 2019.
    """
    s = _shown(r, m)
    table = s.table
    counts = table.counts.astype(np.float64)
    if m.scale == "share":
        counts = counts / counts.sum()
    elif m.scale == "rank":
        values, place, tied = np.unique(counts, return_inverse=True, return_counts=True)
        tied = np.where(values > 0, tied, 0)
        counts = (np.cumsum(tied) - (tied - 1) / 2)[place] / max(int(tied.sum()), 1) * (counts > 0)
    value = s.of(counts, 0.0)
    if m.scale != "lift":
        return _mean(r, m, s, value, {"popularity": value})
    user = _users(r, table)
    used, place = table.needed("history").expanded(np.maximum(user, 0))
    sizes = np.bincount(place, minlength=len(r))
    usual = np.bincount(place, counts[used], minlength=len(r)) / np.maximum(sizes, 1)
    below = s.filled.sum(axis=1) * usual * (user >= 0)
    more = value - usual[:, None]
    columns = {"popularity": value, "above the usual": more}
    return _mean(r, m, s, more, columns, denominator=below, undefined=np.nan)


@measure(
    "Exposure of a group of items",
    params=(
        K,
        Text(
            "of",
            "the group: a category, or the 'head' or the 'tail' of items by popularity",
            default="tail",
            examples=("tail", "head"),
        ),
        Text("minus", "another group, whose exposure is subtracted", examples=("head",)),
        Choice.of(
            "count",
            "what counts",
            shown="every item",
            hits="relevant items: the hits that a group brings",
        ),
        DISCOUNT,
        P,
        Number(
            "head",
            "share of all interactions that the most popular items have together, which are the head",
            default=0.8,
            above=0,
            below=1,
            examples=(0.5, 0.8),
        ),
        REL,
    ),
    range=(-1.0, 1.0),
    example=_example("Exposure(head=0.5)@2", value="1 / 2", shown=("a", "c")),
    **_ITEMS,
)
def Exposure(r: Ranked, m: Measure) -> Terms:
    """The share of a list's exposure that goes to a group of items; with minus=, the gap of two groups.

    Exposure@k = exposure of the first k items of the group / exposure of the first k items

    Exposure is 1, or a discount by rank. With count='hits' only relevant items count above. An item
    of both groups counts for both.

    Reading: Exposure(of='tail') is the share of the long tail; a gap has an interval as any mean.
    Not for: what a group deserves; compare it with the group's share of the history.
    Reference: Singh and Joachims, Fairness of exposure in rankings, KDD 2018.
    """
    s = _shown(r, m)
    weight = np.where(s.filled, _weights(m, s.items.shape[1]), 0.0)
    gain = _member(s, m, m.of).astype(np.float64)
    if m.minus is not None:
        gain = gain - _member(s, m, m.minus)
    if m.count == "hits":
        gain = gain * _relevant(r, m, s.items.shape[1])
    columns = {"group": gain, "exposure": weight}
    return _mean(r, m, s, gain * weight, columns, denominator=weight.sum(axis=1))


def _member(s: _Shown, m: Measure, group: str) -> Array:
    """Return which places hold an item of a group."""
    table = s.table
    if group in ("head", "tail"):
        head = s.of(_is_head(table, m.head), missing=False) & s.filled
        return head if group == "head" else s.filled & ~head
    bags = table.needed("categories")
    if group not in table.category_names:
        hint = did_you_mean(group, table.category_names)
        raise UsageError(f"{m}: no item has the category {group!r}.{hint} Or 'head' or 'tail'.")
    has = np.zeros(len(table), bool)
    has[segments.numbers(bags.offsets)[bags.values == table.category_names.index(group)]] = True
    return s.of(has, missing=False) & s.filled


_BY = Choice.of(
    "by",
    "what items are compared by",
    vectors="their vectors",
    categories="the sets of their categories",
    history="the sets of users who have used them",
)
_DISTANCE = Choice.of(
    "distance",
    "distance of two items",
    cosine="1 less the cosine of vectors, or |A and B| / sqrt(|A| |B|) of sets",
    hamming="the number of entries that differ",
    euclidean="the length of the difference",
    jaccard="1 - |A and B| / |A or B|, of sets",
)


def _blocks(rows: int, size: int) -> Iterator[slice]:
    """Yield parts of rows, each of so many numbers."""
    step = max(_BLOCK // max(size, 1), 1)
    return (slice(i, i + step) for i in range(0, rows, step))


class _Compared(NamedTuple):
    """Items as rows of numbers or, without rows, as sets of users; the last one is empty."""

    rows: Array | None
    size: Array
    has: Array
    users: Bags | None = None

    @property
    def width(self) -> int:
        return 1 if self.rows is None else self.rows.shape[1]


def _compared(table: ItemTable, by: str) -> _Compared:
    if by == "history":
        sizes = np.append(table.users_of.sizes, 0)
        return _Compared(None, sizes, sizes > 0, table.users_of)
    data = table.needed(by)
    if by == "categories":
        rows = np.zeros((len(table) + 1, len(table.category_names)))
        rows[segments.numbers(data.offsets), data.values] = 1
        return _Compared(rows, rows.sum(axis=1), rows.sum(axis=1) > 0)
    rows = np.concatenate([data, np.zeros((1, data.shape[1]))])
    has = np.append(table.needed("has_vector"), 0) > 0
    return _Compared(rows, np.einsum("ij,ij->i", rows, rows), has)


def _common_users(users: Any, a: Array, b: Array) -> Array:
    """Return how many users have used both items, of pairs of items; ``len(sizes)`` has none."""
    a, b = np.broadcast_arrays(a, b)
    sizes = np.append(users.sizes, 0)
    pairs, at = np.unique(a * len(sizes) + b, return_inverse=True)
    first, second = np.divmod(pairs, len(sizes))
    small, large = np.where(sizes[first] <= sizes[second], (first, second), (second, first))
    most = int(users.values.max(initial=0)) + 1
    keys = segments.numbers(users.offsets) * most + users.values
    found = np.zeros(len(pairs))
    known = np.flatnonzero(sizes[small] > 0)
    ends = np.cumsum(sizes[small[known]])
    steps = np.searchsorted(ends, np.arange(_BLOCK, int(ends[-1:].sum()), _BLOCK))
    for part in np.split(known, steps):
        user, place = users.expanded(small[part])
        wanted = large[part][place] * most + user
        near = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found[part] = np.bincount(place[keys[near] == wanted], minlength=len(part))
    return found[at].reshape(a.shape)


def _distances(c: _Compared, items: Array, distance: str) -> Array:
    """Return the distance of each two items of each list: lists x places x places."""
    size, rows = c.size[items], None if c.rows is None else c.rows[items]
    a, b = size[:, :, None], size[:, None, :]
    if rows is not None and distance in ("hamming", "euclidean"):
        # One column at a time, since all of them take too much memory.
        gaps = (x[:, :, None] - x[:, None, :] for x in np.moveaxis(rows, 2, 0))
        total = np.asarray(sum(gap != 0 if distance == "hamming" else gap * gap for gap in gaps))
        return total if distance == "hamming" else np.sqrt(total)
    if rows is not None:
        both = rows @ rows.transpose(0, 2, 1)
    else:
        both = _common_users(c.users, items[:, :, None], items[:, None, :])
    if distance in ("cosine", "jaccard"):
        whole = np.sqrt(a) * np.sqrt(b) if distance == "cosine" else a + b - both
        return 1 - np.divide(both, whole, out=np.zeros(both.shape), where=whole > 0)
    squared = a + b - 2 * both
    return squared if distance == "hamming" else np.sqrt(squared)


_STRANGE = Choice.of(
    "unknown",
    "items of which nothing is known",
    out="are left out",
    far="have nothing in common with any other item",
)


@measure(
    "Diversity within lists",
    params=(
        K,
        _BY,
        _DISTANCE,
        _STRANGE,
        Choice.of("single", "value of a list of one item", skip="left out of the mean", zero="0"),
    ),
    example=_example("Diversity(by='history')@2", value="1 - 1 / 3**0.5", shown=("a", "b")),
    **_UNBOUNDED,
)
def Diversity(r: Ranked, m: Measure) -> Terms:
    """The mean distance of two of the first k items (intra-list diversity).

    Diversity@k = sum over pairs of the first k items of their distance / number of pairs

    Reading: how varied a list is; 0 if all its items are alike.
    Not for: comparing distances of different kinds.
    Reference: Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005.
    """
    if m.by == "vectors" and m.distance == "jaccard":
        raise UsageError(
            f"{m}: 'jaccard' is a distance of sets; choose by='categories' or 'history'."
        )
    s = _shown(r, m)
    c = _compared(s.table, m.by)
    items = np.where(s.filled, np.minimum(s.items, len(s.table)), len(s.table))
    counted = s.filled & (c.has[items] | (m.unknown == "far"))
    width = items.shape[1]
    total, pairs = np.zeros(items.shape), np.zeros(items.shape, np.int64)
    above = np.tri(width, k=-1, dtype=bool)
    for part in _blocks(len(items), width * max(width, c.width)):
        both = counted[part, :, None] & counted[part, None, :] & above
        total[part] = np.where(both, _distances(c, items[part], m.distance), 0.0).sum(axis=2)
        pairs[part] = both.sum(axis=2)
    size = s.filled.sum(axis=1)
    single = np.where((size == 1) & (m.single == "zero"), 0.0, np.nan)
    columns = {"items above": pairs, "distance": total}
    return _mean(r, m, s, total, columns, denominator=pairs.sum(axis=1), undefined=single)


def _cells(
    table: ItemTable, parts: list[tuple[Array, Array, Array]], queries: int, *, spread: bool
) -> tuple[Array, Array, list[Array]]:
    """Sum weights by query and category over the parts, each of queries, items and weights.

    Parts are in the order of queries. ``spread`` divides an item among its categories.
    """
    bags = table.needed("categories")
    kinds, sizes = max(len(table.category_names), 1), bags.sizes
    blocks: list[list[Array]] = []
    for start in range(0, max(queries, 1), _QUERIES):
        keys, weights = [], []
        for query, item, weight in parts:
            some = slice(*np.searchsorted(query, [start, start + _QUERIES]))
            category, place = bags.expanded(item[some])
            keys.append(query[some][place] * kinds + category)
            weights.append(weight[some][place] / (sizes[item[some]][place] if spread else 1))
        cells, at = np.unique(np.concatenate(keys), return_inverse=True)
        own = zip(np.split(at, np.cumsum([len(part) for part in keys])[:-1]), weights, strict=True)
        summed = (np.bincount(a, w, minlength=len(cells)) for a, w in own)
        blocks.append([*np.divmod(cells, kinds), *summed])
    query, category, *weights = map(np.concatenate, zip(*blocks, strict=True))
    return query, category, weights


def _places(s: _Shown, m: Measure) -> tuple[Array, Array, Array]:
    """Return the query, the item and the weight of each place with a known item."""
    known = s.filled & (s.items < len(s.table))
    query, place = np.nonzero(known)
    return query, s.items[known], _weights(m, s.items.shape[1])[place]


def _information(x: Array, y: Array | float = 1.0) -> Array:
    """Return x log(x / y), 0 where x is 0."""
    return x * np.log(np.divide(x, y, out=np.ones(len(x)), where=x > 0))


@measure(
    "Categories within lists",
    params=(
        K,
        Choice.of(
            "value",
            "what is measured",
            distinct="the number of different categories, over the number of items",
            entropy="the entropy of the shares of categories",
        ),
        BASE,
        DISCOUNT,
        P,
        Number(
            "smoothing",
            "what is added to the weight of every category for the entropy",
            default=0,
            within=(0, 1),
            examples=(0, 1e-6),
        ),
        SHORT,
    ),
    example=Example(
        "Categories@3",
        (),
        "2 / 3",
        shown=("a", "b", "c"),
        given={"items": {"categories": {"a": "x", "b": "x", "c": "y"}}},
    ),
    **_UNBOUNDED,
)
def Categories(r: Ranked, m: Measure) -> Terms:
    """How many categories the first k items are of, or the entropy of their categories.

    Categories@k = |categories of the first k items| / |first k|

    Categories(value='entropy')@k = -sum over categories of q log2 q, where q is a category's share

    Reading: variety as users see it, if categories are what they see.
    Not for: items of many categories each; see Diversity(by='categories').
    """
    s = _shown(r, m)
    size = s.filled.sum(axis=1)
    query, category, (weight,) = _cells(s.table, [_places(s, m)], len(r), spread=False)
    found, constant = np.bincount(query, minlength=len(r)), None
    if m.value == "distinct":
        terms, share = np.ones(len(query)), weight
        below = np.where(size > 0, m.k, 0) if m.short == "k" and m.k else size
    else:
        kinds = len(s.table.category_names)
        every = np.bincount(query, weight, minlength=len(r)) + m.smoothing * kinds
        share = (weight + m.smoothing) / every[query]
        rest = np.divide(m.smoothing, every, out=np.zeros(len(r)), where=every > 0)
        constant = (kinds - found) * -_information(rest) / math.log(m.base)
        terms, below = -_information(share) / math.log(m.base), (size > 0) & (every > 0)
    return Terms(
        r,
        terms,
        below.astype(np.float64),
        columns={"category": s.table.names_of(category), "weight": share},
        offsets=segments.offsets_of(found),
        constant=constant,
        undefined=np.nan,
    )


@measure(
    "Calibration",
    params=(
        K,
        Choice.of(
            "divergence",
            "distance of the two distributions",
            kl="Kullback-Leibler, from the list smoothed with the history",
            js="Jensen-Shannon",
        ),
        BASE,
        Number(
            "smoothing",
            "share of the history in the smoothed list, for 'kl'",
            default=0.01,
            above=0,
            below=1,
            examples=(0.01, 0.1),
        ),
        DISCOUNT,
        P,
    ),
    higher_is_better=False,
    example=Example(
        "Calibration(divergence='js')@1",
        (),
        "(log2(4 / 3) + 1 / 2 * log2(2 / 3) + 1 / 2 * log2(2)) / 2",
        shown=("a",),
        given={"items": {"categories": {"a": "x", "b": "y"}}, "history": {"q": ["a", "b"]}},
    ),
    **_UNBOUNDED,
)
def Calibration(r: Ranked, m: Measure) -> Terms:
    """How far the categories of a list are from those of its user's history; 0 if they are the same.

    Calibration@k = sum over categories c of p(c) log2(p(c) / q(c)), q(c) = 0.99 of the list, 0.01 p(c)

    p and q are the shares of categories in the history and in the first k items; an item of several
    categories is divided among them. Users without history have no value.

    Reading: whether all interests of a user are served in proportion.
    Not for: users of few interactions, whose shares are accidents.
    Reference: Steck, Calibrated recommendations, RecSys 2018.
    """
    s = _shown(r, m)
    table = s.table
    user = _users(r, table)
    known = np.flatnonzero(user >= 0)
    item, place = table.needed("history").expanded(user[known])
    past = known[place], item, np.ones(len(item))
    query, category, weights = _cells(table, [past, _places(s, m)], len(r), spread=True)
    every = [np.bincount(query, w, minlength=len(r)) for w in weights]
    p, q = (w / np.where(e > 0, e, 1)[query] for w, e in zip(weights, every, strict=True))
    if m.divergence == "kl":
        terms = _information(p, (1 - m.smoothing) * q + m.smoothing * p)
    else:
        terms = (_information(p, (p + q) / 2) + _information(q, (p + q) / 2)) / 2
    return Terms(
        r,
        terms / math.log(m.base),
        ((every[0] > 0) & (every[1] > 0)).astype(np.float64),
        columns={"category": table.names_of(category), "history": p, "list": q},
        offsets=segments.offsets_of(np.bincount(query, minlength=len(r))),
        undefined=np.nan,
    )


@measure(
    "Serendipity",
    params=(
        K,
        Choice.of(
            "expected",
            "how expected an item is",
            rank="by its rank of popularity; it counts as far as it is ranked higher in the list",
            popular="1 if it is one of the k most popular items, else 0",
            history="its mean similarity to the items that the user has used",
        ),
        Choice.of(
            "count", "which items count", relevant="relevant ones", all="all: unexpectedness alone"
        ),
        _BY,
        Choice.of(
            "short",
            "lists of fewer than k items",
            own="the sum is divided by their number of items",
            k="the sum is divided by k, and missing items count as unexpected",
        ),
        REL,
    ),
    example=_example(
        "Serendipity(expected='popular', count='all')@2", value="1 / 2", shown=("a", "d")
    ),
    **_ITEMS,
)
def Serendipity(r: Ranked, m: Measure) -> Terms:
    """How unexpected the relevant items among the first k are.

    Serendipity@k = sum over relevant items at rank i of max(e(i) - e(popularity rank), 0) / |first k|

    e(i) = (n + 1 - i) / n for the n items of the catalogue; items of the same popularity share a rank,
    and one that nobody has used has e = 0. Or an item's surprise is 1 less its similarity to the items
    that the user has used, or whether it is not one of the k most popular.

    Reading: useful and not what everybody is shown anyway.
    Not for: small values of different catalogues.
    Reference: Kaminskas and Bridge, Diversity, serendipity, novelty, and coverage, TiiS 2016.
    """
    s = _shown(r, m)
    table = s.table
    width = s.items.shape[1]
    more: dict[str, Any] = {}
    if m.expected == "rank":
        size = max(int(table.catalogue.sum()), 1)
        values, place = np.unique(table.counts, return_inverse=True)
        by_popularity = np.where(table.counts > 0, (size + 1 - (len(values) - place)) / size, 0.0)
        by_rank = (size + 1 - np.arange(1, width + 1)) / size
        surprise = np.maximum(by_rank - s.of(by_popularity, 0.0), 0.0)
    elif m.expected == "popular":
        surprise = ~s.of(_top(table, m.k or width), missing=False)
    else:
        user = _users(r, table)
        surprise = 1 - _similarity_to_history(table, s, user, m.by)
        more = {"denominator": np.where(user >= 0, s.filled.sum(axis=1), 0)}
    value = surprise.astype(np.float64)
    if m.count == "relevant":
        value = value * _relevant(r, m, width)
    if m.short == "k" and m.k:
        size = s.filled.sum(axis=1)
        more = {
            "denominator": np.where(size > 0, m.k, 0),
            "constant": np.where(size > 0, m.k - size, 0),
        }
    return _mean(r, m, s, value, {"surprise": surprise}, **more)


def _top(table: ItemTable, k: int) -> Array:
    """Return the k most popular items; of equally popular ones those that are listed first."""
    top = np.zeros(len(table), bool)
    top[np.argsort(-table.counts, kind="stable")[:k]] = True
    return top & (table.counts > 0)


def _similarity_to_history(table: ItemTable, s: _Shown, user: Array, by: str) -> Array:
    """Return the mean cosine of each shown item and the items that the user has used."""
    history, c = table.needed("history"), _compared(table, by)
    known = np.flatnonzero(user >= 0)
    items = np.where(s.filled, np.minimum(s.items, len(table)), len(table))
    similar, sizes = np.zeros(items.shape), history.sizes[user]
    length = np.sqrt(c.size)
    unit = None if c.rows is None else c.rows / np.where(length > 0, length, 1)[:, None]
    for part in _blocks(len(known), items.shape[1] * max(int(sizes.max(initial=1)), c.width)):
        rows = known[part]
        used, place = history.expanded(user[rows])
        if unit is not None:
            first = np.flatnonzero(np.diff(place, prepend=-1))  # each of these has used something
            summed = np.add.reduceat(unit[used], first, axis=0)
            similar[rows] = (unit[items[rows]] @ summed[:, :, None])[:, :, 0]
        else:
            own, past = items[rows][place], used[:, None]
            both, whole = _common_users(c.users, own, past), length[own] * length[past]
            cosine = np.divide(both, whole, out=np.zeros(both.shape), where=whole > 0)
            np.add.at(similar, rows[place], cosine)
    return similar / np.maximum(sizes, 1)[:, None]


@measure(
    "Filled places",
    params=(
        K,
        Choice.of(
            "of",
            "what is measured",
            share="the share of the k places that hold an item",
            full="whether all do",
            any="whether any does",
        ),
    ),
    conventions=("queries",),
    undefined_without_relevant=False,
    reaches_max=False,
    supports_expected_ties=True,
    example=Example("Filled@4", (1, 0, None), "3 / 4"),
)
def Filled(r: Ranked, m: Measure) -> Terms:
    """The share of the first k places of a list that hold an item.

    Filled@k = |first k| / k

    Reading: whether users are shown full lists; short lists look better by other measures.
    Not for: what is in them.
    """
    size = r.depth(m.k)
    k = m.k or np.maximum(size, 1)  # without a cutoff a list is as long as it is
    value = {"share": size / k, "full": size >= k, "any": size > 0}[m.of]
    steps = np.arange(len(r) + 1)
    return Terms(r, value.astype(np.float64), columns={"items": size}, offsets=steps)
