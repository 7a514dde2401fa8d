"""Cumulated gain, with and without discount, and normalised."""

from __future__ import annotations

import numpy as np

from rankstone.core.discounts import DISCOUNTS, exact_sums, plain_log2_ranks
from rankstone.core.expected_ties import weight
from rankstone.core.ranked import Ranked
from rankstone.core.segments import short_product, two_product
from rankstone.errors import DataError
from rankstone.measures.base import Example, Measure, Working, cut_total, measure
from rankstone.measures.param import K, Param

GAIN = Param(
    "gain",
    str,
    "worth of a grade; a table such as {1: 1, 2: 3} gives it by hand (other grades: 0)",
    default="linear",
    choices={
        "linear": "the grade itself",
        "exp2": "2^grade - 1",
        "binary": "1 if the grade is relevant, else 0",
    },
    table=True,
)
DISCOUNT = Param(
    "discount",
    str,
    "weight of a rank",
    default="log2",
    choices={name: text for name, (_, text) in DISCOUNTS.items()},
)
UNLISTED = Param(
    "unlisted",
    str,
    "gain of grades that a table does not list",
    default="zero",
    choices={"zero": "0", "grade": "the grade itself, as in trec_eval"},
    beside_table=True,
)
IDEAL = Param(
    "ideal",
    str,
    "the ranking that scores 1",
    default="judged",
    choices={
        "judged": "all judged documents, best first, cut at k",
        "uncut": "all judged documents, best first, not cut",
        "retrieved": "the retrieved documents, best first, cut at k",
        "full": "k documents (without k, as many as retrieved) of the grade that gains most",
    },
)


def gains(
    r: Ranked, gain: str | tuple[tuple[float, float], ...], unlisted: str = "zero"
) -> np.ndarray:
    """Return the gain of each row; negative grades gain nothing."""
    return r.once(("gains", gain, unlisted), lambda: gains_of(r, r.grade, gain, unlisted))


_MOST = 1e290  # more of them than memory holds add up without overflow, to the last bit


def gains_of(
    r: Ranked,
    grade: np.ndarray,
    gain: str | tuple[tuple[float, float], ...],
    unlisted: str = "zero",
) -> np.ndarray:
    """Return the gains of grades; negative grades gain nothing."""
    worth = _worth(r, grade, gain, unlisted)
    small = gain == "linear" and r.has_small_grades
    if not small and worth.max(initial=0.0) > _MOST:
        raise DataError(
            f"a gain of {worth.max():g} is too large to be added up; gains may be up to {_MOST:g}. "
            "Divide the grades by a number, or use a table of gains."
        )
    return worth


def _worth(
    r: Ranked,
    grade: np.ndarray,
    gain: str | tuple[tuple[float, float], ...],
    unlisted: str,
) -> np.ndarray:
    if isinstance(gain, tuple):
        worth = np.maximum(grade, 0.0) if unlisted == "grade" else np.zeros(len(grade))
        for value, given in gain:
            worth[grade == value] = given
        return worth
    if gain == "binary":
        return (grade >= r.level(None)).astype(np.float64)
    # Lists of one width hold no negative grade.
    useful = grade if r.width or grade.min(initial=0.0) >= 0 else np.maximum(grade, 0.0)
    if gain == "linear":
        return useful
    with np.errstate(over="ignore"):
        worth = np.exp2(useful) - 1.0
    if not np.isfinite(worth).all():
        raise DataError(
            f"grade {useful.max():g} is too large for an exponential gain (2^grade overflows). "
            "Use gain='linear' or a table."
        )
    return worth


def discounted(r: Ranked, m: Measure) -> Working:
    """Return gain times discount of each row, with what rounding takes from the product."""
    k = m.k if r.ties_averaged else None
    key = ("discounted", m.gain, m.unlisted, m.discount, k)
    return r.once(key, lambda: _discounted(r, m, k))


def _discounted(r: Ranked, m: Measure, k: int | None) -> Working:
    if not r.width or r.ties_averaged or r.conventions.sums == "plain":
        return _in_full(r, m, k)
    table = gains(r, m.gain, m.unlisted).reshape(-1, r.width)
    key = ("in full", m.gain, m.unlisted, m.discount)
    return Working(
        sums=lambda cut: exact_sums(table[:, :cut], m.discount, lambda: _top(r, m)),
        slowly=lambda: r.once(key, lambda: _in_full(r, m, None)),
    )


def _top(r: Ranked, m: Measure) -> float | None:
    """Return the highest gain where it is known that all are whole."""
    return float(r.highest().max()) if m.gain == "linear" and r.has_small_grades else None


