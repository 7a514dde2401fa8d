"""Judgments and runs held in Python dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids, sort_key
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notices import negative_notices
from rankstone.core.provenance import Source
from rankstone.errors import DataError

_MEMORY = Source("memory")
_SAMPLE = 100


def judgments_of(data: Mapping[Any, Any]) -> Judgments:
    """Take ``{query: {document: grade}}`` or ``{query: relevant documents}``."""
    ids = Ids.of(data, "query")
    if not len(ids):
        raise DataError("the judgments are empty.")
    keys = [q for _, q in sorted(zip(sort_key(ids.objects), data, strict=True), key=lambda p: p[0])]
    docs: list[Any] = []
    grades: list[Any] = []
    bounds = [0]
    for query in keys:
        judged = data[query]
        if isinstance(judged, Mapping):
            docs.extend(judged)
            grades.extend(_grades(query, judged))
        else:
            relevant = dict.fromkeys(_listed(query, judged, "judgments"))
            docs.extend(relevant)
            grades.extend([1.0] * len(relevant))
        bounds.append(len(docs))
    values = np.array(grades, np.float64)
    return Judgments(
        Ids.of(keys, "query"),
        np.array(bounds, np.int64),
        Ids.of(docs, "document"),
        values,
        _MEMORY,
        tuple(negative_notices(values)),
    )


def _grades(query: Any, judged: Mapping[Any, Any]) -> list[float]:
    grades = []
    for doc, grade in judged.items():
        try:
            value = float("nan") if isinstance(grade, str | bytes) else float(grade)
        except (TypeError, ValueError, OverflowError):
            value = float("nan")
        if not np.isfinite(value):
            raise DataError(
                f"judgments of query {query!r}: grade {grade!r} of document {doc!r} is not a "
                "finite number."
            )
        grades.append(value)
    return grades


def _listed(query: Any, value: Any, what: str) -> list[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise DataError(
            f"{what} of query {query!r}: expected a dict, or a list or set of document ids, "
            f"not {value!r}."
        )
    # The items of a tensor are tensors, until it is a list.
    return list(value.tolist() if hasattr(value, "tolist") else value)


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """A run held as ``{query: {document: score}}``."""

    data: dict[Any, dict[Any, float]]
    name: str = "run"
    source: Source = field(default=_MEMORY)
    scored: bool = True

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents in the dictionaries."""
        found = engine.load().match_mapping(
            self.data, list(judgments.queries.objects), judgments.docs_by_query, float32
        )
        if found["fault"]:
            raise self._fault(*found["fault"])
        unjudged, sample = _unjudged(self.data, judgments)
        present = np.flatnonzero(found["present"])
        docs: tuple[Any, ...] = ()
        if len(present) and not len(found["judgment"]):
            docs = tuple(self.data[judgments.queries[int(present[0])]])[:_SAMPLE]
        return Matches.of(
            found,
            unjudged_queries=unjudged,
            unjudged_sample=sample,
            doc_sample=docs,
        )

    def _fault(self, kind: str, query: Any, doc: Any, value: Any) -> DataError:
        where = f"{self.name}, query {query!r}"
        if kind == "not_a_mapping":
            return DataError(f"{where}: expected a dict of scores, found {value!r}.")
        if kind == "mixed_ids":
            return DataError(
                f"{where}: document ids are partly text and partly whole numbers; use one type."
            )
        problem = "a finite number" if kind == "not_finite" else "a number"
        return DataError(f"{where}: score {value!r} of document {doc!r} is not {problem}.")


def _repeats_above(listed: list[Any], order: dict[Any, int], judged: Any) -> list[int]:
    """Return, for each judged document in a list, how many repetitions are listed above it."""
    position = {doc: i for i, doc in reversed(list(enumerate(listed)))}
    return [position[doc] - order[doc] for doc in judged if doc in order]


