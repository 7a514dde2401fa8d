"""What the adapters share: what a tool takes, and how data are handed to it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Qrels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]  # or lists of documents, best first
Values = tuple[dict[str, float] | None, float | None]
Function = Callable[[Qrels, Run, int | None], Values]


@dataclass(frozen=True, kw_only=True)
class Accepts:
    """What a tool can be given; ``refuses`` says what happens with the rest.

    ``takes`` is 'scores' (documents with scores, the tool sorts them), 'ranking' (the adapter
    hands over the list: score descending, equal scores in the order of the run) or 'candidates'
    (labels and scores of the retrieved documents alone, unjudged ones labelled 0, in the order
    of the run: the tool never hears of a relevant document that was missed). ``all_negative``
    are queries without a grade from 0 up, ``empty`` collections without a relevant document;
    ``repeats`` are documents that are ranked more than once, in runs that are lists;
    ``mean`` says whether its mean can be compared with Rankstone's aggregate, ``longest`` how
    long a list may be, ``shallowest`` the lowest cutoff.
    """

    takes: str
    ties: bool = True
    unretrieved_queries: bool = True
    unjudged_queries: bool = True
    no_relevant: bool = True
    graded: bool = True
    negative: bool = True
    fractional: bool = True
    nonpositive_scores: bool = True
    short_lists: bool = True
    single_document: bool = True
    odd_ids: bool = True
    all_negative: bool = True
    empty: bool = True
    mean: bool = True
    repeats: bool = False
    longest: int = 16
    shallowest: int = 1
    digits: float = 1e-9
    refuses: dict[str, str] = field(default_factory=dict)


def candidates(qrels: Qrels, run: Run, query: str) -> tuple[list[float], list[float]]:
    """Return labels (0 where unjudged) and scores of a query's documents, in the run's order."""
    judged = qrels.get(query, {})
    return [judged.get(d, 0) for d in run[query]], list(run[query].values())


def ranking(scored: dict[str, float] | list[str]) -> list[str]:
    """Return the documents by score, highest first, equal scores in the order of the run."""
    if isinstance(scored, list):
        return scored
    return sorted(scored, key=scored.__getitem__, reverse=True)


def relevant(judged: dict[str, float]) -> list[str]:
    """Return the documents with a grade above 0, for tools that know sets only."""
    return [d for d, grade in judged.items() if grade > 0]


def both(qrels: Qrels, run: Run) -> list[str]:
    """Return the queries that are judged and retrieved, in the order of the run."""
    return [q for q in run if q in qrels]


def one_by_one(mean: Callable[[Qrels, Run, int | None], float], queries=both) -> Function:
    """Turn a tool's mean into values too, by asking it about each query alone."""

    def function(qrels: Qrels, run: Run, k: int | None) -> Values:
        per_query = {
            q: mean({q: qrels[q]}, {q: run[q]} if q in run else {}, k) for q in queries(qrels, run)
        }
        return per_query, mean(qrels, run, k) if per_query else None

    return function


def whole(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Return the judgments with whole grades as int; others stay as they are."""
    return {
        q: {d: int(g) if g == int(g) else g for d, g in judged.items()}
        for q, judged in qrels.items()
    }


@contextmanager
def quiet(category: type[Warning], message: str = "") -> Iterator[None]:
    """Leave out one warning of a tool about itself."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=message, category=category)
        yield
