"""``rankstone evaluate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
    parser.add_argument("-q", "--per-query", action="store_true", help="values of each query too")
    parser.add_argument("-n", "--no-summary", action="store_true", help="leave the aggregates out")
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
        help="values for groups of queries too: a file with a query and its group in each line",
    )
    parser.add_argument(
        "--format", choices=_FORMATS, help="default: a table on a terminal, tsv in a pipe"
    )
    parser.add_argument(
        "--digits", type=int, metavar="N", help="decimals (table and md: 4, else all)"
    )
    parser.add_argument(
        "--sort", metavar="NAME", help="best first by this measure: runs and queries"
    )
    parser.add_argument("--top", type=int, metavar="N", help="first N runs, and queries of each")
    parser.add_argument("--strict", action="store_true", help="make warnings errors")
    parser.add_argument("--quiet", action="store_true", help="no words on stderr unless it fails")
    add_conventions(parser)
    parser.add_argument(
        "--tie-interval",
        action="store_true",
        help="say what each value would be with ties at their worst and at their best",
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="confidence interval of each mean: how far other queries might move it",
    )
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="X", help="of the intervals (0.95)"
    )
    parser.add_argument(
        "--exclude", metavar="FILE", help="pairs taken out of the runs first, as training data"
    )
    add_reading(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="threads for scanning (all cores)")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Evaluate every run and print."""
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
    hows = [one_of(how, AGGREGATES, "aggregate") for how in dict.fromkeys(args.aggregate or ())]
    groups = _groups(args)
    with spoken_warnings(quiet=args.quiet):
        results = results_of(args)
    if groups is not None:
        groups = groups.fitted(query for result in results for query in result.queries)
        results = [_noted(result, groups, args.strict) for result in results]
    if not args.quiet:
        from rankstone.report.notices import lines

        for line in lines(results):
            _say(line)
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


def look() -> dict[str, Any]:
    """Return how tables look: in colour and as wide as the terminal, if there is one."""
    if not sys.stdout.isatty():
        return {"colour": False, "columns": None}
    from shutil import get_terminal_size

    return {"colour": not os.environ.get("NO_COLOR"), "columns": get_terminal_size().columns}


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


@contextmanager
def spoken_warnings(*, quiet: bool) -> Iterator[None]:
    """Show the one warning that Python shows as a message of the command."""
    import warnings

    from rankstone.errors import SlowEngineWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "once", SlowEngineWarning)
        warnings.showwarning = lambda message, *_, **__: _say(str(message))
        yield


def _say(text: str) -> None:
    print(f"rankstone: {text}", file=sys.stderr)


def _groups(args: Namespace) -> QueryGroups | None:
    """Read the groups of queries, before any run is."""
    if args.by is None:
        return None
    from rankstone.io.query_groups import read_query_groups
    from rankstone.report.result_table import ALL

    return read_query_groups(args.by, taken=(ALL,), max_bytes=args.max_bytes)


def _noted(result: Result, groups: QueryGroups, strict: bool) -> Result:
    """Return a result that says which of its queries have no group, and the other way round."""
    from rankstone.evaluation import refuse_warnings

    notices = groups.notices(result.queries)
    if strict:
        refuse_warnings(result.name, notices)
    return replace(result, notices=(*result.notices, *notices))


def results_of(args: Namespace) -> list[Result]:
    """Return the result of each run of a command that takes judgments and runs."""
    from rankstone.evaluation import evaluate
    from rankstone.io.load import load_judgments, load_run
    from rankstone.measures import DEFAULT
    from rankstone.measures.request import requested_measures
    from rankstone.tools import tool

    measures = args.measure or DEFAULT
    requested_measures(measures, tool(args.like) if args.like else None)  # before any file is read
    choices = dict(choice(text) for text in args.convention)
    formats = (args.input_format or "").split(":")
    columns = reading_of(args)["columns"]
    judgments = load_judgments(
        args.judgments,
        columns,
        input_format=formats[0] or None,
        max_bytes=args.max_bytes,
        groups=args.groups,
        encoding=args.encoding,
    )
    exclude = args.exclude and load_judgments(
        args.exclude, columns, graded=False, max_bytes=args.max_bytes, encoding=args.encoding
    )
    paths = list(expand(args.runs))
    results = []
    for name, path in zip(names_of(paths), paths, strict=True):
        loaded = load_run(
            path,
            name,
            args.threads,
            columns,
            input_format=formats[-1] or None,
            max_bytes=args.max_bytes,
            encoding=args.encoding,
        )
        with _progress(loaded, args.quiet):
            results.append(
                evaluate(
                    judgments,
                    loaded,
                    measures,
                    like=args.like,
                    tie_interval=args.tie_interval,
                    strict=args.strict,
                    columns=columns,
                    exclude=exclude,
                    **choices,
                )
            )
    return results


