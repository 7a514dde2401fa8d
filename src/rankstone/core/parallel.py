"""The same work on many parts, on all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

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


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
