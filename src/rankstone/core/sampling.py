"""Which queries are sampled for unjudged documents (doc_samples.hpp decides as this does)."""

from __future__ import annotations

SAMPLED_QUERIES, SAMPLED_DOCS = 32, 256


def spread(queries: list[int]) -> list[int]:
    """Return at most so many queries as are sampled, evenly spread over those given.

    >>> spread(list(range(65)))[:3]
    [0, 3, 6]
    """
    return queries[:: -(-len(queries) // SAMPLED_QUERIES) or 1]
