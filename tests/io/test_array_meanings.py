"""Arrays whose numbers may mean something else are read as they mean, or warned of."""

from math import log2

import numpy as np
import pandas as pd
import pytest

import rankstone as rs
from rankstone import RR, nDCG

NEXT = np.array([[3, -1], [4, 7]])
FOUND = np.array([[9, -1, -1], [4, -1, -1]])


def codes(result, level="warning"):
    return {n.code: n.count for n in result.notices if n.level == level}


def test_ids_below_0_are_padding():
    result = rs.evaluate(NEXT, FOUND, ["HR@3", "R@3"])
    assert (result["HR@3"], result["R@3"]) == (0.5, 0.25)
    assert codes(result, "note")["padding"] == 5
    plain = rs.evaluate([[3], [4, 7]], [[9], [4]], ["HR@3", "R@3"])
    assert plain.per_query == result.per_query


def test_padding_beside_one_truth_in_each_row():
    result = rs.evaluate(np.array([3, 4]), FOUND, "HR@3")
    assert (result["HR@3"], codes(result, "note")["padding"]) == (0.5, 4)


def test_padding_beside_lists():
    assert rs.evaluate([{3}, {4}], FOUND, "R@3")["R@3"] == 0.5


def test_labels_and_scores_that_changed_places():
    scores, labels = np.array([[0.9, 0.5, 0.1]]), np.array([[0.0, 1.0, 2.0]])
    with pytest.warns(rs.RankstoneWarning, match="as if they had changed places"):
        result = rs.evaluate(scores, labels, "nDCG")
    assert "labels-and-scores" in codes(result)
    assert "labels-and-scores" not in codes(rs.evaluate(labels, scores, "nDCG"))


def test_a_query_that_starts_again():
    labels, scores = np.array([0.0, 1, 1, 0]), np.array([0.9, 0.8, 0.7, 0.6])
    with pytest.warns(rs.RankstoneWarning, match="the items of 1 query are not next"):
        result = rs.evaluate(labels, scores, "RR", qid=np.array([1, 1, 2, 1]))
    assert codes(result) == {"query-starts-again": 1}
    for qid in ([1, 1, 2, 2], [2, 2, 1, 1]):
        assert not codes(rs.evaluate(labels, scores, "RR", qid=np.array(qid)))
    apart = rs.evaluate(labels, scores, "RR", group_sizes=[2, 1, 1])
    assert apart["RR"] == (1 / 2 + 1 + 0) / 3
    blocks = {"qid": np.array([1, 1, 2, 1]), "qid_blocks": "separate"}
    apart = rs.evaluate(labels, scores, "RR", **blocks)
    assert apart.per_query == {"1": {"RR": 1 / 2}, "1#2": {"RR": 0.0}, "2": {"RR": 1.0}}
    assert "qid_blocks=separate" in repr(apart)
    assert not codes(apart).keys() - {"no-relevant"}


@pytest.mark.parametrize("blocks", ["merge", "separate"])
def test_blocks_of_a_query_are_counted_alike_in_arrays_and_files(tmp_path, blocks):
    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 3, 60).astype(float), rng.permutation(60) / 60.0
    qid = np.repeat(rng.integers(0, 5, 20), 3)
    (tmp_path / "rows.letor").write_text(
        "".join(f"{y:g} qid:{q} 1:0\n" for y, q in zip(labels, qid, strict=True))
    )
    (tmp_path / "scores.txt").write_text("".join(f"{s}\n" for s in scores))
    files = tmp_path / "rows.letor", tmp_path / "scores.txt"
    from_files = rs.evaluate(*files, ["nDCG", "RR"], qid_blocks=blocks)
    arrays = rs.evaluate(labels, scores, ["nDCG", "RR"], qid=qid.astype(str), qid_blocks=blocks)
    assert from_files.per_query == arrays.per_query
    assert len(arrays.queries) == (5 if blocks == "merge" else 1 + np.count_nonzero(np.diff(qid)))


