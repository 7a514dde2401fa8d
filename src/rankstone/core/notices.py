"""Notices: what users should know about their data and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core.as_numpy import highest, lowest
from rankstone.core.cutoff import Cutoff
from rankstone.core.ids import at, type_names
from rankstone.core.judgments import Judgments
from rankstone.core.look_alike import documents_that_look_alike, look_alike_notices, look_alikes
from rankstone.core.matches import Matches
from rankstone.core.notice_texts import reading_notice
from rankstone.core.ranked import Ranked
from rankstone.core.tally import EXAMPLES, Tally
from rankstone.core.text import decode
from rankstone.errors import DataError, NothingInCommonError, Notice
from rankstone.language import tr

_LOW = 0.5  # a lower share of judged documents is noticed
_FEW = 0.01  # a lower share of tied documents is mentioned only on request
_COMPARED = 1000
ROUNDED = 2.0**53  # from here on a float64 does not hold every whole number


def judgment_notices(scan: dict[str, Any]) -> list[Notice]:
    """Return the notices on judgments that an engine read."""
    return [*commented_notices(scan), *repeated_notices(scan), *negative_notices(scan["grades"])]


def commented_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count comments that would be rows, since an id may start with # too."""
    return reading_notice("commented-rows", int(scan["commented"]))


def repeated_notices(scan: dict[str, Any]) -> list[Notice]:
    """Count judgments that were given more than once, and those that contradict each other."""
    notices = []
    for key in ("repeated", "contradicting"):
        query, doc = map(decode, scan[f"{key}_example"])
        example = tr("document {} of query {}").format(doc, query)
        notices += reading_notice(f"{key}-judgments", int(scan[key]), (example,))
    return notices


def negative_notices(grades: np.ndarray, least: float | None = None) -> list[Notice]:
    """Count negative grades; ``least`` is the lowest if it is known."""
    least = lowest(grades) if least is None and grades.size else least
    none = least is not None and least >= 0
    return reading_notice("negative-grades", 0 if none else int((grades < 0).sum()))


def scale_notices(grades: np.ndarray, least: float | None = None) -> list[Notice]:
    """Warn of three or more grades and none of documents that are not relevant, and of fractions below 1.

    ``least`` is the lowest grade if it is known.
    """
    least = lowest(grades) if least is None and grades.size else least
    if least is not None and least >= 1:
        odd = bool(((grades > least) & (grades < grades.max())).any())
        return reading_notice("grades-without-zero", grades.size if odd else 0)
    return below_one_notices(grades)


def below_one_notices(grades: Any) -> list[Notice]:
    """Count grades between 0 and 1, in an array of any library."""
    return reading_notice("grades-below-one", int((grades > 0).sum()) - int((grades >= 1).sum()))


def tally_matches(
    judgments: Judgments, matches: Matches, missing: np.ndarray | None = None
) -> Tally:
    """Count what is odd about judgments and a run that were matched.

    ``missing`` masks the judged queries that no part of the run has (default: those that are not
    in this run).
    """
    missing = ~matches.present if missing is None else missing
    absent = _first(judgments.queries, missing)
    alike, sampled = documents_that_look_alike(judgments, matches)
    tied = np.flatnonzero(matches.tied > 1)
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
        tied=len(tied),
        duplicates=int(matches.duplicates.sum()),
        rank_disagrees=int(matches.rank_disagrees.sum()),
        large_ties=int(_is_large(matches.score[tied]).sum()),
        reading=(*judgments.notices, *matches.notices),
        missing=tuple(absent),
        unjudged=matches.unjudged_sample,
        twins=tuple(pair.run for pair in look_alikes(absent, _first(judgments.queries, ~missing)))
        if absent
        else (),
        examples={code: some for code, some in examples.items() if some},
    )


def _first(ids: Any, chosen: np.ndarray) -> list[Any]:
    return at(ids, np.flatnonzero(chosen)[:_COMPARED])


