"""Conventions, formats and exit codes, from the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import rankstone
from _site.tables import code, prose, table
from rankstone import Conventions, errors
from rankstone.cli import process
from rankstone.io import formats
from rankstone.text.notice_meanings import meanings
from rankstone.tools import TOOLS


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every page."""
    yield "reference/conventions.md", "\n".join(_conventions())
    yield "reference/formats.md", "\n".join(_formats())
    yield "reference/notices.md", "\n".join(_notices())
    yield "reference/exit-codes.md", "\n".join(_exit_codes())


def _conventions() -> Iterator[str]:
    yield "# Conventions"
    yield ""
    yield (
        "A convention is a choice outside a measure's own parameters that changes a number. Commands "
        "that evaluate take it as `-c ties=expected`, functions as `ties='expected'`, and every "
        "result records it. [Why numbers differ](../conventions.md) explains them."
    )
    for field in fields(Conventions):
        yield f"\n## {code(field.name)}\n"
        text = field.metadata["text"]
        yield f"{text[0].upper()}{text[1:]}. Default: {code(str(field.default))}.\n"
        values = field.metadata.get("values", {})
        users = {
            value: ", ".join(
                t.name for t in TOOLS.values() if getattr(t.conventions, field.name) == value
            )
            for value in values
        }
        if values:
            rows = [(code(value), text, users[value]) for value, text in values.items()]
            yield from table(("value", "meaning", "tools"), rows)


def _formats() -> Iterator[str]:
    yield "# File formats"
    yield ""
    yield (
        "The format of a file is detected from its content; `--input-format NAME` names it if the "
        "content leaves a doubt. [Formats](../formats.md) has the rules."
    )
    yield ""
    yield from formats_table()


def formats_table() -> Iterator[str]:
    """Yield the lines of the table of formats."""
    rows = []
    for form in map(formats.named, formats.names()):
        reads = [k for k in ("judgments", "run") if getattr(form, k) is not None]
        writes = [k for k in ("judgments", "run") if getattr(form, f"write_{k}") is not None]
        example = code(form.example) if "`" not in form.example else form.example
        rows.append((code(form.name), example, ", ".join(reads), ", ".join(writes)))
    yield from table(("name", "looks like", "read as", "written as"), rows)


def _notices() -> Iterator[str]:
    yield "# Notices"
    yield ""
    yield (
        "A notice is part of a result: a warning, which `--strict` makes an error, or a note. Those "
        "marked * may make a number wrong, and are Python warnings, too. `rankstone explain CODE` "
        "prints a line of this page, and so does `bad-lines` below an error; [Bad input](../bad-input.md) has the rules."
    )
    for level, codes in meanings().items():
        yield f"\n## {level.capitalize()}s\n"
        stars = {c: " *" * (c in errors.SHOWN_BY_PYTHON) for c in codes}
        yield from table(("code", "meaning"), ((code(c) + stars[c], t) for c, t in codes.items()))


def _exit_codes() -> Iterator[str]:
    yield "# Exit codes"
    yield ""
    yield process.EXIT_CODES
    yield ""
    yield "Every error is a `RankstoneError`. Uncaught in a command, it gives this exit code:"
    yield ""
    rows = [
        (code(error.__name__), str(error.exit_code), prose((error.__doc__ or "").split("\n")[0]))
        for error in _errors(errors.RankstoneError)
    ]
    yield from table(("error", "exit code", "meaning"), rows)


def _errors(error: type[errors.RankstoneError]) -> Iterator[type[errors.RankstoneError]]:
    """Yield an error and all below it that the package exports."""
    yield error
    for more in error.__subclasses__():
        if more.__name__ in dir(rankstone):
            yield from _errors(more)
