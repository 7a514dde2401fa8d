"""Judgments by subtopic: what each judged document says about each part of its query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import segments
from rankstone.core.judgments import Judgments, repetitions
from rankstone.core.notice_texts import reading_notice
from rankstone.core.text import encode
from rankstone.errors import DataError, Notice
from rankstone.frozen import frozen

Array = np.ndarray


SENTENCE, CITES = "sentence ", " cites "  # in names of the sentences of an answer, and of citations


class Aspect(NamedTuple):
    """The grade of a document for one subtopic (intent, aspect, nugget) of a query.

    ``vital`` says of a nugget whether an answer without it is not good; None if it is not known.
    """

    query: str | int
    doc: str | int
    grade: float
    subtopic: str | int
    vital: bool | None = None


class SubtopicScan(NamedTuple):
    """Judgments with their subtopics, and how many grades were given twice for one subtopic."""

    judgments: Judgments
    counts: dict[str, Any]


@frozen(eq=False)
class Subtopics:
    """Grades of judged documents by subtopic.

    Rows ``offsets[d]:offsets[d + 1]`` of ``subtopic`` and ``grade`` belong to judged document d.
    ``subtopic`` indexes ``names`` and ``vital``, which hold the subtopics of all queries.
    Judged documents ``first[q]:last[q]`` belong to query q; ``known`` masks those that count
    (None: all), and ``by_id`` is each document's position in the order of ids. ``length`` is the
    number of characters of each subtopic, if subtopics are parts of texts.
    """

    names: list[str]
    vital: Array
    offsets: Array
    subtopic: Array
    grade: Array
    by_id: Array
    first: Array
    last: Array
    known: Array | None = None
    length: Array | None = None

    def select(self, chosen: Array | slice) -> Subtopics:
        """Return the subtopics of the chosen queries."""
        return replace(self, first=self.first[chosen], last=self.last[chosen])

    def of_rows(self, rows: Array, bounds: Array) -> Subtopics:
        """Return the subtopics of the judged documents in a mask, whose queries have ``bounds``."""
        sizes = segments.lengths(self.offsets)
        kept = np.repeat(rows, sizes)
        return replace(
            self,
            offsets=segments.offsets_of(sizes[rows]),
            subtopic=self.subtopic[kept],
            grade=self.grade[kept],
            by_id=self.by_id[rows],
            first=bounds[:-1],
            last=bounds[1:],
            known=None if self.known is None else self.known[rows],
        )

    def without_negatives(self) -> Subtopics:
        """Return the subtopics without grades below 0."""
        kept = self.grade >= 0
        offsets = segments.keep(kept, self.offsets)
        return replace(self, offsets=offsets, subtopic=self.subtopic[kept], grade=self.grade[kept])

    def of_documents(self, documents: Array) -> tuple[Array, Array, Array]:
        """Return the position in ``documents``, the subtopic and the grade of each of their rows."""
        sizes = self.offsets[documents + 1] - self.offsets[documents]
        row = ranges(self.offsets[documents], sizes)
        return np.repeat(np.arange(len(documents)), sizes), self.subtopic[row], self.grade[row]

    def judged(self) -> tuple[Array, Array]:
        """Return the judged documents that count, and the query of each."""
        sizes = self.last - self.first
        documents = ranges(self.first, sizes)
        query = np.repeat(np.arange(len(sizes)), sizes)
        if self.known is None:
            return documents, query
        kept = self.known[documents]
        return documents[kept], query[kept]


def ranges(starts: Array, sizes: Array) -> Array:
    """Return the whole numbers of ranges laid end to end.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    offsets = segments.offsets_of(sizes)
    return np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])


def with_subtopics(judgments: Judgments, rows: Iterable[Aspect]) -> SubtopicScan:
    """Return judgments with grades by subtopic; of contradicting grades the highest counts.

    Subtopics are in the order in which the rows name them first.
    """
    place = {str(query): q for q, query in enumerate(judgments.queries)}
    row_of = [
        {str(doc): first + i for i, doc in enumerate(docs)}
        for first, docs in zip(judgments.groups.tolist(), judgments.docs_by_query, strict=False)
    ]
    label_order: dict[str, int] = {}
    vital: dict[tuple[int, str], bool] = {}
    grades: dict[tuple[int, int, str], float] = {}
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    for row in rows:
        q, label = place[str(row.query)], str(row.subtopic)
        label_order.setdefault(label, len(label_order))
        _note_vital(vital, q, row)
        key = (q, row_of[q][str(row.doc)], label)
        before = grades.get(key)
        if before is not None:
            pair = (encode(str(row.query)), encode(str(row.doc)))
            (repeated if before == row.grade else contradicting).append(pair)
        grades[key] = row.grade if before is None else max(before, row.grade)
    counts = repetitions(repeated, contradicting)
    numbered = sorted(vital, key=lambda key: (key[0], label_order[key[1]]))
    number = {key: i for i, key in enumerate(numbered)}
    table = np.array([(doc, number[q, label]) for q, doc, label in grades], np.int64).reshape(-1, 2)
    order = np.lexsort((table[:, 1], table[:, 0]))
    docs = [encode(str(doc)) for doc in judgments.docs.objects]
    by_id = np.empty(len(docs), np.int64)
    by_id[sorted(range(len(docs)), key=docs.__getitem__)] = np.arange(len(docs))
    subtopics = Subtopics(
        names=[label for _, label in numbered],
        vital=np.array([vital[key] for key in numbered], bool),
        offsets=segments.offsets_of(np.bincount(table[:, 0], minlength=len(docs))),
        subtopic=table[order, 1],
        grade=np.array(list(grades.values()), np.float64)[order],
        by_id=by_id,
        first=judgments.groups[:-1],
        last=judgments.groups[1:],
    )
    return SubtopicScan(replace(judgments, subtopics=subtopics), counts)


def _note_vital(vital: dict[tuple[int, str], bool], q: int, row: Aspect) -> None:
    key = (q, str(row.subtopic))
    known = row.vital is not False
    if vital.setdefault(key, known) != known:
        raise DataError(
            f"query {row.query!r}: the nugget {row.subtopic!r} is vital in one row and okay in "
            "another. Give it one importance."
        )


def aspects_of(judgments: Judgments) -> Iterator[Aspect]:
    """Yield the grades of judged documents by subtopic, with text for ids."""
    subtopics = judgments.subtopics
    if subtopics is None:
        return
    names, vital = subtopics.names, subtopics.vital.tolist()
    numbers, grades = subtopics.subtopic.tolist(), subtopics.grade.tolist()
    ends = subtopics.offsets.tolist()
    groups = judgments.groups.tolist()
    for q, query in enumerate(judgments.queries):
        for d in range(groups[q], groups[q + 1]):
            doc = str(judgments.docs[d])
            for i in range(ends[d], ends[d + 1]):
                part = numbers[i]
                yield Aspect(str(query), doc, grades[i], names[part], vital[part])


def subtopic_notices(judgments: Judgments) -> list[Notice]:
    """Return the notice that judgments are by subtopic."""
    if judgments.subtopics is None:
        return []
    return reading_notice("subtopics", len(judgments.subtopics.names))
