"""scikit-learn: its ranking metrics, over dense rows of labels and scores."""

from __future__ import annotations

from rankstone.tools.base import CANDIDATES, CURVE, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="sklearn-1",
        tested="1.9.1",
        about=CANDIDATES,
        conventions=Conventions(ties="expected", missed="ignore", queries="both"),
        names=(
            Name("ndcg_score@{k}", "nDCG"),
            Name(
                "ndcg_score(ignore_ties=True)@{k}",
                "nDCG",
                conventions={"ties": "input"},
                note="tied documents are ranked last one first, in short lists",
            ),
            Name("dcg_score@{k}", "DCG"),
            Name("roc_auc_score", "AUC", {"negatives": "retrieved", "missed": "ignore"}),
            Name("average_precision_score", "AUPRC"),
            Name("label_ranking_average_precision_score", "AUPRC", conventions={"no_relevant": "one"}),
            Name("coverage_error", "LastRank", {"tied": "last", "empty": "zero"}),
            Name("label_ranking_loss", "RankingLoss", {"negatives": "retrieved", "missed": "ignore"}),
        ),
        unsupported={
            "auc": "it is the area under points of any curve; rankstone.auc computes it",
            "top_k_accuracy_score@{k}": "it takes one true class for each row; Success@k counts the same",
            "roc_curve": f"{CURVE}; rankstone.roc_curve computes it",
            "precision_recall_curve": f"{CURVE}; rankstone.pr_curve computes it",
            "det_curve": CURVE,
            "confusion_matrix_at_thresholds": CURVE,
            "metric_at_thresholds": CURVE,
        },
        limits=("a query with a single document and negative grades are refused",),
    ),
)  # fmt: skip
