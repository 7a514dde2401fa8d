"""Which column holds what, by name, by kind, and as somebody says."""

import json

import polars as pl
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.io.column_roles import (
    Columns,
    candidates,
    check_columns,
    judgment_roles,
    looks_like_header,
    names_in,
    run_roles,
    subtopic_columns,
    wanted_names,
)
from rankstone.verbs.load import load_judgments


def kinds(names):
    """Return which columns are numbers: those whose name ends in a digit, or means one."""
    numbers = ("score", "sim", "rank", "relevance", "label", "distance", "time")
    return {n: "number" if n in numbers or n[-1].isdigit() else "text" for n in names}


def names_of(text):
    return text.split()


@pytest.mark.parametrize(
    ("names", "columns", "roles", "found"),
    [
        ("query doc score", None, "query doc score", ("query", "doc", "score")),
        ("doc query sim", None, "query doc score", ("query", "doc", "sim")),
        ("query doc score rank", None, "query doc score rank", ("query", "doc", "score", "rank")),
        ("query doc score position", None, "query doc score", ("query", "doc", "score")),
        ("query doc rank", None, "query doc rank", ("query", "doc", "rank")),
        ("query doc", None, "query doc score", ("query", "doc", None)),
        ("query doc note", None, "query doc score", ("query", "doc", None)),
        ("query doc x1", {"score": None}, "query doc score", ("query", "doc", None)),
        ("query doc x1", {"score": "x1"}, "query doc score", ("query", "doc", "x1")),
        ("query doc x1", {"score": ["y1", "x1"]}, "query doc score", ("query", "doc", "x1")),
        ("query doc x1", {"distance": "x1"}, "query doc distance", ("query", "doc", "x1")),
        ("query doc score x1", {"distance": "x1"}, "query doc distance", ("query", "doc", "x1")),
        ("query doc score", {"distance": None}, "query doc score", ("query", "doc", "score")),
        ("query doc predicted score", None, "query doc score", ("query", "doc", "score")),
        ("query doc score sim", {"score": "sim"}, "query doc score", ("query", "doc", "sim")),
        ("docid docno query", None, "query doc score", ("query", "docno", None)),
    ],
)
def test_columns_of_a_run(names, columns, roles, found):
    chosen = run_roles("run", names_of(names), columns, kinds)
    assert (chosen.all, chosen.names) == (tuple(names_of(roles)), found)
    assert chosen.number_role == names_of(roles)[2]


@pytest.mark.parametrize(
    ("names", "columns", "graded", "grade"),
    [
        ("query doc relevance", None, True, "relevance"),
        ("query doc relevance", None, False, None),
        ("query doc rating label", None, True, "label"),
        ("query doc time", None, True, None),
        ("query doc note", None, True, None),
        ("query doc x1", {"grade": None}, True, None),
        ("query doc x1", {"grade": "x1"}, True, "x1"),
        ("query1 doc1", {"query": "query1", "doc": "doc1"}, True, None),
    ],
)
def test_columns_of_judgments(names, columns, graded, grade):
    chosen = judgment_roles("judgments", names_of(names), columns, graded, kinds)
    assert chosen.all == ("query", "doc", "grade")
    assert chosen.names == (*names_of(names)[:2], grade)


PASS, PLURAL = "cannot tell which column holds the", "cannot tell which columns hold the"


