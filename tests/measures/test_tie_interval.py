"""Tie intervals: the values with tied documents in their worst and best order."""

import random
from collections import Counter

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.measures.base import REGISTRY
from rankstone.measures.compute import _tied_queries


def data(ties, seed):
    """Return judgments of 20 queries and a run in which some have documents with equal scores."""
    draw = random.Random(seed)
    judgments, run = {}, {}
    for q in range(20):
        docs = draw.sample(range(30), 12)
        judgments[f"q{q}"] = {f"d{d}": draw.choice([-1, 0, 1, 2, 3]) for d in docs[:7]}
        scores = [draw.choice([1, 2, 3]) if q < ties else draw.random() for _ in docs]
        run[f"q{q}"] = {f"d{d}": score for d, score in zip(docs[2:], scores, strict=False)}
    run["elsewhere"] = {"d1": 1.0}
    del run["q7"]
    return judgments, run


@pytest.mark.parametrize(
    ("ties", "least", "most"), [(0, 0, 0), (1, 0, 60), (6, 6, 60), (11, 6, 60), (20, 6, 60)]
)
@pytest.mark.parametrize(
    "choices",
    [
        {}, {"ties": "expected"}, {"queries": "run"}, {"queries": "both"}, {"unjudged": "remove"},
        {"precision": "float32"}, {"ties": "expected", "sums": "plain"}, {"no_relevant": "skip"},
        {"negatives": "nonrelevant"}, {"missed": "ignore"}, {"nonpositive": "nonrelevant"}, {"duplicates": "keep"},
    ],
    ids=str,
)  # fmt: skip
def test_the_ends_are_the_values_in_extreme_orders(ties, least, most, choices):
    seen = 0
    judgments, run = data(ties, len(choices))
    for name, measure in REGISTRY.items():
        try:
            known = rs.evaluate(judgments, run, measure, tie_interval=True, **choices)
        except rs.UsageError:
            continue  # no closed form for expected ties
        if name not in known.ties.interval:
            continue
        rules = ("pessimistic", "optimistic")
        ends = [rs.evaluate(judgments, run, measure, **choices | {"ties": t})[name] for t in rules]
        np.testing.assert_array_equal(known.ties.interval[name], (min(ends), max(ends)))
        seen += ends[0] < ends[1] or ends[0] > ends[1]
    assert least <= seen <= most


@pytest.mark.parametrize("ties", [0, 1, 2, 9, 11, 12, 20])
def test_few_queries_with_ties_are_computed_again(ties):
    judgments, run = data(ties, 1)
    own = collection(judgments, run)
    steps = [("AP", REGISTRY["AP"], own.default.replace(ties="optimistic"))]
    tied = _tied_queries(own, steps)
    wanted = [
        any(Counter(docs.values())[docs[doc]] > 1 for doc in docs.keys() & judged)
        for docs, judged in ((run.get(q, {}), judgments[q]) for q in own.judgments.queries)
    ]
    assert (None if tied is None else tied.chosen.tolist()) == (
        wanted if 0 < sum(wanted) <= 10 else None
    )


def test_parts_know_the_highest_grade_of_all():
    judgments, run = data(3, 5)
    small = {q: {doc: min(grade, 1) for doc, grade in own.items()} for q, own in judgments.items()}
    names = [
        n
        for n, m in REGISTRY.items()
        if m.definition.reads_max_grade(m) and m.supports_extreme_ties
    ]
    names += ["nDCG(ideal='full')"]
    assert len(names) > 1

    def result(**choices):
        part = rs.Evaluator(None, names, max_grade=4, **choices)
        part.add({q: run[q] for q in small if q in run}, judgments=small)
        return part.result()

    known = result(tie_interval=True)
    worst, best = (result(ties=rule) for rule in ("pessimistic", "optimistic"))
    for name in names:
        if name in known.ties.interval:
            ends = sorted((worst[name], best[name]))
            assert known.ties.interval[name] == tuple(ends)
            assert ends[0] <= known[name] <= ends[1]
    assert len(known.ties.interval) > 1


def test_a_part_without_judged_queries():
    part = rs.Evaluator(None, "AP", tie_interval=True)
    part.add({"q": {"a": 1.0}}, judgments={})
    part.add({"r": {"a": 1.0}}, judgments={"r": {"a": 1}})
    assert part.result()["AP"] == 1


def test_the_interval_that_ties_leave_open():
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    result = rs.evaluate({"q": {"b": 1, "d": 1}}, run, ["RR", "AP"], tie_interval=True)
    low, high = result.ties.interval["RR"]
    assert (low, high) == (1 / 3, 1)
    assert result.ties.interval["AP"] == (5 / 12, 3 / 4)
    assert (result.ties.documents, result.ties.retrieved) == (1, 2)
