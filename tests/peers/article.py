"""The five articles: what their functions and formulas compute, written down once more."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

from peers.common import Accepts, Function, Qrels, Run, Values, both, ranking, relevant

_SETS = Accepts(takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12)
_GRADES = Accepts(takes="ranking", negative=False, digits=1e-12)


def _hits(judged: dict[str, float], scored: dict[str, float], k: int | None) -> list[int]:
    """Return the ranks of the relevant documents down to k."""
    truth = set(relevant(judged))
    return [i for i, d in enumerate(ranking(scored)[:k], 1) if d in truth]


def _grades(judged: dict[str, float], scored: dict[str, float]) -> list[float]:
    return [judged.get(d, 0) for d in ranking(scored)]


def _each(function: Callable[[dict, dict, int | None], float]) -> Function:
    """Make a function of one query a function of all, with their mean."""

    def measure(qrels: Qrels, run: Run, k: int | None) -> Values:
        values = {q: function(qrels[q], run[q], k) for q in both(qrels, run)}
        return values, math.fsum(values.values()) / len(values) if values else None

    return measure


def _precision(judged, scored, k):
    return len(_hits(judged, scored, k)) / k


def _recall(judged, scored, k):
    truth = relevant(judged)
    return len(_hits(judged, scored, k)) / len(truth) if truth else 0.0


def _f(judged, scored, k):
    p, r = _precision(judged, scored, k or len(scored)), _recall(judged, scored, k)
    return 2 * p * r / (p + r) if p + r else 0.0


def _average_precision(judged, scored, k):
    hits = _hits(judged, scored, k)
    return sum(n / i for n, i in enumerate(hits, 1)) / max(1, len(relevant(judged)))


def _reciprocal_rank(judged, scored, k):
    return next((1 / i for i in _hits(judged, scored, k)), 0.0)


def _success(judged, scored, k):
    return float(bool(_hits(judged, scored, k)))


def _dcg(grades: list[float], k: int | None, *, method: int = 1, exp: bool = False) -> float:
    """Method 0 leaves ranks 1 and 2 undiscounted."""
    gains = [2**g - 1 if exp else g for g in grades[:k]]
    return sum(
        g / (math.log2(i + 1) if method else math.log2(max(i, 2))) for i, g in enumerate(gains, 1)
    )


def _over(dcg: float, best: float) -> float:
    return dcg / best if best else 0.0


def _binary_ndcg(judged, scored, k):
    hits = [float(d in set(relevant(judged))) for d in ranking(scored)]
    return _dcg(hits, k) / max(0.3, _dcg([1.0] * len(relevant(judged)), None))


def _ndcg(*, retrieved: bool, method: int = 1, exp: bool = False, cut: bool = True):
    """The ideal is made of the retrieved documents or of all judged ones, and may be cut at k."""

    def measure(judged, scored, k):
        grades = _grades(judged, scored)
        best = sorted(grades if retrieved else judged.values(), reverse=True)
        return _over(
            _dcg(grades, k, method=method, exp=exp),
            _dcg(best, k if cut else None, method=method, exp=exp),
        )

    return _each(measure)


def _only_dcg(*, method: int = 1) -> Function:
    return _each(lambda judged, scored, k: _dcg(_grades(judged, scored), k, method=method))


def _cumulated_gain(judged, scored, k):
    return sum(_grades(judged, scored)[:k])


def _pooled_hit_ratio(qrels: Qrels, run: Run, k: int | None) -> Values:
    """Hits of all users over the relevant items of all users."""
    queries = both(qrels, run)
    hits = sum(len(_hits(qrels[q], run[q], k)) for q in queries)
    return None, hits / sum(len(relevant(qrels[q])) for q in queries)


def _hit_count(judged, scored, k):
    return float(len(_hits(judged, scored, k)))


def _err(qrels: Qrels, run: Run, k: int | None) -> Values:
    """The highest grade of all judgments is the top of the scale."""
    highest = max((g for judged in qrels.values() for g in judged.values()), default=0)

    def measure(judged, scored, k):
        value, going = 0.0, 1.0
        for i, grade in enumerate(_grades(judged, scored), 1):
            stops = (2**grade - 1) / 2**highest
            value += going * stops / i
            going *= 1 - stops
        return value

    return _each(measure)(qrels, run, k)


def _article(text: str, functions: dict[str, Function], graded: tuple[str, ...] = (), **excepted):
    exceptions = dict.fromkeys(graded, _GRADES) | excepted
    return SimpleNamespace(
        ACCEPTS=_SETS,
        EXCEPT=exceptions,
        FUNCTIONS=functions,
        version=lambda: text,
        registry=list,
    )


_PR = {"Precision@{k}": _each(_precision), "Recall@{k}": _each(_recall)}
_HR = "HR@{k}"
VERSIONS = {
    "article-1": _article(
        "code",
        {
            "precision@{k}": _each(_precision),
            "Prec@{k}": _each(_precision),
            "average_precision": _each(_average_precision),
            "reciprocal_rank": _each(_reciprocal_rank),
            "NDCG": _each(_binary_ndcg),
        },
    ),
    "article-2": _article(
        "code and formulas",
        {
            "AP": _each(_average_precision),
            **_PR,
            "FScore@{k}": _each(_f),
            "F-Score": _each(_f),
            "HR@{k}": _each(_success),
            "HitRate@{k}": _each(_success),
            "hit_ratio@{k}": _each(_success),
            "MRR": _each(_reciprocal_rank),
            "NDCG@{k}": _ndcg(retrieved=False, exp=True),
        },
        graded=("NDCG@{k}",),
    ),
    "article-3": _article(
        "printed numbers",
        {
            "AveP": _each(_average_precision),
            "CG@{k}": _each(_cumulated_gain),
            "DCG@{k}": _only_dcg(method=0),
            "NDCG@{k}": _ndcg(retrieved=True, method=0),
        },
        graded=("CG@{k}", "DCG@{k}", "NDCG@{k}"),
    ),
    "article-4": _article(
        "code and formulas",
        {
            "dcg_at_k@{k}": _only_dcg(),
            "dcg_at_k(method=0)@{k}": _only_dcg(method=0),
            "ndcg_at_k@{k}": _ndcg(retrieved=True),
            "ndcg_at_k(method=0)@{k}": _ndcg(retrieved=True, method=0),
            "NDCG_u@{k}": _ndcg(retrieved=False, exp=True, cut=False),
            _HR: _pooled_hit_ratio,
            "hit": _each(_hit_count),
        },
        graded=(
            "dcg_at_k@{k}",
            "dcg_at_k(method=0)@{k}",
            "ndcg_at_k@{k}",
            "ndcg_at_k(method=0)@{k}",
            "NDCG_u@{k}",
        ),
        **{_HR: replace(_SETS, empty=False), "hit": replace(_SETS, mean=False)},
    ),
    "article-5": _article(
        "formulas",
        {
            **_PR,
            "F-Measure": _each(_f),
            "MRR": _each(_reciprocal_rank),
            "DCG@{k}": _only_dcg(),
            "nDCG@{k}": _ndcg(retrieved=False),
            "ERR": _err,
            "cascade": _err,
        },
        graded=("DCG@{k}", "nDCG@{k}", "ERR", "cascade"),
    ),
}
