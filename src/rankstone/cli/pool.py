"""``rankstone pool``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_parents, add_reading, expand, reading_of

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.io.input_file import ReadOptions


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "pool",
        help="list the documents to judge: the first ones of some runs",
        description="List what to judge: each document that is among the first of any run, once, "
        "sorted by query and id, so that the order does not reveal ranks.",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="runs, in any known format")
    parser.add_argument(
        "--depth", type=int, default=20, metavar="N", help="first documents of each run (20)"
    )
    parser.add_argument(
        "--judged", metavar="QRELS", help="leave out what is judged, and queries without judgments"
    )
    parser.add_argument(
        "--format", choices=("tsv", "jsonl"), default="tsv", help="query and document (default tsv)"
    )
    add_parents(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Print the pool, and say how large it is."""
    import json

    from rankstone.core.text import escape_field
    from rankstone.errors import plural
    from rankstone.io.load import judged_documents, load_judgments
    from rankstone.io.tops import pool, read_tops

    options, chunks = tops_options(args), chunks_of(args)
    tops = [read_tops(path, args.depth, options, **chunks) for path in expand(args.runs)]
    judgments = load_judgments(args.judged, max_bytes=args.max_bytes) if args.judged else None
    if judgments is not None and args.judged_chunks:
        judgments = judged_documents(judgments, args.parents, args.max_bytes)
    pooled = pool(tops, judgments)
    for query, docs in pooled.items():
        for doc in docs:
            if args.format == "tsv":
                print(escape_field(str(query)), escape_field(str(doc)), sep="\t")
            else:
                print(json.dumps({"query_id": query, "doc_id": doc}, ensure_ascii=False))
    count = plural(sum(map(len, pooled.values())), "document")
    print(f"rankstone: {count} to judge for {plural(len(pooled), 'query')}", file=sys.stderr)
    return 0


def tops_options(args: Namespace) -> ReadOptions:
    """Return how to read the runs of a command that needs their documents."""
    from rankstone.io.input_file import ReadOptions, last_of

    reading = reading_of(args)
    return ReadOptions(
        last_of(reading["input_format"]),
        reading["max_bytes"],
        columns=reading["columns"],
        encoding=last_of(reading["encoding"]),
    )


def chunks_of(args: Namespace) -> dict[str, Any]:
    """Return how the chunks of a run become documents."""
    return {"parents": args.parents, "parent_rule": args.parent_rule}
