"""What every registered measure keeps, whichever it is."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from loading import collection
from strategies import as_collection, collections, examples, measures, rankings, values_of

import rankstone as rs
from rankstone.choices import conventions
from rankstone.core.aggregate import AGGREGATES, MEAN, MEDIAN, Part
from rankstone.measures.param import Table

thousand = settings(max_examples=examples(1000))
each = pytest.mark.parametrize("measure", rs.all_measures(), ids=str)
by_grades = [m for m in rs.all_measures() if not m.definition.reads_items]
each_by_grades = pytest.mark.parametrize("measure", by_grades, ids=str)


def value(measure, found, missed=(), **choices):
    judgments, run = as_collection(found, missed)
    return rs.evaluate(judgments, run, [measure], **choices).per_query["q"][str(measure)]


def given_beside(example):
    """Return the options of an example, with items as an object."""
    made = dict(example.given)
    return made | ({"items": rs.Items(**made["items"])} if "items" in made else {})


def same(a, b):
    """Equal, or both undefined: a mean without any weight is."""
    return a == b or (math.isnan(a) and math.isnan(b))


def same_per_query(a, b):
    """Equal for every query and measure, as :func:`same` has it."""
    assert {q: set(v) for q, v in a.items()} == {q: set(v) for q, v in b.items()}
    return all(same(a[q][name], b[q][name]) for q in a for name in a[q])


@each
def test_the_worked_example_is_the_kernels_value(measure):
    example = measure.definition.example
    formula = eval(example.value, {"log2": math.log2})
    parsed = rs.parse_measure(example.measure)
    assert parsed.name == measure.name
    if measure.definition.reads_items:
        data = {"q": ["a"]}, {"q": list(example.shown)}
        number = rs.evaluate(*data, [parsed], **given_beside(example))[parsed]
        assert number == pytest.approx(formula, rel=1e-15, nan_ok=True)
        return
    assert value(parsed, example.grades, example.missed) == pytest.approx(formula, rel=1e-15)


@each
def test_the_definition_is_complete(measure):
    d = measure.definition
    assert d.pretty
    assert d.text
    assert not d.text.startswith(" ")
    assert d.range[0] < d.range[1]
    assert d.aggregate in AGGREGATES
    assert set(d.conventions) <= set(rs.Conventions.__dataclass_fields__)
    assert ("no_relevant" in d.conventions) == d.undefined_without_relevant


@each
def test_examples_of_parameters_are_values_they_may_take(measure):
    for param in measure.definition.params:
        assert param.text
        assert param.examples
        for example in param.examples:
            normal = measure(**{param.name: example}).params[param.name]
            assert param.check(normal, measure.name) == normal


@thousand
@given(measures(), rankings())
def test_values_stay_in_range(measure, ranking):
    low, high = measure.definition.range
    number = value(measure, *ranking)
    assert low <= number <= high or math.isnan(number)


@thousand
@given(measures(), rankings())
def test_the_order_of_gains_is_the_best_and_its_reverse_the_worst(measure, ranking):
    """Whatever the direction: what gains most comes first where values are best."""
    assume(measure.supports_extreme_ties)
    found, missed = ranking
    data = collection(found)
    one = data.ranked(data.default)
    gain = measure.definition.gain(one, measure, np.array(found, float)).tolist()
    order = sorted(range(len(found)), key=lambda i: -gain[i])
    best, worst = ([found[i] for i in some] for some in (order, order[::-1]))
    values = [value(measure, some, missed) for some in (best, found, worst)]
    if not measure.definition.higher_is_better:
        values.reverse()
    assert values == sorted(values, reverse=True) or math.isnan(values[0])


@each_by_grades
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12))
def test_the_relevant_documents_alone_reach_the_top_exactly(measure, relevant):
    top = measure.definition.range[1]
    if math.isinf(top) or not measure.definition.reaches_max:
        return
    assert value(measure, sorted(relevant, reverse=True)) == top


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
    assert same_per_query(rs.evaluate(judgments, shuffled, [measure]).per_query, first)


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
    assert same_per_query(after.per_query, before.per_query)


@each_by_grades
def test_a_query_without_relevant_documents_is_up_to_the_conventions(measure):
    """Its documents are judged, and none is of any use."""
    definition = measure.definition
    judged, run = {"q": {"a": 0, "b": -1}, "r": {"a": 1, "b": 0}}, {"q": ["a", "b"], "r": ["a"]}

    def ruled(rule):
        return rs.evaluate(judged, run, measure, no_relevant=rule).per_query["q"][str(measure)]

    values = [ruled(rule) for rule in ("zero", "one", "skip", "silence")]
    if definition.undefined_without_relevant:
        top = 0.0 if math.isinf(definition.range[1]) else 1.0
        assert values[:2] == [0.0, top]
        assert math.isnan(values[2])
        assert values[3] == 0.0  # there was something to be silent about
    else:
        assert all(same(value, values[0]) for value in values)


@each_by_grades
@settings(max_examples=30)
@given(data=st.data())
def test_sums_in_another_order_are_the_same_but_for_rounding(measure, data):
    """With any parameters, on several queries with ties."""
    chosen = {p.name: data.draw(values_of(p)) for p in measure.definition.params}
    measure = measure(**{n: v for n, v in chosen.items() if v is not None})
    judgments, run = data.draw(collections(grades=st.sampled_from([-1, 0, 1, 2, 3])))
    rules = {"ties": "input", "negatives": data.draw(st.sampled_from(["nonrelevant", "unjudged"]))}
    try:
        exact = rs.evaluate(judgments, run, measure, **rules).values(measure)
    except rs.RankstoneError:
        assume(False)
    plain = rs.evaluate(judgments, run, measure, sums="plain", **rules).values(measure)
    assert plain.tolist() == pytest.approx(exact.tolist(), rel=1e-9, abs=1e-12, nan_ok=True)


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
    for how in AGGREGATES.values():
        parts = (how.of(values[part], weight[part]) for part in (slice(cut), slice(cut, None)))
        halves = how.merge(*parts)
        whole = result.summary(measure, how.name)
        assert same(how.finish(halves), whole.value)
        assert halves.n == whole.n
        if how.name == measure.definition.aggregate:
            assert same(whole.value, result[measure])
            assert whole.n == result.counted[str(measure)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_mean_is_exactly_rounded_and_free_of_order(values):
    from fractions import Fraction

    exact = float(sum(map(Fraction, values)) / len(values))
    assert MEAN.finish(MEAN.of(np.array(values))) == exact
    assert MEAN.finish(MEAN.of(np.array(values[::-1]))) == exact


def test_every_aggregate_that_can_be_named_is_defined():
    assert tuple(AGGREGATES) == conventions.AGGREGATES
    for name, how in AGGREGATES.items():
        assert how.name == name
        assert name in how.text


def test_the_mean_of_no_values_is_not_a_number():
    assert math.isnan(MEAN.finish(MEAN.of(np.array([]))))
    assert MEAN.of(np.array([np.nan, 0.5])) == Part((0.5,), 1)
    assert math.isnan(MEDIAN.finish(MEDIAN.of(np.array([np.nan]))))


with_tables = [
    m for m in rs.all_measures() if any(isinstance(p, Table) for p in m.definition.params)
]


@pytest.mark.parametrize("measure", [m for m in with_tables if m.definition.uses_grades], ids=str)
@given(
    rankings(), st.permutations([0, 1, 2, 3]), st.lists(st.sampled_from([0, 1, 2.5]), min_size=4)
)
def test_to_a_table_of_gains_grades_are_names(measure, ranking, names, gains):
    """So a gain for grade 0 counts, if no grade is above 0 too."""
    found, missed = ranking
    table = dict(zip(range(4), gains, strict=False))
    renamed = {names[grade]: gain for grade, gain in table.items()}
    for rule in ("zero", "skip"):
        a = value(measure(gain=table), found, missed, no_relevant=rule)
        others = [names[g] for g in found], [names[g] for g in missed]
        assert same(value(measure(gain=renamed), *others, no_relevant=rule), a)


@pytest.mark.parametrize("measure", with_tables, ids=str)
@given(rankings(), st.sampled_from([1, 2, 3]))
def test_a_binary_gain_is_one_for_what_is_relevant(measure, ranking, level):
    table = {grade: 1 for grade in (1, 2, 3) if grade >= level}
    own = {"rel": level} if "rel" in measure.params else {}
    a = value(measure(gain="binary", **own), *ranking, relevance=1 if own else level)
    assert a == value(measure(gain=table, **own), *ranking)
