"""Arrays only: ids, judgments, runs, the join, ranks and grades."""
