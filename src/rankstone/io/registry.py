"""The formats, one line each; a format is a module here that exports ``FORMAT``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from rankstone.core.judgments import Judgments
from rankstone.core.run import Run
from rankstone.core.source import Source
from rankstone.errors import one_of
from rankstone.io.columns import HEAD, first_rows

if TYPE_CHECKING:
    from rankstone.io.rows import Lists

# Name of the format, and its module; content is offered to them in this order, and what none of
# them knows is read as TREC rows, whose reader says best what is wrong with a line.
_HOMES = {
    "rank-eval": "rank_eval",
    "opensearch": "opensearch",
    "rre": "rre",
    "vespa": "vespa",
    "json": "json_dicts",
    "jsonl": "jsonl",
    "letor": "letor",
    "scores": "scores",
    "quepid": "quepid",
    "trec": "trec_rows",
}

# A row is a query, a document and a grade or score. A row without a document says that there is
# such a query, be it with nothing judged or nothing retrieved.
Row = tuple[str, str, float]
NO_DOCUMENT = ""


@dataclass(frozen=True, eq=False)
class Input:
    """A text that is open, at any position, under the name it was given by."""

    path: str
    stream: IO[bytes]
    size: int
    source: Source
    groups: str | None = None  # a file of group sizes that belongs to it

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark."""
        self.stream.seek(0)
        return self.stream.read(HEAD).removeprefix(b"\xef\xbb\xbf")

    @cached_property
    def rows(self) -> list[list[bytes]]:
        """The fields of the first lines, split at blanks."""
        return first_rows(self.head, whole=self.size <= HEAD)[0]

    @cached_property
    def carrier(self) -> str:
        """``json``, ``jsonl`` or ``text``."""
        if self.head.lstrip()[:1] not in (b"{", b"["):
            return "text"
        from rankstone.io.json_text import carrier

        return carrier(self)

    @cached_property
    def value(self) -> Any:
        """The content of a JSON file."""
        from rankstone.io.json_text import parse

        self.stream.seek(0)
        return parse(self.stream.read(), self.path)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, line) for every line."""
        from rankstone.io.open import lines

        return lines(self.stream, self.path)


@dataclass(frozen=True)
class Format:
    """How a format is told, read and written; None for what it cannot hold."""

    name: str
    looks_like: str
    told_by: Callable[[Input], bool]
    judgments: Callable[[Input], Iterable[Row] | Judgments] | None = None
    run: Callable[[Input], Iterable[Row] | Lists | Run] | None = None
    write_judgments: Callable[[Iterable[Row], IO[bytes]], None] | None = None
    write_run: Callable[[Iterable[Row], IO[bytes]], None] | None = None
    may_be: Callable[[Input], bool] | None = None  # where it is named: told_by unless given


def names() -> list[str]:
    """Return the names of all formats."""
    return list(_HOMES)


def named(name: str) -> Format:
    """Return a format by its name."""
    home = _HOMES[one_of(name, _HOMES, "format")]
    found: Format = import_module(f"rankstone.io.{home}").FORMAT
    return found


def tell(text: Input) -> Format:
    """Return the format of a text, told by its content."""
    if text.carrier == "text" and text.rows and len(text.rows[0]) > 2:
        first = b" ".join(text.rows[0])
        if b":" not in first and b"," not in first:
            return named("trec")  # the usual case, without a look at the others
    candidates = (named(name) for name in _HOMES)
    return next(f for f in candidates if f.told_by(text))
