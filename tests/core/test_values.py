"""Arrays, aggregates, collections and smaller parts of the core, at their edges."""

import math
import signal
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core import as_numpy, engine, timing
from rankstone.core.aggregate import GEOMETRIC, MEAN, MEDIAN, SUM, Part, summarise
from rankstone.core.as_numpy import all_finite, array_of, lowest, lowest_and_finite, numbers_of
from rankstone.core.collection import CollectionPart, LabelledCollection, MatchedCollection
from rankstone.core.ideal import constant, ideal_of
from rankstone.core.judgments import EMPTY
from rankstone.core.matches import SAMPLED_DOCS, SAMPLED_QUERIES, lacks_judged, sampled_queries
from rankstone.core.row_layout import ColumnFault, LineFault
from rankstone.core.run import EmptyRun
from rankstone.core.subtopics import Aspect, aspects_of, with_subtopics
from rankstone.core.values import id_of, number_of, plain_id, shown
from rankstone.verbs.load import load_judgments, load_run

DEFAULT = rs.Conventions()
NAN = math.nan


# Arrays ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("values", "low", "finite"),
    [
        ([3.0, 1.0, 2.0, 5.0], 1.0, True),
        ([1.0, 2.0, 3.0, -4.0], -4.0, True),
        ([1.0, 2.0, np.inf, 4.0], 1.0, False),
        ([1.0, np.inf, -np.inf, 4.0], -np.inf, False),
        ([1e308, 1e308, 1e308, 1e308], 1e308, True),
    ],
)
def test_the_lowest_number_and_whether_all_are_finite(monkeypatch, few, block, values, low, finite):
    monkeypatch.setattr(as_numpy, "_FEW", few)
    monkeypatch.setattr(as_numpy, "_BLOCK", block)
    numbers, zeros = np.array(values), np.zeros(4)
    assert lowest(numbers) == low
    assert all_finite(numbers) == all_finite(numbers.reshape(2, 2)) == finite
    assert lowest_and_finite(numbers, zeros) == (low, finite)
    assert lowest_and_finite(zeros, numbers) == (0, finite)
    assert lowest_and_finite(numbers.reshape(2, 2), zeros.reshape(2, 2)) == (low, finite)
    assert math.isnan(lowest(np.array([1.0, NAN, 0.0])))
    assert not all_finite(np.array([1.0, NAN, 0.0]))
    assert all_finite(np.zeros(0))


def test_numbers_of_lists_and_arrays_are_float64():
    cases = [
        ([1, 2], [1, 2]),
        ([True, False], [1, 0]),
        ([[1, None], [2, 3.5]], [[1, NAN], [2, 3.5]]),
        ((1, None), [1, NAN]),
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([[1.5]], np.float32), [[1.5]]),
        (range(3), [0, 1, 2]),
    ]
    for value, numbers in cases:
        found = numbers_of(value, "grades")
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, numbers)


def test_other_arrays_are_refused():
    cases = [
        (np.float64(3), "grades must be numbers in one or two dimensions, not float64 in 0."),
        (np.zeros((1, 1, 1)), "grades must be numbers in one or two dimensions, not float64 in 3."),
        (
            np.zeros((1, 1, 1), int),
            "grades must be numbers in one or two dimensions, not int64 in 3.",
        ),
        (
            np.full((1, 1, 1), None),
            "grades must be numbers in one or two dimensions, not object in 3.",
        ),
        (["a"], "grades must be numbers in one or two dimensions, not <U1 in 1."),
        ([[1], [1, 2]], "grades: the rows differ in length."),
        ([None, [1]], "grades: the rows differ in length."),
        (np.ma.masked_array([1, 2], [True, False]), "grades: values of a masked array are masked"),
        (
            [np.ma.masked_array([1, 2], [True, False])],
            "grades: values of a masked array are masked",
        ),
        (
            [np.ones(2), np.ma.masked_array([1, 2], [True, False])],
            "grades: values of a masked array",
        ),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            numbers_of(value, "grades")
        assert str(caught.value).startswith(message)


def test_an_array_without_masked_values_is_read():
    assert numbers_of(np.ma.masked_array([1, 2], [False, False]), "grades").tolist() == [1, 2]
    given = np.zeros(2)
    assert array_of(given, "grades") is given
    assert numbers_of(given, "grades") is given


class Handed:
    """An array that is handed over by DLPack from a device."""

    def __init__(self, device):
        self.device = device
        self.asked = []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **how):
        self.asked.append(how.get("dl_device"))
        return np.arange(3.0).__dlpack__()


