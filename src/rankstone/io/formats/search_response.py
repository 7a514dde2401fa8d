"""Responses of Elasticsearch and OpenSearch: of _search, of _msearch, or by query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankstone.errors import DataError
from rankstone.io.formats import Format, json_records
from rankstone.io.input_file import Input

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


def _records(file: Input) -> Iterator[tuple[int, str, Any]]:
    for number, (query, response) in enumerate(_responses(file.value)):
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
