"""The numbers of each pair of runs, for all pairs and measures at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rankstone.errors import Notice
from rankstone.stats import advice
from rankstone.stats.comparison import Missing, Moved, PairComparison
from rankstone.stats.corrections import adjust
from rankstone.stats.few_changes import ENOUGH
from rankstone.stats.intervals import intervals_of
from rankstone.stats.p_values import PValues, p_values
from rankstone.stats.power import detectable_by
from rankstone.stats.samples import Options, Sample
from rankstone.stats.values import ValueTable

_MORE = 16  # times as many resamples where a p-value is close to the level
_CHANCE = 3.0  # standard errors of a p-value that are close
_DISCRETE = ("randomization", "wilcoxon", "sign")  # tests whose smallest p-value depends on n


def compare_pairs(
    table: ValueTable, samples: Sequence[Sample], options: Options
) -> tuple[PairComparison, ...]:
    """Compare all pairs by all measures, measure by measure."""
    factor = _factor(samples, options)
    tested = p_values(samples, options)
    p = np.concatenate([t.values for t in tested])
    starts = range(0, len(p), len(samples[0].pairs))
    tested = _redrawn(samples, tested, adjusted_by_family(p, options, factor), options)
    p = np.concatenate([t.values for t in tested])
    pairs = list(_pairs(samples, tested, adjusted_by_family(p, options, factor), options, factor))
    answered = table.answered()
    if answered.all():
        return tuple(pairs)
    # With the other comparisons unchanged, those over common queries are a family too.
    places: list[list[int]] = []
    over_common: list[Sample] = []
    for start, sample in zip(starts, samples, strict=True):
        rows, kept = _unanswered(sample, answered, options)
        for row, queries in zip(rows.tolist(), kept, strict=True):
            pairs[start + row] = _with_missing(pairs[start + row], sample, row, queries, answered)
        some = (kept & ~np.isnan(sample.differences[rows])).any(axis=1)
        if some.any():
            places.append((start + rows[some]).tolist())
            over_common.append(sample.only(rows[some], kept[some]))
    commons: dict[int, PairComparison] = {}
    if over_common:
        flat = [place for part in places for place in part]
        tested = p_values(over_common, options)
        p[flat] = np.concatenate([t.values for t in tested])
        adjusted = adjusted_by_family(p, options, factor)[flat]
        more = _pairs(over_common, tested, adjusted, options, factor)
        commons = dict(zip(flat, more, strict=True))
    for i, pair in enumerate(pairs):
        if pair.missing is not None:
            pairs[i] = _marked(pair, pair.missing, commons.get(i), options)
    return tuple(pairs)


def _pairs(
    samples: Sequence[Sample],
    tested: Sequence[PValues],
    adjusted: np.ndarray,
    options: Options,
    factor: int,
) -> Iterator[PairComparison]:
    ends = np.cumsum([len(sample.pairs) for sample in samples])[:-1]
    for sample, p, own in zip(samples, tested, np.split(adjusted, ends), strict=True):
        yield from _of_measure(sample, p, own, options, factor)


def _of_measure(
    sample: Sample, p: PValues, adjusted: np.ndarray, options: Options, factor: int
) -> Iterator[PairComparison]:
    """Yield the comparisons of all pairs by one measure."""
    means, bounds = sample.units.means, sample.bounds()
    better = sample.differences if sample.higher else -sample.differences
    low, high, unseen = intervals_of(
        means, options.interval, options.confidence, bounds=bounds, exact=options.exact
    )
    changed = (np.nan_to_num(sample.units.differences) != 0).sum(axis=1)
    unit = "query" if sample.clusters is None else "cluster"
    spreads = sample.means.variance() * sample.means.effective
    errors = np.sqrt(means.variance())
    detectable = detectable_by(means, options.alpha / factor)
    wins, losses = (better > 0).sum(axis=1).tolist(), (better < 0).sum(axis=1).tolist()
    superiority = _superiority(better, sample.weights)
    improved, worsened = _most_moved(sample, better, options.moved)
    gaps = set(np.flatnonzero(~sample.usable.all(axis=1)).tolist())
    names = [system.name for system in sample.table.systems]
    for row, (i, j) in enumerate(sample.pairs.tolist()):
        n, effective = int(sample.means.n[row]), float(means.effective[row])
        base, mean = sample.mean(i, row), sample.mean(j, row)
        difference, error, parts = mean - base, float(errors[row]), p.parts.get(row)
        ends, smallest = (float(low[row]), float(high[row])), float(detectable[row])
        few = not np.isnan(unseen[row])
        interval = "few" if few else options.interval
        if few:
            smallest = max(smallest, difference - ends[0], ends[1] - difference)
        if not math.isnan(p.reach) and effective >= 2:  # one story: that of all pairs together
            smallest *= p.reach / (0.5 * (ends[1] - ends[0])) if ends[1] > ends[0] else 1.0
            ends, interval = (difference - p.reach, difference + p.reach), options.test
        if parts is not None:
            smallest *= math.sqrt(parts.total) / error if error > 0 else 1.0
            error = math.sqrt(parts.total)
            reach = parts.reach(0.5 * options.alpha)
            ends = (difference - reach, difference + reach)
        sd = error * math.sqrt(effective)
        ties = n - wins[row] - losses[row]
        resamples = int(p.drawn[row]) or None
        notices = advice.degenerate(n, effective, ties, error)
        clusters = None
        if sample.clusters is not None:
            clusters, sd = int(means.n[row]), math.sqrt(float(spreads[row]))
            effective = n * min(1.0, sd * sd / n / error**2) if error > 0 else math.nan
            notices += advice.clustered(n, clusters, effective)
        if smallest > bounds[1]:
            smallest = math.nan  # no difference is so large
        units = int(means.n[row])
        if 0 < 2 * changed[row] < units and changed[row] < ENOUGH:
            notices += advice.few_changes(int(changed[row]), units, float(unseen[row]))
        elif n > 1 and parts is None:
            notices += advice.heavy_tails(means.influence[row])
        if row in gaps:
            notices += _left_out(sample, row)
        if parts is not None:
            notices += advice.few_repeats(parts.repeats)
        lost = []
        if options.test in _DISCRETE and n >= 2:
            noun = "changed query" if clusters is None else "cluster"
            noun, count = (noun, int(changed[row])) if 0 < changed[row] < units else (unit, units)
            lost = advice.hopeless(count, resamples, factor, options.alpha, noun)
        notices += lost
        if adjusted[row] > options.alpha and not lost:
            worthwhile = options.minimum_difference
            if worthwhile is None:
                worthwhile = abs(base) * advice.WORTHWHILE
            level = options.alpha / factor
            notices += advice.underpowered(n, smallest, worthwhile, error, level)
        yield PairComparison(
            measure=sample.measure,
            baseline=names[i],
            run=names[j],
            n=n,
            baseline_mean=base,
            mean=mean,
            difference=difference,
            ci_low=ends[0],
            ci_high=ends[1],
            confidence=options.confidence,
            p_value=float(p.values[row]),
            p_adjusted=float(adjusted[row]),
            test=options.test,
            correction="tukey" if options.test == "tukey" else options.correction,
            wins=wins[row],
            ties=ties,
            losses=losses[row],
            effect_size=0.0 if difference == 0 else difference / sd if sd > 0 else math.nan,
            warnings=tuple(notices),
            effective_n=effective,
            superiority=float(superiority[row]),
            detectable=smallest,
            interval=interval,
            resamples=resamples,
            higher_is_better=sample.higher,
            incomplete=False,
            improved=improved[row],
            worsened=worsened[row],
            variance=parts,
            clusters=clusters,
        )


def _redrawn(
    samples: Sequence[Sample], tested: Sequence[PValues], adjusted: np.ndarray, options: Options
) -> list[PValues]:
    """Draw more resamples where chance decides on which side of the level a p-value is."""
    if options.test != "randomization":
        return list(tested)
    redrawn = list(tested)
    adjusted_by_measure = np.split(adjusted, len(samples))
    for i, (sample, p, own) in enumerate(zip(samples, tested, adjusted_by_measure, strict=True)):
        with np.errstate(invalid="ignore"):
            error = _CHANCE * np.sqrt(p.values * (1.0 - p.values) / options.resamples)
            near = np.abs(own - options.alpha) <= error * np.maximum(own / p.values, 1.0)
        rows = np.flatnonzero(near & (p.drawn > 0))
        if len(rows):
            values, drawn = p.values.copy(), p.drawn.copy()
            chosen = sample.only(rows, ~np.isnan(sample.differences[rows]))
            more = replace(options, resamples=_MORE * options.resamples)
            [again] = p_values([chosen], more)
            values[rows], drawn[rows] = again.values, again.drawn
            redrawn[i] = replace(p, values=values, drawn=drawn)
    return redrawn


def adjusted_by_family(p: np.ndarray, options: Options, factor: int = 1) -> np.ndarray:
    """Correct each family of p-values, which are in the order of measures."""
    if options.test == "tukey":
        # Tukey's p-values already hold the error over the pairs of one measure.
        return np.minimum(p * factor, 1.0)
    families = np.split(p, options.families)
    return np.concatenate([adjust(family, options.correction) for family in families])


def _factor(samples: Sequence[Sample], options: Options) -> int:
    """Return the factor by which the correction multiplies the smallest p-value."""
    if options.correction not in ("holm", "bonferroni"):
        return 1
    measures = options.measures_in_family
    return measures if options.test == "tukey" else measures * len(samples[0].pairs)


def _superiority(better: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Return the share of queries on which the run is better, ties counted half."""
    counted = ~np.isnan(better)
    share = np.where(counted, 1.0 if weights is None else weights, 0.0)
    score = np.where(counted, 0.5 + 0.5 * np.sign(better), 0.0)
    return (score * share).sum(axis=1) / share.sum(axis=1)


