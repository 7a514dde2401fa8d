"""recometrics: factors of one number, which are the scores of a user's documents."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates

ACCEPTS = Accepts(
    takes="candidates", graded=False, negative=False, fractional=False, no_relevant=False,
    ties=False, single_document=False, digits=1e-12,
    refuses={
        "no_relevant": "NaN, which means leave out",
        "ties": "broken by noise, or as its sort happens to leave them",
    },
)  # fmt: skip
EXCEPT = {"NDCG@{k}": replace(ACCEPTS, graded=True, fractional=True)}
_CUT = ("P", "TP", "R", "AP", "TAP", "NDCG", "Hit", "RR")


def version() -> str:
    from importlib.metadata import version

    import recometrics  # noqa: F401

    return version("recometrics")


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    import numpy as np
    import recometrics
    from scipy.sparse import csr_matrix

    values = {}
    for query in both(qrels, run):
        labels, scores = candidates(qrels, run, query)
        if k is not None:  # a user with k items or fewer has NaN, so more are put behind
            rest = range(1, k + 2)
            labels, scores = labels + [0] * len(rest), scores + [-100.0 - i for i in rest]
        table = recometrics.calc_reco_metrics(
            None, csr_matrix(np.array([labels], float)), np.ones((1, 1)), np.array(scores)[:, None],
            k=k or 1, all_metrics=True, break_ties_with_noise=False, nthreads=1,
        )  # fmt: skip
        values[query] = float(table[name if k is None else f"{name}@{k}"].iloc[0])
    return values, None


FUNCTIONS = {f"{name}@{{k}}": partial(_each, name=name) for name in _CUT}
FUNCTIONS |= {name: partial(_each, name=name) for name in ("ROC_AUC", "PR_AUC")}


def registry() -> list[str]:
    import numpy as np
    import recometrics
    from scipy.sparse import csr_matrix

    test, items = csr_matrix([[1.0, 0.0, 0.0]]), np.arange(3.0)[:, None]
    table = recometrics.calc_reco_metrics(
        None, test, np.ones((1, 1)), items, k=2, all_metrics=True, nthreads=1
    )
    return [name.partition("@")[0] for name in table.columns]
