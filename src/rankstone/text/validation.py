"""Reports on files, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rankstone.errors import printable


def text(reports: Sequence[Any]) -> Iterator[str]:
    """Yield a few lines for each file."""
    for report in reports:
        form = f", {report.format}" if report.format else ""
        yield f"{printable(report.path)}: {report.kind}{form}"
        if report.error:
            yield f"  error: {report.error}"
            continue
        for name, value in report.facts.items():
            yield f"  {name.replace('_', ' ')}: {_shown(value)}"
        for notice in report.notices:
            yield f"  {notice.level}: {notice} [{notice.code}]"
        if not report.notices:
            yield "  nothing odd"


def _shown(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "median" in value:
        return f"{value['least']} to {value['most']}, median {value['median']:g}"
    return ", ".join(f"{n} of grade {grade}" for grade, n in value.items())
