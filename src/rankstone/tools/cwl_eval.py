"""cwl_eval: expected gain per document by the C/W/L framework."""

from rankstone.tools.base import MORE_DATA, NO_MEASURE, Conventions, Name, Tool

#: Grades are gains from 0 to 1, and lists are filled up to 1000 documents, where reading ends.
_GAINS = {"max_grade": 1}
_LONG = {**_GAINS, "k": 1000}
_BINARY = "gains between 0 and 1 count as parts of a relevant document there"

TOOLS = (
    Tool(
        name="cwl_eval-1",
        tested="1.0.12",
        about="grades are gains from 0 to 1; runs are read in the order of their lines",
        conventions=Conventions(ties="input", queries="run"),
        names=(
            Name("PrecisionCWLMetric({k})", "P", note=_BINARY),
            Name("RRCWLMetric()", "RR", note=_BINARY),
            Name("APCWLMetric()", "AP", {"denominator": "hits"}, note=_BINARY),
            Name("NDCGCWLMetric({k})", "SDCG", _GAINS),
            Name("RBPCWLMetric({p})", "RBP", {"gain": "scaled"}),
            Name("INSTCWLMetric({T})", "INST", _LONG),
            Name("INSQCWLMetric({T})", "INSQ", _LONG),
            Name("BPMCWLMetric({T},{k})", "BPM", _GAINS),
            Name("NERReq8CWLMetric({k})", "NERR", _GAINS),
            Name("NERReq9CWLMetric({k})", "NERR", {**_GAINS, "patience": "reciprocal"}),
            Name("NERReq10CWLMetric({p})", "NERR", {**_LONG, "patience": "geometric"}),
            Name("NERReq11CWLMetric({T})", "NERR", {**_LONG, "patience": "goal"}),
        ),
        unsupported={
            "TrAPCWLMetric": NO_MEASURE,
            "BPMDCWLMetric": NO_MEASURE,
            "IFTGoalCWLMetric": NO_MEASURE,
            "IFTRateCWLMetric": NO_MEASURE,
            "IFTGoalRateCWLMetric": NO_MEASURE,
            "NPVCWLMetric": "it is RBP with p = 1 / (1 + rate)",
            "SETCWLMetric": NO_MEASURE,
            "TBGCWLMetric": MORE_DATA,
            "UMeasureCWLMetric": MORE_DATA,
        },
        limits=(
            "the weights of RBP are divided by their sum over 1000 ranks, which matters for p above 0.97",
        ),
    ),
)
