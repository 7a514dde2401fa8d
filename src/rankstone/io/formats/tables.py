"""Tables in files, read and written: Parquet, Arrow IPC (Feather), CSV and TSV with a header.

And Quepid's ratings: CSV with the columns query, docid and rating, some of which are empty.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from io import BytesIO, TextIOWrapper
from itertools import islice
from typing import IO, Any

from rankstone.core.judgments import Judgments
from rankstone.core.run import Row
from rankstone.core.scalars import number_of
from rankstone.core.subtopics import Aspect
from rankstone.core.text import is_number, number_text
from rankstone.errors import DataError, Notice, RankstoneError
from rankstone.io import frames
from rankstone.io.column_roles import ROLES, column_or_none, key_named
from rankstone.io.encodings import as_utf8
from rankstone.io.formats import Format, csv_header, trec_layout
from rankstone.io.formats.trec_layout import has_blanks, has_quotes, is_header
from rankstone.io.formats.workbook import Sheet, read_sheet
from rankstone.io.frames.columns import PlainTable, open_table, values_of
from rankstone.io.input_file import Input
from rankstone.io.rows import TextRow, as_text, check_utf8, id_of

_MOST_MEMORY = 1 << 40  # bytes that no table takes
_FILE, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_BATCH = 1 << 16  # rows that are written at once


def _is_parquet(file: Input) -> bool:
    # Some id may be PAR1; but the parts of such a file end in a byte of zeros.
    return file.head.startswith(b"PAR1") and b"\0" in file.head


def _is_arrow(file: Input) -> bool:
    return file.head.startswith((_FILE, _STREAM)) and b"\0" in file.head


def _is_workbook(file: Input) -> bool:
    return file.head.startswith(b"PK\x03\x04") and (
        b"xl/" in file.head or b"[Content_" in file.head
    )


def _is_text(file: Input) -> bool:
    return not (_is_parquet(file) or _is_arrow(file) or _is_workbook(file))


def _is_csv(file: Input) -> bool:
    """Return whether the first line names a column of queries and one of documents.

    Rows under names that the reader of TREC rows knows are left to it, unless columns are named,
    or fields are quoted or hold blanks.
    """
    if csv_header.separator_of(file) is None:
        return False
    rows = file.first_rows
    if file.options.columns or not rows or not is_header(rows[0].fields):
        return True
    return has_quotes(file) or has_blanks(file) or trec_layout.has_decimal_commas(file)


def _accepts_csv(file: Input) -> bool:
    return b"\0" not in file.head and any(
        len(csv_header.names_of(file, s)) > 1 for s in csv_header.SEPARATORS
    )


def _kind(file: Input) -> str | None:
    """Tell by the columns: a grade makes judgments, a score, a distance or a rank makes a run."""
    names = csv_header.header_of(file)[1] if _is_text(file) else open_table(_frame(file)).names
    roles = {role for role in ROLES if column_or_none(role, names, file.options.columns)}
    ranked = roles & {"score", "distance", "rank"}
    if "grade" in roles:
        return None if ranked else "judgments"
    return "run" if ranked else None


def _judgments(file: Input) -> Judgments:
    return _judgments_of(file, _frame(file, "judgments", graded=file.options.graded))


def _judgments_of(file: Input, frame: Any) -> Judgments:
    """Return the judgments in the table of a file."""
    source, typed = file.source, not _is_text(file)
    if isinstance(frame, Sheet):  # compared by what it says: programs change its bytes
        source = replace(source, expand=frame.content)
    judgments: Judgments = _reading(
        file, lambda: frames.judgments_of(frame, file.options, source, typed=typed)
    )
    return replace(judgments, notices=(*judgments.notices, *_notices(frame)))


def _notices(frame: Any) -> tuple[Notice, ...]:
    return frame.notices if isinstance(frame, Sheet) else ()


def _run(file: Input) -> frames.FrameRun:
    frame, typed = _frame(file, "run"), not _is_text(file)
    run: frames.FrameRun = _reading(
        file, lambda: frames.run_of(frame, file.options, file.source, typed=typed)
    )
    return replace(run, notices=_notices(frame))


def _rows(file: Input, kind: str) -> Iterator[TextRow]:
    return as_text(_typed_rows(file, kind))


def _typed_rows(file: Input, kind: str) -> Iterator[Row]:
    """Yield rows in file order.

    Without a number column judged rows get grade 1, and runs are ranked by row order.
    """
    frame = _frame(file, kind)
    table = _reading(file, lambda: open_table(frame))
    roles = _reading(file, lambda: frames.roles_of(table, kind, file.path, file.options.columns))
    names = [name for name in roles.names[:3] if name is not None]
    values: Iterable[tuple[Any, ...]] = _reading(file, lambda: values_of(table, names))
    ascending = file.options.ascending or roles.number_role in ("rank", "distance")
    for row, (query, doc, *rest) in enumerate(values):
        where = f"{file.path}, row {row} (rows count from 0)"
        if rest:
            number = number_of(rest[0], roles.number_role, where)
        else:
            number = 1.0 if kind == "judgments" else float(row)
        if kind == "run" and (ascending or not rest):
            number = -number
        yield id_of(query, "query", where), id_of(doc, "document", where), number


def _reading(file: Input, read: Callable[[], Any]) -> Any:
    """Turn what a library says about a file into an error of ours."""
    try:
        return read()
    except BaseException as raised:  # any of several libraries, each with its own
        # A frame that cannot be collected says so as an error of ours, of which the cause counts.
        error = raised.__cause__ if isinstance(raised, RankstoneError) else raised
        if error is None:
            raise
        if isinstance(error, MemoryError) and not _is_absurd(error):
            raise
        # A library in Rust may give up with something that is not an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if _is_text(file):
            with as_utf8(file.stream, file.path, "UTF-8"):  # which names the line of an odd byte
                pass
            _check_numbers(file)
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise DataError(f"{file.path}: the table cannot be read ({words[0]}).") from None


def _is_absurd(error: MemoryError) -> bool:
    """Return whether so much memory was asked for that the file must be damaged."""
    size = re.search(r"size (\d+)", str(error))
    return size is not None and int(size[1]) > _MOST_MEMORY


def _check_numbers(file: Input) -> None:
    """Refuse the first score, grade or rank that is not a number, by its line."""
    (_, names), *records = _records(file)
    columns = [(names.index(n), n) for n, t in csv_header.types_of(file).items() if t == "number"]
    comma = csv_header.has_decimal_commas(file)
    for line, row in records:
        for place, name in columns:
            field = row[place] if place < len(row) else ""
            if field and not is_number(field.replace(",", ".") if comma else field):
                raise DataError(
                    f"{file.path}:{line}: {field!a} in column {name!r} is not a number. Write it "
                    "like 3, -0.25 or 1e-3."
                )


def _records(file: Input) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the fields of the header and of each row of a text."""
    file.stream.seek(file.begin)
    wrapped = TextIOWrapper(file.stream, encoding="utf-8", newline="")
    reader = csv.reader(wrapped, delimiter=csv_header.header_of(file)[0], strict=True)
    try:
        for fields in islice(reader, _lines_before_header(file), None):
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        where = f"{file.path}:{reader.line_num}"
        raise DataError(f"{where}: this is not valid CSV ({error}).") from None
    finally:
        wrapped.detach()


