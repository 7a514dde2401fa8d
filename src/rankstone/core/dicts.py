"""Judgments and runs in Python dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids, sort_key
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches, Outcome, arrays_of, doc_samples
from rankstone.core.notices import negative_notices
from rankstone.core.provenance import MEMORY, Source
from rankstone.core.run import NO_DOCUMENT, Row
from rankstone.core.scalars import id_of, number_of, shown
from rankstone.errors import DataError, EmptyError, Notice, UsageError
from rankstone.frozen import frozen

_NUMBERS = (int, np.integer)


def judgments_of(data: Mapping[Any, Any]) -> Judgments:
    """Take ``{query: {document: grade}}`` or ``{query: relevant documents}``."""
    keys = list(data)
    ids = Ids.of(keys, "query")
    if not keys:
        raise DataError("the judgments are empty.")
    if not ids.typed:
        _check_single(ids.objects, "the judgments", "query")
    sort_keys = sort_key(ids.objects)
    order = sorted(range(len(keys)), key=sort_keys.__getitem__)
    docs, groups, grades = _judged({keys[i]: data[keys[i]] for i in order})
    notices = tuple(negative_notices(grades))
    return Judgments(ids.take(order), groups, docs, grades, MEMORY, notices)


def _judged(data: dict[Any, Any]) -> tuple[Ids, np.ndarray, np.ndarray]:
    """Return documents, the bounds of queries in them, and grades; all at once if they are plain."""
    plain = engine.load().read_judged(list(data.values()))
    if plain is not None:
        objects, are_numbers, groups, grades = plain
        return Ids(objects, "number" if are_numbers else "text"), groups, grades
    docs: list[Any] = []
    values: list[float] = []
    bounds = [0]
    for query, judged in data.items():
        if isinstance(judged, Mapping):
            docs.extend(judged)
            values.extend(_grades(query, judged))
        else:
            relevant = dict.fromkeys(_listed(query, judged, "judgments"))
            docs.extend(relevant)
            values.extend([1.0] * len(relevant))
        bounds.append(len(docs))
    ids = Ids.of(docs, "document")
    if not ids.typed:
        for query, (a, b) in zip(data, pairwise(bounds), strict=True):
            _check_single(ids.objects[a:b], f"judgments of query {query!r}", "document")
    return ids, np.array(bounds, np.int64), np.array(values, np.float64)


def _check_single(ids: Sequence[Any], where: str, what: str) -> None:
    """Refuse an id that is there as text and as a number, which are the same in a file."""
    if len(set(ids)) < len(ids):
        again = next(i for i in ids if ids.count(i) > 1)
        raise DataError(
            f"{where}: {what} {again!r} is there twice, as text and as a number. Keep one."
        )


def _grades(query: Any, judged: Mapping[Any, Any]) -> list[float]:
    """Return the grades of one query, read one by one."""
    where = f"judgments of query {query!r}"
    return [
        float(grade)
        if isinstance(grade, bool | np.bool_)
        else number_of(grade, "grade", f"{where}, document {doc!r}")
        for doc, grade in judged.items()
    ]


def _listed(query: Any, value: Any, what: str) -> list[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise DataError(
            f"{what} of query {query!r}: expected a dict, or a list or set of document ids, "
            f"not {value!r}."
        )
    # The items of a tensor are tensors, until it is a list.
    return list(value.tolist() if hasattr(value, "tolist") else value)


@frozen(eq=False)
class ScoredRun:
    """A run in a dict ``{query: {document: score}}``; with ``ascending`` the lowest is the best.

    ``made_from`` is the direction of the numbers that the scores were made from, if that is another.
    """

    data: dict[Any, dict[Any, float]]
    name: str = "run"
    source: Source = field(default=MEMORY)
    ascending: bool = False
    typed: bool = True  # False for text of which it is not known whether it stands for numbers
    made_from: int = 1

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is, 0 if there were no scores."""
        return -1 if self.ascending else self.made_from

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents in input order, with scores; the highest is the best."""
        sign = -1.0 if self.ascending else 1.0
        for query, scores in self.data.items():
            yield query, NO_DOCUMENT, 0.0
            for doc, score in scores.items():
                where = f"run of query {query!r}, document {doc!r}"
                yield query, doc, sign * number_of(score, "score", where)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the dictionaries."""
        queries, docs = _ids_as_in(self.data, judgments, typed=self.typed)
        scan = engine.load().match_mapping(
            self.data, queries, docs, judgments.groups, self.ascending, float32
        )
        if scan["fault"]:
            return self._repaired(*scan["fault"]).match(judgments, float32=float32, repeats=repeats)
        unjudged, sample = _unjudged(self.data, queries)
        return Matches.of(
            scan,
            unjudged_queries=unjudged,
            unjudged_sample=sample,
            doc_samples=doc_samples(scan, judgments.groups, docs, lambda q: self.data[queries[q]]),
        )

    def _repaired(self, kind: str, query: Any, doc: Any, value: Any) -> ScoredRun:
        """Return the run with plain ids, and numbers for scores that are text; else an error.

        Ids that are partly text and partly whole numbers are text, as in a file.
        """
        where = f"{self.name}, query {query!r}"
        if kind == "not_a_mapping":
            raise DataError(f"{where}: expected a dict of scores, found {value!r}.")
        if kind == "mixed_ids":
            return replace(self, data=_with_ids_as_text(self.data, self.name), typed=False)
        if kind == "not_an_id":
            id_of(doc, "document", where)
            return replace(self, data=_with_plain_ids(self.data, self.name))
        if kind == "not_a_number" and isinstance(value, str):
            return replace(self, data={q: self._numbers(q, rows) for q, rows in self.data.items()})
        problem = "a finite number" if kind == "not_finite" else "a number"
        raise DataError(f"{where}: score {shown(value)} of document {doc!r} is not {problem}.")

    def _numbers(self, query: Any, rows: dict[Any, Any]) -> dict[Any, float]:
        where = f"{self.name}, query {query!r}"
        return {d: number_of(s, "score", f"{where}, document {d!r}") for d, s in rows.items()}


