"""Few judgments by people, many by a model: means and differences with intervals that hold.

Prediction-powered inference (Angelopoulos and others 2023; PPI++, Angelopoulos, Duchi and Zrnic 2023):
the values that people's judgments give for some queries are corrected by how far the model's values
for these differ from the model's values for the others. With weight 0 that is the mean of people's values
alone; the weight is chosen from the data, for each part of the queries from the other parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rankstone.errors import DataError, Notice, plural
from rankstone.stats.comparison import PairComparison
from rankstone.stats.corrections import adjust
from rankstone.stats.distributions import normal_quantile, t_quantile, t_tail
from rankstone.stats.samples import Options, Sample
from rankstone.stats.values import QueryValues, ValueTable

#: Fewer queries than this that people judged do not show how the model errs.
FEWEST = 20
_FOLDS = 5
_SUSPICIOUS = 1e-3  # p-value of the model's values being others for the trusted queries
_LEVEL = 0.05  # at which a model is said to favour a run


@dataclass(frozen=True)
class Trusted:
    """A mean from people's and a model's judgments, and what each contributed.

    ``weight`` is that of the model's values, ``bias`` what the model adds to the mean according to the
    ``people`` queries that people judged, ``bias_p`` its p-value; ``others`` is the number of queries that
    only the model judged. ``half_alone`` is half the length of the interval of people's values alone,
    ``for_half`` the number of queries that people would have to judge for an interval of half the length.
    """

    mean: float
    error: float
    freedom: float
    weight: float
    bias: float
    bias_p: float
    people: int
    others: int
    half_alone: float
    for_half: float

    def interval(self, confidence: float, *, small_sample: bool = True) -> tuple[float, float]:
        """Return the ends of the interval; without ``small_sample`` those of the normal distribution."""
        upper = 0.5 + 0.5 * confidence
        q = t_quantile(upper, self.freedom) if small_sample else normal_quantile(upper)
        return self.mean - q * self.error, self.mean + q * self.error

    def p_value(self) -> float:
        """Return the p-value of the mean being 0."""
        if self.error == 0:
            return 1.0 if self.mean == 0 else 0.0
        return 2.0 * t_tail(abs(self.mean) / self.error, self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        data = asdict(self)
        return {
            k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in data.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trusted:
        """Read what ``to_dict`` returned."""
        own: dict[str, Any] = {k: math.nan if v is None else v for k, v in data.items()}
        return cls(**own)


def combine(
    people: np.ndarray,
    model: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    clusters: np.ndarray | None = None,
    weight: float | None = None,
    confidence: float = 0.95,
    small_sample: bool = True,
) -> Trusted:
    """Estimate a mean.

    Args:
        people: values by people's judgments, one per query, NaN where people did not judge.
        model: values by the model's judgments, of the same queries.
        weights: one per query (default: all 1).
        clusters: number of the cluster of each query (default: queries are independent).
        weight: of the model's values (default: chosen from the data, cross-fitted; 0 if people judged
            fewer than 20 queries).
        confidence: of ``half_alone``.
        small_sample: divide by n - 1 instead of n, and so on, as Student's t does.
    """
    judged = ~np.isnan(people)
    share = np.ones(len(model)) if weights is None else weights
    y, seen, rest = people[judged], model[judged], model[~judged]
    a, b = _shares(share[judged]), _shares(share[~judged])
    n, others = len(y), len(rest)
    codes = np.arange(len(model)) if clusters is None else clusters
    own, other = codes[judged], codes[~judged]
    if len(np.unique(own)) < 2:
        raise DataError(
            "all trusted queries are of one cluster, so nothing shows how clusters vary. Let people "
            "judge queries of several clusters."
        )
    if weight is None:
        weight = None if n >= FEWEST and others >= 2 else 0.0
    each = _weights(y, seen, rest, a, own) if weight is None else np.full(n, float(weight))
    centre = float(b @ rest) if others else 0.0
    corrected = y - each * (seen - centre)
    mean, mixed = float(a @ corrected), float(a @ each)
    errors = a * (corrected - mean), mixed * b * (rest - centre)
    variance, of_people, freedom = _variance(
        errors, (own, other), small_sample, clusters is not None
    )
    alone = a * (y - float(a @ y))
    alone_variance, _, alone_freedom = _variance(
        (alone, np.zeros(0)), (own, other[:0]), small_sample, clusters is not None
    )
    bias = float(a @ (seen - y))
    wrong, _, wrong_freedom = _variance(
        (a * (seen - y - bias), np.zeros(0)), (own, other[:0]), small_sample, clusters is not None
    )
    room = 0.25 * variance - (variance - of_people)
    q = t_quantile(0.5 + 0.5 * confidence, alone_freedom) if alone_freedom > 0 else math.nan
    return Trusted(
        mean=mean,
        error=math.sqrt(variance),
        freedom=freedom,
        weight=mixed,
        bias=bias,
        bias_p=2.0 * t_tail(abs(bias) / math.sqrt(wrong), wrong_freedom) if wrong > 0 else 1.0,
        people=n,
        others=others,
        half_alone=q * math.sqrt(alone_variance),
        for_half=math.ceil(n * of_people / room) if room > 0 else math.nan,
    )


def _shares(weights: np.ndarray) -> np.ndarray:
    total = float(weights.sum())
    return weights / total if total else weights


def _weights(
    y: np.ndarray, seen: np.ndarray, rest: np.ndarray, a: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """Return the weight of the model's value of each judged query, from the other parts of them.

    It is cov(people, model) / var(model) / (1 + n / N), from 0 to 1, which makes the variance least.
    """
    _, place = np.unique(codes, return_inverse=True)
    fold = place.ravel() % _FOLDS
    spread = float(np.var(np.concatenate((seen, rest)), ddof=1)) * (1.0 + len(y) / len(rest))
    each = np.zeros(len(y))
    for part in range(_FOLDS):
        used = fold != part
        share = _shares(np.where(used, a, 0.0))
        covariance = float(share @ ((y - share @ y) * (seen - share @ seen)))
        covariance /= 1.0 - float(share @ share)
        each[~used] = min(max(covariance / spread, 0.0), 1.0) if spread > 0 else 0.0
    return each


def _variance(
    errors: tuple[np.ndarray, np.ndarray],
    codes: tuple[np.ndarray, np.ndarray],
    small_sample: bool,
    clustered: bool,
) -> tuple[float, float, float]:
    """Return the variance of a mean, the part that comes from people's queries, and the freedom.

    Args:
        errors: what each query does to the mean: of people's queries and of the others.
        codes: their clusters. Both parts of a cluster vary together.
        small_sample: account for means being estimated.
        clustered: there are clusters.
    """
    if clustered:
        sums = np.zeros(int(max(c.max(initial=-1) for c in codes)) + 1)
        for error, code in zip(errors, codes, strict=True):
            np.add.at(sums, code, error)
        of_people = np.bincount(codes[0], errors[0]) if len(codes[0]) else np.zeros(1)
        groups = len(np.unique(codes[0]))
        factor = groups / max(groups - 1.0, 1.0) if small_sample else 1.0
        return float(sums @ sums) * factor, float(of_people @ of_people) * factor, groups - 1.0
    parts, freedoms = [], []
    for error in errors:
        count = len(error)
        factor = count / (count - 1.0) if small_sample and count > 1 else 1.0
        parts.append(float(error @ error) * factor)
        freedoms.append(max(count - 1.0, 1.0))
    total = sum(parts)
    spread = sum(part * part / df for part, df in zip(parts, freedoms, strict=True))
    return total, parts[0], total * total / spread if spread > 0 else freedoms[0]


def with_people(
    pairs: Sequence[PairComparison],
    samples: Sequence[Sample],
    people: Sequence[QueryValues],
    options: Options,
) -> tuple[tuple[PairComparison, ...], list[Notice]]:
    """Return the comparisons by people's and the model's judgments together, and notices.

    Args:
        pairs: by the model's judgments alone, measure by measure.
        samples: that they were made from.
        people: values of the same runs by people's judgments, of some of the queries.
        options: of the comparison.
    """
    table = samples[0].table
    made: list[tuple[Trusted, float]] = []
    for sample in samples:
        trusted = _aligned(table, people, sample.measure)
        codes = None if sample.clusters is None else sample.clusters.codes
        for row, (i, j) in enumerate(sample.pairs.tolist()):
            used = ~np.isnan(sample.differences[row])
            weights = None if sample.weights is None else sample.weights[used]
            chosen: dict[str, Any] = {
                "weights": weights,
                "clusters": None if codes is None else codes[used],
                "confidence": options.confidence,
            }
            both = (trusted[j] - trusted[i])[used]
            if np.isnan(both).sum() > len(both) - 2:
                raise DataError(
                    "trusted judgments are of fewer than two of the queries that the model judged. "
                    "Query ids have to be the same in both."
                )
            before = combine(trusted[i][used], sample.values[i][used], **chosen).mean
            made.append((combine(both, sample.differences[row][used], **chosen), before))
    p = np.array([one.p_value() for one, _ in made])
    adjusted = np.concatenate(
        [adjust(part, options.correction) for part in np.split(p, options.families)]
    )
    results = []
    for pair, (one, base), own, q in zip(pairs, made, p, adjusted, strict=True):
        low, high = one.interval(options.confidence)
        known = [n for n in pair.warnings if n.code not in _OF_THE_MODEL]
        results.append(
            replace(
                pair,
                difference=one.mean,
                baseline_mean=base,
                mean=base + one.mean,
                ci_low=low,
                ci_high=high,
                p_value=float(own),
                p_adjusted=float(q),
                interval="trusted",
                effect_size=math.nan,
                detectable=math.nan,
                effective_n=math.nan,
                warnings=(*known, *_said(one, pair, options.confidence)),
                trusted=one,
            )
        )
    return tuple(results), _suspicions(samples[0], people)


#: Notices on the differences by the model's judgments, which do not decide.
_OF_THE_MODEL = ("underpowered", "too-few-queries", "few-changes", "heavy-tails", "clustered")


def _aligned(table: ValueTable, people: Sequence[QueryValues], measure: str) -> np.ndarray:
    """Return people's values, one row per system, NaN where people did not judge."""
    place = {query: i for i, query in enumerate(table.queries)}
    by_name = {one.name: one for one in people}
    rows = np.full((len(table.systems), len(table.queries)), np.nan)
    for row, system in zip(rows, table.systems, strict=True):
        own = by_name[system.name]
        for query, value in zip(own.queries, own.columns[measure].tolist(), strict=True):
            if query in place:
                row[place[query]] = value
    return rows


