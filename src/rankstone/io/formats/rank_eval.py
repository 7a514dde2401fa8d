"""Elasticsearch and OpenSearch ``_rank_eval``: ratings in the request, hits in the response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.errors import DataError
from rankstone.io.formats import NO_DOCUMENT, Format, Input, Row
from rankstone.io.rows import Lists, id_of, number_of


def _told(text: Input) -> bool:
    value = text.value if text.carrier == "json" else None
    if not isinstance(value, dict):
        return False
    return _requests(value) is not None or _details(value) is not None


def _requests(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    found = value.get("requests")
    rated = isinstance(found, list) and all(isinstance(r, dict) and "ratings" in r for r in found)
    return found if rated else None


def _details(value: dict[str, Any]) -> dict[str, Any] | None:
    found = value.get("details")
    return found if isinstance(found, dict) and "metric_score" in value else None


def _judgments(text: Input) -> Iterator[Row]:
    requests = _requests(text.value)
    if requests is None:
        raise DataError(
            f"{text.path}: a _rank_eval response rates only what was retrieved. "
            "Give the request, which holds all ratings."
        )
    for i, request in enumerate(requests):
        where = f"{text.path}, request {i + 1}"
        query = id_of(request.get("id"), "query", where)
        yield query, NO_DOCUMENT, 0.0
        for rating in _objects(request["ratings"], where):
            doc = id_of(rating.get("_id"), "document", where)
            yield query, doc, number_of(rating.get("rating"), "rating", where)


def _run(text: Input) -> Lists:
    details = _details(text.value)
    if details is None:
        raise DataError(f"{text.path}: a _rank_eval request holds no ranking. Give the response.")
    lists = {}
    for query, detail in details.items():
        where = f"{text.path}, query {query!a}"
        hits = detail.get("hits") if isinstance(detail, dict) else None
        found = (hit.get("hit", hit) for hit in _objects(hits, where))
        lists[id_of(query, "query", where)] = [
            id_of(hit.get("_id") if isinstance(hit, dict) else None, "document", where)
            for hit in found
        ]
    return Lists(lists)


def _objects(value: Any, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise DataError(f"{where}: expected an array of objects.")
    return value


FORMAT = Format(
    "rank-eval",
    "a _rank_eval request (judgments) or response (run) of Elasticsearch or OpenSearch",
    _told,
    _judgments,
    _run,
    holds=lambda text: "run" if _requests(text.value) is None else "judgments",
)
