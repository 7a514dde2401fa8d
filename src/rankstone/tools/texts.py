"""Sentences about a tool that hold for several tools."""

CANDIDATES = "sees a list of candidates only: relevant documents outside it do not exist"
CALLER = "the caller ranks; documents with equal scores stay in input order"
SETS = "relevant items are a set, so grades are 0 or 1"
SKIPS = "users without relevant items are left out"
FLOAT32 = "it computes in 32 bits, so values agree to about 6 digits"
FAILS_EMPTY = "it fails on a query without relevant documents"
MEAN_OF_COUNTS = "it gives the mean over queries, not the sum"
