"""Show the working of a number, document by document."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from rankstone.cli.options import grades, names_of, options_of
from rankstone.cli.terminal import look, print_json, print_lines, print_text
from rankstone.errors import UsageError

HELP = """Show the working of a number, document by document.

Show the working of a number: QRELS and RUN with --query, or --grades. Several runs are shown side
by side.
  measure MEASURE       a measure, in any tool's spelling; or the code of a notice or of an error
{DATA}
  --query ID            the query to explain
  --format text|md|json = text  default: text
  --all                 every row of a long table
"""

VERBS = ("explain",)
MORE = {"without": ()}


def data_of(args: Namespace, more: str) -> tuple[Any, ...]:
    """Return the data of a command; ``more`` completes the error's example."""
    if args.grades is not None and not args.files:
        return (grades(args.grades),)
    if args.grades is None and len(args.files) == 2:
        return tuple(args.files)
    ways = ("give either QRELS RUN", "or --grades, such as --grades 3,2,3,0,1,2")
    raise UsageError(" ".join(f"{way} {more}".rstrip() for way in ways) + ".")


def run(args: Namespace) -> int:
    """Explain and print."""
    from rankstone.text import explanation
    from rankstone.text.notice_meanings import meaning
    from rankstone.verbs.explain import explain

    if not args.files and args.grades is None and (text := meaning(args.measure)):
        print_text([text])
        return 0
    runs = args.files[1:] if args.grades is None else []
    args.files = args.files[:2]
    data = data_of(args, "--query ID" if args.grades is None else "")
    several = [(*data[:-1], run) for run in runs] if len(runs) > 1 else [data]
    workings = [
        explain(args.measure, *one, query=args.query, **options_of(args)) for one in several
    ]
    if args.format == "json":
        dicts = [working.to_dict() for working in workings]
        print_json(dicts if len(dicts) > 1 else dicts[0])
    elif args.format == "md":
        print_lines(line for working in workings for line in (*explanation.markdown(working), ""))
    elif len(workings) == 1:
        print_lines(explanation.text(workings[0], whole=args.all, columns=look()["columns"]))
    else:
        named = dict(zip(names_of(runs), workings, strict=True))
        print_lines(explanation.compared(named, whole=args.all, columns=look()["columns"]))
    return 0
