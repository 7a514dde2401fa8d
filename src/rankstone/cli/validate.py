"""Read files whole and report what is odd."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import options_of
from rankstone.cli.terminal import print_json, print_text
from rankstone.errors import printable
from rankstone.language import tr

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HELP = """Read files whole and report what is odd.

Read whole files of judgments and runs and report what they contain: rows, queries, grades, depth,
duplicates, ties, overlap. Exit code 0 fine, 1 warnings, 3 unusable.
  judgments FILE                         judgments (or a single run with --as run)
  runs RUN *                             runs that belong to the judgments
  --as (kind) judgments|run = judgments  what the first file contains (judgments)
  {TEXT_OR_JSON}
"""

VERBS = ("validate",)


def run(args: Namespace) -> int:
    """Check every file and print; the exit code is that of the worst."""
    from rankstone.io.validate import validate

    reports = validate(args.judgments, args.runs, kind=args.kind, **options_of(args))
    if args.format == "json":
        print_json([report.to_dict() for report in reports])
    else:
        print_text(_lines(reports))
    return max(report.exit_code for report in reports)


def _lines(reports: Sequence[Any]) -> Iterator[str]:
    """Yield a few lines for each file."""
    for report in reports:
        form = tr(", {}").format(report.format) if report.format else ""
        yield tr("{}: {}{}").format(printable(report.path), tr(report.kind), form)
        if report.error:
            yield tr("  error: {}").format(report.error)
            continue
        for name, value in report.facts.items():
            yield tr("  {}: {}").format(tr(name.replace("_", " ")), _shown(value))
        for notice in report.notices:
            yield tr("  {}: {} [{}]").format(tr(notice.level), notice, notice.code)
        if not report.notices:
            yield tr("  nothing odd")


def _shown(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "median" in value:
        return tr("{least} to {most}, median {median:g}").format(**value)
    return tr(", ").join(tr("{} of grade {}").format(n, grade) for grade, n in value.items())
