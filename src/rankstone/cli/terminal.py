"""What a person at a terminal sees beside the output: width, colour, messages, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def in_colour() -> bool:
    """Return whether the output goes to a terminal whose user wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def look() -> dict[str, Any]:
    """Return how tables look: in colour and as wide as the terminal, if there is one."""
    if not sys.stdout.isatty():
        return {"colour": False, "columns": None}
    from shutil import get_terminal_size

    return {"colour": in_colour(), "columns": get_terminal_size().columns}


@contextmanager
def spoken_warnings(*, quiet: bool) -> Iterator[None]:
    """Show the one warning that Python shows as a message of the command."""
    import warnings

    from rankstone.errors import SlowEngineWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "once", SlowEngineWarning)
        warnings.showwarning = lambda message, *_, **__: say(str(message))
        yield


def say(text: str, program: str = "rankstone") -> None:
    """Write a message to standard error; lines end between words on a terminal."""
    message = f"{program}: {text}"
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import fill

        width = get_terminal_size().columns
        message = fill(message, width, subsequent_indent="  ", break_on_hyphens=False)
    print(message, file=sys.stderr, flush=True)


@contextmanager
def progress(loaded: Any, quiet: bool) -> Iterator[None]:
    """Show how far a long scan is, on a terminal."""
    from rankstone.core import engine

    size = (loaded.source.size or 0) if hasattr(loaded, "progress") else 0
    long = 1 << (28 if engine.name() == "native" else 23)  # several seconds
    if quiet or size < long or not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    from rankstone.errors import printable

    done = Event()

    def report() -> None:
        shown = False
        while not done.wait(0.5):
            share = min(100, 100 * int(loaded.progress[0]) // size)
            print(
                f"\r{printable(loaded.name)}: {share} % of {size >> 20} MiB",
                end="",
                file=sys.stderr,
            )
            shown = True
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    thread = Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
