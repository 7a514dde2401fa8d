"""Tables are cut on a device, or counted by the core, and keep their values.

A device cuts with the words of its own library. Here those are NumPy's, so that what is done on a
device is tested where there is none.
"""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from devices import in_words_of_a_device, numpy_library
from engines_alike import alike, outcome
from hypothesis import given, settings, strategies as st
from strategies import examples

import rankstone as rs
from rankstone.core import counted, gpu, segments
from rankstone.core.rank import ListNeeds, score_needs
from rankstone.measures.parse import all_measures

NO_NEEDS = score_needs([rs.Conventions(ties="input")])
MEASURES = ["nDCG@2", "P@3", "RR@1", "AP@4", "R(rel=2)@2", "ERR@3", "nDCG(ideal='uncut')@2"]


@st.composite
def tables(draw):
    """Labels and scores of few lists, with ties at any rank or without."""
    rows, width = draw(st.integers(1, 5)), draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    grades = draw(st.sampled_from([[0, 1], [0, 0, 0, 0, 3], [-1, 0, 1, 2], [0.5, 1, 0, 0, 4]]))
    labels = rng.choice(grades, (rows, width)).astype(np.float64)
    distinct = draw(st.sampled_from([1, 2, 4, 9, 10**6]))
    scores = rng.integers(-distinct, distinct, labels.shape) * draw(st.sampled_from([1.0, 1e-312]))
    kind = draw(st.sampled_from(["float64", "float32", "float16", "int8"]))
    small = np.clip(scores, -100, 100) if kind in ("float16", "int8") else scores
    return labels, small.astype(kind)


@settings(max_examples=examples(300))
@given(
    tables(),
    st.sampled_from(["expected", "input", "optimistic", "pessimistic"]),
    st.sampled_from(["nonrelevant", "unjudged"]),
    st.sampled_from(["float64", "float32"]),
    st.sampled_from(["any", "nonrelevant"]),
    st.sampled_from([1 << 24, 50]),
)
def test_devices_and_counts_give_the_values_of_the_whole(
    table, ties, negatives, precision, low, block
):
    rules = {"ties": ties, "negatives": negatives, "precision": precision, "nonpositive": low}
    for asked in (MEASURES, MEASURES[:1], ["Bpref", "nDCG@2"]):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpu, "top_k", lambda *_: None)
            patch.setattr(counted, "suffices", lambda *_: False)
            whole = outcome(*table, asked, **rules)
        with pytest.MonkeyPatch.context() as patch:
            in_words_of_a_device(patch)
            patch.setattr(gpu, "_BLOCK", block)
            assert outcome(*table, asked, **rules) == whole
        for name in ("native", "python"):
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("RANKSTONE_ENGINE", name)
                patch.setattr(counted, "_SPARSE", 1)
                patch.setattr(counted, "_BLOCK", block)
                assert outcome(*table, asked, **rules) == whole


SCORES = np.array([[5.0, 4, 4, 4, 3, 2, 1], [7.0, 6, 5, 4, 3, 2, 1], [1, 1, 0.5, 0.25, 0, -1, -1]])
LABELS = np.array([[0, 0, 0, 2, 0, 0, 0], [0, 1, 0, 0, 0, 3, 1], [1, 2, 0, 0, 4, 0, 0]])


@pytest.fixture
def device(monkeypatch):
    in_words_of_a_device(monkeypatch)


