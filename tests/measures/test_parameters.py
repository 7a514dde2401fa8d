"""Every measure with every value of each parameter, on fixed data, against a second reading."""

import math

import mpmath
import numpy as np
import pytest
import reference

import rankstone as rs
from rankstone.measures.param import Number, Param, Table

DOCUMENTS = [f"d{i}" for i in range(8)]
TABLES = ({0: 1, 1: 3}, {1: 2, 2: 0.5}, {0.5: 1, 3: 5})


def collection(seed, *, queries, grades, scores, complete=False):
    """Judgments and a run; in one that is complete all documents are judged and retrieved."""
    rng = np.random.default_rng(seed)
    judged, run = {}, {}
    for q in range(queries):
        known = DOCUMENTS[:5] if complete else rng.permutation(DOCUMENTS)[: rng.integers(1, 8)]
        found = DOCUMENTS[:5] if complete else rng.permutation(DOCUMENTS)[: rng.integers(1, 7)]
        judged[f"q{q:02}"] = {str(d): float(rng.choice(grades)) for d in known}
        run[f"q{q:02}"] = {str(d): float(rng.choice(scores)) for d in found}
    return judged, run


GRADES = [-1, 0, 0, 0.5, 1, 1, 2, 3]
TIED = [-1, 0, 1, 1, 2, 3]
DISTINCT = np.arange(-3, 60) / 7
DATA = {
    "tied": collection(1, queries=12, grades=GRADES, scores=TIED),
    "distinct": collection(2, queries=24, grades=GRADES, scores=DISTINCT),
    "complete": collection(3, queries=6, grades=[0, 1, 1, 2, 3], scores=TIED, complete=True),
    "complete, distinct": collection(
        4, queries=12, grades=[0, 0, 1, 2, 3], scores=DISTINCT, complete=True
    ),
}
CASES = [
    ("distinct", {}),
    ("distinct", {"sums": "plain", "unjudged": "remove", "no_relevant": "skip"}),
    ("distinct", {"nonpositive": "nonrelevant", "missed": "ignore", "relevance": 2}),
    ("distinct", {"negatives": "nonrelevant", "no_relevant": "one", "sums": "plain"}),
    ("tied", {"ties": "input"}),
    ("tied", {"ties": "docid-desc", "sums": "plain"}),
    ("tied", {"ties": "expected"}),
    ("tied", {"ties": "optimistic"}),
    ("tied", {"ties": "pessimistic", "nonpositive": "nonrelevant"}),
    ("complete", {"ties": "expected"}),
    ("complete", {"ties": "optimistic"}),
    ("complete, distinct", {}),
    ("complete, distinct", {"sums": "plain"}),
]


def variants(measure):
    """The measure, and the measure with each value of each parameter."""
    yield measure
    for param in measure.definition.params:
        values = [*param.examples, *(TABLES if isinstance(param, Table) else ())]
        for value in values:
            refused = value == "error" or (param.name == "max_grade" and value < 3)
            if not refused and (param.name != "k" or value in (1, 3, 5)):
                yield measure(**{param.name: value})
    for value in TABLES if measure.definition.takes("unlisted") else ():
        yield measure(gain=value, unlisted="grade")
        if measure.definition.takes("k"):
            yield measure(gain=value, k=2)


def can_be_ordered(measure, rule):
    if rule == "expected":
        return measure.supports_expected_ties
    return rule not in ("optimistic", "pessimistic") or measure.supports_extreme_ties


@pytest.mark.parametrize(("data", "options"), CASES, ids=str)
@pytest.mark.parametrize("name", reference.VALUES)
def test_values_are_those_of_the_second_reading(name, data, options):
    judged, run = DATA[data]
    rules = rs.Conventions(**{"ties": "input", **options})
    measures = [m for m in variants(rs.parse_measure(name)) if can_be_ordered(m, rules.ties)]
    if not measures:
        return
    result = rs.evaluate(judged, run, measures, conventions=rules)
    exact = name not in reference.PLAIN and rules.sums == "exact" and rules.ties != "expected"
    for measure in dict.fromkeys(measures):
        expected = reference.per_query(name, measure.params, judged, run, rules.to_dict())
        assert result.queries == list(expected)
        for value, other in zip(result.values(measure), expected.values(), strict=True):
            if other is None:
                assert math.isnan(value), measure
                continue
            off = abs(mpmath.mpf(float(value)) - mpmath.mpf(other))
            bound = 2 * math.ulp(float(other)) if exact else 1e-12 * max(1, abs(other))
            assert off <= bound, measure


