"""torchmetrics: its retrieval classes, over the candidates of each query."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates, one_by_one, quiet

ACCEPTS = Accepts(
    takes="candidates",
    graded=False,
    negative=False,
    fractional=False,
    ties=False,
    digits=1e-6,
    refuses={
        "graded": "ValueError: `target` must contain `binary` values",
        "negative": "ValueError: `target` must contain `binary` values",
    },
)
_GRADED = Accepts(takes="candidates", negative=False, digits=1e-6)
EXCEPT = {"RetrievalNormalizedDCG@{k}": _GRADED, "RetrievalNormalizedDCG": _GRADED}


def version() -> str:
    import torchmetrics

    return torchmetrics.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> float:
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        import torch
        from torchmetrics import retrieval

    if k is not None:
        more["max_k" if "min_precision" in more else "top_k"] = k
    metric = getattr(retrieval, name)(**more)
    for index, query in enumerate(both(qrels, run)):
        labels, scores = candidates(qrels, run, query)
        exact = all(label == int(label) for label in labels)
        metric.update(
            torch.tensor(scores, dtype=torch.float64),
            torch.tensor(labels, dtype=torch.long if exact else torch.float64),
            torch.full((len(labels),), index),
        )
    value = metric.compute()
    return float(value[0] if isinstance(value, tuple) else value)


_NAMES = {
    "RetrievalMAP": {}, "RetrievalMAP@{k}": {}, "RetrievalMRR": {}, "RetrievalMRR@{k}": {},
    "RetrievalPrecision": {}, "RetrievalPrecision@{k}": {},
    "RetrievalPrecision(adaptive_k=True)@{k}": {"adaptive_k": True},
    "RetrievalRecall": {}, "RetrievalRecall@{k}": {}, "RetrievalHitRate@{k}": {},
    "RetrievalRPrecision": {}, "RetrievalAUROC": {}, "RetrievalAUROC@{k}": {},
    "RetrievalFallOut": {}, "RetrievalFallOut@{k}": {},
    "RetrievalRecallAtFixedPrecision(min_precision=0.5)": {"min_precision": 0.5},
    "RetrievalRecallAtFixedPrecision(min_precision=0.6)@{k}": {"min_precision": 0.6},
    "RetrievalNormalizedDCG": {}, "RetrievalNormalizedDCG@{k}": {},
    "RetrievalNormalizedDCG(empty_target_action='pos')@{k}": {"empty_target_action": "pos"},
    "RetrievalNormalizedDCG(empty_target_action='skip')@{k}": {"empty_target_action": "skip"},
}  # fmt: skip
_FUNCTIONAL = (
    "retrieval_average_precision", "retrieval_reciprocal_rank", "retrieval_precision",
    "retrieval_recall", "retrieval_hit_rate", "retrieval_r_precision", "retrieval_normalized_dcg",
    "retrieval_auroc", "retrieval_fall_out",
)  # fmt: skip
_NO_CUT = ("retrieval_r_precision",)


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Ask the functional form about each query; it knows no mean."""
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        import torch
        from torchmetrics.functional import retrieval

    more = {} if k is None else {"top_k": k}
    values = {}
    for query in both(qrels, run):
        labels, scores = candidates(qrels, run, query)
        values[query] = float(
            getattr(retrieval, name)(
                torch.tensor(scores, dtype=torch.float64), torch.tensor(labels), **more
            )
        )
    return values, None


FUNCTIONS = {
    name: one_by_one(partial(_mean, name=name.partition("(")[0].partition("@")[0], **more))
    for name, more in _NAMES.items()
}
EXCEPT |= {name: _GRADED for name in _NAMES if "NormalizedDCG" in name}
FUNCTIONS |= {
    name if name in _NO_CUT else f"{name}@{{k}}": partial(_each, name=name) for name in _FUNCTIONAL
}
FUNCTIONS["retrieval_auroc"] = partial(_each, name="retrieval_auroc")
EXCEPT |= {name: replace(ACCEPTS, mean=False) for name in _NAMES if "FixedPrecision" in name}
EXCEPT["retrieval_normalized_dcg@{k}"] = replace(_GRADED, fractional=False)
_SKIP = "RetrievalNormalizedDCG(empty_target_action='skip')@{k}"
EXCEPT[_SKIP] = replace(_GRADED, no_relevant=False)  # asked about such a query alone it says 0


def registry() -> list[str]:
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        import torchmetrics.functional.retrieval
        import torchmetrics.retrieval

    return [*torchmetrics.retrieval.__all__, *torchmetrics.functional.retrieval.__all__]
