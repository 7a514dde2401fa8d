"""Records: objects that hold a row, or all rows of a query, under many names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from rankstone.core.notice_texts import reading_notice
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import number_of
from rankstone.core.subtopics import CITES, SENTENCE, Aspect
from rankstone.core.tally import EXAMPLES
from rankstone.errors import DataError, did_you_mean
from rankstone.frozen import frozen
from rankstone.io import column_roles as known
from rankstone.io.column_roles import key_named, plain_name, wanted_names, with_paths
from rankstone.io.llm_results import with_id
from rankstone.io.nuggets import grade_of, is_vital
from rankstone.io.rows import Id, Lists, id_of

_SCALARS = str | int | float | None
_NO_NUMBER = object()  # unlike null, which is a value
_ONE = (str, int, float, bool, type(None))
_NOT_GRADES = {
    *known.ITEM_NAMES, *known.CHUNK_NAMES, *known.NOT_NUMBERS, "page", "start", "end", "offset", "index",
}  # fmt: skip
_LIST_NAMES = {"expected": known.EXPECTED_NAMES, "retrieved": known.RETRIEVED_NAMES}
_NOTHING = {"expected": "is relevant", "retrieved": "was retrieved"}
_MANY = (list, dict, tuple, set, frozenset)  # the latter three in memory only


@frozen
class Keys:
    """The key of each role in a record; None if the record lacks it."""

    query: str | None
    doc: str | None
    grade: str | None
    score: str | None
    rank: str | None
    expected: str | None
    retrieved: str | None
    subtopic: str | None = None
    importance: str | None = None
    assignment: str | None = None
    nuggets: str | None = None
    sentences: str | None = None
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)  # all keys of each list

    @property
    def known(self) -> bool:
        """Whether the record holds rows at all."""
        return bool(self.doc or self.expected or self.retrieved or self.nuggets)


def parts_named(record: dict[str, Any]) -> list[str]:
    """Return the keys that are names of lists in a record."""
    return [
        key
        for key in record
        if plain_name(str(key)) in (*known.EXPECTED_NAMES, *known.RETRIEVED_NAMES)
    ]


def keys_of(record: dict[str, Any], columns: Mapping[str, Any] | None = None) -> Keys:
    """Find the keys of a record by the names people give them, or gave in ``columns``."""
    keys = _keys(tuple(record), tuple(map(type, record.values())))
    for role in columns or ():
        named = next((name for name in wanted_names(columns, role) if name in record), None)
        if named is not None and role != "distance":
            changed: dict[str, Any] = {role: named}
            keys = replace(keys, **changed)
    return keys


@lru_cache(1024)
def _keys(names: tuple[Any, ...], types: tuple[type, ...]) -> Keys:
    plain = {plain_name(str(key)): key for key in reversed(names)}
    kind_of = dict(zip(names, types, strict=True))

    def every(words: Sequence[str], kinds: tuple[type, ...]) -> list[str]:
        keys = (plain[n] for n in words if n in plain)
        return [k for k in keys if kind_of[k] in kinds]

    def first(words: Sequence[str], kinds: tuple[type, ...]) -> str | None:
        return next(iter(every(words, kinds)), None)

    doc = first(known.SYNONYMS["doc"], _ONE)
    # The judgments of BEIR and MTEB have scores beside a corpus-id; other rows with scores are a run.
    is_beir = doc is not None and plain_name(doc) == "corpusid"
    return Keys(
        first(known.QUERY_NAMES, _ONE)
        or first(known.QUERY_NAMES, _MANY),  # the latter is refused as an id
        doc,
        first(known.GRADE_NAMES if is_beir else known.SYNONYMS["grade"], _ONE),
        first(known.SYNONYMS["score"], _ONE),
        first(known.SYNONYMS["rank"], _ONE),
        first(known.EXPECTED_NAMES, _MANY),
        first(known.RETRIEVED_NAMES, _MANY),
        first(known.SYNONYMS["subtopic"], _ONE),
        first(known.SYNONYMS["importance"], _ONE),
        first(known.ASSIGNMENT_NAMES, _ONE),
        first(("nuggets",), (list,)),
        first(("sentences", "answer"), (list,)),
        {role: every(names, _MANY) for role, names in _LIST_NAMES.items()},
    )


class Made(dict[str, Any]):
    """A record that a reader made of documents, whose own keys nobody can name."""


def with_named_keys(
    records: Iterable[tuple[int, str, Any]], columns: Mapping[str, Any] | None, kind: str
) -> Iterator[tuple[int, str, Any]]:
    """Yield records; that none of them has a key which somebody named is an error at the end."""
    roles = known.roles_of_kind(kind)
    left = {role: names for role in roles if (names := known.names_given(columns, role))}
    lacking: dict[str, DataError] = {}
    records = iter(records)
    for number, where, record in records if left else ():
        yield number, where, record
        for role, holder in _holders(record, columns, kind):
            if role in left and any(name in holder for name in left[role]):
                del left[role]
                lacking.pop(role, None)
            elif role in left and role not in lacking:
                keys = list(map(str, holder))
                # Documents under a query are no table: another name is that of a table beside them.
                if not isinstance(record, Made) or any(
                    "." in name or did_you_mean(name, keys) for name in left[role]
                ):
                    lacking[role] = known.missing(where, left[role], keys)
        if not left:
            break
    yield from records
    for error in lacking.values():
        raise error


def _holders(
    flat: Any, columns: Mapping[str, Any] | None, kind: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the roles that are read in a record or in its listed documents, each with its holder."""
    record = with_paths(flat, columns)
    keys = keys_of(record, columns)
    listed = keys.retrieved if kind == "run" else keys.expected
    if not isinstance(flat, Made):
        yield "query", record
        yield ("retrieved" if kind == "run" else "expected"), record
    if listed:
        value = record[listed]["hits"] if is_response(record[listed]) else record[listed]
        holders = [item for item in value if isinstance(item, dict)]
        for item in () if isinstance(value, dict) else holders:
            own = with_paths(item, columns)
            yield from ((role, own) for role in ("doc", "grade", "score", "rank"))
    elif not is_answer(record, keys):
        yield "doc", record
        for role in () if keys.nuggets else ("grade", "score", "rank", "subtopic", "importance"):
            yield role, record