def _in_full(r: Ranked, m: Measure, k: int | None) -> Working:
    worth = gains(r, m.gain, m.unlisted)
    high, low = weight(r, m.discount, k)
    short = m.gain == "linear" and r.has_small_grades
    terms, rest = (short_product if short else two_product)(worth, high)
    if r.conventions.sums == "plain" and m.discount == "log2" and not r.ties_averaged:
        terms = worth / plain_log2_ranks(r.rank)
    columns = {"gain": worth, "discount": high}
    return Working(terms, low=rest + worth * low, columns=columns, cut=r.ties_averaged)


def ideal_of(r: Ranked, m: Measure, source: str = "judged") -> Ranked:
    """Return the ranking of falling gain of all judged documents, the retrieved ones, or a full one."""
    if source == "full":
        key = ("full", m.gain, m.unlisted, m.k)
        return r.once(key, lambda: r.filled(m.k, _best_grade(r, m)))
    key = ("ideal", m.gain, m.unlisted, source)
    return r.once(key, lambda: _ideal(r, m, source))


def _best_grade(r: Ranked, m: Measure) -> float:
    """Return the grade that gains most: the highest, or one of a table of gains."""
    if isinstance(m.gain, str):
        return r.max_grade
    grades = np.array([r.max_grade, *(grade for grade, _ in m.gain)])
    return float(grades[gains_of(r, grades, m.gain, m.unlisted).argmax()])


def _ideal(r: Ranked, m: Measure, source: str) -> Ranked:
    if isinstance(m.gain, str):
        return r.ideal(None, source)
    if source == "retrieved":
        return r.ideal(gains(r, m.gain, m.unlisted), source)
    return r.ideal(gains_of(r, r.judged_grade, m.gain, m.unlisted))


@measure(
    "CG",
    "Cumulated gain",
    params=(K, GAIN),
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    graded=True,
    expected=True,
    example=Example("CG@6", (3, 2, 3, 0, 1, 2), "3 + 2 + 3 + 0 + 1 + 2"),
)
def CG(r: Ranked, m: Measure) -> Working:
    """The sum of the gains of the first k documents.

    CG@k = sum over ranks i <= k of gain(grade_i)

    Reading: how much worth was found, wherever it stood.
    Not for: comparing rankings of the same documents; their order does not matter.
    """
    worth = gains(r, m.gain)
    terms = worth * weight(r, "none", m.k)[0]
    return Working(terms, columns={"gain": worth}, cut=True)


@measure(
    "DCG",
    "Discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT),
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    graded=True,
    expected=True,
    example=Example("DCG@3", (3, 2, 3), "3/log2(2) + 2/log2(3) + 3/log2(4)"),
)
def DCG(r: Ranked, m: Measure) -> Working:
    """The sum of the gains of the first k documents, each discounted by its rank.

    DCG@k = sum over ranks i <= k of gain(grade_i) * discount(i)

    Unless chosen otherwise, the gain is the grade and discount(i) is 1 / log2(i + 1).

    Reading: a user who is less and less likely to read on.
    Not for: averaging over queries of different richness; see nDCG.
    """
    return discounted(r, m)


@measure(
    "IdealDCG",
    "Ideal discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT),
    range=(0.0, np.inf),
    graded=True,
    expected=True,
    example=Example("IdealDCG@2", (0, 2), "3/log2(2) + 2/log2(3)", missed=(3,)),
)
def IdealDCG(r: Ranked, m: Measure) -> Working:
    """The DCG of all judged documents, best first: the most that any ranking can have.

    IdealDCG@k = sum over ranks i <= k of gain(grade_i) * discount(i) of the ideal ranking

    Reading: what nDCG divides by; how much there was to be found.
    Not for: judging a ranking; it depends on the judgments alone.
    """
    ideal = ideal_of(r, m)
    return Working(value=cut_total(ideal, discounted(ideal, m), m.k))


@measure(
    "nDCG",
    "Normalised discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT, IDEAL),
    conventions=("ties", "unjudged", "no_relevant"),
    graded=True,
    expected=True,
    example=Example(
        "nDCG@3",
        (2, None, 3, 1),
        "(2/log2(2) + 3/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))",
    ),
)
def nDCG(r: Ranked, m: Measure) -> Working:
    """DCG over the DCG of the ideal ranking.

    nDCG@k = DCG@k / DCG@k of the ideal ranking

    The ideal ranking holds all judged documents, best first, cut at k, whether they were
    retrieved or not; ``ideal`` chooses otherwise.

    Reading: how much of the discounted gain that was there to be had was had.
    Not for: comparing across collections judged on different scales without naming the gain.
    """
    ideal = ideal_of(r, m, m.ideal if m.ideal in ("retrieved", "full") else "judged")
    best = discounted(ideal, m)
    over = cut_total(ideal, best, None if m.ideal == "uncut" else m.k)
    found = discounted(r, m)
    return found._replace(over=over, ideal=(ideal, best))