@pytest.mark.usefixtures("device")
def test_what_is_cut_out():
    """The first two and what ties with the second, then other grades that are not 0."""
    part = gpu.top_k(LABELS, SCORES, ListNeeds(2, True, True), NO_NEEDS)
    assert part.grades.tolist() == [[0, 0, 0, 2], [0, 1, 3, 1], [1, 2, 4, 0]]
    assert part.scores.tolist() == [[0, -1, -1, -1], [0, -1, -2, -3], [0, 0, -2, -3]]
    assert part.ties == (3, 7)
    one = gpu.top_k(LABELS[1:2], SCORES[1:2], ListNeeds(1, True), NO_NEEDS)
    assert one.grades.tolist() == [[0, 1, 3, 1]]
    assert one.ties == (0, 3)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    ("row", "tied"),
    [
        ([3, 3, 2, 1], 2),
        ([3, 2, 2, 1], 2),
        ([3, 3, 3, 1], 3),
        ([3, 3, 1, 1], 4),
        ([1, 2, 3, 4], 0),
        ([4, 2, 2, 2], 3),
    ],
)
def test_documents_that_share_a_score_are_counted(row, tied):
    scores = np.array([row, [9, 8, 7, 6]], float)
    part = gpu.top_k(np.ones((2, 4)), scores, ListNeeds(1, True, True), NO_NEEDS)
    assert part.ties == (tied, 8)
    part = gpu.top_k(np.eye(2, 4), scores, ListNeeds(1, True, True), NO_NEEDS)
    assert part.ties == (row.count(row[0]) > 1, 2)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    ("labels", "scores", "cutoff", "needs"),
    [
        (LABELS, SCORES, ListNeeds(None, True), NO_NEEDS),
        (LABELS, SCORES[:, 1:], ListNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES, ListNeeds(7, True), NO_NEEDS),
        (LABELS[:0], SCORES[:0], ListNeeds(2, True), NO_NEEDS),
        (LABELS[None], SCORES[None], ListNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES.astype(complex), ListNeeds(2, True), NO_NEEDS),
        (LABELS.astype(complex), SCORES, ListNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES, ListNeeds(2, True), NO_NEEDS._replace(values=True)),
        (LABELS, SCORES, ListNeeds(2, True), NO_NEEDS._replace(float32=True)),
        (-LABELS, SCORES, ListNeeds(2, True), NO_NEEDS._replace(negatives=True)),
        (LABELS, SCORES, ListNeeds(2, False), NO_NEEDS._replace(every_tie=True)),
        (np.where(LABELS > 3, np.nan, LABELS), SCORES, ListNeeds(2, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, np.inf, SCORES), ListNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES * 2.0**53, ListNeeds(2, True, True), NO_NEEDS),
        (LABELS, -SCORES * 2.0**53, ListNeeds(2, True, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, 2.0**53, SCORES), ListNeeds(2, True, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, -(2.0**53), 0), ListNeeds(2, True, True), NO_NEEDS),
    ],
)
def test_all_of_a_table_is_read_where_the_first_documents_do_not_do(labels, scores, cutoff, needs):
    assert gpu.top_k(labels, scores, cutoff, needs) is None


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    ("scores", "cutoff", "needs"),
    [
        (SCORES, ListNeeds(6, True), NO_NEEDS),
        (SCORES.astype("float32"), ListNeeds(2, True), NO_NEEDS._replace(float32=True)),
        (SCORES, ListNeeds(2, True), NO_NEEDS._replace(negatives=True)),
        (SCORES, ListNeeds(2, True), NO_NEEDS._replace(every_tie=True)),
        (SCORES, ListNeeds(2, False), NO_NEEDS),
        (SCORES * 2.0**53, ListNeeds(2, True), NO_NEEDS),
        (SCORES * 2.0**50, ListNeeds(2, True, True), NO_NEEDS),
    ],
)
def test_what_is_next_to_that_is_cut(scores, cutoff, needs):
    assert gpu.top_k(LABELS, scores, cutoff, needs) is not None


def test_a_table_without_ties_is_cut_for_measures_that_refuse_them(monkeypatch):
    refuses = NO_NEEDS._replace(every_tie=True)
    in_words_of_a_device(monkeypatch)
    part = gpu.top_k(LABELS[1:2], SCORES[1:2], ListNeeds(2, False), refuses)
    assert part.grades.tolist() == [[0, 1, 3, 1]]
    below = np.array([[5.0, 4, 3, 2, 2]])  # a tie that no measure at 2 reads
    assert gpu.top_k(np.eye(1, 5), below, ListNeeds(2, False), refuses) is None


def test_a_list_of_its_own_is_cut_on_a_device(monkeypatch):
    in_words_of_a_device(monkeypatch)
    part = gpu.top_k(LABELS[0], SCORES[0], ListNeeds(2, True), NO_NEEDS)
    assert part.grades.tolist() == [[0, 0, 0, 2]]


def test_what_a_device_cannot_do_is_done_here(monkeypatch):
    def no_memory(*_):
        raise RuntimeError("out of memory")

    in_words_of_a_device(monkeypatch, top=no_memory, order=no_memory)
    assert gpu.top_k(LABELS, SCORES, ListNeeds(2, True), NO_NEEDS) is None


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_numbers_of_a_device_are_in_the_order_of_the_floats(kind):
    """The smallest ones, which some devices take for 0, and both zeros alike."""
    tiny = np.finfo(kind).smallest_subnormal
    values = np.array([[-2, -1.5, -1, -tiny, -0.0, 0.0, tiny, 1, 1.5, 2]], kind)
    whole = gpu._whole(numpy_library(), values)
    assert whole.dtype.kind == "i"
    assert np.sign(np.diff(whole[0])).tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert whole[0, 4] == 0
    assert gpu._whole(numpy_library(), whole) is whole


