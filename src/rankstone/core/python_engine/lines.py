"""Lines of text, split into fields and checked, as in text.hpp and fault.hpp."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf, isfinite
from typing import IO

from rankstone.core.row_layout import ATOF, ATOL, RANK, LineFault, RowLayout
from rankstone.core.text import BOM, is_number

LONGEST_LINE = 1 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f]")
_ATOF = re.compile(
    rb"(?P<sign>[+-]?)(?:(?P<hex>0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)"
    rb"|(?P<word>nan|inf)|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))",
    re.IGNORECASE,
)
_ATOL = re.compile(rb"[+-]?[0-9]+")


class Fault(Exception):
    """A fault of a line: kind, column, field, text."""

    def __init__(self, kind: LineFault, column: int, field: int, text: bytes) -> None:
        self.report = (int(kind), column, field, text[:64])


def read_row(line: bytes, layout: RowLayout) -> tuple[list[bytes], float] | None:
    """Return the fields of a line and its number, None if it is blank or a comment."""
    if layout.record is not None:
        raise Fault(LineFault.UNUSUAL, 0, 0, b"")  # JSON is left to the strict reader
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    control = _CONTROL.search(body)
    if control and control.start() < LONGEST_LINE:
        raise Fault(LineFault.CONTROL_CHARACTER, control.start(), control[0][0], control[0])
    if len(line) > LONGEST_LINE:
        raise Fault(LineFault.LONG_LINE, 0, 0, b"")
    fields = body.split()
    if not fields or fields[0].startswith(b"#"):
        return None
    if not layout.fits(len(fields)):
        raise Fault(LineFault.FIELD_COUNT, 0, len(fields), line.removesuffix(b"\n"))
    text = fields[layout.value]
    number, fault = _number(text, layout.reading)
    if fault:
        raise Fault(fault, _field_start(body, layout.value), layout.value, text)
    return fields, number


def is_commented_row(line: bytes, layout: RowLayout) -> bool:
    """Return whether a line without a row is a comment that would be one without its #."""
    fields = line.split()
    if not fields or not layout.fits(len(fields)):
        return False
    return _number(fields[layout.value], layout.reading)[1] is None


def _number(text: bytes, reading: int) -> tuple[float, LineFault | None]:
    """Return a number, or what is wrong with it."""
    if reading == ATOF:
        return _atof(text)
    if not is_number(text):
        return (_atol(text), None) if reading == ATOL else (0.0, LineFault.NOT_A_NUMBER)
    number = float(text)
    if reading == ATOL and text.lstrip(b"+-")[:1] not in b"nNiI":
        return _atol(text), None
    if not isfinite(number):
        return 0.0, LineFault.NOT_FINITE
    return (0.0 - number if reading == RANK else number), None


def _atof(text: bytes) -> tuple[float, LineFault | None]:
    """Return the number that text starts with, as C's atof; NaN is refused."""
    parts = _ATOF.match(text)
    if not parts:
        return 0.0, None
    if (parts["word"] or b"").lower() == b"nan":
        return 0.0, LineFault.NOT_FINITE
    if parts["word"]:
        magnitude = inf
    elif parts["decimal"]:
        magnitude = float(parts["decimal"])
    else:
        try:
            magnitude = float.fromhex(parts["hex"].decode())
        except OverflowError:
            magnitude = inf
    return (-magnitude if parts["sign"] == b"-" else magnitude), None


def _atol(text: bytes) -> float:
    """Return the whole number that text starts with, as C's atol, within 64 bits."""
    whole = _ATOL.match(text)
    if not whole:
        return 0.0
    negative = whole[0].startswith(b"-")
    digits = whole[0].lstrip(b"+-").lstrip(b"0")[:20] or b"0"
    magnitude = float(min(int(digits), 1 << 63))  # 2**63 - 1 is the same float
    return -magnitude if negative and magnitude else magnitude


def _field_start(line: bytes, field: int) -> int:
    starts = [m.start() for m in re.finditer(rb"[^ \t]+", line)]
    return starts[field]


def lines_of(
    stream: IO[bytes], begin: int, end: int, *, mark: bool = True
) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) for the lines in a stretch of a stream.

    A byte order mark at its beginning is left out, unless ``mark`` is False.
    """
    stream.seek(begin)
    at = begin
    while at < end:
        line = stream.readline(min(LONGEST_LINE + 2, end - at))
        if not line:
            return
        if mark and at == 0 and line.startswith(BOM):
            at, line = len(BOM), line[len(BOM) :]
            if not line:
                return
        yield at, line
        at += len(line)
