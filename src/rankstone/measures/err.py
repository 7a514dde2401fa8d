"""Expected reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankstone.core import pairs
from rankstone.core.discounts import DISCOUNTS, discount
from rankstone.core.ideal import ideal_of
from rankstone.core.pairs import Pair
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.measures.base import Example, Measure, measure
from rankstone.measures.dcg import exponential
from rankstone.measures.param import Choice, K, Number
from rankstone.measures.summation import Terms, single, total

MAX_GRADE = Number(
    name="max_grade",
    text="highest grade of the scale (default: the highest in the judgments)",
    above=0,
    examples=(1, 2, 3, 4, 5),
)
_SATISFACTION = Choice.of(
    "satisfaction",
    "probability that a document satisfies",
    linear="grade / (max_grade + 1)",
    exp2="(2^grade - 1) / 2^max_grade",
)
_DISCOUNT = Choice(
    name="discount",
    text="weight of stopping at a rank",
    words={name: DISCOUNTS[name][1] for name in ("reciprocal", "log2", "log2+1")},
)


def _grade(r: Ranked, m: Measure, grade: np.ndarray) -> np.ndarray:  # noqa: ARG001
    """Return the gain by which documents are in order: the grade."""
    return np.maximum(grade, 0.0)


def stop_chance(grade: np.ndarray, top: float) -> np.ndarray:
    """Return the probability that a document satisfies a user: (2^grade - 1) / 2^top."""
    return exponential(np.maximum(grade, 0.0)) / np.exp2(top)


@frozen(eq=False)
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


def scale_top(r: Ranked, m: Measure) -> float:
    """Return the highest grade of the scale, by the parameter max_grade."""
    top = r.max_grade if m.max_grade is None else float(m.max_grade)
    if r.judged_grade.max(initial=0.0) > top:
        raise DataError(
            f"grade {r.judged_grade.max():g} is above max_grade={top:g} of {m}; "
            "give the highest grade of the scale."
        )
    return top


@measure(
    "Expected reciprocal rank",
    params=(K, MAX_GRADE, _DISCOUNT),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    rises=True,
    gain=_grade,
    reads_max_grade=lambda m: m.max_grade is None,
    reaches_max=False,
    example=Example("ERR(max_grade=3)", (3, 0, 2), "(7/8) / 1 + (1 - 7/8) * (3/8) / 3"),
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
    top = scale_top(r, m)
    if top > 1000:
        raise DataError(
            f"grade {top:g} is too large for {m}: 2^grade overflows. Map the grades to a smaller scale."
        )
    return _cascade(r, single(stop_chance(r.grade, top)), m)


def _cascade(r: Ranked, stop: Pair, m: Measure) -> Terms:
    """Return the expected discount of the rank at which a user of the cascade model stops."""
    go_on = pairs.subtract(single(np.ones(len(stop[0]))), stop)
    reach = pairs.running_product(go_on, r.offsets)
    weight = discount(r.rank, m.discount)
    terms = pairs.multiply(pairs.multiply(stop, reach), weight)
    columns = {"stop": stop[0], "reach": reach[0], "discount": weight[0]}
    return Terms(r, terms, k=m.k, columns=columns)


@measure(
    "Normalised expected reciprocal rank",
    params=(K, MAX_GRADE, _DISCOUNT, _SATISFACTION),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    gain=_grade,
    reads_max_grade=lambda m: m.max_grade is None,
    example=Example(
        "nERR(max_grade=3)@2",
        (1, 3),
        "(1/4 + 1/2 * (1 - 1/4) * 3/4) / (3/4 + 1/2 * (1 - 3/4) * 2/4)",
        missed=(2,),
    ),
)
def nERR(r: Ranked, m: Measure) -> Terms:
    """ERR over the ERR of the ideal ranking.

    nERR@k = ERR@k / ERR@k of all judged documents, best first

    As in NTCIR, a document satisfies with probability grade / (max_grade + 1), unless
    ``satisfaction`` chooses otherwise.

    Reading: as of ERR, a user who stops at the first document that satisfies; the best ranking
    has 1.
    Not for: comparing how rich queries are; each is compared with its own best ranking.
    Reference: Sakai and Song, Evaluating diversified search results using per-intent graded
    relevance, SIGIR 2011.
    """
    top, best = scale_top(r, m), ideal_of(r, None)

    def stop(grade: np.ndarray) -> Pair:
        if m.satisfaction == "exp2":
            return single(stop_chance(grade, top))
        return pairs.quotient(np.maximum(grade, 0.0), np.full(len(grade), top + 1.0))

    ideal = _cascade(best, stop(best.grade), m)
    return _cascade(r, stop(r.grade), m)._replace(denominator=total(ideal))
