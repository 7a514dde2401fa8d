"""``rankstone demo``."""

from __future__ import annotations

from typing import Any


def add_to(commands: Any) -> None:
    """Describe the command."""
    commands.add_parser("demo", help="x").set_defaults(run=lambda _: 0)
