"""``rankstone spans``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.terminal import in_colour

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "spans",
        description="Evaluate results that are parts of documents (document, start, end) against "
        "judged parts, side by side at each level: documents, pages (with --pages), judged parts, "
        "characters. The judgments stay valid when texts are cut into other chunks.",
    )
    parser.add_argument(
        "judgments", metavar="SPANS", help="JSONL with query_id, doc_id, start, end"
    )
    parser.add_argument(
        "run_file", metavar="RUN", help="the same with a score; without scores, best first"
    )
    parser.add_argument(
        "-k", type=int, action="append", metavar="N", help="a cutoff; may be repeated (5, 10)"
    )
    parser.add_argument(
        "--overlap",
        type=float,
        default=0.5,
        metavar="X",
        help="share of a judged part that a result must cover to find it (0.5)",
    )
    parser.add_argument(
        "--pages",
        metavar="FILE",
        help="JSON object of documents and the positions at which their pages begin",
    )
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="also print the values of each query"
    )
    parser.add_argument(
        "--format", choices=("table", "tsv", "md"), help="default: a table on a terminal"
    )
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print one table of all levels."""
    from rankstone.io.formats import run_name
    from rankstone.text.levels import lines
    from rankstone.verbs.spans import evaluate_spans

    name = run_name(args.run_file)
    evaluation = evaluate_spans(
        args.judgments,
        args.run_file,
        k=args.k or (5, 10),
        overlap=args.overlap,
        pages=args.pages,
        name=name,
    )
    form = args.format or ("table" if sys.stdout.isatty() else "tsv")
    for line in lines(evaluation.levels, name, form, per_query=args.per_query, colour=in_colour()):
        print(line)
    return 0
