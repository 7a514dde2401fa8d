"""``rankstone gate``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.compare import columns_of_terminal
from rankstone.cli.options import add_choices, add_quiet, options_of, words_of
from rankstone.cli.terminal import in_colour, say, spoken_warnings

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.verbs.gate.rules import Limit, MustFind, Rules
    from rankstone.verbs.gate.verdict import Verdict

_FORMATS = ("text", "md", "junit", "github", "json")
_ENDINGS = {".txt": "text", ".md": "md", ".xml": "junit", ".json": "json"}
#: What is in files that a gate wrote, which it may replace.
_MARKS = {
    "text": (b": ", b" check", b" quer"),
    "md": (b"### ", b": ", b" check", b" quer"),
    "junit": (b"<testsuites", b"rankstone gate"),
    "json": (b'"schema": "rankstone/',),
}
_LIMITS = {
    "max-drop": "fail if the mean drops by more than this against the baseline",
    "non-inferior": "pass only if the interval of the difference shows no larger drop",
    "max-gain": "warn if the mean rises by more than this: too good to be true?",
    "min": "fail if the candidate's mean is below this",
    "max": "fail if the candidate's mean is above this; latency.p95=50 is of --values",
    "max-rise": "fail if a column of --values rises by more against --baseline-values: 3, or 5%%",
}
_DOCUMENTS = {
    "must-find": "fail if the document is not among the query's first K; or a file of such lines",
    "must-not-find": "fail if the document is among the query's first K; or a file of such lines",
}


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "gate",
        help="say whether a run may ship: pass, warn, fail or cannot tell",
        description="Check a candidate against rules, most of them against a baseline: a run, a "
        "saved result or the file of 'rankstone gate baseline save'. Rules may also be in the table "
        "[gate] of rankstone.toml or [tool.rankstone.gate] of pyproject.toml; those of the command "
        "line replace them one by one.",
        epilog="Exit codes: 0 it may ship, 1 it may not, 2 usage, 3 data.",
    )
    parser.add_argument("judgments", metavar="QRELS", help="judgments")
    parser.add_argument(
        "candidate", metavar="CANDIDATE", help="the run to ship, or its saved result"
    )
    parser.add_argument("--baseline", metavar="FILE", help="what the candidate is compared with")
    for kind, text in _LIMITS.items():
        parser.add_argument(
            f"--{kind}", action="append", default=[], metavar="MEASURE=X", help=text
        )
    parser.add_argument("--min-judged", action="append", default=[], metavar="@K=X",
                        help="fail if a smaller share of the first K documents was judged")  # fmt: skip
    parser.add_argument("--min-queries", metavar="N", help="fail if fewer queries are answered")
    for kind, text in _DOCUMENTS.items():
        parser.add_argument(
            f"--{kind}", action="append", default=[], metavar="QUERY:DOC@K", help=text
        )
    parser.add_argument("--values", metavar="FILE",
                        help="further values of the candidate's queries, such as latency, for --max and --max-rise")  # fmt: skip
    parser.add_argument("--baseline-values", metavar="FILE", help="those of the baseline")
    parser.add_argument("--smallest-slice", metavar="N",
                        help="queries that a group needs to decide (10)")  # fmt: skip
    parser.add_argument("--inconclusive", metavar="HOW",
                        help="if the queries could not show a forbidden drop: fail, warn (default) or pass")  # fmt: skip
    parser.add_argument("--settings", metavar="FILE",
                        help="settings (default: rankstone.toml, else pyproject.toml, of this folder)")  # fmt: skip
    parser.add_argument(
        "--format", choices=_FORMATS, default="text", help="format of the output (text)"
    )
    parser.add_argument("-o", "--output", action="append", default=[], metavar="FILE",
                        help="write a file, too: .md, .xml (JUnit), .json or .txt; may be repeated")  # fmt: skip
    parser.add_argument("--force", action="store_true",
                        help="let --output replace a file that no gate wrote")  # fmt: skip
    add_quiet(parser)
    add_choices(parser, "gate")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Apply the rules, print the verdict and return its exit code."""
    from rankstone.choices.setup import Setup
    from rankstone.core.atomic import check_own
    from rankstone.core.result import Result
    from rankstone.verbs.gate.amounts import Amounts
    from rankstone.verbs.gate.gate import apply, saved_candidate
    from rankstone.verbs.gate.rules import rules_of
    from rankstone.verbs.gate.settings import find_settings, read_settings

    outputs = [(path, _form_of(path)) for path in args.output]
    for path, form in outputs:
        check_own(path, _MARKS[form], force=args.force)
    settings = read_settings(args.settings) if args.settings else find_settings()
    options = options_of(args)
    own = {name: getattr(args, name.replace("-", "_")) for name in _OWN}
    rules = rules_of(settings.rules(), {**own, "confidence": options.pop("confidence", None)})
    baseline = args.baseline or settings.file("baseline")
    by = options.get("by") or settings.file("by")
    files = [
        args.values or settings.file("values"),
        args.baseline_values or settings.file("baseline-values"),
    ]
    with spoken_warnings(quiet=args.quiet):
        others, amounts = Amounts.of(rules, *files)
        options |= {"by": by} if by else {}
        setup = Setup.of("gate", options)
        candidate = saved_candidate(args.candidate, setup.effort.max_bytes)
        if not isinstance(candidate, Result):
            options = {**settings.evaluation(), **options}
            setup = Setup.of("gate", options)
        verdict = apply(others, amounts, args.judgments, candidate, baseline, setup)
    if not args.quiet:
        for notice in verdict.notices:
            if notice.level == "warning":
                say(f"warning: {notice}")
    command = _command(args, rules, baseline, files, options)
    for path, form in outputs:
        _write(path, form, verdict, command)
    _show(verdict, args.format, command)
    return verdict.exit_code