def _lines_before_header(file: Input) -> int:
    return 0 if csv_header.declared_separator(file) is None else 1


def _frame(file: Input, kind: str | None = None, *, graded: bool = True) -> Any:
    """Return the table of a file, as a library that is installed has it.

    Of a sheet, the rows that hold judgments or a run, by ``kind``.
    """
    polars, pyarrow = (find_spec(name) is not None for name in ("polars", "pyarrow"))
    read: Callable[[Input, Any], Any] = _plain_text
    if _is_workbook(file):
        sheet = _reading(file, lambda: read_sheet(file, kind, graded=graded))
        file.check_unchanged()
        return sheet
    if _is_text(file):
        if polars or pyarrow:
            read = _polars_text if polars else _pyarrow_text
    elif polars or pyarrow:
        read = _polars_binary if polars else _pyarrow_binary
    else:
        what = "Parquet" if _is_parquet(file) else "Arrow"
        raise frames.missing("polars or pyarrow", f"{file.path}: reading {what} files")
    if _is_text(file):
        csv_header.check_alike(file, csv_header.header_of(file)[0])
    # By its name a library would map the file into memory, and end the process if it is cut short.
    file.stream.seek(0)
    raw = file.stream.read()
    content = BytesIO(_without_blank_lines(raw) if _is_text(file) else raw)
    file.check_unchanged()
    return _reading(file, lambda: read(file, content))


