"""Expected reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankstone.core import pairs
from rankstone.core.discounts import DISCOUNTS, discount
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import exponential
from rankstone.measures.param import Choice, K, Number
from rankstone.measures.summation import Terms

_MAX_GRADE = Number(
    name="max_grade",
    text="highest grade of the scale (default: the highest in the judgments)",
    above=0,
    examples=(1, 2, 3, 4, 5),
)
_DISCOUNT = Choice(
    name="discount",
    text="weight of stopping at a rank",
    default="reciprocal",
    words={name: DISCOUNTS[name][1] for name in ("reciprocal", "log2", "log2+1")},
)


def _grade(r: Ranked, m: Measure, grade: np.ndarray) -> np.ndarray:  # noqa: ARG001
    """Return the gain by which documents are in order: the grade."""
    return np.maximum(grade, 0.0)


def stop_chance(grade: np.ndarray, top: float) -> np.ndarray:
    """Return the probability that a document satisfies a user: (2^grade - 1) / 2^top."""
    return exponential(np.maximum(grade, 0.0)) / np.exp2(top)


@dataclass(frozen=True, eq=False)
class Cascade:
    """A user who reads from the top and stops at the first document that satisfies.

    For each rank: ``satisfaction`` is the probability that its document satisfies once it is
    read, ``reached`` that it is read at all, ``stop`` (in the click model: click) that the user
    stops there. ``abandonment`` is the probability that nothing satisfies and
    ``expected_position`` the mean rank of those who stop, NaN if nobody does.
    """

    satisfaction: np.ndarray
    reached: np.ndarray
    stop: np.ndarray
    abandonment: float
    expected_position: float


def cascade(
    grades: Sequence[float] | None = None,
    *,
    satisfaction: Sequence[float] | None = None,
    max_grade: float | None = None,
) -> Cascade:
    """Return the cascade model of a ranking, from grades or from probabilities of satisfaction.

    >>> model = cascade([3, 2, 3])
    >>> model.stop.tolist(), model.abandonment
    ([0.875, 0.046875, 0.068359375], 0.009765625)
    """
    if (grades is None) == (satisfaction is None):
        raise UsageError("give either grades or satisfaction=, the probabilities themselves.")
    chance = np.asarray(grades if satisfaction is None else satisfaction, np.float64)
    if chance.ndim != 1 or not np.isfinite(chance).all():
        raise DataError("a ranking is one list of finite numbers.")
    if satisfaction is None:
        top = float(chance.max(initial=0.0)) if max_grade is None else float(max_grade)
        if chance.max(initial=0.0) > top:
            raise DataError(f"grade {chance.max():g} is above max_grade={top:g}.")
        chance = stop_chance(chance, top)
    elif ((chance < 0) | (chance > 1)).any():
        raise DataError("probabilities of satisfaction are from 0 to 1.")
    reached = np.cumprod(np.append(1.0, 1.0 - chance))
    stop = chance * reached[:-1]
    stopped = stop.sum()
    ranks = np.arange(1, len(stop) + 1)
    mean = float((ranks * stop).sum() / stopped) if stopped else float("nan")
    return Cascade(chance, reached[:-1], stop, float(reached[-1]), mean)


@measure(
    "ERR",
    "Expected reciprocal rank",
    params=(K, _MAX_GRADE, _DISCOUNT),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    rises=True,
    gain=_grade,
    reads_max_grade=lambda m: m.max_grade is None,
    reaches_max=False,
    example=Example(
        "ERR(max_grade=3)",
        (3, 0, 2),
        "(7/8) / 1 + (1 - 7/8) * (3/8) / 3",
    ),
)
def ERR(r: Ranked, m: Measure) -> Terms:
    """The expected reciprocal of the rank at which a user of the cascade model stops.

    ERR = sum over ranks i of discount(i) R_i * product over j < i of (1 - R_j),
    R_i = (2^grade_i - 1) / 2^max_grade, discount(i) = 1/i

    Reading: the user reads from the top and stops at a document with probability R_i, so a
    good document makes those below it matter less.
    Not for: comparing collections with different scales; one relevant document of the highest
    grade at rank 1 gives (2^g - 1) / 2^g, never 1.
    Reference: Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009.
    """
    top = r.max_grade if m.max_grade is None else float(m.max_grade)
    if r.judged_grade.max(initial=0.0) > top:
        raise DataError(
            f"grade {r.judged_grade.max():g} is above max_grade={top:g} of {m}; "
            "give the highest grade of the scale."
        )
    if top > 1000:
        raise DataError(
            f"grade {top:g} is too large for {m}: 2^grade overflows. Map the grades to a smaller scale."
        )
    stop = stop_chance(r.grade, top)
    reach = pairs.running_product(pairs.two_sum(np.ones(len(stop)), -stop), r.offsets)
    weight = discount(r.rank, m.discount)
    terms = pairs.multiply(pairs.multiply((stop, np.zeros(len(stop))), reach), weight)
    columns = {"stop": stop, "reach": reach[0], "discount": weight[0]}
    return Terms(r, terms, k=m.k, columns=columns)
