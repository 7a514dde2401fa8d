"""Other tools' conventions, each under the name and version of the tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankstone.conventions import Conventions
from rankstone.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Profile:
    """A tool's choices, as conventions; what each of its measures chooses stands with the measure.

    ``tested`` is the version of the tool whose numbers were compared, ``text`` says what its
    users should know of it, and ``beyond`` what it does that no convention can express. ``speaks`` are
    tools whose names of measures it shares.
    """

    name: str
    conventions: Conventions
    tested: str
    text: str
    beyond: tuple[str, ...] = ()
    speaks: tuple[str, ...] = ()

    @property
    def tool(self) -> str:
        """The tool's name without the version."""
        return self.name.rsplit("-", 1)[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """Under which names its measures may be listed, the most specific first."""
        return self.name, self.tool, *self.speaks


_CANDIDATES = (
    "a tool that sees a list of candidates only: relevant documents outside it do not exist"
)
_CALLER = "the caller ranks; equal scores stand as they came in"
_SETS = "relevant items are a set, so grades are 0 or 1"

_LIST = (
    Profile(
        "trec_eval-9",
        Conventions(precision="float32", queries="both", sums="plain"),
        "9.0.8",
        "queries missing from the run are left out of every mean; scores are 32-bit numbers",
    ),
    Profile(
        "trec_eval-10",
        Conventions(queries="both", sums="plain"),
        "10.0",
        "scores are 64-bit numbers",
        ("a query that is missing from the run ends the program",),
    ),
    Profile(
        "pytrec_eval-0.5",
        Conventions(precision="float32", queries="both", sums="plain"),
        "0.5.11 (pytrec-eval-terrier)",
        "trec_eval 9 behind a Python interface",
        ("fractional grades are refused",),
        ("trec_eval-9", "trec_eval"),
    ),
    Profile(
        "ir_measures-0.4",
        Conventions(precision="float32"),
        "0.4.3",
        "mostly trec_eval 9, with queries missing from the run counted as 0",
        ("fractional grades are refused by most providers",),
    ),
    Profile(
        "ranx-0.3",
        Conventions(ties="input"),
        "0.3.21",
        "scores are sorted by an algorithm that keeps the order of ties in short lists only",
        (
            "ties in lists of more than 15 documents fall as the sort happens to leave them",
            "fractional grades are cut to whole numbers",
            "judgments and run must have the same queries, unless it is told to make them so",
        ),
    ),
    Profile(
        "sklearn-1",
        Conventions(ties="expected", missed="ignore", queries="both"),
        "1.9.1",
        _CANDIDATES,
        ("a query with a single document and negative grades are refused",),
    ),
    Profile(
        "torchmetrics-1",
        Conventions(ties="input", precision="float32", missed="ignore", queries="both"),
        "1.9.0",
        _CANDIDATES,
        ("it computes in 32 bits, so values agree to about 6 digits",),
    ),
    Profile(
        "lightgbm-4",
        Conventions(ties="input", missed="ignore", queries="both", no_relevant="one"),
        "4.7.0",
        _CANDIDATES + "; a query without relevant documents scores 1",
        ("fractional and negative labels are refused where gains are needed",),
    ),
    Profile(
        "xgboost-3",
        Conventions(
            ties="input", precision="float32", missed="ignore", queries="both", no_relevant="one"
        ),
        "3.2.0",
        _CANDIDATES + "; a query without relevant documents scores 1, unless the name ends in -",
        ("values are printed with a few digits less than they have",),
    ),
    Profile(
        "spark-4",
        Conventions(ties="input", queries="both"),
        "4.3.0",
        f"{_SETS}; {_CALLER}",
        ("a document that stands twice in a ranking counts twice",),
    ),
    Profile(
        "rectools-0.19",
        Conventions(ties="input", no_relevant="skip"),
        "0.19.0",
        f"{_SETS}; {_CALLER}; users without relevant items are left out",
    ),
    Profile(
        "lenskit-2025",
        Conventions(ties="input", queries="run"),
        "2025.8.1",
        f"{_SETS}; {_CALLER}; a query of the run without judgments counts as 0 in the mean",
    ),
    Profile(
        "recbole-1",
        Conventions(ties="input", queries="both"),
        "1.2.1",
        f"{_SETS}; scores are sorted by torch.topk, which leaves ties as they fall",
        ("ties fall as torch.topk happens to leave them",),
    ),
    Profile(
        "replay-0.22",
        Conventions(no_relevant="skip"),
        "0.22.0",
        f"{_SETS}; users without relevant items are left out",
    ),
    Profile(
        "rax-0.4",
        Conventions(ties="input", precision="float32", missed="ignore", queries="both"),
        "0.4.0",
        _CANDIDATES,
        ("it computes in 32 bits, so values agree to about 6 digits",),
    ),
    Profile(
        "cornac-3",
        Conventions(ties="input", queries="both", no_relevant="skip"),
        "3.0.1",
        f"{_SETS}; users without relevant items are left out",
    ),
    Profile(
        "recommenders-1",
        Conventions(ties="input", queries="both", no_relevant="skip"),
        "1.2.1",
        f"{_SETS}; users without relevant items are left out",
    ),
    Profile(
        "beir-2",
        Conventions(precision="float32", queries="both"),
        "2.2.0",
        "pytrec_eval for most measures, code of its own for the others",
        ("means are rounded to 5 digits", "documents with the query's id are dropped"),
    ),
    Profile(
        "article-1",
        Conventions(ties="input", queries="both"),
        "the code of the first of the five articles",
        _CALLER,
        ("a repeated document counts again in what it calls the gain",),
    ),
    Profile(
        "article-4",
        Conventions(ties="input", queries="both"),
        "the code of the fourth of the five articles",
        _CALLER,
        ("its reciprocal rank counts from 0, and fails at the first place",),
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


def conventions_of(
    like: Profile | None, conventions: Conventions | None, choices: dict[str, Any]
) -> Conventions:
    """Return the conventions of a profile, or those given, with single choices made on top."""
    if like is not None and conventions is not None:
        raise UsageError("give either like= or conventions=; single choices go with both.")
    return (like.conventions if like else conventions or Conventions()).replace(**choices)
