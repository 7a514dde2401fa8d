"""Sentences of comparisons: p-values as bounds, doubts, and sources of uncertainty."""

import numpy as np
import pytest
from comparisons import compare

from rankstone.stats.comparison import with_holes
from rankstone.stats.values import QueryValues
from rankstone.text.comparison_table import write_comparison
from rankstone.text.verdicts import sentence

IDS = [f"q{i:02}" for i in range(40)]
BASE = np.random.default_rng(1).uniform(0.2, 0.4, 40)


def values(name, x, **options):
    return QueryValues(name, IDS, {"AP": x}, **options)


def test_p_at_the_floor_of_the_resamples_is_a_bound():
    better = BASE + np.random.default_rng(2).uniform(0.1, 0.3, 40)
    result = compare([values("a", BASE), values("b", better)], resamples=300)
    pair = result["b", "AP"]
    assert pair.p_value == pytest.approx(1 / 301)
    assert "p < 0.004" in sentence(pair, result)
    assert "<0.0033" in "\n".join(write_comparison(result, "md"))
    exact = compare([values("a", BASE), values("b", better)], test="t")
    assert "<0." not in "\n".join(write_comparison(exact, "md"))


@pytest.mark.parametrize(("ends", "doubt"), [((0.1, 0.9), True), ((0.45, 0.6), False)])
def test_a_verdict_says_that_unjudged_documents_could_reverse_it(ends, doubt):
    better = BASE + np.random.default_rng(2).uniform(0.1, 0.3, 40)
    runs = [
        values("a", BASE, unjudged={"AP": (0.2, 0.4)}),
        values("b", better, unjudged={"AP": ends}),
    ]
    result = with_holes(compare(runs), runs)
    pair = result["b", "AP"]
    assert (pair.verdict, pair.reversible) == ("better", doubt)
    start = "b is better than a on AP" + ", unless unjudged documents reverse it" * doubt + ": +0."
    assert sentence(pair, result).startswith(start)


def test_uncertainty_that_more_repeats_would_remove_comes_from_repeats():
    """Runs that differ by query, with no effect common to all queries."""
    rng = np.random.default_rng(3)
    own = BASE + 0.05
    noise = rng.normal(0, 0.2, (3, 40))
    noise -= noise.mean(axis=1, keepdims=True)
    repeats = [values(f"b{i}", own + e) for i, e in enumerate(noise)]
    result = compare([values("a", BASE), *repeats], repeats={"b": ["b0", "b1", "b2"]})
    parts = result["b", "AP"].variance
    assert parts.runs == 0.0
    # The difference varies by query only because the runs do.
    assert parts.share_of_runs > 0.5
    assert "100 % comes from queries" not in sentence(result["b", "AP"], result)
    assert type(result).from_json(result.to_json()) == result


def test_many_pairs_have_sentences_on_the_first_measure_and_a_row_each():
    """Of 6 pairs the 2 on the first measure have sentences; of 4, all."""
    rng = np.random.default_rng(5)

    def text(measures):
        runs = [
            QueryValues(name, IDS, {m: rng.uniform(0, 1, 40) for m in measures})
            for name in ("a", "b", "c")
        ]
        lines = write_comparison(compare(runs, resamples=50), "table", columns=200)
        return "\n".join(lines).split("\n\n")

    many = text(("AP", "RR", "P@5"))
    assert many[0].count(" on AP: ") == 2
    assert " on RR: " not in many[0]
    assert many[0].endswith("4 more comparisons are in the table below.")
    assert [many[2].count(f"\n{m} ") for m in ("AP", "RR", "P@5")] == [2, 2, 2]
    few = text(("AP", "RR"))
    assert [few[0].count(f" on {m}: ") for m in ("AP", "RR")] == [2, 2]
    assert "more comparisons" not in few[0]
