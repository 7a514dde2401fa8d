"""Aggregates that can be seen: by group and for all, each with what it is over."""

import csv
import gzip
import io
import json
import math
import statistics
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import collections, measures, shown_on_a_terminal

import rankstone as rs
from rankstone.choices.conventions import AGGREGATES
from rankstone.cli import main
from rankstone.core.aggregate import Summary
from rankstone.io.query_groups import REST, QueryGroups, read_query_groups
from rankstone.text.groups import rows_of
from rankstone.text.results import Layout, write

ROOT = Path(__file__).resolve().parents[2]
QRELS = "q1 0 d1 1\nq2 0 d3 2\nq3 0 d1 1\nq3 0 d2 1\nq4 0 d1 0\n"
RUN = (
    "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 1 t\nq3 Q0 x 1 9 t\nq3 Q0 y 2 8 t\nq3 Q0 z 3 7 t\n"
    "q3 Q0 d1 4 6 t\nq4 Q0 d1 1 1 t\n"
)
GROUPS = "q1\teasy\nq2\teasy\nq3\tvery hard\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("bm25.run").write_text(RUN)
    Path("best.run").write_text(RUN.replace("q1 Q0 d1 2 1", "q1 Q0 d1 1 3"))
    Path("groups").write_text(GROUPS)
    return tmp_path


def run(capsys, *args, runs=("bm25.run",)):
    code = main(["evaluate", "qrels", *runs, "-m", "RR", *args])
    out, err = capsys.readouterr()
    return code, out, err


def by_hand(values, weights, how):
    """Return an aggregate, how many values it is over and how many it leaves out."""
    known = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    if how in ("mean", "sum"):
        known = [(v, w) for v, w in known if w > 0]
    n = len(known)
    only = [v for v, _ in known]
    total = sum((Fraction(v) * Fraction(w) for v, w in known), Fraction())
    if how == "sum":
        value = float(total)
    elif not known:
        value = math.nan
    elif how == "mean":
        value = float(total / sum(Fraction(w) for _, w in known))
    elif how == "median":
        value = statistics.median(only)
    else:
        value = statistics.geometric_mean([max(v, 1e-5) for v in only])
    return value, n, len(values) - n


@given(collections(), measures(), st.sampled_from(AGGREGATES), st.data())
def test_every_value_is_its_definition(pair, measure, how, data):
    judged, ranking = pair
    skip = data.draw(st.sampled_from(["zero", "skip"]))
    result = rs.evaluate(judged, ranking, [measure], ties="input", no_relevant=skip)
    name = str(measure)
    named = st.dictionaries(st.sampled_from([*result.queries, "another"]), st.sampled_from("ab"))
    group_of = data.draw(named)
    groups = QueryGroups("file", group_of)
    rows = {row.group: row for row in rows_of([result], [how], groups)}
    without = [q for q in result.queries if q not in group_of]
    assert list(rows) == [*groups.names, *([REST] if without else []), "all"]
    weights = result.weights.get(name, np.ones(len(result.queries)))
    for group, row in rows.items():
        of = {"all": result.queries, REST: without}.get(
            group, [q for q in result.queries if group_of.get(q) == group]
        )
        at = [result.queries.index(q) for q in of]
        value, n, left_out = by_hand(result.columns[name][at], weights[at], how)
        found = row.values[name]
        assert (found.how, found.n, found.left_out) == (how, n, left_out)
        assert row.queries == len(of)
        if how == "geometric":
            assert found.value == pytest.approx(value, rel=1e-12, nan_ok=True)
        else:
            assert found.value == value or (math.isnan(found.value) and math.isnan(value))
    if group_of and len(without) == len(result.queries):
        with pytest.raises(rs.DataError, match="no query that was evaluated has a group"):
            result.by_group(name, group_of, how)
        return
    by_group = result.by_group(name, group_of, how)
    for group, one in by_group.items():
        assert repr(rows[REST if group is None else group].values[name]) == repr(one)


