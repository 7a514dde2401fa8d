"""Tests of ideal."""

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.ideal import constant, ideal_of

DEFAULT = rs.Conventions()


def test_ideal_rankings_are_by_falling_gain():
    judged = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}, "r": {"a": 0, "b": 1}}
    ranked = collection(judged, {"q": ["b", "x", "a"], "r": ["a", "b"]}).ranked(DEFAULT)
    best = ideal_of(ranked, None)
    assert best.grade.tolist() == [2, 1, 1, 0, 1, 0]
    assert best.rank.tolist() == [1, 2, 3, 4, 1, 2]
    assert best.above.tolist() == best.judgment.tolist() == [0, 1, 2, 3, 0, 1]
    assert best.tied.tolist() == [1] * 6
    assert best.score.tolist() == [-1, -2, -3, -4, -1, -2]
    assert (best.queries, best.retrieved.tolist(), best.max_grade) == (["q", "r"], [3, 2], 2)
    assert not best.has_ties
    assert not best.has_repeats
    assert ideal_of(ranked, None, "retrieved").grade.tolist() == [1, 0, 1, 0]
    assert ideal_of(ranked, -ranked.judged_grade).grade.tolist() == [0, 1, 1, 2, 0, 1]
    assert ideal_of(ranked, -ranked.grade, "retrieved").grade.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(("k", "sizes"), [(None, [3, 2]), (2, [2, 2]), (4, [4, 4])])
def test_a_constant_ranking_has_one_grade(k, sizes):
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    ranked = collection(judged, {"q": ["b", "x", "a"], "r": ["a", "b"]}).ranked(DEFAULT)
    same = constant(ranked, k, 3.0)
    assert np.diff(same.offsets).tolist() == sizes
    assert same.rank.tolist() == [i + 1 for n in sizes for i in range(n)]
    assert same.grade.tolist() == same.original_grade.tolist() == [3] * sum(sizes)
    assert same.above.tolist() == [i for n in sizes for i in range(n)]
    assert same.tied.tolist() == [1] * sum(sizes)
    assert same.score.tolist() == (-same.rank).tolist()
    assert (same.judgment < 0).all()
    assert not same.has_ties
