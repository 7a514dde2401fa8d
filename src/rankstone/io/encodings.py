"""Text that is not UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from rankstone.errors import DataError, UsageError

_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BINARY = (b"PK\x03\x04", b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_PART = 1 << 20
ADVICE = "say how it is encoded: encoding='cp1252' (--encoding cp1252) for most spreadsheets"


def is_text(stream: IO[bytes]) -> bool:
    """Return whether a file is none of the tables in binary formats."""
    stream.seek(0)
    return not stream.read(6).startswith(_BINARY)


def check_utf16(start: bytes, path: str) -> None:
    """Refuse a text in UTF-16 that was not said to be."""
    if start[:2] in _MARKS and start[2:4] != b"\xff\xff":  # which is a stream of Arrow
        raise DataError(
            f"{path}: the file is UTF-16. Say so: encoding='utf-16' (--encoding utf-16)."
        )


@contextmanager
def as_utf8(stream: IO[bytes], path: str, encoding: str) -> Iterator[IO[bytes]]:
    """Yield a copy of a text in UTF-8."""
    from tempfile import TemporaryFile

    try:
        decoder = codecs.getincrementaldecoder(encoding)()
    except LookupError:
        raise UsageError(
            f"unknown encoding {encoding!r}; examples are utf-8, cp1252, latin-1 and utf-16."
        ) from None
    line = 1
    stream.seek(0)
    with TemporaryFile() as copy:
        while True:
            part = stream.read(_PART)
            try:
                text = decoder.decode(part, final=not part)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].count(b"\n")
                odd = error.object[error.start]
                raise DataError(
                    f"{path}:{line + before}: the byte 0x{odd:02x} is not {encoding}; {ADVICE}."
                ) from None
            line += text.count("\n")
            copy.write(text.encode())
            if not part:
                break
        copy.seek(0)
        yield copy
