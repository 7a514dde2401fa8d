"""JSON that the core reads at once. Anything unusual in it is left to the strict reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from rankstone.core import engine
from rankstone.core.dicts import ListedRun, no_scores
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.matches import Matches
from rankstone.core.provenance import Source
from rankstone.core.row_layout import NUMBER, RANK, RowLayout
from rankstone.core.run import Row
from rankstone.core.text import decode
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.io import column_roles as known
from rankstone.io.column_roles import key_named, plain_name, with_paths
from rankstone.io.formats import run_name
from rankstone.io.formats.json_records import keys_of
from rankstone.io.formats.trec import TrecRun, documents_by_query, judgments_of_scan
from rankstone.io.formats.trec_layout import TrecLayout
from rankstone.io.input_file import HEAD, Input
from rankstone.io.rows import Lists, as_text

_KEY = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*')
_NEXT = re.compile(r"[ \t\r\n]*([,}])")
_FIRST_OBJECT = re.compile(r"\[[ \t\r\n]*(?=\{)")
# Keys of whole data sets and of responses, and of records: an object that has one is not by query.
_NOT_QUERIES = {
    *known.EXPECTED_NAMES,
    *known.RETRIEVED_NAMES,
    "queries", "nuggets", "sentences", "answer", "requests", "details", "topics", "querygroups",
    "responses", "judgmentratings",
}  # fmt: skip
_TEXTS = {"text", "content", "pagecontent"}
_NUMBERS, _NAMES = 1, 2  # forms of lists (scan_lists.hpp)
_OTHER, _QUERY, _DOC, _NUMBER = range(4)  # what the values of a record are (json_text.hpp)


def scan_records(file: Input, kind: str) -> Judgments | TrecRun | None:
    """Read judgments or a run of lines that each hold a row under the same keys; else None."""
    file.stream.seek(file.begin)
    first = b"\n"
    while first and not first.strip():
        first = file.stream.readline(HEAD)
    layout = _layout(first, kind, file.options.columns, ascending=file.options.ascending)
    if layout is None:
        return None
    if kind == "run":
        run = TrecRun(
            file.options.name or run_name(file.path),
            file.source,
            file,
            TrecLayout(layout, "", number="distance" if file.options.ascending else "score"),
            np.zeros(1, np.int64),
        )
        scan = run.scan(EMPTY, float32=False, repeats=False)
        return run if not scan["fault"] and scan["rows"] else None
    file.stream.seek(0)
    scan = engine.load().scan_judgments(file.stream.read(), layout, 0, file.threads)
    return None if scan["fault"] else judgments_of_scan(scan, file)


def _layout(
    line: bytes, kind: str, columns: Mapping[str, Any] | None, *, ascending: bool
) -> RowLayout | None:
    """Return the layout of records such as that in a line; None if it is not a flat row."""
    try:
        found = _record_at(line.decode(), 0)
    except ValueError:
        return None
    if found is None or (columns and "distance" in columns):
        return None
    pieces, record = found
    keys = keys_of(with_paths(record, columns), columns)
    role = "score" if kind == "run" else "grade"
    number = getattr(keys, role)
    reading = RANK if ascending else NUMBER
    if kind == "run" and number is None and not ascending:
        number, reading = keys.rank, RANK
    roles = {keys.query: _QUERY, keys.doc: _DOC, number: _NUMBER}
    if not (len(roles) == 3 and roles.keys() <= record.keys()) or (
        kind == "judgments" and keys.subtopic is not None
    ):
        return None
    named = (known.names_given(columns, own) for own in known.roles_of_kind(kind))
    if any(names and record.keys().isdisjoint(names) for names in named):
        return None  # that no record has the key is for the strict reader to say
    if sum(plain_name(key) in known.SYNONYMS[role] for key in record) > 1:
        return None  # which of them is meant is for the strict reader to say
    values = tuple(roles.get(key, _OTHER) for key in record)
    return RowLayout(2, 0, 1, 1, reading=reading, record=(pieces, values))


class ListsForm(NamedTuple):
    """How documents of queries are written in a JSON object, if the core can read it."""

    are_names: bool
    rank_documents: bool  # by number, or by their places
    record: tuple[tuple[bytes, ...], tuple[int, ...]] | None


def lists_form(file: Input) -> ListsForm | None:
    """Return how the lists of a JSON object by query are written; None if anything is unusual."""
    first, newline, more = file.head.partition(b"\n")
    are_lines = newline and more.strip() and first.rstrip().endswith((b"}", b"]"))
    if not first.lstrip().startswith(b"{") or are_lines or file.options.columns:
        return None
    record = _item(file.head.decode(errors="replace"))
    scan = _scan_lists(file, record, EMPTY)
    if scan is None or any(plain_name(decode(word)) in _NOT_QUERIES for word in scan["words"]):
        return None
    return ListsForm(scan["form"] == _NAMES, scan["falls"] or scan["form"] == _NUMBERS, record)


def _item(text: str) -> tuple[tuple[bytes, ...], tuple[int, ...]] | None:
    """Return how the objects of a list are written: flat, with one document and one number."""
    begin = _FIRST_OBJECT.search(text)
    try:
        found = begin and _record_at(text, begin.end())
    except ValueError:
        return None
    if not found:
        return None
    pieces, item = found
    doc, number = key_named(item, known.ITEM_NAMES), key_named(item, known.SCORE_NAMES)
    names = [plain_name(key) for key in item]
    several = any(sum(n in known.SYNONYMS[role] for n in names) > 1 for role in ("score", "grade"))
    if several or number != key_named(item, known.GRADE_NAMES) or not _TEXTS.isdisjoint(names):
        return None
    roles = {doc: _DOC, number: _NUMBER}
    complete = len(roles) == 2 and None not in roles
    return (pieces, tuple(roles.get(key, _OTHER) for key in item)) if complete else None


def _scan_lists(
    file: Input, record: Any, judgments: Judgments, *, float32: bool = False
) -> dict[str, Any] | None:
    """Return the engine's scan of a JSON object whose keys are queries."""
    try:
        scan: dict[str, Any] | None = engine.load().scan_lists(
            file.stream.fileno(),
            file.size,
            record,
            judgments.index(),
            float32,
            file.options.ascending,
        )
    except OSError as error:
        file.check_unchanged()
        raise DataError(f"{file.path}: cannot be read ({error.strerror or error}).") from None
    file.check_unchanged()
    return scan


