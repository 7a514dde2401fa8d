"""LETOR and SVMlight rows (a label, a query, features, perhaps a document), and scores for such rows."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import IO, Any, NamedTuple

import numpy as np

from rankstone.choices.reading import block_names
from rankstone.core.dicts import ScoredRun
from rankstone.core.judgments import Judgments
from rankstone.core.matches import Matches
from rankstone.core.notice_texts import reading_notice
from rankstone.core.provenance import Source
from rankstone.core.run import Row
from rankstone.core.scalars import id_of, number_of
from rankstone.core.tally import EXAMPLES
from rankstone.core.text import decode, encode, is_number, number_text, without_mark
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.io.formats import Format, run_name
from rankstone.io.input_file import Input
from rankstone.io.rows import TextRow, judgments_from
from rankstone.io.streams import read_all

_FEATURE = re.compile(rb"(?:qid|[0-9]+):\S+")
_NAMED = re.compile(rb"doc_?id\s*[=:]\s*(\S+)", re.IGNORECASE)
_MOST_DIGITS = 18
_GROUP_FILES = (".query", ".group")


def _detect(file: Input) -> bool:
    first = file.first_rows[0].fields if file.first_rows else []
    if len(first) < 2 or not is_number(first[0]):
        return False
    return _FEATURE.fullmatch(first[1]) is not None


class _LetorRow(NamedTuple):
    """A row; None for what it does not say."""

    query: str | None
    doc: str | None
    named: bool  # in so many words, as in docid = d1
    label: float
    where: str


def _parsed(file: Input) -> Iterator[_LetorRow]:
    for number, line in file.lines():
        body, _, comment = line.partition(b"#")
        parts = body.split(None, 2)
        if not parts:
            continue
        where = f"{file.path}:{number}"
        if b"\r" in line.rstrip(b"\r\n"):
            raise DataError(
                f"{where}: a CR within the line. The file seems to have CR-only line ends; convert "
                "them to LF."
            )
        if len(parts) > 2 and b"qid:" in parts[2]:
            raise DataError(f"{where}: two rows in one line. Put each row on a line of its own.")
        label = number_of(decode(parts[0]), "label", where)
        query = None
        if len(parts) > 1 and parts[1].startswith(b"qid:"):
            query = str(id_of(decode(parts[1][4:]), "query", where))
        elif len(parts) > 1 and not _FEATURE.fullmatch(parts[1]):
            raise DataError(
                f"{where}: expected 'label qid:query feature:value ...', found "
                f"{decode(line[:64].strip())!a}."
            )
        named = _NAMED.search(comment)
        words = [named[1]] if named else comment.split()
        doc = decode(words[0]) if words else None
        yield _LetorRow(query, doc, named is not None, label, where)


def _judgments(file: Input) -> Judgments:
    parsed = list(_parsed(file))
    queries = _queries(file, parsed)
    if file.options.qid_blocks == "separate":
        queries = block_names(queries)
        parsed = [row._replace(query=query) for query, row in zip(queries, parsed, strict=True)]
    rows = [
        (query, doc, row.label)
        for query, doc, row in zip(queries, _docs(parsed), parsed, strict=True)
    ]
    judged = judgments_from(rows, file.source, file.path)
    query_of = np.repeat(np.arange(len(judged.queries)), np.diff(judged.groups))
    names = [judged.queries[q] for q in query_of.tolist()]
    place = {pair: i for i, pair in enumerate(zip(names, judged.docs, strict=True))}
    blocks = Counter(query for query, _ in groupby(query for query, _, _ in rows))
    again = sorted(query for query, n in blocks.items() if n > 1)
    blocks_apart = reading_notice("query-starts-again", len(again), again[:EXAMPLES])
    file_rows = np.array([place[q, d] for q, d, _ in rows], np.int64)
    return replace(judged, notices=(*judged.notices, *blocks_apart), file_rows=file_rows)


def _queries(file: Input, rows: list[_LetorRow]) -> list[str]:
    """Return the query of each row, from the rows or from a file of group sizes."""
    named = [row.query is not None for row in rows]
    if all(named):
        return [row.query or "" for row in rows]
    if any(named):
        where = rows[named.index(False)].where
        raise DataError(f"{where}: this row has no qid, but others have one.")
    return list(_grouped(file, len(rows)))


def _docs(rows: list[_LetorRow]) -> list[str]:
    """Return the document of each row; the row's number if not all have one of their own."""
    docs = [row.doc or "" for row in rows]
    if "" in docs and any(row.named for row in rows):
        where = rows[docs.index("")].where
        raise DataError(f"{where}: this row names no document, but others do (docid = ...).")
    pairs = {(row.query, doc) for row, doc in zip(rows, docs, strict=True)}
    if "" in docs or len(pairs) < len(docs):
        return [str(i + 1) for i in range(len(rows))]
    return docs


