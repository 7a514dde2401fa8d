"""The values of trec_eval's lines, and how it prints them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import DEFAULT
from rankstone.core import segments
from rankstone.core.aggregate import FLOOR, Part, aggregate, logarithms
from rankstone.core.collection import MatchedCollection
from rankstone.core.judgments import Judgments
from rankstone.core.rank import rounds_scores
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import condensed, select, truncated
from rankstone.core.run import Run
from rankstone.core.text import escape_controls
from rankstone.errors import DataError, NothingInCommonError, RankstoneError, TrecEvalError, amount
from rankstone.frozen import frozen
from rankstone.io.formats import LENIENT, trec_prefs
from rankstone.io.load import load_judgments, load_run
from rankstone.verbs.trec_eval.columns import Column
from rankstone.verbs.trec_eval.options import FILES, MEASURES, NOTHING, Options


@frozen(eq=False)
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
                f"{amount(len(missing), 'judged query')} not in the run (for example "
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
    judged, _ = options.files
    try:
        setup = DEFAULT.replace(input_format=LENIENT) if options.lenient else DEFAULT
        measuring = _Measuring(columns, options, load_run(options.files[1], setup))
        if options.format == "qrels":
            judgments = load_judgments(judged, setup)
            _check(judgments, options)
            return measuring.values(judgments)
        if options.format == "qrels_jg":
            if measuring.run.source.path is None:
                raise DataError("a run that is read once for each group must be a file.")
            groups = trec_prefs.read_groups(judged, lenient=options.lenient)
            return _averaged([measuring.values_of_group(own) for own in groups.values()])
        preferences = trec_prefs.read_preferences(
            judged, sittings=options.format == "prefs", lenient=options.lenient
        )
        return measuring.values(preferences.judgments, preferences)
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


@frozen(eq=False)
class _Measuring:
    """The lines to compute on a run, by judgments that may come in groups."""

    columns: list[Column]
    options: Options
    run: Run

    def values(
        self, judgments: Judgments, preferences: trec_prefs.Preferences | None = None
    ) -> TrecEvalValues:
        """Measure all judged queries."""
        options = self.options
        conventions = Conventions(
            precision="float32" if options.version < 10 else "float64",
            relevance=options.level,
            duplicates="error",
            sums="plain",
            ties="docid-desc" if options.format in ("qrels", "qrels_jg") else "docid-asc",
        )
        collection = MatchedCollection(self.run, judgments)
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
            for column in self.columns:
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

    def values_of_group(self, judgments: Judgments) -> TrecEvalValues:
        """Measure by the judgments of one group, which may share no query with the run."""
        try:
            return self.values(judgments)
        except NothingInCommonError:
            queries = [str(q) for q in judgments.queries if self.options.query in (None, q)]
            nothing = np.zeros(len(queries))
            values = {c.label: nothing for c in self.columns if c.measure is not None}
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


def relevance_strings(r: Ranked, length: int) -> list[str]:
    """Return the grades of the first documents of each query, a character for each.

    Grades above 9 are ``>``; ``-`` was not in the pool, ``.`` was in it without a judgment.
    """
    shown = np.full((len(r), length), b"-", "S1")
    near = r.rank <= length
    grade = r.grade[near].astype(np.int64)
    digits = np.array([*b"0123456789>"], np.uint8).view("S1")
    shown[segments.numbers(r.offsets)[near], r.rank[near] - 1] = digits[np.minimum(grade, 10)]
    if r.pooled is not None and r.pooled_offsets is not None:
        near = r.pooled <= length
        shown[segments.numbers(r.pooled_offsets)[near], r.pooled[near] - 1] = b"."
    text = shown.tobytes().decode("ascii")
    depth = r.depth(length).tolist()
    return [text[q * length : q * length + n] for q, n in enumerate(depth)]


#: What trec_eval prints for a value whose mean and deviation are not known.
_UNKNOWN = -1000000.0


def standardised(evaluated: TrecEvalValues, shown: list[int], path: str) -> TrecEvalValues:
    """Return deviations from the means in a file, in standard deviations."""
    known = _means(path)
    values = {}
    for label, column in evaluated.values.items():
        values[label] = column.copy()
        for i in shown:
            mean, deviation = known.get((evaluated.queries[i], label), (None, 0.0))
            if mean is not None and deviation:
                values[label][i] = (column[i] - mean) / deviation
            else:
                values[label][i] = 0.0 if column[i] == mean else _UNKNOWN
    return replace(evaluated, values=values)


def _means(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Read lines of query, measure, mean and standard deviation."""
    known = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            for number, text in enumerate(stream, 1):
                try:
                    query, label, mean, deviation = text.split()
                    known[query, label] = float(mean), float(deviation)
                except ValueError:
                    raise TrecEvalError(
                        FILES, f"{path}:{number}: expected query, measure, mean, deviation."
                    ) from None
    except OSError as error:
        raise TrecEvalError(FILES, f"{path}: {error.strerror}.") from None
    return known


