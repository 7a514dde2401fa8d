"""Excel workbooks: a sheet, by default the first, is a table with a header."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, compress, groupby, islice
from operator import itemgetter
from shlex import quote
from typing import Any
from zipfile import BadZipFile, ZipFile

from rankstone.choices.reading import Reading
from rankstone.core.scalars import plain_id
from rankstone.core.text import is_number
from rankstone.errors import INSTALL, DataError, Notice, amount, did_you_mean, plural, require
from rankstone.frozen import frozen
from rankstone.io.column_roles import cannot_tell, column_or_none, unnamed
from rankstone.io.formats.csv_header import DECIMAL_COMMA
from rankstone.io.frames import roles_of
from rankstone.io.frames.columns import PlainTable, open_table, reads_as_number
from rankstone.io.input_file import Input
from rankstone.io.streams import check_expansion
from rankstone.language import tr

_SHOWN = 10  # problems of a sheet that a message lists
_ABOVE = 20  # rows in which the header is sought
_LOOKED_AT = 100  # rows of another sheet, to see whether it is empty
_MERGED = 1 / 4  # share of rows without a query from which on its cells seem to be merged

_TOTALS = {*(  # noqa: SIM905
    "sum total totals count average mean summe gesamt anzahl mittelwert durchschnitt 合计 总计 平均"
).split()}  # fmt: skip

Sheets = dict[str, Callable[[], Iterable[Sequence[Any]]]]  # the rows of each, by name


@frozen(eq=False)
class Sheet(PlainTable):
    """The columns of a sheet; ``lines`` are the numbers that Excel shows beside its rows."""

    lines: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()

    def content(self) -> Iterator[bytes]:
        """Yield the values of the cells, which stay the same when a workbook is saved again."""
        for name, column in self.columns.items():
            cells = (float(cell) if _is_number(cell) else cell for cell in column)
            yield repr((name, [None if cell == "" else cell for cell in cells])).encode()

    def kinds(self) -> dict[str, str]:
        """Return the type of most cells of each column, numbers or text; mixed with fewer numbers."""
        cells = {
            n: [reads_as_number(v) for v in c if not _is_empty(v)] for n, c in self.columns.items()
        }
        return {
            n: "number" if 2 * sum(own) > len(own) else "mixed" if any(own) else "text"
            for n, own in cells.items()
        }

    def faults(self, ids: Iterable[str], numbers: Iterable[str], grade: str) -> dict[int, str]:
        """Return why rows cannot be used, by their places; a grade may be empty."""
        known = dict.fromkeys(ids, (_is_id, "an id"))
        known |= {name: (_is_number, "a number") for name in (*numbers, grade) if name}
        faults = []
        for name, (accepts, noun) in known.items():
            for i, value in enumerate(self.columns[name]):
                if _is_empty(value):
                    faults += [] if name == grade else [(i, f"no value in column {name!r}")]
                elif not accepts(value):
                    faults.append((i, f"{value!r} in column {name!r} is not {noun}"))
                elif accepts is _is_id and _is_total(value):
                    faults.append((i, f"{value!r} in column {name!r} looks like a total"))
        return {
            i: "; ".join(w for _, w in own) for i, own in groupby(sorted(faults), itemgetter(0))
        }

    def without(self, faulty: Container[int], grade: str, path: str) -> Sheet:
        """Return the rows that are not faulty and are judged; notices count the others."""
        judged = [not grade or not _is_empty(v) for v in self.columns.get(grade, self.lines)]
        if not any(judged):
            raise DataError(f"{path}: column {grade!r} has no grade in any row.")
        usable = [i not in faulty for i in range(len(self.lines))]
        rows = list(zip(self.lines, usable, judged, strict=True))
        left_out = [tr("row {}").format(n) for n, is_usable, _ in rows if not is_usable]
        unjudged = [tr("row {}").format(n) for n, *own in rows if own == [True, False]]
        notices = list(self.notices)
        if left_out:
            text = tr("rows of the sheet that cannot be used were left out")
            notices.append(Notice("faulty-rows", len(left_out), text, tuple(left_out[:3])))
        if unjudged:
            text = tr("{} of the sheet without a grade; they are not judged").format(
                plural(len(unjudged), "row")
            )
            notices.append(Notice("no-grade", len(unjudged), text, tuple(unjudged[:1]), "note"))
        kept = [own == [True, True] for _, *own in rows]
        return Sheet(
            {name: list(compress(column, kept)) for name, column in self.columns.items()},
            lines=tuple(compress(self.lines, kept)),
            notices=tuple(notices),
        )


class _Obstacle(Exception):
    """A problem that prevents reading a sheet, and the options that solve it."""

    def __init__(self, problem: str, needed: dict[str, Any]) -> None:
        super().__init__(problem)
        self.needed = needed


def read_sheet(file: Input, kind: str | None, *, graded: bool = True) -> Sheet:
    """Read the rows of a sheet that hold judgments or a run; all of them if ``kind`` is None.

    One error names all that is in the way, and every option that is needed to read the workbook.
    """
    _check_size(file)
    sheets = _sheets(file)
    number = None if kind == "judgments" and not graded else "score" if kind == "run" else "grade"
    problems: list[str] = []
    needed: dict[str, Any] = {}
    while True:
        reading = replace(file.options.sheet, **({"columns": file.options.columns} | needed))
        try:
            sheet = _read(file.path, sheets, reading, kind, number)
        except _Obstacle as obstacle:
            problems.append(str(obstacle))
            if obstacle.needed and kind == "judgments":
                needed |= obstacle.needed
                continue
        else:
            if not problems:
                return sheet
        options = f", or pass {_words(needed)}" if needed else ""
        raise DataError(f"{file.path}: {'; '.join(problems)}. Mend the sheet{options}.")


def _read(
    path: str, sheets: Sheets, reading: Reading, kind: str | None, number: str | None
) -> Sheet:
    """Read a sheet; the first obstacle is raised."""
    name = _name(path, sheets, reading)
    sheet = _table(sheets, name, reading)
    names, columns = [*sheet.columns], reading.columns
    if kind is None and sheet.lines:
        return sheet
    if not sheet.lines or not all(column_or_none(r, names, columns) for r in ("query", "doc")):
        own, row = _header(sheets, reading)
        other = _table(sheets, own or name, replace(reading, header_row=row or None))
        if row and other.lines and [*other.columns] != names:
            place = {"sheet": own} if own != name else {}
            row_above = {"header_row": row} if row > 1 else {}
            shown = ", ".join(map(repr, other.columns))
            raise _Obstacle(
                f"row {row} of sheet {own!r} looks like the header ({shown})", place | row_above
            )
    if not sheet.lines:
        which = (
            f"the sheet {name!r}" if reading.sheet is not None else f"the first sheet, {name!r},"
        )
        choose = f"; choose another with sheet= (--sheet), of {', '.join(sheets)}"
        raise DataError(
            f"{path}: {which} has no rows under a header{choose if len(sheets) > 1 else ''}."
        )
    proposed = unnamed(names, columns, number, sheet.kinds())
    if proposed and all(proposed.values()):
        raise _Obstacle(cannot_tell(proposed), {"columns": {**(columns or {}), **proposed}})
    roles = roles_of(
        open_table(sheet), kind or "judgments", path, columns, graded=number is not None
    )
    ids = [n for n in roles.names[:2] if n is not None]
    numbers = [n for n in roles.names[2:] if n is not None]
    grade = numbers.pop() if numbers and kind == "judgments" else ""
    query, doc = (sheet.columns[n] for n in ids)
    if reading.fill_down:
        filled: list[Any] = list(
            accumulate(query, lambda above, own: above if _is_empty(own) else own)
        )
        sheet = replace(sheet, columns=sheet.columns | {ids[0]: filled})
    judged = [
        q
        for q, d in zip(query, doc, strict=True)
        if not (_is_empty(d) or _is_total(d) or _is_total(q))
    ]
    empty = [_is_empty(q) for q in judged]
    if not reading.fill_down and sum(empty) > _MERGED * len(empty):
        raise _Obstacle(
            f"{amount(sum(empty), 'row')} without a value in column {ids[0]!r}, as in merged cells",
            {"fill_down": True},
        )
    points = {n: _with_points(sheet.columns[n]) for n in (*numbers, grade) if n}
    sheet = replace(sheet, columns=sheet.columns | points)
    faults = sheet.faults(ids, numbers, grade)
    if faults and reading.faulty_rows == "error":
        listed = [f"row {sheet.lines[i]}: {why}" for i, why in faults.items()]
        more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        raise _Obstacle(
            f"{amount(len(listed), 'row')} cannot be used ({'; '.join(listed[:_SHOWN])}{more}), by the "
            "numbers that Excel shows",
            {"faulty_rows": "skip"},
        )
    return sheet.without(faults, grade, path)


def _words(needed: Mapping[str, Any]) -> str:
    """Return options as they are written in Python and as flags."""
    python = ", ".join(f"{name}={value!r}" for name, value in needed.items())
    flags = []
    for name, value in needed.items():
        text = ",".join(f"{r}={n}" for r, n in value.items()) if name == "columns" else str(value)
        flag = f"--{name.replace('_', '-')}"
        flags.append(flag if value is True else f"{flag} {quote(text)}")
    return f"{python} ({' '.join(flags)})"


def _is_empty(value: Any) -> bool:
    return value is None or value == ""


def _is_id(value: Any) -> bool:
    return plain_id(value) is not None


def _is_total(value: Any) -> bool:
    return isinstance(value, str) and value.strip().rstrip(":：").strip().casefold() in _TOTALS  # noqa: RUF001


def _with_points(column: Sequence[Any]) -> list[Any]:
    """Return cells with points for decimal commas, unless some text has a point, as in CSV."""
    if any(isinstance(cell, str) and "." in cell and is_number(cell.strip()) for cell in column):
        return list(column)
    return [
        cell.replace(",", ".")
        if isinstance(cell, str) and DECIMAL_COMMA.fullmatch(cell.strip())
        else cell
        for cell in column
    ]


def _is_number(value: Any) -> bool:
    return is_number(value) if isinstance(value, str) else isinstance(value, int | float)


def _table(sheets: Sheets, name: str, reading: Reading) -> Sheet:
    """Return the columns of a sheet that have names, without rows that are empty."""
    rows = [(n, list(row)) for n, row in enumerate(sheets[name](), 1) if _holds_cells(row)]
    rows = [(n, row) for n, row in rows if n >= (reading.header_row or 1)]
    (_, header), *body = rows or [(0, [])]
    columns = {str(cell).strip(): i for i, cell in enumerate(header) if cell is not None}
    others = [
        n for n in sheets if n != name and any(map(_holds_cells, islice(sheets[n](), _LOOKED_AT)))
    ]
    notices = []
    if others and reading.sheet is None:
        text = tr("the sheet {!r} was read, the first of {}; the others were not").format(
            name, len(sheets)
        )
        notices.append(Notice("other-sheets", len(others), text, tuple(others[:3])))
    return Sheet(
        {n: [row[i] if i < len(row) else None for _, row in body] for n, i in columns.items()},
        lines=tuple(number for number, _ in body),
        notices=tuple(notices),
    )


def _header(sheets: Sheets, reading: Reading) -> tuple[str, int]:
    """Return the sheet and the row that seem to name columns: by known names, or by most texts.

    Only the chosen sheet and row are looked at, if somebody chose them; the row is 0 if there is none.
    """
    best: tuple[tuple[int, int], str, int] = ((0, 1), "", 0)
    for name in sheets if reading.sheet is None else [_name("", sheets, reading)]:
        for row, cells in enumerate(islice(sheets[name](), _ABOVE), 1):
            texts = [c.strip() for c in cells if isinstance(c, str) and not is_number(c)]
            known = sum(bool(column_or_none(r, texts, reading.columns)) for r in ("query", "doc"))
            if reading.header_row in (None, row) and (known, len(texts)) > best[0]:
                best = (known, len(texts)), name, row
    return best[1:]


def _holds_cells(row: Iterable[Any]) -> bool:
    return any(cell is not None for cell in row)


def _check_size(file: Input) -> None:
    """Refuse a workbook whose parts expand beyond the limits of compressed files."""
    file.stream.seek(0)
    try:
        total = sum(part.file_size for part in ZipFile(file.stream).infolist())
    except BadZipFile as error:
        raise DataError(f"{file.path}: the table cannot be read ({error}).") from None
    check_expansion(file.path, "workbook", total, file.size, file.options.max_bytes)
    file.stream.seek(0)


def _sheets(file: Input) -> Sheets:
    """Return the sheets of a workbook."""
    openpyxl = require(
        "openpyxl",
        f"{file.path}: this is an Excel workbook; reading it needs openpyxl: "
        f"{INSTALL.format('excel')}, or save the sheet as CSV.",
    )
    book = openpyxl.load_workbook(file.stream, read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a sheet says of its size may be wrong
    return {s.title: partial(s.iter_rows, values_only=True) for s in book.worksheets}


def _name(path: str, sheets: Sheets, reading: Reading) -> str:
    """Return the name of the chosen sheet."""
    chosen, names = reading.sheet, list(sheets)
    if chosen is None or str(chosen) in sheets:
        return names[0] if chosen is None else str(chosen)
    if str(chosen).isdecimal() and 1 <= int(chosen) <= len(names):
        return names[int(chosen) - 1]
    hint = did_you_mean(str(chosen), names)
    raise DataError(f"{path}: there is no sheet {chosen!r}.{hint} Sheets: {', '.join(names)}.")
