"""What to know before believing a number, in at most three lines."""

from __future__ import annotations

from collections.abc import Sequence

from rankstone.core.result import Result
from rankstone.errors import Notice, printable

_MOST = 3
_FIRST = (
    "ids-look-alike",
    "no-document-found",
    "missing-queries",
    "unjudged-queries",
    "contradicting-judgments",
    "duplicate-documents",
    "rank-disagrees",
)


def lines(results: Sequence[Result]) -> list[str]:
    """Return the gravest notices of the results, none where all is well."""
    found: dict[Notice, list[str]] = {}
    for result in results:
        for notice in (n for n in result.notices if n.level != "info"):
            found.setdefault(notice, []).append(result.name)
    order = sorted(found, key=_gravity)
    shown = [_line(n, found[n], len(results)) for n in order]
    if len(shown) <= _MOST:
        return shown
    rest = ", ".join(dict.fromkeys(n.code for n in order[_MOST - 1 :]))
    return [
        *shown[: _MOST - 1],
        f"note: {len(shown) - _MOST + 1} more ({rest}); --format json lists them all",
    ]


def _gravity(notice: Notice) -> int:
    if notice.level == "note" and notice.code not in _FIRST:
        return len(_FIRST) + 1
    return _FIRST.index(notice.code) if notice.code in _FIRST else len(_FIRST)


def _line(notice: Notice, names: list[str], runs: int) -> str:
    where = "" if len(names) == runs else f"{', '.join(names[:3])}: "
    return f"{notice.level}: {printable(where)}{notice}"
