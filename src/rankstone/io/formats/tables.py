"""Tables in files: Parquet, Arrow IPC (Feather), CSV and TSV with a header."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.errors import DataError, RankstoneError
from rankstone.io import frames
from rankstone.io.column_roles import (
    SYNONYMS,
    check_single,
    column_or_none,
    looks_like_header,
    names_in,
)
from rankstone.io.formats import Format, Input, Row
from rankstone.io.formats.csv_dialect import check_alike
from rankstone.io.formats.trec_layout import has_blanks, has_quotes, is_header, is_number
from rankstone.io.formats.write_tables import write_binary, write_text
from rankstone.io.frames.columns import PlainTable
from rankstone.io.rows import id_of, number_of

_FILE, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_SEPARATORS = (",", ";", "\t")


def _is_parquet(text: Input) -> bool:
    # Some id may be PAR1; but the parts of such a file end in a byte of zeros.
    return text.head.startswith(b"PAR1") and b"\0" in text.head


def _is_arrow(text: Input) -> bool:
    return text.head.startswith((_FILE, _STREAM)) and b"\0" in text.head


def _is_csv(text: Input) -> bool:
    """Tell by a first line that names a column of queries and one of documents.

    Rows with a header that the reader of rows knows are left to it, unless columns are named,
    fields are quoted or hold blanks.
    """
    if _separator(text) is None:
        return False
    rows = text.rows
    if text.columns or not rows or not is_header(rows[0]):
        return True
    return has_quotes(rows) or has_blanks(text.head)


def _may_be_csv(text: Input) -> bool:
    return b"\0" not in text.head and any(len(_names(text, s)) > 1 for s in _SEPARATORS)


def _separator(text: Input) -> str | None:
    """Return what separates the names of a header; None where there is none.

    One of the columns somebody named will do: what is wrong with the others is said later.
    """
    if b"\0" in text.head:
        return None
    named = names_in(text.columns)
    found = ((s, _names(text, s)) for s in _SEPARATORS)
    return next(
        (s for s, n in found if len(n) > 1 and (looks_like_header(n) or named & {*n})), None
    )


def _names(text: Input, separator: str) -> list[str]:
    import csv

    line = text.head.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _layout(text: Input) -> tuple[str, list[str]]:
    """Return what separates the fields of a text, and the names in its header."""
    most = max(_SEPARATORS, key=lambda s: len(_names(text, s)))
    separator = _separator(text) or most
    return separator, _names(text, separator)


def _holds(text: Input) -> str | None:
    """Tell by the columns: a grade makes judgments, a score or a rank makes a run."""
    names = _layout(text)[1] if _is_text(text) else frames.names_of(_frame(text))
    found = {role for role in SYNONYMS if column_or_none(role, names, text.columns)}
    if "grade" in found:
        return None if found & {"score", "rank"} else "judgments"
    return "run" if found & {"score", "rank"} else None


def _judgments(text: Input) -> Judgments:
    frame = _frame(text)
    typed = not _is_text(text)
    read = partial(frames.judgments_of, typed=typed, graded=text.graded)
    found: Judgments = _reading(text, lambda: read(frame, text.columns, text.source))
    return found


def _run(text: Input) -> frames.FrameRun:
    frame = _frame(text)
    read = partial(frames.run_of, typed=not _is_text(text))
    found: frames.FrameRun = _reading(
        text, lambda: read(frame, text.columns, text.path, text.threads, text.source)
    )
    return found


def _rows(text: Input, kind: str) -> Iterator[Row]:
    """Yield rows as they stand; where there is no number, judged is relevant, and order decides."""
    frame = _frame(text)
    roles = _reading(text, lambda: frames.roles_of(frame, kind, text.path, text.columns))
    names = [name for name in roles.names[:3] if name is not None]
    held: Iterable[tuple[Any, ...]] = _reading(text, lambda: frames.values_of(frame, names))
    for row, (query, doc, *rest) in enumerate(held):
        where = f"{text.path}, row {row} (rows count from 0)"
        if rest:
            number = number_of(rest[0], roles.number_role, where)
        else:
            number = 1.0 if kind == "judgments" else float(row)
        if kind == "run" and (roles.number_role == "rank" or not rest):
            number = -number
        yield id_of(query, "query", where), id_of(doc, "document", where), number


def _reading(text: Input, read: Callable[[], Any]) -> Any:
    """Turn what a library says about a file into an error of ours."""
    try:
        return read()
    except (RankstoneError, MemoryError):
        raise
    except BaseException as error:  # any of several libraries, each with its own
        # A library in Rust may give up with something that is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if _is_text(text):
            _check_numbers(text)
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise DataError(f"{text.path}: the table cannot be read ({words[0]}).") from None


def _check_numbers(text: Input) -> None:
    """Refuse the first score, grade or rank that is no number, by its line."""
    import csv
    from io import TextIOWrapper

    separator, names = _layout(text)
    columns = [(names.index(n), n) for n, t in _types(text).items() if t == "number"]
    text.stream.seek(0)
    wrapped = TextIOWrapper(text.stream, encoding="utf-8-sig", errors="replace", newline="")
    try:
        rows = csv.reader(wrapped, delimiter=separator)
        next(rows, None)
        for row in rows:
            for place, name in columns:
                field = row[place] if place < len(row) else ""
                if not _is_float(field):
                    raise DataError(
                        f"{text.path}:{rows.line_num}: {field!a} in column {name!r} is not a "
                        "number. Write it like 3, -0.25 or 1e-3."
                    )
    except csv.Error:
        return
    finally:
        wrapped.detach()


def _is_text(text: Input) -> bool:
    return not (_is_parquet(text) or _is_arrow(text))


def _frame(text: Input) -> Any:
    """Return the table of a file, as a library that is installed holds it."""
    polars, pyarrow = (find_spec(name) is not None for name in ("polars", "pyarrow"))
    read: Callable[[Input, Any], Any] = _plain_text
    if _is_text(text):
        if polars or pyarrow:
            read = _polars_text if polars else _pyarrow_text
    elif polars or pyarrow:
        read = _polars_binary if polars else _pyarrow_binary
    else:
        what = "Parquet" if _is_parquet(text) else "Arrow"
        raise frames.missing("polars or pyarrow", f"{text.path}: reading {what} files")
    if _is_text(text):
        check_alike(text, _layout(text)[0])
    text.stream.seek(0)
    # A library reads a plain file faster by its name; what was expanded or piped has none.
    named = getattr(text.stream, "name", None) == text.path
    return _reading(text, lambda: read(text, text.path if named else text.stream))


def _types(text: Input) -> dict[str, str]:
    """Return which columns of a text are ids, to be left as they are written, and which numbers."""
    names = _layout(text)[1]
    types = {}
    for role in SYNONYMS:
        name = column_or_none(role, names, text.columns)
        if name is not None:
            check_single(text.path, name, names)  # readers rename or keep one of the two
            types[name] = "id" if role in ("query", "doc") else "number"
    return types


def _polars_text(text: Input, content: Any) -> Any:
    import polars as pl

    kinds = {n: pl.String if t == "id" else pl.Float64 for n, t in _types(text).items()}
    return pl.scan_csv(
        content,
        separator=_layout(text)[0],
        schema_overrides=kinds,
        infer_schema_length=1000,
        glob=False,
    )


def _polars_binary(text: Input, content: Any) -> Any:
    import polars as pl

    if _is_parquet(text):
        return pl.scan_parquet(content, glob=False)
    if text.head.startswith(_STREAM):
        return pl.read_ipc_stream(content)
    return pl.scan_ipc(content, glob=False)


def _pyarrow_text(text: Input, content: Any) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    kinds = {n: pa.large_string() if t == "id" else pa.float64() for n, t in _types(text).items()}
    return csv.read_csv(
        content,
        parse_options=csv.ParseOptions(delimiter=_layout(text)[0], newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=kinds, null_values=[""]),
    )


def _pyarrow_binary(text: Input, content: Any) -> Any:
    import pyarrow as pa

    if _is_parquet(text):
        from pyarrow import parquet

        return parquet.read_table(content)
    opened = pa.ipc.open_stream if text.head.startswith(_STREAM) else pa.ipc.open_file
    return opened(text.stream).read_all()


def _plain_text(text: Input, _: Any) -> Any:
    """Read text with nothing but Python."""
    import csv
    from io import TextIOWrapper

    wrapped = TextIOWrapper(text.stream, encoding="utf-8-sig", newline="")
    try:
        rows = [row for row in csv.reader(wrapped, delimiter=_layout(text)[0]) if row]
    finally:
        wrapped.detach()
    names, *lines = rows
    if not lines:
        raise DataError(f"{text.path}: the table has no rows.")
    for number, row in enumerate(lines):
        if len(row) != len(names):
            raise ValueError(f"row {number} has {len(row)} fields, the header {len(names)}")
    types = _types(text)
    columns: dict[str, Any] = {}
    for name, values in zip(names, zip(*lines, strict=True), strict=True):
        if types.get(name) == "number" or (name not in types and all(map(_is_float, values))):
            columns[name] = [float(v) if v else None for v in values]
        else:
            columns[name] = list(values)
    return PlainTable(columns)


def _is_float(field: str) -> bool:
    return not field or is_number(field.encode())


def _binary(name: str, looks_like: str, told_by: Callable[[Input], bool]) -> Format:
    return Format(
        name,
        looks_like,
        told_by,
        _judgments,
        _run,
        partial(write_binary, number="relevance", kind=name),
        partial(write_binary, number="score", kind=name),
        holds=_holds,
        rows=_rows,
    )


PARQUET = _binary("parquet", "a Parquet file", _is_parquet)
ARROW = _binary("arrow", "an Arrow IPC file or stream, such as Feather", _is_arrow)
CSV = Format(
    "csv",
    "CSV or TSV with a header, such as query_id,doc_id,score",
    _is_csv,
    _judgments,
    _run,
    partial(write_text, number="relevance"),
    partial(write_text, number="score"),
    may_be=_may_be_csv,
    holds=_holds,
    rows=_rows,
)
