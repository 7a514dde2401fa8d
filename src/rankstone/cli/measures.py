"""``rankstone measures``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "measures",
        help="list the measures, or show the manual page of some",
        description="List the measures, or show the manual page of some.",
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="a measure, in any tool's spelling"
    )
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print the list or the pages."""
    from rankstone.measures import all_measures, parse_measure
    from rankstone.report import manual

    if not args.names:
        lines = list(manual.index(all_measures()))
    else:
        lines = []
        for name in args.names:
            lines += (
                ["", *manual.page(parse_measure(name))]
                if lines
                else manual.page(parse_measure(name))
            )
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0
