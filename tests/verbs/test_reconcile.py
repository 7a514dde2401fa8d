"""Other tools' numbers: like=, conventions and reconcile."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loading import collection
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.cli import main
from rankstone.core.rank import conventions_that_matter
from rankstone.measures.base import REGISTRY
from rankstone.measures.param import REL
from rankstone.verbs.reconcile import by_choices, in_tools, tolerance

TEN = {"q": {f"d{i}": 1 for i in range(10)}}
HITS = {"q": ["d0", "d1", "x", "d2", "y"]}
W = [3, 2, 3, 0, 1, 2]
R = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
USERS = {f"u{u}": {f"t{i}" for i in range(n)} for u, n in enumerate((10, 12, 8))}
LISTS = {
    f"u{u}": [f"{'t' if i < n else 'x'}{i}" for i in range(10)] for u, n in enumerate((6, 5, 4))
}
TOPICS = {"1": set("abcd"), "2": set("abcde")}
FOUND = {"1": list("abxcyzd"), "2": list("axbyc")}


@pytest.mark.parametrize(
    ("value", "measure", "tools"),
    [
        ("0.275", "AP@5", {"trec_eval-9", "ir_measures-0.4", "ranx-0.3", "rectools-0.19"}),
        ("0.550", "AP(denominator='min(R,k)')@5", {"spark-4", "recbole-1", "replay-0.22"}),
        ("0.803", "AP(denominator='ranks')@5", set()),
        ("0.917", "AP(denominator='hits')@5", {"torchmetrics-1", "lightgbm-4", "xgboost-3"}),
    ],
)
def test_one_input_four_answers(value, measure, tools):
    found = rs.reconcile("AP@5", TEN, HITS, value=value)
    assert str(found.found[0].measure) == measure
    assert tools <= {t.tool for t in found.tools}


@pytest.mark.parametrize(
    ("asked", "data", "value", "choices"),
    [
        ("P@3", ([1, 0, 1, 0, 1],), "0.667", {}),
        ("P@4", ([1, 0, 1, 0, 1],), "0.5", {}),
        ("P@5", ([1, 0, 1, 0, 1],), "0.6", {}),
        ("AP", ([1, 0, 1, 0, 1],), "0.76", {}),
        ("RR", ([0, 1, 0, 0],), "0.5", {}),
        ("AP", ([1, 1, 0, 1, 0, 0, 1],), "0.83", {}),
        ("AP", (set("abcde"), list("axbyc")), "0.45", {}),
        ("AP", (TOPICS, FOUND), "0.64", {}),
        ("CG", (W,), "11", {}),
        ("DCG@6", (W,), "8.10", {"discount": "jarvelin"}),
        ("DCG@6", (sorted(W)[::-1],), "8.69", {"discount": "jarvelin"}),
        ("nDCG@6", (W,), "0.932", {"discount": "jarvelin"}),
        ("DCG@2", (R,), "5.0", {"discount": "jarvelin"}),
        ("DCG@10", (R,), "9.6051177391888114", {"discount": "jarvelin"}),
        ("DCG@2", (R,), "4.2618595071429155", {}),
        ("nDCG@4", ([2, 1, 2, 0],), "0.9203032077642922", {"discount": "jarvelin"}),
        ("nDCG@4", ([2, 1, 2, 0],), "0.96519546960144276", {}),
        ("nDCG@5", ({"CN"}, ["FR", "US", "CN"]), "0.5", {}),
        ("Success@10", (USERS, LISTS), "0.5", {"how": "pooled"}),
        ("ERR", (W,), "0.9220", {}),
        ("ERR", (W,), "0.5676", {"max_grade": 4}),
        ("nDCG", (W,), "0.9488", {"gain": "exp2"}),
        ("DCG", (W,), "13.8483", {"gain": "exp2"}),
    ],
)
def test_the_choice_behind_each_number_of_the_articles(asked, data, value, choices):
    found = rs.reconcile(asked, *data, value=value)
    first = found.found[0]
    assert {name: v for _, name, v in first.choices} == choices
    number, within = tolerance(value)
    assert abs(first.value - number) <= within


def test_ties_and_missing_queries_are_searched_too():
    judged = {"1": {"a": 1}, "2": {"b": 1}}
    run = {"1": {"a": 1.0, "z": 1.0}}
    found = rs.reconcile("RR", judged, run, value=0.75)
    assert {(n, v) for _, n, v in found.found[0].choices} == {
        ("ties", "expected"),
        ("queries", "both"),
    }


@pytest.mark.parametrize("value", ["0.13", "0.12"])
def test_a_half_may_have_been_rounded_either_way(value):
    found = rs.reconcile("P@8", [1, 0, 0, 0, 0, 0, 0, 0], value=value)
    assert not found.found[0].choices
    assert found.found[0].value == 0.125


@pytest.mark.parametrize("measure", rs.all_measures(), ids=str)
def test_every_example_of_every_parameter_is_tried(measure):
    """But tables of gains, and what goes with them; the grades that may be relevant are the data's."""
    judged = {"q": {"a": 3, "b": 0, "c": 1, "d": 2, "m": 1, "n": 0}}
    data = collection(judged, {"q": ["b", "a", "d", "x", "c", "y"]})
    candidates = next(by_choices(data, measure, rs.Conventions()))
    tried = {c.measure for c in candidates if c.choices[0][0] == "measure"}
    for param in measure.definition.params:
        examples = [1, 2, 3] if param is REL else param.examples
        for example in examples:
            other = measure(**{param.name: example})
            is_table = param.is_table(other.params[param.name])
            assert (other in tried) == (
                other != measure and not is_table and not param.beside_table and computes(other)
            )


