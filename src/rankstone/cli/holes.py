"""``rankstone holes``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import (
    add_measure,
    add_parents,
    add_reading,
    choice,
    names_of,
    only_measure,
)
from rankstone.cli.pool import chunks_of, tops_options

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
    parser.add_argument(
        "-c", "--convention", action="append", default=[], metavar="NAME=VALUE",
        help="a convention, such as relevance=2; may be repeated",
    )  # fmt: skip
    add_parents(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print the documents, the most important first."""
    from rankstone.conventions import Conventions
    from rankstone.errors import plural
    from rankstone.holes import holes
    from rankstone.io.load import judged_documents, load_judgments
    from rankstone.io.tops import read_tops
    from rankstone.measures import DEFAULT
    from rankstone.measures.parse import parse_measure
    from rankstone.report.holes import lines

    measure = parse_measure(only_measure(args) or DEFAULT[0])
    conventions = Conventions().replace(**dict(choice(text) for text in args.convention))
    options, chunks = tops_options(args), chunks_of(args)
    judgments = load_judgments(
        args.judgments,
        options.columns,
        input_format=args.input_format,
        max_bytes=args.max_bytes,
        encoding=args.encoding,
    )
    if args.judged_chunks:
        judgments = judged_documents(judgments, args.parents, args.max_bytes)
    tops = [read_tops(path, args.depth, options, **chunks) for path in args.runs]
    unjudged = holes(judgments, tops, measure, conventions)
    shown = lines(unjudged[: args.n], names_of(args.runs), aligned=sys.stdout.isatty())
    sys.stdout.writelines(f"{line}\n" for line in shown)
    text = f"{plural(len(unjudged), 'unjudged document')} down to rank {args.depth}"
    print(f"rankstone: {text}; effect on {measure}", file=sys.stderr)
    return 0
