"""The verbs, a module or folder each."""
