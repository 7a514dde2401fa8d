"""The command ``rankstone``. stdout is data, stderr is messages."""

from __future__ import annotations

import sys

from rankstone import __version__
from rankstone.cli.process import EXIT_CODES, guarded, run_process, use_utf8

#: The commands, each a module here that is loaded when it is called; help lists them in this order.
COMMANDS = (
    "evaluate",
    "compare",
    "gate",
    "baseline",
    "report",
    "plot",
    "agree",
    "power",
    "explain",
    "conventions",
    "reconcile",
    "measures",
    "validate",
    "verify",
    "convert",
    "pool",
    "holes",
    "risk",
    "spans",
    "demo",
    "trec_eval",
)


def command() -> None:
    """Run the command line as a process of its own."""
    run_process(main)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    import argparse
    from importlib import import_module

    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["trec_eval"]:  # its options are read as getopt reads them
        from rankstone.cli import trec_eval

        return trec_eval.main(words[1:])
    parser = argparse.ArgumentParser(
        prog="rankstone",
        description="Evaluate rankings: correct numbers, and how each is calculated.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"rankstone {__version__}")
    # Naming the program here spares argparse the set-up of its help formatter.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="rankstone"
    )
    if words[:1] and words[0] not in COMMANDS and not words[0].startswith("-"):
        from rankstone.errors import did_you_mean

        hint = did_you_mean(words[0], COMMANDS)
        known = ", ".join(COMMANDS)
        parser.error(f"unknown command {words[0]!r}.{hint} Commands: {known}.")
    for name in words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS:
        import_module(f"rankstone.cli.{name}").add_to(commands)
    args, more = parser.parse_known_args(_with_an_option_each(words))
    if more:
        chosen = commands.choices[args.command]
        several = isinstance(getattr(args, "measure", None), list)
        if any(word.startswith("-") for word in more) or not (several or hasattr(args, "files")):
            chosen.error(f"unrecognized arguments: {' '.join(more)}")
        if several:
            args.measure = [*args.measure, *more]  # words after that of -m
        else:
            args.files = [*args.files, *more]  # words after an option
    args.words = words
    use_utf8()
    return guarded(lambda: args.run(args))


def _with_an_option_each(words: list[str]) -> list[str]:
    """Return words in which each measure after ``-m`` has an option of its own, before files too."""
    written: list[str] = []
    measures = 0  # -1 at the word of -m, then the number of measures so far
    for word in words:
        if measures > 0 and _names_a_measure(word):
            written.append("-m")
        elif measures >= 0:
            measures = -1 if word in ("-m", "--measure") else 0
            written.append(word)
            continue
        measures = max(measures, 0) + 1
        written.append(word)
    return written


def _names_a_measure(word: str) -> bool:
    """Return whether a word is not the path of a file, and is a measure."""
    import os

    if word.startswith("-") or os.path.exists(word):
        return False
    from rankstone.errors import UsageError
    from rankstone.measures import parse_measure

    try:
        parse_measure(word)
    except UsageError:
        return False
    return True