def test_what_is_handed_over_by_protocol_is_read():
    here = Handed(1)
    assert array_of(here, "grades").tolist() == [0, 1, 2]
    assert here.asked == [None]

    class OnGpu:
        __cuda_array_interface__ = None

    with pytest.raises(rs.DataError, match="it is in the memory of a GPU; copy it to the host"):
        array_of(OnGpu(), "grades")

    class CuPy(OnGpu):
        def get(self):
            return [1.0, 2.0]

    assert array_of(CuPy(), "grades").tolist() == [1, 2]


# Aggregates --------------------------------------------------------------------------------------


def test_means_are_exactly_rounded_with_and_without_weights():
    rng = np.random.default_rng(4)
    values = rng.random(50) * 10.0 ** rng.integers(-9, 9, 50)
    weight = rng.integers(0, 4, 50)
    values[7] = NAN
    kept = [
        (Fraction(v), w) for v, w in zip(values.tolist(), weight.tolist(), strict=True) if v == v
    ]
    plain = sum(v for v, _ in kept) / len(kept)
    weighted = sum(v * w for v, w in kept) / sum(w for _, w in kept)
    assert MEAN.of(values).mean() == float(plain)
    assert MEAN.of(values, weight).mean() == float(weighted)
    assert SUM.finish(SUM.of(values, weight)) == float(sum(v * w for v, w in kept))
    assert MEAN.of(values, weight).n == sum(w > 0 for _, w in kept)
    parts = MEAN.of(values[:20], weight[:20]).merge(MEAN.of(values[20:], weight[20:]))
    assert parts.mean() == float(weighted)
    both = MEAN.of(values[:20]).merge(MEAN.of(values[20:], weight[20:]))
    assert both.mean() == float(
        sum(v * (w if i >= 19 else 1) for i, (v, w) in enumerate(kept))
        / sum(w if i >= 19 else 1 for i, (_, w) in enumerate(kept))
    )


def test_an_aggregate_of_nothing_is_none():
    for by in (MEAN, GEOMETRIC, MEDIAN):
        assert math.isnan(by.finish(by.of(np.array([NAN]))))
    assert math.isnan(MEAN.of(np.array([1.0]), np.array([0])).mean())
    assert SUM.finish(SUM.of(np.zeros(0))) == 0
    assert Part() == Part((), 0, None, ())
    assert MEAN.of(np.array([3.0])).merge(Part()).mean() == 3


def test_summaries():
    cases = [
        ("median", [3.0, 1.0, 2.0, NAN], 2.0, 3),
        ("median", [1.0, 2.0], 1.5, 2),
        ("sum", [1.0, 2.0, NAN], 3.0, 2),
        ("mean", [1.0, 2.0, NAN, NAN], 1.5, 2),
        ("geometric", [0.25, 1.0], 0.5, 2),
        ("geometric", [0.0, 1.0], math.sqrt(1e-5), 2),
    ]
    for how, values, value, n in cases:
        found = summarise(np.array(values), how)
        assert found.value == pytest.approx(value, rel=1e-15)
        assert (found.how, found.n, found.left_out) == (how, n, len(values) - n)


