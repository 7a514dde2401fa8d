"""Each choice x each verb: the outcome of data changed by hand, or an error that says why not.

A case is a choice, and data on which it matters: judgments and a run, and the same changed by hand so
that the choice is not needed. Every verb, in Python and as a command, gives on the first with the
choice what it gives on the second without it, or refuses the choice. Never the outcome without it.
"""

import csv
import json
from dataclasses import fields, replace

import numpy as np
import pytest
from choice_cases import CASES, EXCLUDED, JUDGED, RUN, TIED, changed

import rankstone as rs
from rankstone.choices.changes import Changes
from rankstone.choices.conventions import Conventions
from rankstone.choices.effort import Effort
from rankstone.choices.reading import Reading
from rankstone.choices.setup import FIELDS, GROUPS, VERBS, Evaluation, fields_of
from rankstone.choices.statistics import Statistics
from rankstone.cli import main
from rankstone.cli.options import flag_of, words_of

#: Choices that are tried by tests of their own below.
ELSEWHERE = {
    "sums", "not_retrieved", *Reading.names(), *Evaluation.names(), *Statistics.names(),
}  # fmt: skip


def test_every_choice_has_a_case():
    known = {f.name for group in GROUPS if group is not Effort for f in fields(group)}
    assert known == {case.choice for case in CASES} | ELSEWHERE


# Python ---------------------------------------------------------------------------------------


def numbers(values):
    return [round(float(v), 12) for v in values]


def evaluated_in_parts(judged, run, measure, **options):
    evaluator = rs.Evaluator(judged, measure, **options)
    for query, documents in run.items():
        evaluator.add({query: documents})
    return numbers([evaluator.result()[measure]])


def merged(judged, run, measure, **options):
    parts = [rs.Evaluator(judged, measure, **options).add({q: docs}) for q, docs in run.items()]
    whole = rs.Evaluator(judged, measure, **options)
    for part in parts:
        whole.merge(part.state())
    return numbers([whole.result()[measure]])


def explained(judged, run, measure, **options):
    return numbers([rs.explain(measure, judged, run, query="q1", **options).value])


def other(run):
    """Return a run without the documents a of one query, whichever way it was changed."""
    some = {"q1": [d for d in run["q1"] if (d["id"] if isinstance(d, dict) else d)[0] != "a"]}
    if isinstance(run["q1"], dict):
        some = {"q1": {doc: run["q1"][doc] for doc in some["q1"]}}
    return {**run, **some}


def compared(judged, run, measure, **options):
    pair = rs.compare(judged, {"a": run, "b": other(run)}, measure, **options).comparisons[0]
    return numbers([pair.mean, pair.baseline_mean])


def gated(judged, run, measure, **options):
    limits = {"max_drop": {measure: 0.01}, "minimum": {measure: 0.0}}
    verdict = rs.gate(judged, run, other(run), **limits, **options)
    return numbers([check.candidate for check in verdict.checks if check.candidate is not None])


def found_in_first_place(judged, run, measure, **options):
    return rs.gate(judged, run, must_find=[("q1", "x", 1)], **options).status


def reported(judged, run, measure, **options):
    return rs.report(judged, {"a": run}, measure, pictures=False, **options).model.means


def planned(judged, run, measure, **options):
    (plan,) = rs.power(judged, {"a": other(run), "b": run}, measure, n=50, **options).values()
    return plan.to_dict()


def reconciled(judged, run, measure, **options):
    return numbers([rs.reconcile(measure, judged, run, value="0.123", **options).usual.value])


def risky(judged, run, measure, **options):
    return numbers([rs.risk_coverage(judged, run, measure, **options).area])


def holes(judged, run, measure, **options):
    return sorted(hole.document for hole in rs.holes(judged, [run], "P@2", **options))


def pooled(judged, run, measure, **options):
    return rs.pool([run], judged, depth=1, **options)


