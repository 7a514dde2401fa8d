"""Find the conventions behind a number somebody reported."""

from __future__ import annotations

from argparse import Namespace

from rankstone.cli.explain import data_of
from rankstone.cli.options import options_of
from rankstone.cli.terminal import print_json, print_text

HELP = """Find the conventions behind a number somebody reported.

Find the conventions behind a number: QRELS and RUN, or --grades, and --value.
  measure MEASURE       a measure, in any tool's spelling
{DATA}
  --value X = required  the number as it was printed: 0.550, 93.2%%
  {TEXT_OR_JSON}
"""

VERBS = ("reconcile",)
MORE = {"without": ()}


def run(args: Namespace) -> int:
    """Search and print; the exit code is 1 where nothing gives the number."""
    from rankstone.verbs.reconcile import reconcile

    data = data_of(args, "--value 0.932")
    reconciliation = reconcile(args.measure, *data, value=args.value, **options_of(args))
    if args.format == "json":
        print_json(reconciliation.to_dict())
    else:
        print_text(str(reconciliation).splitlines())
    return 0 if reconciliation.explained else 1
