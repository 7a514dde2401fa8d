"""Edges of measures: bounds of parameters, defaults, and the smallest lists that tell rules apart."""

import math

import numpy as np
import pytest

import rankstone as rs
from rankstone.measures.param import Number, Param

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


@pytest.mark.parametrize(
    ("measure", "written"),
    [
        (rs.nDCG(gain={1: 1.5, 2: 3}), "nDCG(gain={1: 1.5, 2: 3})"),
        (rs.nDCG(gain={0.5: 1})(gain={0.25: 2.0}), "nDCG(gain={0.25: 2})"),
        (rs.RBP(p=0.5) @ 3, "RBP(p=0.5)@3"),
        (rs.IPrec @ 0.5, "IPrec@0.5"),
        (rs.P(rel=2, k=5), "P(rel=2)@5"),
        (rs.P, "P"),
    ],
)
def test_measures_as_they_are_written(measure, written):
    assert str(measure) == written
    assert rs.parse_measure(written) == measure


def test_defaults():
    """The numbers that a name without parameters stands for."""
    found = {
        (m.name, p.name): p.default
        for m in rs.all_measures()
        for p in m.definition.params
        if isinstance(p, Number) and p.default is not None
    }
    assert found == {
        ("alpha_DCG", "alpha"): 0.5,
        ("alpha_nDCG", "alpha"): 0.5,
        ("BPM", "T"): 1,
        ("Compat", "p"): 0.95,
        ("INSQ", "T"): 1,
        ("INST", "T"): 1,
        ("NERR", "p"): 0.9,
        ("NERR", "T"): 1,
        ("Q", "beta"): 1,
        ("RecallAtP", "precision"): 0.5,
        ("AvgIPrec", "points"): (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1),
        ("ERR_IA", "alpha"): 0.5,
        ("F", "beta"): 1,
        ("IPrec", "recall"): 0,
        ("nERR_IA", "alpha"): 0.5,
        ("nNRBP", "alpha"): 0.5,
        ("nNRBP", "beta"): 0.5,
        ("NRBP", "alpha"): 0.5,
        ("NRBP", "beta"): 0.5,
        ("RBP", "p"): 0.8,
        ("RBPResidual", "p"): 0.8,
        ("Rprec", "multiple"): 1,
        ("Utility", "hit"): 1,
        ("Utility", "noise"): -1,
        ("Utility", "miss"): 0,
        ("Utility", "rest"): 0,
        ("Utility", "collection"): 0,
    }
    assert [str(m) for m in rs.measures.DEFAULT] == ["nDCG@10", "AP", "RR@10", "P@10", "R@100"]


@pytest.mark.parametrize(
    ("docs", "preferences"),
    [(["d0", "d0"], 3), (["d2", "d2", "d0"], 4), (["d0", "d1", "d0"], 3), (["d2"], 2), ([], 2)],
)
def test_repeated_documents_hide_no_preference(tmp_path, docs, preferences):
    judged = {"q": {"d0": 0, "d1": 0, "d2": 1}, "r": {"d0": 1}}
    rows = [f"q Q0 {doc} {i} {9 - i} t\n" for i, doc in enumerate(docs)]
    (tmp_path / "run").write_text("".join([*rows, "r Q0 d0 1 1 t\n"]))
    result = rs.evaluate(judged, tmp_path / "run", "NumPref", duplicates="count")
    assert result.per_query["q"]["NumPref"] == preferences
