"""The command ``rankstone``. stdout is data, stderr is messages."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from rankstone import __version__
from rankstone.cli.process import EXIT_CODES, guarded, run_process, use_utf8
from rankstone.errors import RankstoneWarning
from rankstone.language import VARIABLE, in_language, language, tr

#: The commands in groups, each a module here that is loaded when it is called.
GROUPS = {
    "measure": ("evaluate", "explain", "reconcile", "measures"),
    "decide": ("compare", "gate", "leaderboard", "power", "agree", "report"),
    "data": ("validate", "convert", "fuse", "pool", "holes", "verify"),
    "other": ("trec_eval", "demo"),
}
#: Commands that few need, which help does not list.
_HIDDEN = ("risk", "spans", "spark")
COMMANDS = (*(name for names in GROUPS.values() for name in names), *_HIDDEN)


def command() -> None:
    """Run the command line as a process of its own."""
    run_process(main)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["trec_eval"]:  # its options are read as getopt reads them
        from rankstone.cli import trec_eval

        return trec_eval.main(words[1:])
    use_utf8()
    name, rest = _language_of(words)

    def run() -> int:
        with in_language(name):
            return _run(rest, words)

    return guarded(run)


def _language_of(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the language that ``--lang``, anywhere, or the environment names, and the other words."""
    name, rest = os.environ.get(VARIABLE) or None, []
    behind = iter(words)
    for word in behind:
        if word == "--lang":
            name = next(behind, "")  # which is refused
        elif word.startswith("--lang="):
            name = word.partition("=")[2]
        else:
            rest.append(word)
    return name, rest


def _run(words: list[str], given: list[str]) -> int:
    """Run the command that words name; ``given`` are these with the language."""
    modules: Sequence[str] = COMMANDS
    if words[:2] == ["gate", "baseline"]:  # what a gate compares with has verbs of its own
        words, modules = words[1:], ("baseline",)
    parser = _parser_class()(
        prog="rankstone",
        description="Evaluate rankings: correct numbers, and how each is calculated.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"rankstone {__version__}")
    languages = "language of texts, before or behind the command: en (default) or zh"
    parser.add_argument("--lang", metavar="LANG", help=languages)
    # Naming the program here spares argparse the set-up of its help formatter.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog="rankstone"
    )
    if words[:1] and words[0] not in modules and not words[0].startswith("-"):
        from rankstone.errors import did_you_mean

        hint = did_you_mean(words[0], COMMANDS)
        known = ", ".join(COMMANDS)
        parser.error(f"unknown command {words[0]!r}.{hint} Commands: {known}.")
    for name in words[:1] if words[:1] and words[0] in modules else modules:
        add_to(commands, name)
    args, more = parser.parse_known_args(_with_an_option_each(words))
    if more:
        chosen = commands.choices[args.command]
        several = isinstance(getattr(args, "measure", None), list)
        if any(word.startswith("-") for word in more) or not (several or hasattr(args, "files")):
            chosen.error(_unrecognized(more, args.command))
        if several:
            args.measure = [*args.measure, *more]  # words after that of -m
        else:
            args.files = [*args.files, *more]  # words after an option
    args.words = given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankstoneWarning)  # a command prints its notices itself
        code: int = args.run(args)
    return code


def add_to(commands: Any, name: str) -> None:
    """Describe a command: by its help page and the verbs whose choices it takes, or as it does itself."""
    from importlib import import_module

    module = import_module(f"rankstone.cli.{name}")
    if hasattr(module, "add_to"):
        module.add_to(commands)
        return
    from rankstone.cli.options import add_command

    more = {"hidden": name in _HIDDEN, **getattr(module, "MORE", {})}
    add_command(commands, name, module.HELP, module.run, *module.VERBS, **more)


def _parser_class() -> Any:
    """Return a parser of options whose errors are one line, and not preceded by the usage."""
    import argparse
    import re

    class Parser(argparse.ArgumentParser):
        def __init__(self, *words: Any, **more: Any) -> None:
            super().__init__(*words, **more)
            if self.prog != "rankstone":
                self._optionals.title = "output"
            if language() != "en":
                self.formatter_class = _formatter()

        def format_help(self) -> str:
            listed = super().format_help()
            if language() != "en":  # a prefix and colons of the same width
                listed = re.sub(r"\Ausage: ", tr("usage: "), listed)
                listed = re.sub(r"(?m)^(\S+):$", rf"\1{tr(': ')}", listed)
            if self.prog != "rankstone":
                return listed
            for title, (first, *_) in GROUPS.items():
                listed = re.sub(rf"(?m)^    {first}\b", f"  {tr(title)}\\n\\g<0>", listed)
            return listed

        def error(self, message: str) -> NoReturn:
            hint = tr("{} --help lists the options.").format(self.prog)
            self.exit(2, f"{self.prog}: error: {message.rstrip('.')}. {hint}\n")

    return Parser


def _formatter() -> Any:
    """Return how help is translated, and laid out with wide characters."""
    import argparse

    from rankstone.core.text import wrapped

    class Formatter(argparse.HelpFormatter):
        def _split_lines(self, text: str, width: int) -> list[str]:
            return wrapped(" ".join(text.split()), width)

        def _fill_text(self, text: str, width: int, indent: str) -> str:
            return "\n".join(indent + line for line in self._split_lines(tr(text), width))

        def start_section(self, heading: str | None) -> None:
            super().start_section(tr(heading) if heading else None)

        def _get_help_string(self, action: argparse.Action) -> str | None:
            return tr(action.help) if action.help else None

    return Formatter


def _command_of(verb: str) -> str | None:
    """Return the command of a verb, None if it has none."""
    verb = {"risk_coverage": "risk", "Result.interval": "evaluate --interval"}.get(verb, verb)
    verb = "agree" if verb.startswith("agree_") else verb
    return verb if verb.split()[0] in COMMANDS else None


def _unrecognized(words: list[str], command: str) -> str:
    """Return the error for an option that the command lacks; it names the commands that have it."""
    from rankstone.choices.conventions import Conventions
    from rankstone.choices.setup import FIELDS, takers
    from rankstone.cli.options import flag_of

    flag = words[0].partition("=")[0]
    for name, (group, _) in FIELDS.items():
        if group is Conventions and flag == "--" + name.replace("_", "-"):
            return f"{flag} is not an option; give the convention as -c {name}=VALUE"
        if flag == flag_of(name):
            return f"{flag} goes with {takers(name, _command_of)}, not with {command}"
    return f"unrecognized arguments: {' '.join(words)}"


def _with_an_option_each(words: list[str]) -> list[str]:
    """Repeat ``-m`` before each measure that follows it, since files may follow too."""
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
