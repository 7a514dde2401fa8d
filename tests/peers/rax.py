"""Rax: JAX metrics over the candidates of each query, padded and masked for the mean."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, both, candidates, one_by_one, quiet

ACCEPTS = Accepts(takes="candidates", negative=False, digits=2e-6)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("rax")


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    import numpy as np

    with quiet(DeprecationWarning):
        import rax

    rows = [candidates(qrels, run, q) for q in both(qrels, run)]
    width = max(len(labels) for labels, _ in rows)
    labels, scores = np.zeros((2, len(rows), width))
    where = np.zeros((len(rows), width), bool)
    for i, (given, scored) in enumerate(rows):
        labels[i, : len(given)], scores[i, : len(given)] = given, scored
        where[i, : len(given)] = True
    more = {"topn": k} if k is not None else {}
    return float(getattr(rax, name)(scores, labels, where=where, **more))


_NAMES = ("mrr_metric", "recall_metric", "precision_metric", "ap_metric", "dcg_metric",
          "ndcg_metric")  # fmt: skip
FUNCTIONS = {f"{n}@{{k}}": one_by_one(partial(_mean, name=n)) for n in _NAMES}
FUNCTIONS |= {n: one_by_one(partial(_mean, name=n)) for n in (*_NAMES, "opa_metric")}


def registry() -> list[str]:
    with quiet(DeprecationWarning):
        import rax

    return [name for name in dir(rax) if name.endswith("_metric")]
