"""ir_measures: one interface to several providers, mostly pytrec_eval."""

from rankstone.tools.base import Argument, Choices, Conventions, Name, Tool

#: gdeval.pl, which computes ERR and nDCG with exponential gains.
_GDEVAL = {"precision": "float64"}
_ROUNDED = "rounded to 5 digits"
_EXP2 = Choices({"gain": "exp2"}, _GDEVAL, _ROUNDED)
_RELATIVE = Choices({"denominator": "min(k,R)"})
#: The provider of reciprocal rank at a cutoff, and the one of judged@k, sort for themselves.
_SORTS = {"ties": "docid-asc", "precision": "float64"}
_ABSENT = "queries missing from the run are listed with 0"
_PAIRS = {"negatives": "retrieved", "missed": "ignore", "tied": "order"}
_ACCURACY = (
    "it fails if all documents are relevant; beside other measures, queries without a relevant "
    "document in the run count as 0"
)
_COMPAT = "documents that were not retrieved count as retrieved with score 0 where grades are equal"
#: cwl_eval, which reads 1000 documents of lists of any length.
_CWL = {"ties": "input", "precision": "float64"}
_LONG = {"k": 1000}
#: pyndeval, which reads judgments by subtopic.
_NDEVAL = {"ties": "docid-asc", "precision": "float64"}
_ZERO_BY_ZERO = "a query without relevant documents is NaN, and so is the mean"
_FIRST = "at cutoff 1 it is not divided by anything"

TOOLS = (
    Tool(
        name="ir_measures-0.4",
        tested="0.4.3",
        about="mostly trec_eval 9, with queries missing from the run counted as 0",
        conventions=Conventions(precision="float32"),
        names=(
            Name("nDCG@{k} | NDCG@{k}", "nDCG"),
            Name("nDCG(dcg='exp-log2')@{k}", "nDCG", *_EXP2),
            Name("AP@{k} | MAP@{k}", "AP"),
            Name("RR", "RR"),
            Name("RR@{k}", "RR", conventions=_SORTS),
            Name("MRR", "RR"),
            Name("MRR@{k}", "RR", conventions=_SORTS),
            Name("P@{k} | Precision@{k}", "P"),
            Name("R@{k} | Recall@{k}", "R"),
            Name("Success@{k}", "Success"),
            Name("ERR@{k}", "ERR", {"max_grade": 4}, _GDEVAL, _ROUNDED),
            Name("RBP", "RBP", conventions=_CWL),
            Name("BPM@{k}", "BPM", conventions=_CWL),
            Name("SDCG@{k}", "SDCG", conventions=_CWL),
            Name("INST", "INST", _LONG, _CWL),
            Name("INSQ", "INSQ", _LONG, _CWL),
            Name("NERR8@{k}", "NERR", conventions=_CWL),
            Name("NERR9@{k}", "NERR", {"patience": "reciprocal"}, _CWL),
            Name("NERR10", "NERR", {"patience": "geometric", **_LONG}, _CWL),
            Name("NERR11", "NERR", {"patience": "goal", **_LONG}, _CWL),
            Name("Rprec | RPrec", "Rprec"),
            Name("Bpref | BPref", "Bpref"),
            Name("infAP", "infAP"),
            Name("IPrec@{recall} | IPrec", "IPrec", {"rounding": "up"}),
            Name("Judged@{k}", "Judged", conventions={"negatives": "nonrelevant", **_SORTS}),
            Name("Accuracy | Accuracy@{k}", "AUC", _PAIRS, _CWL, _ACCURACY),
            Name("Compat", "Compat", {}, _SORTS, _COMPAT),
            Name(
                "alpha_DCG@{k} | α_DCG@{k}",  # noqa: RUF001
                "alpha_DCG",
                {"denominator": "best"},
                _NDEVAL,
                _FIRST,
            ),
            Name("alpha_nDCG@{k} | α_nDCG@{k}", "alpha_nDCG", conventions=_NDEVAL),  # noqa: RUF001
            Name("ERR_IA@{k}", "ERR_IA", {}, _NDEVAL, _FIRST),
            Name("nERR_IA@{k}", "nERR_IA", conventions=_NDEVAL),
            Name("AP_IA | MAP_IA", "AP_IA", conventions=_NDEVAL),
            Name("P_IA@{k}", "P_IA", conventions=_NDEVAL),
            Name("NRBP", "NRBP", conventions=_NDEVAL),
            Name("nNRBP", "nNRBP", conventions=_NDEVAL, note=_ZERO_BY_ZERO),
            Name("StRecall@{k}", "StRecall", conventions=_NDEVAL),
            Name("SetP", "P"),
            Name("SetRelP | SetP(relative=True)", "P", *_RELATIVE),
            Name("SetR", "R"),
            Name("SetF", "F"),
            Name("SetAP", "SetAP"),
            Name("NumQ", "NumQ", conventions={"queries": "both"}, note=_ABSENT),
            Name("NumRet", "NumRet"),
            Name("NumRet(rel={rel}) | NumRelRet", "NumRelRet"),
            Name("NumRel", "NumRel", conventions={"queries": "both"}, note=_ABSENT),
        ),
        arguments={
            "cutoff": Argument("k"),
            "gains": Argument("gain", also={"unlisted": "grade"}),
            "max_rel": Argument("max_grade"),
            "min_rel": Argument(values={0: Choices()}),
            "beta": Argument("beta", "square", measures=("F",)),
            "dcg": Argument(values={"log2": Choices(), "exp-log2": _EXP2}),
            "normalize": Argument(values={True: Choices(), False: Choices({"normalize": "none"})}),
            "relative": Argument(values={False: Choices(), True: _RELATIVE}),
            "judged_only": Argument(values={False: Choices(), True: Choices(conventions={"unjudged": "remove"})}),
        },
        limits=(
            "grades above max_rel count as max_rel, which is refused here",
            "fractional grades are refused by most providers",
            "measures of subtopics have cutoffs up to 20",
        ),
    ),
)  # fmt: skip
