"""What makes it fast and must not change a bit; stages of ``--timing``; several runs at once."""

import random
import re
from types import SimpleNamespace

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.core import counted, ranked, timing

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"


@pytest.fixture
def qrels(tmp_path):
    path = tmp_path / "qrels"
    path.write_text(QRELS)
    return str(path)


def run_of(tmp_path, name, *docs):
    lines = [f"q1 Q0 {doc} {rank} {9 - rank} t\n" for rank, doc in enumerate(docs, 1)]
    path = tmp_path / name
    path.write_text("".join(lines) + "q2 Q0 c 1 1 t\n")
    return str(path)


def test_timing_names_every_stage_and_leaves_the_output_alone(qrels, tmp_path, capsys):
    command = ["evaluate", qrels, run_of(tmp_path, "r.run", "a", "b"), "-m", "AP"]
    assert main(command) == 0
    plain = capsys.readouterr()
    assert main([*command, "--timing"]) == 0
    timed_output = capsys.readouterr()
    assert timed_output.out == plain.out
    line = timed_output.err.removeprefix(plain.err).strip()
    names = re.findall(r"([a-z]+) \d+\.\d{3} s", line)
    assert names == [*timing.STAGES, "all"]


def test_a_stage_within_another_has_its_own_time(monkeypatch):
    clock = iter([0.0, 1.0, 5.0, 7.0])
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    with timing.timed() as seconds, timing.stage("scanning"), timing.stage("matching"):
        pass
    assert (seconds["scanning"], seconds["matching"]) == (3.0, 4.0)


def test_many_runs_are_in_the_order_of_the_command(qrels, tmp_path, capsys):
    runs = [run_of(tmp_path, f"{i}.run", *("a" if i % 3 else "b", "x", "y")) for i in range(9)]
    assert main(["evaluate", qrels, *runs, "-m", "RR"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows] == [str(i) for i in range(9)]
    assert [float(row[2]) for row in rows] == [1.0 if i % 3 else 0.5 for i in range(9)]


def test_of_many_runs_at_fault_the_first_is_named(qrels, tmp_path, capsys):
    good = run_of(tmp_path, "good.run", "a")
    faulty = []
    for name in ("first.run", "second.run"):
        path = tmp_path / name
        path.write_text("q1 Q0 a 1 x t\n")
        faulty.append(str(path))
    assert main(["evaluate", qrels, good, *faulty, "-m", "RR"]) == 3
    assert "first.run" in capsys.readouterr().err


def judged_and_run():
    rng = random.Random(4)
    judged, run = {}, {}
    for query in map(str, range(60)):
        docs = rng.sample(range(60), rng.randint(1, 30))
        judged[query] = {f"d{doc}": rng.choice((-1, 0, 0, 1, 2, 3)) for doc in docs}
        docs = rng.sample(range(60), rng.randint(1, 40))
        run[query] = {f"d{doc}": round(rng.random(), rng.choice((1, 6))) for doc in docs}
    return judged, run


@pytest.mark.parametrize(
    "choices", [{}, {"like": "trec_eval-9"}, {"ties": "optimistic"}, {"unjudged": "remove"}]
)
def test_parts_of_the_queries_give_the_same_bits(choices, monkeypatch):
    names = ["nDCG@10", "AP", "RR", "P@5", "R@20", "Bpref", "Rprec", "AUC", "RBP", "F@10"]
    whole = rs.evaluate(*judged_and_run(), names, **choices)
    monkeypatch.setattr(ranked, "_BLOCK", 50)
    parts = rs.evaluate(*judged_and_run(), names, **choices)
    assert parts.aggregates == whole.aggregates
    for name in names:
        assert parts.columns[name].tobytes() == whole.columns[name].tobytes()


def test_parts_of_the_queries_cover_their_own_subtopics(tmp_path, monkeypatch):
    qrels = tmp_path / "qrels"
    rows = [
        (q, s, d)
        for q in range(40)
        for s in (1, 2, 3)
        for d in range(q % 5 + 1)
        if (q + d) % s == 0
    ]
    qrels.write_text("".join(f"{q} {s} d{d} 1\n" for q, s, d in rows))
    run = {str(q): [f"d{(q + d) % 7}" for d in range(7)] for q in range(40)}
    names = ["StRecall@2", "alpha_DCG@5", "StCoverage@3"]
    whole = rs.evaluate(qrels, run, names)
    monkeypatch.setattr(ranked, "_BLOCK", 10)
    parts = rs.evaluate(qrels, run, names)
    for name in names:
        assert parts.columns[name].tobytes() == whole.columns[name].tobytes()


@pytest.mark.parametrize("decimals", [1, 3, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_table_is_counted_without_a_change_of_bits(decimals, dtype, monkeypatch):
    rng = np.random.default_rng(3)
    scores = rng.random((120, 800)).round(decimals).astype(dtype)
    labels = (rng.integers(0, 4, scores.shape) * (rng.random(scores.shape) < 0.05)).astype(dtype)
    measures = [rs.Success @ 10, rs.nDCG @ 10, rs.P @ 5, rs.R @ 20, rs.AP @ 10, rs.RR @ 10]
    cut = [measure(labels, scores) for measure in measures]
    monkeypatch.setattr(counted, "suffices", lambda *_: False)
    for measure, values in zip(measures, cut, strict=True):
        assert values.tobytes() == measure(labels, scores).tobytes()
