"""``rankstone leaderboard``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, add_quiet, options_of
from rankstone.cli.terminal import page_look, print_lines, say

if TYPE_CHECKING:
    from argparse import Namespace

_FORMATS = ("table", "tsv", "csv", "json", "md", "latex", "html")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "leaderboard",
        help="rank systems over several collections, with intervals of ranks",
        description="Rank systems by the mean over collections: which ranks are real, and which "
        "systems cannot be told apart. Give a folder with a folder per collection, each with its "
        "judgments (a file called qrels) and one run or saved result per system, or a TOML file "
        "with a table [collections.NAME] each.",
    )
    parser.add_argument("source", metavar="FOLDER | FILE.toml")
    parser.add_argument_group("what to measure").add_argument(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="[COLLECTION=]NAME",
        help="the measure (nDCG@10), or that of one collection; may be repeated",
    )
    parser.add_argument("--format", choices=_FORMATS,
                        help="default: a table on a terminal, tsv in a pipe")  # fmt: skip
    parser.add_argument("--digits", type=int, default=4, metavar="N", help="decimals in tables (4)")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="write a page, too")
    parser.add_argument("--force", action="store_true",
                        help="let --output replace a file that rankstone did not write")  # fmt: skip
    add_quiet(parser)
    add_choices(parser, "leaderboard")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Rank and print."""
    from rankstone.core.atomic import check_own, write_text
    from rankstone.errors import UsageError
    from rankstone.text.leaderboard import page, write_leaderboard
    from rankstone.verbs.leaderboard import leaderboard

    if not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    own = dict(text.split("=", 1) for text in args.measure if "=" in text.partition("(")[0])
    common = [text for text in args.measure if "=" not in text.partition("(")[0]]
    if len(common) > 1 or (common and own):
        raise UsageError("give one measure of all collections, or COLLECTION=NAME for each.")
    board = leaderboard(args.source, own or (common[0] if common else None), **options_of(args))
    if args.output:
        check_own(args.output, b"<!doctype html>", force=args.force)
        write_text(args.output, page(board, args.digits))
    if not args.quiet:
        for notice in board.notices:
            say(str(notice))
    form = args.format or ("table" if sys.stdout.isatty() else "tsv")
    print_lines(write_leaderboard(board, form, digits=args.digits, **page_look()))
    return 0
