"""Measures as requested and as computed, here and in other tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from rankstone.choices.conventions import Conventions
from rankstone.core.cutoff import Budget
from rankstone.core.shown import plain
from rankstone.errors import Notice, UsageError
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures.base import Measure
from rankstone.measures.parse import read_measure, split_names

if TYPE_CHECKING:
    from rankstone.tools.base import Name, Tool


Departure = tuple[str, str, Any]  # where it is made, its name, its value


@frozen
class Candidate:
    """A combination of choices and the value it gives.

    ``choices`` are those that depart from the measure as it was asked for.
    """

    value: float
    measure: Measure
    conventions: Conventions
    aggregate: str
    choices: tuple[Departure, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; NaN is None."""
        return {**plain(vars(self)), "measure": str(self.measure)}


@frozen
class ToolMeasure:
    """A measure in one tool: its name there, the choices behind it, and what they give on data.

    ``candidate`` is None without data, or if the tool's choices cannot be followed.
    """

    tool: str
    name: str
    measure: Measure
    conventions: Conventions
    note: str
    candidate: Candidate | None = None

    @property
    def value(self) -> float | None:
        """The tool's value on data."""
        return self.candidate.value if self.candidate else None

    def to_dict(self) -> dict[str, Any]:
        """Return the tool's name and the values of the candidate."""
        own = self.candidate.to_dict() if self.candidate else {}
        return {"tool": self.tool, "name": self.name, **own}


@frozen(eq=False)
class RequestedMeasure:
    """A measure, the names it was requested by, and the name of its column.

    ``tool_name`` is its name in the tool that is followed, if the tool has it.
    """

    names: tuple[str, ...]
    measure: Measure
    column: str
    tool_name: Name | None = None
    notice: Notice | None = None

    def conventions_for(self, base: Conventions, fixed: Collection[str] = ()) -> Conventions:
        """Return the conventions for this measure; those in ``fixed`` stay as they are."""
        own = self.tool_name.conventions if self.tool_name else {}
        own = {name: value for name, value in own.items() if name not in fixed}
        return base.replace(**own) if own else base


def listed_measures(measures: str | Measure | Iterable[str | Measure]) -> list[str | Measure]:
    """Return measures one by one; a text may name several."""
    single = isinstance(measures, str | Measure)
    given: list[Any] = [measures] if single else list(cast("Iterable[Any]", measures))
    return [m for item in given for m in (split_names(item) if isinstance(item, str) else [item])]


def requested_measures(
    measures: str | Measure | Iterable[str | Measure], tool: Tool | None = None
) -> list[RequestedMeasure]:
    """Return the measures in the order of the request.

    Names of the same measure share a column. If a tool computes one measure in two ways, each has
    a column, and columns are called by the names in the request.
    """
    each = listed_measures(measures)
    base = tool.conventions if tool else Conventions()
    requests: dict[tuple[Measure, Conventions], RequestedMeasure] = {}
    for text in each:
        request = _requested(text, tool)
        key = request.measure, request.conventions_for(base)
        names = requests[key].names if key in requests else ()
        requests[key] = replace(requests.get(key, request), names=(*names, *request.names))
    if not requests:
        raise UsageError("no measure is requested; name at least one.")
    if len({request.column for request in requests.values()}) == len(requests):
        return list(requests.values())
    return [replace(request, column=request.names[0]) for request in requests.values()]


def _requested(text: str | Measure, tool: Tool | None) -> RequestedMeasure:
    measure, name = read_measure(text, tool)
    request = RequestedMeasure((str(text).strip(),), measure, str(measure))
    notice = None
    if tool is None:
        if name is not None and name.note:
            template = tr("{} is read as {}; in the tool that calls it so, {}")
            words = template.format(request.names[0], measure, tr(name.note))
            notice = Notice("tool-differs", 1, words, level="note")
        return replace(request, notice=notice)
    if name is None:
        words = tr(
            "{} has no name in {} that Rankstone knows; computed with its conventions"
        ).format(measure.name, tool.family)
        notice = Notice("not-in-tool", 1, words, level="note")
    elif name.note:
        words = tr("{} is not quite {}'s {}: {}").format(measure, tool.family, name.base, name.note)
        notice = Notice("tool-differs", 1, words, level="note")
    return replace(request, tool_name=name, notice=notice)


def ways_in_tool(measure: Measure, tool: Tool) -> list[RequestedMeasure]:
    """Return a measure in each way a tool computes it; ways that come to the same, once."""
    own = [] if isinstance(measure.get("k"), Budget) else tool.names_of(measure.name)
    has_cutoff = measure.params.get("k") is not None
    fitting = [name for name in own if name.has_cutoff == has_cutoff] or own
    ways: dict[tuple[Measure, str], RequestedMeasure] = {}
    for name in fitting:
        there = measure(**{**name.params, **measure.given})
        written = name.written(there.params)
        if written is not None:
            way = RequestedMeasure((written,), there, written, name)
            ways.setdefault((there, str(name.conventions)), way)
    return list(ways.values())
