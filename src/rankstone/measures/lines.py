"""What trec_eval prints of a measure: the name, the place, the parameters and the form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Params = Mapping[str, Any]

#: Cut-offs of trec_eval's measures unless told.
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0, *(i / 10 for i in range(1, 10)), 1)


@dataclass(frozen=True, eq=False)
class Line:
    """One of trec_eval's measures.

    ``place`` is its place in the output and ``sets`` the nicknames it belongs to. It prints a
    line for each value of the parameter ``each`` (``values`` unless told), or one line whose
    parameters ``read`` makes from what follows the dot. ``params`` are fixed, ``old`` those that
    version 9 has otherwise. ``quiet`` lines stand in the summary only, ``whole`` ones are whole
    numbers. Under -c the summary is made with ``complete``, where the judgments alone tell it.
    """

    name: str
    place: int
    sets: str = ""
    params: Params = field(default_factory=dict)
    each: str | None = None
    values: tuple[float, ...] = ()
    read: Callable[[list[float]], Params] | None = None
    gains: bool = False
    old: Params | None = None
    whole: bool = False
    quiet: bool = False
    since: int = 9
    format: str = "qrels"
    complete: Params | None = None

    def spellings(self, *, old: bool) -> Iterator[tuple[str, Params]]:
        """Yield patterns of the name with the parameters they stand for; ``old`` where they differ."""
        if (old and self.old is None) or self.format == "qrels_jg":
            return
        params = {**self.params, **(self.old or {})} if old else self.params
        if self.each is None:
            yield self.name, params
        else:
            yield from ((f"{self.name}{dot}{{{self.each}}}", params) for dot in "_.")
