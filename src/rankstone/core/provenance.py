"""Where data came from."""

from __future__ import annotations

import os
from dataclasses import dataclass

from rankstone.errors import DataError


@dataclass(frozen=True)
class Source:
    """An input: its name and, for a file, what identifies its content.

    A file's SHA-256 is computed when it is asked for, and only if the file is still the one
    that was read.
    """

    name: str
    path: str | None = None
    size: int | None = None
    modified: int | None = None
    sha256: str | None = None

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
        """Return the SHA-256 of the bytes that were read, None for data held in memory."""
        if self.sha256 is not None or self.path is None:
            return self.sha256
        from hashlib import file_digest

        with open(self.path, "rb") as stream:
            found = file_digest(stream, "sha256").hexdigest()
        if not self.unchanged():
            raise DataError(
                f"{self.path}: the file changed after it was read, so the result cannot be "
                "stamped with its checksum. Evaluate again."
            )
        return found

    def to_dict(self) -> dict[str, object]:
        """Return the source as plain data, with its checksum."""
        return {"name": self.name, "bytes": self.size, "sha256": self.digest()}
