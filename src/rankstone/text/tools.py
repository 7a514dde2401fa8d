"""Other tools' conventions and other people's numbers, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from rankstone.choices.conventions import Conventions
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.request import Candidate, Departure, ToolMeasure
from rankstone.text.terminal import aligned, folded, width, wrapped
from rankstone.tools import TOOLS
from rankstone.tools.base import Name, Tool

_MUCH_CHANCE = 1.0
_FEW_TOOLS = 3  # named of those that agree with the default


@dataclass(frozen=True)
class Reconciliation:
    """The choices that give a reported number.

    ``usual`` is the value without any departure; ``found`` the combinations with the fewest
    departures that give the number within the precision it was printed with, ``tools`` those
    whose own conventions give it, ``others`` other measures that do: those that are often mistaken
    for this one, or any if nothing else does. Where
    there are none, ``nearest`` come closest. ``chance`` is the number of values tried that would
    meet the reported one by chance.
    """

    measure: Measure
    reported: str
    usual: Candidate
    found: tuple[Candidate, ...]
    tools: tuple[ToolMeasure, ...]
    nearest: tuple[Candidate, ...]
    tried: int
    others: tuple[Candidate, ...] = ()
    chance: float = 0.0

    @property
    def explained(self) -> bool:
        """Whether anything gives the number."""
        return bool(self.found or self.tools or self.others)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "measure": str(self.measure),
            "reported": self.reported,
            "usual": _plain(self.usual),
            "found": [_plain(f) for f in self.found],
            "tools": [
                {"tool": t.tool, "name": t.name, **_plain(t.candidate)}
                for t in self.tools
                if t.candidate
            ],
            "nearest": [_plain(f) for f in self.nearest],
            "tried": self.tried,
            "others": [_plain(f) for f in self.others],
            "chance": self.chance,
        }

    def __str__(self) -> str:
        return "\n".join(reconciliation(self))


def reconciliation(r: Reconciliation) -> Iterator[str]:
    """Yield the choices that explain a number, in words."""
    yield f"{r.measure} is {r.usual.value:.4f} by default; {r.reported} was reported."
    is_usual = bool(r.found) and not r.found[0].choices
    mistakes = [o for o in r.others if o.measure.name in r.measure.definition.mistaken_for]
    if mistakes:
        names = ", ".join(_result(other) for other in mistakes)
        yield f"Another measure that is often reported as {r.measure} gives it: {names}."
    if is_usual:
        yield "The default gives it."
    elif r.found:
        first = r.found[0]
        count = {1: "One choice explains", 2: "Two choices explain", 3: "Three choices explain"}
        meanings = "; ".join(_meaning(c, r.measure) for c in first.choices)
        yield f"{count[len(first.choices)]} it{' too' * bool(mistakes)}: {meanings}."
        kept = _kept(first, r.measure)
        yield f"  {_result(first)}" + (f" ({kept} as before)" if kept else "")
        for other in r.found[1:]:
            yield f"So would {_result(other)}"
    elif r.tools:
        yield "No few choices explain it, but a tool's do."
    if r.tools:
        shown = [f"{t.tool} as {t.name}" for t in r.tools]
        every = f"Tools that give it: {', '.join(shown)}."
        many = is_usual and len(shown) > _FEW_TOOLS
        few = ", ".join(shown[:_FEW_TOOLS])
        yield f"So do {len(shown)} tools, such as {few}." if many else every
    if r.others and not mistakes:
        yield "Another measure gives it: " + ", ".join(_result(other) for other in r.others) + "."
    if r.explained:
        if r.chance >= _MUCH_CHANCE and not (r.found and not r.found[0].choices):
            yield (
                f"{r.reported} has few digits: about {r.chance:.0f} of the {r.tried} choices tried "
                "would meet it by chance. Give more digits to tell them apart."
            )
        return
    yield f"None of the {r.tried} combinations tried gives it. The nearest:"
    for near in r.nearest:
        yield f"  {_result(near)}"
    yield "Check that data, cutoff and measure are those the number was made with."


def _result(found: Candidate) -> str:
    chosen = [f"{n}={v}" for where, n, v in found.choices if where != "measure"]
    under = f" with {', '.join(chosen)}" if chosen else ""
    return f"{found.measure}{under} = {found.value:.4f}"


def _kept(found: Candidate, measure: Measure) -> str:
    """Name the measure's other choices, which stayed as they were."""
    moved = {name for _, name, _ in found.choices}
    return ", ".join(
        f"{p.name}={found.measure.params[p.name]!r}"
        for p in measure.definition.params
        if p.choices and not p.beside_table and p.name not in moved
    )


def _plain(found: Candidate) -> dict[str, Any]:
    return {
        "value": found.value,
        "measure": str(found.measure),
        "conventions": found.conventions.to_dict(),
        "aggregate": found.aggregate,
        "choices": [list(c) for c in found.choices],
    }


