"""Labels and scores in arrays and tensors, evaluated as the same data in dicts is."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import examples, measures

import rankstone as rs
from rankstone.core import python_engine, ranked as ranked_module, segments
from rankstone.core.as_numpy import numbers_of
from rankstone.core.ids import Ids
from rankstone.core.rank import Documents
from rankstone.core.ranked_table import RankedTable
from rankstone.io.arrays import labels_and_scores

labels = st.sampled_from([float("nan"), -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5])
scores = st.sampled_from([-1.5, 0.0, -0.0, 0.25, 1.0]) | st.floats(-1e6, 1e6)
query_ids = st.sampled_from([1, 2, 10, 300]) | st.sampled_from([3, 20])
choices = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["expected", "input", "optimistic", "pessimistic"]),
        "negatives": st.sampled_from(["unjudged", "nonrelevant"]),
        "unjudged": st.sampled_from(["nonrelevant", "remove"]),
        "precision": st.sampled_from(["float64", "float32"]),
        "nonpositive": st.sampled_from(["any", "nonrelevant"]),
        "missed": st.sampled_from(["count", "ignore"]),
        "no_relevant": st.sampled_from(["zero", "one", "skip"]),
    }
)


@st.composite
def items(draw):
    """Query, label and score of some items, in any order."""
    return draw(st.lists(st.tuples(query_ids, labels, scores), min_size=1, max_size=30))


def as_dicts(rows):
    """The same as judgments and a run."""
    judgments, run = {}, {}
    for i, (query, label, score) in enumerate(rows):
        judgments.setdefault(query, {})
        if not math.isnan(label):
            judgments[query][f"d{i:03d}"] = label
        run.setdefault(query, {})[f"d{i:03d}"] = score
    return judgments, run


def outcome(*data, **more):
    """Values by query, or the error there is."""
    try:
        result = rs.evaluate(*data, **more)
    except rs.RankstoneError as error:
        return str(error)
    return {q: [repr(v) for v in row.values()] for q, row in result.per_query.items()}


@settings(max_examples=examples(1000))
@given(measures(), items(), choices)
def test_long_arrays_are_the_dicts_they_stand_for(measure, rows, chosen):
    query, label, score = (list(column) for column in zip(*rows, strict=True))
    expected = outcome(*as_dicts(rows), measure, **chosen)
    assert outcome(label, score, measure, qid=query, **chosen) == expected
    arrays = np.array(label), np.array(score)
    text = outcome(*arrays, measure, qid=np.array(query).astype(str), **chosen)
    if isinstance(expected, dict):
        assert text == {str(q): row for q, row in expected.items()}


@settings(max_examples=examples(300))
@given(measures(), st.lists(st.lists(st.tuples(labels, scores), max_size=8), min_size=1), choices)
def test_a_table_with_a_mask_is_its_groups(measure, rows, chosen):
    width = max(map(len, rows))
    table = np.full((2, len(rows), width), np.nan)
    mask = np.zeros((len(rows), width), bool)
    for i, row in enumerate(rows):
        mask[i, : len(row)] = True
        for j, pair in enumerate(row):
            table[:, i, j] = pair
    flat = [pair for row in rows for pair in row]
    sizes = [len(row) for row in rows]
    ends = [[pair[i] for pair in flat] for i in (0, 1)]
    expected = outcome(*ends, measure, group_sizes=sizes, **chosen)
    assert outcome(*table, measure, mask=mask, **chosen) == expected


@given(measures(), st.integers(0, 2**32), st.booleans())
def test_a_table_is_its_rows_and_its_direct_values(measure, seed, tied):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (4, 30))
    score = rng.integers(0, 9, (4, 30)) if tied else rng.random((4, 30))
    try:
        direct = measure(grades, score)
    except rs.UsageError:
        with pytest.raises(rs.UsageError):
            rs.evaluate(grades, score, measure)
        return
    result = rs.evaluate(grades, score, measure)
    np.testing.assert_array_equal(result.values(measure), direct)
    assert result.queries == [0, 1, 2, 3]
    assert result.conventions.ties == "expected"


@pytest.mark.parametrize("ties", ["expected", "input", "optimistic", "pessimistic"])
@pytest.mark.parametrize("unjudged", [False, True])
def test_parts_have_the_bits_of_the_whole(monkeypatch, ties, unjudged):
    rng = np.random.default_rng(5)
    grades = rng.integers(-1, 4, (40, 50)).astype(float)
    if unjudged:
        grades[rng.random(grades.shape) < 0.2] = np.nan
    score = np.where(rng.random(grades.shape) < 0.2, 0.5, rng.random(grades.shape))
    names = ["nDCG@10", "nDCG", "AP", "RR", "P@5", "AUC", "AUC(pairs='all')", "Rprec", "NumRet"]
    names += ["ERR"] if ties != "expected" else []
    whole = rs.evaluate(grades, score, names, ties=ties)
    seen = []
    part = RankedTable._part
    monkeypatch.setattr(ranked_module, "_BLOCK", 300)
    monkeypatch.setattr(RankedTable, "_part", lambda self, *ab: seen.append(ab) or part(self, *ab))
    pieces = rs.evaluate(grades, score, names, ties=ties)
    assert len(seen) > 3
    for name in names:
        np.testing.assert_array_equal(pieces.values(name), whole.values(name))
    assert pieces.aggregates == whole.aggregates
    grades[3] = grades[17] = 0
    with pytest.raises(rs.DataError, match="query 3 has no relevant document"):
        rs.evaluate(grades, score, "RR", ties=ties, no_relevant="error")


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("ties", ["expected", "input", "optimistic", "pessimistic"])
def test_tied_lists_among_others_have_the_values_they_have_alone(monkeypatch, share, ties):
    rng = np.random.default_rng(5)
    score = rng.random((60, 40))
    tied = rng.random(60) < share
    score[tied] = score[tied].round(1)
    grades = rng.integers(0, 4, score.shape)
    grades[:, 0] = 1
    names = ["nDCG@5", "nDCG", "AP", "P@10", "RR@3"]
    monkeypatch.setattr(ranked_module, "_BLOCK", 600)
    whole = rs.evaluate(grades, score, names, ties=ties)
    alone = [rs.evaluate(grades[[i]], score[[i]], names, ties=ties) for i in range(60)]
    for name in names:
        assert whole.values(name).tolist() == [part.values(name)[0] for part in alone]
    assert whole.ties.documents == sum(part.ties.documents for part in alone)
    assert (whole.ties.documents > 0) == tied.any()


@settings(max_examples=examples(500))
@given(
    st.lists(st.lists(scores | st.sampled_from([1e308, -1e308, 5e-324]), max_size=60), max_size=6)
)
def test_both_engines_order_alike(rows):
    offsets = segments.offsets_of(np.array([len(r) for r in rows], np.int64))
    values = np.array([v for r in rows for v in r], np.float64)
    wanted, wanted_tied = python_engine.falling_order(values, offsets)
    assert segments.falling_order(values, offsets).tolist() == wanted.tolist()
    beside, tied, same = segments.falling_beside(values, offsets, -np.arange(len(values)))
    assert beside.tolist() == (-wanted).tolist()
    assert tied.tolist() == wanted_tied.astype(bool).tolist()
    assert tied.tolist() == [len({*row}) < len(row) for row in rows]
    falling = (sorted(row, reverse=True) for row in rows)
    assert same.tolist() == [
        i > 0 and v == row[i - 1] for row in falling for i, v in enumerate(row)
    ]
    assert segments.falling_values(values, offsets)[0].tolist() == values[wanted].tolist()


@given(
    st.lists(
        st.lists(
            scores | st.sampled_from([0.0, -0.0, 1e308, np.nan, np.inf, -np.inf]), max_size=60
        ),
        max_size=6,
    )
)
def test_both_engines_count_equals_alike(rows):
    offsets = segments.offsets_of(np.array([len(r) for r in rows], np.int64))
    values = np.array([v for r in rows for v in r], np.float64)
    wanted = [sum(row.count(v) > 1 for v in row if v == v) for row in rows]
    assert segments.count_equals(values, offsets).tolist() == wanted
    assert python_engine.count_equals(values, offsets).tolist() == wanted


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "é", "\udc80", "d" * 70]), max_size=60)))
def test_both_engines_find_the_first_of_equal_ids(rows):
    offsets = segments.offsets_of(np.array([len(r) for r in rows], np.int64))
    ids = Ids([text for row in rows for text in row], "text")
    wanted = [begin + row.index(t) for begin, row in zip(offsets, rows, strict=False) for t in row]
    assert ids.first_equal(np.arange(len(ids)), offsets).tolist() == wanted
    text, bounds = ids.encoded
    assert python_engine.first_equal(text, bounds[:-1], bounds[1:], offsets).tolist() == wanted
    rows = np.random.default_rng(len(ids)).permutation(len(ids))
    ends = bounds[rows], bounds[rows + 1]
    assert list(ids.texts(rows)) == [ids[i] for i in rows]
    assert python_engine.gather(text, *ends) == ids.texts(rows).encoded[0]


def test_the_first_of_equal_ids_is_found_among_many():
    numbers = np.random.default_rng(5).integers(0, 30_000, 100_000)
    _, first, of = np.unique(numbers, return_index=True, return_inverse=True)
    ids, rows = Ids([f"d{n}" for n in numbers], "text"), np.arange(len(numbers))
    ends = np.array([0, len(numbers)])
    assert (ids.first_equal(rows, ends) == first[of]).all()
    assert (
        ids.first_equal(rows[::2], ends // 2)
        == ids.texts(rows[::2]).first_equal(rows[::2] // 2, ends // 2)
    ).all()


@pytest.mark.parametrize("kind", ["text", "number"])
def test_ids_in_some_rows_and_several_columns_together(kind):
    some, others = ["a", "", "é", "\udc80"], ["d" * 70]
    ids, more = (
        (Ids([1, -2, 30, 4], "number"), Ids([5], "number"))
        if kind == "number"
        else (Ids(some, "text"), Ids(others, "text"))
    )
    texts = [str(one) for one in ids]
    assert list(ids.texts(np.array([3, 0, 0, 2]))) == [texts[i] for i in (3, 0, 0, 2)]
    assert list(ids.texts(np.zeros(0, np.int64))) == []
    assert list(Ids.joined([more, ids])) == [*map(str, more), *texts]
    assert list(Ids.joined([])) == []


@pytest.mark.parametrize(
    ("begins", "ends"),
    [([-1], [1]), ([0], [4]), ([2], [1]), ([0], [1, 2]), ([0, 1], [1])],
)
def test_ids_outside_the_text_are_refused(begins, ends):
    native = pytest.importorskip("rankstone._native._core")
    with pytest.raises(ValueError, match="inside the text"):
        native.first_equal(b"abc", np.array(begins), np.array(ends), np.array([0, len(begins)]))
    with pytest.raises(ValueError, match="inside the text"):
        native.gather(b"abc", np.array(begins), np.array(ends))


@pytest.mark.parametrize("few", [2, 50, 100_000])
def test_equals_are_counted_in_long_rows(few):
    values = np.random.default_rng(few).integers(0, few, (4, 5000)).astype(np.float64)
    _, at, times = np.unique(values[2], return_inverse=True, return_counts=True)
    count = segments.count_equals(values.reshape(-1), np.arange(5) * 5000)
    assert count[2] == (times[at] > 1).sum()


@given(
    st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 7.0, 255.0]), max_size=40), max_size=6),
    st.sampled_from([None, 256.0, 0.5, -1.0, 1e300, -1e-300, 2.0**52 + 1, 5e-324]),
)
def test_small_grades_are_counted_and_others_sorted(rows, other):
    if other is not None:
        rows = [*rows, [1.0, other]]
    offsets = segments.offsets_of(np.array([len(r) for r in rows], np.int64))
    values = np.array([v for r in rows for v in r], np.float64)
    falling, small = segments.falling_values(values, offsets)
    assert falling.tolist() == [v for r in rows for v in sorted(r, reverse=True)]
    assert not (small and other is not None)


@pytest.mark.parametrize("width", [30, 199, 200, 1000, 5000])
@pytest.mark.parametrize(
    "kind", ["even", "tied", "close", "tailed", "outlier", "ordered", "wide", "tiny", "clusters"]
)
def test_long_rows_are_ordered_whatever_their_spread(width, kind):
    """Rows so long that scores are packed beside columns, also where the packing loses bits."""
    rng = np.random.default_rng(width)
    values = rng.random((5, width))
    if kind == "tied":
        values = rng.integers(-3, 3, values.shape).astype(float) * rng.choice([1.0, -1.0, 0.0])
    if kind == "close":
        values = 1.0 + rng.integers(0, 40, values.shape) * 2.0**-52
    if kind == "tailed":
        values = np.exp(50 * rng.normal(size=values.shape))
    if kind == "outlier":
        values[:, 3] = -1e300
    if kind == "ordered":
        values = -np.sort(-values, axis=1)
    if kind == "wide":
        values = (values - 0.5) * 2.0 * 1.7e308
    if kind == "tiny":
        values = rng.integers(0, 3, values.shape) * 5e-324
    if kind == "clusters":
        values = np.round(values, 2) + rng.random(values.shape) * 1e-12
    offsets = np.arange(6) * width
    order = segments.falling_order(values.reshape(-1), offsets)
    places = np.arange(values.size)
    beside, tied, same = segments.falling_beside(values.reshape(-1), offsets, places)
    wanted = np.argsort(-values, axis=1, kind="stable") + offsets[:-1, None]
    assert order.tolist() == wanted.reshape(-1).tolist()
    assert beside.tolist() == order.tolist()
    assert tied.tolist() == [len(np.unique(row)) < width for row in values]
    falling = -np.sort(-values, axis=1)
    assert not same.reshape(values.shape)[:, 0].any()
    assert (same.reshape(values.shape)[:, 1:] == (falling[:, 1:] == falling[:, :-1])).all()


def test_offsets_outside_the_values_are_refused():
    native = pytest.importorskip("rankstone._native._core")
    for bad in ([0, 3], [0, 2, 1], [-1, 2], [1, 2], [0, 1], [0], []):
        for order in (native.falling_order, native.falling_small, native.count_equals):
            with pytest.raises(ValueError, match="offsets must rise"):
                order(np.zeros(2), np.array(bad, np.int64))
        with pytest.raises(ValueError, match="offsets must rise"):
            native.first_equal(b"ab", np.array([0, 1]), np.array([1, 2]), np.array(bad, np.int64))
    with pytest.raises(ValueError, match="as many numbers beside"):
        native.falling_beside(np.zeros(2), np.array([0, 2]), np.zeros(3))


def test_columns_are_worked_out_when_asked_for():
    documents = Documents([0], np.array([0, 3]), np.zeros(3), None)
    result = RankedTable(documents, rs.Conventions())
    assert "rank" not in vars(result)
    assert result.rank.tolist() == [1, 2, 3]
    assert "rank" in vars(result)


def test_tensors_of_any_kind():
    torch = pytest.importorskip("torch")
    grades = torch.tensor([[3, 0, 1], [0, 0, 2]])
    score = torch.tensor([[0.5, 0.25, 1.0], [3.0, 2.0, 1.0]], requires_grad=True)
    expected = rs.evaluate(grades.tolist(), score.tolist(), ["nDCG@2", "RR"]).per_query
    mask = torch.ones(2, 3, dtype=torch.bool)
    for given_score in (score, score.bfloat16(), score.half(), score.double(), score.t().t()):
        assert rs.evaluate(grades, given_score, ["nDCG@2", "RR"], mask=mask).per_query == expected
    qid = torch.tensor([7, 7, 7, 5, 5, 5])
    flat = rs.evaluate(grades.flatten(), score.flatten(), ["nDCG@2", "RR"], qid=qid)
    assert flat.per_query == {5: expected[1], 7: expected[0]}
    assert (rs.nDCG @ 2)(grades, score.bfloat16()).tolist() == [
        r["nDCG@2"] for r in expected.values()
    ]


class OnlyDlpack:
    """An array of a library that NumPy knows by the DLPack protocol alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **more):
        return self.values.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn"])
