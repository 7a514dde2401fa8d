"""Results of a search for the choices behind a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankstone.choices.conventions import Conventions
from rankstone.measures.base import Measure

Departure = tuple[str, str, Any]  # where it is made, its name, its value


@dataclass(frozen=True)
class Candidate:
    """A combination of choices and the value it gives.

    ``choices`` are those that depart from the measure as it was asked for.
    """

    value: float
    measure: Measure
    conventions: Conventions
    aggregate: str
    choices: tuple[Departure, ...]


@dataclass(frozen=True)
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