def _without_blank_lines(text: bytes) -> bytes:
    """Return a table without empty lines outside of quotes, which libraries may take for rows."""
    if b"\n\n" not in text and b"\n\r\n" not in text:
        return text
    parts = text.split(b'"')
    parts[::2] = [re.sub(rb"(?<=\n)(\r?\n)+", b"", part) for part in parts[::2]]
    return b'"'.join(parts)


def _polars_text(file: Input, content: Any) -> Any:
    import polars as pl

    kinds = {
        n: pl.String if t == "id" else pl.Float64 for n, t in csv_header.types_of(file).items()
    }
    return pl.scan_csv(
        content,
        separator=csv_header.header_of(file)[0],
        skip_rows=_lines_before_header(file),
        decimal_comma=csv_header.has_decimal_commas(file),
        schema_overrides=kinds,
        infer_schema_length=1000,
        glob=False,
    )


def _polars_binary(file: Input, content: Any) -> Any:
    import polars as pl

    if _is_parquet(file):
        return pl.scan_parquet(content, glob=False)
    if file.head.startswith(_STREAM):
        return pl.read_ipc_stream(content)
    return pl.scan_ipc(content, glob=False)


def _pyarrow_text(file: Input, content: Any) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    kinds = {
        n: pa.large_string() if t == "id" else pa.float64()
        for n, t in csv_header.types_of(file).items()
    }
    return arrow_csv.read_csv(
        content,
        read_options=arrow_csv.ReadOptions(skip_rows=_lines_before_header(file)),
        parse_options=arrow_csv.ParseOptions(
            delimiter=csv_header.header_of(file)[0], newlines_in_values=True
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=kinds,
            null_values=[""],
            decimal_point="," if csv_header.has_decimal_commas(file) else ".",
        ),
    )


def _pyarrow_binary(file: Input, content: Any) -> Any:
    import pyarrow as pa

    if _is_parquet(file):
        from pyarrow import parquet

        table = parquet.read_table(content)
    else:
        opened = pa.ipc.open_stream if file.head.startswith(_STREAM) else pa.ipc.open_file
        table = opened(content).read_all()
    table.validate(full=True)  # offsets of a damaged file may point outside
    return table


def _plain_text(file: Input, _: Any) -> PlainTable:
    """Read text with nothing but Python."""
    (_, names), *records = _records(file)
    if not records:
        raise DataError(f"{file.path}: the table has no rows.")
    return _plain_table(file, names, records)


def _plain_table(
    file: Input, names: Sequence[str], records: Iterable[tuple[int, list[str]]]
) -> PlainTable:
    """Return columns of texts and of numbers; ``records`` are the lines and fields of rows."""
    rows = []
    for line, row in records:
        if len(row) != len(names):
            raise DataError(
                f"{file.path}:{line}: {len(row)} fields, and the header has {len(names)}."
            )
        rows.append(row)
    types = csv_header.types_of(file)
    columns: dict[str, Any] = {}
    point = csv_header.has_decimal_commas(file)
    for name, texts in zip(names, zip(*rows, strict=True), strict=True):
        is_number_column = types.get(name) == "number"
        values = [v.replace(",", ".") for v in texts] if point and is_number_column else texts
        if types.get(name, "number") == "number" and all(not v or is_number(v) for v in values):
            columns[name] = [float(v) if v else None for v in values]
        elif types.get(name) == "number":
            raise ValueError(f"column {name!r} holds text")
        else:
            columns[name] = list(values)
    return PlainTable(columns, in_file=True)


def write_columns(
    rows: Iterable[tuple[Any, ...]],
    out: IO[bytes],
    names: Sequence[str],
    number: Callable[[float], str] = repr,
) -> None:
    """Write a header and rows of a query, a document, a number and perhaps texts as CSV."""
    wrapped = TextIOWrapper(out, "utf-8", newline="")
    try:
        writer = csv.writer(wrapped, lineterminator="\n")
        writer.writerow(names)
        for query, doc, value, *more in rows:
            check_utf8(query, doc, *more, without="\0\r")
            writer.writerow((query, doc, number(value), *more))
        wrapped.flush()
    finally:
        wrapped.detach()


def _write_binary(
    rows: Iterable[tuple[Any, ...]], out: IO[bytes], names: Sequence[str], kind: str
) -> None:
    """Write rows as a Parquet or Arrow file; all columns are in memory until they are complete."""
    make, write = _library(kind)
    remaining = iter(rows)
    parts = []
    while batch := list(islice(remaining, _BATCH)):
        for query, doc, _, *more in batch:
            if more or not (query.isascii() and doc.isascii()):
                check_utf8(query, doc, *more)
        parts.append(make(dict(zip(names, zip(*batch, strict=True), strict=True))))
    if parts:
        write(parts, out)