def _check_single(record: dict[str, Any], role: str, where: str) -> None:
    """Refuse two numbers that may both be the grade, or both the score."""
    keys = [
        key
        for key, value in record.items()
        if type(value) in (int, float) and plain_name(str(key)) in known.SYNONYMS[role]
    ]
    if len(keys) > 1:
        shown = " or ".join(map(ascii, keys))
        raise DataError(f"{where}: which key holds the {role}, {shown}? Keep one of them.")


class _SameKeys:
    """Requires every record to use the same keys as the first."""

    def __init__(self) -> None:
        self._last: Keys | None = None
        self._first: dict[str, str | None] = {}

    def check(self, keys: Keys, where: str, **roles: str | None) -> None:
        """Refuse keys by role if an earlier record has others."""
        if keys is self._last:
            return
        self._last = keys
        for role, key in {"query": keys.query, **roles}.items():
            before = self._first.setdefault(role, key)
            if (key and plain_name(key)) != (before and plain_name(before)):
                here, there = (f"under {k!a}" if k else "missing" for k in (key, before))
                raise DataError(
                    f"{where}: the {role} is {here}, in a record before {there}. Use one key."
                )


def judgments(
    records: Iterable[tuple[int, str, Any]], columns: Mapping[str, Any] | None = None
) -> Iterator[Row | Aspect]:
    """Yield the judgments of records, given as (number, where, record)."""
    same_keys, assigned = _SameKeys(), dict[Id, dict[Id, set[Id]]]()
    listed: str | None = None
    for number, where, flat in with_named_keys(records, columns, "judgments"):
        record = with_paths(flat, columns)
        keys = _checked(record, where, columns)
        query = _query(record, keys, number, where)
        if keys.doc and keys.grade and keys.expected:
            raise DataError(
                f"{where}: the record holds a row ({keys.doc!a}) and a list of documents "
                f"({keys.expected!a}), and they may say different things. Keep one of them."
            )
        key = keys.grade or keys.score  # the latter is refused, which other records may explain
        row = {"document": keys.doc, "grade": key} if keys.doc and key else {}
        same_keys.check(keys, where, **row)
        if is_answer(record, keys):
            doc = id_of(record[_answer(record, where)], "answer", where)
            aspects = list(_citations(query, doc, record, keys, where))
            if keys.nuggets:
                aspects += (nuggets := list(_aspects(query, doc, record, keys, where)))
                own = assigned.setdefault(query, {}).setdefault(doc, set())
                own |= {nugget.subtopic for nugget in nuggets}
            yield from aspects
        elif keys.doc and (keys.nuggets or keys.subtopic):
            doc = id_of(record[keys.doc], "document", where)
            yield from _aspects(query, doc, record, keys, where)
        elif keys.doc and keys.grade:
            if "grade" not in (columns or ()):
                _check_single(record, "grade", where)
            doc = id_of(record[keys.doc], "document", where)
            yield query, doc, _number(record[keys.grade], "grade", where)
        elif keys.expected:
            listed = keys.expected
            yield query, NO_DOCUMENT, 0.0
            docs = _documents(record, keys, "expected", where, columns)
            yield from judged(query, docs, where, columns)
        else:
            raise _unknown(
                record, where, "a document and its grade, or a list of expected ids", listed
            )
    for query, answers in assigned.items():
        _check_same_nuggets(query, answers)


