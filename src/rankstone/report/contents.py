"""Contents of a report's model, from results and their comparison."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.core.result import Result
from rankstone.errors import DataError
from rankstone.io.query_groups import QueryGroups
from rankstone.io.texts import read_texts
from rankstone.report.comparison import write_comparison
from rankstone.report.groups import rows_of
from rankstone.report.model import Cell, Column, QueryPart, RankingPart, SlicePart
from rankstone.report.parts import cells
from rankstone.report.rankings import by_query, documents_of
from rankstone.report.result_table import ALL, own_aggregates
from rankstone.report.verdicts import remarks, sentence
from rankstone.report.write import write
from rankstone.stats.comparison import Comparison
from rankstone.stats.intervals import mean_intervals

_TEXT = 300  # characters of a document
_TEXTS = 2_000_000  # characters of all documents


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


def intervals_of(result: Result, statistics: Mapping[str, Any]) -> list[list[Cell] | None]:
    """Return the confidence interval of each measure that is a mean, as compare was asked for."""
    chosen = {
        name: statistics[option]
        for name, option in (("confidence", "confidence"), ("method", "interval"))
        if statistics.get(option) is not None
    }
    means = [m for m, how in own_aggregates(result.measures).items() if how == "mean"]
    alike = [measure for measure in means if measure not in result.weights]
    ends: dict[str, list[Cell]] = {}
    if alike:  # all at once
        both = mean_intervals(np.array([result.columns[m] for m in alike]), **chosen)
        ends = {m: cells(own) for m, own in zip(alike, np.transpose(both), strict=True)}
    for measure in means:
        if measure not in ends:
            one = result.interval(measure, **chosen)
            ends[measure] = cells([one.low, one.high])
    return [ends.get(measure) for measure in result.measures]


def pairs_of(comparison: Comparison | None) -> list[dict[str, Any]]:
    """Return the comparisons as plain data, each with its sentence."""
    if comparison is None:
        return []
    left_out = ("improved", "worsened")  # the explorer sorts by difference
    return [
        {
            **{name: value for name, value in pair.to_dict().items() if name not in left_out},
            "sentence": sentence(pair, comparison),
            "remarks": remarks(pair),
            "significant": pair.significant,
        }
        for pair in comparison.comparisons
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


def slices_of(results: Sequence[Result], groups: QueryGroups | None) -> list[SlicePart]:
    """Return the means of each group of queries."""
    if groups is None:
        return []
    by_group: dict[str, list[Any]] = {}
    for row in rows_of(results, (), groups):
        if row.group != ALL:
            by_group.setdefault(row.group, []).append(row)
    return [
        SlicePart(
            name=group,
            queries=max(row.queries for row in rows),
            means=[cells([summary.value for summary in row.values.values()]) for row in rows],
        )
        for group, rows in by_group.items()
    ]


def queries_of(
    ids: Sequence[Any],
    queries: Mapping[Any, str] | str | os.PathLike[str] | None,
    groups: QueryGroups | None,
) -> QueryPart:
    """Return the queries with their texts and groups."""
    names = [str(query) for query in ids]
    texts = None
    if queries is not None:
        by_id = _texts(queries, set(names), "query")
        texts = [by_id.get(name) for name in names]
    if groups is None:
        return QueryPart(names, texts)
    place = {group: i for i, group in enumerate(groups.names)}
    group_of = groups.group_of
    return QueryPart(
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
    rankings: RankingPart,
    results: Sequence[Result],
) -> dict[str, str]:
    """Return the beginnings of texts, for the queries that changed most if not all fit."""
    known = _texts(documents, {*map(str, rankings.ids)}, "document")
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
