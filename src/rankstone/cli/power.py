"""``rankstone power``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.choices.statistics import Statistics
from rankstone.cli.compare import add_source, source_of
from rankstone.cli.options import add_choices, options_of
from rankstone.cli.terminal import in_colour

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "power",
        help="plan: the difference that n queries can show, the queries that a difference needs",
        description="Plan an experiment from a pilot: two runs, or with --values their values per "
        "query.",
    )
    add_source(parser)
    parser.add_argument("--difference", type=float, metavar="X",
                        help="difference of means to plan for (default: the pilot's)")  # fmt: skip
    parser.add_argument("-n", "--queries", type=int, metavar="N",
                        help="number of queries to plan for (default: the pilot's)")  # fmt: skip
    parser.add_argument("--power", type=float, default=0.8, metavar="X",
                        help="chance of finding a true difference (0.8)")  # fmt: skip
    parser.add_argument("--alpha", type=float, default=0.05, metavar="X",
                        help="significance level (0.05)")  # fmt: skip
    parser.add_argument("--comparisons", type=int, default=1, metavar="N",
                        help="number of comparisons that will share alpha (1)")  # fmt: skip
    parser.add_argument("--per-cluster", type=float, metavar="N",
                        help="queries of a cluster to plan for (the pilot's mean)")  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_choices(parser, "power")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Plan and print."""
    from rankstone.errors import UsageError
    from rankstone.text.plans import plan_lines
    from rankstone.verbs.power import power

    if args.queries is not None and args.queries < 2:
        raise UsageError(f"--queries must be at least 2, not {args.queries}.")
    source, _ = source_of(args, [], "power")
    plans = power(
        source,
        measures=args.measure,
        n=args.queries,
        difference=args.difference,
        alpha=args.alpha,
        power=args.power,
        comparisons=args.comparisons,
        per_cluster=args.per_cluster,
        **{n: v for n, v in options_of(args).items() if n in Statistics.names()},
    )
    if args.format == "json":
        import json

        print(json.dumps({measure: plan.to_dict() for measure, plan in plans.items()}, indent=2))
    else:
        lines = plan_lines(plans, seen=args.difference is None, colour=in_colour())
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0
