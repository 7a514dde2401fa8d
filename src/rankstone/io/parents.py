"""Runs of chunks against judgments of documents: which document a chunk is of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rankstone.choices.base import field_of
from rankstone.choices.changes import Changes
from rankstone.choices.setup import DEFAULT, Setup
from rankstone.core.judgments import Judgments
from rankstone.core.notice_texts import reading_notice
from rankstone.core.provenance import Given
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.subtopics import Aspect, aspects_of
from rankstone.core.tally import EXAMPLES
from rankstone.errors import DataError, Notice, UsageError, did_you_mean
from rankstone.frozen import frozen
from rankstone.io.column_roles import CHUNK_NAMES
from rankstone.io.input_file import ReadOptions
from rankstone.io.rows import Id, judgments_from
from rankstone.io.two_fields import read_pairs

_HOLE = re.compile(r"\{(\w+)\}")


@frozen(eq=False)
class Parents:
    """The document of each chunk: from a mapping, or from a pattern of ids."""

    plain: str | dict[str, Any] | Callable[[Any], Any]
    name: str
    find: Callable[..., Id]
    notices: tuple[str, str] = ("parents", "judged-chunks")  # of a run, and of judgments

    @classmethod
    def of(cls, source: Any, setup: Setup = DEFAULT) -> Parents:
        """Take a mapping, the path of a file, a pattern such as ``{doc}#{n}``, or a function."""
        if isinstance(source, Parents):
            return source
        if callable(source):
            return cls(source, _name_of(source), _by_function(source))
        plain = _plain(source, setup)
        if isinstance(plain, str):
            return cls(plain, plain, _by_pattern(plain))
        name = os.fspath(source) if isinstance(source, str | os.PathLike) else "parents"
        return cls(plain, name, _in_mapping(plain, name))

    @classmethod
    def of_same(cls, source: Any, setup: Setup) -> Parents:
        """Take the id that each duplicate is read as; ids that are not listed stay as they are."""
        if isinstance(source, Parents):
            return source
        name, plain = "same_as", source
        if isinstance(source, str | os.PathLike):
            name, what = os.fspath(source), "a document and its original"
            plain = read_pairs(name, ReadOptions.of_run(setup), CHUNK_NAMES, what)
        if not isinstance(plain, Mapping):
            raise UsageError(
                "same_as= is a dict {document: document that it is read as}, or the path of a file with "
                f"both in each line, not {source!r}."
            )
        original: dict[str, Id] = {str(doc): other for doc, other in plain.items()}

        def find(doc: Id, _: str = "") -> Id:
            seen: list[str] = []
            while str(doc) in original and str(doc) not in seen:
                seen.append(str(doc))
                doc = original[str(doc)]
            return min(seen[seen.index(str(doc)) :]) if str(doc) in seen else doc

        return cls(original, name, find, ("same-as", "judged-same-as"))

    @property
    def given(self) -> Given | str:
        """The documents of chunks as a result records them: a pattern, or how many there are."""
        if not isinstance(self.plain, dict):
            return self.name
        return Given.of_pairs(self.name, self.plain.items())


def _plain(source: Any, setup: Setup) -> str | dict[str, Any]:
    """Return a pattern, or the document of each chunk, which are read if a path is given."""
    if isinstance(source, Mapping):
        return {str(chunk): doc for chunk, doc in source.items()}
    if isinstance(source, str) and "{" in source:
        return source
    if isinstance(source, str | os.PathLike):
        options = ReadOptions.of_run(setup)
        return read_pairs(os.fspath(source), options, CHUNK_NAMES, "a chunk and its document")
    raise UsageError(
        f"parents= is a dict {{chunk: document}}, the path of a file with a chunk and its "
        f"document in each line, a pattern such as '{{doc}}#{{n}}', or a function of a chunk's id, not {source!r}."
    )


def _in_mapping(parents: Mapping[str, Any], where: str) -> Callable[[Id], Id]:
    def find(chunk: Id, what: str = "run") -> Id:
        doc = parents.get(str(chunk))
        if doc is None:
            hint = did_you_mean(str(chunk), list(parents)[:10_000])
            raise DataError(f"{where}: chunk {chunk!r} of the {what} has no document.{hint}")
        return doc

    return find


def _name_of(function: Callable[[Any], Any]) -> str:
    return f"the function {getattr(function, '__qualname__', type(function).__name__)}"


def _by_function(function: Callable[[Any], Any]) -> Callable[[Id], Id]:
    def find(chunk: Id, what: str = "run") -> Id:
        doc = function(chunk)
        if not isinstance(doc, str | int) or isinstance(doc, bool):
            raise DataError(
                f"{_name_of(function)} returned {doc!r} for chunk {chunk!r} of the {what}; it returns "
                "the id of its document."
            )
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


def documents_of(
    rows: Iterable[Row], parents: Parents, rule: str
) -> tuple[dict[Id, dict[Id, float]], Notice]:
    """Return the scores of documents by query, from rows of chunks; and a notice that counts them.

    Of a chunk that is there twice the best score counts.
    """
    chunks: dict[Id, dict[Id, float]] = {}
    for query, chunk, score in rows:
        own = chunks.setdefault(query, {})
        if chunk != NO_DOCUMENT:
            own[chunk] = max(score, own.get(chunk, score))
    scores: dict[Id, dict[Id, float]] = {}
    for query, own in chunks.items():
        docs = scores.setdefault(query, {})
        for chunk, score in own.items():
            doc = parents.find(chunk)
            known = docs.get(doc)
            added = score if known is None or rule != "sum" else known + score
            docs[doc] = added if known is None or rule == "sum" else max(known, score)
    count, left = (sum(map(len, part.values())) for part in (chunks, scores))
    words = field_of(Changes, "parent_rule")["values"][rule]
    (notice,) = reading_notice(
        parents.notices[0], count, of=left, keep_zero=True, more=f"; {words}"
    )
    return scores, notice


def missing_notices(judgments: Judgments, parents: Parents | None) -> list[Notice]:
    """Return a warning of relevant documents of which there is no chunk, if all chunks are listed."""
    if parents is None or not isinstance(parents.plain, dict):
        return []
    known = {*map(str, parents.plain.values())}
    pairs = zip(judgments.docs.objects, judgments.grades.tolist(), strict=True)
    missing = sorted({str(doc) for doc, grade in pairs if grade > 0} - known)
    return reading_notice("not-in-corpus", len(missing), missing[:EXAMPLES])


def judged_documents(judgments: Judgments, changes: Changes) -> Judgments:
    """Merge judgments of chunks or of copies into judgments of documents: the highest grade counts."""
    if not changes.merges_judgments:
        return judgments
    parents = changes.merged_by
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
    notice = reading_notice(parents.notices[1], len(judgments), of=len(made))
    return replace(made, notices=(*judgments.notices, *notice))
