"""The five articles of docs/articles.md: their code, or their formulas if they have no code."""

from rankstone.tools.base import CALLER, Conventions, Name, Tool

_JARVELIN = {"discount": "jarvelin"}
_RETRIEVED = {"ideal": "retrieved"}
_AGAIN = "a repeated document counts again"

TOOLS = (
    Tool(
        name="article-1",
        tested="the code of the first article",
        about=f"{CALLER}; a repeated document keeps its ranks and counts once",
        conventions=Conventions(ties="input", queries="both", duplicates="keep"),
        names=(
            Name("precision@{k} | Prec@{k}", "P"),
            Name("average_precision", "AP"),
            Name("reciprocal_rank", "RR"),
            Name("NDCG", "nDCG", {"gain": "binary"}, note=f"{_AGAIN} in it"),
        ),
        unsupported={
            "NDCG(use_graded_scores=True)": (
                "a grade is 1 / position there; rankstone.grades_by_position makes such judgments"
            )
        },
    ),
    Tool(
        name="article-2",
        tested="the code and the formulas of the second article",
        about=CALLER,
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("AP", "AP", note=f"{_AGAIN} in it"),
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("FScore@{k} | F-Score", "F"),
            Name("HR@{k} | HitRate@{k} | hit_ratio@{k}", "Success"),
            Name("MRR", "RR"),
            Name("NDCG@{k}", "nDCG", {"gain": "exp2"}),
        ),
    ),
    Tool(
        name="article-3",
        tested="the printed numbers of the third article",
        about=f"{CALLER}; ranks 1 and 2 are not discounted, unlike in its formulas",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("AveP", "AP"),
            Name("CG@{k}", "CG"),
            Name("DCG@{k}", "DCG", _JARVELIN),
            Name("NDCG@{k}", "nDCG", {**_RETRIEVED, **_JARVELIN}),
        ),
    ),
    Tool(
        name="article-4",
        tested="the code and the formulas of the fourth article",
        about=CALLER,
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("dcg_at_k@{k}", "DCG"),
            Name("dcg_at_k(method=0)@{k}", "DCG", _JARVELIN),
            Name("ndcg_at_k@{k}", "nDCG", _RETRIEVED),
            Name("ndcg_at_k(method=0)@{k}", "nDCG", {**_RETRIEVED, **_JARVELIN}),
            Name("NDCG_u@{k}", "nDCG", {"gain": "exp2", "ideal": "uncut"}),
            Name("HR@{k}", "Success", {"how": "pooled"}),
            Name("hit", "NumRelRet", note=_AGAIN),
        ),
        unsupported={"mrr": "it counts ranks from 0, and fails if the first document is relevant"},
    ),
    Tool(
        name="article-5",
        tested="the formulas of the fifth article",
        about=CALLER,
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("Precision@{k}", "P"),
            Name("Recall@{k}", "R"),
            Name("F-Measure", "F", note="its formula holds for a = 1 only"),
            Name("MRR", "RR"),
            Name("DCG@{k}", "DCG"),
            Name("nDCG@{k}", "nDCG"),
            Name("ERR | cascade", "ERR"),
        ),
        unsupported={
            "ndcg_score@{k}": "it takes predicted scores for gains, and fails on lists shorter than k"
        },
    ),
)
