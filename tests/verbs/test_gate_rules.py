"""The rules of a gate: what each one lets through, stops, warns of, and cannot tell."""

import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import collections, examples

import rankstone as rs
from rankstone.cli import main
from rankstone.verbs.gate.rules import must_find_of
from rankstone.verbs.gate.text import write_verdict
from rankstone.verbs.gate.verdict import Check, Verdict


def run(ranks, prefix="q"):
    """A run that has the relevant document d at the given rank of each query; 0: nothing."""
    return {
        f"{prefix}{i}": [f"x{j}" for j in range(rank - 1)] + ["d"] if rank else []
        for i, rank in enumerate(ranks)
    }


def judged(n, prefix="q"):
    return {f"{prefix}{i}": {"d": 1} for i in range(n)}


def gate(new, old, n=None, **rules):
    return rs.gate(judged(n or len(new)), run(new), run(old), **rules)


def status(verdict, rule):
    """Return the status of the one check whose rule starts like this."""
    (check,) = [c for c in verdict.checks if c.rule.startswith(rule) and c.slice is None]
    return check.status


SAME = [1, 2, 4, 1, 5] * 8
BAD = [2, 4, 8, 2, 9] * 8
NOISY = [2, 1, 4, 2, 1] * 2  # against SAME: some better, some worse


def test_the_point_estimate_decides_a_largest_drop():
    drop = 1 / 40 * 0.5  # one query from rank 1 to rank 2
    new = [2, *SAME[1:]]
    for limit, expected in ((drop, "cannot tell"), (drop * 0.99, "fail"), (0.5, "pass")):
        assert status(gate(new, SAME, max_drop={"RR": limit}), "max-drop") == expected
    assert gate(BAD, SAME, max_drop={"RR": 0.1}).exit_code == 1
    assert status(gate(SAME, BAD, max_drop={"RR": 0}), "max-drop") == "pass"


def test_rounding_is_no_drop():
    # 0.57 - 0.56 is 0.010000000000000009
    queries = {f"q{i}": {"d": 1} for i in range(100)}
    old = run([1] * 57 + [0] * 43)
    new = run([1] * 56 + [0] * 44)
    assert status(rs.gate(queries, new, old, max_drop={"R@5": 0.01}), "max-drop") != "fail"
    assert status(rs.gate(queries, new, minimum={"R@5": 0.56}), "min") == "pass"


def test_the_lower_end_of_the_interval_decides_non_inferiority():
    # No change in 40 queries leaves a rate of 1 - 0.025 ** (1 / 40) = 8.8 % of lost ones.
    check = gate(SAME, SAME, non_inferior={"RR": 0.09}).checks[-1]
    assert (check.status, check.low) == ("pass", pytest.approx(0.025 ** (1 / 40) - 1))
    check = gate(SAME, SAME, non_inferior={"RR": 0.08}).checks[-1]
    assert check.status == "cannot tell"
    assert check.text.endswith("is forbidden, for which it takes about 45 queries")
    new = [2, *SAME[1:]]
    check = gate(new, SAME, non_inferior={"RR": 0.15}).checks[-1]
    assert check.status == "pass"
    assert -0.15 < check.low < check.difference < 0
    # Between the point estimate and the lower end: max-drop passes and non-inferior does not.
    limit = (abs(check.low) + abs(check.difference)) / 2
    both = gate(new, SAME, non_inferior={"RR": limit}, max_drop={"RR": limit})
    assert status(both, "non-inferior") != "pass"
    assert "fail" not in status(both, "max-drop")
    assert gate(BAD, SAME, non_inferior={"RR": 0.05}).status == "fail"


def test_a_gate_that_could_not_have_seen_it_says_what_it_can_see():
    for rule in ("max_drop", "non_inferior"):
        verdict = gate(NOISY, SAME[:10], **{rule: {"RR": 0.3}})
        assert verdict.status == "cannot tell", rule
        check = verdict.checks[-1]
        assert check.detectable > 0.3
        assert f"can only show a drop of {check.detectable:.3f} or more" in check.text
        assert "it takes about" in check.text


