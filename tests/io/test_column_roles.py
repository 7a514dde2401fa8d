"""Which column holds what, by name, by kind, and as somebody says."""

import pytest

import rankstone as rs
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


PASS = "cannot tell which column holds the"


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
        ("query x1", None, f"{PASS} documents. Columns: 'query', 'x1'. Pass columns={{'doc': ...}} (--columns doc=...)."),
        ("query", {"doc": None}, f"{PASS} documents. Columns: 'query'. Pass columns={{'doc': ...}} (--columns doc=...)."),
        ("", None, f"{PASS} queries. Columns: none. Pass columns={{'query': ...}} (--columns query=...)."),
        ("query documen score", None, f"{PASS} documents. Did you mean documen? Columns: 'query', 'documen', 'score'. Pass columns={{'doc': ...}} (--columns doc=...)."),
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