@pytest.mark.parametrize(
    ("names", "columns", "message"),
    [
        ("query doc x1", None, f"{PASS} scores. Columns: 'query', 'doc', 'x1'. Pass columns={{'score': 'x1'}} (--columns score=x1); columns={{'score': None}} (--columns score=) ranks by the order of the rows."),
        ("query doc label", None, f"{PASS} scores. Columns: 'query', 'doc', 'label'. This looks like judgments; the order is judgments first, then runs. Pass columns={{'score': 'label'}} (--columns score=label); columns={{'score': None}} (--columns score=) ranks by the order of the rows."),
        ("query doc x1 distance", None, f"{PASS} scores. Columns: 'query', 'doc', 'x1', 'distance'. Pass columns={{'distance': 'distance'}} (--columns distance=distance) to rank the lowest first; columns={{'score': None}} (--columns score=) ranks by the order of the rows."),
        ("query doc score sim", None, "which column holds the scores, 'score' or 'sim'? Say so: columns={'score': 'score'} (--columns score=score)."),
        ("query doc doc score", None, "there are several columns 'doc'; rename all but one."),
        ("query doc score", {"score": "scores"}, "there is no column 'scores'. Did you mean score? Columns: 'query', 'doc', 'score'."),
        ("query doc", {"score": ["a1", "b1"]}, "there is no column 'a1' or 'b1'. Columns: 'query', 'doc'."),
        ("query x1", None, f"{PASS} documents. Columns: 'query', 'x1'. Pass columns={{'doc': 'x1'}} (--columns doc=x1)."),
        ("query name x1", None, f"{PLURAL} documents and the scores. Columns: 'query', 'name', 'x1'. Pass columns={{'doc': 'name', 'score': 'x1'}} (--columns doc=name,score=x1)."),
        ("query name rank", None, f"{PASS} documents. Columns: 'query', 'name', 'rank'. Pass columns={{'doc': 'name'}} (--columns doc=name)."),
        ("asked name x1", {"query": "asked"}, f"{PLURAL} documents and the scores. Columns: 'asked', 'name', 'x1'. Pass columns={{'doc': 'name', 'score': 'x1'}} (--columns doc=name,score=x1)."),
        ("asked name x1", None, f"{PLURAL} queries, the documents and the scores. Columns: 'asked', 'name', 'x1'. Pass columns={{'query': 'asked', 'doc': 'name', 'score': 'x1'}} (--columns query=asked,doc=name,score=x1)."),
        ("query", {"doc": None}, f"{PASS} documents. Columns: 'query'. Pass columns={{'doc': ...}} (--columns doc=...)."),
        ("", None, f"{PLURAL} queries and the documents. Columns: none. Pass columns={{'query': ..., 'doc': ...}} (--columns query=...,doc=...)."),
        ("query documen score", None, f"{PASS} documents. Columns: 'query', 'documen', 'score'. Pass columns={{'doc': 'documen'}} (--columns doc=documen)."),
    ],
)  # fmt: skip
def test_columns_of_a_run_that_cannot_be_told(names, columns, message):
    with pytest.raises(rs.DataError) as caught:
        run_roles("run", names_of(names), columns, kinds)
    assert str(caught.value) == f"run: {message}"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("query doc x1", f"{PASS} grades. Columns: 'query', 'doc', 'x1'. Pass columns={{'grade': 'x1'}} (--columns grade=x1); columns={{'grade': None}} (--columns grade=) counts every row as relevant."),
        ("query doc score", f"{PASS} grades. Columns: 'query', 'doc', 'score'. This looks like a run; the order is judgments first, then runs. Pass columns={{'grade': 'score'}} (--columns grade=score); columns={{'grade': None}} (--columns grade=) counts every row as relevant."),
        ("query doc distance", f"{PASS} grades. Columns: 'query', 'doc', 'distance'. Pass columns={{'grade': 'distance'}} (--columns grade=distance); columns={{'grade': None}} (--columns grade=) counts every row as relevant."),
        ("query doc relevance label", "which column holds the grades, 'relevance' or 'label'? Say so: columns={'grade': 'relevance'} (--columns grade=relevance)."),
    ],
)  # fmt: skip
def test_columns_of_judgments_that_cannot_be_told(names, message):
    with pytest.raises(rs.DataError) as caught:
        judgment_roles("judgments", names_of(names), None, True, kinds)
    assert str(caught.value) == f"judgments: {message}"


@pytest.mark.parametrize(
    ("columns", "allowed"),
    [
        (None, True),
        ({}, True),
        ({"score": "a"}, True),
        ({"distance": "a"}, True),
        ({"score": None, "distance": "a"}, True),
        ({"score": "a", "distance": None}, True),
        ({"score": "a", "distance": "b"}, False),
        ({"expected": "a", "retrieved": "b"}, True),
        ({"scores": "a"}, False),
    ],
)
def test_roles_that_can_be_named(columns, allowed):
    if allowed:
        assert Columns.of(columns) == (columns or {})
        return
    with pytest.raises(rs.UsageError):
        check_columns(columns)


