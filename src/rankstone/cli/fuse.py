"""``rankstone fuse``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, add_quiet, expand, options_of
from rankstone.cli.terminal import say

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "fuse",
        help="fuse runs into one",
        description="Fuse two or more runs into one. The result is written whole or not at all, to "
        "stdout by default.",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs, in any known format")
    parser.add_argument("-o", "--output", default="-", metavar="FILE",
                        help="the file to write; its extension chooses the format (stdout)")  # fmt: skip
    parser.add_argument("--to", metavar="FORMAT", help="the format to write, if not by extension")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    parser.add_argument("--explain", metavar="QUERY",
                        help="print the points that each run gives, and write nothing")  # fmt: skip
    add_quiet(parser)
    add_choices(parser, "fuse")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Fuse and write."""
    from rankstone.core.text import escape_field
    from rankstone.verbs.fuse import fuse

    fused = fuse(list(expand(args.runs)), **options_of(args))
    if not args.quiet:
        for notice in fused.notices:
            say(f"warning: {notice}.")
    if args.explain is None:
        fused.save(args.output, args.to, force=args.force)
        if not args.quiet:
            say(f"{fused.source.name}: {len(fused.runs.queries):,} queries")
        return 0
    names = fused.runs.names
    print("document", "score", *map(escape_field, names), sep="\t")
    for doc, score, points in fused.explain(args.explain):
        given = (f"{points[name]:.6g}" if name in points else "-" for name in names)
        print(escape_field(str(doc)), f"{score:.6g}", *given, sep="\t")
    return 0
