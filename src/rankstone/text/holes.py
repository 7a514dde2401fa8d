"""The unjudged documents that matter most, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankstone.core.unjudged import UnjudgedDocument
from rankstone.text.delimited import lines_of


def lines(
    holes: Sequence[UnjudgedDocument], runs: Sequence[str], *, aligned: bool
) -> Iterator[str]:
    """Return a line of heads and one for each document: between tabs, or aligned for a terminal."""
    rows = [["query", "document", *(f"rank in {name}" for name in runs), "effect"]]
    for hole in holes:
        ranks = ["-" if rank is None else str(rank) for rank in hole.ranks]
        effect = f"{hole.effect:+.4f}" if aligned else repr(hole.effect)
        rows.append([str(hole.query), str(hole.document), *ranks, effect])
    return lines_of(rows, 2, wide=aligned)