def test_how_many_queries_it_takes_is_what_power_says():
    verdict = gate(NOISY, SAME[:10], non_inferior={"RR": 0.1})
    results = [rs.evaluate(judged(10), run(r), "RR") for r in (SAME[:10], NOISY)]
    plan = rs.power({"a": results[0], "b": results[1]}, difference=0.1)["RR"]
    assert f"it takes about {plan.queries:,} queries" in verdict.checks[-1].text
    assert math.isclose(verdict.checks[-1].detectable, plan.detectable, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("choice", "expected", "code"), [("fail", "fail", 1), ("warn", "cannot tell", 0), ("pass", "pass", 0)]
)  # fmt: skip
def test_what_cannot_be_told_is_decided_by_the_user(choice, expected, code):
    verdict = gate(NOISY, SAME[:10], max_drop={"RR": 0.3}, inconclusive=choice)
    assert (verdict.status, verdict.exit_code, verdict.passed) == (expected, code, not code)
    assert status(verdict, "max-drop") == "cannot tell"


def test_noise_passes_and_a_real_regression_fails_at_the_same_rule():
    rules = {"non_inferior": {"RR": 0.1}, "inconclusive": "warn"}
    assert gate(NOISY * 4, SAME, **rules).passed
    assert not gate(BAD, SAME, **rules).passed


def test_one_query_shows_nothing():
    verdict = gate([2], [1], max_drop={"RR": 0.6})
    assert verdict.status == "cannot tell"
    assert "1 query cannot show whether that is noise" in verdict.checks[-1].text
    assert gate([2], [1], max_drop={"RR": 0.1}).status == "fail"
    assert gate([2], [1], non_inferior={"RR": 0.1}).status == "cannot tell"


def test_a_smaller_value_may_be_better():
    queries = {f"q{i}": {"d": 1, "e": 0} for i in range(20)}
    old = {q: ["d", "e"] for q in queries}
    new = {q: ["d", "e", "x", "y"] for q in queries}
    rules = {"max_drop": {"Unjudged@4": 0.1}}
    worse = rs.gate(queries, new, old, **rules)
    assert worse.status == "fail"
    assert "Unjudged@4 is worse by 0.5000 (0.0000 to 0.5000; lower is better)" in repr(worse)
    assert rs.gate(queries, old, new, **rules).status == "pass"
    warned = rs.gate(queries, old, new, max_gain={"Unjudged@4": 0.1})
    assert warned.status == "warn"
    assert rs.gate(queries, new, old, max_gain={"Unjudged@4": 0.1}).status == "pass"


def test_a_measure_and_its_mirror_image_come_to_the_same_verdict():
    rng = np.random.default_rng(3)
    queries = {f"q{i}": {f"d{j}": 1 for j in range(4)} for i in range(30)}

    def ranking(share):
        judged = rng.random((30, 4)) < share
        return {
            q: [f"d{j}" if row[j] else f"x{j}" for j in range(4)]
            for q, row in zip(queries, judged, strict=True)
        }

    statuses = set()
    for _ in range(8):
        old, new = ranking(0.5), ranking(rng.choice([0.35, 0.5, 0.65]))
        for kind in ("max_drop", "non_inferior", "max_gain"):
            for limit in (0.02, 0.2):
                rules = {kind: {"Judged@4": limit, "Unjudged@4": limit}}
                one, other = rs.gate(queries, new, old, **rules).checks[-2:]
                assert one.status == other.status
                assert math.isclose(one.difference, -other.difference, abs_tol=1e-12)
                assert math.isclose(one.low, -other.high, abs_tol=1e-3)
                statuses.add((kind, one.status))
    assert len(statuses) == 8  # every one that a kind can come to


def test_floors_and_ceilings():
    verdict = gate(SAME, SAME, minimum={"RR": 0.5}, maximum={"Unjudged@10": 0.01})
    assert status(verdict, "min RR") == "pass"
    assert status(verdict, "max Unjudged") == "fail"
    assert "Unjudged@10 is 0.1600, above 0.01" in repr(verdict)
    assert gate(BAD, BAD, minimum={"RR": 0.5}).status == "fail"


