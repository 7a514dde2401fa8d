"""TREC runs and qrels: rows of columns between blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import IO, Any

import numpy as np

from rankstone.core import engine
from rankstone.core.ids import Ids
from rankstone.core.judgments import Judgments
from rankstone.core.matches import DocsByQuery, Matches
from rankstone.core.notices import commented_notices, judgment_notices
from rankstone.core.provenance import Source
from rankstone.core.row_layout import NUMBER, RANK
from rankstone.core.run import Block, Row
from rankstone.core.scored_lists import ScoredLists
from rankstone.core.subtopics import Aspect, subtopic_notices, with_subtopics
from rankstone.core.text import decode, encode, number_text
from rankstone.errors import DataError, EmptyError, UsageError
from rankstone.frozen import frozen
from rankstone.io.formats import Format, run_name, trec_layout as layouts
from rankstone.io.formats.trec_layout import TrecLayout, fault_error
from rankstone.io.input_file import Input

_RANGE = 2 << 20
_TAIL = 1 << 16
_CHUNK = 1 << 18
_LONGEST_LINE = 1 << 20
_UNWRITABLE = re.compile(r"[\x00-\x20]")
_UNWRITABLE_BYTES = re.compile(rb"[\x00-\x20]")
_UNWRITABLE_FIRST = ("#", "\ufeff")  # of a query

LayoutOf = Callable[[Input], TrecLayout]


def _judgments(file: Input, layout_of: LayoutOf) -> Judgments:
    """Scan judgments."""
    layout = layout_of(file)
    file.stream.seek(0)
    text = file.stream.read()
    scan = engine.load().scan_judgments(text, layout.layout, layout.first, file.threads)
    if scan["fault"]:
        raise fault_error(file, scan["fault"], layout)
    judgments = judgments_of_scan(scan, file)
    if len(scan["iterations"]) > 1:
        judgments, counts = with_subtopics(judgments, _aspects(file, layout))
        scan |= counts
    if layout.columns == layouts.PRELS.columns:
        judgments = replace(judgments, probabilities=_probabilities(file, layout, judgments))
    dropped = [layout.dropped.translated()] if layout.dropped else []
    notices = *judgment_notices(scan), *dropped, *subtopic_notices(judgments)
    return replace(judgments, notices=notices)


def judgments_of_scan(scan: dict[str, Any], file: Input) -> Judgments:
    """Return the judgments that an engine read in a file."""
    if not len(scan["grades"]):
        raise DataError(f"{file.path}: the file holds no judgments.")
    return Judgments(
        Ids.from_bytes(scan["query_bytes"], scan["query_offsets"]),
        scan["groups"],
        Ids.from_bytes(scan["doc_bytes"], scan["doc_offsets"]),
        scan["grades"],
        file.source,
        tuple(judgment_notices(scan)),
        indexes={
            (engine.load().__name__, (False, False), typed): scan["index"]
            for typed in (False, True)
        },
    )


def _probabilities(file: Input, layout: TrecLayout, judgments: Judgments) -> np.ndarray:
    """Return how likely each document was to be judged: the last column of prels."""
    last = layout._replace(layout=layout.layout._replace(value=4))
    drawn = {(query, doc): p for query, doc, p in _in_rows(_blocks(file, last))}
    lists = zip(judgments.queries.objects, judgments.docs_by_query, strict=True)
    return np.array([drawn[str(q), str(doc)] for q, docs in lists for doc in docs], np.float64)


def _aspects(file: Input, layout: TrecLayout) -> Iterator[Aspect]:
    """Yield judgments by subtopic, which the second column of diversity qrels names."""
    by_subtopic = layout._replace(layout=layout.layout._replace(doc=layout.layout.iteration))
    rows, named = _in_rows(_blocks(file, layout)), list(_in_rows(_blocks(file, by_subtopic)))
    for (query, doc, grade), (_, subtopic, _) in zip(rows, named, strict=True):
        yield Aspect(query, doc, grade, subtopic)


@frozen(eq=False)
class TrecRun:
    """A run in an open file, scanned each time it is matched and never in memory.

    The first ``kept`` documents of each judged query are kept when it is matched; of equal scores the
    greater id is first if ``ids_fall`` is 1, the smaller if it is -1, the earlier row if it is 0.
    """

    name: str
    source: Source
    file: Input
    layout: TrecLayout
    progress: np.ndarray
    kept: int = 0
    ids_fall: int = 0

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is, 0 if there are no scores."""
        return {"score": 1, "distance": -1}.get(self.layout.number, 0)

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents in the order of the file."""
        yield from _in_rows(_blocks(self.file, self.layout))
        self.file.check_unchanged()

    def blocks(self, most: int) -> Iterator[Block]:
        """Yield the rows in blocks; of a query in a block that many, the best, and their ties."""
        return _blocks(self.file, self.layout, most)

    def lists(self) -> ScoredLists:
        """Read all documents; of one that is there more than once the best score counts."""
        self.file.stream.seek(0)
        layout = self.layout
        scan = engine.load().scan_judgments(
            self.file.stream.read(), layout.layout, layout.first, self.file.threads
        )
        if scan["fault"]:
            raise fault_error(self.file, scan["fault"], layout)
        self.file.check_unchanged()
        if not len(scan["grades"]):
            raise EmptyError(f"{self.file.path}: the file holds no rows.")
        queries = Ids.from_bytes(scan["query_bytes"], scan["query_offsets"])
        docs = Ids.from_bytes(scan["doc_bytes"], scan["doc_offsets"])
        return ScoredLists(queries, scan["groups"], docs, scan["grades"])

    def scan(self, judgments: Judgments, *, float32: bool, repeats: bool) -> dict[str, Any]:
        """Return the engine's scan of the file."""
        file, layout = self.file, self.layout
        file.check_unchanged("since it was opened. Open it again")
        try:
            scan: dict[str, Any] = engine.load().scan_run(
                file.stream.fileno(),
                file.size,
                layout.layout,
                judgments.index(),
                float32,
                file.threads,
                _RANGE,
                self.progress,
                layout.first,
                repeats,
                self.kept,
                self.ids_fall,
            )
        except OSError as error:
            file.check_unchanged()
            raise DataError(f"{file.path}: cannot be read ({error.strerror or error}).") from None
        file.check_unchanged()
        return scan

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents in the file."""
        file, layout = self.file, self.layout
        scan = self.scan(judgments, float32=float32, repeats=repeats)
        if scan["fault"]:
            raise fault_error(file, scan["fault"], layout)
        if not scan["rows"]:
            raise EmptyError(f"{file.path}: the file holds no rows.")
        return Matches.of(
            scan,
            duplicate={q: decode(doc) for q, doc in scan["duplicate"].items()},
            unjudged_queries=scan["unjudged_queries"],
            unjudged_capped=scan["unjudged_capped"],
            unjudged_sample=tuple(map(decode, scan["unjudged_sample"])),
            doc_samples=documents_by_query(scan["doc_samples"]),
            tops=documents_by_query(scan["tops"]) if self.kept else None,
            notices=tuple(commented_notices(scan)),
            tag=_last_tag(file.stream, file.size) if layout.layout.record is None else "",
        )


def documents_by_query(
    found: tuple[np.ndarray, np.ndarray, bytes, np.ndarray],
) -> DocsByQuery[Ids]:
    """Return documents by query as an engine returned them."""
    queries, bounds, docs, offsets = found
    return DocsByQuery(queries, bounds, Ids.from_bytes(docs, offsets))


def _run(file: Input, layout_of: LayoutOf) -> TrecRun:
    layout = _ascending(file, layout_of) if file.options.ascending else layout_of(file)
    name = file.options.name or run_name(file.path)
    return TrecRun(name, file.source, file, layout, np.zeros(1, np.int64))


def _ascending(file: Input, layout_of: LayoutOf) -> TrecLayout:
    """Return the layout of a run in which the lowest score is the best."""
    layout = layout_of(file)
    if layout.layout.reading != NUMBER:
        raise UsageError(
            f"{file.path}: scores='ascending' needs scores; the {layout.number}s of this format "
            "have their own direction. Leave it out."
        )
    return layout._replace(layout=layout.layout._replace(reading=RANK), number="distance")


def _last_tag(stream: IO[bytes], size: int) -> str:
    """Return the tag in the last row: the sixth field, or the last of a shorter row."""
    stream.seek(max(0, size - _TAIL))
    for line in reversed(stream.read(_TAIL).split(b"\n")):
        fields = line.split()
        if fields and line[:1] != b"#":
            return decode(fields[min(5, len(fields) - 1)])
    return ""


def _in_rows(blocks: Iterable[Block]) -> Iterator[tuple[str, str, float]]:
    return chain.from_iterable(
        zip(block.query_of_rows(), block.docs, block.numbers.tolist(), strict=True)
        for block in blocks
    )


def _blocks(file: Input, layout: TrecLayout, most: int = 0) -> Iterator[Block]:
    """Yield the rows in blocks; with ``most``, of consecutive rows of a query that many, the best.

    And all that share the score of the last of these.
    """
    read_rows = engine.load().read_rows
    at = layout.first
    file.stream.seek(at)
    while text := file.stream.read(_CHUNK) + file.stream.readline(_LONGEST_LINE + 2):
        part = read_rows(text, layout.layout, at, most)
        if part["fault"]:
            raise fault_error(file, part["fault"], layout)
        at += len(text)
        yield Block(part["queries"], part["sizes"], part["docs"], part["numbers"])


def _kind(file: Input) -> str | None:
    """Return the kind of a file, by the number of columns and the second of them."""
    rows = [row.fields for row in file.first_rows]
    count = len(rows[0]) if rows else 0
    if count in (6, 7):
        return "run"
    second = {row[1] for row in rows if len(row) > 1}
    return "judgments" if count == 4 and second in ({b"0"}, {b"Q0"}) else None


def _write_judgments(rows: Iterable[tuple[str, str, float]], out: IO[bytes]) -> None:
    for query, doc, grade in rows:
        if _UNWRITABLE.search(query + doc) or query[0] in _UNWRITABLE_FIRST:
            _check(query, doc)
        out.write(encode(f"{query} 0 {doc} {number_text(grade)}\n"))


def _write_subtopics(rows: Iterable[Aspect], out: IO[bytes]) -> None:
    """Write diversity qrels: the subtopic is the second column."""
    for query, doc, grade, subtopic, _ in rows:
        _check(str(query), str(doc))
        if _UNWRITABLE.search(str(subtopic)):
            raise DataError(
                f"subtopic {subtopic!a} cannot be written to a TREC file, whose columns have no "
                "blanks. Convert to jsonl."
            )
        out.write(encode(f"{query} {subtopic} {doc} {number_text(grade)}\n"))


def _write_run(rows: Iterable[tuple[str, str, float]], out: IO[bytes]) -> None:
    """Write rows query by query, ranked by score as far as rows of a query are together."""
    for query, block in groupby(rows, itemgetter(0)):
        ranked = sorted(block, key=itemgetter(2), reverse=True)
        for rank, (_, doc, score) in enumerate(ranked, 1):
            if _UNWRITABLE.search(query + doc) or query[0] in _UNWRITABLE_FIRST:
                _check(query, doc)
            out.write(encode(f"{query} Q0 {doc} {rank} {number_text(score)} rankstone\n"))


def _text_of_lists(lists: ScoredLists) -> bytes:
    """Return lists that are in the order of their scores as text."""
    text, bounds = lists.docs.encoded
    queries = [str(query) for query in lists.queries]
    if _UNWRITABLE_BYTES.search(text) or any(
        _UNWRITABLE.search(query) or query[0] in _UNWRITABLE_FIRST for query in queries
    ):
        for query, doc, _ in lists.rows():
            _check(str(query), str(doc or query))
    rows: bytes = engine.load().write_rows(
        list(map(encode, queries)), text, bounds[:-1], bounds[1:], lists.scores, lists.offsets
    )
    return rows


def _check(query: str, doc: str) -> None:
    for what, value in (("query", query), ("document", doc)):
        if _UNWRITABLE.search(value) or (what == "query" and value[0] in _UNWRITABLE_FIRST):
            raise DataError(
                f"{what} id {value!a} cannot be written to a TREC file, whose ids have no "
                "blanks and start with no # or byte order mark. Convert to json or jsonl."
            )


def _of(
    name: str,
    example: str,
    detect: Callable[[Input], bool],
    qrels: LayoutOf | None,
    run: LayoutOf,
    kind: Callable[[Input], str | None],
    **more: Any,
) -> Format:
    def rows(file: Input, kind: str) -> Iterator[tuple[str, str, float]]:
        layout_of = qrels if qrels and kind == "judgments" else run
        return _in_rows(_blocks(file, layout_of(file)))

    return Format(
        name,
        example,
        detect,
        qrels and partial(_judgments, layout_of=qrels),
        partial(_run, layout_of=run),
        accepts=lambda _: True,
        kind=kind,
        rows=rows,
        writes_by_query=True,
        **more,
    )


def _named(name: str, example: str, kind: str) -> Format:
    """Return the format of three columns whose meaning somebody named."""
    layout = layouts.NAMED_LAYOUTS[name]
    qrels = None if layout.number == "rank" else lambda _: layout
    return _of(name, example, lambda _: False, qrels, lambda _: layout, lambda _: kind)


FORMAT = _of(
    "trec",
    "q1 Q0 d1 1 2.5 tag (run); q1 0 d1 2 (judgments); also 3 to 7 columns and a header",
    layouts.is_rows,
    layouts.qrels_layout,
    layouts.run_layout,
    _kind,
    write_judgments=_write_judgments,
    write_run=_write_run,
    text_of_lists=_text_of_lists,
    write_subtopics=_write_subtopics,
    may_hold_subtopics=True,
)
RANKS = _named("query-document-rank", "q1 d1 1", "run")
SCORES = _named("query-document-score", "q1 d1 2.5", "run")
GRADES = _named("query-document-grade", "q1 d1 2", "judgments")
LENIENT = _of(
    "trec-lenient",
    "the usual columns, with numbers read as far as they are numbers, as C's atof and atol do",
    lambda _: False,
    lambda _: layouts.LENIENT_QRELS,
    lambda _: layouts.LENIENT_RUN,
    _kind,
)
