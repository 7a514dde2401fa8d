"""Every measure with every value of each parameter, on fixed data, against a second reading."""

import math

import mpmath
import numpy as np
import pytest
import reference

import rankstone as rs
from rankstone.measures.param import Table

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
    exact = rules.sums == "exact" and rules.ties != "expected"
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
