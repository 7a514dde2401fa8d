"""Bars, what was measured, and whether they are met, as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from timing import Times


@dataclass(frozen=True)
class Row:
    """A bar and what was measured; the median decides."""

    what: str
    bar: str
    limit: float
    median: float | None = None
    best: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the median meets the bar; None where nothing was measured."""
        if self.median is None:
            return None
        return self.median >= self.limit if self.at_least else self.median <= self.limit


def faster(what: str, limit: float, ours: Times, theirs: Times) -> Row:
    """Return a bar on how many times as fast we are."""
    return Row(
        what,
        f"at least {limit:g} times as fast",
        limit,
        theirs.median / ours.median,
        theirs.best / ours.best,
        at_least=True,
    )


def slower(what: str, limit: float, ours: Times, floor: Times) -> Row:
    """Return a bar on how many times the time of something simpler we take."""
    return Row(
        what,
        f"at most {limit:g} times its time",
        limit,
        ours.median / floor.median,
        ours.best / floor.best,
    )


def markdown(rows: list[Row]) -> list[str]:
    """Return the lines of the table of bars."""
    verdicts = {True: "yes", False: "**no**", None: "not measured"}
    lines = ["| what | bar | median | best | met |", "|---|---|--:|--:|---|"]
    for row in rows:
        numbers = f"{_number(row.median)} | {_number(row.best)}"
        lines.append(f"| {row.what} | {row.bar} | {numbers} | {verdicts[row.met]} |")
    return lines


def seconds(times: dict[str, Times]) -> list[str]:
    """Return the lines of a table of the times behind the ratios."""
    lines = ["| seconds | median | best |", "|---|--:|--:|"]
    return lines + [f"| {name} | {t.median:.3f} | {t.best:.3f} |" for name, t in times.items()]


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 0.01 or value <= 0 else f"{value:.1e}"
