"""Responses of Elasticsearch and OpenSearch: of _search, of _msearch, or by query."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from rankstone.errors import DataError, UsageError, plural
from rankstone.io.formats import Format, json_records
from rankstone.io.input_file import Input, ReadOptions

_LOOKED_AT = 10


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


def _query_ids(file: Input) -> list[str] | None:
    """Return the ids of the queries, if they are given beside the responses."""
    given = file.options.query_ids
    if not isinstance(given, str | os.PathLike):
        return None if given is None else [str(query) for query in given]
    with Input.open(os.fspath(given), ReadOptions(max_bytes=file.options.max_bytes)) as ids:
        texts = (line.decode("utf-8", "surrogateescape").strip() for _, line in ids.lines())
        return [text for text in texts if text]


def _records(file: Input) -> Iterator[tuple[int, str, Any]]:
    responses = list(_responses(file.value))
    ids = _query_ids(file)
    if ids is not None:
        if any(isinstance(query, str) for query, _ in responses):
            raise UsageError(f"{file.path}: these responses have query ids; leave query_ids= out.")
        if len(ids) != len(responses) or len({*ids}) < len(ids):
            raise DataError(
                f"{file.path}: query_ids= names {plural(len(ids), 'query')} for "
                f"{plural(len(responses), 'response')}. Give each response its own, in their order."
            )
        responses = [(query, own) for query, (_, own) in zip(ids, responses, strict=True)]
    for number, (query, response) in enumerate(responses):
        where = f"{file.path}, response {number + 1}"
        if not _is_response(response):
            error = response.get("error") if isinstance(response, dict) else None
            reason = error.get("reason", "an error") if isinstance(error, dict) else error
            raise DataError(
                f"{where}: the search failed ({reason}), so there are no hits to evaluate. Repeat "
                "it, or give the query an empty list of hits."
            )
        yield number, where, {"query_id": query, "hits": response["hits"]}


FORMAT = Format(
    "search-response",
    '{"hits": {"hits": [{"_id": "d1", "_score": 2.5}]}}, {"responses": [...]}, or {"q1": response}',
    _detect,
    run=lambda file: json_records.run(_records(file), file.options.columns),
)
