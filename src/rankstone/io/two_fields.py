"""Files with two fields in each line: a query and its group, a chunk and its document."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from rankstone.core.text import decode
from rankstone.errors import DataError
from rankstone.io.column_roles import column_or_none, plain_name
from rankstone.io.input_file import Input, ReadOptions

_BETWEEN = {"\t": "a tab", ";": "a semicolon", ",": "a comma", None: "blanks"}


def separator_of(line: str) -> str | None:
    """Return the separator of the fields of a line: a tab, or the first ; or , of the line."""
    if "\t" in line:
        return "\t"
    return min((c for c in ";," if c in line), key=line.index, default=None)


def two_fields(
    lines: Iterable[tuple[int, bytes]], path: str, what: str, *, rest: bool
) -> Iterator[tuple[int, str, str]]:
    """Yield the number and the two fields of each line that is neither blank nor a comment.

    Between the two is a tab, a semicolon, a comma or blanks, as in the first line. With ``rest`` the
    second field is the rest of the line, in which blanks are single.
    """
    first = 0
    for number, raw in lines:
        where = f"{path}:{number}"
        line = decode(raw).strip()
        # The last is how spreadsheets declare a separator.
        if not line or line.startswith("#") or (not first and re.fullmatch("(?i)sep=.", line)):
            continue
        _check_text(line, where)
        if not first:
            first, separator = number, separator_of(line)
        if separator in (",", ";") and '"' in line:
            import csv

            try:
                fields = next(csv.reader([line], delimiter=separator))
            except csv.Error as error:
                raise DataError(f"{where}: this is not valid CSV ({error}).") from None
        else:
            fields = line.split(separator, 1 if rest else -1)
        key, value = fields[0].strip(), " ".join((separator or " ").join(fields[1:]).split())
        if not (key and value and (rest or len(fields) == 2)):
            like = f" as in line {first}" if number > first else ""
            raise DataError(
                f"{where}: expected {what}, with {_BETWEEN[separator]} between them{like}, found "
                f"{line[:80]!r}."
            )
        columns = fields if len(fields) > 2 or '"' in line else line.split(separator)
        if (
            number == first
            and separator
            and len(columns) > 2
            and column_or_none("query", [key], None)
        ):
            raise DataError(
                f"{where}: expected {what}, found the columns {', '.join(map(ascii, columns))}. Keep "
                "two of them."
            )
        yield number, key, value


def _check_text(line: str, where: str) -> None:
    odd = next((c for c in line if c < " " and c != "\t"), None)
    if odd is not None:
        ends = " The file seems to have CR-only line ends; convert them." if odd == "\r" else ""
        raise DataError(f"{where}: control character 0x{ord(odd):02x}.{ends}")


def read_pairs(path: str, options: ReadOptions, head: Collection[str], what: str) -> dict[str, str]:
    """Read a file with two fields in each line, or a JSON object, of ``what``.

    The first line may name the columns, by one of the names in ``head``.
    """
    pairs: dict[str, str] = {}
    with Input.open(path, options) as file:
        if file.head.lstrip().startswith(b"{"):
            return _in_json(file, what)
        rows = two_fields(file.lines(), path, what, rest=False)
        for place, (number, *fields) in enumerate(rows):
            key, value = (field.strip('"') for field in fields)
            if not place and plain_name(key) in head:
                continue
            if pairs.setdefault(key, value) != value:
                one, other = re.fullmatch(r"an? (\w+) and its (\w+)", what).groups()  # type: ignore[union-attr]
                raise DataError(
                    f"{path}:{number}: {one} {key!r} has two {other}s, {pairs[key]!r} and "
                    f"{value!r}. Give it one."
                )
    if not pairs:
        raise DataError(f"{path}: the file holds no {what.split()[1]}.")
    return pairs


def _in_json(file: Input, what: str) -> dict[str, str]:
    value = file.value
    if not isinstance(value, dict) or not all(
        isinstance(v, str | int | float) for v in value.values()
    ):
        raise DataError(f"{file.path}: expected a JSON object: {what} in each entry.")
    return {str(key): str(v) for key, v in value.items()}
