"""The group of each query: from a file, a key of records, a mapping, a Series or a frame."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from shlex import quote
from typing import Any

from rankstone.choices.reading import first_of
from rankstone.choices.setup import Setup
from rankstone.core.look_alike import look_alikes
from rankstone.errors import DataError, Notice, UsageError, did_you_mean, plural
from rankstone.frozen import frozen
from rankstone.io.column_roles import column_or_none, with_paths
from rankstone.io.encodings import as_utf8, is_utf8
from rankstone.io.streams import lines, open_seekable
from rankstone.io.two_fields import two_fields
from rankstone.language import tr

#: The group of queries that a file does not name.
REST = "(no group)"
_EXAMPLES = 3


@frozen
class QueryGroups:
    """The group of each query, as a file has it.

    ``head`` is the first row, which may be names of columns: it is, if no query is called so and the
    group is that of no other query. If the name is a known one, ``group_of`` is without it.
    """

    path: str
    group_of: dict[str, str]
    head: tuple[str, str] | None = None

    @property
    def names(self) -> list[str]:
        """The groups, in the order of the file."""
        return list(dict.fromkeys(self.group_of.values()))

    def of(self, queries: Iterable[Any]) -> dict[Any, str]:
        """Return the groups of queries, whose ids may be numbers where a file has text."""
        texts = ((query, str(query)) for query in queries)
        return {q: self.group_of[text] for q, text in texts if text in self.group_of}

    def fitted(self, queries: Iterable[Any]) -> QueryGroups:
        """Return the groups for the queries that were evaluated; an error where none has one."""
        evaluated = dict.fromkeys(str(query) for query in queries)
        if not evaluated.keys() & {*self.group_of, *(self.head or ())[:1]}:
            pairs = look_alikes(self.group_of, evaluated)
            hint = ""
            if pairs:
                hint = f" Ids are compared exactly, and {pairs[0][0]!r} is not {pairs[0][1]!r}."
            named, ours = next(iter(self.group_of)), next(iter(evaluated))
            raise DataError(
                f"{self.path}: no query that was evaluated has a group (given: {named!r}, "
                f"...; evaluated: {ours!r}, ...).{hint}"
            )
        if self.head is None:
            return self
        query, group = self.head
        others = {q: own for q, own in self.group_of.items() if q != query}
        if query in evaluated:
            others = {query: group} | others
        elif query in self.group_of and group in others.values():
            others = self.group_of
        return replace(self, group_of=others, head=None)

    def notices(self, queries: Collection[Any]) -> list[Notice]:
        """Return notices of queries without a group, and of grouped ones that were not evaluated."""
        evaluated = {str(query) for query in queries}
        without = [str(query) for query in queries if str(query) not in self.group_of]
        unused = [query for query in self.group_of if query not in evaluated]
        notices = []
        if without:
            text = tr("{} of {} without a group in {}; shown as {}").format(
                len(without), plural(len(queries), "query"), self.path, REST
            )
            notices.append(Notice("ungrouped-queries", len(without), text, _some(without)))
        if unused:
            text = tr("{} of {} not evaluated; ignored").format(
                plural(len(unused), "query"), self.path
            )
            notices.append(Notice("grouped-not-evaluated", len(unused), text, _some(unused)))
        return notices


def query_groups(
    source: Any, judgments: Any, setup: Setup, *, taken: Collection[str] = (), noun: str = "group"
) -> QueryGroups:
    """Return the group of each query.

    Args:
        source: a mapping or Series by query, a frame with a column of queries and one of groups, the
            path of a file with both in each line, or a key of the records in the judgments.
        judgments: the path of judgments whose records may have the key, or anything else.
        setup: how files are read.
        taken: names that no group may have.
        noun: what messages call a group.
    """
    limit = setup.effort.max_bytes
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        records = isinstance(judgments, str | os.PathLike) and os.path.isfile(judgments)
        if records and not os.path.exists(path):
            columns = setup.reading.columns
            groups = groups_in_records(os.fspath(judgments), path, taken, limit, columns)
            if groups is not None:
                return groups
        return read_query_groups(path, taken, limit, first_of(setup.reading.encoding), noun)
    if hasattr(source, "columns"):
        source = _frame_pairs(source, noun)
    elif hasattr(source, "items"):
        source = source.items()
    else:
        raise UsageError(
            f"the {noun} of each query is given as {{query: {noun}}}, a Series by query, a frame of "
            f"both, or a file, not as {type(source).__name__}."
        )
    # A value that is missing (None or NaN) is not equal to itself or has no text.
    where = f"the {noun}s"
    named = ((where, str(q), str(g)) for q, g in source if g is not None and g == g)  # noqa: PLR0124
    group_of = _gathered(named, taken, noun)
    if not group_of:
        raise DataError(f"no query has a {noun}: there is nothing in what was given.")
    return QueryGroups(where, group_of)


def _gathered(
    rows: Iterable[tuple[str, str, str]], taken: Collection[str], noun: str
) -> dict[str, str]:
    """Return the group of each query, from places, queries and groups."""
    group_of: dict[str, str] = {}
    places: dict[str, str] = {}
    for where, query, group in rows:
        if group in taken or group == REST:
            raise DataError(
                f"{where}: {group!r} cannot be the name of a {noun}; it has a meaning. Rename it."
            )
        known, before = group_of.setdefault(query, group), places.setdefault(query, where)
        if known != group:
            both = f"{known!r} and {group!r}"
            if before != where:
                both = f"{group!r} here, and {known!r} in {before}"
            raise DataError(f"{where}: query {query!r} has the {noun} {both}. Give it one {noun}.")
    return group_of


def _frame_pairs(frame: Any, noun: str) -> Iterable[tuple[Any, Any]]:
    """Return queries and groups of a frame with a column of each."""
    names = [str(name) for name in frame.columns]
    query = column_or_none("query", names, None)
    others = [name for name in names if name != query]
    if query is None or len(others) != 1:
        raise UsageError(
            f"a frame of {noun}s has a column of queries, called 'query', and one of {noun}s, not "
            f"{', '.join(names)}. Select the two columns, or give {{query: {noun}}}."
        )
    return zip(frame[query].to_list(), frame[others[0]].to_list(), strict=True)


def read_query_groups(
    path: str,
    taken: Collection[str] = (),
    max_bytes: int | None = None,
    encoding: str | None = None,
    noun: str = "group",
) -> QueryGroups:
    """Read a file with a query and its group in each line; the group is the rest of the line.

    Between the two is a tab, a semicolon, a comma or blanks, as in the first row. ``taken`` are
    names that no group may have, ``encoding`` is that of a file that is not UTF-8. ``noun`` is what
    messages call a group.
    """
    with ExitStack() as resources:
        stream, _, _ = resources.enter_context(open_seekable(path, max_bytes=max_bytes))
        if encoding is not None and not is_utf8(stream):
            stream = resources.enter_context(as_utf8(stream, path, encoding))
        fields = two_fields(lines(stream, path), path, f"a query and its {noun}", rest=True)
        rows = [(f"{path}:{number}", query, group) for number, query, group in fields]
    for where, query, group in rows[:1]:
        if re.match(r'\[?\s*\{\s*"', query + group):
            raise DataError(
                f"{where}: this is JSON, which does not say which key is the {noun}. Write a query "
                f"and its {noun} in each line, with a tab between them, such as jq -r "
                f"'[.query_id, .{noun}] | @tsv' {quote(path)} with the keys of the file; in Python "
                f"give {{query: {noun}}}."
            )
    head = rows[0][1:] if rows else None
    is_header = head is not None and column_or_none("query", [head[0]], None)
    group_of = _gathered(rows[1:] if is_header else rows, taken, noun)
    if not group_of:
        raise DataError(
            f"{path}: the file names no query. Write a query and its {noun} in each line, with a "
            "tab between them."
        )
    return QueryGroups(path, group_of, head)


def groups_in_records(
    path: str,
    key: str,
    taken: Collection[str] = (),
    max_bytes: int | None = None,
    columns: Mapping[str, Any] | None = None,
) -> QueryGroups | None:
    """Return the group of each query that records of JSONL hold under a key or path, or in ``metadata``.

    None if the file does not hold records. ``columns`` may name the key of the query.
    """
    from rankstone.io.formats.json_records import keys_of
    from rankstone.io.input_file import Input, ReadOptions

    rows: list[tuple[str, str, str]] = []
    seen: set[str] = set()
    with Input.open(path, ReadOptions(max_bytes=max_bytes)) as file:
        if file.carrier != "jsonl":
            return None
        for where, row in file.records():
            record = with_paths(row, {**(columns or {}), "group": key})
            if not isinstance(record, dict):
                continue
            inner = record.get("metadata")
            known = {**(inner if isinstance(inner, dict) else {}), **record}
            seen.update(known)
            query = keys_of(record, columns).query
            if key in known and query is not None:
                value = known[key]
                group = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
                rows.append((where, str(record[query]), group))
    if not rows:
        hint = did_you_mean(key, sorted(seen))
        raise DataError(f"{path}: no record has the key {key!r}.{hint}")
    return QueryGroups(path, _gathered(rows, taken, key))


def _some(queries: list[str]) -> tuple[str, ...]:
    return tuple(queries[:_EXAMPLES])
