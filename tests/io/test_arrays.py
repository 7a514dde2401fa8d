"""Labels and scores or ids of documents: how two lists or arrays are told apart and read."""

import math

import numpy as np
import pandas as pd
import pytest
from devices import in_words_of_a_device

import rankstone as rs
from rankstone.core.rank import ListNeeds, score_needs
from rankstone.io.arrays import (
    are_arrays,
    grades_in_rank_order,
    labels_and_scores,
    table_of_labels,
)
from rankstone.io.recognise import are_labels, by_query

INF = math.inf


@pytest.mark.parametrize(
    ("judgments", "run", "expected"),
    [
        ([1, 0], [0.5, 0.2], True),
        ([0.5, 1], [3, 2], True),
        ([True, False], [3, 2], True),
        ([[1, 0], [0, 1]], [[0.5, 0.2], [1, 2]], True),
        ([[1, None]], [[0.5, 0.2]], True),
        (np.array([1, 0]), np.array([0.5, 0.2]), True),
        (np.array([True, False]), np.array([2, 1]), True),
        (["a"], ["b", "a"], False),
        ([b"a"], [b"b", b"a"], False),
        ([["a"]], [["b", "a"]], False),
        (np.array(["a"]), np.array(["b", "a"]), False),
        (np.array(["a"], object), np.array(["b", "a"], object), False),
        ([1, 2], [3, 2, 1], False),
        ([[1, 2], [3]], [[3, 2], [1, 2]], False),
        ([[1, 2]], [[3, 2, 1]], False),
        ([3, 1], [["3", "2"], ["1", "2"]], False),
        ([3, 1], [[3, 2], [1, 2]], False),
        ([{1}, {2}], [[3, 1], [2, 1]], False),
        ([{1: 1.0}, {2: 1.0}], [[3, 1], [2, 1]], False),
        ([[1]] * 9 + [{1}], [[1]] * 10, False),
        ([{1}] + [[1]] * 9, [[1]] * 10, False),
        ([["a"], {"b"}], [["0.5"], ["0.25"]], False),
        ([[object()]], [[object()]], False),
        ({"q": {"d": 1}}, {"q": {"d": 1}}, False),
        (["a"], {"q": ["a"]}, False),
        (["1", "a"], ["0.5", "b"], False),
        (["1", "2"], ["3", "2"], False),
        (["-1", "+2"], ["3", "-1"], False),
        (["-1", "+2"], ["3", "2"], None),
        ([("q", "d", "1")], [("q", "d", 0.5)], None),
        ([("q", 1, 1)], [("q", "d", 0.5)], None),
        ([(1, 2, 1)], [(1, 2, 0.5)], None),
        ([(1, 0, 2)], [(0.5, 0.2, 0.1)], True),
        ([("a", "b")], [("b", "c")], False),
        ([("a", 0.5, 1)], [("b", 0.5, 2)], False),
        ([("q", "d", 1), ["a"]], [["a"], ["b"]], False),
        (np.array([1, 0.5], object), np.array([0.5, 0.2], object), True),
        (np.array([], str), [0.5], False),
        ([("a", "b", "c")], [("b", "c", "a")], False),
        ([1, 0], [3, 2], None),
        ([[1, 0]], [[3, 2]], None),
        (np.array([1, 0]), [3, 2], None),
        (np.array([[1, 0]]), np.array([[3, 2]]), None),
        (["1", "0"], ["0.5", "0.2"], None),
        (["1", "0.5"], ["a", "b"], None),
        (np.array(["1", "0"]), np.array(["0.5", "0.2"]), None),
        (np.array([1.0, 0]), {"q": ["a"]}, None),
        (pd.Series([[1], [2]]), [[1], [2]], None),
        ([[1], [2]], pd.Series([[1], [2]]), None),
    ],
)
def test_labels_are_told_from_ids(judgments, run, expected):
    if expected is None:
        with pytest.raises(rs.UsageError):
            are_labels(judgments, run, keyed=False)
    else:
        assert are_labels(judgments, run, keyed=False) == expected


