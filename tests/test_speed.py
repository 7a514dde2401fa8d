"""Work that does not depend on the clock: stages of ``--timing``, several runs at once."""

import re
from types import SimpleNamespace

import pytest

from rankstone.cli import main
from rankstone.core import timing

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
    with timing.timed() as seconds, timing.stage("scan"), timing.stage("match"):
        pass
    assert (seconds["scan"], seconds["match"]) == (3.0, 4.0)


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
