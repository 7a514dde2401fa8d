"""Tables in another device's memory: cut there, and worth what they are worth as a whole.

There is no such device here. The question whether a tensor is elsewhere is answered with yes, and
all that follows is done for real, on the processor.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples, values_of

import rankstone as rs
from rankstone.core import gpu
from rankstone.core.rank import ListNeeds, score_needs
from rankstone.io import arrays as arrays_module
from rankstone.measures.compute import list_needs

torch = pytest.importorskip("torch")

CUT = [m for m in rs.all_measures() if any(p.name == "k" for p in m.definition.params)]
FLOATS = ["float64", "float32", "float16", "bfloat16"]
WHOLE = ["int64", "int32", "int8", "uint8", "bool"]
RULES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["expected", "input", "optimistic", "pessimistic"]),
        "negatives": st.sampled_from(["nonrelevant", "nonrelevant", "unjudged"]),
        "unjudged": st.sampled_from(["nonrelevant", "remove"]),
        "precision": st.sampled_from(["float64", "float32"]),
        "nonpositive": st.sampled_from(["any", "any", "any", "nonrelevant"]),
        "no_relevant": st.sampled_from(["zero", "one", "skip", "error"]),
        "sums": st.sampled_from(["exact", "plain"]),
    }
)


@st.composite
def cut_measures(draw):
    """Any registered measure with a cut-off, with any parameters."""
    default = draw(st.sampled_from(CUT))
    chosen = {p.name: draw(values_of(p)) for p in default.definition.params if p.name != "k"}
    return default(**{n: v for n, v in chosen.items() if v is not None}, k=draw(st.integers(1, 20)))


@st.composite
def tables(draw, shapes):
    """Labels and scores: with ties or without, with zeros, fractions and negative labels."""
    rows, width = draw(shapes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    pool = draw(st.sampled_from([[0, 1], [0, 0, 0, 0, 0, 0, 3], [-1, 0, 1, 2], [0.5, 1, 0, 0, 4]]))
    labels = rng.choice(pool, (rows, width)).astype(np.float64)
    labels[rng.random(rows) < draw(st.sampled_from([0, 0.3]))] = 0
    kind = draw(st.sampled_from(["even", "even", "tied", "few", "zeros", "tiny", "low"]))
    scores = rng.permuted(np.tile(np.linspace(-0.5, 1, width), (rows, 1)), axis=1)
    if kind == "tied":
        scores = rng.integers(0, 4, scores.shape).astype(np.float64)
    if kind == "few":
        scores[:, 1] = scores[:, 0]
    if kind == "zeros":
        scores = rng.choice([0.0, -0.0, 1.0, -1.0], scores.shape)
    if kind == "tiny":
        scores *= 1e-310
    if kind == "low":
        scores[:, : width // 2] = -3.0
    return labels, scores


@pytest.fixture
def away(monkeypatch):
    """Every tensor is elsewhere."""
    monkeypatch.setattr(gpu, "is_on_device", lambda value: not isinstance(value, np.ndarray))


def outcome(call):
    """All that there is in a result, or the error there is."""
    try:
        return call()
    except rs.RankstoneError as error:
        return type(error), str(error)


def evaluated(*data, **more):
    def call():
        found = rs.evaluate(*data, **more).to_dict()
        return repr({**found, "provenance": None})

    return outcome(call)


def direct(measure, *data, **more):
    return outcome(lambda: repr(np.asarray(measure(*data, **more)).tolist()))


def hosted(tensor):
    """The same numbers in an array."""
    floating = str(tensor.dtype) in ("torch.bfloat16", "torch.float16")
    return (tensor.float() if floating else tensor).numpy()


def of_torch(values, dtype):
    return torch.tensor(values).to(getattr(torch, dtype))


small = st.tuples(st.integers(1, 6), st.integers(2, 40))


@pytest.mark.usefixtures("away")
@settings(max_examples=examples(500), deadline=None)
@given(
    st.lists(cut_measures(), min_size=1, max_size=3),
    tables(small),
    st.sampled_from(FLOATS + WHOLE),
    st.sampled_from([*FLOATS, "int32", "int64", "uint8"]),
    RULES,
    st.sampled_from([1 << 24, 50]),
    st.booleans(),
)
def test_a_cut_table_has_the_values_of_the_whole(
    asked, table, label_type, score_type, rules, block, interval
):
    labels, scores = of_torch(table[0], label_type), of_torch(table[1], score_type)
    host = hosted(labels), hosted(scores)
    more = {**rules, "tie_interval": interval}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "_BLOCK", block)
        assert evaluated(labels, scores, asked, **more) == evaluated(*host, asked, **more)
        under = rs.Conventions(**rules)
        here = direct(asked[0], *host, conventions=under)
        assert direct(asked[0], labels, scores, conventions=under) == here
        one = labels[0], scores[0]
        here = direct(asked[0], *map(hosted, one), conventions=under)
        assert direct(asked[0], *one, conventions=under) == here


@st.composite
def jax_cases(draw):
    """Of few shapes and cut-offs, since JAX compiles for each."""
    table = draw(tables(st.just((3, 24))))
    asked = draw(cut_measures())(k=draw(st.sampled_from([2, 11])))
    return asked, *table


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize(
    ("label_type", "score_type"),
    [("int32", "float32"), ("float16", "bfloat16"), ("bool", "int8"), ("float64", "float64")],
)
@settings(max_examples=40, deadline=None)
@given(jax_cases(), RULES)
def test_jax_does_the_same(label_type, score_type, case, rules):
    jax = pytest.importorskip("jax")
    measure, *table = case
    with jax.enable_x64(score_type == "float64"):
        kinds = zip(table, (label_type, score_type), strict=True)
        labels, scores = (jax.numpy.array(values).astype(kind) for values, kind in kinds)
        assert (str(labels.dtype), str(scores.dtype)) == (label_type, score_type)
        host = [np.asarray(v).astype(np.float64) for v in (labels, scores)]
        assert evaluated(labels, scores, measure, **rules) == evaluated(*host, measure, **rules)
        under = rs.Conventions(**rules)
        here = direct(measure, *host, conventions=under)
        assert direct(measure, labels, scores, conventions=under) == here


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize("ties", ["expected", "input"])
@pytest.mark.parametrize("kind", ["float64", "float16"])
def test_every_measure_with_a_cut_off_has_its_values_on_a_wide_table(kind, ties):
    rng = np.random.default_rng(3)
    scores = rng.permuted(np.tile(np.linspace(-1, 1, 900), (20, 1)), axis=1).astype(kind)
    closed = [m for m in CUT if m.supports_expected_ties or ties == "input" or kind == "float64"]
    for full in (rng.integers(0, 4, scores.shape), rng.random(scores.shape)):
        labels = np.where(rng.random(scores.shape) < 0.1, full, 0)
        tensors = torch.tensor(labels), torch.tensor(scores)
        asked = [m @ k for m in closed for k in (1, 10, 100)]
        assert evaluated(*tensors, asked, ties=ties) == evaluated(labels, scores, asked, ties=ties)
        under = rs.Conventions(ties=ties)
        for m in closed:
            here = direct(m @ 10, labels, scores, conventions=under)
            assert direct(m @ 10, *tensors, conventions=under) == here


def moved_bytes(monkeypatch, call):
    """How much comes over from the device while something is done."""
    total = []
    for name in ("numbers_of", "array_of"):
        original = getattr(gpu, name)

        def noting(value, what, original=original):
            total.append(value.dtype.itemsize * math.prod(value.shape))
            return original(value, what)

        monkeypatch.setattr(gpu, name, noting)
    call()
    return sum(total)


@pytest.mark.usefixtures("away")
def test_little_is_moved(monkeypatch):
    rng = np.random.default_rng(1)
    labels = torch.tensor((rng.random((300, 4000)) < 0.001).astype(np.int64))
    scores = torch.tensor(rng.normal(size=labels.shape), dtype=torch.float32)
    whole = labels.nbytes + scores.nbytes
    positives = int(labels.sum()) * 8
    monkeypatch.setattr(arrays_module, "numbers_of", None)  # by which all would be moved
    # Ten grades of 8 bytes, which of them are tied, and two sizes for each list; the first thousand
    # labels and scores, which may have changed places.
    least = 300 * (10 * 8 + 9 + 2 * 8)
    looked_at = 1000 * (8 + 4)
    for call in (
        lambda: (rs.nDCG @ 10)(labels, scores),
        lambda: rs.evaluate(labels, scores, ["nDCG@10", "RR@5"]),
    ):
        with monkeypatch.context() as patch:
            moved = moved_bytes(patch, call)
        assert least <= moved <= least + looked_at + positives < whole / 100


@pytest.mark.usefixtures("away")
def test_ties_at_the_cut_off_come_along():
    scores = torch.tensor([[5.0, 4, 4, 4, 3, 2, 1], [7.0, 6, 5, 4, 3, 2, 1]])
    labels = torch.tensor([[0, 0, 0, 2, 0, 0, 0], [0, 1, 0, 0, 0, 3, 1]])
    part = gpu.top_k(labels, scores, ListNeeds(2, True, True), score_needs([rs.Conventions()]))
    assert part.grades.tolist() == [[0, 0, 0, 2], [0, 1, 3, 1]]
    assert part.scores.tolist() == [[0, -1, -1, -1], [0, -1, -2, -3]]
    assert part.ties == (1, 4)
    quick = gpu.top_k(
        labels[1:], scores[1:], ListNeeds(2, True, False), score_needs([rs.Conventions()])
    )
    assert quick.grades.tolist() == [[0, 1, 3, 1]]


SOME = torch.tensor([[0, 1, 0, 2]]), torch.tensor([[0.5, 0.25, 1.0, 2.0]])


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize(
    ("asked", "rules"),
    [
        ("nDCG", {}),
        ("nDCG(gain={0: 1, 2: 3})@2", {}),
        ("nDCG@4", {}),
        ("nDCG@2", {"nonpositive": "nonrelevant"}),
        ("nDCG@2", {"ties": "expected", "sums": "plain"}),
        (["nDCG@2", "AUC(pairs='all')"], {}),
    ],
)
def test_where_more_is_read_all_is_moved(asked, rules):
    measures = [rs.parse_measure(m) for m in ([asked] if isinstance(asked, str) else asked)]
    rules = [rs.Conventions(**{"ties": "input", **rules})]
    assert gpu.top_k(*SOME, list_needs((m, rules[0]) for m in measures), score_needs(rules)) is None
    assert gpu.top_k(*SOME, ListNeeds(2, True, True), score_needs([rs.Conventions()])) is not None


@pytest.mark.usefixtures("away")
@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([[1.0, 0, 0]], [[1.0, math.nan, 0]]),
        ([[1.0, 0, 0]], [[1.0, math.inf, 0]]),
        ([[1.0, math.inf, 0]], [[1.0, 2, 0]]),
        ([[1.0, math.nan, 0]], [[1.0, 2, 0]]),
        ([[1.0, 0, 0]], [[1.0, 2]]),
    ],
)
def test_what_is_wrong_is_said_as_of_any_table(labels, scores):
    tensors = torch.tensor(labels), torch.tensor(scores)
    arrays = [t.numpy() for t in tensors]
    assert evaluated(*tensors, "RR@1") == evaluated(*arrays, "RR@1")
    assert direct(rs.RR @ 1, *tensors) == direct(rs.RR @ 1, *arrays)
    with pytest.raises(rs.DataError, match="has no relevant document"):
        rs.evaluate(SOME[0] * 0, SOME[1], "RR@1", no_relevant="error")
    with pytest.raises(rs.UsageError, match="needs document ids"):
        rs.evaluate(*SOME, "RR@1", ties="docid-asc")
    with pytest.raises(rs.UsageError, match="group_sizes= divides long arrays"):
        rs.evaluate(*SOME, "RR@1", group_sizes=[4])


@pytest.mark.usefixtures("away")
def test_rows_have_names_and_masks_are_kept():
    result = rs.evaluate(*SOME, "RR@1", qid=["x"], name="mine")
    assert (result.name, result.per_query) == ("mine", {"x": {"RR@1": 1.0}})
    mask = torch.tensor([[True, True, True, False]])
    assert rs.evaluate(*SOME, "RR@3", mask=mask)["RR@3"] == 1 / 3
    long = rs.evaluate(SOME[0][0], SOME[1][0], "RR@1", group_sizes=[4])
    assert long["RR@1"] == 1.0


@pytest.mark.usefixtures("away")
def test_what_a_device_cannot_do_is_done_here(monkeypatch):
    expected = evaluated(*(t.numpy() for t in SOME), "nDCG@2")

    def no_memory(*_, **__):
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(torch, "sort", no_memory)
    assert evaluated(*SOME, "nDCG@2") == expected
    with_gradient = SOME[1].clone().requires_grad_()
    monkeypatch.undo()
    monkeypatch.setattr(gpu, "is_on_device", lambda value: True)
    assert evaluated(SOME[0], with_gradient, "nDCG@2") == expected
    assert evaluated(SOME[0].numpy(), SOME[1], "nDCG@2") == expected


class OnCuda:
    """A tensor somewhere else, as far as it says."""

    class device:  # noqa: N801
        type = "cuda"

    def detach(self):
        return self


def test_where_a_tensor_is():
    assert not gpu.is_on_device(SOME[0])
    assert gpu.is_on_device(OnCuda())
    assert gpu.is_on_device(torch.ones(2, 2, device="meta"))
    assert not gpu.is_on_device(np.ones(2))
    assert not gpu.is_on_device([1, 2])
    with pytest.raises(rs.DataError, match="Tensor cannot be read .*no data"):
        rs.evaluate(torch.ones(2, 9, device="meta"), torch.ones(2, 9, device="meta"), "RR@1")


def test_where_an_array_of_jax_is(monkeypatch):
    jax = pytest.importorskip("jax")
    array = jax.numpy.ones((1, 4))
    assert not gpu.is_on_device(array)

    class Tpu:
        platform = "tpu"

    class Away:
        def devices(self):
            return {Tpu()}

    assert gpu.is_on_device(Away())

    def traced(scores):
        assert not gpu.is_on_device(scores)
        with pytest.raises(rs.DataError, match="cannot be read .*traced array"):
            (rs.nDCG @ 2)(scores, scores)
        return scores

    jax.jit(traced)(array)
    monkeypatch.setattr(gpu, "is_on_device", lambda value: True)
    with jax.enable_x64(True):
        wide = jax.numpy.array([[0.1, 0.2, 0.3]]), jax.numpy.array([[0.1, 0.2, 0.3]])
    assert wide[0].dtype == np.float64
    assert (rs.nDCG @ 2)(*wide).tolist() == [1.0]
