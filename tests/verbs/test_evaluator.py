"""Evaluation in parts gives the bits of evaluation at once."""

import json
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import collections, measures

import rankstone as rs
from rankstone.core.tally import COUNTS, Tally

COMMON = ["nDCG@10", "AP", "RR", "P@5", "ERR@10", "AUC(pairs='all')", "Success(how='pooled')@5"]
BIG = 120


def big_collection(seed=0):
    """Judgments and a run with ties, missing and unjudged queries, in sizes that differ."""
    rng = random.Random(seed)
    judgments, run = {}, {}
    for i in range(BIG):
        docs = [f"d{j}" for j in rng.sample(range(60), rng.randint(2, 40))]
        if i % 17:
            judgments[f"q{i}"] = {d: rng.choice([0, 0, 1, 2, 3, -1]) for d in docs[::2]}
        if i % 13:
            run[f"q{i}"] = {d: rng.choice([rng.random(), 0.5, 0.25]) for d in docs}
    return judgments, run


def divided(data, n, rng):
    """Divide a dict into n parts at random, some of them empty."""
    parts = [{} for _ in range(n)]
    for key, value in data.items():
        rng.choice(parts)[key] = value
    return parts


def same(one, other):
    """Whether two results are the same in every bit, and in what they say."""
    assert one.queries == other.queries
    assert [*one.columns] == [*other.columns]
    for name, values in one.columns.items():
        assert values.tobytes() == other.columns[name].tobytes(), name
    for name in one.weights:
        assert one.weights[name].tobytes() == other.weights[name].tobytes()
    assert repr(one.aggregates) == repr(other.aggregates)
    assert one.counted == other.counted
    assert one.ties == other.ties
    assert one.unanswered == other.unanswered
    assert {n.code: n.count for n in one.notices} == {n.code: n.count for n in other.notices}
    texts = [
        {n.code: n.text for n in r.notices if n.code != "ids-look-alike"} for r in (one, other)
    ]
    assert texts[0] == texts[1]
    return True


def merged_in_a_random_tree(states, make, rng):
    """Merge states two by two in random order; return the evaluator that is left."""
    states = list(states)
    while len(states) > 1:
        rng.shuffle(states)
        a, b = states.pop(), states.pop()
        states.append(make().merge(a).merge(b).state())
    return make().merge(states[0])


@pytest.mark.parametrize("n", [1, 7, 100])
@pytest.mark.parametrize("queries", ["judged", "both", "run"])
def test_parts_merged_in_any_tree_give_the_same_bits(n, queries):
    judgments, run = big_collection()
    rng = random.Random(n)

    def make():
        return rs.Evaluator(judgments, COMMON, queries=queries, tie_interval=True)

    whole = rs.evaluate(judgments, run, COMMON, queries=queries, tie_interval=True)
    one = make()
    for part in divided(run, n, rng):
        if part:
            one.add(part)
    assert same(one.result(), whole)
    states = [make().add(part).state() for part in divided(run, n, rng) if part]
    assert same(merged_in_a_random_tree(states, make, rng).result(), whole)


@pytest.mark.parametrize("n", [1, 7, 100])
@pytest.mark.parametrize("max_grade", [None, 3.0])
def test_parts_with_judgments_of_their_own_give_the_same_bits(n, max_grade):
    judgments, run = big_collection(1)
    rng = random.Random(n)
    whole = rs.evaluate(judgments, run, COMMON)

    def make():
        return rs.Evaluator(measures=COMMON, max_grade=max_grade)

    both = dict.fromkeys([*judgments, *run])
    states = []
    for part in divided(both, n, rng):
        own = {q: judgments[q] for q in part if q in judgments}
        states.append(make().add({q: run[q] for q in part if q in run}, judgments=own).state())
    in_parts = merged_in_a_random_tree(states, make, rng).result()
    assert same(in_parts, whole)


def by_subtopic(judgments):
    """The same documents, judged for some subtopics each; no two queries name them in one order."""
    rng = random.Random(0)
    return {
        query: {
            doc: {str(s): max(grade, 0) for s in rng.sample(range(12), 3)}
            for doc, grade in docs.items()
        }
        for query, docs in judgments.items()
    }


@pytest.mark.parametrize("n", [1, 7, 100])
@pytest.mark.parametrize("subtopics", [False, True])
def test_every_registered_measure_in_parts_gives_the_same_bits(n, subtopics):
    judgments, run = big_collection(6)
    if subtopics:
        judgments = by_subtopic(judgments)
    by_grades = [m for m in rs.all_measures() if not m.definition.reads_items]
    names = [str(m) for m in by_grades if m.definition.reads_subtopics == subtopics]
    whole = rs.evaluate(judgments, run, names)
    rng = random.Random(n)

    def make():
        return rs.Evaluator(judgments, names)

    states = [make().add(part).state() for part in divided(run, n, rng) if part]
    assert same(merged_in_a_random_tree(states, make, rng).result(), whole)

    names = [name for name in names if name != "Hole"]  # it looks into the judgments of all parts
    whole = rs.evaluate(judgments, run, names)

    def make_without_judgments():
        return rs.Evaluator(measures=names)

    states = []
    for part in divided(dict.fromkeys([*judgments, *run]), n, rng):
        own = {q: judgments[q] for q in part if q in judgments}
        mine = {q: run[q] for q in part if q in run}
        states.append(make_without_judgments().add(mine, judgments=own).state())
    assert same(merged_in_a_random_tree(states, make_without_judgments, rng).result(), whole)


