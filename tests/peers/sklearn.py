"""scikit-learn: ranking metrics over dense rows, here one row of candidates for each query."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, candidates, quiet

ACCEPTS = Accepts(
    takes="candidates",
    single_document=False,
    negative=False,
    refuses={
        "single_document": "ValueError: Computing NDCG is only meaningful when there is more than "
        "1 document. Got 1 instead.",
        "negative": "ValueError: ndcg_score should not be used on negative y_true values.",
    },
)
_BINARY = Accepts(takes="candidates", single_document=False, graded=False, negative=False,
                  fractional=False)  # fmt: skip
_TWO_CLASSES = Accepts(takes="candidates", single_document=False, graded=False, negative=False,
                       fractional=False, no_relevant=False)  # fmt: skip
EXCEPT = {
    "ndcg_score(ignore_ties=True)@{k}": replace(ACCEPTS, ties=False),
    "label_ranking_average_precision_score": _BINARY,
    "coverage_error": _BINARY,
    "label_ranking_loss": _BINARY,
    "average_precision_score": _TWO_CLASSES,
    "roc_auc_score": _BINARY,
}


def version() -> str:
    import sklearn

    return sklearn.__version__


def _rows(qrels: Qrels, run: Run, k: int | None, *, name: str, **more: object) -> Values:
    """Evaluate a row for each query; the tool's mean needs rows of one length."""
    import sklearn.metrics

    function = getattr(sklearn.metrics, name)
    if k is not None:
        more["k"] = k
    rows = {q: candidates(qrels, run, q) for q in both(qrels, run)}
    per_query = {q: function([labels], [scores], **more) for q, (labels, scores) in rows.items()}
    if len({len(labels) for labels, _ in rows.values()}) != 1:
        return per_query, None
    labels, scores = zip(*rows.values(), strict=True)
    return per_query, function(list(labels), list(scores), **more)


def _flat(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Evaluate each query as a binary problem of its own; the tool knows no mean over queries.

    Queries of one class only, whose area is not a number, are left out.
    """
    import math

    import sklearn.metrics
    from sklearn.exceptions import UndefinedMetricWarning

    function = getattr(sklearn.metrics, name)
    rows = {q: candidates(qrels, run, q) for q in both(qrels, run)}
    with quiet(UndefinedMetricWarning):
        values = {q: float(function(labels, scores)) for q, (labels, scores) in rows.items()}
    return {q: v for q, v in values.items() if not math.isnan(v)}, None


FUNCTIONS = {
    "ndcg_score": partial(_rows, name="ndcg_score"),
    "ndcg_score@{k}": partial(_rows, name="ndcg_score"),
    "ndcg_score(ignore_ties=True)@{k}": partial(_rows, name="ndcg_score", ignore_ties=True),
    "dcg_score": partial(_rows, name="dcg_score"),
    "dcg_score@{k}": partial(_rows, name="dcg_score"),
    "label_ranking_average_precision_score": partial(
        _rows, name="label_ranking_average_precision_score"
    ),
    "coverage_error": partial(_rows, name="coverage_error"),
    "label_ranking_loss": partial(_rows, name="label_ranking_loss"),
    "roc_auc_score": partial(_flat, name="roc_auc_score"),
    "average_precision_score": partial(_flat, name="average_precision_score"),
}


def registry() -> list[str]:
    """Return the functions of the module of ranking metrics."""
    import inspect

    from sklearn.metrics import _ranking

    functions = inspect.getmembers(_ranking, inspect.isfunction)
    return sorted(n for n, f in functions if f.__module__ == _ranking.__name__ and n[0] != "_")