def scan_lists(file: Input, kind: str) -> Judgments | ListsRun | None:
    """Read judgments or a run of a JSON object of documents by query; None if it is unusual."""
    form = file.lists_form
    if form is None:
        return None
    if kind == "judgments":
        scan = engine.load().judge_lists(file.stream.fileno(), file.size, form.record)
        return None if scan["fault"] else judgments_of_scan(scan, file)
    name = file.options.name or run_name(file.path)
    if form.are_names and file.options.ascending:
        raise UsageError(no_scores(file.path))
    return ListsRun(name, file.source, file, form) if form.rank_documents else None


@frozen(eq=False)
class ListsRun:
    """A run in a JSON file of documents by query, read each time it is matched."""

    name: str
    source: Source
    file: Input
    form: ListsForm

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is, 0 if there are no scores."""
        return 0 if self.form.are_names else -1 if self.file.options.ascending else 1

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents of each query in the order of the file."""
        from rankstone.io.formats.json_files import FORMAT

        content: Any = FORMAT.run and FORMAT.run(self.file)
        if isinstance(content, Lists):
            listed = ListedRun(content.data).rows
            content = listed() if content.scores is None else content.scored_rows()
        sign = self.direction or 1
        return ((query, doc, sign * score) for query, doc, score in as_text(content))

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the file; none is there twice, so nothing repeats."""
        scan = _scan_lists(self.file, self.form.record, judgments, float32=float32)
        if scan is None:
            raise DataError(f"{self.file.path}: the file changed while it was read. Try again.")
        return Matches.of(
            scan,
            unjudged_queries=scan["unjudged_queries"],
            unjudged_capped=scan["unjudged_capped"],
            unjudged_sample=tuple(map(decode, scan["unjudged_sample"])),
            doc_samples=documents_by_query(scan["doc_samples"]),
        )


def _record_at(text: str, at: int) -> tuple[tuple[bytes, ...], dict[str, Any]] | None:
    """Return the text around and between the values of a flat object, and the object."""
    decoder = json.JSONDecoder()
    pieces: list[str] = []
    record: dict[str, Any] = {}
    begin, at = at, text.index("{", at) + 1
    while key := _KEY.match(text, at):
        value, end = decoder.raw_decode(text, key.end())
        pieces.append(text[begin : key.end()])
        record[json.loads(key[1])] = value
        after = _NEXT.match(text, end)
        if after is None or isinstance(value, dict | list) or len(record) < len(pieces):
            return None
        begin, at = end, after.end()
        if after[1] == "}":
            return tuple(piece.encode() for piece in (*pieces, text[begin:at])), record
    return None
