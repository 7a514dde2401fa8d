"""Elasticsearch and OpenSearch: the metrics of the _rank_eval request."""

from rankstone.tools.base import Conventions, Name, Tool

_SCALE = "its maximum_relevance is the highest grade, which is max_grade here"
_CUT = "the ideal list is cut at the number of hits if that is below k"

TOOLS = (
    Tool(
        name="rank_eval-8",
        tested="the formulas of its source",
        about="ratings from relevant_rating_threshold up (1 by default) are relevant; hits come "
        "ranked",
        conventions=Conventions(ties="input", queries="judged"),
        names=(
            Name("precision@{k}", "P", {"denominator": "retrieved"}),
            Name("recall@{k}", "R"),
            Name("mean_reciprocal_rank@{k}", "RR"),
            Name("dcg@{k}", "DCG", {"gain": "exp2"}),
            Name("dcg(normalize=True)@{k}", "nDCG", {"gain": "exp2"}, note=_CUT),
            Name("expected_reciprocal_rank@{k}", "ERR", note=_SCALE),
        ),
        unsupported={
            "precision(ignore_unlabeled=True)@{k}": (
                "it leaves out unrated documents after the list is cut at k; unjudged='remove' "
                "does so before"
            ),
            "dcg(unknown_doc_rating=0)@{k}": "unrated documents have no grade of their own here",
        },
    ),
)
