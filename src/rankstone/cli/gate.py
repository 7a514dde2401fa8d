"""Say whether a run may ship: pass, warn, fail or cannot tell."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from rankstone.cli.options import options_of, words_of
from rankstone.cli.terminal import form_of, page_look, print_lines, say, spoken_warnings
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.verbs.gate.gate import Inputs
    from rankstone.verbs.gate.rules import Limit, MustFind

HELP = """Say whether a run may ship: pass, warn, fail or cannot tell.

Check a candidate against rules, most of them against a baseline: a run, a saved result or the file of
'rankstone gate baseline save'. Rules may also be in the table [gate] of rankstone.toml or
[tool.rankstone.gate] of pyproject.toml; those of the command line replace them one by one.
  judgments QRELS       judgments
  candidate CANDIDATE   the run to ship, or its saved result
  --baseline FILE       what the candidate is compared with
  --max-drop MEASURE=X ... = []      fail if the mean drops by more than this against the baseline
  --non-inferior MEASURE=X ... = []  pass only if the interval of the difference shows no larger drop
  --max-gain MEASURE=X ... = []      warn if the mean rises by more than this: too good to be true?
  --min MEASURE=X ... = []           fail if the candidate's mean is below this
  --max MEASURE=X ... = []           fail if the candidate's mean is above this; latency.p95=50 is of --values
  --max-rise MEASURE=X ... = []      fail if a column of --values rises by more against --baseline-values: 3, or 5%%
  --min-judged @K=X ... = []         fail if a smaller share of the first K documents was judged
  --min-queries N                    fail if fewer queries are answered
  --must-find QUERY:DOC@K ... = []      fail if the document is not among the query's first K; or a file of such lines
  --must-not-find QUERY:DOC@K ... = []  fail if the document is among the query's first K; or a file of such lines
  --values FILE           further values of the candidate's queries, such as latency, for --max and --max-rise
  --baseline-values FILE  those of the baseline
  --smallest-slice N      queries that a group needs to decide (10)
  --inconclusive HOW      if the queries could not show a forbidden drop: fail, warn (default) or pass
  --settings FILE         settings (default: rankstone.toml, else pyproject.toml, of this folder)
  --format text|md|junit|github|json = text  format of the output (text)
  -o, --output FILE ... = []  write a file, too: .md, .xml (JUnit), .json or .txt; may be repeated
  --force                 let --output replace a file that no gate wrote
  --quiet                 suppress notes and warnings on stderr
"""

_FILES = ("baseline", "values", "baseline-values")
_ENDINGS = {".txt": "text", ".md": "md", ".xml": "junit", ".json": "json"}
#: What is in files that a gate wrote, which it may replace.
_MARKS = {
    "text": (b": ", b" check", b" quer"),
    "md": (b"### ", b": ", b" check", b" quer"),
    "junit": (b"<testsuites", b"rankstone gate"),
    "json": (b'"schema": "rankstone/',),
}


VERBS = ("gate",)
MORE = {"epilog": "Exit codes: 0 it may ship, 1 it may not, 2 usage, 3 data."}


def run(args: Namespace) -> int:
    """Apply the rules, print the verdict and return its exit code."""
    from rankstone.core.atomic import check_own, replaced
    from rankstone.verbs.gate.gate import Inputs
    from rankstone.verbs.gate.rules import DOCUMENTS, KINDS, Settings
    from rankstone.verbs.gate.text import write_verdict

    outputs = [(path, form_of(path, _ENDINGS)) for path in args.output]
    for path, form in outputs:
        check_own(path, _MARKS[form], force=args.force)
    settings = Settings.read(args.settings) if args.settings else Settings.find()
    words = (*KINDS, *DOCUMENTS, "min-queries", "smallest-slice", "inconclusive")
    own = {n: getattr(args, n.replace("-", "_")) for n in (*words, *_FILES)}
    with spoken_warnings(quiet=args.quiet):
        inputs = Inputs.of(args.candidate, own, options_of(args), settings)
        verdict = inputs.verdict(args.judgments)
    if not args.quiet:
        for notice in verdict.notices:
            if notice.level == "warning":
                say(tr("{}: {}").format(tr(notice.level), notice))
    command = _command(args, inputs)
    for path, form in outputs:
        with replaced(path) as out:
            lines = write_verdict(verdict, form, command=command)
            out.writelines(f"{line}\n".encode(errors="surrogateescape") for line in lines)
    print_lines(write_verdict(verdict, args.format, command=command, **page_look()))
    return verdict.exit_code


def _command(args: Namespace, inputs: Inputs) -> str:
    """Return the command that repeats the verdict without a settings file."""
    from shlex import join

    rules = inputs.rules
    words = ["rankstone", "gate", args.judgments, args.candidate]
    words += ["--baseline", inputs.baseline] if inputs.baseline else []
    each: list[Limit | MustFind] = [*rules.limits, *rules.must_find]
    words += [word for rule in each for word in rule.option()]
    for name, path in zip(_FILES[1:], inputs.files, strict=True):
        words += [f"--{name}", path] if path else []
    if rules.min_queries is not None:
        words += ["--min-queries", str(rules.min_queries)]
    options = {name: value for name, value in inputs.options.items() if value is not None}
    words += ["--smallest-slice", str(rules.smallest_slice)] if "by" in options else []
    words += ["--inconclusive", rules.inconclusive, "--confidence", f"{rules.confidence:g}"]
    return join([*words, *words_of(options)])
