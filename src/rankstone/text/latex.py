"""Tables as LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankstone.errors import printable
from rankstone.language import tr
from rankstone.text.blocks import Grid

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # at the start of a row it would be an argument of the line break before
    '"': "''",  # the straight one is missing in the default font encoding
    "±": r"\(\pm\)",
    "▲": r"\(\uparrow\)",
    "▼": r"\(\downarrow\)",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
#: Marks behind a number that become superscripts.
_SUPERSCRIPTS = {"▲": r"\uparrow", "▼": r"\downarrow", "?": "?"}


def latex(grids: Sequence[Grid], label: str) -> Iterator[str]:
    """Yield tables, the second of which shows groups; the lines below a table become its caption.

    Rules of booktabs separate head and body, the best numbers are bold, and marks behind numbers
    are superscripts.
    """
    for number, grid in enumerate(grids):
        yield from ([""] if number else [])
        yield from _table(grid, label + "-groups" * number)


def _table(grid: Grid, label: str) -> Iterator[str]:
    caption = tr("; ").join(grid.foot)
    yield tr("% needs {}").format(r"\usepackage{booktabs}")
    yield r"\begin{table}"
    yield r"  \centering"
    if caption:
        yield f"  \\caption{{{escape(tr('{}.').format(caption[:1].upper() + caption[1:]))}}}"
    yield f"  \\label{{{label}}}"
    yield f"  \\begin{{tabular}}{{{'l' * len(grid.names)}{'r' * len(grid.numbers)}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(map(escape, grid.heads))} \\\\"
    yield r"    \midrule"
    for line in grid.lines:
        numbers = (_number(cell, bold=bold) for cell, bold in line.cells[len(line.names) :])
        yield f"    {' & '.join([*map(escape, line.names), *numbers])} \\\\"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    yield r"\end{table}"


def escape(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> escape("a_b & 95 %")
    'a\\_b \\& 95 \\%'
    """
    return "".join(_ESCAPES.get(c, c) for c in printable(text))


def _number(cell: str, *, bold: bool) -> str:
    value, _, rest = cell.strip().partition(" ")
    shown = f"\\textbf{{{escape(value)}}}" if bold else escape(value)
    if rest in _SUPERSCRIPTS:
        return f"{shown}\\(^{{{_SUPERSCRIPTS[rest]}}}\\)"
    if rest.startswith(">"):
        return f"{shown}\\(^{{{rest}}}\\)"  # as in the caption; only digits and commas follow
    return f"{shown} {escape(rest)}" if rest else shown
