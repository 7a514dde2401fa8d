"""Rankstone evaluates rankings: correct numbers, and how each is calculated.

>>> import rankstone as rs
>>> rs.evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, [rs.nDCG @ 10, "RR"])["RR"]
0.5
"""

from typing import Any

__version__ = "0.1.0"

#: Public names by the module that has them. Of the measures they are those that people type most;
#: ``rankstone.measures`` has every one.
_HOMES = {
    name: f"rankstone.{module}"
    for module, names in {
        "verbs.evaluate": "evaluate",
        "verbs.explain": "explain",
        "verbs.evaluator": "Evaluator",
        "verbs.compare": "compare",
        "verbs.leaderboard": "leaderboard",
        "stats.leaderboard": "Leaderboard",
        "verbs.fuse": "fuse FusedRun",
        "choices.fusion": "Fusion",
        "verbs.tune": "tune Tuning",
        "verbs.agree": "agree_judgments agree_orderings agree_runs",
        "verbs.power": "power",
        "verbs.gate.gate": "gate",
        "verbs.gate.verdict": "Verdict",
        "verbs.report": "report",
        "page.html": "Report",
        "verbs.verify": "verify Verification",
        "verbs.risk": "RiskCoverage risk_coverage",
        "verbs.p_mrr": "PairedMRR p_mrr",
        "verbs.spans": "evaluate_spans SpanResults",
        "stats.comparison": "Comparison",
        "io.factors": "Factors Scorer",
        "io.items": "Items",
        "io.id_matrices": "true_neighbours",
        "verbs.load": "load_judgments load_run",
        "verbs.pool": "pool",
        "verbs.holes": "holes",
        "io.validate": "validate",
        "io.convert": "convert",
        "verbs.reconcile": "across_tools reconcile",
        "text.tools": "Reconciliation",
        "tools": "TOOLS tool",
        "tools.base": "Tool",
        "measures.explain": "Explanation",
        "io.recognise": "grades_by_position",
        "choices.conventions": "Conventions",
        "core.result": "Result",
        "errors": "DataError MissingDependencyError NothingInCommonError Notice RankstoneError "
        "RankstoneWarning SlowEngineWarning StrictError UsageError",
        "language": "set_language",
        "measures": "AP AUC AUPRC Bpref CG DCG ERR F GMAP IPrec Judged P Q R RBP RR Rprec Success "
        "alpha_nDCG infAP nDCG DEFAULT Cascade Curve Measure all_measures auc cascade "
        "parse_measure pr_area pr_curve risk_area risk_coverage_curve roc_curve",
    }.items()
    for name in names.split()
}
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
