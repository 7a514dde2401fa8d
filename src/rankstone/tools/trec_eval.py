"""trec_eval: the table of its measures, in the order of its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from rankstone.frozen import frozen
from rankstone.tools.base import Conventions, Name, Tool

NEWEST = 10
_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = (0, *(i / 10 for i in range(1, 10)), 1)
_MULTIPLES = tuple(i / 10 for i in range(2, 21, 2))
_GAINS = ("{gain:table}",)
#: Runs that are measured by preferences are sorted the other way round.
_PREFERENCES = {"ties": "docid-asc"}


@frozen(kw_only=True)
class Line:
    """One of trec_eval's measures, which prints one line, or one for each value of a parameter.

    Args:
        name: trec_eval's name.
        measure: Rankstone's measure; empty for text that is not a number.
        sets: the nicknames it belongs to, ``official all_trec``.
        params: fixed parameters of the measure.
        v9_params: those that differ in version 9.
        per_value_of: the parameter for each of whose values it prints a line.
        values: the values if none are given after the dot.
        arguments: what else may be given after the dot; other text there has no effect.
        integer: prints whole numbers.
        summary_only: is printed for all queries, not for each.
        with_c: parameters with which the judgments alone give the summary under -c.
        since: the first version that has it.
        format: the format of judgments it needs.
        note: what it does that no parameter expresses.
    """

    name: str
    measure: str = ""
    sets: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    v9_params: Mapping[str, Any] = field(default_factory=dict)
    per_value_of: str = ""
    values: tuple[float, ...] = ()
    arguments: tuple[str, ...] = ()
    integer: bool = False
    summary_only: bool = False
    with_c: Mapping[str, Any] | None = None
    since: int = 9
    format: str = "qrels"
    note: str = ""

    def params_in(self, version: int) -> dict[str, Any]:
        """Return the fixed parameters in a version."""
        return {**self.params, **(self.v9_params if version < NEWEST else {})}


def _line(name: str, measure: str, sets: str = "", **more: Any) -> Line:
    return Line(name=name, measure=measure, sets=sets, **more)


def _preferences(name: str, pairs: str, mean: str, sets: str = "all_prefs") -> Line:
    return _line(name, "Pref", sets, params={"mean": mean, "which": pairs}, format="prefs")


def _preference_count(name: str, **params: str) -> Line:
    return _line(name, "NumPref", "all_prefs prefs", params=params, integer=True, format="prefs")


_ANY = "official all_trec set prefs all_prefs qrels_jg"
LINES = (
    _line("runid", "", _ANY, format="any"),
    _line("num_q", "NumQ", _ANY, integer=True, summary_only=True, with_c={}, format="any"),
    _line("num_ret", "NumRet", "official all_trec set", integer=True),
    _line("num_rel", "NumRel", "official all_trec set", integer=True, with_c={"rel": 1}),
    _line("num_rel_ret", "NumRelRet", "official all_trec set", integer=True),
    _line("map", "AP", "official all_trec"),
    _line("gm_map", "GMAP", "official all_trec", summary_only=True),
    _line("Rprec", "Rprec", "official all_trec"),
    _line("bpref", "Bpref", "official all_trec"),
    _line("recip_rank", "RR", "official all_trec"),
    _line(
        "iprec_at_recall",
        "IPrec",
        "official all_trec",
        v9_params={"rounding": "up"},
        per_value_of="recall",
        values=_TENTHS,
    ),
    _line("P", "P", "official all_trec", per_value_of="k", values=_CUTS),
    _line("relstring", "", "all_trec", values=(10,)),
    _line("recall", "R", "all_trec", per_value_of="k", values=_CUTS),
    _line("infAP", "infAP", "all_trec"),
    _line("gm_bpref", "GMBpref", "all_trec", summary_only=True),
    _line("Rprec_mult", "Rprec", "all_trec", per_value_of="multiple", values=_MULTIPLES),
    _line("utility", "Utility", "all_trec set", arguments=("{hit},{noise},{miss},{rest}",)),
    _line("11pt_avg", "AvgIPrec", "all_trec", v9_params={"rounding": "up"}, arguments=("{points:list}",)),
    _line("binG", "BinG", "all_trec"),
    _line("G", "G", "all_trec", arguments=_GAINS),
    _line("dcg", "DCG", arguments=_GAINS, since=10),
    _line("ideal_dcg", "IdealDCG", arguments=_GAINS, since=10),
    _line("ndcg", "nDCG", "all_trec", arguments=_GAINS),
    _line("ndcg_rel", "nDCGRel", "all_trec", arguments=_GAINS),
    _line("Rndcg", "RnDCG", "all_trec", arguments=_GAINS),
    _line("ndcg_cut", "nDCG", "all_trec", per_value_of="k", values=_CUTS),
    _line("map_cut", "AP", "all_trec", per_value_of="k", values=_CUTS),
    _line("relative_P", "P", "all_trec", params={"denominator": "min(k,R)"}, per_value_of="k", values=_CUTS),
    _line("success", "Success", "all_trec", per_value_of="k", values=(1, 5, 10)),
    _line("set_P", "P", "all_trec set"),
    _line("set_relative_P", "P", "all_trec set", params={"denominator": "min(k,R)"}),
    _line("set_recall", "R", "all_trec set"),
    _line("set_map", "SetAP", "all_trec set"),
    _line("set_F", "F", "all_trec set", arguments=("{beta:square}",)),
    _line("num_nonrel_judged_ret", "NumNonrelRet", "all_trec", integer=True),
    _preference_count("prefs_num_prefs_poss"),
    _preference_count("prefs_num_prefs_ful", kept="yes"),
    _preference_count("prefs_num_prefs_ful_ret", kept="yes", which="retrieved"),
    _preferences("prefs_simp", "all", "preferences", "all_prefs prefs"),
    _preferences("prefs_pair", "all", "pairs", "all_prefs prefs"),
    _preferences("prefs_avgjg", "all", "groups", "all_prefs prefs"),
    _preferences("prefs_avgjg_Rnonrel", "all", "balanced"),
    _preferences("prefs_simp_ret", "retrieved", "preferences"),
    _preferences("prefs_pair_ret", "retrieved", "pairs"),
    _preferences("prefs_avgjg_ret", "retrieved", "groups"),
    _preferences("prefs_avgjg_Rnonrel_ret", "retrieved", "balanced"),
    _preferences("prefs_simp_imp", "found", "preferences"),
    _preferences("prefs_pair_imp", "found", "pairs"),
    _preferences("prefs_avgjg_imp", "found", "groups"),
    _line("map_avgjg", "AP", "qrels_jg", format="qrels_jg"),
    _line("P_avgjg", "P", "qrels_jg", per_value_of="k", values=_CUTS, format="qrels_jg"),
    _line("Rprec_mult_avgjg", "Rprec", "qrels_jg", per_value_of="multiple", values=_MULTIPLES, format="qrels_jg"),
    _line("yaap", "YAAP"),
    _line(
        "rbp",
        "RBP",
        "all_trec",
        params={"p": 0.9, "gain": "scaled"},
        arguments=(*_GAINS, "p={p}"),
        since=10,
        note="it reads two numbers that were never set, so its value depends on the compiler",
    ),
    _line(
        "rbp_resid",
        "RBPResidual",
        "all_trec",
        params={"p": 0.9, "tail": "unjudged"},
        arguments=("p={p}",),
        since=10,
    ),
    _line("unj", "Unjudged", "all_trec", per_value_of="k", values=(5, 10, 20), since=10),
)  # fmt: skip


def lines(version: int = NEWEST) -> dict[str, Line]:
    """Return the measures that a version has, by name and in the order of its output."""
    return {line.name: line for line in LINES if line.since <= version}


def nicknames(version: int = NEWEST) -> dict[str, list[str]]:
    """Return the names of measures by nickname."""
    sets: dict[str, list[str]] = {}
    for line in lines(version).values():
        for nickname in line.sets.split():
            sets.setdefault(nickname, []).append(line.name)
    return sets


def names(version: int, nickname: str = "") -> Iterator[Name]:
    """Yield the names of a version's measures, or of those with a nickname."""
    for line in lines(version).values():
        if not line.measure or line.format == "qrels_jg" or nickname not in line.sets:
            continue
        params = line.params_in(version)
        more = _PREFERENCES if line.format == "prefs" else {}
        if line.per_value_of:
            for dot in "_.":
                yield Name(f"{line.name}{dot}{{{line.per_value_of}}}", line.measure, params)
            continue
        yield Name(line.name, line.measure, params, more, line.note)
        for argument in line.arguments:
            unlisted = {"unlisted": "grade"} if argument in _GAINS else {}
            for dot in "._":
                pattern = f"{line.name}{dot}{argument}"
                yield Name(pattern, line.measure, {**params, **unlisted}, more, line.note)


