"""implicit: its evaluation of a model that recommends the ranking of a run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, both, one_by_one, ranking, relevant

ACCEPTS = Accepts(
    takes="ranking", graded=False, negative=False, fractional=False, no_relevant=False,
    digits=1e-12, refuses={"no_relevant": "such users are left out before anything is measured"},
)  # fmt: skip
EXCEPT = {"precision_at_k@{k}": replace(ACCEPTS, mean=False)}


def version() -> str:
    import implicit

    return implicit.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    """Let a model recommend the documents, which are numbers there; shorter lists end in -1."""
    import numpy as np
    from implicit import evaluation
    from scipy.sparse import csr_matrix

    users = both(qrels, run)
    documents = {d: None for q in users for d in (*run[q], *qrels[q])}
    number = {d: i for i, d in enumerate(documents)}
    shape = len(users), len(number) + 1  # its AUC divides by the number of items not relevant
    cells = [(u, number[d]) for u, q in enumerate(users) for d in relevant(qrels[q])]
    test = csr_matrix((np.ones(len(cells)), tuple(zip(*cells, strict=True))), shape=shape)

    class Model:
        """What the evaluation calls."""

        def recommend(self, userid, user_items, N, **_):  # noqa: N803
            lists = [[number[d] for d in ranking(run[users[u]])[:N]] for u in np.asarray(userid)]
            ids = np.array([own + [-1] * (N - len(own)) for own in lists], np.int32)
            return ids, -np.arange(ids.size, dtype=np.float32).reshape(ids.shape)

    evaluated = getattr(evaluation, name)
    return float(evaluated(Model(), csr_matrix(shape), test, K=k, show_progress=False))


FUNCTIONS = {
    f"{name}@{{k}}": one_by_one(partial(_mean, name=name))
    for name in ("precision_at_k", "mean_average_precision_at_k", "ndcg_at_k")
}


def registry() -> list[str]:
    """The names of its functions; ``ranking_metrics_at_k`` returns all of them."""
    from implicit import evaluation

    return [n for n in dir(evaluation) if n.endswith("_at_k") and n != "ranking_metrics_at_k"]
