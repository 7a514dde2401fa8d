"""Every notice on data: its level and its text, in the order of what it may change in a number.

Texts are built from counts, so that notices of parts can be merged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankstone.errors import Notice, plural
from rankstone.language import tr

#: The level and the text of each notice, the gravest first. ``n`` is the count, ``of`` the number of
#: what was examined (see ``_Count``), ``effect`` what the conventions do about it.
TABLE = {
    "ids-look-alike": ("warning", "{n:judged {effect}} {n:is not in the run but looks like one that is|are not in the run but look like others that are}; ids are compared exactly, so write them alike"),
    "no-document-found": ("warning", "no judged document was retrieved for any query"),
    "same-texts": ("warning", "{n:document} {n:has|have} the text of another one, and if only one of them is judged, the other counts as wrong; say which are the same with same_as= (--same-as FILE)"),
    "not-in-corpus": ("warning", "{n:judged document} {n:is|are} not among the documents of the chunks in parents, so no run can find {n:it|them}"),
    "partial-responses": ("warning", "{n} of {of:response} of a search that timed out or failed on some shards, so hits may be missing; repeat the search"),
    "missing-queries": ("warning", "{n} of {of:judged query} not in the run; missing ones {effect}"),
    "nothing-excluded": ("warning", "no pair of exclude is in the run, so nothing was removed; if the run was not made without these pairs, their ids are written differently"),
    "unjudged-queries": ("warning", "{n:query} of the run without judgments; {effect}"),
    "contradicting-judgments": ("warning", "{n:contradicting judgment}; the highest grade of a document counts"),
    "duplicate-documents": ("warning", "{n:repeated document} in the run; {effect}"),
    "rank-disagrees": ("warning", "in {n:query} the rank column disagrees with the scores; scores decide"),
    "order-against-scores": ("warning", "in {n} of {of:list} the order disagrees with the scores; the order decides, unless rank_by='score'"),
    "labels-and-scores": ("warning", "labels are fractions and scores are whole numbers, as if they had changed places; labels come first"),
    "grades-without-zero": ("warning", "none of {n:judged document} has the grade 0, so all count as relevant; if the lowest grade of the scale means that a document is not, say relevance=2 or more"),
    "grades-below-one": ("warning", "{n:judged document} {n:has|have} a grade between 0 and 1, and {n:counts|count} as not relevant, for relevance is 1 by default; choose it, such as relevance=0.5, or give grades of 1 and more"),
    "query-starts-again": ("warning", "the items of {n:query} are not next to each other, and count as one list; if they are several, choose qid_blocks='separate'"),
    "commented-rows": ("warning", "{n:row} after a # at the start of the line; read as comments"),
    "repeated-judgments": ("warning", "{n:repeated judgment}; each counts once"),
    "negative-grades": ("warning", "{n:negative grade}; their gain is 0, and the convention 'negatives' decides whether they count as judged"),
    "missing-labels": ("warning", "{n} of {of:label} NaN; such documents count as not judged"),
    "excluded-judged": ("warning", "{n:judged document} in exclude too; the run cannot gain from them"),
    "no-subtopics": ("warning", "the judgments name no subtopics, so a query is its only one for {effect}; give judgments by subtopic"),
    "unknown-items": ("note", "{n} of {of:recommended item} not in the data that items= or history= gives"),
    "judged-share": ("note", "only {effect} are judged; the rest count as not relevant"),
    "no-relevant": ("note", "{n} of {of:query} without a relevant document; {effect}"),
    "ties": ("note", "{n} of {of:judged document} found {n:shares its|share their} score with another; {effect} decides"),
    "close-scores": ("note", "scores are {effect}: {n} of {of:judged document} {n:has|have} others so close that rounding of the products decides their order; Factors(..., float64=True) computes these in 64 bits"),
    "large-scores": ("note", "{n:document} {n:shares a score|share scores} of 2^53 or more with another; whole numbers of that size are rounded, so scores that differ in the input may be ties"),
    "padding": ("note", "{n:id} below 0 in arrays of whole numbers; read as padding"),
    "excluded": ("note", "{n:document} of the run excluded before ranking"),
    "cold-queries": ("note", "{n} of {of:judged query} not in exclude (cold)"),
    "parents": ("note", "{n:chunk} of {of:document} in the run"),
    "same-as": ("note", "{n:document} of the run {n:is|are} {of:document} by same_as"),
    "judged-same-as": ("note", "{n:judgment} {n:is|are} of {of:document} by same_as; the highest grade counts"),
    "judged-chunks": ("note", "{n:judged chunk} of {of:judged document}; the highest grade of its chunks is the grade of a document"),
    "subtopics": ("note", "judgments of {n:subtopic}; measures that do not read subtopics take the highest grade of a document"),
}  # fmt: skip
#: Notices whose text is the same for every count.
_WITHOUT_COUNT = ("ratings-as-grades",)
_EXAMPLES = 3
#: Notices that do not depend on the run, whoever counts them.
OF_JUDGMENTS = ("excluded-judged", "cold-queries")


class _Count(int):
    """A count that is written with its noun, or chooses the words for one or for several.

    >>> "{0:query} {0:is|are} missing".format(_Count(2))
    '2 queries are missing'
    """

    def __format__(self, spec: str) -> str:
        one, several, many = spec.partition("|")
        if several:
            return one if self == 1 else many
        return plural(int(self), spec) if spec else str(int(self))


def _text(code: str, n: int, of: int, effect: str = "") -> str:
    return tr(TABLE[code][1]).format(n=_Count(n), of=_Count(of), effect=effect)


#: Where notices that are not in the table are sorted: each code before one of the table.
_SORTED_BEFORE = {
    "other-sheets": "missing-queries", "faulty-rows": "missing-queries", "undefined": "missing-queries",
    "gain-not-listed": "missing-queries", "ratings-as-grades": "unjudged-queries",
    "all-relevant": "missing-queries", "scale-from-judgments": "judged-share", "no-grade": "judged-share",
}  # fmt: skip


def gravity(notice: Notice) -> tuple[int, bool]:
    """Return a key that sorts notices by what they may change, the gravest first."""
    places = list(TABLE)
    code = _SORTED_BEFORE.get(notice.code, notice.code)
    if code not in TABLE:
        code = "judged-share" if notice.level == "warning" else places[-1]
    return places.index(code), notice.code in TABLE


def reading_notice(
    code: str,
    n: int,
    examples: Iterable[str] = (),
    *,
    of: int = 0,
    effect: str = "",
    level: str | None = None,
    keep_zero: bool = False,
    before: str = "",
    more: str = "",
) -> list[Notice]:
    """Return the notice of that code, none if nothing was counted.

    Args:
        code: of the notice.
        n: the count.
        examples: some of what was counted.
        of: number of what was examined, for texts that name it. It adds up over parts, so with
            ``keep_zero`` a part in which nothing was counted has a notice too; it is not shown.
        effect: consequence of the conventions, for texts that name it.
        level: default: that of the table.
        keep_zero: return the notice even if nothing was counted.
        before: words before the text.
        more: words behind the text, which are the same in all parts.
    """
    if not n and not keep_zero:
        return []
    text = before + _text(code, n, of, effect) + more
    return [Notice(code, n, text, tuple(examples), level or TABLE[code][0], of)]


def merged_notices(a: Iterable[Notice], b: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return the notices of two parts as one; those that count nothing in a part count once."""
    merged: dict[tuple[str, str], Notice] = {}
    for notice in (*a, *b):
        key = notice.code, "" if notice.code in TABLE else notice.text
        if key not in merged:
            merged[key] = notice
        elif notice.code in (*TABLE, *_WITHOUT_COUNT):
            merged[key] = _sum(merged[key], notice)
    return tuple(merged[key] for key in sorted(merged))


def _sum(a: Notice, b: Notice) -> Notice:
    n, of = a.count + b.count, a.of + b.of
    examples = tuple(sorted({*a.examples, *b.examples})[: max(len(a.examples), len(b.examples))])
    text = a.text
    if a.code in TABLE:
        text = _text(a.code, n, of) + a.text.removeprefix(_text(a.code, a.count, a.of))
    return replace(a, count=n, of=of, text=text, examples=examples[:_EXAMPLES])
