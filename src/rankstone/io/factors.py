"""Runs that score a whole catalogue: factors of users and items, or any function of users.

Scores are made for a block of users at a time. A rank is 1 + the number of items with a higher
score, so the core counts them; nothing is put in order, and nothing of size users x items is kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from rankstone.choices.reading import Reading
from rankstone.core import engine, segments
from rankstone.core.as_numpy import all_finite, array_of, speaks_arrays
from rankstone.core.counted import Entries
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notice_texts import reading_notice
from rankstone.core.parallel import cores, on_each, products_alone
from rankstone.core.provenance import Source
from rankstone.core.run import NO_DOCUMENT, Block, Row
from rankstone.core.text import encode
from rankstone.errors import DataError, Notice, UsageError, one_of, plural
from rankstone.frozen import frozen
from rankstone.io.id_matrices import lists_of
from rankstone.io.sparse import entries_of, is_sparse, judgments_of
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.io.changes import Exclusions

Array = np.ndarray
_Made = TypeVar("_Made")

_BLOCK_BYTES, _CORE_BYTES = 1 << 25, 1 << 23  # scores at a time, and at least on each core
_GROUP = 64  # items of which the best is compared first
_EVERY = 0.5  # seconds between two messages on how far it is
_METRICS = ("dot", "cosine", "euclidean")


class Scorer:
    """A run of all items for all users: a function that scores them for a block of users.

    Args:
        function: is called with an array of row numbers (a list of ids, if ``users`` are ids) and
            returns an array or tensor, a row of scores for each user and a column for each item.
            The highest score is the best; -inf leaves an item out.
        users: how many there are, or their ids.
        items: how many there are, or their ids, in the order of the columns.
        name: of the run.

    >>> import rankstone as rs
    >>> table = np.array([[0.1, 0.7, 0.2], [0.5, 0.4, 0.3]])
    >>> rs.evaluate([{1}, {2}], Scorer(lambda rows: table[rows], 2, 3), "RR")["RR"]
    0.6666666666666666
    """

    dtype = ""  # of the products, where there are any
    checks = True  # scores may be anything
    is_parallel = False  # several threads may ask for scores

    def __init__(
        self,
        function: Callable[[Any], Any],
        users: int | Sequence[Any],
        items: int | Sequence[Any],
        name: str = "scorer",
    ) -> None:
        if not callable(function):
            raise UsageError(
                f"the first argument of Scorer is a function of users, not {type(function).__name__}."
            )
        self.function, self.name = function, name
        self.users, self.items = _Axis.of(users, "user"), _Axis.of(items, "item")

    def scores(self, rows: Array, out: Array | None) -> Array:
        """Return the scores of some users; ``out`` may be used for them."""
        names = rows if self.users.ids is None else self.users.ids.at(rows)
        block = array_of(self.function(names), "scores")
        expected = len(rows), self.items.size
        if block.shape != expected:
            first, last = (self.users.name(int(row)) for row in (rows[0], rows[-1]))
            raise DataError(
                f"{self.name}: for the block of users {first!r} to {last!r} the scorer returned "
                f"{_by(block.shape)} scores; expected {_by(expected)}: a row for each user and a "
                "column for each item."
            )
        if block.dtype.kind not in "biuf":
            raise DataError(f"{self.name}: scores are numbers, not {block.dtype}.")
        small = block.dtype.itemsize < 4 or block.dtype == np.float32
        return np.ascontiguousarray(block, np.float32 if small else np.float64)

    def tolerance(self, rows: Array) -> Array:
        """Return how far scores of each user may be rounded: they are what they are."""
        return np.zeros(len(rows))

    def exact(self, row: int, columns: Array) -> Array | None:
        """Return scores that are rounded less, None if there are none."""


class Factors(Scorer):
    """A run of all items for all users, scored by the products of their vectors.

    Args:
        users: a vector for each user, in rows: an array or a tensor.
        items: a vector for each item, as wide.
        bias: added to the score of each item.
        user_bias: added to all scores of each user, which moves no item.
        user_ids: the ids of the users (default: row numbers).
        item_ids: the ids of the items (default: row numbers).
        metric: ``dot``, ``cosine``, or ``euclidean``, for which a score is minus the square of
            the distance.
        float64: compute again in 64 bits what is so close that rounding might decide its order.
            Products of shorter numbers are computed in 32 bits.
        name: of the run.

    >>> import rankstone as rs
    >>> model = Factors([[1.0, 0.0], [0.0, 1.0]], [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    >>> rs.evaluate({0: {0}, 1: {2}}, model, "RR")["RR"]
    0.75
    """

    def __init__(
        self,
        users: Any,
        items: Any,
        bias: Any = None,
        user_bias: Any = None,
        user_ids: Sequence[Any] | None = None,
        item_ids: Sequence[Any] | None = None,
        metric: str = "dot",
        *,
        float64: bool = False,
        name: str = "factors",
    ) -> None:
        one_of(metric, _METRICS, "metric")
        left, right = _vectors(users, "user"), _vectors(items, "item")
        if left.shape[1] != right.shape[1]:
            raise DataError(
                f"the vectors of users have {left.shape[1]} numbers and those of items "
                f"{right.shape[1]}; both must be of the same width."
            )
        self.name, self.metric = name, metric
        self.users = _Axis.of(len(left) if user_ids is None else user_ids, "user", len(left))
        self.items = _Axis.of(len(right) if item_ids is None else item_ids, "item", len(right))
        kind = np.result_type(left, right)
        # The same computation in 64 bits, then rounded: no step of it adds an error of its own.
        if metric != "dot" or bias is not None or user_bias is not None:
            left, right = left.astype(np.float64), right.astype(np.float64)
        if metric == "cosine":
            left, right = (
                v / np.maximum(_lengths(v), np.finfo(float).tiny)[:, None] for v in (left, right)
            )
        # What is added to all scores of each user, and to those of each item.
        by_user, by_item = (
            (-(_lengths(v) ** 2) if metric == "euclidean" else 0.0)
            + (0.0 if own is None else _numbers(own, axis))
            for v, own, axis in ((left, user_bias, self.users), (right, bias, self.items))
        )
        if metric == "euclidean":
            left = 2 * left
        # It is one more number in each vector, which meets a 1.
        if np.ndim(by_item):
            left, right = (
                np.column_stack(v) for v in ((left, np.ones(len(left))), (right, by_item))
            )
        if np.ndim(by_user):
            left, right = (
                np.column_stack(v) for v in ((left, by_user), (right, np.ones(len(right))))
            )
        self._wide = (left, right) if float64 else None
        self._left, self._right = (np.ascontiguousarray(v, kind) for v in (left, right))
        for axis, made in ((self.users, self._left), (self.items, self._right)):
            _check_finite(made, axis)
        self._own, longest = _lengths(self._left), float(_lengths(self._right).max(initial=0.0))
        self._rounding = np.finfo(kind).eps / 2 * np.sqrt(self._left.shape[1]) * longest
        self.checks = bool(self._own.max(initial=0.0) * longest >= float(np.finfo(kind).max) / 2)
        self.dtype = (
            f"{kind}, float64 where it is close" if float64 and kind.itemsize < 8 else str(kind)
        )
        self._left, self._right = _on_device(self._left, users), _on_device(self._right, items)
        self.is_parallel = all(isinstance(v, np.ndarray) for v in (self._left, self._right))

    def scores(self, rows: Array, out: Array | None) -> Array:
        """Return the scores of some users."""
        if self.is_parallel:
            with np.errstate(over="ignore", invalid="ignore"):
                made: Array = np.matmul(self._left[rows], self._right.T, out=out)
            return made
        return array_of(self._left[rows] @ self._right.T, "products")

    def tolerance(self, rows: Array) -> Array:
        """Return how far scores of each user may be rounded.

        A sum of d products is rounded d times up and down, which adds up to a multiple of sqrt(d).
        """
        return self._own[rows] * self._rounding

    def exact(self, row: int, columns: Array) -> Array | None:
        """Return the scores of a user for some items in 64 bits, if that was asked for."""
        if self._wide is None:
            return None
        users, items = self._wide
        made: Array = items[columns].astype(np.float64) @ users[row].astype(np.float64)
        return made


@frozen(eq=False)
class _Axis:
    """The users or the items: how many there are, and their ids if these are not row numbers."""

    what: str
    size: int
    ids: Ids | None = None

    @classmethod
    def of(cls, given: int | Sequence[Any], what: str, size: int | None = None) -> _Axis:
        if isinstance(given, int | np.integer) and not isinstance(given, bool):
            return cls(what, int(given))
        if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
            raise UsageError(f"give the number of {what}s or a list of their ids, not {given!r}.")
        names: Any = given.tolist() if hasattr(given, "tolist") else given
        ids = Ids.of(names, what)
        if size not in (None, len(ids)):
            raise DataError(f"{len(ids)} ids for {size} {what}s: give one for each vector.")
        axis = cls(what, len(ids), ids)
        if len(axis.place) < len(ids):
            again = next(i for n, i in enumerate(ids) if axis.place[i] != n)
            raise DataError(f"the id {again!r} is that of two {what}s. Give each its own.")
        return axis

    @cached_property
    def place(self) -> dict[Any, int]:
        """The row number of each id."""
        return {name: i for i, name in enumerate(self.ids or ())}

    def name(self, row: int) -> Any:
        """Return the id of a row."""
        return row if self.ids is None else self.ids[row]

    def names(self, rows: Array) -> list[Any]:
        """Return the ids of rows."""
        return rows.tolist() if self.ids is None else self.ids.at(rows)

    def of_rows(self, rows: Array) -> Ids:
        """Return the ids of rows, as ids."""
        return Ids.from_numbers(rows) if self.ids is None else self.ids.take(rows.tolist())

    def rows(self, ids: Ids) -> Array:
        """Return the row of each id, -1 if there is none. Text is not a number, except from a file."""
        if self.ids is None and ids.kind == "number":
            numbers = ids.numbers()
        else:
            are_numbers = self.ids is None or self.ids.kind == "number"
            is_plain = are_numbers and ids.kind == "text" and not ids.typed
            objects: Sequence[Any] = ids.as_numbers() if is_plain else ids.objects
            found = (
                map(_whole, objects)
                if self.ids is None
                else map(self.place.get, objects, repeat(-1))
            )
            numbers = np.fromiter(found, np.int64, len(objects))
        return np.where((numbers >= 0) & (numbers < self.size), numbers, -1)

    @cached_property
    def id_order(self) -> Array | None:
        """The place of each id among all in rising order, None if that is the row number."""
        if self.ids is None:
            return None
        keys = self.ids.objects if self.ids.kind == "number" else [encode(str(i)) for i in self.ids]
        order = np.array(sorted(range(self.size), key=keys.__getitem__), np.int64)
        return None if (np.diff(order) == 1).all() else np.argsort(order)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and value < 1 << 63 else -1


def _by(shape: Sequence[int]) -> str:
    return " x ".join(f"{n:,}" for n in shape)


def _lengths(vectors: Array) -> Array:
    wide = vectors if vectors.dtype == np.float64 else vectors.astype(np.float64)
    return np.sqrt(np.einsum("ij,ij->i", wide, wide))


def _vectors(given: Any, what: str) -> Array:
    array = array_of(given, f"the vectors of {what}s")
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise DataError(
            f"the vectors of {what}s are a table of numbers, a row for each {what}; found "
            f"{_by(array.shape) or 'one'} of {array.dtype}."
        )
    _check_finite(array, _Axis(what, len(array)))
    return array.astype(np.result_type(array, np.float32), copy=False)


def _check_finite(vectors: Array, axis: _Axis) -> None:
    """Refuse vectors with a number that is NaN or infinite."""
    if not all_finite(vectors):
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise DataError(
            f"the vector of {axis.what} {axis.name(row)!r} holds a number that is NaN or infinite "
            f"in {vectors.dtype}; vectors are finite numbers."
        )


def _numbers(bias: Any, axis: _Axis) -> Array:
    array = array_of(bias, "bias").astype(np.float64)
    if array.shape != (axis.size,):
        raise DataError(
            f"the bias of {axis.what}s has {_by(array.shape)} numbers for {axis.size:,} {axis.what}s."
        )
    return array


def _on_device(array: Array, given: Any) -> Any:
    """Return an array where the given one is, if that is the memory of another device."""
    if str(getattr(given, "device", "cpu")) == "cpu":
        return array
    if hasattr(given, "new_tensor"):
        return given.new_tensor(array)
    return sys.modules[type(given).__module__.partition(".")[0]].asarray(array)


@frozen(eq=False)
class CatalogueRun:
    """A run of all items for all users.

    ``removed`` are the items that are left out, by row of users. ``chosen`` are the users of
    interest (default: all). ``sign`` is -1 if the lowest score is the best. ``depth`` is how many of the
    best items of each user are kept in ``lists`` when scores are counted, so that lists that show no
    more need no second product.
    """

    scorer: Scorer
    name: str
    block_bytes: int | None = None
    sign: int = 1
    removed: Entries | None = None
    excluded: int = 0  # pairs of exclude, those of unknown users or items included
    chosen: Array | None = None
    depth: int = 0
    lists: list[tuple[Array, Block]] = field(default_factory=list, repr=False)
    source: Source = field(default=Source("memory"))

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is."""
        return self.sign

    def without(self, exclusions: Exclusions) -> CatalogueRun:
        """Return the run without some items of each user."""
        if is_sparse(exclusions.data):
            _check_shape(exclusions.data, "exclude", self.scorer)
            removed = entries_of(exclusions.data)
            return replace(self, removed=removed, lists=[], excluded=len(removed.columns))
        pairs, users = exclusions.judgments, self.scorer.users
        row = np.repeat(users.rows(pairs.queries), np.diff(pairs.groups))
        column = self.scorer.items.rows(pairs.docs)
        known = np.flatnonzero((row >= 0) & (column >= 0))
        order = known[np.argsort(row[known], kind="stable")]
        offsets = segments.offsets_of(np.bincount(row[order], minlength=users.size))
        entries = Entries(offsets, column[order], np.ones(len(order)))
        return replace(self, removed=entries, lists=[], excluded=len(pairs))

    def only(self, queries: Sequence[Any]) -> CatalogueRun:
        """Return the run of some users."""
        rows = self.scorer.users.rows(Ids.of(queries, "query"))
        return replace(self, chosen=rows[rows >= 0])

    def keeping(self, most: int) -> CatalogueRun:
        """Return the run that keeps so many of the best items of each user when scores are counted."""
        return replace(self, depth=most)

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield every item of every user, which may be many."""
        for block in self.blocks(self.scorer.items.size):
            starts = segments.offsets_of(block.sizes).tolist()
            for query, (a, b) in zip(block.queries, pairwise(starts), strict=True):
                yield query, NO_DOCUMENT, 0.0
                yield from zip(repeat(query), block.docs[a:b], block.numbers[a:b].tolist())

    def blocks(self, most: int) -> Iterator[Block]:
        """Yield the best items of users: that many, all that share the score of the last, and a few more."""
        rows = np.arange(self.scorer.users.size) if self.chosen is None else self.chosen
        if self.lists and self.chosen is not None and most <= self.depth:
            known = sorted(self.lists, key=lambda one: int(one[0][0]))
            yield from (block for _, block in known)
            rows = rows[~np.isin(rows, np.concatenate([own for own, _ in known]))]

        def best(part: slice, scores: Array, _: int) -> Block:
            return self._block(rows[part], scores, most)

        yield from self._of_scores(rows, best, cores() if most < self.scorer.items.size else 1)

    def _block(self, rows: Array, scores: Array, most: int) -> Block:
        """Return the best items of some users."""
        row, column = _best(scores, most)
        sizes = np.bincount(row, minlength=len(scores))
        numbers = scores[row, column].astype(np.float64)
        return Block(self.scorer.users.names(rows), sizes, self.scorer.items.names(column), numbers)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Count where the judged items landed; each item is there once."""
        user = self.scorer.users.rows(judgments.queries)
        query = segments.numbers(judgments.groups)
        column = self.scorer.items.rows(judgments.docs)
        self._refuse_outside(judgments, query, (column < 0) & (user[query] >= 0))
        listed = user[query] >= 0
        out = self._is_removed(user[query], column) & listed
        order = np.flatnonzero(listed & ~out)
        if (np.diff(column[order])[np.diff(query[order]) == 0] < 0).any():
            order = order[np.lexsort((column[order], query[order]))]
        judged = np.bincount(query[order], minlength=len(user))
        # A user without judged items has all that are left; a scorer may leave out more.
        scored = np.flatnonzero((user >= 0) & ((judged > 0) | self.scorer.checks))
        removed = np.where(user >= 0, self._removed_sizes[user], 0)
        retrieved = np.where(user >= 0, self.scorer.items.size - removed, 0)
        entries = Entries(segments.offsets_of(judged[scored]), column[order], np.zeros(len(order)))
        counts = self._counts(user[scored], entries, float32=float32)
        absent = counts.pop("absent")
        if self.scorer.checks:
            retrieved[scored] = self.scorer.items.size - absent
        kept = np.argsort(order, kind="stable")  # as the judgments are
        kept = kept[~np.isneginf(counts["score"][kept])]
        near = counts.pop("near")[kept] > 1
        others = np.ones(self.scorer.users.size, bool)
        others[user[user >= 0]] = False
        none = np.zeros(len(user), np.int64)
        notices = [
            *self._exclusion_notices(judgments, query, out, removed, user),
            *_masked(len(order) - len(kept)),
            *reading_notice(
                "close-scores",
                int(near.sum()) if self.scorer.dtype else 0,
                of=len(near),
                effect=self.scorer.dtype,
                keep_zero=bool(self.scorer.dtype),
            ),
        ]
        return Matches(
            offsets=segments.offsets_of(np.bincount(query[order[kept]], minlength=len(user))),
            judgment=order[kept],
            **{name: column[kept] for name, column in counts.items()},  # type: ignore[arg-type]
            present=user >= 0,
            retrieved=retrieved,
            duplicates=none,
            rank_disagrees=none.astype(bool),
            unjudged_queries=int(others.sum()),
            unjudged_sample=tuple(self.scorer.users.names(np.flatnonzero(others))),
            notices=tuple(notices),
        )

    def _refuse_outside(self, judgments: Judgments, query: Array, outside: Array) -> None:
        """Refuse judged items that the catalogue does not have."""
        if not outside.any():
            return
        at, items = int(outside.argmax()), self.scorer.items
        known = f"item_ids has {items.size:,} others"
        if items.ids is None:
            known = f"its items are the whole numbers from 0 to {items.size - 1:,}; for others give their ids"
        raise DataError(
            f"{self.name}: item {judgments.docs[at]!r}, judged for user "
            f"{judgments.queries[int(query[at])]!r}, is outside the catalogue ({known}). Leave out "
            f"of the judgments what the model does not know ({int(outside.sum()):,} in all), or add "
            "it to the catalogue."
        )

    @cached_property
    def _removed_sizes(self) -> Array:
        if self.removed is None:
            return np.zeros(self.scorer.users.size, np.int64)
        return np.diff(self.removed.offsets)

    def _is_removed(self, row: Array, column: Array) -> Array:
        """Return which cells are among the items that are left out."""
        if self.removed is None:
            return np.zeros(len(row), bool)
        width = self.scorer.items.size
        return np.isin(row * width + column, self.removed.rows * width + self.removed.columns)

    def _scores(self, rows: Array, memory: list[Array]) -> Array:
        """Return the scores of a block of users, -inf for items left out.

        ``memory`` is that of blocks whose scores are no longer needed: new memory for each block would
        take as long as the count. The last block may be smaller, and none comes after it.
        """
        scores = self.scorer.scores(rows, memory.pop()[: len(rows)] if memory else None)
        if self.sign < 0:
            scores = -scores
        if self.removed is not None:
            begin, sizes = self.removed.offsets[rows], self._removed_sizes[rows]
            at = np.repeat(begin, sizes) + segments.positions(segments.offsets_of(sizes))
            if self.scorer.checks:  # it may be the user's own table
                scores = scores.copy()
            scores[np.repeat(np.arange(len(rows)), sizes), self.removed.columns[at]] = -np.inf
        return scores

    def _step(self, users: int, workers: int = 1) -> int:
        """Return how many users a block has, if so many threads score blocks at the same time."""
        size = self.block_bytes or max(_BLOCK_BYTES, workers * _CORE_BYTES)
        width = self.scorer.items.size * (8 if "64" in self.scorer.dtype[:7] else 4)
        return max(1, min(size // workers // max(width, 1), -(-users // workers)))

    def _of_scores(
        self, rows: Array, task: Callable[[slice, Array, int], _Made], at_once: int
    ) -> Iterator[_Made]:
        """Yield what a task makes of the scores of each block of users, of so many blocks at once.

        The task is called with the place of the block in ``rows``, its scores, and the number of threads
        that work on others at the same time.
        """
        memory: list[Array] = []
        workers, begin = 1, 0

        def work(begin: int) -> _Made:
            part = slice(begin, begin + step)
            scores = self._scores(rows[part], memory)
            made = task(part, scores, workers)
            if self.scorer.is_parallel:
                memory.append(scores)
            return made

        while begin < len(rows):
            with products_alone(self.scorer.is_parallel) as is_alone:
                workers = cores() if is_alone else 1
                step = self._step(len(rows), workers)
                some = range(begin, len(rows), step)[:at_once]
                made = on_each(work, some, workers)
            begin = some[-1] + step
            yield from made

    def _counts(self, rows: Array, entries: Entries, *, float32: bool) -> dict[str, Array]:
        """Return, for each entry, the counts of items above it and tied with it, and the absent items of each row."""
        depth = 0 if self.lists else self.depth
        with _Progress(len(rows), self.name) as progress:

            def count(part: slice, block: Array, workers: int) -> dict[str, Array]:
                offsets = entries.offsets[part.start : part.start + len(block) + 1]
                inside = slice(offsets[0], offsets[-1])
                own = Entries(offsets - offsets[0], entries.columns[inside], entries.grades[inside])
                scores = block.astype(np.float32, copy=False) if float32 else block
                counted = self._count(rows[part], scores, own, cores() // workers)
                if depth:
                    self.lists.append((rows[part], self._block(rows[part], block, depth)))
                progress.add(len(block))
                return counted

            made = list(self._of_scores(rows, count, len(rows)))
        empty = np.zeros(0, np.int64)
        return {name: np.concatenate([empty, *(c[name] for c in made)]) for name in _COUNTED}

    def _count(self, rows: Array, scores: Array, own: Entries, workers: int) -> dict[str, Array]:
        """Count in the scores of a block of users."""
        tolerance = self.scorer.tolerance(rows)
        step = -(-len(rows) // workers)

        def count(begin: int) -> tuple[Any, ...]:
            offsets = own.offsets[begin : begin + step + 1]
            columns = own.columns[offsets[0] : offsets[-1]]
            some = slice(begin, begin + step)
            counts: tuple[Any, ...] = engine.load().count_near(
                scores[some], offsets - offsets[0], columns, tolerance[some], self.scorer.checks
            )
            if counts[-1] >= 0:
                raise self._not_finite(rows[begin + counts[-1]], scores[begin + counts[-1]])
            return counts[:-1]

        parts = on_each(count, range(0, len(rows), step), workers)
        above, tied, earlier, near, absent = map(np.concatenate, zip(*parts, strict=True))
        score = scores[own.rows, own.columns].astype(np.float64)
        self._recount(rows, scores, own, (above, tied, earlier, score), np.flatnonzero(near > 1))
        greater = tied - 1 - earlier
        if (place := self.scorer.items.id_order) is not None:
            for i in np.flatnonzero(tied > 1).tolist():
                row, column = own.rows[i], own.columns[i]
                equal = scores[row] == scores[row, column]
                greater[i] = int((place[equal] > place[column]).sum())
        counts = score, above, tied, greater, earlier, near, absent
        return dict(zip(_COUNTED, counts, strict=True))

    def _recount(
        self, rows: Array, scores: Array, own: Entries, counts: tuple[Array, ...], close: Array
    ) -> None:
        """Count again, in 64 bits, the entries whose order may depend on rounding."""
        above, tied, earlier, score = counts
        tolerance, row_of = self.scorer.tolerance(rows), own.rows
        for i in close.tolist():
            row, column = int(row_of[i]), int(own.columns[i])
            centre, width = scores[row, column], scores.dtype.type(tolerance[row])
            higher = scores[row] > centre + width
            near = np.flatnonzero(~higher & ~(scores[row] < centre - width))
            exact = self.scorer.exact(int(rows[row]), near)
            if exact is None:
                return
            exact *= self.sign
            score[i] = exact[near == column][0]
            above[i] = int(higher.sum() + (exact > score[i]).sum())
            tied[i] = int((exact == score[i]).sum())
            earlier[i] = int((exact[near < column] == score[i]).sum())

    def _not_finite(self, row: int, scores: Array) -> DataError:
        column = int(np.flatnonzero(~(scores < np.inf))[0])
        user, item = self.scorer.users.name(int(row)), self.scorer.items.name(column)
        why = "a score is a finite number, or -inf for an item that is left out."
        if self.scorer.dtype:
            why = f"the product overflows {scores.dtype}. Give vectors of float64, or shorter ones."
        return DataError(
            f"{self.name}: the score of item {item!r} for user {user!r} is {scores[column]}; {why}"
        )

    def _exclusion_notices(
        self, judgments: Judgments, query: Array, out: Array, removed: Array, user: Array
    ) -> Iterator[Notice]:
        if self.removed is None:
            return
        first = [
            tr("document {} of query {}").format(
                self.scorer.items.name(int(self.removed.columns[self.removed.offsets[row]])),
                self.scorer.users.name(row),
            )
            for row in user[(user >= 0) & (removed > 0)][:1].tolist()
        ]
        yield from reading_notice("excluded", int(removed.sum()), first)
        yield from reading_notice("nothing-excluded", 0 if removed.any() else self.excluded)
        examples = (
            tr("document {} of query {}").format(
                judgments.docs[at], judgments.queries[int(query[at])]
            )
            for at in np.flatnonzero(out)[:1].tolist()
        )
        yield from reading_notice("excluded-judged", int(out.sum()), examples)
        cold = np.flatnonzero((user >= 0) & (removed == 0))
        names = [str(judgments.queries[i]) for i in cold[:3].tolist()]
        yield from reading_notice("cold-queries", len(cold), names, of=len(user), keep_zero=True)


_COUNTED = ("score", "above", "tied", "greater", "earlier", "near", "absent")


def _masked(n: int) -> list[Notice]:
    if not n:
        return []
    text = tr("{} with the score -inf, which leaves it out; it counts as not retrieved").format(
        plural(n, "judged item")
    )
    return [Notice("masked-judged", n, text)]


class _Progress:
    """How many users are done, shown on a terminal or in a notebook."""

    def __init__(self, users: int, name: str) -> None:
        self._users, self._name, self._done = users, name, 0
        self._begun = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __enter__(self) -> Self:
        return self

    def add(self, users: int) -> None:
        """Count users that are done."""
        self._done += users
        now = time.monotonic()
        if self._watched and now - self._shown > _EVERY and self._done < self._users:
            left = (now - self._begun) * (self._users - self._done) / self._done
            text = tr("{}: {:,} of {:,} users, {:.0f} s left").format(
                self._name, self._done, self._users, left
            )
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self._shown = now

    def __exit__(self, *_: object) -> None:
        if self._shown > self._begun:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _best(scores: Array, most: int) -> tuple[Array, Array]:
    """Return rows and columns of the highest scores of each row.

    The best of groups of columns are a lower bound for the last of them, so few columns are compared.
    """
    width = scores.shape[1]
    size = min(_GROUP, max(1, width // (2 * most)))
    starts = np.arange(0, width, size)
    highest = np.maximum.reduceat(scores, starts, axis=1)
    most = min(most, len(starts))
    least = np.partition(highest, len(starts) - most, axis=1)[:, -most, None]
    row, group = np.nonzero(highest >= least)
    first = row * width + starts[group]
    score = np.take(scores, first[:, None] + np.arange(size), mode="clip")
    at, place = np.nonzero(score >= least[row])
    column = starts[group[at]] + place  # the last group may be smaller
    kept = (column < width) & ~np.isneginf(score[at, place])
    return row[at[kept]], column[kept]


def run_of(
    scorer: Scorer, name: str | None, block_bytes: int | None, *, ascending: bool
) -> CatalogueRun:
    """Return the run of a scorer; with ``ascending`` the lowest score is the best."""
    return CatalogueRun(
        scorer,
        name or scorer.name,
        block_bytes,
        -1 if ascending else 1,
        source=Source(f"memory ({scorer.dtype})" if scorer.dtype else "memory"),
    )


def scorer_of(run: Any) -> Scorer | None:
    """Return the scorer of a run; None if the run does not score a whole catalogue."""
    scorer = run.scorer if isinstance(run, CatalogueRun) else run
    return scorer if isinstance(scorer, Scorer) else None


def as_catalogue(judgments: Any, scores: Any, exclude: Any, reading: Reading) -> Any:
    """Return a table of scores as a run of all items if relevant items are excluded from it.

    Lists of labels and scores cannot hold a relevant item that was not retrieved, and in every other
    form such items count as missed. Other tables are returned unchanged.
    """
    if np.shape(judgments) != np.shape(scores) or exclude.shape != np.shape(scores):
        return scores
    labels = judgments.tocsr() if is_sparse(judgments) else type(exclude.tocsr())(judgments)
    both = labels.multiply(exclude != 0) > 0
    if not (both if reading.mask is None else both.multiply(np.asarray(reading.mask))).sum():
        return scores
    for name in ("mask", "qid"):
        if getattr(reading, name) is not None:
            raise UsageError(
                f"exclude= holds relevant items, which count as missed, and {name}= has none that are "
                "missed. Remove them from exclude=, or from the labels."
            )
    return catalogue_of(scores)


def catalogue_of(scores: Any) -> Scorer:
    """Return a table of scores, a row for each query, as a run of all items."""
    table = array_of(scores, "scores")
    return Scorer(lambda rows: table[rows], table.shape[0], table.shape[1], "run")


def judgments_beside(judgments: Any, scorer: Scorer) -> Any:
    """Return labels in a table as judgments by the ids of users and items; others unchanged."""
    if isinstance(judgments, list | tuple) or not (
        is_sparse(judgments) or speaks_arrays(judgments)
    ):
        return judgments
    if hasattr(judgments, "columns"):
        return judgments
    labels = judgments if is_sparse(judgments) else array_of(judgments, "labels")
    if not is_sparse(labels):
        if labels.ndim == 2 and labels.dtype.kind in "iu" and labels.shape[1] != scorer.items.size:
            return lists_of(labels, None)
        if labels.ndim != 2 or labels.dtype.kind not in "biuf":
            raise UsageError(
                "judgments in an array are labels, a row for each user and a column for each item, or "
                f"the ids of relevant items, a row for each user; not {_by(labels.shape)} of {labels.dtype}."
            )
    _check_shape(labels, "the labels", scorer)
    return judgments_of(labels, ids=(scorer.users.of_rows, scorer.items.of_rows))


def _check_shape(table: Any, what: str, scorer: Scorer) -> None:
    expected = scorer.users.size, scorer.items.size
    if table.shape != expected:
        raise DataError(
            f"{what} are {_by(table.shape)}, and {scorer.name} has {_by(expected)} users and items: "
            "a row for each user and a column for each item."
        )