def test_what_comes_with_query_ids_are_labels():
    assert are_labels([1, 0], [3, 2], keyed=True)
    assert not are_labels({"q": {"d": 1}}, {"q": {"d": 1}}, keyed=True)


@pytest.mark.parametrize(("place", "expected"), [(9, False), (10, True)])
def test_so_many_rows_are_looked_at(place, expected):
    """An id of text says that all are ids; a set says that rows are sets."""
    rows = [[1, 0.5]] * 11
    texts = [*rows]
    texts[place] = ["a", "b"]
    assert are_labels(texts, rows, keyed=False) == expected
    sets = [*rows]
    sets[place] = {1}
    assert are_labels(sets, [[1, 0.5]] * 11, keyed=False) == expected


@pytest.mark.parametrize(("place", "expected"), [(99, False), (100, True)])
def test_so_many_items_of_a_row_are_looked_at(place, expected):
    row = [0.5] * 101
    row[place] = "a"
    assert are_labels([row], [[0.5] * 101], keyed=False) == expected


@pytest.mark.parametrize(
    ("judgments", "run", "expected"),
    [
        ({"a"}, ["b", "a"], ({0: {"a"}}, {0: ["b", "a"]}, True)),
        (["a"], ["b", "a"], ({0: ["a"]}, {0: ["b", "a"]}, True)),
        (("a",), ("b", "a"), ({0: ["a"]}, {0: ["b", "a"]}, True)),
        ({"a": 2, "b": 0.5}, ["b", "a"], ({0: {"a": 2, "b": 0.5}}, {0: ["b", "a"]}, True)),
        ({"a": 1}, {"a": 0.5}, ({0: {"a": 1}}, {0: {"a": 0.5}}, True)),
        (np.array([1, 2]), np.array([2, 3, 1]), ({0: [1, 2]}, {0: [2, 3, 1]}, True)),
        (["a", "b"], [["b", "a"], ["b", "c"]], ({0: ["a"], 1: ["b"]}, {0: ["b", "a"], 1: ["b", "c"]}, False)),
        (["a", "b"], [np.array(["b", "a"]), np.array(["b", "c"])], ({0: ["a"], 1: ["b"]}, {0: ["b", "a"], 1: ["b", "c"]}, False)),
        (np.array([1, 2]), np.array([[1, 3], [3, 2]]), ({0: [1], 1: [2]}, {0: [1, 3], 1: [3, 2]}, False)),
        ([["a"], ["b"]], [["b"], ["c"]], ([["a"], ["b"]], [["b"], ["c"]], False)),
        (np.array([[1], [2]]), np.array([[3], [2]]), ([[1], [2]], [[3], [2]], False)),
        (["a", 1], ["b", 1], ({0: ["a", 1]}, {0: ["b", 1]}, True)),
        (["a", 1], [["a", "b"], ["c", "d"]], ({0: ["a"], 1: [1]}, {0: ["a", "b"], 1: ["c", "d"]}, False)),
        ({"q": {"a": 1}}, {"q": {"a": 0.5}}, ({"q": {"a": 1}}, {"q": {"a": 0.5}}, False)),
        ({"q": ["a"]}, {"q": ["a"]}, ({"q": ["a"]}, {"q": ["a"]}, False)),
        ({}, ["a"], ({0: {}}, {0: ["a"]}, True)),
        ({"a": 1}, {"q": ["a"]}, ({"a": 1}, {"q": ["a"]}, False)),
        ({"a": 1}, {}, ({"a": 1}, {}, False)),
        ({"a": 1, "q": ["a"]}, ["a"], ({"a": 1, "q": ["a"]}, ["a"], False)),
        ({}, [["a"]], ({}, [["a"]], False)),
    ],
)  # fmt: skip
def test_one_ranking_or_several(judgments, run, expected):
    assert by_query(judgments, run) == (*expected, [])


