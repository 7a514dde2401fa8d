"""Statistics of per-query values: tests, intervals, corrections, planning, agreement."""
