"""Which columns a file of rows has, found from its first lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rankstone.core.row_layout import ATOF, ATOL, RANK, Layout
from rankstone.errors import DataError
from rankstone.io.column_roles import SYNONYMS

HEAD = 1 << 16
_MOST_COLUMNS = 8
_ROWS = 200
_BOM = b"\xef\xbb\xbf"

# What people call the columns they hold; a name is compared without case, '-' and '_'.
QUERY_NAMES, DOC_NAMES, SCORE_NAMES, RANK_NAMES = (
    " ".join(SYNONYMS[role]) for role in ("query", "doc", "score", "rank")
)
GRADE_NAMES = " ".join([*SYNONYMS["grade"], "score"])  # as BEIR calls its grades


class Shape(NamedTuple):
    """A layout, what its columns are called and where its rows start."""

    layout: Layout
    columns: str
    first: int = 0
    number: str = "score"
    from_file: bool = False  # found from the file's first lines, not the usual one

    def replace(self, **changes: Any) -> Shape:
        """Return the shape with some fields changed."""
        return self._replace(**changes)


RUN = Shape(Layout(6, 0, 2, 4, 3), "query Q0 document rank score tag")
QRELS = Shape(Layout(4, 0, 2, 3), "query iteration document grade", number="grade")
LENIENT_RUN = RUN.replace(layout=Layout(6, 0, 2, 4, 3, ATOF, more=True))
LENIENT_QRELS = QRELS.replace(layout=Layout(4, 0, 2, 3, reading=ATOL))

_RUNS = {
    5: Shape(Layout(5, 0, 2, 4, 3), "query Q0 document rank score"),
    7: Shape(Layout(7, 0, 2, 4, 3), "query Q0 document rank score tag more"),
}
_RANKS = Shape(Layout(3, 0, 1, 2, reading=RANK), "query document rank", number="rank")
_SCORES = Shape(Layout(3, 0, 1, 2), "query document score")
_RANKS_AND_SCORES = Shape(Layout(4, 0, 1, 3, 2), "query document rank score")
_SHORT_QRELS = Shape(Layout(3, 0, 1, 2), "query document grade", number="grade")
_LONG_QRELS = Shape(Layout(5, 0, 2, 3), "query iteration document grade more", number="grade")
_SAMPLED_QRELS = Shape(
    Layout(5, 0, 1, 2), "query document grade method probability", number="grade"
)

FORCED = {
    "query-document-rank": _RANKS,
    "query-document-score": _SCORES,
    "query-document-grade": _SHORT_QRELS,
}


def judgments_forced(name: str, path: str) -> Shape:
    """Return the shape of judgments that somebody named; ranks are no grades."""
    shape = FORCED[name]
    if shape.number == "rank":
        raise DataError(
            f"{path}: the format '{name}' holds no judgments. Name that of the judgments too, as in "
            f"'query-document-grade:{name}'."
        )
    return shape


def first_rows(head: bytes, *, whole: bool) -> tuple[list[list[bytes]], list[int]]:
    """Return the fields of the first rows and where each row ends; ``whole`` if head is the file."""
    at = len(_BOM) if head.startswith(_BOM) else 0
    rows: list[list[bytes]] = []
    ends: list[int] = []
    while at < len(head) and len(rows) < _ROWS:
        newline = head.find(b"\n", at)
        if newline < 0 and not whole and rows:
            break
        end = newline + 1 or len(head)
        fields = head[at:end].split()
        if fields and not fields[0].startswith(b"#"):
            rows.append(fields)
            ends.append(end)
        at = end
    return rows, ends


def run_shape(head: bytes, path: str, *, whole: bool) -> Shape:
    """Return how the rows of a run are laid out; the usual shape where nothing else fits."""
    rows, ends = first_rows(head, whole=whole)
    if not rows:
        return RUN
    named = _header(rows[0], (SCORE_NAMES + " " + GRADE_NAMES), ranked=True)
    if named is not None:
        return named.replace(
            first=ends[0], number="rank" if named.layout.reading == RANK else "score"
        )
    same = _alike(rows)
    count = len(rows[0])
    if count == 5 and rows[0][3].isdigit() and is_number(rows[0][4]):
        return _found(_RUNS[5])
    if count == 7 and is_number(rows[0][4]):
        return _found(_RUNS[7])
    if count == 4 and len(same) > 1 and _ranked(same, 2) > 1 and _all_numbers(same, 3):
        return _found(_RANKS_AND_SCORES)
    if count == 3 and _all_numbers(same, 2):
        if _ranked(same, 2) == len(same) and _longest_query(same) > 1:
            return _found(_RANKS)
        if any(not row[2].isdigit() for row in same):
            return _found(_SCORES)
        raise DataError(
            f"{path}: three columns, but is the third a rank or a score? It neither counts up "
            "from 1 nor has decimals. Name the format: 'query-document-rank' or "
            "'query-document-score' (--input-format, input_format=)."
        )
    return RUN


def qrels_shape(head: bytes, path: str, *, whole: bool) -> Shape:
    """Return how the rows of judgments are laid out; the usual shape where nothing else fits."""
    rows, ends = first_rows(head, whole=whole)
    if not rows:
        return QRELS
    named = _header(rows[0], GRADE_NAMES, ranked=False)
    if named is not None:
        return named.replace(first=ends[0], number="grade")
    same = _alike(rows)
    count = len(rows[0])
    if count == 3 and is_number(rows[0][2]):
        _refuse_ranks(same, 2, path)
        return _found(_SHORT_QRELS)
    if count == 4:
        _refuse_times(same, path)
    if count == 5:
        _refuse_ranks(same, 3, path)
        if all(map(is_number, rows[0][2:])) and not _is_constant(same, 1):
            return _found(_SAMPLED_QRELS)
        if is_number(rows[0][3]):
            return _found(_LONG_QRELS)
    return QRELS


def _found(shape: Shape) -> Shape:
    return shape.replace(from_file=True)


def is_header(fields: list[bytes]) -> bool:
    """Return whether the first row of a file names its columns; quoted names are another format's."""
    if any(b'"' in field for field in fields):
        return False
    return _header(fields, SCORE_NAMES + " " + GRADE_NAMES, ranked=True) is not None