@frozen(eq=False)
class ListedRun:
    """A run in a dict ``{query: [document, ...]}``, best first, with notices on how it was read."""

    data: dict[Any, Any]
    name: str = "run"
    source: Source = field(default=MEMORY)
    typed: bool = True
    about: tuple[Notice, ...] = ()

    @property
    def direction(self) -> int:
        """0: there are no scores."""
        return 0

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents in their order."""
        for query in self.data:
            yield query, NO_DOCUMENT, 0.0
            for place, doc in enumerate(self._list(query, as_text=False)):
                yield query, doc, -float(place)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the lists; position alone decides."""
        queries, docs = _ids_as_in(self.data, judgments, typed=self.typed)
        as_text = judgments.docs.kind == "text"
        outcomes = []
        bounds = pairwise(judgments.groups.tolist())
        for query, (first, last) in zip(queries, bounds, strict=True):
            ranking = self._list(query, as_text=as_text) if query in self.data else []
            order = {doc: i for i, doc in enumerate(dict.fromkeys(ranking))}
            judged = enumerate(docs[first:last], first)
            hits = [(row, order[doc]) for row, doc in judged if doc in order]
            again = None
            if len(order) < len(ranking):
                places: dict[Any, list[int]] = {}
                for i, doc in enumerate(ranking):
                    places.setdefault(doc, []).append(i)
                again = min((own[1], doc) for doc, own in places.items() if len(own) > 1)[1]
                if repeats:
                    judged = enumerate(docs[first:last], first)
                    hits = [(row, i) for row, doc in judged for i in places.get(doc, ())]
            outcomes.append(
                Outcome(
                    query in self.data,
                    len(ranking) if repeats else len(order),
                    len(ranking) - len(order),
                    duplicate=again,
                    matches=[(row, -float(i), i, 1, 0, 0) for row, i in hits],
                )
            )
        scan = arrays_of(outcomes)
        unjudged, sample = _unjudged(self.data, queries)
        return Matches.of(
            scan,
            duplicate=scan["duplicate"],
            unjudged_queries=unjudged,
            unjudged_sample=sample,
            notices=self.about,
            doc_samples=doc_samples(
                scan, judgments.groups, docs, lambda q: self._list(queries[q], as_text=as_text)
            ),
        )

    def _list(self, query: Any, *, as_text: bool) -> list[Any]:
        """Return a ranking; with ``as_text`` ids of both kinds in it are text, as in a file."""
        value = self.data[query]
        if isinstance(value, set | frozenset):
            raise DataError(
                f"{self.name}, query {query!r}: a set has no order; give a list, best first."
            )
        ranking = _listed(query, value, self.name)
        if {*map(type, ranking)} <= {str} and "" not in ranking:
            return ranking
        try:
            ids = [id_of(doc, "document") for doc in ranking]
        except DataError as error:
            raise DataError(f"{self.name}, query {query!r}: {error}{_of_scores(ranking)}") from None
        mixed = as_text and any(isinstance(i, str) for i in ids)
        return [str(i) for i in ids] if mixed else ids