def _unlike_documents(judgments: Judgments, matches: Matches) -> tuple[str, ...]:
    """Return a document of the run and a judged one, if no judged document was retrieved.

    If the first may be a chunk of the second, the pattern of such ids comes with them.
    """
    samples = matches.doc_samples
    if len(matches.judgment) or samples is None or not len(samples.docs):
        return ()
    judged = judgments.docs_by_query[int(samples.queries[0])]
    pairs = [(doc, str(own)) for doc in samples.docs[: samples.bounds[1]] for own in judged]
    for doc, own in pairs:
        rest = str(doc).removeprefix(own)
        if rest != str(doc) and rest[1:] and not rest[0].isalnum():
            pattern = f"{{doc}}{rest[0]}{{n}}"
            hint = tr("which may be its chunk: parents='{}' (--parents)").format(pattern)
            return tr("judged {!r}").format(own), tr("run {!r}").format(doc), hint
    return tr("run {!r}").format(samples.docs[0]), tr("judged {!r}").format(judged[0])


def _duplicate(judgments: Judgments, matches: Matches) -> tuple[str, ...]:
    if not matches.duplicates.any():
        return ()
    query = int(np.flatnonzero(matches.duplicates)[0])
    doc = matches.duplicate[query]
    return (tr("document {} of query {}").format(doc, *at(judgments.queries, np.array([query]))),)


def _examples(ids: Any, chosen: np.ndarray) -> tuple[str, ...]:
    return tuple(map(str, at(ids, np.flatnonzero(chosen)[:EXAMPLES])))


def tally_ranked(tally: Tally, ranked: Ranked, k: int) -> Tally:
    """Count queries without relevant documents, and judged documents down to the first cutoff k.

    Only queries with at least as many judged documents as the cutoff count: if judgments are
    sparse by design, a low share means nothing.
    """
    relevant = ranked.relevant_count()
    empty = relevant == 0
    longest = int(ranked.retrieved.max(initial=0))
    found = in_top = relevant
    if not ranked.all_judged:
        found, in_top = ranked.counts(k)
    # Labels in arrays, and lists that are empty, say nothing of whether anybody looked.
    bare = empty if ranked.all_judged else empty & (np.diff(ranked.judged_offsets) == 0)
    examples = _examples(ranked.queries, empty)
    tally = replace(
        tally,
        evaluated=len(empty),
        without_relevant=int(empty.sum()),
        without_judgments=int(bare.sum()),
        single_relevant=int((relevant == 1).sum()),
        single_found=int(((relevant == 1) & (found > 0)).sum()),
        longest=longest,
        as_long=int((ranked.retrieved == longest).sum()),
        by_subtopic=int(ranked.subtopics is not None),
        examples={**tally.examples, "no-relevant": examples} if examples else tally.examples,
    )
    if not k or ranked.all_judged:
        return tally
    rich = (np.diff(ranked.judged_offsets) >= k) & (ranked.retrieved > 0)
    if not rich.any():
        return tally
    top = int(ranked.depth(k)[rich].sum())
    return replace(tally, judged_in_top=int(in_top[rich].sum()), top=top)


def first_cutoff(cutoffs: Iterable[Cutoff | None]) -> int:
    """Return the lowest rank that is a cutoff, 0 if there is none."""
    return min((c for c in cutoffs if isinstance(c, int)), default=0)


