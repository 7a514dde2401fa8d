"""Peak memory of a command."""

from __future__ import annotations

import os
import subprocess
import time

_EVERY = 0.002


def measurable() -> bool:
    """Return whether the kernel tells anonymous memory apart."""
    return "RssAnon" in _status(os.getpid())


def peak_anonymous(command: list[str]) -> int:
    """Return the most anonymous memory a command held, in bytes."""
    # Anonymous memory is what a program asks for itself; pages of libraries and of files are
    # the kernel's to give back. Samples of RssAnon may miss a peak between two of them. VmHWM,
    # the highest resident size ever, misses none, but holds file pages too; these only grow in
    # a program this short, so less the file pages of now it stays at or below the true peak.
    # Both are lower bounds, and the greater one is off by no more than the file pages that came
    # after the peak. The maximum from getrusage() will not do: it starts with the size of the
    # process that did the fork.
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            now = _status(process.pid)
            if "RssAnon" in now:
                peak = max(peak, now["RssAnon"], now["VmHWM"] - now["RssFile"])
            time.sleep(_EVERY)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak


def _status(pid: int) -> dict[str, int]:
    """Return the sizes in /proc/PID/status, in bytes; none once the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            rows = [line.split() for line in file if line.endswith(" kB\n")]
    except OSError:
        return {}
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in rows}
