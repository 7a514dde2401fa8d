"""``rankstone trec_eval``: trec_eval's options, output and exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.process import guarded, run_process, use_utf8
from rankstone.errors import TrecEvalError, UsageError
from rankstone.verbs.trec_eval.options import FILES, HELP, MEASURES, USAGE, Options, parse

if TYPE_CHECKING:
    from rankstone.verbs.trec_eval.columns import Column


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

    sys.stdout.write(HELP)
    pages = {c.line.name: c.measure for c in _columns(options, options.measures) if c.measure}
    for name, measure in pages.items():
        print(f"\n-- {name}")
        print(*manual.page(measure), sep="\n")
    return 0
