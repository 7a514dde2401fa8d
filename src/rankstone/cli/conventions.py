"""``rankstone conventions``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rankstone.cli.explain import add_data, data_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "conventions",
        help="how other tools define a measure, and what each would print on your data",
        description=(
            "List tools and conventions; with a measure, how each tool defines it; with data too, "
            "what each would print; with a tool, what it chooses."
        ),
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure or a tool")
    add_data(parser)
    parser.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="list every choice in which two tools differ"
    )
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print what was asked for."""
    sys.stdout.writelines(f"{line}\n" for line in _lines(args))
    return 0


def _lines(args: Namespace) -> Iterator[str]:
    from rankstone.cli.terminal import look
    from rankstone.errors import UsageError
    from rankstone.measures import parse_measure
    from rankstone.reconciliation import across_tools
    from rankstone.report import tools as words
    from rankstone.tools import FILES, TOOLS, tool

    columns = look()["columns"]
    given = bool(args.files or args.grades)
    if args.diff:
        if args.name or given:
            raise UsageError("--diff takes two tools and nothing else.")
        return words.difference(tool(args.diff[0]), tool(args.diff[1]), columns)
    if args.name is None:
        if given:
            raise UsageError("name the measure whose values you want to see.")
        return words.all_tools(columns)
    if not given and (args.name in FILES or args.name in TOOLS):
        return words.one_tool(tool(args.name), columns)
    measure = parse_measure(args.name)
    data, reading = data_of(args, "") if given else ((), {})
    return words.in_tools(across_tools(measure, *data, **reading), measure, columns)