def _meaning(choice: Departure, measure: Measure) -> str:
    where, name, value = choice
    if where == "measure":
        meaning = (measure.definition.param(name).choices or {}).get(value, "")
        text = f"{name}={value!r}"
    else:
        field = next((f for f in fields(Conventions) if f.name == name), None)
        meaning = field.metadata.get("values", {}).get(value, "") if field else ""
        text = f"{name}={value}"
    return f"{text} ({meaning})" if meaning else text


def all_tools(columns: int | None = None) -> Iterator[str]:
    """Yield every tool, and every convention with its values."""
    yield "Tools whose numbers --like gives:"
    yield ""
    yield from _table([[tool.name, tool.tested, tool.about] for tool in TOOLS.values()], columns)
    yield ""
    yield "Conventions, the default first:"
    default = Conventions()
    for f in fields(Conventions):
        yield ""
        text = f"{f.name}: {f.metadata['text']} (default {getattr(default, f.name)})"
        yield from _texts([text], columns)
        values = [["", v, m] for v, m in f.metadata.get("values", {}).items()]
        yield from _table(values, columns)


def in_tools(
    rows: Sequence[ToolMeasure], measure: Measure, columns: int | None = None
) -> Iterator[str]:
    """Yield how each tool defines a measure, with values where there are any."""
    valued = any(row.value is not None for row in rows)
    head = ["tool", *(["value"] if valued else []), "its name", "in Rankstone", "conventions"]
    body = [
        [
            row.tool,
            *(["-" if row.value is None else f"{row.value:.4f}"] if valued else []),
            row.name,
            str(row.measure),
            _departures(row.conventions.diff(Conventions())),
        ]
        for row in rows
    ]
    if not body:
        yield f"No tool known here has {measure.name}."
        return
    yield from _table([head, *body], columns, head=True)
    notes = [f"{row.tool}: {row.note}." for row in rows if row.note]
    if notes:
        yield ""
        yield from _texts(notes, columns)


def one_tool(tool: Tool, columns: int | None = None) -> Iterator[str]:
    """Yield a tool's conventions, its limits, and its measures."""
    tested = (
        f"Compared with {tool.tested}." if tool.tested else "Not compared with the tool itself."
    )
    texts = [
        f"{tool.name}: {tool.about}.",
        tested,
        f"Conventions: {_departures(tool.conventions.diff(Conventions()))}.",
        *(f"Beyond conventions: {limit}." for limit in tool.limits),
    ]
    yield from _texts(texts, columns)
    yield ""
    rows = [[n.shown, _as(n), _departures(n.conventions, ""), n.note] for n in tool.names]
    heads = ["its name", "in Rankstone", "conventions", "note"]
    yield from _table([heads, *rows], columns, head=True)
    if tool.unsupported:
        yield ""
        yield from _table(
            [["not supported", "reason"], *map(list, tool.unsupported.items())], columns, head=True
        )


def difference(a: Tool, b: Tool, columns: int | None = None) -> Iterator[str]:
    """Yield every choice on which two tools differ."""
    ours, theirs = a.conventions.to_dict(), b.conventions.to_dict()
    rows = [[n, str(v), str(theirs[n])] for n, v in ours.items() if v != theirs[n]]
    for measure in REGISTRY:
        left, right = (next(iter(tool.names_of(measure)), None) for tool in (a, b))
        if left is None and right is None:
            continue
        if left is None or right is None or _choices(left) != _choices(right):
            rows.append([measure, _there(left), _there(right)])
    yield from _table([["choice", a.name, b.name], *rows], columns, head=True)
    if not rows:
        yield "No differences."


def _choices(name: Name) -> tuple[Any, Any]:
    return dict(name.params), dict(name.conventions)


def _there(name: Name | None) -> str:
    if name is None:
        return "-"
    own = _departures(name.conventions, "")
    return _as(name) + (f" with {own}" if own else "")


def _as(name: Name) -> str:
    measure = str(REGISTRY[name.measure](**name.params))
    return f"{measure}@k" if name.has_cutoff and "@" not in measure else measure


def _departures(choices: Any, none: str = "default") -> str:
    return ", ".join(f"{n}={v}" for n, v in choices.items()) or none


def _texts(texts: Iterable[str], columns: int | None) -> Iterator[str]:
    for text in texts:
        yield from wrapped(text, columns, "  ") if columns else [text]


def _table(rows: Sequence[Sequence[str]], columns: int | None, head: bool = False) -> Iterator[str]:
    """Yield aligned rows, as wide as the terminal at most."""
    for number, cells in enumerate(aligned(folded(rows, columns), lambda _: True)):
        yield "  ".join(cells).rstrip()
        if head and number == 0:
            yield "  ".join("─" * width(cell) for cell in cells)
