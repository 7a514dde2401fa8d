"""What was measured, and the pages that show it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from timing import Times

HERE = os.path.dirname(os.path.abspath(__file__))
#: The pages that hold the table between two marks, by their paths in the repository.
PAGES = ("README.md", "README.zh-CN.md", "docs/costs.md")
_BEGIN, _END = "<!-- written by make bench -->", "<!-- end of the table -->"


@dataclass(frozen=True)
class Lead:
    """How many times as fast as a peer Rankstone is: by the clock, and by the time of all processors.

    The ratio is that of the medians; ``low`` and ``high`` are those of one turn.
    """

    peer: str
    ratio: float
    low: float
    high: float
    processors: float

    @classmethod
    def of(cls, peer: str, ours: Times, other: Times) -> Lead:
        """Return the ratio of two tasks that were done in turns."""
        turns = [b / a for a, b in zip(ours.seconds, other.seconds, strict=True)]
        busy = sum(other.processors) / (sum(ours.processors) or float("nan"))
        return cls(peer, other.median / ours.median, min(turns), max(turns), busy)


@dataclass(frozen=True)
class Measurement:
    """The time of one shape in one size, in seconds.

    ``start`` is the time of the command on one document, None for data in memory; ``megabytes`` the
    most memory, if it is known. ``different`` are peers that were not timed, because their numbers
    differ, and by how much.
    """

    shape: str
    queries: int
    depth: int
    seconds: float
    start: float | None
    megabytes: float | None
    leads: list[Lead]
    different: dict[str, float]

    @property
    def size(self) -> str:
        """The size as the pages show it."""
        return f"{self.queries:,} x {self.depth:,}"

    @property
    def ratios(self) -> str:
        """The size and how many times as fast as each peer."""
        return f"{self.size}: " + " / ".join(_short(lead.ratio) for lead in self.leads)

    @property
    def cost(self) -> str:
        """The seconds, and those beyond start-up."""
        if self.start is None:
            return _short(self.seconds)
        return f"{_short(self.seconds)}, {_short(max(0.0, self.seconds - self.start))}"


@dataclass
class Results:
    """Everything that was measured."""

    machine: dict[str, str]
    scale: float
    rounds: int
    measurements: list[Measurement] = field(default_factory=list)

    @classmethod
    def read(cls, path: str = os.path.join(HERE, "results.json")) -> Results:
        """Return the results in a file."""
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        saved["measurements"] = [
            Measurement(**{**m, "leads": [Lead(**lead) for lead in m["leads"]]})
            for m in saved["measurements"]
        ]
        return cls(**saved)

    def write(self, folder: str) -> None:
        """Write results.json and RESULTS.md."""
        os.makedirs(folder, exist_ok=True)
        texts = {
            "results.json": json.dumps(asdict(self), indent=1) + "\n",
            "RESULTS.md": "".join(f"{line}\n" for line in self.page()),
        }
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def table(self) -> str:
        """Return the table that all pages show."""
        lines = [
            _BEGIN,
            "| data | times as fast as | small | large | seconds, beyond start-up | memory |",
            "|---|---|---|---|--:|--:|",
        ]
        for shape in dict.fromkeys(m.shape for m in self.measurements):
            sizes = [m for m in self.measurements if m.shape == shape]
            large = sizes[-1]
            known = (" / ".join(r.peer for r in large.leads), sizes[0].ratios, large.ratios)
            memory = "" if large.megabytes is None else f"{large.megabytes:.0f} MB"
            lines.append(f"| {' | '.join((shape, *known, large.cost, memory))} |")
        return "\n".join([*lines, _END])

    def page(self) -> Iterator[str]:
        """Yield the lines of RESULTS.md."""
        yield "# Speed on many shapes of data\n"
        yield "Written by `make bench`; [README.md](README.md) says what is measured.\n"
        machine = ", ".join(f"{key} {value}" for key, value in self.machine.items())
        yield f"{machine}, scale {self.scale:g}, rounds {self.rounds}.\n"
        yield self.table()
        yield "\nRatios of one turn, and ratios of the time of all processors, which other programs"
        yield "disturb less than the clock:\n"
        yield "| data | size | peer | times as fast | lowest | highest | by processors |"
        yield "|---|--:|---|--:|--:|--:|--:|"
        for m in self.measurements:
            for r in m.leads:
                numbers = " | ".join(map(_short, (r.ratio, r.low, r.high, r.processors)))
                yield f"| {m.shape} | {m.size} | {r.peer} | {numbers} |"
        if any(m.different for m in self.measurements):
            yield "\nNot timed, because the numbers differ:\n"
            for m in self.measurements:
                for peer, off in m.different.items():
                    yield f"- {peer}, {m.shape}, {m.size}: by {off:.2g}"


def write_table(results: Results, path: str) -> None:
    """Replace the table between the two marks of a page."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, begin, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    if not (begin and end):
        raise SystemExit(f"{path}: the marks {_BEGIN} and {_END} are not there")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{results.table()}{tail}")


def _short(number: float) -> str:
    """Return a number in two digits, of which none is lost before the point."""
    return f"{number:.0f}" if number >= 9.95 else f"{number:.2g}"
