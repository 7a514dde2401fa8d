"""What has to hold of objects in memory: the compiled core and the pure-Python engine find the same.

The objects are made of bytes, so that a fuzzer can change them.
"""

import json
import struct
from itertools import cycle, islice

import numpy as np

from rankstone.core import python_engine

try:
    from rankstone._native import _core
except ImportError:  # the compiled core is not installed: there is nothing to compare
    _core = None

WIDTHS = (
    1,
    2,
    7,
    17,
    199,
    200,
    201,
    256,
    4096,
)  # of segments; long ones are ordered in another way


def plain(found):
    """Return what an engine found as text, which tells 0 from -0 and 1 from True."""
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, tuple | list):
        return [plain(value) for value in found]
    return repr(found.tolist() if isinstance(found, np.ndarray) else found)


def compared(call, *given):
    """Return what each engine finds."""
    return [plain(getattr(engine, call)(*given)) for engine in (_core, python_engine)]


def numbers_of(data, way):
    """Return numbers: small and whole ones, a few of all sizes, close ones, or any."""
    if way == 3:
        whole = data[: len(data) // 8 * 8]
        return [v for (v,) in struct.iter_unpack("<d", whole) if v == v] or [0.0]
    some = (0.0, -0.0, 1.0, 0.5, 255.0, 256.0, -1.0, 1e-9, 1e9, 1e38, -1e38, 1e308, -1e308, 1e-320)
    ways = (float, lambda b: some[b % len(some)], lambda b: 1.0 + b * 2.0**-40)
    return [ways[way](byte) for byte in data] or [0.0]


def ordered(data):
    """Yield what both engines make of numbers in segments."""
    way, width, count, *_ = *data[:3], 0, 0, 0
    numbers = numbers_of(data[3:], way % 4)
    size = WIDTHS[width % len(WIDTHS)] if way < 128 else 0
    length = size * (1 + count % 5) if size else len(numbers)
    values = np.array([*islice(cycle(numbers), length)])
    if size:
        offsets = np.arange(0, length + 1, size)
    else:  # of any length, some of them empty
        cuts = sorted(byte % (length + 1) for byte in data[3 : 3 + count % 8])
        offsets = np.array([0, *cuts, length])
    beside = np.arange(length, dtype=np.float64)
    yield "falling_order", compared("falling_order", values, offsets)
    yield "falling_beside", compared("falling_beside", values, offsets, beside)
    yield "count_equals", compared("count_equals", values, offsets)
    for call in ("count", "running_count"):
        yield call, compared(call, values > 1, offsets)
    if size:
        table = values.reshape(-1, size)
        yield "nonzero", compared("nonzero", table.view(np.uint64), True, length // 2)
        for kind in (np.float32, np.float64):
            with np.errstate(over="ignore"):
                scores = table.astype(kind)
            chosen = beside.reshape(table.shape) % (1 + count) == 0
            columns = np.append(0, np.cumsum(chosen.sum(axis=1))), np.nonzero(chosen)[1]
            yield "count_table", compared("count_table", scores, *columns)
            near = np.array([(way % 7) * 2.0 ** -(row % 50) for row in range(len(scores))])
            is_finite = bool((scores < np.inf).all())
            for check in (True, False) if is_finite else (True,):
                counts = [
                    e.count_near(scores, *columns, near, check) for e in (_core, python_engine)
                ]
                # Of a row that cannot be counted only its number is known.
                yield "count_near", [plain(c if is_finite else c[-1]) for c in counts]
    falling, (order, _) = (
        _core.falling_small(values, offsets),
        python_engine.falling_order(values, offsets),
    )
    if falling is not None:
        yield "falling_small", [plain(falling), plain(values[order])]


def key_of(key, numbers):
    return int(key) if numbers and key.isascii() and key.isdigit() else key


def matched(data):
    """Yield what both engines make of a run and judgments, each ``{query: {document: number}}``."""
    try:
        judged, run, options = json.loads(data)
        numbers, ascending, float32 = (bool(options >> i & 1) for i in range(3))
        judged = {key_of(q, numbers): dict(docs) for q, docs in judged.items()}
        judged = {q: {key_of(d, numbers): g for d, g in docs.items()} for q, docs in judged.items()}
        run = {key_of(q, numbers): docs for q, docs in run.items()}
        for query, docs in run.items():
            if isinstance(docs, dict):
                run[query] = {key_of(d, numbers): s for d, s in docs.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return
    yield "read_judged", compared("read_judged", [*judged.values()])
    docs = [doc for own in judged.values() for doc in own]
    groups = np.cumsum([0, *map(len, judged.values())], dtype=np.int64)
    yield (
        "match_mapping",
        compared("match_mapping", run, [*judged], docs, groups, ascending, float32),
    )
    for values in (
        docs,
        [*run],
        [s for own in run.values() if isinstance(own, dict) for s in own.values()],
    ):
        rows = [engine.column_of_objects(values)[1] for engine in (_core, python_engine)]
        yield "column_of_objects", rows
