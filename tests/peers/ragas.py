"""RAGAS: its two metrics that compare ids of contexts, one query at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, both, quiet, ranking, relevant

ACCEPTS = Accepts(takes="ranking", graded=False, fractional=False, repeats=True, digits=1e-12)
EXCEPT: dict[str, Accepts] = {}


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("ragas")


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        from ragas import SingleTurnSample, metrics

        metric = getattr(metrics, name)()
        samples = {
            query: SingleTurnSample(
                retrieved_context_ids=ranking(run[query]),
                reference_context_ids=relevant(qrels[query]),
            )
            for query in both(qrels, run)
        }
        # In a thread of its own, as another test may have left an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            values = {
                query: thread.submit(asyncio.run, metric.single_turn_ascore(sample)).result()
                for query, sample in samples.items()
            }
    return {q: v for q, v in values.items() if v == v}, None


FUNCTIONS = {
    "id_based_context_precision": partial(_each, name="IDBasedContextPrecision"),
    "id_based_context_recall": partial(_each, name="IDBasedContextRecall"),
}


def registry() -> list[str]:
    """Return the metrics that compare ids; the others judge texts."""
    with quiet(DeprecationWarning), quiet(FutureWarning), quiet(UserWarning):
        from ragas import metrics

        listed = {name.lstrip("_") for name in dir(metrics)}
        own = (getattr(metrics, n) for n in listed if n.startswith("IDBased"))
        return sorted(metric().name for metric in own)
