"""``rankstone validate``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, options_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "validate",
        help="read files whole and report what is odd",
        description="Read whole files of judgments and runs and report what they contain: rows, queries, "
        "grades, depth, duplicates, ties, overlap. Exit code 0 fine, 1 warnings, 3 unusable.",
    )
    parser.add_argument(
        "judgments", metavar="FILE", help="judgments (or a single run with --as run)"
    )
    parser.add_argument("runs", metavar="RUN", nargs="*", help="runs that belong to the judgments")
    parser.add_argument("--as", dest="kind", choices=("judgments", "run"), default="judgments",
                        help="what the first file contains (judgments)")  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_choices(parser, "validate")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Check every file and print; the exit code is that of the worst."""
    from rankstone.io.validate import validate
    from rankstone.text.validation import text

    reports = validate(args.judgments, args.runs, kind=args.kind, **options_of(args))
    if args.format == "json":
        import json

        print(json.dumps([report.to_dict() for report in reports], indent=2))
    else:
        sys.stdout.writelines(f"{line}\n" for line in text(reports))
    return max(report.exit_code for report in reports)
