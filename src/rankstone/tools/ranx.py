"""ranx: measures compiled by Numba, over its own tables of judgments and runs."""

from rankstone.tools.base import MEAN_OF_COUNTS, Conventions, Name, Tool

_HITS = f"{MEAN_OF_COUNTS}; the share of queries with a hit, the hit rate, is Success (hit_rate)"
_BPREF = "without relevant, or without other judged documents, it is not a number"
_RBP = "a grade is its own gain there, so grades above 1 give higher values"

TOOLS = (
    Tool(
        name="ranx-0.3",
        tested="0.3.21",
        about="scores are sorted by an algorithm that keeps the order of ties in short lists only",
        conventions=Conventions(ties="input"),
        names=(
            Name("hits@{k} | hits@{k}-l{rel} | hits-l{rel}", "NumRelRet", note=_HITS),
            Name("hit_rate@{k} | hit_rate@{k}-l{rel}", "Success"),
            Name("precision@{k} | precision@{k}-l{rel} | precision-l{rel}", "P"),
            Name("recall@{k} | recall@{k}-l{rel} | recall-l{rel}", "R"),
            Name("f1@{k} | f1@{k}-l{rel} | f1-l{rel}", "F"),
            Name("r-precision | r-precision-l{rel}", "Rprec"),
            Name("mrr@{k} | mrr@{k}-l{rel} | mrr-l{rel}", "RR"),
            Name("map@{k} | map@{k}-l{rel} | map-l{rel}", "AP"),
            Name("dcg@{k}", "DCG"),
            Name("dcg_burges@{k}", "DCG", {"gain": "exp2"}),
            Name("ndcg@{k}", "nDCG"),
            Name("ndcg_burges@{k}", "nDCG", {"gain": "exp2"}),
            Name("dcg@{k}-l{rel} | dcg-l{rel}", "DCG"),
            Name("dcg_burges@{k}-l{rel} | dcg_burges-l{rel}", "DCG", {"gain": "exp2"}),
            Name("ndcg@{k}-l{rel} | ndcg-l{rel}", "nDCG"),
            Name("ndcg_burges@{k}-l{rel} | ndcg_burges-l{rel}", "nDCG", {"gain": "exp2"}),
            Name("bpref | bpref-l{rel}", "Bpref", conventions={"negatives": "nonrelevant"}, note=_BPREF),
            Name("rbp.{p:decimals} | rbp@{p:decimals} | rbp.{p:decimals}-l{rel}", "RBP", note=_RBP),
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
)  # fmt: skip
