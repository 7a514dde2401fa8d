"""Excel workbooks: the first sheet is a table with a header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import compress, islice
from typing import Any
from zipfile import BadZipFile, ZipFile

from rankstone.core.text import is_number
from rankstone.core.values import plain_id
from rankstone.errors import DataError, MissingDependencyError, Notice, plural
from rankstone.io.frames.columns import PlainTable
from rankstone.io.input_file import Input
from rankstone.io.streams import check_expansion

_SHOWN = 10  # problems of a sheet that a message lists
_LOOKED_AT = 100  # rows of another sheet, to see whether it is empty


@dataclass(frozen=True, eq=False)
class Sheet(PlainTable):
    """The columns of a sheet; ``lines`` are the numbers that Excel shows beside its rows."""

    lines: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()

    def content(self) -> Iterator[bytes]:
        """Yield the values of the cells, which stay the same when a workbook is saved again."""
        for name, column in self.columns.items():
            cells = (float(cell) if _is_number(cell) else cell for cell in column)
            yield repr((name, [None if cell == "" else cell for cell in cells])).encode()

    def checked(self, path: str, ids: Iterable[str], numbers: Iterable[str], grade: str) -> Sheet:
        """Return the rows that can be used; refuse a sheet with faulty ones, all at once.

        Args:
            path: of the workbook.
            ids: columns that need a value in every row.
            numbers: columns that need a number in every row.
            grade: the column of numbers in which an empty cell means that nothing was judged;
                empty if there is none.
        """
        faults: list[tuple[int, str]] = []
        judged = [True] * len(self.lines)
        known = dict.fromkeys(ids, (_is_id, "an id"))
        known |= {name: (_is_number, "a number") for name in (*numbers, grade) if name}
        for name, (accepts, noun) in known.items():
            for i, value in enumerate(self.columns[name]):
                if value is None and name == grade:
                    judged[i] = False
                elif value is None or value == "":
                    faults.append((i, f"no value in column {name!r}"))
                elif not accepts(value):
                    faults.append((i, f"{value!r} in column {name!r} is not {noun}"))
        if faults:
            faults.sort()
            shown = "; ".join(f"row {self.lines[i]}: {what}" for i, what in faults[:_SHOWN])
            more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
            raise DataError(
                f"{path}: {plural(len(faults), 'cell')} cannot be used ({shown}{more}). Rows are "
                "numbered as in Excel. Fill the cells or remove the rows."
            )
        if all(judged):
            return self
        if not any(judged):
            raise DataError(f"{path}: column {grade!r} has no grade in any row.")
        left = judged.count(False)
        text = f"{plural(left, 'row')} of the sheet without a grade; they are not judged"
        example = f"row {self.lines[judged.index(False)]}"
        return Sheet(
            {name: list(compress(column, judged)) for name, column in self.columns.items()},
            lines=tuple(compress(self.lines, judged)),
            notices=(*self.notices, Notice("no-grade", left, text, (example,), "note")),
        )


def _is_id(value: Any) -> bool:
    return plain_id(value) is not None


def _is_number(value: Any) -> bool:
    return is_number(value) if isinstance(value, str) else isinstance(value, int | float)


def read_sheet(file: Input) -> Sheet:
    """Read the first sheet of a workbook; columns without a name are left out."""
    _check_size(file)
    names, cells, others = _first_sheet(file)
    rows = [(n, row) for n, row in enumerate(cells, 1) if _holds_cells(row)]
    if len(rows) < 2:
        first = f"; the table is to be the first of its sheets ({', '.join(names)})"
        raise DataError(
            f"{file.path}: the first sheet, {names[0]!r}, has no rows under a header"
            f"{first if len(names) > 1 else ''}."
        )
    (_, header), *body = rows
    columns = {str(name): i for i, name in enumerate(header) if name is not None}
    notices = []
    if others:
        text = f"the sheet {names[0]!r} was read, the first of {len(names)}; the others were not"
        notices.append(Notice("other-sheets", len(others), text, tuple(others[:3])))
    return Sheet(
        {n: [row[i] if i < len(row) else None for _, row in body] for n, i in columns.items()},
        lines=tuple(number for number, _ in body),
        notices=tuple(notices),
    )


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


def _first_sheet(file: Input) -> tuple[list[str], Iterator[list[Any]], list[str]]:
    """Return the names of the sheets, the rows of the first, and which others hold something."""
    if find_spec("openpyxl") is not None:
        from openpyxl import load_workbook

        book = load_workbook(file.stream, read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a sheet says of its size may be wrong
        first, *rest = ((s.title, s.iter_rows(values_only=True)) for s in book.worksheets)
        held = [title for title, rows in rest if any(map(_holds_cells, islice(rows, _LOOKED_AT)))]
        return [first[0], *(title for title, _ in rest)], map(list, first[1]), held
    if find_spec("fastexcel") is not None and find_spec("pyarrow") is not None:
        import fastexcel

        reader = fastexcel.read_excel(file.stream.read())
        table = reader.load_sheet(0, header_row=None, skip_rows=0, dtypes="string").to_arrow()
        columns = [column.to_pylist() for column in table.columns]
        names = list(reader.sheet_names)
        return names, map(list, zip(*columns, strict=True)), names[1:]
    raise MissingDependencyError(
        f"{file.path}: this is an Excel workbook; reading it needs openpyxl or fastexcel: pip "
        "install 'rankstone[excel]', or save the sheet as CSV."
    )
