"""The command ``rankstone``. stdout is data, stderr is messages."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from rankstone import __version__
from rankstone.errors import DataError, RankstoneError

# The commands, each a module here that is loaded when it is called; help lists them in this order.
_COMMANDS = (
    "evaluate",
    "compare",
    "agree",
    "power",
    "explain",
    "conventions",
    "reconcile",
    "measures",
    "validate",
    "convert",
    "pool",
    "holes",
    "risk",
    "spans",
    "demo",
    "trec_eval",
)


def command() -> None:
    """Run the command line as a process of its own.

    It exits with os._exit after flushing: interpreter teardown is slow and has nothing to clean up.
    """
    # The idle threads of a linear algebra library would only take time from the scan.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = main()
    except SystemExit as stop:  # argparse has said what there is to say
        code = stop.code if isinstance(stop.code, int) else 0
    with suppress(OSError):  # main has reported what could not be written
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


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
        description="Right numbers for rankings, with their working.",
        epilog="Exit codes: 0 fine, 1 a check failed, 2 usage, 3 data.",
    )
    parser.add_argument("--version", action="version", version=f"rankstone {__version__}")
    # Naming the program here spares argparse the set-up of its help formatter.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="rankstone"
    )
    for name in words[:1] if words[:1] and words[0] in _COMMANDS else _COMMANDS:
        import_module(f"rankstone.cli.{name}").add_to(commands)
    args = parser.parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Ids that are not UTF-8 leave as the bytes they came in.
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except RankstoneError as error:
        sys.stdout.flush()
        print(f"rankstone: error: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        _discard_output()  # the reader has seen enough
        return 0
    except OSError as error:  # a full disk; files that cannot be read are errors of their own
        _discard_output()
        print(f"rankstone: error: cannot write the output: {error.strerror}.", file=sys.stderr)
        return DataError.exit_code
    except KeyboardInterrupt:
        print("rankstone: interrupted", file=sys.stderr)
        return 130
    return code


def _discard_output() -> None:
    """Send what is left of the output nowhere, so that the interpreter does not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