@given(collections(), measures())
def test_the_default_for_all_is_the_result_s_own_aggregate(pair, measure):
    result = rs.evaluate(*pair, [measure, "AP", "NumRet"], ties="input")
    (row,) = rows_of([result])
    assert row.aggregate is None
    for name, value in result.aggregates.items():
        assert repr(row.values[name].value) == repr(value)
        assert row.values[name].n == result.counted[name]


def test_long_rows(here, capsys):
    args = ["--by", "groups", "--aggregate", "mean", "--aggregate", "median", "--quiet"]
    code, out, err = run(capsys, *args, "-c", "no_relevant=skip")
    assert (code, err) == (0, "")
    assert out == (
        "run\tgroup\taggregate\tmeasure\tvalue\tn\tleft_out\n"
        "bm25\teasy\tmean\tRR\t0.75\t2\t0\n"
        "bm25\teasy\tmedian\tRR\t0.75\t2\t0\n"
        "bm25\tvery hard\tmean\tRR\t0.25\t1\t0\n"
        "bm25\tvery hard\tmedian\tRR\t0.25\t1\t0\n"
        "bm25\t(no group)\tmean\tRR\t\t0\t1\n"
        "bm25\t(no group)\tmedian\tRR\t\t0\t1\n"
        f"bm25\tall\tmean\tRR\t{1.75 / 3!r}\t3\t1\n"
        "bm25\tall\tmedian\tRR\t0.5\t3\t1\n"
    )
    _, as_csv, _ = run(capsys, *args, "-c", "no_relevant=skip", "--format", "csv")
    tabs = list(csv.reader(io.StringIO(out), delimiter="\t"))
    assert list(csv.reader(io.StringIO(as_csv))) == tabs
    _, lines, _ = run(capsys, *args, "-c", "no_relevant=skip", "--format", "jsonl")
    objects = [json.loads(line) for line in lines.splitlines()]
    assert [["" if v is None else str(v) for v in o.values()] for o in objects] == tabs[1:]
    assert list(objects[0]) == tabs[0]
    _, digits, _ = run(capsys, *args, "-c", "no_relevant=skip", "--digits", "2")
    assert digits.splitlines()[5:8] == [
        "bm25\t(no group)\tmean\tRR\t\t0\t1",
        "bm25\t(no group)\tmedian\tRR\t\t0\t1",
        "bm25\tall\tmean\tRR\t0.58\t3\t1",
    ]


def test_json_holds_the_summaries_beside_the_result(here, capsys):
    args = ["--by", "groups", "--aggregate", "sum", "--format", "json"]
    _, out, _ = run(capsys, *args, runs=["bm25.run", "best.run"])
    first, second = json.loads(out)
    assert rs.Result.from_json(json.dumps(second))["RR"] == second["aggregates"]["RR"]
    shared = {"aggregate": "sum", "measure": "RR", "left_out": 0}
    assert first["summaries"] == [
        {"group": "easy", "value": 1.5, "n": 2, **shared},
        {"group": "very hard", "value": 0.25, "n": 1, **shared},
        {"group": "(no group)", "value": 0.0, "n": 1, **shared},
        {"group": "all", "value": 1.75, "n": 4, **shared},
    ]
    assert [s["value"] for s in second["summaries"]] == [2.0, 0.25, 0.0, 2.25]
    _, out, _ = run(capsys, "--format", "json")
    assert "summaries" not in json.loads(out)