def test_weights_count_in_means_and_sums_only():
    values, weight = np.array([1.0, 3.0]), np.array([3, 1])
    assert [summarise(values, how, weight=weight).value for how in ("mean", "sum", "median")] == [
        1.5,
        6,
        2,
    ]
    geometric = summarise(values, "geometric", weight=weight).value
    assert geometric == pytest.approx(math.sqrt(3), rel=1e-15)
    assert summarise(values, "geometric", 2.0).value == pytest.approx(math.sqrt(6), rel=1e-15)
    assert GEOMETRIC.note == "values below 1e-05 count as 1e-05 in a geometric mean"
    assert MEDIAN.of(values).merge(MEDIAN.of(np.array([9.0]))).median() == 3
    assert MEAN.of(values).values == ()
    assert summarise(values, "mean", 2.5).value == 2


# Single values -----------------------------------------------------------------------------------


def test_ids_are_text_or_whole_numbers():
    cases = [
        ("a", "a"),
        (np.str_("a"), "a"),
        (3, 3),
        (np.int8(3), 3),
        (b"a", "a"),
        (True, None),
        (1.5, None),
        ("", None),
        (b"", None),
        (None, None),
    ]
    for value, id_ in cases:
        assert plain_id(value) == id_
        assert type(plain_id(value)) is type(id_)


