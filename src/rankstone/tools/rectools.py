"""RecTools: metrics over tables of ranked recommendations and interactions."""

from rankstone.tools.base import CALLER, MORE_DATA, NO_MEASURE, SETS, SKIPS, Conventions, Name, Tool

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
        ),
        unsupported={
            "Accuracy@{k}": MORE_DATA,
            "MCC@{k}": MORE_DATA,
            "PartialAUC@{k}": "its cutoff counts items that are not relevant, not ranks",
            "PAP@{k}": "it reads k items beyond the number of relevant ones",
            "CatalogCoverage@{k}": MORE_DATA,
            "MeanInvUserFreq@{k}": MORE_DATA,
            "IntraListDiversity@{k}": MORE_DATA,
            "AvgRecPopularity@{k}": MORE_DATA,
            "Serendipity@{k}": MORE_DATA,
            "Intersection@{k}": MORE_DATA,
            "SufficientReco@{k}": NO_MEASURE,
            "UnrepeatedReco@{k}": NO_MEASURE,
            "CoveredUsers@{k}": NO_MEASURE,
        },
    ),
)
