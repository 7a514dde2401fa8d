"""p-values of all pairs and measures of a comparison, by the test that was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from rankstone.frozen import frozen
from rankstone.stats import tests
from rankstone.stats.repeats import VarianceParts, variance_parts
from rankstone.stats.resampling import on_grid
from rankstone.stats.samples import Options, Sample
from rankstone.stats.sign_flips import sign_flips

_ROWS = 256  # of runs and measures whose signs are flipped together; bounds the memory


@frozen
class PValues:
    """One p-value per pair, and the number of resamples drawn for it, 0 for none.

    ``reach`` is half the length of simultaneous intervals, NaN if the test has none. ``parts`` is
    where the variance comes from, for pairs of repeated runs.
    """

    values: np.ndarray
    drawn: np.ndarray
    reach: float = math.nan
    parts: Mapping[int, VarianceParts] = field(default_factory=dict)


def p_values(of: Sequence[Sample], options: Options) -> list[PValues]:
    """Test the differences of each sample; NaN for fewer than two (effective) queries."""
    samples = [sample.units for sample in of]
    if options.test == "randomization":
        tested = [p for group in _groups(samples) for p in _sign_flips(group, options)]
    else:
        tested = [
            _t(sample, units) if options.test == "t" else _one_test(units, options)
            for sample, units in zip(of, samples, strict=True)
        ]
    return [
        replace(p, values=np.where(sample.means.effective >= 2, p.values, np.nan))
        for sample, p in zip(samples, tested, strict=True)
    ]


def _one_test(sample: Sample, options: Options) -> PValues:
    rows = sample.differences
    if options.test == "tukey":
        return _tukey(sample, options)
    if options.test == "wilcoxon":
        p = tests.wilcoxon(rows, zeros=options.zeros)
    elif options.test == "sign":
        p = tests.sign(rows)
    else:
        p = tests.bootstrap(rows, weights=sample.weights, bounds=sample.bounds())
    return PValues(p, np.zeros(len(p), np.int64))


def _t(sample: Sample, units: Sample) -> PValues:
    """Test by Student's t; for repeated runs, with the variance between runs."""
    p = tests.paired_t(units.differences, weights=units.weights, freedom=units.freedom)
    parts: dict[int, VarianceParts] = {}
    systems = sample.table.systems
    for row, pair in enumerate(sample.pairs.tolist()):
        if max(len(systems[k].runs) for k in pair) == 1 or units.means.effective[row] < 2:
            continue
        repeated = [sample.repeated(k, row) for k in pair]
        parts[row] = variance_parts(units.means, row, repeated)
        if parts[row].runs > 0:
            p[row] = parts[row].p_value(float(units.means.mean[row]))
    return PValues(p, np.zeros(len(p), np.int64), parts=parts)


def _tukey(sample: Sample, options: Options) -> PValues:
    used = ~np.isnan(sample.differences).any(axis=0)
    values = np.where(used, sample.values, np.nan)
    # By name, because which values a permutation exchanges depends on the order of runs.
    names = [system.name for system in sample.table.systems]
    order = np.array(sorted(range(len(names)), key=names.__getitem__))
    result = tests.tukey(
        values[order],
        weights=sample.means.weights_of(0),  # those of all pairs, which have the same queries
        resamples=options.resamples,
        rng=options.rng,
        confidence=1.0 - options.alpha / options.measures_in_family,
    )
    base, run = np.argsort(order)[sample.pairs.T]
    p = result.p[base, run]
    return PValues(p, np.full(len(p), options.resamples), result.reach)


def _groups(samples: Sequence[Sample]) -> Iterator[list[Sample]]:
    """Yield samples whose signs are flipped together."""
    group: list[Sample] = []
    rows = 0
    for sample in samples:
        more = min(len(sample.pairs), len(sample.values))
        if group and rows + more > _ROWS:
            yield group
            group, rows = [], 0
        group.append(sample)
        rows += more
    yield group


def _sign_flips(samples: Sequence[Sample], options: Options) -> list[PValues]:
    """Flip the signs of all differences of some samples with the same random numbers."""
    n = samples[0].differences.shape[1]
    grids, lefts, rights = [np.zeros((1, n))], [], []  # row 0 is what differences are left of
    start = 1
    for sample in samples:
        rows, left, right = _flip_rows(sample)
        grids.append(on_grid(rows if sample.weights is None else rows * sample.weights))
        lefts.append(start + left)
        rights.append(np.where(right < 0, 0, start + right))
        start += len(rows)
    flips = sign_flips(
        np.vstack(grids),
        np.concatenate(lefts),
        np.concatenate(rights),
        resamples=options.resamples,
        seed=options.rng,
    )
    ends = np.cumsum([len(sample.pairs) for sample in samples])[:-1]
    return [
        PValues(p, np.where(exact, 0, options.resamples))
        for p, exact in zip(np.split(flips.p, ends), np.split(flips.exact, ends), strict=True)
    ]


def _flip_rows(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, and the left and right row (-1: none) whose difference is that of each pair.

    Many pairs of few runs are differences of the runs' rows. A pair that leaves out queries that
    one of its runs has, or that has ties of unequal values, or a few pairs, are rows of their own.
    """
    runs, pairs = len(sample.values), len(sample.pairs)
    base, run = sample.values[sample.pairs.T]
    of_runs = (
        (np.isnan(base) == np.isnan(run))
        & (np.isnan(run) == np.isnan(sample.differences))
        & ((sample.differences != 0) | (base == run))
    ).all(axis=1)
    if pairs <= runs or sample.clusters is not None:
        of_runs[:] = False
    own = np.flatnonzero(~of_runs)
    rows = sample.differences[own]
    left, right = np.empty(pairs, np.int64), np.full(pairs, -1)
    left[own] = np.arange(len(own))
    if of_runs.any():
        rows = np.vstack((rows, sample.values))
        left[of_runs] = len(own) + sample.pairs[of_runs, 1]
        right[of_runs] = len(own) + sample.pairs[of_runs, 0]
    return np.where(np.isnan(rows), 0.0, rows), left, right
