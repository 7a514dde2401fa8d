"""Tables of labels and scores by counting: where the documents landed whose label is not 0.

A rank is 1 + the number of documents with a higher score. So lists are not put in order: the core
counts, for each of these documents, the scores above its own and those equal to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankstone.core import engine, segments
from rankstone.core.matches import Matches
from rankstone.core.parallel import on_each
from rankstone.core.rank import ListNeeds, ScoreNeeds
from rankstone.frozen import frozen

Array = np.ndarray

_BLOCK = 1 << 18  # cells that a thread counts at a time
_LOOKED_AT = 1 << 14
_SPARSE = 1 / 8  # share of labels that are not 0, up to which counting is faster than sorting


@frozen(eq=False)
class Entries:
    """The nonzero labels of a table; row r has the entries ``offsets[r]:offsets[r + 1]``."""

    offsets: Array
    columns: Array
    grades: Array

    @property
    def rows(self) -> Array:
        """The row of each entry."""
        return segments.numbers(self.offsets)

    def select(self, chosen: Array) -> Entries:
        """Return some of the entries."""
        return Entries(
            segments.keep(chosen, self.offsets), self.columns[chosen], self.grades[chosen]
        )


@frozen(eq=False)
class Counts:
    """The counts of a table that measures need: entries, their ranks, and the number of ties.

    ``ties`` are the entries of a grade above 0 that share their score with another document, and all
    such entries.
    ``masked_relevant`` counts the documents that are relevant and have the score -inf.
    """

    entries: Entries
    matches: Matches
    ties: tuple[int, int]
    masked_relevant: int


def suffices(needs: ListNeeds, scores: Any, score_needs: ScoreNeeds) -> bool:
    """Return whether measures read no more of a table than can be counted."""
    refuses = score_needs.every_tie and not needs.supports_expected_ties
    if needs.nonrelevant or refuses or score_needs.ids or score_needs.unjudged:
        return False
    return is_plain(scores) and not (score_needs.float32 and float_of(scores.dtype) == np.float64)


def is_plain(table: Any) -> bool:
    """Return whether a table is an array of numbers that float64 holds."""
    if not isinstance(table, np.ndarray) or table.ndim != 2 or not table.size:
        return False
    return table.dtype.kind in "biuf" and table.dtype.itemsize <= 8 and table.dtype.isnative


def entries_of(labels: Array) -> Entries | None:
    """Return the labels of a table that are not 0, None if they are many."""
    some = labels[: 1 + _LOOKED_AT // labels.shape[1]]
    if np.count_nonzero(some) > _SPARSE * some.size:
        return None
    bits = np.dtype(f"u{labels.dtype.itemsize}")
    signed_zero = labels.dtype.kind == "f"

    def find(rows: slice) -> tuple[Array, ...] | None:
        own = np.ascontiguousarray(labels[rows])
        most = max(len(own), int(_SPARSE * own.size))
        found = engine.load().nonzero(own.view(bits), signed_zero, most)
        return None if found is None else (np.diff(found[0]), found[1])

    found = in_blocks(find, labels.shape)
    if found is None:
        return None
    sizes, columns = found
    offsets = segments.offsets_of(sizes)
    grades = labels[segments.numbers(offsets), columns].astype(np.float64)
    return Entries(offsets, columns, grades)


def count(entries: Entries, scores: Array, kept: Array | None) -> Counts | None:
    """Count where entries landed; documents that are not ``kept`` or have the score -inf are absent.

    None if a number is not finite, scores are so large that whole numbers are rounded, or lists
    hold nothing but entries.
    """
    own = scores[entries.rows, entries.columns].astype(np.float64)
    listed = np.ones(len(own), bool) if kept is None else kept[entries.rows, entries.columns]
    masked = listed & np.isneginf(own)
    masked_relevant = int((masked & (entries.grades > 0)).sum())
    chosen = listed & ~masked
    if not chosen.all():
        entries, own = entries.select(chosen), own[chosen]
    if not np.isfinite(entries.grades).all():
        return None

    def work(rows: slice) -> tuple[Array, ...] | None:
        block = np.ascontiguousarray(scores[rows], float_of(scores.dtype))
        if kept is not None:
            block = np.where(kept[rows], block, block.dtype.type(-np.inf))
        begin, end = entries.offsets[[rows.start, rows.start + len(block)]].tolist()
        offsets = entries.offsets[rows.start : rows.start + len(block) + 1] - begin
        counts: tuple[Array, ...] | None = engine.load().count_table(
            block, offsets, entries.columns[begin:end]
        )
        return counts

    counts = in_blocks(work, scores.shape)
    if counts is None:
        return None
    above, tied, earlier, retrieved = counts
    if int(retrieved.sum()) == len(own):
        return None
    none = np.zeros(len(retrieved), np.int64)
    matches = Matches(
        offsets=entries.offsets,
        judgment=np.arange(len(own)),
        score=own,
        above=above,
        tied=tied,
        greater=np.zeros(len(own), np.int64),
        earlier=earlier,
        present=np.ones(len(retrieved), bool),
        retrieved=retrieved,
        duplicates=none,
        rank_disagrees=none.astype(bool),
    )
    graded = entries.grades > 0
    ties = int((tied[graded] > 1).sum()), int(graded.sum())
    return Counts(entries, matches, ties, masked_relevant)


def float_of(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of floats that scores are compared as."""
    return np.dtype(np.float32 if kind.itemsize < 4 or kind == np.float32 else np.float64)


def in_blocks(
    work: Callable[[slice], tuple[Array, ...] | None], shape: tuple[int, ...]
) -> list[Array] | None:
    """Return the columns that work makes of blocks of rows, None if it does of one."""
    step = max(1, _BLOCK // shape[1])
    parts = on_each(work, [slice(begin, begin + step) for begin in range(0, shape[0], step)])
    made = [part for part in parts if part is not None]
    if len(made) < len(parts):
        return None
    return [np.concatenate(columns) for columns in zip(*made, strict=True)]
