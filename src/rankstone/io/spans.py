"""Judgments and results that are parts of documents (start and end), and pages of documents."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rankstone.core.scalars import id_of, number_of
from rankstone.errors import DataError
from rankstone.frozen import frozen
from rankstone.io import column_roles as known
from rankstone.io.column_roles import key_named, plain_name

_STARTS = ("start", "begin", "startindex", "startchar", "startoffset")
_ENDS = ("end", "endindex", "endchar", "endoffset", "stop")


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (which is not part of it) of a document."""

    doc: str
    start: int
    end: int

    @property
    def id(self) -> str:
        """An id that only this span has."""
        return f"{self.doc}[{self.start}:{self.end}]"


Spans = dict[str, list[Span]]


def load_spans(data: Any, kind: str, max_bytes: int | None = None) -> Spans:
    """Return spans by query: of judgments in the order of documents, of a run best first.

    Args:
        data: ``{query: [(document, start, end), ...]}``, or the path of a JSONL file with a span
            in each line (query_id, doc_id, start, end, and score for a run), or with the lists
            ``expected`` or ``retrieved`` of a query.
        kind: ``judgments`` or ``run``.
        max_bytes: maximum size of a file in bytes after decompression.
    """
    if isinstance(data, Mapping):
        rows: Iterable[tuple[str, str, Any]] = (
            (str(query), f"{kind} of query {query!r}", item)
            for query, items in data.items()
            for item in (items or [None])
        )
    elif isinstance(data, str | os.PathLike):
        rows = _of_file(os.fspath(data), kind, max_bytes)
    else:
        raise DataError(
            f"cannot read spans from {type(data).__name__}; give a dict or the path of a JSONL file."
        )
    found: dict[str, list[tuple[float, Span]]] = {}
    for query, where, item in rows:
        spans = found.setdefault(query, [])
        if item is not None:
            spans.append(_span(item, where, len(spans)))
    where = os.fspath(data) if isinstance(data, str | os.PathLike) else kind
    if not any(found.values()):
        raise DataError(f"{where}: there are no spans.")
    if kind == "judgments":
        return {q: _apart(f"{where}, query {q!r}", [s for _, s in own]) for q, own in found.items()}
    ranked = {q: sorted(spans, key=lambda pair: -pair[0]) for q, spans in found.items()}
    return {q: list(dict.fromkeys(span for _, span in spans)) for q, spans in ranked.items()}


def _of_file(path: str, kind: str, max_bytes: int | None) -> Iterator[tuple[str, str, Any]]:
    from rankstone.io.input_file import Input, ReadOptions

    lists = known.EXPECTED_NAMES if kind == "judgments" else known.RETRIEVED_NAMES
    with Input.open(path, ReadOptions(max_bytes=max_bytes)) as file:
        for where, record in file.records():
            if not isinstance(record, dict):
                raise DataError(f"{where}: expected an object with a query and a span.")
            query = str(id_of(_value(record, known.QUERY_NAMES, "query", where), "query", where))
            listed = next((record[k] for k in record if plain_name(k) in lists), None)
            if isinstance(listed, list):
                yield from ((query, where, item) for item in listed or [None])
            else:
                yield query, where, record


def _value(record: dict[str, Any], names: Sequence[str], what: str, where: str) -> Any:
    key = key_named(record, names)
    if key is None:
        shown = ", ".join(map(ascii, record)) or "none"
        raise DataError(f"{where}: the record has no {what} (keys: {shown}).")
    return record[key]


def _span(item: Any, where: str, place: int) -> tuple[float, Span]:
    """Return a score that ranks the span, and the span."""
    score: Any = -float(place)
    if isinstance(item, dict):
        doc = _value(item, known.SYNONYMS["doc"], "document", where)
        start = _value(item, _STARTS, "start", where)
        end = _value(item, _ENDS, "end", where)
        given = item.get(key_named(item, known.SYNONYMS["score"]))
        score = score if given is None else number_of(given, "score", where)
    elif isinstance(item, list | tuple) and len(item) in (3, 4):
        doc, start, end, *rest = item
        score = number_of(rest[0], "score", where) if rest else score
    else:
        raise DataError(f"{where}: a span is (document, start, end), not {item!r}.")
    name = str(id_of(doc, "document", where))
    for what, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise DataError(f"{where}: the {what} {value!r} of a span is not a position from 0 up.")
    if end <= start:
        raise DataError(
            f"{where}: the span of document {name!r} ends at {end}, not after its start {start}. "
            "The end is the position after the last character."
        )
    return score, Span(name, start, end)


def _apart(where: str, spans: list[Span]) -> list[Span]:
    """Return judged spans in order; an error if two of one document overlap."""
    ordered = sorted(set(spans))
    for a, b in pairwise(ordered):
        if a.doc == b.doc and b.start < a.end:
            raise DataError(
                f"{where}: the judged spans {a.id} and {b.id} overlap, so their characters would "
                "count twice. Merge them."
            )
    return ordered


@frozen(eq=False)
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
