"""Measures with a cutoff have the same values on the first documents of a table as on all of it."""

from __future__ import annotations

import numpy as np
import pytest
from engines_alike import alike, outcome
from hypothesis import given, settings, strategies as st
from strategies import examples, values_of

import rankstone as rs
from rankstone.core import counted, top
from rankstone.core.rank import ListNeeds, score_needs
from rankstone.io import arrays

CUT = [
    m
    for m in rs.all_measures()
    if not m.definition.reads_items and any(p.name == "k" for p in m.definition.params)
]
LABELS = ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"]
SCORES = ["float64", "float32", "float16"]
POOLS = [
    [0, 1],
    [0, 0, 0, 3],
    [0, 1, 2, 3, 4],
    [0.5, 1, 0, 4],
    [-1, 0, 2],
    [1, 2, 3],
    [0.1, 300],
    [0, 1, 2000],
]
RULES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["expected", "input", "optimistic", "pessimistic"]),
        "negatives": st.sampled_from(["nonrelevant", "nonrelevant", "unjudged"]),
        "unjudged": st.sampled_from(["nonrelevant", "nonrelevant", "remove"]),
        "precision": st.sampled_from(["float64", "float32"]),
        "nonpositive": st.sampled_from(["any", "any", "any", "nonrelevant"]),
        "no_relevant": st.sampled_from(["zero", "one", "skip", "error"]),
        "sums": st.sampled_from(["exact", "exact", "plain"]),
        "relevance": st.sampled_from([1, 1, 2, 0.1]),
    }
)


@st.composite
def cut_measures(draw):
    """Any registered measure with a cutoff, with any parameters."""
    default = draw(st.sampled_from(CUT))
    chosen = {p.name: draw(values_of(p)) for p in default.definition.params if p.name != "k"}
    k = draw(st.sampled_from([1, 2, 3, 5, 10, 20, 50]))
    return default(**{n: v for n, v in chosen.items() if v is not None}, k=k)


