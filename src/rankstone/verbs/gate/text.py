"""Verdicts and baselines in the formats they can be written in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from rankstone.choices.conventions import Conventions
from rankstone.core.provenance import in_words
from rankstone.core.result import Result
from rankstone.errors import plural, printable
from rankstone.language import tr
from rankstone.stats.intervals import CHOSEN, INTERVALS
from rankstone.text.blocks import Block, Bold, Grid, Line, Sentence, rounded
from rankstone.text.html import html
from rankstone.text.markdown import markdown
from rankstone.text.terminal import terminal
from rankstone.verbs.gate.baseline import Baseline, checksum, in_short
from rankstone.verbs.gate.checks import OF_PEOPLE
from rankstone.verbs.gate.verdict import CANNOT_TELL, FAIL, PASS, WARN, Check, Verdict

FORMATS = ("text", "md", "junit", "github", "json")
_GRAVITY = (FAIL, CANNOT_TELL, WARN, PASS)
_MOST_SLICES = 10
_NUMBERS = ["baseline", "candidate", "difference"]
_TONES = {PASS: "good", WARN: "unsure", FAIL: "bad", CANNOT_TELL: "unsure"}
#: What XML 1.0 cannot hold, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_verdict(
    verdict: Verdict,
    form: str,
    *,
    command: str | None = None,
    colour: bool = False,
    columns: int = 80,
) -> Iterator[str]:
    """Return the lines of a verdict in a format; ``command`` is what repeats it."""
    if form == "json":
        return iter([verdict.to_json(indent=2)])
    if form == "junit":
        return _as_junit(verdict)
    if form == "github":
        return _as_annotations(verdict)
    failed = [check for check in _by_gravity(verdict) if check.status != PASS]
    head: list[Block] = [Sentence([verdict.headline()], "head", _TONES[verdict.status])]
    head += [
        Sentence([Bold(tr(check.status)), tr(": {}.").format(check.text)], "item")
        for check in failed
    ]
    slices = _slices(verdict)
    tables: list[list[Block]] = [[_rules(verdict)]]
    if slices.lines:
        tables.append([slices])
    how: list[Block] = [Sentence([_method(verdict)])] * bool(verdict.conventions)
    how += [
        Sentence([tr("{}.").format(n.text)], "item") for n in verdict.notices if n.code in OF_PEOPLE
    ]
    if form in ("md", "html"):
        if verdict.worst:
            tables.append([_worst(verdict)])
        if form == "html":
            return iter([html([head, *tables, how])])
        if command:
            how += [Sentence([tr("Reproduce:")]), Sentence([command], "verbatim")]
        return markdown([head, *tables, how])
    if verdict.worst:
        moved = tr(", ").join(
            tr("{} {:+.3f} ({:.3f} to {:.3f})").format(m.query, m.difference, m.baseline, m.value)
            for m in verdict.worst
        )
        worst = tr("Queries that lost most on {}: {}.").format(verdict.worst_measure, moved)
        tables.append([Sentence([worst])])
    return terminal([head, *tables, how], colour, columns)


def _by_gravity(verdict: Verdict) -> list[Check]:
    return sorted(verdict.checks, key=lambda check: _GRAVITY.index(check.status))


def _rules(verdict: Verdict) -> Grid:
    """Lay the checks over all queries out, the gravest first."""
    rows = [check for check in _by_gravity(verdict) if check.slice is None]
    lines = [_line([c.rule, tr(c.status)], c) for c in rows]
    return Grid([tr("rule"), tr("status")], [*map(tr, _NUMBERS)], lines)


def _slices(verdict: Verdict) -> Grid:
    """Lay the checks of slices out: those that failed, then the largest."""
    rows = [check for check in verdict.checks if check.slice is not None]
    rows.sort(key=lambda check: (_GRAVITY.index(check.status), -(check.n or 0)))
    failed = sum(check.status == FAIL for check in rows)
    most = max(failed, _MOST_SLICES)
    lines = [
        _line([c.rule, str(c.slice), str(c.n), tr(c.status if c.decides else "too small")], c)
        for c in rows[:most]
    ]
    foot = [tr("{} more passed").format(len(rows) - most)] if len(rows) > most else []
    foot.append(tr("a slice fails if its drop is beyond the limit and more than noise"))
    heads = [tr("rule"), tr("slice"), "n", tr("status")]
    return Grid(heads, [*map(tr, _NUMBERS)], lines, foot)


def _line(names: list[str], check: Check) -> Line:
    numbers = [
        _number(check.baseline, ".4f"),
        _number(check.candidate, ".4f"),
        _number(check.difference, "+.4f"),
    ]
    return Line(names, numbers, [False, False, check.status == FAIL])


def _number(value: float | None, form: str) -> str:
    return "" if value is None or math.isnan(value) else f"{value:{form}}"


def _method(verdict: Verdict) -> str:
    kinds = tr(", ").join(tr({**INTERVALS, **CHOSEN}[kind]) for kind in verdict.intervals)
    level = tr("{:g} %").format(verdict.confidence * 100)
    parts = [tr("{} intervals: {}").format(level, kinds)] if kinds else []
    parts += dict.fromkeys(notice.text for notice in verdict.notices if notice.code == "clustered")
    parts += (
        [tr("inconclusive: {}").format(tr(verdict.inconclusive))]
        if verdict.of_status(CANNOT_TELL)
        else []
    )
    parts += [verdict.conventions] if verdict.conventions else []
    return tr("How: {}.").format(tr("; ").join(parts))


def _worst(verdict: Verdict) -> Grid:
    lines = [
        Line([str(m.query)], [f"{m.baseline:.4f}", f"{m.value:.4f}", f"{m.difference:+.4f}"])
        for m in verdict.worst
    ]
    return Grid([tr("lost most on {}").format(verdict.worst_measure)], [*map(tr, _NUMBERS)], lines)


def _as_junit(verdict: Verdict) -> Iterator[str]:
    failed = [check for check in verdict.checks if _is_failure(check, verdict)]
    skipped = [c for c in verdict.checks if c.status == CANNOT_TELL and c not in failed]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    counts = f'tests="{len(verdict.checks)}" failures="{len(failed)}" errors="0" skipped="{len(skipped)}"'
    yield f'<testsuites name="rankstone gate" {counts}>'
    yield f'  <testsuite name="{_xml(verdict.headline())}" {counts}>'
    for check in verdict.checks:
        name = check.rule if check.slice is None else f"{check.rule} [{check.slice}]"
        yield f'    <testcase classname="rankstone.gate" name="{_xml(name)}">'
        text = _xml(check.text)
        if check in failed:
            yield f'      <failure type="{check.status}" message="{text}"/>'
        elif check in skipped:
            yield f'      <skipped message="{_xml(check.status)}: {text}"/>'
        else:
            yield f"      <system-out>{check.status}: {text}</system-out>"
        yield "    </testcase>"
    yield "  </testsuite>"
    yield "</testsuites>"


def _is_failure(check: Check, verdict: Verdict) -> bool:
    unclear = check.status == CANNOT_TELL and verdict.inconclusive == "fail"
    return check.status == FAIL or unclear


def _xml(text: str) -> str:
    from xml.sax.saxutils import escape

    visible = _NOT_XML.sub(lambda m: f"\\x{ord(m[0]):02x}", printable(text))
    return escape(visible, {'"': "&quot;"})


def _as_annotations(verdict: Verdict) -> Iterator[str]:
    """Yield GitHub's workflow commands: the verdict, then each check that did not pass."""
    levels = {FAIL: "error", PASS: "notice"}
    yield _annotation(levels.get(verdict.status, "warning"), "rankstone gate", verdict.headline())
    for check in _by_gravity(verdict):
        if check.status != PASS:
            level = "error" if _is_failure(check, verdict) else "warning"
            yield _annotation(level, f"{check.status}: {check.rule}", check.text)


