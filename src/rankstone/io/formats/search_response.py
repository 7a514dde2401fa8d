"""Responses of Elasticsearch and OpenSearch: of _search, of _msearch, or by query."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from typing import Any

from rankstone.core.provenance import Source
from rankstone.errors import DataError, UsageError, amount
from rankstone.io.formats import Format, json_records
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.rows import check_distinct

_LOOKED_AT = 10
_SETTINGS = ("fields", "type", "operator", "minimum_should_match", "analyzer", "fuzziness", "filter")  # fmt: skip


def _detect(file: Input) -> bool:
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
    return json_records.run(_records(responses, folder, options), options.columns), source


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


FORMAT = Format(
    "search-response",
    '{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}, {"responses": [...]}, or {"q1": response}',
    _detect,
    run=lambda file: json_records.run(
        _records(file.value, file.path, file.options), file.options.columns
    ),
)
