"""Evaluate results that are parts of documents."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankstone.cli.terminal import in_colour, print_lines

HELP = """Evaluate results that are parts of documents.

Evaluate results that are parts of documents (document, start, end) against judged parts, side by
side at each level: documents, pages (with --pages), judged parts, characters. The judgments stay
valid when texts are cut into other chunks.
  judgments SPANS         JSONL with query_id, doc_id, start, end
  run_file RUN            the same with a score; without scores, best first
  -k N:whole ...          a cutoff; may be repeated (5, 10)
  --overlap X:number = 0.5  share of a judged part that a result must cover to find it (0.5)
  --pages FILE            JSON object of documents and the positions at which their pages begin
  {PER_QUERY}
  --format table|tsv|md   default: a table on a terminal
"""

VERBS = ()


def run(args: Namespace) -> int:
    """Print one table of all levels."""
    from rankstone.io.formats import run_name
    from rankstone.verbs.spans import evaluate_spans, lines

    name = run_name(args.run_file)
    levels = evaluate_spans(
        args.judgments,
        args.run_file,
        k=args.k or (5, 10),
        overlap=args.overlap,
        pages=args.pages,
        name=name,
    ).levels
    form = args.format or ("table" if sys.stdout.isatty() else "tsv")
    print_lines(lines(levels, name, form, per_query=args.per_query, colour=in_colour()))
    return 0
