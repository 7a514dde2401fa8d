"""The formats a verdict can be written in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from rankstone.errors import printable
from rankstone.gates.verdict import CANNOT_TELL, FAIL, PASS, WARN, Check, Verdict
from rankstone.report.text_table import Grid, Line, escaped, markdown, terminal, wrapped
from rankstone.stats.comparison import Moved

FORMATS = ("text", "md", "junit", "github", "json")
_GRAVITY = (FAIL, CANNOT_TELL, WARN, PASS)
_MOST_SLICES = 10
_COLOURS = {PASS: "\x1b[32m", WARN: "\x1b[33m", FAIL: "\x1b[31m", CANNOT_TELL: "\x1b[33m"}
_RESET = "\x1b[0m"
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
    """Yield the lines of a verdict in a format; ``command`` is what repeats it."""
    if form == "json":
        yield verdict.to_json(indent=2)
    elif form == "junit":
        yield from _as_junit(verdict)
    elif form == "github":
        yield from _as_annotations(verdict)
    elif form == "md":
        yield from _as_markdown(verdict, command)
    else:
        yield from _as_text(verdict, colour, columns)


def _as_text(verdict: Verdict, colour: bool, columns: int) -> Iterator[str]:
    head = printable(verdict.headline())
    yield f"{_COLOURS[verdict.status]}{head}{_RESET}" if colour else head
    for check in _by_gravity(verdict):
        if check.status != PASS:
            yield from _wrapped(f"{check.status}: {check.text}.", columns)
    yield ""
    yield from terminal(_rules(verdict), colour)
    slices = _slices(verdict)
    if slices.lines:
        yield ""
        yield from terminal(slices, colour)
    if verdict.worst:
        listed = ", ".join(_moved(moved) for moved in verdict.worst)
        yield ""
        yield from _wrapped(
            f"Queries that lost most on {verdict.worst_measure}: {listed}.", columns
        )
    yield ""
    yield from _wrapped(_method(verdict), columns)


def _wrapped(text: str, columns: int) -> Iterator[str]:
    # A line that starts with two colons is a command to some build servers.
    harmless = re.sub(r"(?<=\s)::", r"\\x3a:", printable(text))
    yield from wrapped(harmless, columns, "  ", at_hyphens=False)


def _by_gravity(verdict: Verdict) -> list[Check]:
    return sorted(verdict.checks, key=lambda check: _GRAVITY.index(check.status))


def _rules(verdict: Verdict) -> Grid:
    """Lay the checks over all queries out, the gravest first."""
    rows = [check for check in _by_gravity(verdict) if check.slice is None]
    lines = [_line([c.rule, c.status], c) for c in rows]
    return Grid(["rule", "status"], ["baseline", "candidate", "difference"], lines, [])


def _slices(verdict: Verdict) -> Grid:
    """Lay the checks of slices out: those that failed, then the largest."""
    rows = [check for check in verdict.checks if check.slice is not None]
    rows.sort(key=lambda check: (_GRAVITY.index(check.status), -(check.n or 0)))
    failed = sum(check.status == FAIL for check in rows)
    most = max(failed, _MOST_SLICES)
    lines = [
        _line([c.rule, str(c.slice), str(c.n), c.status if c.decides else "too small"], c)
        for c in rows[:most]
    ]
    foot = [f"{len(rows) - most} more passed"] if len(rows) > most else []
    foot.append("a slice fails if its drop is beyond the limit and more than noise")
    return Grid(
        ["rule", "slice", "n", "status"], ["baseline", "candidate", "difference"], lines, foot
    )


def _line(names: list[str], check: Check) -> Line:
    numbers = [
        _number(check.baseline, ".4f"),
        _number(check.candidate, ".4f"),
        _number(check.difference, "+.4f"),
    ]
    return Line(names, numbers, [False, False, check.status == FAIL])


def _number(value: float | None, form: str) -> str:
    return "" if value is None or math.isnan(value) else f"{value:{form}}"


def _moved(moved: Moved) -> str:
    return (
        f"{printable(str(moved.query))} {moved.difference:+.3f} "
        f"({moved.baseline:.3f} to {moved.value:.3f})"
    )


def _method(verdict: Verdict) -> str:
    parts = [f"{verdict.confidence * 100:g} % intervals, BCa bootstrap over queries"]
    parts += [f"inconclusive: {verdict.inconclusive}"] if verdict.of_status(CANNOT_TELL) else []
    parts += [verdict.conventions] if verdict.conventions else []
    return f"How: {'; '.join(parts)}."


def _as_markdown(verdict: Verdict, command: str | None) -> Iterator[str]:
    word, _, rest = verdict.headline().partition(": ")
    yield f"### {word}: {escaped(rest)}"
    yield ""
    for check in _by_gravity(verdict):
        if check.status != PASS:
            yield f"- **{check.status}**: {escaped(check.text)}."
    yield ""
    yield from markdown(_rules(verdict))
    slices = _slices(verdict)
    if slices.lines:
        yield ""
        yield from markdown(slices)
    if verdict.worst:
        yield ""
        yield from markdown(_worst(verdict))
    yield ""
    yield escaped(_method(verdict))
    if command:
        yield ""
        yield "Reproduce:"
        yield ""
        # An indented block holds anything.
        yield f"    {printable(command)}"


def _worst(verdict: Verdict) -> Grid:
    lines = [
        Line(
            [str(m.query)],
            [f"{m.baseline:.4f}", f"{m.value:.4f}", f"{m.difference:+.4f}"],
            [False] * 3,
        )
        for m in verdict.worst
    ]
    head = f"lost most on {verdict.worst_measure}"
    return Grid([head], ["baseline", "candidate", "difference"], lines, [])


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