@pytest.mark.parametrize(
    "label_kind", ["int64", "int32", "int8", "uint8", "int4", "bool", "bfloat16"]
)
def test_arrays_of_jax_of_any_kind(kind, label_kind):
    jax = pytest.importorskip("jax")
    grades = np.array([[1, 0, 1, 0], [0, 0, 1, 1]])
    score = np.array([[0.5, 0.25, 1.0, 0.5], [3.0, 2.0, 1.0, 4.0]])
    wanted = rs.evaluate(grades, score, ["nDCG@2", "RR", "AUC(pairs='all')"]).per_query
    for wide in (True, False):
        narrow = {} if wide else {"float64": "float32", "int64": "int32"}
        with jax.enable_x64(wide):
            given_grades = jax.numpy.array(grades, narrow.get(label_kind, label_kind))
            given_score = jax.numpy.array(score, narrow.get(kind, kind))
            mask = jax.numpy.ones((2, 4), bool)
        data = given_grades, given_score
        asked = ["nDCG@2", "RR", "AUC(pairs='all')"]
        assert rs.evaluate(*data, asked).per_query == wanted
        assert rs.evaluate(*data, asked, mask=mask).per_query == wanted
        qid = jax.numpy.array([7, 7, 7, 7, 5, 5, 5, 5])
        flat = rs.evaluate(*(v.reshape(-1) for v in data), asked, qid=qid)
        assert flat.per_query == {5: wanted[1], 7: wanted[0]}
        sizes = rs.evaluate(*(v.reshape(-1) for v in data), asked, group_sizes=qid[:2] - 3)
        assert sizes.per_query == wanted
        assert (rs.nDCG @ 2)(*data).tolist() == [row["nDCG@2"] for row in wanted.values()]
        assert (rs.nDCG @ 2)(*(v[0] for v in data)) == wanted[0]["nDCG@2"]
        assert (rs.RR)(given_grades).tolist() == [1.0, 1 / 3]


