"""The verbs: judgments and a run in, numbers or their working out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import engine
from rankstone.core.as_numpy import numbers_of
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.gpu import CutoffNeeds
from rankstone.core.notices import data_notices
from rankstone.core.rank import ScoreNeeds, as_ranked, rank, score_needs
from rankstone.core.result import Result
from rankstone.errors import (
    DataError,
    NothingInCommonError,
    SlowEngineWarning,
    UsageError,
    did_you_mean,
)
from rankstone.evaluation_parts import Plan, Request, evaluate_whole, result_of
from rankstone.io.arrays import Needs, table_of_labels
from rankstone.io.column_roles import Columns
from rankstone.io.load import collection, read, run_options, split_options
from rankstone.measures import DEFAULT, Measure

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.core.unjudged import UnjudgedReport
    from rankstone.measures.explain import ExplanationData
    from rankstone.options import ConventionOptions, DataOptions
    from rankstone.report.explanation import Explanation


def evaluate(
    judgments: Any,
    run: Any = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    like: str | None = None,
    conventions: Conventions | None = None,
    tie_interval: bool = False,
    unjudged_interval: bool = False,
    strict: bool = False,
    name: str | None = None,
    threads: int | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    encoding: str | None = None,
    mask: Any = None,
    qid: Any = None,
    group_sizes: Any = None,
    columns: Mapping[str, Any] | None = None,
    exclude: Any = None,
    not_retrieved: Any = None,
    scores: str = "descending",
    min_score: float | None = None,
    parents: Any = None,
    parent_rule: str = "first",
    judged_chunks: bool = False,
    **choices: Unpack[ConventionOptions],
) -> Result:
    """Evaluate a run against judgments.

    Args:
        judgments: path of a file, ``{query: {document: grade}}``, ``{query: relevant documents}``,
            a list of the relevant documents of each query, a dataframe, or an array or tensor of
            labels. For one query also a set or dict of its documents.
        run: path of a file, ``{query: {document: score}}``, ``{query: [document, ...]}``, a list
            of the ranked documents of each query, a dataframe, or an array or tensor of scores.
            Without a run the judgments are grades in rank order.
        measures: names or measures.
        like: a tool whose numbers to give, such as ``"trec_eval-9"``.
        conventions: every other choice that changes a number.
        tie_interval: give each measure's value with ties at their worst and best, too.
        unjudged_interval: give each measure's lowest and highest value over all grades that
            retrieved documents without a judgment might have, too.
        strict: make warnings errors.
        name: the name of the run.
        threads: number of scanning threads (default: all cores).
        input_format: the format of the files, if it cannot be detected; for two different ones
            ``"judgments:run"``, such as ``"quepid:trec"``.
        max_bytes: maximum size of a file in bytes after decompression.
        encoding: encoding of text files (default: UTF-8); for two different ones ``"cp1252:utf-8"``,
            judgments first.
        mask: with arrays, False marks padding.
        qid: with arrays, the query of each item, or of each row of a table.
        group_sizes: with arrays, the number of items of each query; with files, the path of a
            file of group sizes, for LETOR rows without qid.
        columns: the columns of tables whose names do not say what they hold, for example
            ``{"query": "uid", "doc": "sku", "score": "yhat", "grade": "stars"}``.
        exclude: (query, document) pairs, in any form of judgments, that are removed from the run
            before documents are ranked; such as a recommender's training data.
        not_retrieved: with grades in rank order, the grades of judged documents that were missed.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best (a distance).
        min_score: a document with a worse score counts as not retrieved.
        parents: for a run of chunks and judgments of documents, the document of each chunk:
            ``{chunk: document}``, the path of a file with both in each line, or a pattern of
            chunk ids such as ``"{doc}#{n}"``.
        parent_rule: how the chunks of a document become one result: ``"first"`` (the best-ranked
            chunk counts), ``"max"`` or ``"sum"`` of their scores.
        judged_chunks: with ``parents``, the judgments are of chunks too: a document has the highest
            grade of its chunks.
        choices: single conventions, for example ``ties="input"``.

    >>> result = evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, ["RR"])
    >>> result["RR"]
    0.5
    """
    request = Request.of(measures, like, conventions, choices, tie_interval=tie_interval)
    names = Columns.of(columns)
    load_engine()
    data = collection(
        judgments,
        run,
        name=name,
        threads=threads,
        columns=names,
        input_format=input_format,
        max_bytes=max_bytes,
        encoding=encoding,
        mask=mask,
        qid=qid,
        group_sizes=group_sizes,
        exclude=exclude,
        not_retrieved=not_retrieved,
        scores=scores,
        min_score=min_score,
        parents=parents,
        parent_rule=parent_rule,
        judged_chunks=judged_chunks,
        needs=request.needs,
    )
    plan = request.plan(data.default)
    evaluated = evaluate_whole(plan, data, strict=strict)
    names.check_used()
    result = result_of(plan, evaluated, name=data.name, sources=data.sources)
    if unjudged_interval:
        result = replace(result, unjudged=_unjudged(data, plan))
    return result


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A result and what it was computed from: the data, and measures with their conventions."""

    result: Result
    data: Collection
    plan: list[tuple[str, Measure, Conventions]]


