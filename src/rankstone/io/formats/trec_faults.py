"""Faults of a line of a TREC file, in words."""

from __future__ import annotations

from rankstone.core.row_layout import LineFault
from rankstone.core.text import decode, is_number
from rankstone.errors import DataError
from rankstone.io.column_roles import advice, unnamed
from rankstone.io.formats.trec_layout import DECIMAL_COMMA, QRELS, RUN, TrecLayout
from rankstone.io.input_file import Input

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
                return f"{message}{advice(unnamed(names, None, layout.number, kinds))}."
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