def _said(one: Trusted, pair: PairComparison, confidence: float) -> list[Notice]:
    """Say what people and the model contributed, and whether the model favours a run."""
    if one.people < FEWEST:
        text = (
            f"people judged {plural(one.people, 'query')}, and it takes {FEWEST} to see how the model "
            "errs: its judgments were not used"
        )
        return [Notice("too-few-trusted", one.people, text)]
    half = 0.5 * (np.subtract(*one.interval(confidence)[::-1]))
    text = (
        f"from {plural(one.people, 'query')} that people judged and {one.others:,} that only the model "
        f"judged (weight {one.weight:.2f}); people alone would have left ±{one.half_alone:.3f} instead "
        f"of ±{half:.3f}"
    )
    if not math.isnan(one.for_half):
        text += f", half of it takes about {one.for_half:,.0f} queries judged by people"
    notices = [Notice("trusted", one.people, text, level="note")]
    if one.bias_p <= _LEVEL:
        favoured, by = (pair.run, one.bias) if one.bias > 0 else (pair.baseline, -one.bias)
        if not pair.higher_is_better:
            favoured = pair.baseline if favoured == pair.run else pair.run
        text = (
            f"the model favours {favoured} by {by:.3f} on {pair.measure} where people judged, too: its "
            "judgments alone would be wrong; the difference is corrected for that"
        )
        notices.append(Notice("judge-favours-run", one.people, text))
    return notices


