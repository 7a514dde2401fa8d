"""Large input: time and memory grow no faster than n log n."""

import tracemalloc
from itertools import combinations
from math import fsum

import numpy as np
import pytest
from hypothesis import given, strategies as st

import rankstone as rs
from rankstone.measures import NumPref, Pref
from rankstone.measures.explain import _ExactSum
from rankstone.measures.preference_groups import LevelGroup, TableGroup
from rankstone.measures.preferences import _shares

grade = st.sampled_from([np.nan, 0.0, 1.0, 2.0, 3.5])
levels = st.lists(grade, min_size=1, max_size=9)


@given(levels, st.integers(0, 9), st.sampled_from(["all", "found", "retrieved"]))
def test_preferences_are_counted_by_definition(level, retrieved, which):
    m = min(retrieved, len(level))
    kept = of = 0
    for i, j in combinations(range(len(level)), 2):  # i is ranked above j, if one is ranked
        if not (level[i] > level[j] or level[i] < level[j]):
            continue
        if (which == "retrieved" and j >= m) or (which == "found" and i >= m):
            continue
        of += 1
        kept += i < m and level[i] > level[j]
    assert LevelGroup(np.array(level), m).counts(which) == (kept, of)


WHICH = st.sampled_from(["all", "found", "retrieved"])


@given(st.lists(st.lists(grade, min_size=4, max_size=4), max_size=4), st.integers(0, 4), WHICH)
def test_people_share_a_pair_by_what_they_prefer(people, m, which):
    """The first m of four documents are retrieved; each pair counts as one, whoever compared it."""
    shares, of = [], 0
    for i, j in combinations(range(4), 2):
        first, second = (sum(p[a] > p[b] for p in people) for a, b in ((i, j), (j, i)))
        wanted = {"all": 0, "found": 1, "retrieved": 2}[which]
        if not first + second or (i < m) + (j < m) < wanted:
            continue
        of += 1
        if i < m:
            shares.append(first / (first + second))
    found, number = _shares([LevelGroup(np.array(p), m) for p in people], which)
    if len(people) == 1:  # their sum, since each is 0 or 1
        shares = [sum(shares)]
    assert (sorted(found.tolist()), number) == (sorted(shares), of)


@given(levels, st.integers(0, 9), WHICH)
def test_a_table_of_preferences_counts_as_levels_do(level, retrieved, which):
    m = min(retrieved, len(level))
    group = LevelGroup(np.array(level), m)
    table = TableGroup(np.array(level), m, group.over)
    assert table.counts(which) == group.counts(which)


@given(levels, st.integers(0, 9), st.sampled_from(["all", "retrieved"]))
def test_balanced_preferences_are_counted_by_definition(level, retrieved, which):
    m = min(retrieved, len(level))
    places = [i for i, x in enumerate(level) if not np.isnan(x)]
    within = [i for i in places if which == "all" or i < m]
    relevant = [i for i in within if level[i] > 0]
    group = LevelGroup(np.array(level), m)
    if len(relevant) >= len(within) - len(relevant):
        kept, of = group.counts(which)
        more = 2 * len(relevant) - len(within)
        kept += sum(level[i] > 0 for i in places if i < m) * more
        of += sum(level[i] > 0 for i in places) * more
    else:
        lowest = min(level[i] for i in places)
        last = [i for i in within if level[i] == lowest][: len(relevant)]
        rest = [i for i in within if level[i] != lowest]
        pairs = [(i, j) for i in rest for j in rest if level[i] > level[j]]
        pairs += [(i, j) for i in within for j in last]
        kept = sum(i < j and i < m for i, j in pairs)
        of = len(pairs)
    assert group.balanced(which) == (kept, of)


@pytest.mark.parametrize("grades", [3, 10**9])
@pytest.mark.parametrize("measure", [Pref, NumPref, Pref(mean="pairs"), Pref(mean="balanced")])
def test_preferences_need_no_table_of_pairs(measure, grades):
    n = 50_000
    grade = np.random.default_rng(1).integers(0, grades, n).astype(float)
    tracemalloc.start()
    value = measure(grade)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value > 0
    assert peak < 1000 * n  # a table of pairs has n * n bytes


def test_all_preferences_of_a_large_ranking():
    n = 100_000
    assert NumPref(np.arange(n)) == n * (n - 1) / 2
    assert Pref(np.arange(n)) == 0
    assert Pref(np.arange(n)[::-1]) == 1


@given(st.lists(st.floats(-1e100, 1e100), max_size=50))
def test_running_sums_are_rounded_once(terms):
    total = _ExactSum()
    assert [total.add(x) for x in terms] == [fsum(terms[: i + 1]) for i in range(len(terms))]


def test_an_explanation_of_a_large_ranking_is_not_quadratic():
    def operations(n):
        judged = {"q": {f"d{i}": i % 3 for i in range(n)}}
        run = {"q": {f"d{i}": float(n - i) for i in range(n)}}
        from cProfile import Profile
        from pstats import Stats
        from time import process_time

        with Profile(process_time) as profile:
            working = rs.explain("nDCG", judged, run, query="q")
        assert len(working.steps) == n
        largest = max(len(part) for part in [working.steps])
        return Stats(profile).total_calls / largest

    assert operations(8000) < 1.5 * operations(1000)
