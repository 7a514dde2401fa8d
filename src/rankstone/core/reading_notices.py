"""Notices of those who read data: their words follow from counts, so that parts add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankstone.errors import Notice, plural

# The text of each notice, from the count and from the number of what was examined.
_TEXTS: dict[str, Callable[[int, int], str]] = {
    "commented-rows": lambda n, _: (
        f"{plural(n, 'row')} after a # at the start of the line; read as comments"
    ),
    "repeated-judgments": lambda n, _: f"{plural(n, 'repeated judgment')}; each counts once",
    "contradicting-judgments": lambda n, _: (
        f"{plural(n, 'contradicting judgment')}; the highest grade of a document counts"
    ),
    "negative-grades": lambda n, _: (
        f"{plural(n, 'negative grade')}; their gain is 0, and the convention 'negatives' decides whether they count as judged"
    ),
    "subtopics": lambda n, _: (
        f"judgments of {plural(n, 'subtopic')}; measures that do not read subtopics take the "
        "highest grade of a document"
    ),
    "missing-labels": lambda n, of: (
        f"{n} of {plural(of, 'label')} NaN; such documents count as not judged"
    ),
    "excluded": lambda n, _: f"{plural(n, 'document')} of the run excluded before ranking",
    "excluded-judged": lambda n, _: (
        f"{plural(n, 'judged document')} in exclude too; the run cannot gain from them"
    ),
    "parents": lambda n, of: f"{plural(n, 'chunk')} of {plural(of, 'document')} in the run",
    "judged-chunks": lambda n, of: (
        f"{plural(n, 'judged chunk')} of {plural(of, 'judged document')}; the highest grade of its "
        "chunks is the grade of a document"
    ),
    "cold-queries": lambda n, of: f"{n} of {plural(of, 'judged query')} not in exclude (cold)",
}
#: Notices whose text is the same for every count.
_WITHOUT_COUNT = ("ratings-as-grades",)
_EXAMPLES = 3
#: Notices that do not depend on the run, whoever counts them.
OF_JUDGMENTS = ("excluded-judged", "cold-queries")


def reading_notice(
    code: str,
    n: int,
    examples: Iterable[str] = (),
    *,
    of: int = 0,
    level: str = "warning",
    keep_zero: bool = False,
    more: str = "",
) -> list[Notice]:
    """Return the notice of that code, none if nothing was counted.

    ``more`` are words behind the counts, which are the same in all parts.
    ``of`` is the number of what was examined, for texts that name it. It adds up over parts, so
    with ``keep_zero`` a part in which nothing was counted has a notice too; it is not shown.
    """
    if not n and not keep_zero:
        return []
    return [Notice(code, n, _TEXTS[code](n, of) + more, tuple(examples), level, of)]


def merged_notices(a: Iterable[Notice], b: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return the notices of two parts as one; those that count nothing in a part count once."""
    merged: dict[tuple[str, str], Notice] = {}
    for notice in (*a, *b):
        key = notice.code, "" if notice.code in _TEXTS else notice.text
        if key not in merged:
            merged[key] = notice
        elif notice.code in (*_TEXTS, *_WITHOUT_COUNT):
            merged[key] = _sum(merged[key], notice)
    return tuple(merged[key] for key in sorted(merged))


def _sum(a: Notice, b: Notice) -> Notice:
    n, of = a.count + b.count, a.of + b.of
    examples = tuple(sorted({*a.examples, *b.examples})[: max(len(a.examples), len(b.examples))])
    text = a.text
    if words := _TEXTS.get(a.code):
        text = words(n, of) + a.text.removeprefix(words(a.count, a.of))
    return replace(a, count=n, of=of, text=text, examples=examples[:_EXAMPLES])
