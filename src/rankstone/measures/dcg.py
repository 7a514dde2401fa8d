"""Cumulated gain, with and without discount, and normalised."""

from __future__ import annotations

import numpy as np

from rankstone.core import pairs
from rankstone.core.discounts import DISCOUNTS
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError
from rankstone.measures.base import As, Example, Measure, measure
from rankstone.measures.lines import CUTS, Line
from rankstone.measures.param import Choice, K, Table
from rankstone.measures.quirks import ROUNDED
from rankstone.measures.summation import Sum

GAIN = Table(
    name="gain",
    text="gain of a grade; a table such as {1: 1, 2: 3} gives it by hand (other grades: 0)",
    default="linear",
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
    default="log2",
    words={name: text for name, (_, text) in DISCOUNTS.items()},
)
UNLISTED = Choice(
    name="unlisted",
    text="gain of grades that a table does not list",
    default="zero",
    words={"zero": "0", "grade": "the grade itself, as in trec_eval"},
    beside_table=True,
)
IDEAL = Choice(
    name="ideal",
    text="the ranking that scores 1",
    default="judged",
    words={
        "judged": "all judged documents, best first, cut at k",
        "uncut": "all judged documents, best first, not cut",
        "retrieved": "the retrieved documents, best first, cut at k",
        "full": "k documents (without k, as many as retrieved) of the grade that gains most",
    },
)

_LARGEST = 1e290  # more of them than memory holds add up without overflow, to the last bit


def gain_of(r: Ranked, m: Measure, grade: np.ndarray) -> np.ndarray:
    """Return the gains of grades by the parameters gain, unlisted and rel; none is negative."""
    how = m.gain
    if isinstance(how, tuple):
        unlisted = m.get("unlisted") == "grade"
        gain = np.maximum(grade, 0.0) if unlisted else np.zeros(len(grade))
        for listed, value in how:
            gain[grade == listed] = value
    elif how == "binary":
        return (grade >= r.level(m.get("rel"))).astype(np.float64)
    else:  # RBP scales what is linear here
        # Tables contain no negative grade.
        gain = grade if r.width or grade.min(initial=0.0) >= 0 else np.maximum(grade, 0.0)
        if how == "linear" and r.has_small_grades:
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
    if m.gain == "linear" and r.has_small_grades:
        return r.grade
    key = ("gains", m.gain, m.get("unlisted"), m.get("rel"))
    return r.once(key, lambda: gain_of(r, m, r.grade))


def ideal_ranking(r: Ranked, m: Measure, source: str = "judged") -> Ranked:
    """Return the judged or the retrieved documents by falling gain, or a ranking of the best grade."""
    if source == "full":
        grades = np.array([r.max_grade, *(grade for table in m.tables for grade, _ in table)])
        return r.filled(m.k, float(grades[gain_of(r, m, grades).argmax()]))
    if not m.tables:  # gains rise with the grade
        return r.once(("ideal", source), lambda: r.ideal(None, source))
    grade = r.judged_grade if source == "judged" else r.grade
    key = ("ideal", source, m.gain, m.get("unlisted"))
    return r.once(key, lambda: r.ideal(gain_of(r, m, grade), source))


@measure(
    "CG",
    "Cumulated gain",
    params=(K, GAIN),
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    uses_grades=True,
    gain=gain_of,
    supports_expected_ties=True,
    example=Example("CG@6", (3, 2, 3, 0, 1, 2), "3 + 2 + 3 + 0 + 1 + 2"),
)
def CG(r: Ranked, m: Measure) -> Sum:
    """The sum of the gains of the first k documents.

    CG@k = sum over ranks i <= k of gain(grade_i)

    Reading: the gain of a user who reads k documents, in whatever order.
    Not for: comparing rankings of the same documents; their order does not matter.
    """
    gain = gains(r, m)
    return Sum(r, gain, k=m.k, columns={"gain": gain})


