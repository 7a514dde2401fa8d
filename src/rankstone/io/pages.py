"""Where the pages of documents begin."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rankstone.errors import DataError
from rankstone.io.spans import Span


@dataclass(frozen=True, eq=False)
class Pages:
    """The positions at which the pages of each document begin; ``where`` names them in errors."""

    starts: Mapping[str, list[int]]
    where: str

    def of(self, span: Span) -> list[str]:
        """Return the pages that a span lies on, numbered from 1."""
        starts = self.starts.get(span.doc)
        if starts is None:
            raise DataError(
                f"{self.where}: there are no pages of document {span.doc!r}. Give the position at "
                "which each of its pages begins, such as [0, 1800, 3600]."
            )
        first, last = bisect_right(starts, span.start), bisect_left(starts, span.end)
        return [f"{span.doc} p. {page}" for page in range(max(first, 1), last + 1)]


def load_pages(data: Any, max_bytes: int | None = None) -> Pages:
    """Take ``{document: [start, ...]}``, or the path of a JSON file of that."""
    where = "pages"
    if isinstance(data, str | os.PathLike):
        from rankstone.io.input_file import Input, ReadOptions

        where = os.fspath(data)
        with Input.open(where, ReadOptions(max_bytes=max_bytes)) as file:
            data = file.value
    if not isinstance(data, Mapping):
        raise DataError(f"{where}: expected an object of documents and lists of page starts.")
    pages = {
        str(doc): list(starts) for doc, starts in data.items() if isinstance(starts, list | tuple)
    }
    for doc, starts in data.items():
        own = pages.get(str(doc))
        whole = own and all(isinstance(s, int) and not isinstance(s, bool) for s in own)
        if not own or not whole or own[0] != 0 or any(b <= a for a, b in pairwise(own)):
            raise DataError(
                f"{where}: the pages of document {doc!r} must begin at 0 and at rising positions, "
                f"such as [0, 1800, 3600], not at {starts!r}."
            )
    return Pages(pages, where)