def test_a_table_says_what_was_left_out(here, capsys):
    args = ["--by", "groups", "-c", "no_relevant=skip", "--quiet", "-m", "NumRet"]
    _, out, _ = run(capsys, *args, "--format", "table", runs=["bm25.run", "best.run"])
    assert out.splitlines() == [
        "run   group       queries      RR  NumRet",
        "────  ──────────  ───────  ──────  ──────",
        "bm25  easy              2  0.7500       3",
        "best  easy              2  1.0000       3",
        "bm25  very hard         1  0.2500       4",
        "best  very hard         1  0.2500       4",
        "bm25  (no group)        1       -       1",
        "best  (no group)        1       -       1",
        "bm25  all               4  0.5833       8",
        "best  all               4  0.7500       8",
        "mean (NumRet: sum) over 3 to 4 queries, no_relevant=skip",
        "left out of RR: 1 of 4 queries ((no group) 1 of 1)",
    ]
    _, out, _ = run(capsys, *args, "--aggregate", "geometric", "--format", "md")
    assert out.splitlines() == [
        "| group | aggregate | queries | RR | NumRet |",
        "|:---|:---|---:|---:|---:|",
        "| easy | geometric | 2 | 0.7071 | 1.4142 |",
        "| very hard | geometric | 1 | 0.2500 | 4.0000 |",
        "| (no group) | geometric | 1 | - | 1.0000 |",
        "| all | geometric | 4 | 0.5000 | 1.6818 |",
        "",
        "geometric mean over 3 to 4 queries, no\\_relevant=skip",
        "",
        "left out of RR: 1 of 4 queries ((no group) 1 of 1)",
        "",
        "values below 1e-05 count as 1e-05 in a geometric mean",
    ]


def test_aggregates_without_groups(here, capsys):
    args = ["--aggregate", "mean", "--aggregate", "median", "--aggregate", "mean", "--quiet"]
    _, out, _ = run(capsys, *args, "--format", "table", "--tie-interval")
    assert out.splitlines() == [
        "aggregate  queries      RR",
        "─────────  ───────  ──────",
        "mean             4  0.4375",
        "median           4  0.3750",
        "mean, median over 4 queries, default conventions",
        "with ties at their worst and best, the mean of RR over all queries is 0.4375 to 0.4375",
    ]


def test_summaries_are_those_of_the_runs_shown(here, capsys):
    args = ["--aggregate", "mean", "--sort", "RR", "--quiet"]
    runs = ("bm25.run", "best.run")
    _, out, _ = run(capsys, *args, "--format", "json", runs=runs)
    shown = {one["name"]: one["summaries"][0]["value"] for one in json.loads(out)}
    assert shown == {"best": 0.5625, "bm25": 0.4375}
    _, out, _ = run(capsys, *args, "--top", "1", "--format", "tsv", runs=runs)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["run", "best"]


def test_weights_count_where_a_mean_has_them(here, capsys):
    pooled = "Success(how='pooled')@2"
    args = ["--aggregate", "mean", "--aggregate", "sum", "--aggregate", "median", "-m", pooled]
    _, out, _ = run(capsys, *args, "--by", "groups", "--format", "table", "--quiet")
    lines = out.splitlines()
    # Hits over relevant documents: 2 of 2, 0 of 2, of none, 2 of 4.
    by_how = {how: [x.split()[-1] for x in lines if f"{how}   " in x] for how in ("mean", "sum")}
    assert by_how == {"mean": ["1.0000", "0.0000", "-", "0.5000"], "sum": ["2", "0", "0", "2"]}
    assert lines[-3:] == [
        "mean, sum, median over 3 to 4 queries, default conventions",
        f"left out of the mean and sum of {pooled}: 1 of 4 queries ((no group) 1 of 1)",
        f"{pooled} weighs queries in mean and sum, not in median",
    ]


def test_what_was_left_out_of_one_run_is_said_of_it():
    judged = {q: {"a": 1} for q in ("1", "2", "3")}
    runs = {"one": {q: {"a": 1.0} for q in judged}, "other": {"1": {"a": 1.0, "b": 2.0}}}
    auc = "AUC(negatives='retrieved')"
    results = [rs.evaluate(judged, r, ["RR", auc], name=n) for n, r in runs.items()]
    *_, one, other = write(results, "table", Layout(summaries=rows_of(results, ["mean", "median"])))
    assert one == f"one: left out of {auc}: 3 of 3 queries"
    assert other == f"other: left out of {auc}: 2 of 3 queries"


