"""Microsoft's Recommenders: python_evaluation over pandas tables of ratings and predictions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, one_by_one

ACCEPTS = Accepts(
    takes="scores", graded=False, negative=False, fractional=False, empty=False, digits=1e-12
)
EXCEPT = {"ndcg_at_k@{k}": replace(ACCEPTS, unretrieved_queries=False)}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("recommenders")


def _known(qrels: Qrels, run: Run) -> list[str]:
    return [q for q in qrels if any(g > 0 for g in qrels[q].values())]


def _common(qrels: Qrels, run: Run) -> list[str]:
    return [q for q in _known(qrels, run) if q in run]


def _mean(qrels: Qrels, run: Run, k: int, *, name: str, **more: object) -> float:
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    truth = [(q, d, float(g)) for q, judged in qrels.items() for d, g in judged.items() if g > 0]
    shown = [(q, d, s) for q, scored in run.items() for d, s in scored.items()]
    return float(
        getattr(python_evaluation, name)(
            pd.DataFrame(truth, columns=["userID", "itemID", "rating"]),
            pd.DataFrame(shown, columns=["userID", "itemID", "prediction"]),
            k=k,
            **more,
        )
    )


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name), _common)
    for name in ("precision_at_k", "recall_at_k", "map", "map_at_k")
}
FUNCTIONS["ndcg_at_k@{k}"] = one_by_one(partial(_mean, name="ndcg_at_k"), _common)


def registry() -> list[str]:
    """Return its public functions but those that make tables."""
    import inspect

    from recommenders.evaluation import python_evaluation as module

    functions = inspect.getmembers(module, inspect.isfunction)
    own = [n for n, f in functions if f.__module__ == module.__name__ and n[0] != "_"]
    return [n for n in own if not n.startswith(("get_", "merge_"))]
