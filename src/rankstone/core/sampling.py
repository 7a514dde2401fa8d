"""Which queries are sampled for unjudged documents (doc_samples.hpp decides as this does)."""

from __future__ import annotations

import numpy as np

SAMPLED_QUERIES, SAMPLED_DOCS = 32, 256


def spread(queries: list[int]) -> list[int]:
    """Return at most so many queries as are sampled, evenly spread over those given.

    >>> spread(list(range(65)))[:3]
    [0, 3, 6]
    """
    return queries[:: -(-len(queries) // SAMPLED_QUERIES) or 1]


def incomplete(groups: np.ndarray, judgment: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return which queries of the run miss judged documents; a judgment may have several matches.

    >>> incomplete(np.array([0, 2, 4]), np.array([0, 0, 2, 3]), np.array([True, True])).tolist()
    [True, False]
    """
    missing = np.ones(int(groups[-1]), bool)
    missing[judgment] = False
    before = np.cumsum(np.append(0, missing))
    return present & (np.diff(before[groups]) > 0)
