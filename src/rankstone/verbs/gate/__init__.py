"""Quality gates: rules, baselines, checks and verdicts."""
