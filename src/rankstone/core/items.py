"""Items beyond judgments: their properties, the lists that show them, and how often each is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.errors import UsageError
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.documents import TopDocuments
    from rankstone.core.ids import Ids

Array = np.ndarray
_BLOCK = 1 << 16


class Bags(NamedTuple):
    """Numbers in rows of different lengths: of row i ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Array
    values: Array

    @classmethod
    def of(cls, row: Array, value: Array, rows: int) -> Bags:
        """Take pairs of a row and a value; a pair that is repeated counts once."""
        most = int(value.max(initial=0)) + 1
        keys = np.sort(row * most + value)
        row, value = np.divmod(keys[np.diff(keys, prepend=-1) != 0], most)
        return cls(segments.offsets_of(np.bincount(row, minlength=rows)), value)

    @property
    def sizes(self) -> Array:
        """The number of values in each row."""
        return np.diff(self.offsets)

    def expanded(self, rows: Array) -> tuple[Array, Array]:
        """Return the values of the given rows, concatenated, and for each value the index in ``rows``."""
        sizes = self.sizes[rows]
        place = np.repeat(np.arange(len(rows)), sizes)
        within = segments.positions(segments.offsets_of(sizes))
        return self.values[self.offsets[rows][place] + within], place


def numbered(ids: Ids, number: dict[str, int]) -> Array:
    """Return the number of each id as text; new ones are added to ``number``, with the next numbers."""
    numbers = np.empty(len(ids), np.int32)
    for start in range(0, len(ids), _BLOCK):  # so that few ids are Python objects at a time
        rows = np.arange(start, min(start + _BLOCK, len(ids)))
        names = list(map(str, ids.at(rows)))
        own = np.fromiter(map(number.get, names, repeat(-1)), np.int32, len(names))
        for i in np.flatnonzero(own < 0).tolist():
            own[i] = number.setdefault(names[i], len(number))
        numbers[rows] = own
    return numbers


@frozen(eq=False)
class ItemTable:
    """Properties of numbered items: popularity, categories, vectors, history.

    ``catalogue`` masks the items that could be shown. ``popularity`` holds given numbers,
    ``categories`` the numbers of each item's categories, ``vectors`` a row for each item, 0 if it has
    none. ``history`` holds the items of each user in ``users``. None is what was not given.
    """

    ids: list[str] = field(default_factory=list)
    catalogue: Array = field(default_factory=lambda: np.zeros(0, bool))
    popularity: Array | None = None
    categories: Bags | None = None
    category_names: tuple[str, ...] = ()
    vectors: Array | None = None
    has_vector: Array | None = None
    users: Mapping[str, int] = field(default_factory=dict)
    history: Bags | None = None
    closed: bool = False  # the catalogue was given, so items of the history are not part of it

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.ids)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each id."""
        return {name: i for i, name in enumerate(self.ids)}

    @cached_property
    def user_counts(self) -> Array:
        """The number of users of each item in the history."""
        history = self.needed("history")
        return np.bincount(history.values, minlength=len(self))

    @property
    def counts(self) -> Array:
        """The popularity of each item: as given, else its number of users in the history."""
        return self.user_counts if self.popularity is None else self.popularity

    @cached_property
    def users_of(self) -> Bags:
        """The users of each item."""
        history = self.needed("history")
        return Bags.of(history.values, segments.numbers(history.offsets), len(self))

    def names_of(self, categories: Array) -> Callable[[], Array]:
        """Return a function that returns the names of categories."""
        return lambda: np.array(self.category_names, object)[categories]

    def needed(self, role: str) -> Any:
        """Return data of a role; an error says how to give them."""
        data = getattr(self, role)
        if data is None:
            how = {"history": "history={user: items} (--history FILE)"}
            name = f"items=rs.Items({role}=...) (--items FILE with a column of {role})"
            raise UsageError(f"this measure reads {role} of items: give {how.get(role, name)}.")
        return data

    @property
    def plain(self) -> ItemTable:
        """The table, to be sent to another process."""
        return self


EMPTY = ItemTable()


@frozen(eq=False)
class ItemLists:
    """The first items of lists: ``items[row[query]]`` holds their numbers, -1 beyond the end of a list.

    Items that ``table`` does not know have the numbers from its length on, and the ids ``others``.
    """

    row: dict[Any, int]
    items: Array
    table: ItemTable
    others: list[str]

    @classmethod
    def of(cls, queries: list[Any], tops: TopDocuments, table: ItemTable) -> ItemLists:
        """Number the first documents of queries."""
        known = dict(table.number)
        numbers = numbered(tops.docs, known)
        sizes = np.diff(tops.offsets)
        items = np.full((len(queries), int(sizes.max(initial=0))), -1, np.int32)
        items[np.repeat(np.arange(len(queries)), sizes), segments.positions(tops.offsets)] = numbers
        row = {query: i for i, query in enumerate(queries)}
        return cls(row, items, table, [*known][len(table) :])

    def names(self, items: Array) -> Array:
        """Return the ids of numbers."""
        return np.array([*self.table.ids, *self.others], object)[items]


@frozen(eq=False)
class ListCounts:
    """How often items were shown, by place: the mergeable state of a measure of all lists together.

    ``ids`` are those of the items in order, ``inside`` masks those of the catalogue, and ``counts`` has
    a row for each and a column for each place. ``size`` is the number of items in the catalogue and
    ``n`` the number of lists. Counts are whole numbers and rows in the order of ids, so parts that are
    merged in any order have the same bits.
    """

    n: int
    size: int
    ids: list[str]
    inside: Array
    counts: Array

    @classmethod
    def of(cls, lists: ItemLists, items: Array, place: Array, catalogue: Array) -> ListCounts:
        """Count each item at each place of some lists; ``catalogue`` masks the items of the table."""
        shown = items >= 0
        found, at = np.unique(items[shown], return_inverse=True)
        places = int(place.max(initial=0)) + 1
        counts = np.bincount(at * places + place[shown], minlength=len(found) * places)
        inside = np.append(catalogue, np.zeros(len(lists.others), bool))[found]
        ids = lists.names(found).tolist()
        order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
        own = (inside[order], counts.reshape(-1, places)[order])
        return cls(len(items), int(catalogue.sum()), sorted(ids), *own)

    def merge(self, other: ListCounts) -> ListCounts:
        """Return the counts of both sets of lists together."""
        ids = sorted({*self.ids, *other.ids})
        row = {name: i for i, name in enumerate(ids)}
        places = max(self.counts.shape[1], other.counts.shape[1])
        inside, counts = np.zeros(len(ids), bool), np.zeros((len(ids), places), np.int64)
        for part in (self, other):
            rows = np.fromiter(map(row.__getitem__, part.ids), np.int64, len(part.ids))
            inside[rows] = part.inside
            counts[rows, : part.counts.shape[1]] += part.counts
        return ListCounts(self.n + other.n, self.size, ids, inside, counts)
