"""LightGBM: the metrics that look at queries."""

import math

from rankstone.tools.base import CANDIDATES, Conventions, Name, Tool

_GAIN = {"gain": "exp2"}
_AP = {"denominator": "min(R,k)"}
#: A label above 0.5 is relevant.
_RELEVANT = {"relevance": math.nextafter(0.5, 1)}
_ALL_ROWS = "it looks at the rows of all queries at once"

TOOLS = (
    Tool(
        name="lightgbm-4",
        tested="4.7.0",
        about=f"{CANDIDATES}; a query without relevant documents scores 1",
        conventions=Conventions(ties="input", missed="ignore", queries="both", no_relevant="one"),
        names=(
            Name("ndcg@{k}", "nDCG", _GAIN),
            Name("ndcg(label_gain=linear)@{k}", "nDCG"),
            Name(
                "lambdarank@{k} | rank_xendcg@{k} | xendcg@{k} | xe_ndcg@{k} | xe_ndcg_mart@{k} | xendcg_mart@{k}",
                "nDCG",
                _GAIN,
            ),
            Name("map@{k} | mean_average_precision@{k}", "AP", _AP, _RELEVANT),
        ),
        unsupported={
            "auc": f"{_ALL_ROWS}; AUC(pairs='all') does so with judged documents",
            "average_precision": _ALL_ROWS,
        },
        limits=("fractional and negative labels are refused where gains are needed",),
    ),
)