def test_blocks_need_items_with_a_qid(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for data in (
        ({"q": {"a": 1}}, {"q": ["a"]}),
        (tmp_path / "qrels", {"q": ["a"]}),
        ([[1, 0]], [[2.5, 1]]),
    ):
        with pytest.raises(rs.UsageError, match="qid"):
            rs.evaluate(*data, "RR", qid_blocks="separate")
    with pytest.raises(rs.UsageError, match="group_sizes= goes with"):
        rs.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR", group_sizes="sizes.query")


def test_a_query_that_starts_again_in_a_file(tmp_path):
    path = tmp_path / "joined.letor"
    path.write_text("0 qid:1 1:0.1\n1 qid:1 1:0.2\n1 qid:2 1:0.1\n0 qid:1 1:0.3\n")
    judgments = rs.load_judgments(path)
    assert [n.code for n in judgments.notices] == ["query-starts-again"]
    (report,) = rs.validate(str(path))
    assert "query-starts-again" in {n.code for n in report.notices}


@pytest.mark.parametrize("shape", [(3,), (1, 3)])
def test_the_sign_of_distances_says_nothing(shape):
    labels, distances = np.array([0.0, 1, 0]), np.array([0.3, 0.1, 0.2])
    options = {"scores": "ascending", "nonpositive": "nonrelevant"}
    result = rs.evaluate(labels.reshape(shape), distances.reshape(shape), "RR", **options)
    dicts = {"q": {"a": 0, "b": 1, "c": 0}}, {"q": dict(zip("abc", distances, strict=True))}
    assert result["RR"] == rs.evaluate(*dicts, "RR", **options)["RR"] == 1


JUDGED = {"q1": {"d1": 1}}


MASKED = np.ma.array([1.0, 0.0, 2.0], mask=[False, False, True])


SCORES = np.array([0.9, 0.1, 0.3])


LARGE = 2**53


@pytest.mark.parametrize(
    "data",
    [
        (MASKED, SCORES),
        (SCORES, MASKED),
        (MASKED,),
    ],
)
def test_masked_values_do_not_count(data):
    with pytest.raises(rs.DataError, match="mask=~labels.mask"):
        nDCG(*data)
    with pytest.raises(rs.DataError, match="mask=~labels.mask"):
        rs.evaluate(*data, ["nDCG"])


def test_masked_rows_of_a_list_do_not_count():
    with pytest.raises(rs.DataError, match="mask=~labels.mask"):
        rs.evaluate([MASKED, MASKED], [SCORES, SCORES], ["nDCG"], qid=["q1", "q2"])


def test_the_remedy_for_masked_values():
    result = rs.evaluate(MASKED.data, SCORES, ["nDCG"], mask=~MASKED.mask)
    assert result["nDCG"] == 1
    assert nDCG(np.ma.array([1.0, 0.0, 2.0]), SCORES) == nDCG([1.0, 0.0, 2.0], SCORES)


def test_scores_in_arrays_that_rounding_ties_are_noted():
    scores = np.array([[LARGE, LARGE + 1, 5], [LARGE, 1, 2]])
    result = rs.evaluate(np.array([[1.0, 0, 0], [1, 0, 0]]), scores, ["RR"])
    assert {note.code: note.count for note in result.notices}["large-scores"] == 2


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 2.0**-1000])
@pytest.mark.parametrize("grades", [(1, 2, 0), (1, 1, 3), (1, 0, 1)])
def test_gains_near_the_smallest_number(unit, grades):
    dcg, ideal = (
        sum(grade / log2(i + 2) for i, grade in enumerate(ranking))
        for ranking in (grades, sorted(grades, reverse=True))
    )
    assert nDCG([unit * grade for grade in grades]) == pytest.approx(dcg / ideal, rel=1e-15)
    tied = {"q1": {f"d{i}": unit * grade for i, grade in enumerate(grades)}, "q2": {"d1": 1}}
    run = {"q1": [f"d{i}" for i in range(3)], "q2": ["d0", "d1"]}
    values = rs.evaluate(tied, run, ["nDCG"]).per_query
    assert values["q1"]["nDCG"] == pytest.approx(dcg / ideal, rel=1e-15)
    assert values["q2"]["nDCG"] == pytest.approx(1 / log2(3), rel=1e-15)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="a long double is a double here")
def test_long_doubles_that_would_become_ties_are_refused():
    near = np.longdouble(1) + np.array([0, 4], np.longdouble) * np.finfo(np.longdouble).eps
    frame = pd.DataFrame({"query": ["q1", "q1"], "doc": ["d2", "d1"], "score": near})
    for evaluated in (
        lambda: rs.evaluate(np.array([[0, 1]]), near[None, :], "RR"),
        lambda: RR([0, 1], near),
        lambda: rs.evaluate(JUDGED, frame, "RR"),
    ):
        with pytest.raises(rs.DataError, match="differ by less than a float64 can hold"):
            evaluated()
    apart = np.array([[1, 2]], np.longdouble) / 3
    assert rs.evaluate(np.array([[0, 1]]), apart, "RR")["RR"] == 1
    tied = np.array([[1, 1]], np.longdouble)
    assert rs.evaluate(np.array([[0, 1]]), tied, "RR")["RR"] == (1 + 1 / 2) / 2
