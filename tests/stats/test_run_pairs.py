"""The numbers and the notices of a pair of runs: what each is computed from."""

import json
import math
from dataclasses import MISSING, fields

import numpy as np
import pytest
from comparisons import compare
from scipy import stats

from rankstone.errors import DataError, UsageError
from rankstone.stats.comparison import Comparison, with_holes
from rankstone.stats.power import detectable_difference
from rankstone.stats.values import QueryValues


def run(name, values, measures=("AP",), **options):
    ids = [f"q{i:02}" for i in range(len(values))]
    return QueryValues(name, ids, dict.fromkeys(measures, np.array(values, np.float64)), **options)


def codes(pair):
    return [notice.code for notice in pair.warnings]


VALUES = np.random.default_rng(5).random((4, 24))


@pytest.mark.parametrize(
    ("options", "factor"),
    [
        ({}, 3),
        ({"correction": "holm"}, 3),
        ({"family": "all"}, 6),
        ({"correction": "bonferroni"}, 3),
        ({"correction": "bh"}, 1),
        ({"correction": "none"}, 1),
    ],
)
def test_a_correction_divides_the_level_of_what_can_be_detected(options, factor):
    """Over three pairs of one measure, or of two."""
    runs = [run(f"s{k}", row, ("AP", "RR")) for k, row in enumerate(VALUES)]
    for pair in compare(runs, **options).comparisons:
        row = VALUES[int(pair.run[1])] - VALUES[0]
        expected = detectable_difference(24, row.std(ddof=1), alpha=0.05 / factor)
        assert pair.detectable == pytest.approx(expected, rel=1e-9)
        (note,) = (n for n in pair.warnings if n.code == "underpowered")
        z = stats.norm.ppf(1 - 0.025 / factor)
        sd, worthwhile = row.std(ddof=1), 0.1 * VALUES[0].mean()
        needed = math.ceil(((z + stats.norm.ppf(0.8)) * sd / worthwhile) ** 2 + z**2 / 2)
        assert note.text.endswith(f"for {worthwhile:.3f} about {needed} are needed")


def test_what_is_worthwhile_of_a_negative_mean_is_a_tenth_of_its_size():
    a, b = run("a", VALUES[0] - 2), run("b", VALUES[1] - 2)
    (note,) = compare([a, b])["b", "AP"].warnings
    assert f"for {0.1 * abs((VALUES[0] - 2).mean()):.3f} about" in note.text


def test_a_p_value_of_the_level_itself_is_not_for_lack_of_queries():
    """Five of five better: p is 2 / 2^5, which is 1 - 0.9375."""
    a, b = run("a", [0.1, 0.2, 0.3, 0.4, 0.5]), run("b", [0.9, 0.21, 0.31, 0.41, 0.51])
    pair = compare([a, b], confidence=0.9375)["b", "AP"]
    assert (pair.p_value, pair.verdict, codes(pair)) == (0.0625, "better", [])
    stricter = compare([a, b], confidence=0.93751)["b", "AP"]
    assert (stricter.verdict, codes(stricter)) == ("undecided", ["too-few-queries"])


def test_repeated_runs_may_differ_by_the_same_on_every_query():
    """Then all of the variance is that of runs, and queries detect any difference."""
    base = np.array([0.125, 0.25, 0.5, 0.375])
    runs = [run("base", base), run("x.0", base + 0.125), run("x.1", base + 0.375)]
    pair = compare(runs, repeats={"x": ["x.0", "x.1"]})["x", "AP"]
    assert (pair.difference, pair.detectable, pair.variance.queries) == (0.25, 0.0, 0.0)
    assert pair.variance.runs == pytest.approx(np.var([0.125, 0.375], ddof=1) / 2)
    assert pair.variance.share_of_runs == 1.0
    reach = stats.t.ppf(0.975, 1) * math.sqrt(pair.variance.runs)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((0.25 - reach, 0.25 + reach), rel=1e-9)
    assert pair.effect_size == pytest.approx(0.25 / math.sqrt(4 * pair.variance.runs))
    assert pair.p_value == pytest.approx(2 * stats.t.sf(2.0, 1), rel=1e-9)


def test_missing_answers_to_what_is_the_same_have_no_share():
    a = run("a", [0.0, 0.5, 0.25])
    b = run("b", [0.0, 0.5, 0.25], answered=np.array([False, True, True]))
    pair = compare([a, b], incomplete_above=0.0)["b", "AP"]
    assert (pair.missing.difference, pair.missing.share) == (0.0, 0.0)
    assert (pair.incomplete, pair.common.n) == (False, 2)
    assert codes(pair)[0] == "unanswered"