def _check_same_nuggets(query: Id, answers: dict[Id, set[Id]]) -> None:
    """Refuse a nugget that was assigned to some answers to a query only."""
    (first, known), *others = answers.items()
    for answer, own in others:
        for nugget in sorted(own ^ known, key=str)[:1]:
            has, lacks = (answer, first) if nugget in own else (first, answer)
            raise DataError(
                f"query {str(query)!a}: the nugget {str(nugget)[:80]!a} of the answer {has!a} is unknown "
                f"to the answer {lacks!a}. Assign every nugget of a query to each answer, as "
                "'not_support' if it is missing there."
            )


def is_answer(record: dict[str, Any], keys: Keys) -> bool:
    """Return whether a record is an answer to which nuggets were assigned, or which has citations."""
    sentences = record[keys.sentences] if keys.sentences else ()
    has_citations = any(isinstance(s, dict) and "citations" in s for s in sentences)
    is_row = keys.doc or keys.expected or keys.retrieved
    return bool(keys.nuggets and not keys.doc) or bool(has_citations and not is_row)


def _citations(
    query: Id, answer: Id, record: dict[str, Any], keys: Keys, where: str
) -> Iterator[Aspect]:
    """Yield the support of each citation of an answer, and the highest of each sentence."""
    for place, sentence in enumerate(record[keys.sentences] if keys.sentences else (), 1):
        name, grades = f"{SENTENCE}{place}", [0.0]
        for citation in sentence.get("citations", ()) if isinstance(sentence, dict) else ():
            own = _checked(citation, f"{where}, {name}: citations", None)
            if not (own.doc and own.assignment):
                raise _unknown(citation, f"{where}, {name}", "a cited document and its support")
            cited = f"{name}{CITES}{id_of(citation[own.doc], 'document', where)}"
            grades.append(grade_of(citation[own.assignment], cited, where))
            yield Aspect(query, answer, grades[-1], cited)
        yield Aspect(query, answer, max(grades), name)


def _answer(record: dict[str, Any], where: str) -> str:
    """Return the key that names an answer, whose nuggets were assigned, by the run that gave it."""
    key = next((key for key in record if plain_name(key) in known.ANSWER_NAMES), None)
    if key is None:
        raise DataError(
            f"{where}: these nuggets were assigned to nothing. Name the document ('docid') or the "
            "answer ('run_id') in each record."
        )
    return key


def _aspects(
    query: Id, doc: Id, record: dict[str, Any], keys: Keys, where: str
) -> Iterator[Aspect]:
    """Yield the grades of a document for the nuggets in its record, or for the record's subtopic."""
    listed = record[keys.nuggets] if keys.nuggets else [record]
    for item in listed:
        own = _checked(item, where, None)
        name = key_named(item, known.NUGGET_NAMES) if keys.nuggets else own.subtopic
        number = own.assignment or own.grade or (own.score if keys.nuggets else None)
        if name is None or number is None:
            raise _unknown(item, where, "a nugget or subtopic, and its assignment or grade")
        subtopic = id_of(item[name], "subtopic", where)
        vital = is_vital(item[own.importance], subtopic, where) if own.importance else None
        yield Aspect(query, doc, grade_of(item[number], subtopic, where), subtopic, vital)


