"""Contents of a report's model, from results, the data behind them, and their comparison.

Results of values that were computed before have no data behind them, so no rankings to look at.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from rankstone import __version__
from rankstone.choices.conventions import Conventions
from rankstone.choices.statistics import Statistics
from rankstone.core.aggregate import summarise
from rankstone.core.collection import Collection
from rankstone.core.hypothetical_grades import judged_by_rank
from rankstone.core.provenance import MEMORY, Provenance
from rankstone.core.ranked import Ranked
from rankstone.core.result import Result, TieReport
from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.io.query_groups import QueryGroups
from rankstone.io.texts import read_texts
from rankstone.language import joined, tr
from rankstone.measures.base import REGISTRY, Measure
from rankstone.measures.beyond_accuracy import exposure_by_popularity
from rankstone.measures.curves import Curve, curves_and_areas
from rankstone.measures.explain import parameters_in_words
from rankstone.measures.judged import judged_to_rank
from rankstone.measures.parse import parse_measure
from rankstone.page import model
from rankstone.page.formulas import formula_tree
from rankstone.page.model import Cell, Column, cells
from rankstone.page.rankings import by_query, documents_of
from rankstone.page.workings import Plan
from rankstone.stats.comparison import Comparison, PairComparison
from rankstone.stats.intervals import mean_intervals
from rankstone.stats.values import QueryValues
from rankstone.text.comparison_table import write_comparison
from rankstone.text.groups import rows_of
from rankstone.text.results import ALL, own_aggregates, write
from rankstone.text.verdicts import remarks, sentence

_POINTS = 200  # of a curve
_TEXT = 300  # characters of a document
_TEXTS = 2_000_000  # characters of all documents
_JUDGED = (1, 5, 10, 20, 50, 100)  # cutoffs of the shares of judged documents
_DOUBTED_RANKS, _DOUBTED_SHARE = 10, 0.9  # a verdict is doubted if fewer of the first are judged
_EXPOSED = 10  # places of a list whose exposure is shown by popularity


def plain_ranking(data: Collection, conventions: Conventions) -> Ranked:
    """Return the ranking with the documents that are not judged in their places."""
    return data.ranked(conventions.replace(unjudged="nonrelevant"))


def run_part(result: Result, data: Collection | None = None, depth: int = 0) -> model.RunPart:
    """Describe a run and the health of its data, None if its values alone are known."""
    known: dict[str, Any] = {"retrieved": None, "judged_by_rank": []}
    if data is not None:
        ranked = plain_ranking(data, result.conventions)
        curves = curves_and_areas(ranked.relevant().astype(np.float64), ranked.score)
        known = {
            "retrieved": int(ranked.retrieved.sum()),
            "judged_by_rank": cells(by_rank := judged_by_rank(ranked, depth)),
            "judged": judged_to_rank(ranked, [k for k in _JUDGED if k <= len(by_rank)]),
            "areas": {name: round(area, model.DIGITS) for name, (_, area) in curves.items()},
            "curves": {name: _thinned(curve) for name, (curve, _) in curves.items()},
            "exposure": cells(exposure_by_popularity(ranked, _EXPOSED)),
        }
    return model.RunPart(
        name=result.name,
        source=result.provenance.run.to_dict(),
        answered=len(result.queries) - len(result.unanswered),
        ties=result.ties.to_dict(),
        notices=shown_notices(result),
        **known,
    )


def shown_notices(result: Result) -> list[dict[str, object]]:
    """Return the notices of a result that a page shows."""
    return [notice.to_dict() for notice in result.notices if notice.level != "info"]


def _thinned(curve: Curve) -> list[list[Cell]]:
    """Return at most a few hundred points of a curve, evenly along it."""
    along = np.cumsum(np.hypot(np.diff(curve.x, prepend=0.0), np.diff(curve.y, prepend=curve.y[0])))
    wanted = np.linspace(0.0, along[-1], _POINTS)
    chosen = np.unique(np.append(np.searchsorted(along, wanted).clip(max=len(along) - 1), 0))
    return [cells(curve.x[chosen]), cells(curve.y[chosen])]


def measure_parts(plan: Plan) -> list[model.MeasurePart]:
    """Describe the measures from their definitions."""
    return [
        model.MeasurePart(
            name=column,
            title=tr(measure.definition.pretty),
            formula=formula_tree(tr(measure.definition.formula)),
            used=[formula_tree(tr(other.definition.formula)) for other in _used(measure)],
            text=measure.definition.paragraphs()[0],
            choices=list(parameters_in_words(measure, every=True)),
            conventions={n: getattr(conventions, n) for n in measure.definition.conventions},
            aggregate=measure.definition.aggregate,
            higher_is_better=measure.definition.higher_is_better,
            range=cells(measure.definition.range),
            beyond_accuracy=measure.definition.reads_items,
        )
        for column, measure, conventions in plan
    ]


def _used(measure: Measure) -> list[Measure]:
    """Return the other measures that the formula of a measure names."""
    names = re.findall(r"\b[A-Za-z](?:\w+|(?=@))", measure.definition.formula.split(". ")[0])
    own = measure.definition.name
    return [REGISTRY[name] for name in dict.fromkeys(names) if name != own and name in REGISTRY]


def convention_rows(conventions: Conventions) -> list[dict[str, Any]]:
    """Return each convention with its meaning, and whether it is the default."""
    usual = Conventions()
    rows = []
    for f in fields(conventions):
        value = getattr(conventions, f.name)
        rows.append(
            {
                "name": f.name,
                "value": str(value).removesuffix(".0"),
                "text": tr(f.metadata["text"]),
                "meaning": tr(f.metadata.get("values", {}).get(value, "")),
                "usual": value == getattr(usual, f.name),
            }
        )
    return rows


def result_of_values(values: QueryValues, measures: Sequence[str]) -> Result:
    """Return values as a result, of which nothing is known but the numbers."""
    for name in measures:
        if name not in values.columns:
            known = list(values.columns)
            raise UsageError(
                f"{values.name} has no values of {name!r}.{did_you_mean(name, known)} It has: "
                f"{', '.join(known)}."
            )
    columns = {name: np.asarray(values.columns[name], np.float64) for name in measures}
    means = {name: summarise(column, "mean") for name, column in columns.items()}
    answered = values.answered
    unanswered = [] if answered is None else np.flatnonzero(~answered).tolist()
    return Result(
        name=values.name,
        queries=list(values.queries),
        columns=columns,
        aggregates={name: mean.value for name, mean in means.items()},
        counted={name: mean.n for name, mean in means.items()},
        weights={},
        conventions=Conventions(),
        notices=(),
        provenance=Provenance(__version__, "", MEMORY, MEMORY),
        ties=TieReport(0, 0),
        unanswered=tuple(values.queries[i] for i in unanswered),
    )


def saved_measures(names: Sequence[str], lower_is_better: Sequence[str]) -> list[model.MeasurePart]:
    """Describe measures by their names; others than Rankstone's have a name only."""
    parts = []
    for name in names:
        try:
            (part,) = measure_parts([(name, parse_measure(name), Conventions())])
        except UsageError:
            higher = name not in lower_is_better
            part = model.MeasurePart(name, "", name, [], "", [], {}, "mean", higher, [None, None])
        parts.append(part)
    return parts