@st.composite
def tables(draw, labels=LABELS, scores=SCORES, pools=POOLS):
    """Labels and scores of any type: with ties or without, in rows or in columns, some of them odd."""
    rows, width = draw(st.sampled_from([(1, 20), (3, 40), (5, 9), (4, 100), (2, 300)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    label = rng.choice(draw(st.sampled_from(pools)), (rows, width))
    label[rng.random(rows) < draw(st.sampled_from([0, 0.3]))] = 0
    score = rng.permuted(np.tile(np.linspace(-0.5, 1, width), (rows, 1)), axis=1)
    kind = draw(st.sampled_from(["even", "even", "few", "round", "zeros", "sorted", "rising"]))
    if kind == "few":
        score[:, 1] = score[:, 0]
    elif kind == "round":
        score = score.round(draw(st.sampled_from([0, 1, 2])))
    elif kind == "zeros":
        score = rng.choice([0.0, -0.0, 1.0, -1.0], score.shape)
    elif kind != "even":
        score = np.sort(score) * (1 if kind == "rising" else -1)
    made = label.astype(draw(st.sampled_from(labels))), score.astype(draw(st.sampled_from(scores)))
    return tuple(map(np.asfortranarray, made)) if draw(st.booleans()) else made


@settings(max_examples=examples(500), deadline=None)
@given(
    st.lists(cut_measures(), min_size=1, max_size=3),
    tables(),
    RULES,
    st.booleans(),
    st.sampled_from([1 << 18, 50]),
    st.sampled_from(["native", "python"]),
)
def test_the_first_documents_have_the_values_of_all(asked, table, rules, interval, block, engine):
    def direct():
        try:
            return repr(np.asarray(asked[0](*table, conventions=rs.Conventions(**rules))).tolist())
        except rs.RankstoneError as error:
            return type(error), str(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_first_documents", lambda *_: None)
        whole = outcome(*table, asked, **rules, tie_interval=interval), direct()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKSTONE_ENGINE", engine)
        patch.setattr(top, "_MOST", 1)
        patch.setattr(top, "_WIDEST", 1)
        patch.setattr(counted, "_BLOCK", block)
        assert (outcome(*table, asked, **rules, tie_interval=interval), direct()) == whole


@settings(max_examples=examples(500), deadline=None)
@given(
    tables(
        [k for k in LABELS if k != "float16"], ["float64", "float32", "int8", "uint16", "int64"]
    ),
    st.sampled_from([1, 2, 3, 9, 49, 70, 300]),
    st.booleans(),
)
def test_engines_take_the_same_documents(table, k, ties):
    labels, scores = map(np.ascontiguousarray, table)
    alike("top_table", labels, scores, min(k, labels.shape[1]), ties)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 2.0**53, -(2.0**53)])
def test_odd_numbers_are_left_to_others(odd, kind):
    plain = np.arange(8.0).reshape(2, 4).astype(kind)
    strange = plain.copy()
    strange[1, 2] = odd
    assert alike("top_table", plain, plain, 2, True) is not None
    assert alike("top_table", plain, strange, 2, True) is None
    if not 0 <= odd < np.inf:
        assert alike("top_table", strange, plain, 2, True) is None


NEEDS, CUTOFF = score_needs([rs.Conventions(ties="input")]), ListNeeds(2, True, True)
GRADES = np.array([[0.5, 0, 2, 3, 0, 1, 0, 4], [1, 0, 0, 0, 0, 0, 0, 2]])


@pytest.fixture
def quarter(monkeypatch):
    """Up to a quarter of a list is selected."""
    monkeypatch.setattr(top, "_MOST", 1 / 4)


@pytest.mark.usefixtures("quarter")
def test_what_is_taken():
    scores = np.array([[5.0, 4, 4, 4, 3, 2, 1, 1], [1, 7, 6, 5, 4, 3, 2, 0]])
    part = top.top_of(GRADES, scores, CUTOFF, NEEDS)
    assert part.grades.tolist() == [[0.5, 0, 2, 3], [0, 0, 0, 0]]
    assert part.scores.tolist() == [[0, -1, -1, -1], [0, -1, -2, -3]]
    assert part.lists.best.tolist() == [[4, 3], [2, 1]]
    assert part.lists.relevant.tolist() == [4, 2]
    assert (part.ties, part.below_one) == ((3, 7), 1)
    alone = top.top_of(GRADES[1:], scores[1:], CUTOFF, NEEDS)
    assert alone.grades.tolist() == [[0, 0]]
    assert (alone.scores, alone.ties) == (None, (0, 2))


def test_deep_cutoffs_are_left_to_others():
    scores = np.arange(2000.0)[None]
    for k, width, can in ((50, 2000, True), (51, 2000, False), (50, 999, False)):
        own = scores[:, :width]
        assert (top.top_of(own % 5, own, CUTOFF._replace(k=k), NEEDS) is not None) == can


@pytest.mark.usefixtures("quarter")
@pytest.mark.parametrize(
    ("lists", "needs"),
    [
        (CUTOFF._replace(k=None), NEEDS),
        (CUTOFF._replace(k=3), NEEDS),
        (CUTOFF._replace(below=True), NEEDS),
        (CUTOFF, NEEDS._replace(values=True)),
        (CUTOFF, NEEDS._replace(unjudged=True)),
        (CUTOFF, NEEDS._replace(ids=True)),
        (CUTOFF, NEEDS._replace(float32=True)),
        (CUTOFF._replace(supports_expected_ties=False), NEEDS._replace(every_tie=True)),
    ],
)
def test_all_of_a_table_is_read_where_the_first_documents_do_not_do(lists, needs):
    scores = np.array([[5.0, 4, 3, 2, 1, 1, 0, -1]])
    assert top.top_of(GRADES[:1], scores, CUTOFF, NEEDS) is not None
    assert top.top_of(GRADES[:1], scores, lists, needs) is None
    assert top.top_of(GRADES[:1], np.ones((1, 8)), CUTOFF, NEEDS) is None
    assert top.top_of(GRADES[:1] * 300, scores, CUTOFF, NEEDS) is None


@pytest.mark.parametrize("name", ["DCG(gain='exp2')@1", "DCG(gain={1: 1}, unlisted='error')@1"])
def test_grades_below_the_cutoff_are_refused_as_above_it(monkeypatch, name):
    monkeypatch.setattr(top, "_MOST", 1)
    for at in (0, 4):
        labels = np.ones((1, 6))
        labels[0, at] = 2000
        with pytest.raises(rs.DataError, match="grade 2000"):
            rs.evaluate(labels, np.arange(6.0, 0, -1)[None] / 7, [name])


def test_the_core_refuses_tables_that_do_not_fit():
    native = pytest.importorskip("rankstone._native._core")
    for labels, scores, k in (((2, 3), (2, 4), 1), ((2, 3), (1, 3), 1), ((2, 3), (2, 3), 4)):
        with pytest.raises(ValueError, match="one shape"):
            native.top_table(np.zeros(labels), np.zeros(scores), k, True)
    with pytest.raises(ValueError, match="30,000"):
        native.top_table(np.zeros((1, 30_001)), np.zeros((1, 30_001)), 1, True)
    with pytest.raises(TypeError, match="whole, float32 or float64"):
        native.top_table(np.zeros((1, 3), np.float16), np.zeros((1, 3)), 1, True)
