"""Write judgments or a run in another format."""

from __future__ import annotations

from argparse import Namespace

from rankstone.cli.options import options_of
from rankstone.cli.terminal import say
from rankstone.errors import plural
from rankstone.language import tr

HELP = """Write judgments or a run in another format.

Write judgments or a run in another format. OUT is written whole or not at all; - is stdin or stdout.
  source IN                  judgments or a run, in any known format
  target OUT                 the file to write; its extension chooses the format
  --to FORMAT                the format to write (default: by the extension of OUT, trec without one)
  --as (kind) judgments|run  what IN contains, if it cannot be detected
  --force                    replace OUT if it exists
"""

VERBS = ("convert",)


def run(args: Namespace) -> int:
    """Convert and say how many rows there were."""
    from rankstone.io.convert import convert

    done = convert(
        args.source, args.target, args.to, kind=args.kind, force=args.force, **options_of(args)
    )
    for notice in done.notices:
        say(tr("warning: {}.").format(notice.text))
    say(
        tr("{} of {} from {} to {}").format(
            plural(done.rows, "row"), tr(done.kind), done.source, done.target
        )
    )
    return 0
