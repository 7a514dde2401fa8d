"""ir_measures: one front for several providers."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

from peers.common import Accepts, Qrels, Run, Values, quiet, whole

ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    all_negative=False,
    digits=1e-12,
    refuses={"fractional": "TypeError: Expected relevance to be integer. (provider pytrec_eval)"},
)
_GDEVAL = Accepts(
    takes="scores",
    fractional=False,
    all_negative=False,
    odd_ids=False,
    digits=5.1e-6,
    refuses={
        "fractional": "CalledProcessError: gdeval.pl exits 25",
        "query ids": "must be positive whole numbers; the adapter numbers them",
    },
)
_NAMES = (
    "P@{k}", "AP@{k}", "AP", "R@{k}", "RR@{k}", "RR", "nDCG@{k}", "nDCG", "Success@{k}",
    "Precision@{k}", "MAP@{k}", "MAP", "Recall@{k}", "MRR@{k}", "MRR", "NDCG@{k}", "RPrec", "BPref",
    "SetF(beta=2.0)", "SetF(rel=2,beta=0.25)", "nDCG(judged_only=True)@{k}", "nDCG(gains={{1:3,2:9}})@{k}",
    "AP(judged_only=True,rel=2)", "nDCG(dcg='log2',cutoff=5)", "Accuracy",
    "Accuracy(rel=2)", "Compat", "Compat(p=0.8)",
    "Compat(p=0.8,normalize=False)",
    "Rprec", "Bpref", "Judged@{k}", "SetP", "SetRelP", "SetP(relative=True)", "SetR", "SetF", "SetAP",
    "NumRet", "NumRet(rel=2)", "NumRel", "NumQ", "NumRelRet", "IPrec@0.2", "IPrec@0.7", "infAP",
    "RBP(rel=1,p=0.8)", "BPM(max_rel=4)@{k}", "BPM(T=2.5,max_rel=4,min_rel=0)@{k}", "SDCG(max_rel=4)@{k}",
    "INST(max_rel=4)", "INST(T=2.5,max_rel=4)", "INSQ(max_rel=4)", "INSQ(T=3.0,max_rel=4)",
    "NERR8(max_rel=4)@{k}", "NERR9(max_rel=4)@{k}", "NERR10(max_rel=4)", "NERR10(p=0.7,max_rel=4)",
    "NERR11(max_rel=4)", "NERR11(T=2.5,max_rel=4)",
)  # fmt: skip
_NDEVAL_NAMES = (
    "alpha_DCG@{k}", "alpha_nDCG@{k}", "ERR_IA@{k}", "nERR_IA@{k}", "AP_IA", "MAP_IA", "P_IA@{k}",
    "NRBP", "nNRBP", "StRecall@{k}", "alpha_nDCG(alpha=0.9,rel=2)@{k}", "NRBP(beta=0.8)",
    "α_DCG@{k}", "α_nDCG@{k}",  # noqa: RUF001
)  # fmt: skip
_GDEVAL_NAMES = ("ERR@{k}", "nDCG(dcg='exp-log2')@{k}")
EXCEPT = dict.fromkeys(_GDEVAL_NAMES, _GDEVAL)
EXCEPT |= dict.fromkeys(("NumRel", "NumQ"), replace(ACCEPTS, unretrieved_queries=False))
EXCEPT |= dict.fromkeys(
    ("Accuracy", "Accuracy(rel=2)"),
    replace(ACCEPTS, single_document=False, no_relevant=False),
)
EXCEPT |= dict.fromkeys(
    ("Compat", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"),
    replace(ACCEPTS, ties=False, nonpositive_scores=False),
)
EXCEPT["nNRBP"] = replace(ACCEPTS, no_relevant=False, negative=False)
EXCEPT |= dict.fromkeys(
    ("alpha_DCG@{k}", "α_DCG@{k}", "ERR_IA@{k}"),  # noqa: RUF001
    replace(ACCEPTS, shallowest=2),
)


def version() -> str:
    import ir_measures

    return ir_measures.__version__


def _evaluate(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        import ir_measures

        measure = ir_measures.parse_measure(name.format(k=k))
        judged = whole(qrels)
        per_query = {m.query_id: m.value for m in ir_measures.iter_calc([measure], judged, run)}
        return per_query, ir_measures.calc_aggregate([measure], judged, run)[measure]


def _numbered(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Evaluate with queries numbered from 1, as gdeval.pl needs them."""
    names = list(dict.fromkeys([*qrels, *run]))
    number = {q: str(i) for i, q in enumerate(names, 1)}
    per_query, mean = _evaluate(
        {number[q]: d for q, d in qrels.items()},
        {number[q]: d for q, d in run.items()},
        k,
        name=name,
    )
    return {names[int(i) - 1]: v for i, v in per_query.items()}, mean


FUNCTIONS = {n: partial(_evaluate, name=n) for n in _NAMES}


def _accuracy(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Evaluate queries one by one; it fails if all of the first k documents are relevant."""
    values: dict[str, float] = {}
    for query in run:
        with contextlib.suppress(ZeroDivisionError):
            values |= _evaluate(qrels, {query: run[query]}, k, name=name)[0] or {}
    return values, None


FUNCTIONS |= {n: partial(_accuracy, name=n) for n in ("Accuracy@{k}", "Accuracy(rel=2)@{k}")}


def _by_subtopic(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    """Evaluate a measure of pyndeval, to which a query is its only subtopic."""
    import io

    import pyndeval  # noqa: F401 -- it is a package of its own, which may be missing

    with contextlib.redirect_stderr(io.StringIO()):  # on the single subtopic
        return _evaluate(qrels, run, k, name=name)


FUNCTIONS |= {n: partial(_by_subtopic, name=n) for n in _NDEVAL_NAMES}
FUNCTIONS |= {n: partial(_numbered, name=n) for n in _GDEVAL_NAMES}


def registry() -> list[str]:
    with quiet(DeprecationWarning), quiet(SyntaxWarning):
        from ir_measures.measures import registry as measures

    return sorted(measures)
