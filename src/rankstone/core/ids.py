"""Exact ids: text of any kind, or whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rankstone.errors import DataError

type_names = {"text": "text (str)", "number": "whole numbers (int)"}


KEY_SIZE = 9


def key_of(number: int) -> bytes:
    """Return a whole number as bytes that sort as the numbers do; empty where it is too large."""
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
    """A column of ids, held as Python objects or as UTF-8 bytes laid end to end."""

    typed = True  # whether text is known to be text, and not what a text file holds

    def __init__(self, objects: list[str] | list[int], kind: str) -> None:
        self.kind = kind
        self.__dict__["objects"] = objects

    @classmethod
    def of(cls, values: Iterable[object], what: str) -> Ids:
        """Check ids as people hold them; ``what`` names them in errors."""
        objects = list(values)
        if all(type(v) is str for v in objects):
            if "" in objects:
                raise DataError(f"empty {what} id. Give every {what} an id.")
            return cls(objects, "text")  # type: ignore[arg-type]
        kinds = {_kind(v, what) for v in objects}
        if len(kinds) > 1:
            raise DataError(
                f"{what} ids are partly text and partly whole numbers; "
                "an id is compared exactly, so use one type, for example str(id) everywhere."
            )
        if kinds == {"number"}:
            return cls([int(v) for v in objects], "number")  # type: ignore[call-overload]
        return cls([str(v) for v in objects], "text")

    @classmethod
    def from_keys(cls, keys: bytes) -> Ids:
        """Take whole numbers as ``key_of`` writes them, laid end to end."""
        self = cls.__new__(cls)
        self.kind = "number"
        self.__dict__["keys"] = (keys, _steps(len(keys) // KEY_SIZE))
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
        bounds = pairwise(offsets.tolist())
        if text.isascii():  # then a character is a byte, and all can be decoded at once
            whole = text.decode()
            return [whole[a:b] for a, b in bounds]
        return [text[a:b].decode("utf-8", "surrogateescape") for a, b in bounds]

    @cached_property
    def encoded(self) -> tuple[bytes, np.ndarray]:
        """The ids as bytes and offsets."""
        return _laid_out([str(v).encode("utf-8", "surrogateescape") for v in self.objects])

    @cached_property
    def keys(self) -> tuple[bytes, np.ndarray]:
        """The ids as keys of whole numbers; what is no whole number gets a key that none has."""
        if self.kind == "number":
            keys = [key_of(int(v)) or _no_id(v) for v in self.objects]
        else:
            texts = [str(v) for v in self.objects]
            keys = [key_of(int(t)) if _is_whole(t) else _no_id(t) for t in texts]
        return _laid_out(keys)

    def as_found(self, numbers: bool, typed: bool) -> tuple[bytes, np.ndarray]:
        """Return bytes to look up ids by that were found as whole numbers or as text.

        Text is not a number where both sides know what they hold.
        """
        if typed and self.typed and numbers != (self.kind == "number"):
            return _laid_out([_no_id(v) for v in self.objects])
        return self.keys if numbers else self.encoded

    def __len__(self) -> int:
        """Return how many ids there are."""
        if "objects" in self.__dict__:
            return len(self.objects)
        held = self.keys if self.kind == "number" else self.encoded
        return len(held[1]) - 1

    def __iter__(self) -> Iterator[Any]:
        """Go through the ids as Python objects."""
        return iter(self.objects)

    def __getitem__(self, i):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        """Return one id, or a list of them for a slice."""
        return self.objects[i]


def _laid_out(parts: list[bytes]) -> tuple[bytes, np.ndarray]:
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(p) for p in parts], out=offsets[1:])
    return b"".join(parts), offsets


def _steps(n: int) -> np.ndarray:
    return np.arange(n + 1, dtype=np.int64) * KEY_SIZE


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 20 and str(int(text)) == text


def _no_id(value: object) -> bytes:
    """Return bytes that are neither text nor the key of a number, others for each value."""
    return b"\xff" + str(value).encode("utf-8", "surrogateescape")


def _kind(value: object, what: str) -> str:
    if isinstance(value, str):
        if not value:
            raise DataError(f"empty {what} id. Give every {what} an id.")
        return "text"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return "number"
    shown = f"{value!r} ({type(value).__name__})"
    raise DataError(f"{what} id {shown} is neither text nor a whole number; convert it with str().")


def look_alike(missing: Iterable[object], found: Iterable[object]) -> tuple[str, str] | None:
    """Return an example of two ids that differ only by type or padding, if there is one."""
    folded = {_fold(v): v for v in found}
    for value in missing:
        twin = folded.get(_fold(value))
        if twin is not None and twin != value:
            return repr(value), repr(twin)
    return None


def _fold(value: object) -> str:
    text = str(value).strip()
    if text.endswith(".0") and text[:-2].isdigit():
        text = text[:-2]
    return text.lstrip("0") or "0" if text.isdigit() else text.lower()


def sort_key(ids: Sequence[str] | Sequence[int]) -> list[tuple[object, ...]]:
    """Return keys that sort ids: as numbers where all are whole numbers, else by code point."""
    if ids and isinstance(ids[0], int):
        return [(v,) for v in ids]
    texts = [str(v).encode("utf-8", "surrogateescape") for v in ids]
    if all(t.isdigit() for t in texts):
        return [(len(t.lstrip(b"0")), t.lstrip(b"0"), t) for t in texts]
    return [(t,) for t in texts]