def test_many_groups_are_not_all_named_below_the_table(here, capsys):
    Path("qrels").write_text("".join(f"q{i} 0 d 0\n" for i in range(9)) + QRELS)
    Path("groups").write_text("".join(f"q{i} g{i}\n" for i in range(9)))
    _, out, _ = run(capsys, "--by", "groups", "-c", "no_relevant=skip", "--format", "table")
    assert out.splitlines()[-1] == (
        "left out of RR: 6 of 9 queries, in 6 of 9 groups; --format tsv tells which"
    )


def test_a_group_without_queries_in_a_run(here, capsys):
    Path("best.run").write_text("q1 Q0 d1 1 2 t\n")
    args = ["--by", "groups", "-c", "queries=both", "--quiet"]
    _, out, _ = run(capsys, *args, runs=["bm25.run", "best.run"])
    assert out.splitlines()[3:7] == [
        "bm25\tvery hard\tmean\tRR\t0.25\t1\t0",
        "best\tvery hard\tmean\tRR\t\t0\t0",
        "bm25\t(no group)\tmean\tRR\t0\t1\t0",
        "best\t(no group)\tmean\tRR\t\t0\t0",
    ]


def test_queries_and_groups_side_by_side(here, capsys):
    args = ["--by", "groups", "-q", "--quiet"]
    _, out, _ = run(capsys, *args, "--format", "table")
    first, second = out.split("\n\n")
    assert first.splitlines()[2:] == ["q1     0.5000", "q2     1.0000", "q3     0.2500", "q4     0.0000"]  # fmt: skip
    assert second.splitlines()[-2].split() == ["all", "4", "0.4375"]
    _, out, _ = run(capsys, *args, "--format", "jsonl")
    objects = [json.loads(line) for line in out.splitlines()]
    assert [o.get("query") or o["group"] for o in objects] == [
        "q1", "q2", "q3", "q4", "easy", "very hard", "(no group)", "all"
    ]  # fmt: skip
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert "are two tables, and tsv holds one" in err


def test_the_best_of_each_group_is_bold_and_lower_may_be_better(here):
    judged = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    runs = {"one": {"1": ["a", "b"], "2": ["x", "a"]}, "other": {"1": ["b", "a"], "2": ["a"]}}
    results = [rs.evaluate(judged, r, ["RR", "Unjudged@2"], name=n) for n, r in runs.items()]
    groups = QueryGroups("file", {"1": "first", "2": "second"})
    lines = write(results, "md", Layout(summaries=rows_of(results, groups=groups)))
    assert list(lines)[2:8] == [
        "| one | first | 1 | **1.0000** | 0.0000 |",
        "| other | first | 1 | 0.5000 | 0.0000 |",
        "| one | second | 1 | 0.5000 | 0.5000 |",
        "| other | second | 1 | **1.0000** | **0.0000** |",
        "| one | all | 2 | 0.7500 | 0.2500 |",
        "| other | all | 2 | 0.7500 | **0.0000** |",
    ]


def test_notices_and_strict(here, capsys):
    Path("groups").write_text("q1 a\nq9 b\nq8 b\n")
    code, out, err = run(capsys, "--by", "groups", "--format", "table")
    assert code == 0
    assert [line.split(": ", 1)[1] for line in err.splitlines()][:2] == [
        "warning: 3 of 4 queries without a group in groups; shown as (no group) (for example q2, q3, q4)",
        "warning: 2 queries of groups not evaluated; ignored (for example q9, q8)",
    ]
    assert out.splitlines()[3].split() == ["b", "0", "-"]
    code, out, err = run(capsys, "--by", "groups", "--strict")
    assert (code, out) == (3, "")
    assert "[ungrouped-queries; an error because of strict]" in err
    Path("groups").write_text("q1 a\nq2 a\nq3 a\nq4 a\nq5 a\n")
    code, _, err = run(capsys, "--by", "groups", "--strict")
    assert code == 3
    assert "1 query of groups not evaluated" in err
    Path("groups").write_text("q1 a\nq2 a\nq3 a\nq4 a\n")
    assert run(capsys, "--by", "groups", "--strict")[0] == 0


