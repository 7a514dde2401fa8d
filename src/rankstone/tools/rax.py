"""Rax: metrics for learning to rank in JAX."""

from rankstone.tools.base import CANDIDATES, FLOAT32, Conventions, Name, Tool

TOOLS = (
    Tool(
        name="rax-0.4",
        tested="0.4.0",
        about=CANDIDATES,
        conventions=Conventions(ties="input", precision="float32", missed="ignore", queries="both"),
        names=(
            Name("ndcg_metric@{k}", "nDCG", {"gain": "exp2"}),
            Name("dcg_metric@{k}", "DCG", {"gain": "exp2"}),
            Name("ap_metric@{k}", "AP"),
            Name("mrr_metric@{k}", "RR"),
            Name("precision_metric@{k}", "P", {"denominator": "retrieved"}),
            Name("recall_metric@{k}", "R"),
            Name("opa_metric", "OPA", {"documents": "retrieved"}),
        ),
        limits=(FLOAT32,),
    ),
)
