"""Which of the two equal implementations does the work on bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType

from rankstone.errors import UsageError


def name() -> str:
    """Return ``native`` or ``python``: what RANKSTONE_ENGINE asks for, else the best there is."""
    wanted = os.environ.get("RANKSTONE_ENGINE", "")
    if wanted not in ("", "native", "python"):
        raise UsageError(f"RANKSTONE_ENGINE is {wanted!r}; it may be 'native' or 'python'.")
    if wanted == "python":
        return "python"
    try:
        from rankstone._native import _core  # noqa: F401
    except ImportError:
        if wanted == "native":
            raise UsageError(
                "RANKSTONE_ENGINE asks for 'native', but the compiled core is not installed; "
                "reinstall rankstone where a C++20 compiler is found."
            ) from None
        return "python"
    return "native"


def load(tell: Callable[[str], None] | None = None) -> ModuleType:
    """Return the module that scans and matches; ``tell`` hears if it is only the twin."""
    if name() == "native":
        from rankstone._native import _core

        return _core
    from rankstone.core import twin

    if tell is not None and not os.environ.get("RANKSTONE_ENGINE"):
        tell(
            "the compiled core of rankstone is not installed; its pure-Python twin gives the "
            "same numbers, more slowly. Reinstall where a C++20 compiler is found."
        )
    return twin
