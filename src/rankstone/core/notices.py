"""Notices: what users should know about their data and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.ids import type_names
from rankstone.core.judgments import Judgments
from rankstone.core.look_alike import (
    documents_that_look_alike,
    look_alike_notices,
    look_alikes,
)
from rankstone.core.matches import Matches
from rankstone.core.ranked import Ranked, RankedTable
from rankstone.core.text import decode
from rankstone.errors import DataError, NothingInCommonError, Notice, plural

_LOW = 0.5  # a lower share of judged documents is noticed
_FEW = 0.01  # a lower share of tied documents is mentioned only on request
_COMPARED = 1000
_ROUNDED = 2.0**53  # from here on a float64 does not hold every whole number


def without_relevant(ranked: Ranked) -> list[Notice]:
    """Count queries without a relevant document, since they lower or thin every mean."""
    empty = ranked.relevant_count() == 0
    n = int(empty.sum())
    if not n:
        return []
    effect = ranked.conventions.effect("no-relevant")
    text = f"{n} of {plural(len(empty), 'query')} without a relevant document; {effect}"
    return [Notice("no-relevant", n, text, _examples(ranked.queries, empty), "note")]


def judged_share(ranked: Ranked, cutoffs: Iterable[int | None]) -> list[Notice]:
    """Warn if fewer than half of the documents down to the first cutoff are judged.

    Only queries with at least as many judged documents as the cutoff count: if judgments are
    sparse by design, a low share means nothing.
    """
    if isinstance(ranked, RankedTable) and ranked.judged is None:
        return []
    k = min((c for c in cutoffs if c is not None), default=0)
    rich = (np.diff(ranked.judged_offsets) >= k) & (ranked.retrieved > 0)
    if not k or not rich.any():
        return []
    judged = segments.count(ranked.rank <= k, ranked.offsets)[rich].sum()
    share = judged / ranked.depth(k)[rich].sum()
    if share >= _LOW:
        return []
    text = f"only {share:.0%} of the documents down to rank {k} are judged; the rest count as not relevant"
    return [Notice("judged-share", int(judged), text, level="note")]


def judgment_notices(scan: dict[str, Any]) -> list[Notice]:
    """Return the notices on judgments that an engine read."""
    return [
        *commented_notices(scan),
        *repeated_notices(scan),
        *negative_notices(scan["grades"]),
    ]


def commented_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count comments that would be rows, since an id may start with # too."""
    n = int(scan["commented"])
    text = f"{plural(n, 'row')} after a # at the start of the line; read as comments"
    return [Notice("commented-rows", n, text)] if n else []


