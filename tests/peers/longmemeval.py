"""LongMemEval: its scorer, from the checkout that the variable LONGMEMEVAL names."""

from __future__ import annotations

import importlib.util
import os
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np

from peers.common import Accepts, Qrels, Run, Values, both, ranking, relevant

ACCEPTS = Accepts(takes="ranking", negative=False, fractional=False, graded=False, digits=1e-12)
EXCEPT: dict[str, Accepts] = {}
_NAMES = ("recall_any@{k}", "recall_all@{k}", "ndcg_any@{k}")


class _NumPy:
    """NumPy with the function that its version 2 removed."""

    asfarray = staticmethod(partial(np.asarray, dtype=np.float64))

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)


@cache
def scorer() -> ModuleType:
    """Return its module; NumPy 2 has no asfarray, which it calls."""
    folder = os.environ.get("LONGMEMEVAL")
    if not folder:
        raise ImportError("set LONGMEMEVAL to a checkout of xiaowu0162/LongMemEval")
    path = Path(folder) / "src" / "retrieval" / "eval_utils.py"
    spec = importlib.util.spec_from_file_location("longmemeval_eval_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["np"] = _NumPy()
    return module


def version() -> str:
    scorer()
    return "its eval_utils.py of commit 6a92d1a, with an alias that NumPy 2 removed"


def _each(qrels: Qrels, run: Run, k: int | None, *, place: int) -> Values:
    """Return a score of each question; documents that were not retrieved are in its corpus too."""
    values = {}
    for query in both(qrels, run):
        retrieved = ranking(run[query])
        corpus = list(dict.fromkeys([*retrieved, *qrels[query]]))
        found = scorer().evaluate_retrieval(
            list(range(len(retrieved))), relevant(qrels[query]), corpus, k
        )
        values[query] = float(found[place])
    return values, sum(values.values()) / len(values) if values else None


FUNCTIONS = {name: partial(_each, place=place) for place, name in enumerate(_NAMES)}


def registry() -> list[str]:
    """Return the names under which its retrieval writes what the scorer returns."""
    text = (Path(os.environ["LONGMEMEVAL"]) / "src" / "retrieval" / "run_retrieval.py").read_text()
    return sorted(name for name in ("recall_any", "recall_all", "ndcg_any") if f"{name}@" in text)
