"""Expected reciprocal rank."""

from __future__ import annotations

import numpy as np

from rankstone.core import segments
from rankstone.core.discounts import DISCOUNTS, discount
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError
from rankstone.measures.base import Example, K, Measure, Param, Working, measure

_MAX_GRADE = Param(
    "max_grade",
    float,
    "highest grade of the scale; left out, the highest in the judgments",
    above=0,
)
_DISCOUNT = Param(
    "discount",
    str,
    "worth of stopping at a rank",
    default="reciprocal",
    choices={name: DISCOUNTS[name][1] for name in ("reciprocal", "log2")},
)


@measure(
    "ERR",
    "Expected reciprocal rank",
    params=(K, _MAX_GRADE, _DISCOUNT),
    names={"ir_measures": ("ERR@{k}",)},
    conventions=("ties", "unjudged", "no_relevant"),
    graded=True,
    attained=False,
    example=Example(
        "ERR(max_grade=3)",
        (3, 0, 2),
        "(7/8) / 1 + (1 - 7/8) * (3/8) / 3",
    ),
)
def ERR(r: Ranked, m: Measure) -> Working:
    """The expected reciprocal of the rank at which a user of the cascade model stops.

    ERR = sum over ranks i of (1/i) R_i * product over j < i of (1 - R_j),
    R_i = (2^grade_i - 1) / 2^max_grade

    Reading: the user reads from the top and stops at a document with probability R_i, so a
    good document makes those below it matter less.
    Not for: comparing collections with different scales; one relevant document of the highest
    grade at rank 1 gives (2^g - 1) / 2^g, never 1.
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
    stop = (np.exp2(np.maximum(r.grade, 0.0)) - 1.0) / np.exp2(top)
    reach = segments.running_product(1.0 - stop, r.offsets)
    weight = discount(r.rank, m.discount)[0]
    return Working(
        stop * reach * weight, columns={"stop": stop, "reach": reach, "discount": weight}
    )
