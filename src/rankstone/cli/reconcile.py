"""``rankstone reconcile``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.explain import add_data, data_of
from rankstone.cli.options import add_choices, options_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "reconcile",
        help="find the conventions behind a number somebody reported",
        description="Find the conventions behind a number: QRELS and RUN, or --grades, and --value.",
    )
    parser.add_argument("measure", metavar="MEASURE", help="a measure, in any tool's spelling")
    add_data(parser)
    parser.add_argument(
        "--value", required=True, metavar="X", help="the number as it was printed: 0.550, 93.2%%"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_choices(parser, "reconcile", without=())
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Search and print; the exit code is 1 where nothing gives the number."""
    from rankstone.verbs.reconcile import reconcile

    data = data_of(args, "--value 0.932")
    reconciliation = reconcile(args.measure, *data, value=args.value, **options_of(args))
    if args.format == "json":
        import json

        print(json.dumps(reconciliation.to_dict(), indent=2))
    else:
        sys.stdout.write(f"{reconciliation}\n")
    return 0 if reconciliation.explained else 1
