"""Every measure under every convention, against a second reading of the definitions."""

import json
import math
import os

import mpmath
import pytest
import reference
from hypothesis import assume, given, settings, strategies as st
from strategies import examples, measures

import rankstone as rs

documents = [f"d{i}" for i in range(7)]
scores = st.sampled_from([-1.0, 0.0, 1.0, 1.0, 1.000000001, 2.0, 3.0])
grades = st.sampled_from([-1, 0, 0, 0.5, 1, 1, 2, 3, 4])
runs = st.dictionaries(st.sampled_from(documents), scores, min_size=1, max_size=6) | st.lists(
    st.sampled_from(documents), min_size=1, max_size=8
)


@st.composite
def collections(draw):
    """One to three queries, judged, in the run, or both."""
    judgments, run = {}, {}
    for i, where in enumerate(
        ["both", *draw(st.lists(st.sampled_from(["judged", "run", "both"]), max_size=2))]
    ):
        if where != "run":
            judgments[f"q{i}"] = draw(
                st.dictionaries(st.sampled_from(documents), grades, min_size=1, max_size=7)
            )
        if where != "judged":
            run[f"q{i}"] = draw(runs)
    kinds = {type(ranking) for ranking in run.values()}
    assume(len(kinds) == 1)
    return judgments, run


@st.composite
def conventions(draw):
    """A few choices that are not the default."""
    names = draw(st.lists(st.sampled_from(list(rs.Conventions.choices())), max_size=4, unique=True))
    chosen = {name: draw(st.sampled_from(rs.Conventions.choices()[name])) for name in names}
    relevance = draw(st.sampled_from([1, 1, 2, 0.5]))
    return rs.Conventions(**{**chosen, "relevance": relevance})


known = measures().filter(lambda measure: measure.name in reference.VALUES)


@settings(max_examples=examples(3000), deadline=None)
@given(collections(), known, conventions())
def test_values_are_those_of_the_definitions(collection, measure, rules):
    assume(rules.no_relevant != "error" and rules.duplicates != "error")
    try:
        result = rs.evaluate(*collection, measure, conventions=rules)
    except rs.UsageError:
        if can_be_ordered(measure, rules.ties):
            raise
        return
    expected = reference.per_query(measure.name, measure.params, *collection, rules.to_dict())
    assert set(result.queries) == set(expected)
    for query, row in result.per_query.items():
        close(row[str(measure)], expected[query], within_two=is_exact(measure, rules))


@settings(max_examples=examples(300), deadline=None)
@given(
    st.dictionaries(st.sampled_from(documents), grades, min_size=1, max_size=5),
    st.lists(st.tuples(st.sampled_from(documents[:4]), scores), min_size=1, max_size=6),
    known,
    st.sampled_from(["first", "keep", "count"]),
    st.sampled_from(rs.Conventions.choices()["ties"]),
    st.sampled_from(rs.Conventions.choices()["unjudged"]),
)
def test_repeated_documents_count_as_the_convention_says(
    engine, tmp_path_factory, judged, rows, measure, duplicates, ties, unjudged
):
    """In a file of lines, in a file of records, in a table and in a list of results alike."""
    rules = rs.Conventions(duplicates=duplicates, ties=ties, unjudged=unjudged)
    if not can_be_ordered(measure, ties):
        return
    folder = tmp_path_factory.getbasetemp()
    lines, records = folder / f"{os.getpid()}.run", folder / f"{os.getpid()}.jsonl"
    lines.write_text("".join(f"q Q0 {doc} 0 {score!r} t\n" for doc, score in rows))
    table = [{"query": "q", "doc": doc, "score": score} for doc, score in rows]
    records.write_text("".join(json.dumps(row) + "\n" for row in table))
    listed = {"q": [{"id": doc, "score": score} for doc, score in rows]}
    judgments = {"q": judged}
    expected = reference.per_query(
        measure.name, measure.params, judgments, {"q": rows}, rules.to_dict()
    )
    for run in (lines, records, table, listed):
        by_score = {"rank_by": "score"} if run is listed else {}
        result = rs.evaluate(judgments, run, measure, conventions=rules, **by_score)
        close(
            result.per_query["q"][str(measure)], expected["q"], within_two=is_exact(measure, rules)
        )


def can_be_ordered(measure, rule):
    if rule == "expected":
        return measure.supports_expected_ties
    return rule not in ("optimistic", "pessimistic") or measure.supports_extreme_ties


def is_exact(measure, rules):
    return (
        measure.name not in reference.PLAIN and rules.sums == "exact" and rules.ties != "expected"
    )


def close(value, exact, *, within_two):
    if exact is None:
        assert math.isnan(value)
        return
    exact = mpmath.mpf(exact)
    off = abs(mpmath.mpf(value) - exact)
    assert off <= (2 * math.ulp(float(exact)) if within_two else 1e-12 * max(1, abs(exact)))


def test_all_measures_have_a_second_reading():
    names = {m.name for m in rs.all_measures()}
    assert set(reference.VALUES) <= names
    assert len(reference.VALUES) == 54


@pytest.mark.parametrize(
    "measure", [m for m in rs.all_measures() if m.name in reference.VALUES], ids=str
)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_long_rankings_are_within_two_ulp(measure, data):
    """Whatever the length: rounding does not add up."""
    size = data.draw(st.sampled_from([9, 60, 200]))
    levels = data.draw(
        st.sampled_from([[0, 1], [0, 0, 1, 2, 3, 4], [None, None, 0, 1], [0, 0, 0, 0, 1]])
    )
    found = data.draw(st.lists(st.sampled_from(levels), min_size=size, max_size=size))
    missed = data.draw(st.lists(st.sampled_from([0, 1, 2]), min_size=1, max_size=9))
    chosen = {
        p.name: data.draw(st.sampled_from([p.default, *p.examples]))
        for p in measure.definition.params
    }
    measure = measure(**{n: v for n, v in chosen.items() if v is not None})
    judged = {f"d{i:03d}": g for i, g in enumerate(found) if g is not None}
    judged |= {f"m{i}": g for i, g in enumerate(missed)}
    collection = {"q": judged}, {"q": [f"d{i:03d}" for i in range(size)]}
    try:
        (value,) = rs.evaluate(*collection, measure).values(measure)
    except rs.RankstoneError:
        assume(False)
    rules = rs.Conventions().to_dict()
    exact = reference.per_query(measure.name, measure.params, *collection, rules)["q"]
    close(value, exact, within_two=measure.name not in reference.PLAIN)
