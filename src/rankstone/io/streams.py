"""Files, compressed or not, and standard input, as bytes."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from importlib import import_module
from io import BufferedReader
from typing import IO, Any, NoReturn

from rankstone.core.provenance import Source
from rankstone.core.text import without_mark
from rankstone.errors import INSTALL, DataError, EmptyError, RankstoneError, UsageError, require

_CHUNK = 1 << 20
_PIECE = 1 << 16  # of compressed data
_LONGEST_LINE = 1 << 26
_ALWAYS_FINE = 1 << 26  # bytes that a compressed file may expand to, whatever its size
_ALWAYS_FINE_JSON = 1 << 23  # the same for JSON, whose values take far more memory than its text
_MOST_TIMES = 100  # times its size that a compressed file may expand to beyond that
_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
STDIN = "-"


def read_all(path: str, max_bytes: int | None = None) -> bytes:
    """Return the content of a file, a pipe or standard input."""
    with open_seekable(path, max_bytes) as (stream, _, _):
        stream.seek(0)
        return stream.read()


def read_toml(path: str) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    import tomllib

    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: this is not valid TOML ({error}).") from None


@contextmanager
def open_seekable(
    path: str, max_bytes: int | None = None
) -> Iterator[tuple[IO[bytes], int, Source]]:
    """Open a file for reading at any position; yields the stream, its size and its source.

    A plain file is read where it is. Compressed data and standard input are written to an unnamed
    temporary file first, so memory does not grow with them.
    """
    if max_bytes is not None and max_bytes < 1:
        raise UsageError(f"max_bytes must be at least 1, not {max_bytes}.")
    standard = path == STDIN
    try:
        with nullcontext(sys.stdin.buffer) if standard else open(path, "rb") as stream:
            status = _status(stream) if standard else os.fstat(stream.fileno())
            source = Source("stdin" if standard else path)
            regular = status is not None and stat.S_ISREG(status.st_mode)
            if status is not None and regular and not standard:
                if status.st_size == 0:
                    raise EmptyError(f"{path}: the file is empty.")
                source = Source.of_file(path, status)
            if status is None or not regular or _compression(stream) is not None:
                with _spooled(stream, source, path, max_bytes) as spooled:
                    yield spooled
                return
            if max_bytes is not None and status.st_size > max_bytes:
                raise _too_large(path, max_bytes)
            yield stream, status.st_size, source
    except OSError as error:
        _fail(path, error)


def _status(stream: Any) -> os.stat_result | None:
    """Return the status of a standard input; None if it is not a file of the system."""
    try:
        return os.fstat(stream.fileno())
    except OSError:
        return None


@contextmanager
def _spooled(
    stream: Any, source: Source, path: str, max_bytes: int | None
) -> Iterator[tuple[IO[bytes], int, Source]]:
    """Write the content of a stream to a temporary file, and open that."""
    import tempfile

    counted = _Counted(stream, hashed=source.path is None)  # it cannot be read again
    kind = _compression(stream)
    with ExitStack() as resources:
        with _spooling(path):
            # Without a buffer, closing writes nothing more to a disk that is full.
            raw = resources.enter_context(tempfile.TemporaryFile(buffering=0))
        chunks = (
            _limited(counted, path, max_bytes)
            if kind is None
            else _decompressed(counted, kind, path, max_bytes)
        )
        size = 0
        for chunk in chunks:
            with _spooling(path):
                size += _write_all(raw, chunk)
        spool = BufferedReader(raw)
        if counted.hash is None:
            source = replace(source, expand=lambda: _expanded(path, max_bytes))
        else:
            digest = counted.hash.hexdigest()
            content = None if kind is None else _digest(spool)
            source = replace(source, size=size, sha256=digest, content_sha256=content)
        yield spool, size, source


@contextmanager
def _spooling(path: str) -> Iterator[None]:
    """Raise an error that names the lack of room for temporary files, if that is the cause."""
    try:
        yield
    except OSError as error:
        import tempfile

        raise DataError(
            f"{path}: no temporary file can be written ({error.strerror or error}). Compressed data "
            f"and standard input are copied to one in {tempfile.tempdir or 'TMPDIR'}; make room "
            "there, or set TMPDIR to another folder."
        ) from None


def _write_all(out: Any, data: bytes) -> int:
    """Write to a file that may take a part at a time."""
    left = memoryview(data)
    while left:
        left = left[out.write(left) :]
    return len(data)


def _expanded(path: str, max_bytes: int | None) -> Iterator[bytes]:
    """Yield the content of a compressed file."""
    with open(path, "rb") as stream:
        yield from _decompressed(_Counted(stream), str(_compression(stream)), path, max_bytes)


def _digest(stream: Any) -> str:
    from hashlib import file_digest

    stream.seek(0)
    return file_digest(stream, "sha256").hexdigest()


def _fail(path: str, error: OSError) -> NoReturn:
    if isinstance(error, IsADirectoryError):
        raise DataError(f"{path}: this is a directory; give a file.") from None
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        raise DataError(f"{path}: there is no such file in {os.path.abspath(folder)}.") from None
    raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from None


def _compression(stream: Any) -> str | None:
    """Return how a stream is compressed, by its first bytes."""
    head = stream.peek(8)[:8]
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def _limited(stream: _Counted, path: str, max_bytes: int | None) -> Iterator[bytes]:
    for chunk in iter(stream.read, b""):
        if max_bytes is not None and stream.taken > max_bytes:
            raise _too_large(path, max_bytes)
        yield chunk


def _too_large(path: str, max_bytes: int) -> DataError:
    return DataError(
        f"{path}: too large: more than {max_bytes} bytes. If it is meant to be, raise the limit "
        "(--max-bytes, max_bytes=)."
    )


class _Counted:
    """A stream that knows how much was read from it, and the checksum of that if ``hashed``."""

    def __init__(self, stream: Any, *, hashed: bool = False) -> None:
        self.stream = stream
        self.taken = 0
        self.hash: Any = None
        if hashed:
            from hashlib import sha256

            self.hash = sha256()

    def read(self) -> bytes:
        data: bytes = self.stream.read(_PIECE)
        self.taken += len(data)
        if self.hash is not None:
            self.hash.update(data)
        return data


def check_expansion(
    path: str, kind: str, total: int, taken: int, max_bytes: int | None, fine: int = _ALWAYS_FINE
) -> None:
    """Refuse ``total`` bytes that were expanded from ``taken``; up to ``fine`` are always allowed."""
    if max_bytes is None and total > max(fine, _MOST_TIMES * taken):
        raise DataError(
            f"{path}: too large: the {kind} expands to more than {_MOST_TIMES} times its size. "
            "If it is meant to, say how large it may become (--max-bytes, max_bytes=)."
        )
    if max_bytes is not None and total > max_bytes:
        raise _too_large(path, max_bytes)


def _decompressed(stream: _Counted, kind: str, path: str, max_bytes: int | None) -> Iterator[bytes]:
    import zlib

    total = 0
    fine = 0
    try:
        for chunk in _members(stream, kind):
            total += len(chunk)
            fine = fine or (_ALWAYS_FINE_JSON if _is_json(chunk) else _ALWAYS_FINE)
            check_expansion(path, f"{kind} file", total, stream.taken, max_bytes, fine)
            yield chunk
    except EOFError:
        raise DataError(
            f"{path}: the {kind} file is truncated; nothing was evaluated. Fetch it again."
        ) from None
    except RankstoneError:  # too large
        raise
    except (OSError, ValueError, zlib.error) as error:
        raise DataError(f"{path}: the {kind} file is corrupt ({error}).") from None
    except Exception as error:
        if type(error).__name__ not in ("LZMAError", "ZstdError"):
            raise
        raise DataError(f"{path}: the {kind} file is corrupt ({error}).") from None


def _is_json(start: bytes) -> bool:
    return without_mark(start).lstrip()[:1] in (b"{", b"[")


def _members(stream: _Counted, kind: str) -> Iterator[bytes]:
    """Yield the content of all members or frames; EOFError where the last one is cut short.

    Pieces are small however much a few bytes expand to.
    """
    data = stream.read()
    while data:
        member = _decompressor(kind)
        full = False
        while not member.eof:
            if not data and not full and getattr(member, "needs_input", True):
                data = stream.read()
                if not data:
                    raise EOFError
            piece, data = _step(member, kind, data)
            full = len(piece) >= _CHUNK
            if piece:
                yield piece
        data = member.unused_data + data or stream.read()


def _step(member: Any, kind: str, data: bytes) -> tuple[bytes, bytes]:
    """Return some more content, and what of the data was not taken yet."""
    if kind == "gz":
        return member.decompress(data, _CHUNK), member.unconsumed_tail
    if hasattr(member, "needs_input"):
        return member.decompress(data, _CHUNK), b""
    return member.decompress(data[:4096]), data[4096:]


def _decompressor(kind: str) -> Any:
    if kind == "gz":
        import zlib

        return zlib.decompressobj(wbits=31)
    if kind == "bz2":
        import bz2

        return bz2.BZ2Decompressor()
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor()
    with suppress(ImportError):  # before Python 3.14, and in builds without it
        return import_module("compression.zstd").ZstdDecompressor()
    needed = f"reading zst files needs the library 'zstandard': {INSTALL.format('zstd')}."
    return require("zstandard", needed).ZstdDecompressor().decompressobj()


def lines(stream: IO[bytes], path: str) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) for every line of a text, without its byte order mark."""
    stream.seek(0)
    number = 0
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise DataError(f"{path}:{number}: the line is longer than {_LONGEST_LINE >> 20} MiB.")
        if b"\0" in line:
            raise DataError(f"{path}:{number}: a NUL byte. It looks like binary data.")
        yield number, without_mark(line) if number == 1 else line