def add_conventions(parser: Any) -> None:
    """Let a command take conventions."""
    parser.add_argument(
        "-c",
        "--convention",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a convention, such as ties=input; may be repeated",
    )
    parser.add_argument(
        "--like",
        metavar="TOOL",
        help="give another tool's numbers, such as trec_eval-9 ('rankstone conventions' lists them)",
    )


def add_reading(parser: Any) -> None:
    """Let a command take options on how to read files."""
    parser.add_argument(
        "--input-format",
        metavar="FORMAT",
        help="the files' format where content does not tell it; JUDGMENTS:RUN for two",
    )
    parser.add_argument(
        "--max-bytes",
        type=int,
        metavar="N",
        help="maximum size of a file after decompression (default: 100 times its size, or 64 MiB)",
    )
    parser.add_argument(
        "--encoding", metavar="NAME", help="encoding of text files (UTF-8), such as cp1252"
    )
    parser.add_argument("--groups", metavar="FILE", help="sizes of groups, for rows without qid")
    parser.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="ROLE=NAME,...",
        help="columns of tables: query=, doc=, score=, distance=, grade=, rank=",
    )


def reading_of(args: Namespace) -> dict[str, Any]:
    """Return the options on how to read files."""
    from rankstone.io.column_roles import Columns

    return {
        "input_format": args.input_format,
        "max_bytes": args.max_bytes,
        "groups": args.groups,
        "encoding": args.encoding,
        "columns": Columns.of(columns_of(args.columns)),
    }


def columns_of(options: list[str]) -> dict[str, Any]:
    """Return the columns by role; a role named twice may have either name."""
    from rankstone.errors import UsageError

    columns: dict[str, Any] = {}
    for part in (part for text in options for part in text.split(",")):
        role, equals, name = part.partition("=")
        if not equals:
            raise UsageError(f"write a column as ROLE=NAME, such as query=user_id, not {part!r}.")
        columns.setdefault(role.strip(), []).append(name)
    return {role: None if names == [""] else names for role, names in columns.items()}


def choice(text: str) -> tuple[str, Any]:
    """Return a convention and its value."""
    from rankstone.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"write a convention as NAME=VALUE, such as ties=input, not {text!r}.")
    if name != "relevance":
        return name, value
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"relevance must be a number above 0, not {value!r}.") from None


def expand(paths: list[str]) -> Iterator[str]:
    """Yield the runs; patterns are for shells that leave them alone."""
    from rankstone.errors import DataError

    for path in paths:
        if any(c in path for c in "*?[") and not os.path.exists(path):
            from glob import glob

            found = sorted(glob(path))
            if not found:
                raise DataError(f"{path}: no file matches this pattern.")
            yield from found
        else:
            yield path


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each run: the file's, or its path where two files share one."""
    from rankstone.io.formats import run_name

    names = [run_name(path) for path in paths]
    return [n if names.count(n) == 1 else p for n, p in zip(names, paths, strict=True)]


@contextmanager
def _progress(loaded: Any, quiet: bool) -> Iterator[None]:
    """Show how far a long scan is, on a terminal."""
    from rankstone.core import engine

    size = (loaded.source.size or 0) if hasattr(loaded, "progress") else 0
    long = 1 << (28 if engine.name() == "native" else 23)  # several seconds
    if quiet or size < long or not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    from rankstone.errors import printable

    done = Event()

    def report() -> None:
        shown = False
        while not done.wait(0.5):
            share = min(100, 100 * int(loaded.progress[0]) // size)
            print(
                f"\r{printable(loaded.name)}: {share} % of {size >> 20} MiB",
                end="",
                file=sys.stderr,
            )
            shown = True
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    thread = Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
