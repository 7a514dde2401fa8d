"""Evaluation where the data are."""
