"""The values of trec_eval's lines, for each query and for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import DEFAULT
from rankstone.core.aggregate import FLOOR, Part, aggregate, logarithms
from rankstone.core.collection import MatchedCollection
from rankstone.core.judgments import Judgments
from rankstone.core.rank import rounds_scores
from rankstone.core.ranked_rows import condensed, select, truncated
from rankstone.core.run import Run
from rankstone.errors import (
    DataError,
    NothingInCommonError,
    RankstoneError,
    TrecEvalError,
    plural,
)
from rankstone.io.formats import LENIENT, trec_prefs
from rankstone.io.load import load_judgments, load_run
from rankstone.verbs.trec_eval.columns import Column
from rankstone.verbs.trec_eval.options import FILES, MEASURES, NOTHING, Options
from rankstone.verbs.trec_eval.relevance_string import relevance_strings


@dataclass(frozen=True, eq=False)
class TrecEvalValues:
    """Values of all judged queries, by label.

    ``present`` marks the queries that are in the run; ``complete`` has the summaries that the
    judgments alone give, ``strings`` the lines that are text.
    """

    queries: list[str]
    present: np.ndarray
    values: dict[str, np.ndarray]
    complete: dict[str, float]
    strings: dict[str, list[str]]
    tag: str

    def shown(self, options: Options) -> list[int]:
        """Return which queries are evaluated, in the order of the bytes of their ids."""
        missing = np.flatnonzero(~self.present)
        if len(missing) and not options.complete and options.compat == "10.0":
            raise TrecEvalError(
                MEASURES,
                f"{plural(len(missing), 'judged query')} not in the run (for example "
                f"{self.queries[missing[0]]!r}). -c counts what is missing as 0; without "
                "--compat 10.0 it is left out.",
            )
        every = options.complete and options.version >= 10
        chosen = [i for i, there in enumerate(self.present.tolist()) if there or every]
        if not chosen:
            raise TrecEvalError(
                NOTHING, f"query {options.query!r} is not both judged and in the run."
            )
        return sorted(chosen, key=lambda i: self.queries[i].encode("utf-8", "surrogateescape"))

    def summary(self, column: Column, shown: list[int], *, complete: bool) -> float:
        """Return the value of a line for all queries."""
        if column.measure is None:
            raise TypeError(f"{column.label} is text")
        how = column.measure.definition.aggregate
        values = self.values[column.label][shown].tolist()
        if column.line.with_c is not None and (complete or column.line.summary_only):
            return self.complete[column.label] if complete else float(len(values))
        n = len(self.present) if complete else len(values)
        total = added(values)
        if how == "geometric":
            total += (n - len(values)) * math.log(FLOOR)
        return aggregated(total, n, how)


def added(values: Iterable[float]) -> float:
    """Add up in order, as trec_eval does (``sum`` may be more exact)."""
    total = 0.0
    for value in values:
        total += value
    return total


def aggregated(total: float, n: int, how: str) -> float:
    """Return the mean, the sum or the geometric mean of n values from their total.

    For a geometric mean the values are logarithms.
    """
    return aggregate(how).finish(Part((total,), n)) if math.isfinite(total) else total


def per_query(column: Column, values: np.ndarray) -> np.ndarray:
    """Return a measure's values as trec_eval keeps them: logarithms for a geometric mean."""
    if column.measure is not None and column.measure.definition.aggregate == "geometric":
        return logarithms(values)
    return values


def read(columns: list[Column], options: Options) -> TrecEvalValues:
    """Read the files and measure all judged queries."""
    conventions = Conventions(
        precision="float32" if options.version < 10 else "float64",
        relevance=options.level,
        duplicates="error",
        sums="plain",
        ties="docid-desc" if options.format in ("qrels", "qrels_jg") else "docid-asc",
    )
    try:
        setup = DEFAULT.replace(input_format=LENIENT) if options.lenient else DEFAULT
        run = load_run(options.files[1], setup)
        if options.format == "qrels":
            judgments = load_judgments(options.files[0], setup)
            _check(judgments, options)
            return _measured(columns, options, conventions, judgments, run)
        if options.format == "qrels_jg":
            if run.source.path is None:
                raise DataError("a run that is read once for each group must be a file.")
            groups = trec_prefs.read_groups(options.files[0], lenient=options.lenient)
            return _averaged(
                [_group(columns, options, conventions, j, run) for j in groups.values()]
            )
        preferences = trec_prefs.read_preferences(
            options.files[0], sittings=options.format == "prefs", lenient=options.lenient
        )
        return _measured(columns, options, conventions, preferences.judgments, run, preferences)
    except TrecEvalError:
        raise
    except NothingInCommonError as error:
        raise TrecEvalError(NOTHING, error) from None
    except RankstoneError as error:
        raise TrecEvalError(FILES, error) from None


