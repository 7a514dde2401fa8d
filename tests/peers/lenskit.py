"""LensKit: RunAnalysis over ordered item lists, the test lists holding the relevant items."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, ranking, relevant

ACCEPTS = Accepts(takes="ranking", graded=False, negative=False, fractional=False, digits=1e-12)
_GRADED = Accepts(takes="ranking", negative=False, digits=1e-12)
_AP = replace(ACCEPTS, no_relevant=False, unjudged_queries=False)
EXCEPT = {"AveragePrecision@{k}": _AP, "AveragePrecision": _AP}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("lenskit")


def _measure(
    qrels: Qrels, run: Run, k: int | None, *, name: str, graded: bool = False, **more: object
) -> Values:
    """Measure; with ``graded`` all judged items are in the test lists, with their grades."""
    import math

    from lenskit import metrics
    from lenskit.data import ItemList, ItemListCollection

    lists = ItemListCollection(["query"])
    for query, scored in run.items():
        lists.add(ItemList(item_ids=ranking(scored), ordered=True), query=query)
    tests = ItemListCollection(["query"])
    for query, judged in qrels.items():
        items = list(judged) if graded else relevant(judged)
        fields = {"grade": [float(judged[d]) for d in items]} if graded else {}
        tests.add(ItemList(item_ids=items, **fields), query=query)
    metric = getattr(metrics.ranking, name)(n=k, **more)
    with quiet(RuntimeWarning, "invalid value"):
        found = metrics.RunAnalysis(metric).measure(lists, tests)
    values = found.list_metrics()[metric.label]
    mean = float(found.list_summary().loc[metric.label, "mean"])
    return {q: float(v) for q, v in values.items()}, None if math.isnan(mean) else mean


def _count(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Count the items of each list; a metric that has no cutoff."""
    from lenskit import metrics
    from lenskit.data import ItemList

    metric = getattr(metrics, name)()
    return {
        query: float(
            metric.measure_list(
                ItemList(item_ids=ranking(scored), ordered=True),
                ItemList(item_ids=relevant(qrels.get(query, {}))),
            )
        )
        for query, scored in run.items()
    }, None


_NAMES = ("Precision", "Recall", "AveragePrecision", "RecipRank", "Hit", "NDCG", "DCG", "RBP")
FUNCTIONS = {f"{n}@{{k}}": partial(_measure, name=n) for n in _NAMES}
FUNCTIONS |= {n: partial(_measure, name=n) for n in _NAMES}
for _n in ("NDCG", "DCG"):
    for _cut in ("", "@{k}"):
        FUNCTIONS[f"{_n}(gain=){_cut}"] = partial(_measure, name=_n, graded=True, gain="grade")
        EXCEPT[f"{_n}(gain=){_cut}"] = _GRADED
FUNCTIONS["RBP(patience=0.5)@{k}"] = partial(_measure, name="RBP", patience=0.5)
FUNCTIONS["ListLength"] = partial(_count, name="ListLength")
EXCEPT["ListLength"] = replace(ACCEPTS, mean=False)
for _cut in ("", "@{k}"):
    EXCEPT[f"DCG(gain=){_cut}"] = replace(_GRADED, unjudged_queries=False)


def registry() -> list[str]:
    """Return its metrics and functions of metrics, without base classes and weights."""
    import inspect

    from lenskit import metrics

    helpers = {"Metric", "ListMetric", "GlobalMetric", "RankingMetricBase", "quick_measure_model"}
    names = set()
    for module in (metrics, metrics.ranking):
        for name in {*module.__all__} - helpers:
            value = getattr(module, name)
            if inspect.isfunction(value) or (
                inspect.isclass(value) and issubclass(value, metrics.Metric)
            ):
                names.add(name)
    return sorted(names)