class Tensor:
    """Says where it is, as tensors of PyTorch do."""

    def __init__(self, kind):
        self.device = SimpleNamespace(type=kind)

    def detach(self):
        return self


class Array:
    """Says where it is, as arrays of JAX do."""

    def __init__(self, *platforms, dtype="float32"):
        self.platforms, self.dtype = platforms, np.dtype(dtype)

    def devices(self):
        if not self.platforms:
            raise TypeError("traced")
        return [SimpleNamespace(platform=p) for p in self.platforms]


@pytest.mark.parametrize(
    ("value", "elsewhere"),
    [
        (Tensor("cpu"), False),
        (Tensor("cuda"), True),
        (Array("cpu"), False),
        (Array("cpu", "tpu"), True),
        (Array(), False),
        (np.ones(2), False),
        ([1, 2], False),
    ],
)
def test_where_a_value_is(value, elsewhere):
    assert gpu.is_on_device(value) is elsewhere


def test_the_library_is_that_of_both_values(monkeypatch):
    away, here = Tensor("cuda"), Tensor("cpu")
    words = SimpleNamespace(Tensor=Tensor)
    monkeypatch.setitem(sys.modules, "torch", words)
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    assert gpu._library(away, away).names is words
    for labels, scores in ((away, here), (here, away), (here, here), (away, Array("tpu"))):
        assert gpu._library(labels, scores) is None
    assert gpu._library(LABELS, SCORES) is None
    assert gpu._library(LABELS, away) is None
    monkeypatch.delitem(sys.modules, "torch")
    assert gpu._library(away, away) is None


@pytest.mark.parametrize(
    ("kinds", "wide", "known"),
    [
        (("float32", "int32"), False, True),
        (("float32", "float64"), False, False),
        (("int64", "float32"), False, False),
        (("float32", "float64"), True, True),
    ],
)
def test_jax_takes_numbers_of_64_bits_if_it_is_told_to(monkeypatch, kinds, wide, known):
    words = SimpleNamespace(
        Array=Array,
        config=SimpleNamespace(jax_enable_x64=wide),
        numpy=np,
        lax=SimpleNamespace(top_k=None),
    )
    monkeypatch.setitem(sys.modules, "jax", words)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    found = gpu._library(*(Array("tpu", dtype=kind) for kind in kinds))
    assert (found is not None) is known


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8, 12, 20, 22])
@pytest.mark.parametrize("begin", range(3))
def test_a_tie_at_the_cutoff_is_cut_out_whole(begin, length):
    scores = np.arange(24, 0, -1.0)
    scores[begin : begin + length] = scores[begin]
    labels = np.arange(1.0, 25.0)  # tell documents apart
    shuffled = np.random.default_rng(length).permutation(24)
    cut = gpu.top_k(
        np.array([labels[shuffled], labels]),
        np.array([scores[shuffled], scores]),
        ListNeeds(3, supports_expected_ties=True),
        NO_NEEDS,
    )
    for grades, order in zip(cut.grades, cut.scores, strict=True):
        above, tie = labels[:begin], labels[begin : begin + length]
        assert grades[:begin].tolist() == above.tolist()
        assert sorted(grades[begin : begin + length]) == tie.tolist()
        assert sorted(grades) == labels.tolist()
        shown = order[: max(3, begin + length)]
        assert len(set(shown[begin : begin + length])) == 1
        assert len(set(shown)) == len(shown) - length + 1


KINDS = ["float64", "float32", "float16", "int8", "uint16", "int32", "int64", "bool"]


