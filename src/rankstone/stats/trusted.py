"""Few judgments by people, many by a model: means and differences with intervals that hold.

Prediction-powered inference (Angelopoulos and others 2023; PPI++, Angelopoulos, Duchi and Zrnic 2023):
the mean that people's judgments give for some queries is corrected by how far the model's values of these
differ from the model's values of the others. With weight 0 that is the mean of people's values alone;
the weight is chosen from the data, for each part of the queries from the other parts.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np

from rankstone.core.result import Result
from rankstone.core.shown import plain
from rankstone.errors import DataError, Notice, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.clusters import Clusters, freedom
from rankstone.stats.comparison import Comparison, PairComparison
from rankstone.stats.distributions import t_quantile, t_tail
from rankstone.stats.intervals import Interval, interval
from rankstone.stats.likely_clusters import id_groups
from rankstone.stats.power import SIZES, Plan, detectable_difference
from rankstone.stats.run_pairs import adjusted_by_family, compare_pairs
from rankstone.stats.samples import Options, Sample

#: Fewer queries than this that people judged do not show how the model errs.
FEWEST = 20
_FEWEST_CHANGED = 10  # of them, if most have the same value
_FOLDS = 10
#: So many queries that people judged halve the weight of a model's values: its rare large errors are in few
#: of them, or in none, so that the fewer these are, the less they show what its values are worth.
_UNSEEN = 42
_SUSPICIOUS = 1e-3  # p-value of the model's values being others for the trusted queries
_LEVEL = 0.05  # at which a model is said to favour a run


@frozen
class Estimate:
    """A mean with its standard error; ``weight`` is that of the model's values."""

    mean: float
    error: float
    freedom: float
    weight: float

    def half(self, confidence: float) -> float:
        """Return half the length of the interval."""
        return t_quantile(0.5 + 0.5 * confidence, self.freedom) * self.error

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the ends of the interval, by Student's t."""
        half = self.half(confidence)
        return self.mean - half, self.mean + half

    def p_value(self) -> float:
        """Return the p-value of the mean being 0."""
        if self.error == 0:
            return 1.0 if self.mean == 0 else 0.0
        return 2.0 * t_tail(abs(self.mean) / self.error, self.freedom)

    def detectable(self, alpha: float) -> float:
        """Return the smallest true mean that is found to differ from 0 with a chance of 80 %."""
        n = self.freedom + 1.0
        return self.error * math.sqrt(n) * detectable_difference(n, 1.0, alpha=alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data with its 95 % interval and p-value; NaN is None."""
        more = {"interval": self.interval(0.95), "p_value": self.p_value()}
        return {name: plain(value) for name, value in (vars(self) | more).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` returned."""
        own = {f.name: data[f.name] for f in fields(cls)}
        for name, value in own.items():
            if isinstance(value, Mapping):
                own[name] = Estimate.from_dict(value)
            elif value is None and name != "caution":
                own[name] = math.nan
        return cls(**own)


@frozen
class Trusted(Estimate):
    """A mean from people's and a model's judgments, and what each contributed.

    ``alone`` is the mean of the ``people`` queries that people judged, by their judgments; ``others``
    is the number of queries that only the model judged. ``bias`` is how far the mean of the model's
    values of all queries is above this mean. ``caution`` says why these are too few to use the model.
    """

    alone: Estimate
    bias: Estimate
    people: int
    others: int
    caution: str | None = None

    def error_with(self, people: float) -> float:
        """Return the standard error if people had judged another number of queries."""
        if people >= self.people + self.others:
            return self.alone.error * math.sqrt(self.people / people)
        return math.sqrt((self.error**2 - self._floor) * self.people / people + self._floor)

    def for_half(self) -> int | None:
        """Return how many of the queries people judge for half the error, None if all are too few."""
        room = 0.25 * self.error**2 - self._floor
        needed = self.people * (self.error**2 - self._floor) / room if room > 0 else math.inf
        return math.ceil(needed) if needed <= self.people + self.others else None

    @property
    def _floor(self) -> float:
        """The variance that remains however many people judge: that of the model's values."""
        saved = max(self.alone.error**2 - self.error**2, 0.0)
        return min(saved * self.people / max(self.others, 1), self.error**2)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        return {**super().to_dict(), "for_half": self.for_half()}


@frozen(eq=False)
class Parts:
    """The queries that people judged, and the others, of one or more rows of values.

    ``shares`` are those of the queries of each part in its mean, ``codes`` their clusters, ``model`` the
    model's values, a row for each mean.
    """

    shares: tuple[np.ndarray, np.ndarray]
    codes: tuple[np.ndarray, np.ndarray] | None
    model: tuple[np.ndarray, np.ndarray]
    small_sample: bool = True

    def estimate(self, y: np.ndarray, weight: float | None) -> np.ndarray:
        """Return the mean, its error, freedom and weight for each row of values of the first part.

        Args:
            y: the values.
            weight: of the model's values; None is the best.
        """
        (a, b), (seen, rest) = self.shares, self.model
        each = self._weights(y) if weight is None else np.full(y.shape, float(weight))
        centre = (rest @ b)[:, None]
        corrected = y - each * (seen - centre)
        mean, mixed = corrected @ a, each @ a
        own = a * (corrected - mean[:, None])
        variance, df = self._variance(own, mixed[:, None] * b * (rest - centre))
        return np.array([mean, np.sqrt(variance), df, mixed])

    def _weights(self, y: np.ndarray) -> np.ndarray:
        """Return the weight of the model's value of each query, from the other parts of them.

        The slope of y on the model's values, lowered by what the mean of the others varies, makes the
        variance least. It is from 0 to 1, and divided by 1 + (42 / n)^2 for errors that n queries do not show.
        """
        (a, b), seen = self.shares, self.model[0]
        units = np.arange(len(a)) if self.codes is None else self.codes[0]
        fold = np.unique(units, return_inverse=True)[1].ravel() % _FOLDS
        member = a[:, None] * (fold[:, None] == np.arange(_FOLDS))
        x, v = seen - (seen @ a)[:, None], y - (y @ a)[:, None]
        sums = [part @ member for part in (np.ones_like(x), x, v, x * v, x * x)]
        s, sx, sy, sxy, sxx = (total.sum(axis=1, keepdims=True) - total for total in sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (sxy - sx * sy / s) / (sxx - sx * sx / s)
        shrunk = np.nan_to_num(slope, posinf=0.0, neginf=0.0) * (a @ a) / (a @ a + b @ b)
        shown = 1.0 / (1.0 + (_UNSEEN * float(a @ a)) ** 2)  # a @ a is 1 / n of equal shares
        return shown * np.clip(shrunk, 0.0, 1.0)[:, fold]

    def _variance(self, own: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the variance of each mean and its degrees of freedom.

        Args:
            own: what each query that people judged does to the mean.
            other: what each other query does to it.
        """
        if self.codes is not None:  # both parts of a cluster vary together
            shares, codes = np.bincount(self.codes[0], self.shares[0]), np.concatenate(self.codes)
            sums = np.array([np.bincount(codes, row) for row in np.hstack((own, other))])
            df = np.full(len(own), freedom(shares[None])[0])
            return (sums**2).sum(axis=1) * self._factor(shares), df
        variance, spread = np.zeros(len(own)), np.zeros(len(own))
        for errors, share in zip((own, other), self.shares, strict=True):
            part = (errors**2).sum(axis=1) * self._factor(share)
            # Satterthwaite's degrees of freedom; the squares of unequal shares vary more.
            df = (share @ share) ** 2 / max((share**4).sum(), 1e-300) / self._factor(share)
            variance, spread = variance + part, spread + part**2 / max(df, 1.0)
        with np.errstate(invalid="ignore"):
            return variance, np.where(spread > 0, variance**2 / spread, len(self.shares[0]) - 1.0)

    def _factor(self, shares: np.ndarray) -> float:
        """Return n / (n - 1) of the effective number of units."""
        n = 1.0 / float(shares @ shares) if shares.any() else 1.0
        return n / (n - 1.0) if self.small_sample and n > 1.0 else 1.0


def combine(
    people: np.ndarray,
    model: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
    weight: float | None = None,
    small_sample: bool = True,
) -> Trusted:
    """Estimate a mean.

    Args:
        people: values by people's judgments, one per query, NaN where people did not judge.
        model: values by the model's judgments, of the same queries; NaN leaves a query out.
        weights: one per query (default: all 1).
        clusters: number of the cluster of each query (default: queries are independent).
        weight: of the model's values (default: chosen from the data, cross-fitted; 0 if people's values
            are too few to see how the model errs).
        small_sample: divide by n - 1 instead of n.
    """
    used = ~np.isnan(model)
    judged = used & ~np.isnan(people)
    masks = judged, used & ~judged
    share = np.ones(len(model)) if weights is None else weights
    a, b = (share[m] / max(float(share[m].sum()), 1e-300) for m in masks)
    codes = None if clusters is None else (clusters[masks[0]], clusters[masks[1]])
    if judged.sum() < 2:
        raise DataError(
            "trusted judgments are of fewer than two of the queries that the model judged. Query ids "
            "have to be the same in both."
        )
    if codes is not None and len(np.unique(codes[0])) < 2:
        raise DataError(
            "all trusted queries are of one cluster, so nothing shows how clusters vary. Let people "
            "judge queries of several clusters."
        )
    parts = Parts((a, b), codes, (model[None, judged], model[None, masks[1]]), small_sample)
    y, others, caution = people[judged], int(masks[1].sum()), _too_few(people[judged])
    if weight is None and (caution or others < 2):
        weight = 0.0
    both, alone, bias = (
        Estimate(*parts.estimate(values[None], own)[:, 0].tolist())
        for values, own in (
            (y, weight), (y, 0.0), (model[judged] - y, 0.0 if others < 2 else None),
        )
    )  # fmt: skip
    return Trusted(
        **vars(both), alone=alone, bias=bias, people=len(y), others=others, caution=caution
    )


def _too_few(values: np.ndarray) -> str | None:
    """Return why people's values are too few to be combined with a model's, None if they are not."""
    n, changed = len(values), int((values != np.median(values)).sum())
    if n < FEWEST:
        text = tr("people judged {}, and it takes {} to see how the model errs")
        text = text.format(plural(n, "query"), FEWEST)
    elif changed < _FEWEST_CHANGED and 2 * changed < n:
        text = tr(
            "all but {} of the {} queries that people judged have the same value, and it takes "
            "{} others to see how the model errs"
        ).format(changed, n, _FEWEST_CHANGED)
    else:
        return None
    return tr("{}: its judgments were not used").format(text)


def trusted_interval(
    people: np.ndarray,
    model: np.ndarray,
    confidence: float,
    weights: np.ndarray | None = None,
    clusters: Clusters | None = None,
) -> Interval:
    """Return the interval of a mean, by people's values alone if these are too few for more.

    Args:
        people: values by people's judgments, NaN where people did not judge.
        model: values by the model's judgments, of the same queries.
        confidence: of the interval.
        weights: of the queries.
        clusters: of the queries.
    """
    codes = None if clusters is None else clusters.codes
    one = combine(people, model, weights=weights, clusters=codes)
    if one.caution:
        known = np.where(np.isnan(model), np.nan, people)
        alone = interval(known, weights=weights, confidence=confidence, clusters=clusters)
        return replace(alone, caution=one.caution, trusted=one)
    groups = None if codes is None else len(np.unique(codes[~np.isnan(model)]))
    n = one.people + one.others
    return Interval(*one.interval(confidence), confidence, "trusted", n, groups, None, one)


def estimated(
    result: Result, people: Result, measures: Iterable[str], confidence: float, clusters: Any = None
) -> tuple[Result, dict[str, Interval]]:
    """Return a result by a model's judgments with means by both together, and their intervals.

    Args:
        result: by the model's judgments.
        people: the same run by people's judgments.
        measures: those that are means over queries.
        confidence: of the intervals.
        clusters: of the queries.
    """
    intervals, means, notices = {}, dict(result.aggregates), list(result.notices)
    for measure in measures:
        one = result.interval(measure, None, confidence, clusters, None, people)
        intervals[measure] = one
        if one.trusted is not None:
            means[measure] = one.trusted.mean
            text = one.caution or _contribution(one.trusted, confidence).text
            level = "warning" if one.caution else "note"
            notices.append(Notice("trusted", one.trusted.people, f"{measure}: {text}", level=level))
    model, own = (
        np.array([r.values(m, result.queries) for m in intervals]) for r in (result, people)
    )
    is_clustered = clusters is not None
    notices += suspicions(result.queries, model, own, people.queries, clustered=is_clustered)
    return replace(result, aggregates=means, notices=tuple(notices)), intervals


def planned(plan: Plan, one: Trusted) -> Plan:
    """Return a plan of queries that people judge, with what the model's judgments save.

    Args:
        plan: from people's values alone.
        one: the pilot's difference by both.
    """
    level = plan.alpha / plan.comparisons

    def detectable(n: int) -> float:
        unit = detectable_difference(n, 1.0, alpha=level, power=plan.power)
        return one.error_with(n) * math.sqrt(n) * unit

    needed = plan.queries
    if plan.difference is not None and needed is not None:
        known = range(2, int(min(needed, 10**9)))  # the more people judge, the less is detectable
        wanted = plan.difference
        needed = min(needed, 2 + bisect_left(known, True, key=lambda n: detectable(n) <= wanted))
    every = one.people + one.others
    sizes = {n: detectable(n) for n in (*SIZES, plan.n) if n <= max(every, plan.n)}
    return replace(plan, model_queries=every, with_model=sizes, queries_with_model=needed)


def with_people(
    comparison: Comparison,
    samples: Sequence[Sample],
    people: Sequence[Sample],
    options: Options,
) -> Comparison:
    """Return a comparison by people's and the model's judgments together.

    Where people's values are too few for that, the pairs are compared by these alone.

    Args:
        comparison: by the model's judgments alone.
        samples: that it was made from.
        people: the same by people's judgments, NaN for queries that they did not judge.
        options: of the comparison.
    """
    alone = compare_pairs(people[0].table, people, replace(options, interval="bca"))
    pairs: list[PairComparison] = []
    means = {name: dict(own) for name, own in comparison.means.items()}
    for model, own in zip(samples, people, strict=True):
        tests, measure = len(model.pairs), model.measure
        codes = None if model.clusters is None else model.clusters.codes
        single, differences = (
            [
                combine(*values, weights=model.weights, clusters=codes)
                for values in zip(*both, strict=True)
            ]
            for both in ((own.values, model.values), (own.differences, model.differences))
        )
        for name, one in zip(comparison.runs, single, strict=True):
            means[name][measure] = one.mean
        for (base, _), both in zip(model.pairs.tolist(), differences, strict=True):
            pair = alone[len(pairs)]
            if both.caution:
                said = [*pair.warnings, Notice("too-few-trusted", both.people, both.caution)]
            else:
                pair, mean = comparison.comparisons[len(pairs)], single[base].mean
                said = [n for n in pair.warnings if n.code not in _OF_THE_MODEL]
                said.append(_contribution(both, options.confidence))
                low, high = both.interval(options.confidence)
                pair = replace(
                    pair,
                    difference=both.mean,
                    baseline_mean=mean,
                    mean=mean + both.mean,
                    ci_low=low,
                    ci_high=high,
                    p_value=both.p_value(),
                    interval="trusted",
                    effect_size=math.nan,
                    effective_n=math.nan,
                    detectable=both.detectable(options.alpha / tests),
                )
            if comparison.baseline is not None:
                means[pair.run][measure] = pair.mean
                means[pair.baseline][measure] = pair.baseline_mean
            if seen := favours(
                both, (pair.baseline, pair.run), measure, tests, higher=model.higher
            ):
                text = tr("{}; the difference is corrected for that").format(seen.text)
                said.append(replace(seen, text=text))
            pairs.append(replace(pair, warnings=tuple(said), trusted=both))
    adjusted = adjusted_by_family(np.array([pair.p_value for pair in pairs]), options)
    first = samples[0]
    suspected = suspicions(
        first.table.queries,
        first.values,
        people[0].values,
        options.trusted[0].queries,
        higher=first.higher,
        clustered=first.clusters is not None,
    )
    done = (replace(pair, p_adjusted=p) for pair, p in zip(pairs, adjusted.tolist(), strict=True))
    notices = (*suspected, *comparison.notices)
    return replace(comparison, comparisons=tuple(done), means=means, notices=notices)


#: Notices on the differences by the model's judgments, which do not decide.
_OF_THE_MODEL = (
    "underpowered", "too-few-queries", "few-changes", "heavy-tails", "clustered", "no-difference",
)  # fmt: skip


def _contribution(one: Trusted, confidence: float) -> Notice:
    """Return the notice on the contributions of people and the model."""
    needed = one.for_half()
    half = tr("more queries than these")
    if needed:
        half = tr("about {:,} queries by people").format(needed)
    text = tr(
        "from {} judged by people and {:,} only by the model (weight {:.2f}): ±{:.3f}, people alone "
        "±{:.3f}; half of it takes {}; the model alone is off by {:+.3f} (±{:.3f})"
    ).format(
        plural(one.people, "query"),
        one.others,
        one.weight,
        one.half(confidence),
        one.alone.half(confidence),
        half,
        one.bias.mean,
        one.bias.half(confidence),
    )
    return Notice("trusted", one.people, text, level="note")


def favours(
    one: Trusted, pair: tuple[str, str], measure: str, tests: int, *, higher: bool
) -> Notice | None:
    """Warn if the model favours a run, so that its judgments alone would mislead.

    Args:
        one: the difference of the pair.
        pair: names of the baseline and the run.
        measure: of the difference.
        tests: number of pairs that share the chance of a false alarm.
        higher: higher values are better.
    """
    if not one.bias.p_value() * tests <= _LEVEL:
        return None
    favoured = pair[(one.bias.mean > 0) == higher]
    text = tr(
        "the model favours {} by {:.3f} on {} (±{:.3f}): its judgments alone would mislead"
    ).format(favoured, abs(one.bias.mean), measure, one.bias.half(1.0 - _LEVEL))
    return Notice("judge-favours-run", one.people, text)


def suspicions(
    queries: Sequence[Any],
    model: np.ndarray,
    people: np.ndarray,
    trusted: Iterable[Any],
    *,
    higher: bool = True,
    clustered: bool = False,
) -> list[Notice]:
    """Return warnings of signs that trusted queries were not drawn at random.

    Args:
        queries: ids.
        model: values by the model's judgments, one row per run or measure.
        people: values by people's judgments, likewise.
        trusted: queries that people judged.
        higher: higher values are better.
        clustered: the clusters of the queries were given, and are accounted for.
    """
    known = ~np.isnan(model).all(axis=0)
    judged = known & ~np.isnan(people).all(axis=0)
    notices: list[Notice] = []
    why: list[str] = []
    evaluated = set(queries)
    if unknown := [str(query) for query in trusted if query not in evaluated]:
        text = tr("trusted queries that the model did not judge were not used")
        notices.append(Notice("trusted-not-judged", len(unknown), text, tuple(unknown[:3])))
    n, ids = int(judged.sum()), [str(query) for query in queries]
    if FEWEST <= n < known.sum():
        given = np.flatnonzero(known).tolist()
        padded = {i: re.sub(r"\d+", lambda number: number[0].zfill(20), ids[i]) for i in given}
        if any(judged[order[:n]].all() for order in (given, sorted(given, key=padded.__getitem__))):
            why.append(tr("they are the first {} ids").format(n))
        grouped = [codes for _, codes in id_groups(tuple(ids))]
        if not clustered and any(len(np.unique(codes[judged])) == 1 for codes in grouped):
            why.append(tr("by their ids they are of one cluster"))
        values = np.nanmean(model[:, known], axis=0)
        inside, outside = values[judged[known]], values[~judged[known]]
        gap = float(inside.mean() - outside.mean())
        error = math.sqrt(inside.var(ddof=1) / n + outside.var() / len(outside))
        size = abs(gap) / error if error else math.inf
        if gap and 2.0 * t_tail(size, n - 1.0) <= _SUSPICIOUS:
            word = tr("easier") if (gap > 0) == higher else tr("harder")
            why.append(tr("by the model's values they are {}").format(word))
    if why:
        text = tr(
            "the {} trusted queries do not look drawn at random ({}), and the interval assumes "
            "that they are. Let people judge a random sample of the queries"
        ).format(n, tr("; ").join(why))
        notices.append(Notice("trusted-not-random", n, text))
    return notices
