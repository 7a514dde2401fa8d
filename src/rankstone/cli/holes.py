"""List the unjudged documents that matter most."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankstone.cli.options import names_of, only_measure, options_of
from rankstone.cli.terminal import print_lines
from rankstone.errors import plural
from rankstone.language import tr

HELP = """List the unjudged documents that matter most.

List the unjudged documents that could change a measure most, or the difference between two runs:
judge these first. The effect is the change of the mean (of two runs: the first minus the second) if
the document gets the highest grade.
  judgments QRELS        judgments, in any known format
  runs RUN ...           one run, or two to compare
  {MEASURE}
  --depth N:whole = 100  first documents of each run (100)
  -n N:whole = 20        documents to list (20)
"""

VERBS = ("holes",)


def run(args: Namespace) -> int:
    """Print the documents, the most important first."""
    from rankstone.measures import DEFAULT
    from rankstone.verbs.holes import holes, lines

    measure = only_measure(args) or str(DEFAULT[0])
    unjudged = holes(args.judgments, args.runs, measure, depth=args.depth, **options_of(args))
    print_lines(lines(unjudged[: args.n], names_of(args.runs), aligned=sys.stdout.isatty()))
    text = tr("{} down to rank {}").format(plural(len(unjudged), "unjudged document"), args.depth)
    print(tr("rankstone: {}; effect on {}").format(text, measure), file=sys.stderr)
    return 0
