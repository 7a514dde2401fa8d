"""Roles of columns and record keys: which of them holds queries, documents, scores or grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from shlex import quote
from typing import Any

from rankstone.errors import DataError, Notice, UsageError, did_you_mean, nearest
from rankstone.frozen import frozen
from rankstone.language import tr

# Names that columns have, the surest first; compared by ``plain_name``.
SYNONYMS = {
    role: names.split()
    for role, names in {
        "query": "queryid qid qno query userid user uid topicid topicno topic sessionid session "
        "questionid question querytext suchanfrage suchbegriff anfrage nutzerid nutzer 查询",
        # docno is the id if there is a docid too (which is then a number of the index).
        "doc": "docno docid itemid item documentid corpusid pid doc document iid did passageid "
        "movieid productid chunkid nodeid product corpus dokumentid dokument artikelnummer artikelnr "
        "artikelid artikel produktid produkt 文档",
        "score": "score prediction pred sim similarity predicted predictedscore punktzahl 得分",
        "grade": "relevance label rating grade rel gain judgment judgement relevanz bewertung 相关性",
        "rank": "rank position rang platz 排名",
        "subtopic": "subtopic subtopicid subtopicno intent intentid aspect aspectid nuggetid "
        "nugget nuggettext iteration",
        "importance": "importance vitality vital",
    }.items()
}
_DISTANCES = {"distance", "dist", "cosinedistance", "l2distance", "l2", "euclideandistance"}
ROLES = (*SYNONYMS, "distance")
#: What lists in records hold, which can be named as columns are.
LISTS = ("expected", "retrieved")
_OF_JUDGMENTS, _OF_RUNS = ("grade", "subtopic", "importance", "expected"), (
    "score", "distance", "rank", "retrieved",
)  # fmt: skip
_NOT_GRADES = {"timestamp", "time", "ts", "date", "datetime", "iteration", "iter", "q0"}
# Text under these names may be digits, and is no grade or score.
NOT_NUMBERS = _NOT_GRADES.union(
    *(SYNONYMS[role] for role in ("query", "doc", "subtopic", "importance"))
)
_NOUNS = {"query": "queries", "doc": "documents", "grade": "grades", "score": "scores"}

# Names of numbers that are read with less certainty, and keys that records have beside columns.
GRADE_NAMES = [*SYNONYMS["grade"], "score"]
SCORE_NAMES = [*SYNONYMS["score"], *GRADE_NAMES]
_ID_NAMES = [name for name in SYNONYMS["query"] if name.endswith(("id", "no"))]
_TEXT_NAMES = [name for name in SYNONYMS["query"] if name not in _ID_NAMES]
QUERY_NAMES = [*_ID_NAMES, "id", *_TEXT_NAMES, "userinput"]
EXPECTED_NAMES = (  # noqa: SIM905
    "expectedids expected expecteddocids relevantids relevantdocids relevantdocs relevant "
    "referencecontextids groundtruthids groundtruth goldids gold positives positiveids qrels "
    "judgments judgements ratings"
).split()
RETRIEVED_NAMES = (  # noqa: SIM905
    "retrievedids retrieved retrieveddocids retrieveddocs retrievedcontextids results resultids "
    "ranking ranked rankedids predictions predictedids recommendations recommended recs hits topk"
).split()
ASSIGNMENT_NAMES = ["assignment", "support", "supportlabel"]
NUGGET_NAMES = ["id", *SYNONYMS["subtopic"], "text"]
ANSWER_NAMES = ("runid", "run", "answerid", "responseid", "system", "runtag", "tag")
ITEM_NAMES = ["id", *SYNONYMS["doc"]]
CHUNK_NAMES = [*"chunk chunkid chunkno passage passageid node nodeid id docid document".split()]  # noqa: SIM905

# Of columns: number, mixed (not numbers, but some cell reads as one), text or other.
Kinds = Callable[[Sequence[str]], dict[str, str]]


def plain_name(name: str) -> str:
    """Return a name as it is compared: without case, punctuation and blanks.

    >>> plain_name("Query-ID"), plain_name("_doc_no")
    ('queryid', 'docno')
    """
    return "".join(c for c in name.lower() if c.isalnum())


def key_named(keys: Iterable[Any], known: Iterable[str]) -> Any:
    """Return the key that has one of the known names, the surest first; None if there is none.

    >>> key_named(["Doc ID", "text"], ["docno", "docid"])
    'Doc ID'
    """
    plain = {plain_name(str(key)): key for key in reversed(list(keys))}
    return next((plain[name] for name in known if name in plain), None)


class Columns(dict[str, Any]):
    """The columns somebody named, by role; whether any table was read with them is noted."""

    used = False

    @classmethod
    def of(cls, columns: Mapping[str, Any] | None) -> Columns:
        """Take columns by role; an unknown role is an error."""
        if isinstance(columns, Columns):
            return columns
        check_columns(columns)
        return cls(columns or {})

    def check_used(self) -> None:
        """Refuse columns if no table was read with them."""
        if self and not self.used:
            named = ", ".join(f"{role}={name!r}" for role, name in self.items())
            raise UsageError(
                f"columns are named ({named}), but no input is a table. Columns are those of "
                "dataframes and of Parquet, Arrow, CSV and TSV files; leave columns out."
            )


def roles_of_kind(kind: str) -> tuple[str, ...]:
    """Return the roles of the columns that judgments or a run may have."""
    return ("query", "doc", *(_OF_JUDGMENTS if kind == "judgments" else _OF_RUNS))


@frozen
class Roles:
    """The names of the columns by role; None for a role without a column."""

    all: tuple[str, ...]
    names: tuple[str | None, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def number_role(self) -> str:
        """The kind of the number: a score, a distance, a grade or a rank."""
        return self.all[2]


def judgment_roles(
    what: str, names: Sequence[str], columns: Mapping[str, Any] | None, graded: bool, kinds: Kinds
) -> Roles:
    """Return the columns of judgments; without a grade every row counts as relevant."""
    table = NamedColumns(what, names, columns or {}, kinds)
    query, doc = table.ids("grade" if graded else None)
    grade = table.number("grade") if graded else None
    if graded and grade is None and "grade" not in table.columns:
        unused = [n for n in names if n not in (query, doc) and plain_name(n) not in _NOT_GRADES]
        table.check_numbers("grade", unused, "counts every row as relevant")
        others = [n for n in unused if plain_name(n) not in NOT_NUMBERS]
        return Roles(("query", "doc", "grade"), (query, doc, None), _all_relevant(others))
    return Roles(("query", "doc", "grade"), (query, doc, grade))


def _all_relevant(others: Sequence[str]) -> tuple[Notice, ...]:
    """Return the notice that every row counts as relevant, unless no other column may hold grades."""
    if not others:
        return ()
    text = tr(
        "no column has the name of a grade, so every row counts as relevant; not read: {}. Name the "
        "column of grades, which are numbers, with {}, or pass {}"
    ).format(_shown(others), advice({"grade": None}), "columns={'grade': None}")
    return (Notice("all-relevant", 1, text),)


def run_roles(
    what: str, names: Sequence[str], columns: Mapping[str, Any] | None, kinds: Kinds
) -> Roles:
    """Return the columns of a run: with scores, with ranks only, or in the order of its rows."""
    table = NamedColumns(what, names, columns or {}, kinds)
    query, doc = table.ids("score")
    if table.columns.get("distance") is not None:
        return Roles(("query", "doc", "distance"), (query, doc, table.column("distance")))
    score = table.number("score")
    if score is not None:
        rank = table.column("rank")
        if rank is not None and kinds([rank])[rank] == "number":
            return Roles(("query", "doc", "score", "rank"), (query, doc, score, rank))
        return Roles(("query", "doc", "score"), (query, doc, score))
    rank = table.number("rank")
    if rank is not None:
        return Roles(("query", "doc", "rank"), (query, doc, rank))
    if "score" not in table.columns:
        unused = [n for n in names if n not in (query, doc)]
        table.check_numbers("score", unused, "ranks by the order of the rows")
    return Roles(("query", "doc", "score"), (query, doc, None))


def subtopic_columns(
    what: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> tuple[str | None, str | None]:
    """Return the columns of subtopics and of their importance, None for what judgments lack."""
    table = NamedColumns(what, names, columns or {}, lambda _: {})
    subtopic = table.column("subtopic")
    return subtopic, None if subtopic is None else table.column("importance")


@frozen
class NamedColumns:
    """The names of the columns of a table, the columns somebody named, and what columns hold."""

    what: str
    names: Sequence[str]
    columns: Mapping[str, Any]
    kinds: Kinds

    def column(self, role: str) -> str | None:
        """Return the column of a role; None if it may be absent and is."""
        name = _named(self.what, role, self.names, self.columns)
        if name is not None:
            check_single(self.what, name, self.names)
        return name

    def number(self, role: str) -> str | None:
        """Return the column of a number; an error if two columns of numbers have a name for it."""
        name = self.column(role)
        several = candidates(role, self.names)
        if name is None or role in self.columns or len(several) < 2:
            return name
        kinds = self.kinds(several)
        numbers = [n for n in several if kinds[n] == "number"]
        if len(numbers) > 1:
            raise ambiguous(self.what, role, numbers)
        return (numbers or [name])[0]

    def ids(self, number: str | None) -> tuple[str | None, str | None]:
        """Return the columns of queries and documents; one error names all roles that lack one."""
        note_use(self.columns)
        for role in ("query", "doc"):
            given = names_given(self.columns, role)
            if not given and column_or_none(role, self.names, self.columns) is None:
                proposed = unnamed(self.names, self.columns, number, self.kinds(self.names))
                raise self.error(proposed, f"Pass {advice(proposed)}.")
        return self.column("query"), self.column("doc")

    def check_numbers(self, role: str, unused: Sequence[str], meaning: str) -> None:
        """Refuse columns that seem to hold numbers; without any, those with some in text."""
        kinds = self.kinds(unused)
        others = [n for n in unused if kinds[n] == "number"] or [
            n for n in unused if kinds[n] == "mixed" and plain_name(n) not in NOT_NUMBERS
        ]
        if not others:
            return
        other, kind = ("score", "a run") if role == "grade" else ("grade", "judgments")
        swapped = any(plain_name(name) in SYNONYMS[other] for name in self.names)
        hint = f"This looks like {kind}; the order is judgments first, then runs. "
        distance = next((name for name in others if plain_name(name) in _DISTANCES), None)
        what_to_pass = advice({role: others[0]})
        if role == "score" and distance is not None:
            what_to_pass = f"{advice({'distance': distance})} to rank the lowest first"
        raise self.error(
            [role],
            f"{hint if swapped else ''}Pass {what_to_pass}; columns={{{role!r}: None}} "
            f"(--columns {role}=) {meaning}.",
        )

    def error(self, roles: Iterable[str], remedy: str) -> DataError:
        """Return the error for roles without a column."""
        columns = f"Columns: {_shown(self.names)}."
        return DataError(f"{self.what}: {cannot_tell(roles)}. {columns} {remedy}")


def note_use(columns: Mapping[str, Any] | None) -> None:
    """Note that a table, or the documents of a record, were read with the columns somebody named."""
    if isinstance(columns, Columns):
        columns.used = True


def check_columns(columns: Mapping[str, Any] | None) -> None:
    """Refuse unknown roles, and a score beside a distance."""
    for role in columns or {}:
        if role not in (*ROLES, *LISTS):
            hint = did_you_mean(str(role), (*ROLES, *LISTS))
            known = ", ".join((*ROLES, *LISTS))
            raise UsageError(f"columns names {role!r}.{hint} What can be named: {known}.")
    if columns and columns.get("score") is not None and columns.get("distance") is not None:
        raise UsageError(
            "columns names a score, of which the highest is the best, and a distance, of which "
            "the lowest is. Name one of them."
        )


def looks_like_header(names: Sequence[str]) -> bool:
    """Return whether names are those of columns with queries and documents."""
    return all(column_or_none(role, names, None) for role in ("query", "doc"))


def wanted_names(columns: Mapping[str, Any] | None, role: str) -> list[str]:
    """Return the names somebody gave for a role, in order, and note that they are of use."""
    names = names_given(columns, role)
    if names:
        note_use(columns)
    return names


def names_in(columns: Mapping[str, Any] | None) -> set[str]:
    """Return all names that somebody gave for columns."""
    return {name for role in columns or {} for name in names_given(columns, role)}


def names_given(columns: Mapping[str, Any] | None, role: str) -> list[str]:
    """Return the names somebody gave for a role, in order."""
    value = (columns or {}).get(role)
    return [value] if isinstance(value, str) else list(value or ())


def column_or_none(
    role: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> str | None:
    """Return the column of a role, None if it is unknown."""
    try:
        return _named("", role, names, columns)
    except DataError:
        return None


def check_single(what: str, name: str, names: Sequence[str]) -> None:
    """Refuse a column whose name another has too."""
    if list(names).count(name) > 1:
        raise DataError(f"{what}: there are several columns {name!r}; rename all but one.")


def candidates(role: str, names: Sequence[str]) -> list[str]:
    """Return the columns that have a name for a role, the surest first."""
    plain = [(plain_name(name), name) for name in dict.fromkeys(names)]
    return [name for synonym in SYNONYMS[role] for other, name in plain if other == synonym]


def ambiguous(what: str, role: str, names: Sequence[str]) -> DataError:
    """Return the error that names the columns which may all be meant."""
    shown = " or ".join(map(repr, names))
    first = names[0]
    return DataError(
        f"{what}: which column holds the {_NOUNS.get(role, 'ranks')}, {shown}? Say so: "
        f"columns={{{role!r}: {first!r}}} (--columns {role}={first})."
    )


def _named(
    what: str, role: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> str | None:
    check_columns(columns)
    if columns is not None and role in columns:
        wanted = names_given(columns, role)
        name = next((n for n in wanted if n in names), None)
        if name is None and wanted:
            raise missing(what, wanted, names)
        return name
    return key_named(names, SYNONYMS.get(role, ()))


def missing(what: str, wanted: Sequence[str], names: Sequence[str]) -> DataError:
    """Return the error that no column, or key of a record, has a name that somebody gave."""
    hint = did_you_mean(wanted[0], names)
    either = " or ".join(map(repr, wanted))
    return DataError(f"{what}: there is no column {either}.{hint} Columns: {_shown(names)}.")


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def unnamed(
    names: Sequence[str],
    columns: Mapping[str, Any] | None,
    number: str | None,
    kinds: Mapping[str, str],
) -> dict[str, str | None]:
    """Return the roles that no column has by its name, each with a column that may be meant.

    That is one with a similar name, or the first that holds what the role needs. ``number`` is the
    role of the number that the table may have, ``kinds`` what its columns hold.

    >>> kinds = {"Wonach": "text", "Was": "text", "Wie gut": "number"}
    >>> unnamed(list(kinds), None, "grade", kinds)
    {'query': 'Wonach', 'doc': 'Was', 'grade': 'Wie gut'}
    """
    others = (number, *(("distance", "rank") if number == "score" else ()))
    is_numbered = any(r in (columns or ()) or column_or_none(r, names, None) for r in others if r)
    roles = [r for r in ("query", "doc") if not names_given(columns, r)]
    roles = [r for r in roles if column_or_none(r, names, columns) is None]
    roles += [number] if number and not is_numbered else []
    known = {name for others in SYNONYMS.values() for name in others} | _NOT_GRADES
    taken = {column_or_none(role, names, columns) for role in (*ROLES, *LISTS)}
    free = [name for name in names if name not in taken and plain_name(name) not in known]
    proposed: dict[str, str | None] = {}
    for role in roles:
        plain = {plain_name(name): name for name in free}
        similar = (plain[n] for synonym in SYNONYMS.get(role, ()) for n in nearest(synonym, plain))
        apt = (("text", "mixed"), ("number",)) if role != number else (("number",), ("mixed",))
        name = next(chain(similar, (n for own in apt for n in free if kinds[n] in own)), None)
        if name is not None or role != number:
            proposed[role] = name
        free = [other for other in free if other != name]
    return proposed


def cannot_tell(roles: Iterable[str]) -> str:
    """Return the words that name the roles without a column."""
    *nouns, last = (f"the {_NOUNS[role]}" for role in roles)
    listed = f"{', '.join(nouns)} and {last}" if nouns else last
    return f"cannot tell which {'columns hold' if nouns else 'column holds'} {listed}"


def advice(columns: Mapping[str, Any]) -> str:
    """Return the option that gives columns these roles, in Python and on the command line."""
    entries = ", ".join(f"{r!r}: {'...' if n is None else repr(n)}" for r, n in columns.items())
    words = ",".join(f"{r}={'...' if n is None else n}" for r, n in columns.items())
    return f"columns={{{entries}}} (--columns {quote(words)})"


_ABSENT = object()


def with_paths(record: Any, columns: Mapping[str, Any] | None) -> Any:
    """Return a record in which the values at named paths are also found under the path itself.

    >>> with_paths({"metadata": {"id": "d1"}}, {"doc": "metadata.id"})["metadata.id"]
    'd1'
    """
    if not columns or not isinstance(record, Mapping):
        return record
    values = {name: value_at(record, name) for name in names_in(columns) if name not in record}
    return {**record, **{name: v for name, v in values.items() if v is not _ABSENT}}


def value_at(record: Any, path: str) -> Any:
    """Return the value at a path of keys; a key may have dots of its own."""
    if not isinstance(record, Mapping):
        return _ABSENT
    if path in record:
        return record[path]
    for at in (i for i, c in enumerate(path) if c == "."):
        value = value_at(record.get(path[:at]), path[at + 1 :])
        if value is not _ABSENT:
            return value
    return _ABSENT
