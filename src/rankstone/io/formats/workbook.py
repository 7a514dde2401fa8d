"""Excel workbooks: a sheet, by default the first, is a table with a header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import accumulate, compress, islice
from typing import Any
from zipfile import BadZipFile, ZipFile

from rankstone.choices.reading import Reading
from rankstone.core.text import is_number
from rankstone.core.values import plain_id
from rankstone.errors import DataError, MissingDependencyError, Notice, did_you_mean, plural
from rankstone.io.frames.columns import PlainTable
from rankstone.io.input_file import Input
from rankstone.io.streams import check_expansion

_SHOWN = 10  # problems of a sheet that a message lists
_ABOVE = 20  # rows in which the header is sought
_LOOKED_AT = 100  # rows of another sheet, to see whether it is empty


@dataclass(frozen=True, eq=False)
class Sheet(PlainTable):
    """The columns of a sheet; ``lines`` are the numbers that Excel shows beside its rows.

    ``above`` are the first rows that hold cells, by number, from the header on; ``options`` say how
    rows are read.
    """

    lines: tuple[int, ...] = ()
    notices: tuple[Notice, ...] = ()
    above: tuple[tuple[int, list[Any]], ...] = ()
    options: Reading = field(default_factory=Reading)

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
        known = dict.fromkeys(ids, (_is_id, "an id"))
        known |= {name: (_is_number, "a number") for name in (*numbers, grade) if name}
        columns = dict(self.columns)
        query = next(iter(ids), "")
        if self.options.fill_down:
            columns[query] = list(accumulate(columns[query], lambda above, own: own or above))
        judged = [not grade or cell is not None for cell in columns.get(grade, self.lines)]
        for name, (accepts, noun) in known.items():
            for i, value in enumerate(columns[name]):
                if value is None and name == grade:
                    continue
                if value is None or value == "":
                    faults.append((i, f"no value in column {name!r}"))
                elif not accepts(value):
                    faults.append((i, f"{value!r} in column {name!r} is not {noun}"))
        notices = list(self.notices)
        faulty = sorted({i for i, _ in faults})
        if faults:
            faults.sort()
            shown = "; ".join(f"row {self.lines[i]}: {what}" for i, what in faults[:_SHOWN])
            more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
            what = f"{path}: {plural(len(faults), 'cell')} cannot be used ({shown}{more})."
            if self.options.faulty_rows == "error":
                merged = any(what == f"no value in column {query!r}" for _, what in faults)
                fill = " If cells of queries are merged: fill_down=True (--fill-down)." * merged
                raise DataError(
                    f"{what} Rows are numbered as in Excel. Fill the cells or remove the rows, or leave "
                    f"such rows out: faulty_rows='skip' (--faulty-rows skip).{fill}"
                )
            text = "rows of the sheet that cannot be used were left out"
            examples = tuple(f"row {self.lines[i]}" for i in faulty[:3])
            notices.append(Notice("faulty-rows", len(faulty), text, examples))
        if not any(judged):
            raise DataError(f"{path}: column {grade!r} has no grade in any row.")
        bad = set(faulty)
        unjudged = [i for i, is_judged in enumerate(judged) if not is_judged and i not in bad]
        if unjudged:
            text = (
                f"{plural(len(unjudged), 'row')} of the sheet without a grade; they are not judged"
            )
            example = f"row {self.lines[unjudged[0]]}"
            notices.append(Notice("no-grade", len(unjudged), text, (example,), "note"))
        kept = [is_judged and i not in bad for i, is_judged in enumerate(judged)]
        return Sheet(
            {name: list(compress(column, kept)) for name, column in columns.items()},
            lines=tuple(compress(self.lines, kept)),
            notices=tuple(notices),
        )

    def advice(self) -> str:
        """Return what to type if the row that names the columns seems to be another one."""
        number, header = max(self.above, key=lambda row: sum(isinstance(c, str) for c in row[1]))
        if number == self.above[0][0]:
            return ""
        names = ", ".join(repr(cell) for cell in header if cell is not None)
        return f" Row {number} looks like the header ({names}): header_row={number} (--header-row {number})."


def _is_id(value: Any) -> bool:
    return plain_id(value) is not None


def _is_number(value: Any) -> bool:
    return is_number(value) if isinstance(value, str) else isinstance(value, int | float)


def read_sheet(file: Input) -> Sheet:
    """Read a sheet of a workbook; columns without a name are left out."""
    _check_size(file)
    options = file.options.sheet
    names, name, cells, others = _rows_of_sheet(file)
    rows = [(n, row) for n, row in enumerate(cells, 1) if _holds_cells(row)]
    above = tuple(rows[:_ABOVE])
    if options.header_row is not None:
        rows = [(n, row) for n, row in rows if n >= options.header_row]
    if len(rows) < 2:
        which = (
            f"the sheet {name!r}" if options.sheet is not None else f"the first sheet, {name!r},"
        )
        first = f"; choose another with sheet= (--sheet), of {', '.join(names)}"
        raise DataError(
            f"{file.path}: {which} has no rows under a header{first if len(names) > 1 else ''}."
        )
    (_, header), *body = rows
    columns = {str(cell).strip(): i for i, cell in enumerate(header) if cell is not None}
    notices = []
    if others and options.sheet is None:
        text = f"the sheet {name!r} was read, the first of {len(names)}; the others were not"
        notices.append(Notice("other-sheets", len(others), text, tuple(others[:3])))
    return Sheet(
        {n: [row[i] if i < len(row) else None for _, row in body] for n, i in columns.items()},
        lines=tuple(number for number, _ in body),
        notices=tuple(notices),
        above=above if options.header_row is None else above[:1],
        options=options,
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


def _rows_of_sheet(file: Input) -> tuple[list[str], str, Iterator[list[Any]], list[str]]:
    """Return the names of the sheets, that of the chosen one, its rows, and which others hold cells."""
    if find_spec("openpyxl") is not None:
        from openpyxl import load_workbook

        book = load_workbook(file.stream, read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a sheet says of its size may be wrong
        names = [sheet.title for sheet in book.worksheets]
        place = _place(file, names)
        held = [
            s.title
            for i, s in enumerate(book.worksheets)
            if i != place
            and any(map(_holds_cells, islice(s.iter_rows(values_only=True), _LOOKED_AT)))
        ]
        rows = book.worksheets[place].iter_rows(values_only=True)
        return names, names[place], map(list, rows), held
    if find_spec("fastexcel") is not None and find_spec("pyarrow") is not None:
        import fastexcel

        reader = fastexcel.read_excel(file.stream.read())
        names = list(reader.sheet_names)
        place = _place(file, names)
        table = reader.load_sheet(place, header_row=None, skip_rows=0, dtypes="string").to_arrow()
        columns = [column.to_pylist() for column in table.columns]
        others = [name for name in names if name != names[place]]
        return names, names[place], map(list, zip(*columns, strict=True)), others
    raise MissingDependencyError(
        f"{file.path}: this is an Excel workbook; reading it needs openpyxl or fastexcel: pip "
        "install 'rankstone[excel]', or save the sheet as CSV."
    )


def _place(file: Input, names: Sequence[str]) -> int:
    """Return the place of the chosen sheet among all."""
    chosen = file.options.sheet.sheet
    if chosen is None or str(chosen) in names:
        return 0 if chosen is None else names.index(str(chosen))
    if str(chosen).isdecimal() and 1 <= int(chosen) <= len(names):
        return int(chosen) - 1
    hint = did_you_mean(str(chosen), names)
    raise DataError(f"{file.path}: there is no sheet {chosen!r}.{hint} Sheets: {', '.join(names)}.")
