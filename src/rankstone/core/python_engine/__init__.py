"""The pure-Python engine: the same contract as the compiled core, more slowly."""
