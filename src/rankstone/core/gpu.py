"""Tables of labels and scores in a device's memory, cut where they are.

A measure with a cutoff k reads the first k documents of a list, and of the others nothing but
grades that are not 0. So the device puts documents in order and gives away the grades of the
first k, with which of them share a score, and the other grades that are not 0. What is made of
these is a narrower table on which such measures have the values they have on the whole one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.core.as_numpy import array_of, numbers_of
from rankstone.core.notices import ROUNDED
from rankstone.core.rank import ListNeeds, ScoreNeeds
from rankstone.frozen import frozen

Array = np.ndarray

_BLOCK = 1 << 24
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_SCORES = (*_FLOATS, "int8", "int16", "int32", "uint8")  # which float64 tells apart as they do
_LABELS = (*_SCORES, "int64", "bool")


@frozen(eq=False)
class TopK:
    """A smaller table for the same measures: grades in rank order, and scores with the same ties.

    ``ties`` counts the documents of the whole lists that share their score, and all documents.
    """

    grades: Array
    scores: Array
    ties: tuple[int, int]


def is_on_device(value: Any) -> bool:
    """Return whether a tensor of PyTorch or an array of JAX is in another device's memory."""
    if hasattr(value, "detach"):
        return str(value.device.type) != "cpu"
    try:
        return hasattr(value, "devices") and any(d.platform != "cpu" for d in value.devices())
    except TypeError:  # an array that JAX traces is nowhere yet
        return False


