"""What was measured on a shape of data, and the page, the table and the pictures of all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from timing import Times

_NANO = 1e9


@dataclass(frozen=True)
class Ratio:
    """What was compared, the ratio of the medians, and the goal for it.

    ``processors`` is the ratio of the seconds of all processors, which other programs on the
    machine disturb less than the clock.
    """

    shape: str
    against: str
    ratio: float
    low: float
    high: float
    processors: float
    goal: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the ratio of the medians meets its goal."""
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal

    @classmethod
    def of(
        cls, shape: str, against: str, goal: float, *, long: Times, short: Times, at_least: bool
    ) -> Ratio:
        """Return the ratio of two tasks done in turns, with that of the worst and best turn."""
        turns = [a / b for a, b in zip(long.seconds, short.seconds, strict=True)]
        middle = long.median / short.median
        busy = sum(long.processors) / (sum(short.processors) or float("nan"))
        return cls(shape, against, middle, min(turns), max(turns), busy, goal, at_least)


@dataclass(frozen=True)
class Peak:
    """The most memory a command used, in MB, and the goal for it."""

    shape: str
    megabytes: float
    goal: float

    @property
    def met(self) -> bool:
        """Whether it stayed within the goal."""
        return self.megabytes <= self.goal


@dataclass(frozen=True)
class Cost:
    """What a row costs beyond start-up, in nanoseconds of the clock and of all processors."""

    rows: int
    clock: float
    processors: float

    @classmethod
    def of(cls, rows: int, times: Times) -> Cost:
        """Return the cost in the middle of several rounds."""
        processors = Times(times.processors).median
        return cls(rows, times.median * _NANO, processors * _NANO)


@dataclass(frozen=True)
class Different:
    """A tool that gives other numbers on a shape, so that its time means nothing."""

    shape: str
    against: str
    off: float


@dataclass
class Results:
    """Everything that was measured."""

    machine: dict[str, str]
    scale: float
    rounds: int
    ratios: list[Ratio] = field(default_factory=list)
    memory: list[Peak] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    different: list[Different] = field(default_factory=list)

    def add(self, item: Ratio | Peak | Cost | Different) -> None:
        """Keep a measurement beside those of its kind."""
        kinds: dict[type, list[Any]] = {
            Ratio: self.ratios,
            Peak: self.memory,
            Cost: self.costs,
            Different: self.different,
        }
        kinds[type(item)].append(item)

    @property
    def missed(self) -> list[Ratio | Peak]:
        """What does not meet its goal."""
        return [item for item in (*self.ratios, *self.memory) if not item.met]


def markdown(results: Results) -> Iterator[str]:
    """Yield the lines of RESULTS.md."""
    yield "# Speed on many shapes of data\n"
    yield "Written by `benchmarks/shapes.py`. Ratios of medians of runs in turns; in brackets the"
    yield "lowest and highest ratio of one turn.\n"
    machine = ", ".join(f"{key} {value}" for key, value in results.machine.items())
    yield f"{machine}, scale {results.scale:g}, rounds {results.rounds}.\n"
    yield "![Times as fast as other tools, by shape](shapes.svg)\n"
    yield "| shape | against | times as fast | of processor time | goal | met |"
    yield "|---|---|--:|--:|--:|---|"
    yield from _rows(r for r in results.ratios if r.at_least)
    yield "\n| shape | against | times its time | of processor time | at most | met |"
    yield "|---|---|--:|--:|--:|---|"
    yield from _rows(r for r in results.ratios if not r.at_least)
    yield "\n| shape | peak memory, MB | at most | met |"
    yield "|---|--:|--:|---|"
    for p in results.memory:
        yield f"| {p.shape} | {p.megabytes:.0f} | {p.goal:g} | {_verdict(met=p.met)} |"
    if results.costs:
        yield "\n![Cost of a row by the number of rows](rows.svg)\n"
        yield "| rows | ns a row, clock | ns a row, all processors |"
        yield "|--:|--:|--:|"
        for c in results.costs:
            yield f"| {c.rows:,} | {c.clock:.0f} | {c.processors:.0f} |"
    if results.different:
        yield "\nNot timed, because the numbers differ:\n"
        for d in results.different:
            yield f"- {d.against} on {d.shape}: by {d.off:.2g}"


def readme_table(results: Results) -> Iterator[str]:
    """Yield the table of the README: each shape of files, slowest lead last."""
    peaks = {p.shape: p.megabytes for p in results.memory}
    leads = [r for r in results.ratios if r.against == "pytrec_eval"]
    yield "| shape of the data | times as fast as pytrec_eval | peak memory |"
    yield "|---|--:|--:|"
    for r in sorted(leads, key=lambda r: -r.ratio):
        memory = f"{peaks[r.shape]:.0f} MB" if r.shape in peaks else ""
        yield f"| {r.shape} | {r.ratio:.1f} | {memory} |"


def bars(results: Results) -> dict[str, Any]:
    """Return the Vega-Lite picture of how many times as fast each shape is, against each tool."""
    values = [
        {"shape": r.shape, "against": r.against, "times": r.ratio}
        for r in results.ratios
        if r.at_least and r.against != "one core"
    ]
    x = {"field": "times", "type": "quantitative", "stack": None}
    return {
        "data": {"values": values},
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "y": {"field": "shape", "type": "nominal", "title": None, "sort": None},
            "yOffset": {"field": "against"},
            "x": {**x, "scale": {"type": "log", "domainMin": 1}, "title": "times as fast"},
            "x2": {"datum": 1},
            "color": {"field": "against", "title": "against"},
        },
        "width": 480,
        "height": {"step": 10},
    }


def lines(results: Results) -> dict[str, Any]:
    """Return the Vega-Lite picture of the cost of a row as the rows grow."""
    values = [
        {"rows": c.rows, "time": name, "ns": getattr(c, name)}
        for c in results.costs
        for name in ("clock", "processors")
    ]
    return {
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "rows", "type": "quantitative", "scale": {"type": "log"}},
            "y": {"field": "ns", "type": "quantitative", "title": "ns a row beyond start-up"},
            "color": {"field": "time", "title": "time of"},
        },
        "width": 480,
        "height": 240,
    }


def _rows(ratios: Iterable[Ratio]) -> Iterator[str]:
    for r in ratios:
        measured = f"{r.ratio:.2f} ({r.low:.2f} to {r.high:.2f}) | {r.processors:.2f}"
        yield f"| {r.shape} | {r.against} | {measured} | {r.goal:g} | {_verdict(met=r.met)} |"


def _verdict(*, met: bool) -> str:
    return "yes" if met else "**no**"