def paired(judged, run, measure, **options):
    return numbers([rs.p_mrr(judged, run, other(run), **options).value])


def agreeing(judged, run, measure, **options):
    return numbers([rs.agree_runs(run, other(run), **options).means()["rbo"]])


def ordered(judged, run, measure, **options):
    runs = {"a": run, "b": other(run)}
    return numbers([rs.agree_orderings(judged, judged, runs, [measure], **options).tau_a])


def across(judged, run, measure, **options):
    return [
        (row.tool, row.name, row.value and round(row.value, 12))
        for row in rs.across_tools(measure, judged, run, **options)
        if row.tool == "trec_eval-9"
    ]


def fused(judged, run, measure, **options):
    return [row for row in rs.fuse([run, other(run)], **options).rows() if row[1]]


def on_a_leaderboard(judged, run, measure, **options):
    board = rs.leaderboard({"one": (judged, {"a": run, "b": other(run)})}, measure, **options)
    return numbers([board["a"].mean, board["b"].mean])


PYTHON = {
    "evaluate": lambda j, r, m, **o: numbers([rs.evaluate(j, r, m, **o)[m]]),
    "Evaluator": evaluated_in_parts,
    "Evaluator.merge": merged,
    "explain": explained,
    "compare": compared,
    "leaderboard": on_a_leaderboard,
    "gate": gated,
    "report": reported,
    "power": planned,
    "reconcile": reconciled,
    "across_tools": across,
    "risk_coverage": risky,
    "gate must_find": found_in_first_place,
    "holes": holes,
    "pool": pooled,
    "p_mrr": paired,
    "agree_runs": agreeing,
    "agree_orderings": ordered,
    "fuse": fused,
}


#: Outcomes that no data without the choice have, since confidence comes from documents that are
#: removed from the ranking alone, or since two runs miss other documents. They must differ from the
#: outcome without the choice.
UNIQUE = {
    ("risk_coverage", "unjudged"), ("risk", "unjudged"), ("compare", "missed"), ("power", "missed"),
    ("leaderboard", "missed"), ("agree_orderings", "missed"),
}  # fmt: skip


def outcome_or_error(outcome, *data, **options):
    try:
        return outcome(*data, **options)
    except rs.UsageError as error:
        return error
    except rs.DataError as error:
        return type(error).__name__


def check(name, outcome, case):
    """Assert that the choice counts: as in data changed by hand, or refused with the reason."""
    if (name, case.choice) == ("gate must_find", "unjudged"):
        return "obeyed"  # the rule is about the ranking that users see
    chosen = outcome_or_error(outcome, *case.data, case.measure, **case.options)
    if isinstance(chosen, rs.UsageError):
        return "refused"
    if (name, case.choice) in UNIQUE:
        assert chosen != outcome_or_error(outcome, *case.data, case.measure)
    else:
        by_hand = case.measure_by_hand or case.measure
        assert chosen == outcome_or_error(outcome, *case.by_hand, by_hand)
    return "obeyed"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.choice)
@pytest.mark.parametrize("verb", PYTHON)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_choice_is_obeyed_or_refused(verb, case):
    outcome = check(verb, PYTHON[verb], case)
    name = verb.removesuffix(".merge").removesuffix(" must_find")
    if case.choice not in fields_of(name):
        assert outcome == "refused"


@pytest.mark.parametrize("verb", ["pool", "holes", "p_mrr", "agree_runs", "fuse"])
@pytest.mark.parametrize("choice", ["items", "history", "lengths"])
def test_verbs_that_compute_no_measure_refuse_what_only_measures_read(verb, choice):
    case = next(case for case in CASES if case.choice == choice)
    with pytest.raises(rs.UsageError, match=choice):
        PYTHON[verb](*case.data, "RR", **case.options)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.choice)