def top_k(labels: Any, scores: Any, lists: ListNeeds, needs: ScoreNeeds) -> TopK | None:
    """Return the part of a table on a device that measures read.

    None if all of it is needed: measures or conventions read more, or something is wrong with it.
    """
    library = _library(labels, scores)
    if library is None or lists.k is None or not _fits(labels, scores, lists.k):
        return None
    if needs.values or (needs.float32 and _name(scores) in ("float64", "int32")):
        return None  # conventions read more of the scores than their order
    refuses = not lists.supports_expected_ties and needs.every_tie
    width = int(labels.shape[-1])
    label, score = (_plain(v).reshape(-1, width) for v in (labels, scores))
    step = max(1, _BLOCK // width)
    parts = []
    try:
        for begin in range(0, len(label), step):
            rows = slice(begin, begin + step)
            everywhere = refuses or lists.count_ties
            part = _first(library, label[rows], score[rows], lists.k, everywhere=everywhere)
            if part is None or (refuses and part.tied):
                return None
            parts.append(part)
    except RuntimeError:  # too little memory, or no such operation there
        return None
    grades, order = _table(parts)
    if needs.negatives and (grades < 0).any():
        return None
    return TopK(grades, order, (sum(p.tied_labels for p in parts), sum(p.labels for p in parts)))


def head(values: Any, n: int) -> Array:
    """Return the first n numbers of a table on a device as an array."""
    rows = 1 + n // int(values.shape[1]) if values.ndim == 2 else n
    return numbers_of(_plain(values)[:rows].reshape(-1)[:n], "numbers")


def _plain(values: Any) -> Any:
    """Return a tensor without its gradient."""
    return values.detach() if hasattr(values, "detach") else values


def _fits(labels: Any, scores: Any, k: int) -> bool:
    if labels.shape != scores.shape or labels.ndim not in (1, 2) or not labels.shape[0]:
        return False
    kinds = _name(labels) in _LABELS and _name(scores) in _SCORES
    return kinds and int(labels.shape[-1]) > k


def _name(values: Any) -> str:
    return str(values.dtype).removeprefix("torch.")


class _Library(NamedTuple):
    """Operations on tables that PyTorch and JAX spell differently.

    ``top`` and ``order`` return values in falling order and their columns, of the first n or of
    all; in the latter equal values keep their order.
    """

    names: Any
    top: Callable[[Any, int], tuple[Any, Any]]
    order: Callable[[Any], tuple[Any, Any]]
    take: Callable[[Any, Any], Any]
    chosen: Callable[[Any, Any], Any]


def _library(labels: Any, scores: Any) -> _Library | None:
    """Return the library both are of, if they are in one memory."""
    if not (is_on_device(labels) and is_on_device(scores)):
        return None
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and all(isinstance(v, torch.Tensor) for v in (labels, scores)):
        return _Library(
            torch,
            top=lambda values, n: torch.topk(values, n, dim=1),
            order=lambda values: torch.sort(values, dim=1, descending=True, stable=True),
            take=lambda values, at: torch.gather(values, 1, at),
            chosen=lambda values, mask: values[mask],
        )
    if jax is not None and all(isinstance(v, jax.Array) for v in (labels, scores)):
        long = any(v.dtype.itemsize == 8 for v in (labels, scores))
        # Without its setting for 64 bits JAX would cut such numbers in halves.
        return None if long and not jax.config.jax_enable_x64 else _of_jax(jax.numpy, jax.lax)
    return None


def _of_jax(jnp: Any, lax: Any) -> _Library:
    def take(values: Any, at: Any) -> Any:
        return jnp.take_along_axis(values, at, axis=1)

    def order(values: Any) -> tuple[Any, Any]:
        at = jnp.argsort(values, axis=1, stable=True, descending=True)
        return take(values, at), at

    def chosen(values: Any, mask: Any) -> Any:
        # JAX compiles for each length there is; powers of two are few.
        n = int(mask.sum())
        (at,) = jnp.nonzero(mask.reshape(-1), size=1 << n.bit_length(), fill_value=0)
        return np.asarray(values.reshape(-1)[at])[:n]

    return _Library(jnp, lax.top_k, order, take, chosen)


@frozen(eq=False)
class _Part:
    """The top of some lists: grades of the first ``size`` documents, and ``same``: tied with the next.

    ``rest`` are the other grades that are not 0, ``others`` for each list. ``tied`` documents share
    their score, of which ``tied_labels`` are among the ``labels`` above 0.
    """

    first: Array
    same: Array
    size: Array
    rest: Array
    others: Array
    tied: int
    tied_labels: int
    labels: int


def _first(
    library: _Library, labels: Any, scores: Any, k: int, *, everywhere: bool
) -> _Part | None:
    """Return the part of some lists that counts; None if a number in them is not finite.

    Documents that share their score with the one at rank k are among the first. If ties are
    counted ``everywhere``, scores so large that whole numbers are rounded are not cut: ties there
    are mentioned.
    """
    finite = library.names.isfinite
    if not (bool(finite(labels).all()) and bool(finite(scores).all())):
        return None
    if everywhere and max(float(scores.max()), -float(scores.min())) >= ROUNDED:
        return None
    score = _whole(library, scores)
    falling, columns = library.order(score) if everywhere else library.top(score, k + 1)
    if not everywhere and bool((falling[:, 1:] == falling[:, :-1]).any()):
        falling, columns = library.order(score)
    same = falling[:, 1:] == falling[:, :-1]
    tied = int(same.sum()) + int(same[:, 0].sum()) + int((same[:, 1:] & ~same[:, :-1]).sum())
    label = _whole(library, labels)
    own = library.take(label, columns) > 0
    tied_labels = int((same & own[:, 1:]).sum()) + int((same & own[:, :-1]).sum())
    tied_labels -= int((same[:, 1:] & same[:, :-1] & own[:, 1:-1]).sum())
    last = falling[:, k - 1 : k]
    size = (falling >= last).sum(1)
    width = int(size.max())
    other = (score < last) & (label != 0)
    return _Part(
        numbers_of(library.take(labels, columns[:, :width]), "labels"),
        array_of(same[:, : width - 1], "ties"),
        array_of(size, "sizes"),
        numbers_of(library.chosen(labels, other), "labels"),
        array_of(other.sum(1), "sizes"),
        tied,
        tied_labels,
        int((label > 0).sum()),
    )


def _whole(library: _Library, values: Any) -> Any:
    """Return whole numbers in the order of the values.

    Of floats they are the bits without the sign, below 0 where the sign is set: some devices
    take the smallest floats for 0 when they compare them.
    """
    if _name(values) not in _FLOATS:
        return values
    size = 8 * values.dtype.itemsize
    bits = values.view(getattr(library.names, f"int{size}"))
    return library.names.where(bits >= 0, bits, -(bits & ((1 << (size - 1)) - 1)))


def _table(parts: list[_Part]) -> tuple[Array, Array]:
    """Return grades in rank order, and scores that order and tie them alike."""
    width = max(int((p.size + p.others).max()) for p in parts)
    grades = np.zeros((sum(len(p.size) for p in parts), width))
    scores = np.empty_like(grades)
    scores[:] = -np.arange(width)
    begin = 0
    for part in parts:
        rows = slice(begin, begin + len(part.size))
        column = np.arange(part.first.shape[1])
        beyond = column >= part.size[:, None]
        table = grades[rows]
        table[:, : len(column)] = np.where(beyond, 0.0, part.first)
        offsets = segments.offsets_of(part.others)
        row = segments.numbers(offsets)
        table[row, part.size[row] + segments.positions(offsets)] = part.rest
        if part.same.any():
            starts = beyond.copy()
            starts[:, 1:] |= ~part.same
            above = np.maximum.accumulate(np.where(starts, column, 0), axis=1)
            scores[rows, : len(column)] = -above
        begin = rows.stop
    return grades, scores
