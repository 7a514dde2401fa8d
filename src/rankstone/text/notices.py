"""The gravest notices on results, in at most three lines."""

from __future__ import annotations

from collections.abc import Sequence

from rankstone.core.reading_notices import gravity
from rankstone.core.result import Result
from rankstone.errors import Notice, printable

_MOST = 3


def lines(results: Sequence[Result]) -> list[str]:
    """Return the gravest notices of the results, none where all is well."""
    found: dict[Notice, list[str]] = {}
    for result in results:
        for notice in (n for n in result.notices if n.level != "info"):
            found.setdefault(notice, []).append(result.name)
    order = sorted(found, key=gravity)
    shown = []
    for notice in order:
        names = found[notice]
        where = "" if len(names) == len(results) else f"{', '.join(names[:3])}: "
        shown.append(f"{notice.level}: {printable(where)}{notice}")
    if len(shown) <= _MOST:
        return shown
    rest = ", ".join(dict.fromkeys(n.code for n in order[_MOST - 1 :]))
    return [
        *shown[: _MOST - 1],
        f"note: {len(shown) - _MOST + 1} more ({rest}); --format json lists them all",
    ]
