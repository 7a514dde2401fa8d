"""Exact ids: text of any kind, or whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.core import engine
from rankstone.core.scalars import id_of
from rankstone.core.segments import offsets_of
from rankstone.core.text import decode, encode

type_names = {"text": "text (str)", "number": "whole numbers (int)"}


KEY_SIZE = 9
_MOST_DIGITS = 640  # Python converts that many under any setting


def key_of(number: int) -> bytes:
    """Return a whole number as bytes that sort as the numbers do; empty if it is too large."""
    if not -(1 << 63) <= number < 1 << 64:
        return b""
    return bytes([number >= 0]) + (number & ((1 << 64) - 1)).to_bytes(8, "big")


def numbers_of(keys: bytes) -> list[int]:
    """Return the whole numbers of keys laid end to end."""
    table = np.frombuffer(keys, np.uint8).reshape(-1, KEY_SIZE)
    bits = np.ascontiguousarray(table[:, 1:]).view(">u8")[:, 0]
    if table[:, 0].all():
        return bits.tolist()
    return [
        b if high else b - (1 << 64)
        for b, high in zip(bits.tolist(), table[:, 0].tolist(), strict=True)
    ]


class Ids(Sequence[str | int]):
    """A column of ids, as Python objects or as UTF-8 bytes laid end to end."""

    typed = True  # False for text of which it is not known whether it stands for numbers

    def __init__(self, objects: list[str] | list[int], kind: str) -> None:
        self.kind = kind
        self.__dict__["objects"] = objects

    @classmethod
    def of(cls, values: Iterable[object], what: str) -> Ids:
        """Take ids from Python objects; ``what`` names them in errors.

        Ids that are partly text and partly whole numbers are text, as in a file.
        """
        objects = list(values)
        types = {*map(type, objects)}
        if types <= {str}:
            if "" in objects:
                id_of("", what)
            return cls(objects, "text")  # type: ignore[arg-type]
        if types == {int}:
            return cls(objects, "number")  # type: ignore[arg-type]
        ids = [id_of(v, what) for v in objects]
        if all(isinstance(i, int) for i in ids):
            return cls(ids, "number")  # type: ignore[arg-type]
        self = cls([str(i) for i in ids], "text")
        self.typed = all(isinstance(i, str) for i in ids)
        return self

    @classmethod
    def from_numbers(cls, numbers: np.ndarray) -> Ids:
        """Take whole numbers from 0 up in an array."""
        keys = np.ones((len(numbers), KEY_SIZE), np.uint8)
        keys[:, 1:] = numbers.astype(">u8")[:, None].view(np.uint8)
        return cls.from_keys(keys.tobytes())

    @classmethod
    def from_keys(cls, keys: bytes) -> Ids:
        """Take whole numbers as ``key_of`` writes them, laid end to end."""
        self = cls.__new__(cls)
        self.kind = "number"
        self.__dict__["keys"] = (keys, np.arange(0, len(keys) + 1, KEY_SIZE, dtype=np.int64))
        return self

    @classmethod
    def from_bytes(cls, text: bytes, offsets: np.ndarray, *, typed: bool = False) -> Ids:
        """Take ids laid end to end: id i is ``text[offsets[i]:offsets[i + 1]]``."""
        self = cls.__new__(cls)
        self.kind = "text"
        self.typed = typed
        self.__dict__["encoded"] = (text, offsets)
        return self

    @cached_property
    def objects(self) -> list[str] | list[int]:
        """The ids as Python objects; bytes that are not UTF-8 survive as surrogates."""
        if self.kind == "number":
            return numbers_of(self.keys[0])
        text, offsets = self.encoded
        if text.isascii() and b"\n" not in text and len(offsets) > 1:  # one text, cut at once
            lines = np.insert(np.frombuffer(text, np.uint8), offsets[1:-1], ord("\n"))
            return lines.tobytes().decode().split("\n")
        return [decode(text[a:b]) for a, b in pairwise(offsets.tolist())]

    @cached_property
    def encoded(self) -> tuple[bytes, np.ndarray]:
        """The ids as bytes and offsets."""
        return _laid_out([encode(str(v)) for v in self.objects])

    @cached_property
    def keys(self) -> tuple[bytes, np.ndarray]:
        """The ids as 9-byte keys of whole numbers of 64 bits.

        Others get a key made of their text, which no such number has.
        """
        if self.kind == "number":
            keys = [key_of(int(v)) or _no_id(v) for v in self.objects]
        else:
            texts = [str(v) for v in self.objects]
            keys = [(is_whole(t) and key_of(int(t))) or _no_id(t) for t in texts]
        return _laid_out(keys)

    def lookup_bytes(self, *, numbers: bool, typed: bool) -> tuple[bytes, np.ndarray]:
        """Return the ids as bytes that are compared with ids held as whole numbers or as text.

        If both sides are typed, text never equals a number.
        """
        if typed and self.typed and numbers != (self.kind == "number"):
            return _laid_out([_no_id(v) for v in self.objects])
        return self.keys if numbers else self.encoded

    def __len__(self) -> int:
        """Return how many ids there are."""
        if "objects" in self.__dict__:
            return len(self.objects)
        _, offsets = self.keys if self.kind == "number" else self.encoded
        return len(offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        """Go through the ids as Python objects."""
        return iter(self.objects)

    def __getitem__(self, i):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        """Return one id, or a list of them for a slice."""
        return self.objects[i]

    def __eq__(self, other: object) -> bool:
        """Compare with another column, or with a list."""
        return [*self] == [*other] if isinstance(other, Ids | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def numbers(self) -> np.ndarray:
        """Return ids that are whole numbers as an array; -1 for those above 63 bits."""
        if "objects" in self.__dict__:
            try:
                return np.array(self.objects, np.int64)
            except OverflowError:
                return np.array(
                    [i if abs(int(i)) < 1 << 63 else -1 for i in self.objects], np.int64
                )
        table = np.frombuffer(self.keys[0], np.uint8).reshape(-1, KEY_SIZE)
        return np.ascontiguousarray(table[:, 1:]).view(">i8")[:, 0].astype(np.int64)

    def at(self, rows: np.ndarray) -> list[Any]:
        """Return the ids in some rows; if they are few, the others are not decoded."""
        if self.kind == "number" or "objects" in self.__dict__:
            return [self.objects[i] for i in rows.tolist()]
        return [*self.texts(rows).objects]

    def take(self, order: Sequence[int]) -> Ids:
        """Return the ids in another order."""
        taken = Ids([self.objects[i] for i in order], self.kind)  # type: ignore[arg-type]
        taken.typed = self.typed
        return taken

    def texts(self, rows: np.ndarray) -> Ids:
        """Return the ids in some rows, as text."""
        text, offsets = self.encoded
        begins, ends = offsets[rows], offsets[rows + 1]
        together = engine.load().gather(text, begins, ends)
        return Ids.from_bytes(together, offsets_of(ends - begins))

    def first_equal(self, rows: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """Return for each of some rows the place of the first one of its segment with the same id.

        The rows of segment s are ``rows[offsets[s]:offsets[s + 1]]``.
        """
        text, bounds = self.encoded
        first: np.ndarray = engine.load().first_equal(text, bounds[rows], bounds[rows + 1], offsets)
        return first

    @staticmethod
    def joined(parts: Sequence[Ids]) -> Ids:
        """Return the ids of several columns as one, as text."""
        encoded = [part.encoded for part in parts]
        sizes = [np.diff(offsets) for _, offsets in encoded]
        bounds = offsets_of(np.concatenate([np.zeros(0, np.int64), *sizes]))
        return Ids.from_bytes(b"".join(text for text, _ in encoded), bounds)

    def as_numbers(self) -> list[Any]:
        """Return the ids, those that are written as whole numbers as such."""
        texts = [str(v) for v in self.objects]
        return [int(t) if is_whole(t) else t for t in texts]


def at(ids: Sequence[Any], rows: np.ndarray) -> list[Any]:
    """Return the ids in some rows of a column or of another sequence."""
    return ids.at(rows) if isinstance(ids, Ids) else [ids[i] for i in rows.tolist()]


def _laid_out(parts: list[bytes]) -> tuple[bytes, np.ndarray]:
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(p) for p in parts], out=offsets[1:])
    return b"".join(parts), offsets


def is_whole(text: str) -> bool:
    """Return whether text is a whole number as Python writes it: 10, not 010 or 1_0."""
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return plain and str(int(text)) == text


def _no_id(value: object) -> bytes:
    """Return bytes that are neither text nor the key of a number, others for each value."""
    return b"\xff" + encode(str(value))


def sort_key(ids: Sequence[str] | Sequence[int]) -> list[tuple[object, ...]]:
    """Return keys that sort ids: as numbers if all are whole numbers, else by code point."""
    if ids and isinstance(ids[0], int):
        return [(v,) for v in ids]
    texts = [encode(str(v)) for v in ids]
    if all(t.isdigit() for t in texts):
        return [(len(t.lstrip(b"0")), t.lstrip(b"0"), t) for t in texts]
    return [(t,) for t in texts]