def repeated_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count judgments that were given more than once, and those that contradict each other."""
    notices = []
    for key, code, what, rule in (
        ("repeated", "repeated-judgments", "repeated judgment", "each counts once"),
        (
            "contradicting",
            "contradicting-judgments",
            "contradicting judgment",
            "the highest grade of a document counts",
        ),
    ):
        n = int(scan[key])
        if n:
            query, doc = map(decode, scan[f"{key}_example"])
            notices.append(
                Notice(code, n, f"{plural(n, what)}; {rule}", (f"document {doc} of query {query}",))
            )
    return notices


def negative_notices(grades: np.ndarray) -> list[Notice]:
    """Count negative grades."""
    n = int((grades < 0).sum())
    text = (
        f"{plural(n, 'negative grade')}; gain 0, and the convention 'negatives' says what is meant"
    )
    return [Notice("negative-grades", n, text)] if n else []


def tie_notices(tied: int, documents: int, conventions: Conventions) -> list[Notice]:
    """Count tied documents, if the conventions let one order of them decide."""
    effect = conventions.effect("ties")
    if not tied or not effect:
        return []
    share = "shares its" if tied == 1 else "share their"
    text = (
        f"{tied} of {plural(documents, 'judged document')} found {share} score with another; "
        f"{effect} decides"
    )
    return [Notice("ties", tied, text, level="note" if tied >= _FEW * documents else "info")]


def _is_large(scores: np.ndarray) -> np.ndarray:
    return np.abs(scores) >= _ROUNDED


def large_scores(tied: int) -> list[Notice]:
    """Mention documents tied at a score so large that whole numbers are rounded there."""
    share = "shares a score" if tied == 1 else "share scores"
    text = (
        f"{plural(tied, 'document')} {share} of 2^53 or more with another; whole numbers of that "
        "size are rounded, so scores that differ in the input may be ties"
    )
    return [Notice("large-scores", tied, text, level="note")] if tied else []


def large_scores_in_lists(scores: np.ndarray, bounds: np.ndarray) -> list[Notice]:
    """Mention the same of lists of scores."""
    rows = np.flatnonzero(_is_large(scores))
    if not len(rows):
        return []
    lists = np.searchsorted(bounds, rows, "right")
    _, inverse, counts = np.unique(
        np.stack([lists, scores[rows]]), axis=1, return_inverse=True, return_counts=True
    )
    return large_scores(int((counts[inverse.reshape(-1)] > 1).sum()))


def match_notices(judgments: Judgments, matches: Matches, conventions: Conventions) -> list[Notice]:
    """Return what is odd about judgments and a run that were matched."""
    return [
        *matches.notices,
        *_missing_queries(judgments, matches, conventions),
        *_unjudged_queries(matches, conventions),
        *_look_alike_queries(judgments, matches),
        *_documents(judgments, matches),
        *_duplicates(judgments, matches),
        *_rank_disagrees(judgments, matches),
        *large_scores(int((_is_large(matches.score) & (matches.tied > 1)).sum())),
    ]


def _missing_queries(
    judgments: Judgments, matches: Matches, conventions: Conventions
) -> list[Notice]:
    missing = ~matches.present
    n = int(missing.sum())
    if not n:
        return []
    effect = conventions.effect("missing-queries")
    text = f"{n} of {plural(len(missing), 'judged query')} not in the run; missing ones {effect}"
    return [Notice("missing-queries", n, text, _examples(judgments.queries, missing))]


def _unjudged_queries(matches: Matches, conventions: Conventions) -> list[Notice]:
    n = matches.unjudged_queries
    if not n:
        return []
    more = "more than " if matches.unjudged_capped else ""
    effect = conventions.effect("unjudged-queries")
    text = f"{more}{plural(n, 'query')} of the run without judgments; {effect}"
    examples = tuple(str(q) for q in matches.unjudged_sample[:3])
    return [Notice("unjudged-queries", n, text, examples)]


def _look_alike_queries(judgments: Judgments, matches: Matches) -> list[Notice]:
    missing = np.flatnonzero(~matches.present)[:_COMPARED].tolist()
    if not missing or not matches.unjudged_queries:
        return []
    queries = [judgments.queries[i] for i in missing]
    return look_alike_notices("query", look_alikes(queries, matches.unjudged_sample))


def _documents(judgments: Judgments, matches: Matches) -> list[Notice]:
    notices = documents_that_look_alike(judgments, matches)
    samples = matches.doc_samples
    if notices or len(matches.judgment) or samples is None or not len(samples.docs):
        return notices
    judged = judgments.docs_by_query[int(samples.queries[0])]
    text = "no judged document was retrieved for any query"
    examples = (f"run {samples.docs[0]!r}", f"judged {judged[0]!r}")
    return [Notice("no-document-found", len(matches.present), text, examples)]


def _duplicates(judgments: Judgments, matches: Matches) -> list[Notice]:
    n = int(matches.duplicates.sum())
    if not n:
        return []
    query = int(np.flatnonzero(matches.duplicates)[0])
    example = f"document {matches.duplicate[query]} of query {judgments.queries[query]}"
    text = f"{plural(n, 'repeated document')} in the run; the best-ranked occurrence counts"
    return [Notice("duplicate-documents", n, text, (example,))]


def _rank_disagrees(judgments: Judgments, matches: Matches) -> list[Notice]:
    n = int(matches.rank_disagrees.sum())
    if not n:
        return []
    text = f"in {plural(n, 'query')} the rank column disagrees with the scores; scores decide"
    examples = _examples(judgments.queries, matches.rank_disagrees)
    return [Notice("rank-disagrees", n, text, examples)]


def _examples(ids: Any, chosen: np.ndarray) -> tuple[str, ...]:
    return tuple(str(ids[i]) for i in np.flatnonzero(chosen)[:3].tolist())


def no_common_query(name: str, judgments: Judgments, matches: Matches) -> DataError:
    """Return the error for a run that shares no query with the judgments."""
    judged = judgments.queries
    shown = ", ".join(repr(q) for q in judged[:3])
    in_run = ", ".join(repr(q) for q in matches.unjudged_sample[:3]) or "none"
    message = (
        f"{name}: no query is both judged and in the run "
        f"(judged: {shown}, ...; in the run: {in_run}). "
    )
    pair = next(iter(look_alikes(judged[:_COMPARED], matches.unjudged_sample)), None)
    if pair:
        kinds = ""
        if judged.kind == "number" or any(isinstance(q, int) for q in matches.unjudged_sample):
            run_kind = "number" if isinstance(matches.unjudged_sample[0], int) else "text"
            kinds = f" (judged ids are {type_names[judged.kind]}, the run's {type_names[run_kind]})"
        message += (
            f"Ids are compared exactly, and {pair.judged!r} is not {pair.run!r}{kinds}: "
            "write them alike on both sides."
        )
    else:
        message += "Check that the two belong together and were given in the order: judgments, run."
    return NothingInCommonError(message)
