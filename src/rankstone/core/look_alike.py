"""Ids that are written differently but look like the same: ``123`` and ``00123``, ``é`` and ``é``."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches, lacks_judged
from rankstone.core.notice_texts import reading_notice
from rankstone.errors import Notice
from rankstone.language import tr

_EXAMPLES = 3
_AROUND = " \t\r\"'\ufeff\u200b"


class LookAlike(NamedTuple):
    """A judged id that is missing, and an id of the run that looks like it."""

    judged: object
    run: object

    def __str__(self) -> str:
        return tr("judged {!r}, run {!r}").format(self.judged, self.run)


def look_alikes(missing: Iterable[object], present: Iterable[object]) -> list[LookAlike]:
    """Return missing ids with an id that is present and differs only in how it is written.

    That is by type (1 and "1"), case, blanks, invisible characters or quotes around it, leading
    zeros, decimals (12.0), commas between thousands (1,234), rounding to an exponent
    (4.00638E+12), or the Unicode form of accented letters.
    """
    wanted, known = list(missing), list(present)
    return _pairs(wanted, known, [0, len(wanted)], [0, len(known)])


def _pairs(
    missing: list[Any], present: list[Any], missing_bounds: list[int], present_bounds: list[int]
) -> list[LookAlike]:
    """Return missing ids with one of the same query that looks alike.

    Those of query i are ``missing[missing_bounds[i]:missing_bounds[i + 1]]``.
    """
    forms = _folded([*missing, *present])
    pairs = []
    ends = zip(pairwise(missing_bounds), pairwise(present_bounds), strict=True)
    for (a, b), (c, d) in ends:
        wanted, known = forms[a:b], forms[len(missing) + c : len(missing) + d]
        if set(wanted).isdisjoint(known):
            continue
        by_form = dict(zip(reversed(known), reversed(present[c:d]), strict=True))
        twins = zip(missing[a:b], map(by_form.get, wanted), strict=True)
        pairs += [LookAlike(i, j) for i, j in twins if j is not None and i != j]
    return pairs


def _folded(ids: list[Any]) -> list[str]:
    """Return each id in a form that it shares with ids that look alike.

    All are folded at once, and only in ways that matter to some id, since this is done for
    thousands of ids in every evaluation.
    """
    try:
        lines = "\n".join(ids)
    except TypeError:  # some are numbers
        lines = "\n".join(map(str, ids))
    if lines.count("\n") >= len(ids) > 0:  # some id holds a line end
        lines = "\n".join(str(i).replace("\n", " ") for i in ids)
    if not lines.isascii():
        from unicodedata import normalize

        lines = normalize("NFKC", normalize("NFKC", lines).casefold())
    lines = lines.lower()
    forms = lines.split("\n")
    zeros = lines.startswith("0") or "\n0" in lines
    if any(c in lines for c in _AROUND):
        forms = [form.strip(_AROUND) for form in forms]
        zeros = True
    if "," in lines:
        forms = [form.replace(",", "") if _has_thousands(form) else form for form in forms]
    if ".0" in lines:
        forms = [form.rstrip("0")[:-1] if _is_decimal(form) else form for form in forms]
    if zeros:
        forms = [form.lstrip("0") or "0" if form.isdecimal() else form for form in forms]
    return _rounded(forms) if "e+" in lines else forms


def _has_thousands(text: str) -> bool:
    first, *others = text.split(",")
    return first.isdecimal() and all(len(part) == 3 and part.isdecimal() for part in others)


def _is_decimal(text: str) -> bool:
    whole, _, zeros = text.partition(".")
    return bool(zeros) and whole.isdecimal() and not zeros.strip("0")


def _rounded(forms: list[str]) -> list[str]:
    """Return whole numbers as the numbers with an exponent that they are when rounded."""
    rounded = {form: n for form in forms if (n := _digits(form))}
    digits = {*rounded.values()}
    return [_as_one_of(f, digits, rounded) if f.isdecimal() else f for f in forms]


def _digits(text: str) -> int:
    """Return how many decimals a number such as 4.00638e+12 has, plus 1; 0 if it is not one."""
    mantissa, mark, exponent = text.partition("e+")
    whole, _, decimals = mantissa.partition(".")
    fits = mark and exponent.isdecimal() and whole.isdecimal() and f"0{decimals}".isdecimal()
    return len(decimals) + 1 if fits else 0


def _as_one_of(text: str, digits: set[int], wanted: Container[str]) -> str:
    forms = (f"{int(text):.{n - 1}e}" for n in digits)
    return next((form for form in forms if form in wanted), text)


def documents_that_look_alike(
    judgments: Judgments, matches: Matches
) -> tuple[list[LookAlike], bool]:
    """Return missing judged documents that look like unjudged ones of the run.

    Only the queries that were sampled are examined; the second value says whether there are more.
    """
    samples = matches.doc_samples
    if samples is None or not len(samples.queries):
        return [], False

    first, last = judgments.groups[samples.queries], judgments.groups[samples.queries + 1]
    rows = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    missing = np.ones(len(judgments), bool)
    missing[matches.judgment] = False
    before = np.cumsum(np.append(0, missing[rows]))  # of the missing, those before each row
    pairs = _pairs(
        judgments.docs.at(rows[missing[rows]]),
        list(samples.docs),
        before[np.cumsum(np.append(0, last - first))].tolist(),
        samples.bounds.tolist(),
    )
    lacking = lacks_judged(judgments.groups, matches.judgment, matches.present)
    return pairs, len(samples.queries) < int(lacking.sum())


def look_alike_notices(
    what: str, pairs: Sequence[object], n: int | None = None, *, at_least: bool = False
) -> list[Notice]:
    """Return a notice of judged queries or documents that look like others of the run.

    ``n`` is their number if ``pairs`` are only examples.
    """
    n = len(pairs) if n is None else n
    before = tr("at least ") if at_least else ""
    examples = map(str, pairs[:_EXAMPLES])
    return reading_notice("ids-look-alike", n, examples, effect=tr(what), before=before)
