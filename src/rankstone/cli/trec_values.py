"""What ``rankstone trec_eval`` prints, as numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankstone.cli.trec_options import FILES, MEASURES, NOTHING, Options, Stop
from rankstone.conventions import Conventions
from rankstone.core.aggregate import FLOOR
from rankstone.core.collection import MatchedCollection
from rankstone.core.judgments import Judgments
from rankstone.core.rank import rounds_scores
from rankstone.core.run import Run
from rankstone.errors import DataError, NothingInCommonError, RankstoneError, plural
from rankstone.io.formats import trec_prefs
from rankstone.io.load import load_judgments, load_run
from rankstone.measures.trec_eval import Column, relevance_strings
from rankstone.report.trec_eval import Row


@dataclass(eq=False)
class Evaluated:
    """Values of all judged queries, by label."""

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
            raise Stop(
                MEASURES,
                f"{plural(len(missing), 'judged query')} not in the run (for example "
                f"{self.queries[missing[0]]!r}). -c counts what is missing as 0; without "
                "--compat 10.0 it is left out.",
            )
        every = options.complete and options.version >= 10
        chosen = [i for i, there in enumerate(self.present.tolist()) if there or every]
        if not chosen:
            raise Stop(NOTHING, f"query {options.query!r} is not both judged and in the run.")
        return sorted(chosen, key=lambda i: self.queries[i].encode("utf-8", "surrogateescape"))

    def row(self, column: Column, shown: list[int]) -> Row | None:
        """Return what is printed for each query."""
        if column.label in self.strings:
            texts = self.strings[column.label]
            return Row(column.label, [f"'{texts[i]}'" for i in shown], text=True)
        if column.measure is None or column.line.quiet:
            return None
        return Row(column.label, self.values[column.label][shown].tolist(), whole=column.line.whole)

    def summary(self, column: Column, shown: list[int], options: Options) -> Row | None:
        """Return what is printed for all queries."""
        from rankstone.report.trec_eval import Row

        if column.measure is None:
            return None if column.length else Row(column.label, [self.tag], text=True)
        how, whole = column.measure.definition.aggregate, column.line.whole
        values = self.values[column.label][shown].tolist()
        n = len(self.present) if options.complete else len(values)
        if column.line.complete is not None and (options.complete or column.line.quiet):
            value = self.complete[column.label] if options.complete else float(len(values))
        elif how == "geometric":
            value = math.exp((_added(values) + (n - len(values)) * math.log(FLOOR)) / n)
        else:
            value = _added(values) / (n if how == "mean" else 1)
        return Row(column.label, [value], whole=whole)


def _added(values: list[float]) -> float:
    """Add up in order, as trec_eval does (``sum`` may do better than that)."""
    total = 0.0
    for value in values:
        total += value
    return total


def read(wanted: list[Column], options: Options) -> Evaluated:
    """Read the files and measure all judged queries."""
    conventions = Conventions(
        precision="float32" if options.version < 10 else "float64",
        relevance=options.level,
        duplicates="error",
        sums="plain",
        ties="docid-desc" if options.format in ("qrels", "qrels_jg") else "docid-asc",
    )
    try:
        run = load_run(options.files[1], lenient=options.lenient)
        if options.format == "qrels":
            judged = load_judgments(options.files[0], lenient=options.lenient)
            _check(judged, options)
            return _measured(wanted, options, conventions, judged, run)
        if options.format == "qrels_jg":
            if run.source.path is None:
                raise DataError("a run of which each group is a reading must be a file.")
            groups = trec_prefs.read_groups(options.files[0], lenient=options.lenient)
            return _averaged(
                [_group(wanted, options, conventions, j, run) for j in groups.values()]
            )
        said = trec_prefs.read_preferences(
            options.files[0], sittings=options.format == "prefs", lenient=options.lenient
        )
        return _measured(wanted, options, conventions, said.judgments, run, said)
    except NothingInCommonError as error:
        raise Stop(NOTHING, error) from None
    except RankstoneError as error:
        raise Stop(FILES, error) from None


def _check(judged: Judgments, options: Options) -> None:
    """Refuse what trec_eval would refuse, or would cut off in silence."""
    for notice in judged.notices:
        if notice.code in ("repeated-judgments", "contradicting-judgments"):
            raise Stop(MEASURES, f"{options.files[0]}: {notice}; trec_eval takes each once.")
    broken = np.flatnonzero(judged.grades != np.floor(judged.grades))
    if len(broken) and not options.lenient:
        i = int(broken[0])
        raise Stop(
            FILES,
            f"{options.files[0]}: the grade {judged.grades[i]:g} of document {judged.docs[i]!r} is "
            "no whole number; trec_eval would cut its fraction off. --lenient does so too; "
            "'rankstone evaluate' takes it as it is.",
        )


def _measured(
    wanted: list[Column],
    options: Options,
    conventions: Conventions,
    judged: Judgments,
    run: Run,
    said: trec_prefs.Preferences | None = None,
) -> Evaluated:
    data = MatchedCollection(run, judged)
    matches = data.matches(float32=rounds_scores(conventions))
    present = matches.present
    try:
        ranked = data.ranked(conventions)
    except DataError as error:
        raise Stop(MEASURES, error) from None
    if options.depth is not None:
        ranked = ranked.truncated(options.depth)
    if "J" in options.flags or said is not None:
        ranked = ranked.condensed()
    if options.query is not None:
        chosen = np.array([q == options.query for q in ranked.queries])
        ranked, present = ranked.select(chosen), present[chosen]
    if said is not None:
        ranked = said.placed(ranked)
    values, complete, strings = {}, {}, {}
    try:
        for column in wanted:
            if column.measure is None:
                if column.length:
                    strings[column.label] = relevance_strings(ranked, column.length)
                continue
            values[column.label] = column.measure.compute(ranked)
            if column.measure.definition.aggregate == "geometric":
                values[column.label] = np.log(np.maximum(values[column.label], FLOOR))
            if options.complete and column.line.complete is not None:
                whole = column.measure(**column.line.complete).compute(ranked)
                complete[column.label] = float(whole.sum())
    except RankstoneError as error:
        raise Stop(MEASURES, error) from None
    return Evaluated(list(ranked.queries), present, values, complete, strings, matches.tag)


def _group(
    wanted: list[Column],
    options: Options,
    conventions: Conventions,
    judged: Judgments,
    run: Run,
) -> Evaluated:
    """Measure by the judgments of one group, which may share no query with the run."""
    try:
        return _measured(wanted, options, conventions, judged, run)
    except NothingInCommonError:
        queries = [str(q) for q in judged.queries if options.query in (None, q)]
        nothing = np.zeros(len(queries))
        values = {c.label: nothing for c in wanted if c.measure is not None}
        return Evaluated(queries, nothing > 0, values, {}, {}, "")


def _averaged(found: list[Evaluated]) -> Evaluated:
    """Return the mean of each query over the groups that judged it."""
    queries = list(dict.fromkeys(q for one in found for q in one.queries))
    place = {q: i for i, q in enumerate(queries)}
    values = {label: np.zeros(len(queries)) for label in found[0].values}
    times, present = np.zeros(len(queries)), np.zeros(len(queries), bool)
    for one in found:
        at = np.array([place[q] for q in one.queries], np.int64)
        times[at] += 1
        present[at] |= one.present
        for label, total in values.items():
            total[at] += one.values[label]
    if not present.any():
        raise Stop(NOTHING, "no query is both judged and in the run.")
    mean = {label: total / times for label, total in values.items()}
    complete = {label: float(len(queries)) for one in found for label in one.complete}
    return Evaluated(queries, present, mean, complete, {}, max(one.tag for one in found))


def standardise(evaluated: Evaluated, shown: list[int], path: str) -> None:
    """Replace values by their deviations from a mean, in standard deviations."""
    known = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            for number, text in enumerate(stream, 1):
                try:
                    query, label, mean, deviation = text.split()
                    known[query, label] = float(mean), float(deviation)
                except ValueError:
                    raise Stop(
                        FILES, f"{path}:{number}: expected query, measure, mean, deviation."
                    ) from None
    except OSError as error:
        raise Stop(FILES, f"{path}: {error.strerror}.") from None
    for label, values in evaluated.values.items():
        for i in shown:
            query = evaluated.queries[i]
            centre, spread = known.get((query, label), (None, 0.0))
            if centre is not None and spread:
                values[i] = (values[i] - centre) / spread
            else:
                values[i] = 0.0 if values[i] == centre else -1000000.0