def test_an_undefined_mean_fails():
    nothing = {f"q{i}": {"d": 0} for i in range(3)}
    rules = {"minimum": {"RR": 0}, "no_relevant": "skip"}
    verdict = rs.gate(nothing, run([1, 2, 3]), **rules)
    assert verdict.status == "fail"
    assert "RR of the candidate is undefined for every query" in repr(verdict)
    verdict = rs.gate(
        nothing, run([1, 2, 3]), run([1, 1, 1]), max_drop={"RR": 0.1}, no_relevant="skip"
    )
    assert verdict.status == "fail"
    assert "no query with a value in common" in repr(verdict)
    json.loads(verdict.to_json())


def test_numbers_of_queries_and_judged_documents():
    verdict = gate(SAME, SAME, min_queries=41, min_judged={10: 0.5})
    assert status(verdict, "min-queries") == "fail"
    assert status(verdict, "min-judged @10=0.5") == "pass"
    assert gate(SAME, SAME, min_queries=40, min_judged={"@5": 0.9}).status == "fail"
    # A query without an answer does not count.
    assert gate([*SAME[:39], 0], SAME, min_queries=40).status == "fail"


def test_a_gain_that_is_too_good_to_be_true_is_a_warning():
    verdict = gate(SAME, BAD, max_gain={"RR": 0.1}, max_drop={"RR": 0.01})
    assert (verdict.status, verdict.exit_code) == ("warn", 0)
    assert "too good to be true?" in repr(verdict)


def test_documents_that_must_be_found():
    rules = ["q0:d@1", "q1:d@1", "q2:nowhere@9", "q99:d@5"]
    verdict = gate(SAME, SAME, must_find=rules)
    statuses = [c.status for c in verdict.checks if c.rule.startswith("must-find")]
    assert statuses == ["pass", "fail", "fail", "fail"]
    assert "d of query q1 is at rank 2, not among the first 1" in repr(verdict)
    assert "nowhere of query q2 was not retrieved" in repr(verdict)
    only = rs.gate(judged(5), run(SAME[:5]), must_find=[("q1", "d", 2), "q4:x0@1"])
    assert only.status == "pass"


def test_ids_of_documents_may_be_addresses_and_numbers():
    rule = must_find_of("q1:https://a.example/x@y?z=1@10")
    assert (rule.query, rule.document, rule.cutoff) == ("q1", "https://a.example/x@y?z=1", 10)
    table = must_find_of({"query": "a:b", "document": "c", "cutoff": 3})
    assert (table.query, table.document, table.cutoff) == ("a:b", "c", 3)
    verdict = rs.gate({1: {7: 1}}, {1: [8, 7]}, must_find=[(1, 7, 2), ("1", 7, 1)])
    assert [c.status for c in verdict.checks[1:]] == ["pass", "fail"]


def test_tied_documents_must_be_found_in_the_worst_order_if_every_order_counts():
    tied = {"q0": {"a": 1.0, "b": 1.0, "c": 1.0}}
    rules = {"must_find": ["q0:b@2"], "minimum": {"RR": 0}}
    by_id = rs.gate({"q0": {"b": 1}}, tied, **rules)
    assert status(by_id, "must-find") == "pass"
    for ties in ("expected", "optimistic", "pessimistic"):
        verdict = rs.gate({"q0": {"b": 1}}, tied, ties=ties, **rules)
        assert "b of query q0 is at rank 3" in repr(verdict), ties
    condensed = rs.gate(
        {"q0": {"b": 1}}, {"q0": ["x", "b"]}, unjudged="remove", must_find=["q0:b@1"]
    )
    assert "b of query q0 is at rank 2" in repr(condensed)


def test_a_slice_fails_if_its_drop_is_real():
    groups = {f"q{i}": "news" if i < 20 else "shop" for i in range(40)}
    new = [9 if i < 20 else rank for i, rank in enumerate(SAME)]
    # Over all queries the drop is allowed.
    verdict = gate(new, SAME, max_drop={"RR": 0.5}, by=groups)
    assert verdict.status == "pass"
    verdict = gate(new, SAME, max_drop={"RR": 0.3}, by=groups)
    slices = {c.slice: c for c in verdict.checks if c.slice}
    assert {name: c.status for name, c in slices.items()} == {"news": "fail", "shop": "pass"}
    assert status(verdict, "max-drop") == "pass"
    assert slices["news"].n == 20
    # A slice that is too small does not decide.
    small = gate(new, SAME, max_drop={"RR": 0.3}, by=groups, smallest_slice=21)
    assert small.status == "pass"
    assert [c.decides for c in small.checks if c.slice] == [False, False]


