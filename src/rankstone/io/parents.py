"""Runs of chunks against judgments of documents: which document a chunk is of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.reading_notices import reading_notice
from rankstone.core.subtopics import Aspect, aspects_of
from rankstone.errors import DataError, Notice, UsageError, did_you_mean
from rankstone.io.column_roles import plain_name
from rankstone.io.gathered import GatheredRun
from rankstone.io.query_groups import BETWEEN, separator_of
from rankstone.io.rows import NO_DOCUMENT, Id, Row, judgments_from
from rankstone.io.streams import lines, open_seekable

#: How the chunks of a document become one result.
RULES = {
    "first": "the best-ranked chunk of a document counts, and ranks close up",
    "max": "the highest score of its chunks is the score of a document",
    "sum": "the sum of the scores of its chunks is the score of a document",
}
_CHUNK_NAMES = ("chunk", "chunkid", "chunkno", "passage", "passageid", "node", "nodeid", "id")
_HOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, eq=False)
class Parents:
    """The document of each chunk: from a mapping, or from a pattern of ids."""

    find: Callable[..., Id]

    @classmethod
    def of(cls, source: Any, max_bytes: int | None = None) -> Parents:
        """Take a mapping, the path of a file, or a pattern such as ``{doc}#{n}``."""
        if isinstance(source, Parents):
            return source
        plain = plain_parents(source, max_bytes)
        if isinstance(plain, str):
            return cls(_by_pattern(plain))
        where = os.fspath(source) if isinstance(source, str | os.PathLike) else "parents"
        return cls(_in_mapping(plain, where))


def plain_parents(source: Any, max_bytes: int | None = None) -> str | dict[str, Any]:
    """Return a pattern, or the document of each chunk, which are read if a path is given."""
    if isinstance(source, Mapping):
        return {str(chunk): doc for chunk, doc in source.items()}
    if isinstance(source, str) and "{" in source:
        return source
    if isinstance(source, str | os.PathLike):
        return _read(os.fspath(source), max_bytes)
    raise UsageError(
        f"parents= is a dict {{chunk: document}}, the path of a file with a chunk and its "
        f"document in each line, or a pattern such as '{{doc}}#{{n}}', not {source!r}."
    )


def _in_mapping(parents: Mapping[str, Any], where: str) -> Callable[[Id], Id]:
    def find(chunk: Id, what: str = "run") -> Id:
        doc = parents.get(str(chunk))
        if doc is None:
            hint = did_you_mean(str(chunk), list(parents)[:10_000])
            raise DataError(f"{where}: chunk {chunk!r} of the {what} has no document.{hint}")
        return doc

    return find


def _by_pattern(pattern: str) -> Callable[[Id], Id]:
    names = _HOLE.findall(pattern)
    if names.count("doc") != 1 or len(set(names)) < len(names):
        raise UsageError(
            f"the pattern {pattern!r} must hold {{doc}} once, and other names once each, such as "
            "'{doc}#{n}'."
        )
    parts = [f"(?P<{p}>.+)" if i % 2 else re.escape(p) for i, p in enumerate(_HOLE.split(pattern))]
    regex = re.compile("".join(parts), re.DOTALL)

    def find(chunk: Id, what: str = "run") -> Id:
        match = regex.fullmatch(str(chunk))
        if match is None:
            raise DataError(
                f"chunk {chunk!r} of the {what} does not have the pattern {pattern!r}. Write the "
                "pattern of its ids, such as '{doc}#{n}', or give a file of chunks and documents."
            )
        return match["doc"]

    return find


def _in_json(path: str, max_bytes: int | None) -> dict[str, str]:
    from rankstone.io.input_file import Input, ReadOptions

    with Input.open(path, ReadOptions(max_bytes=max_bytes)) as file:
        value = file.value
    if not isinstance(value, dict) or not all(isinstance(v, str | int) for v in value.values()):
        raise DataError(f"{path}: expected a JSON object of chunks and their documents.")
    return {str(chunk): str(doc) for chunk, doc in value.items()}


