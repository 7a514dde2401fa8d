from typing import Any

import numpy as np

from rankstone.core.row_layout import RowLayout

class Index:
    def __init__(
        self,
        query_bytes: bytes,
        query_offsets: np.ndarray,
        groups: np.ndarray,
        doc_bytes: bytes,
        doc_offsets: np.ndarray,
    ) -> None: ...

def scan_run(
    descriptor: int,
    size: int,
    layout: RowLayout,
    index: Index,
    float32: bool,
    threads: int,
    range_size: int,
    progress: np.ndarray,
    first: int = 0,
    repeats: bool = False,
    kept: int = 0,
    ids_fall: int = 0,
) -> dict[str, Any]: ...
def scan_judgments(
    text: bytes, layout: RowLayout, first: int = 0, threads: int = 1
) -> dict[str, Any]: ...
def scan_lists(
    descriptor: int,
    size: int,
    record: tuple[tuple[bytes, ...], tuple[int, ...]] | None,
    index: Index,
    float32: bool,
    ascending: bool,
) -> dict[str, Any] | None: ...
def judge_lists(
    descriptor: int, size: int, record: tuple[tuple[bytes, ...], tuple[int, ...]] | None
) -> dict[str, Any]: ...
def read_rows(
    text: bytes,
    layout: RowLayout,
    offset: int = 0,
    most: int = 0,
) -> dict[str, Any]: ...
def read_judged(judged: list[Any]) -> tuple[list[Any], bool, np.ndarray, np.ndarray] | None: ...
def match_mapping(
    run: dict[Any, Any],
    queries: list[Any],
    docs: list[Any],
    groups: np.ndarray,
    ascending: bool,
    float32: bool,
) -> dict[str, Any]: ...
def falling_order(values: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
def falling_beside(
    values: np.ndarray, offsets: np.ndarray, beside: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def falling_small(values: np.ndarray, offsets: np.ndarray) -> np.ndarray | None: ...
def count_equals(values: np.ndarray, offsets: np.ndarray) -> np.ndarray: ...
def count(mask: np.ndarray, offsets: np.ndarray) -> np.ndarray: ...
def running_count(mask: np.ndarray, offsets: np.ndarray) -> np.ndarray: ...
def totals(
    values: np.ndarray, offsets: np.ndarray, low: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]: ...
def count_table(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None: ...
def count_near(
    scores: np.ndarray, offsets: np.ndarray, columns: np.ndarray, tolerance: np.ndarray, check: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]: ...
def top_table(
    labels: np.ndarray, scores: np.ndarray, k: int, count_equals: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, int, int] | None: ...
def nonzero(
    bits: np.ndarray, signed_zero: bool, most: int
) -> tuple[np.ndarray, np.ndarray] | None: ...
def first_equal(
    text: bytes, begins: np.ndarray, ends: np.ndarray, offsets: np.ndarray
) -> np.ndarray: ...
def write_rows(
    queries: list[bytes],
    text: bytes,
    begins: np.ndarray,
    ends: np.ndarray,
    numbers: np.ndarray,
    offsets: np.ndarray,
) -> bytes: ...
def gather(text: bytes, begins: np.ndarray, ends: np.ndarray) -> bytes: ...

class Column:
    format: str
    def __len__(self) -> int: ...
    def of_codes(self, codes: Column) -> Column: ...

def columns_of_stream(capsule: object) -> list[tuple[bytes, Column]]: ...
def column_of_array(array: np.ndarray) -> Column: ...
def column_of_objects(values: list[Any]) -> tuple[Column | None, int | None]: ...
def match_columns(
    query: Column,
    doc: Column,
    score: Column | None,
    rank: Column | None,
    ascending: bool,
    index: Index,
    float32: bool,
    threads: int,
    range_size: int,
    repeats: bool = False,
) -> dict[str, Any]: ...
def judge_columns(query: Column, doc: Column, grade: Column | None) -> dict[str, Any]: ...