def test_the_data_of_a_case_differ(case):
    plain = dict(case.also)
    try:
        before = rs.evaluate(*case.data, case.measure, **plain)[case.measure]
    except (rs.NothingInCommonError, rs.UsageError):
        return
    assert before != rs.evaluate(*case.data, case.measure, **case.options)[case.measure]


# The command ----------------------------------------------------------------------------------


def written(folder, name, data, *, judgments=False):
    """Write judgments as a CSV, or a run as a CSV with scores; JSON Lines if it has none."""
    lists = all(isinstance(docs, list) for docs in data.values())
    path = folder / f"{name}.{'jsonl' if lists and not judgments else 'csv'}"
    with path.open("w", newline="") as out:
        if lists and not judgments:
            out.writelines(
                json.dumps({"query_id": q, "retrieved_ids": docs}) + "\n"
                for q, docs in data.items()
            )
            return str(path)
        rows = csv.writer(out)
        rows.writerow(["query_id", "doc_id", "grade" if judgments else "score"])
        for query, docs in data.items():
            pairs = docs.items() if isinstance(docs, dict) else ((doc, 1) for doc in docs)
            rows.writerows((query, doc, number) for doc, number in pairs)
    return str(path)


def words_for(folder, options):
    """Return the words of a command; data are written to a file."""
    plain = dict(options)
    if isinstance(plain.get("exclude"), dict):
        plain["exclude"] = written(folder, "exclude", plain["exclude"], judgments=True)
    if "history" in plain:
        plain["history"] = written(folder, "history", plain["history"], judgments=True)
    if "items" in plain:
        rows = plain["items"]["popularity"].items()
        (folder / "items.csv").write_text(
            "item,popularity\n" + "".join(f"{d},{n}\n" for d, n in rows), encoding="utf-8"
        )
        plain["items"] = str(folder / "items.csv")
    for name in plain.keys() & {"lengths", "same_as"}:
        (folder / f"{name}.json").write_text(json.dumps(plain[name]))
        plain[name] = str(folder / f"{name}.json")
    return words_of(plain)


COMMANDS = {
    "evaluate": (["evaluate", "QRELS", "RUN", "-m", "M", "--format", "json"], lambda out, m: numbers([out["aggregates"][m]])),
    "compare": (["compare", "QRELS", "RUN", "RUN2", "-m", "M", "--format", "json"], lambda out, m: numbers([c[key] for c in out["comparisons"] for key in ("mean", "baseline_mean")])),
    "gate": (["gate", "QRELS", "RUN", "--baseline", "RUN2", "--max-drop", "M=0.01", "--format", "json"], lambda out, m: numbers([c["candidate"] for c in out["checks"] if c["candidate"] is not None])),
    "explain": (["explain", "M", "QRELS", "RUN", "--query", "q1", "--format", "json"], lambda out, m: numbers([out["value"]])),
    "reconcile": (["reconcile", "M", "QRELS", "RUN", "--value", "0.123", "--format", "json"], lambda out, m: numbers([out["usual"]["value"]])),
    "power": (["power", "QRELS", "RUN", "RUN2", "-m", "M", "-n", "50", "--format", "json"], lambda out, m: out),
    "pool": (["pool", "RUN", "--judged", "QRELS", "--depth", "1", "--format", "jsonl"], None),
    "holes": (["holes", "QRELS", "RUN", "-m", "P@2"], None),
    "risk": (["risk", "QRELS", "RUN", "-m", "M"], None),
    "fuse": (["fuse", "RUN", "RUN2", "--to", "csv"], None),
    "agree": (["agree", "RUN", "RUN2", "--format", "json"], lambda out, m: numbers([out["means"]["rbo"]])),
}  # fmt: skip


