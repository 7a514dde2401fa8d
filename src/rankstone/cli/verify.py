"""``rankstone verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_choices, options_of

if TYPE_CHECKING:
    from argparse import Namespace


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "verify",
        help="compute a saved result again, and say what changed",
        description="Compute a saved result again from its inputs, and say what changed: the "
        "inputs, the version, the numbers. Exit code 1: a number changed.",
    )
    parser.add_argument(
        "result", metavar="RESULT", help="a result saved by --format json or save()"
    )
    parser.add_argument("--judgments", metavar="FILE", help="where the judgments are now")
    parser.add_argument("--run", metavar="FILE", dest="run_file", help="where the run is now")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_choices(parser, "verify")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Verify every result of the file and print."""
    from rankstone.core.result import Result
    from rankstone.verbs.verify import verify

    options = options_of(args)
    checked = [
        verify(result, judgments=args.judgments, run=args.run_file, **options)
        for result in Result.load_all(args.result)
    ]
    if args.format == "json":
        import json

        print(json.dumps([v.to_dict() for v in checked], indent=2))
    else:
        print(*checked, sep="\n")
    return 0 if all(v.holds for v in checked) else 1
