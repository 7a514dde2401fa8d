"""``rankstone explain``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.evaluate import add_conventions, add_reading, choice, reading_of

if TYPE_CHECKING:
    from argparse import Namespace

_FORMATS = ("text", "md", "json")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "explain",
        help="show the working of a number, document by document",
        description="Show the working of a number: QRELS and RUN with --query, or --grades.",
    )
    parser.add_argument("measure", metavar="MEASURE", help="a measure, in any tool's spelling")
    add_data(parser)
    parser.add_argument("--query", metavar="ID", help="the query to explain")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    add_conventions(parser)
    parser.set_defaults(run=run)


def add_data(parser: Any) -> None:
    """Let a command take judgments and a run, or a ranking written out as grades."""
    parser.add_argument("files", metavar="QRELS RUN", nargs="*", help="judgments and a run")
    parser.add_argument("--grades", metavar="G,G,...", help="grades in rank order; - is unjudged")
    parser.add_argument("--missed", metavar="G,G,...", help="grades that were not retrieved")
    add_reading(parser)


def data_of(args: Namespace, more: str) -> tuple[Any, ...]:
    """Return the data a command was given; ``more`` is what else it needs, for the error."""
    from rankstone.errors import UsageError

    if args.grades is not None and not args.files:
        return _ranking(args)
    if args.grades is None and args.missed is None and len(args.files) == 2:
        return tuple(args.files)
    raise UsageError(
        f"give either QRELS RUN {more} or --grades, such as --grades 3,2,3,0,1,2 {more}."
    )


def run(args: Namespace) -> int:
    """Explain and print."""
    from rankstone.errors import UsageError
    from rankstone.evaluation import explain
    from rankstone.report import explanation

    choices = dict(choice(text) for text in args.convention)
    if (args.query is None) != (args.grades is not None):
        raise UsageError(
            "give either QRELS RUN --query ID or --grades, such as --grades 3,2,3,0,1,2."
        )
    data = data_of(args, "--query ID" if args.grades is None else "")
    reading = reading_of(args)
    found = explain(args.measure, *data, query=args.query, like=args.like, **reading, **choices)
    if args.format == "json":
        import json

        print(json.dumps(found.to_dict(), indent=2))
    else:
        lines = explanation.markdown(found) if args.format == "md" else explanation.text(found)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _ranking(args: Namespace) -> tuple[Any, ...]:
    grades = _grades(args.grades)
    if args.missed is None:
        return (grades,)
    ranking = range(len(grades))
    missed = enumerate(_grades(args.missed), len(grades))
    judged = {doc: g for doc, g in [*enumerate(grades), *missed] if g is not None}
    return judged, list(ranking)


def _grades(text: str) -> list[float | None]:
    from rankstone.errors import UsageError

    try:
        return [None if g.strip() == "-" else float(g) for g in text.split(",")]
    except ValueError:
        raise UsageError(f"write grades as numbers with commas, not {text!r}.") from None
