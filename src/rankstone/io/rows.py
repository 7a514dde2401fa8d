"""Rows of a query, a document and a number, and their conversion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from rankstone.core import scalars
from rankstone.core.ids import Ids, sort_key
from rankstone.core.judgments import Judgments, repetitions
from rankstone.core.notices import negative_notices, repeated_notices
from rankstone.core.provenance import Source
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.subtopics import Aspect, subtopic_notices, with_subtopics
from rankstone.core.text import encode
from rankstone.errors import DataError, Notice
from rankstone.frozen import frozen

Id = str | int
TextRow = tuple[str, str, float]


@frozen
class Lists:
    """Rankings: documents by query, best first, and their scores if they have any.

    If they ``are_answers``, each is the answer of a system to its query.
    """

    data: dict[Id, list[Id]]
    scores: dict[Id, list[float]] | None = None
    are_answers: bool = False
    notices: tuple[Notice, ...] = ()

    def scored_rows(self) -> Iterator[Row]:
        """Yield the documents with their scores."""
        for query, docs in self.data.items():
            yield query, NO_DOCUMENT, 0.0
            own = (self.scores or {})[query]
            yield from zip(repeat(query), docs, own)


def id_of(value: object, what: str, where: str) -> Id:
    """Return an id that is text or a whole number; text has to be valid."""
    id_ = scalars.id_of(value, what, where)
    if isinstance(id_, str) and not _is_utf8(id_):
        raise DataError(f"{where}: {what} id {id_!a} is not valid text.")
    return id_


def _is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_utf8(query: str, *docs: str, without: str = "") -> None:
    """Refuse ids that a format of UTF-8 text cannot hold, or that hold a character it lacks."""
    for value in (query, *docs):
        what = "query" if value is query else "document"
        if any(c in value for c in without):
            raise DataError(
                f"{what} id {value!a} cannot be written to this format. Convert to json or jsonl."
            )
        if not _is_utf8(value):
            raise DataError(
                f"{what} id {value!a} is not UTF-8 and cannot be written to this format. "
                "Convert to trec."
            )


def as_text(rows: Iterable[Row | Aspect]) -> Iterator[TextRow]:
    """Yield rows with text for ids: in a file 12 and "12" are the same id. Subtopics are left out."""
    for row in rows:
        yield str(row[0]), str(row[1]), row[2]


def judged_as_text(rows: Iterable[Row | Aspect]) -> Iterator[Row | Aspect]:
    """Yield rows of judgments with text for ids, those of subtopics too."""
    for row in rows:
        query, doc = str(row[0]), str(row[1])
        if isinstance(row, Aspect):
            yield row._replace(query=query, doc=doc, subtopic=str(row.subtopic))
        else:
            yield query, doc, row[2]


def lists_as_text(lists: Lists, path: str) -> Lists:
    """Return rankings with text for ids."""
    data: dict[Id, list[Id]] = {str(q): [str(d) for d in docs] for q, docs in lists.data.items()}
    if len(data) < len(lists.data):
        raise DataError(f"{path}: a query has two rankings.")
    scores = lists.scores and {str(q): own for q, own in lists.scores.items()}
    return Lists(data, scores, lists.are_answers, lists.notices)


def falls(scores: Iterable[float]) -> bool:
    """Return whether each score is lower than the one before."""
    return all(a > b for a, b in pairwise(scores))


def judgments_from(
    rows: Iterable[Row | Aspect], source: Source, path: str, *, typed: bool = False
) -> Judgments:
    """Gather judgments; of contradicting grades the highest counts.

    With ``typed`` ids are known to be text or to be numbers, as in Python objects.
    """
    grades_of: dict[Id, dict[Id, list[float]]] = {}
    aspects: list[Aspect] = []
    for row in rows:
        docs_of = grades_of.setdefault(row[0], {})
        if row[1] != NO_DOCUMENT:
            docs_of.setdefault(row[1], []).append(row[2])
            if isinstance(row, Aspect):
                aspects.append(row)
    if not any(grades_of.values()):
        raise DataError(f"{path}: the file holds no judgments.")
    queries = Ids.of(grades_of, "query")
    keys = sort_key(queries.objects)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    groups = list(grades_of.values())
    docs: list[Id] = []
    highest: list[float] = []
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    for i in order:
        for doc, grades in groups[i].items():
            top = max(grades)
            docs.append(doc)
            highest.append(top)
            if len(grades) > 1:
                pair = (encode(str(queries[i])), encode(str(doc)))
                same = grades.count(top)
                repeated += [pair] * (same - 1)
                contradicting += [pair] * (len(grades) - same)
    array = np.array(highest, np.float64)
    doc_ids = Ids.of(docs, "document")
    queries.typed &= typed
    doc_ids.typed &= typed
    counts = repetitions(repeated, contradicting)
    judgments = Judgments(
        queries.take(order),
        np.cumsum([0] + [len(groups[i]) for i in order], dtype=np.int64),
        doc_ids,
        array,
        source,
    )
    if aspects:
        judgments, counts = with_subtopics(judgments, aspects)
    notices = *repeated_notices(counts), *negative_notices(array), *subtopic_notices(judgments)
    return replace(judgments, notices=notices)


def rows_of_lists(lists: Lists) -> Iterator[Row]:
    """Yield rankings as rows with falling scores: their own if these fall, else by position."""
    if lists.scores and all(map(falls, lists.scores.values())):
        yield from lists.scored_rows()
        return
    for query, docs in lists.data.items():
        kept = dict.fromkeys(docs)
        if not kept:
            yield query, NO_DOCUMENT, 0.0
        for i, doc in enumerate(kept):
            yield query, doc, float(len(kept) - i)


def rows_of_judgments(judgments: Judgments) -> Iterator[Row]:
    """Yield judgments row by row."""
    docs, grades = judgments.docs.objects, judgments.grades.tolist()
    bounds = pairwise(judgments.groups.tolist())
    for query, (a, b) in zip(judgments.queries, bounds, strict=True):
        for i in range(a, b):
            yield query, docs[i], grades[i]


def objects_in(value: Any, where: str) -> list[dict[str, Any]]:
    """Return an array of JSON objects, and refuse anything else."""
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise DataError(f"{where}: expected an array of objects.")
    return value


def check_distinct(query_ids: Iterable[Any], where: str) -> None:
    """Refuse a query that ``query_ids`` names twice."""
    seen = set()
    for query in query_ids:
        if query in seen:
            raise DataError(
                f"{where}: query_ids= (--query-ids) names {query!r} twice. Name each query once."
            )
        seen.add(query)