def test_other_ids_are_refused():
    cases = [
        ("", "here: empty query id. Give every query an id."),
        (
            2.0,
            "here: query id 2.0 is neither text nor a whole number. Write it as 2, in the judgments and in the run.",
        ),
        (2.5, "here: query id 2.5 is neither text nor a whole number."),
        (True, "here: query id True is neither text nor a whole number."),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            id_of(value, "query", "here")
        assert str(caught.value) == message
        with pytest.raises(rs.DataError) as caught:
            id_of(value, "query")
        assert str(caught.value) == message.removeprefix("here: ")


@pytest.mark.parametrize("value", [2.0, 2, "2", " 2\n", "2e0", np.float32(2), Fraction(2)])
def test_numbers_may_be_text(value):
    assert number_of(value, "grade", "here") == 2


def test_other_numbers_are_refused():
    cases = [
        (True, "here: grade True is not a number."),
        (b"2", "here: grade b'2' is not a number."),
        ("1_0", "here: grade '1_0' is not a number."),
        (None, "here: grade None is not a number."),
        (10**400, f"here: grade {'1' + '0' * 59}... is not a number."),
        ("nan", "here: grade 'nan' is not a finite number."),
        (math.inf, "here: grade inf is not a finite number."),
    ]
    for value, message in cases:
        with pytest.raises(rs.DataError) as caught:
            number_of(value, "grade", "here")
        assert str(caught.value) == message


def test_long_values_are_cut_short_in_messages():
    assert shown("a" * 62) == "'" + "a" * 62 + "'"
    assert shown("a" * 63) == "'" + "a" * 59 + "..."


# Collections -------------------------------------------------------------------------------------


def test_documents_of_a_query_are_those_that_are_judged():
    data = collection({"q": {"a": 2, "b": 0}, "r": {"c": 1}}, {"q": ["a"], "r": ["c"]})
    assert data.judged_documents("q") == [("a", 2), ("b", 0)]
    assert data.judged_documents("r") == [("c", 1)]
    assert data.judged_documents("s") == []
    assert data.document(2) == "c"
    assert CollectionPart(data).judged_documents("r") == [("c", 1)]
    assert CollectionPart(data).document(0) is None
    lists = collection([[1, -1, NAN], [0, 2, 1]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert lists.judged_documents(0) == [(0, 1), (1, 0)]
    assert lists.judged_documents(1) == [(0, 0), (1, 2), (2, 1)]
    assert lists.document(2) == 2
    in_order = collection([[1, 0], [0, 2]])
    assert in_order.judged_documents(0) == []
    assert in_order.document(1) is None


def test_a_collection_is_of_several_rankings_with_ids_unless_it_says_otherwise():
    judgments = load_judgments({"q": {"a": 1}})
    data = MatchedCollection(load_run({"q": ["a"]}), judgments)
    assert (data.single, data.has_ids, data.is_part) == (False, True, False)
    assert (data.default.ties, CollectionPart(data).default.ties) == ("docid-desc", "docid-desc")
    assert not CollectionPart(data).single
    lists = LabelledCollection(np.zeros(2), None, np.array([0, 2]))
    assert not lists.single
    assert (lists.default.ties, lists.default.negatives) == ("expected", "nonrelevant")
    assert data.matches() is data.matches(float32=False, run_queries=False, repeats=False)
    for one in (data, CollectionPart(data), lists):
        assert "_rankings" not in repr(one)
        assert "_matches" not in repr(one)


def test_judgments_are_looked_up_as_text_unless_they_are_numbers():
    judgments = load_judgments({"q": {"a": 1}})
    plain = judgments.index()
    assert judgments.index(numbers=(False, False), typed=False) is plain
    assert judgments.index(typed=True) is not plain
    assert judgments.index(numbers=(True, False)) is not plain
    assert (len(EMPTY), EMPTY.groups.tolist(), list(EMPTY.queries)) == (0, [0], [])


def test_documents_that_share_a_score_are_counted():
    judged = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
    run = {"q": {"a": 1.0, "b": 1.0, "x": 1.0}, "r": {"c": 1.0}}
    assert collection(judged, run).tied(DEFAULT) == (2, 3)
    lists = collection([[1, 0, 1], [0, 2, 1]], [[0.1, 0.1, 0.3], [0.3, 0.2, 0.1]])
    assert lists.tied(lists.default) == (2, 6)
    assert lists.tally(lists.default).tied == 2


def test_rankings_are_kept_for_a_few_conventions():
    data = collection({"q": {"a": 1}}, {"q": ["b", "a"]})
    first = data.ranked(DEFAULT)
    assert data.ranked(DEFAULT) is first
    other = data.ranked(DEFAULT.replace(no_relevant="skip"))
    assert other.rank is first.rank
    assert other.conventions.no_relevant == "skip"
    for relevance in (2, 3, 4, 5):
        assert data.ranked(DEFAULT.replace(relevance=relevance)).conventions.relevance == relevance
    assert data.ranked(DEFAULT).rank.tolist() == [2]


def test_more_unjudged_queries_than_are_remembered_cannot_be_averaged():
    import dataclasses

    data = collection({"q": {"a": 1}}, {"q": ["a"], "r": ["a"]})
    assert len(data.ranked(DEFAULT.replace(queries="run"))) == 2
    for change in ({"unjudged_capped": True}, {"unjudged_queries": 2}):
        again = dataclasses.replace(data, _matches={}, _rankings=type(data._rankings)())
        again._matches[False, False, False] = dataclasses.replace(data.matches(), **change)
        with pytest.raises(rs.DataError, match="more than 1 of them have no judgments"):
            again.ranked(DEFAULT.replace(queries="run"))


def test_judgments_of_more_queries_hold_nothing_for_them():
    judgments = load_judgments({"q": {"a": -1, "b": 2}})
    more = judgments.with_queries(["r", "s"])
    assert list(more.queries) == ["q", "r", "s"]
    assert more.groups.tolist() == [0, 2, 2, 2]
    assert (len(more), more.max_grade) == (2, 2)
    assert load_judgments({"q": {"a": -1}}).max_grade == 0
    by_subtopic = load_judgments({"q": {"a": {"1": 1}, "b": {"2": 1}}}).with_queries(["r"])
    assert by_subtopic.subtopics.first.tolist() == [0, 2]
    assert by_subtopic.subtopics.last.tolist() == [2, 2]


def test_scores_beyond_32_bits_are_infinite_there():
    data = collection([[1, 0], [0, 1]], [[1e300, 1e299], [1.0, 1.0 + 1e-12]])
    rounded = data.documents(float32=True, run_queries=False, repeats=False)
    assert rounded.queries == [0, 1]
    assert rounded.scores.tolist() == [math.inf, math.inf, 1.0, 1.0]
    assert data.documents(float32=False, run_queries=False, repeats=False).scores.tolist() == [
        1e300,
        1e299,
        1.0,
        1.0 + 1e-12,
    ]


def test_an_empty_run_has_nothing():
    run = EmptyRun()
    assert run.direction == 0
    found = run.match(load_judgments({"q": ["a"], "r": ["b"]}), float32=False, repeats=False)
    assert found.retrieved.tolist() == [0, 0]


# Rankings to compare with ------------------------------------------------------------------------


def test_ideal_rankings_are_by_falling_gain():
    judged = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}, "r": {"a": 0, "b": 1}}
    ranked = collection(judged, {"q": ["b", "x", "a"], "r": ["a", "b"]}).ranked(DEFAULT)
    best = ideal_of(ranked, None)
    assert best.grade.tolist() == [2, 1, 1, 0, 1, 0]
    assert best.rank.tolist() == [1, 2, 3, 4, 1, 2]
    assert best.above.tolist() == best.judgment.tolist() == [0, 1, 2, 3, 0, 1]
    assert best.tied.tolist() == [1] * 6
    assert best.score.tolist() == [-1, -2, -3, -4, -1, -2]
    assert (best.queries, best.retrieved.tolist(), best.max_grade) == (["q", "r"], [3, 2], 2)
    assert not best.has_ties
    assert not best.has_repeats
    assert ideal_of(ranked, None, "retrieved").grade.tolist() == [1, 0, 1, 0]
    assert ideal_of(ranked, -ranked.judged_grade).grade.tolist() == [0, 1, 1, 2, 0, 1]
    assert ideal_of(ranked, -ranked.grade, "retrieved").grade.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(("k", "sizes"), [(None, [3, 2]), (2, [2, 2]), (4, [4, 4])])
def test_a_constant_ranking_has_one_grade(k, sizes):
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    ranked = collection(judged, {"q": ["b", "x", "a"], "r": ["a", "b"]}).ranked(DEFAULT)
    same = constant(ranked, k, 3.0)
    assert np.diff(same.offsets).tolist() == sizes
    assert same.rank.tolist() == [i + 1 for n in sizes for i in range(n)]
    assert same.grade.tolist() == same.original_grade.tolist() == [3] * sum(sizes)
    assert same.above.tolist() == [i for n in sizes for i in range(n)]
    assert same.tied.tolist() == [1] * sum(sizes)
    assert same.score.tolist() == (-same.rank).tolist()
    assert (same.judgment < 0).all()
    assert not same.has_ties


# Subtopics ---------------------------------------------------------------------------------------


def test_grades_by_subtopic_are_laid_out():
    judgments = load_judgments({"q": {"b": 2, "a": 1}, "r": {"a": 1}})
    rows = [
        Aspect("q", "b", 2, "y"), Aspect("q", "a", 1, "x", vital=False), Aspect("q", "b", 0, "x", vital=False),
        Aspect("r", "a", 1, "y"), Aspect("q", "b", 1, "y"), Aspect("q", "a", 1, "x", vital=False),
    ]  # fmt: skip
    found, counts = with_subtopics(judgments, rows)
    subtopics = found.subtopics
    assert subtopics.names == ["y", "x", "y"]
    assert subtopics.vital.tolist() == [True, False, True]
    assert [(a.query, a.doc, a.grade, a.subtopic, a.vital) for a in aspects_of(found)] == [
        ("q", "b", 2, "y", True), ("q", "b", 0, "x", False), ("q", "a", 1, "x", False), ("r", "a", 1, "y", True),
    ]  # fmt: skip
    assert counts == {
        "repeated": 1, "contradicting": 1,
        "repeated_example": (b"q", b"a"), "contradicting_example": (b"q", b"b"),
    }  # fmt: skip
    assert subtopics.by_id.tolist() == [2, 0, 1]
    assert subtopics.judged()[1].tolist() == [0, 0, 1]
    chosen = subtopics.select(np.array([False, True]))
    assert chosen.judged()[0].tolist() == [2]
    cut = subtopics.of_rows(np.array([False, True, True]), np.array([0, 1, 2]))
    assert cut.offsets.tolist() == [0, 1, 2]
    assert cut.grade.tolist() == [1, 1]
    assert with_subtopics(judgments, rows[:1]).counts["repeated_example"] == (b"", b"")
    more = [*rows, rows[3], Aspect("r", "a", 2, "y"), Aspect("q", "a", 3, "x", vital=False)]
    again = with_subtopics(judgments, more).counts
    assert (again["repeated"], again["contradicting"]) == (2, 3)
    assert again["repeated_example"] == again["contradicting_example"] == (b"q", b"a")
    with pytest.raises(
        rs.DataError, match="the nugget 'x' is vital in one row and okay in another"
    ):
        with_subtopics(judgments, [rows[1], Aspect("q", "b", 0, "x", vital=True)])
    assert list(aspects_of(judgments)) == []


def test_known_documents_count_by_subtopic():
    import dataclasses

    judgments = load_judgments({"q": {"b": 2, "a": 1}, "r": {"a": 1}})
    whole = with_subtopics(judgments, [Aspect("q", "b", 2, "y")]).judgments.subtopics
    some = dataclasses.replace(whole, known=np.array([True, False, True]))
    assert [column.tolist() for column in some.judged()] == [[0, 2], [0, 1]]
    cut = some.of_rows(np.array([True, True, False]), np.array([0, 2]))
    assert cut.known.tolist() == [True, False]


# The rest ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "step"), [(0, 1), (1, 1), (31, 1), (32, 1), (33, 2), (64, 2), (65, 3)]
)
def test_a_few_queries_are_sampled_evenly(n, step):
    assert (SAMPLED_QUERIES, SAMPLED_DOCS) == (32, 256)
    assert sampled_queries(list(range(n))) == list(range(0, n, step))


