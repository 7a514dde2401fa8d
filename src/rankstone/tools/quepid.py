"""Quepid: the scorers that every case can use."""

from rankstone.tools.base import Conventions, Name, Tool

_SERVER = "run on the server it is NaN if a document has no rating"
_SCALE = "the highest grade is that of the scorer's scale, which is max_grade here"

TOOLS = (
    Tool(
        name="quepid-8",
        tested="8.6.0",
        about="the search engine ranks; a document without a rating counts as 0",
        conventions=Conventions(ties="input", queries="both"),
        names=(
            Name("AP@{k}", "AP", note="it is NaN if no document is rated above 0"),
            Name("CG@{k}", "CG", note=_SERVER),
            Name("DCG@{k}", "DCG", {"gain": "exp2"}, note=_SERVER),
            Name("nDCG@{k}", "nDCG", {"gain": "exp2", "ideal": "uncut"}),
            Name("nDCG_cut@{k}", "nDCG", {"gain": "exp2"}),
            Name("ERR@{k}", "ERR", note=_SCALE),
            Name("P@{k}", "P", {"denominator": "retrieved"}),
            Name("RR@{k}", "RR"),
        ),
        limits=(
            "a case shows the mean of its queries, of which those without a score are left out",
        ),
    ),
)