def test_a_drop_in_a_slice_that_may_be_noise_passes():
    groups = {f"q{i}": "news" if i < 10 else "shop" for i in range(40)}
    new = [3, 3, 3, 2, 1, *SAME[5:]]  # two queries lose, two gain
    verdict = gate(new, SAME, max_drop={"RR": 0.05}, by=groups)
    (check,) = [c for c in verdict.checks if c.slice == "news"]
    assert check.difference < -0.01
    tight = gate(new, SAME, max_drop={"RR": 0.005}, by=groups)
    (check,) = [c for c in tight.checks if c.slice == "news"]
    assert (check.status, check.high > 0) == ("pass", True)
    assert "can only show a drop of" in check.text
    shown = "\n".join(write_verdict(tight, "text"))
    assert "a slice fails if its drop is beyond the limit and more than noise" in shown


def test_the_headline_counts_what_gave_the_verdict():
    lost = Check("answers", "warn", "x"), Check("max-drop RR=0.1", "cannot tell", "y")
    for choice, status, reason in (
        ("pass", "warn", "1 of 2 checks warned"),
        ("warn", "cannot tell", "1 of 2 checks cannot tell"),
        ("fail", "fail", "1 of 2 checks cannot tell"),
    ):
        verdict = Verdict("new", "old", 9, lost, choice, 0.95, "")
        assert (verdict.status, reason in verdict.headline()) == (status, True)


def test_intervals_of_slices_are_wider_the_more_slices_there_are():
    two = {f"q{i}": str(i % 2) for i in range(40)}
    one = {f"q{i}": str(i % 2) for i in range(0, 40, 2)}
    wide, narrow = (
        next(c for c in gate(NOISY * 4, SAME, max_drop={"RR": 0.9}, by=groups).checks if c.slice)
        for groups in (two, one)
    )
    assert wide.difference == narrow.difference
    assert wide.low < narrow.low < narrow.high < wide.high


def test_groups_come_from_a_file(tmp_path):
    (tmp_path / "groups.csv").write_text("".join(f"q{i},g{i % 2}\n" for i in range(30)))
    verdict = gate(SAME, SAME, max_drop={"RR": 0.1}, by=tmp_path / "groups.csv")
    assert [c.slice for c in verdict.checks if c.slice] == ["g0", "g1"]


def test_queries_that_only_the_baseline_answers():
    new = [0, *SAME[1:]]
    counted = gate(new, SAME, max_drop={"RR": 0.2})
    assert status(counted, "answers") == "warn"
    assert "does not answer 1 query that the baseline answers (q0); they count as 0" in repr(
        counted
    )
    # Where the conventions leave them out, a candidate could answer what is easy, and pass.
    easy = {q: docs for q, docs in run(SAME).items() if docs.index("d") == 0}
    left_out = rs.gate(judged(40), easy, run(SAME), max_drop={"RR": 0.2}, queries="both")
    assert left_out.status == "fail"
    assert "RR has no value of the candidate for 24 queries" in repr(left_out)


EMPTY = {"no queries": {}, "no documents": {f"q{i}": [] for i in range(40)}, "a list": []}