@dataclass(frozen=True, eq=False)
class ListedRun:
    """A run held as ``{query: [document, ...]}``, best first."""

    data: dict[Any, Any]
    name: str = "run"
    source: Source = field(default=_MEMORY)
    scored: bool = False

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents in the lists; position alone decides."""
        rows: list[tuple[int, int]] = []
        repeats_above: list[int] = []
        lengths, present, retrieved, duplicates = [], [], [], []
        duplicate = {}
        docs: tuple[Any, ...] = ()
        first = 0
        pairs = zip(judgments.queries.objects, judgments.docs_by_query, strict=True)
        for q, (query, judged) in enumerate(pairs):
            listed = self._list(query) if query in self.data else []
            order = {doc: i for i, doc in enumerate(dict.fromkeys(listed))}
            found = [(first + j, order[doc]) for j, doc in enumerate(judged) if doc in order]
            rows += found
            repeated = len(order) < len(listed)
            repeats_above += _repeats_above(listed, order, judged) if repeated else [0] * len(found)
            lengths.append(len(found))
            present.append(query in self.data)
            retrieved.append(len(order))
            duplicates.append(len(listed) - len(order))
            if duplicates[-1]:
                seen: set[Any] = set()
                duplicate[q] = next(d for d in listed if d in seen or seen.add(d))  # type: ignore[func-returns-value]
            first += len(judged)
            docs = docs or tuple(order)[:_SAMPLE]
        unjudged, sample = _unjudged(self.data, judgments)
        columns = np.array(rows, np.int64).reshape(-1, 2)
        zero = np.zeros(len(columns), np.int64)
        return Matches(
            offsets=np.cumsum([0, *lengths], dtype=np.int64),
            judgment=columns[:, 0],
            score=-columns[:, 1].astype(np.float64),
            above=columns[:, 1],
            tied=zero + 1,
            greater=zero,
            earlier=zero,
            present=np.array(present, bool),
            retrieved=np.array(retrieved, np.int64),
            duplicates=np.array(duplicates, np.int64),
            tied_documents=np.zeros(len(present), np.int64),
            rank_disagrees=np.zeros(len(present), bool),
            duplicate=duplicate,
            repeats_above=np.array(repeats_above, np.int64),
            unjudged_queries=unjudged,
            unjudged_sample=sample,
            doc_sample=() if len(columns) else docs,
        )

    def _list(self, query: Any) -> list[Any]:
        value = self.data[query]
        if isinstance(value, set | frozenset):
            raise DataError(
                f"{self.name}, query {query!r}: a set has no order; give a list, best first."
            )
        listed = _listed(query, value, self.name)
        if not {*map(type, listed)} <= {str} or "" in listed:
            try:
                Ids.of(listed, "document")
            except DataError as error:
                raise DataError(
                    f"{self.name}, query {query!r}: {error}{_of_scores(listed)}"
                ) from None
        return listed


def _of_scores(listed: list[Any]) -> str:
    """Say what to do with scores, alone or beside their documents."""
    if any(isinstance(item, dict | tuple | list) for item in listed):
        return " Documents with scores go into a dict, {document: score}."
    if any(isinstance(item, float) for item in listed):
        return (
            " If these are scores of labels in the same places, lay the lists end to end and give "
            "group_sizes=, or fill them up to a table and give mask=."
        )
    return ""


def run_of(data: Mapping[Any, Any], name: str | None = None) -> ScoredRun | ListedRun:
    """Take ``{query: {document: score}}`` or ``{query: [document, ...]}``."""
    ids = Ids.of(list(data)[:1000], "query")
    if not len(ids):
        raise DataError("the run is empty.")
    plain = data if type(data) is dict else dict(data)
    scored = [isinstance(rows, Mapping) for rows in plain.values()]
    if all(scored):
        rows = (
            {q: r if isinstance(r, dict) else dict(r) for q, r in plain.items()}
            if not all(isinstance(r, dict) for r in plain.values())
            else plain
        )
        return ScoredRun(rows, name or "run")
    if any(scored):
        odd = next(q for q, is_scored in zip(plain, scored, strict=True) if not is_scored)
        raise DataError(
            f"the run holds scores for some queries and lists for others (query {odd!r}); "
            "use one form."
        )
    return ListedRun(plain, name or "run")


def _unjudged(data: Mapping[Any, Any], judgments: Judgments) -> tuple[int, tuple[Any, ...]]:
    """Return how many queries of the run have no judgments, and which, by id."""
    judged = set(judgments.queries.objects)
    extra = [q for q in data if q not in judged]
    keys = sort_key(Ids.of(extra, "query").objects)
    order = sorted(range(len(extra)), key=keys.__getitem__)
    return len(extra), tuple(extra[i] for i in order)
