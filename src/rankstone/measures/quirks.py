"""What several measures of one tool have in common."""

#: torchmetrics takes documents with a score of 0 or less as not relevant, in some measures.
TORCH = {"nonpositive": "nonrelevant"}
TOPK = "tied scores stand in the order torch.topk happens to give them"
#: BEIR computes some measures itself, the others through pytrec_eval.
BEIR_OWN = {"ties": "input", "queries": "judged", "precision": "float64"}
FAILS_EMPTY = "it fails on a query without relevant documents"