def test_columns_know_whether_they_were_of_use():
    columns = Columns.of({"score": "x1"})
    with pytest.raises(rs.UsageError, match=r"columns are named \(score='x1'\)"):
        columns.check_used()
    assert wanted_names(columns, "grade") == []
    assert not columns.used
    assert wanted_names(columns, "score") == ["x1"]
    columns.check_used()
    Columns.of(None).check_used()
    for call in (lambda c: run_roles("r", ["query", "doc", "x1"], c, kinds),
                 lambda c: judgment_roles("j", ["query", "doc"], c, False, kinds)):  # fmt: skip
        columns = Columns.of({"score": "x1"})
        call(columns)
        assert columns.used


def test_names_of_columns():
    assert names_in({"score": "a", "query": ["b", "c"], "grade": None}) == {"a", "b", "c"}
    assert names_in(None) == set()
    assert looks_like_header(["query", "doc"])
    assert not looks_like_header(["query", "score"])
    assert not looks_like_header(["doc", "score"])
    assert candidates("score", ["sim", "x", "Score", "sim"]) == ["Score", "sim"]
    assert subtopic_columns("j", ["intent", "vital"], None) == ("intent", "vital")
    assert subtopic_columns("j", ["vital"], None) == (None, None)


TWO = {
    "grade": ({"qid": ["1", "1"], "docno": ["a", "b"], "rating": [1, 5], "label": [1, 0]}, "judgments"),
    "score": ({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1.0, 0.5], "sim": [0.1, 0.9]}, "run"),
}  # fmt: skip


def columns_as(columns, folder):
    frame = pl.DataFrame(columns)
    frame.write_csv(folder / "table.csv")
    frame.write_csv(folder / "table.tsv", separator="\t")
    frame.write_parquet(folder / "table.parquet")
    (folder / "table.jsonl").write_text("".join(json.dumps(r) + "\n" for r in frame.to_dicts()))
    files = [folder / f"table.{kind}" for kind in ("csv", "tsv", "parquet", "jsonl")]
    return [frame, frame.to_pandas(), frame.to_dicts(), *files]


IGNORED = {
    "prels": ("1 d1 1 0 0.5\n1 d2 0 1 0.25\n", "warning", "sampling methods are not read"),
    "a fifth column": ("1 0 d1 1 x\n1 0 d2 0 y\n", "note", "the fifth column is not read"),
}


@pytest.mark.parametrize("role", TWO)
def test_two_columns_that_may_be_meant_are_an_error(engine, tmp_path, role):
    columns, kind = TWO[role]
    first, second = list(columns)[2:]
    other = {"1": {"a": 1}}
    for data in columns_as(columns, tmp_path):
        given = (data, other) if kind == "judgments" else (other, data)
        with pytest.raises(
            rs.DataError, match=f"holds the {role}s?, .*{first}.*|.*{second}.*"
        ) as caught:
            rs.evaluate(*given, "RR")
        assert first in str(caught.value)
        assert second in str(caught.value)
        if str(data).endswith("jsonl"):
            assert "Keep one of them" in str(caught.value)
            continue
        assert f"--columns {role}=" in str(caught.value)
        for name in (first, second):
            rs.evaluate(*given, "RR", columns={role: name})


def test_a_column_of_text_is_no_second_candidate(engine, tmp_path):
    columns = {"qid": ["1", "1"], "docno": ["a", "b"], "label": ["bad", "good"], "rating": [0, 2]}
    for data in columns_as(columns, tmp_path):
        if str(data).endswith("jsonl"):
            continue
        assert rs.evaluate(data, {"1": ["a", "b"]}, "RR")["RR"] == 0.5, data


@pytest.mark.parametrize("case", IGNORED)
def test_columns_that_are_dropped_are_said(engine, tmp_path, capsys, case):
    text, level, words = IGNORED[case]
    (tmp_path / "qrels").write_text(text)
    result = rs.evaluate(tmp_path / "qrels", {"1": ["d1", "d2"]}, "RR")
    (notice,) = (n for n in result.notices if n.code == "ignored-columns")
    assert (notice.level, words in notice.text) == (level, True)
    assert main(["validate", str(tmp_path / "qrels")]) == (1 if level == "warning" else 0)
    assert words in capsys.readouterr().out


def test_ordinary_judgments_drop_nothing(engine, tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n2 0 d1 1\n")
    assert load_judgments(tmp_path / "qrels").notices == ()
