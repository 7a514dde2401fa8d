"""The columns of a TREC file, detected from its first lines; and faults of its lines, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankstone.core.row_layout import ATOF, ATOL, RANK, LineFault, RowLayout
from rankstone.core.text import decode, is_number
from rankstone.errors import DataError, Notice
from rankstone.io import column_roles
from rankstone.io.column_roles import (
    GRADE_NAMES,
    SCORE_NAMES,
    SYNONYMS,
    NamedColumns,
    key_named,
    plain_name,
)
from rankstone.io.input_file import HEAD, Input

_MOST_COLUMNS = 8
DECIMAL_COMMA = re.compile(rb"[+-]?[0-9]+,[0-9]+")
_MOST_LINES = 200

# BEIR calls its grades scores; a run may call its scores what judgments call grades.


class TrecLayout(NamedTuple):
    """The layout of rows, what the columns and the number are called, and where rows start."""

    layout: RowLayout
    columns: str
    first: int = 0
    number: str = "score"
    from_file: bool = False  # found from the file's first lines, and not the usual one
    dropped: Notice | None = None  # on columns that are not read though they may matter


RUN = TrecLayout(RowLayout(6, 0, 2, 4, 3), "query Q0 document rank score tag")
QRELS = TrecLayout(
    RowLayout(4, 0, 2, 3, iteration=1), "query iteration document grade", number="grade"
)
LENIENT_RUN = RUN._replace(layout=RowLayout(6, 0, 2, 4, 3, ATOF, more=True))
LENIENT_QRELS = QRELS._replace(layout=RowLayout(4, 0, 2, 3, reading=ATOL))

_RUN_OF_5 = TrecLayout(RowLayout(5, 0, 2, 4, 3), "query Q0 document rank score")
_RUN_OF_7 = TrecLayout(RowLayout(7, 0, 2, 4, 3), "query Q0 document rank score tag more")
_RANKS_AND_SCORES = TrecLayout(RowLayout(4, 0, 1, 3, 2), "query document rank score")
_QRELS_OF_5 = TrecLayout(
    RowLayout(5, 0, 2, 3, iteration=1),
    "query iteration document grade more",
    number="grade",
    dropped=Notice("ignored-columns", 1, "the fifth column is not read", level="note"),
)
PRELS = TrecLayout(
    RowLayout(5, 0, 1, 2),
    "query document grade method probability",
    number="grade",
    dropped=Notice(
        "ignored-columns",
        1,
        "sampling methods are not read, and probabilities count only in measures that estimate from "
        "samples; to others every judged document counts alike",
    ),
)

NAMED_LAYOUTS = {
    "query-document-rank": TrecLayout(
        RowLayout(3, 0, 1, 2, reading=RANK), "query document rank", number="rank"
    ),
    "query-document-score": TrecLayout(RowLayout(3, 0, 1, 2), "query document score"),
    "query-document-grade": TrecLayout(
        RowLayout(3, 0, 1, 2), "query document grade", number="grade"
    ),
}


def run_layout(file: Input) -> TrecLayout:
    """Return how the rows of a run are laid out; the usual layout if nothing else fits."""
    rows = [row.fields for row in file.first_rows]
    if not rows:
        return RUN
    first = rows[0]
    header = _header(file, rows, SCORE_NAMES, ranked=True)
    if header is not None:
        return header
    _refuse_blanks_in_ids(file, _RUN_NUMBERS)
    count = len(first)
    if count == 6:
        return RUN
    same = _alike(rows)
    if count == 5 and first[3].isdigit() and is_number(first[4]):
        return _RUN_OF_5._replace(from_file=True)
    if count == 7 and is_number(first[4]):
        return _RUN_OF_7._replace(from_file=True)
    if count == 4 and _ranked(same, 2) > 1 and _all_numbers(same, 3):
        return _RANKS_AND_SCORES._replace(from_file=True)
    if count == 3 and _all_numbers(same, 2):
        return _run_of_3(file, same)
    return RUN


def _run_of_3(file: Input, rows: Sequence[list[bytes]]) -> TrecLayout:
    """Return the role of the third of three columns: a rank if it counts up, a score if it has decimals."""
    name = None
    if _ranked(rows, 2) == len(rows) and _longest_query(rows) > 1:
        name = "query-document-rank"
    elif file.options.ascending or any(not row[2].isdigit() for row in rows):
        name = "query-document-score"
    if name is None:
        raise DataError(
            f"{file.path}: three columns, but is the third a rank or a score? It neither counts up "
            "from 1 nor has decimals. Name the format: 'query-document-rank' or "
            "'query-document-score' (--input-format, input_format=)."
        )
    return NAMED_LAYOUTS[name]._replace(from_file=True)


def qrels_layout(file: Input) -> TrecLayout:
    """Return how the rows of judgments are laid out; the usual layout if nothing else fits."""
    rows = [row.fields for row in file.first_rows]
    if not rows:
        return QRELS
    first = rows[0]
    header = _header(file, rows, GRADE_NAMES, ranked=False)
    if header is not None:
        return header._replace(number="grade")
    _refuse_blanks_in_ids(file, _QRELS_NUMBERS)
    count = len(first)
    if count == 4:
        if first[3].isdigit() and len(first[3]) > 8:
            _refuse_times(_alike(rows), file.path)
        return QRELS
    same = _alike(rows)
    if count == 3 and is_number(first[2]):
        _refuse_ranks(same, 2, file.path)
        return NAMED_LAYOUTS["query-document-grade"]._replace(from_file=True)
    if count == 5:
        _refuse_ranks(same, 3, file.path)
        if all(map(is_number, first[2:])) and not _is_constant(same, 1):
            return PRELS._replace(from_file=True)
        if is_number(first[3]):
            return _QRELS_OF_5._replace(from_file=True)
    return QRELS


def is_rows(file: Input) -> bool:
    """Return whether a file certainly holds rows of columns between blanks."""
    if file.options.columns or file.head.lstrip()[:1] in (b"{", b"[") or not file.first_rows:
        return False
    first = file.first_rows[0].fields
    line = b" ".join(first)
    if len(first) < 3 or b":" in line or b"," in line or b"\0" in file.head:
        return False
    return any(map(is_number, first)) or (
        is_header(first) and not (has_quotes(file) or has_blanks(file) or has_decimal_commas(file))
    )


def is_header(fields: Sequence[bytes]) -> bool:
    """Return whether the first row of a file names its columns, without quotes."""
    return _are_names(fields) and not any(b'"' in f for f in fields) and _fits(fields)


def has_quotes(file: Input) -> bool:
    """Return whether some field starts with a quote, as in a table whose fields may be quoted."""
    return any(field.startswith(b'"') for row in file.first_rows for field in row.fields)


def has_decimal_commas(file: Input) -> bool:
    """Return whether some field is a number such as 0,5, as spreadsheets may write it."""
    return any(DECIMAL_COMMA.fullmatch(field) for row in file.first_rows for field in row.fields)


def has_blanks(file: Input) -> bool:
    """Return whether tabs separate the columns, as they do the names above, and a field has blanks."""
    names, *lines = _whole_lines(file) or [b""]
    count = names.count(b"\t") + 1
    if len(names.split()) != count:
        return False
    rows = [line for line in lines if line.strip()]
    return all(row.count(b"\t") + 1 == count for row in rows) and any(
        len(row.split()) != count for row in rows
    )


def _whole_lines(file: Input) -> list[bytes]:
    """Return the first lines of a file; one that is cut short only if there is no other."""
    head = file.head
    if file.size > HEAD:
        head = head[: head.rfind(b"\n") + 1] or head
    return head.splitlines()[:_MOST_LINES]


# Which columns are numbers, by the number of columns.
_RUN_NUMBERS = {3: (2,), 4: (2, 3), 5: (3, 4), 6: (3, 4), 7: (3, 4)}
_QRELS_NUMBERS = {3: (2,), 4: (3,), 5: (3,)}


def _refuse_blanks_in_ids(file: Input, numbers: Mapping[int, Sequence[int]]) -> None:
    """Refuse rows that make sense between tabs, with blanks in ids, and are not read so."""
    lines = [line for line in _whole_lines(file) if line.strip()]
    rows = [line.split(b"\t") for line in lines if not line.startswith(b"#")]
    columns = numbers.get(len(rows[0])) if len({*map(len, rows)}) == 1 else None
    if columns is None or not all(is_number(row[c].strip()) for row in rows for c in columns):
        return
    odd = next((id_ for row in rows for id_ in row[:3] if len(id_.split()) > 1), None)
    if odd is not None:
        raise DataError(
            f"{file.path}: tabs separate {len(rows[0])} columns, and an id holds a blank "
            f"({decode(odd)!r}). Blanks separate columns too, unless a first line names them: put "
            "one above, with tabs, such as query_id, doc_id and score or relevance."
        )


def _header(
    file: Input, rows: Sequence[list[bytes]], numbers: Sequence[str], *, ranked: bool
) -> TrecLayout | None:
    """Return the layout that a first line of names gives, None if it is not one."""
    fields = rows[0]
    if not _are_names(fields):
        return None
    names, same = [*map(decode, fields)], _alike(rows)[1:]
    place: dict[str | None, int] = {None: -1} | {name: i for i, name in enumerate(names)}
    kind_of = {n: "number" if _all_numbers(same, place[n]) else "text" for n in names}
    table = NamedColumns(file.path, names, {}, lambda _: kind_of)
    own, other, kind = ("score", "grade", "judgments") if ranked else ("grade", "score", "a run")
    query, doc, rank, subtopic = map(table.column, ("query", "doc", "rank", "subtopic"))
    if query is None or doc is None:
        return None
    number = table.number(own) or key_named(names, numbers)
    if number is None and (rank is None or not ranked):
        return None
    # The judgments of BEIR and MTEB have scores beside a corpus-id.
    if number and plain_name(number) not in SYNONYMS[own] and plain_name(doc) != "corpusid":
        raise DataError(
            f"{file.path}: the header names a {other} ({number!r}) and no {own}. This looks like "
            f"{kind}; the order is judgments first, then runs. If these are {own}s, call the column "
            f"{SYNONYMS[own][0]!r}."
        )
    layout = RowLayout(len(names), place[query], place[doc], place[number])
    if number is None:
        layout = layout._replace(value=place[rank], reading=RANK)
    elif ranked:
        layout = layout._replace(rank=place[rank])
    else:
        layout = layout._replace(iteration=place[subtopic])
    called = "rank" if number is None else "score"
    return TrecLayout(layout, " ".join(names), file.first_rows[0].end, called, from_file=True)


def _are_names(fields: Sequence[bytes]) -> bool:
    return 3 <= len(fields) <= _MOST_COLUMNS and not any(is_number(f) or b"," in f for f in fields)


def _fits(fields: Sequence[bytes]) -> bool:
    names = [*map(decode, fields)]
    wanted = (SYNONYMS["query"], SYNONYMS["doc"], [*SCORE_NAMES, *SYNONYMS["rank"]])
    return all(key_named(names, known) is not None for known in wanted)


def _alike(rows: Sequence[list[bytes]]) -> list[list[bytes]]:
    """Return the first rows that have as many fields as the very first."""
    count = len(rows[0])
    return [row for row in rows if len(row) == count]


def _all_numbers(rows: Sequence[list[bytes]], column: int) -> bool:
    return all(is_number(row[column]) for row in rows)


def _is_constant(rows: Sequence[list[bytes]], column: int) -> bool:
    return {row[column] for row in rows} <= {b"0", b"Q0", b"q0"}


def _longest_query(rows: Sequence[list[bytes]]) -> int:
    longest = current = 0
    for i, row in enumerate(rows):
        current = current + 1 if i and rows[i - 1][0] == row[0] else 1
        longest = max(longest, current)
    return longest


def _ranked(rows: Sequence[list[bytes]], column: int) -> int:
    """Return how many of the rows, from the first on, count up from 0 or 1 within their query."""
    query = None
    expected: tuple[int, ...] = ()
    for i, row in enumerate(rows):
        if row[0] != query:
            query, expected = row[0], (0, 1)
        text = row[column]
        if not text.isdigit() or len(text) > 9 or int(text) not in expected:
            return i
        expected = (int(text) + 1,)
    return len(rows)


def _refuse_ranks(rows: Sequence[list[bytes]], column: int, path: str) -> None:
    counted = _ranked(rows, column)
    if _longest_query(rows[:counted]) >= 6:
        raise DataError(
            f"{path}: the grades count up like ranks (column {column + 1}). This looks like a "
            "run; the order is judgments first, then runs. If they are grades, name the format: "
            "'trec' for four columns, 'query-document-grade' for three."
        )


def _refuse_times(rows: Sequence[list[bytes]], path: str) -> None:
    """Refuse interactions of user, item, rating and time, which have as many columns as qrels."""
    if _is_constant(rows, 1) or not all(r[3].isdigit() and len(r[3]) > 8 for r in rows):
        return
    raise DataError(
        f"{path}: the grades, such as {decode(rows[0][3])}, look like times (column 4). If the "
        "columns are user, item, rating and time, put a first line above them that names them, such "
        "as user_id item_id rating timestamp."
    )


_CHUNK = 1 << 20
_BINARY = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind (.xls); save it as .xlsx or as CSV",
    b"PK\x03\x04": "a zip archive, as OpenDocument spreadsheets are; save the sheet as .xlsx or CSV",
    b"\x93NUMPY": "an array of NumPy; load it and evaluate it in Python",
}
_COLUMN_NAMES = {"grade": "relevance"}


def fault_error(
    file: Input, fault: tuple[int, int, int, int, bytes], layout: TrecLayout
) -> DataError:
    """Return the error for a fault that an engine reported.

    Args:
        file: the file.
        fault: its kind, where the line begins, the column, the field (or how many there are, or
            the character), and the text.
        layout: the layout that the line should have.
    """
    kind, begin, column, field, text = fault
    line = _line_number(file, begin)
    where = f"{file.path}:{line}"
    what = "TREC qrels" if layout.number == "grade" else "a TREC run"
    if kind == LineFault.FIELD_COUNT:
        return DataError(where + _field_count(file, text, field, layout, line))
    if kind in (LineFault.NOT_A_NUMBER, LineFault.NOT_FINITE):
        return DataError(f"{where}:{column + 1}: {_number(file, kind, text, layout, line)}")
    if kind == LineFault.CONTROL_CHARACTER:
        remedy = f"Is this {what}? It looks like binary data."
        if text == b"\r":
            remedy = "The file seems to have CR-only line ends; convert them to LF."
        for start, words in _BINARY.items():
            if file.head.startswith(start):
                return DataError(f"{file.path}: this is {words}.")
        return DataError(f"{where}:{column + 1}: control character 0x{field:02x}. {remedy}")
    return DataError(f"{where}: the line is longer than 1 MiB. Is this {what}?")


def _field_count(file: Input, text: bytes, count: int, layout: TrecLayout, line: int) -> str:
    like = " like the first row" if layout.from_file else ""
    message = (
        f": expected {layout.layout.columns} fields ({layout.columns}){like}, "
        f"found {count}: '{_shown(text)}'."
    )
    other, name = (QRELS, "TREC qrels") if layout == RUN else (RUN, "a TREC run")
    if layout in (RUN, QRELS) and count == other.layout.columns:
        return f"{message} This looks like {name}; the order is judgments first, then runs."
    if layout.first and b"\t" in text:
        return (
            f"{message} If fields hold blanks, name the format: 'csv' (--input-format, "
            "input_format=)."
        )
    return message + (_other_table(file, text, count, layout) if line == 1 or count == 1 else "")


def _number(file: Input, kind: int, text: bytes, layout: TrecLayout, line: int) -> str:
    problem, remedy = "is not a number", "Write it like 3, -0.25 or 1e-3."
    row = file.head.split(b"\n", 1)[0]
    if kind == LineFault.NOT_FINITE:
        problem = "is not a finite number"
        remedy = "Remove the row, or repair what wrote it."
    elif line == 1 and max(row.count(b","), row.count(b";")) > 1:  # names that hold blanks
        remedy = _other_table(file, row, 0, layout).strip()
    elif line == 1:
        remedy += " A first line of names is known by its query, document and number columns."
    return f"{layout.number} '{_shown(text)}' {problem}. {remedy}"


def _shown(text: bytes) -> str:
    return ascii(decode(text))[1:-1]


def _other_table(file: Input, row: bytes, fields: int, layout: TrecLayout) -> str:
    """Return advice on a first line whose columns are not separated by blanks."""
    if fields == 1 and layout == RUN and DECIMAL_COMMA.fullmatch(row):
        return " Write decimals with a point: 0.5, not 0,5."
    for separator in (",", ";"):
        if separator.encode() in row:
            number = _COLUMN_NAMES.get(layout.number, layout.number)
            message = (
                f" If '{separator}' separates the columns, the first line has to name them, such "
                f"as query_id{separator}doc_id{separator}{number}; other names need "
            )
            lines = decode(file.head).splitlines()[:2]
            names, *values = (line.split(separator) for line in lines)
            if values and len(names) == len(values[0]) and not any(map(is_number, names)):
                kinds = {
                    n: "number" if is_number(v) else "text"
                    for n, v in zip(names, values[0], strict=True)
                }
                return f"{message}{column_roles.advice(column_roles.unnamed(names, None, layout.number, kinds))}."
            return f"{message}--columns query=NAME,doc=NAME (columns=)."
    for separator in ("::", "|"):
        if separator.encode() in row:
            return f" Columns are separated by blanks, tabs, ',' or ';', not by '{separator}'."
    if fields == 1 and layout == RUN:
        return " A file of scores alone has one number in each line, and no header."
    return ""


def _line_number(file: Input, offset: int) -> int:
    """Return the number of the line that begins at an offset."""
    file.stream.seek(0)
    number = 1
    while offset > 0 and (chunk := file.stream.read(min(offset, _CHUNK))):
        number += chunk.count(b"\n")
        offset -= len(chunk)
    return number