def test_odd_numbers_of_jax_are_refused():
    jax = pytest.importorskip("jax")
    odd = jax.numpy.array([[1.0, math.nan]], "bfloat16")
    fine = jax.numpy.array([[1.0, 2.0]])
    for data in ((odd,), (odd, fine), (fine, odd)):
        with pytest.raises(rs.DataError, match="finite numbers"):
            (rs.nDCG @ 2)(*data)
    with pytest.raises(rs.DataError, match="the score at row 0, column 1 is nan"):
        rs.evaluate(fine, odd, "RR")
    with pytest.raises(rs.DataError, match="labels must be numbers .*complex64"):
        rs.evaluate(fine * 1j, fine, "RR")
    gone = fine + 1
    gone.delete()
    with pytest.raises(rs.DataError, match="cannot be read .*deleted"):
        rs.evaluate(fine, gone, "RR")


@settings(max_examples=examples(300))
@given(measures(), st.integers(0, 2**32), choices)
def test_what_may_only_be_read_is_only_read(measure, seed, chosen):
    """Arrays of JAX come as views that may not be written to."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, 4, (2, 5)).astype(np.float64), rng.choice([0.0, 1.0, 2.5], (2, 5))
    expected = outcome(*table, measure, **chosen)
    locked = [array.copy() for array in table]
    for array in locked:
        array.flags.writeable = False
    assert outcome(*locked, measure, **chosen) == expected
    assert all((a == b).all() for a, b in zip(locked, table, strict=True))


def test_nothing_is_copied_that_need_not_be():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    tensor = torch.rand(3, 4, dtype=torch.float64, requires_grad=True)
    table = np.random.default_rng(1).random((3, 4))
    column = pd.Series(table[0])
    with jax.enable_x64(True):
        array = jax.numpy.array(table)
    for value, address in (
        (table, table.ctypes.data),
        (OnlyDlpack(table), table.ctypes.data),
        (tensor, tensor.data_ptr()),
        (tensor.t(), tensor.data_ptr()),
        (array, array.unsafe_buffer_pointer()),
        (column, column.to_numpy().ctypes.data),
    ):
        assert numbers_of(value, "scores").ctypes.data == address
    assert not numbers_of(array, "scores").flags.writeable
    assert np.shares_memory(numbers_of(tensor, "scores"), tensor.detach().numpy())
    held = labels_and_scores(table, tensor)
    assert np.shares_memory(held.labels, table)
    assert np.shares_memory(held.scores, tensor.detach().numpy())
    mask = torch.ones(3, 4, dtype=torch.bool)
    assert np.shares_memory(
        labels_and_scores(table, tensor, mask=mask).scores, tensor.detach().numpy()
    )
    long = labels_and_scores(table.reshape(-1), table.reshape(-1), group_sizes=[5, 7])
    assert np.shares_memory(long.scores, table)


def test_query_ids_of_two_types_are_text():
    mixed = rs.evaluate([1, 0, 1], [0.1, 0.2, 0.3], "RR", qid=[1, "1", "a"])
    assert mixed.per_query == {"1": {"RR": 0.5}, "a": {"RR": 1.0}}


class OnGpu:
    """An array in the memory of a GPU, by what it shows; its numbers are here."""

    def __init__(self, values):
        self.values = values

    @property
    def __cuda_array_interface__(self):
        return {"version": 3}


class Like(OnGpu):
    """As CuPy's are: converted only when asked in its own words."""

    dtype, ndim = np.dtype("float64"), 2

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self):
        return self.values


