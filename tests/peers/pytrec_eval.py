"""pytrec_eval-terrier: trec_eval 9.0.8 in Python."""

from __future__ import annotations

from functools import partial

from peers.common import Accepts, Qrels, Run, Values, whole

ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    all_negative=False,
    digits=1e-12,
    refuses={
        "fractional": "TypeError: Expected relevance to be integer.",
        "no grade from 0 up": "fails or crashes the process (see trec_eval)",
    },
)
EXCEPT: dict[str, Accepts] = {}
_CUT = ("P", "recall", "relative_P", "map_cut", "ndcg_cut", "success")
_UNCUT = (
    "map", "gm_map", "Rprec", "bpref", "gm_bpref", "recip_rank", "ndcg", "infAP", "11pt_avg",
    "set_P", "set_recall", "set_relative_P", "set_map", "set_F", "num_ret", "num_rel",
    "num_rel_ret", "num_nonrel_judged_ret", "num_q", "utility", "ndcg_rel", "Rndcg", "G", "binG",
)  # fmt: skip
#: With parameters; pytrec_eval writes none of them in its results.
_WITH = ("set_F.2", "set_F.0.25", "11pt_avg.0,0.5,1")


def version() -> str:
    import importlib.metadata

    return importlib.metadata.version("pytrec-eval-terrier")


def _evaluate(qrels: Qrels, run: Run, k: int | None, *, name: str, asked: str) -> Values:
    import pytrec_eval

    cut, asked = name.format(k=k), asked.format(k=k)
    values = pytrec_eval.RelevanceEvaluator(whole(qrels), {asked}).evaluate(run)
    per_query = {q: next(iter(v.values())) for q, v in values.items()}
    if not per_query:
        return {}, None
    if name.startswith("gm_"):  # its values of queries are logarithms
        return None, pytrec_eval.compute_aggregated_measure(cut, list(per_query.values()))
    return per_query, pytrec_eval.compute_aggregated_measure(cut, list(per_query.values()))


FUNCTIONS = {f"{n}_{{k}}": partial(_evaluate, name=f"{n}_{{k}}", asked=f"{n}.{{k}}") for n in _CUT}
FUNCTIONS |= {n: partial(_evaluate, name=n, asked=n) for n in (*_UNCUT, *_WITH)}
FUNCTIONS |= {
    name: partial(_evaluate, name=name, asked=asked)
    for name, asked in {
        "iprec_at_recall_0.20": "iprec_at_recall.0.20",
        "iprec_at_recall_0.70": "iprec_at_recall.0.70",
        "Rprec_mult_0.60": "Rprec_mult.0.60",
        "Rprec_mult_1.20": "Rprec_mult.1.20",
    }.items()
}


def registry() -> list[str]:
    import pytrec_eval

    return sorted(pytrec_eval.supported_measures)
