"""``rankstone trec_eval``: trec_eval's options, output and exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.process import guarded, run_process, use_utf8
from rankstone.errors import TrecEvalError, UsageError
from rankstone.verbs.trec_eval.options import FILES, MEASURES, USAGE, Options, parse

if TYPE_CHECKING:
    from rankstone.verbs.trec_eval.columns import Column

_HELP = """\
usage: rankstone trec_eval [OPTIONS] QRELS RUN      (RUN may be - for standard input)

Evaluate a run and print what trec_eval prints.

  -q, --query_eval_wanted            also print the values of each query
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

Exit codes: 0 fine; 1 usage; 2 a file cannot be read, the output
cannot be written or there is too little memory; 4 the data cannot be measured (a document
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
    run_process(lambda: main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run and return the exit code."""
    use_utf8()
    return guarded(lambda: _main(argv), FILES, "rankstone trec_eval")


def _main(argv: list[str]) -> int:
    options = parse(argv)
    if options.show_version:
        from rankstone import __version__

        print(f"trec_eval {options.compat or '10.0'}, by rankstone {__version__}", file=sys.stderr)
        return 0
    if options.help:
        return _help(options)
    if len(options.files) != 2:
        raise TrecEvalError(
            USAGE, f"give judgments and a run, not {len(options.files)} files; -h helps."
        )
    chosen = _columns(options, options.measures or ("official",))
    given = "prefs" if options.format == "qrels_prefs" else options.format
    for line in (column.line for column in chosen):
        if line.format not in ("any", given):
            raise TrecEvalError(
                MEASURES, f"{line.name} needs '-R {line.format}', not {options.format}."
            )
    from rankstone.verbs.trec_eval.values import printed

    sys.stdout.writelines([*printed(chosen, options)])  # nothing, if there is an error
    sys.stdout.flush()
    return 0


def _columns(options: Options, measures: tuple[str, ...]) -> list[Column]:
    from rankstone.verbs.trec_eval.columns import columns

    try:
        return columns(
            measures, options.version, lenient=options.lenient, collection=options.collection
        )
    except UsageError as error:
        raise TrecEvalError(USAGE, error) from None


def _help(options: Options) -> int:
    from rankstone.measures import manual

    sys.stdout.write(_HELP)
    pages = {c.line.name: c.measure for c in _columns(options, options.measures) if c.measure}
    for name, measure in pages.items():
        print(f"\n-- {name}")
        print(*manual.page(measure), sep="\n")
    return 0
