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
    args, more = parser.parse_known_args(words)
    if more:
        chosen = commands.choices[args.command]
        if not hasattr(args, "measure") or any(word.startswith("-") for word in more):
            chosen.error(f"unrecognized arguments: {' '.join(more)}")
        args.measure = [*(args.measure or ()), *more]  # words after that of -m
    args.words = words
    use_utf8()
    return guarded(lambda: args.run(args))
