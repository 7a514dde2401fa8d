"""Rankstone evaluates rankings: correct numbers, and how each is calculated.

>>> import rankstone as rs
>>> rs.evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, [rs.nDCG @ 10, "RR"])["RR"]
0.5
"""

from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "evaluate": "rankstone.verbs.evaluate",
    "explain": "rankstone.verbs.explain",
    "Evaluator": "rankstone.verbs.evaluator",
    "compare": "rankstone.verbs.compare",
    "fuse": "rankstone.verbs.fuse",
    "FusedRun": "rankstone.verbs.fuse",
    "Fusion": "rankstone.choices.fusion",
    "tune": "rankstone.verbs.tune",
    "Tuning": "rankstone.verbs.tune",
    "agree_judgments": "rankstone.verbs.agree",
    "agree_orderings": "rankstone.verbs.agree",
    "agree_runs": "rankstone.verbs.agree",
    "power": "rankstone.verbs.power",
    "gate": "rankstone.verbs.gate.gate",
    "Verdict": "rankstone.verbs.gate.verdict",
    "report": "rankstone.verbs.report",
    "Report": "rankstone.page.html",
    "verify": "rankstone.verbs.verify",
    "Verification": "rankstone.verbs.verify",
    "RiskCoverage": "rankstone.verbs.risk",
    "risk_coverage": "rankstone.verbs.risk",
    "PairedMRR": "rankstone.verbs.p_mrr",
    "p_mrr": "rankstone.verbs.p_mrr",
    "evaluate_spans": "rankstone.verbs.spans",
    "SpanResults": "rankstone.verbs.spans",
    "Comparison": "rankstone.stats.comparison",
    "Factors": "rankstone.io.factors",
    "Scorer": "rankstone.io.factors",
    "true_neighbours": "rankstone.io.id_matrices",
    "load_judgments": "rankstone.verbs.load",
    "load_run": "rankstone.verbs.load",
    "pool": "rankstone.verbs.pool",
    "holes": "rankstone.verbs.holes",
    "validate": "rankstone.io.validate",
    "convert": "rankstone.io.convert",
    "across_tools": "rankstone.verbs.reconcile",
    "reconcile": "rankstone.verbs.reconcile",
    "Reconciliation": "rankstone.text.tools",
    "TOOLS": "rankstone.tools",
    "Tool": "rankstone.tools.base",
    "tool": "rankstone.tools",
    "Explanation": "rankstone.text.explanation",
    "grades_by_position": "rankstone.io.rankings",
    "Conventions": "rankstone.choices.conventions",
    "Result": "rankstone.core.result",
    "DataError": "rankstone.errors",
    "MissingDependencyError": "rankstone.errors",
    "NothingInCommonError": "rankstone.errors",
    "Notice": "rankstone.errors",
    "RankstoneError": "rankstone.errors",
    "RankstoneWarning": "rankstone.errors",
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
    if name == "training":
        return import_module("rankstone.training")
    value = getattr(import_module(_HOMES[name]), name) if name in _HOMES else _measure(name)
    globals()[name] = value
    return value


def _measure(name: str) -> Any:
    """Return what ``rankstone.measures`` calls so, or the measure that other tools do: MRR, HR."""
    from importlib import import_module
    from importlib.util import find_spec
    from types import ModuleType

    measures = import_module("rankstone.measures")
    value = getattr(measures, name, None)
    if value is not None and not isinstance(value, ModuleType):
        return value
    unknown = f"module 'rankstone' has no attribute {name!r}"
    if find_spec(f"rankstone.{name}"):
        raise AttributeError(unknown)  # a module that is imported next
    from rankstone.errors import UsageError

    try:
        return measures.parse_measure(name)
    except UsageError as error:
        raise AttributeError(f"{unknown}: {error}") from None


def __dir__() -> list[str]:
    """List the public names, measures included."""
    from types import ModuleType

    from rankstone import measures

    public = {n for n, v in vars(measures).items() if n[0] != "_" and not isinstance(v, ModuleType)}
    return sorted({*_HOMES, *public, "training", "__version__"})
