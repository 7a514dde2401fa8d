"""Random numbers that depend on the seed and on nothing else, and sums that are exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

import numpy as np

from rankstone.core.parallel import on_each
from rankstone.errors import UsageError

T = TypeVar("T")

#: What ``rng=`` takes: a seed, a NumPy generator to draw one from, or None for a fresh one.
Seed = int | np.random.Generator | None
#: What a stream of random numbers is for; each has streams of its own.
Purpose = Literal["sign flips", "permutations"]
_STREAMS: dict[Purpose, int] = {"sign flips": 1, "permutations": 2}
#: Resamples drawn from one stream. Part of what a seed means: changing it changes the numbers.
CHUNK = 4096


def seed_of(rng: Seed) -> int:
    """Return the seed itself, one drawn from a generator, or for None one from the system.

    >>> seed_of(7)
    7
    """
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 11)
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(1 << 53))
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        return int(rng)
    raise UsageError(
        f"the seed must be a whole number from 0 (rng= also takes a NumPy Generator or None), not "
        f"{rng!r}."
    )


def check_resamples(resamples: int) -> int:
    """Return the number of resamples if it is one."""
    if not isinstance(resamples, (int, np.integer)) or isinstance(resamples, bool) or resamples < 1:
        raise UsageError(f"resamples must be a whole number from 1, not {resamples!r}.")
    return int(resamples)


def on_grid(values: np.ndarray) -> np.ndarray:
    """Return values as whole multiples of a small unit, whose sums over queries are exact.

    Exact sums are the same in any order, so results do not depend on how the work is divided.
    Sums that are equal on paper differ by at most one unit per number.

    >>> on_grid(np.array([0.1, 0.2, -0.3])).sum()
    np.float64(0.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(values.shape)
    room = 51 - int(values.shape[-1]).bit_length()
    return np.rint(np.ldexp(values, room - int(np.frexp(largest)[1])))


def in_chunks(
    task: Callable[[np.random.PCG64, int], T], purpose: Purpose, seed: int, resamples: int
) -> list[T]:
    """Call a task with a stream of its own and a number of resamples, until all are done.

    Chunks are worked on by all cores; what they return does not depend on how many there are.
    """
    sizes = [min(CHUNK, resamples - start) for start in range(0, resamples, CHUNK)]

    def one(chunk: int) -> T:
        key = (_STREAMS[purpose], chunk)
        return task(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)), sizes[chunk])

    return on_each(one, range(len(sizes)))
