"""List the documents to judge: the first ones of some runs."""

from __future__ import annotations

import sys
from argparse import Namespace

from rankstone.cli.options import expand, options_of
from rankstone.errors import plural
from rankstone.language import tr

HELP = """List the documents to judge: the first ones of some runs.

List what to judge: each document that is among the first of any run, once, sorted by query and id,
so that the order does not reveal ranks.
  runs RUN ...              runs, in any known format
  --depth N:whole = 20      first documents of each run (20)
  --judged QRELS            leave out what is judged, and queries without judgments
  --format tsv|jsonl = tsv  query and document (default tsv)
"""

VERBS = ("pool",)


def run(args: Namespace) -> int:
    """Print the pool, and say how large it is."""
    import json

    from rankstone.core.text import escape_field
    from rankstone.verbs.pool import pool

    pooled = pool(list(expand(args.runs)), args.judged, depth=args.depth, **options_of(args))
    for query, docs in pooled.items():
        for doc in docs:
            if args.format == "tsv":
                print(escape_field(str(query)), escape_field(str(doc)), sep="\t")
            else:
                print(json.dumps({"query_id": query, "doc_id": doc}, ensure_ascii=False))
    count = plural(sum(map(len, pooled.values())), "document")
    print(
        tr("rankstone: {} to judge for {}").format(count, plural(len(pooled), "query")),
        file=sys.stderr,
    )
    return 0
