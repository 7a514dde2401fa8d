"""``rankstone evaluate``."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import (
    add_evaluation,
    changes_of,
    choice,
    columns_of,
    expand,
    names_of,
    reading_of,
)
from rankstone.cli.terminal import look, progress, say, spoken_warnings
from rankstone.conventions import AGGREGATES

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.core.result import Result
    from rankstone.io.query_groups import QueryGroups

_FORMATS = ("table", "tsv", "csv", "json", "jsonl", "md", "latex")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "evaluate",
        help="evaluate runs against judgments",
        description="Evaluate runs against judgments: files of any known format, plain or "
        "compressed; - is stdin.",
    )
    parser.add_argument(
        "judgments", metavar="QRELS", help="judgments, such as: query iteration document grade"
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="runs, such as: query Q0 document rank score tag"
    )
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="NAME",
        help="measures, with @k for a cutoff and commas between them; may be repeated ('rankstone "
        "measures' lists them)",
    )
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="also print the values of each query"
    )
    parser.add_argument("-n", "--no-summary", action="store_true", help="omit the aggregates")
    parser.add_argument(
        "--aggregate",
        action="append",
        metavar="HOW",
        help=f"how queries become one number: {', '.join(AGGREGATES)}; may be repeated "
        "(default: each measure's own)",
    )
    parser.add_argument(
        "--by",
        metavar="FILE",
        help="also print values for groups of queries: a file with a query and its group in each line, or "
        "a key of the records in QRELS",
    )
    parser.add_argument(
        "--format", choices=_FORMATS, help="default: a table on a terminal, tsv in a pipe"
    )
    parser.add_argument(
        "--digits", type=int, metavar="N", help="decimals (table and md: 4, else all)"
    )
    parser.add_argument(
        "--sort", metavar="NAME", help="sort runs and queries by this measure, best first"
    )
    parser.add_argument(
        "--top", type=int, metavar="N", help="show the first N runs, and queries of each"
    )
    parser.add_argument(
        "--tie-interval",
        action="store_true",
        help="also show each value with ties at their worst and best",
    )
    parser.add_argument(
        "--unjudged-interval",
        action="store_true",
        help="also show the lowest and highest value that unjudged documents allow",
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="confidence interval of each mean",
    )
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="X", help="level of the intervals (0.95)"
    )
    add_evaluation(parser)
    parser.add_argument(
        "--timing", action="store_true", help="print on stderr where time and memory went"
    )
    parser.add_argument(
        "--engine",
        choices=("local", "spark"),
        default="local",
        help="where to evaluate: here, or inside Apache Spark, which reads the paths (local)",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="with --engine spark: local[4], yarn, spark://..., or sc://... for Spark Connect",
    )
    parser.add_argument(
        "--save-values",
        metavar="DIR",
        help="with --engine spark: write the values of queries there as Parquet, one folder per run",
    )
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Evaluate every run and print."""
    if not args.timing:
        return _run(args)
    import time

    from rankstone.core.timing import timed

    begin = time.perf_counter()
    with timed() as seconds:
        code = _run(args)
    say(_timing(seconds, time.perf_counter() - begin))
    return code


def _timing(seconds: dict[str, float], total: float) -> str:
    """Return where the time of a command went, and how much memory it took."""
    from rankstone.core.timing import peak_memory

    stages = ", ".join(f"{name} {taken:.3f} s" for name, taken in seconds.items())
    peak = peak_memory()
    memory = "" if peak is None else f"; peak memory {peak / 1e6:.0f} MB"
    return f"timing: {stages}, in all {total:.3f} s{memory}"


def _run(args: Namespace) -> int:
    from rankstone.core.timing import stage
    from rankstone.errors import UsageError, one_of

    if args.threads is not None and args.threads < 1:
        raise UsageError(f"--threads must be at least 1, not {args.threads}.")
    if args.digits is not None and not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    if args.no_summary and not args.per_query:
        raise UsageError("--no-summary leaves nothing to print without --per-query.")
    if args.top is not None and args.top < 1:
        raise UsageError(f"--top must be at least 1, not {args.top}.")
    form = _format(args)
    _check_engine(args)
    hows = [one_of(how, AGGREGATES, "aggregate") for how in dict.fromkeys(args.aggregate or ())]
    groups = _groups(args)
    with spoken_warnings(quiet=args.quiet):
        results = spark_results(args) if args.engine == "spark" else results_of(args)
    if groups is not None:
        groups = groups.fitted(query for result in results for query in result.queries)
        results = [_noted(result, groups, args.strict) for result in results]
    if not args.quiet:
        from rankstone.report.notices import lines

        for line in lines(results):
            say(line)
    with stage("output"):
        show(results, args, form, hows, groups)
    return 0


def show(
    results: list[Result],
    args: Namespace,
    form: str,
    hows: list[str],
    groups: QueryGroups | None,
) -> None:
    """Print results in the format asked for."""
    from rankstone.report.result_table import Order
    from rankstone.report.write import write

    summaries = []
    if hows or groups is not None:
        from rankstone.report.groups import rows_of

        summaries = rows_of(results, hows, groups)
    lines = write(
        results,
        form,
        per_query=args.per_query,
        aggregate=not args.no_summary,
        summaries=summaries,
        intervals=_intervals(results, args.confidence) if args.interval else None,
        digits=args.digits,
        order=Order(args.sort, args.top),
        **look(),
    )
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _intervals(results: list[Result], confidence: float) -> dict[str, Any]:
    """Return the intervals of the means by run and measure; other aggregates have none."""
    from rankstone.report.result_table import own_aggregates

    return {
        result.name: {
            measure: result.interval(measure, confidence=confidence)
            for measure, how in own_aggregates(result.measures).items()
            if how == "mean"
        }
        for result in results
    }