GOOD = {
    "tabs": "q1\teasy\nq2\teasy\nq3\tvery hard\n",
    "blanks": "  q1   easy \nq2 easy\n\n# a comment\nq3 very   hard",
    "commas": "q1,easy\nq2, easy\nq3,very hard\n",
    "quoted": '"q1","easy"\nq2,easy\nq3,"very hard"\n',
    "names of columns": "Query_ID,group\nq1,easy\nq2,easy\nq3,very hard\n",
    "names and tabs": "qid\tgroup\nq1\teasy\nq2\teasy\nq3\tvery\thard\n",
    "carriage returns and a mark": "\ufeffq1\teasy\r\nq2\teasy\r\nq3\tvery hard\r\n",
    "the same twice": "q1 easy\nq2 easy\nq1 easy\nq3 very hard\n",
}


@pytest.mark.parametrize("case", GOOD)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_files_of_groups(tmp_path, case, pack):
    path = tmp_path / "groups"
    path.write_bytes(pack(GOOD[case].encode()))
    found = read_query_groups(str(path)).fitted(["q1"])
    assert found.group_of == {"q1": "easy", "q2": "easy", "q3": "very hard"}
    assert found.names == ["easy", "very hard"]


BAD = {
    "one field": ("q1\teasy\nq2\n", ":2: expected a query and its group, with a tab between them as in line 1, found 'q2'"),
    "one field at first": ("q1\n", ":1: expected a query and its group, with blanks between them"),
    "no comma": ("\n#\nq1,easy\nq2 easy\n", ":4: expected a query and its group, with a comma between them as in line 3"),
    "empty group": ("q1,\n", ":1: expected a query and its group"),
    "empty query": (",easy\n", ":1: expected a query and its group"),
    "two groups": ("q1 easy\nq2 easy\nq1 hard\n", ":3: query 'q1' has the group 'hard' here, and 'easy' in groups:1."),
    "empty": ("", ": the file is empty"),
    "comments": ("# q1 easy\n\n", ": the file names no query"),
    "names of columns only": ("query\tgroup\n", ": the file names no query"),
    "nothing evaluated": ("a b\n", ": no query that was evaluated has a group (given: 'a', ...; evaluated: 'q1', ...)."),
    "another case": ("Q1 b\n", "Ids are compared exactly, and 'Q1' is not 'q1'."),
    "all": ("q1 easy\nq2 all\n", ":2: 'all' cannot be the name of a group"),
    "no group": ("q1\t(no group)\n", ":1: '(no group)' cannot be the name of a group"),
    "three columns": ("query,text,group\nq1,a,easy\n", ":1: expected a query and its group, found the columns 'query', 'text', 'group'. Keep two of them."),
    "three columns between tabs": ("query\ttext\tgroup\nq1\ta\teasy\n", ":1: expected a query and its group, found the columns 'query', 'text', 'group'"),
    "binary": ("q1 \x01\n", ":1: control character 0x01."),
    "nul": ("q1 \0\n", ":1: a NUL byte."),
    "cr": ("q1 easy\rq2 hard\r", ":1: control character 0x0d. The file seems to have CR-only line ends"),
    "a long field": ('q1,"' + "x" * 200_000 + '"\n', ":1: this is not valid CSV"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_files_of_groups(here, capsys, case):
    text, message = BAD[case]
    Path("groups").write_text(text)
    code, out, err = run(capsys, "--by", "groups")
    assert (code, out) == (3, "")
    assert f"rankstone: error: groups{message}" in err or message in err
    assert err.count("\n") == 1


rows = st.lists(st.text(st.sampled_from('q1 ,\t"#\n\r\x85\u2028(é'), max_size=8)).map("\n".join)


@given(st.binary(max_size=40) | rows.map(str.encode))
def test_any_bytes_are_groups_or_an_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    try:
        found = read_query_groups(str(path))
    except rs.DataError:
        return
    assert all(q.strip() == q and q for q in found.group_of)
    assert all(" ".join(g.split()) == g and g for g in found.group_of.values())


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--aggregate", "medain"], 2, "unknown aggregate 'medain'. Did you mean median? Known: "),
        (["--by", "absent"], 3, "absent: there is no such file in"),
        (["--by", "groups", "-q", "-n"], 2, "--no-summary leaves out what"),
        (["--aggregate", "sum", "-q", "--format", "csv"], 2, "and csv holds one"),
        (["--by", "groups", "--max-bytes", "40"], 3, "groups: too large: more than 40 bytes."),
    ],
)
def test_bad_requests(here, capsys, args, code, message):
    Path("groups").write_text(GROUPS * 2)
    got, out, err = run(capsys, *args)
    assert (got, out) == (code, "")
    assert message in err


