"""The verb ``holes``: which unjudged documents matter most to a value, or to a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.setup import Setup, verb
from rankstone.core import segments
from rankstone.core.collection import MatchedCollection
from rankstone.core.dicts import ListedRun
from rankstone.core.engine import load_engine
from rankstone.core.hypothetical_grades import UnjudgedPositions
from rankstone.core.unjudged import UnjudgedDocument
from rankstone.errors import UsageError
from rankstone.io.changes import prepared
from rankstone.io.load import check_columns_used, collection
from rankstone.language import tr
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.parse import parse_measure
from rankstone.measures.unjudged import UnjudgedDocuments, influences
from rankstone.verbs.pool import first_documents, runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankstone.choices.options import HolesOptions

Ranks = dict[Any, int]  # of unjudged documents


@verb("holes")
def holes(
    judgments: Any,
    runs: Any,
    measure: str | Measure = DEFAULT[0],
    *,
    depth: int = 100,
    **options: Unpack[HolesOptions],
) -> list[UnjudgedDocument]:
    """Return the unjudged documents of a run, or of two, by how much judging them can settle.

    Documents are sorted by their mean effect on the mean, or on the difference, under three
    assumptions about the other unjudged documents: all irrelevant, all top-graded, mixed. Where
    effects add up, as those of DCG or precision do, that is the effect.

    Args:
        judgments: whatever ``evaluate`` takes.
        runs: one run, or a list or dict of two, whose difference counts.
        measure: a name or a measure.
        depth: number of first documents of each ranking; the others count as not retrieved.
        options: see below.

    >>> found = holes({"q": {"a": 1}}, [{"q": ["x", "a", "y"]}], "P@2")
    >>> [(hole.document, hole.ranks, hole.effect) for hole in found]
    [('x', (1,), 0.5), ('y', (3,), 0.0)]
    """
    setup = prepared(Setup.of("holes", options))
    measure = parse_measure(measure)
    every = runs_of(runs)
    if not 1 <= len(every) <= 2:
        raise UsageError(f"give one run, or two to compare, not {len(every)}.")
    load_engine()
    conventions, found, tops = setup.conventions(), [], []
    for run in every:
        data = collection(judgments, run, setup)
        if not isinstance(data, MatchedCollection):
            raise UsageError("unjudged documents have ids, and labels and scores have none.")
        if measure.definition.reads_subtopics and data.judgments.subtopics is not None:
            raise UsageError(
                f"the effect of a document on {measure} depends on which subtopics it covers. "
                f"Choose a measure that does not read subtopics, such as {DEFAULT[0]}."
            )
        UnjudgedPositions.of(
            data.ranked(conventions)
        )  # refuses rules that leave the order of ties open
        first = first_documents(data, depth, conventions)
        tops.append({query: docs for query, docs in first.items() if docs})
        shown = ListedRun(tops[-1], data.name, data.run.source, typed=False)
        found.append(
            UnjudgedPositions.of(MatchedCollection(shown, data.judgments).ranked(conventions))
        )
        judgments = data.judgments if not setup.changes.judged_chunks else judgments
    check_columns_used(setup)
    ranks = [_ranks(own, run) for own, run in zip(found, tops, strict=True)]
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
        UnjudgedDocument(query, doc, tuple(own.get(query, {}).get(doc) for own in ranks), effect[i])
        for i, (query, doc) in enumerate(keys)
    ]
    first_ranks = [min(rank for rank in hole.ranks if rank is not None) for hole in listed]
    order = sorted(range(len(keys)), key=lambda i: (-size[i], first_ranks[i], str(keys[i])))
    return [listed[i] for i in order]


def _ranks(own: UnjudgedPositions, run: dict[str, list[str]]) -> dict[Any, Ranks]:
    """Return the ranks of a run's unjudged documents, by query."""
    ranks: dict[Any, Ranks] = {}
    for q, query in enumerate(own.ranked.queries):
        places = own.ranks(q).tolist()
        if places:
            ranks[query] = {run[str(query)][place - 1]: place for place in places}
    return ranks


def _moves(
    measure: Measure,
    own: UnjudgedPositions,
    open_: Mapping[Any, list[Any]],
    ranks: Mapping[Any, Ranks],
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
    moves = influences(measure, own, UnjudgedDocuments(offsets, np.array(rank, np.int64)))
    place = {query: q for q, query in enumerate(queries)}
    columns = [
        moves[:, offsets[place[query]] : offsets[place[query] + 1]]
        if query in place
        else np.zeros((4, len(docs)))
        for query, docs in open_.items()
    ]
    return np.concatenate(columns, axis=1) if columns else np.zeros((4, 0))


def lines(
    holes: Sequence[UnjudgedDocument], runs: Sequence[str], *, aligned: bool
) -> Iterator[str]:
    """Return a line of heads and one for each document: between tabs, or aligned for a terminal."""
    from rankstone.text.delimited import lines_of

    heads = ["query", "document", *(f"rank in {name}" for name in runs), "effect"]
    if aligned:  # heads in files are the same in every language
        ranks_in = (tr("rank in {}").format(name) for name in runs)
        heads = [tr("query"), tr("document"), *ranks_in, tr("effect")]
    rows = [heads]
    for hole in holes:
        ranks = ["-" if rank is None else str(rank) for rank in hole.ranks]
        effect = f"{hole.effect:+.4f}" if aligned else repr(hole.effect)
        rows.append([str(hole.query), str(hole.document), *ranks, effect])
    return lines_of(rows, 2, wide=aligned)