def _most_moved(
    sample: Sample, better: np.ndarray, count: int
) -> tuple[list[tuple[Moved, ...]], list[tuple[Moved, ...]]]:
    """Return the queries that improved and that worsened most, for each pair."""
    filled = np.where(np.isnan(better), 0.0, better)
    order = np.argsort(-filled, axis=1, kind="stable")
    best, worst = order[:, :count], order[:, ::-1][:, :count]
    return _moved(sample, best, filled), _moved(sample, worst, -filled)


def _moved(sample: Sample, order: np.ndarray, better: np.ndarray) -> list[tuple[Moved, ...]]:
    """Return the first queries of each pair's order, as far as they are better."""
    counts = (np.take_along_axis(better, order, axis=1) > 0).sum(axis=1).tolist()
    rows = (*sample.values[sample.pairs.T], sample.differences)
    columns = [np.take_along_axis(row, order, axis=1).tolist() for row in rows]
    queries = sample.table.queries
    return [
        tuple(map(Moved, [queries[q] for q in row[:k]], *numbers))
        for row, k, *numbers in zip(order.tolist(), counts, *columns, strict=True)
    ]


def _left_out(sample: Sample, row: int) -> list[Notice]:
    """Note the queries that the pair leaves out though one of the runs has a value."""
    some = ~np.isnan(sample.values[sample.pairs[row]]).all(axis=0)
    out = np.flatnonzero(some & ~sample.usable[row]).tolist()
    if not out:
        return []
    return advice.left_out([sample.table.queries[q] for q in out], int(some.sum()))


