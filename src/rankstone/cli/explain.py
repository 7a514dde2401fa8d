"""``rankstone explain``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import (
    add_changes,
    add_conventions,
    add_reading,
    changes_of,
    choice,
    names_of,
    reading_of,
)
from rankstone.cli.terminal import look

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

_FORMATS = ("text", "md", "json")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "explain",
        help="show the working of a number, document by document",
        description="Show the working of a number: QRELS and RUN with --query, or --grades. Several "
        "runs are shown side by side.",
    )
    parser.add_argument("measure", metavar="MEASURE", help="a measure, in any tool's spelling")
    add_data(parser)
    parser.add_argument("--query", metavar="ID", help="the query to explain")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    parser.add_argument("--all", action="store_true", help="every row of a long table")
    add_conventions(parser)
    parser.set_defaults(run=run)


def add_data(parser: Any) -> None:
    """Let a command take judgments and a run, or a ranking written out as grades."""
    parser.add_argument("files", metavar="QRELS RUN", nargs="*", help="judgments and a run")
    parser.add_argument("--grades", metavar="G,G,...", help="grades in rank order; - is unjudged")
    parser.add_argument("--missed", metavar="G,G,...", help="grades that were not retrieved")
    add_changes(parser)
    add_reading(parser)


def data_of(args: Namespace, more: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the data of a command and how to read them; ``more`` completes the error's example."""
    from rankstone.errors import UsageError

    reading = reading_of(args)
    reading |= {"group_sizes": reading.pop("groups"), "exclude": args.exclude, **changes_of(args)}
    if args.grades is not None and not args.files:
        missed = None if args.missed is None else _grades(args.missed)
        return (_grades(args.grades),), {**reading, "not_retrieved": missed}
    if args.grades is None and args.missed is None and len(args.files) == 2:
        return tuple(args.files), reading
    raise UsageError(
        f"give either QRELS RUN {more} or --grades, such as --grades 3,2,3,0,1,2 {more}."
    )


def run(args: Namespace) -> int:
    """Explain and print."""
    from rankstone.evaluation import explain
    from rankstone.report import explanation

    choices = dict(choice(text) for text in args.convention)
    runs = args.files[1:] if args.grades is None else []
    args.files = args.files[:2]
    data, reading = data_of(args, "--query ID" if args.grades is None else "")
    several = [(*data[:-1], run) for run in runs] if len(runs) > 1 else [data]
    workings = [
        explain(args.measure, *one, query=args.query, like=args.like, **reading, **choices)
        for one in several
    ]
    lines: Iterable[str]
    if args.format == "json":
        import json

        dicts = [working.to_dict() for working in workings]
        lines = [json.dumps(dicts if len(dicts) > 1 else dicts[0], indent=2)]
    elif args.format == "md":
        lines = (line for working in workings for line in (*explanation.markdown(working), ""))
    elif len(workings) == 1:
        lines = explanation.text(workings[0], whole=args.all, columns=look()["columns"])
    else:
        named = dict(zip(names_of(runs), workings, strict=True))
        lines = explanation.compared(named, whole=args.all, columns=look()["columns"])
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _grades(text: str) -> list[float | None]:
    from rankstone.errors import UsageError

    try:
        return [None if g.strip() == "-" else float(g) for g in text.split(",")]
    except ValueError:
        raise UsageError(f"write grades as numbers with commas, not {text!r}.") from None
