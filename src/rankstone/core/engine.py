"""Which of the two equal implementations does the work on bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType

from rankstone.errors import UsageError

_PYTHON = "rankstone.core.python_engine"


def name() -> str:
    """Return ``native`` or ``python``: what RANKSTONE_ENGINE asks for, else the best there is."""
    return "python" if load().__name__ == _PYTHON else "native"


def load(tell: Callable[[str], None] | None = None) -> ModuleType:
    """Return the module that scans and matches; ``tell`` is called if it is the slow one."""
    wanted = os.environ.get("RANKSTONE_ENGINE", "")
    module = _load(wanted)
    if tell is not None and not wanted and module.__name__ == _PYTHON:
        tell(
            "the compiled core of rankstone is not installed; the pure-Python engine gives the "
            "same numbers, more slowly. Reinstall where a C++20 compiler is found."
        )
    return module


@cache
def _load(wanted: str) -> ModuleType:
    if wanted not in ("", "native", "python"):
        raise UsageError(f"RANKSTONE_ENGINE is {wanted!r}; it may be 'native' or 'python'.")
    if wanted != "python":
        try:
            return import_module("rankstone._native._core")
        except ImportError:
            if wanted == "native":
                raise UsageError(
                    "RANKSTONE_ENGINE asks for 'native', but the compiled core is not installed; "
                    "reinstall rankstone where a C++20 compiler is found."
                ) from None
    return import_module(_PYTHON)
