"""Compute a saved result again, and say what changed."""

from __future__ import annotations

from argparse import Namespace

from rankstone.cli.options import options_of
from rankstone.cli.terminal import print_json

HELP = """Compute a saved result again, and say what changed.

Compute a saved result again from its inputs, and say what changed: the inputs, the version, the
numbers. Exit code 1: a number changed.
  result RESULT          a result saved by --format json or save()
  --judgments FILE       where the judgments are now
  --run (run_file) FILE  where the run is now
  {TEXT_OR_JSON}
"""

VERBS = ("verify",)


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
        print_json([v.to_dict() for v in checked])
    else:
        print(*checked, sep="\n")
    return 0 if all(v.holds for v in checked) else 1
