"""The verb ``holes``: which unjudged documents matter most to a value, or to a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.completions import Holes
from rankstone.core.judgments import Judgments
from rankstone.core.unjudged import Hole
from rankstone.errors import UsageError
from rankstone.io.load import collection
from rankstone.io.tops import Tops
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.influence import OpenDocuments, influences

Ranks = dict[Any, int]  # of unjudged documents


def holes(
    judgments: Judgments, runs: Sequence[Tops], measure: Measure, conventions: Conventions
) -> list[Hole]:
    """Return the unjudged documents of a run, or of two, by how much judging them can settle.

    What a document does to the mean, or to the difference, depends on the other unjudged documents:
    they are in order of its mean effect if these are worthless, as good as possible, or partly
    both. Where effects add up, as those of DCG or precision do, that is its effect.
    """
    if not 1 <= len(runs) <= 2:
        raise UsageError(f"give one run, or two to compare, not {len(runs)}.")
    if measure.definition.reads_subtopics and judgments.subtopics is not None:
        raise UsageError(
            f"the effect of a document on {measure} depends on which subtopics it covers. Choose a "
            f"measure that does not read subtopics, such as {DEFAULT[0]}."
        )
    found = [Holes.of(collection(judgments, run).ranked(conventions)) for run in runs]
    ranks = [_ranks(own, run) for own, run in zip(found, runs, strict=True)]
    open_ = {
        query: list(dict.fromkeys(doc for own in ranks for doc in own.get(query, ())))
        for query in dict.fromkeys(query for own in ranks for query in own)
    }
    keys = [(query, doc) for query, docs in open_.items() for doc in docs]
    moves = np.zeros((4, len(keys)))
    for sign, own, own_ranks in zip((1.0, -1.0), found, ranks, strict=False):
        moves += sign * _moves(measure, own, open_, own_ranks) / len(own.ranked)
    effect, size = moves[0].tolist(), np.abs(moves).mean(axis=0).tolist()
    listed = [
        Hole(query, doc, tuple(own.get(query, {}).get(doc) for own in ranks), effect[i])
        for i, (query, doc) in enumerate(keys)
    ]
    order = sorted(
        range(len(keys)),
        key=lambda i: (-size[i], _first(listed[i].ranks), str(keys[i])),
    )
    return [listed[i] for i in order]


def _ranks(own: Holes, run: Tops) -> dict[Any, Ranks]:
    """Return the ranks of a run's unjudged documents, by query."""
    ranks: dict[Any, Ranks] = {}
    for q, query in enumerate(own.ranked.queries):
        places = own.ranks(q).tolist()
        if places:
            ranks[query] = {run[str(query)][place - 1]: place for place in places}
    return ranks


def _moves(
    measure: Measure, own: Holes, open_: Mapping[Any, list[Any]], ranks: Mapping[Any, Ranks]
) -> np.ndarray:
    """Return by how much each document moves the values of a run, in each background."""
    queries = own.ranked.queries
    listed = [open_.get(query, []) for query in queries]
    rank = [
        ranks.get(q, {}).get(doc, 0)
        for q, docs in zip(queries, listed, strict=True)
        for doc in docs
    ]
    offsets = segments.offsets_of(np.array([len(docs) for docs in listed], np.int64))
    moves = influences(measure, own, OpenDocuments(offsets, np.array(rank, np.int64)))
    place = {query: q for q, query in enumerate(queries)}
    columns = [
        moves[:, offsets[place[query]] : offsets[place[query] + 1]]
        if query in place
        else np.zeros((4, len(docs)))
        for query, docs in open_.items()
    ]
    return np.concatenate(columns, axis=1) if columns else np.zeros((4, 0))


def _first(ranks: Sequence[int | None]) -> int:
    return min(rank for rank in ranks if rank is not None)
