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
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print the list or the pages."""
    from rankstone.measures import all_measures, manual, parse_measure

    chosen = [parse_measure(name) for name in args.names] or all_measures()
    if args.format == "json":
        import json

        lines = [json.dumps([manual.as_dict(m) for m in chosen], indent=2)]
    elif args.names:
        lines = "\n\n".join("\n".join(manual.page(m)) for m in chosen).split("\n")
    else:
        lines = list(manual.index(chosen))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0