@pytest.mark.parametrize("judgments", [{"a"}, frozenset({"a"}), {"a": 1, "b": 0}])
@pytest.mark.parametrize("run", [[["a"]], "run.txt"])
def test_judgments_of_one_query_go_with_one_ranking(judgments, run):
    with pytest.raises(rs.DataError, match="the judgments are those of one query") as caught:
        by_query(judgments, run)
    assert str(caught.value).endswith(f"a list of documents, best first, not {run!r}.")


def test_a_set_of_judgments_does_not_go_with_rankings_by_query():
    for run in ({"q": ["a"]}, {"q": ["a"], "r": 0.5}):
        with pytest.raises(rs.DataError, match="the judgments are those of one query"):
            by_query({"a"}, run)


def test_truths_go_with_as_many_rows():
    with pytest.raises(rs.DataError, match="^2 truths for 3 rows of predictions"):
        by_query(["a", "b"], [["a"], ["b"], ["c"]])
    with pytest.raises(rs.DataError, match="^one row of grades and several rows of scores"):
        by_query([1, 2], [[0.5], [0.2]])


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([[1, math.nan]], [[1, 2]], "a label is nan; rankings need finite numbers."),
        ([[1, INF]], [[1, -INF]], "a label is inf; rankings need finite numbers."),
        ([[1, 0]], [[1, math.nan]], "a score is nan; rankings need finite numbers."),
        ([[1, 0]], [[INF, 1]], "a score is inf; rankings need finite numbers."),
    ],
)
def test_a_table_has_finite_numbers(labels, scores, message):
    with pytest.raises(rs.DataError) as caught:
        table_of_labels(np.array(labels, float), np.array(scores, float))
    assert str(caught.value) == message


def test_tables_and_single_lists():
    table = table_of_labels(np.array([[1.0, 0], [0, 2], [0, 0]]), np.ones((3, 2)))
    assert (table.width, table.bounds.tolist(), table.single) == (2, [0, 2, 4, 6], False)
    assert table.labels.tolist() == [1, 0, 0, 2, 0, 0]
    one = table_of_labels(np.array([1.0, 0, 2]), np.ones(3))
    assert (one.width, one.bounds.tolist(), one.single) == (3, [0, 3], True)
    masked = table_of_labels(np.array([[1.0, 0], [0, 2]]), np.array([[1, -INF], [2, 1]]))
    assert (masked.width, masked.bounds.tolist()) == (None, [0, 1, 3])


@pytest.mark.parametrize("value", [[1, math.nan], [[1, None], [math.nan, 1]], np.array([math.nan]), [1, INF], [None, -INF]])  # fmt: skip
def test_grades_in_order_of_rank_are_finite_or_none(value):
    with pytest.raises(rs.DataError, match="^grades must be finite numbers, or None"):
        grades_in_rank_order(value)


def test_grades_in_order_of_rank_may_be_none():
    read = grades_in_rank_order([[1, None], [0, 2]], "mine")
    np.testing.assert_array_equal(read.labels, [1, math.nan, 0, 2])
    assert (read.scores, read.name, read.single) == (None, "mine", False)


def read_as(labels, scores, **more):
    """Return labels and scores by query."""
    read = labels_and_scores(labels, scores, **more)
    documents = read.documents(float32=False, run_queries=False, repeats=False)
    bounds = read.bounds.tolist()
    return {
        query: list(zip(read.labels[a:b].tolist(), read.scores[a:b].tolist(), strict=True))
        for query, a, b in zip(documents.queries, bounds, bounds[1:], strict=False)
    }


