"""The program trec_eval: its options, its lines and their values."""
