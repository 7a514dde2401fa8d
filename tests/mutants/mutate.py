"""Small changes of a program that its tests should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BINARY = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A change of the node that is visited ``number``-th, at a line.

    ``place`` is the function, class or assignment that holds it, so that a mutant keeps its name when
    the lines around it change.
    """

    path: str
    number: int
    line: int
    text: str
    place: str

    def __str__(self) -> str:
        return f"{self.path} {self.place}: {self.text}"


def mutants_of(path: str, source: str) -> list[Mutant]:
    """Return every mutant of a file."""
    tree = ast.parse(source)
    places = _places(tree)
    return [
        Mutant(path, number, node.lineno, text, places.get(node, "-"))
        for number, (node, text) in enumerate(_changes(tree))
    ]


def _places(tree: ast.AST, outer: str = "") -> dict[ast.AST, str]:
    """Return the function, class or assignment that holds each node."""
    places: dict[ast.AST, str] = {}
    for child in ast.iter_child_nodes(tree):
        name = outer
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{outer}.{child.name}".lstrip(".")
        elif isinstance(child, ast.Assign | ast.AnnAssign) and isinstance(
            tree, ast.Module | ast.ClassDef
        ):
            target = child.targets[0] if isinstance(child, ast.Assign) else child.target
            name = f"{outer}.{ast.unparse(target)}".lstrip(".")
        places[child] = name or "-"
        places |= _places(child, name)
    return places


def mutated(source: str, mutant: Mutant) -> str:
    """Return the source with one change."""
    tree = ast.parse(source)
    for number, (node, _) in enumerate(_changes(tree)):
        if number == mutant.number:
            _apply(node)
            return ast.unparse(ast.fix_missing_locations(tree))
    raise ValueError(mutant)


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield the nodes that can be changed, with the change in words."""
    parent = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in _visited(tree):
        before = ast.unparse(node) if isinstance(node, ast.expr) else ""
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARE:
            yield node, f"{before}: {_COMPARE[type(node.ops[0])].__name__}"
        elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY and not _is_text(node):
            yield node, f"{before}: {_BINARY[type(node.op)].__name__}"
        elif isinstance(node, ast.BoolOp):
            yield node, f"{before}: {'or' if isinstance(node.op, ast.And) else 'and'}"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            yield node, f"{before}: without {type(node.op).__name__}"
        elif isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
            holder = parent[node]
            within = f" of {ast.unparse(holder)}" if isinstance(holder, ast.expr) else ""
            yield node, f"{before}{within}: {_other(node.value)}"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _CALLS:
            yield node, f"{before}: {_CALLS[node.func.id]}"


def _visited(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes, but those of annotations, decorators and checks of types."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.AnnAssign | ast.arg) and child is tree.annotation:
            continue
        if isinstance(tree, ast.FunctionDef) and child is tree.returns:
            continue
        if child in getattr(tree, "decorator_list", ()):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") == "isinstance":
            continue
        if isinstance(tree, ast.Raise) or getattr(getattr(tree, "func", None), "id", "") == "zip":
            continue  # strict=True of zip guards what cannot happen
        if isinstance(child, ast.keyword) and child.arg == "examples":
            continue  # any other value of a parameter is an example as well
        yield child
        yield from _visited(child)


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
        for side in (node.left, node.right)
    )


def _other(value: float) -> float:
    return (not value) if isinstance(value, bool) else value + 1


def _apply(node: ast.AST) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = _COMPARE[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp):
        node.op = _BINARY[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):  # twice is not at all
        node.operand = ast.UnaryOp(op=type(node.op)(), operand=node.operand)
    elif isinstance(node, ast.Constant):
        node.value = _other(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        node.func.id = _CALLS[node.func.id]
