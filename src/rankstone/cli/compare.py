"""``rankstone compare``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.evaluate import results_of
from rankstone.cli.options import add_evaluation, expand, names_of
from rankstone.cli.terminal import in_colour, say, spoken_warnings

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.stats.comparison import Comparison

_FORMATS = ("table", "tsv", "csv", "json", "md", "latex")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "compare",
        help="say which run is better, by how much, and how certain that is",
        description="Compare runs query by query: differences, confidence intervals, p-values "
        "corrected for the number of comparisons, wins and losses. With --values, from values per "
        "query that this or another tool wrote: trec_eval -q, ir_measures -q, CSV, saved results.",
    )
    add_source(parser)
    add_statistics(parser)
    parser.add_argument("--format", choices=_FORMATS,
                        help="default: a table on a terminal, tsv in a pipe")  # fmt: skip
    parser.add_argument("--digits", type=int, default=4, metavar="N", help="decimals in tables (4)")
    parser.add_argument("-o", "--output", metavar="FILE", help="save the comparison as JSON, too")
    parser.add_argument("--force", action="store_true",
                        help="let --output replace a file that rankstone did not save")  # fmt: skip
    parser.set_defaults(run=run)


def add_source(parser: Any) -> None:
    """Let a command take judgments and runs, or files of values per query."""
    add_runs(parser)
    parser.add_argument(
        "--values", action="store_true", help="the files contain per-query values, one run each"
    )


def add_runs(parser: Any) -> None:
    """Let a command take judgments and runs."""
    parser.add_argument("files", metavar="QRELS RUN", nargs="*", help="judgments, then runs")
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="NAME",
        help="a measure, with @k for a cutoff; may be repeated",
    )
    add_evaluation(parser)
    parser.add_argument(
        "--unjudged-interval",
        action="store_true",
        help="show whether unjudged documents could reverse a difference",
    )
    parser.set_defaults(tie_interval=False)


def add_statistics(parser: Any) -> None:
    """Let a command say how to compare, and what."""
    add_methods(parser)
    parser.add_argument("--all-pairs", action="store_true", help="compare every two runs")
    parser.add_argument(
        "--lower-is-better",
        action="append",
        default=[],
        metavar="NAME",
        help="a measure that rankstone does not know, and of which lower is better, such as latency",
    )
    parser.add_argument(
        "--repeats",
        action="append",
        default=[],
        metavar="NAME=PATTERN",
        help="files that are repeated runs of one system, such as 'dense=dense.*.run'",
    )


def add_methods(parser: Any) -> None:
    """Let a command say how to compare runs with a baseline."""
    parser.add_argument(
        "--baseline", metavar="NAME", help="run that the others are compared with (the first)"
    )
    parser.add_argument(
        "--test", metavar="NAME",
        help="randomization (default), t, wilcoxon, sign, bootstrap or tukey",
    )  # fmt: skip
    parser.add_argument(
        "--correction", default="holm", metavar="NAME",
        help="for the number of comparisons: holm (default), bh, bonferroni or none",
    )  # fmt: skip
    parser.add_argument("--interval", metavar="NAME", help="bca (default), percentile or t")
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="X", help="level of the intervals (0.95)"
    )
    parser.add_argument(
        "--resamples", type=int, default=10_000, metavar="N", help="random resamples (10000)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the resamples (0)"
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help="a query and its weight, such as its traffic, in each line",
    )


def methods_of(args: Namespace) -> dict[str, Any]:
    """Return how to compare runs, as ``add_methods`` lets a command say."""
    return {
        "test": args.test,
        "correction": args.correction,
        "interval": args.interval,
        "confidence": args.confidence,
        "resamples": args.resamples,
        "rng": args.seed,
        "weights": args.weights,
    }


def run(args: Namespace) -> int:
    """Compare and print."""
    from rankstone.errors import UsageError

    if args.output:
        from rankstone.core.atomic import SAVED, check_own

        check_own(args.output, SAVED, force=args.force)

    if not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    comparison = comparison_of(args)
    if args.output:
        comparison.save(args.output, force=args.force)
    show(comparison, args)
    return 0


def show(comparison: Comparison, args: Namespace) -> None:
    """Print a comparison in the format asked for."""
    from rankstone.report.comparison import write_comparison

    terminal = sys.stdout.isatty()
    lines = write_comparison(
        comparison,
        args.format or ("table" if terminal else "tsv"),
        digits=args.digits,
        colour=in_colour(),
        columns=columns_of_terminal(),
    )
    sys.stdout.writelines(f"{line}\n" for line in lines)


def columns_of_terminal() -> int:
    """Return the width to write for: that of the terminal, from 60 to 100."""
    from shutil import get_terminal_size

    return min(max(get_terminal_size().columns, 60), 100)


def comparison_of(args: Namespace) -> Comparison:
    """Evaluate the runs, or read their values, and compare."""
    from rankstone.comparing import compare
    from rankstone.errors import StrictError

    repeats, more = _repeats(args.repeats)
    source, names = source_of(args, more, "rankstone compare")
    comparison = compare(
        source,
        measures=args.measure,
        baseline=_baseline(args.baseline, names),
        all_pairs=args.all_pairs,
        **methods_of(args),
        repeats={name: [names[path] for path in files] for name, files in repeats.items()},
        lower_is_better=args.lower_is_better,
    )
    if args.strict and comparison.warnings:
        raise StrictError(f"{comparison.warnings[0]} [an error because of strict].")
    return comparison


def source_of(args: Namespace, more: list[str], command: str) -> tuple[Any, dict[str, str]]:
    """Return results, or files of values by name, and the names of runs by path.

    Args:
        args: of a command that takes QRELS and runs, or files of values.
        more: paths of further runs.
        command: for the example in an error.
    """
    from rankstone.errors import UsageError

    paths = list(expand(args.files if args.values else args.files[1:]))
    paths += [path for path in more if path not in paths]
    if len(paths) < 2:
        what = "two files of values" if args.values else "QRELS and two runs"
        example = "--values a.eval b.eval" if args.values else "qrels.txt bm25.run dense.run"
        raise UsageError(f"a comparison needs at least {what}: {command} {example}")
    names = dict(zip(paths, names_of(paths), strict=True))
    if len(names) < len(paths):
        raise UsageError(f"two runs are called {next(p for p in paths if paths.count(p) > 1)!r}.")
    if args.values:
        refuse_reading(args)
        return paths, names
    args.judgments, args.runs = args.files[0], paths
    with spoken_warnings(quiet=args.quiet):
        results = results_of(args)
    if not args.quiet:
        from rankstone.report.notices import lines

        for line in lines(results):
            say(line)
    return results, names


def _baseline(name: str | None, names: dict[str, str]) -> str | None:
    """Return the run's name if its path was given."""
    return name if name is None else names.get(name, name)


def _repeats(options: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the files of each system that has repeated runs, and all of them."""
    from rankstone.errors import UsageError

    systems: dict[str, list[str]] = {}
    for text in options:
        name, equals, pattern = text.partition("=")
        if not (name and equals and pattern):
            raise UsageError(
                f"write repeated runs as NAME=PATTERN, such as 'dense=dense.*.run', not {text!r}."
            )
        systems.setdefault(name, []).extend(expand([pattern]))
    for name, files in systems.items():
        if len(files) < 2:
            raise UsageError(
                f"--repeats {name}: only {files[0]} matches. Repeated runs are two or more files; "
                "quote the pattern so that the shell leaves it alone."
            )
    return systems, [path for files in systems.values() for path in files]


def refuse_reading(args: Namespace) -> None:
    """Refuse options that change how runs are evaluated."""
    from rankstone.errors import UsageError

    given = ("like", "convention", "exclude", "input_format", "groups", "columns", "encoding")
    for name in (*given, "unjudged_interval", "min_score", "parents"):
        if getattr(args, name):
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} goes with QRELS and runs; --values takes what is there.")