def unsupported(version: int, nickname: str = "") -> dict[str, str]:
    """Return the measures whose values ``evaluate`` cannot give, and why."""
    reasons = {}
    for line in LINES:
        pattern = line.name + ("_{k}" if line.per_value_of == "k" else "")
        if nickname not in line.sets:
            continue
        if not line.measure:
            reasons[pattern] = "it is text, not a number; 'rankstone trec_eval' prints it"
        elif line.format == "qrels_jg":
            reasons[pattern] = (
                "it needs judgments of several people; 'rankstone trec_eval -R qrels_jg' gives it"
            )
        elif line.since > version and not nickname:
            reasons[pattern] = f"it is new in trec_eval {line.since}"
    return reasons


TOOLS = (
    Tool(
        name="trec_eval-9",
        tested="9.0.8",
        about="queries missing from the run are left out of every mean; scores are compared as 32-bit floats",
        conventions=Conventions(precision="float32", queries="both", sums="plain"),
        names=tuple(names(9)),
        unsupported=unsupported(9),
    ),
    Tool(
        name="trec_eval-10",
        tested="10.0",
        about="scores are 64-bit numbers",
        conventions=Conventions(queries="both", sums="plain"),
        names=tuple(names(10)),
        unsupported=unsupported(10),
        limits=("a query that is missing from the run ends the program",),
    ),
)
