"""Results of one run at several levels, such as documents and pages, as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rankstone.core.result import Result
from rankstone.errors import plural
from rankstone.text.blocks import Grid, Line, rounded
from rankstone.text.delimited import delimited, exact
from rankstone.text.markdown import markdown
from rankstone.text.result_table import ALL
from rankstone.text.terminal import terminal


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
        heads,
        [run],
        [Line(names, [rounded(value, 4)]) for names, value in rows],
        [f"mean over {plural(queries, 'query')}, default conventions"],
    )
    return terminal([[grid]], colour) if form == "table" else markdown([[grid]])
