"""What users ask for, a module or folder each."""