def _annotation(level: str, title: str, text: str) -> str:
    properties = _percent(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={properties}::{_percent(text)}"


def _percent(text: str) -> str:
    return printable(text).replace("%", "%25")


def describe(baseline: Baseline, path: str) -> Iterator[str]:
    """Return the contents of a baseline as lines, and why they were accepted."""
    result = baseline.result
    over = plural(len(result.queries), "query")
    like = tr("like {}; ").format(result.like) if result.like else ""
    choices = result.conventions.diff(Conventions())
    named = ", ".join(f"{name}={value}" for name, value in choices.items()) or tr("default")
    source = result.provenance
    made = [*in_words(source.run.reading), *in_words(result.changes)]
    texts = [
        tr("{}: {}, {}, Rankstone {}").format(path, result.name, over, source.rankstone),
        tr("judgments: {}").format(in_short(source.judgments)),
        tr("run: {}").format(in_short(source.run)),
        tr("conventions: {}").format(like + named),
        *([tr("changes to the data: {}").format(", ".join(made))] if made else []),
    ]
    means = [(f"{update.date}  {update.reason}", update.means) for update in baseline.history]
    rows = [
        Line([name], [rounded(own.get(m, math.nan), 4) for m in result.measures])
        for name, own in means or [(tr("now"), result.aggregates)]
    ]
    grid = Grid([tr("accepted")], result.measures, rows)
    return terminal([[Sentence([text]) for text in texts], [grid]])


def changes(old: Result, baseline: Baseline, path: str) -> Iterator[str]:
    """Return the changes by an update of a baseline as lines."""
    rows, new = [], baseline.result
    for measure, value in new.aggregates.items():
        before = old.aggregates.get(measure)
        cells = ["-" if before is None else f"{before:.4f}", f"{value:.4f}"]
        cells.append("-" if before is None else f"{value - before:+.4f}")
        rows.append(Line([measure], cells))
    foot = []
    then, now = old.provenance, new.provenance
    if checksum(then.judgments) != checksum(now.judgments):
        shown = in_short(then.judgments), in_short(now.judgments)
        foot.append(tr("the judgments changed: {} to {}").format(*shown))
    if then.rankstone != now.rankstone:
        foot.append(tr("Rankstone changed: {} to {}").format(then.rankstone, now.rankstone))
    dropped = [measure for measure in old.columns if measure not in new.columns]
    if dropped:
        foot.append(tr("no longer there: {}").format(", ".join(dropped)))
    head = Sentence(
        [tr("{}: {} accepted ({})").format(path, new.name, baseline.history[-1].reason)]
    )
    return terminal(
        [[head], [Grid([tr("measure")], [*map(tr, ("before", "now", "difference"))], rows, foot)]]
    )