def _check(judgments: Judgments, options: Options) -> None:
    """Refuse what trec_eval would refuse, or would cut off silently."""
    for notice in judgments.notices:
        if notice.code in ("repeated-judgments", "contradicting-judgments"):
            raise TrecEvalError(
                MEASURES, f"{options.files[0]}: {notice}; trec_eval takes each once."
            )
    broken = np.flatnonzero(judgments.grades != np.floor(judgments.grades))
    if len(broken) and not options.lenient:
        i = int(broken[0])
        raise TrecEvalError(
            FILES,
            f"{options.files[0]}: the grade {judgments.grades[i]:g} of document "
            f"{judgments.docs[i]!r} is not a whole number; trec_eval would cut its fraction off. "
            "--lenient does so too; 'rankstone evaluate' takes it as it is.",
        )


def _measured(
    columns: list[Column],
    options: Options,
    conventions: Conventions,
    judgments: Judgments,
    run: Run,
    preferences: trec_prefs.Preferences | None = None,
) -> TrecEvalValues:
    collection = MatchedCollection(run, judgments)
    matches = collection.matches(float32=rounds_scores(conventions))
    present = matches.present
    try:
        ranked = collection.ranked(conventions)
    except DataError as error:
        raise TrecEvalError(MEASURES, error) from None
    if options.depth is not None:
        ranked = truncated(ranked, options.depth)
    if options.judged_only or preferences is not None:
        ranked = condensed(ranked)
    if options.query is not None:
        chosen = np.array([q == options.query for q in ranked.queries])
        ranked, present = select(ranked, chosen), present[chosen]
    if preferences is not None:
        ranked = preferences.placed(ranked)
    values, complete, strings = {}, {}, {}
    try:
        for column in columns:
            if column.measure is None:
                if column.length:
                    strings[column.label] = relevance_strings(ranked, column.length)
                continue
            values[column.label] = per_query(column, column.measure.compute(ranked))
            if options.complete and column.line.with_c is not None:
                whole = column.measure(**column.line.with_c).compute(ranked)
                complete[column.label] = float(whole.sum())
    except RankstoneError as error:
        raise TrecEvalError(MEASURES, error) from None
    return TrecEvalValues(list(ranked.queries), present, values, complete, strings, matches.tag)


def _group(
    columns: list[Column],
    options: Options,
    conventions: Conventions,
    judgments: Judgments,
    run: Run,
) -> TrecEvalValues:
    """Measure by the judgments of one group, which may share no query with the run."""
    try:
        return _measured(columns, options, conventions, judgments, run)
    except NothingInCommonError:
        queries = [str(q) for q in judgments.queries if options.query in (None, q)]
        nothing = np.zeros(len(queries))
        values = {c.label: nothing for c in columns if c.measure is not None}
        return TrecEvalValues(queries, nothing > 0, values, {}, {}, "")


def _averaged(groups: list[TrecEvalValues]) -> TrecEvalValues:
    """Return the mean of each query over the groups that judged it."""
    queries = list(dict.fromkeys(q for group in groups for q in group.queries))
    position = {q: i for i, q in enumerate(queries)}
    values = {label: np.zeros(len(queries)) for label in groups[0].values}
    times, present = np.zeros(len(queries)), np.zeros(len(queries), bool)
    for group in groups:
        at = np.array([position[q] for q in group.queries], np.int64)
        times[at] += 1
        present[at] |= group.present
        for label, total in values.items():
            total[at] += group.values[label]
    if not present.any():
        raise TrecEvalError(NOTHING, "no query is both judged and in the run.")
    mean = {label: total / times for label, total in values.items()}
    complete = {label: float(len(queries)) for group in groups for label in group.complete}
    return TrecEvalValues(queries, present, mean, complete, {}, max(group.tag for group in groups))
