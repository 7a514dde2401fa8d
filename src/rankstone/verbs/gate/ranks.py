"""The ranks of single documents, for rules that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup
from rankstone.errors import NothingInCommonError
from rankstone.io.load import collection
from rankstone.verbs.gate.rules import MustFind


def ranks_of(
    rules: Sequence[MustFind],
    run: Any,
    conventions: Conventions,
    queries: Iterable[Any],
    setup: Setup,
) -> dict[MustFind, int | None]:
    """Return the rank of each document, None if it was not retrieved; queries without answers have none.

    Tied documents are in the order of the conventions; if these account for every order, the worst
    counts for the rule: the last rank of what must be found, the first of what must not.

    Args:
        rules: the documents.
        run: whatever ``evaluate`` takes.
        conventions: those of the evaluation.
        queries: that were evaluated; a rule may write the id of a query as text.
        setup: how to read the run, and what to change in it.
    """
    known = {str(query): query for query in queries}
    query_of = {rule: known.get(str(rule.query), rule.query) for rule in rules}
    judgments: dict[Any, dict[Any, int]] = {}
    for rule, query in query_of.items():
        judgments.setdefault(query, {})[rule.document] = 1
    # Every other document counts, judged or not, and only its place matters.
    conventions = conventions.replace(unjudged="nonrelevant", queries="judged")
    if setup.changes.judged_chunks:  # rules name documents
        setup = setup.replace(judged_chunks=False)
    try:
        source = collection(judgments, run, setup)
        ranked = source.ranked(conventions)
    except NothingInCommonError:
        return {}
    # A rule that accounts for every order leaves no notice of ties.
    in_order = bool(conventions.effect("ties"))
    last = ranked.rank if in_order else ranked.above + ranked.tied
    first = ranked.rank if in_order else ranked.above + 1
    rows = {
        (query, source.document(int(ranked.judgment[row]))): row
        for q, query in enumerate(ranked.queries)
        for row in range(*ranked.offsets[q : q + 2].tolist())
    }
    answered = {query for q, query in enumerate(ranked.queries) if ranked.retrieved[q] > 0}
    places: dict[MustFind, int | None] = {}
    for rule, query in query_of.items():
        row = rows.get((query, rule.document))
        if query in answered:
            place = last if rule.kind == "must-find" else first
            places[rule] = None if row is None else int(place[row])
    return places
