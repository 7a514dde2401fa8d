"""Notices: what users should know about their data and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.ids import type_names
from rankstone.core.judgments import Judgments
from rankstone.core.look_alike import documents_that_look_alike, look_alike_notices, look_alikes
from rankstone.core.matches import Matches
from rankstone.core.ranked import Ranked
from rankstone.core.reading_notices import reading_notice
from rankstone.core.tally import EXAMPLES, Tally
from rankstone.core.text import decode
from rankstone.errors import DataError, NothingInCommonError, Notice, plural

_LOW = 0.5  # a lower share of judged documents is noticed
_FEW = 0.01  # a lower share of tied documents is mentioned only on request
_COMPARED = 1000
ROUNDED = 2.0**53  # from here on a float64 does not hold every whole number


def judgment_notices(scan: dict[str, Any]) -> list[Notice]:
    """Return the notices on judgments that an engine read."""
    return [
        *commented_notices(scan),
        *repeated_notices(scan),
        *negative_notices(scan["grades"]),
    ]


def commented_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count comments that would be rows, since an id may start with # too."""
    return reading_notice("commented-rows", int(scan["commented"]))


def repeated_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count judgments that were given more than once, and those that contradict each other."""
    notices = []
    for key in ("repeated", "contradicting"):
        query, doc = map(decode, scan[f"{key}_example"])
        example = f"document {doc} of query {query}"
        notices += reading_notice(f"{key}-judgments", int(scan[key]), (example,))
    return notices


def negative_notices(grades: np.ndarray) -> list[Notice]:
    """Count negative grades."""
    return reading_notice("negative-grades", int((grades < 0).sum()))


def tally_matches(
    judgments: Judgments, matches: Matches, missing: np.ndarray | None = None
) -> Tally:
    """Count what is odd about judgments and a run that were matched.

    ``missing`` masks the judged queries that no part of the run has (default: those that are not
    in this run).
    """
    missing = ~matches.present if missing is None else missing
    alike, sampled = documents_that_look_alike(judgments, matches)
    examples = {
        "missing-queries": _examples(judgments.queries, missing),
        "unjudged-queries": tuple(str(q) for q in matches.unjudged_sample[:EXAMPLES]),
        "ids-look-alike": tuple(map(str, alike[:EXAMPLES])),
        "no-document-found": _unlike_documents(judgments, matches),
        "duplicate-documents": _duplicate(judgments, matches),
        "rank-disagrees": _examples(judgments.queries, matches.rank_disagrees),
    }
    return Tally(
        judged_queries=len(missing),
        missing_queries=int(missing.sum()),
        unjudged_queries=matches.unjudged_queries,
        unjudged_capped=int(matches.unjudged_capped),
        look_alike_documents=len(alike),
        look_alike_samples=int(sampled),
        documents=len(matches.judgment),
        tied=int((matches.tied > 1).sum()),
        duplicates=int(matches.duplicates.sum()),
        rank_disagrees=int(matches.rank_disagrees.sum()),
        large_ties=int((_is_large(matches.score) & (matches.tied > 1)).sum()),
        reading=(*judgments.notices, *matches.notices),
        missing=tuple(judgments.queries[i] for i in np.flatnonzero(missing)[:_COMPARED].tolist()),
        unjudged=matches.unjudged_sample,
        examples={code: some for code, some in examples.items() if some},
    )


def _unlike_documents(judgments: Judgments, matches: Matches) -> tuple[str, ...]:
    """Return a document of the run and a judged one, if no judged document was retrieved."""
    samples = matches.doc_samples
    if len(matches.judgment) or samples is None or not len(samples.docs):
        return ()
    judged = judgments.docs_by_query[int(samples.queries[0])]
    return f"run {samples.docs[0]!r}", f"judged {judged[0]!r}"


def _duplicate(judgments: Judgments, matches: Matches) -> tuple[str, ...]:
    if not matches.duplicates.any():
        return ()
    query = int(np.flatnonzero(matches.duplicates)[0])
    return (f"document {matches.duplicate[query]} of query {judgments.queries[query]}",)


def _examples(ids: Any, chosen: np.ndarray) -> tuple[str, ...]:
    return tuple(str(ids[i]) for i in np.flatnonzero(chosen)[:EXAMPLES].tolist())


def tally_ranked(tally: Tally, ranked: Ranked, k: int) -> Tally:
    """Count queries without relevant documents, and judged documents down to the first cutoff k.

    Only queries with at least as many judged documents as the cutoff count: if judgments are
    sparse by design, a low share means nothing.
    """
    empty = ranked.relevant_count() == 0
    examples = _examples(ranked.queries, empty)
    tally = replace(
        tally,
        evaluated=len(empty),
        without_relevant=int(empty.sum()),
        by_subtopic=int(ranked.subtopics is not None),
        examples={**tally.examples, "no-relevant": examples} if examples else tally.examples,
    )
    if not k or ranked.all_judged:
        return tally
    rich = (np.diff(ranked.judged_offsets) >= k) & (ranked.retrieved > 0)
    if not rich.any():
        return tally
    judged = segments.count(ranked.rank <= k, ranked.offsets)[rich].sum()
    return replace(tally, judged_in_top=int(judged), top=int(ranked.depth(k)[rich].sum()))


def first_cutoff(cutoffs: Iterable[int | None]) -> int:
    """Return the lowest cutoff, 0 if there is none."""
    return min((c for c in cutoffs if c is not None), default=0)


def data_notices(tally: Tally, conventions: Conventions) -> tuple[Notice, ...]:
    """Return what users should know about their data."""
    return (
        *(notice for notice in tally.reading if notice.count or not notice.of),
        *_missing_queries(tally, conventions),
        *_unjudged_queries(tally, conventions),
        *_look_alike_queries(tally),
        *_documents(tally),
        *_duplicates(tally, conventions),
        *_rank_disagrees(tally),
        *_large_scores(tally),
        *_ties(tally, conventions),
    )


def ranking_notices(tally: Tally, conventions: Conventions, k: int) -> tuple[Notice, ...]:
    """Return what users should know about what was ranked; ``k`` is the first cutoff."""
    return *_without_relevant(tally, conventions), *_judged_share(tally, k)


def _without_relevant(tally: Tally, conventions: Conventions) -> list[Notice]:
    """Count queries without a relevant document, since they lower or thin every mean."""
    n = tally.without_relevant
    if not n:
        return []
    effect = conventions.effect("no-relevant")
    text = f"{n} of {plural(tally.evaluated, 'query')} without a relevant document; {effect}"
    return [Notice("no-relevant", n, text, tally.examples["no-relevant"], "note")]


def _judged_share(tally: Tally, k: int) -> list[Notice]:
    """Warn if fewer than half of the documents down to the first cutoff are judged."""
    share = tally.judged_in_top / tally.top if tally.top else 1.0
    if share >= _LOW:
        return []
    text = f"only {share:.0%} of the documents down to rank {k} are judged; the rest count as not relevant"
    return [Notice("judged-share", tally.judged_in_top, text, level="note")]


def _ties(tally: Tally, conventions: Conventions) -> list[Notice]:
    """Count tied documents, if the conventions let one order of them decide."""
    effect, tied = conventions.effect("ties"), tally.tied
    if not tied or not effect:
        return []
    share = "shares its" if tied == 1 else "share their"
    text = (
        f"{tied} of {plural(tally.documents, 'judged document')} found {share} score with another; "
        f"{effect} decides"
    )
    return [Notice("ties", tied, text, level="note" if tied >= _FEW * tally.documents else "info")]


def _is_large(scores: np.ndarray) -> np.ndarray:
    return np.abs(scores) >= ROUNDED


def large_ties_in_lists(scores: np.ndarray, bounds: np.ndarray) -> int:
    """Count documents of lists that are tied at a score so large that whole numbers are rounded."""
    if max(scores.max(initial=0.0), -scores.min(initial=0.0)) < ROUNDED:
        return 0
    rows = np.flatnonzero(_is_large(scores))
    lists = np.searchsorted(bounds, rows, "right")
    _, inverse, counts = np.unique(
        np.stack([lists, scores[rows]]), axis=1, return_inverse=True, return_counts=True
    )
    return int((counts[inverse.ravel()] > 1).sum())


def _large_scores(tally: Tally) -> list[Notice]:
    """Mention documents tied at a score so large that whole numbers are rounded there."""
    tied = tally.large_ties
    share = "shares a score" if tied == 1 else "share scores"
    text = (
        f"{plural(tied, 'document')} {share} of 2^53 or more with another; whole numbers of that "
        "size are rounded, so scores that differ in the input may be ties"
    )
    return [Notice("large-scores", tied, text, level="note")] if tied else []


def no_subtopics(tally: Tally, columns: Sequence[str]) -> list[Notice]:
    """Say that measures of subtopics were asked of judgments that have none."""
    if not columns or tally.by_subtopic:
        return []
    text = (
        "the judgments name no subtopics, so a query is its only one for "
        f"{', '.join(columns)}; give judgments by subtopic"
    )
    return [Notice("no-subtopics", len(columns), text)]


def _missing_queries(tally: Tally, conventions: Conventions) -> list[Notice]:
    n = tally.missing_queries
    if not n:
        return []
    effect = conventions.effect("missing-queries")
    of = plural(tally.judged_queries, "judged query")
    text = f"{n} of {of} not in the run; missing ones {effect}"
    return [Notice("missing-queries", n, text, tally.examples["missing-queries"])]


def _unjudged_queries(tally: Tally, conventions: Conventions) -> list[Notice]:
    n = tally.unjudged_queries
    if not n:
        return []
    more = "more than " if tally.unjudged_capped else ""
    effect = conventions.effect("unjudged-queries")
    text = f"{more}{plural(n, 'query')} of the run without judgments; {effect}"
    return [Notice("unjudged-queries", n, text, tally.examples.get("unjudged-queries", ()))]


def _look_alike_queries(tally: Tally) -> list[Notice]:
    if not tally.missing or not tally.unjudged_queries:
        return []
    return look_alike_notices("query", look_alikes(tally.missing, tally.unjudged))


def _documents(tally: Tally) -> list[Notice]:
    n, examples = tally.look_alike_documents, tally.examples
    if n:
        sampled = bool(tally.look_alike_samples)
        return look_alike_notices("document", examples["ids-look-alike"], n, at_least=sampled)
    if tally.documents or "no-document-found" not in examples:
        return []
    text = "no judged document was retrieved for any query"
    found = examples["no-document-found"]
    return [Notice("no-document-found", tally.judged_queries, text, found)]


def _duplicates(tally: Tally, conventions: Conventions) -> list[Notice]:
    n = tally.duplicates
    if not n:
        return []
    effect = conventions.effect("duplicate-documents")
    text = f"{plural(n, 'repeated document')} in the run; {effect}"
    example = tally.examples["duplicate-documents"][:1]
    return [Notice("duplicate-documents", n, text, example)]


def _rank_disagrees(tally: Tally) -> list[Notice]:
    n = tally.rank_disagrees
    if not n:
        return []
    text = f"in {plural(n, 'query')} the rank column disagrees with the scores; scores decide"
    return [Notice("rank-disagrees", n, text, tally.examples["rank-disagrees"])]


def nothing_in_common(name: str, judged: Sequence[Any], unjudged: Sequence[Any]) -> DataError:
    """Return the error for a run that shares no query with the judgments.

    ``judged`` and ``unjudged`` are queries of the judgments and of the run.
    """
    shown = ", ".join(repr(q) for q in judged[:3])
    in_run = ", ".join(repr(q) for q in unjudged[:3]) or "none"
    message = (
        f"{name}: no query is both judged and in the run "
        f"(judged: {shown}, ...; in the run: {in_run}). "
    )
    pair = next(iter(look_alikes(judged[:_COMPARED], unjudged)), None)
    if pair:
        kinds = ""
        if isinstance(pair.judged, int) or isinstance(pair.run, int):
            judged_kind, run_kind = (
                type_names["number" if isinstance(id_, int) else "text"] for id_ in pair
            )
            kinds = f" (judged ids are {judged_kind}, the run's {run_kind})"
        message += (
            f"Ids are compared exactly, and {pair.judged!r} is not {pair.run!r}{kinds}: "
            "write them alike on both sides."
        )
    elif unjudged and {str(q) for q in unjudged} == {str(i) for i in range(len(unjudged))}:
        message += (
            "Rankings without query ids, such as the responses of a search engine, are numbered "
            "from 0: give them by query, {query: ranking}."
        )
    else:
        message += "Check that the two belong together and were given in the order: judgments, run."
    return NothingInCommonError(message)
