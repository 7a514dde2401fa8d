"""Elasticsearch and OpenSearch: the metrics of _rank_eval, written down from their source."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from peers.common import Accepts, Function, Qrels, Run, Values, ranking

ACCEPTS = Accepts(
    takes="ranking", negative=False, fractional=False, unjudged_queries=False, digits=1e-12,
    refuses={"negative": "a rating is not negative", "fractional": "a rating is a whole number"},
)  # fmt: skip
EXCEPT = {"dcg(normalize=True)@{k}": replace(ACCEPTS, short_lists=False, longest=20)}

Hits = list[float | None]  # the ratings of hits, None if a hit has none


def version() -> str:
    return "the formulas of its source"


def _each(metric: Callable[[Hits, list[float], float], float]) -> Function:
    """Make a metric of one request that of all; the search is asked for k hits."""

    def function(qrels: Qrels, run: Run, k: int | None) -> Values:
        highest = max(g for judged in qrels.values() for g in judged.values())
        values = {}
        for query, judged in qrels.items():
            hits: Hits = [judged.get(d) for d in ranking(run.get(query, []))[:k]]
            values[query] = metric(hits, list(judged.values()), highest)
        return values, sum(values.values()) / len(values)

    return function


def _relevant(ratings: Hits) -> list[int]:
    """Return the ranks of the ratings from the threshold up."""
    return [i for i, rating in enumerate(ratings, 1) if rating is not None and rating >= 1]


def _precision(hits: Hits, ratings: list[float], highest: float) -> float:
    return len(_relevant(hits)) / len(hits) if hits else 0.0


def _recall(hits: Hits, ratings: list[float], highest: float) -> float:
    wanted = len(_relevant(list(ratings)))
    return len(_relevant(hits)) / wanted if wanted else 0.0


def _reciprocal_rank(hits: Hits, ratings: list[float], highest: float) -> float:
    return next((1 / rank for rank in _relevant(hits)), 0.0)


def _gain(ratings: Hits) -> float:
    return sum(
        (2**rating - 1) / math.log2(i + 1)
        for i, rating in enumerate(ratings, 1)
        if rating is not None
    )


def _normalized(hits: Hits, ratings: list[float], highest: float) -> float:
    best = _gain(sorted(ratings, reverse=True)[: len(hits)])
    return _gain(hits) / best if best else 0.0


def _expected_reciprocal_rank(hits: Hits, ratings: list[float], highest: float) -> float:
    goes_on, value = 1.0, 0.0
    for rank, rating in enumerate(hits, 1):
        if rating is not None:
            stops = (2**rating - 1) / 2**highest
            value += goes_on * stops / rank
            goes_on *= 1 - stops
    return value


FUNCTIONS = {
    "precision@{k}": _each(_precision),
    "recall@{k}": _each(_recall),
    "mean_reciprocal_rank@{k}": _each(_reciprocal_rank),
    "dcg@{k}": _each(lambda hits, ratings, highest: _gain(hits)),
    "dcg(normalize=True)@{k}": _each(_normalized),
    "expected_reciprocal_rank@{k}": _each(_expected_reciprocal_rank),
}


def registry() -> list[str]:
    """Return the metrics that its plugin registers."""
    return ["dcg", "expected_reciprocal_rank", "mean_reciprocal_rank", "precision", "recall"]