def data_notices(tally: Tally, conventions: Conventions) -> tuple[Notice, ...]:
    """Return the notices on judgments and a run."""

    def counted(code: str, n: int, of: int = 0, most: int = EXAMPLES, **more: Any) -> list[Notice]:
        return reading_notice(code, n, tally.examples.get(code, ())[:most], of=of, **more)

    def affected(code: str, n: int, of: int = 0, **more: Any) -> list[Notice]:
        return counted(code, n, of, effect=conventions.effect(code), **more)

    ties = tally.tied if conventions.effect("ties") else 0  # none if no order of them decides
    few_ties = tally.tied < _FEW * tally.documents
    capped = tr("more than ") if tally.unjudged_capped else ""
    # A part from which nothing was excluded is not worth a notice if there was another.
    needless = "nothing-excluded" if any(n.code == "excluded" for n in tally.reading) else ""
    reading = (
        replace(n, level="warning") if n.code == "unknown-items" and n.count == n.of else n
        for n in tally.reading
        if (n.count or not n.of) and n.code != needless
    )
    return (
        *reading,
        *affected("missing-queries", tally.missing_queries, tally.judged_queries),
        *affected("unjudged-queries", tally.unjudged_queries, before=capped),
        *_look_alike_queries(tally),
        *_documents(tally),
        *affected("duplicate-documents", tally.duplicates, most=1),
        *counted("rank-disagrees", tally.rank_disagrees),
        *counted("large-scores", tally.large_ties),
        *affected("ties", ties, tally.documents, level="info" if few_ties else None),
    )


def ranking_notices(
    tally: Tally, conventions: Conventions, k: int, *, chosen: bool = True
) -> tuple[Notice, ...]:
    """Return the notices on rankings; ``k`` is the first cutoff.

    Queries without a relevant document lower or thin every mean; if nobody has ``chosen`` what they
    count, those that other forms of the same data do not even have are a warning. A low share of
    judged documents down to the first cutoff is noticed.
    """
    silent = tally.without_judgments if tally.evaluated > 1 else 0
    is_silent = silent > 0 and not chosen and conventions.needs_judgments
    notices = reading_notice(
        "no-relevant",
        tally.without_relevant,
        tally.examples.get("no-relevant", ()),
        of=tally.evaluated,
        effect=conventions.effect("no-relevant"),
        level="warning" if is_silent else None,
        more=tr(", and no_relevant='skip' leaves them out of means") if is_silent else "",
    )
    if tally.top and (share := tally.judged_in_top / tally.top) < _LOW:
        where = tr("{:.0%} of the documents down to rank {}").format(share, k)
        notices += reading_notice("judged-share", tally.judged_in_top, effect=where, keep_zero=True)
    return tuple(notices)


def _is_large(scores: np.ndarray) -> np.ndarray:
    return np.abs(scores) >= ROUNDED


def large_ties_in_lists(scores: np.ndarray, bounds: np.ndarray) -> int:
    """Count documents of lists that are tied at a score so large that whole numbers are rounded."""
    if not scores.size or max(highest(scores), -lowest(scores)) < ROUNDED:
        return 0
    rows = np.flatnonzero(_is_large(scores))
    lists = np.searchsorted(bounds, rows, "right")
    _, inverse, counts = np.unique(
        np.stack([lists, scores[rows]]), axis=1, return_inverse=True, return_counts=True
    )
    return int((counts[inverse.ravel()] > 1).sum())


def no_subtopics(tally: Tally, columns: Sequence[str]) -> list[Notice]:
    """Return a notice if measures of subtopics were asked of judgments that have none."""
    n = 0 if tally.by_subtopic else len(columns)
    return reading_notice("no-subtopics", n, effect=", ".join(columns))


def _look_alike_queries(tally: Tally) -> list[Notice]:
    if not tally.missing:
        return []
    others = (*(tally.unjudged if tally.unjudged_queries else ()), *tally.twins)
    return look_alike_notices("query", look_alikes(tally.missing, others))


def _documents(tally: Tally) -> list[Notice]:
    n, examples = tally.look_alike_documents, tally.examples
    if n:
        sampled = bool(tally.look_alike_samples)
        return look_alike_notices("document", examples["ids-look-alike"], n, at_least=sampled)
    pair = () if tally.documents else examples.get("no-document-found", ())
    return reading_notice("no-document-found", tally.judged_queries if pair else 0, pair)


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
            "from 0: give them by query, {query: ranking}, or name the queries of a file in their "
            "order with query_ids= (--query-ids)."
        )
    else:
        message += "Check that the two belong together and were given in the order: judgments, run."
    return NothingInCommonError(message)
