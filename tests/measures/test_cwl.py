"""Measures of users who read on, or stop: the C/W/L family."""

import itertools
import random

import pytest

import rankstone as rs

FAMILY = [
    "RBP(p=0.7)", "SDCG@6", "INSQ(T=2)", "INST(T=2)", "BPM(T=2)@6", "NERR@6",
    "NERR(patience='reciprocal')@6", "NERR(patience='geometric')", "NERR(patience='goal')",
]  # fmt: skip


def one_query(grades, missed=()):
    judged = {f"d{i}": g for i, g in enumerate(grades) if g is not None}
    judged |= {f"m{i}": g for i, g in enumerate(missed)}
    return {"q": judged}, {"q": [f"d{i}" for i in range(len(grades))]}


def values_of(completed, run, name):
    """Return the values of one ranking under several judgments, as so many queries."""
    judged = {f"q{i}": grades for i, grades in enumerate(completed)}
    return rs.evaluate(judged, dict.fromkeys(judged, run["q"]), name).values(name)


@pytest.mark.parametrize("name", FAMILY)
def test_intervals_hold_the_value_under_any_completion_and_both_ends_are_reached(name):
    """A thousand random completions of random rankings with holes, and all of those with few holes."""
    rng = random.Random(name)
    for _ in range(20):
        grades = [rng.choice([None, None, 0, 1, 2, 3]) for _ in range(rng.randint(3, 8))]
        judged, run = one_query(grades, (3, 0))
        result = rs.evaluate(judged, run, name, unjudged_interval=True)
        (interval,) = result.unjudged.interval.values()
        unjudged = [d for d in run["q"] if d not in judged["q"]]
        completed = [
            judged["q"] | {d: rng.choice([0, 1, 2, 3]) for d in unjudged} for _ in range(50)
        ]
        values = values_of(completed, run, name)
        assert interval.low <= min(values)
        assert max(values) <= interval.high
        levels = sorted({0, *(g for g in judged["q"].values())})
        every = [
            judged["q"] | dict(zip(unjudged, way, strict=True))
            for way in itertools.product(levels, repeat=min(len(unjudged), 4))
            if len(unjudged) <= 4
        ]
        if every:
            values = values_of(every, run, name)
            assert (interval.low, interval.high) == (min(values), max(values))


def test_an_explanation_shows_how_likely_each_document_is_read():
    explained = rs.explain("INST(T=1)@4", *one_query([2, None, 1, 0])).to_dict()
    read = [step["columns"]["read"] for step in explained["steps"]]
    first, third = (1 / 2) ** 2, (1 / 2) ** 2 * (2 / 3) ** 2
    assert read[:2] == pytest.approx([1, third])
    weight = explained["steps"][0]["columns"]["weight"]
    fourth = third * ((3 + 1 - 0.5 - 1) / (3 + 1 - 0.5)) ** 2
    assert weight == pytest.approx(1 / (1 + first + third + fourth))


def test_documents_that_gain_nothing_lengthen_the_walk():
    """A goal that is not reached makes a user read on; one that is reached does not."""
    good, late = ([3, 0, 0, 0], [0, 0, 0, 3])
    for name in FAMILY:
        if name.startswith("BPM"):  # the goal is not reached in either
            continue
        values = [rs.evaluate(*one_query(g), name).values(name)[0] for g in (good, late)]
        assert values[0] > values[1] > 0


def test_the_weights_of_a_list_without_end_add_up_to_one():
    """So a list of the best documents comes close to 1 from below, the longer it is."""
    for name in ("RBP(p=0.7)", "INSQ(T=2)", "INST(T=2)", "NERR(patience='goal')"):
        values = [rs.evaluate(*one_query([1] * n), name).values(name)[0] for n in (1, 10, 200)]
        assert values == sorted(values)
        assert 0.97 < values[-1] <= 1


def test_a_goal_that_is_reached_by_thirds_is_reached():
    assert rs.evaluate(*one_query([1, 1, 1, 3, 3]), "BPM(T=1)").values("BPM(T=1)")[0] == 1 / 3


def test_a_grade_above_the_scale_is_an_error():
    with pytest.raises(rs.DataError, match="grade 3 is above max_grade=2"):
        rs.evaluate(*one_query([3, 1]), "INST(max_grade=2)")