def run(
    records: Iterable[tuple[int, str, Any]], columns: Mapping[str, Any] | None = None
) -> Iterable[Row] | Lists:
    """Return the rows of records, or rankings where each holds the list of a query."""
    texts: dict[int, Id] = {}
    twins: dict[Id, Id] = {}
    parsed = _rankings(records, columns, texts, twins)
    lists: dict[Id, _Ranking] = {}
    is_scored: bool | None = None
    for ranking in parsed:
        if ranking.docs:
            if is_scored not in (None, bool(ranking.scores)):
                raise _mixed(ranking.where)
            is_scored = bool(ranking.scores)
        again = ranking.query in lists
        if ranking.scores and (again or not ranking.is_listed):
            return _rows(chain(lists.values(), [ranking], parsed))
        if again:
            raise DataError(f"{ranking.where}: a second ranking of query {str(ranking.query)!a}.")
        lists[ranking.query] = ranking
    docs = {query: ranking.docs for query, ranking in lists.items()}
    are_answers = any(ranking.is_answer for ranking in lists.values())
    scores = {query: ranking.scores for query, ranking in lists.items()} if is_scored else None
    pairs = [f"{doc} = {other}" for doc, other in twins.items()][:EXAMPLES]
    return Lists(docs, scores, are_answers, tuple(reading_notice("same-texts", len(twins), pairs)))


class _Ranking(NamedTuple):
    """Documents of a query in one record, with scores if there are any.

    ``is_listed`` is whether they stand in a list, whose order ranks them.
    """

    where: str
    query: Id
    docs: list[Id]
    scores: list[float]
    is_listed: bool = False
    is_answer: bool = False


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


def _rankings(
    records: Iterable[tuple[int, str, Any]],
    columns: Mapping[str, Any] | None,
    texts: dict[int, Id],
    twins: dict[Id, Id],
) -> Iterator[_Ranking]:
    """Yield the rankings of records; ``twins`` are the documents whose text another one has."""
    same_keys, listed = _SameKeys(), None
    for number, where, flat in with_named_keys(records, columns, "run"):
        record = with_paths(flat, columns)
        keys = _checked(record, where, columns)
        query = _query(record, keys, number, where)
        if keys.retrieved:
            same_keys.check(keys, where)
            if isinstance(record[keys.retrieved], set | frozenset):
                raise DataError(f"{where}: a set has no order; give a list, best first.")
            listed = keys.retrieved
            docs = _documents(record, keys, "retrieved", where, columns)
            yield (ranking := _Ranking(where, query, *_retrieved(docs, where, columns)))
            for item, doc in zip(docs, ranking.docs, strict=False):
                text = _text(item) if isinstance(item, dict) else None
                if text and texts.setdefault(hash(text), doc) != doc:
                    twins[doc] = texts[hash(text)]
            continue
        if is_answer(record, keys):  # which is all that was retrieved
            answer = id_of(record[_answer(record, where)], "answer", where)
            yield _Ranking(where, query, [answer], [], is_listed=True, is_answer=True)
            continue
        scored = keys.score or keys.rank or keys.grade
        row = {"document": keys.doc, "score": scored} if keys.doc and scored else {}
        same_keys.check(keys, where, **row)
        if keys.doc and keys.score:
            if "score" not in (columns or ()):
                _check_single(record, "score", where)
            score = number_of(record[keys.score], "score", where)
        elif keys.doc and keys.rank:
            score = 0.0 - number_of(record[keys.rank], "rank", where)
        else:
            raise _unknown(
                record, where, "a document and its score, or a list of retrieved ids", listed
            )
        yield _Ranking(where, query, [id_of(record[keys.doc], "document", where)], [score])


def _text(item: dict[str, Any]) -> str | None:
    """Return the text of a retrieved document, if it comes with one."""
    texts = (
        item[key] for key in item if plain_name(str(key)) in ("text", "content", "pagecontent")
    )
    return next((text for text in texts if isinstance(text, str)), None)


def _checked(record: Any, where: str, columns: Mapping[str, Any] | None) -> Keys:
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected an object with a query and its documents.")
    return keys_of(record, columns)


def _query(record: dict[str, Any], keys: Keys, number: int, where: str) -> Id:
    return id_of(record[keys.query] if keys.query else number, "query", where)


