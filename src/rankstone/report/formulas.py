"""Formulas of manual pages as trees that a page sets as mathematics."""

from __future__ import annotations

from typing import Any


def formula_tree(text: str) -> Any:
    """Return a formula as a tree."""
    return text