@pytest.mark.parametrize(
    ("measure", "name", "tried"),
    [
        ("P", "k", (1, 3, 5, 10, 20, 50, 100)),
        ("P", "rel", (0.5, 1, 2, 3)),
        ("RBP", "p", (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)),
        ("RBP", "gain", ("binary", "scaled", {1: 0.5, 2: 1}, {0: 1, 1: 3})),
        ("nDCG", "gain", ("linear", "exp2", "binary", {1: 1, 2: 3}, {0: 1, 1: 0.5, 3: 2})),
        ("alpha_nDCG", "alpha", (0, 0.5, 0.9, 1)),
        ("AUC", "max_fpr", (0.1, 0.25, 0.5, 1)),
        ("AvgIPrec", "points", ((0, 0.5, 1), (0.2, 0.5, 0.8))),
        ("ERR", "max_grade", (1, 2, 3, 4, 5)),
        ("F", "beta", (0.5, 1, 2)),
        ("NRBP", "beta", (0.5, 0.8, 0.9)),
        ("IPrec", "recall", (0, 0.1, 0.2, 0.5, 1)),
        ("Rprec", "multiple", (0.2, 0.5, 1, 2)),
        ("Utility", "hit", (1, 2)),
        ("Utility", "noise", (-1, -0.1)),
        ("Utility", "miss", (0, -1)),
        ("Utility", "rest", (0, 0.5)),
        ("Utility", "collection", (0, 1000)),
    ],
)
def test_the_values_of_a_parameter_that_people_use_are_tried(measure, name, tried):
    (param,) = (p for p in REGISTRY[measure].definition.params if p.name == name)
    assert param.examples == tried


def computes(measure):
    try:
        rs.evaluate({"q": {"a": 3, "b": 0, "m": 1}}, {"q": ["b", "a", "x"]}, measure)
    except rs.RankstoneError:
        return False
    return True


def test_the_persistence_behind_a_number_is_found():
    found = rs.reconcile("RBP", [1, 0, 1, 0], value="0.544")
    assert str(found.found[0].measure) == "RBP(p=0.6)"
    found = rs.reconcile("RBP", [1, 0, 1, 1], value="0.2539")
    assert [name for _, name, _ in found.found[0].choices] == ["p"]
    assert str(found.found[0].measure) == "RBP(p=0.9)"


def test_a_cutoff_is_the_last_thing_to_be_blamed():
    found = rs.reconcile("AP", [1, 1, 0, 1, 0, 0, 1], value="0.5")
    moved = [any(name == "k" for _, name, _ in c.choices) for c in found.found]
    assert True in moved
    assert moved == sorted(moved)