def evaluate_collection(
    data: Collection,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT,
    *,
    like: str | None = None,
    conventions: Conventions | None = None,
    strict: bool = False,
    tied_measures: int | None = None,
    unjudged_interval: bool = False,
    **choices: Any,
) -> Evaluated:
    """Evaluate data that are loaded, with tie intervals, and keep what the numbers come from.

    With ``tied_measures`` only that many measures, the first ones, have tie intervals.
    """
    request = Request.of(measures, like, conventions, choices)
    has_ties = data.tied(request.plan(data.default).conventions)[0] > 0
    request = replace(request, tie_interval=has_ties, tied_measures=tied_measures)
    plan = request.plan(data.default)
    evaluated = evaluate_whole(plan, data, strict=strict)
    result = result_of(plan, evaluated, name=data.name, sources=data.sources)
    if unjudged_interval:
        result = replace(result, unjudged=_unjudged(data, plan))
    return Evaluated(result, data, plan.steps)


def load_engine() -> None:
    """Load the compiled core, or warn once that it is absent."""
    engine.load(tell=_tell)


def _unjudged(data: Collection, plan: Plan) -> UnjudgedReport:
    """Return what retrieved documents without a judgment leave open of each measure."""
    from rankstone.core.completions import Holes, judged_by_rank
    from rankstone.core.unjudged import UnjudgedInterval, UnjudgedReport
    from rankstone.measures.unjudged import unjudged_extremes

    ranked = data.ranked(as_ranked(plan.conventions))
    holes = Holes.of(ranked)
    interval = {}
    for name, measure, conventions in plan.steps:
        own = Holes.of(data.ranked(as_ranked(conventions)))
        ends = unjudged_extremes(measure, own)
        interval[name] = UnjudgedInterval(*ends.ends, ends.exact, (ends.low, ends.high))
    return UnjudgedReport(
        int(holes.count.sum()),
        int(ranked.retrieved.sum()),
        tuple(judged_by_rank(ranked)),
        interval,
    )


_LARGE = 1 << 16  # from here on it pays to look for what a cutoff leaves out
_SPARSE = 1 / 8  # share of labels that are not 0, up to which it does


def call(measure: Measure, data: tuple[Any, ...], conventions: Conventions | None) -> Any:
    """Return the value of a measure on data given directly: a number, or one for each query."""
    if len(data) > 2:
        raise UsageError(
            "give grades in rank order; true grades and predicted scores; or relevant documents "
            f"and a ranked list; not {len(data)} arguments."
        )
    labels, scores = data[0], data[-1]
    if len(data) == 2 and _are_labels_and_scores(labels, scores):
        source: Collection = table_of_labels(
            numbers_of(labels, "labels"), numbers_of(scores, "scores")
        )
    else:
        source = collection(*data, finite=True, needs=_needs_of(measure, conventions))
    chosen = source.default if conventions is None else conventions
    ranked = rank(source, chosen)
    if isinstance(source, MatchedCollection) and not len(ranked.rank):
        _refuse_look_alikes(source, chosen)
    values = measure.compute(ranked)
    if source.single:
        return float(values[0])
    if hasattr(scores, "columns") and hasattr(labels, "index"):
        return type(labels)(values, index=getattr(scores, "index", None), name=str(measure))
    return values


def _refuse_look_alikes(source: Collection, conventions: Conventions) -> None:
    """Refuse ids that differ only in how they are written; a bare number cannot carry a warning."""
    for notice in data_notices(source.tally(conventions), conventions):
        if notice.code == "ids-look-alike":
            raise NothingInCommonError(f"no judged document was retrieved: {notice}.")


