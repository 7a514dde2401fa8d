"""The exceptions, in one tree, and notices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


class RankstoneError(Exception):
    """Base of every error Rankstone raises on purpose; ``exit_code`` is the command's."""

    exit_code = 3

    def __init__(self, message: str) -> None:
        super().__init__(_one_line(message))


def _one_line(text: str) -> str:
    """Escape what cannot be printed: messages quote ids and names of any content."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class UsageError(RankstoneError, ValueError):
    """The request is wrong: an unknown name, a parameter out of bounds, a contradiction."""

    exit_code = 2


class DataError(RankstoneError, ValueError):
    """The data is wrong. The message says what, where, why and what to do."""


class NothingInCommonError(DataError):
    """No query is both judged and in the run."""


class StrictError(DataError):
    """A warning, under ``strict``."""


class MissingDependencyError(RankstoneError, ImportError):
    """An optional library is needed; the message says what to install."""

    exit_code = 2


class TrecEvalError(RankstoneError):
    """An error of ``rankstone trec_eval``, with the exit code that trec_eval has for it."""

    def __init__(self, exit_code: int, message: object) -> None:
        super().__init__(str(message))
        self.exit_code = exit_code


class SlowEngineWarning(UserWarning):
    """Category of the one Python warning Rankstone emits: that its compiled core is absent."""


@dataclass(frozen=True)
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
            return self.text
        more = ", ..." if self.count > len(self.examples) else ""
        return f"{self.text} (for example {', '.join(self.examples)}{more})"

    def to_dict(self) -> dict[str, object]:
        """Return the notice as plain data."""
        return {
            "code": self.code,
            "count": self.count,
            "text": self.text,
            "examples": list(self.examples),
            "level": self.level,
        }


def plural(n: int, what: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "query"), plural(2, "query"), plural(1000, "document")
    ('1 query', '2 queries', '1000 documents')
    """
    if n == 1:
        return f"1 {what}"
    return f"{n} {what[:-1]}ies" if what.endswith("y") else f"{n} {what}s"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``' Did you mean X?'`` for the nearest known name, or an empty string."""
    from difflib import get_close_matches

    # Nearly everything is near to a name of one letter.
    by_lower = {k.lower(): k for k in known if len(k) > 1 or len(name) < 3}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return f" Did you mean {by_lower[near[0]]}?" if near else ""


def one_of(value: object, known: Iterable[str], what: str) -> str:
    """Return ``value`` if it is a known name; otherwise say which there are."""
    names = list(known)
    if value in names:
        return str(value)
    hint = did_you_mean(str(value), names)
    raise UsageError(f"unknown {what} {value!r}.{hint} Known: {', '.join(names)}.")