def test_what_nothing_explains_is_said_to_be_so(capsys):
    assert main(["reconcile", "AP@5", "--grades", "1,1,0,1,0", "--value", "0.123"]) == 1
    out = capsys.readouterr().out
    assert "combinations tried gives it. The nearest:" in out
    assert "Tools that give it" not in out


def test_reconcile_on_files_and_as_json(tmp_path, capsys):
    qrels = write_qrels(tmp_path / "qrels", TEN)
    run = write_run(tmp_path / "run", {"q": dict(zip(HITS["q"], range(9, 4, -1), strict=True))})
    assert main(["reconcile", "AP@5", str(qrels), str(run), "--value", "0.550"]) == 0
    assert "denominator='min(R,k)' (the number of relevant" in capsys.readouterr().out
    call = ["reconcile", "AP@5", str(qrels), str(run), "--value", "55.0%", "--format", "json"]
    assert main(call) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["found"][0]["choices"] == [["measure", "denominator", "min(R,k)"]]


@pytest.mark.parametrize(
    ("text", "value", "within"),
    [
        ("0.550", 0.55, 5e-4),
        ("11", 11, 0.5),
        ("93.2%", 0.932, 5e-4),
        ("1e-3", 1e-3, 5e-4),
        ("1", 1, 0),
        ("1.0", 1, 0.05),
        ("0", 0, 0),
        ("1%", 0.01, 5e-3),
    ],
)
def test_the_printed_digits_say_how_close(text, value, within):
    assert tolerance(text) == pytest.approx((value, within))


def test_a_tool_changes_measures_and_conventions():
    judged = {"q": {"a": 1, "m": 1}, "none": {"x": 0}}
    run = {"q": ["b", "a"], "none": ["x"]}
    result = rs.evaluate(judged, run, ["nDCG@2", "map@2"], like="lightgbm")
    assert result.like == "lightgbm-4"
    assert result.measures == ["nDCG(gain='exp2')@2", "AP(denominator='min(R,k)')@2"]
    assert result["nDCG@2"] == pytest.approx((1 / math.log2(3) + 1) / 2, rel=1e-15)
    assert result["map@2"] == (1 / 2 + 1) / 2
    assert result.exceptions == {"AP(denominator='min(R,k)')@2": {"relevance": 0.5000000000000001}}
    again = rs.Result.from_json(result.to_json())
    assert (again.like, again.requested, again.exceptions, again["map@2"]) == (
        result.like,
        result.requested,
        result.exceptions,
        result["map@2"],
    )


def test_measures_of_one_tool_may_be_averaged_over_different_queries():
    judged, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": ["a"]}
    result = rs.evaluate(judged, run, ["NDCG@10", "MRR@10"], like="beir")
    assert result.aggregates == {"nDCG@10": 1.0, "RR@10": 0.5}
    assert result.queries == ["1", "2"]
    assert math.isnan(result.per_query["2"]["nDCG@10"])
    assert result.counted == {"nDCG@10": 1, "RR@10": 2}


def test_a_choice_in_so_many_words_wins_over_a_tool():
    judged, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a"]}
    result = rs.evaluate(judged, run, ["AP(denominator='R')@2", "AP@1"], like="spark")
    assert result.measures == ["AP@2", "AP(denominator='min(R,k)')@1"]
    given = rs.evaluate(judged, run, ["AP(denominator='hits')@2"], like="spark")
    assert given.measures == ["AP(denominator='hits')@2"]
    assert rs.evaluate(judged, run, "AP", like="sklearn", missed="count")["AP"] == 1 / 3


def test_what_a_tool_does_not_have_or_does_otherwise_is_noted():
    judged, run = {"q": {"a": 1}}, {"q": ["a"]}
    result = rs.evaluate(judged, run, ["ERR", "AP@5"], like="torchmetrics")
    codes = {n.code: n.text for n in result.notices}
    assert codes["not-in-tool"].startswith("ERR has no name in torchmetrics")
    assert "torch happens to sort" in codes["tool-differs"]


