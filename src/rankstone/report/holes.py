"""The unjudged documents that matter most, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankstone.core.unjudged import Hole


def lines(holes: Sequence[Hole], runs: Sequence[str], *, aligned: bool) -> Iterator[str]:
    """Yield a line of heads and one for each document: between tabs, or aligned for a terminal."""
    rows = [["query", "document", *(f"rank in {name}" for name in runs), "effect"]]
    for hole in holes:
        ranks = ["-" if rank is None else str(rank) for rank in hole.ranks]
        effect = f"{hole.effect:+.4f}" if aligned else repr(hole.effect)
        rows.append([str(hole.query), str(hole.document), *ranks, effect])
    if not aligned:
        yield from ("\t".join(row) for row in rows)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        left = [cell.ljust(w) for cell, w in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(w) for cell, w in zip(row[2:], widths[2:], strict=True)]
        yield "  ".join(left + right)
