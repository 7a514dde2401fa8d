"""Tables in files: Parquet, Arrow IPC (Feather), CSV and TSV with a header."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from rankstone.core.judgments import Judgments
from rankstone.core.source import Source
from rankstone.errors import DataError, RankstoneError, UsageError
from rankstone.io import frames
from rankstone.io.open import STDIN, compression_of, read_all, read_head
from rankstone.io.roles import SYNONYMS, check_columns, column_or_none, looks_like_header
from rankstone.io.trec import run_name

_MAGIC = ((b"PAR1", "parquet"), (b"ARROW1", "ipc"), (b"\xff\xff\xff\xff", "ipc-stream"))
_SEPARATORS = {"csv": ",", "tsv": "\t", "csv;": ";"}
_ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
    ".tsv": "tsv",
}


def kind_of(
    path: str, columns: Mapping[str, Any] | None = None, *, any_text: bool = False
) -> str | None:
    """Return what kind of table a file holds, by its first bytes; None where it is none.

    Text is a table where its first line names a column of queries and one of documents, and no
    other format claims it; with ``any_text`` whoever claims it.
    """
    check_columns(columns)
    try:
        if path == STDIN or not stat.S_ISREG(os.stat(path).st_mode):
            return None
        head = read_head(path)
    except (OSError, RankstoneError):
        return None  # whoever reads it will say what is wrong
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r")
    for kind, separator in _SEPARATORS.items():
        names = _header(line, separator)
        if not (columns or any_text) and (
            kind == "tsv" or {"query", "docid", "rating"} <= {*names}
        ):
            continue  # known as rows with a header, and as Quepid's ratings
        if len(names) > 1 and looks_like_header(names, columns):
            return kind
    return None


def read_table_judgments(
    path: str,
    columns: Mapping[str, Any] | None = None,
    *,
    kind: str | None = None,
    graded: bool = True,
) -> Judgments:
    """Read judgments from a table in a file."""
    frame, source, typed = _read(path, columns, kind)
    return _reading(
        path, lambda: frames.judgments_of(frame, columns, source, typed=typed, graded=graded)
    )


def read_table_run(
    path: str,
    columns: Mapping[str, Any] | None = None,
    name: str | None = None,
    threads: int | None = None,
    *,
    kind: str | None = None,
) -> frames.FrameRun:
    """Read a run from a table in a file."""
    frame, source, typed = _read(path, columns, kind)
    return _reading(
        path,
        lambda: frames.run_of(frame, columns, name or run_name(path), threads, source, typed=typed),
    )


def write_table(path: str, columns: Mapping[str, Any]) -> None:
    """Write columns to a file, whole or not at all; its ending says in which format."""
    kind = _ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        raise UsageError(
            f"{path}: the ending does not name a table format; use one of {', '.join(_ENDINGS)}."
        )
    partial = f"{path}.{os.getpid()}.partial"
    try:
        if kind in _SEPARATORS:
            _write_text(partial, columns, _SEPARATORS[kind])
        else:
            _write_binary(partial, columns, kind)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def write_table_judgments(path: str, judgments: Judgments) -> None:
    """Write judgments as a table with the columns query, doc and grade."""
    sizes = (judgments.groups[1:] - judgments.groups[:-1]).tolist()
    queries = [q for q, n in zip(judgments.queries, sizes, strict=True) for _ in range(n)]
    docs = list(judgments.docs)
    write_table(path, {"query": queries, "doc": docs, "grade": judgments.grades.tolist()})


def _reading(path: str, read: Callable[[], Any]) -> Any:
    """Turn what a library says about a file into an error of ours."""
    try:
        return read()
    except (RankstoneError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  # any of several libraries, each with its own
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise DataError(f"{path}: the table cannot be read ({words[0]}).") from None


def _read(
    path: str, columns: Mapping[str, Any] | None, kind: str | None
) -> tuple[Any, Source, bool]:
    kind = kind or kind_of(path, columns, any_text=True)
    if kind is None:
        raise DataError(
            f"{path}: no table with a column of queries and one of documents. "
            "Say which they are: columns={'query': ..., 'doc': ...}."
        )
    packed = compression_of(path) is not None
    content: Any = path
    source = Source.of_file(path, os.stat(path))
    if packed:
        from io import BytesIO

        content = BytesIO(read_all(path)[0])
    text = kind in _SEPARATORS
    if find_spec("polars") is not None:
        read = _polars_text if text else _polars_binary
    elif find_spec("pyarrow") is not None:
        read = _pyarrow_text if text else _pyarrow_binary
    elif text:
        read = _plain_text
    else:
        what = "Parquet" if kind == "parquet" else "Arrow"
        raise frames.missing("polars or pyarrow", f"{path}: reading {what} files")
    frame = _reading(path, lambda: read(content, kind, _types(path, kind, columns) if text else {}))
    return frame, source, not text


def _types(path: str, kind: str, columns: Mapping[str, Any] | None) -> dict[str, str]:
    """Return which columns of a text are ids, to be left as they are written, and which numbers."""
    line = read_head(path).removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r")
    names = _header(line, _SEPARATORS[kind])
    types = {}
    for role in SYNONYMS:
        name = column_or_none(role, names, columns)
        if name is not None:
            types[name] = "id" if role in ("query", "doc") else "number"
    return types


def _header(line: bytes, separator: str) -> list[str]:
    import csv

    text = line.decode("utf-8", "replace")
    return next(csv.reader([text], delimiter=separator), [])


def _polars_text(content: Any, kind: str, types: dict[str, str]) -> Any:
    import polars as pl

    return pl.scan_csv(
        content,
        separator=_SEPARATORS[kind],
        schema_overrides={n: pl.String if t == "id" else pl.Float64 for n, t in types.items()},
        infer_schema_length=1000,
    )


def _polars_binary(content: Any, kind: str, _: dict[str, str]) -> Any:
    import polars as pl

    if kind == "parquet":
        return pl.scan_parquet(content, glob=False)
    return pl.read_ipc_stream(content) if kind == "ipc-stream" else pl.scan_ipc(content)


def _pyarrow_text(content: Any, kind: str, types: dict[str, str]) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    kinds = {n: pa.large_string() if t == "id" else pa.float64() for n, t in types.items()}
    return csv.read_csv(
        content,
        parse_options=csv.ParseOptions(delimiter=_SEPARATORS[kind]),
        convert_options=csv.ConvertOptions(column_types=kinds, strings_can_be_null=False),
    )


def _pyarrow_binary(content: Any, kind: str, _: dict[str, str]) -> Any:
    import pyarrow as pa

    if kind == "parquet":
        from pyarrow import parquet

        return parquet.read_table(content)
    with pa.OSFile(content) if isinstance(content, str) else content as stream:
        opened = pa.ipc.open_stream if kind == "ipc-stream" else pa.ipc.open_file
        return opened(stream).read_all()


def _plain_text(content: Any, kind: str, types: dict[str, str]) -> Any:
    """Read text with nothing but Python."""
    import csv
    from io import StringIO, TextIOWrapper

    def rows() -> list[list[str]]:
        if isinstance(content, str):
            with open(content, encoding="utf-8-sig", newline="") as stream:
                return list(csv.reader(StringIO(stream.read()), delimiter=_SEPARATORS[kind]))
        text = TextIOWrapper(content, encoding="utf-8-sig", newline="").read()
        return list(csv.reader(StringIO(text), delimiter=_SEPARATORS[kind]))

    names, *lines = [row for row in rows() if row]
    for number, row in enumerate(lines):
        if len(row) != len(names):
            raise ValueError(f"row {number} has {len(row)} fields, the header {len(names)}")
    columns: dict[str, Any] = {}
    for name, values in zip(names, zip(*lines, strict=True), strict=True):
        numbers = types.get(name) == "number"
        columns[name] = [float(v) if v else None for v in values] if numbers else list(values)
    return frames.PlainTable(columns)


def _write_text(path: str, columns: Mapping[str, Any], separator: str) -> None:
    import csv

    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_binary(path: str, columns: Mapping[str, Any], kind: str) -> None:
    if find_spec("polars") is not None:
        import polars as pl

        frame = pl.DataFrame(dict(columns))
        if kind == "parquet":
            frame.write_parquet(path)
        else:
            frame.write_ipc(path)
        return
    if find_spec("pyarrow") is None:
        raise frames.missing("polars or pyarrow", "writing Parquet and Arrow files")
    import pyarrow as pa
    from pyarrow import feather, parquet

    table = pa.table(dict(columns))
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="uncompressed")
