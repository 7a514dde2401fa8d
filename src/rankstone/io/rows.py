"""Judgments and runs from rows, whatever text they stood in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from rankstone.core.dicts import ListedRun, ScoredRun
from rankstone.core.ids import Ids, sort_key
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notices import negative_notices, repeated_notices
from rankstone.core.provenance import Source
from rankstone.errors import DataError

Row = tuple[str, str, float]
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)


@dataclass(frozen=True)
class Lists:
    """Rankings without scores: documents by query, best first."""

    data: dict[str, list[str]]


def id_of(value: Any, what: str, where: str) -> str:
    """Return an id as text; in a text file 12 and "12" are the same id."""
    if isinstance(value, str):
        if not value:
            raise DataError(f"{where}: empty {what} id. Give every {what} an id.")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise DataError(f"{where}: {what} id {value!a} is not valid text.") from None
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    hint = f" Write it as {int(value)} or as text." if _whole(value) else ""
    raise DataError(f"{where}: {what} id {_shown(value)} is neither text nor a whole number.{hint}")


def check_utf8(query: str, doc: str, without: str = "") -> None:
    """Refuse ids that a format of UTF-8 text cannot hold, or that hold a character it lacks."""
    for what, value in (("query", query), ("document", doc)):
        if any(c in value for c in without):
            raise DataError(
                f"{what} id {value!a} cannot be written to this format. Convert to json or jsonl."
            )
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise DataError(
                    f"{what} id {value!a} is not UTF-8 and cannot be written to this format. "
                    "Convert to trec."
                ) from None


def shown(number: float) -> str:
    """Return a number as text that means exactly it, a whole one without decimals."""
    whole = abs(number) < 1e15 and number == int(number) and str(number) != "-0.0"
    return str(int(number)) if whole else repr(number)


def _whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def number_of(value: Any, what: str, where: str) -> float:
    """Return a number; text that is one is taken as one."""
    if type(value) is float and isfinite(value):
        return value
    try:
        if isinstance(value, bool) or (isinstance(value, str) and not _is_number(value)):
            raise ValueError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{where}: {what} {_shown(value)} is not a number.") from None
    if not isfinite(found):
        raise DataError(f"{where}: {what} {_shown(value)} is not a finite number.")
    return found


def _is_number(text: str) -> bool:
    """Return whether text is a number to all readers alike; Python knows more of them."""
    return _NUMBER.fullmatch(text.strip(" \t\r\n")) is not None


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 64 else f"{text[:60]}..."


def judgments_from(rows: Iterable[Row], source: Source, path: str) -> Judgments:
    """Gather judgments; of contradicting grades the highest counts."""
    given: dict[str, dict[str, list[float]]] = {}
    for query, doc, grade in rows:
        docs_of = given.setdefault(query, {})
        if doc:
            docs_of.setdefault(doc, []).append(grade)
    if not any(given.values()):
        raise DataError(f"{path}: the file holds no judgments.")
    keys = [q for _, q in sorted(zip(sort_key(list(given)), given, strict=True))]
    docs: list[str] = []
    grades: list[float] = []
    repeated: list[tuple[bytes, bytes]] = []
    contradicting: list[tuple[bytes, bytes]] = []
    for query in keys:
        for doc, all_given in given[query].items():
            top = max(all_given)
            docs.append(doc)
            grades.append(top)
            if len(all_given) > 1:
                pair = (_bytes(query), _bytes(doc))
                same = all_given.count(top)
                repeated += [pair] * (same - 1)
                contradicting += [pair] * (len(all_given) - same)
    values = np.array(grades, np.float64)
    nothing = (b"", b"")
    found = {
        "repeated": len(repeated),
        "contradicting": len(contradicting),
        "repeated_example": min(repeated, default=nothing),
        "contradicting_example": min(contradicting, default=nothing),
    }
    return Judgments(
        Ids(keys, "text"),
        np.cumsum([0] + [len(given[q]) for q in keys], dtype=np.int64),
        Ids(docs, "text"),
        values,
        source,
        (*repeated_notices(found), *negative_notices(values)),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, eq=False)
class GatheredRun(ScoredRun):
    """A scored run gathered from rows, with the rows that repeated a document."""

    repeated: dict[str, list[str]] = field(default_factory=dict)

    def match(self, judgments: Judgments, *, float32: bool) -> Matches:
        """Find the judged documents and say which stood more than once."""
        matches = super().match(judgments, float32=float32)
        if not self.repeated:
            return matches
        counts = matches.duplicates.copy()
        examples: dict[int, str | int] = {}
        for q, query in enumerate(judgments.queries):
            again = self.repeated.get(str(query), ())
            if again:
                counts[q] = len(again)
                examples[q] = min(again, key=_bytes)
        return replace(matches, duplicates=counts, duplicate=examples)


def run_from(
    rows: Iterable[Row] | Lists, name: str, source: Source, path: str
) -> GatheredRun | ListedRun:
    """Gather a run; of a document that stands more than once the best score counts."""
    if isinstance(rows, Lists):
        if not rows.data:
            raise DataError(f"{path}: the file holds no rows.")
        return ListedRun(rows.data, name, source)
    data: dict[str, dict[str, float]] = {}
    repeated: dict[str, list[str]] = {}
    for query, doc, score in rows:
        scores = data.setdefault(query, {})
        if not doc:
            continue
        if doc in scores:
            repeated.setdefault(query, []).append(doc)
            if score <= scores[doc]:
                continue
            del scores[doc]  # the better row's place in the input is what counts
        scores[doc] = score
    if not data:
        raise DataError(f"{path}: the file holds no rows.")
    return GatheredRun(data, name, source, repeated=repeated)


def rows_of_lists(lists: Lists) -> Iterable[Row]:
    """Give rankings without scores the scores that keep their order."""
    for query, docs in lists.data.items():
        kept = dict.fromkeys(docs)
        if not kept:
            yield query, "", 0.0
        for i, doc in enumerate(kept):
            yield query, doc, float(len(kept) - i)


def rows_of_judgments(judgments: Judgments) -> Iterable[Row]:
    """Yield judgments row by row."""
    docs, grades = judgments.docs.objects, judgments.grades.tolist()
    bounds = pairwise(judgments.groups.tolist())
    for query, (a, b) in zip(judgments.queries, bounds, strict=True):
        for i in range(a, b):
            yield str(query), str(docs[i]), grades[i]
