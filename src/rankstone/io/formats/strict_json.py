"""JSON, read so that nothing in it is lost silently."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankstone.core.text import without_mark
from rankstone.errors import DataError
from rankstone.io.encodings import ADVICE

if TYPE_CHECKING:
    from rankstone.io.input_file import Input


def carrier(file: Input) -> str:
    """Return ``jsonl`` if every line is a value of its own, else ``json``."""
    file.stream.seek(0)
    first = b""
    while not first.strip():
        first = file.stream.readline()
    try:
        value = json.loads(without_mark(first).decode())
    except (ValueError, RecursionError):
        return "json"
    more = file.stream.readline()
    while more and not more.strip():
        more = file.stream.readline()
    return "jsonl" if more or _is_record(value) else "json"


def _is_record(value: Any) -> bool:
    """Return whether a value is a record: an object that names the parts of a row."""
    from rankstone.io.formats.json_records import is_answer, keys_of

    if not isinstance(value, dict) or "queries" in value:  # the latter is a whole data set
        return False
    keys = keys_of(value)
    return (keys.known or is_answer(value, keys)) and not _all_hold_others(value)


def _all_hold_others(value: dict[str, Any]) -> bool:
    return all(isinstance(v, dict | list) for v in value.values())


def is_by_query(file: Input) -> bool:
    """Return whether a JSON file is not a single record; DataError if that is unclear.

    Somebody may search for gold, or for ratings: an object of lists is a record if all of its
    keys, or several of them, are names of parts of a record.
    """
    from rankstone.io.formats.json_records import parts_named

    value = file.value
    if not isinstance(value, dict) or not value or "queries" in value:
        return True
    if _is_record(value):
        raise DataError(
            f"{file.path}: a record over several lines. Write it in one line, which is JSONL."
        )
    named = parts_named(value)
    if _all_hold_others(value) and (len(named) == len(value) or len(named) > 1):
        raise DataError(
            f"{file.path}: is {named[0]!a} a query, or does it name a part of a record? Name the "
            "format: 'json' if it is a query, 'jsonl' if this is a record in one line "
            "(--input-format, input_format=)."
        )
    return True


def parse(raw: bytes, where: str) -> Any:
    """Return a JSON value; DataError if it is not one or says two things at once."""
    try:
        text = without_mark(raw).decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}: byte {error.start + 1} is not UTF-8, which JSON has to be; {ADVICE}."
        ) from None
    try:
        return _DECODER.decode(text)
    except _Refused as refused:
        raise DataError(f"{where}: {refused}") from None
    except json.JSONDecodeError as error:
        at = f"{where}:{error.lineno}" if "\n" in text.rstrip() else where
        raise DataError(
            f"{at}: this is not valid JSON ({error.msg}, character {error.colno})."
        ) from None
    except RecursionError:
        raise DataError(f"{where}: the JSON is nested too deeply.") from None
    except ValueError as error:
        raise DataError(f"{where}: this JSON cannot be read ({error}).") from None


class _Refused(Exception):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    twice = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
    raise _Refused(f"the key {twice!a} is twice in one JSON object. Remove one of them.")


def _refuse(name: str) -> Any:
    raise _Refused(f"{name} is not a finite number.")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
