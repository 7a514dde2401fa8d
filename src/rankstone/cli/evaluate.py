"""Evaluate runs against judgments."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankstone.choices.conventions import AGGREGATES
from rankstone.choices.setup import VERBS as TAKEN, Evaluation, Setup
from rankstone.cli.options import expand, names_of, options_of
from rankstone.cli.terminal import look, print_lines, progress, say, spoken_warnings
from rankstone.errors import Notice, UsageError, one_of, printable
from rankstone.language import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankstone.core.result import Result
    from rankstone.io.query_groups import QueryGroups
    from rankstone.stats.intervals import Interval
    from rankstone.text.groups import SummaryRow
    from rankstone.text.results import Intervals

HELP = """Evaluate runs against judgments.

Evaluate runs against judgments: files of any known format, plain or compressed; - is stdin.
  judgments QRELS   judgments, such as: query iteration document grade
  runs RUN ...      runs, such as: query Q0 document rank score tag
{OUTPUT}
  --fuse (choice_fuse) METHOD  {FUSE}
"""

_MOST_NOTICES = 3
VERBS = ("evaluate", "Result.interval")


def run(args: Namespace) -> int:
    """Evaluate every run and print."""
    return print_results(args, "evaluate", results_of)


def print_results(
    args: Namespace, verb: str, results_of: Callable[[Namespace, Setup], list[Result]]
) -> int:
    """Evaluate every run by a function, with the choices that a verb takes, and print."""
    if not args.timing:
        return _print_results(args, verb, results_of)
    from time import perf_counter

    from rankstone.core.timing import peak_memory, timed

    begin = perf_counter()
    with timed() as seconds:
        code = _print_results(args, verb, results_of)
    total = perf_counter() - begin
    stages = tr(", ").join(f"{tr(name)} {taken:.3f} s" for name, taken in seconds.items())
    peak = peak_memory()
    memory = "" if peak is None else tr("; peak memory {:.0f} MB").format(peak / 1e6)
    say(tr("timing: {}, in all {:.3f} s{}").format(stages, total, memory))
    return code


def _print_results(
    args: Namespace, verb: str, results_of: Callable[[Namespace, Setup], list[Result]]
) -> int:
    from rankstone.core.timing import stage

    options = options_of(args)
    ours = {name: options.pop(name) for name in TAKEN["Result.interval"] if name in options}
    if ours and not args.interval:
        raise UsageError(f"{next(iter(ours))}= is of --interval; give that, too.")
    fuse = options.pop("fuse", None)
    setup = Setup.of(verb, options).replace(fuse=fuse)
    statistics = Setup.of("Result.interval", ours)
    if "trusted" in ours and (args.by is not None or ours.get("interval") not in (None, "t")):
        raise UsageError("--trusted goes with Student's t and not with --by. Leave one out.")
    if args.digits is not None and not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    if args.no_summary and not args.per_query:
        raise UsageError("--no-summary leaves nothing to print without --per-query.")
    if args.top is not None and args.top < 1:
        raise UsageError(f"--top must be at least 1, not {args.top}.")
    form = _format(args, setup)
    hows = [one_of(how, AGGREGATES, "aggregate") for how in dict.fromkeys(args.aggregate or ())]
    groups = None
    if args.by is not None:  # read before any run is
        from rankstone.io.query_groups import query_groups
        from rankstone.text.results import ALL

        groups = query_groups(args.by, args.judgments, setup, taken=(ALL,))
    results = results_of(args, setup)
    intervals: Intervals | None = None
    if statistics.statistics.trusted is not None:
        results, intervals = _trusted(results, args, setup, statistics)
    if groups is not None:
        from rankstone.verbs.parts import refuse_warnings

        groups = groups.fitted(query for result in results for query in result.queries)
        for i, result in enumerate(results):
            notices = groups.notices(result.queries)
            if setup.evaluation.strict:
                refuse_warnings(result.name, notices)
            results[i] = replace(result, notices=(*result.notices, *notices))
    say_notices(results, args)
    with stage("output"):
        from rankstone.text.results import Layout, Order, write

        if args.interval and intervals is None:
            intervals = _intervals(results, args, groups, statistics)
        summaries: list[SummaryRow] = []
        if hows or groups is not None:
            from rankstone.text.groups import gap_rows, rows_of

            summaries = [*rows_of(results, hows, groups), *gap_rows(intervals or {})]
        layout = Layout(
            per_query=args.per_query,
            aggregate=not args.no_summary,
            summaries=summaries,
            intervals=intervals,
            digits=args.digits,
            order=Order(args.sort, args.top),
            **look(),
        )
        print_lines(write(results, form, layout))
    return 0


def _trusted(
    results: list[Result], args: Namespace, setup: Setup, statistics: Setup
) -> tuple[list[Result], Intervals]:
    """Return the results with means by people's and the model's judgments, and their intervals."""
    from rankstone.measures import DEFAULT
    from rankstone.stats.trusted import estimated
    from rankstone.text.results import ALL, own_aggregates
    from rankstone.verbs.compare import by_people, with_groups

    queries = (query for result in results for query in result.queries)
    chosen = with_groups(statistics, args.judgments, queries).statistics
    paths = list(expand(args.runs))
    named: list[tuple[str, Any]] = list(zip(names_of(paths), paths, strict=True))
    people = by_people(named, args.measure or DEFAULT, setup.replace(trusted=chosen.trusted))
    intervals: dict[tuple[str, str], dict[str, Interval]] = {}
    both = []
    for result, own in zip(results, people.values(), strict=True):
        means = [m for m, how in own_aggregates(result.measures).items() if how == "mean"]
        made, known = estimated(result, own, means, chosen.confidence, chosen.clusters)
        both.append(made)
        intervals[result.name, ALL] = known
    return both, intervals


def _intervals(
    results: list[Result], args: Namespace, groups: QueryGroups | None, setup: Setup
) -> Intervals:
    """Return the intervals of the means by run, group and measure; other aggregates have none."""
    from rankstone.stats.clusters import Clusters
    from rankstone.text.results import ALL, own_aggregates
    from rankstone.verbs.compare import with_groups

    queries = list(dict.fromkeys(query for result in results for query in result.queries))
    chosen = with_groups(setup, args.judgments, queries).statistics
    if chosen.clusters is not None and not args.quiet:
        for notice in Clusters.of(queries, chosen.clusters).notices:
            say(f"{tr(notice.level)}: {notice}")
    intervals: dict[tuple[str, str], dict[str, Interval]] = {}
    for result in results:
        means = [m for m, how in own_aggregates(result.measures).items() if how == "mean"]
        members: dict[str, set[Any] | None] = {ALL: None}
        for query, group in (groups.of(result.queries) if groups else {}).items():
            own = members.setdefault(group, set())
            if own is not None:
                own.add(query)
        for group, some in members.items():
            intervals[result.name, group] = {
                measure: result.interval(
                    measure, chosen.interval, chosen.confidence, chosen.clusters, some
                )
                for measure in means
            }
        if groups is not None and chosen.clusters is None:  # a cluster may be in both groups
            group_of, (first, *others) = groups.of(result.queries), groups.names
            present = {*group_of.values()}
            for group in others if first in present else ():
                if group in present:
                    intervals[result.name, f"{group} - {first}"] = {
                        measure: result.gap(measure, group_of, (group, first), chosen.confidence)
                        for measure in means
                        if measure not in result.of_all_lists
                    }
    return intervals


def _format(args: Namespace, setup: Setup) -> str:
    """Return the format to print in, if it can hold all that is asked for."""
    form: str = args.format or ("table" if sys.stdout.isatty() else "tsv")
    for name in Evaluation.going_with("intervals"):
        if getattr(setup.evaluation, name) and args.format in ("tsv", "csv", "jsonl"):
            raise UsageError(
                f"--{name.replace('_', '-')} is shown in a table, md, latex or json, and {form} "
                "holds one number a value. Choose another --format."
            )
    if form == "json":
        for name in ("digits", "per_query", "no_summary"):
            if getattr(args, name):
                raise UsageError(
                    f"--{name.replace('_', '-')} does not go with json, which has every value in "
                    "full."
                )
    if args.interval and (args.aggregate or args.no_summary):
        raise UsageError("--interval is of means; leave --aggregate and --no-summary out.")
    if args.aggregate or args.by:
        if args.no_summary:
            raise UsageError("--no-summary leaves out what --aggregate and --by ask for.")
        if args.per_query and form in ("tsv", "csv"):
            raise UsageError(
                f"values of queries and of groups are two tables, and {form} holds one. Leave "
                "--per-query out, or choose another --format."
            )
    return form


def say_notices(results: list[Result], args: Namespace) -> None:
    """Write the gravest notices of results to standard error, in at most three lines."""
    from rankstone.core.notice_texts import gravity

    if args.quiet:
        return
    runs: dict[Notice, list[str]] = {}
    for result in results:
        for notice in result.notices:
            if notice.level != "info":
                runs.setdefault(notice, []).append(result.name)
    order = sorted(runs, key=gravity)
    shown = order if len(order) <= _MOST_NOTICES else order[: _MOST_NOTICES - 1]
    for notice in shown:
        names = runs[notice]
        where = "" if len(names) == len(results) else f"{', '.join(names[:3])}: "
        say(tr("{}: {}").format(tr(notice.level), f"{printable(where)}{notice}"))
    if rest := order[len(shown) :]:
        codes = ", ".join(dict.fromkeys(notice.code for notice in rest))
        say(tr("note: {} more ({}); --format json lists them all").format(len(rest), codes))


def results_of(args: Namespace, setup: Setup) -> list[Result]:
    """Return the result of each run of a command, which records the command."""
    from shlex import join

    from rankstone.measures import DEFAULT

    paths = list(expand(args.runs))
    named: list[tuple[str, Any]] = list(zip(names_of(paths), paths, strict=True))
    results = evaluate_watched(args, args.judgments, named, args.measure or DEFAULT, setup)
    for result in results.values():
        result.provenance.software["command"] = join(["rankstone", *args.words])
    return [*results.values()]


def evaluate_watched(
    args: Namespace, judgments: Any, named: list[tuple[str, Any]], measures: Any, setup: Setup
) -> dict[str, Result]:
    """Evaluate runs at once, and show on a terminal how far long scans are."""
    from rankstone.core.engine import load_engine
    from rankstone.verbs.evaluate import evaluate_runs

    with spoken_warnings(quiet=args.quiet):
        load_engine()
    count = len(named) + (setup.evaluation.fuse is not None)
    with progress(count, args.quiet) as watch:
        return evaluate_runs(judgments, named, measures, setup, watch)