def values_of(result: Result, ids: Sequence[Any]) -> list[Column]:
    """Return the values of each measure in the order of the report's queries."""
    return [by_query(column, result.queries, ids, np.nan) for column in result.columns.values()]


def weighted_result(result: Result, weights: Mapping[Any, float]) -> Result:
    """Return a result in which queries count by these weights, in means that count them alike."""
    own = np.array([float(weights[query]) for query in result.queries])
    means = [
        measure
        for measure, how in own_aggregates(result.measures).items()
        if how == "mean" and measure not in result.weights
    ]
    result = replace(result, weights={**result.weights, **dict.fromkeys(means, own)})
    weighted = {measure: result.summary(measure).value for measure in means}
    return replace(result, aggregates={**result.aggregates, **weighted})


def intervals_of(result: Result, statistics: Statistics) -> list[list[Cell] | None]:
    """Return the confidence interval of each measure that is a mean, as compare was asked for."""
    chosen: dict[str, Any] = {"confidence": statistics.confidence}
    if statistics.interval is not None:
        chosen["method"] = statistics.interval
    means = [m for m, how in own_aggregates(result.measures).items() if how == "mean"]
    alike = [m for m in means if m not in result.weights and m not in result.of_items]
    ends: dict[str, list[Cell]] = {}
    source = statistics.clusters
    if alike and source is None:  # all at once
        both = mean_intervals(np.array([result.columns[m] for m in alike]), **chosen)
        ends = {m: cells(own) for m, own in zip(alike, np.transpose(both), strict=True)}
    for measure in means:
        if measure not in ends:
            one = result.interval(measure, **chosen, clusters=source)
            if not math.isnan(one.low):
                ends[measure] = cells([one.low, one.high])
    return [ends.get(measure) for measure in result.measures]


def pairs_of(comparison: Comparison | None, runs: Sequence[model.RunPart]) -> list[dict[str, Any]]:
    """Return the comparisons as plain data, each with its sentence."""
    if comparison is None:
        return []
    left_out = ("improved", "worsened")  # the explorer sorts by difference
    doubted = ((pair, _doubts(pair, runs)) for pair in comparison.comparisons)
    return [
        {
            **{name: value for name, value in pair.to_dict().items() if name not in left_out},
            "sentence": joined([sentence(pair, comparison), *doubts]),
            "remarks": [*remarks(pair), *doubts],
            "significant": pair.significant,
        }
        for pair, doubts in doubted
    ]


