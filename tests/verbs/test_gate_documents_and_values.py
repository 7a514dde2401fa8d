"""Rules of a gate on documents that must not be found, and on values of files."""

import json

import pytest

import rankstone as rs
from rankstone.cli import main

JUDGED = {f"q{i}": {"d": 1} for i in range(6)}
RUN = {q: ["d", "old", "other"] for q in JUDGED}
COSTS = {q: {"latency": 10.0 * (i + 1), "tokens": 100.0} for i, q in enumerate(JUDGED)}


def status(verdict, rule):
    (check,) = (c for c in verdict.checks if c.rule.startswith(rule))
    return check.status, check.text


def test_a_document_that_must_not_be_found():
    verdict = rs.gate(JUDGED, RUN, must_not_find=["q1:old@2", "q2:old@1", ("q3", "gone", 9)])
    assert status(verdict, "must-not-find q1:old@2") == (
        "fail",
        "old of query q1 is at rank 2, among the first 2",
    )
    assert status(verdict, "must-not-find q2:old@1") == ("pass", "old of query q2 is at rank 2")
    assert status(verdict, "must-not-find q3:gone@9")[0] == "pass"
    assert verdict.exit_code == 1


def test_a_query_that_the_run_does_not_answer_checks_nothing():
    verdict = rs.gate(JUDGED, RUN, must_not_find=["q77:old@2"], must_find=["q78:d@1"])
    assert status(verdict, "must-not-find q77") == (
        "warn",
        "the candidate does not answer query q77, so nothing was checked",
    )
    assert status(verdict, "must-find q78")[0] == "fail"


def test_of_tied_documents_the_rank_counts_that_is_worse_for_the_rule():
    labels, scores = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    verdict = rs.gate(
        labels, scores, must_find=["q:a@1"], must_not_find=["q:a@1", "q:c@2"], ties="expected"
    )
    assert status(verdict, "must-find q:a@1")[1].startswith("a of query q is at rank 2")
    assert status(verdict, "must-not-find q:a@1")[1].startswith("a of query q is at rank 1")
    assert status(verdict, "must-not-find q:c@2")[0] == "pass"


