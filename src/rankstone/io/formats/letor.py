"""LETOR and SVMlight rows: a label, a query, features, perhaps a document in a comment."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import IO, NamedTuple

import numpy as np

from rankstone.core.judgments import Judgments
from rankstone.errors import DataError
from rankstone.io.formats import Format, Input, Row
from rankstone.io.rows import id_of, judgments_from, number_of, shown

_FEATURE = re.compile(rb"(?:qid|[0-9]+):\S+")
_NAMED = re.compile(rb"doc_?id\s*[=:]\s*(\S+)", re.IGNORECASE)
_MOST_DIGITS = 18
_GROUP_FILES = (".query", ".group")


@dataclass(frozen=True, eq=False)
class RowedJudgments(Judgments):
    """Judgments that know which of them each row of their file is."""

    file_rows: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))


def _told(text: Input) -> bool:
    first = text.rows[0] if text.rows else []
    if len(first) < 2 or not re.fullmatch(rb"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", first[0]):
        return False
    return _FEATURE.fullmatch(first[1]) is not None


class _Parsed(NamedTuple):
    """A row; None for what it does not tell."""

    query: str | None
    doc: str | None
    named: bool  # in so many words, as in docid = d1
    label: float
    where: str


def _parsed(text: Input) -> Iterator[_Parsed]:
    for number, line in text.lines():
        body, mark, comment = line.partition(b"#")
        parts = body.split(None, 2)
        if not parts:
            continue
        where = f"{text.path}:{number}"
        if b"\r" in line.rstrip(b"\r\n"):
            raise DataError(
                f"{where}: a CR within the line. The file seems to have CR-only line ends; convert "
                "them to LF."
            )
        if len(parts) > 2 and b"qid:" in parts[2]:
            raise DataError(f"{where}: two rows in one line. Put each row on a line of its own.")
        label = number_of(_text(parts[0]), "label", where)
        query = None
        if len(parts) > 1 and parts[1].startswith(b"qid:"):
            query = _text(parts[1][4:]) or id_of("", "query", where)
        elif len(parts) > 1 and not _FEATURE.fullmatch(parts[1]):
            raise DataError(
                f"{where}: expected 'label qid:query feature:value ...', found "
                f"{_text(line[:64].strip())!a}."
            )
        named = _NAMED.search(comment)
        words = [named[1]] if named else comment.split(None, 1)[:1]
        doc = _text(words[0]) if mark and words else None
        yield _Parsed(query, doc, named is not None, label, where)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _judgments(text: Input) -> Judgments:
    parsed = list(_parsed(text))
    with_query = [row.query is not None for row in parsed]
    if all(with_query):
        queries = [row.query or "" for row in parsed]
    elif any(with_query):
        where = parsed[with_query.index(False)].where
        raise DataError(f"{where}: this row has no qid, but others have one.")
    else:
        queries = list(_grouped(text, len(parsed)))
    docs = [row.doc for row in parsed]
    if None in docs and any(row.named for row in parsed):
        where = parsed[docs.index(None)].where
        raise DataError(f"{where}: this row names no document, but others do (docid = ...).")
    if None in docs or len({*zip(queries, docs, strict=True)}) < len(docs):
        docs = [str(i + 1) for i in range(len(parsed))]
    rows = [(q, d or "", row.label) for q, d, row in zip(queries, docs, parsed, strict=True)]
    judged = judgments_from(rows, text.source, text.path)
    query_of = np.repeat(np.arange(len(judged.queries)), np.diff(judged.groups))
    names = [judged.queries[q] for q in query_of.tolist()]
    place = {pair: i for i, pair in enumerate(zip(names, judged.docs, strict=True))}
    held = {f.name: getattr(judged, f.name) for f in fields(Judgments)}
    return RowedJudgments(**held, file_rows=np.array([place[q, d] for q, d, _ in rows], np.int64))


def _grouped(text: Input, rows: int) -> Iterator[str]:
    """Yield the query of each row, from a file of group sizes; queries are numbered from 1."""
    path = text.groups
    if path is None:
        beside = [text.path + ending for ending in _GROUP_FILES]
        path = next((p for p in beside if os.path.isfile(p)), None)
    if path is None:
        raise DataError(
            f"{text.path}: the rows have no qid, and there is no {text.path}.query with the sizes "
            "of the groups beside it. Name such a file with --groups or groups=."
        )
    from rankstone.io.streams import read_all

    sizes = []
    held = read_all(path)[0].removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(held.splitlines(), 1):
        digits = line.strip()
        if digits:
            if not digits.isdigit() or len(digits) > _MOST_DIGITS:
                found = _text(digits[:64])
                raise DataError(f"{path}:{number}: expected the size of a group, found {found!a}.")
            sizes.append(int(digits))
    if sum(sizes) != rows:
        raise DataError(
            f"{path}: the groups have {sum(sizes)} rows in all, but {text.path} has {rows}."
        )
    for i, size in enumerate(sizes):
        yield from [str(i + 1)] * size


def _write(rows: Iterable[Row], out: IO[bytes]) -> None:
    """Write each judgment once: rows of one document twice are rows without documents."""
    highest: dict[tuple[str, str], float] = {}
    for query, doc, grade in rows:
        for what, value in (("query", query), ("document", doc)):
            if re.search(r"[\s\x00]", value) or (what == "query" and "#" in value):
                raise DataError(
                    f"{what} id {value!a} cannot be written to a LETOR file. "
                    "Convert to json or jsonl."
                )
        highest[query, doc] = max(grade, highest.get((query, doc), grade))
    for (query, doc), grade in highest.items():
        line = f"{shown(grade)} qid:{query} # docid = {doc}\n"
        out.write(line.encode("utf-8", "surrogateescape"))


FORMAT = Format(
    "letor",
    "2 qid:7 1:0.3 2:0.9 # docid = d1",
    _told,
    _judgments,
    None,
    _write,
)