def _doubts(pair: PairComparison, runs: Sequence[model.RunPart]) -> list[str]:
    """Return a remark on a decided pair of which many of the first documents are not judged.

    What their grades could change takes long to compute, so it is said only where it was asked for.
    """
    known = any(n.code in ("holes", "survives-holes") for n in pair.warnings)
    if known or pair.verdict not in ("better", "worse"):
        return []
    first = [
        (share, run.name, k)
        for run in runs
        if run.name in (pair.run, pair.baseline)
        for k, share in run.judged.items()
        if share is not None and k <= _DOUBTED_RANKS
    ]
    deepest = max((k for _, _, k in first), default=0)
    share, name, _ = min((one for one in first if one[2] == deepest), default=(1.0, "", 0))
    if share >= _DOUBTED_SHARE:
        return []
    return [
        tr(
            "Only {:.0f} % of the first {} documents of {} are judged: grades for the others could "
            "change this verdict, and --unjudged-interval shows by how much."
        ).format(share * 100, deepest, name)
    ]


def method_of(comparison: Comparison | None) -> dict[str, Any] | None:
    """Return how the runs were compared."""
    if comparison is None:
        return None
    return {
        "baseline": comparison.baseline,
        "method": comparison.method(),
        "test": comparison.test,
        "correction": comparison.correction,
        "confidence": comparison.confidence,
        "family": comparison.family,
        "seed": comparison.seed,
        "notices": [notice.to_dict() for notice in comparison.notices],
    }


def slices_of(
    results: Sequence[Result], groups: QueryGroups | None, comparison: Comparison | None
) -> list[model.SlicePart]:
    """Return the means of each group of queries, and the verdicts in it."""
    if groups is None:
        return []
    by_group: dict[str, list[Any]] = {}
    for row in rows_of(results, (), groups):
        if row.group != ALL:
            by_group.setdefault(row.group, []).append(row)
    return [
        model.SlicePart(
            name=group,
            queries=max(row.queries for row in rows),
            means=[cells([summary.value for summary in row.values.values()]) for row in rows],
            pairs=[
                [_decided(comparison, group, row.run, measure) for measure in row.values]
                for row in rows
            ],
        )
        for group, rows in by_group.items()
    ]


def _decided(
    comparison: Comparison | None, group: str, run: str, measure: str
) -> dict[str, Any] | None:
    """Return the verdict on a run in a group of queries, None if it was not compared."""
    for pair in () if comparison is None else comparison.slices:
        if (pair.group, pair.run, pair.measure) == (group, run, measure):
            ends = cells([pair.ci_low, pair.ci_high])
            return {"interval": ends, "p": cells([pair.p_adjusted])[0], "verdict": pair.verdict}
    return None


def queries_of(
    ids: Sequence[Any],
    queries: Mapping[Any, str] | str | os.PathLike[str] | None,
    groups: QueryGroups | None,
) -> model.QueryPart:
    """Return the queries with their texts and groups."""
    names = [str(query) for query in ids]
    texts = None
    if queries is not None:
        by_id = _texts(queries, set(names), "query")
        texts = [by_id.get(name) for name in names]
    if groups is None:
        return model.QueryPart(names, texts)
    place = {group: i for i, group in enumerate(groups.names)}
    group_of = groups.group_of
    return model.QueryPart(
        names, texts, groups.names, [place.get(group_of.get(name, ""), -1) for name in names]
    )


def _texts(
    texts: Mapping[Any, str] | str | os.PathLike[str], wanted: set[str], what: str
) -> Mapping[str, str]:
    """Return the texts of the wanted ids; ``what`` names them in an error if there are none."""
    if isinstance(texts, Mapping):
        known = {str(one): str(text) for one, text in texts.items() if str(one) in wanted}
    else:
        known = read_texts(os.fspath(texts), wanted)
    if not known and wanted:
        where = "the texts" if isinstance(texts, Mapping) else os.fspath(texts)
        raise DataError(
            f"{where}: none of its ids is that of a {what} of this report (such as {min(wanted)!a}). "
            "Write an id, a tab and a text per line, with the ids of the judgments and runs."
        )
    return known


def document_texts(
    documents: Mapping[Any, str] | str | os.PathLike[str],
    rankings: model.RankingPart,
    results: Sequence[Result],
) -> dict[str, str]:
    """Return the beginnings of texts, for the queries that changed most if not all fit."""
    known = _texts(documents, {*map(str, rankings.documents)}, "document")
    shown = list(documents_of(rankings))
    texts: dict[str, str] = {}
    room = _TEXTS
    for q in _by_change(results, len(shown)):
        for doc in shown[q]:
            text = known.get(doc)
            if text is None or doc in texts:
                continue
            texts[doc] = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
            room -= len(texts[doc])
        if room < 0:
            break
    return texts


def _by_change(results: Sequence[Result], count: int) -> list[int]:
    """Return the queries in order of how much runs differ by the first measure."""
    columns = [next(iter(result.columns.values())) for result in results]
    if any(len(column) != count for column in columns):
        return list(range(count))
    spread = np.ptp(np.nan_to_num(np.array(columns)), axis=0)
    return np.argsort(-spread, kind="stable").tolist()


def tables_of(results: Sequence[Result], comparison: Comparison | None) -> dict[str, str]:
    """Return the table of means in the formats that can be copied from the page."""
    forms = ("md", "latex", "csv")
    if comparison is None:
        return {form: "\n".join(write(results, form)) for form in forms}
    return {form: "\n".join(write_comparison(comparison, form)) for form in forms}
