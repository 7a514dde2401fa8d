"""``rankstone risk``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, add_measure, only_measure, options_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "risk",
        description="The risk-coverage curve: if a system answers only queries whose best "
        "score reaches a threshold, the share that it answers and the mean of 1 - measure over "
        "these. "
        "The last line is the area: the mean risk over all coverages.",
    )
    parser.add_argument("judgments", metavar="QRELS", help="judgments, in any known format")
    parser.add_argument("run_file", metavar="RUN", help="a run with scores")
    add_measure(parser)
    parser.add_argument(
        "--points", type=int, default=20, metavar="N", help="thresholds to show, 0 for all (20)"
    )
    add_choices(parser, "risk_coverage")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print thresholds with coverage and risk."""
    from rankstone.measures import DEFAULT
    from rankstone.text.delimited import lines_of
    from rankstone.verbs.risk import risk_coverage

    measure = only_measure(args) or DEFAULT[0]
    curve = risk_coverage(args.judgments, args.run_file, measure, **options_of(args))
    count = len(curve.thresholds)
    step = 1 if args.points < 1 else max(1, -(-count // args.points))
    shown = sorted({*range(step - 1, count, step), count - 1})
    wide = sys.stdout.isatty()
    rows = [["threshold", "coverage", "risk"]]
    for i in shown:
        numbers = curve.thresholds[i], curve.coverage[i], curve.risk[i]
        rows.append([f"{n:.4f}" if wide else repr(float(n)) for n in numbers])
    rows.append(["area", "", f"{curve.area:.4f}" if wide else repr(curve.area)])
    for line in lines_of(rows, 0, wide=wide):
        print(line)
    return 0
