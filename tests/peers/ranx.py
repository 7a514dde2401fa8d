"""ranx, by way of its Qrels and Run, made comparable."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, whole

ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    longest=15,
    digits=1e-12,
    refuses={"fractional": "grades are cut to whole numbers"},
)
_SUM = replace(ACCEPTS, mean=False)  # it gives the mean of hits
_BINARY = replace(ACCEPTS, graded=False, negative=False)
_DEFINED = replace(ACCEPTS, no_relevant=False, single_document=False)
EXCEPT = {
    "bpref": _DEFINED,
    "bpref-l2": replace(_DEFINED, graded=False, negative=False),
    **dict.fromkeys(("hits@{k}", "hits", "hits@{k}-l2", "hits-l2"), _SUM),
    **dict.fromkeys(("rbp.80", "rbp@95", "rbp.80-l2"), _BINARY),
}
_NAMES = (
    "hits@{k}", "hits", "hit_rate@{k}", "precision@{k}", "precision", "recall@{k}", "recall",
    "f1@{k}", "f1", "r-precision", "mrr@{k}", "mrr", "map@{k}", "map", "dcg@{k}", "dcg_burges@{k}",
    "ndcg@{k}", "ndcg", "ndcg_burges@{k}", "bpref", "bpref-l2", "rbp.80", "rbp@95", "rbp.80-l2",
    "hits@{k}-l2", "hits-l2", "hit_rate@{k}-l2", "precision@{k}-l2", "precision-l2", "recall@{k}-l2",
    "recall-l2", "f1@{k}-l2", "f1-l2", "r-precision-l2", "mrr@{k}-l2", "mrr-l2", "map@{k}-l2", "map-l2",
    "dcg@{k}-l2", "dcg-l2", "dcg_burges@{k}-l2", "dcg_burges-l2", "ndcg@{k}-l2", "ndcg-l2",
    "ndcg_burges@{k}-l2", "ndcg_burges-l2",
)  # fmt: skip


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("ranx")


def _evaluate(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        import ranx

    asked = name.format(k=k)
    measured = ranx.Run(run)
    mean = ranx.evaluate(ranx.Qrels(whole(qrels)), measured, asked, make_comparable=True)
    return {q: float(v) for q, v in measured.scores[asked].items()}, float(mean)


FUNCTIONS = {n: partial(_evaluate, name=n) for n in _NAMES}


def registry() -> list[str]:
    """Return the names that metric_switch compares with; it raises for all others."""
    import inspect
    import re

    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        from ranx.metrics import metric_switch

    return re.findall(r'metric == "(.+?)"', inspect.getsource(metric_switch))