def test_queries_of_the_run_that_miss_judged_documents():
    groups, present = np.array([0, 2, 2, 3, 5]), np.array([True, True, False, True])
    assert lacks_judged(groups, np.array([0, 3, 4]), present).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert lacks_judged(groups, np.array([0, 1, 1, 3]), present).tolist() == [
        False,
        False,
        False,
        True,
    ]


def test_time_is_charged_to_the_innermost_stage(monkeypatch):
    ticks = iter([0.0, 1.0, 3.0, 10.0, 20.0, 21.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    with timing.timed() as seconds:
        with timing.stage("read"), timing.stage("match"):
            pass
        with timing.stage("match"):
            pass
    assert seconds["match"] == 2 + 1
    assert seconds["read"] == 10 - 2
    assert {name: s for name, s in seconds.items() if s} == {"match": 3, "read": 8}
    with timing.stage("read"):
        pass
    assert seconds["read"] == 8


@pytest.mark.parametrize(("platform", "peak"), [("linux", 7 * 1024), ("darwin", 7)])
def test_the_most_memory_is_in_bytes(monkeypatch, platform, peak):
    import resource

    class Usage:
        ru_maxrss = 7

    monkeypatch.setattr(resource, "getrusage", lambda _: Usage)
    monkeypatch.setattr(sys, "platform", platform)
    assert timing.peak_memory() == peak


def test_faults_have_the_numbers_of_the_compiled_core():
    assert [*map(int, LineFault)] == [1, 2, 3, 4, 5]
    assert [*map(int, ColumnFault)] == [1, 2, 3]


def test_the_slow_engine_is_told_of_only_if_nobody_asked_for_it(monkeypatch):
    told = []
    python = engine.load.__globals__["_load"]("python")
    monkeypatch.setattr(engine, "_load", lambda wanted: python)
    for wanted in ("python", ""):
        monkeypatch.setenv("RANKSTONE_ENGINE", wanted)
        assert engine.load(told.append) is python
        assert len(told) == (not wanted)
        assert engine.load() is python
        assert engine.name() == "python"
    (text,) = told
    assert text.startswith("the compiled core of rankstone is not installed; the pure-Python")
    assert text.endswith("Reinstall where a C++20 compiler is found.")


def test_another_engine_is_refused():
    with pytest.raises(rs.UsageError) as caught:
        engine._load("fast")
    assert str(caught.value) == "RANKSTONE_ENGINE is 'fast'; it may be 'native' or 'python'."
    assert not engine.is_sub_interpreter()
    assert engine._load.__wrapped__("python").__name__ == "rankstone.core.python_engine"


def test_without_interpreters_within_others_this_is_the_main_one(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(engine, "import_module", absent)
    assert engine.is_sub_interpreter.__wrapped__() is False


def test_the_compiled_core_is_not_loaded_in_an_interpreter_within_another(monkeypatch):
    monkeypatch.setattr(engine, "is_sub_interpreter", lambda: True)
    for wanted in ("", "python"):
        assert engine._load.__wrapped__(wanted).__name__ == "rankstone.core.python_engine"
    with pytest.raises(rs.UsageError, match="'native', which does not run in a sub-interpreter"):
        engine._load.__wrapped__("native")


def test_signals_wait_until_a_module_is_loaded():
    with engine._signals_held():
        held = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        assert {signal.SIGINT, signal.SIGTERM} <= held
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & {signal.SIGINT, signal.SIGTERM}


def magnitudes(size, seed):
    """Return numbers of both signs, from the smallest to the largest, and their near negatives."""
    random = np.random.default_rng(seed)
    half = size // 2
    numbers = random.normal(size=half) * 2.0 ** random.integers(-1070, 1010, half)
    return np.concatenate((numbers, -numbers[::-1], random.random(size - 2 * half)))


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 66, 127, 128, 129, 1000])
def test_sums_of_many_values_are_exact(size):
    for seed in range(30):
        random = np.random.default_rng(seed)
        for values in (
            random.random(size),
            random.integers(0, 3, size) / 2,
            random.random(size) * 2.0 ** random.integers(-60, 60, size),
            random.random(size) * 5e-321,
            magnitudes(size, seed),
            random.random(size) / 2 - 1,
            1 - random.random(size) / 4,
            np.full(size, 0.1),
        ):
            exact = sum(map(Fraction, values.tolist()))
            part = MEAN.of(values)
            assert sum(map(Fraction, part.parts)) == exact
            # Each part is what is left, rounded: so the parts are few and do not overlap.
            for i, own in enumerate(part.parts):
                assert own == float(exact - sum(map(Fraction, part.parts[:i])))
            assert part.mean() == float(exact / size)
            if np.abs(values).max() < 1 and np.abs(values).min() > 1e-200:  # products are exact
                weights = random.integers(1, 4, size).astype(np.float64)
                weighted = MEAN.of(values, weights)
                products = zip(values.tolist(), weights.tolist(), strict=True)
                total = sum(Fraction(v) * Fraction(w) for v, w in products)
                assert sum(map(Fraction, weighted.parts)) == total
                assert weighted.weight == (float(weights.sum()),)


@pytest.mark.parametrize("power", [1014, 1015, 1016, 1017])
def test_sums_up_to_the_largest_power(power):
    assert MEAN.of(np.full(100, 2.0**power) * np.tile([1, -1], 50)).parts == ()
    if power < 1017:
        assert MEAN.of(np.full(100, 2.0**power)).sum() == 100 * 2.0**power


def test_sums_of_the_largest_values():
    largest = np.full(100, np.finfo(float).max)
    largest[1::2] *= -1
    assert MEAN.of(np.append(largest, 0.25)).parts == (0.25,)
    with pytest.raises(OverflowError):
        MEAN.of(np.abs(largest))
    with pytest.raises(ValueError, match="inf"):
        MEAN.of(np.full(100, math.inf)).mean()
