"""What several measures of one tool have in common."""

#: torchmetrics takes documents with a score of 0 or less as not relevant, in some measures.
TORCH = {"nonpositive": "nonrelevant"}
TOPK = "tied scores stand in the order torch happens to sort them in"
#: BEIR computes some measures itself, the others through pytrec_eval.
BEIR_OWN = {"ties": "input", "queries": "judged", "precision": "float64"}
#: Areas under curves in tools that see candidates: what is not relevant is a negative.
CANDIDATES = {"negatives": "retrieved", "missed": "ignore"}
ROUNDED = "rounded to 5 digits"
FAILS_EMPTY = "it fails on a query without relevant documents"
ABSENT = "queries missing from the run are listed with 0"
