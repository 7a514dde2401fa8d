"""Elasticsearch and OpenSearch ``_rank_eval``: ratings in the request, hits in the response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.errors import DataError
from rankstone.io.formats import Format
from rankstone.io.input_file import Input
from rankstone.io.rows import Id, Lists, id_of, objects_in


def _requests(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    requests = value.get("requests")
    if not isinstance(requests, list):
        return None
    rated = all(isinstance(r, dict) and "ratings" in r for r in requests)
    return requests if rated else None


def _details(value: dict[str, Any]) -> dict[str, Any] | None:
    details = value.get("details")
    return details if isinstance(details, dict) and "metric_score" in value else None


def _judgments(file: Input) -> Iterator[Row]:
    requests = _requests(file.value)
    if requests is None:
        raise DataError(
            f"{file.path}: a _rank_eval response rates only what was retrieved. "
            "Give the request, which holds all ratings."
        )
    for i, request in enumerate(requests):
        where = f"{file.path}, request {i + 1}"
        query = id_of(request.get("id"), "query", where)
        yield query, NO_DOCUMENT, 0.0
        for rating in objects_in(request["ratings"], where):
            doc = id_of(rating.get("_id"), "document", where)
            yield query, doc, number_of(rating.get("rating"), "rating", where)


def _run(file: Input) -> Lists:
    details = _details(file.value)
    if details is None:
        raise DataError(f"{file.path}: a _rank_eval request holds no ranking. Give the response.")
    lists: dict[Id, list[Id]] = {}
    for query, detail in details.items():
        where = f"{file.path}, query {query!a}"
        hits = detail.get("hits") if isinstance(detail, dict) else None
        documents = (hit.get("hit", hit) for hit in objects_in(hits, where))
        lists[id_of(query, "query", where)] = [
            id_of(doc.get("_id") if isinstance(doc, dict) else None, "document", where)
            for doc in documents
        ]
    return Lists(lists)


FORMAT = Format(
    "rank-eval",
    "a _rank_eval request (judgments) or response (run) of Elasticsearch or OpenSearch",
    lambda file: _requests(file.record) is not None or _details(file.record) is not None,
    _judgments,
    _run,
    kind=lambda file: "run" if _requests(file.value) is None else "judgments",
)