def command_outcome(command, folder, judged, run, measure, options, capsys):
    words, read = COMMANDS[command]
    folder.mkdir(exist_ok=True)
    files = {
        "QRELS": written(folder, "qrels", judged, judgments=True),
        "RUN": written(folder, "run", run),
        "RUN2": written(folder, "again", other(run)),
    }
    call = [files.get(word, measure if word == "M" else word) for word in words]
    call = [f"{measure}=0.01" if word == "M=0.01" else word for word in call]
    capsys.readouterr()
    try:
        code = main([*call, *words_for(folder, options)])
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    if code == 2:
        assert len(err) > 30
        raise rs.UsageError(err)
    if code == 3:
        raise rs.DataError(err)
    assert code in (0, 1)
    if read is None:
        return [line.split("\t") for line in out.splitlines()]
    return read(json.loads(out), measure)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.choice)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_choice_of_a_command_is_obeyed_or_refused(command, case, tmp_path, capsys):
    def outcome(judged, run, measure, **options):
        folder = tmp_path / ("chosen" if options else "by_hand")
        return command_outcome(command, folder, judged, run, measure, options, capsys)

    check(command, outcome, case)


def test_every_choice_has_an_option_of_the_command():
    without = {f.name for f in fields(Conventions)} | {
        "qid",
        "mask",
        "conventions",
        "name",
        "block_bytes",
    }
    for name in {n for names in VERBS.values() for n in names} - without:
        assert flag_of(name) is not None
    assert words_of({"columns": {"score": ["a", "b"]}, "ties": "input", "strict": True}) == [
        "--columns", "score=a,score=b", "-c", "ties=input", "--strict",
    ]  # fmt: skip


# What is recorded -----------------------------------------------------------------------------


def record_of(result):
    sources = result.provenance.judgments, result.provenance.run
    return (
        dict(result.changes), result.conventions, result.like, result.exceptions,
        *(dict(source.reading) for source in sources),
    )  # fmt: skip