_OWN = (
    *_LIMITS, *_DOCUMENTS, "min-judged", "min-queries", "smallest-slice", "inconclusive",
)  # fmt: skip


def _form_of(path: str) -> str:
    from rankstone.errors import UsageError

    ending = os.path.splitext(path)[1].lower()
    if ending not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise UsageError(f"--output {path}: the ending says the format; use one of {known}.")
    return _ENDINGS[ending]


def _write(path: str, form: str, verdict: Verdict, command: str) -> None:
    from rankstone.core.atomic import replaced
    from rankstone.verbs.gate.text import write_verdict

    lines = write_verdict(verdict, form, command=command)
    with replaced(path) as out:
        out.writelines(f"{line}\n".encode(errors="surrogateescape") for line in lines)


def _show(verdict: Verdict, form: str, command: str) -> None:
    from rankstone.verbs.gate.text import write_verdict

    columns = columns_of_terminal()
    lines = write_verdict(verdict, form, command=command, colour=in_colour(), columns=columns)
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _command(
    args: Namespace,
    rules: Rules,
    baseline: str | None,
    files: list[str | None],
    options: dict[str, Any],
) -> str:
    """Return the command that repeats the verdict without a settings file."""
    from shlex import join

    words = ["rankstone", "gate", args.judgments, args.candidate]
    words += ["--baseline", baseline] if baseline else []
    each: list[Limit | MustFind] = [*rules.limits, *rules.must_find]
    words += [word for rule in each for word in rule.option()]
    for option, path in zip(("--values", "--baseline-values"), files, strict=True):
        words += [option, path] if path else []
    words += ["--min-queries", str(rules.min_queries)] if rules.min_queries is not None else []
    words += ["--smallest-slice", str(rules.smallest_slice)] if "by" in options else []
    words += ["--inconclusive", rules.inconclusive, "--confidence", f"{rules.confidence:g}"]
    return join([*words, *words_of(options)])
