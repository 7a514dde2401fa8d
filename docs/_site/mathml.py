"""Formulas of manual pages as MathML, which browsers set without a script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rankstone.measures.base import Measure
from rankstone.page.formulas import Node, formula_tree

_LEAVES = {"n": "mn", "i": "mi", "o": "mo", "t": "mtext"}
_BRANCHES = {"frac": "mfrac", "sub": "msub", "sup": "msup", "under": "munder"}


def formula(measure: Measure) -> str:
    """Return the formula of a measure as a block of HTML with the words that follow it."""
    tree = formula_tree(measure.definition.formula)
    if isinstance(tree, str):
        return f'<p class="formula">{escape(tree)}</p>'
    words = f"<p>{escape(tree['rest'])}</p>" if tree["rest"] else ""
    lines = "".join(f'<math display="block">{_row(line)}</math>' for line in _lines(tree["math"]))
    return f'<div class="formula">{lines}</div>{words}'


def _lines(nodes: list[Node]) -> Iterator[list[Node]]:
    """Yield the equations of a formula, which commas outside of brackets separate."""
    line: list[Node] = []
    depth = 0
    for node in nodes:
        depth += (node == ["o", "("]) - (node == ["o", ")"])
        if node == ["o", ","] and depth == 0:
            yield line
            line = []
        else:
            line.append(node)
    yield line


def _row(nodes: list[Node]) -> str:
    inside = "".join(_element(node, tall=_is_tall(nodes, at)) for at, node in enumerate(nodes))
    return inside if len(nodes) == 1 else f"<mrow>{inside}</mrow>"


def _is_tall(nodes: list[Node], at: int) -> bool:
    """Return whether a bracket has a fraction between it and its partner, and is as tall."""
    step = {"(": 1, ")": -1}.get(str(nodes[at][1]), 0)
    depth = 0
    for node in nodes[at::step] if step else ():
        depth += (node == ["o", "("]) - (node == ["o", ")"])
        if node[0] == "frac":
            return True
        if depth == 0:
            break
    return False


def _element(node: Node, *, tall: bool) -> str:
    kind, *parts = node
    if kind == "o" and not tall:
        return f'<mo stretchy="false">{escape(parts[0])}</mo>'
    if kind in _LEAVES:
        tag = _LEAVES[kind]
        text = escape(parts[0])
        # Words next to a symbol need a space, which MathML would not set.
        return f"<{tag}>&#160;{text}&#160;</{tag}>" if kind == "t" else f"<{tag}>{text}</{tag}>"
    tag = _BRANCHES[kind]
    return f"<{tag}>{''.join(map(_row, parts))}</{tag}>"
