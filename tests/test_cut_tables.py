"""Wide tables are cut to what measures with a cutoff read, and keep their values.

A device cuts with the words of its own library. Here those are NumPy's, so that what is done on a
device is tested where there is none.
"""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples

import rankstone as rs
from rankstone.core import gpu
from rankstone.core.rank import ScoreNeeds, score_needs

NO_NEEDS = score_needs([rs.Conventions(ties="input")])
MEASURES = ["nDCG@2", "P@3", "RR@1", "AP@4", "R(rel=2)@2", "ERR@3", "nDCG(ideal='uncut')@2"]


def in_words_of_a_device(monkeypatch):
    device = gpu._of_numpy()._replace(on_host=False)
    monkeypatch.setattr(gpu, "_library", lambda *_: device)


def outcome(*data, **rules):
    """All that there is in a result, or the error there is."""
    try:
        made = rs.evaluate(*data, **rules).to_dict()
        # Arrays on a device are not looked at before they are cut.
        notices = [n for n in made["notices"] if n["code"] != "labels-and-scores"]
        return repr({**made, "notices": notices, "provenance": None})
    except rs.RankstoneError as error:
        return type(error), str(error)


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
def test_a_device_gives_the_values_of_the_whole(table, ties, negatives, precision, low, block):
    rules = {"ties": ties, "negatives": negatives, "precision": precision, "nonpositive": low}
    for asked in (MEASURES, MEASURES[:1], ["Bpref", "nDCG@2"]):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpu, "top_k", lambda *_: None)
            whole = outcome(*table, asked, **rules)
        with pytest.MonkeyPatch.context() as patch:
            in_words_of_a_device(patch)
            patch.setattr(gpu, "_BLOCK", block)
            assert outcome(*table, asked, **rules) == whole
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpu, "_WIDE", 1)
            patch.setattr(gpu, "_FEW", 2)
            patch.setattr(gpu, "_HOST_BLOCK", block)
            assert outcome(*table, asked, **rules) == whole


SCORES = np.array([[5.0, 4, 4, 4, 3, 2, 1], [7.0, 6, 5, 4, 3, 2, 1], [1, 1, 0.5, 0.25, 0, -1, -1]])
LABELS = np.array([[0, 0, 0, 2, 0, 0, 0], [0, 1, 0, 0, 0, 3, 1], [1, 2, 0, 0, 4, 0, 0]])


@pytest.fixture(params=["device", "host"])
def where(request, monkeypatch):
    """A device, or a host for which no table is too narrow to be cut."""
    if request.param == "device":
        in_words_of_a_device(monkeypatch)
    monkeypatch.setattr(gpu, "_WIDE", 1)
    return request.param


def test_what_is_cut_out(where):
    """The first two and what ties with the second, then other grades that are not 0."""
    part = gpu.top_k(LABELS, SCORES, gpu.CutoffNeeds(2, True, True), NO_NEEDS)
    assert part.grades.tolist() == [[0, 0, 0, 2], [0, 1, 3, 1], [1, 2, 4, 0]]
    assert part.scores.tolist() == [[0, -1, -1, -1], [0, -1, -2, -3], [0, 0, -2, -3]]
    assert part.ties == (7, 21)
    one = gpu.top_k(LABELS[1:2], SCORES[1:2], gpu.CutoffNeeds(1, True), NO_NEEDS)
    assert one.grades.tolist() == [[0, 1, 3, 1]]
    assert one.ties == (0, 7)


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
def test_documents_that_share_a_score_are_counted(where, row, tied):
    scores = np.array([row, [9, 8, 7, 6]], float)
    part = gpu.top_k(np.eye(2, 4), scores, gpu.CutoffNeeds(1, True, True), NO_NEEDS)
    assert part.ties == (tied, 8)


@pytest.mark.parametrize(
    ("labels", "scores", "cutoff", "needs"),
    [
        (LABELS, SCORES, None, NO_NEEDS),
        (LABELS, SCORES[:, 1:], gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES, gpu.CutoffNeeds(7, True), NO_NEEDS),
        (LABELS[:0], SCORES[:0], gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS[None], SCORES[None], gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES.astype(complex), gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS.astype(complex), SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS._replace(values=True)),
        (LABELS, SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS._replace(float32=True)),
        (-LABELS, SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS._replace(negatives=True)),
        (LABELS, SCORES, gpu.CutoffNeeds(2, False), NO_NEEDS._replace(every_tie=True)),
        (np.where(LABELS > 3, np.nan, LABELS), SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, np.inf, SCORES), gpu.CutoffNeeds(2, True), NO_NEEDS),
        (LABELS, SCORES * 2.0**53, gpu.CutoffNeeds(2, True, True), NO_NEEDS),
        (LABELS, -SCORES * 2.0**53, gpu.CutoffNeeds(2, True, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, 2.0**53, SCORES), gpu.CutoffNeeds(2, True, True), NO_NEEDS),
        (LABELS, np.where(SCORES > 6, -(2.0**53), 0), gpu.CutoffNeeds(2, True, True), NO_NEEDS),
    ],
)
def test_all_of_a_table_is_read_where_the_first_documents_do_not_do(
    where, labels, scores, cutoff, needs
):
    assert gpu.top_k(labels, scores, cutoff, needs) is None


