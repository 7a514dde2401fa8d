"""Rankstone evaluates rankings: correct numbers, and how each is calculated.

>>> import rankstone as rs
>>> rs.evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, [rs.nDCG @ 10, "RR"])["RR"]
0.5
"""

from typing import Any

__version__ = "0.1.0"

#: Public names by the module that has them.
_HOMES = {
    "evaluate": "rankstone.verbs.evaluate",
    "explain": "rankstone.verbs.explain",
    "Evaluator": "rankstone.verbs.evaluator",
    "compare": "rankstone.verbs.compare",
    "leaderboard": "rankstone.verbs.leaderboard",
    "Leaderboard": "rankstone.stats.leaderboard",
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
    "Items": "rankstone.io.items",
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
    "grades_by_position": "rankstone.io.recognise",
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
    "set_language": "rankstone.language",
}

#: The measures that people type most, and what belongs to all; ``rankstone.measures`` has every one.
_MEASURES = [
    "AP",
    "AUC",
    "AUPRC",
    "Bpref",
    "CG",
    "DCG",
    "ERR",
    "F",
    "GMAP",
    "IPrec",
    "Judged",
    "P",
    "Q",
    "R",
    "RBP",
    "RR",
    "Rprec",
    "Success",
    "alpha_nDCG",
    "infAP",
    "nDCG",
    "DEFAULT",
    "Cascade",
    "Curve",
    "Measure",
    "all_measures",
    "auc",
    "cascade",
    "parse_measure",
    "pr_area",
    "pr_curve",
    "risk_area",
    "risk_coverage_curve",
    "roc_curve",
]
_HOMES |= dict.fromkeys(_MEASURES, "rankstone.measures")
#: Other names of measures, as other tools write them.
_OTHER_NAMES = ("HR", "MAP", "MRR", "NDCG", "Precision", "Recall")


def __getattr__(name: str) -> Any:
    """Resolve public names on first use, so that importing costs nothing."""
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name in ("measures", "training"):
        return import_module(f"rankstone.{name}")
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _OTHER_NAMES:
        value = import_module("rankstone.measures").parse_measure(name)
    else:
        raise AttributeError(f"module 'rankstone' has no attribute {name!r}{_hint(name)}")
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """Return where to find a name that is not public here, or the public name that is like it."""
    from importlib.util import find_spec

    if name.startswith("_") or find_spec(f"rankstone.{name}"):
        return ""  # a module, which is imported next
    from rankstone import measures
    from rankstone.errors import UsageError, did_you_mean
    from rankstone.measures.parse import suggestion
    from rankstone.tools import TOOLS

    if isinstance(getattr(measures, name, None), measures.Measure):
        return f"; it is in rankstone.measures: rankstone.measures.{name}"
    if near := did_you_mean(name, __dir__()):
        return f".{near}"
    try:
        known = measures.parse_measure(name)
    except UsageError:
        return f".{suggestion(name, TOOLS.values())}"
    return f"; another tool's measure of that name is rankstone.measures.{known.name}"


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_HOMES, *_OTHER_NAMES, "__version__", "measures", "training"])