TABLE = "query_id,doc_id,bm25,dense,stars,other\nq1,x,9,1,0,1\nq1,a,7,2,1,0\n"
READINGS = [
    ("columns", {"score": "bm25"}, {"score": "dense"}),
    ("columns", {"distance": "bm25"}, {"score": "bm25"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.choice)
def test_results_that_differ_are_recorded_as_different(case):
    plain = dict(case.also)
    chosen = rs.evaluate(*case.data, case.measure, **case.options)
    again = rs.Result.from_json(chosen.to_json())
    assert record_of(again) == record_of(chosen)
    assert case.choice in chosen.choices_in_words() or case.choice == "columns"
    try:
        other = rs.evaluate(*case.data, case.measure, **plain)
    except (rs.NothingInCommonError, rs.UsageError):
        return
    assert record_of(chosen) != record_of(other)


@pytest.mark.parametrize(("choice", "one", "other"), READINGS)
def test_how_data_were_read_is_recorded(tmp_path, choice, one, other):
    (tmp_path / "run.csv").write_text(TABLE)
    results = [
        rs.evaluate({"q1": {"a": 1}}, tmp_path / "run.csv", "RR", **{choice: value})
        for value in (one, other)
    ]
    assert results[0]["RR"] != results[1]["RR"]
    assert record_of(results[0]) != record_of(results[1])
    (role, name), *_ = one.items()
    assert f"{role}={name}" in repr(results[0])
    warned = rs.compare({"a": results[0], "b": results[1]}, measures="RR").warnings
    assert any(notice.code == "read-differently" for notice in warned)


def test_columns_and_encoding_of_judgments_are_recorded_and_compared(tmp_path):
    (tmp_path / "judged.csv").write_text("query_id,doc_id,stars,other\nq,a,0,1\nq,b,1,0\n")
    results = [
        rs.evaluate(tmp_path / "judged.csv", {"q": ["a", "b"]}, "RR", columns={"grade": name})
        for name in ("stars", "other")
    ]
    assert results[0]["RR"] != results[1]["RR"]
    assert record_of(results[0]) != record_of(results[1])
    with pytest.raises(rs.DataError, match="grade=stars before, grade=other now"):
        rs.compare({"a": results[0], "b": results[1]}, measures="RR")
    (tmp_path / "qrels").write_bytes("q 0 ä 1\n".encode("cp1252"))
    result = rs.evaluate(tmp_path / "qrels", {"q": ["b", "ä"]}, "RR", encoding="cp1252:utf-8")
    assert result.provenance.judgments.reading == {"encoding": "cp1252"}
    assert (result["RR"], "encoding=cp1252" in repr(result)) == (0.5, True)


ARRAYS = np.array([[1.0, 0, 0], [0, 0, 1]]), np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
KEYED = {
    "mask": (np.array([[True, True, False], [True, True, True]]), 2),
    "qid": (np.array(["b", "a"]), 2),
    "group_sizes": ([2, 4], 1),
    "scores": ("ascending", 2),
}


@pytest.mark.parametrize("choice", KEYED)
def test_choices_of_arrays_are_recorded(choice):
    value, width = KEYED[choice]
    labels, scores = (a.reshape(-1) if width == 1 else a for a in ARRAYS)
    result = rs.evaluate(labels, scores, "RR", **{choice: value})
    assert choice in result.provenance.run.reading
    assert f"{choice}=" in repr(result)
    again = rs.Result.from_json(result.to_json())
    assert record_of(again) == record_of(result)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"encoding": "cp1252"}, "encoding= is for files"),
        ({"input_format": "trec"}, "input_format= is for files"),
        ({"encoding": "nonsense"}, "encoding must be the name of an encoding"),
        ({"parent_rule": "nonsense"}, "unknown value of parent_rule"),
        ({"parent_rule": "max"}, "parent_rule= needs parents="),
        ({"judged_chunks": True}, "judged_chunks= needs parents="),
        ({"columns": {"score": "s"}}, "no input is a table"),
        ({"min_score": float("nan")}, "min_score must be a finite number"),
        ({"min_score": "3"}, "min_score must be a number"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"group_sizes": [1]}, "group_sizes= goes with labels and scores in arrays"),
        ({"not_retrieved": [1]}, "not_retrieved= goes with grades in rank order"),
        ({"weights": {}}, "weights= goes with compare and report, not with evaluate"),
        ({"seed": 1}, "the seed of random numbers is rng="),
        ({"wieghts": {}}, "evaluate has no option 'wieghts'"),
        ({"min_scor": 1}, "Did you mean min_score?"),
    ],
)
def test_choices_that_cannot_count_are_refused(options, problem):
    with pytest.raises(rs.UsageError) as caught:
        rs.evaluate(JUDGED, RUN, "RR", **options)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "choice", [n for n in (*Reading.names(), *Changes.names()) if n != "not_retrieved"]
)
def test_grades_in_rank_order_take_no_changes(choice):
    value = {"parent_rule": "max", "judged_chunks": True, "scores": "ascending", "min_score": 1.0,
             "encoding": "utf-8", "input_format": "trec", "columns": {"doc": "d"}}.get(choice, [1])  # fmt: skip
    with pytest.raises(rs.UsageError):
        rs.evaluate([0, 1], measures="RR", **{choice: value})


def test_grades_that_were_missed_are_recorded():
    result = rs.evaluate([1, 0], measures="R", not_retrieved=[1])
    assert (result["R"], result.changes) == (0.5, {"not_retrieved": [1.0]})


# Choices of the evaluation and of statistics --------------------------------------------------

WIDE = {f"q{i}": {"a": 1} for i in range(30)}
ONE = {q: ["x"] * (i % 3) + ["a"] for i, q in enumerate(WIDE)}
TWO = {q: ["y"] * (i % 2) + ["a"] for i, q in enumerate(WIDE)}
THREE = {q: ["z"] * (i % 4) + ["a"] for i, q in enumerate(WIDE)}
STATISTICS = {
    "baseline": "two", "all_pairs": True, "test": "t", "correction": "bonferroni", "interval": "t",
    "confidence": 0.5, "resamples": 99, "rng": 7, "weights": {q: 1.0 + i for i, q in enumerate(WIDE)},
    "repeats": {"s": ["one", "two"]}, "lower_is_better": None, "minimum_difference": 0.9,
    "incomplete_above": 0.0, "zeros": "pratt", "moved": 0, "family": "all",
    "clusters": {q: i % 10 for i, q in enumerate(WIDE)},
    "by": {q: "odd" if i % 2 else "even" for i, q in enumerate(WIDE)},
    "trusted": {q: WIDE[q] for i, q in enumerate(WIDE) if i % 3},
}  # fmt: skip


