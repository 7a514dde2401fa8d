"""The formats, one line each; a format is a module here that exports ``FORMAT``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from rankstone.core.judgments import Judgments
from rankstone.core.provenance import Source
from rankstone.core.run import Run
from rankstone.errors import one_of
from rankstone.io.formats.trec_layout import (
    HEAD,
    first_rows,
    has_blanks,
    has_quotes,
    is_header,
    is_number,
)

if TYPE_CHECKING:
    from rankstone.io.rows import Lists

# Name of the format, and its module; content is offered to them in this order, and what none of
# them knows is read as TREC rows, whose reader says best what is wrong with a line.
_HOMES = {
    "parquet": "tables:PARQUET",
    "arrow": "tables:ARROW",
    "rank-eval": "rank_eval",
    "opensearch": "opensearch",
    "rre": "rre",
    "vespa": "vespa",
    "json": "json_dicts",
    "jsonl": "jsonl",
    "letor": "letor",
    "scores": "letor_scores",
    "quepid": "quepid",
    "csv": "tables:CSV",
    "trec": "trec_rows",
}

# A row is a query, a document and a grade or score. A row without a document says that there is
# such a query, be it with nothing judged or nothing retrieved.
Row = tuple[str, str, float]
NO_DOCUMENT = ""


@dataclass(frozen=True, eq=False)
class Input:
    """A file that is open, at any position, under the name it was given by."""

    path: str
    stream: IO[bytes]
    size: int
    source: Source
    groups: str | None = None  # a file of group sizes that belongs to it
    columns: Mapping[str, Any] | None = None  # those of a table, by what they hold
    graded: bool = True  # whether the grades of judgments matter
    threads: int | None = None

    @cached_property
    def start(self) -> bytes:
        """The first bytes."""
        self.stream.seek(0)
        return self.stream.read(HEAD)

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark."""
        return self.start.removeprefix(b"\xef\xbb\xbf")

    @cached_property
    def rows(self) -> list[list[bytes]]:
        """The fields of the first lines, split at blanks."""
        return first_rows(self.start, whole=self.size <= HEAD)[0]

    @cached_property
    def carrier(self) -> str:
        """``json``, ``jsonl`` or ``text``."""
        if self.head.lstrip()[:1] not in (b"{", b"["):
            return "text"
        from rankstone.io.formats.strict_json import carrier

        return carrier(self)

    @cached_property
    def value(self) -> Any:
        """The content of a JSON file."""
        from rankstone.io.formats.strict_json import parse

        self.stream.seek(0)
        return parse(self.stream.read(), self.path)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, line) for every line."""
        from rankstone.io.streams import lines

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
    holds: Callable[[Input], str | None] | None = None  # "judgments", "run", None if open
    rows: Callable[[Input, str], Iterable[Row]] | None = None  # where neither reader gives rows


def names() -> list[str]:
    """Return the names of all formats."""
    return list(_HOMES)


def named(name: str) -> Format:
    """Return a format by its name."""
    home, _, constant = _HOMES[one_of(name, _HOMES, "format")].partition(":")
    found: Format = getattr(import_module(f"rankstone.io.formats.{home}"), constant or "FORMAT")
    return found


def tell(text: Input) -> Format:
    """Return the format of a file, told by its content."""
    if _usual(text):
        return named("trec")
    # Whoever names columns means a table.
    order = ("csv", *_HOMES) if text.columns else _HOMES
    return next(f for f in map(named, order) if f.told_by(text))


def _usual(text: Input) -> bool:
    """Return whether a file is one of TREC rows for sure, without a look at other formats."""
    if text.columns or text.carrier != "text" or not text.rows or b"\0" in text.head:
        return False
    first = text.rows[0]
    joined = b" ".join(first)
    if len(first) < 3 or b":" in joined or b"," in joined:
        return False
    if any(map(is_number, first)):
        return True
    return is_header(first) and not has_quotes(text.rows) and not has_blanks(text.head)
