"""``rankstone trec_eval``: trec_eval's options, output and exit codes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.trec_options import MEASURES, USAGE, Options, Stop, parse
from rankstone.errors import UsageError

if TYPE_CHECKING:
    from rankstone.measures.trec_eval import Column

_HELP = """\
usage: rankstone trec_eval [OPTIONS] QRELS RUN      (RUN may be - for standard input)

Evaluate a run and print what trec_eval prints.

  -q, --query_eval_wanted            values of each query too
  -m, --measure NAME[.PARAMETERS]    a measure or a nickname (official, set, all_trec, prefs,
                                     all_prefs, qrels_jg); may be repeated
  -n, --nosummary                    no values over all queries
  -c, --complete_rel_info_wanted     average over all judged queries; missing ones count as 0
  -l, --level_for_rel N              lowest grade that is relevant (1)
  -M, --Max_retrieved_per_topic N    read only the first N documents of a query
  -J, --Judged_docs_only             take documents without a judgment out first
  -N, --Number_docs_in_coll N        documents in the collection, for utility
  -R, --Rel_info_format FORMAT       qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        trec_results
  -Z, --Zscore FILE                  print deviations from means; lines of FILE are
                                     query, measure, mean, standard deviation
  -D, --Debug_level N[.QUERY]        evaluate QUERY alone ('rankstone explain' shows the working)
  -h, --help                         this text, and the manual pages of measures named by -m
  -v, --version                      what this is

  --compat 9.0.8|10.0   follow that version where the two differ. Without it, topics missing
                        from the run are left out as in 9.0.8, and all else is as in 10.0.
  --lenient             read numbers as C does, up to the first character that does not fit,
                        and ignore what follows the tag of a run

Exit codes: 0 fine; 1 usage; 2 a file cannot be read; 4 the data cannot be measured (a document
twice, a format without the measure; with --compat 10.0 a judged query that the run lacks);
7 no query in common.
"""


def add_to(commands: Any) -> None:
    """List the command; its options are read by ``main``."""
    commands.add_parser(
        "trec_eval", help="trec_eval's options, output and exit codes", add_help=False
    )


def command() -> None:
    """Run as a process of its own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(argv: list[str]) -> int:
    """Run and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        return _main(argv)
    except Stop as stop:
        sys.stdout.flush()
        print(f"rankstone trec_eval: {stop}", file=sys.stderr)
        return stop.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _main(argv: list[str]) -> int:
    options = parse(argv)
    if "v" in options.flags:
        from rankstone import __version__

        print(f"trec_eval {options.compat or '10.0'}, by rankstone {__version__}", file=sys.stderr)
        return 0
    if "h" in options.flags:
        return _help(options)
    if len(options.files) != 2:
        raise Stop(USAGE, f"give judgments and a run, not {len(options.files)} files; -h helps.")
    from rankstone.measures.trec_eval import columns

    try:
        wanted = columns(
            options.measures or ["official"],
            options.version,
            lenient=options.lenient,
            collection=options.collection,
        )
    except UsageError as error:
        raise Stop(USAGE, error) from None
    for column in wanted:
        _fits(column, options)
    for part in _evaluate(wanted, options):
        sys.stdout.write(part)
    sys.stdout.flush()
    return 0


def _fits(column: Column, options: Options) -> None:
    """Check that a measure can be had of the format."""
    wanted = column.line.format
    given = "prefs" if options.format == "qrels_prefs" else options.format
    if wanted not in ("any", given):
        raise Stop(MEASURES, f"{column.line.name} needs '-R {wanted}', not {options.format}.")


def _help(options: Options) -> int:
    from rankstone.measures.trec_eval import columns

    sys.stdout.write(_HELP)
    if options.measures:
        from rankstone.report import manual

        try:
            wanted = columns(options.measures, options.version, lenient=options.lenient)
        except UsageError as error:
            raise Stop(USAGE, error) from None
        seen: set[str] = set()
        for column in wanted:
            if column.measure is not None and column.line.name not in seen:
                seen.add(column.line.name)
                print(f"\n-- {column.line.name}")
                print(*manual.page(column.measure), sep="\n")
    return 0


def _evaluate(wanted: list[Column], options: Options) -> list[str]:
    """Return the output in parts."""
    from rankstone.cli import trec_values
    from rankstone.report import trec_eval as report

    evaluated = trec_values.read(wanted, options)
    shown = evaluated.shown(options)
    zscore = options.zscores is not None
    if options.zscores is not None:
        trec_values.standardise(evaluated, shown, options.zscores)
    parts: list[str] = []
    if "q" in options.flags:
        rows = [r for c in wanted if (r := evaluated.row(c, shown)) is not None]
        parts += report.lines(rows, [evaluated.queries[i] for i in shown], zscore=zscore)
    if "n" not in options.flags:
        rows = [r for c in wanted if (r := evaluated.summary(c, shown, options)) is not None]
        parts += report.lines(rows, ["all"], zscore=zscore)
    return parts