def comparison(**options):
    runs = {"one": ONE, "two": TWO, "three": {q: docs for q, docs in THREE.items() if q != "q7"}}
    if "zeros" in options:
        options["test"] = "wilcoxon"
    return rs.compare(WIDE, runs, ["RR", "P@1"], **options).to_dict()


@pytest.mark.parametrize("choice", STATISTICS)
def test_every_choice_of_statistics_counts(choice):
    assert set(STATISTICS) == set(Statistics.names())
    if choice == "lower_is_better":
        saved = {"a": {"q": {"ms": 2.0}}, "b": {"q": {"ms": 1.0}}}
        falling = rs.compare(saved, lower_is_better=["ms"]).comparisons[0]
        assert (falling.higher_is_better, rs.compare(saved).comparisons[0].higher_is_better) == (False, True)  # fmt: skip
        with pytest.raises(rs.UsageError, match="higher values of RR are better"):
            rs.compare(WIDE, {"a": ONE, "b": TWO}, "RR", lower_is_better=["RR"])
        return
    plain = {"test": "wilcoxon"} if choice == "zeros" else {}
    assert comparison(**{choice: STATISTICS[choice]}) != comparison(**plain)


def test_statistics_of_a_report_count():
    runs = {"one": ONE, "two": TWO}
    plain = rs.report(WIDE, runs, "RR", pictures=False).model
    made = rs.report(
        WIDE, runs, "RR", pictures=False, confidence=0.5, weights=STATISTICS["weights"]
    )
    assert made.model.means != plain.means
    assert made.model.intervals != plain.intervals
    with pytest.raises(rs.UsageError, match="the direction of the measures of runs is known"):
        rs.report(WIDE, runs, "RR", lower_is_better=["RR"])


def test_a_result_beside_runs_was_made_alike():
    judged = changed(JUDGED, lambda q, d, g: g + 1)
    result = rs.evaluate(judged, RUN, "RR")
    with pytest.raises(rs.DataError, match=r"relevance was 2.0 and is 1.0"):
        rs.compare(judged, {"a": RUN, "b": result}, "RR", relevance=2)


@pytest.mark.parametrize("choice", [n for n in Evaluation.names() if n != "fuse"])
def test_every_choice_of_the_evaluation_counts(choice):
    judged = {**JUDGED, "q2": {"a": 1, "d": -1}}
    values = {
        "like": "trec_eval-9", "conventions": rs.Conventions(ties="docid-asc"), "name": "mine",
        "tie_interval": True, "unjudged_interval": True, "strict": True,
    }  # fmt: skip
    if choice == "strict":
        with pytest.raises(rs.StrictError):
            rs.evaluate(judged, TIED, "RR", strict=True)
        return
    chosen, plain = (
        rs.evaluate(judged, TIED, "RR", **options) for options in ({choice: values[choice]}, {})
    )
    assert chosen.to_dict() != plain.to_dict()


def test_runs_are_fused_where_several_are_compared():
    runs = {"one": ONE, "two": TWO}
    fused = rs.compare(WIDE, runs, "RR", fuse="rrf")["rrf", "RR"]
    assert fused.mean == rs.compare(WIDE, {**runs, "rrf": rs.fuse(runs)}, "RR")["rrf", "RR"].mean
    with pytest.raises(rs.UsageError, match="fuse= goes with compare"):
        rs.evaluate(WIDE, ONE, "RR", fuse="rrf")