class Elsewhere(OnGpu):
    """Known by DLPack alone; copied to the host if the host asks for it."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, dl_device=None, **more):
        if dl_device is None or int(dl_device[0]) != 1:
            raise BufferError("on another device")
        return self.values.__dlpack__(**more)


class Fixed(Elsewhere):
    """The same of a library that does not copy."""

    def __dlpack__(self, **more):
        raise BufferError("on another device")


def test_arrays_on_a_gpu_are_copied_or_refused():
    grades, score = np.array([[1.0, 0], [0, 1]]), np.array([[0.1, 0.2], [0.1, 0.2]])
    expected = rs.evaluate(grades, score, "RR").per_query
    for kind in (Like, Elsewhere):
        assert rs.evaluate(kind(grades), kind(score), "RR").per_query == expected
        assert rs.RR(kind(grades), kind(score)).tolist() == [0.5, 1.0]
    with pytest.raises(rs.DataError, match="scores: Fixed cannot be read .on another device"):
        rs.evaluate(grades, Fixed(score), "RR")
    with pytest.raises(rs.DataError, match="labels: OnGpu cannot be read .*copy it to the host"):
        rs.evaluate(OnGpu(grades), score, "RR")
    with pytest.raises(rs.DataError, match="scores: OnGpu cannot be read"):
        rs.RR(grades, OnGpu(score))


@settings(max_examples=examples(300))
@given(measures(), st.integers(0, 2**32))
def test_ties_in_one_list_change_no_bit_of_another(measure, seed):
    assume(measure.supports_expected_ties and measure.params.get("pairs") != "all")
    rng = np.random.default_rng(seed)
    grades = rng.choice([0, 0, 0.5, 1, 2, 3], (3, 12))
    score = rng.permuted(np.tile(np.arange(12.0), (3, 1)), axis=1)
    alone = outcome(grades, score, measure)
    score[1] = rng.integers(0, 3, 12)
    if isinstance(alone, dict):
        among = outcome(grades, score, measure)
        assert (among[0], among[2]) == (alone[0], alone[2])


def test_other_libraries_by_protocol():
    grades, score = np.array([[1, 0], [0, 1]]), np.array([[0.1, 0.2], [0.1, 0.2]])
    expected = rs.evaluate(grades, score, "RR").per_query
    assert rs.evaluate(OnlyDlpack(grades), OnlyDlpack(score), "RR").per_query == expected
    frame = pd.DataFrame({"q": ["b", "a", "b"], "y": [0, 1, 1], "s": [0.5, 0.1, 0.2]})
    by_column = rs.evaluate(frame.y, frame.s, "RR", qid=frame.q)
    assert by_column.per_query == {"a": {"RR": 1.0}, "b": {"RR": 0.5}}


def test_rows_may_have_names():
    result = rs.evaluate([[1, 0], [0, 1]], [[2, 1], [2, 1]], "RR", qid=["x", "y"], name="mine")
    assert result.per_query == {"x": {"RR": 1.0}, "y": {"RR": 0.5}}
    assert result.name == "mine"
    assert rs.Result.from_json(result.to_json()).per_query == result.per_query


def test_labels_that_are_missing_are_counted():
    result = rs.evaluate([[math.nan, 1], [1, math.nan]], [[2, 1], [2, 1]], "RR")
    assert result.per_query == {0: {"RR": 0.5}, 1: {"RR": 1.0}}
    (notice,) = result.warnings
    assert (notice.code, notice.count) == ("missing-labels", 2)
    with pytest.raises(rs.StrictError, match="2 of 4 labels NaN"):
        rs.evaluate([[math.nan, 1], [1, math.nan]], [[2, 1], [2, 1]], "RR", strict=True)
    masked = rs.evaluate([[math.nan, 1]], [[math.inf, 1]], "RR", mask=[[False, True]])
    assert masked["RR"] == 1.0
    assert not masked.warnings


ONE = ([[1, 0]], [[0.1, 0.2]])
FLAT = ([1, 0], [0.1, 0.2])


@pytest.mark.parametrize(
    ("data", "more", "message"),
    [
        (([[1, 0]], [[0.1]]), {}, "labels are 1 x 2 and scores 1 x 1: the two must have the same shape"),
        (([[1, 0]], [[0.1, math.nan]]), {}, "the score at row 0, column 1 is nan.*mask="),
        (([1, 0], [0.1, math.inf]), {"group_sizes": [2]}, "the score at item 1 is inf"),
        (([[1, math.inf]], [[0.1, 1]]), {}, "the label at row 0, column 1 is inf"),
        (([[1, 0], [1]], [[1.0, 0], [1]]), {}, "labels: the rows differ in length. Pad the rows"),
        (([["a"]], [[0.1]]), {"qid": [1]}, "labels must be numbers"),
        (([["a"]], [[0.1]]), {}, "document id 0.1 is neither text nor a whole number"),
        ((np.zeros((1, 1, 1)), np.zeros((1, 1, 1))), {}, "in one or two dimensions"),
        (ONE, {"mask": [[1, 0]]}, "mask is int64, and must be boolean"),
        (ONE, {"mask": [True, False]}, "mask is 2 and labels are 1 x 2"),
        (ONE, {"qid": [1, 2]}, "2 queries in qid for 1 rows"),
        (([[1], [0]], [[1], [0]]), {"qid": [1, 1]}, "is used for more than one row"),
        (FLAT, {"qid": [1]}, "1 query ids in qid for 2 labels"),
        (FLAT, {"qid": [1, None]}, "query id None is neither text nor a whole number"),
        (FLAT, {"qid": np.array([0.5, 1.5])}, "neither text nor a whole number"),
        (FLAT, {"qid": np.array([[1, 2]])}, "qid is 1 x 2"),
        (FLAT, {"group_sizes": [1, 2]}, "group_sizes add up to 3, but there are 2"),
        (FLAT, {"group_sizes": [3, -1]}, "group 1 has a size below 0"),
        (FLAT, {"group_sizes": [1.5, 0.5]}, "group_sizes are whole numbers"),
    ],
)  # fmt: skip
def test_bad_arrays_are_refused(data, more, message):
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate(*data, "RR", **more)


@pytest.mark.parametrize(
    ("data", "more", "message"),
    [
        (ONE, {"ties": "docid-desc"}, "ties='docid-desc' needs document ids"),
        (ONE, {"conventions": rs.Conventions()}, "needs document ids"),
        (FLAT, {"qid": [1, 1], "group_sizes": [2]}, "not both"),
        (([1, 0], [1, 0]), {}, "whole numbers in both places"),
        (FLAT, {"qid": "ab"}, "qid is a list or an array of query ids, not str"),
        (ONE, {"group_sizes": [2]}, "divides long arrays"),
        (ONE, {"exclude": {"q": ["d"]}}, "arrays have none; use mask="),
        ((np.array(ONE[0]), {"q": {"d": 1}}), {}, "scores are dict"),
        ((np.array(ONE[0]), "run.txt"), {}, "scores are str"),
        (({"q": {"d": 1}}, {"q": {"d": 1}}), {"qid": [1]}, "qid= goes with labels and scores"),
    ],
)  # fmt: skip
def test_requests_that_make_no_sense_are_refused(data, more, message):
    with pytest.raises(rs.UsageError, match=message):
        rs.evaluate(*data, "RR", **more)


def test_direct_calls_and_negative_grades():
    """A label of -1 is a document that is not relevant, as in two-class data."""
    assert rs.AUC([1, -1, 1, -1], [4.0, 3, 2, 1]) == 0.75
    unjudged = rs.Conventions(ties="input", negatives="unjudged")
    assert rs.AUC([1, -1, 1, 0], [4.0, 3, 2, 1], conventions=unjudged) == 1.0
    assert rs.evaluate([[1, -1, 1, -1]], [[4.0, 3, 2, 1]], "AUC")["AUC"] == 0.75


def test_lists_of_whole_numbers_that_could_be_both_are_refused():
    with pytest.raises(rs.UsageError, match="may be labels and scores, or ids of documents"):
        rs.evaluate([[1, 0]], [[3, 2]], "RR")
    with pytest.raises(rs.UsageError, match="may be labels and scores, or ids of documents"):
        rs.evaluate(np.array([[1, 0]]), np.array([[3, 2]]), "RR")
    assert rs.evaluate(np.array([[1, 0]]), np.array([[3.0, 2]]), "RR")["RR"] == 1.0
    assert rs.evaluate([{1}], [[3, 1]], "RR")["RR"] == 0.5


@pytest.mark.parametrize("rule", ["input", "expected", "optimistic", "pessimistic"])
def test_a_list_has_its_value_whatever_ties_other_lists_have(rule):
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 4, (40, 12)).astype(float), rng.random((40, 12))
    scores[::3] = np.round(scores[::3], 1)
    for measure in (rs.nDCG @ 5, rs.AP, rs.RR, rs.P @ 5):
        table = rs.evaluate(labels, scores, measure, ties=rule)
        apart = [
            rs.evaluate(labels[i : i + 1], scores[i : i + 1], measure, ties=rule) for i in range(40)
        ]
        assert table.values(str(measure)).tolist() == [one[str(measure)] for one in apart]

    def tied(result):
        return sum(notice.count for notice in result.notices if notice.code == "ties")

    assert tied(table) == sum(map(tied, apart))
    assert tied(table) > 0 or rule != "input"


@pytest.mark.parametrize("width", [10, 200])
def test_a_measure_without_a_best_order_refuses_ties_below_its_cutoff_too(width):
    labels = np.eye(1, width)
    scores = np.maximum(np.arange(width, 0.0, -1.0), width - 5.0)[None]
    with pytest.raises(rs.UsageError, match="best and the worst order of tied documents"):
        rs.evaluate(labels, scores, ["CharPrecision@2"], ties="optimistic")
