"""Estimates for a whole catalogue from candidates that were drawn at random."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rankstone.core import segments
from rankstone.core.expected_ties import ties_of
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError
from rankstone.measures.auc import count_above
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, Number
from rankstone.measures.summation import Terms

Array = np.ndarray

_OF = Choice.of(
    "of",
    "the measure to estimate, a function of the rank r of a relevant document among n",
    nDCG="1 / log2(r + 1)",
    RR="1 / r",
    Success="1",
    AUC="(n - r) / (n - 1)",
)
_CUTOFF = Number(
    name="cutoff",
    text="0 below this rank among all documents (default: no cutoff)",
    type=int,
    above=0,
    examples=(5, 10, 20),
)
_ITEMS = Number(
    name="items",
    text="the number n of all documents, from which candidates were drawn (default: the candidates are all)",
    type=int,
    above=0,
    examples=(1000, 20_000),
)
_METHOD = Choice(
    name="method",
    text="how to estimate",
    words={
        "bias-variance": "the smallest sum of squared bias and gamma times variance, over all ranks",
        "rank": "the measure at the expected rank, 1 + others above x (n - 1) / others",
    },
)
_GAMMA = Number(
    name="gamma",
    text="what variance counts beside bias: more makes estimates of few queries steadier",
    default=0.1,
    above=0,
    within=(0, 1),
    examples=(0.01, 0.1),
)
_VALUE = Choice.of(
    "value",
    "what to return",
    estimate="the estimate",
    variance="its variance over samples; that of a mean over q queries is the mean of these / q",
)
_AT_ONCE, _RANKS = 1 << 12, 1 << 16


@measure(
    "Estimate for a whole catalogue from a sample",
    params=(REL, _OF, _CUTOFF, _ITEMS, _METHOD, _GAMMA, _VALUE),
    conventions=("ties",),
    supports_expected_ties=True,
    supports_extreme_ties=False,  # an estimate may be higher at a later rank
    reads_whole_list=True,
    range=(-np.inf, np.inf),
    reaches_max=False,
    example=Example("Corrected(of='RR', items=5, method='rank')", (0, 1, 0), "1 / (1 + 1 * 4 / 2)"),
)
def Corrected(r: Ranked, m: Measure) -> Terms:
    """An estimate of a measure over all n documents, from a random sample of candidates.

    Corrected = mean over relevant documents of estimate(others above it among the candidates)

    Each relevant document is ranked among the candidates that are not relevant, which were drawn
    without replacement. With one relevant document the estimate is that of ``of`` at a cutoff.

    Reading: a guess at the number that ranking everything would give, and how sure it is.
    Not for: candidates that a first stage chose; and where everything can be ranked, do that.
    Reference: Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020.
    """
    hit = r.relevant(m.rel)
    if r.ties_averaged:
        ties, (hits_above, hits_tied) = ties_of(r), count_above(r, hit)
        above = ties.above[ties.of_row] - hits_above
        tied = ties.size[ties.of_row] - hits_tied
    else:
        above = r.rank - segments.running_count(hit, r.offsets)
        tied = np.zeros(len(above), np.int64)
    others = r.retrieved - segments.count(hit, r.offsets)
    query = segments.numbers(r.offsets)
    terms = np.zeros(len(hit))
    for count in np.unique(others[query[hit]]).tolist():
        rows = np.flatnonzero(hit & (others[query] == count))
        items = count + 1 if m.items is None else m.items
        if items <= count:
            name = r.queries[int(query[rows[0]])]
            raise DataError(
                f"query {name!r} has {count:,} candidates that are not relevant, and items={items:,} "
                f"says that there are {items:,} documents in all. Give the size of the catalogue."
            )
        estimate, variance = estimates(m.of, m.cutoff, items, count, m.method, float(m.gamma))
        table = estimate if m.value == "estimate" else variance
        begin, end = above[rows], above[rows] + tied[rows] + 1
        sums = np.append(0.0, np.cumsum(table))
        mean = (sums[end] - sums[begin]) / (end - begin)
        terms[rows] = np.where(tied[rows] > 0, mean, table[begin])
    columns = {"relevant": hit, "others above": above, "others tied": tied}
    return Terms(r, terms, r.relevant_count(m.rel), columns=columns)


@lru_cache(maxsize=64)
def estimates(
    of: str, cutoff: int | None, items: int, others: int, method: str, gamma: float
) -> tuple[Array, Array]:
    """Return the estimate for each number of others above a relevant document, and its variance.

    Args:
        of: the measure.
        cutoff: in the catalogue.
        items: documents of the catalogue.
        others: candidates besides the relevant document.
        method: how to estimate.
        gamma: weight of the variance.
    """

    def true(rank: Array) -> Array:
        value = {
            "nDCG": 1 / np.log2(rank + 1),
            "RR": 1 / rank,
            "Success": np.ones(len(rank)),
            "AUC": (items - rank) / max(items - 1, 1),
        }[of]
        return np.where(rank <= (cutoff or items), value, 0.0)

    seen = np.arange(others + 1)
    squares, moments = np.zeros((others + 1, others + 1)), np.zeros(others + 1)
    chances = np.zeros(others + 1)
    # Chances change over items / others ranks, so of a large catalogue the top and some ranks do.
    step = max(1, items // _RANKS)
    top = min(items, _AT_ONCE) if step > 1 else items
    ranks = np.append(np.arange(top), np.arange(top + step // 2, items, step))
    weights = np.where(np.arange(len(ranks)) < top, 1.0, step)
    blocks = [slice(begin, begin + _AT_ONCE) for begin in range(0, len(ranks), _AT_ONCE)]
    logs = np.append(0.0, np.cumsum(np.log(np.arange(1, items))))  # of factorials
    for block in blocks:
        chance = _hypergeometric(logs, ranks[block], others)
        weighted = weights[block, None] * chance
        squares += weighted.T @ chance
        moments += weighted.T @ true(ranks[block] + 1.0)
        chances += weighted.sum(axis=0)
    if method == "rank":
        estimate = true(1 + seen * (items - 1) / max(others, 1))
    else:
        penalised = (1 - gamma) * squares + gamma * np.diag(chances)
        estimate = np.linalg.solve(penalised, moments)
    variance = np.zeros(others + 1)
    for block in blocks:
        chance = _hypergeometric(logs, ranks[block], others)
        spread = chance @ estimate**2 - (chance @ estimate) ** 2
        variance += chance.T @ (weights[block] * spread)
    return estimate, np.maximum(variance / chances, 0.0)


def _hypergeometric(logs: Array, above: Array, drawn: int) -> Array:
    """Return the chance of each number of documents above among those drawn, by row of ``above``.

    Args:
        logs: logarithms of the factorials up to that of the number of documents.
        above: documents above, of all.
        drawn: number of documents drawn without replacement.
    """

    def choose(n: Array, k: Array) -> Array:
        possible = (k >= 0) & (k <= n)
        k = np.where(possible, k, 0)
        return np.where(possible, logs[n] - logs[k] - logs[n - k], -np.inf)

    items = np.array(len(logs) - 1)
    seen, above = np.arange(drawn + 1)[None], above[:, None]
    total = choose(items, np.array(drawn))
    made: Array = np.exp(choose(above, seen) + choose(items - above, drawn - seen) - total)
    return made
