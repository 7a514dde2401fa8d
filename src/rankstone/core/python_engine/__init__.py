"""The engine in pure Python: the contract and the outcome of the native core, and its test oracle."""

from __future__ import annotations

from rankstone.core.python_engine.arrow import columns_of_stream
from rankstone.core.python_engine.columns import (
    Column,
    column_of_array,
    column_of_objects,
    judge_columns,
    match_columns,
)
from rankstone.core.python_engine.order import (
    count_equals,
    count_near,
    count_table,
    falling_beside,
    falling_order,
    falling_small,
    first_equal,
    gather,
    nonzero,
    write_rows,
)
from rankstone.core.python_engine.place import match_mapping, read_judged
from rankstone.core.python_engine.text import (
    Index,
    judge_lists,
    read_rows,
    scan_judgments,
    scan_lists,
    scan_run,
)