def test_notices_of_judgments_add_up_over_parts():
    import pyarrow as pa

    judged = {"user": [*"uvw"], "item": [*"abc"], "rating": [5.0, 4.0, 3.0]}
    ranked = {"user": [*"uvw"], "item": [*"abx"], "score": [1.0, 1.0, 1.0]}
    whole = rs.evaluate(pa.table(judged), pa.table(ranked), ["RR"])
    evaluator = rs.Evaluator(measures=["RR"])
    for i in range(3):
        run, own = (pa.table(table).slice(i, 1) for table in (ranked, judged))
        evaluator.add(run, judgments=own)
    assert same(evaluator.result(), whole)
    assert [(n.code, n.count) for n in whole.notices] == [("ratings-as-grades", 2)]


@settings(max_examples=60)
@given(collections(min_queries=2), st.lists(measures(), min_size=1, max_size=3), st.data())
def test_any_measure_in_any_parts(collection, some, data):
    judgments, run = collection
    names = [str(m) for m in some]
    rule = data.draw(st.sampled_from(rs.Conventions.choices()["ties"]))
    try:
        whole = rs.evaluate(judgments, run, names, ties=rule)
    except rs.RankstoneError:
        assume(False)
    parts = data.draw(st.integers(1, 4))
    evaluators = [rs.Evaluator(judgments, names, ties=rule) for _ in range(parts)]
    for query, ranking in run.items():
        evaluators[data.draw(st.integers(0, parts - 1))].add({query: ranking})
    total = rs.Evaluator(judgments, names, ties=rule)
    for evaluator in data.draw(st.permutations(evaluators)):
        total.merge(evaluator)
    assert same(total.result(), whole)


def test_a_query_in_two_parts_is_named():
    evaluator = rs.Evaluator({"a": {"x": 1}, "b": {"x": 1}}, ["RR"])
    evaluator.add({"a": ["x"], "b": ["y"]})
    with pytest.raises(rs.DataError, match="query 'b' is in more than one part"):
        evaluator.add({"b": ["x"]})
    other = rs.Evaluator({"a": {"x": 1}, "b": {"x": 1}}, ["RR"]).add({"a": ["x"]})
    with pytest.raises(rs.DataError, match="query 'a' is in more than one part"):
        evaluator.merge(other)


def test_judgments_in_one_part_and_documents_in_another_are_named():
    evaluator = rs.Evaluator(measures=["RR"])
    evaluator.add({"a": ["x"], "b": ["x"]}, judgments={"a": {"x": 1}})
    evaluator.add({"c": ["x"]}, judgments={"b": {"x": 1}, "c": {"x": 1}})
    with pytest.raises(rs.DataError, match="query 'b' is in more than one part"):
        evaluator.result()


@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_query_is_carried_over_the_borders_of_parts(library, size):
    judgments, run = big_collection(2)
    whole = rs.evaluate(judgments, run, ["nDCG", "AP"])
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()][
        : 400 if size == 1 else None
    ]
    if size == 1:
        run = {}
        for q, d, s in rows:
            run.setdefault(q, {})[d] = s
        whole = rs.evaluate(judgments, run, ["nDCG", "AP"])
    evaluator = rs.Evaluator(judgments, ["nDCG", "AP"], carry=True)
    for first in range(0, len(rows), size):
        columns = dict(
            zip(
                ("query", "doc", "score"),
                zip(*rows[first : first + size], strict=True),
                strict=True,
            )
        )
        if library == "dict":
            part = {}
            for q, d, s in rows[first : first + size]:
                part.setdefault(q, {})[d] = s
        else:
            module = pytest.importorskip(library)
            make = module.table if library == "pyarrow" else module.DataFrame
            part = make({name: list(column) for name, column in columns.items()})
        evaluator.add(part)
    assert same(evaluator.result(), whole)


