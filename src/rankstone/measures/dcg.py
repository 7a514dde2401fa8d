"""Cumulated gain, with and without discount, and normalised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankstone.core import pairs
from rankstone.core.discounts import DISCOUNTS
from rankstone.core.ideal import constant, ideal_of
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.param import REL, Choice, K, Table
from rankstone.measures.summation import Sum

GAIN = Table(
    name="gain",
    text="gain of a grade; a table such as {1: 1, 2: 3} gives it by hand (other grades: 0)",
    words={
        "linear": "the grade itself",
        "exp2": "2^grade - 1",
        "binary": "1 if the grade is relevant, else 0",
    },
    examples=({1: 1, 2: 3}, {0: 1, 1: 0.5, 3: 2}),
)
DISCOUNT = Choice(
    name="discount",
    text="weight of a rank",
    words={name: text for name, (_, text) in DISCOUNTS.items()},
)
REL_GAIN = replace(
    REL,
    text="lowest grade that has a gain (default: any above 0; for gain='binary', the lowest relevant "
    "grade); a table is not concerned",
)
UNLISTED = Choice(
    name="unlisted",
    text="gain of grades that a table does not list",
    words={"zero": "0", "grade": "the grade itself, as in trec_eval", "error": "an error"},
    beside_table=True,
)
IDEAL = Choice.of(
    "ideal",
    "the ranking that scores 1",
    judged="all judged documents, best first, cut at k",
    uncut="all judged documents, best first, not cut",
    retrieved="the retrieved documents, best first, cut at k",
    full="k documents (without k, as many as retrieved) of the grade that gains most",
)

_LARGEST = 1e290  # more of them than memory holds add up without overflow, to the last bit


def worthless_grades(r: Ranked, m: Measure) -> list[float]:
    """Return judged grades that a table of gains does not list, though it lists a lower one."""
    table = m.get("gain")
    if not isinstance(table, tuple) or m.get("unlisted") == "grade":
        return []
    listed = dict(table)
    lowest = min((grade for grade, gain in table if gain > 0), default=np.inf)
    return [g for g in np.unique(r.judged_grade).tolist() if g > lowest and g not in listed]


def gain_of(r: Ranked, m: Measure, grade: np.ndarray) -> np.ndarray:
    """Return the gains of grades by the parameters gain, unlisted and rel; none is negative."""
    how = m.gain
    if isinstance(how, tuple):
        unlisted = m.get("unlisted")
        gain = np.maximum(grade, 0.0) if unlisted == "grade" else np.zeros(len(grade))
        other = ~np.isin(grade, [listed for listed, _ in how])
        if unlisted == "error" and other.any():
            raise DataError(f"grade {grade[other][0]:g} is not in the table of gains of {m}.")
        for listed, value in how:
            gain[grade == listed] = value
    elif how == "binary":
        return (grade >= r.level(m.get("rel"))).astype(np.float64)
    else:  # RBP scales what is linear here
        # Tables contain no negative grade.
        gain = grade if r.width or grade.min(initial=0.0) >= 0 else np.maximum(grade, 0.0)
        if m.get("rel") is not None:
            gain = np.where(grade >= m.rel, gain, 0.0)
        elif how == "linear" and r.has_small_grades:
            return gain
    if how == "exp2":
        gain = exponential(gain)
    if gain.max(initial=0.0) > _LARGEST:
        raise DataError(
            f"a gain of {gain.max():g} is too large to be added up; gains may be up to "
            f"{_LARGEST:g}. Divide the grades by a number, or use a table of gains."
        )
    return gain


_LN2 = (0.6931471805599453, 2.3190468138462996e-17)


def exponential(grade: np.ndarray) -> np.ndarray:
    """Return 2^grade - 1."""
    with np.errstate(over="ignore"):
        gain = np.exp2(grade) - 1.0
        some = np.flatnonzero(grade != np.floor(grade))
        if len(some):  # 2^grade - 1 would lose the digits that 2^grade was rounded to
            high, low = pairs.two_product(grade[some], np.array(_LN2[0]))
            rest = np.expm1(high)
            gain[some] = rest + (1.0 + rest) * (low + grade[some] * _LN2[1])
    if not np.isfinite(gain).all():
        raise DataError(
            f"grade {grade.max():g} is too large for an exponential gain (2^grade overflows). "
            "Use gain='linear' or a table."
        )
    return gain


def gains(r: Ranked, m: Measure) -> np.ndarray:
    """Return the gain of each row."""
    if m.gain == "linear" and r.has_small_grades and m.get("rel") is None:
        return r.grade
    key = ("gains", m.gain, m.get("unlisted"), m.get("rel"))
    return r.cached(key, lambda: gain_of(r, m, r.grade))


def ideal_ranking(r: Ranked, m: Measure, source: str = "judged", k: int | None = None) -> Ranked:
    """Return the judged or the retrieved documents by falling gain, or a ranking of the best grade.

    Of the judged documents those beyond rank k may be left out.
    """
    if source == "full":
        grades = np.array([r.max_grade, *(grade for table in m.tables for grade, _ in table)])
        return constant(r, m.k, float(grades[gain_of(r, m, grades).argmax()]))
    if not m.tables:  # gains never fall as the grade rises
        if source == "judged" and r.best is not None and k is not None and k <= r.best.shape[1]:
            source = "best"
        return r.cached(("ideal", source), lambda: ideal_of(r, None, source))
    grade = r.judged_grade if source == "judged" else r.grade
    key = ("ideal", source, m.gain, m.get("unlisted"))
    return r.cached(key, lambda: ideal_of(r, gain_of(r, m, grade), source))


@measure(
    "Cumulated gain",
    params=(K, GAIN, UNLISTED),
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    rises=True,
    gain=gain_of,
    supports_expected_ties=True,
    example=Example("CG@6", (3, 2, 3, 0, 1, 2), "3 + 2 + 3 + 0 + 1 + 2"),
)
def CG(r: Ranked, m: Measure) -> Sum:
    """The sum of the gains of the first k documents.

    CG@k = sum over ranks i <= k of gain(grade_i)

    Reading: the gain of a user who reads k documents, in whatever order.
    Not for: comparing rankings of the same documents; their order does not matter.
    Reference: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS
    2002.
    """
    gain = gains(r, m)
    return Sum(r, gain, k=m.k, columns={"gain": gain})


@measure(
    "Discounted cumulated gain",
    params=(K, REL_GAIN, GAIN, UNLISTED, DISCOUNT),
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    rises=True,
    gain=gain_of,
    supports_expected_ties=True,
    example=Example("DCG@3", (3, 2, 3), "3/log2(2) + 2/log2(3) + 3/log2(4)"),
)
def DCG(r: Ranked, m: Measure) -> Sum:
    """The sum of the gains of the first k documents, each discounted by its rank.

    DCG@k = sum over ranks i <= k of gain(grade_i) * discount(i)

    By default the gain is the grade and discount(i) is 1 / log2(i + 1).

    Reading: a user who is less and less likely to read on.
    Not for: averaging over queries of different richness; see nDCG.
    Reference: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS
    2002.
    """
    return Sum(r, gains(r, m), m.discount, m.k)


@measure(
    "Ideal discounted cumulated gain",
    params=(K, REL_GAIN, GAIN, UNLISTED, DISCOUNT),
    range=(0.0, np.inf),
    uses_grades=True,
    rises=True,
    gain=gain_of,
    supports_expected_ties=True,
    conventions=(),
    example=Example("IdealDCG@2", (0, 2), "3/log2(2) + 2/log2(3)", missed=(3,)),
)
def IdealDCG(r: Ranked, m: Measure) -> Sum:
    """The DCG of all judged documents, best first: the most that any ranking can have.

    IdealDCG@k = sum over ranks i <= k of gain(grade_i) * discount(i) of the ideal ranking

    Reading: what nDCG divides by; the attainable discounted gain.
    Not for: judging a ranking; it depends on the judgments alone.
    """
    ideal = ideal_ranking(r, m, k=m.k)
    return Sum(ideal, gains(ideal, m), m.discount, m.k)


@measure(
    "Normalised discounted cumulated gain",
    params=(K, REL_GAIN, GAIN, UNLISTED, DISCOUNT, IDEAL),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    lowest_at_ends=True,
    gain=gain_of,
    reads_max_grade=lambda m: m.ideal == "full",
    reads_below=lambda m: m.ideal == "retrieved",
    supports_expected_ties=True,
    mistaken_for=("DCG",),
    example=Example(
        "nDCG@3", (2, None, 3, 1), "(2/log2(2) + 3/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))"
    ),
)
def nDCG(r: Ranked, m: Measure) -> Sum:
    """DCG over the DCG of the ideal ranking.

    nDCG@k = DCG@k / DCG@k of the ideal ranking

    The ideal ranking holds all judged documents, best first, cut at k, whether they were
    retrieved or not; ``ideal`` chooses otherwise.

    Reading: the share of the highest attainable DCG, for a user who is less and less likely to
    read on.
    Not for: comparing values with another gain, discount or ideal ranking; tools differ in all
    three.
    Reference: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS
    2002; with the gain 2^grade - 1, Burges et al., Learning to rank using gradient descent, ICML
    2005.
    """
    k = None if m.ideal == "uncut" else m.k
    best = ideal_ranking(r, m, "judged" if m.ideal == "uncut" else m.ideal, k)
    ideal = Sum(best, gains(best, m), m.discount, k)
    return Sum(r, gains(r, m), m.discount, m.k, denominator=ideal)
