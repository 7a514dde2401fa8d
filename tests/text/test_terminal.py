"""Tests of terminal."""

from __future__ import annotations

import time
from io import StringIO
from types import SimpleNamespace

from rankstone.cli.terminal import progress
from rankstone.core.text import width, wrapped
from rankstone.text.blocks import Grid, Line
from rankstone.text.terminal import shortened, terminal


def lines_of(names, numbers, rows):
    return list(terminal([[Grid(names, numbers, [Line(*row) for row in rows])]], columns=40))


def test_few_rows_that_are_too_wide_are_turned_around():
    measures = [f"nDCG@{k}" for k in (1, 5, 10, 20, 100)]
    lines = lines_of(["run"], measures, [(["bm25"], ["0.1", "0.2", "0.3", "0.4", "0.5"])])
    assert lines[0].split() == ["run", "bm25"]
    assert [line.split() for line in lines[2:]] == [
        [m, f"0.{i}"] for i, m in enumerate(measures, 1)
    ]


def test_many_rows_that_are_too_wide_are_divided_and_long_ids_are_cut():
    queries = [f"https://example.org/questions/{i}/what-is-it" for i in range(9)]
    measures = [f"nDCG@{k}" for k in (1, 5, 10, 20, 100)]
    lines = lines_of(["query"], measures, [([q], ["0.1234"] * 5) for q in queries])
    assert max(map(width, lines)) <= 40
    heads = [line.split() for line in lines if line.startswith("query")]
    assert [m for head in heads for m in head[1:]] == measures
    assert len(heads) > 1
    assert sum("…" in line for line in lines) == 9 * len(heads)


def test_wide_characters_stay_aligned():
    lines = lines_of(["查询"], ["AP"], [(["什么是排序"], ["0.5"]), (["q"], ["0.25"])])
    assert len({width(line) for line in lines}) == 1
    assert shortened("什么是排序学习", 7) == "什…习"
    assert shortened("short", 7) == "short"


def test_sentences_with_wide_characters_fit_the_terminal():
    text = "Cannot tell whether 新模型 is better than 基线模型 on 防水徒步鞋男款的查询集合, not yet"
    lines = wrapped(text, 30, "  ")
    assert max(map(width, lines)) <= 30
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_several_long_runs_show_how_far_they_are(monkeypatch):
    shown = StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", shown)
    runs = [
        SimpleNamespace(name=name, progress=[1 << 28], source=SimpleNamespace(size=size))
        for name, size in {"bm25": 10, "混合": 1 << 30}.items()
    ]
    with progress(2, quiet=False) as watch:
        for run in runs:
            watch(run)
        while "混合 (2 of 2): 25 % of 1024 MiB" not in shown.getvalue():
            time.sleep(0.01)
    assert shown.getvalue().endswith("\r\x1b[K")
    with progress(2, quiet=True) as watch:
        watch(runs[1])
