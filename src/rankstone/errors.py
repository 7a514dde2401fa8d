"""The exceptions, in one tree, and notices."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import field, replace
from importlib import import_module
from types import ModuleType

from rankstone.frozen import frozen
from rankstone.language import language, tr

_LONGEST = 200  # characters of an example that are shown
#: The kinds of faults in data, each with the modules that find them; ``rankstone explain`` has a text on each.
_FAULTS = {
    module: code
    for code, modules in {
        "bad-lines": "two_fields trec trec_layout trec_prefs letor",
        "bad-numbers": "scalars dcg err",
        "bad-json": "strict_json json_scan json_records json_files json_like search_tools "
        "llm_results",
        "bad-tables": "tables csv_header workbook column_roles frames",
        "bad-files": "encodings input_file gathered formats",
        "bad-ids": "rows dicts notices",
        "bad-arrays": "arrays as_numpy sparse factors id_matrices recognise scored_lists",
    }.items()
    for module in modules.split()
}


class RankstoneError(Exception):
    """Base of every error Rankstone raises on purpose; ``exit_code`` is the command's."""

    exit_code = 3
    hint = ""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the message first, then the traceback."""
        from traceback import format_tb

        return [f"{type(self).__name__}: {self}", self.hint, *format_tb(self.__traceback__)]


def printable(text: str) -> str:
    r"""Return text for people, on one line; all but visible characters and spaces are escaped.

    Ids and names of any content are quoted, and none may steer a terminal or turn its direction.
    Bytes that are not UTF-8 are shown as bytes.

    >>> print(printable("a\x1b[2Jb\u202ec"))
    a\x1b[2Jb\u202ec
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    byte = ord(character) - 0xDC00  # how bytes that are not UTF-8 are held
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else ascii(character)[1:-1]


class UsageError(RankstoneError, ValueError):
    """The request is wrong: an unknown name, a parameter out of bounds, a contradiction."""

    exit_code = 2


class DataError(RankstoneError, ValueError):
    """The data is wrong. The message says what, where, why and what to do.

    ``hint`` names the text on this kind of fault, if there is one; terminals and notebooks show it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        finder = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - the raising module
        package, *path = finder.split(".")
        code = next((_FAULTS[name] for name in reversed(path) if name in _FAULTS), None)
        if code and package == "rankstone":
            self.hint = f"`rankstone explain {code}` says what is refused, and what is accepted."


class NothingInCommonError(DataError):
    """Judgments and run share no query, or no document because ids are written differently."""


class EmptyError(DataError):
    """A file or a run that holds nothing."""


class StrictError(DataError):
    """A warning, under ``strict``."""


class MissingDependencyError(RankstoneError, ImportError):
    """An optional library is needed; the message says what to install."""

    exit_code = 2


def require(library: str, message: str) -> ModuleType:
    """Return an optional library; ``message`` says what needs it, and how to install it."""
    try:
        return import_module(library)
    except ImportError:
        raise MissingDependencyError(message) from None


class TrecEvalError(RankstoneError):
    """An error of ``rankstone trec_eval``, with the exit code that trec_eval has for it."""

    def __init__(self, exit_code: int, message: object) -> None:
        super().__init__(str(message))
        self.exit_code = exit_code


class SlowEngineWarning(UserWarning):
    """Category of the Python warning that the compiled core is absent."""


class RankstoneWarning(UserWarning):
    """Category of the Python warnings of notices that may make a number wrong."""


@frozen
class Notice:
    """Something counted while evaluating. Part of a Result.

    ``level`` is ``warning`` (an error under ``strict``), ``note`` (never an
    error) or ``info`` (kept in the Result only). ``of`` is the number of what was examined, if
    the text names it.
    """

    code: str
    count: int
    text: str
    examples: tuple[str, ...] = ()
    level: str = "warning"
    of: int = field(default=0, compare=False, repr=False)

    def __str__(self) -> str:
        if not self.examples:
            return printable(self.text)
        more = ", ..." if self.count > len(self.examples) else ""
        examples = ", ".join(
            e if len(e) <= _LONGEST else f"{e[:_LONGEST]}..." for e in self.examples
        )
        return printable(tr("{} (for example {}{})").format(self.text, examples, more))

    def translated(self) -> Notice:
        """Return a notice that was written in English in the language in force."""
        return replace(self, text=tr(self.text))

    def to_dict(self) -> dict[str, object]:
        """Return the notice as plain data."""
        return {
            "code": self.code,
            "count": self.count,
            "text": self.text,
            "examples": list(self.examples),
            "level": self.level,
        }


#: Codes of the warnings that Python shows too, since they may make a number wrong.
SHOWN_BY_PYTHON = (
    "ids-look-alike", "no-document-found", "missing-queries", "order-against-scores",
    "rank-disagrees", "labels-and-scores", "grades-without-zero", "query-starts-again",
    "undefined", "gain-not-listed", "missing-labels", "sampled-candidates", "unknown-clusters",
    "all-relevant", "grades-below-one", "nothing-excluded", "unknown-items",
)  # fmt: skip


def show_in_python(name: str, notices: Iterable[Notice], shown: set[str]) -> None:
    """Emit the notices that may make a number wrong as Python warnings, each kind once.

    Args:
        name: of the run.
        notices: those of a result.
        shown: codes that were shown before; those of these notices are added.
    """
    import warnings

    level, frame = 2, sys._getframe(1)  # noqa: SLF001 - to name the line of the caller
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("rankstone."):
        level, frame = level + 1, frame.f_back
    for notice in notices:
        code = notice.code
        if code in SHOWN_BY_PYTHON and notice.level == "warning" and code not in shown:
            shown.add(code)
            warnings.warn(f"{name}: {notice} [{code}]", RankstoneWarning, stacklevel=level)


#: How an extra of Rankstone is installed, as long as no release is on PyPI.
INSTALL = "pip install '.[{}]' in a clone of Rankstone's repository"


def plural(n: int, what: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "query"), plural(2, "query"), plural(1000, "document")
    ('1 query', '2 queries', '1000 documents')
    """
    return amount(n, what) if language() == "en" else tr(f"{{}} {what}").format(n)


def amount(n: int, what: str) -> str:
    """Return a count with its noun in English, the language of errors."""
    if n == 1:
        return f"1 {what}"
    return f"{n} {what[:-1]}ies" if what.endswith("y") else f"{n} {what}s"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``' Did you mean X?'`` for the nearest known name, or an empty string."""
    return next((meant(near) for near in nearest(name, known)), "")


def meant(name: object) -> str:
    """Return the hint that a name was meant; unlike errors, it has a language."""
    return tr(" Did you mean {}?").format(name)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that somebody may have meant, the nearest first.

    They take at most one edit for each three letters, or one of the two begins with the other.

    >>> nearest("socre", ["score", "rank"]), nearest("freshstack", ["haystack"])
    (['score'], [])
    """
    text = name.lower()
    near = []
    # Nearly everything is near to a name of one letter.
    for other in (k for k in known if len(k) > 1 or len(name) < 3):
        edits = _edits(text, other.lower())
        begins = other.lower().startswith(text) or text.startswith(other.lower())
        if edits <= max(len(name), len(other)) // 3 or (begins and min(len(name), len(other)) > 2):
            near.append((edits, other))
    return [other for _, other in sorted(near, key=lambda pair: pair[0])]


def _edits(a: str, b: str) -> int:
    """Return the number of letters to insert, remove, replace or swap between two texts."""
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a):
        above, before, row = before, row, [i + 1]
        for j, y in enumerate(b):
            row.append(min(row[j] + 1, before[j + 1] + 1, before[j] + (x != y)))
            if i and j and (x, a[i - 1]) == (b[j - 1], y):
                row[-1] = min(row[-1], above[j - 1] + 1)
    return row[-1]


def one_of(value: object, known: Iterable[str], what: str) -> str:
    """Return ``value`` if it is a known name; otherwise say which there are."""
    names = list(known)
    if value in names:
        return str(value)
    hint = did_you_mean(str(value), names)
    raise UsageError(f"unknown {what} {value!r}.{hint} Known: {', '.join(names)}.")
