"""Other tools' conventions and other people's numbers, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from rankstone.choices.conventions import Conventions
from rankstone.core.shown import plain
from rankstone.core.text import width, wrapped
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.request import Candidate, Departure, ToolMeasure
from rankstone.text.terminal import aligned, folded
from rankstone.tools import TOOLS
from rankstone.tools.base import Name, Tool

_MUCH_CHANCE = 1.0
_FEW_TOOLS = 3  # named of those that agree with the default


@frozen
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
        return {**plain(vars(self)), "measure": str(self.measure)}

    def __str__(self) -> str:
        return "\n".join(reconciliation(self))


def reconciliation(r: Reconciliation) -> Iterator[str]:
    """Yield the choices that explain a number, in words."""
    yield tr("{} is {:.4f} by default; {} was reported.").format(
        r.measure, r.usual.value, r.reported
    )
    is_usual = bool(r.found) and not r.found[0].choices
    mistakes = [o for o in r.others if o.measure.name in r.measure.definition.mistaken_for]
    if mistakes:
        names = tr(", ").join(_result(other) for other in mistakes)
        yield tr("Another measure that is often reported as {} gives it: {}.").format(
            r.measure, names
        )
    if is_usual:
        yield tr("The default gives it.")
    elif r.found:
        first = r.found[0]
        count = ("One choice explains", "Two choices explain", "Three choices explain")
        explains = tr(count[len(first.choices) - 1])
        meanings = tr("; ").join(_meaning(c, r.measure) for c in first.choices)
        template = tr("{} it too: {}.") if mistakes else tr("{} it: {}.")
        yield template.format(explains, meanings)
        kept = _kept(first, r.measure)
        yield f"  {_result(first)}" + (tr(" ({} as before)").format(kept) if kept else "")
        for other in r.found[1:]:
            yield tr("So would {}").format(_result(other))
    elif r.tools:
        yield tr("No few choices explain it, but a tool's do.")
    if r.tools:
        shown = [tr("{} as {}").format(t.tool, t.name) for t in r.tools]
        every = tr("Tools that give it: {}.").format(tr(", ").join(shown))
        many = is_usual and len(shown) > _FEW_TOOLS
        few = tr(", ").join(shown[:_FEW_TOOLS])
        yield tr("So do {} tools, such as {}.").format(len(shown), few) if many else every
    if r.others and not mistakes:
        yield tr("Another measure gives it: {}.").format(tr(", ").join(map(_result, r.others)))
    if r.explained:
        if r.chance >= _MUCH_CHANCE and not (r.found and not r.found[0].choices):
            yield (
                tr(
                    "{} has few digits: about {:.0f} of the {} choices tried would meet it by chance. "
                    "Give more digits to tell them apart."
                ).format(r.reported, r.chance, r.tried)
            )
        return
    yield tr("None of the {} combinations tried gives it. The nearest:").format(r.tried)
    for near in r.nearest:
        yield f"  {_result(near)}"
    yield tr("Check that data, cutoff and measure are those the number was made with.")


def _result(found: Candidate) -> str:
    chosen = [f"{n}={v}" for where, n, v in found.choices if where != "measure"]
    under = tr(" with {}").format(", ".join(chosen)) if chosen else ""
    return f"{found.measure}{under} = {found.value:.4f}"


def _kept(found: Candidate, measure: Measure) -> str:
    """Name the measure's other choices, which stayed as they were."""
    moved = {name for _, name, _ in found.choices}
    return ", ".join(
        f"{p.name}={found.measure.params[p.name]!r}"
        for p in measure.definition.params
        if p.choices and not p.beside_table and p.name not in moved
    )


def _meaning(choice: Departure, measure: Measure) -> str:
    where, name, value = choice
    if where == "measure":
        meaning = tr((measure.definition.param(name).choices or {}).get(value, ""))
        text = f"{name}={value!r}"
    else:
        field = next((f for f in fields(Conventions) if f.name == name), None)
        meaning = tr(field.metadata.get("values", {}).get(value, "")) if field else ""
        text = f"{name}={value}"
    return f"{text} ({meaning})" if meaning else text


