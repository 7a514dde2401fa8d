"""List the measures, show their manual pages, or how other tools define them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

from rankstone.cli.explain import data_of
from rankstone.cli.options import add_command, options_of
from rankstone.cli.terminal import look, print_text
from rankstone.errors import UsageError

HELP = """List the measures, show their manual pages, or how other tools define them.

List the measures, or show the manual page of some. With --tools: list the tools; with a measure, how
each tool defines it; with data too, what each would print; with a tool, what it chooses.
  names NAME *      a measure, in any tool's spelling; with --tools a measure or a tool, then QRELS RUN
  --tools           how other tools define it, and what each would print
  --grades G,G,...  grades in rank order; - is unjudged
  {TEXT_OR_JSON}
"""


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = add_command(commands, "measures", HELP, run, "across_tools", without=())
    parser.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="list every choice in which two tools differ"
    )


def run(args: Namespace) -> int:
    """Print the list, the pages, or the tools."""
    print_text(_tools(args) if args.tools else _pages(args))
    return 0


def _pages(args: Namespace) -> Iterable[str]:
    from rankstone.measures import all_measures, manual, parse_measure

    if args.grades or args.diff or options_of(args):
        raise UsageError("data and other tools go with --tools; give that, too.")
    chosen = [parse_measure(name) for name in args.names] or all_measures()
    if args.format == "json":
        import json

        return [json.dumps([manual.as_dict(m) for m in chosen], indent=2)]
    if args.names:
        return "\n\n".join("\n".join(manual.page(m)) for m in chosen).split("\n")
    return manual.index(chosen)


def _tools(args: Namespace) -> Iterable[str]:
    from rankstone.measures import parse_measure
    from rankstone.text import tools as words
    from rankstone.tools import FILES, TOOLS, tool
    from rankstone.verbs.reconcile import across_tools

    columns = look()["columns"]
    name, *args.files = args.names or [None]
    given = bool(args.files or args.grades)
    if args.format != "text":
        raise UsageError("--tools is shown as text.")
    if args.diff:
        if name or given:
            raise UsageError("--diff takes two tools and nothing else.")
        return words.difference(tool(args.diff[0]), tool(args.diff[1]), columns)
    if name is None:
        if given:
            raise UsageError("name the measure whose values you want to see.")
        return words.all_tools(columns)
    if not given and (name in FILES or name in TOOLS):
        return words.one_tool(tool(name), columns)
    measure = parse_measure(name)
    data = data_of(args, "") if given else ()
    return words.in_tools(across_tools(measure, *data, **options_of(args)), measure, columns)
