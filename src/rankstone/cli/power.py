"""Plan: the difference that n queries can show, the queries that a difference needs."""

from __future__ import annotations

from argparse import Namespace

from rankstone.cli.compare import values_of
from rankstone.cli.options import arguments_of, options_of
from rankstone.cli.terminal import in_colour, print_json, print_text, spoken_warnings
from rankstone.errors import UsageError

HELP = """Plan: the difference that n queries can show, the queries that a difference needs.

Plan an experiment from a pilot: two runs, or with --values their values per query.
{SOURCE}
  --difference X:number     difference of means to plan for (default: the pilot's)
  -n, --queries (n) N:whole     number of queries to plan for (default: the pilot's)
  --power X:number = 0.8    chance of finding a true difference (0.8)
  --alpha X:number = 0.05   significance level (0.05)
  --comparisons N:whole = 1  number of comparisons that will share alpha (1)
  --per-cluster N:number    queries of a cluster to plan for (the pilot's mean)
  {TEXT_OR_JSON}
{MEASURING}
"""

VERBS = ("power",)


def run(args: Namespace) -> int:
    """Plan and print."""
    from rankstone.verbs.power import plan_lines, power

    if args.n is not None and args.n < 2:
        raise UsageError(f"--queries must be at least 2, not {args.n}.")
    pilot = values_of(args, "power", options_of(args))
    with spoken_warnings(quiet=args.quiet):
        plans = power(pilot, **arguments_of(args, "power"))
    if args.format == "json":
        print_json({measure: plan.to_dict() for measure, plan in plans.items()})
    else:
        print_text(plan_lines(plans, seen=args.difference is None, colour=in_colour()))
    return 0