@st.composite
def counted_tables(draw):
    """Scores, some of them -inf, and columns of each row."""
    rows, width = draw(st.integers(1, 4)), draw(st.integers(1, 400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    distinct = draw(st.sampled_from([1, 3, 50, 10**6]))
    scores = rng.integers(-distinct, distinct, (rows, width)) / 4
    kind = draw(st.sampled_from([np.float32, np.float64]))
    scores = scores.astype(kind)
    chosen = rng.random(scores.shape) < draw(st.sampled_from([0.0, 0.02, 0.3, 1.0]))
    scores[(rng.random(scores.shape) < draw(st.sampled_from([0.0, 0.2]))) & ~chosen] = -np.inf
    offsets = np.append(0, np.cumsum(chosen.sum(axis=1)))
    return scores, offsets, np.nonzero(chosen)[1]


@settings(max_examples=300)
@given(counted_tables(), st.sampled_from([0.0, 1e-9, 0.25, 30.0, 1e30]), st.booleans())
def test_engines_count_what_is_near_alike(table, tolerance, check):
    scores, offsets, columns = table
    near = np.full(len(scores), tolerance)
    *counts, absent, fault = alike("count_near", *table, near, check)
    assert fault == -1
    assert absent == ((scores == -np.inf).sum(axis=1) * check).tolist()
    rows = np.repeat(np.arange(len(scores)), np.diff(offsets))
    for row, column, above, tied, earlier, close in zip(rows, columns, *counts, strict=True):
        own, width = scores[row, column], scores.dtype.type(tolerance)
        assert above == (scores[row] > own).sum()
        assert tied == (scores[row] == own).sum()
        assert earlier == (scores[row, :column] == own).sum()
        assert close == ((scores[row] >= own - width) & (scores[row] <= own + width)).sum()


@settings(max_examples=300)
@given(counted_tables())
def test_engines_count_alike(table):
    scores, offsets, columns = table
    above, tied, earlier, retrieved = alike("count_table", *table)
    assert retrieved == (scores > -np.inf).sum(axis=1).tolist()
    for i, (row, column) in enumerate(
        zip(np.repeat(np.arange(len(scores)), np.diff(offsets)), columns, strict=True)
    ):
        own = scores[row, column]
        assert above[i] == (scores[row] > own).sum()
        assert tied[i] == (scores[row] == own).sum()
        assert earlier[i] == (scores[row, :column] == own).sum()


@pytest.mark.parametrize("odd", [np.nan, np.inf, 2.0**53, -(2.0**53)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_odd_scores_are_not_counted(odd, kind):
    scores = np.array([[1, 2, 3], [1, odd, 3]], kind)
    data = np.array([0, 1, 2]), np.array([0, 0])
    assert alike("count_table", scores, *data) is None
    assert alike("count_table", scores[:, ::2].copy(), *data) is not None


@pytest.mark.parametrize("kind", ["u1", "u2", "u4", "u8"])
def test_engines_find_what_is_not_0(kind):
    rng = np.random.default_rng(4)
    top = np.iinfo(kind).max // 2 + 1  # the sign of a float
    for width in (1, 7, 64, 333):
        bits = (rng.random((5, width)) < 0.1) * rng.choice(np.array([1, top, top + 1], kind))
        bits = bits.astype(kind)
        bits[1] = top
        assert alike("nonzero", bits, False, bits.size)[1] == np.nonzero(bits)[1].tolist()
        alike("nonzero", bits, True, bits.size)
        assert alike("nonzero", bits, False, width - 1) is None


def test_the_core_refuses_columns_that_do_not_fit():
    native = pytest.importorskip("rankstone._native._core")
    for offsets, columns in (
        ([0, 1], [3]),
        ([0, 2], [1, 1]),
        ([0, 1], [-1]),
        ([0, 2], [1]),
        ([0], []),
    ):
        with pytest.raises(ValueError, match="columns must rise"):
            native.count_table(np.zeros((1, 3)), np.array(offsets), np.array(columns, np.int64))
    with pytest.raises(TypeError):
        native.count_table(np.zeros((1, 3), int), np.array([0, 0]), np.zeros(0, np.int64))
    with pytest.raises(ValueError, match="a tolerance for each row"):
        native.count_near(np.zeros((1, 3)), np.array([0, 1]), np.array([2]), np.zeros(2), False)
    with pytest.raises(TypeError):
        native.nonzero(np.zeros((1, 3)), False, 3)


@pytest.mark.parametrize("layout", ["C", "F", "reversed", "masked", "-inf", "sparse"])
@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_any_kind_are_counted(monkeypatch, kind, layout):
    """Few labels that are not 0, in each layout: the bits, ties and notices of lists put in order."""
    from scipy import sparse

    rng = np.random.default_rng(5)
    scores = rng.integers(0, 100, (30, 90)).astype(kind)
    labels = (rng.random(scores.shape) < 0.04) * rng.integers(-1, 4, scores.shape) * 1.0
    more = {}
    if layout == "F":
        labels, scores = np.asfortranarray(labels), np.asfortranarray(scores)
    elif layout == "reversed":
        labels, scores = labels[:, ::-1], scores[:, ::-1]
    elif layout == "masked":
        more = {"mask": rng.random(scores.shape) < 0.8}
    elif layout == "-inf" and kind.startswith("float"):
        scores[rng.random(scores.shape) < 0.2] = -np.inf
    elif layout == "sparse":
        # Relevant ones that are excluded are missed, which a whole catalogue can hold.
        removed = sparse.csr_array((scores == 7) & (labels <= 0))
        labels, more = sparse.coo_array(labels), {"exclude": removed}
    asked = ["nDCG@10", "AP", "RR", "R@20", "NumRet"]
    with monkeypatch.context() as patch:
        patch.setattr(counted, "suffices", lambda *_: False)
        whole = outcome(labels, scores, asked, **more)
    with monkeypatch.context() as patch:
        patch.setattr(counted, "count", counting := Counting())
        assert outcome(labels, scores, asked, **more) == whole
    assert counting.calls == 1


class Counting:
    """Counts in a table, and how often it was asked to."""

    calls = 0

    def __call__(self, *data, count=counted.count, **how):
        self.calls += 1
        return count(*data, **how)


@pytest.mark.parametrize("measure", all_measures(), ids=str)
@pytest.mark.parametrize("ties", ["input", "optimistic", "pessimistic", "expected"])
def test_what_reads_documents_that_are_not_relevant_says_so(measure, ties):
    """Other measures have the same bits if such documents have no judgment."""
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 9, (12, 20)).astype(float)
    labels = rng.choice([0, 0, 0, 1, 2, 3], scores.shape)
    labels[3] = 0
    rules = rs.Conventions(ties=ties, negatives="nonrelevant")
    try:
        whole = measure(labels, scores, conventions=rules)
    except rs.RankstoneError:
        return  # ties are refused, or there are no data on items
    judgments = {q: {d: g for d, g in enumerate(row) if g} for q, row in enumerate(labels.tolist())}
    judgments[3] = {"elsewhere": 0}
    run = {q: dict(enumerate(row)) for q, row in enumerate(scores.tolist())}
    few = measure(judgments, run, conventions=rules)
    same = np.asarray(few).tobytes() == np.asarray(whole).tobytes()
    assert same or measure.definition.reads_nonrelevant


def values(*data, **options):
    return rs.evaluate(*data, "RR", **options).per_query


def _only_short(order, values, offsets, *more):
    assert np.diff(offsets).max(initial=0) < 500
    return order(values, offsets, *more)


@pytest.mark.parametrize("distinct", [3, 20, 400, 10**9])
@pytest.mark.parametrize("rule", ["expected", "input", "optimistic"])
def test_a_wide_table_is_counted_and_not_put_in_order(monkeypatch, distinct, rule):
    """Hit rate at 10 of a catalogue: no list is sorted, and nothing about the result differs."""
    rng = np.random.default_rng(distinct)
    scores = rng.integers(0, distinct, (60, 500)).astype(float)
    labels = (rng.random(scores.shape) < 0.02) * rng.integers(-1, 4, scores.shape)
    measures = ["HR@10", "nDCG@10", "P@3", "RR@10"]
    with monkeypatch.context() as patch:
        patch.setattr(counted, "suffices", lambda *_: False)
        whole = rs.evaluate(labels, scores, measures, ties=rule)
    for name in ("falling_order", "falling_beside"):
        monkeypatch.setattr(segments, name, partial(_only_short, getattr(segments, name)))
    cut = rs.evaluate(labels, scores, measures, ties=rule)
    assert cut == whole
    assert (cut.ties, cut.notices) == (whole.ties, whole.notices)


def test_large_scores_that_may_be_rounded_are_said_of_wide_tables_too():
    scores = np.arange(1000.0)[None] + 2.0**53
    notices = rs.evaluate(scores > 2.0**53 + 990, scores, "HR@10").notices
    assert [n.code for n in notices] == ["large-scores"]


@pytest.mark.parametrize("measure", ["AUC", "AUC@10", "AUC(max_fpr=0.2)", "AUC(tied='lost')@5"])
def test_areas_of_wide_tables_are_those_of_dicts(measure):
    """Of a cutoff, too, for which documents that are not relevant have to be known."""
    rng = np.random.default_rng(0)
    labels = (rng.random((9, 300)) < 0.05).astype(np.int64)
    scores = rng.permuted(np.tile(np.arange(300.0), (9, 1)), axis=1)
    judged = {q: {f"d{i}": int(g) for i, g in enumerate(row)} for q, row in enumerate(labels)}
    run = {q: {f"d{i}": s for i, s in enumerate(row)} for q, row in enumerate(scores)}
    table = rs.evaluate(labels, scores, measure).values(measure)
    assert table.tolist() == rs.evaluate(judged, run, measure).values(measure).tolist()
    assert measure_of(measure)(labels, scores).tolist() == table.tolist()


def measure_of(name):
    return rs.parse_measure(name)
