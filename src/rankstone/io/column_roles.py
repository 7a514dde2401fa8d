"""Which column of a table holds what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankstone.errors import DataError, UsageError, did_you_mean

# What people call their columns, the surest names first; compared without case, '-', '_' and ' '.
SYNONYMS = {
    role: names.split()
    for role, names in {
        "query": "queryid qid qno query userid user uid topicid topicno topic sessionid session "
        "questionid question querytext",
        # docno is the id where both stand (docid is then a number of the index).
        "doc": "docno docid itemid item documentid corpusid pid doc document iid did passageid "
        "movieid productid chunkid product corpus",
        "score": "score prediction pred sim similarity predicted predictedscore",
        "grade": "relevance label rating grade rel gain judgment judgement",
        "rank": "rank position",
    }.items()
}
_NOT_GRADES = {"timestamp", "time", "ts", "date", "datetime", "iteration", "iter", "q0"}
_NOUNS = {"query": "queries", "doc": "documents", "grade": "grades"}


class Columns(dict[str, Any]):
    """The columns somebody named, by role; whether any table was read with them is noted."""

    used = False

    @classmethod
    def of(cls, columns: Mapping[str, Any] | None) -> Columns:
        """Take the columns as they were given; those that are not roles are refused."""
        if isinstance(columns, Columns):
            return columns
        check_columns(columns)
        return cls(columns or {})

    def check_used(self) -> None:
        """Refuse columns that nothing was read by."""
        if self and not self.used:
            named = ", ".join(f"{role}={name!r}" for role, name in self.items())
            raise UsageError(
                f"columns are named ({named}), but no input is a table. Columns are those of "
                "dataframes and of Parquet, Arrow, CSV and TSV files; leave columns out."
            )


Kinds = Callable[[Sequence[str]], dict[str, str]]


@dataclass(frozen=True)
class Roles:
    """The names of the columns by role; None where a role has no column."""

    all: tuple[str, ...]
    names: tuple[str | None, ...]

    @property
    def number_role(self) -> str:
        """What the number is: a score, a grade or a rank."""
        return self.all[2]


def judgment_roles(
    what: str, names: Sequence[str], columns: Mapping[str, Any] | None, graded: bool, kinds: Kinds
) -> Roles:
    """Return the columns of judgments; without a grade every row counts as relevant."""
    _note_use(columns)
    query, doc, grade = (_column(what, r, names, columns) for r in ("query", "doc", "grade"))
    if grade is None and graded and "grade" not in (columns or {}):
        held = kinds(names)
        others = [
            n
            for n in names
            if n not in (query, doc) and held[n] == "number" and _fold(n) not in _NOT_GRADES
        ]
        if others:
            raise _no_number(what, "grade", names, others, "counts every row as relevant")
    return Roles(("query", "doc", "grade"), (query, doc, grade if graded else None))


def run_roles(
    what: str, names: Sequence[str], columns: Mapping[str, Any] | None, kinds: Kinds
) -> Roles:
    """Return the columns of a run: with scores, with ranks only, or in the order of its rows."""
    _note_use(columns)
    query, doc, score, rank = (
        _column(what, r, names, columns) for r in ("query", "doc", "score", "rank")
    )
    if score is not None:
        if rank is not None and kinds([rank])[rank] == "number":
            return Roles(("query", "doc", "score", "rank"), (query, doc, score, rank))
        return Roles(("query", "doc", "score"), (query, doc, score))
    if rank is not None:
        return Roles(("query", "doc", "rank"), (query, doc, rank))
    if "score" not in (columns or {}):
        held = kinds(names)
        others = [n for n in names if n not in (query, doc) and held[n] == "number"]
        if others:
            raise _no_number(what, "score", names, others, "ranks by the order of the rows")
    return Roles(("query", "doc", "score"), (query, doc, None))


def _note_use(columns: Mapping[str, Any] | None) -> None:
    if isinstance(columns, Columns):
        columns.used = True


def check_columns(columns: Mapping[str, Any] | None) -> None:
    """Refuse what is not a role."""
    for role in columns or {}:
        if role not in SYNONYMS:
            hint = did_you_mean(str(role), SYNONYMS)
            raise UsageError(
                f"columns names {role!r}.{hint} What can be named: {', '.join(SYNONYMS)}."
            )


def looks_like_header(names: Sequence[str]) -> bool:
    """Return whether names are those of columns with queries and documents."""
    return all(column_or_none(role, names, None) for role in ("query", "doc"))


def names_in(columns: Mapping[str, Any] | None) -> set[str]:
    """Return the names that somebody gave for columns."""
    given = (columns or {}).values()
    return {name for said in given for name in ([said] if isinstance(said, str) else said or ())}


def column_or_none(
    role: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> str | None:
    """Return the column of a role, None where there is none to be found."""
    try:
        return _named("", role, names, columns)
    except DataError:
        return None


def check_single(what: str, name: str, names: Sequence[str]) -> None:
    """Refuse a column whose name another has too."""
    if list(names).count(name) > 1:
        raise DataError(f"{what}: there are several columns {name!r}; rename all but one.")


def _column(
    what: str, role: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> str | None:
    """Return the column of a role; None where it may be and is absent."""
    found = _named(what, role, names, columns)
    if found is not None:
        check_single(what, found, names)
    return found


def _named(
    what: str, role: str, names: Sequence[str], columns: Mapping[str, Any] | None
) -> str | None:
    check_columns(columns)
    if columns is not None and role in columns:
        said = columns[role]
        if said is None and role not in ("query", "doc"):
            return None
        wanted = [said] if isinstance(said, str) else list(said or ())
        found = next((n for n in wanted if n in names), None)
        if found is None:
            raise _absent(what, role, names, [str(w) for w in wanted])
    else:
        folded = {_fold(n): n for n in reversed(names)}
        found = next((folded[s] for s in SYNONYMS[role] if s in folded), None)
        if found is None:
            if role in ("query", "doc"):
                raise _absent(what, role, names, [])
            return None
    return found


def _absent(what: str, role: str, names: Sequence[str], wanted: Sequence[str]) -> DataError:
    shown = ", ".join(map(repr, names)) or "none"
    if wanted:
        hint = did_you_mean(wanted[0], names)
        asked = " or ".join(map(repr, wanted))
        return DataError(f"{what}: there is no column {asked}.{hint} Columns: {shown}.")
    known = {name for others in SYNONYMS.values() for name in others}
    free = [name for name in names if _fold(name) not in known]
    near = next((h for s in SYNONYMS[role] if (h := did_you_mean(s, free))), "")
    return DataError(
        f"{what}: no column looks like that of the {_NOUNS[role]}.{near} Columns: {shown}. "
        f"Say which it is: columns={{{role!r}: ...}} (--columns {role}=...)."
    )


def _no_number(
    what: str, role: str, names: Sequence[str], others: Sequence[str], meaning: str
) -> DataError:
    shown = ", ".join(map(repr, names))
    other, kind = ("score", "a run") if role == "grade" else ("grade", "judgments")
    swapped = any(_fold(name) in SYNONYMS[other] for name in names)
    hint = f" This looks like {kind}; the order is judgments first, then runs." if swapped else ""
    return DataError(
        f"{what}: no column looks like that of the {role}s. Columns: {shown}.{hint} Say which it is: "
        f"columns={{{role!r}: {others[0]!r}}} (--columns {role}={others[0]}); columns={{{role!r}: "
        f"None}} (--columns {role}=) {meaning}."
    )


def _fold(name: str) -> str:
    return name.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
