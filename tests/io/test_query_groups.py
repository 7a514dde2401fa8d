"""Tests of query groups."""

from __future__ import annotations

import json

import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.io.query_groups import groups_in_records, read_query_groups


def grouped(tmp_path, text):
    path = tmp_path / "groups"
    path.write_text(text)
    return read_query_groups(str(path))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ('"q1"\ta\nq2\t"b c"\n', {'"q1"': "a", "q2": '"b c"'}),
        ('"q,1",a\nq2,b,c\n', {"q,1": "a", "q2": "b,c"}),
        ('"q;1";a\nq2;"b;c"\n', {"q;1": "a", "q2": "b;c"}),
        ('q1 "a b"\nq2 c, d\n', {"q1": '"a b"', "q2": "c, d"}),
        ("sep=;\nq1;a\n", {"q1": "a"}),
        ("SEP=,\nq1,a\n", {"q1": "a"}),
        ("sep=;x y\nq1;a\n", {"sep=": "x y", "q1": "a"}),
        ("sep;a\nq1;b\n", {"sep": "a", "q1": "b"}),
        ("q1 a\nsep b\n", {"q1": "a", "sep": "b"}),
        ("q1;a,b\nq2;c\n", {"q1": "a,b", "q2": "c"}),
        ("q1,a;b\nq2,c\n", {"q1": "a;b", "q2": "c"}),
        ("#x y\n\nq1 a\n", {"q1": "a"}),
    ],
)
def test_what_stands_between_a_query_and_its_group(tmp_path, text, groups):
    assert grouped(tmp_path, text).group_of == groups


def test_a_line_without_a_group_is_shown_up_to_80_characters(tmp_path):
    with pytest.raises(rs.DataError) as caught:
        grouped(tmp_path, "\n# c\nq1\ta\n" + "x" * 81 + "\n")
    assert str(caught.value) == (
        f"{tmp_path / 'groups'}:4: expected a query and its group, with a tab between them as in "
        f"line 3, found {'x' * 80!r}."
    )


def test_queries_without_a_group_and_groups_without_a_query_are_counted(tmp_path):
    groups = grouped(tmp_path, "".join(f"q{i} a\n" for i in range(5)))
    without, unused = groups.notices(["q0", "x1", "x2", "x3", "x4"])
    assert (without.count, without.examples) == (4, ("x1", "x2", "x3"))
    assert without.text == f"4 of 5 queries without a group in {groups.path}; shown as (no group)"
    assert (unused.count, unused.examples) == (4, ("q1", "q2", "q3"))
    assert unused.text == f"4 queries of {groups.path} not evaluated; ignored"
    assert groups.notices([f"q{i}" for i in range(5)]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 a\x1fb\n", ":1: control character 0x1f."),
        ("q1\ta\nq2\tb\rq3\tc\n", ":2: control character 0x0d. The file seems to have CR-only line ends; convert them."),
        ("q1 a\nq2 b\nq1 b\n", ":3: query 'q1' has the group 'b' here, and 'a' in {path}:1. Give it one group."),
        ("q1 (no group)\n", ":1: '(no group)' cannot be the name of a group; it has a meaning. Rename it."),
        ("query group\n", ": the file names no query. Write a query and its group in each line, with a tab between them."),
    ],
)  # fmt: skip
def test_a_file_of_groups_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(rs.DataError) as caught:
        grouped(tmp_path, text)
    path = tmp_path / "groups"
    assert str(caught.value) == f"{path}{message.format(path=path)}"