def _are_labels_and_scores(labels: Any, scores: Any) -> bool:
    """Return whether data are arrays that can only be labels and scores, and are best read whole."""
    return (
        type(labels) is type(scores) is np.ndarray
        and labels.shape == scores.shape
        and labels.dtype.kind in "biuf"
        and scores.dtype.kind == "f"
        and (labels.size < _LARGE or bool(np.count_nonzero(labels) > _SPARSE * labels.size))
    )


def _needs_of(measure: Measure, conventions: Conventions | None) -> Needs:
    def needs(default: Conventions) -> tuple[CutoffNeeds | None, ScoreNeeds]:
        chosen = conventions or default
        return measure.cutoff_needs(chosen), score_needs([chosen])

    return needs


def explain(
    measure: str | Measure,
    *data: Any,
    query: Any = None,
    like: str | None = None,
    conventions: Conventions | None = None,
    **options: Unpack[DataOptions],
) -> Explanation:
    """Show the working of a number, document by document.

    Data are whatever ``evaluate`` takes: judgments and a run, or one ranking. ``query`` names the
    query to explain if there are several. ``options`` are single conventions, and the options of
    ``evaluate`` that say how to read the data.

    >>> print(explain("RR", [0, 1, 0]))
    RR: Reciprocal rank
      RR = 1 / rank of the first relevant document. Its mean is MRR.
    <BLANKLINE>
    rank  grade  relevant    term     sum
    ────  ─────  ────────  ──────  ──────
       1      0        no       0       0
       2      1       yes  0.5000  0.5000
       3      0        no       0  0.5000
    <BLANKLINE>
    RR = 0.5
    Conventions: ties=expected, no_relevant=zero
    """
    from rankstone.measures.explain import explain_query
    from rankstone.report.explanation import Explanation

    reading, choices = split_options(options)
    request = Request.of([measure], like, conventions, choices)
    source = read(data, reading)
    ((_, _, chosen),) = request.plan(source.default).steps
    ranked = source.ranked(chosen)
    row = _row(query, ranked.queries)
    judged = source.judged_documents(ranked.queries[row])
    working = explain_query(request.measures[0].measure, ranked, row, source.document, judged)
    working = replace(working, unjudged=_unjudged_ids(source, working, judged, reading))
    return Explanation.of(replace(working, query=None) if source.single else working)


def _unjudged_ids(
    source: Collection,
    working: ExplanationData,
    judged: Sequence[tuple[Any, float]],
    reading: Mapping[str, Any],
) -> dict[int, str]:
    """Return the ids of documents without a judgment by rank, as far as they can be read.

    Those that are tied with each other are in input order.
    """
    from rankstone.io.top_documents import top_documents

    gaps = working.gaps
    if not gaps or not isinstance(source, MatchedCollection):
        return {}
    first = top_documents(source.run, [working.query], gaps[-1] + len(judged), run_options(reading))
    known = {str(document) for document, _ in judged}
    ids = (doc for doc in (first.docs if first else ()) if doc not in known)
    return dict(zip(gaps, ids, strict=False))


def _row(query: Any, queries: list[Any]) -> int:
    """Return which query is meant; a whole number may be written as text, as commands do."""
    if query is None:
        if len(queries) == 1:
            return 0
        shown = ", ".join(repr(q) for q in queries[:3])
        raise UsageError(
            f"there are {len(queries)} queries ({shown}, ...), and one is explained at a time: "
            f"give query={queries[0]!r} (--query {queries[0]})."
        )
    if query in queries:
        return queries.index(query)
    texts = [str(q) for q in queries]
    if str(query) in texts:
        return texts.index(str(query))
    number = _number_in(str(query))
    same = [text for text in texts if number is not None and _number_in(text) == number]
    hint = f" Did you mean {same[0]}?" if same else did_you_mean(str(query), texts[:10_000])
    raise DataError(f"query {query!r} is not evaluated.{hint}")


def _number_in(query: str) -> int | None:
    """Return the number at the end of a query id: 1 in q01."""
    digits = query[len(query.rstrip("0123456789")) :]
    return int(digits) if digits else None


def _tell(text: str) -> None:
    warnings.warn(text, SlowEngineWarning, stacklevel=4)