def all_tools(columns: int | None = None) -> Iterator[str]:
    """Yield every tool, and every convention with its values."""
    yield tr("Tools whose numbers --like gives:")
    yield ""
    yield from _table(
        [[tool.name, tr(tool.tested), tr(tool.about)] for tool in TOOLS.values()], columns
    )
    yield ""
    yield tr("Conventions, the default first:")
    default = Conventions()
    for f in fields(Conventions):
        yield ""
        meaning = tr(f.metadata["text"])
        text = tr("{}: {} (default {})").format(f.name, meaning, getattr(default, f.name))
        yield from _texts([text], columns)
        values = [["", v, tr(m)] for v, m in f.metadata.get("values", {}).items()]
        yield from _table(values, columns)


def in_tools(
    rows: Sequence[ToolMeasure], measure: Measure, columns: int | None = None
) -> Iterator[str]:
    """Yield how each tool defines a measure, with values where there are any."""
    valued = any(row.value is not None for row in rows)
    head = [tr("tool"), tr("its name"), tr("in Rankstone"), tr("conventions")]
    head[1:1] = [tr("value")] if valued else []
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
        yield tr("No tool known here has {}.").format(measure.name)
        return
    yield from _table([head, *body], columns, head=True)
    notes = [tr("{}: {}.").format(row.tool, tr(row.note)) for row in rows if row.note]
    if notes:
        yield ""
        yield from _texts(notes, columns)


def one_tool(tool: Tool, columns: int | None = None) -> Iterator[str]:
    """Yield a tool's conventions, its limits, and its measures."""
    tested = tr("Compared with {}.") if tool.tested else tr("Not compared with the tool itself.")
    texts = [
        tr("{}: {}.").format(tool.name, tr(tool.about)),
        tested.format(tr(tool.tested)),
        tr("Conventions: {}.").format(_departures(tool.conventions.diff(Conventions()))),
        *(tr("Beyond conventions: {}.").format(tr(limit)) for limit in tool.limits),
    ]
    yield from _texts(texts, columns)
    yield ""
    rows = [[n.shown, _as(n), _departures(n.conventions, ""), tr(n.note)] for n in tool.names]
    heads = [*map(tr, ("its name", "in Rankstone", "conventions", "note"))]
    yield from _table([heads, *rows], columns, head=True)
    if tool.unsupported:
        yield ""
        rows = [[name, tr(why)] for name, why in tool.unsupported.items()]
        yield from _table([[tr("not supported"), tr("reason")], *rows], columns, head=True)


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
    yield from _table([[tr("choice"), a.name, b.name], *rows], columns, head=True)
    if not rows:
        yield tr("No differences.")


def _choices(name: Name) -> tuple[Any, Any]:
    return dict(name.params), dict(name.conventions)


def _there(name: Name | None) -> str:
    if name is None:
        return "-"
    own = _departures(name.conventions, "")
    return _as(name) + (tr(" with {}").format(own) if own else "")


def _as(name: Name) -> str:
    measure = str(REGISTRY[name.measure](**name.params))
    return f"{measure}@k" if name.has_cutoff and "@" not in measure else measure


def _departures(choices: Any, none: str = "default") -> str:
    return ", ".join(f"{n}={v}" for n, v in choices.items()) or tr(none)


def _texts(texts: Iterable[str], columns: int | None) -> Iterator[str]:
    for text in texts:
        yield from wrapped(text, columns, "  ") if columns else [text]


def _table(rows: Sequence[Sequence[str]], columns: int | None, head: bool = False) -> Iterator[str]:
    """Yield aligned rows, as wide as the terminal at most."""
    for number, cells in enumerate(aligned(folded(rows, columns), lambda _: True)):
        yield "  ".join(cells).rstrip()
        if head and number == 0:
            yield "  ".join("─" * width(cell) for cell in cells)
