"""Formulas of manual pages as MathML, which browsers set without a script."""

from __future__ import annotations

from html import escape

from rankstone.measures.base import Measure
from rankstone.measures.explain import formula_of
from rankstone.report.formulas import Node, formula_tree

_LEAVES = {"n": "mn", "i": "mi", "o": "mo", "t": "mtext"}
_BRANCHES = {"frac": "mfrac", "sub": "msub", "sup": "msup", "under": "munder"}


def formula(measure: Measure) -> str:
    """Return the formula of a measure as a block of HTML with the words that follow it."""
    tree = formula_tree(formula_of(measure))
    if isinstance(tree, str):
        return f'<p class="formula">{escape(tree)}</p>'
    words = f"<p>{escape(tree['rest'])}</p>" if tree["rest"] else ""
    return f'<div class="formula"><math display="block">{_row(tree["math"])}</math></div>{words}'


def _row(nodes: list[Node]) -> str:
    inside = "".join(map(_element, nodes))
    return inside if len(nodes) == 1 else f"<mrow>{inside}</mrow>"


def _element(node: Node) -> str:
    kind, *parts = node
    if kind in _LEAVES:
        tag = _LEAVES[kind]
        text = escape(parts[0])
        # Words next to a symbol need a space, which MathML would not set.
        return f"<{tag}>&#160;{text}&#160;</{tag}>" if kind == "t" else f"<{tag}>{text}</{tag}>"
    tag = _BRANCHES[kind]
    return f"<{tag}>{''.join(map(_row, parts))}</{tag}>"
