"""Exact ids: text of any kind, or whole numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankstone.errors import DataError

type_names = {"text": "text (str)", "number": "whole numbers (int)"}


class Ids(Sequence[str | int]):
    """A column of ids, held as Python objects or as UTF-8 bytes laid end to end."""

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
    def from_bytes(cls, text: bytes, offsets: np.ndarray) -> Ids:
        """Take ids laid end to end: id i is ``text[offsets[i]:offsets[i + 1]]``."""
        self = cls.__new__(cls)
        self.kind = "text"
        self.__dict__["encoded"] = (text, offsets)
        return self

    @cached_property
    def objects(self) -> list[str] | list[int]:
        """The ids as Python objects; bytes that are not UTF-8 survive as surrogates."""
        text, offsets = self.encoded
        bounds = offsets.tolist()
        return [text[a:b].decode("utf-8", "surrogateescape") for a, b in pairwise(bounds)]

    @cached_property
    def encoded(self) -> tuple[bytes, np.ndarray]:
        """The ids as bytes and offsets."""
        parts = [str(v).encode("utf-8", "surrogateescape") for v in self.objects]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(p) for p in parts], out=offsets[1:])
        return b"".join(parts), offsets

    def __len__(self) -> int:
        """Return how many ids there are."""
        if "objects" in self.__dict__:
            return len(self.objects)
        return len(self.encoded[1]) - 1

    def __getitem__(self, i):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        """Return one id, or a list of them for a slice."""
        return self.objects[i]


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
