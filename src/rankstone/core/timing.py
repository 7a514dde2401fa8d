"""Seconds spent in each stage of an evaluation, measured on request."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

STAGES = ("reading", "matching", "scanning", "ranking", "measures", "output")

_lock = threading.Lock()
_local = threading.local()
_seconds: dict[str, float] | None = None


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Collect the seconds of each stage, added up over threads, in the dict that is yielded."""
    global _seconds  # noqa: PLW0603, one process is timed at a time
    _seconds = dict.fromkeys(STAGES, 0.0)
    try:
        yield _seconds
    finally:
        _seconds = None


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Charge the time of a block to a stage; stages within it have their own time."""
    if _seconds is None:
        yield
        return
    inside = getattr(_local, "inside", 0.0)
    _local.inside = 0.0
    begin = time.perf_counter()
    try:
        yield
    finally:
        taken = time.perf_counter() - begin
        with _lock:
            if _seconds is not None:
                _seconds[name] += taken - _local.inside
        _local.inside = inside + taken


def peak_memory() -> int | None:
    """Return the most memory this process has had, in bytes; None if the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