def _unanswered(
    sample: Sample, answered: np.ndarray, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs with queries that one did not answer, and the queries that both did."""
    both = answered[sample.pairs[:, 0]] & answered[sample.pairs[:, 1]]
    rows = np.flatnonzero((~both & ~np.isnan(sample.differences)).any(axis=1))
    if options.test == "tukey":  # permutes the values of all runs
        both &= answered.all(axis=0)
    return rows, both[rows]


def _with_missing(
    pair: PairComparison, sample: Sample, row: int, kept: np.ndarray, answered: np.ndarray
) -> PairComparison:
    """Add how much of the difference comes from queries without an answer."""
    difference = sample.differences[row]
    used = ~np.isnan(difference)
    share = np.where(used, 1.0 if sample.weights is None else sample.weights, 0.0)
    terms = np.where(used, difference, 0.0) * share / share.sum()
    part, rest = float(terms[~kept].sum()), float(terms[kept].sum())
    size = abs(part) + abs(rest)
    base, run = (int((used & ~answered[k]).sum()) for k in sample.pairs[row])
    return replace(pair, missing=Missing(base, run, part, abs(part) / size if size else 0.0))


def _marked(
    pair: PairComparison, missing: Missing, common: PairComparison | None, options: Options
) -> PairComparison:
    """Add the comparison over common queries, and say what the missing ones do."""
    limit = options.incomplete_above
    counts = ((pair.baseline, missing.baseline), (pair.run, missing.run))
    notices = advice.unanswered(counts, missing.share, limit, common.n if common else 0)
    return replace(
        pair,
        incomplete=common is None or missing.share > limit,
        common=common,
        warnings=(*notices, *pair.warnings),
    )
