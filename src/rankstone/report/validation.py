"""The health of files, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def text(found: Sequence[Any]) -> Iterator[str]:
    """Yield a few lines for each file."""
    for health in found:
        yield f"{health.path}: {health.kind}{f', {health.format}' if health.format else ''}"
        if health.error:
            yield f"  error: {health.error}"
            continue
        for name, value in health.facts.items():
            yield f"  {name.replace('_', ' ')}: {_shown(value)}"
        for notice in health.notices:
            yield f"  {notice.level}: {notice} [{notice.code}]"
        if not health.notices:
            yield "  nothing odd"


def _shown(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "median" in value:
        return f"{value['least']} to {value['most']}, median {value['median']:g}"
    return ", ".join(f"{n} of grade {grade}" for grade, n in value.items())