def _read(path: str, max_bytes: int | None) -> dict[str, str]:
    """Read a file with a chunk and its document in each line, or a JSON object of both.

    Between the two is a tab, a semicolon, a comma or blanks, as in the first line, which may name
    the columns.
    """
    parents: dict[str, str] = {}
    separator, first = None, True
    with open_seekable(path, max_bytes=max_bytes) as (stream, _, _):
        for number, raw in lines(stream, path):
            line = raw.decode("utf-8", "surrogateescape").strip()
            if not line or line.startswith("#"):
                continue
            if first and line.startswith("{"):
                return _in_json(path, max_bytes)
            separator = separator_of(line) if first else separator
            fields = line.split(separator)
            if len(fields) != 2:
                raise DataError(
                    f"{path}:{number}: expected a chunk and its document, with "
                    f"{BETWEEN[separator]} between them, found {line[:80]!r}."
                )
            chunk, doc = (field.strip().strip('"') for field in fields)
            is_header, first = first and plain_name(chunk) in _CHUNK_NAMES, False
            if is_header:
                continue
            if parents.setdefault(chunk, doc) != doc:
                raise DataError(
                    f"{path}:{number}: chunk {chunk!r} has two documents, {parents[chunk]!r} and "
                    f"{doc!r}. Give it one."
                )
    if not parents:
        raise DataError(f"{path}: the file holds no chunk.")
    return parents


@dataclass(frozen=True, eq=False)
class ParentRun(GatheredRun):
    """A run of documents that was a run of chunks, and says so."""

    about: Notice | None = None

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents, and say what became of the chunks."""
        matches = super().match(judgments, float32=float32, repeats=repeats)
        about = (self.about,) if self.about else ()
        return replace(matches, notices=(*matches.notices, *about))


def documents_of(
    rows: Iterable[Row], parents: Parents, rule: str, *, ascending: bool
) -> tuple[dict[Id, dict[Id, float]], Notice]:
    """Return the scores of documents by query, from rows of chunks; and a notice that counts them.

    Of a chunk that is there twice the best score counts.
    """
    better = min if ascending else max
    chunks: dict[Id, dict[Id, float]] = {}
    for query, chunk, score in rows:
        own = chunks.setdefault(query, {})
        if chunk != NO_DOCUMENT:
            own[chunk] = better(score, own.get(chunk, score))
    scores: dict[Id, dict[Id, float]] = {}
    for query, own in chunks.items():
        docs = scores.setdefault(query, {})
        for doc, score in _by_document(own, parents):
            known = docs.get(doc)
            added = score if known is None or rule != "sum" else known + score
            docs[doc] = added if known is None or rule == "sum" else better(known, score)
    count, left = (sum(map(len, part.values())) for part in (chunks, scores))
    (notice,) = reading_notice(
        "parents", count, of=left, level="note", keep_zero=True, more=f"; {RULES[rule]}"
    )
    return scores, notice


def judged_documents(judgments: Judgments, parents: Parents) -> Judgments:
    """Return judgments of documents: each has the highest grade of its judged chunks."""
    pairs = zip(judgments.queries, judgments.docs_by_query, strict=True)
    grades = iter(judgments.grades.tolist())
    rows: list[Row | Aspect] = [
        (query, parents.find(chunk, "judgments"), next(grades))
        for query, chunks in pairs
        for chunk in chunks
    ]
    if judgments.subtopics is not None:
        query_of = {str(query): query for query in judgments.queries}
        rows = [
            row._replace(query=query_of[str(row.query)], doc=parents.find(row.doc, "judgments"))
            for row in aspects_of(judgments)
        ]
    best: dict[tuple[Id, ...], Row | Aspect] = {}
    for row in rows:
        key = (row[0], row[1], *row[3:4])
        if key not in best or row[2] > best[key][2]:
            best[key] = row
    typed = judgments.docs.typed
    made = judgments_from(
        [*((query, NO_DOCUMENT, 0.0) for query in judgments.queries), *best.values()],
        judgments.source,
        judgments.source.name,
        typed=typed,
    )
    notice = reading_notice("judged-chunks", len(judgments), of=len(made), level="note")
    return replace(made, notices=(*judgments.notices, *notice))


def _by_document(scores: Mapping[Id, float], parents: Parents) -> Iterator[tuple[Id, float]]:
    return ((parents.find(chunk), score) for chunk, score in scores.items())
