"""Every command of ``rankstone`` with its options, from its parser."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator

from _site.tables import code, prose
from rankstone import cli
from rankstone.cli import trec_eval


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of the page."""
    yield "reference/cli.md", "\n".join(_page())


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command that argparse reads."""
    commands = argparse.ArgumentParser(prog="rankstone").add_subparsers(prog="rankstone")
    for name in (*cli.COMMANDS, "baseline"):
        cli.add_to(commands, name)
    return {"gate baseline" if n == "baseline" else n: p for n, p in commands.choices.items()}


def _page() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield (
        "`rankstone COMMAND --help` prints the same. Standard output is data, standard error is "
        "messages; a table on a terminal is TSV in a pipe. [Exit codes](exit-codes.md)."
    )
    for name, parser in parsers().items():
        yield f"\n## rankstone {name}\n"
        if name == "trec_eval":  # its options are those of trec_eval, which argparse does not read
            yield f"```text\n{_printed(['--help'])}```"
            continue
        yield f"{prose(' '.join((parser.description or '').split()))}\n"
        yield f"```text\n{_usage(parser)}\n```\n"
        for action in parser._actions:  # noqa: SLF001, argparse has no other list
            if action.help != argparse.SUPPRESS and action.dest != "help":
                yield from _option(action)
        if parser.epilog:
            yield f"\n{prose(' '.join(parser.epilog.split()))}\n"


def _usage(parser: argparse.ArgumentParser) -> str:
    return parser.format_usage().removeprefix("usage: ").strip()


def _option(action: argparse.Action) -> Iterator[str]:
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""
    value = choices if action.metavar is None else action.metavar
    if not action.option_strings:
        written = [str(value or action.dest)]
    elif action.nargs == 0:
        written = list(action.option_strings)
    else:
        written = [f"{flag} {value or action.dest.upper()}" for flag in action.option_strings]
    text = (action.help or "") % {**vars(action), "prog": "rankstone"}
    yield f"\n{', '.join(map(code, written))}\n: {prose(' '.join(text.split())) or '(no text)'}"


def _printed(words: list[str]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as stream, contextlib.suppress(SystemExit):
        trec_eval.main(words)
    return stream.getvalue()
