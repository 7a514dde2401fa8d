"""Other tools' conventions, each under the name and version of the tool."""

from __future__ import annotations

from dataclasses import dataclass

from rankstone.conventions import Conventions
from rankstone.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Profile:
    """A tool's choices, as conventions; what each of its measures chooses stands with the measure.

    ``tested`` is the version of the tool whose numbers were compared, ``text`` says what its
    users should know of it, and ``beyond`` what it does that no convention can express.
    """

    name: str
    conventions: Conventions
    tested: str
    text: str
    beyond: tuple[str, ...] = ()

    @property
    def tool(self) -> str:
        """The tool's name without the version."""
        return self.name.rsplit("-", 1)[0]

    @property
    def keys(self) -> tuple[str, str]:
        """Under which names its measures may be listed, the most specific first."""
        return self.name, self.tool


_LIST = (
    Profile(
        "trec_eval-9",
        Conventions(precision="float32", queries="both"),
        "9.0.8",
        "queries missing from the run are left out of every mean; scores are 32-bit numbers",
    ),
    Profile(
        "trec_eval-10",
        Conventions(queries="both"),
        "10.0",
        "scores are 64-bit numbers; a query that is missing from the run ends the program",
    ),
    Profile(
        "pytrec_eval-0.5",
        Conventions(precision="float32", queries="both"),
        "0.5.11 (pytrec-eval-terrier)",
        "trec_eval 9 behind a Python interface",
    ),
)
PROFILES = {p.name: p for p in _LIST}


def profile(name: str) -> Profile:
    """Return the profile of that name, or a tool's newest.

    >>> profile("trec_eval").name
    'trec_eval-10'
    """
    if name in PROFILES:
        return PROFILES[name]
    versions = [p for p in _LIST if p.tool == name]
    if versions:
        return versions[-1]
    hint = did_you_mean(str(name), [*PROFILES, *(p.tool for p in _LIST)])
    raise UsageError(
        f"unknown profile {name!r}.{hint} Known: {', '.join(PROFILES)}; "
        "'rankstone conventions' tells of each."
    )
