"""FreshStack: its functions, with their rounding of means undone."""

from __future__ import annotations

import contextlib
import io
from functools import cache, partial
from types import ModuleType

from peers.common import Accepts, Qrels, Run, Values, both, one_by_one, whole

ACCEPTS = Accepts(takes="scores", fractional=False, all_negative=False, negative=False)
EXCEPT: dict[str, Accepts] = {}


@cache
def metrics() -> ModuleType:
    """Return its module of measures, which rounds to four or five digits elsewhere."""
    from freshstack.retrieval import metrics as module

    vars(module)["round"] = lambda value, _: value
    return module


def version() -> str:
    import importlib.metadata

    metrics()
    return importlib.metadata.version("freshstack")


def _nuggets(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    """Return a measure of nuggets, to which a query is its only nugget."""
    judged = whole(qrels)
    own = {query: [query] for query in judged}
    ranked = {query: run[query] for query in both(qrels, run)}
    with contextlib.redirect_stderr(io.StringIO()):  # on the single subtopic
        # Lists are cut at the last cutoff before ties are put in order.
        found = getattr(metrics(), name)(judged, own, ranked, sorted({k, 20}))
    return next(iter(found.values()))  # the lower cutoff


def _documents(qrels: Qrels, run: Run, k: int | None, *, name: str) -> float:
    ranked = {query: run[query] for query in both(qrels, run)}
    return next(iter(getattr(metrics(), name)(whole(qrels), ranked, [k]).values()))


def _holes(qrels: Qrels, run: Run, k: int | None) -> Values:
    found = metrics().hole(whole(qrels), {query: run[query] for query in both(qrels, run)}, [k])
    values = {query: own[f"Hole@{k}"] for query, own in found.items()}
    return values, sum(values.values()) / len(values) if values else None


def _judged(qrels: Qrels, run: Run) -> list[str]:
    return list(qrels)


FUNCTIONS = {
    "alpha-nDCG@{k}": one_by_one(partial(_nuggets, name="alpha_ndcg"), _judged),
    "Coverage@{k}": one_by_one(partial(_nuggets, name="coverage"), _judged),
    "Recall@{k}": one_by_one(partial(_documents, name="recall"), _judged),
    "NDCG@{k}": one_by_one(partial(_documents, name="ndcg"), _judged),
    "Hole@{k}": _holes,
}


def registry() -> list[str]:
    """Return the names in the results of every function."""
    judged, run = {"q": {"d": 1}}, {"q": {"d": 1.0}}
    own = {"q": ["q"]}
    module = metrics()
    results = [module.alpha_ndcg(judged, own, run, [1]), module.coverage(judged, own, run, [1])]
    results += [module.recall(judged, run, [1]), module.ndcg(judged, run, [1])]
    results += [module.hole(judged, run, [1])["q"]]
    return sorted({key.partition("@")[0] for result in results for key in result})