@pytest.mark.parametrize(
    ("scores", "cutoff", "needs"),
    [
        (SCORES, gpu.CutoffNeeds(6, True), NO_NEEDS),
        (SCORES.astype("float32"), gpu.CutoffNeeds(2, True), NO_NEEDS._replace(float32=True)),
        (SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS._replace(negatives=True)),
        (SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS._replace(every_tie=True)),
        (SCORES, gpu.CutoffNeeds(2, False), NO_NEEDS),
        (SCORES * 2.0**53, gpu.CutoffNeeds(2, True), NO_NEEDS),
        (SCORES * 2.0**50, gpu.CutoffNeeds(2, True, True), NO_NEEDS),
    ],
)
def test_what_is_next_to_that_is_cut(where, scores, cutoff, needs):
    assert gpu.top_k(LABELS, scores, cutoff, needs) is not None


def test_a_table_without_ties_is_cut_for_measures_that_refuse_them(monkeypatch):
    refuses = ScoreNeeds(False, False, True, False)
    in_words_of_a_device(monkeypatch)
    part = gpu.top_k(LABELS[1:2], SCORES[1:2], gpu.CutoffNeeds(2, False), refuses)
    assert part.grades.tolist() == [[0, 1, 3, 1]]
    below = np.array([[5.0, 4, 3, 2, 2]])  # a tie that no measure at 2 reads
    assert gpu.top_k(np.eye(1, 5), below, gpu.CutoffNeeds(2, False), refuses) is None


def test_the_host_cuts_wide_tables_only():
    def cut(width, k, **shape):
        scores = np.arange(2.0 * width).reshape(2, width)
        table = (scores % 7 == 0).astype(float), scores
        if shape:
            table = (table[0][0], table[1][0])
        return gpu.top_k(*table, gpu.CutoffNeeds(k, True), NO_NEEDS)

    assert cut(15, 1) is None
    assert cut(16, 1) is not None
    assert cut(159, 10) is None
    assert cut(160, 10) is not None
    assert cut(160, 10, ndim=1) is None


def test_a_list_of_its_own_is_cut_on_a_device(monkeypatch):
    in_words_of_a_device(monkeypatch)
    part = gpu.top_k(LABELS[0], SCORES[0], gpu.CutoffNeeds(2, True), NO_NEEDS)
    assert part.grades.tolist() == [[0, 0, 0, 2]]


def test_what_a_device_cannot_do_is_done_here(monkeypatch):
    def no_memory(*_):
        raise RuntimeError("out of memory")

    device = gpu._of_numpy()._replace(on_host=False, top=no_memory, order=no_memory)
    monkeypatch.setattr(gpu, "_library", lambda *_: device)
    assert gpu.top_k(LABELS, SCORES, gpu.CutoffNeeds(2, True), NO_NEEDS) is None


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_numbers_of_a_device_are_in_the_order_of_the_floats(kind):
    """The smallest ones, which some devices take for 0, and both zeros alike."""
    tiny = np.finfo(kind).smallest_subnormal
    values = np.array([[-2, -1.5, -1, -tiny, -0.0, 0.0, tiny, 1, 1.5, 2]], kind)
    whole = gpu._whole(gpu._of_numpy()._replace(on_host=False), values)
    assert whole.dtype.kind == "i"
    assert np.sign(np.diff(whole[0])).tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert whole[0, 4] == 0
    assert gpu._whole(gpu._of_numpy(), values) is values


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
    assert gpu.is_elsewhere(value) is elsewhere


def test_the_library_is_that_of_both_values(monkeypatch):
    away, here = Tensor("cuda"), Tensor("cpu")
    words = SimpleNamespace(Tensor=Tensor)
    monkeypatch.setitem(sys.modules, "torch", words)
    monkeypatch.delitem(sys.modules, "jax", raising=False)
    assert gpu._library(away, away).names is words
    assert gpu._library(away, away).on_host is False
    for labels, scores in ((away, here), (here, away), (here, here), (away, Array("tpu"))):
        assert gpu._library(labels, scores) is None
    assert gpu._library(LABELS, SCORES).on_host is True
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


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8, 12, 20, 22])
@pytest.mark.parametrize("begin", range(3))
def test_a_tie_at_the_cutoff_is_cut_out_whole(where, begin, length):
    scores = np.arange(24, 0, -1.0)
    scores[begin : begin + length] = scores[begin]
    labels = np.arange(1.0, 25.0)  # tell documents apart
    shuffled = np.random.default_rng(length).permutation(24)
    cut = gpu.top_k(
        np.array([labels[shuffled], labels]),
        np.array([scores[shuffled], scores]),
        gpu.CutoffNeeds(3, supports_expected_ties=True),
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


def test_a_library_puts_equal_values_in_input_order():
    values = np.array([[1.0, 3, 1, 3, 2, 3], [2, 2, 2, 2, 2, 2]])
    library = gpu._of_numpy()
    falling, columns = library.order(values)
    assert falling.tolist() == [[3, 3, 3, 2, 1, 1], [2] * 6]
    assert columns.tolist() == [[1, 3, 5, 4, 0, 2], [0, 1, 2, 3, 4, 5]]
    falling, columns = library.top(values, 4)
    assert falling.tolist() == [[3, 3, 3, 2], [2] * 4]
    assert columns[0].tolist() == [1, 3, 5, 4]
    assert columns[1].tolist() == sorted(columns[1])