def judged(
    query: Id, value: Any, where: str, columns: Mapping[str, Any] | None = None
) -> Iterator[Row | Aspect]:
    """Yield the judgments of a query: grades of documents, or grades by subtopic of each."""
    if not isinstance(value, dict) or not any(isinstance(v, dict) for v in value.values()):
        for doc, grade in graded(value, where, columns):
            yield query, doc, grade
        return
    for key, grades in value.items():
        doc = id_of(key, "document", where)
        if not isinstance(grades, dict):
            raise DataError(
                f"{where}, document {doc!a}: other documents have grades by subtopic, "
                '{"subtopic": grade}, and this one has none. Use one form.'
            )
        if not grades:
            yield query, doc, 0.0
        for subtopic, grade in grades.items():
            name = id_of(subtopic, "subtopic", where)
            yield Aspect(query, doc, grade_of(grade, name, f"{where}, document {doc!a}"), name)


def graded(
    value: Any, where: str, columns: Mapping[str, Any] | None = None
) -> list[tuple[Id, float]]:
    """Return documents and their grades; 1 for documents that are only named."""
    docs, grades = _items(value, known.GRADE_NAMES, "grade", where, columns)
    if "grade" in (columns or ()):
        known.note_use(columns)
    elif not grades:
        for item in value:
            _check_flags(item, where)
    return list(zip(docs, grades or [1.0] * len(docs), strict=True))


def _check_flags(item: Any, where: str) -> None:
    """Refuse a number or false beside the id of an expected document, which may be its grade."""
    for key, value in item.items() if isinstance(item, dict) else ():
        is_flag = isinstance(value, bool | int | float) and value is not True
        if is_flag and plain_name(str(key)) not in _NOT_GRADES:
            raise DataError(
                f"{where}: {key!a} of an expected document is {json.dumps(value)}. Is it the grade? Pass "
                f"{known.advice({'grade': key})}; columns={{'grade': None}} (--columns grade=) "
                "counts every document as relevant."
            )


def _number(value: Any, what: str, where: str) -> float:
    """Return a grade, which may be true or false, or a score."""
    is_truth = isinstance(value, bool) and what == "grade"
    return float(value) if is_truth else number_of(value, what, where)


def _retrieved(
    value: Any, where: str, columns: Mapping[str, Any] | None = None
) -> tuple[list[Id], list[float], bool]:
    """Return documents, their scores or negative ranks if there are any, and whether order counts."""
    if is_response(value):
        value = value["hits"]  # of a search engine's response
    docs, scores = _items(value, known.SCORE_NAMES, "score", where, columns, null=True)
    if not scores and isinstance(value, list):
        docs, ranks = _items(value, known.SYNONYMS["rank"], "rank", where, columns, null=True)
        scores = [0.0 - rank for rank in ranks]
        return docs, scores, not scores
    return docs, scores, isinstance(value, list)


def is_response(value: Any) -> bool:
    """Return whether a value is the ``hits`` of a search engine's response."""
    return isinstance(value, dict) and isinstance(value.get("hits"), list)


def _items(
    value: Any,
    names: Sequence[str],
    what: str,
    where: str,
    columns: Mapping[str, Any] | None,
    *,
    null: bool = False,
) -> tuple[list[Id], list[float]]:
    """Return documents and numbers of ids, of objects with an id, or of an object of both.

    Either all documents have numbers or none has. With ``null`` an object may say that it has none,
    as search engines do of the score if they sorted by something else.
    """
    if isinstance(value, dict):
        pairs = [(id_of(doc, "document", where), number) for doc, number in value.items()]
    else:
        pairs = list(_listed(value, names, what, where, columns))
    without = (_NO_NUMBER, None) if null and isinstance(value, list) else (_NO_NUMBER,)
    numbers = [_number(n, what, where) for _, n in pairs if n not in without]
    if numbers and len(numbers) < len(pairs):
        raise DataError(f"{where}: some documents have {what}s and some have none.")
    return [doc for doc, _ in pairs], numbers


