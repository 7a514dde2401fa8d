"""Conventions, profiles of tools, formats and exit codes, from the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import rankstone
from _site.measure_pages import difference
from _site.tables import code, names_table, prose, table
from rankstone import Conventions, errors
from rankstone.cli import process
from rankstone.io import formats
from rankstone.tools import TOOLS
from rankstone.tools.base import Tool


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every page."""
    yield "reference/conventions.md", "\n".join(_conventions())
    yield "reference/profiles.md", "\n".join(_profiles())
    yield "reference/formats.md", "\n".join(_formats())
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


def _profiles() -> Iterator[str]:
    yield "# Profiles of other tools"
    yield ""
    yield (
        "`--like TOOL` (in Python `like='TOOL'`) gives the numbers of another tool: its "
        "conventions, and what it means by the name of a measure. Conventions that are not listed "
        "are at their [default](conventions.md). [Tools](../tools.md) says which numbers were "
        "compared with those of the tool itself."
    )
    for tool in TOOLS.values():
        yield f"\n## {tool.name}\n"
        yield from _profile(tool)


def _profile(tool: Tool) -> Iterator[str]:
    yield f"{prose(tool.about[0].upper() + tool.about[1:])}."
    yield ""
    yield f"Compared with version {tool.tested}." if tool.tested else "Not compared with the tool."
    chosen = tool.conventions.diff(Conventions())
    if chosen:
        yield ""
        yield f"Conventions: {', '.join(code(f'{k}={v}') for k, v in chosen.items())}."
    for limit in tool.limits:
        yield f"\n- {prose(limit)}"
    yield ""
    yield from names(tool, "measures")
    if tool.unsupported:
        yield "\nNot supported:\n"
        rows = [(code(name), prose(reason)) for name, reason in tool.unsupported.items()]
        yield from table(("its name", "why"), rows)


def names(tool: Tool, folder: str) -> Iterator[str]:
    """Yield the table of a tool's names of measures; their pages are in ``folder``."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name in tool.names:
        measure = f"[{code(name.measure)}]({folder}/{name.measure}.md)"
        rows.setdefault((measure, difference(name)), []).append(code(name.shown))
    cells = [(", ".join(theirs), *ours) for ours, theirs in rows.items()]
    yield from names_table(("its names", "measure", "with"), cells)


def _formats() -> Iterator[str]:
    yield "# File formats"
    yield ""
    yield (
        "The format of a file is detected from its content; `--input-format NAME` names it if the "
        "content leaves a doubt. [Formats](../formats.md) describes each with its rules."
    )
    yield ""
    rows = []
    for form in map(formats.named, formats.names()):
        reads = [k for k in ("judgments", "run") if getattr(form, k) is not None]
        writes = [k for k in ("judgments", "run") if getattr(form, f"write_{k}") is not None]
        example = code(form.example) if "`" not in form.example else form.example
        rows.append((code(form.name), example, ", ".join(reads), ", ".join(writes)))
    yield from table(("name", "looks like", "read as", "written as"), rows)


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