LABELS, SCORES = [1.0, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]
A, B, C, D = zip(LABELS, SCORES, strict=True)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"group_sizes": [1, 3]}, {0: [A], 1: [B, C, D]}),
        ({"group_sizes": [1, 0, 3]}, {0: [A], 1: [], 2: [B, C, D]}),
        ({"qid": ["a", "a", "b", "b"]}, {"a": [A, B], "b": [C, D]}),
        ({"qid": ["a", "c", "b", "c"]}, {"a": [A], "b": [C], "c": [B, D]}),
        ({"qid": ["b", "a", "a", "b"]}, {"a": [B, C], "b": [A, D]}),
        ({"qid": np.array([10, 9, 9, 10])}, {9: [B, C], 10: [A, D]}),
        ({"qid": np.array(["b", "a", "a", "b"])}, {"a": [B, C], "b": [A, D]}),
        ({"qid": np.array(["b", 1, 1, "b"], object)}, {"1": [B, C], "b": [A, D]}),
        ({"mask": [True, False, True, True]}, {0: [A, C, D]}),
        ({"mask": [True] * 4}, {0: [A, B, C, D]}),
        ({"qid": [1, 0, 1, 0], "mask": [True, False, True, True]}, {0: [D], 1: [A, C]}),
        ({"ascending": True}, {0: [(a, -b) for a, b in (A, B, C, D)]}),
    ],
)
def test_long_arrays_are_divided(more, expected):
    assert read_as(LABELS, SCORES, **more) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, {0: [A, B], 1: [C, D]}),
        ({"qid": ["x", "y"]}, {"x": [A, B], "y": [C, D]}),
        ({"qid": np.array([7, 3])}, {7: [A, B], 3: [C, D]}),
        ({"mask": [[True, False], [True, True]]}, {0: [A], 1: [C, D]}),
        ({"mask": [[False, False], [True, True]]}, {0: [], 1: [C, D]}),
    ],
)
def test_tables_are_divided_by_row(more, expected):
    assert read_as([LABELS[:2], LABELS[2:]], [SCORES[:2], SCORES[2:]], **more) == expected


def noticed(labels, scores, **more):
    notices = labels_and_scores(labels, scores, **more).own_notices
    return {n.code: (n.count, n.examples) for n in notices if n.code != "one-list"}


@pytest.mark.parametrize(
    ("labels", "scores", "more", "expected"),
    [
        ([1, 0, 2], [1, -INF, -INF], {}, {"masked-relevant": (1, ())}),
        ([1, 1, 2], [1, -INF, -INF], {}, {"masked-relevant": (2, ())}),
        ([1, 0, 0], [1, -INF, 2], {}, {}),
        ([1, 1, 2], [1, -INF, -INF], {"mask": [True, False, True]}, {"masked-relevant": (1, ())}),
        ([1, 1, 2], [1, -INF, 2], {"mask": [True, False, True]}, {}),
        ([1, math.nan, 2], [1, 2, 3], {}, {"missing-labels": (1, ("at 1",))}),
        ([[1, 0], [math.nan] * 2], [[1, 2]] * 2, {}, {"missing-labels": (2, ("at 1, 0",))}),
        ([1, math.nan, math.nan], [1, 2, 3], {"mask": [True, False, True]}, {"missing-labels": (1, ("at 2",))}),
        ([1, math.nan, 0], [1, -INF, 3], {}, {}),
        ([1, -1, -2], [1, 2, 3], {}, {"negative-grades": (2, ())}),
        ([1, -1, -2], [1, 2, 3], {"mask": [True, False, True]}, {"negative-grades": (1, ())}),
        ([1, -1, math.nan], [1, 2, 3], {}, {"negative-grades": (1, ()), "missing-labels": (1, ("at 2",))}),
    ],
)  # fmt: skip
def test_odd_labels_and_masked_items_are_counted(labels, scores, more, expected):
    assert noticed(labels, scores, **more) == expected


