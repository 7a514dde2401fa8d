"""Wall times, taken in turns."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

try:
    import resource
except ImportError:  # Windows; the clock of os.times() ticks a hundred times a second
    resource = None  # type: ignore[assignment]

T = TypeVar("T")
_PAUSE = 0.05  # seconds: so long threads of the last matrix product wait busily for another one


@dataclass(frozen=True)
class Times:
    """Wall times of one task, in seconds, and those of all processors, if they were taken."""

    seconds: list[float]
    processors: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The time in the middle."""
        return median(self.seconds)

    @property
    def best(self) -> float:
        """The shortest time."""
        return min(self.seconds)


def timed(task: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds a task took, and what it returned."""
    begin = time.perf_counter()
    result = task()
    return time.perf_counter() - begin, result


def in_turns(
    tasks: Mapping[str, Callable[[], object]], rounds: int, unseen: int = 1
) -> dict[str, Times]:
    """Return the times of all tasks, each done once in every round, after some rounds unseen."""
    # In turns, because what else the machine does then slows all tasks alike.
    times = {name: Times([]) for name in tasks}
    for number in range(rounds + unseen):
        for name, task in tasks.items():
            time.sleep(_PAUSE)
            before = processor_time()
            taken = timed(task)[0]  # what a task returned is gone before the next one starts
            if number >= unseen:
                times[name].seconds.append(taken)
                times[name].processors.append(processor_time() - before)
    return times


def processor_time() -> float:
    """Return the seconds that all threads of this process and its ended children have run."""
    if resource is None:
        return sum(os.times()[:4])
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(own.ru_utime + own.ru_stime for own in usage)


def output_of(command: list[str]) -> str:
    """Run a command to its end and return what it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def rankstone() -> list[str]:
    """Return how to call the command: the script beside this Python, as users call it."""
    script = os.path.join(os.path.dirname(sys.executable), "rankstone")
    return [script] if os.path.exists(script) else [sys.executable, "-m", "rankstone"]
