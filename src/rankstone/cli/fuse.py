"""Fuse runs into one."""

from __future__ import annotations

from argparse import Namespace

from rankstone.cli.options import expand, options_of
from rankstone.cli.terminal import say
from rankstone.language import tr

HELP = """Fuse runs into one.

Fuse two or more runs into one. The result is written whole or not at all, to stdout by default.
  runs RUN ...           runs, in any known format
  -o, --output FILE = -  the file to write; its extension chooses the format (stdout)
  --to FORMAT            the format to write, if not by extension
  --force                replace FILE if it exists
  --explain QUERY        print the points that each run gives, and write nothing
  {QUIET}
"""

VERBS = ("fuse",)


def run(args: Namespace) -> int:
    """Fuse and write."""
    from rankstone.core.text import escape_field
    from rankstone.verbs.fuse import fuse

    fused = fuse(list(expand(args.runs)), **options_of(args))
    if not args.quiet:
        for notice in fused.notices:
            say(tr("warning: {}.").format(notice))
    if args.explain is None:
        fused.save(args.output, args.to, force=args.force)
        if not args.quiet:
            say(tr("{}: {:,} queries").format(fused.source.name, len(fused.runs.queries)))
        return 0
    names, rows = fused.runs.names, fused.explain(args.explain)
    print("document", "score", *map(escape_field, names), sep="\t")
    for doc, score, points in rows:
        given = (f"{points[name]:.6g}" if name in points else "-" for name in names)
        print(escape_field(str(doc)), f"{score:.6g}", *given, sep="\t")
    return 0