@measure(
    "DCG",
    "Discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT),
    lines=(Line("dcg", 21, gains=True, since=10),),
    names={
        "ranx": ("dcg@{k}", As("dcg_burges@{k}", {"gain": "exp2"})),
        "sklearn": ("dcg_score@{k}",),
        "lenskit": (
            As("DCG@{k}", {"gain": "binary", "discount": "jarvelin"}),
            As(
                "DCG(gain=)@{k}",
                {"discount": "jarvelin"},
                note="negative gains count there; it fails on a query without judgments",
            ),
        ),
        "rax": (As("dcg_metric@{k}", {"gain": "exp2"}),),
        "article-4": ("dcg_at_k@{k}", As("dcg_at_k(method=0)@{k}", {"discount": "jarvelin"})),
    },
    range=(0.0, np.inf),
    conventions=("ties", "unjudged"),
    uses_grades=True,
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
    """
    return Sum(r, gains(r, m), m.discount, m.k)


@measure(
    "IdealDCG",
    "Ideal discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT),
    lines=(Line("ideal_dcg", 22, gains=True, since=10),),
    range=(0.0, np.inf),
    uses_grades=True,
    gain=gain_of,
    supports_expected_ties=True,
    example=Example("IdealDCG@2", (0, 2), "3/log2(2) + 2/log2(3)", missed=(3,)),
)
def IdealDCG(r: Ranked, m: Measure) -> Sum:
    """The DCG of all judged documents, best first: the most that any ranking can have.

    IdealDCG@k = sum over ranks i <= k of gain(grade_i) * discount(i) of the ideal ranking

    Reading: what nDCG divides by; the attainable discounted gain.
    Not for: judging a ranking; it depends on the judgments alone.
    """
    ideal = ideal_ranking(r, m)
    return Sum(ideal, gains(ideal, m), m.discount, m.k)


@measure(
    "nDCG",
    "Normalised discounted cumulated gain",
    params=(K, GAIN, UNLISTED, DISCOUNT, IDEAL),
    lines=(
        Line("ndcg", 23, "all_trec", gains=True),
        Line("ndcg_cut", 26, "all_trec", each="k", values=CUTS),
    ),
    names={
        "ir_measures": (
            "nDCG@{k}",
            As("nDCG(dcg='exp-log2')@{k}", {"gain": "exp2"}, {"precision": "float64"}, ROUNDED),
        ),
        "ranx": ("ndcg@{k}", As("ndcg_burges@{k}", {"gain": "exp2"})),
        "beir": ("NDCG@{k}",),
        "mteb": ("ndcg_at_{k}",),
        "sklearn": (
            "ndcg_score@{k}",
            As(
                "ndcg_score(ignore_ties=True)@{k}",
                conventions={"ties": "input"},
                note="tied documents stand last one first, in short lists",
            ),
        ),
        "torchmetrics": (
            As("RetrievalNormalizedDCG@{k}", conventions={"ties": "expected"}),
            As("retrieval_normalized_dcg@{k}", conventions={"ties": "expected"}),
            As(
                "RetrievalNormalizedDCG(empty_target_action='pos')@{k}",
                conventions={"ties": "expected", "no_relevant": "one"},
            ),
            As(
                "RetrievalNormalizedDCG(empty_target_action='skip')@{k}",
                conventions={"ties": "expected", "no_relevant": "skip"},
            ),
        ),
        "lightgbm": (As("ndcg@{k}", {"gain": "exp2"}), "ndcg(label_gain=linear)@{k}"),
        "xgboost": (
            As("ndcg@{k}", {"gain": "exp2"}),
            As("ndcg@{k}-", {"gain": "exp2"}, {"no_relevant": "zero"}),
            As("ndcg", {"gain": "exp2", "k": 32}),
            "ndcg(ndcg_exp_gain=False)@{k}",
        ),
        "spark": (As("ndcgAt@{k}", {"gain": "binary"}), As("ndcgAtK@{k}", {"gain": "binary"})),
        "rectools": (
            As("NDCG@{k}", {"gain": "binary", "ideal": "full"}),
            As("NDCG(divide_by_achievable=True)@{k}", {"gain": "binary"}),
        ),
        "lenskit": (
            As("NDCG@{k}", {"gain": "binary", "discount": "jarvelin"}),
            As("NDCG(gain=)@{k}", {"discount": "jarvelin"}, note="negative gains count there"),
        ),
        "recbole": (As("NDCG@{k}", {"gain": "binary"}),),
        "replay": (As("NDCG@{k}", {"gain": "binary"}),),
        "rax": (As("ndcg_metric@{k}", {"gain": "exp2"}),),
        "cornac": (As("NDCG@{k}", {"gain": "binary"}),),
        "recommenders": (As("ndcg_at_k@{k}", {"gain": "binary"}, {"queries": "judged"}),),
        "article-1": (As("NDCG", {"gain": "binary"}),),
        "article-4": (
            As("ndcg_at_k@{k}", {"ideal": "retrieved"}),
            As("ndcg_at_k(method=0)@{k}", {"ideal": "retrieved", "discount": "jarvelin"}),
        ),
    },
    conventions=("ties", "unjudged"),
    uses_grades=True,
    gain=gain_of,
    supports_expected_ties=True,
    example=Example(
        "nDCG@3",
        (2, None, 3, 1),
        "(2/log2(2) + 3/log2(4)) / (3/log2(2) + 2/log2(3) + 1/log2(4))",
    ),
)
def nDCG(r: Ranked, m: Measure) -> Sum:
    """DCG over the DCG of the ideal ranking.

    nDCG@k = DCG@k / DCG@k of the ideal ranking

    The ideal ranking holds all judged documents, best first, cut at k, whether they were
    retrieved or not; ``ideal`` chooses otherwise.

    Reading: the share of the attainable discounted gain.
    Not for: comparing across collections judged on different scales without naming the gain.
    """
    best = ideal_ranking(r, m, "judged" if m.ideal == "uncut" else m.ideal)
    k = None if m.ideal == "uncut" else m.k
    ideal = Sum(best, gains(best, m), m.discount, k)
    return Sum(r, gains(r, m), m.discount, m.k, denominator=ideal)
