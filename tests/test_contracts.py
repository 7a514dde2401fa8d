"""What every registered measure keeps, whichever it is."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import as_collection, collections, measures, rankings

import rankstone as rs
from rankstone.core.aggregate import Aggregate

thousand = settings(max_examples=1000)
each = pytest.mark.parametrize("measure", rs.all_measures(), ids=str)


def value(measure, found, missed=(), **choices):
    judgments, run = as_collection(found, missed)
    return rs.evaluate(judgments, run, [measure], **choices).per_query["q"][str(measure)]


def same(a, b):
    """Equal, or both undefined: a mean without any weight is."""
    return a == b or (math.isnan(a) and math.isnan(b))


@each
def test_the_worked_example_is_the_kernels_value(measure):
    example = measure.definition.example
    formula = eval(example.value, {"log2": math.log2})
    parsed = rs.parse_measure(example.measure)
    assert parsed.name == measure.name
    assert value(parsed, example.grades, example.missed) == pytest.approx(formula, rel=1e-15)


@each
def test_the_definition_is_complete(measure):
    d = measure.definition
    assert d.pretty
    assert d.text
    assert not d.text.startswith(" ")
    assert d.range[0] < d.range[1]
    assert d.aggregate in ("mean", "sum", "geometric")
    known = set(rs.Conventions.__dataclass_fields__)
    assert set(d.conventions) <= known
    for param in d.params:
        assert param.text


@thousand
@given(measures(), rankings())
def test_values_stay_in_range(measure, ranking):
    low, high = measure.definition.range
    assert low <= value(measure, *ranking) <= high


@thousand
@given(measures(), rankings())
def test_the_best_ranking_has_the_highest_value(measure, ranking):
    found, missed = ranking
    gain = measure.params.get("gain")
    worth = {g: g for g in found}
    if isinstance(gain, tuple):
        listed = measure.params.get("unlisted") == "grade"
        worth = {g: dict(gain).get(g, g if listed else 0) for g in found}
    best = sorted(found, key=lambda g: -worth[g])
    assert value(measure, best, missed) >= value(measure, found, missed)


@thousand
@given(measures(), st.lists(st.integers(1, 4), min_size=1, max_size=12))
def test_the_relevant_documents_alone_reach_the_top_exactly(measure, relevant):
    top = measure.definition.range[1]
    if math.isinf(top) or not measure.definition.attained:
        return
    params = {"k": None} if "k" in measure.params else {}
    if "rel" in measure.params:
        params["rel"] = 1
    if isinstance(measure.params.get("gain"), tuple):
        params["gain"] = "linear"
    if measure.params.get("ideal") == "full":
        params["ideal"] = "judged"
    if "multiple" in measure.params:
        params["multiple"] = 1
    assert value(measure(**params), sorted(relevant, reverse=True)) == top


@thousand
@given(measures(), rankings(), st.randoms(use_true_random=False))
def test_a_cut_off_reads_only_the_first_k(measure, ranking, random):
    k = measure.params.get("k")
    found, missed = ranking
    if k is None:
        return
    below = list(enumerate(found[k:], start=k))
    random.shuffle(below)
    judgments, run = as_collection(found, missed)
    shuffled = {"q": run["q"][:k] + [f"d{i:02d}" for i, _ in below]}
    first = rs.evaluate(judgments, run, [measure]).per_query
    assert rs.evaluate(judgments, shuffled, [measure]).per_query == first


@thousand
@given(measures(), collections(), st.randoms(use_true_random=False))
def test_names_of_documents_and_order_of_queries_do_not_matter(measure, collection, random):
    judgments, run = collection
    documents = sorted({d for docs in [*judgments.values(), *run.values()] for d in docs})
    renamed = [f"x{i}" for i in range(len(documents))]
    random.shuffle(renamed)
    new = dict(zip(documents, renamed, strict=True))
    queries = sorted({*judgments, *run})
    random.shuffle(queries)

    def twist(data):
        return {q: {new[d]: x for d, x in data[q].items()} for q in queries if q in data}

    before = rs.evaluate(judgments, run, [measure], ties="input")
    after = rs.evaluate(twist(judgments), twist(run), [measure], ties="input")
    assert same(after[measure], before[measure])
    assert after.per_query == before.per_query


@thousand
@given(measures())
def test_what_is_printed_can_be_read(measure):
    again = rs.parse_measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert again.params == measure.params
    assert pickle.loads(pickle.dumps(measure)) == measure


@thousand
@given(measures(), collections(), st.data())
def test_parts_merge_to_the_whole(measure, collection, data):
    result = rs.evaluate(*collection, [measure])
    values = result.values(measure)
    cut = data.draw(st.integers(0, len(values)))
    weight = result.weights.get(str(measure), np.ones(len(values)))
    how = measure.definition.aggregate
    first, rest = (
        Aggregate.of(values[part], weight[part], how) for part in (slice(cut), slice(cut, None))
    )
    halves = rest.merge(first)
    assert same(halves.finish(how), result[measure])
    assert halves.n == result.counted[str(measure)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_mean_is_exactly_rounded_and_free_of_order(values):
    from fractions import Fraction

    exact = float(sum(map(Fraction, values)) / len(values))
    assert Aggregate.of(np.array(values)).mean() == exact
    assert Aggregate.of(np.array(values[::-1])).mean() == exact


def test_the_mean_of_no_values_is_not_a_number():
    assert math.isnan(Aggregate.of(np.array([])).mean())
    assert Aggregate.of(np.array([np.nan, 0.5])) == Aggregate((0.5,), 1)
