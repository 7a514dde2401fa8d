"""Judgment lists of OpenSearch's Search Relevance Workbench."""

from __future__ import annotations

from collections.abc import Iterator

from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.errors import DataError
from rankstone.io.formats import Format
from rankstone.io.input_file import Input
from rankstone.io.rows import id_of


def _judgments(file: Input) -> Iterator[Row]:
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


FORMAT = Format(
    "opensearch",
    '{"judgmentRatings": [{"query": ..., "ratings": [{"docId": ..., "rating": "2"}]}]}',
    lambda file: isinstance(file.record.get("judgmentRatings"), list),
    _judgments,
)
