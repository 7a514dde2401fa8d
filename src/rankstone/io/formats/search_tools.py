"""Judgments and runs in JSON of tools for search: _rank_eval, OpenSearch, the RRE, pyvespa."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.errors import DataError
from rankstone.io.formats import Format, json_records
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


def _rank_eval_judgments(file: Input) -> Iterator[Row]:
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


def _rank_eval_run(file: Input) -> Lists:
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


RANK_EVAL = Format(
    "rank-eval",
    "a _rank_eval request (judgments) or response (run) of Elasticsearch or OpenSearch",
    lambda file: _requests(file.record) is not None or _details(file.record) is not None,
    _rank_eval_judgments,
    _rank_eval_run,
    kind=lambda file: "run" if _requests(file.value) is None else "judgments",
)


def _opensearch_judgments(file: Input) -> Iterator[Row]:
    for i, entry in enumerate(file.value["judgmentRatings"]):
        where = f"{file.path}, entry {i + 1}"
        ratings = entry.get("ratings") if isinstance(entry, dict) else None
        if not isinstance(ratings, list):
            raise DataError(f"{where}: expected a query and its ratings.")
        query = id_of(entry.get("query"), "query", where)
        yield query, NO_DOCUMENT, 0.0
        for rating in ratings:
            if not isinstance(rating, dict):
                raise DataError(f"{where}: expected ratings with docId and rating.")
            doc = id_of(rating.get("docId"), "document", where)
            yield query, doc, number_of(rating.get("rating"), "rating", where)


OPENSEARCH = Format(
    "opensearch",
    '{"judgmentRatings": [{"query": ..., "ratings": [{"docId": ..., "rating": "2"}]}]}',
    lambda file: isinstance(file.record.get("judgmentRatings"), list),
    _opensearch_judgments,
)


def _rre_detect(file: Input) -> bool:
    return any(isinstance(file.record.get(key), list) for key in ("topics", "query_groups"))


def _rre_judgments(file: Input) -> Iterator[Row]:
    value = file.value
    groups = [*objects_in(value.get("query_groups", []), file.path)]
    for topic in objects_in(value.get("topics", []), file.path):
        groups += objects_in(topic.get("query_groups", []), file.path)
    for i, group in enumerate(groups):
        where = f"{file.path}, query group {i + 1}"
        judged = list(_rre_judged(group.get("relevant_documents"), where))
        for query in _rre_queries(group, where):
            yield query, NO_DOCUMENT, 0.0
            for doc, gain in judged:
                yield query, doc, gain


def _rre_queries(group: dict[str, Any], where: str) -> Iterator[Id]:
    """Yield the queries of a group: the text for the template, else the group's name."""
    queries = objects_in(group.get("queries", []), where)
    for query in queries or [{}]:
        placeholders = query.get("placeholders")
        text = placeholders.get("$query") if isinstance(placeholders, dict) else None
        yield id_of(group.get("name") if text is None else text, "query", where)


def _rre_judged(value: Any, where: str) -> Iterator[tuple[Id, float]]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected relevant_documents as an object.")
    for key, entry in value.items():
        if isinstance(entry, list):  # documents by gain
            gain = number_of(key, "gain", where)
            yield from ((id_of(doc, "document", where), gain) for doc in entry)
        elif isinstance(entry, dict):
            yield id_of(key, "document", where), number_of(entry.get("gain"), "gain", where)
        else:
            yield id_of(key, "document", where), number_of(entry, "gain", where)


RRE = Format(
    "rre",
    '{"topics": [{"query_groups": [{"queries": [...], "relevant_documents": {"d1": {"gain": 2}}}]}]}',
    _rre_detect,
    _rre_judgments,
)


def _vespa_detect(file: Input) -> bool:
    value = file.value if file.carrier == "json" else None
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(v, dict) and "relevant_docs" in v and "query_id" in v for v in value)
    )


def _vespa_records(file: Input) -> Iterator[tuple[int, str, Any]]:
    for i, record in enumerate(file.value):
        parts = {key: record[key] for key in ("query_id", "relevant_docs")}
        yield i, f"{file.path}, record {i + 1}", parts


VESPA = Format(
    "vespa",
    '[{"query_id": "q1", "query": ..., "relevant_docs": [{"id": "d1", "score": 1}]}]',
    _vespa_detect,
    lambda file: json_records.judgments(_vespa_records(file)),
)