@pytest.mark.parametrize(
    ("judged", "run", "rules", "matters"),
    [
        ({"q": {"a": 1}}, {"q": {"a": 2.0}}, {}, set()),
        ({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 2.0}}, {}, {"ties", "unjudged"}),
        ({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0}}, {}, {"missed"}),
        ({"q": {"a": 1}}, {"q": {"a": 2.0}, "r": {"a": 2.0}}, {}, {"queries"}),
        ({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 2.0}}, {}, {"queries", "missed"}),
        ({"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 2.0}, "r": {"a": 2.0}}, {}, {"no_relevant"}),
        ({"q": {"a": 1, "b": -1}}, {"q": {"a": 2.0, "b": 1.0}}, {}, {"negatives", "unjudged"}),
        ({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 2.0 + 2**-40}}, {}, {"precision"}),
        ({"q": {"a": 1}}, {"q": {"a": 0.0}}, {}, {"nonpositive"}),
        ({"q": {"a": 1}}, {"q": {"a": 1e-60}}, {}, set()),
        ({"q": {"a": 1}}, {"q": {"a": 1e-60}}, {"precision": "float32"}, {"nonpositive"}),
        ({"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}, {}, {"relevance"}),
        ({"q": {"a": 0.5}}, {"q": {"a": 2.0}}, {}, {"relevance", "no_relevant"}),
        ({"q": {"a": 1}}, {"q": ["a", "a"]}, {}, {"duplicates"}),
    ],
)
def test_only_what_could_change_a_number_is_tried(judged, run, rules, matters):
    found = conventions_that_matter(collection(judged, run), rs.Conventions(**rules))
    assert set(found) == matters


@pytest.mark.parametrize(
    ("measure", "tool", "names"),
    [
        (rs.P, "trec_eval-9", ["set_P", "set_relative_P"]),
        (rs.P @ 5, "trec_eval-9", ["P_5", "relative_P_5"]),
        (rs.nDCG, "trec_eval-9", ["ndcg"]),
        (rs.nDCG @ 5, "trec_eval-9", ["ndcg_cut_5"]),
        (rs.RR, "ir_measures-0.4", ["RR"]),
        (rs.RR @ 5, "ir_measures-0.4", ["RR@5"]),
        (rs.RR @ 5, "trec_eval-9", ["recip_rank"]),  # it has no other
        (rs.P, "beir-2", ["P@k"]),
        (rs.R @ 5, "beir-2", ["Recall@5", "R_cap@5"]),
    ],
)
def test_the_names_in_a_tool_have_a_cutoff_if_the_measure_has_one(measure, tool, names):
    assert [row.name for row in in_tools(measure) if row.tool == tool] == names


def test_unknown_tools_and_contradictions_teach():
    judged, run = {"q": {"a": 1}}, {"q": ["a"]}
    with pytest.raises(rs.UsageError, match="unknown tool 'sklern'. Did you mean sklearn"):
        rs.evaluate(judged, run, "AP", like="sklern")
    with pytest.raises(rs.UsageError, match="either like= or conventions="):
        rs.evaluate(judged, run, "AP", like="ranx", conventions=rs.Conventions())
    with pytest.raises(rs.UsageError, match="such as 0.932 or 93.2%, not 'much'"):
        rs.reconcile("AP", [1], value="much")
    with pytest.raises(rs.UsageError, match="give judgments and a run, or grades"):
        rs.reconcile("AP", value="0.1")


def test_every_tool_can_be_followed_and_shown(capsys):
    judged, run = {"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    for name in rs.TOOLS:
        result = rs.evaluate(judged, run, ["nDCG@2", "P@2"], like=name)
        assert result.like == name
        assert main(["measures", "--tools", name]) == 0
        assert name in capsys.readouterr().out


def test_the_command_shows_tools_side_by_side(capsys):
    assert (
        main(["measures", "--tools", "R@5", "--grades", "1,1,0,1,0", "--missed", "1,1,1,1,1,1,1"])
        == 0
    )
    table = capsys.readouterr().out.split("\n\n")[0].splitlines()[2:]
    rows = {line.split()[0]: line.split()[1] for line in table}
    assert (rows["trec_eval-9"], rows["lenskit-2025"], rows["torchmetrics-1"]) == (
        "0.3000",
        "0.6000",
        "1.0000",
    )
    assert main(["measures", "--tools", "--diff", "trec_eval-9", "trec_eval-10"]) == 0
    assert "precision    float32" in capsys.readouterr().out
    assert main(["measures", "--tools"]) == 0
    assert "Tools whose numbers --like gives:" in capsys.readouterr().out
    assert main(["measures", "--tools", "--diff", "ranx", "nothing"]) == 2
    assert main(["measures", "--tools", "AP", "--diff", "ranx", "beir"]) == 2
    assert main(["measures", "--tools", "--grades", "1"]) == 2


def test_a_run_from_standard_input_can_be_read_again(tmp_path):
    qrels = write_qrels(tmp_path / "qrels", TEN)
    run = write_run(tmp_path / "run", {"q": dict(zip(HITS["q"], range(9, 4, -1), strict=True))})
    call = [sys.executable, "-m", "rankstone", "reconcile", "AP@5", str(qrels), "-"]
    with run.open("rb") as stdin:
        piped = subprocess.run(
            [*call, "--value", "0.550"],
            input=stdin.read(),
            capture_output=True,
            check=True,
        )
    assert b"denominator='min(R,k)'" in piped.stdout


def hits_of_which_some_are_complete():
    """Return 500 questions, 483 of which have one of one to three relevant documents in the first 5."""
    judged = {f"q{i}": [f"r{n}" for n in range(1 + i % 3)] for i in range(500)}
    ranked = {q: ["x", "r0" if i < 483 else "y", "z", "u", "v"] for i, q in enumerate(judged)}
    return judged, ranked


@pytest.mark.parametrize("value", ["96.6%", "0.97"])
def test_a_hit_rate_sold_as_recall_is_named_first(value):
    found = rs.reconcile("R@5", *hits_of_which_some_are_complete(), value=value)
    assert next(str(other.measure) for other in found.others) == "Success@5"
    lines = str(found).splitlines()
    assert lines[1] == "Another measure that is often reported as R@5 gives it: Success@5 = 0.9660."
    assert all(len(candidate.choices) < 2 for candidate in found.found)


def test_tools_that_agree_with_the_default_are_counted():
    data = hits_of_which_some_are_complete()
    usual = rs.evaluate(*data, "R@5")["R@5"]
    found = rs.reconcile("R@5", *data, value=f"{usual:.6f}")
    last = str(found).splitlines()[-1]
    assert re.fullmatch(r"So do \d\d tools, such as (\S+ as \S+, ){2}\S+ as \S+\.", last)
    assert int(last.split()[2]) == len(found.tools) > 20


SEARCH = Path(__file__).parents[2] / "examples" / "search"


QRELS, BM25, DENSE = (str(SEARCH / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def test_reconcile_tries_cutoffs_and_other_measures_and_says_what_is_chance():
    def reconciled(measure, reported, digits=6):
        value = f"{rs.evaluate(QRELS, BM25, reported)[reported]:.{digits}f}"
        return str(rs.reconcile(measure, QRELS, BM25, value=value))

    assert "One choice explains it: k=20." in reconciled("nDCG@10", "nDCG@20")
    assert "One choice explains it: k=20." in reconciled("AP", "AP@20")
    assert "Another measure gives it: P@10 = 0.3575" in reconciled("R@10", "P@10")
    assert "by chance" not in reconciled("nDCG@10", "nDCG@20")
    few = str(rs.reconcile("nDCG@10", QRELS, BM25, value="0.5"))
    assert "0.5 has few digits: about " in few


def test_parameters_of_other_measures_that_only_share_a_name_are_not_tried():
    """P and R have a denominator each, and R's is never the number of retrieved documents."""
    found = rs.reconcile("P(denominator='retrieved')", [1, 0], [2.0, 1.0], value="0.5")
    assert found.usual.value == 1 / 2
