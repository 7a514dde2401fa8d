"""Files, compressed or not, and standard input, as bytes."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn

from rankstone.core.provenance import Source
from rankstone.errors import DataError, MissingDependencyError

_CHUNK = 1 << 20
_PIECE = 1 << 16  # of compressed data
_LONGEST_LINE = 1 << 26
_ALWAYS_FINE = 1 << 30  # bytes that a compressed file may expand to, whatever its size
_MOST_TIMES = 100  # as much as it may expand to beyond that
_HEAD = 1 << 16
_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
STDIN = "-"


def read_all(path: str, max_bytes: int | None = None) -> tuple[bytes, Source]:
    """Return the text of a file, a pipe or of standard input, and where it came from."""
    with _opened(path) as (stream, source):
        compression = _compression(stream, path)
        if compression is None:
            text = b"".join(_limited(stream, path, max_bytes))
        else:
            text = b"".join(_decompressed(stream, compression, path, max_bytes))
        return text, source if source.path else _stamped(source, text)


def read_head(path: str) -> bytes:
    """Return the beginning of a file's text, at most 64 KiB."""
    with _opened(path) as (stream, _):
        compression = _compression(stream, path)
        if compression is None:
            return bytes(stream.read(_HEAD))
        return next(_decompressed(stream, compression, path, None), b"")[:_HEAD]


def compression_of(path: str) -> str | None:
    """Return how a file is compressed, None where it is not."""
    with _opened(path) as (stream, _):
        return _compression(stream, path)


@contextmanager
def open_seekable(
    path: str, source: Source | None = None, max_bytes: int | None = None
) -> Iterator[tuple[IO[bytes], int, Source]]:
    """Open text for reading at any position; yields the stream, its size and its source.

    A plain file is read where it is. What is compressed or comes from standard input is
    written to an unnamed temporary file first, so memory does not grow with it.
    """
    with _opened(path) as (stream, found):
        if source is not None and source.path and not source.unchanged():
            raise DataError(f"{path}: the file changed since it was opened. Open it again.")
        compression = _compression(stream, path)
        status = _status(stream)
        if compression is None and status is not None and stat.S_ISREG(status.st_mode):
            size = status.st_size
            if max_bytes is not None and size > max_bytes:
                raise _too_large(path, max_bytes)
            yield stream, size, found
            return
        if compression is None:
            chunks = _limited(stream, path, max_bytes)
        else:
            chunks = _decompressed(stream, compression, path, max_bytes)
        import tempfile

        with tempfile.TemporaryFile() as spool:
            for chunk in chunks:
                spool.write(chunk)
            spool.flush()
            size = spool.tell()
            yield spool, size, found if found.path else _stamped(found, spool)


def _status(stream: Any) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno())
    except OSError:  # a standard input that is no file of the system
        return None


@contextmanager
def _opened(path: str) -> Iterator[tuple[Any, Source]]:
    if path == STDIN:
        yield sys.stdin.buffer, Source("stdin")
        return
    try:
        with open(path, "rb") as stream:
            status = os.fstat(stream.fileno())
            if status.st_size == 0 and stat.S_ISREG(status.st_mode):
                raise DataError(f"{path}: the file is empty.")
            regular = stat.S_ISREG(status.st_mode)
            # What is no regular file cannot be read again, so it is stamped while it is read.
            yield stream, Source.of_file(path, status) if regular else Source(path)
    except OSError as error:
        _fail(path, error)


def _fail(path: str, error: OSError) -> NoReturn:
    if isinstance(error, IsADirectoryError):
        raise DataError(f"{path}: this is a directory; give a file.") from None
    if isinstance(error, FileNotFoundError):
        folder = os.path.dirname(path) or "."
        raise DataError(f"{path}: there is no such file in {os.path.abspath(folder)}.") from None
    raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from None


def _compression(stream: Any, path: str) -> str | None:
    """Tell by the first bytes, not by the name."""
    head = stream.peek(8)[:8]
    if head[:2] in _UTF16:
        raise DataError(
            f"{path}: the file is UTF-16. Convert it first, for example with "
            f"'iconv -f UTF-16 -t UTF-8 {path}'."
        )
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)


def _limited(stream: Any, path: str, max_bytes: int | None) -> Iterator[bytes]:
    total = 0
    for chunk in iter(lambda: stream.read(_CHUNK), b""):
        total += len(chunk)
        if max_bytes is not None and total > max_bytes:
            raise _too_large(path, max_bytes)
        yield chunk


def _too_large(path: str, max_bytes: int) -> DataError:
    return DataError(
        f"{path}: more than {max_bytes} bytes. If it is meant to be, raise the limit "
        "(--max-bytes, max_bytes=)."
    )


class _Counted:
    """A stream that knows how much was read from it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.taken = 0

    def read(self) -> bytes:
        data: bytes = self.stream.read(_PIECE)
        self.taken += len(data)
        return data


def _decompressed(
    stream: Any, kind: str, path: str, max_bytes: int | None = None
) -> Iterator[bytes]:
    import zlib

    counted = _Counted(stream)
    total = 0
    try:
        for chunk in _members(counted, kind):
            total += len(chunk)
            if max_bytes is None and total > max(_ALWAYS_FINE, _MOST_TIMES * counted.taken):
                raise DataError(
                    f"{path}: the {kind} file expands to more than {_MOST_TIMES} times its size. "
                    "If it is meant to, say how large it may become (--max-bytes, max_bytes=)."
                )
            if max_bytes is not None and total > max_bytes:
                raise _too_large(path, max_bytes)
            yield chunk
    except EOFError:
        raise DataError(
            f"{path}: the {kind} file is truncated; nothing was evaluated. Fetch it again."
        ) from None
    except (OSError, ValueError, zlib.error) as error:
        raise DataError(f"{path}: the {kind} file is corrupt ({error}).") from None
    except Exception as error:
        if type(error).__name__ not in ("LZMAError", "ZstdError"):
            raise
        raise DataError(f"{path}: the {kind} file is corrupt ({error}).") from None


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
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdDecompressor()
    try:
        import zstandard
    except ImportError:
        raise MissingDependencyError(
            "reading zst files needs the library 'zstandard': pip install 'rankstone[zstd]'."
        ) from None
    return zstandard.ZstdDecompressor().decompressobj()


def _stamped(source: Source, content: Any) -> Source:
    """Stamp what came from standard input with its checksum: it cannot be read again."""
    from hashlib import file_digest, sha256

    if isinstance(content, bytes):
        return Source(source.name, size=len(content), sha256=sha256(content).hexdigest())
    content.seek(0)
    digest = file_digest(content, "sha256").hexdigest()
    return Source(source.name, size=content.tell(), sha256=digest)


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
        yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