_CHUNK = 256


def lines(rows: Sequence[tuple[str, Sequence[Any]]], queries: Sequence[str]) -> Iterator[str]:
    """Yield the lines of all queries, many at a time; rows are those of ``row_of``."""
    if not rows:
        return
    pattern = "".join(pattern for pattern, _ in rows)
    table = zip(*(values for _, values in rows), strict=True)
    part = []
    for query, values in zip(queries, table, strict=True):
        shown = escape_controls(query).replace("%", "%%")
        part.append(pattern.replace("\0", shown) % values)
        if len(part) == _CHUNK:
            yield "".join(part)
            part.clear()
    yield "".join(part)


def row_of(column: Column, values: Sequence[Any], *, zscore: bool) -> tuple[str, list[Any]]:
    """Return the pattern of a line for each query, and what it is filled with.

    A line is the label in 22 columns, the query and the value with 4 decimals, whole numbers
    and texts as they are, but for characters that would steer a terminal.
    """
    label = f"{column.label:<22}".replace("%", "%%")
    if column.measure is None:
        return f"{label}\t\0\t%s\n", [escape_controls(str(text)) for text in values]
    numbers = np.asarray(values, np.float64)
    if column.line.integer and not zscore:
        return f"{label}\t\0\t%d\n", numbers.astype(np.int64).tolist()
    return f"{'Z' if zscore else ''}{label}\t\0\t%6.4f\n", numbers.tolist()


def printed(columns: list[Column], options: Options) -> Iterator[str]:
    """Yield the output of trec_eval, many lines at a time."""
    evaluated = read(columns, options)
    shown = evaluated.shown(options)
    zscore = options.zscores is not None
    if options.zscores is not None:
        evaluated = standardised(evaluated, shown, options.zscores)
    if options.per_query:
        own = [(c, _of_queries(c, evaluated, shown)) for c in columns]
        rows = [row_of(c, values, zscore=zscore) for c, values in own if values is not None]
        yield from lines(rows, [evaluated.queries[i] for i in shown])
    if options.summary:
        every = [(c, _of_all(c, evaluated, shown, options)) for c in columns]
        rows = [row_of(c, [value], zscore=zscore) for c, value in every if value is not None]
        yield from lines(rows, ["all"])


def _of_queries(column: Column, evaluated: TrecEvalValues, shown: list[int]) -> list[Any] | None:
    """Return the value or the text of each query, None if there is no line of single queries."""
    if column.label in evaluated.strings:
        texts = evaluated.strings[column.label]
        return [f"'{texts[i]}'" for i in shown]
    if column.measure is None or column.line.summary_only:
        return None
    return evaluated.values[column.label][shown].tolist()


def _of_all(
    column: Column, evaluated: TrecEvalValues, shown: list[int], options: Options
) -> float | str | None:
    """Return the value or the text of all queries, None if there is no such line."""
    if column.measure is None:
        return None if column.length else evaluated.tag
    return evaluated.summary(column, shown, complete=options.complete)
