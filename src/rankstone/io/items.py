"""Items and the history of users: what measures beyond accuracy read beside judgments and run."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from rankstone.choices.setup import DEFAULT, Setup
from rankstone.core.as_numpy import array_of
from rankstone.core.items import Bags, ItemTable, numbered
from rankstone.core.provenance import Given
from rankstone.core.scalars import number_of, shown
from rankstone.core.text import decode, without_mark
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.io.changes import Pairs
from rankstone.io.column_roles import ITEM_NAMES, key_named
from rankstone.io.formats.strict_json import parse
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.two_fields import separator_of

Array = np.ndarray
_PATH = str | os.PathLike
_NAMES = {
    "popularity": ("popularity", "pop", "count", "interactions", "views", "plays", "users"),
    "categories": ("categories", "category", "genres", "genre", "tags", "tag", "brand"),
    "vectors": ("vectors", "vector", "embedding", "embeddings", "features"),
}


class Items:
    """Properties of items, for measures beyond accuracy.

    Args:
        popularity: ``{item: number}``, such as a number of sales; without it that of a ``history=``.
        categories: ``{item: category}``, or several of an item in a list.
        vectors: ``{item: numbers}``, or a table with a row for each item of the catalogue.
        catalogue: the ids of the items that could be shown (default: every item that is known).

    >>> import rankstone as rs
    >>> items = Items(catalogue=["a", "b", "c", "d"])
    >>> rs.evaluate({"u": ["a"]}, {"u": ["b", "a"]}, "Coverage@10", items=items)["Coverage@10"]
    0.5
    """

    def __init__(
        self,
        popularity: Any = None,
        categories: Any = None,
        vectors: Any = None,
        catalogue: Iterable[Any] | None = None,
    ) -> None:
        listed = None
        if catalogue is not None:
            if isinstance(catalogue, str) or not isinstance(catalogue, Iterable):
                raise UsageError(f"items: the catalogue is a list of ids, not {catalogue!r}.")
            listed = _once(catalogue, "is in the catalogue twice. List each item once")
        given = {"popularity": popularity, "categories": categories, "vectors": vectors}
        columns = {
            role: _by_item(role, data, listed) for role, data in given.items() if data is not None
        }
        for role, column in columns.items():
            outside = [] if listed is None else sorted(column.keys() - set(listed))
            if outside:
                raise DataError(
                    f"items: {role} of {outside[0]!r}, which is not in the catalogue "
                    f"({len(outside):,} such items). Add them to the catalogue, or leave them out."
                )
        self.name = "items"
        self.table = _table(columns, listed)

    @classmethod
    def of(cls, source: Any, setup: Setup = DEFAULT) -> Items:
        """Take Items, the path of a file with a column per role, or a dataframe."""
        if isinstance(source, Items):
            return source
        if isinstance(source, Mapping) and source.keys() <= {*_NAMES, "catalogue"}:
            return cls(**source)
        name, rows = "items", None
        if isinstance(source, _PATH):
            name = os.fspath(source)
            rows = _records(name, ReadOptions.of_run(setup))
        elif hasattr(source, "columns"):
            columns = {
                str(column): np.asarray(source[column]).tolist() for column in source.columns
            }
            each = zip(*columns.values(), strict=True)
            rows = (
                (f"row {i}", dict(zip(columns, row, strict=True))) for i, row in enumerate(each)
            )
        if rows is None:
            raise UsageError(
                "items= is rs.Items(popularity=, categories=, vectors=, catalogue=), the path of a file "
                f"with a column for each of these, or a dataframe, not {type(source).__name__}."
            )
        made = cls(**_columns(rows, name))
        made.name = name
        return made

    @property
    def given(self) -> Given:
        """The items as a result records them."""
        return Given(self.name, len(self.table), lambda: _entries(self.table))


def _entries(table: ItemTable) -> Iterator[str]:
    """Yield all that is known of each item."""
    vectors, categories = table.vectors, table.categories
    for i, name in enumerate(table.ids):
        own = categories and categories.values[categories.offsets[i] : categories.offsets[i + 1]]
        yield "\t".join((
            name,
            str(table.catalogue[i]),
            "" if table.popularity is None else repr(float(table.popularity[i])),
            "" if own is None else "|".join(table.category_names[c] for c in own.tolist()),
            "" if vectors is None else vectors[i].tobytes().hex(),
        ))  # fmt: skip


@frozen(eq=False)
class History(Pairs):
    """The items of each user before the recommendations."""

    _tables: dict[Any, ItemTable] = field(default_factory=dict, repr=False)
    option = "history"

    def beside(self, items: Items | None) -> ItemTable:
        """Return the table of items with this history."""
        if items not in self._tables:
            self._tables[items] = self._with(ItemTable() if items is None else items.table)
        return self._tables[items]

    def _with(self, table: ItemTable) -> ItemTable:
        pairs = self.judgments
        number = dict(table.number)
        item = numbered(pairs.docs, number).astype(np.int64)
        more = len(number) - len(table)
        sizes = np.diff(pairs.groups)  # rows of a matrix may be empty; they are not users
        users = pairs.queries.take(np.flatnonzero(sizes).tolist())
        user = np.repeat(np.arange(len(users)), sizes[sizes > 0])
        bags = table.categories
        return replace(
            table,
            ids=[*number],
            catalogue=np.append(table.catalogue, np.full(more, not table.closed)),
            popularity=_padded(table.popularity, more),
            vectors=_padded(table.vectors, more),
            has_vector=_padded(table.has_vector, more),
            categories=bags
            and Bags(np.append(bags.offsets, np.full(more, bags.offsets[-1])), bags.values),
            users={str(user): i for i, user in enumerate(users)},
            history=Bags.of(user, item, len(users)),
        )


def _padded(column: Array | None, more: int) -> Array | None:
    """Return a column with zeros for more items."""
    if column is None:
        return None
    return np.concatenate([column, np.zeros((more, *column.shape[1:]), column.dtype)])


def table_of(items: Items | None, history: History | None) -> ItemTable | None:
    """Return the table of items and history; None if neither was given."""
    if history is not None:
        return history.beside(items)
    return None if items is None else items.table


def _once(ids: Iterable[Any], fault: str) -> list[str]:
    """Return ids as text; none is there twice."""
    texts = list(map(str, ids))
    if len(set(texts)) < len(texts):
        again = next(text for i, text in enumerate(texts) if text in texts[:i])
        raise DataError(f"items: {again!r} {fault}.")
    return texts


def _by_item(role: str, data: Any, listed: list[str] | None) -> dict[str, Any]:
    """Return data of one role by the id of the item, as text."""
    if hasattr(data, "items"):
        ids, values = zip(*data.items(), strict=True) if len(data) else ((), ())
        return dict(zip(_once(ids, f"has two entries of {role}. Give it one"), values, strict=True))
    rows = data if role == "categories" else array_of(data, role)
    size = len(rows) if np.ndim(rows) else 1
    if listed is None or size != len(listed):
        raise UsageError(
            f"items: {role} without ids are those of the catalogue in its order, and "
            f"{size:,} rows are given for {len(listed or ()):,} items. "
            f"Give {role} as {{item: ...}}, or catalogue= with the id of each row."
        )
    return dict(zip(listed, rows, strict=True))


def _table(columns: Mapping[str, Mapping[str, Any]], listed: list[str] | None) -> ItemTable:
    """Return checked columns as arrays."""
    ids = list(dict.fromkeys(item for column in columns.values() for item in column))
    ids = ids if listed is None else listed
    popularity = vectors = has_vector = bags = None
    names: tuple[str, ...] = ()
    if "popularity" in columns:
        popularity = np.zeros(len(ids))
        for i, item in enumerate(ids):
            popularity[i] = _count(columns["popularity"].get(item, 0), item)
    if "categories" in columns:
        own = [_categories(columns["categories"].get(item), item) for item in ids]
        names = tuple(sorted({name for some in own for name in some}))
        place = {name: i for i, name in enumerate(names)}
        row = np.repeat(np.arange(len(ids)), [len(some) for some in own])
        bags = Bags.of(row, np.array([place[n] for some in own for n in some], np.int64), len(ids))
    if "vectors" in columns:
        vectors, has_vector = _vectors(columns["vectors"], ids)
    every = np.ones(len(ids), bool)
    return ItemTable(
        ids, every, popularity, bags, names, vectors, has_vector, closed=listed is not None
    )


def _count(value: Any, item: str) -> float:
    count = number_of(value, "popularity", f"items: {shown(item)}")
    if not 0 <= count < float("inf"):
        raise DataError(f"items: the popularity of {shown(item)} is {value}; it is 0 or more.")
    return count


def _categories(value: Any, item: str) -> list[str]:
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124
        return []
    some = [value] if isinstance(value, str | int) else list(value)
    if not all(isinstance(name, str | int) and str(name).strip() for name in some):
        raise DataError(
            f"items: the categories of {shown(item)} are {value!r}; a category is a name."
        )
    return [str(name) for name in some]


def _vectors(column: Mapping[str, Any], ids: list[str]) -> tuple[Array, Array]:
    """Return a row of numbers for each item, and which items have one."""
    width, first = 0, ""
    rows: list[Array] = []
    for item, value in column.items():
        row = array_of(value, f"the vector of {item!r}")
        if row.ndim != 1 or not len(row) or row.dtype.kind not in "biuf":
            raise DataError(f"items: the vector of {shown(item)} is not a row of numbers.")
        if width not in (0, len(row)):
            raise DataError(
                f"items: the vector of {shown(item)} has {len(row)} numbers and that of "
                f"{shown(first)} {width}; all have the same width."
            )
        if not np.isfinite(row).all():
            raise DataError(
                f"items: the vector of {shown(item)} holds a number that is NaN or infinite."
            )
        width, first = len(row), first or item
        rows.append(row)
    has = np.fromiter((item in column for item in ids), bool, len(ids))
    vectors = np.zeros((len(ids), width))
    place = {item: i for i, item in enumerate(column)}
    if rows:
        vectors[has] = np.stack(rows)[[place[item] for item in ids if item in place]]
    return vectors, has


def _records(path: str, options: ReadOptions) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a file by the names of their columns, each with its place."""
    with Input.open(path, options) as file:
        if file.head.startswith(b"PAR1"):
            from pyarrow import parquet

            rows = parquet.read_table(file.stream).to_pylist()
            yield from ((f"{path}: row {i}", row) for i, row in enumerate(rows))
            return
        lines = ((n, without_mark(raw)) for n, raw in file.lines() if raw.strip())
        if file.head.lstrip().startswith(b"{"):
            yield from ((f"{path}:{n}", parse(line, f"{path}:{n}")) for n, line in lines)
            return
        separator, names = " ", list[str]()
        for number, line in lines:
            separator = separator if names else separator_of(decode(line)) or " "
            fields = [f.strip() for f in next(csv.reader([decode(line)], delimiter=separator))]
            if not names:
                names = fields
                continue
            if len(fields) != len(names):
                raise DataError(f"{path}:{number}: {len(fields)} fields for {len(names)} columns.")
            yield f"{path}:{number}", dict(zip(names, fields, strict=True))


