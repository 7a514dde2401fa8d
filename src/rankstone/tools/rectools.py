"""RecTools: metrics over tables of ranked recommendations and interactions."""

from rankstone.tools.base import CALLER, SETS, SKIPS, Conventions, Name, Tool

#: All users who were shown anything count, whether or not they have test items.
_SHOWN = {"queries": "run"}
_NEITHER = (
    "it counts the items that were neither shown nor relevant, which are nearly all of a catalogue"
)

TOOLS = (
    Tool(
        name="rectools-0.19",
        tested="0.19.0",
        about=f"{SETS}; {CALLER}; {SKIPS}",
        conventions=Conventions(ties="input", no_relevant="skip"),
        names=(
            Name("NDCG@{k}", "nDCG", {"gain": "binary", "ideal": "full"}),
            Name("NDCG(divide_by_achievable=True)@{k}", "nDCG", {"gain": "binary"}),
            Name("MAP@{k}", "AP"),
            Name("MAP(divide_by_k=True)@{k}", "AP", {"denominator": "k"}),
            Name("MRR@{k}", "RR"),
            Name("Precision@{k}", "P"),
            Name("Precision(r_precision=True)@{k}", "P", {"denominator": "min(k,R)"}),
            Name("Recall@{k}", "R"),
            Name("F1Beta@{k}", "F"),
            Name("HitRate@{k}", "Success"),
            Name("CatalogCoverage@{k}", "Coverage", {"unit": "items", "unknown": "count"}, _SHOWN),
            Name("CatalogCoverage(normalize=True)@{k}", "Coverage", {"unknown": "count"}, _SHOWN),
            Name("MeanInvUserFreq@{k}", "Novelty", {}, _SHOWN),
            Name("AvgRecPopularity@{k}", "Popularity", {}, _SHOWN),
            Name("AvgRecPopularity(normalize=True)@{k}", "Popularity", {"scale": "share"}, _SHOWN),
            Name("IntraListDiversity@{k}", "Diversity", {"distance": "hamming", "single": "zero"}, _SHOWN),
            Name("Serendipity@{k}", "Serendipity", {}, _SHOWN),
            Name("SufficientReco@{k}", "Filled", {"of": "full"}, _SHOWN),
            Name("SufficientReco(deep=True)@{k}", "Filled", {}, _SHOWN),
            Name("CoveredUsers@{k}", "Filled", {"of": "any"}),
        ),
        unsupported={
            "Accuracy@{k}": _NEITHER,
            "MCC@{k}": _NEITHER,
            "PartialAUC@{k}": "its cutoff counts items that are not relevant, not ranks",
            "PAP@{k}": "it reads k items beyond the number of relevant ones",
            "Intersection@{k}": "it compares two runs, as agree does",
            "UnrepeatedReco@{k}": "a repeated item is ranked once here, and a notice counts repetitions",
        },
    ),
)  # fmt: skip