@pytest.mark.parametrize("sums", ["exact", "plain"])
@pytest.mark.parametrize("times", [2, 3])
def test_a_measure_that_repetitions_leave_undefined(sums, times):
    """The log-odds of more than all there is; the other query is averaged alone."""
    judged, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"] * times, "r": ["a"]}
    result = rs.evaluate(judged, run, "YAAP", duplicates="count", sums=sums)
    assert math.isnan(result.per_query["q"]["YAAP"])
    assert result["YAAP"] == result.per_query["r"]["YAAP"] == math.log(2)


LISTS = {"q": {"a": 0.5, "b": 0}}, {"q": ["b", "a"]}


@pytest.mark.parametrize(
    ("name", "param", "good", "bad", "value"),
    [
        ("RBP", "p", 0.999, 1, 0.999 * 0.001),
        ("RBP", "p", 0.001, 0, 0.001 * 0.999),
        ("RBPResidual", "p", 0.5, 1, 0.25),
        ("NRBP", "beta", 0.999, 1, 0.999 * (1 - 0.4995)),
        ("NRBP", "beta", 0.001, 0, 0.001 * (1 - 0.0005)),
        ("alpha_DCG", "alpha", 1, 1.5, 1 / math.log2(3)),
        ("alpha_DCG", "alpha", 0, -0.5, 1 / math.log2(3)),
        ("ERR_IA", "alpha", 1, 1.5, 1 / 2),
        ("ERR", "max_grade", 0.5, 0, (1 - 1 / math.sqrt(2)) / 2),
        ("F", "beta", 0.5, 0, 1.25 / 2.25),
        ("Rprec", "multiple", 0.5, 0, 0),
        ("IPrec", "recall", 1, 1.5, 1 / 2),
        ("IPrec", "recall", 0, -0.5, 1 / 2),
        ("AvgIPrec", "points", (0, 1), (0, 1.5), 1 / 2),
        ("AvgIPrec", "points", (0, 1), (-0.5, 1), 1 / 2),
        ("AUC", "max_fpr", 0.5, 0, 0.5 * (1 - (0.5**2 / 2) / (0.5 - 0.5**2 / 2))),
        ("Utility", "collection", 0, -1, 0),
        ("P", "k", 1, 0, 0),
        ("P", "rel", 0.001, 0, 1 / 2),
    ],
)
def test_values_up_to_the_bounds(name, param, good, bad, value):
    measure = rs.parse_measure(name)(**{param: good})
    found = rs.evaluate(*LISTS, measure, relevance=0.5)[measure]
    assert found == pytest.approx(value, rel=1e-13)
    with pytest.raises(rs.UsageError, match=f"{param} of {name} must be "):
        rs.parse_measure(name)(**{param: bad})


INF, NAN, HUGE = math.inf, math.nan, 10**400


