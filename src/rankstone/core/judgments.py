"""Judgments: grades by query and document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids
from rankstone.core.provenance import MEMORY, Source
from rankstone.core.timing import stage
from rankstone.errors import Notice
from rankstone.frozen import frozen

if TYPE_CHECKING:
    from rankstone.core.subtopics import Subtopics


@frozen(eq=False)
class Judgments:
    """Grades by (query, document), grouped by query; one row for each judged pair.

    Rows ``groups[q]:groups[q + 1]`` of ``docs`` and ``grades`` belong to query q. If documents
    were judged by subtopic, ``subtopics`` holds these grades, and ``grades`` the highest of each. If
    documents were drawn to be judged, ``probabilities`` says how likely each was; those that were not
    drawn have a negative grade. If they are of a file whose rows a run may score, ``file_rows`` says
    which of the judgments each of them is. ``indexes`` are look-ups that were built, and the ids that
    they are ``of``: a copy with the same ids shares them, one with other ids has its own.
    """

    queries: Ids
    groups: np.ndarray
    docs: Ids
    grades: np.ndarray
    source: Source
    notices: tuple[Notice, ...] = field(default=())
    subtopics: Subtopics | None = None
    probabilities: np.ndarray | None = None
    file_rows: np.ndarray | None = None
    indexes: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Leave look-ups of other ids to the judgments that have these."""
        ids = self.queries, self.groups, self.docs
        if any(
            own is not other
            for own, other in zip(ids, self.indexes.setdefault("of", ids), strict=True)
        ):
            object.__setattr__(self, "indexes", {"of": ids})

    def __getstate__(self) -> dict[str, Any]:
        """Return what to copy: look-ups are built anew."""
        return {**self.__dict__, "indexes": {"of": (self.queries, self.groups, self.docs)}}

    def __len__(self) -> int:
        """Return the number of judged pairs."""
        return len(self.grades)

    @cached_property
    def max_grade(self) -> float:
        """The highest grade of any document, at least 0."""
        return float(self.grades.max(initial=0.0))

    def digest(self) -> str:
        """Return the SHA-256 of the sorted judgments, which is the same whatever their order."""
        from hashlib import sha256

        rows = zip(self.docs.objects, self.grades.tolist(), strict=True)
        lists = zip(self.queries, np.diff(self.groups).tolist(), strict=True)
        entries = [f"{q}\t{d}\t{g!r}" for q, n in lists for d, g in islice(rows, n)]
        entries += [
            f"{q}" for q, n in zip(self.queries, np.diff(self.groups), strict=True) if not n
        ]
        if self.probabilities is not None:
            pairs = zip(entries, self.probabilities.tolist(), strict=False)
            entries = [f"{entry}\t{p!r}" for entry, p in pairs] + entries[len(self) :]
        return sha256("\n".join(sorted(entries)).encode(errors="surrogateescape")).hexdigest()

    def with_queries(self, names: Sequence[str | int]) -> Judgments:
        """Return these judgments with more queries at the end, without judged documents."""
        end = np.full(len(names), self.groups[-1])
        queries = Ids.of([*self.queries.objects, *names], "query")
        groups = np.append(self.groups, end)
        subtopics = self.subtopics and replace(self.subtopics, first=groups[:-1], last=groups[1:])
        return replace(self, queries=queries, groups=groups, subtopics=subtopics)

    @cached_property
    def docs_by_query(self) -> list[list[Any]]:
        """The judged documents of each query as Python objects."""
        docs = self.docs.objects
        bounds = self.groups.tolist()
        return [list(docs[a:b]) for a, b in pairwise(bounds)]

    @property
    def texts_by_query(self) -> dict[str, frozenset[str]]:
        """The judged documents of each query, queries and documents as text."""
        pairs = zip(self.queries, self.docs_by_query, strict=True)
        return {str(query): frozenset(map(str, docs)) for query, docs in pairs}

    def index(self, *, numbers: tuple[bool, bool] = (False, False), typed: bool = False) -> Any:
        """Return the exact look-up of the current engine, built on first use.

        ``numbers`` says whether the queries and documents looked up are whole numbers, ``typed``
        whether that is known or only how they are written.
        """
        module = engine.load()
        key = (module.__name__, numbers, typed)
        if key not in self.indexes:
            with stage("matching"):
                queries = self.queries.lookup_bytes(numbers=numbers[0], typed=typed)
                docs = self.docs.lookup_bytes(numbers=numbers[1], typed=typed)
                self.indexes[key] = module.Index(*queries, self.groups, *docs)
        return self.indexes[key]


#: No judgments, for a part of a run whose queries are all unjudged.
EMPTY = Judgments(Ids([], "text"), np.zeros(1, np.int64), Ids([], "text"), np.zeros(0), MEMORY)


def repetitions(
    repeated: list[tuple[bytes, bytes]], contradicting: list[tuple[bytes, bytes]]
) -> dict[str, Any]:
    """Count pairs of query and document that were judged again, alike or not, with an example."""
    nothing = (b"", b"")
    return {
        "repeated": len(repeated),
        "contradicting": len(contradicting),
        "repeated_example": min(repeated, default=nothing),
        "contradicting_example": min(contradicting, default=nothing),
    }