def test_a_verb_names_its_options(monkeypatch):
    import inspect

    for name, function in (("evaluate", rs.evaluate), ("compare", rs.compare), ("gate", rs.gate)):
        shown = inspect.signature(function).parameters
        assert set(VERBS[name]) <= set(shown)
        for option in VERBS[name]:
            assert f"\n        {option}: " in function.__doc__


def test_the_types_of_options_are_those_of_the_fields():
    from pathlib import Path

    root = Path(__file__).resolve().parents[2]
    space = {"__file__": str(root / "release" / "option_types.py"), "__name__": "option_types"}
    exec((root / "release" / "option_types.py").read_text(), space)
    assert (root / "src/rankstone/choices/options.pyi").read_text() == space["text"]()


# States, baselines and replays ----------------------------------------------------------------


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.choice in Changes.names()], ids=lambda c: c.choice
)
def test_evaluators_that_change_data_differently_are_not_merged(case):
    plain = dict(case.also)
    if case.choice == "parents":
        plain = {"parents": "{doc}#{x}"}
    one = rs.Evaluator(JUDGED, case.measure, **case.options)
    with pytest.raises(rs.DataError, match="differs in its changes to the data"):
        one.merge(rs.Evaluator(JUDGED, case.measure, **plain).state())


def test_a_result_is_replayed_as_it_was_made(tmp_path):
    qrels = written(tmp_path, "qrels", JUDGED, judgments=True)
    run = written(tmp_path, "run", RUN)
    gone = written(tmp_path, "gone", EXCLUDED, judgments=True)
    options = {
        "min_score": 2.5,
        "exclude": gone,
        "scores": "ascending",
        "columns": {"grade": "grade"},
    }
    result = rs.evaluate(qrels, run, ["RR", "nDCG"], **options)
    result.save(tmp_path / "result.json")
    assert rs.verify(tmp_path / "result.json").holds
    written(tmp_path, "gone", {"q1": ["a"]}, judgments=True)
    checked = rs.verify(tmp_path / "result.json")
    assert any("exclude" in name for name in checked.inputs)


@pytest.mark.parametrize("choice", ["exclude", "parents", "ties"])
def test_a_baseline_made_differently_is_refused(choice, tmp_path):
    case = next(c for c in CASES if c.choice == choice)
    base = rs.evaluate(*case.data, case.measure, **case.options)
    with pytest.raises(rs.DataError, match=f"{choice}"):
        rs.gate(*case.data, base, max_drop={case.measure: 0.1})


@pytest.mark.parametrize("choice", ["min_score", "scores"])
def test_a_baseline_of_another_run_is_warned_of(choice):
    case = next(c for c in CASES if c.choice == choice)
    base = rs.evaluate(*case.data, case.measure, **case.options)
    verdict = rs.gate(*case.data, base, max_drop={case.measure: 1.0})
    (warned,) = (check for check in verdict.checks if check.rule == "comparable")
    assert (warned.status, choice in warned.text) == ("warn", True)
    assert replace(warned, text="").status == "warn"


def test_one_module_lists_the_names_of_options():
    """Everything else derives them, so that a new choice is a field and the code that obeys it."""
    import ast
    from pathlib import Path

    root = Path(rs.__file__).parent
    names = {n for n in FIELDS if "_" in n} | {"exclude", "qid", "encoding"}
    listing = set()
    for path in root.rglob("*.py"):
        # Tools are data about conventions, and the ranking says which of them matter to data.
        if path.parent.name == "tools" or path == root / "core" / "rank.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                items = node.elts
            elif isinstance(node, ast.Dict):
                items = [key for key in node.keys if key is not None]
            else:
                continue
            texts = {
                i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)
            }
            if len(texts & names) > 1:
                listing.add(str(path.relative_to(root)))
    assert listing <= {"choices/setup.py"}
