"""Show how wrong answers are if only the surest queries are answered."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankstone.cli.options import only_measure, options_of
from rankstone.cli.terminal import print_lines
from rankstone.language import tr

HELP = """Show how wrong answers are if only the surest queries are answered.

The risk-coverage curve: if a system answers only queries whose best score reaches a threshold, the
share that it answers and the mean of 1 - measure over these. The last line is the area: the mean
risk over all coverages.
  judgments QRELS        judgments, in any known format
  run_file RUN           a run with scores
  {MEASURE}
  --points N:whole = 20  thresholds to show, 0 for all (20)
"""

VERBS = ("risk_coverage",)


def run(args: Namespace) -> int:
    """Print thresholds with coverage and risk."""
    from rankstone.measures import DEFAULT
    from rankstone.text.delimited import lines_of
    from rankstone.verbs.risk import risk_coverage

    measure = only_measure(args) or DEFAULT[0]
    curve = risk_coverage(args.judgments, args.run_file, measure, **options_of(args))
    count = len(curve.thresholds)
    step = 1 if args.points < 1 else max(1, -(-count // args.points))
    wide = sys.stdout.isatty()
    *heads, area = ("threshold", "coverage", "risk", "area")
    if wide:  # heads in files are the same in every language
        *heads, area = tr("threshold"), tr("coverage"), tr("risk"), tr("area")
    rows = [heads]
    for i in sorted({*range(step - 1, count, step), count - 1}):
        numbers = curve.thresholds[i], curve.coverage[i], curve.risk[i]
        rows.append([f"{n:.4f}" if wide else repr(float(n)) for n in numbers])
    rows.append([area, "", f"{curve.area:.4f}" if wide else repr(curve.area)])
    print_lines(lines_of(rows, 0, wide=wide))
    return 0
