"""The language of texts for people: English, or Chinese from a catalogue.

A text is looked up where it is made, by its English template, so that another
language can order its words differently. Numbers, ids, names of choices and keys of JSON are not texts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

#: The languages there are; the first needs no catalogue.
LANGUAGES = ("en", "zh")
#: Environment variable that chooses the language of a process.
VARIABLE = "RANKSTONE_LANG"
_UNKNOWN = f"unknown language {{!r}}. Known: {', '.join(LANGUAGES)}."

_lookup: Callable[[str], str] | None = None  # None for English


def tr(text: str) -> str:
    """Return a text, or a template that values are put into, in the language in force.

    >>> tr("{} of {} queries").format(2, 5)
    '2 of 5 queries'
    """
    return text if _lookup is None or not text else _lookup(text)


def joined(sentences: Iterable[str]) -> str:
    """Return sentences as one text; only English has spaces between them."""
    return (" " if _lookup is None else "").join(sentences)


def language() -> str:
    """Return the language in force."""
    return LANGUAGES[0] if _lookup is None else LANGUAGES[1]


def set_language(name: str) -> None:
    """Choose the language of explanations, notices, verdicts, tables and reports.

    Numbers, ids, names and keys of JSON are the same in every language. The environment variable
    ``RANKSTONE_LANG`` and the command's option ``--lang`` do the same. A process has one language,
    which all its threads share, and a text is made in the one in force at that moment: choose it
    before threads start.

    Args:
        name: ``en`` or ``zh``; a locale such as ``zh_CN.UTF-8`` counts as its language.
    """
    global _lookup  # noqa: PLW0603 - one language for the process
    chosen = _code(name)
    if chosen not in LANGUAGES:
        from rankstone.errors import UsageError

        raise UsageError(_UNKNOWN.format(name))
    if chosen == LANGUAGES[0]:
        _lookup = None
    elif _lookup is None:
        from gettext import translation

        folder = os.path.join(os.path.dirname(__file__), "locale")
        _lookup = translation("rankstone", folder, [chosen]).gettext


def _code(name: object) -> str:
    return str(name).replace("-", "_").partition("_")[0].lower()


@contextmanager
def in_language(name: str | None) -> Iterator[None]:
    """Make texts in a language for a while (default: in the one in force)."""
    before = language()
    set_language(before if name is None else name)
    try:
        yield
    finally:
        set_language(before)


def _of_environment() -> None:
    """Choose the language of the environment; the command refuses one that is not known."""
    name = os.environ.get(VARIABLE)
    if name and _code(name) in LANGUAGES:
        set_language(name)
    elif name and "rankstone.cli" not in sys.modules:
        from warnings import warn

        warn(f"{VARIABLE}: {_UNKNOWN.format(name)}", stacklevel=2)


_of_environment()