def has_quotes(rows: Sequence[list[bytes]]) -> bool:
    """Return whether some field starts with a quote, as in a table whose fields may be quoted."""
    return any(field.startswith(b'"') for row in rows for field in row)


def has_blanks(head: bytes) -> bool:
    """Return whether columns stand between tabs, as names above them do, and a field holds blanks."""
    names, *lines = head[: head.rfind(b"\n") + 1].splitlines()[:_ROWS] or [b""]
    count = names.count(b"\t") + 1
    if count < 2 or len(names.split()) != count:
        return False
    rows = [line for line in lines if line.strip()]
    return all(row.count(b"\t") + 1 == count for row in rows) and any(
        len(row.split()) != count for row in rows
    )


def is_number(text: bytes) -> bool:
    """Return whether a field is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _alike(rows: Sequence[list[bytes]]) -> list[list[bytes]]:
    """Return the first rows, as far as they have as many fields as the very first."""
    count = len(rows[0])
    return [row for row in rows if len(row) == count]


def _all_numbers(rows: Sequence[list[bytes]], column: int) -> bool:
    return all(is_number(row[column]) for row in rows)


def _is_constant(rows: Sequence[list[bytes]], column: int) -> bool:
    return all(row[column] in (b"0", b"Q0", b"q0") for row in rows)


def _longest_query(rows: Sequence[list[bytes]]) -> int:
    longest = current = 0
    for i, row in enumerate(rows):
        current = current + 1 if i and rows[i - 1][0] == row[0] else 1
        longest = max(longest, current)
    return longest


def _ranked(rows: Sequence[list[bytes]], column: int) -> int:
    """Return how many of the rows, from the first on, count up from 0 or 1 within their query."""
    query, wanted = None, (0, 1)
    for i, row in enumerate(rows):
        if row[0] != query:
            query, wanted = row[0], (0, 1)
        text = row[column]
        if not text.isdigit() or len(text) > 9 or int(text) not in wanted:
            return i
        wanted = (int(text) + 1,) * 2
    return len(rows)


def _refuse_ranks(rows: Sequence[list[bytes]], column: int, path: str) -> None:
    counted = _ranked(rows, column)
    if counted >= 6 and _longest_query(rows[:counted]) >= 6:
        raise DataError(
            f"{path}: the grades count up like ranks (column {column + 1}). This looks like a "
            "run; the order is judgments first, then runs. If they are grades, name the format: "
            "'trec' for four columns, 'query-document-grade' for three."
        )


def _refuse_times(rows: Sequence[list[bytes]], path: str) -> None:
    """Refuse interactions of user, item, rating and time, which have as many columns as qrels."""
    if _is_constant(rows, 1) or not all(r[3].isdigit() and len(r[3]) > 8 for r in rows):
        return
    shown = rows[0][3].decode()
    raise DataError(
        f"{path}: the grades, such as {shown}, look like times (column 4). If the columns are user, "
        "item, rating and time, put a first line above them that names them, such as "
        "user_id item_id rating timestamp."
    )


def _header(fields: list[bytes], values: str, *, ranked: bool) -> Shape | None:
    """Return the shape a header line gives, None where the line is no header."""
    if not 3 <= len(fields) <= _MOST_COLUMNS or any(map(is_number, fields)):
        return None
    if any(b"," in field for field in fields):
        return None
    names = [plain_name(f.decode("utf-8", "replace")) for f in fields]
    query = _named(names, QUERY_NAMES)
    doc = _named(names, DOC_NAMES)
    value = _named(names, values)
    rank = _named(names, RANK_NAMES)
    shown = " ".join(f.decode("utf-8", "replace") for f in fields)
    if query < 0 or doc < 0 or (value < 0 and (rank < 0 or not ranked)):
        return None
    if value >= 0:
        layout = Layout(len(fields), query, doc, value, rank if ranked else -1)
    else:
        layout = Layout(len(fields), query, doc, rank, reading=RANK)
    return Shape(layout, shown, from_file=True)


def plain_name(name: str) -> str:
    """Return a column's name without case and punctuation.

    >>> plain_name("Query-ID"), plain_name("_doc_no")
    ('queryid', 'docno')
    """
    return "".join(c for c in name.lower() if c.isalnum())


def _named(names: Sequence[str], known: str) -> int:
    """Return which column has one of the known names, those named first preferred."""
    return next((names.index(name) for name in known.split() if name in names), -1)
