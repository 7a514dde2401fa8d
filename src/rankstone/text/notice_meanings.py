"""Meanings of the codes of notices, for ``rankstone explain CODE`` and the page of notices."""

from __future__ import annotations

import json
from importlib.resources import files

from rankstone.language import tr


def meanings() -> dict[str, dict[str, str]]:
    """Return the meaning of each code, by its level: warning or note."""
    text = files(__package__).joinpath("notices.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def meaning(code: str) -> str | None:
    """Return the meaning of a code; None if no notice has it.

    >>> meaning("ties")
    'ties (note): judged documents that share their score with another; the convention ties decides their ranks'
    """
    for level, codes in meanings().items():
        if code in codes:
            text = tr(codes[code]).replace("`", "")
            return tr("{} ({}): {}").format(code, tr(level), text)
    return None
