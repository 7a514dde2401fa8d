"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from rankstone.errors import DataError, UsageError

_HEAD = 256  # bytes in which a mark is looked for
#: What the JSON that rankstone saves begins with.
SAVED = b'"schema": "rankstone/'


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of ``path`` once it is complete and on the disk.

    The new file is made beside the old one under a random name, and keeps its mode. Pipes and
    devices are written to directly.
    """
    name = os.fspath(path)
    try:
        if _is_special(name):
            with open(name, "wb") as out:
                yield out
            return
        with _beside(os.path.realpath(name)) as out:
            yield out
    except OSError as error:
        raise DataError(f"{name}: cannot be written ({error.strerror or error}).") from None


@contextmanager
def _beside(target: str) -> Iterator[IO[bytes]]:
    # The name is known before the file is made, so that a signal in between leaves no file behind.
    name = f".rankstone-{os.urandom(8).hex()}"
    temporary = os.path.join(os.path.dirname(target), name)
    try:
        with open(temporary, "xb", opener=_private) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let no other process that calls this change a file, from reading it to replacing it.

    A file that cannot be opened is not locked, nor is any where the system has no such locks.
    """
    with ExitStack() as resources:
        with suppress(OSError, ImportError):
            import fcntl

            while True:
                stream = resources.enter_context(open(path, "rb"))
                fcntl.flock(stream, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(stream.fileno()), os.stat(path)):
                    break
                stream.close()  # it was replaced in the meantime
        yield


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text to a file, whole or not at all."""
    with replaced(path) as out:
        out.write(text.encode())


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, before the work of making its content is done."""
    name = os.fspath(path)
    if os.path.isdir(name):
        raise DataError(f"{name}: this is a directory; give the name of a file in it.")
    folder = os.path.dirname(os.path.realpath(name))
    if not os.path.isdir(folder):
        raise DataError(f"{name}: the directory {folder} does not exist.")
    if not os.access(folder, os.W_OK | os.X_OK) and not _is_special(name):
        raise DataError(f"{name}: the directory {folder} cannot be written to.")


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _mode(target: str) -> int:
    """Return the mode of the file that is replaced, or that of a new file."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def check_own(
    path: str | os.PathLike[str], mark: bytes | tuple[bytes, ...] | None, *, force: bool
) -> None:
    """Refuse to replace a file that holds something else.

    Args:
        path: of the file to write.
        mark: what the beginning of files holds that may be replaced, or several such marks, all of
            them; None if there is no such mark.
        force: replace whatever is there.
    """
    name = os.fspath(path)
    if force or not os.path.isfile(name):
        return
    try:
        with open(name, "rb") as stream:
            head = stream.read(_HEAD)
    except OSError:  # writing says why
        return
    marks = (mark,) if isinstance(mark, bytes) else mark
    if head and (marks is None or any(one not in head for one in marks)):
        raise UsageError(
            f"{name}: the file is there already, and what it holds would be lost. Write to another, "
            "or replace it with --force (force=True)."
        )
