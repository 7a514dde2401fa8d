"""Rankstone: right numbers for rankings, with their working.

>>> import rankstone as rs
>>> rs.evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, [rs.nDCG @ 10, "RR"])["RR"]
0.5
"""

from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "evaluate": "rankstone.evaluation",
    "explain": "rankstone.evaluation",
    "Evaluator": "rankstone.evaluator",
    "compare": "rankstone.comparing",
    "agree_judgments": "rankstone.agreeing",
    "agree_orderings": "rankstone.agreeing",
    "agree_runs": "rankstone.agreeing",
    "power": "rankstone.planning",
    "Comparison": "rankstone.stats.comparison",
    "load_judgments": "rankstone.io.load",
    "across_tools": "rankstone.reconciliation",
    "reconcile": "rankstone.reconciliation",
    "Reconciliation": "rankstone.report.tools",
    "TOOLS": "rankstone.tools",
    "Tool": "rankstone.tools",
    "tool": "rankstone.tools",
    "Explanation": "rankstone.report.explanation",
    "grades_by_position": "rankstone.io.rankings",
    "Conventions": "rankstone.conventions",
    "Result": "rankstone.core.result",
    "DataError": "rankstone.errors",
    "MissingDependencyError": "rankstone.errors",
    "NothingInCommonError": "rankstone.errors",
    "Notice": "rankstone.errors",
    "RankstoneError": "rankstone.errors",
    "SlowEngineWarning": "rankstone.errors",
    "StrictError": "rankstone.errors",
    "UsageError": "rankstone.errors",
}


def __getattr__(name: str) -> Any:
    """Resolve public names on first use, so that importing costs nothing."""
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name.startswith("_"):
        raise AttributeError(f"module 'rankstone' has no attribute {name!r}")
    home = _HOMES.get(name, "rankstone.measures")
    try:
        value = getattr(import_module(home), name)
    except AttributeError:
        raise AttributeError(f"module 'rankstone' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, measures included."""
    from types import ModuleType

    from rankstone import measures

    public = {n for n, v in vars(measures).items() if n[0] != "_" and not isinstance(v, ModuleType)}
    return sorted({*_HOMES, *public, "__version__"})
