"""The same work on many parts, on all cores."""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

P = TypeVar("P")
T = TypeVar("T")


def on_each(task: Callable[[P], T], parts: Sequence[P], workers: int | None = None) -> list[T]:
    """Return the results of the task for each part; of several errors the first part's is raised.

    NumPy and the native core let other threads run while they work. ``workers`` is the largest number
    of threads (default: all cores).
    """
    workers = min(workers or cores(), len(parts))
    if workers < 2:
        return [task(part) for part in parts]
    done: dict[int, T] = {}
    failed: dict[int, BaseException] = {}
    left = iter(range(len(parts)))

    def work() -> None:
        for i in left:
            if failed:  # parts begin in order, so the first one that fails has begun
                return
            try:
                done[i] = task(parts[i])
            except BaseException as error:  # noqa: BLE001, raised again below
                failed[i] = error
                return

    threads = []
    for _ in range(workers - 1):
        thread = threading.Thread(target=work)
        try:
            thread.start()
        except RuntimeError:  # too little memory for one more: these do all of the work
            break
        threads.append(thread)
    work()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[min(failed)]
    return [done[i] for i in range(len(parts))]


_PRODUCTS = threading.Lock()


@contextmanager
def products_alone(wanted: bool = True) -> Iterator[bool]:
    """Let NumPy compute products in the thread that asks for them; yield whether it does.

    Threads of its own wait busily for the next product, on cores that others could use.
    """
    control = _product_threads() if wanted else ()
    if not control or not _PRODUCTS.acquire(blocking=False):
        yield False
        return
    count, limit = control
    before = count()
    try:
        limit(1)
        yield True
    finally:
        limit(before)
        _PRODUCTS.release()


@cache
def _product_threads() -> tuple[Any, ...]:
    """Return the functions that count and limit the threads of OpenBLAS, none if NumPy has another."""
    try:
        library = ctypes.CDLL(importlib.import_module("numpy.linalg._umath_linalg").__file__)
    except (ImportError, OSError):
        return ()
    for name in (
        "scipy_openblas_{}_num_threads64_",
        "openblas_{}_num_threads64_",
        "openblas_{}_num_threads",
    ):
        if hasattr(library, name.format("set")):
            return tuple(getattr(library, name.format(word)) for word in ("get", "set"))
    return ()


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
