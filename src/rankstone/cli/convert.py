"""``rankstone convert``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.evaluate import add_reading, reading_of

if TYPE_CHECKING:
    from argparse import Namespace

_BY_ENDING = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".letor": "letor",
    ".svm": "letor",
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "convert",
        help="write judgments or a run in another format",
        description="Write judgments or a run in another format. OUT is written whole or not at "
        "all; - is stdin or stdout.",
    )
    parser.add_argument("source", metavar="IN", help="judgments or a run, in any known format")
    parser.add_argument("target", metavar="OUT", help="the file to write; its ending may tell how")
    parser.add_argument("--to", metavar="FORMAT", help="the format to write (trec unless told)")
    parser.add_argument(
        "--as",
        dest="kind",
        choices=("judgments", "run"),
        help="what IN holds, where its format leaves it open",
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Convert and say how many rows there were."""
    import os

    from rankstone.errors import UsageError, plural
    from rankstone.io.convert import convert

    ending = os.path.splitext(args.target)[1].lower()
    if ending in _COMPRESSED:
        raise UsageError(
            f"{args.target}: files are written as they are, not compressed. Compress the output "
            "of 'rankstone convert IN - --to FORMAT'."
        )
    rows, kind, source, target = convert(
        args.source,
        args.target,
        args.to or _BY_ENDING.get(ending, "trec"),
        kind=args.kind,
        **reading_of(args),
    )
    text = f"{plural(rows, 'row')} of {kind} from {source} to {target}"
    print(f"rankstone: {text}", file=sys.stderr)
    return 0
