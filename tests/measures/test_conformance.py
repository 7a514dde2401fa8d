"""The cases in conformance/, whose values were written from the definitions."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import rankstone as rs

DATA = json.loads((Path(__file__).parents[1] / "conformance" / "cases.json").read_text())


def name_of(case):
    rules = ",".join(f"{name}={value}" for name, value in case["conventions"].items())
    return f"{case['collection']}, {case['measure']}, {case['query']}, {rules}"


@pytest.mark.parametrize("case", DATA["cases"], ids=name_of)
def test_case(engine, case):
    data = DATA["collections"][case["collection"]]
    measure = case["measure"]
    exclude = {"exclude": data["exclude"]} if "exclude" in data else {}
    result = rs.evaluate(
        data["judgments"], data["run"], [measure], **case["conventions"], **exclude
    )
    query = case["query"]
    (name,) = result.measures
    value = result[name] if query is None else result.per_query[query][name]
    if "." in case["value"]:
        right = float(case["value"])
        assert abs(value - right) <= 2 * math.ulp(right), case["why"]
        return
    right = float(Fraction(case["value"]))
    # A mean is that of rounded values.
    assert abs(value - right) <= (0 if query is not None else math.ulp(right)), case["why"]


def test_every_convention_is_covered():
    """Every value of every convention has a case, but for errors and sums in another order."""
    named = {(n, v) for case in DATA["cases"] for n, v in case["conventions"].items()}
    default = rs.Conventions()
    for name, values in rs.Conventions.choices().items():
        for value in values:
            if value not in ("error", "plain", getattr(default, name)):
                assert (name, value) in named
