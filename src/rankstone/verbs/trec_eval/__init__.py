"""What the program trec_eval prints: its options, its lines and their values."""
