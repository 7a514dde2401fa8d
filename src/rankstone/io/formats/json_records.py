"""Records: objects that hold a row, or all rows of a query, under many names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from rankstone.errors import DataError
from rankstone.io.formats import NO_DOCUMENT, Row
from rankstone.io.formats.trec_layout import (
    DOC_NAMES,
    GRADE_NAMES,
    RANK_NAMES,
    SCORE_NAMES,
    plain_name,
)
from rankstone.io.rows import Lists, id_of, number_of

_QUERY = (
    "queryid qid qno topicid topicno questionid userid uid sessionid id query question topic user "
    "session querytext userinput"
)
_EXPECTED = (
    "expectedids expected expecteddocids relevantids relevantdocids relevantdocs relevant "
    "referencecontextids groundtruthids groundtruth goldids gold positives positiveids qrels "
    "judgments judgements ratings"
)
_RETRIEVED = (
    "retrievedids retrieved retrieveddocids retrieveddocs retrievedcontextids results resultids "
    "ranking ranked rankedids predictions predictedids recommendations recommended recs hits topk"
)
_ITEM = f"id {DOC_NAMES}"
_NOT_GIVEN = object()  # where null would be a value that somebody gave


@dataclass(frozen=True)
class Keys:
    """Which keys of a record hold what; None for what it lacks."""

    query: str | None
    doc: str | None
    grade: str | None
    score: str | None
    rank: str | None
    expected: str | None
    retrieved: str | None

    @property
    def known(self) -> bool:
        """Whether the record holds rows at all."""
        return bool(self.doc or self.expected or self.retrieved)


def parts_named(record: dict[str, Any]) -> list[str]:
    """Return the keys that are names of lists in a record."""
    lists = {*_EXPECTED.split(), *_RETRIEVED.split()}
    return [key for key in record if plain_name(key) in lists]


def keys_of(record: dict[str, Any]) -> Keys:
    """Find the keys of a record by the names people give them."""
    return _keys(tuple(record), tuple(map(type, record.values())))


@lru_cache(1024)
def _keys(names_given: tuple[str, ...], types: tuple[type, ...]) -> Keys:
    plain = {plain_name(key): key for key in reversed(names_given)}
    kind_of = dict(zip(names_given, types, strict=True))

    def first(names: str, kinds: tuple[type, ...]) -> str | None:
        found = (plain[n] for n in names.split() if n in plain)
        return next((k for k in found if kind_of[k] in kinds), None)

    one: tuple[type, ...] = (str, int, float, bool, type(None))
    many = (list, dict, tuple, set, frozenset)  # the latter three in memory only
    return Keys(
        first(_QUERY, one) or first(_QUERY, many),  # the latter is refused as an id
        first(DOC_NAMES, one),
        first(GRADE_NAMES, one),
        first(f"{SCORE_NAMES} {GRADE_NAMES}", one),
        first(RANK_NAMES, one),
        first(_EXPECTED, many),
        first(_RETRIEVED, many),
    )


class _Steady:
    """What records are read by: the keys of the first hold for all, lest others be taken for them."""

    def __init__(self) -> None:
        self._known: Keys | None = None
        self._first: dict[str, str | None] = {}

    def check(self, keys: Keys, where: str, **roles: str | None) -> None:
        """Refuse keys by role where an earlier record has others."""
        if keys is self._known:
            return
        self._known = keys
        for role, key in {"query": keys.query, **roles}.items():
            before = self._first.setdefault(role, key)
            if (key and plain_name(key)) != (before and plain_name(before)):
                here, there = (f"under {k!a}" if k else "nowhere" for k in (key, before))
                raise DataError(
                    f"{where}: the {role} stands {here}, in a record before {there}. Use one key."
                )


def judgments(records: Iterable[tuple[int, str, Any]]) -> Iterator[Row]:
    """Yield the judgments of records, given as (number, where, record)."""
    steady = _Steady()
    for number, where, record in records:
        keys = _checked(record, where)
        query = _query(record, keys, number, where)
        if keys.doc and keys.grade and keys.expected:
            raise _both(where, keys.doc, keys.expected)
        row = {"document": keys.doc, "grade": keys.grade} if keys.doc and keys.grade else {}
        steady.check(keys, where, **row)
        if keys.doc and keys.grade:
            doc = id_of(record[keys.doc], "document", where)
            yield query, doc, number_of(record[keys.grade], "grade", where)
        elif keys.expected:
            yield query, NO_DOCUMENT, 0.0
            for doc, grade in graded(record[keys.expected], where):
                yield query, doc, grade
        else:
            raise _unknown(record, where, "a document and its grade, or a list of expected ids")


def run(records: Iterable[tuple[int, str, Any]]) -> Iterable[Row] | Lists:
    """Return the rows of records, or lists where they hold rankings without scores."""
    parsed = _rankings(records)
    lists: dict[str, list[str]] = {}
    for ranking in parsed:
        if ranking.scores:
            empty = [(query, NO_DOCUMENT, 0.0) for query, docs in lists.items() if not docs]
            if len(empty) < len(lists):
                raise _mixed(ranking.where)
            return chain(empty, _rows(chain([ranking], parsed)))
        if ranking.query in lists:
            raise DataError(f"{ranking.where}: a second ranking of query {ranking.query!a}.")
        lists[ranking.query] = ranking.docs
    return Lists(lists)


class _Ranking(NamedTuple):
    """Documents of a query in one record; scores are none where position decides."""

    where: str
    query: str
    docs: list[str]
    scores: list[float]


def _rows(rankings: Iterable[_Ranking]) -> Iterator[Row]:
    for ranking in rankings:
        if len(ranking.scores) < len(ranking.docs):
            raise _mixed(ranking.where)
        yield ranking.query, NO_DOCUMENT, 0.0
        for doc, score in zip(ranking.docs, ranking.scores, strict=True):
            yield ranking.query, doc, score


def _mixed(where: str) -> DataError:
    return DataError(
        f"{where}: some records hold scores and some hold lists without them; use one form."
    )


def _rankings(records: Iterable[tuple[int, str, Any]]) -> Iterator[_Ranking]:
    steady = _Steady()
    for number, where, record in records:
        keys = _checked(record, where)
        query = _query(record, keys, number, where)
        if keys.retrieved:
            steady.check(keys, where)
            yield _Ranking(where, query, *_retrieved(record[keys.retrieved], where))
            continue
        scored = keys.score or keys.rank
        row = {"document": keys.doc, "score": scored} if keys.doc and scored else {}
        steady.check(keys, where, **row)
        if keys.doc and keys.score:
            score = number_of(record[keys.score], "score", where)
        elif keys.doc and keys.rank:
            score = 0.0 - number_of(record[keys.rank], "rank", where)
        else:
            raise _unknown(record, where, "a document and its score, or a list of retrieved ids")
        yield _Ranking(where, query, [id_of(record[keys.doc], "document", where)], [score])


def _checked(record: Any, where: str) -> Keys:
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected an object with a query and its documents.")
    return keys_of(record)


def _query(record: dict[str, Any], keys: Keys, number: int, where: str) -> str:
    return id_of(record[keys.query] if keys.query else str(number), "query", where)


def graded(value: Any, where: str) -> list[tuple[str, float]]:
    """Return documents and their grades; where they are only named they are relevant."""
    docs, grades = _items(value, GRADE_NAMES, "grade", where)
    return list(zip(docs, grades or [1.0] * len(docs), strict=True))


def _retrieved(value: Any, where: str) -> tuple[list[str], list[float]]:
    """Return documents and their scores, or what their ranks are worth; none where there are none."""
    docs, scores = _items(value, f"{SCORE_NAMES} {GRADE_NAMES}", "score", where, null=True)
    if not scores and isinstance(value, list):
        docs, ranks = _items(value, RANK_NAMES, "rank", where, null=True)
        scores = [0.0 - rank for rank in ranks]
    return docs, scores


def _items(
    value: Any, names: str, what: str, where: str, *, null: bool = False
) -> tuple[list[str], list[float]]:
    """Return documents and numbers of ids, of objects with an id, or of an object of both.

    Either all documents have numbers or none has. With ``null`` an object may say that it has none,
    as search engines do of the score where they sorted by something else.
    """
    if isinstance(value, dict):
        found = [(id_of(doc, "document", where), number) for doc, number in value.items()]
    else:
        found = list(_listed(value, names, where))
    without = (_NOT_GIVEN, None) if null and isinstance(value, list) else (_NOT_GIVEN,)
    numbers = [number_of(n, what, where) for _, n in found if n not in without]
    if numbers and len(numbers) < len(found):
        raise DataError(f"{where}: some documents have {what}s and some have none.")
    return [doc for doc, _ in found], numbers


def _listed(value: list[Any], names: str, where: str) -> Iterator[tuple[str, Any]]:
    first: tuple[str | None, str | None] | None = None
    for item in value:
        if not isinstance(item, dict):
            yield id_of(item, "document", where), _NOT_GIVEN
            continue
        plain = {plain_name(key): key for key in reversed(item)}
        doc = next((n for n in _ITEM.split() if n in plain), None)
        number = next((n for n in names.split() if n in plain), None)
        first = first or (doc, number)
        if doc is None:
            raise _unknown(item, where, "a document id")
        if doc != first[0] or (number and first[1] and number != first[1]):
            raise DataError(
                f"{where}: documents and numbers stand under {first[0]!a} and {first[1]!a}, then "
                f"under {doc!a} and {number!a}. Use the same keys for all."
            )
        given = _NOT_GIVEN if number is None else item[plain[number]]
        yield id_of(item[plain[doc]], "document", where), given


def _both(where: str, doc: str, listed: str) -> DataError:
    return DataError(
        f"{where}: the record holds a row ({doc!a}) and a list of documents ({listed!a}), and they "
        "may say different things. Keep one of them."
    )


def _unknown(record: dict[str, Any], where: str, wanted: str) -> DataError:
    found = ", ".join(ascii(k) for k in list(record)[:8]) or "none"
    plain = {plain_name(key): key for key in record}
    one = next((plain[n] for n in f"{_EXPECTED} {_RETRIEVED}".split() if n in plain), None)
    held = record.get(one)  # type: ignore[arg-type]
    hint = f" Put {one!a} into a list: [{held!a}]." if isinstance(held, str | int) else ""
    return DataError(
        f"{where}: no key of the record is known to hold {wanted} (keys: {found}).{hint}"
    )