@pytest.mark.parametrize(
    ("measure", "name", "bad", "message"),
    [
        ("P", "k", 0, "k of P must be at least 1, not 0."),
        ("P", "k", -3, "k of P must be at least 1, not -3."),
        ("P", "k", 1.5, "k of P must be a whole number, not 1.5."),
        ("P", "k", True, "k of P must be a number, not True."),
        ("P", "k", False, "k of P must be a number, not False."),
        ("P", "k", "3", "k of P must be a number, not '3'."),
        ("P", "k", INF, "k of P must be a whole number, not inf."),
        ("P", "k", HUGE, f"k of P must be a whole number, not {HUGE}."),
        ("P", "rel", 0, "rel of P must be above 0, not 0."),
        ("P", "rel", NAN, "rel of P must be a finite number, not nan."),
        ("P", "rel", HUGE, f"rel of P must be a finite number, not {HUGE}."),
        ("RBP", "p", 0, "p of RBP must be above 0 and below 1, not 0."),
        ("RBP", "p", 1, "p of RBP must be above 0 and below 1, not 1."),
        ("RBP", "p", None, "p of RBP must be a number, not None."),
        ("NRBP", "beta", 1, "beta of NRBP must be above 0 and below 1, not 1."),
        ("ERR_IA", "alpha", -0.01, "alpha of ERR_IA must be from 0 to 1, not -0.01."),
        ("ERR_IA", "alpha", 1.01, "alpha of ERR_IA must be from 0 to 1, not 1.01."),
        ("IPrec", "recall", 1.5, "recall of IPrec must be from 0 to 1, not 1.5."),
        ("AvgIPrec", "points", (0, 2), "points of AvgIPrec must be from 0 to 1, not 2."),
        ("AUC", "max_fpr", 0, "max_fpr of AUC must be above 0, not 0."),
        ("ERR", "max_grade", 0, "max_grade of ERR must be above 0, not 0."),
        ("F", "beta", 0, "beta of F must be above 0, not 0."),
        ("Rprec", "multiple", 0, "multiple of Rprec must be above 0, not 0."),
        ("Utility", "hit", NAN, "hit of Utility must be a finite number, not nan."),
        ("Utility", "collection", -1, "collection of Utility must be at least 0, not -1."),
        ("nDCG", "gain", {}, "gain of nDCG must map grades to finite numbers from 0 up, not {}."),
        ("nDCG", "gain", {1: -0.5}, "gain of nDCG must map grades to finite numbers from 0 up, not {1: -0.5}."),
        ("nDCG", "gain", {1: INF}, "gain of nDCG must map grades to finite numbers from 0 up, not {1: inf}."),
        ("nDCG", "gain", {INF: 1}, "gain of nDCG must map grades to finite numbers from 0 up, not {inf: 1}."),
        ("nDCG", "gain", {1: 1, 2: NAN}, "gain of nDCG must map grades to finite numbers from 0 up, not {1: 1, 2: nan}."),
    ],
)  # fmt: skip
def test_parameters_out_of_bounds_are_refused(measure, name, bad, message):
    with pytest.raises(rs.UsageError) as caught:
        rs.parse_measure(measure)(**{name: bad})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("measure", "name", "good", "kept"),
    [
        ("P", "k", 1, 1),
        ("P", "k", np.int8(4), 4),
        ("P", "rel", 0.001, 0.001),
        ("P", "rel", 2.0, 2),
        ("P", "rel", np.float32(0.5), 0.5),
        ("P", "rel", None, None),
        ("RBP", "p", 0.001, 0.001),
        ("RBP", "p", 0.999, 0.999),
        ("ERR_IA", "alpha", 0, 0),
        ("ERR_IA", "alpha", 1, 1),
        ("AvgIPrec", "points", [0, 0.5, 1.0], (0, 0.5, 1)),
        ("Utility", "hit", -2.5, -2.5),
        ("Utility", "collection", 0, 0),
        ("nDCG", "gain", {2: 3, 1: 0}, ((1.0, 0.0), (2.0, 3.0))),
        ("nDCG", "gain", {-1: 0.5}, ((-1.0, 0.5),)),
    ],
)
def test_parameters_at_their_bounds_are_kept(measure, name, good, kept):
    value = rs.parse_measure(measure)(**{name: good}).params[name]
    assert (value, type(value)) == (kept, type(kept))


def test_bounds_in_words():
    number = Number(name="x", text="", above=1, below=4, within=(2, 3))
    with pytest.raises(rs.UsageError) as caught:
        number.check(0.5, "M")
    assert str(caught.value) == "x of M must be above 1 and below 4 and from 2 to 3, not 0.5."
    assert [number.check(x, "M") for x in (2, 2.5, 3)] == [2, 2.5, 3]
    for bad in (1, 1.9, 3.1, 4):
        with pytest.raises(rs.UsageError, match="x of M must be above 1"):
            number.check(bad, "M")


def test_a_parameter_that_is_no_number_and_no_table():
    param = Param(name="x", text="")
    assert param.check(None, "M") is None
    assert not param.is_table((1, 2))
    assert param.shown("a") == "'a'"
    assert dict(param.choices) == {}