def test_missing_answers_of_both_are_counted_apart():
    a = run("a", [0.0, 0.0, 0.2, 0.4], answered=np.array([False, False, True, True]))
    b = run("b", [0.5, 0.0, 0.0, 0.6], answered=np.array([True, False, False, True]))
    pair = compare([a, b])["b", "AP"]
    assert (pair.missing.baseline, pair.missing.run) == (2, 2)
    assert pair.missing.difference == pytest.approx((0.5 - 0.2) / 4)
    assert pair.missing.share == pytest.approx(0.3 / 0.5)
    assert (pair.common.n, pair.common.difference) == (1, pytest.approx(0.2))
    assert pair.warnings[0].text == (
        "a has no answer for 2 queries and b has no answer for 2 queries; 60 % of the difference "
        "comes from them (more than 10 %), so this is not a comparison of quality. See the one "
        "over the 1 query that both answered"
    )


def test_missing_answers_count_by_the_weight_of_their_queries():
    a = run("a", [0.1, 0.2, 0.3])
    b = run("b", [0.0, 0.4, 0.4], answered=np.array([False, True, True]))
    weights = {"q00": 2.0, "q01": 1.0, "q02": 1.0}
    missing = compare([a, b], weights=weights)["b", "AP"].missing
    assert missing.difference == pytest.approx(-0.1 * 2 / 4)
    assert missing.share == pytest.approx(0.2 / (0.2 + 0.3))


def test_only_pairs_with_missing_answers_are_compared_twice():
    """Also by the second measure, and also if it is not the first pair."""
    answered = np.arange(24) >= 6
    runs = [run(f"s{k}", row, ("AP", "RR")) for k, row in enumerate(VALUES)]
    runs[2] = run("s2", np.where(answered, VALUES[2], 0.0), ("AP", "RR"), answered=answered)
    result = compare(runs, test="t", interval="t")
    for pair in result.comparisons:
        if pair.run != "s2":
            assert (pair.common, pair.missing) == (None, None)
            continue
        d = (VALUES[2] - VALUES[0])[6:]
        assert pair.common.measure == pair.measure
        assert (pair.common.n, pair.missing.baseline, pair.missing.run) == (18, 0, 6)
        assert pair.common.difference == pytest.approx(d.mean(), rel=1e-9)
        assert pair.common.p_value == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)


def test_only_queries_with_a_value_of_one_run_are_left_out():
    a = run("a", [0.1, np.nan, np.nan, 0.4, 0.2, 0.3])
    b = run("b", [0.2, np.nan, 0.3, np.nan, 0.1, 0.5])
    pair = compare([a, b])["b", "AP"]
    (note,) = (n for n in pair.warnings if n.code == "queries-left-out")
    assert (pair.n, note.count, note.examples) == (3, 2, ("q02", "q03"))
    assert note.text.startswith("2 of 5 queries left out")
    assert (pair.wins, pair.ties, pair.losses) == (2, 0, 1)
    assert pair.superiority == pytest.approx(2 / 3)
    neither = compare([run("a", [0.1, np.nan, 0.3]), run("b", [0.2, np.nan, 0.1])])["b", "AP"]
    assert "queries-left-out" not in codes(neither)


@pytest.mark.parametrize("higher", [True, False])
def test_wins_and_superiority_are_of_the_better_value(higher):
    a = run("a", [0.5, 0.5, 0.5, 0.5, 0.5])
    b = run("b", [0.75, 0.625, 0.25, 0.5, 1.0])
    pair = compare([a, b], lower_is_better=() if higher else ("AP",))["b", "AP"]
    assert (pair.wins, pair.ties, pair.losses) == ((3, 1, 1) if higher else (1, 1, 3))
    assert pair.superiority == (3.5 / 5 if higher else 1.5 / 5)
    assert (pair.difference, pair.higher_is_better) == (0.125, higher)
    best, worst = ["q04", "q00", "q01"], ["q02"]
    found = [[m.query for m in moved] for moved in (pair.improved, pair.worsened)]
    assert found == ([best, worst] if higher else [worst, best])
    assert pair.effect_size == pytest.approx(
        0.125 / np.std([0.25, 0.125, -0.25, 0, 0.5], ddof=1), rel=1e-12
    )


@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_five_comparisons_are_shown(count):
    rows = np.random.default_rng(8).random((count + 1, 12))
    result = compare([run(f"s{k}", row) for k, row in enumerate(rows)], test="t")
    first, *lines = repr(result).splitlines()
    assert len(lines) == min(count, 5) + (count > 5)
    assert [line.split()[1] for line in lines[:5]] == [f"s{k}" for k in range(1, count + 1)][:5]
    assert lines[5:] == ["... and 1 more"] * (count > 5)
    assert ("Holm correction over" in first) == (count > 1)
    assert first.startswith("<Comparison against s0 (paired t test; ")


@pytest.mark.parametrize(("few", "warned"), [(1, ", 1 warning)>"), (2, ", 2 warnings)>")])
def test_warnings_are_counted_once_each(few, warned):
    rows = np.random.default_rng(8).random((2, 4))
    runs = [run("a", rows[0]), run("b", rows[1]), run("c", rows[1])]
    if few == 2:
        runs[2] = run("c", [*rows[1][:3], np.nan])
    result = compare(runs)
    assert len(result.warnings) == few
    assert {n.code for n in result.warnings} == {"too-few-queries"}
    assert repr(result).splitlines()[0].endswith(warned)


