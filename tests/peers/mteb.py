"""MTEB: the scores of its retrieval tasks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, whole

ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    all_negative=False,
    unjudged_queries=False,
    digits=5.1e-6,
    refuses={"unjudged_queries": "KeyError in its own mrr"},
)
EXCEPT = {
    name: replace(ACCEPTS, digits=1e-12) for name in ("mrr_at_{k}", "R_cap_at_{k}", "Hole_at_{k}")
}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("mteb")


def _scores(qrels: Qrels, run: Run, k: int) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return what it computes of each query, and its scores."""
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        from mteb._evaluators import retrieval_metrics as module

        found = module.calculate_retrieval_scores(run, whole(qrels), sorted({1, k}))
    return found.all_scores, module.make_score_dict(
        ndcg=found.ndcg,
        _map=found.map,
        recall=found.recall,
        precision=found.precision,
        mrr=found.mrr,
        naucs=found.naucs,
        naucs_mrr=found.naucs_mrr,
        hit_rate=found.hit_rate,
        task_scores={},
    )


def _measure(qrels: Qrels, run: Run, k: int | None, *, name: str, line: str | None) -> Values:
    """Return the values of pytrec_eval's ``line`` that it averages, and its score."""
    per_query, scores = _scores(qrels, run, k or 1)
    values = line and {q: v[line.format(k=k)] for q, v in per_query.items()}
    return values, scores[name.format(k=k)]


FUNCTIONS = {
    name: partial(_measure, name=name, line=line)
    for name, line in {
        "ndcg_at_{k}": "ndcg_cut_{k}",
        "map_at_{k}": "map_cut_{k}",
        "recall_at_{k}": "recall_{k}",
        "accuracy": "recall_1",
        "precision_at_{k}": "P_{k}",
        "mrr_at_{k}": None,
        "hit_rate_at_{k}": "success_{k}",
    }.items()
}


def _capped(qrels: Qrels, run: Run, k: int | None) -> Values:
    from mteb._evaluators.retrieval_metrics import recall_cap

    queries = [q for q in run if q in qrels]
    values = recall_cap(whole(qrels), {q: run[q] for q in queries}, [k])[f"R_cap_at_{k}"]
    pairs = zip(queries, values, strict=True)
    return {query: value for query, value in pairs if value is not None}, None


def _holes(qrels: Qrels, run: Run, k: int | None) -> Values:
    from mteb._evaluators.retrieval_metrics import hole

    queries = [q for q in run if q in qrels]
    values = hole(whole(qrels), {q: run[q] for q in queries}, [k])[f"Hole_at_{k}"]
    return dict(zip(queries, values, strict=True)), None


FUNCTIONS |= {"R_cap_at_{k}": _capped, "Hole_at_{k}": _holes}


def registry() -> list[str]:
    """Return the names of its scores and of what else it computes, without cutoffs.

    Its nauc is made of each of the others.
    """
    from mteb._evaluators import retrieval_metrics as module

    one = {"q": {"d": 1}}, {"q": {"d": 1.0, "e": 0.5}}
    _, scores = _scores(*one, 1)
    names = {re.sub(r"_at_\d+.*|(?<=nauc)_.*", "", name) for name in scores}
    for function in (module.recall_cap, module.hole, module.top_k_accuracy):
        names |= {re.sub(r"(_at_|@)\d+", "", name) for name in function(*one, [1])}
    others = (module.paired_accuracy, module.robustness_at_10)
    return sorted({*names, "p-MRR", *(function.__name__ for function in others)})
