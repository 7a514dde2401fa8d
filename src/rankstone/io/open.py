"""Files, compressed or not, and standard input, as bytes."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn

from rankstone.core.source import Source
from rankstone.errors import DataError, MissingDependencyError

_CHUNK = 1 << 20
_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zst"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
STDIN = "-"


def read_all(path: str) -> tuple[bytes, Source]:
    """Return the text of a file, a pipe or of standard input, and where it came from."""
    with _opened(path) as (stream, source):
        compression = _compression(stream, path)
        if compression is None:
            text = stream.read()
        else:
            text = b"".join(_decompressed(stream, compression, path))
        return text, source if source.path else _stamped(source, text)


@contextmanager
def open_seekable(
    path: str, source: Source | None = None
) -> Iterator[tuple[IO[bytes], int, Source]]:
    """Open text for reading at any position; yields the stream, its size and its source.

    A plain file is read where it is. What is compressed or comes from standard input is
    written to an unnamed temporary file first, so memory does not grow with it.
    """
    with _opened(path) as (stream, found):
        if source is not None and source.path and not source.unchanged():
            raise DataError(f"{path}: the file changed since it was opened. Open it again.")
        compression = _compression(stream, path)
        if compression is None and stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            yield stream, os.fstat(stream.fileno()).st_size, found
            return
        if compression is None:
            chunks = iter(lambda: stream.read(_CHUNK), b"")
        else:
            chunks = _decompressed(stream, compression, path)
        import tempfile

        with tempfile.TemporaryFile() as spool:
            for chunk in chunks:
                spool.write(chunk)
            spool.flush()
            size = spool.tell()
            yield spool, size, found if found.path else _stamped(found, spool)


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


def _decompressed(stream: Any, kind: str, path: str) -> Iterator[bytes]:
    import zlib

    try:
        yield from _members(stream, kind)
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


def _members(stream: Any, kind: str) -> Iterator[bytes]:
    """Yield the content of all members or frames; EOFError where the last one is cut short."""
    data = stream.read(_CHUNK)
    while data:
        member = _decompressor(kind)
        while not member.eof:
            if not data:
                data = stream.read(_CHUNK)
                if not data:
                    raise EOFError
            yield member.decompress(data)
            data = b""
        data = member.unused_data or stream.read(_CHUNK)


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
