"""torchmetrics: its retrieval metrics, as classes and as functions."""

from rankstone.tools.base import CANDIDATES, CURVE, FLOAT32, Conventions, Name, Tool

#: Some measures take documents with a score of 0 or less as not relevant.
_POSITIVE = {"nonpositive": "nonrelevant"}
_SORT = "tied documents are ranked as torch happens to sort them"
_HITS = {"denominator": "hits"}
_OTHERS = {"negatives": "retrieved"}
_AUC = {"negatives": "retrieved", "missed": "ignore", "single_class": "zero"}

TOOLS = (
    Tool(
        name="torchmetrics-1",
        tested="1.9.0",
        about=CANDIDATES,
        conventions=Conventions(ties="input", precision="float32", missed="ignore", queries="both"),
        names=(
            Name(
                "RetrievalNormalizedDCG@{k} | retrieval_normalized_dcg@{k}",
                "nDCG",
                conventions={"ties": "expected"},
            ),
            Name(
                "RetrievalNormalizedDCG(empty_target_action='pos')@{k}",
                "nDCG",
                conventions={"ties": "expected", "no_relevant": "one"},
            ),
            Name(
                "RetrievalNormalizedDCG(empty_target_action='skip')@{k}",
                "nDCG",
                conventions={"ties": "expected", "no_relevant": "skip"},
            ),
            Name("RetrievalMAP@{k} | retrieval_average_precision@{k}", "AP", _HITS, _POSITIVE, _SORT),
            Name("RetrievalMRR@{k} | retrieval_reciprocal_rank@{k}", "RR", conventions=_POSITIVE, note=_SORT),
            Name("RetrievalPrecision@{k} | retrieval_precision@{k}", "P", conventions=_POSITIVE, note=_SORT),
            Name("RetrievalPrecision(adaptive_k=True)@{k}", "P", {"denominator": "retrieved"}, _POSITIVE, _SORT),
            Name("RetrievalRPrecision | retrieval_r_precision", "Rprec", note=_SORT),
            Name("RetrievalRecall@{k} | retrieval_recall@{k}", "R", conventions=_POSITIVE, note=_SORT),
            Name("RetrievalHitRate@{k} | retrieval_hit_rate@{k}", "Success", note=_SORT),
            Name("RetrievalAUROC | retrieval_auroc", "AUC", _AUC),
            Name("RetrievalAUROC@{k} | retrieval_auroc@{k}", "AUC", _AUC, note=_SORT),
            Name("RetrievalFallOut@{k}", "FallOut", {**_OTHERS, "empty": "one"}, note=_SORT),
            Name("retrieval_fall_out@{k}", "FallOut", _OTHERS, note=_SORT),
            Name(
                "RetrievalRecallAtFixedPrecision(min_precision={precision})@{k} | RetrievalRecallAtFixedPrecision(min_precision={precision})",
                "RecallAtP",
                note=f"{_SORT}; its mean is the highest recall of the mean curves",
            ),
        ),
        unsupported={
            "RetrievalPrecisionRecallCurve": CURVE,
            "retrieval_precision_recall_curve": CURVE,
        },
        limits=(FLOAT32,),
    ),
)  # fmt: skip
