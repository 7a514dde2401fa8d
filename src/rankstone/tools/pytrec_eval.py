"""pytrec_eval: trec_eval 9 behind a Python interface."""

from rankstone.tools.base import Conventions, Tool
from rankstone.tools.trec_eval import names, unsupported

#: Parameters in a name are numbers without a sign, in any order; gains cannot be given.
_NAMES = tuple(
    n for n in names(9, "all_trec") if "{gain" not in n.pattern and "{hit" not in n.pattern
)

TOOLS = (
    Tool(
        name="pytrec_eval-0.5",
        tested="0.5.11 (pytrec-eval-terrier)",
        about="trec_eval 9 behind a Python interface",
        conventions=Conventions(precision="float32", queries="both", sums="plain"),
        names=_NAMES,
        unsupported=unsupported(9, "all_trec"),
        limits=("fractional grades are refused",),
    ),
)