@pytest.mark.parametrize("candidate", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize(
    "rules",
    [{"max_drop": {"RR": 1.0}}, {"minimum": {"RR": 0}}, {"maximum": {"RR": 1}}, {"min_judged": {5: 0}}],
)  # fmt: skip
def test_an_empty_candidate_fails(candidate, rules):
    verdict = rs.gate(judged(40), candidate, run(BAD), inconclusive="pass", **rules)
    assert (verdict.status, verdict.exit_code) == ("fail", 1)


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing today\n"])
def test_an_empty_file_fails(tmp_path, content):
    (tmp_path / "new.run").write_text(content)
    verdict = rs.gate(judged(3), tmp_path / "new.run", run([1, 1, 1]), max_drop={"RR": 1.0})
    assert verdict.status == "fail"
    assert "answers no query" in repr(verdict)


def test_an_empty_baseline_is_an_error():
    with pytest.raises(rs.DataError, match="the run is empty"):
        gate(SAME, [], n=40, max_drop={"RR": 0.1})


@settings(max_examples=examples(100))
@given(collections())
def test_a_run_against_itself_passes_where_its_queries_can_show_it(collection):
    judgments, candidate = collection
    measures = dict.fromkeys(["nDCG@5", "Unjudged@5"], 0.0)
    rules = {"max_drop": measures, "non_inferior": measures, "max_gain": measures}
    try:
        result = rs.evaluate(judgments, candidate, list(measures))
    except rs.NothingInCommonError:
        return
    verdict = rs.gate(None, result, result, **rules)
    empty = len(result.unanswered) == len(result.queries)
    assert verdict.status == ("fail" if empty else "cannot tell")
    all_of_them = {kind: dict.fromkeys(measures, 1.0) for kind in ("max_drop", "non_inferior")}
    assert rs.gate(None, result, result, inconclusive="fail", **all_of_them).status == (
        "fail" if empty or len(result.queries) == 1 else "pass"
    )


def test_twelve_equal_queries_do_not_show_that_nothing_drops():
    verdict = gate([1] * 12, [1] * 12, n=12, non_inferior={"RR": 0.001})
    check = verdict.checks[-1]
    assert (verdict.status, check.status) == ("cannot tell", "cannot tell")
    assert check.low == pytest.approx(0.025 ** (1 / 12) - 1)  # a rate of 26 %
    assert check.text.startswith(
        "RR is as before (1.0000); no query changed, and 12 queries can only"
    )


USAGE = {
    "no rule": ({}, "a gate needs a rule"),
    "not a number": ({"minimum": {"RR": "high"}}, "min RR: 'high' is not a number"),
    "nan": ({"minimum": {"RR": math.nan}}, "is not a number"),
    "a flag": ({"minimum": {"RR": True}}, "is not a number"),
    "negative": ({"max_drop": {"RR": -0.1}}, "the number must be 0 or more"),
    "percent": ({"max_drop": {"RR": 5}}, r"RR is from 0 to 1, .* For 5 % write 0.05"),
    "a floor in percent": ({"minimum": {"RR": 35}}, "write 0.35"),
    "a share above 1": ({"min_judged": {10: 80}}, "a share is from 0 to 1"),
    "no cutoff": ({"min_judged": {"ten": 0.8}}, "'ten' is not a cutoff"),
    "text without a number": ({"max_drop": ["RR"]}, "write MEASURE=NUMBER, not 'RR'"),
    "a number alone": ({"max_drop": 0.01}, "write MEASURE=NUMBER, not 0.01"),
    "unknown measure": ({"minimum": {"nDGC@10": 0.1}}, "Did you mean nDCG@10"),
    "two floors": ({"minimum": {"AP": 0.1, "map": 0.2}}, "contradict each other: min AP=0.1 and min map=0.2"),
    "floor above ceiling": ({"minimum": {"RR": 0.5}, "maximum": {"RR": 0.4}}, "contradict each other: min RR=0.5 and max RR=0.4"),
    "queries": ({"min_queries": 0}, "min-queries must be a whole number of at least 1"),
    "half a query": ({"min_queries": 1.5}, "whole number"),
    "must find": ({"must_find": ["q17"]}, "write QUERY:DOCUMENT@CUTOFF"),
    "must find, cutoff": ({"must_find": ["q17:d@0"]}, "the cutoff must be a whole number"),
    "inconclusive": ({"minimum": {"RR": 0}, "inconclusive": "wran"}, "Did you mean warn"),
    "confidence": ({"minimum": {"RR": 0}, "confidence": 95}, "for 95 % use 0.95"),
    "slices without a drop": ({"minimum": {"RR": 0}, "by": {"q0": "a"}}, "add max-drop or non-inferior"),
    "misspelt": ({"max_dropp": {"RR": 0.1}, "minimum": {"RR": 0}}, "gate has no option 'max_dropp'"),
    "a sum": ({"max_drop": {"NumQ": 1}}, "not a mean over queries"),
}  # fmt: skip


@pytest.mark.parametrize("case", USAGE)
def test_rules_that_make_no_sense(case):
    rules, message = USAGE[case]
    with pytest.raises(rs.UsageError, match=message):
        gate(SAME, SAME, **rules)


def test_groups_of_other_queries():
    with pytest.raises(rs.DataError, match="no query that was evaluated has a group"):
        gate(SAME, SAME, max_drop={"RR": 0.1}, by={"z": "a"})


def test_a_drop_needs_a_baseline():
    with pytest.raises(rs.UsageError, match="max-drop RR=0.1 compares with a baseline; give one"):
        rs.gate(judged(3), run([1, 1, 1]), max_drop={"RR": 0.1})


def test_results_are_gated_as_they_are():
    new, old = (rs.evaluate(judged(40), run(r), ["RR", "AP"], name="x") for r in (BAD, SAME))
    verdict = rs.gate(None, new, old, max_drop={"map": 0.1})
    assert verdict.status == "fail"
    assert (verdict.candidate, verdict.baseline) == ("x", "x (baseline)")
    for call, message in {
        lambda: rs.gate(None, new, old, max_drop={"RR": 0.1}, ties="input"): "cannot be applied to values that exist already",
        lambda: rs.gate(None, new, old, max_drop={"P@5": 0.1}): "'P@5' was not measured",
        lambda: rs.gate(None, new, old, must_find=["q0:d@1"]): "give the run in a file or in memory",
        lambda: rs.gate(None, run(SAME), old, max_drop={"RR": 0.1}): "judgments are needed",
    }.items():  # fmt: skip
        with pytest.raises(rs.UsageError, match=message):
            call()


def test_measures_are_rules_too():
    verdict = gate(SAME, SAME, max_drop={rs.RR @ 10: 0.1}, minimum={rs.AP: 0.1})
    assert [c.rule for c in verdict.checks] == ["answers", "max-drop RR@10=0.1", "min AP=0.1"]
    both = gate(SAME, SAME, minimum=["AP, nDCG(gain=exp2)@5=0.1"])
    assert [c.measure for c in both.checks[1:]] == ["AP", "nDCG(gain='exp2')@5"]


def test_another_tools_names_are_rules_too():
    verdict = rs.gate(
        judged(40),
        run(BAD),
        run(SAME),
        max_drop={"recip_rank": 0.1, "P_5": 0.1},
        like="trec_eval-9",
    )
    assert [c.measure for c in verdict.checks if c.measure] == ["RR", "P@5"]
    assert verdict.status == "fail"


def test_the_simulation_decides_as_the_gate_does():
    import importlib.util
    from pathlib import Path

    path = Path(__file__).resolve().parents[2] / "benchmarks" / "gate.py"
    spec = importlib.util.spec_from_file_location("gate_simulation", path)
    simulation = importlib.util.module_from_spec(spec)
    sys.modules["gate_simulation"] = simulation
    spec.loader.exec_module(simulation)
    for new in (SAME, BAD, NOISY * 4, [2, *SAME[1:]]):
        values = [np.array([[1 / rank for rank in ranks]]) for ranks in (SAME, new)]
        sample = simulation._sample(*values)
        for kind in ("max-drop", "non-inferior"):
            for limit in (0.01, 0.05, 0.3):
                verdict = gate(new, SAME, **{kind.replace("-", "_"): {"RR": limit}})
                assert simulation._rule(kind, limit)(sample) == [status(verdict, kind)]


JUDGED = {f"q{i}": {"a": 1} for i in range(6)}


FIRST = {query: ["a"] for query in JUDGED}


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize(("needed", "verdict"), [(4, "pass"), (5, "pass"), (6, "fail")])
def test_a_gate_needs_at_least_so_many_answered_queries(needed, verdict):
    answered = {**FIRST, "q0": []}
    assert rs.gate(JUDGED, answered, min_queries=needed).status == verdict


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("ending", ["md", "xml", "json", "txt"])
def test_a_gate_replaces_its_own_files_only(ending, capsys):
    path = f"verdict.{ending}"
    words = ["gate", "judged.json", "first.json", "--min", "RR=0.5", "-o", path]
    assert main(words) == 0
    assert main(words) == 0  # its own
    marked = {"md": "### notes", "xml": "<testsuites>", "json": "{}", "txt": "a check: passed"}
    for other in ("something", marked[ending]):
        with open(path, "w") as out:
            out.write(other)
        capsys.readouterr()
        assert main(words) == 2
        assert "what it holds would be lost" in capsys.readouterr().err
        with open(path) as kept:
            assert kept.read() == other
    assert main([*words, "--force"]) == 0
