"""torchmetrics: its retrieval classes, over the candidates of each query."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, both, candidates, one_by_one, quiet

TOOL = "torchmetrics"
ACCEPTS = Accepts(
    takes="candidates",
    graded=False,
    negative=False,
    fractional=True,
    digits=1e-6,
    refuses={
        "graded": "ValueError: `target` must contain `binary` values",
        "negative": "ValueError: `target` must contain `binary` values",
    },
)
_GRADED = Accepts(takes="candidates", digits=1e-6)
EXCEPT = {"RetrievalNormalizedDCG@{k}": _GRADED, "RetrievalNormalizedDCG": _GRADED}


def version() -> str:
    import torchmetrics

    return torchmetrics.__version__


def _mean(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> float:
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        import torch
        from torchmetrics import retrieval

    if k is not None:
        more["top_k"] = k
    metric = getattr(retrieval, name)(**more)
    for index, query in enumerate(both(qrels, run)):
        labels, scores = candidates(qrels, run, query)
        exact = all(label == int(label) for label in labels)
        metric.update(
            torch.tensor(scores, dtype=torch.float64),
            torch.tensor(labels, dtype=torch.long if exact else torch.float64),
            torch.full((len(labels),), index),
        )
    return float(metric.compute())


_NAMES = {
    "RetrievalMAP": {}, "RetrievalMAP@{k}": {}, "RetrievalMRR": {}, "RetrievalMRR@{k}": {},
    "RetrievalPrecision": {}, "RetrievalPrecision@{k}": {},
    "RetrievalPrecision(adaptive_k=True)@{k}": {"adaptive_k": True},
    "RetrievalRecall": {}, "RetrievalRecall@{k}": {}, "RetrievalHitRate@{k}": {},
    "RetrievalRPrecision": {}, "RetrievalFallOut@{k}": {}, "RetrievalAUROC": {},
    "RetrievalAUROC@{k}": {}, "RetrievalNormalizedDCG": {}, "RetrievalNormalizedDCG@{k}": {},
    "RetrievalNormalizedDCG(empty_target_action='pos')@{k}": {"empty_target_action": "pos"},
    "RetrievalNormalizedDCG(empty_target_action='skip')@{k}": {"empty_target_action": "skip"},
}  # fmt: skip
FUNCTIONS = {
    name: one_by_one(partial(_mean, name=name.partition("(")[0].partition("@")[0], **more))
    for name, more in _NAMES.items()
}
EXCEPT |= {name: _GRADED for name in _NAMES if "NormalizedDCG" in name}