@pytest.mark.parametrize("measures", [["nDCG@5", "AP"], ["AUC", "AUC(pairs='all')"]])
def test_batches_of_a_training_loop(measures):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 4, (96, 20)), rng.random((96, 20)).round(1)
    whole = rs.evaluate(labels, scores, measures)
    evaluator = rs.Evaluator(measures=measures)
    for first in range(0, 96, 32):
        evaluator.add(scores[first : first + 32], judgments=labels[first : first + 32])
    result = evaluator.result()
    assert same(result, whole)
    assert result.queries == list(range(96))
    ranks = [rs.Evaluator(measures=measures) for _ in range(3)]
    for rank, evaluator in enumerate(ranks):
        evaluator.add(scores[rank::3], judgments=labels[rank::3], qid=np.arange(96)[rank::3])
    assert same(ranks[2].merge(ranks[0]).merge(ranks[1].state()).result(), whole)


def test_a_state_of_another_process(tmp_path):
    judgments, run = big_collection(3)
    first = {q: run[q] for q in list(run)[:40]}
    rest = {q: run[q] for q in list(run)[40:]}
    path = tmp_path / "data.json"
    path.write_text(json.dumps([judgments, first]), encoding="utf-8")
    code = (
        "import json, sys, rankstone as rs\n"
        "judgments, run = json.load(open(sys.argv[1]))\n"
        f"sys.stdout.buffer.write(rs.Evaluator(judgments, {COMMON}).add(run).state())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
    evaluator = rs.Evaluator(judgments, COMMON).add(rest).merge(done.stdout)
    assert same(evaluator.result(), rs.evaluate(judgments, run, COMMON))


def test_aggregates_alone_need_a_state_of_constant_size():
    judgments, run = big_collection(4)
    names = ["nDCG@10", "AP", "P@5", "RR", "Success(how='pooled')@5"]
    sizes = []
    for n in (20, 100):
        evaluator = rs.Evaluator(measures=names, per_query=False)
        for query in list(judgments)[:n]:
            if query in run:
                evaluator.add({query: run[query]}, judgments={query: judgments[query]})
        sizes.append(len(evaluator.state()))
    assert sizes[1] < 1.2 * sizes[0]
    some = {q: judgments[q] for q in list(judgments)[:100] if q in run}
    whole = rs.evaluate(some, run, names)
    assert repr(evaluator.result().aggregates) == repr(whole.aggregates)
    result = evaluator.result()
    assert result.counted == whole.counted
    assert result["AP"] == whole["AP"]
    assert f"{len(whole.queries)} queries" in repr(result)


def test_excluded_pairs_count_once():
    judgments, run = big_collection(5)
    exclude = {q: list(docs)[:2] for q, docs in run.items() if int(q[1:]) % 3}
    whole = rs.evaluate(judgments, run, COMMON, exclude=exclude)
    evaluator = rs.Evaluator(judgments, COMMON, exclude=exclude)
    for part in divided(run, 5, random.Random(0)):
        evaluator.add(part)
    assert same(evaluator.result(), whole)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rs.Evaluator({"a": {"x": 1}}, ["RR"]).result(), "nothing was added"),
        (lambda: rs.Evaluator(measures=["RR"]).add({"a": ["x"]}), "judgments are given"),
        (
            lambda: rs.Evaluator({"a": {"x": 1}}, ["RR"]).add(
                {"a": ["x"]}, judgments={"a": {"x": 1}}
            ),
            "judgments are given",
        ),
        (lambda: rs.Evaluator(measures=["RR"], carry=True), "carry="),
        (
            lambda: rs.Evaluator({"a": {"x": 1}}, ["RR"]).add({"b": ["x"]}).result(),
            "no query is both judged",
        ),
        (lambda: rs.Evaluator({"a": {"x": 1}}, ["RR"]).merge(b"nonsense"), "not the state"),
        (
            lambda: (
                rs.Evaluator({"a": {"x": 1}}, ["RR"], strict=True)
                .add({"a": ["x"], "b": ["x"]})
                .result()
            ),
            "strict",
        ),
    ],
)
def test_mistakes_are_explained(make, words):
    with pytest.raises(rs.RankstoneError, match=words):
        make()


def test_states_of_other_evaluations_are_refused():
    judgments = {"a": {"x": 1}}
    state = rs.Evaluator(judgments, ["RR"]).add({"a": ["x"]}).state()
    for other, words in (
        (rs.Evaluator(judgments, ["AP"]), "measures or conventions"),
        (rs.Evaluator(judgments, ["RR"], ties="input"), "measures or conventions"),
        (rs.Evaluator({"a": {"x": 2}}, ["RR"]), "judgments"),
        (rs.Evaluator(judgments, ["RR"], per_query=False), "per_query"),
    ):
        with pytest.raises(rs.DataError, match=words):
            other.merge(state)
    with pytest.raises(rs.DataError, match="not the state"):
        rs.Evaluator(judgments, ["RR"]).merge(state[:-3])


def test_counts_of_nothing_are_zero_and_add_nothing():
    counted = Tally(**dict.fromkeys(COUNTS, 3), missing=("q",), unjudged=("r",))
    assert {name: getattr(Tally(), name) for name in COUNTS} == dict.fromkeys(COUNTS, 0)
    assert Tally().merge(counted) == counted.merge(Tally()) == counted