def _grouped(file: Input, rows: int) -> Iterator[str]:
    """Yield the query of each row, from a file of group sizes; queries are numbered from 1."""
    path = file.options.group_sizes
    if path is None:
        beside = [file.path + ending for ending in _GROUP_FILES]
        path = next((p for p in beside if os.path.isfile(p)), None)
    if path is None:
        raise DataError(
            f"{file.path}: the rows have no qid, and there is no {file.path}.query with the sizes "
            "of the groups beside it. Name such a file with the option group_sizes."
        )
    sizes = []
    for number, line in enumerate(without_mark(read_all(path)).splitlines(), 1):
        digits = line.strip()
        if digits:
            if not digits.isdigit() or len(digits) > _MOST_DIGITS:
                shown = decode(digits[:64])
                raise DataError(f"{path}:{number}: expected the size of a group, found {shown!a}.")
            sizes.append(int(digits))
    if sum(sizes) != rows:
        raise DataError(
            f"{path}: the groups have {sum(sizes)} rows in all, but {file.path} has {rows}."
        )
    for i, size in enumerate(sizes):
        yield from [str(i + 1)] * size


def _write(rows: Iterable[TextRow], out: IO[bytes]) -> None:
    """Write each judgment once: rows of one document twice are rows without documents."""
    highest: dict[tuple[str, str], float] = {}
    for query, doc, grade in rows:
        for what, value in (("query", query), ("document", doc)):
            if re.search(r"[\s\x00]", value) or (what == "query" and "#" in value):
                raise DataError(
                    f"{what} id {value!a} cannot be written to a LETOR file. "
                    "Convert to json or jsonl."
                )
        highest[query, doc] = max(grade, highest.get((query, doc), grade))
    for (query, doc), grade in highest.items():
        out.write(encode(f"{number_text(grade)} qid:{query} # docid = {doc}\n"))


FORMAT = Format(
    "letor",
    "2 qid:7 1:0.3 2:0.9 # docid = d1",
    _detect,
    _judgments,
    None,
    _write,
    takes_group_sizes=True,
)


@frozen(eq=False)
class RowScores:
    """A run that is one score for each row of the file the judgments came from."""

    scores: list[float]
    name: str
    source: Source
    ascending: bool

    @property
    def direction(self) -> int:
        """1 if the highest score is the best, -1 if the lowest is."""
        return -1 if self.ascending else 1

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Match the scores to the judged rows, in their order."""
        data: dict[Any, dict[Any, float]] = {}
        for query, doc, score in self.rows(judgments):
            data.setdefault(query, {})[doc] = score
        run = ScoredRun(data, self.name, self.source, made_from=self.direction)
        return run.match(judgments, float32=float32, repeats=repeats)

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the rows of the judgments' file with their scores."""
        if judgments is None:
            raise UsageError(
                f"{self.source.name}: the format 'scores' names no queries and documents; evaluate "
                "it with the judgments it belongs to."
            )
        rows = judgments.file_rows
        if rows is None:
            raise DataError(
                f"{self.source.name}: one number in each line is a score for each row of a LETOR or "
                f"SVMlight file, but the judgments ({judgments.source.name}) are not such a file."
            )
        if len(rows) != len(self.scores):
            raise DataError(
                f"{self.source.name}: {len(self.scores)} scores for the {len(rows)} rows of "
                f"{judgments.source.name}. Score exactly these rows, in their order."
            )
        query_of = np.repeat(np.arange(len(judgments.queries)), np.diff(judgments.groups))
        for row, score in zip(rows.tolist(), self.scores, strict=True):
            own = -score if self.ascending else score
            yield judgments.queries[query_of[row]], judgments.docs[row], own


def _are_scores(file: Input) -> bool:
    rows = file.first_rows
    return bool(rows) and all(len(r.fields) == 1 for r in rows) and is_number(rows[0].fields[0])


def _scores(file: Input) -> Iterator[float]:
    for number, line in file.lines():
        shown = decode(line.strip(b" \t\r\n"))
        if shown and not shown.startswith("#"):
            yield number_of(shown, "score", f"{file.path}:{number}")


def _run(file: Input) -> Any:
    name = file.options.name or run_name(file.path)
    return RowScores(list(_scores(file)), name, file.source, file.options.ascending)


SCORES = Format("scores", "0.731 (one number in each line)", _are_scores, None, _run)