def test_a_query_called_query_is_no_name_of_a_column(here, capsys):
    Path("qrels").write_text(QRELS.replace("q1", "query"))
    Path("bm25.run").write_text(RUN.replace("q1", "query"))
    Path("groups").write_text("query first\nq2 second\nq3 second\nq4 second\n")
    code, out, err = run(capsys, "--by", "groups", "--strict")
    assert code == 0, err
    assert out.splitlines()[1] == "bm25\tfirst\tmean\tRR\t0.5\t1\t0"


def test_ids_that_are_numbers(here, capsys):
    Path("qrels").write_text("user_id,item_id,rating\n1,5,1\n20,5,1\n")
    Path("bm25.run").write_text("user_id,item_id,score\n1,5,2.5\n20,6,1.5\n")
    Path("groups").write_text("user,group\n1,new\n20,old\n")
    code, out, err = run(capsys, "--by", "groups", "--strict")
    assert code == 0, err
    assert out.splitlines()[1:3] == ["bm25\tnew\tmean\tRR\t1\t1\t0", "bm25\told\tmean\tRR\t0\t1\t0"]
    Path("groups").write_text("01 new\n20 old\n")
    assert "without a group in groups" in run(capsys, "--by", "groups")[2]
    assert QueryGroups("", {"1": "a"}).of([1, 2, "1"]) == {1: "a", "1": "a"}


def test_names_cannot_steer_terminals_or_sheets(here, capsys):
    Path("groups").write_text("q1 \x9b31m\nq2 =1+1\nq3 a|b\n", encoding="utf-8")
    args = ["--by", "groups", "--quiet"]
    assert "\x9b" not in run(capsys, *args, "--format", "table")[1]
    assert "bm25,'=1+1,mean" in run(capsys, *args, "--format", "csv")[1]
    assert "| a\\|b |" in run(capsys, *args, "--format", "md")[1]


def test_several_runs_fit_a_terminal():
    folder = ROOT / "examples" / "search"
    runs = [str(folder / f"{name}.run") for name in ("bm25", "dense", "hybrid")]
    args = ["evaluate", str(folder / "qrels.txt"), *runs, "--by", str(folder / "needs.tsv")]
    more = ["--aggregate", "mean", "--aggregate", "geometric", "-m", "nDCG@10", "-m", "AP"]
    for extra in ([], more):
        call = [sys.executable, "-m", "rankstone", *args, *extra]
        shown = shown_on_a_terminal(call, env={"NO_COLOR": "1", "PYTHONPATH": str(ROOT / "src")})
        lines = shown.splitlines()
        assert len(lines) > 15
        assert max(map(len, lines)) <= 80


def test_python_and_the_command_agree(here, capsys):
    result = rs.evaluate("qrels", "bm25.run", ["RR"])
    groups = {"q1": "easy", "q2": "easy", "q3": "very hard"}
    _, out, _ = run(capsys, "--by", "groups", "--aggregate", "median", "--format", "jsonl")
    rows = {o["group"]: o for o in map(json.loads, out.splitlines())}
    expected = result.by_group("RR", groups, "median") | {"all": result.summary("RR", "median")}
    assert {
        None if g == REST else g: Summary(o["value"], o["aggregate"], o["n"], o["left_out"])
        for g, o in rows.items()
    } == expected
