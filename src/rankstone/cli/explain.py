"""``rankstone explain``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, grades, names_of, options_of
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
    add_choices(parser, "explain", without=())
    parser.set_defaults(run=run)


def add_data(parser: Any) -> None:
    """Let a command take judgments and a run, or a ranking written out as grades."""
    parser.add_argument("files", metavar="QRELS RUN", nargs="*", help="judgments and a run")
    parser.add_argument("--grades", metavar="G,G,...", help="grades in rank order; - is unjudged")


def data_of(args: Namespace, more: str) -> tuple[Any, ...]:
    """Return the data of a command; ``more`` completes the error's example."""
    from rankstone.errors import UsageError

    if args.grades is not None and not args.files:
        return (grades(args.grades),)
    if args.grades is None and len(args.files) == 2:
        return tuple(args.files)
    raise UsageError(
        f"give either QRELS RUN {more} or --grades, such as --grades 3,2,3,0,1,2 {more}."
    )


def run(args: Namespace) -> int:
    """Explain and print."""
    from rankstone.text import explanation
    from rankstone.verbs.explain import explain

    runs = args.files[1:] if args.grades is None else []
    args.files = args.files[:2]
    data = data_of(args, "--query ID" if args.grades is None else "")
    several = [(*data[:-1], run) for run in runs] if len(runs) > 1 else [data]
    workings = [
        explain(args.measure, *one, query=args.query, **options_of(args)) for one in several
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