def _columns(records: Iterable[tuple[str, Mapping[str, Any]]], source: str) -> dict[str, Any]:
    """Return the arguments of Items from rows with a column per role; every item is of the catalogue."""
    columns: dict[str, dict[str, Any]] = {role: {} for role in _NAMES}
    catalogue: dict[str, None] = {}
    read: tuple[str, ...] = ()
    for where, record in records:
        key = key_named(record, ITEM_NAMES)
        if key is None or record[key] in (None, ""):
            raise DataError(
                f"{where}: cannot tell which item this row is of. Name a column 'item', and others "
                f"'popularity', 'category' or 'vector' (found: {', '.join(map(str, record))})."
            )
        item = str(record[key])
        if item in catalogue:
            raise DataError(f"{where}: item {item!r} is listed twice. List each item once.")
        catalogue[item] = None
        for role, names in _NAMES.items():
            name = key_named(record, names)
            value = None if name is None else record[name]
            if value is None or value == "" or (isinstance(value, float) and value != value):  # noqa: PLR0124
                continue
            read = (*read, role) if role not in read else read
            columns[role][item] = _field(role, value, where)
    if not catalogue:
        raise DataError(f"{source}: there are no items.")
    return {"catalogue": catalogue, **{role: columns[role] for role in read}}


def _field(role: str, value: Any, where: str) -> Any:
    """Return a field of a file: several categories between bars, a vector between blanks."""
    if role == "categories" and isinstance(value, str):
        return [part.strip() for part in value.split("|") if part.strip()]
    if role == "vectors" and isinstance(value, str):
        try:
            return np.array(value.strip("[] ").replace(",", " ").split(), float)
        except ValueError:
            raise DataError(
                f"{where}: the vector is not a row of numbers: {value[:60]!r}."
            ) from None
    return value