def _listed(
    value: list[Any], names: Sequence[str], what: str, where: str, columns: Mapping[str, Any] | None
) -> Iterator[tuple[Id, Any]]:
    first: tuple[str | None, str | None] | None = None
    doc_names = [*wanted_names(columns, "doc"), *known.ITEM_NAMES]
    number_names = [*wanted_names(columns, what), *names]
    for nested in value:
        if not isinstance(nested, dict):
            yield id_of(nested, "document", where), _NO_NUMBER
            continue
        item = with_paths(nested, columns)
        plain = {plain_name(str(key)): key for key in reversed(item)} | {k: k for k in item}
        doc = next((n for n in doc_names if n in plain), None)
        if doc is None or item[plain[doc]] is None:
            item = with_id(item)
            if item.get("id") is not None:
                doc = plain["id"] = "id"
        number = next((n for n in number_names if n in plain), None)
        first = first or (doc, number)
        if doc is None:
            raise _unknown(item, where, "a document id")
        if doc != first[0] or (number and first[1] and number != first[1]):
            raise DataError(
                f"{where}: documents and numbers are under {first[0]!a} and {first[1]!a}, then "
                f"under {doc!a} and {number!a}. Use the same keys for all."
            )
        if what not in (columns or ()):
            _check_single(item, what, where)
        yield (
            id_of(item[plain[doc]], "document", where),
            (_NO_NUMBER if number is None else item[plain[number]]),
        )


def _documents(
    record: dict[str, Any], keys: Keys, role: str, where: str, columns: Mapping[str, Any] | None
) -> Any:
    """Return the documents of a record; refuse a single value, and a choice among several lists."""
    key, several = getattr(keys, role), keys.lists.get(role, ())
    if isinstance(record[key], _SCALARS):
        raise _not_a_list(key, record[key], role, where)
    if len(several) > 1 and role not in (columns or ()):
        shown = " or ".join(map(ascii, several))
        raise DataError(
            f"{where}: which key holds the {role} documents, {shown}? Pass {known.advice({role: key})}."
        )
    return record[key]


def _not_a_list(key: str, value: Any, role: str, where: str) -> DataError:
    what = "null" if value is None else "text" if isinstance(value, str) else "a number"
    remedy = f"Put {key!a} into a list: [{value!a}]."
    if value is None:
        remedy = f"Write a list, [] if nothing {_NOTHING[role]}."
    return DataError(f"{where}: {key!a} holds {what}, not a list. {remedy}")


def _unknown(
    record: dict[str, Any], where: str, wanted: str, before: str | None = None
) -> DataError:
    """Return the error that a record lacks what is wanted; ``before`` is the key of lists in earlier records."""
    shown = ", ".join(ascii(k) for k in list(record)[:8]) or "none"
    roles = [role for role in known.LISTS if role in wanted]
    is_row = key_named(record, known.SYNONYMS["doc"]) is not None
    for key, value in record.items():
        is_part = any(plain_name(str(key)) in _LIST_NAMES[role] for role in roles)
        if is_part and not is_row and isinstance(value, _SCALARS):
            return _not_a_list(key, value, roles[0], where)
    if before and not is_row:
        return DataError(
            f"{where}: {before!a} is missing, which earlier records have. Write [] if nothing "
            f"{_NOTHING[roles[0]]}."
        )
    hint = ""
    inner = next((k for k, v in record.items() if isinstance(v, dict) and "id" in v), None)
    if inner is not None and "document" in wanted:
        path = f"{inner}.id"
        hint = (
            f" For the id within {inner!a} pass columns={{'doc': {path!a}}} (--columns doc={path})."
        )
    named_already = {*known.QUERY_NAMES, *chain(*_LIST_NAMES.values())}
    free = [key for key in record if plain_name(str(key)) not in named_already]
    lists = [key for key in free if isinstance(record[key], list)]
    texts = [key for key in free if isinstance(record[key], str)]
    named: dict[str, Any] = {
        **dict(zip(["query"], texts, strict=False)),
        **dict(zip(known.LISTS if len(lists) > 1 else roles, lists, strict=False)),
    }
    named = named if lists else dict.fromkeys(known.LISTS)
    own, other, kind = "score", "grade", "judgments"
    if roles == ["expected"]:
        own, other, kind = "grade", "score", "a run"
    number = key_named(record, known.SYNONYMS[other]) if is_row and roles else None
    if number is not None:
        named = {own: number}
        hint = f" This looks like {kind}; the order is judgments first, then runs."
    return DataError(
        f"{where}: no key of the record is known to hold {wanted} (keys: {shown}).{hint} Name the "
        f"keys: {known.advice(named)}, or query, doc, score and grade."
    )
