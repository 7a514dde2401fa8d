"""Say which run is better, by how much, and how certain that is."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rankstone.choices.setup import Setup
from rankstone.cli.evaluate import evaluate_watched, say_notices
from rankstone.cli.options import expand, names_of, options_of
from rankstone.cli.terminal import ENDINGS, form_of, page_look, print_lines, save_lines, say
from rankstone.errors import StrictError, UsageError
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.core.result import Result
    from rankstone.verbs.compare import RunValues

HELP = """Say which run is better, by how much, and how certain that is.

Compare runs query by query: differences, confidence intervals, p-values corrected for the number of
comparisons, wins and losses. With --values, from values per query that this or another tool wrote:
trec_eval -q, ir_measures -q, CSV, saved results.
{SOURCE}
  --format table|tsv|csv|json|md|latex  default: a table on a terminal, tsv in a pipe
  --digits N:whole = 4  decimals in tables (4)
  -o, --output FILE     write a file, too: .json (the whole comparison), .tex, .md, .csv, .tsv or .txt
  --force               let --output replace a file that rankstone did not save
{MEASURING}
"""

VERBS = ("compare",)


def run(args: Namespace) -> int:
    """Compare and print."""
    from dataclasses import replace
    from shlex import join

    from rankstone.text.comparison_table import write_comparison

    saved = form_of(args.output, ENDINGS) if args.output else None
    if saved == "json":
        from rankstone.core.atomic import SAVED, check_own

        check_own(args.output, SAVED, force=args.force)
    if not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    options = options_of(args)
    comparison = values_of(args, "compare", options).compared()
    if options.get("strict") and comparison.warnings:
        raise StrictError(f"{comparison.warnings[0]} [an error because of strict].")
    if not args.quiet:
        for notice in comparison.notices:
            if notice.level != "info":
                say(tr("{}: {}").format(tr(notice.level), notice))
    made = {**comparison.provenance, "command": join(["rankstone", *args.words])}
    comparison = replace(comparison, provenance=made)
    if saved == "json":
        comparison.save(args.output, force=args.force)
    elif saved:
        look = {"colour": False, "columns": 100, "digits": args.digits}
        save_lines(args.output, write_comparison(comparison, saved, **look), force=args.force)
    form = args.format or ("table" if sys.stdout.isatty() else "tsv")
    print_lines(write_comparison(comparison, form, digits=args.digits, **page_look()))
    return 0


def values_of(args: Namespace, command: str, options: dict[str, Any]) -> RunValues:
    """Evaluate the runs of a command that takes QRELS and runs, or read the values in files.

    Args:
        args: of the command.
        command: its name.
        options: what it takes, with paths for the names of runs.
    """
    from rankstone.verbs.compare import RunValues

    repeats, more = _repeats(options.get("repeats", []))
    paths = list(expand(args.files if args.values else args.files[1:]))
    paths += [path for path in more if path not in paths]
    if len(paths) < 2:
        what = "two files of values" if args.values else "QRELS and two runs"
        example = "--values a.eval b.eval" if args.values else "qrels.txt bm25.run dense.run"
        raise UsageError(f"a comparison needs at least {what}: rankstone {command} {example}")
    names = dict(zip(paths, names_of(paths), strict=True))
    if len(names) < len(paths):
        raise UsageError(f"two runs are called {next(p for p in paths if paths.count(p) > 1)!r}.")
    if repeats:
        named = {name: [names[path] for path in files] for name, files in repeats.items()}
        options = {**options, "repeats": named}
    if "baseline" in options:
        options["baseline"] = names.get(options["baseline"], options["baseline"])
    setup = Setup.of(command, options)
    if args.values:
        if setup.statistics.trusted is not None:
            raise UsageError("--trusted needs QRELS and runs, not --values.")
        return RunValues.of(paths, None, args.measure, setup)

    def evaluate(*data: Any) -> dict[str, Result]:
        results = evaluate_watched(args, *data)
        say_notices([*results.values()], args)
        return results

    runs = {name: path for path, name in names.items()}
    return RunValues.of(args.files[0], runs, args.measure, setup, evaluate)


def _repeats(options: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the files of each system that has repeated runs, and all of them."""
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