@pytest.mark.parametrize(("record", "group"), [({"kind": "a"}, "a"), ({"metadata": {"kind": "b"}}, "b"), ({"kind": ["a", 1]}, "a, 1"), ({"kind": "a", "metadata": {"kind": "b"}}, "a")])  # fmt: skip
def test_groups_in_records(tmp_path, record, group):
    path = tmp_path / "records.jsonl"
    rows = [{"query_id": "q", "expected": ["d"]} | record, {"query_id": "r", "expected": ["d"]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n")
    assert groups_in_records(str(path), "kind").group_of == {"q": group}


def test_groups_under_a_path_of_keys(tmp_path, capsys):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"id": "q", "gold": ["a"], "retrieved": ["a"], "meta": {"kind": "easy"}}\n')
    command = ["evaluate", str(path), str(path), "-m", "RR", "--format", "tsv", "--by"]
    assert main([*command, "meta.kind"]) == 0
    assert "\teasy\t" in capsys.readouterr().out
    assert main([*command, "meta.sort"]) == 3
    assert "no record has the key 'meta.sort'" in capsys.readouterr().err


def test_groups_in_records_go_by_the_query_that_columns_name(tmp_path):
    path = tmp_path / "records.jsonl"
    rows = [
        {"id": number, "asked": {"text": text}, "gold": ["d"], "results": ["d"], "kind": kind}
        for number, (text, kind) in enumerate([("why?", "a"), ("how?", "b")])
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = {"query": "asked.text"}
    found = rs.compare(path, {"x": path, "y": path}, "RR", by="kind", columns=columns)
    assert {pair.group for pair in found.slices} == {"a", "b"}


@pytest.mark.parametrize("group", ["(no group)", "mean"])
def test_a_group_in_records_has_a_name_of_its_own(tmp_path, group):
    path = tmp_path / "records.jsonl"
    rows = [{"query_id": q, "expected": ["d"], "kind": group} for q in "qr"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(rs.DataError) as caught:
        groups_in_records(str(path), "kind", taken=["mean"])
    assert (
        str(caught.value)
        == f"{path}:1: {group!r} cannot be the name of a kind; it has a meaning. Rename it."
    )


def test_groups_of_queries_from_a_spreadsheet(tmp_path):
    from rankstone.io.query_groups import read_query_groups

    (tmp_path / "by.csv").write_text("sep=;\nquery;type\nq1;a, b\nq2;c\n")
    groups = read_query_groups(str(tmp_path / "by.csv")).fitted(["q1", "q2"])
    assert groups.group_of == {"q1": "a, b", "q2": "c"}
    (tmp_path / "by.csv").write_text("q1,a; b\n")
    assert read_query_groups(str(tmp_path / "by.csv")).group_of == {"q1": "a; b"}


@pytest.mark.parametrize(
    ("first", "names"),
    [("Wort;Art", ["brand", "kind"]), ("q0;kind", ["kind", "brand"]), ("q3;new", ["new", "brand", "kind"])],
)  # fmt: skip
def test_the_header_of_a_file_of_groups_is_not_a_group(tmp_path, first, names):
    groups = grouped(tmp_path, f"{first}\nq1;brand\nq2;kind\n").fitted(["q1", "q2", "q3"])
    assert groups.names == names
    unused = [
        n.examples for n in groups.notices(["q1", "q2", "q3"]) if n.code == "grouped-not-evaluated"
    ]
    assert unused == ([("q0",)] if first.startswith("q0") else [])


def test_json_is_not_read_as_queries_and_groups(tmp_path):
    path = tmp_path / "questions.jsonl"
    runs = {"a": {"q": ["d"]}, "b": {"q": ["e"]}}
    lines = (
        '{"question_id": "q", "kind": "how"}\n',
        '{ "q": "how" }\n',
        '[{"query":"q","kind":1}]\n',
    )
    for line in lines:
        path.write_text(line)
        with pytest.raises(rs.DataError, match=r"questions.jsonl:1: this is JSON.*jq -r"):
            rs.compare({"q": {"d": 1}}, runs, "RR", by=path)
    path.write_text("{1f}\thow\n")
    assert read_query_groups(str(path)).group_of == {"{1f}": "how"}


def test_the_groups_of_one_run_are_those_of_its_result():
    with pytest.raises(rs.UsageError, match=r"by= goes with compare.*\.by_group\(measure, "):
        rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "RR", by={"q": "how"})