def _library(kind: str) -> tuple[Any, Any]:
    """Return how to make a table of columns, and how to write such tables as one."""
    if find_spec("polars") is not None:
        import polars as pl

        def write_frames(parts: list[Any], out: IO[bytes]) -> None:
            whole = pl.concat(parts)
            (whole.write_parquet if kind == "parquet" else whole.write_ipc)(out)

        return pl.DataFrame, write_frames
    if find_spec("pyarrow") is None:
        raise frames.missing("polars or pyarrow", f"writing {kind} files")
    import pyarrow as pa
    from pyarrow import feather, parquet

    def write_arrow(parts: list[Any], out: IO[bytes]) -> None:
        whole = pa.concat_tables(parts)
        if kind == "parquet":
            parquet.write_table(whole, out)
        else:
            feather.write_feather(whole, out, compression="uncompressed")

    return lambda columns: pa.table({n: list(v) for n, v in columns.items()}), write_arrow


def _with_importance(rows: Iterable[Aspect]) -> Iterator[tuple[Any, ...]]:
    return ((*row[:4], "okay" if row.vital is False else "vital") for row in rows)


def _table(
    name: str,
    example: str,
    detect: Callable[[Input], bool],
    write: Callable[..., None] | None = None,
    **more: Any,
) -> Format:
    """Return a format of tables; ``write`` writes rows under names of columns to a file."""
    if write is not None:
        names = ("query_id", "doc_id", "relevance", "subtopic", "importance")
        more |= {
            "write_judgments": partial(write, names=names[:3]),
            "write_run": partial(write, names=(*names[:2], "score")),
            "write_subtopics": lambda rows, out: write(_with_importance(rows), out, names),
            "holds_importance": True,
        }
    return Format(
        name,
        example,
        detect,
        _judgments,
        _run,
        kind=_kind,
        rows=_rows,
        mixes_queries=True,
        may_hold_subtopics=True,
        **more,
    )


WORKBOOK = _table(
    "xlsx", "an Excel workbook, of which a sheet is a table with a header", _is_workbook
)
PARQUET = _table("parquet", "a Parquet file", _is_parquet, partial(_write_binary, kind="parquet"))
ARROW = _table(
    "arrow",
    "an Arrow IPC file or stream, such as Feather",
    _is_arrow,
    partial(_write_binary, kind="arrow"),
)
CSV = _table(
    "csv",
    "CSV or TSV with a header, such as query_id,doc_id,score",
    _is_csv,
    write_columns,
    accepts=_accepts_csv,
)


_QUEPID = ("query", "docid", "rating")


def _is_quepid(file: Input) -> bool:
    """Return whether the first line is Quepid's; if columns are named, it is any table."""
    if file.options.columns or b"\0" in file.head or csv_header.declared_separator(file):
        return False
    names = csv_header.names_of(file, ",")
    # A case that is exported in detail has the text of the query.
    return all(key_named(names, own) for own in (("query", "querytext"), ("docid",), ("rating",)))


def _quepid_judgments(file: Input) -> Judgments:
    """Read the ratings; documents without one are not judged."""
    csv_header.check_alike(file, ",")
    judgments = _judgments_of(file, _reading(file, lambda: _rated(file)))
    # Searchers rate relevance; the other ratings are those of recommenders.
    notices = [n for n in judgments.notices if n.code != "ratings-as-grades"]
    return replace(judgments, notices=tuple(notices))


def _rated(file: Input) -> PlainTable:
    """Return the rows that have a rating."""
    (_, names), *records = _records(file)
    rating = names.index(key_named(names, ["rating"]))
    rated = [r for r in records if len(r[1]) <= rating or r[1][rating].strip(" \t")]
    if not rated:
        raise DataError(f"{file.path}: column {names[rating]!r} has no grade in any row.")
    table = _plain_table(file, names, rated)
    for role, what in (("query", "query"), ("doc", "document")):  # places here are not lines
        name = column_or_none(role, names, None)
        for (line, _), value in zip(rated, table.columns[str(name)], strict=True):
            id_of(value, what, f"{file.path}:{line}")
    return table


QUEPID = Format(
    "quepid",
    "CSV: query,docid,rating",
    _is_quepid,
    _quepid_judgments,
    write_judgments=partial(write_columns, names=_QUEPID, number=number_text),
)
