"""Agreement and planning, through the verbs and the commands."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main

SEARCH = Path(__file__).resolve().parents[2] / "examples" / "search"
QRELS = str(SEARCH / "qrels.txt")
RUNS = [str(SEARCH / f"{name}.run") for name in ("bm25", "dense", "hybrid")]


def run(capsys, *args):
    code = main(list(map(str, args)))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def other_judge(tmp_path):
    """Return judgments in which every fifth grade is another."""
    rows = [line.split() for line in Path(QRELS).read_text().splitlines()]
    for row in rows[::5]:
        row[3] = "1" if row[3] == "0" else "0"
    path = tmp_path / "model.qrels"
    path.write_text("".join(" ".join(row) + "\n" for row in rows))
    return str(path)


def test_two_runs(capsys):
    code, out, _ = run(capsys, "agree", RUNS[0], RUNS[2], "--format", "json", "--overlap-at", 5)
    data = json.loads(out)
    assert (code, data["queries"]) == (0, 40)
    assert list(data["means"]) == ["tau_a", "tau_b", "tau_ap", "rbo", "residual", "overlap@5"]
    values = [one["overlap"]["5"] for one in data["per_query"].values()]
    assert data["means"]["overlap@5"] == pytest.approx(np.mean(values), rel=1e-12)
    _, out, _ = run(capsys, "agree", RUNS[0], RUNS[0], "-q")
    assert out.splitlines()[2].split()[:2] == ["q01", "1.0000"]
    assert len(out.splitlines()) == 2 + 40 + 1 + 2


def test_runs_in_memory():
    found = rs.agree_runs(
        {"q": ["a", "b"], "r": ["a"]}, {"q": {"a": 2.0, "b": 1.0}, "s": {"a": 1.0}}
    )
    assert found.means()["tau_a"] == 1.0
    assert (found.only_first, found.only_second) == (("r",), ("s",))
    with pytest.raises(rs.NothingInCommonError, match="no query in common"):
        rs.agree_runs({"q": ["a"]}, {"r": ["a"]})


def test_two_sets_of_judgments(capsys, other_judge):
    metrics = pytest.importorskip("sklearn.metrics")
    code, out, _ = run(capsys, "agree", QRELS, other_judge, *RUNS, "--format", "json")
    data = json.loads(out)
    grades = [
        [int(line.split()[3]) for line in Path(path).read_text().splitlines()]
        for path in (QRELS, other_judge)
    ]
    kappa = metrics.cohen_kappa_score(*grades)
    assert code == 0
    assert data["judgments"]["kappa"] == pytest.approx(kappa, abs=1e-12)
    assert data["orderings"]["systems"] == ["bm25", "dense", "hybrid"]
    _, out, _ = run(capsys, "agree", QRELS, other_judge)
    assert "The same grade for 80.0 % of them." in out
    assert "documents by grade: the first set in rows" in out


def test_orders_of_systems_by_two_measures(capsys):
    code, out, _ = run(capsys, "agree", QRELS, *RUNS, "-m", "nDCG@10", "-m", "P@5")
    assert code == 0
    assert out.startswith("Order of 3 systems by nDCG@10 and by P@5: tau ")
    judgments = {"q": {"a": 1}}
    runs = {"one": {"q": ["a"]}, "two": {"q": ["b", "a"]}}
    found = rs.agree_orderings(judgments, {"q": {"b": 1}}, runs, ["RR"])
    assert found.swapped == (("one", "two"),)
    fewer = rs.agree_orderings(judgments, judgments, runs, ["RR", "Unjudged@2"])
    assert fewer.tau_a == 1.0


def test_power(capsys):
    args = ("power", QRELS, *RUNS[:2], "-m", "AP", "--quiet")
    code, out, _ = run(capsys, *args, "--difference", 0.05, "-n", 100, "--format", "json")
    plan = json.loads(out)["AP"]
    values = [rs.evaluate(QRELS, path, "AP").values("AP") for path in RUNS[:2]]
    sd = (values[1] - values[0]).std(ddof=1)
    assert (code, plan["pilot_n"], plan["n"]) == (0, 40, 100)
    assert plan["sd"] == pytest.approx(sd, rel=1e-12)
    approximate = ((1.959964 + 0.841621) * sd / 0.05) ** 2
    assert approximate < plan["queries"] < approximate + 4
    _, out, _ = run(capsys, *args)
    assert "40 queries can show a difference of " in out
    assert "the pilot's, needs " in out
    _, out, _ = run(capsys, *args, "--difference", 0.02)
    assert re.search(r"A difference of 0.020 needs 2,\d{3} queries\.", out)
    _, out, _ = run(capsys, *args, "--difference", 1e-7)
    assert "A difference of 1e-07 needs more than 1,000,000,000 queries." in out
    _, out, _ = run(capsys, *args, "--difference", 1e-7, "--format", "json")
    assert json.loads(out)["AP"]["queries"] is None


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["agree", QRELS], 2, "give RUN RUN, QRELS QRELS [RUN...] or QRELS RUN RUN..."),
        (["agree", RUNS[0], QRELS], 2, "these are run, judgments"),
        (["agree", QRELS, *RUNS], 2, "name the two measures that order the systems"),
        (["agree", RUNS[0], RUNS[1], "-p", "2"], 2, "p must be between 0 and 1"),
        (["power", QRELS, RUNS[0]], 2, "at least QRELS and two runs: rankstone power"),
        (["power", QRELS, *RUNS, "--quiet"], 2, "a pilot is two runs, not 3"),
        (["power", QRELS, *RUNS[:2], "--quiet", "--power", "2"], 2, "power must be between 0 and 1"),
        (["power", QRELS, *RUNS[:2], "-n", "1"], 2, "--queries must be at least 2"),
        (["power", QRELS, *RUNS[:2], "--difference", "0"], 2, "must be a number other than 0"),
    ],
)  # fmt: skip
def test_errors(capsys, args, code, message):
    got, out, err = run(capsys, *args)
    assert (got, out) == (code, "")
    assert message in err.splitlines()[-1]
