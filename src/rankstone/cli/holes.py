"""``rankstone holes``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, add_measure, names_of, only_measure, options_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "holes",
        help="list the unjudged documents that matter most",
        description="List the unjudged documents that could change a measure most, or the "
        "difference between two runs: judge these first. The effect is the change of the mean (of "
        "two runs: the first minus the second) if the document gets the highest grade.",
    )
    parser.add_argument("judgments", metavar="QRELS", help="judgments, in any known format")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="one run, or two to compare")
    add_measure(parser)
    parser.add_argument(
        "--depth", type=int, default=100, metavar="N", help="first documents of each run (100)"
    )
    parser.add_argument("-n", type=int, default=20, metavar="N", help="documents to list (20)")
    add_choices(parser, "holes")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print the documents, the most important first."""
    from rankstone.errors import plural
    from rankstone.measures import DEFAULT
    from rankstone.text.holes import lines
    from rankstone.verbs.holes import holes

    measure = only_measure(args) or str(DEFAULT[0])
    unjudged = holes(args.judgments, args.runs, measure, depth=args.depth, **options_of(args))
    shown = lines(unjudged[: args.n], names_of(args.runs), aligned=sys.stdout.isatty())
    sys.stdout.writelines(f"{line}\n" for line in shown)
    text = f"{plural(len(unjudged), 'unjudged document')} down to rank {args.depth}"
    print(f"rankstone: {text}; effect on {measure}", file=sys.stderr)
    return 0
