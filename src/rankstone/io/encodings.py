"""Text that is not UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from rankstone.errors import DataError

_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BINARY = (b"PK\x03\x04", b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_PART = 1 << 20
ADVICE = "say how it is encoded: encoding='cp1252' (--encoding cp1252) for most spreadsheets"


def is_text(stream: IO[bytes]) -> bool:
    """Return whether a file is none of the tables in binary formats."""
    stream.seek(0)
    return not stream.read(6).startswith(_BINARY)


def is_json_in_utf8(stream: IO[bytes]) -> bool:
    """Return whether a file is JSON in UTF-8, the only encoding that its standard knows."""
    stream.seek(0)
    start = stream.read(_PART).removeprefix(codecs.BOM_UTF8).lstrip()
    return start.startswith((b"{", b"[")) and is_utf8(stream)


def is_utf8(stream: IO[bytes]) -> bool:
    """Return whether a text is UTF-8."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while part := stream.read(_PART):
            decoder.decode(part)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def check_utf16(start: bytes, path: str) -> None:
    """Refuse a text in UTF-16 that was not said to be."""
    if start[:2] in _MARKS and start[2:4] != b"\xff\xff":  # which is a stream of Arrow
        raise DataError(
            f"{path}: the file is UTF-16. Say so: encoding='utf-16' (--encoding utf-16)."
        )


def _has_a_character_per_byte(encoding: str) -> bool:
    """Return whether text in this encoding is UTF-8 only by a very unlikely chance."""
    high = bytes(range(128, 256))
    is_utf = codecs.lookup(encoding).name.startswith("utf")
    return not is_utf and len(high.decode(encoding, "replace")) == len(high)


def _is_ascii(stream: IO[bytes]) -> bool:
    stream.seek(0)
    return all(part.isascii() for part in iter(lambda: stream.read(_PART), b""))


@contextmanager
def as_utf8(stream: IO[bytes], path: str, encoding: str) -> Iterator[IO[bytes]]:
    """Yield a copy of a text in UTF-8."""
    from tempfile import TemporaryFile

    decoder = codecs.getincrementaldecoder(encoding)()
    if _has_a_character_per_byte(encoding) and is_utf8(stream) and not _is_ascii(stream):
        raise DataError(
            f"{path}: the file is UTF-8, not {encoding}. Name the encodings of judgments and runs "
            f"apart: encoding='{encoding}:utf-8' (--encoding {encoding}:utf-8), judgments first."
        )
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
            except UnicodeError as error:
                raise DataError(f"{path}: this is not {encoding} ({error}); {ADVICE}.") from None
            line += text.count("\n")
            copy.write(text.encode())
            if not part:
                break
        copy.seek(0)
        yield copy
