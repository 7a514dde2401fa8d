"""Judgments and runs in JSON of tools for search.

Of _rank_eval, OpenSearch, the RRE and pyvespa; and responses of Elasticsearch and OpenSearch: of
_search, of _msearch, or by query.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import Any

from rankstone.core.notice_texts import reading_notice
from rankstone.core.provenance import Source
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.core.tally import EXAMPLES
from rankstone.errors import DataError, UsageError, amount
from rankstone.io.formats import Format, json_records
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import Id, Lists, check_distinct, id_of, objects_in

_LOOKED_AT = 10
_SETTINGS = ("fields", "type", "operator", "minimum_should_match", "analyzer", "fuzziness", "filter")  # fmt: skip


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
        ratings = objects_in(request["ratings"], where)
        yield from _rated(request.get("id"), ratings, "_id", where)


def _rated(query: Any, ratings: list[dict[str, Any]], doc_key: str, where: str) -> Iterator[Row]:
    """Yield the ratings of a query, whose documents are under a key."""
    name = id_of(query, "query", where)
    yield name, NO_DOCUMENT, 0.0
    for rating in ratings:
        doc = id_of(rating.get(doc_key), "document", where)
        yield name, doc, number_of(rating.get("rating"), "rating", where)


def _rank_eval_run(file: Input) -> Any:
    details = _details(file.value)
    if details is None:
        raise DataError(f"{file.path}: a _rank_eval request holds no ranking. Give the response.")
    return json_records.run(_rankings(details, file.path))


def _rankings(details: dict[str, Any], path: str) -> Iterator[tuple[int, str, Any]]:
    """Yield a record of the ids that were retrieved for each query."""
    for number, (query, detail) in enumerate(details.items()):
        where = f"{path}, query {query!a}"
        hits = objects_in(detail.get("hits") if isinstance(detail, dict) else None, where)
        docs = [hit.get("hit", hit) for hit in hits]
        ids = [doc.get("_id") if isinstance(doc, dict) else None for doc in docs]
        yield number, where, json_records.Made({"query_id": query, "hits": ids})


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
        if not all(isinstance(rating, dict) for rating in ratings):
            raise DataError(f"{where}: expected ratings with docId and rating.")
        yield from _rated(entry.get("query"), ratings, "docId", where)


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


def _are_responses(file: Input) -> bool:
    if file.carrier != "json":
        return False
    responses = [response for _, response in _responses(file.value)][:_LOOKED_AT]
    return any(map(_is_response, responses)) and all(
        _is_response(r) or "error" in r for r in responses if isinstance(r, dict)
    )


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and json_records.is_response(value.get("hits"))


def _responses(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the query and the response; responses without a query are numbered from 0."""
    if isinstance(value, dict) and isinstance(value.get("responses"), list):
        value = value["responses"]
    if isinstance(value, list):
        yield from enumerate(value)
    elif _is_response(value):
        yield 0, value
    elif isinstance(value, dict):
        yield from value.items()


def _query_ids(options: ReadOptions) -> list[str] | None:
    """Return the ids of the queries, if they are given beside the responses."""
    given = options.query_ids
    if not isinstance(given, str | os.PathLike):
        return None if given is None else [str(query) for query in given]
    with Input.open(os.fspath(given), ReadOptions(max_bytes=options.max_bytes)) as ids:
        if ids.head.lstrip().startswith(b"{"):
            return list(_queries_of_request(ids))
        texts = (line.decode("utf-8", "surrogateescape").strip() for _, line in ids.lines())
        return [text for text in texts if text]


def _queries_of_request(file: Input) -> Iterator[str]:
    """Yield the texts that a request of _search or _msearch looks for."""
    bodies = [file.value] if file.carrier == "json" else None
    if bodies is None:  # lines of a header and a body in turns
        bodies = [body for _, body in islice(file.records(), 1, None, 2)]
    for number, body in enumerate(bodies, 1):
        asked = body.get("query") if isinstance(body, dict) else None
        texts = list(_texts(asked))
        named = dict.fromkeys(text for key, text in texts if key == "query") or dict.fromkeys(
            text for _, text in texts
        )
        if len(named) != 1:
            raise DataError(
                f"{file.path}, request {number}: its query holds {amount(len(named), 'text')}, so it "
                "cannot name the query. Give a list of ids, or a file with an id in each line."
            )
        yield next(iter(named))


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a query, each with its key."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for inner, own in value.items():
            yield from _texts(own, inner) if inner not in _SETTINGS else ()
    elif isinstance(value, list):
        for own in value:
            yield from _texts(own, key) if isinstance(own, dict) else ()


def responses_in(folder: str, options: ReadOptions) -> tuple[Any, Source]:
    """Read a folder with a response in each file, which is called as its query."""
    responses, digests = {}, []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with Input.open(os.path.join(folder, name), options) as file:
                responses[name.removesuffix(".json")] = file.value
                digests.append(f"{name} {file.source.content_digest()}")
    if not any(map(_is_response, responses.values())):
        raise DataError(
            f"{folder}: this is a directory without responses of a search engine. Give a file, or a "
            "folder with a response in each file, such as q1.json for the query q1."
        )
    digest = sha256("\n".join(digests).encode()).hexdigest()
    source = replace(Source.of_file(folder, os.stat(folder)), sha256=digest)
    return _run(responses, folder, options), source


def _run(value: Any, path: str, options: ReadOptions) -> Any:
    """Return the run of responses, with a warning of those that lack the hits of some shards."""
    responses = list(_responses(value))
    partial = [str(query) for query, response in responses if _is_partial(response)]
    run = json_records.run(_records(value, path, options), options.columns)
    notice = reading_notice(
        "partial-responses", len(partial), partial[:EXAMPLES], of=len(responses)
    )
    return replace(run, notices=(*run.notices, *notice)) if isinstance(run, Lists) else run


def _is_partial(response: Any) -> bool:
    if not isinstance(response, dict):
        return False
    shards = response.get("_shards")
    failed = shards.get("failed") if isinstance(shards, dict) else 0
    return response.get("timed_out") is True or bool(failed)


def _records(value: Any, path: str, options: ReadOptions) -> Iterator[tuple[int, str, Any]]:
    responses = list(_responses(value))
    ids = _query_ids(options)
    if ids is not None:
        if any(isinstance(query, str) for query, _ in responses):
            raise UsageError(f"{path}: these responses have query ids; leave query_ids= out.")
        check_distinct(ids, path)
        if len(ids) != len(responses):
            raise DataError(
                f"{path}: query_ids= names {amount(len(ids), 'query')} for "
                f"{amount(len(responses), 'response')}. Give each response its own, in their order."
            )
        responses = [(query, own) for query, (_, own) in zip(ids, responses, strict=True)]
    for number, (query, response) in enumerate(responses):
        where = f"{path}, response {number + 1}"
        if not _is_response(response):
            error = response.get("error") if isinstance(response, dict) else None
            reason = error.get("reason", "an error") if isinstance(error, dict) else error
            raise DataError(
                f"{where}: the search failed ({reason}), so there are no hits to evaluate. Repeat "
                "it, or give the query an empty list of hits."
            )
        yield number, where, json_records.Made({"query_id": query, "hits": response["hits"]})


RESPONSE = Format(
    "search-response",
    '{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}, {"responses": [...]}, or {"q1": response}',
    _are_responses,
    run=lambda file: _run(file.value, file.path, file.options),
)
