"""The sources of data, and the provenance of a result."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from rankstone.choices.setup import field_named
from rankstone.errors import DataError, plural
from rankstone.frozen import frozen
from rankstone.language import tr


@frozen
class Source:
    """An input: its name and, for a file, what identifies it.

    ``sha256`` is of the bytes of the file, ``content_sha256`` of what they expand to if the file
    is compressed, else the same. Both are computed on demand, and only if the file is still the
    one that was read; ``expand`` reads a compressed file again. ``reading`` are the choices that it
    was read by, where they are not the default.
    """

    name: str
    path: str | None = None
    size: int | None = None
    modified: int | None = None
    sha256: str | None = None
    content_sha256: str | None = None
    expand: Callable[[], Iterable[bytes]] | None = field(default=None, compare=False, repr=False)
    reading: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @classmethod
    def of_file(cls, path: str, status: os.stat_result) -> Source:
        """Describe a file by its status when it was opened."""
        return cls(path, path, status.st_size, status.st_mtime_ns)

    def unchanged(self) -> bool:
        """Return whether the file still has the size and time it had when it was opened."""
        if self.path is None:
            return True
        now = os.stat(self.path)
        return (now.st_size, now.st_mtime_ns) == (self.size, self.modified)

    def digest(self) -> str | None:
        """Return the SHA-256 of the bytes of the file, None for data in memory."""
        if self.sha256 is not None or self.path is None:
            return self.sha256
        from hashlib import file_digest

        with open(self.path, "rb") as stream:
            digest = file_digest(stream, "sha256").hexdigest()
        self._check_unchanged()
        return digest

    def content_digest(self) -> str | None:
        """Return the SHA-256 of the content, which is the same for a plain and a compressed file."""
        if self.content_sha256 is not None or self.expand is None:
            return self.content_sha256 or self.digest()
        from hashlib import sha256

        digest = sha256()
        for chunk in self.expand():
            digest.update(chunk)
        self._check_unchanged()
        return digest.hexdigest()

    def _check_unchanged(self) -> None:
        if not self.unchanged():
            raise DataError(
                f"{self.path}: the file changed after it was read, so the result cannot be "
                "stamped with its checksum. Evaluate again."
            )

    def to_dict(self) -> dict[str, object]:
        """Return the source as plain data, with its checksums."""
        digest = self.digest()
        plain = self.content_sha256 is None and self.expand is None
        return {
            "name": self.name,
            "bytes": self.size,
            "sha256": digest,
            "content_sha256": digest if plain else self.content_digest(),
            **({"reading": recorded(self.reading)} if self.reading else {}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Source:
        """Read what ``to_dict`` returned."""
        from rankstone.core import saved

        return cls(
            saved.text(data["name"]),
            size=saved.optional(saved.whole, data["bytes"]),
            sha256=saved.optional(saved.text, data["sha256"]),
            content_sha256=saved.optional(saved.text, data.get("content_sha256")),
            reading=replayed(data.get("reading", {})),
        )


@frozen(eq=False)
class Given:
    """Data that were given beside judgments and run, such as documents to exclude.

    Two are equal if their entries are, whatever their names. ``entries_of`` yields the entries as
    text; their SHA-256 is computed on demand.
    """

    name: str
    entries: int
    entries_of: Callable[[], Iterable[str]] | None = field(default=None, repr=False)
    sha256: str | None = None

    @classmethod
    def of_pairs(cls, name: str, pairs: Collection[tuple[Any, Any]]) -> Given:
        """Take pairs, such as documents with their lengths."""
        return cls(name, len(pairs), lambda: (f"{one}\t{other}" for one, other in pairs))

    def digest(self) -> str:
        """Return the SHA-256 of the sorted entries."""
        if self.sha256 is None:
            from hashlib import sha256

            entries = sorted(self.entries_of() if self.entries_of is not None else ())
            text = "\n".join(entries).encode(errors="surrogateescape")
            object.__setattr__(self, "sha256", sha256(text).hexdigest())
        return str(self.sha256)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Given):
            return NotImplemented
        return self.entries == other.entries and self.digest() == other.digest()

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"name": self.name, "entries": self.entries, "sha256": self.digest()}


def in_words(choices: Mapping[str, Any]) -> Iterator[str]:
    """Yield recorded choices as people read them: ``score=dense``, ``exclude=train.csv (3 pairs)``."""
    for name, value in choices.items():
        if isinstance(value, Given):
            unit = field_named(name).metadata.get("unit", "row")
            counted = plural(value.entries, unit).replace(
                str(value.entries), f"{value.entries:,}", 1
            )
            yield f"{name}={value.name}" + tr(" ({})").format(counted)
        elif isinstance(value, Mapping):
            for role, names in value.items():
                yield f"{role}={names if names is None or isinstance(names, str) else '|'.join(names)}"
        else:
            yield f"{name}={f'{value:g}' if isinstance(value, float) else value}"


def recorded(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return recorded choices as plain data."""
    return {n: v.to_dict() if isinstance(v, Given) else v for n, v in choices.items()}


def options_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return recorded choices as options that make them again; data are named by their files."""
    return {n: v.name if isinstance(v, Given) else v for n, v in choices.items()}


def replayed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices that ``recorded`` made plain data of."""
    from rankstone.core import saved

    return {
        saved.text(name): Given(
            saved.text(value["name"]), saved.whole(value["entries"]), None,
            saved.text(value["sha256"]),
        )
        if isinstance(value, Mapping) and "sha256" in value
        else value
        for name, value in data.items()
    }  # fmt: skip


def software() -> dict[str, str]:
    """Return the versions of Python and NumPy."""
    return {"python": sys.version.split()[0], "numpy": np.__version__}


@frozen
class Provenance:
    """The data and the software that a result was made from, and the command if there was one."""

    rankstone: str
    engine: str
    judgments: Source
    run: Source
    software: dict[str, str] = field(default_factory=software, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, with checksums of files."""
        return {
            **self.software,
            "rankstone": self.rankstone,
            "engine": self.engine,
            "judgments": self.judgments.to_dict(),
            "run": self.run.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Provenance:
        """Read what ``to_dict`` returned."""
        from rankstone.core import saved

        judgments, run = (Source.from_dict(data[name]) for name in ("judgments", "run"))
        rankstone, engine = saved.text(data["rankstone"]), saved.text(data["engine"])
        names = [name for name in ("python", "numpy", "command") if name in data]
        return cls(rankstone, engine, judgments, run, {n: saved.text(data[n]) for n in names})


MEMORY = Source("memory")
