"""The grammar of measures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples

import rankstone as rs
from rankstone.cli import main
from rankstone.measures.parse import split_names


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("nDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("recip_rank", "RR"),
        ("mrr@10", "RR@10"),
        ("MRR", "RR"),
        ("hit_rate@5", "Success@5"),
        ("HR@5", "Success@5"),
        ("success_1", "Success@1"),
        ("precision@5", "P@5"),
        ("P_5", "P@5"),
        ("p@5", "P@5"),
        ("recall_1000", "R@1000"),
        ("Recall@3", "R@3"),
        ("f1@10", "F@10"),
        ("num_rel_ret", "NumRelRet"),
        ("r-precision", "Rprec"),
        (" nDCG ( gain = 'exp2' ) @ 10 ", "nDCG(gain='exp2')@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("P(k=5, rel=2.0)", "P(rel=2)@5"),
        ("P(rel=1.5)", "P(rel=1.5)"),
        ("P@999999999999999", "P@999999999999999"),
        ("nDCG(gain={2: 3, 1: 0.5})", "nDCG(gain={1: 0.5, 2: 3})"),
        ("nDCG(gain={1: 1.05, 2.0: 10.0})", "nDCG(gain={1: 1.05, 2: 10})"),
        ("nDCG(gain='linear')", "nDCG"),
        ("nDCG(gain=exp2, ideal=uncut)@10", "nDCG(gain='exp2', ideal='uncut')@10"),
        ("nDCG(k=None)", "nDCG"),
    ],
)
def test_spellings(text, printed):
    assert str(rs.parse_measure(text)) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ngcd@10", "unknown measure 'ngcd@10'. Did you mean nDCG@10?"),
        ("ndgc_cut_5", "Did you mean nDCG@5?"),
        ("recal@5", "Did you mean R@5?"),
        ("xyzzy", "unknown measure 'xyzzy'. 'rankstone measures' lists them all."),
        ("", "unknown measure ''"),
        ("P@", "unknown measure"),
        ("P@0", "k of P must be at least 1, not 0"),
        ("P@-1", "must be a whole number, or a budget such as 2000tokens, not '-1'"),
        ("P@1.5", "must be a whole number, or a budget such as 2000tokens, not '1.5'"),
        ("P@ten", "must be a whole number, or a budget such as 2000tokens, not 'ten'"),
        ("P(k=3)@5", "gives its cutoff twice"),
        ("P(k=True)", "k of P must be a number, not True"),
        ("P(k='5')", "k of P must be a number, not '5'"),
        ("P(k=2.5)", "k of P must be a whole number, not 2.5"),
        ("P(rel=0)", "rel of P must be above 0, not 0"),
        ("P(rel=1e999)", "rel of P must be a finite number"),
        ("RBP(p=0)", "p of RBP must be above 0 and below 1, not 0"),
        ("RBP(p=1)", "p of RBP must be above 0 and below 1, not 1"),
        ("F(beta=0)", "beta of F must be above 0, not 0"),
        ("NRBP(beta=1)", "beta of NRBP must be above 0 and below 1, not 1"),
        ("IPrec@1.01", "recall of IPrec must be from 0 to 1, not 1.01"),
        ("IPrec(recall=-0.01)", "recall of IPrec must be from 0 to 1, not -0.01"),
        ("AvgIPrec(points=(0, 1.01))", "points of AvgIPrec must be from 0 to 1, not 1.01"),
        ("AvgIPrec(points=(-0.01, 1))", "points of AvgIPrec must be from 0 to 1, not -0.01"),
        ("AvgIPrec(points=1)", "points of AvgIPrec must be some numbers"),
        ("alpha_nDCG(alpha=1.01)", "alpha of alpha_nDCG must be from 0 to 1, not 1.01"),
        ("alpha_nDCG(alpha=-0.01)", "alpha of alpha_nDCG must be from 0 to 1, not -0.01"),
        ("AUC(max_fpr=0)", "max_fpr of AUC must be above 0, not 0"),
        ("ERR(max_grade=0)", "max_grade of ERR must be above 0, not 0"),
        ("Rprec(multiple=0)", "multiple of Rprec must be above 0, not 0"),
        ("Utility(collection=-1)", "collection of Utility must be at least 0, not -1"),
        ("P(relevance=1)", "P has no parameter 'relevance'. Did you mean rel?"),
        ("NumQ@5", "NumQ has no parameter 'k'. It has none."),
        ("nDCG(gain='expo2')", "Did you mean exp2?"),
        ("nDCG(gain={})", "must map grades to finite numbers"),
        ("nDCG(gain={'a': 1})", "must map grades to numbers"),
        ("nDCG(gain={1: -1})", "finite numbers from 0 up"),
        ("P(5)", "cannot read the parameters"),
        ("P(k=5)+f(rel=2)", "cannot read the parameters"),
        ("P@1000000000000000", "the cutoff in 'P@1000000000000000' is too large"),
        ("P(rel=__import__('os'))", "cannot read the parameters"),
        ("P(rel=1, rel=2)", "cannot read the parameters"),
        ("P(**{'rel': 1})", "cannot read the parameters"),
        ("P(rel=1", "unknown measure"),
        (
            "nDCG@1012345678901234567890",
            "the cutoff in 'nDCG@1012345678901234567890' is too large",
        ),
        ("ndcg_cut_1012345678901234567890", "is too large; leave it out for all documents"),
        ("P(rel=1" + "0" * 400 + ")", "rel of P must be a finite number"),
    ],
)
def test_bad_names_teach(text, message):
    with pytest.raises(rs.UsageError) as caught:
        rs.parse_measure(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "P@1",
        "P(rel=0.001)",
        "RBP(p=0.999)",
        "RBP(p=0.001)",
        "F(beta=0.001)",
        "IPrec@0",
        "IPrec@1",
        "AvgIPrec(points=(0, 1))",
        "alpha_nDCG(alpha=0)",
        "alpha_nDCG(alpha=1)",
        "AUC(max_fpr=1)",
        "ERR(max_grade=0.001)",
        "Rprec(multiple=0.001)",
        "nDCG(gain={1: 0})",
    ],
)
def test_the_last_number_within_bounds_is_taken(text):
    assert str(rs.parse_measure(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AUC(max_fpr=1.01)", r"max_fpr of AUC must be at most 1, not 1\.01"),
        ("ERR(max_grade=1001)", "grade 1001 is too large for .*: 2.grade overflows"),
        ("ERR(max_grade=0.5)", "grade 1 is above max_grade=0.5"),
    ],
)
def test_numbers_that_only_data_can_refuse(text, message):
    with pytest.raises(rs.RankstoneError, match=message):
        rs.evaluate({"q": {"d": 1, "e": 0}}, {"q": ["d", "e"]}, text)
    for fine in ("AUC(max_fpr=1)", "ERR(max_grade=1000)", "ERR(max_grade=1)"):
        assert rs.evaluate({"q": {"d": 1, "e": 0}}, {"q": ["d", "e"]}, fine).measures == [fine]


def test_only_names_and_measures_are_measures():
    with pytest.raises(rs.UsageError, match="by name or as an object, not as 7"):
        rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, [7])
    with pytest.raises(rs.UsageError, match="no measure is requested"):
        rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, [])


def test_spellings_of_tools_that_part_stand_for_the_measure_alone():
    assert rs.parse_measure("map@5") == rs.AP @ 5


def test_a_table_of_gains_takes_a_cut_off_afterwards():
    assert rs.nDCG(gain={1: 1, 2: 3}) @ 10 == rs.nDCG(gain={1: 1, 2: 3}, k=10)


def test_the_measures_of_those_who_name_none():
    found = rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}).measures
    assert found == ["nDCG@10", "AP", "RR@10", "P@10", "R@100"]


def test_measures_are_values():
    assert rs.nDCG @ 10 == rs.nDCG(k=10)
    assert rs.nDCG @ 10 != rs.nDCG @ 5
    assert len({rs.nDCG @ 10, rs.parse_measure("ndcg@10"), rs.P @ 5}) == 2
    assert (rs.P @ 5).k == 5
    with pytest.raises(AttributeError, match="P has no parameter 'gain'"):
        _ = rs.P.gain
    with pytest.raises(AttributeError, match=r"does not change; write P\(k=3\)"):
        rs.P.k = 3


@settings(max_examples=examples(2000))
@given(st.text(max_size=30) | st.text("nDCGPR(){}@=,'\"0123456789.:_ -gain", max_size=40))
def test_any_text_is_a_measure_or_a_usage_error(text):
    try:
        measure = rs.parse_measure(text)
    except rs.UsageError:
        return
    assert rs.parse_measure(str(measure)) == measure


SEARCH = Path(__file__).parents[2] / "examples" / "search"


QRELS, BM25, DENSE = (str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


JUDGED, RUN = {"q1": {"a": 1, "b": 2}}, {"q1": ["x", "b", "a"]}


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


NAMES = {"MRR": "RR", "MAP": "AP", "NDCG": "nDCG", "HR": "Success", "Recall": "R", "Precision": "P"}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_people_type_are_measures(name):
    assert str(getattr(rs, name)) == NAMES[name]


def test_a_name_that_nobody_has_is_an_attribute_error_with_a_suggestion():
    with pytest.raises(AttributeError, match=r"no attribute 'ngcd'.* Did you mean nDCG\?"):
        rs.ngcd  # noqa: B018
    assert not hasattr(rs, "no_such_thing")


def test_several_measures_in_one_text(capsys):
    for text in ("nDCG@10,AP", "nDCG@10 AP", " nDCG@10 , AP "):
        assert rs.evaluate(JUDGED, RUN, text).measures == ["nDCG@10", "AP"]
    both = output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10", "-m", "AP", "--quiet")
    assert output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10,AP", "--quiet") == both
    assert output(capsys, "evaluate", QRELS, BM25, "-m", "nDCG@10", "AP", "--quiet") == both
    assert output(capsys, "evaluate", "-m", "nDCG@10", "AP", QRELS, BM25, "--quiet") == both
    assert output(capsys, "evaluate", "-m", "nDCG@10", "-m", "AP", QRELS, BM25, "--quiet") == both
    assert main(["evaluate", "-m", "AP", "no-such-file", BM25]) == 3
    assert "no-such-file: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("tool", rs.TOOLS.values(), ids=lambda tool: tool.name)
def test_the_name_of_a_tool_is_never_taken_for_two(tool):
    for name in tool.names:
        written = name.written({**rs.parse_measure(name.measure)(**name.params).params, "k": 10})
        assert written is None or split_names(written) == [written]


def test_measures_as_data(capsys):
    ndcg = json.loads(output(capsys, "measures", "nDCG", "--format", "json"))[0]
    assert ndcg["family"].startswith("Cumulated gain")
    assert ndcg["names"]["pytrec_eval-0.5"] == ["ndcg", "ndcg_cut_{k}", "ndcg_cut.{k}"]
    assert {p["name"] for p in ndcg["parameters"]} >= {"gain", "discount", "ideal", "k"}


def test_the_names_of_other_tools_in_the_stub_are_measures():
    stub = (Path(rs.__file__).parent / "__init__.pyi").read_text()
    names = re.findall(r"^(\w+): Measure$", stub, re.MULTILINE)
    assert {"MRR", "MAP", "NDCG", "HR"} <= {*names}
    for name in names:
        assert isinstance(getattr(rs, name), rs.Measure)


def test_several_measures_in_one_text_for_every_verb(capsys):
    assert output(capsys, "compare", QRELS, BM25, DENSE, "-m", "AP,RR", "--quiet").count("\n") == 3
    assert output(capsys, "power", QRELS, BM25, DENSE, "-m", "AP,RR", "--quiet").count("RR") >= 1


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
