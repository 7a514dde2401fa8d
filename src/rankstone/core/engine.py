"""The engine that scans and matches: the compiled core, or the pure-Python one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from types import ModuleType

from rankstone.errors import SlowEngineWarning, UsageError
from rankstone.language import tr

_PYTHON = "rankstone.core.python_engine"


def name() -> str:
    """Return ``native`` or ``python``: what RANKSTONE_ENGINE names (default: native if installed)."""
    return "python" if load().__name__ == _PYTHON else "native"


def load() -> ModuleType:
    """Return the module that scans and matches."""
    return _load(os.environ.get("RANKSTONE_ENGINE", ""))


def load_engine() -> None:
    """Load the compiled core, or warn once that it is absent."""
    if load().__name__ != _PYTHON or os.environ.get("RANKSTONE_ENGINE"):
        return
    text = tr(
        "the compiled core of rankstone is not installed; the pure-Python engine gives the same "
        "numbers, more slowly. Reinstall where a C++20 compiler is found."
    )
    if is_sub_interpreter():
        text = tr(
            "the compiled core of rankstone does not run in a sub-interpreter; the pure-Python "
            "engine gives the same numbers, more slowly."
        )
    warnings.warn(text, SlowEngineWarning, stacklevel=2)


@cache
def is_sub_interpreter() -> bool:
    """Return whether this is an interpreter within another, where compiled modules may hang."""
    for module in ("_interpreters", "_xxsubinterpreters"):
        with suppress(ImportError):
            interpreters = import_module(module)
            return bool(interpreters.get_current() != interpreters.get_main())
    return False


@cache
def _load(wanted: str) -> ModuleType:
    if wanted not in ("", "native", "python"):
        raise UsageError(f"RANKSTONE_ENGINE is {wanted!r}; it may be 'native' or 'python'.")
    if wanted == "native" and is_sub_interpreter():
        raise UsageError(
            "RANKSTONE_ENGINE asks for 'native', which does not run in a sub-interpreter; "
            "unset it, or use the main interpreter."
        )
    if wanted != "python" and not is_sub_interpreter():
        try:
            with _signals_held():
                return import_module("rankstone._native._core")
        except ImportError:
            if wanted == "native":
                raise UsageError(
                    "RANKSTONE_ENGINE asks for 'native', but the compiled core is not installed; "
                    "reinstall rankstone where a C++20 compiler is found."
                ) from None
    return import_module(_PYTHON)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold Ctrl-C, SIGTERM and SIGHUP back: a compiled module that is being loaded drops their exceptions."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