def written(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d 1\n" for q in JUDGED))
    (tmp_path / "run").write_text(
        "".join(
            f"{q} Q0 {doc} {k} {9 - k} t\n"
            for q, docs in RUN.items()
            for k, doc in enumerate(docs, 1)
        )
    )
    (tmp_path / "forbidden.txt").write_text("# leaked\nq1:old@2\n\nq2:secret@10\n")
    for name, factor in (("now", 1.0), ("before", 0.9)):
        rows = (f"{q},{factor * v['latency']},{v['tokens']}\n" for q, v in COSTS.items())
        (tmp_path / f"{name}.csv").write_text("query,latency,tokens\n" + "".join(rows))
    return [str(tmp_path / name) for name in ("qrels", "run")]


def test_rules_of_documents_in_a_file(tmp_path, capsys):
    files = written(tmp_path)
    forbidden = str(tmp_path / "forbidden.txt")
    assert main(["gate", *files, "--must-not-find", forbidden, "--format", "json"]) == 1
    rules = [c["rule"] for c in json.loads(capsys.readouterr().out)["checks"]]
    assert rules[1:] == ["must-not-find q1:old@2", "must-not-find q2:secret@10"]
    settings = tmp_path / "rankstone.toml"
    settings.write_text("[gate]\nmust-not-find = 'forbidden.txt'\nmust-find = ['q0:d@1']\n")
    verdict = rs.gate(*files, settings=settings)
    assert [c.rule for c in verdict.checks][1:] == ["must-find q0:d@1", *rules[1:]]
    (tmp_path / "forbidden.txt").write_text("q1:old@2\nq2 secret\n")
    assert main(["gate", *files, "--must-not-find", forbidden]) == 3
    assert "forbidden.txt:2: must-not-find: write QUERY:DOCUMENT@CUTOFF" in capsys.readouterr().err


def test_values_of_a_file(tmp_path, capsys):
    files = written(tmp_path)
    now, before = str(tmp_path / "now.csv"), str(tmp_path / "before.csv")
    words = ["gate", *files, "--values", now, "--baseline-values", before, "--max", "latency.p95=50",
             "--max-rise", "latency=5%", "--max-rise", "tokens=5%", "--min", "RR=0.5"]  # fmt: skip
    assert main([*words, "--format", "json"]) == 1
    checks = {c["rule"]: c for c in json.loads(capsys.readouterr().out)["checks"]}
    assert {rule: check["status"] for rule, check in checks.items()} == {
        "answers": "pass", "min RR=0.5": "pass", "max latency.p95=50": "fail",
        "max-rise latency=5%": "fail", "max-rise tokens=5%": "pass",
    }  # fmt: skip
    assert checks["max latency.p95=50"]["candidate"] == pytest.approx(57.5)
    assert checks["max-rise latency=5%"]["text"] == (
        "latency (mean) went from 31.5 to 35 (+11.1%); a rise of 5% is allowed"
    )
    assert main([*words, "--format", "md"]) == 1
    assert "--max-rise latency=5% --max-rise tokens=5% --values" in capsys.readouterr().out
    assert main([*words[:-4], "--max-rise", "latency=12%"]) == 1  # the p95 alone
    settings = tmp_path / "rankstone.toml"
    settings.write_text(
        "[gate]\nvalues = 'now.csv'\nbaseline-values = 'before.csv'\n"
        "max = { 'latency.max' = 60 }\nmax-rise = { latency = '12%', tokens = 0 }\n"
    )
    assert rs.gate(*files, settings=settings).passed


def test_values_are_those_of_the_evaluated_queries():
    first, others = dict(list(COSTS.items())[:2]), {"other": {"latency": 9e9, "tokens": 1.0}}
    verdict = rs.gate(JUDGED, RUN, values={**COSTS, **others}, maximum={"latency": 35.0})
    assert [c.status for c in verdict.checks] == ["pass", "pass"]
    verdict = rs.gate(JUDGED, RUN, values=first, maximum={"latency": 15.0})
    assert status(verdict, "max latency") == ("pass", "latency (mean) is 15, at most 15")
    assert status(verdict, "values") == (
        "warn",
        "values: no latency for 4 queries (q2, q3, q4, ...), which the rules leave out",
    )
    verdict = rs.gate(
        JUDGED, RUN, values=COSTS, baseline_values=first, max_rise={"latency": "5%", "tokens": 0}
    )
    assert status(verdict, "max-rise latency")[1].startswith("latency (mean) went from 15 to 15")
    assert [c.measure for c in verdict.checks if c.rule == "baseline-values"] == [
        "latency",
        "tokens",
    ]
    assert verdict.status == "warn"
    numbers = {int(q[1:]): {int(d == "d"): 1 for d in docs} for q, docs in JUDGED.items()}
    texts = {q[1:]: row for q, row in COSTS.items()}
    got = rs.gate(numbers, {q: [1] for q in numbers}, values=texts, maximum={"latency": 35.0})
    assert [c.status for c in got.checks] == ["pass", "pass"]
    with pytest.raises(rs.DataError, match="evaluated: q0, .* with values: Q0, "):
        rs.gate(JUDGED, RUN, values={q.upper(): v for q, v in COSTS.items()}, maximum={"tokens": 1})


def test_no_value_is_expected_of_an_unanswered_query():
    verdict = rs.gate({**JUDGED, "none": {"d": 1}}, RUN, values=COSTS, maximum={"latency": 35.0})
    assert "values" not in [c.rule for c in verdict.checks]


def test_bad_rules_on_values_are_explained():
    cases = {
        "needs the values of the candidate": {"max_rise": {"tokens": 1}},
        "give --baseline-values": {"values": COSTS, "max_rise": {"tokens": 1}},
        "no column of that name": {
            "values": COSTS, "baseline_values": COSTS, "max_rise": {"tokns": 1},
        },
        "no rule is on latency, tokens": {"values": COSTS, "minimum": {"RR": 0.1}},
        "the number must be 0 or more": {"max_rise": {"tokens": "-5%"}},
        "is not a number": {"max_drop": {"RR": "5%"}},
        "a name is text, not 1": {"values": {"latency": {1: 5, 2: 9}}, "maximum": {"latency": 1}},
        "is a file, or": {"values": 3, "maximum": {"latency": 1}},
    }  # fmt: skip
    for message, rules in cases.items():
        with pytest.raises(rs.UsageError, match=message):
            rs.gate(JUDGED, RUN, **rules)


def test_a_workbook_that_was_saved_again_is_the_same(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("query", "document", "grade"), *((q, "d", 1) for q in JUDGED)):
        book.active.append(row)
    path, baseline = tmp_path / "qrels.xlsx", str(tmp_path / "base.json")
    book.save(path)
    (tmp_path / "run").write_text("".join(f"{q} Q0 d 1 1 t\n" for q in JUDGED))
    run = str(tmp_path / "run")
    assert main(["gate", "baseline", "save", baseline, str(path), run, "-m", "RR"]) == 0
    before = path.read_bytes()
    again = openpyxl.load_workbook(path)
    again.properties.title = "opened and saved again"
    again.save(path)
    assert path.read_bytes() != before
    assert rs.gate(str(path), run, baseline, max_drop={"RR": 0.5}).exit_code == 0
    again.active["C2"] = 0
    again.save(path)
    with pytest.raises(rs.DataError, match="the judgments were"):
        rs.gate(str(path), run, baseline, max_drop={"RR": 0.5})


@pytest.mark.parametrize("rule", ["1:11@1", (1, 11, 1), ("1", "11", 1), (1, "11", 1)])
@pytest.mark.parametrize("kind", [int, str])
def test_rules_name_documents_by_their_text(rule, kind):
    judged, run = {kind(1): {kind(10): 1}}, {kind(1): [kind(11), kind(10)]}
    verdict = rs.gate(judged, run, must_find=[rule], must_not_find=[rule])
    assert status(verdict, "must-find 1:11@1")[0] == "pass"
    assert status(verdict, "must-not-find 1:11@1")[0] == "fail"


def test_a_document_of_a_rule_is_the_same_only_if_it_is_written_alike(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"query": [1], "document": [10], "grade": [1]}).to_parquet(
        tmp_path / "q.parquet"
    )
    run = pandas.DataFrame({"query": [1, 1], "document": [11, 10], "score": [2.0, 1.0]})
    run.to_parquet(tmp_path / "r.parquet")
    rules = ["1:11@1", "1:011@1", "01:11@1"]
    verdict = rs.gate(tmp_path / "q.parquet", tmp_path / "r.parquet", must_not_find=rules)
    assert [c.status for c in verdict.checks if c.rule[:4] == "must"] == ["fail", "pass", "warn"]