def _suspicions(sample: Sample, people: Sequence[QueryValues]) -> list[Notice]:
    """Say what speaks against trusted queries having been drawn at random."""
    queries = sample.table.queries
    known = set(people[0].queries)
    judged = np.array([query in known for query in queries])
    n, notices = int(judged.sum()), []
    unknown = [str(query) for query in people[0].queries if query not in set(queries)]
    if unknown:
        text = "trusted queries that the model did not judge were not used"
        notices.append(Notice("trusted-not-judged", len(unknown), text, tuple(unknown[:3])))
    why = []
    if FEWEST <= n < len(queries):
        if judged[:n].all():
            why.append(f"they are the first {n} ids")
        values = np.nanmean(sample.values, axis=0)
        inside, outside = (part[~np.isnan(part)] for part in (values[judged], values[~judged]))
        if min(len(inside), len(outside)) > 1:
            gap = float(inside.mean() - outside.mean())
            error = math.sqrt(inside.var(ddof=1) / len(inside) + outside.var(ddof=1) / len(outside))
            size = abs(gap) / error if error > 0 else math.inf if gap else 0.0
            if 2.0 * t_tail(size, len(inside) - 1.0) <= _SUSPICIOUS:
                why.append(f"by the model's values they are {'easier' if gap > 0 else 'harder'}")
    if why:
        text = (
            f"the {n} trusted queries do not look drawn at random ({'; '.join(why)}), and the interval "
            "assumes that they are. Judge a random sample of the queries"
        )
        notices.append(Notice("trusted-not-random", n, text))
    return notices
