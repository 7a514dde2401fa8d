"""ranx: measures compiled by Numba, over its own tables of judgments and runs."""

from __future__ import annotations

from rankstone.choices.conventions import Conventions
from rankstone.tools.base import Name, Tool
from rankstone.tools.texts import MEAN_OF_COUNTS

_BPREF = "without relevant, or without other judged documents, it is not a number"
_RBP = "a grade is its own gain there, so grades above 1 give higher values"

TOOLS = (
    Tool(
        name="ranx-0.3",
        tested="0.3.21",
        about="scores are sorted by an algorithm that keeps the order of ties in short lists only",
        conventions=Conventions(ties="input"),
        names=(
            Name("hits@{k}", "NumRelRet", note=MEAN_OF_COUNTS),
            Name("hits@{k}-l{rel}", "NumRelRet", note=MEAN_OF_COUNTS),
            Name("hits-l{rel}", "NumRelRet", note=MEAN_OF_COUNTS),
            Name("hit_rate@{k}", "Success"),
            Name("hit_rate@{k}-l{rel}", "Success"),
            Name("precision@{k}", "P"),
            Name("precision@{k}-l{rel}", "P"),
            Name("precision-l{rel}", "P"),
            Name("recall@{k}", "R"),
            Name("recall@{k}-l{rel}", "R"),
            Name("recall-l{rel}", "R"),
            Name("f1@{k}", "F"),
            Name("f1@{k}-l{rel}", "F"),
            Name("f1-l{rel}", "F"),
            Name("r-precision", "Rprec"),
            Name("r-precision-l{rel}", "Rprec"),
            Name("mrr@{k}", "RR"),
            Name("mrr@{k}-l{rel}", "RR"),
            Name("mrr-l{rel}", "RR"),
            Name("map@{k}", "AP"),
            Name("map@{k}-l{rel}", "AP"),
            Name("map-l{rel}", "AP"),
            Name("dcg@{k}", "DCG"),
            Name("dcg_burges@{k}", "DCG", {"gain": "exp2"}),
            Name("ndcg@{k}", "nDCG"),
            Name("ndcg_burges@{k}", "nDCG", {"gain": "exp2"}),
            Name("dcg@{k}-l{rel}", "DCG"),
            Name("dcg-l{rel}", "DCG"),
            Name("dcg_burges@{k}-l{rel}", "DCG", {"gain": "exp2"}),
            Name("dcg_burges-l{rel}", "DCG", {"gain": "exp2"}),
            Name("ndcg@{k}-l{rel}", "nDCG"),
            Name("ndcg-l{rel}", "nDCG"),
            Name("ndcg_burges@{k}-l{rel}", "nDCG", {"gain": "exp2"}),
            Name("ndcg_burges-l{rel}", "nDCG", {"gain": "exp2"}),
            Name("bpref", "Bpref", conventions={"negatives": "nonrelevant"}, note=_BPREF),
            Name("bpref-l{rel}", "Bpref", conventions={"negatives": "nonrelevant"}, note=_BPREF),
            Name("rbp.{p:decimals}", "RBP", note=_RBP),
            Name("rbp@{p:decimals}", "RBP", note=_RBP),
            Name("rbp.{p:decimals}-l{rel}", "RBP", note=_RBP),
        ),
        unsupported={
            "rbp": "it needs a persistence: 'rbp.95' is p = 0.95",
        },
        limits=(
            "ties in lists of more than 15 documents fall as the sort happens to leave them",
            "fractional grades are cut to whole numbers",
            "judgments and run must have the same queries; make_comparable=True makes them so",
        ),
    ),
)