def test_what_was_not_compared_is_said_with_what_was():
    runs = [run(f"s{k}", row, ("AP", "RR")) for k, row in enumerate(VALUES[:3])]
    result = compare(runs, test="t")
    with pytest.raises(UsageError) as caught:
        result["s1", "s2", "AP"]
    assert str(caught.value) == (
        "'s1' and 's2' by 'AP' was not compared. Runs: s0, s1, s2. Measures: AP, RR."
    )
    assert result["s0", "s2", "RR"] is result["s2", "RR"] is result.comparisons[3]


def test_exact_p_values_say_so_unless_one_was_drawn():
    """Of six and of sixteen differences; ten thousand choices of signs are those of 13."""
    a, b, c = run("a", np.zeros(16)), run("b", [1.0] * 6 + [0.0] * 10), run("c", VALUES[0][:16])
    exact, drawn = compare([a, b]), compare([a, b, c])
    assert exact.method().startswith("randomization test (sign flips); exact; ")
    assert drawn.method().startswith("randomization test (sign flips); 10000 resamples, seed 0; ")
    assert [p.resamples for p in (*exact.comparisons, *drawn.comparisons)] == [None, None, 10_000]


def test_a_saved_comparison_needs_a_test_and_a_correction_that_exist():
    saved = compare([run("a", VALUES[0]), run("b", VALUES[1])], test="t").to_dict()
    for name in ("test", "correction"):
        with pytest.raises(DataError, match=r"\(unknown test or correction\)"):
            Comparison.from_json(json.dumps(saved | {name: "other"}))
    assert Comparison.from_json(json.dumps(saved)).to_dict() == saved
    assert "values" not in saved


def test_measures_with_a_nan_keep_it():
    a, b = run("a", [0.1, 0.2, np.nan]), run("b", [0.3, 0.4, 0.5])
    one = QueryValues("a", ["q00"], {"AP": np.array([0.1])})
    result = compare([one, QueryValues("b", ["q00"], {"AP": np.array([0.4])})])
    again = Comparison.from_json(result.to_json())
    assert math.isnan(again["b", "AP"].p_value)
    assert again == result
    assert compare([a, b]) != result


def test_a_file_of_something_else_is_replaced_only_by_force(tmp_path):
    result = compare([run("a", VALUES[0]), run("b", VALUES[1])], test="t")
    path = tmp_path / "notes.json"
    path.write_text("not a comparison")
    with pytest.raises(UsageError, match="the file is there already"):
        result.save(path)
    assert path.read_text() == "not a comparison"
    result.save(path, force=True)
    assert Comparison.load(path) == result


def test_a_comparison_is_of_equal_queries_unless_said():
    made = compare([run("a", VALUES[0]), run("b", VALUES[1])], test="t")
    needed = {f.name: getattr(made, f.name) for f in fields(made) if f.default is MISSING}
    needed.pop("values")
    plain = Comparison(**needed)
    assert (plain.weighted, plain.zeros, plain.notices, plain.values) == (False, None, (), {})
    assert plain == made
    weights = dict.fromkeys(made.values["a"].queries, 2.0)
    assert compare([*made.values.values()], test="t", weights=weights) != made


@pytest.mark.parametrize(
    ("ends", "code"), [((-math.inf, 0.5), "holes"), ((0.0, math.inf), "holes"), (None, None)]
)
def test_unjudged_documents_may_leave_anything_possible(ends, code):
    a = run("a", VALUES[0], unjudged={"AP": (0.25, 0.5)})
    b = run("b", VALUES[1], unjudged={} if ends is None else {"AP": ends})
    pair = with_holes(compare([a, b], test="t"), [a, b])["b", "AP"]
    found = [n for n in pair.warnings if n.code in ("holes", "survives-holes")]
    assert [n.code for n in found] == [code] * (code is not None)
    assert all(n.text.endswith("the difference may be anything") for n in found)
    assert all(n.level == "note" for n in found)  # nothing was decided


def test_common_queries_are_those_that_a_pair_answered():
    """Tukey's test permutes the values of all runs, so for it they are those that all answered."""
    runs = [run("s0", VALUES[0])]
    for k, gone in ((1, range(3)), (2, range(3, 7))):
        answered = ~np.isin(np.arange(24), gone)
        runs.append(run(f"s{k}", np.where(answered, VALUES[k], 0.0), answered=answered))
    apart, joint = compare(runs, test="t"), compare(runs, test="tukey", resamples=50)
    assert [pair.common.n for pair in apart.comparisons] == [21, 20]
    assert [pair.common.n for pair in joint.comparisons] == [17, 17]
