"""``rankstone convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, options_of
from rankstone.cli.terminal import say

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "convert",
        help="write judgments or a run in another format",
        description="Write judgments or a run in another format. OUT is written whole or not at "
        "all; - is stdin or stdout.",
    )
    parser.add_argument("source", metavar="IN", help="judgments or a run, in any known format")
    parser.add_argument(
        "target", metavar="OUT", help="the file to write; its extension chooses the format"
    )
    parser.add_argument(
        "--to",
        metavar="FORMAT",
        help="the format to write (default: by the extension of OUT, trec without one)",
    )
    parser.add_argument(
        "--as",
        dest="kind",
        choices=("judgments", "run"),
        help="what IN contains, if it cannot be detected",
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    add_choices(parser, "convert")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Convert and say how many rows there were."""
    from rankstone.errors import plural
    from rankstone.io.convert import convert

    done = convert(
        args.source, args.target, args.to, kind=args.kind, force=args.force, **options_of(args)
    )
    for notice in done.notices:
        say(f"warning: {notice.text}.")
    text = f"{plural(done.rows, 'row')} of {done.kind} from {done.source} to {done.target}"
    say(text)
    return 0
