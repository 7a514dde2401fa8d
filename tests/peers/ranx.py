"""ranx, by way of its Qrels and Run, made comparable."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, whole

TOOL = "ranx"
ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    longest=15,
    digits=1e-12,
    refuses={"fractional": "grades are cut to whole numbers"},
)
_SUM = replace(ACCEPTS, mean=False)  # it gives the mean of hits
EXCEPT = {
    "bpref": replace(ACCEPTS, no_relevant=False, single_document=False),
    "hits@{k}": _SUM,
    "hits": _SUM,
}
_NAMES = (
    "hits@{k}", "hits", "hit_rate@{k}", "precision@{k}", "precision", "recall@{k}", "recall",
    "f1@{k}", "f1", "r-precision", "mrr@{k}", "mrr", "map@{k}", "map", "dcg@{k}", "dcg_burges@{k}",
    "ndcg@{k}", "ndcg", "ndcg_burges@{k}", "bpref", "rbp.80",
    "precision@{k}-l2", "recall@{k}-l2", "map@{k}-l2", "ndcg@{k}-l2",
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
BEYOND = {"ndcg@{k}-l2": "grades below the level gain nothing; nDCG has no rel"}
