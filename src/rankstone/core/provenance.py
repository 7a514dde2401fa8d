"""Where data came from, and what a result was made from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankstone.errors import DataError


@dataclass(frozen=True)
class Source:
    """An input: its name and, for a file, what identifies it.

    ``sha256`` is of the bytes of the file, ``content_sha256`` of what they expand to if the file
    is compressed, else the same. Both are computed on demand, and only if the file is still the
    one that was read; ``expand`` reads a compressed file again.
    """

    name: str
    path: str | None = None
    size: int | None = None
    modified: int | None = None
    sha256: str | None = None
    content_sha256: str | None = None
    expand: Callable[[], Iterable[bytes]] | None = field(default=None, compare=False, repr=False)

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
        )


@dataclass(frozen=True)
class Provenance:
    """What a result was made from, and by what."""

    rankstone: str
    engine: str
    judgments: Source
    run: Source

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, with checksums of files."""
        return {
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
        return cls(saved.text(data["rankstone"]), saved.text(data["engine"]), judgments, run)


MEMORY = Source("memory")