@pytest.mark.parametrize(
    ("labels", "scores", "more", "message"),
    [
        ([[1, 0], [1, 0]], [[1, 2], [1, math.nan]], {}, "the score at row 1, column 1 is nan; a score is a finite number. Mark padding with mask=."),
        ([1, 0, 1], [1, INF, 2], {}, "the score at item 1 is inf; a score is a finite number. Mark padding with mask=."),
        ([1, 0, INF], [1, 3, 2], {"mask": [True] * 3}, "the label at item 2 is inf; a label is a finite number. Mark padding with mask=."),
        ([1, 0], [1, 2], {"group_sizes": [[1, 1]]}, "group_sizes are whole numbers in one dimension: how many items in a list."),
        ([1, 0], [1, 2], {"group_sizes": []}, "group_sizes add up to 0, but there are 2 labels and scores."),
        ([1, 0], [1, 2], {"group_sizes": [-1, 3]}, "group 0 has a size below 0."),
        ([], [], {"qid": []}, "the labels are empty."),
        ([[1], [0]], [[1], [2]], {"qid": ["a"]}, "1 query in qid for 2 rows of labels."),
    ],
)  # fmt: skip
def test_labels_and_scores_that_cannot_be(labels, scores, more, message):
    with pytest.raises(rs.DataError) as caught:
        labels_and_scores(labels, scores, **more)
    assert str(caught.value) == message


def first_two(conventions):
    needs = ListNeeds(2, supports_expected_ties=True, nonrelevant=False)
    return needs, score_needs([conventions])


@pytest.mark.parametrize("qid", [None, ["x", "y"]])
def test_no_more_of_a_wide_table_is_kept_than_is_read(qid):
    labels, scores = np.eye(2, 64), np.arange(128.0).reshape(2, 64)
    read = labels_and_scores(labels, scores, qid=qid, needs=first_two)
    assert read.labels.tolist() == [1, 1]
    assert read.queries == (qid or [0, 1])


def test_a_long_array_of_a_device_is_divided_as_any_other(monkeypatch):
    in_words_of_a_device(monkeypatch)
    labels, scores = np.array(LABELS), np.array(SCORES)
    found = read_as(labels, scores, qid=["a", "b", "a", "b"], needs=first_two)
    assert found == {"a": [A, C], "b": [B, D]}
    one = labels_and_scores(labels, scores, needs=first_two)
    assert one.single
    assert one.labels.ndim == 1
    assert one.labels[:2].tolist() == [4, 3]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"mask": [True, False, True, True]}, {0: [A, C, D]}),
        ({"qid": ["a", "a", "b", "b"]}, {"a": [A, B], "b": [C, D]}),
        ({"group_sizes": [1, 3]}, {0: [A], 1: [B, C, D]}),
        ({}, {0: [A, B, C, D]}),
    ],
)
def test_finite_numbers_may_be_divided(more, expected):
    assert read_as(LABELS, SCORES, finite=True, **more) == expected


@pytest.mark.parametrize("scores", [{"a": 1}, "ab", b"ab", {1.0, 2.0}])
def test_scores_are_in_an_array_as_labels_are(scores):
    with pytest.raises(rs.UsageError) as caught:
        labels_and_scores([1, 0], scores)
    assert str(caught.value) == (
        f"labels are in an array and scores are {type(scores).__name__}; give both as lists, "
        "arrays or tensors, labels first."
    )


def test_items_that_are_masked_may_hold_anything():
    more = {"mask": [True, False, True]}
    assert read_as([1, INF, 0], [1, math.nan, 2], **more) == {0: [(1, 1), (0, 2)]}


def test_one_list_is_said_to_be_one():
    (notice,) = labels_and_scores([1, 0, 0], [3.0, 2, 1]).own_notices
    assert (notice.code, notice.count, notice.level) == ("one-list", 1, "note")
    assert notice.text.startswith("labels in one dimension were read as one list of 3 items; ")
    assert labels_and_scores([1, 0], [3.0, 2], qid=["a", "a"]).own_notices == ()


def test_what_holds_numbers():
    assert are_arrays([1])
    assert are_arrays((1,))
    assert are_arrays(np.ones(2))
    assert are_arrays(pd.Series([1]))
    assert not are_arrays(pd.DataFrame({"a": [1]}))
    assert not are_arrays("ab")
    assert not are_arrays({"a": 1})
