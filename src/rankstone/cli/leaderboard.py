"""Rank systems over several collections, with intervals of ranks."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankstone.cli.options import options_of
from rankstone.cli.terminal import ENDINGS, form_of, page_look, print_lines, save_lines, say
from rankstone.errors import UsageError

HELP = """Rank systems over several collections, with intervals of ranks.

Rank systems by the mean over collections: which ranks are real, and which systems cannot be
distinguished. Give a folder with a folder per collection, each with its judgments (a file called qrels) and
one run or saved result per system, or a TOML file with a table [collections.NAME] each.
  source FOLDER           the folder, or the TOML file
  --format table|tsv|csv|json|md|latex|html  default: a table on a terminal, tsv in a pipe
  --digits N:whole = 4    decimals in tables (4)
  -o, --output FILE       write a file, too: .html (a page), .json, .tex, .md, .csv, .tsv or .txt
  --force                 let --output replace a file that rankstone did not write
  {QUIET}
what to measure
  -m, --measure NAME ...  the measure, or COLLECTION=NAME for that of one; may be repeated
"""

VERBS = ("leaderboard",)


def run(args: Namespace) -> int:
    """Rank and print."""
    from rankstone.text.leaderboard import write_leaderboard
    from rankstone.verbs.leaderboard import leaderboard

    if not 0 <= args.digits <= 17:
        raise UsageError(f"--digits must be from 0 to 17, not {args.digits}.")
    saved = form_of(args.output, ENDINGS | {".html": "html"}) if args.output else None
    given = args.measure or []
    own = dict(text.split("=", 1) for text in given if "=" in text.partition("(")[0])
    common = [text for text in given if "=" not in text.partition("(")[0]]
    if len(common) > 1 or (common and own):
        raise UsageError("give one measure of all collections, or COLLECTION=NAME for each.")
    board = leaderboard(args.source, own or (common[0] if common else None), **options_of(args))
    if saved:
        lines = write_leaderboard(board, saved, digits=args.digits, columns=100)
        save_lines(args.output, lines, force=args.force)
    if not args.quiet:
        for notice in board.notices:
            say(str(notice))
    form = args.format or ("table" if sys.stdout.isatty() else "tsv")
    print_lines(write_leaderboard(board, form, digits=args.digits, **page_look()))
    return 0
