"""The verb ``evaluate_spans``: results and judgments that are parts of documents, at each level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core.result import Result
from rankstone.core.subtopics import Aspect, with_subtopics
from rankstone.errors import UsageError, plural
from rankstone.frozen import frozen
from rankstone.io.load import load_judgments
from rankstone.io.spans import Span, Spans, load_pages, load_spans
from rankstone.language import tr
from rankstone.measures.characters import span_measures
from rankstone.text.blocks import Grid, Line, rounded
from rankstone.text.delimited import delimited, exact
from rankstone.text.markdown import markdown
from rankstone.text.results import ALL
from rankstone.text.terminal import terminal
from rankstone.verbs.evaluate import evaluate


@frozen(eq=False)
class SpanResults:
    """The same run at each level.

    ``documents``: a document is relevant if a part of it is, and its best-ranked part counts.
    ``pages``: the same of pages, None if it is not known where they begin. ``spans``: a judged part
    is found by the first result that covers enough of it, or counts by the share that the best
    result covers. ``characters``: recall and precision by characters.
    """

    documents: Result
    pages: Result | None
    spans: Result
    characters: Result

    @property
    def levels(self) -> dict[str, Result]:
        """The results by level, from documents to characters."""
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: result for name, result in named.items() if result is not None}


def evaluate_spans(
    judgments: Any,
    run: Any,
    *,
    k: int | Iterable[int] = (5, 10),
    overlap: float = 0.5,
    pages: Any = None,
    name: str = "run",
) -> SpanResults:
    """Evaluate results that are parts of documents against judged parts of documents.

    Args:
        judgments: ``{query: [(document, start, end), ...]}``, or the path of a JSONL file with
            query_id, doc_id, start and end in each line. The end is not part of a span.
        run: the same, best first or with scores.
        k: cutoffs.
        overlap: share of a judged part that a result must cover to find it.
        pages: ``{document: [start, ...]}``, the position at which each page begins, or the path of
            a JSON file of that; with it pages are a level of their own.
        name: of the run.

    >>> judged = {"q": [("manual", 100, 200)]}
    >>> run = {"q": [("manual", 0, 150), ("manual", 150, 300)]}
    >>> found = evaluate_spans(judged, run, k=[1, 2])
    >>> list(found.characters.aggregates.values())
    [0.5, 1.0, 0.3333333333333333, 0.3333333333333333]
    """
    if not 0 < overlap <= 1:
        raise UsageError(f"overlap must be above 0 and at most 1, not {overlap!r}.")
    cuts = [k] if isinstance(k, int) else list(k)
    judged, ranked = load_spans(judgments, "judgments"), load_spans(run, "run")
    ids = {query: [span.id for span in own] for query, own in ranked.items()}
    starts = None if pages is None else load_pages(pages)
    measures = span_measures(cuts, overlap)
    return SpanResults(
        evaluate(*_units(judged, ranked, lambda span: [span.doc]), measures.documents, name=name),
        None
        if starts is None
        else evaluate(*_units(judged, ranked, starts.of), measures.pages, name=name),
        evaluate(_by_span(judged, ranked), ids, measures.spans, name=name),
        evaluate(_by_character(judged, ranked), ids, measures.characters, name=name),
    )


def _units(judged: Spans, ranked: Spans, units_of: Callable[[Span], list[str]]) -> tuple[Any, Any]:
    """Return judgments and a run of the units that spans lie in, each where it is first reached."""
    return (
        {q: {unit: 1 for span in own for unit in units_of(span)} for q, own in judged.items()},
        {
            q: list(dict.fromkeys(unit for span in own for unit in units_of(span)))
            for q, own in ranked.items()
        },
    )


def _judgments(rows: list[Aspect], queries: Iterable[str]) -> Any:
    """Return judgments with grades by subtopic; a query without any is judged all the same."""
    grades: dict[str, dict[str, float]] = {query: {} for query in queries}
    for row in rows:
        own = grades[str(row.query)]
        own[str(row.doc)] = max(row.grade, own.get(str(row.doc), 0.0))
    return with_subtopics(load_judgments(grades), rows).judgments


def _by_span(judged: Spans, ranked: Spans) -> Any:
    """Return judgments of results by judged span: the share of it that each covers."""
    rows = []
    for query, wanted in judged.items():
        for span in wanted:
            # The span itself is a result that nobody retrieved, so that it counts if it is missed.
            rows.append(Aspect(query, f"{span.id} (judged)", 1.0, span.id))
            for result in ranked.get(query, ()):
                shared = _shared(span, result)
                if shared:
                    share = shared / (span.end - span.start)
                    rows.append(Aspect(query, result.id, share, span.id))
    return _judgments(rows, judged)


def _shared(a: Span, b: Span) -> int:
    return max(0, min(a.end, b.end) - max(a.start, b.start)) if a.doc == b.doc else 0


def _by_character(judged: Spans, ranked: Spans) -> Any:
    """Return judgments of results by part of a document between any two borders of spans."""
    rows: list[Aspect] = []
    lengths: dict[tuple[str, str], int] = {}
    for query, wanted in judged.items():
        results = ranked.get(query, [])
        for doc in dict.fromkeys(span.doc for span in (*wanted, *results)):
            own = [span for span in wanted if span.doc == doc]
            found = [span for span in results if span.doc == doc]
            borders = sorted({b for s in (*own, *found) for b in (s.start, s.end)})
            for start, end in pairwise(borders):
                part = Span(doc, start, end)
                holders = [span.id for span in found if _shared(span, part)]
                source = next((span.id for span in own if _shared(span, part)), None)
                grade = 0.0 if source is None else 1.0
                lengths[query, part.id] = end - start
                rows += [Aspect(query, holder, grade, part.id) for holder in holders]
                if source is not None:
                    rows.append(Aspect(query, f"{source} (judged)", 1.0, part.id))
    judgments = _judgments(rows, judged)
    subtopics = judgments.subtopics
    owner = _queries_of(judgments)
    length = [lengths[owner[i], name] for i, name in enumerate(subtopics.names)]
    return replace(judgments, subtopics=replace(subtopics, length=np.array(length, np.float64)))


def _queries_of(judgments: Any) -> list[str]:
    """Return the query of each subtopic."""
    subtopics = judgments.subtopics
    documents, query = subtopics.judged()
    row, part, _ = subtopics.of_documents(documents)
    owner = np.zeros(len(subtopics.names), np.int64)
    owner[part] = query[row]
    return [str(judgments.queries[q]) for q in owner.tolist()]


def lines(
    levels: Mapping[str, Result], run: str, form: str, *, per_query: bool, colour: bool
) -> Iterator[str]:
    """Return the lines of a table with a row for each level and measure (table, md or tsv)."""
    rows: list[tuple[list[str], float]] = []
    for level, result in levels.items():
        for measure, mean in result.aggregates.items():
            if per_query:
                values = ((q, own[measure]) for q, own in result.per_query.items())
                rows += [([level, measure, str(query)], value) for query, value in values]
            rows.append(([level, measure, ALL] if per_query else [level, measure], mean))
    heads = ["level", "measure", *(["query"] if per_query else [])]
    if form == "tsv":
        cells = [(names, [exact(value)]) for names, value in rows]
        return delimited([(heads, [run]), *cells], form)
    queries = max(len(result.queries) for result in levels.values())
    grid = Grid(
        [*map(tr, heads)],
        [run],
        [Line([tr(names[0]), *names[1:]], [rounded(value, 4)]) for names, value in rows],
        [tr("mean over {}, default conventions").format(plural(queries, "query"))],
    )
    return terminal([[grid]], colour) if form == "table" else markdown([[grid]])
