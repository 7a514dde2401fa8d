"""Tables of labels and scores, cut where they are: in a device's memory or in that of the host.

A measure with a cutoff k reads the first k documents of a list, and of the others nothing but
grades that are not 0. So the device puts documents in order and gives away the grades of the
first k, with which of them share a score, and the other grades that are not 0. What is made of
these is a narrower table on which such measures have the values they have on the whole one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.core.as_numpy import array_of, numbers_of
from rankstone.core.notices import ROUNDED
from rankstone.core.parallel import on_each
from rankstone.core.rank import ScoreNeeds

Array = np.ndarray

_BLOCK = 1 << 24
_HOST_BLOCK = 1 << 18  # so that a tie has few lists put in order, and a cache holds them
_FEW = 8  # documents below rank k that the host looks at for those that tie with it
_WIDE = 16  # times the cutoff: narrower tables of the host are put in order as quickly
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_SCORES = (*_FLOATS, "int8", "int16", "int32", "uint8")  # which float64 tells apart as they do
_LABELS = (*_SCORES, "int64", "bool")


class CutoffNeeds(NamedTuple):
    """What measures read of a list: ranks down to ``k``.

    ``supports_expected_ties``: they can average over the orders of tied documents. A measure that
    cannot refuses any tie, wherever it is. ``count_ties``: ties below the cutoff are counted too.
    """

    k: int
    supports_expected_ties: bool
    count_ties: bool = False


@dataclass(frozen=True, eq=False)
class TopK:
    """What measures read of a table: grades in rank order, and scores that order and tie them alike.

    ``ties`` counts the documents of the whole lists that share their score, and all documents.
    """

    grades: Array
    scores: Array
    ties: tuple[int, int]


def is_elsewhere(value: Any) -> bool:
    """Return whether a tensor of PyTorch or an array of JAX is in another device's memory."""
    if hasattr(value, "detach"):
        return str(value.device.type) != "cpu"
    try:
        return hasattr(value, "devices") and any(d.platform != "cpu" for d in value.devices())
    except TypeError:  # an array that JAX traces is nowhere yet
        return False


