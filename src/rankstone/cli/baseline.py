"""``rankstone gate baseline``: what a gate compares with, kept in a file of the repository."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.evaluate import results_of
from rankstone.cli.options import add_choices, add_quiet, options_of
from rankstone.cli.terminal import say, spoken_warnings

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.verbs.gate.baseline import Baseline


def add_to(commands: Any) -> None:
    """Describe the command and its three verbs."""
    parser = commands.add_parser(
        "baseline",
        prog="rankstone gate baseline",
        help="save, show or update what a gate compares with",
        description="A baseline file contains per-query values, conventions, checksums and versions: "
        "a small file for the repository. Only 'accept' updates it, with a reason.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    save = verbs.add_parser("save", help="make a baseline file of a run")
    accept = verbs.add_parser("accept", help="replace a baseline by a run, for a reason")
    show = verbs.add_parser("show", help="show what a baseline file contains")
    for verb in (save, accept):
        verb.add_argument("file", metavar="FILE", help="the baseline file")
        verb.add_argument("judgments", metavar="QRELS", help="judgments")
        verb.add_argument("candidate", metavar="RUN", help="the run")
        verb.add_argument("-m", "--measure", action="append", metavar="NAME",
                          help="a measure; may be repeated (accept: default those of the file)")  # fmt: skip
        verb.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the file")
        add_quiet(verb)
        add_choices(verb, "gate", without=("confidence", "not_retrieved"))
    show.add_argument("file", metavar="FILE", help="the baseline file, or a saved result")
    save.set_defaults(run=_save)
    accept.set_defaults(run=_accept)
    show.set_defaults(run=_show)


def _save(args: Namespace) -> int:
    from rankstone.errors import DataError

    if os.path.lexists(args.file):
        raise DataError(
            f"{args.file} exists, and a baseline is updated by accept only: rankstone gate baseline "
            f'accept {args.file} {args.judgments} {args.candidate} --reason "..."'
        )
    args.reason = args.reason or "first baseline"
    new = _evaluated(args, options_of(args)).accepted(_today(), args.reason)
    new.save(args.file)
    _print(new, args.file)
    return 0


def _accept(args: Namespace) -> int:
    from rankstone.core.atomic import locked

    with locked(args.file):  # somebody else's reason must not get lost
        return _replace(args)


def _replace(args: Namespace) -> int:
    from rankstone.choices.changes import Changes
    from rankstone.core.provenance import options_of as recorded_options
    from rankstone.errors import DataError, UsageError
    from rankstone.verbs.gate.baseline_text import changes
    from rankstone.verbs.gate.gate import saved_baseline

    options = options_of(args)
    old = saved_baseline(args.file, options.get("max_bytes"))
    if old is None or not old.history:
        raise DataError(
            f"{args.file}: this is not a baseline file. The order is: rankstone gate baseline accept "
            "FILE QRELS RUN."
        )
    if not args.reason.strip():
        raise UsageError('a baseline is updated for a reason: --reason "new synonyms".')
    args.measure = args.measure or [old.names.get(m, m) for m in old.columns]
    if "like" not in options and not args.convention:
        options |= _conventions(old)
    if not any(name in options for name in Changes.names()):
        options |= recorded_options(old.changes)
    new = _evaluated(args, options).accepted(_today(), args.reason, old.history)
    new.save(args.file)
    sys.stdout.writelines(f"{line}\n" for line in changes(old, new, args.file))
    return 0


def _show(args: Namespace) -> int:
    from rankstone.errors import DataError
    from rankstone.verbs.gate.gate import saved_baseline

    baseline = saved_baseline(args.file)
    if baseline is None:
        raise DataError(f"{args.file}: this is not a baseline file, nor a saved result.")
    _print(baseline, args.file)
    return 0


def _evaluated(args: Namespace, options: dict[str, Any]) -> Baseline:
    """Evaluate the run."""
    from rankstone.choices.setup import Setup
    from rankstone.text.notices import lines
    from rankstone.verbs.gate.baseline import Baseline

    args.runs = [args.candidate]
    with spoken_warnings(quiet=args.quiet):
        results = results_of(args, Setup.of("gate", options))
    if not args.quiet:
        for line in lines(results):
            say(line)
    return Baseline.of(results[0])


def _conventions(baseline: Baseline) -> dict[str, Any]:
    """Return the tool that the baseline follows, and what its conventions differ in from the tool's."""
    from rankstone.tools import conventions_of, tool

    default = conventions_of(tool(baseline.like) if baseline.like else None, None, {})
    like = {"like": baseline.like} if baseline.like else {}
    return like | baseline.conventions.diff(default)


def _print(baseline: Baseline, path: str) -> None:
    from rankstone.verbs.gate.baseline_text import describe

    sys.stdout.writelines(f"{line}\n" for line in describe(baseline, path))


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()
