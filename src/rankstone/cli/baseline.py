"""Save, show or update what a gate compares with."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rankstone.choices.changes import Changes
from rankstone.choices.setup import Setup
from rankstone.cli.evaluate import results_of, say_notices
from rankstone.cli.options import add_command, options_of
from rankstone.cli.terminal import print_lines
from rankstone.errors import DataError, UsageError
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.core.result import Result
    from rankstone.verbs.gate.baseline import Baseline

HELP = """Save, show or update what a gate compares with.

A baseline file contains per-query values, conventions, checksums and versions: a small file for the
repository. Only 'accept' updates it, with a reason.
"""

_SAVE = """Make a baseline file of a run.

{BASELINE}"""
_ACCEPT = """Replace a baseline by a run, for a reason.

{BASELINE}"""
_SHOW = """Show what a baseline file contains.

  file FILE  the baseline file, or a saved result"""


def add_to(commands: Any) -> None:
    """Describe the command and its three verbs."""
    parser = add_command(commands, "baseline", HELP, None, prog="rankstone gate baseline")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    own = {"without": ("confidence", "not_retrieved")}
    add_command(verbs, "save", _SAVE, _save, "gate", **own)
    add_command(verbs, "accept", _ACCEPT, _accept, "gate", **own)
    add_command(verbs, "show", _SHOW, _show)


def _save(args: Namespace) -> int:
    """Make a baseline file of a run."""
    from rankstone.verbs.gate.text import describe

    if os.path.lexists(args.file):
        raise DataError(
            f"{args.file} exists, and a baseline is updated by accept only: rankstone gate baseline "
            f'accept {args.file} {args.judgments} {args.candidate} --reason "..."'
        )
    new = _evaluated(args, options_of(args)).accepted(_today(), args.reason or tr("first baseline"))
    new.save(args.file)
    print_lines(describe(new, args.file))
    return 0


def _accept(args: Namespace) -> int:
    """Replace a baseline by a run, for a reason."""
    from rankstone.core.atomic import locked

    with locked(args.file):  # somebody else's reason must not get lost
        return _replace(args)


def _replace(args: Namespace) -> int:
    from rankstone.core.provenance import options_of as recorded_options
    from rankstone.verbs.gate.gate import saved_baseline
    from rankstone.verbs.gate.text import changes

    options = options_of(args)
    old = saved_baseline(args.file, options.get("max_bytes"))
    if old is None or not old.history:
        raise DataError(
            f"{args.file}: this is not a baseline file. The order is: rankstone gate baseline accept "
            "FILE QRELS RUN."
        )
    if not (args.reason or "").strip():
        raise UsageError('a baseline is updated for a reason: --reason "new synonyms".')
    args.measure = args.measure or [old.names.get(m, m) for m in old.result.columns]
    if "like" not in options and not args.convention:
        options |= _conventions(old.result)
    if not any(name in options for name in Changes.names()):
        options |= recorded_options(old.result.changes)
    new = _evaluated(args, options).accepted(_today(), args.reason, old.history)
    new.save(args.file)
    print_lines(changes(old.result, new, args.file))
    return 0


def _show(args: Namespace) -> int:
    from rankstone.verbs.gate.gate import saved_baseline
    from rankstone.verbs.gate.text import describe

    baseline = saved_baseline(args.file)
    if baseline is None:
        raise DataError(f"{args.file}: this is not a baseline file, nor a saved result.")
    print_lines(describe(baseline, args.file))
    return 0


def _evaluated(args: Namespace, options: dict[str, Any]) -> Baseline:
    """Evaluate the run."""
    from rankstone.verbs.gate.baseline import Baseline

    args.runs = [args.candidate]
    results = results_of(args, Setup.of("gate", options))
    say_notices(results, args)
    return Baseline(results[0])


def _conventions(baseline: Result) -> dict[str, Any]:
    """Return the tool that the baseline follows, and the conventions in which it differs from it."""
    from rankstone.tools import conventions_of, tool

    default = conventions_of(tool(baseline.like) if baseline.like else None, None, {})
    like = {"like": baseline.like} if baseline.like else {}
    return like | baseline.conventions.diff(default)


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()