def _of_scores(ranking: list[Any]) -> str:
    """Return advice for lists that hold scores, alone or beside their documents."""
    if any(isinstance(item, dict | tuple | list) for item in ranking):
        return " Documents with scores go into a dict, {document: score}."
    if any(isinstance(item, float) for item in ranking):
        return (
            " If these are scores of labels in the same places, lay the lists end to end and give "
            "group_sizes=, or fill them up to a table and give mask=."
        )
    return ""


def run_of(
    data: Mapping[Any, Any], name: str | None = None, *, ascending: bool = False
) -> ScoredRun | ListedRun:
    """Take ``{query: {document: score}}`` or ``{query: [document, ...]}``."""
    plain = data if type(data) is dict else dict(data)
    if not plain:
        raise EmptyError("the run is empty.")
    if not {*map(type, plain)} <= {str, int} or "" in plain:
        plain = {id_of(query, "query"): rows for query, rows in plain.items()}
    if {*map(type, plain.values())} == {dict}:
        return ScoredRun(plain, name or "run", ascending=ascending)
    scored = [isinstance(rows, Mapping) for rows in plain.values()]
    if all(scored):
        plain = {q: rows if isinstance(rows, dict) else dict(rows) for q, rows in plain.items()}
        return ScoredRun(plain, name or "run", ascending=ascending)
    if any(scored):
        odd = next(q for q, is_scored in zip(plain, scored, strict=True) if not is_scored)
        raise DataError(
            f"the run holds scores for some queries and lists for others (query {odd!r}); "
            "use one form."
        )
    if ascending:
        raise UsageError(no_scores(name or "run"))
    return ListedRun(plain, name or "run")


def no_scores(name: str) -> str:
    """Return the message for scores='ascending' with a run that has no scores."""
    return (
        f"{name}: the run has no scores, and is ranked by position. Leave scores='ascending' out."
    )


def _with_plain_ids(data: dict[Any, dict[Any, Any]], name: str) -> dict[Any, dict[Any, Any]]:
    """Return dicts whose documents are text or whole numbers, whatever type held these."""
    plain = {}
    for query, rows in data.items():
        where = f"{name}, query {query!r}"
        plain[query] = {id_of(doc, "document", where): score for doc, score in rows.items()}
        if len(plain[query]) < len(rows):
            raise DataError(f"{where}: a document is there twice, in two types. Keep one.")
    return plain


def _with_ids_as_text(data: dict[Any, dict[Any, Any]], name: str) -> dict[str, dict[str, Any]]:
    """Return dicts whose queries and documents are text, as in a file."""
    _check_single([str(query) for query in data], name, "query")
    texts = {}
    for query, rows in _with_plain_ids(data, name).items():
        docs = [str(doc) for doc in rows]
        _check_single(docs, f"{name}, query {query!r}", "document")
        texts[str(query)] = dict(zip(docs, rows.values(), strict=True))
    return texts


def _ids_as_in(
    data: Mapping[Any, Any], judgments: Judgments, *, typed: bool
) -> tuple[list[Any], list[Any]]:
    """Return the judged queries and documents as the run has them: text or numbers.

    Text from a file does not say whether it stands for numbers, so it matches either.
    """
    rankings = (rows for rows in data.values() if isinstance(rows, Iterable))
    first_doc = (doc for rows in rankings for doc in islice(rows, 1))
    queries = _like(judgments.queries, iter(data), typed=typed)
    return queries, _like(judgments.docs, first_doc, typed=typed)


def _like(ids: Ids, others: Iterator[Any], *, typed: bool) -> list[Any]:
    """Return ids as text or as whole numbers, as the others are; only the first is looked at."""
    if ids.kind == "number" and not typed:
        return [str(i) for i in ids.objects]
    if ids.kind == "text" and not ids.typed and isinstance(next(others, None), _NUMBERS):
        return ids.as_numbers()
    return ids.objects


def _unjudged(data: Mapping[Any, Any], queries: list[Any]) -> tuple[int, tuple[Any, ...]]:
    """Return how many queries of the run have no judgments, and which, by id."""
    judged = set(queries)
    extra = [q for q in data if q not in judged]
    keys = sort_key(Ids.of(extra, "query").objects)
    order = sorted(range(len(extra)), key=keys.__getitem__)
    return len(extra), tuple(extra[i] for i in order)