def _format(args: Namespace) -> str:
    """Return the format to print in, if it can hold all that is asked for."""
    from rankstone.errors import UsageError

    form: str = args.format or ("table" if sys.stdout.isatty() else "tsv")
    if args.interval and (args.aggregate or args.by or args.no_summary):
        raise UsageError(
            "--interval is of the mean over all queries; leave --aggregate, --by and --no-summary out."
        )
    if args.aggregate or args.by:
        if args.no_summary:
            raise UsageError("--no-summary leaves out what --aggregate and --by ask for.")
        if args.per_query and form in ("tsv", "csv"):
            raise UsageError(
                f"values of queries and of groups are two tables, and {form} holds one. Leave "
                "--per-query out, or choose another --format."
            )
    return form


def _check_engine(args: Namespace) -> None:
    """Refuse options that go with the other engine."""
    from rankstone.errors import UsageError

    local = ("input_format", "max_bytes", "encoding", "groups", "threads", "unjudged_interval")
    wrong = ("master", "save_values") if args.engine == "local" else local
    for name in wrong:
        value = getattr(args, name)
        if value is not None and value is not False:
            option = f"--{name.replace('_', '-')}"
            other = "spark" if args.engine == "local" else "local"
            raise UsageError(f"{option} goes with --engine {other}.")


def spark_results(args: Namespace) -> list[Result]:
    """Return the result of each run, evaluated inside Spark."""
    from rankstone.engines.spark_command import evaluate_paths

    return evaluate_paths(
        args.judgments,
        dict(zip(names_of([path.rstrip("/") for path in args.runs]), args.runs, strict=True)),
        args.measure,
        master=args.master,
        values=args.save_values,
        collects=args.per_query
        or bool(args.aggregate or args.by or args.interval)
        or args.format in ("json", "jsonl"),
        shows_progress=not args.quiet and sys.stderr.isatty(),
        like=args.like,
        tie_interval=args.tie_interval,
        strict=args.strict,
        columns=columns_of(args.columns),
        exclude=args.exclude,
        **changes_of(args),
        **dict(choice(text) for text in args.convention),
    )


def _groups(args: Namespace) -> QueryGroups | None:
    """Read the groups of queries, before any run is."""
    if args.by is None:
        return None
    from rankstone.io.input_file import first_of
    from rankstone.io.query_groups import groups_in_records, read_query_groups
    from rankstone.report.result_table import ALL

    if not os.path.exists(args.by) and os.path.isfile(args.judgments):
        groups = groups_in_records(args.judgments, args.by, (ALL,), args.max_bytes)
        if groups is not None:
            return groups
    return read_query_groups(args.by, (ALL,), args.max_bytes, first_of(args.encoding))


def _noted(result: Result, groups: QueryGroups, strict: bool) -> Result:
    """Return a result that says which of its queries have no group, and the other way round."""
    from rankstone.evaluation_parts import refuse_warnings

    notices = groups.notices(result.queries)
    if strict:
        refuse_warnings(result.name, notices)
    return replace(result, notices=(*result.notices, *notices))


def results_of(args: Namespace) -> list[Result]:
    """Return the result of each run of a command that takes judgments and runs."""
    from rankstone.core.parallel import cores, on_each
    from rankstone.core.timing import stage
    from rankstone.evaluation import evaluate
    from rankstone.io.load import load_judgments, load_run
    from rankstone.measures import DEFAULT
    from rankstone.measures.request import requested_measures
    from rankstone.tools import tool

    measures = args.measure or DEFAULT
    requested_measures(measures, tool(args.like) if args.like else None)  # before any file is read
    choices = dict(choice(text) for text in args.convention)
    columns = reading_of(args)["columns"]
    with stage("read"):
        judgments = load_judgments(
            args.judgments,
            columns,
            input_format=args.input_format,
            max_bytes=args.max_bytes,
            groups=args.groups,
            encoding=args.encoding,
        )
        exclude = args.exclude and load_judgments(
            args.exclude, columns, graded=False, max_bytes=args.max_bytes, encoding=args.encoding
        )
    paths = list(expand(args.runs))
    changes = changes_of(args)
    # Several runs are evaluated at once, each by its share of the threads.
    threads = args.threads or max(1, cores() // len(paths))

    def result_of(named: tuple[str, str]) -> Result:
        name, path = named
        loaded = load_run(
            path,
            name,
            threads,
            columns,
            input_format=args.input_format,
            max_bytes=args.max_bytes,
            encoding=args.encoding,
        )
        watch(loaded)
        return evaluate(
            judgments,
            path if changes else loaded,
            measures,
            name=name,
            input_format=args.input_format,
            max_bytes=args.max_bytes,
            encoding=args.encoding,
            like=args.like,
            tie_interval=args.tie_interval,
            unjudged_interval=args.unjudged_interval,
            strict=args.strict,
            columns=columns,
            exclude=exclude,
            **changes,
            **choices,
        )

    named = list(zip(names_of(paths), paths, strict=True))
    with progress(len(paths), args.quiet) as watch:
        first = result_of(named[0])  # so that what runs share is there when the others start
        return [first, *on_each(result_of, named[1:])]