def top_k(labels: Any, scores: Any, cutoff: CutoffNeeds | None, needs: ScoreNeeds) -> TopK | None:
    """Return what measures read of a table.

    None if all of it is needed: measures or conventions read more, something is wrong with it, or
    it is so narrow that the host puts all of it in order as quickly.
    """
    if cutoff is None:
        return None
    library = _library(labels, scores)
    if library is None or not _fits(labels, scores, cutoff.k) or not _order_suffices(scores, needs):
        return None
    refuses = not cutoff.supports_expected_ties and needs.every_tie
    width = int(labels.shape[-1])
    if library.on_host and (refuses or width < _WIDE * cutoff.k or labels.ndim == 1):
        return None
    label, score = (_plain(v).reshape(-1, width) for v in (labels, scores))
    step = max(1, (_HOST_BLOCK if library.on_host else _BLOCK) // width)

    def cut(begin: int) -> _Part | None:
        rows = slice(begin, begin + step)
        part = _first(library, label[rows], score[rows], cutoff, refuses=refuses)
        return None if part is None or (refuses and part.tied) else part

    begins = range(0, len(label), step)
    parts = []
    try:
        for part in on_each(cut, begins) if library.on_host else map(cut, begins):
            if part is None:
                return None
            parts.append(part)
    except RuntimeError:  # too little memory, or no such operation there
        return None
    grades, order = _table(parts)
    if needs.negatives and (grades < 0).any():
        return None
    return TopK(grades, order, (sum(p.tied for p in parts), len(label) * width))


def _plain(values: Any) -> Any:
    """Return a tensor without its gradient."""
    return values.detach() if hasattr(values, "detach") else values


def _fits(labels: Any, scores: Any, k: int) -> bool:
    if labels.shape != scores.shape or labels.ndim not in (1, 2) or not labels.shape[0]:
        return False
    kinds = _name(labels) in _LABELS and _name(scores) in _SCORES
    return kinds and int(labels.shape[-1]) > k


def _order_suffices(scores: Any, needs: ScoreNeeds) -> bool:
    """Return whether conventions read no more of the scores than their order."""
    return not needs.values and not (needs.float32 and _name(scores) == "float64")


def _name(values: Any) -> str:
    return str(values.dtype).removeprefix("torch.")


class _Library(NamedTuple):
    """What NumPy, PyTorch and JAX do, each in words of its own, on tables.

    ``top`` and ``order`` return values in falling order and their columns, of the first n or of
    all; in the latter equal values keep their order.
    """

    names: Any
    top: Callable[[Any, int], tuple[Any, Any]]
    order: Callable[[Any], tuple[Any, Any]]
    take: Callable[[Any, Any], Any]
    chosen: Callable[[Any, Any], Any]
    on_host: bool = False


def _library(labels: Any, scores: Any) -> _Library | None:
    """Return the library both are of, if they are in one memory."""
    if type(labels) is np.ndarray and type(scores) is np.ndarray:
        return _of_numpy()
    if not (is_elsewhere(labels) and is_elsewhere(scores)):
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


def _of_numpy() -> _Library:
    def take(values: Array, at: Array) -> Array:
        return np.take_along_axis(values, at, axis=1)

    def top(values: Array, n: int) -> tuple[Array, Array]:
        at = np.sort(np.argpartition(values, -n, axis=1)[:, -n:], axis=1)
        at = take(at, falling(take(values, at)))
        return take(values, at), at

    def order(values: Array) -> tuple[Array, Array]:
        at = falling(values)
        return take(values, at), at

    def falling(values: Array) -> Array:
        # Negative values would overflow where numbers have no sign.
        return values.shape[1] - 1 - np.argsort(values[:, ::-1], axis=1, kind="stable")[:, ::-1]

    return _Library(np, top, order, take, lambda values, mask: values[mask], on_host=True)


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


@dataclass(frozen=True, eq=False)
class _Part:
    """Some lists: grades of the first ``size`` documents, of which ``same`` score as the next.

    ``rest`` are the other grades that are not 0, ``others`` for each list.
    """

    first: Array
    same: Array
    size: Array
    rest: Array
    others: Array
    tied: int


def _first(
    library: _Library, labels: Any, scores: Any, cutoff: CutoffNeeds, *, refuses: bool
) -> _Part | None:
    """Return what counts of some lists, None where a number in them is not finite.

    Documents that share their score with the one at rank k are among the first. If ties are
    counted, scores so large that whole numbers are rounded are not cut: ties there are mentioned.
    """
    finite, k = library.names.isfinite, cutoff.k
    if not (bool(finite(labels).all()) and bool(finite(scores).all())):
        return None
    if cutoff.count_ties and max(float(scores.max()), -float(scores.min())) >= ROUNDED:
        return None
    score = _whole(library, scores)
    everywhere = refuses or (cutoff.count_ties and not library.on_host)
    falling, columns = library.order(score) if everywhere else _falling(library, score, k)
    same = falling[:, 1:] == falling[:, :-1]
    tied = int(same.sum()) + int(same[:, 0].sum()) + int((same[:, 1:] & ~same[:, :-1]).sum())
    if cutoff.count_ties and library.on_host:
        bounds = np.arange(len(score) + 1) * score.shape[1]
        tied = int(segments.count_equals(score.reshape(-1), bounds).sum())
    last = falling[:, k - 1 : k]
    size = (falling >= last).sum(1)
    width = int(size.max())
    other = (score < last) & (_whole(library, labels) != 0)
    return _Part(
        numbers_of(library.take(labels, columns[:, :width]), "labels"),
        array_of(same[:, : width - 1], "ties"),
        array_of(size, "sizes"),
        numbers_of(library.chosen(labels, other), "labels"),
        array_of(other.sum(1), "sizes"),
        tied,
    )


def _falling(library: _Library, score: Any, k: int) -> tuple[Any, Any]:
    """Return the first scores in falling order and their columns, with all that tie at rank k."""
    if not library.on_host:
        falling, columns = library.top(score, k + 1)
        tied = bool((falling[:, 1:] == falling[:, :-1]).any())
        return library.order(score) if tied else (falling, columns)
    few = min(k + _FEW, score.shape[1])
    falling, columns = library.top(score, few)
    beyond = falling[:, k - 1] == falling[:, few - 1]  # a tie at rank k that may go on
    if few == score.shape[1] or not beyond.any():
        return falling, columns
    # Those that share the score of rank k are few; the rest need no order.
    count = int((score[beyond] >= falling[beyond, k - 1 : k]).sum(1).max())
    if count > score.shape[1] // 2:
        return library.order(score)
    return library.top(score, max(count, few))


def _whole(library: _Library, values: Any) -> Any:
    """Return numbers in the order of the values: on a device whole numbers.

    Of floats they are the bits without the sign, below 0 where the sign is set: some devices
    take the smallest floats for 0 when they compare them.
    """
    if library.on_host or _name(values) not in _FLOATS:
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
