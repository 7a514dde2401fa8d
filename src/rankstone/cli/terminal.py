"""Output and messages of commands: lines, JSON, width, colour, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankstone.language import tr

_BEGINNING = 12  # characters by which a file that was written before is known


def in_colour() -> bool:
    """Return whether the output goes to a terminal whose user wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def look() -> dict[str, Any]:
    """Return how tables look: in colour and as wide as the terminal, if there is one."""
    if not sys.stdout.isatty():
        return {"colour": False, "columns": None}
    from shutil import get_terminal_size

    return {"colour": in_colour(), "columns": get_terminal_size().columns}


def page_look() -> dict[str, Any]:
    """Return how longer texts look: as wide as the terminal, from 60 to 100 columns."""
    from shutil import get_terminal_size

    return {"colour": in_colour(), "columns": min(max(get_terminal_size().columns, 60), 100)}


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

        from rankstone.core.text import wrapped

        lines = wrapped(message, get_terminal_size().columns, "  ", at_hyphens=False)
        message = "\n".join(lines)
    print(message, file=sys.stderr, flush=True)


@contextmanager
def progress(runs: int, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """Show how far long scans are, on a terminal; yields what is called with each run to scan."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from threading import Event, Thread

    from rankstone.core import engine
    from rankstone.errors import printable

    long = 1 << (28 if engine.name() == "native" else 23)  # several seconds
    begun: list[Any] = []
    scanned: list[tuple[int, Any]] = []  # long ones, each with its number
    threads: list[Thread] = []
    done = Event()

    def report() -> None:
        shown = False
        while not done.wait(0.5):
            number, run = scanned[-1]
            size = run.source.size
            share = min(100, 100 * int(run.progress[0]) // size)
            which = tr(" ({} of {})").format(number, runs) if runs > 1 else ""
            text = tr("{}{}: {} % of {} MiB").format(printable(run.name), which, share, size >> 20)
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            shown = True
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def watch(run: Any) -> None:
        begun.append(run)
        if not hasattr(run, "progress") or (run.source.size or 0) < long:
            return
        scanned.append((len(begun), run))
        if not threads:
            threads.append(Thread(target=report, daemon=True))
            threads[0].start()

    try:
        yield watch
    finally:
        done.set()
        for thread in threads:
            thread.join()


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def print_text(lines: Iterable[str]) -> None:
    """Write lines of a text to standard output; on a terminal they end between words."""
    from rankstone.core.text import width, wrapped

    columns = look()["columns"]
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        fits = columns is None or width(line) <= columns
        print_lines([line] if fits else wrapped(line, columns, indent, at_hyphens=False))


def print_json(data: Any) -> None:
    """Write plain data to standard output as JSON."""
    import json

    print(json.dumps(data, indent=2))


#: The formats of tables by the endings of files.
ENDINGS = {
    ".txt": "table", ".md": "md", ".tex": "latex", ".csv": "csv", ".tsv": "tsv", ".json": "json",
}  # fmt: skip


def form_of(path: str, endings: Mapping[str, str]) -> str:
    """Return the format that the ending of a file says."""
    from rankstone.errors import UsageError

    form = endings.get(os.path.splitext(path)[1].lower())
    if form is None:
        known = ", ".join(endings)
        raise UsageError(f"--output {path}: the ending says the format; use one of {known}.")
    return form


def save_lines(path: str, lines: Iterable[str], *, force: bool) -> None:
    """Write lines to a file, unless there is one that begins otherwise."""
    from rankstone.core.atomic import check_own, write_text

    text = "".join(f"{line}\n" for line in lines)
    check_own(path, text[:_BEGINNING].encode(), force=force)
    write_text(path, text)
