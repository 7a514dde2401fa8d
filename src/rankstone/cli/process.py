"""The process around a command: its standard streams, signals and exit codes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from rankstone.cli.terminal import say
from rankstone.errors import DataError, RankstoneError, printable

INTERNAL = 4
INTERRUPTED = 130
TERMINATED = 143
EXIT_CODES = (
    "Exit codes: 0 fine, 1 a check failed, 2 usage, 3 data. 3 also if the output cannot be written "
    "or there is too little memory; 4 a fault of rankstone itself, 130 interrupted, 143 terminated."
)


class Terminated(BaseException):
    """The process was asked to end: what is open is closed, and temporary files are removed."""


def run_process(main: Callable[[], int]) -> NoReturn:
    """Run a command as a process of its own.

    It exits with os._exit after flushing: interpreter teardown is slow and has nothing to clean up.
    """
    # The idle threads of a linear algebra library would only take time from the scan.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Most objects of a command live until its end: looking for garbage often is in vain.
    gc.set_threshold(100_000)
    _open_standard_streams()
    try:
        _unwind_when_terminated()
        code = main()
    except SystemExit as stop:  # argparse has said what there is to say
        code = stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Terminated:  # before or after the work of the command
        code = TERMINATED
    except Exception as error:  # noqa: BLE001, a fault of ours
        code = INTERNAL
        if os.environ.get("RANKSTONE_TRACEBACK"):
            from traceback import print_exc

            print_exc()
        _say(
            "rankstone",
            f"internal error: {type(error).__name__}: {error}. Please report it, with what is "
            "printed if RANKSTONE_TRACEBACK=1 is set.",
        )
    code = guarded(lambda: code)  # which flushes the output
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def guarded(
    work: Callable[[], int], failed: int = DataError.exit_code, program: str = "rankstone"
) -> int:
    """Do some work and return its exit code; an error is printed as one line on stderr.

    On a terminal a second line names the text on its kind of fault.

    Args:
        work: returns the exit code.
        failed: the code if the output cannot be written or memory does not suffice.
        program: the name in messages.
    """
    try:
        code = work()
        sys.stdout.flush()
    except RankstoneError as error:
        with suppress(OSError):
            sys.stdout.flush()
        _say(program, f"error: {_with_flags(str(error))}")
        if error.hint and sys.stderr.isatty():  # in a log an error is one line
            _say(program, f"note: {error.hint}")
        return error.exit_code
    except BrokenPipeError:
        _discard_output()  # the reader has seen enough
        return 0
    except OSError as error:  # a full disk; files that cannot be read are errors of their own
        _discard_output()
        _say(program, f"error: cannot write the output: {error.strerror or error}.")
        return failed
    except MemoryError:
        _say(
            program,
            "error: there is not enough memory for this. Raise its limit, or evaluate less at once.",
        )
        return failed
    except ImportError as error:  # most often for want of memory
        reason = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        _say(program, f"error: a library cannot be loaded ({reason[0]}).")
        return failed
    except KeyboardInterrupt:
        _say(program, "interrupted")
        return INTERRUPTED
    except Terminated:
        _say(program, "terminated")
        return TERMINATED
    return code


def _with_flags(message: str) -> str:
    """Return a message that names options as the command does: ``--min-score``, not ``min_score=``."""
    import re

    from rankstone.choices.setup import FIELDS
    from rankstone.cli.options import flag_of

    def flag(match: re.Match[str]) -> str:
        name = match[0].removesuffix("=")
        return (flag_of(name) if name in FIELDS else None) or match[0]

    return re.sub(r"^\w+(?= must be )|\b\w+=(?=[ ,.:])", flag, message)


def use_utf8() -> None:
    """Let ids that are not UTF-8 leave as the bytes they came in."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")


def _say(program: str, text: str) -> None:
    with suppress(OSError):  # there is nobody left to tell
        say(printable(text), program)


def _discard_output() -> None:
    """Send what is left of the output nowhere, so that the interpreter does not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_standard_streams() -> None:
    """Put streams in the place of closed ones, before a file takes their number.

    Reading from the input or writing to the output is an error then; messages go nowhere.
    """
    modes = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
    for number, (name, mode) in enumerate(zip(("stdin", "stdout", "stderr"), modes, strict=True)):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)
                continue  # somebody else's
            os.open(os.devnull, mode)
            stream = open(number, "r" if name == "stdin" else "w", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _unwind_when_terminated() -> None:
    import signal

    def unwind(*_: Any) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, unwind)
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN:  # nohup ignores it
        signal.signal(hangup, unwind)
