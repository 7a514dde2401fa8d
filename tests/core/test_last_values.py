"""Edges: the last value that is still fine, and the first that is not."""

import math
import os
from itertools import pairwise

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.core import segments
from rankstone.core.aggregate import FLOOR, summarise
from rankstone.verbs.load import load_judgments, load_run

MIB = 1 << 20


def codes(result, level):
    return {notice.code: notice.count for notice in result.notices if notice.level == level}


@pytest.mark.parametrize("times", [1, 2, 3, 4])
def test_every_repetition_of_a_document_is_counted(engine, tmp_path, times):
    path = tmp_path / "run"
    path.write_text("".join(f"q1 Q0 d1 {i} {9 - i} t\n" for i in range(times)) + "q2 Q0 d1 1 1 t\n")
    judged = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    for run in (path, {"q1": ["d1"] * times, "q2": ["d1"]}):
        counts = codes(rs.evaluate(judged, run, ["RR"]), "warning")
        assert counts.get("duplicate-documents", 0) == times - 1


@pytest.mark.parametrize(("depth", "retrieved", "precision"), [(1, 1, 0), (2, 2, 0.2), (3, 3, 0.4), (9, 4, 0.4)])  # fmt: skip
def test_trec_eval_reads_as_many_documents_as_it_is_told(tmp_path, monkeypatch, capsys, depth, retrieved, precision):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 b 1\nq 0 c 1\n")
    (tmp_path / "run").write_text(
        "".join(f"q Q0 {d} {i} {9 - i} t\n" for i, d in enumerate("abcd"))
    )
    words = ["trec_eval", "-M", str(depth), "-m", "num_ret", "-m", "P.5", "qrels", "run"]
    assert main(words) == 0
    values = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert values == [str(retrieved), f"{precision:.4f}"]


def opened(tmp_path):
    path = tmp_path / "run"
    path.write_text("q1 Q0 d1 1 1 t\n")
    os.utime(path, ns=(10**18, 10**18))
    return path, load_run(path)


def test_a_file_with_another_time_has_changed(engine, tmp_path):
    path, run = opened(tmp_path)
    assert rs.evaluate({"q1": {"d1": 1}}, run, ["RR"])["RR"] == 1
    path.write_text("q1 Q0 d2 1 1 t\n")
    os.utime(path, ns=(10**18, 10**18 + 1))
    with pytest.raises(rs.DataError, match="the file changed since it was opened"):
        rs.evaluate({"q1": {"d1": 1}}, run, ["RR"])


def test_a_file_with_another_size_has_changed(engine, tmp_path):
    path, run = opened(tmp_path)
    path.write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 1 9 t\n")
    os.utime(path, ns=(10**18, 10**18))
    with pytest.raises(rs.DataError, match="the file changed since it was opened"):
        rs.evaluate({"q1": {"d1": 1}}, run, ["RR"])


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o000])
def test_new_files_have_the_mode_that_the_umask_leaves(tmp_path, mask):
    before = os.umask(mask)
    try:
        rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["RR"]).save(tmp_path / "result.json")
        assert os.umask(mask) == mask  # and the umask is what it was
    finally:
        os.umask(before)
    assert os.stat(tmp_path / "result.json").st_mode & 0o777 == 0o666 & ~mask


def test_the_floor_of_a_geometric_mean():
    judged = {"q1": {"a": 1}, "q2": {"a": 1}}
    result = rs.evaluate(judged, {"q1": ["a"], "q2": ["b"]}, ["RR"])
    assert result.summary("RR", "geometric", floor=0.25).value == 0.5
    assert result.summary("RR", "geometric", floor=0.0625).value == 0.25
    assert result.summary("RR", "geometric").value == pytest.approx(FLOOR**0.5, rel=1e-15)
    half = rs.evaluate(judged, {"q1": ["a"], "q2": ["b", "a"]}, ["RR"])
    assert half.summary("RR", "geometric", floor=0.25).value == pytest.approx(0.5**0.5, rel=1e-15)


def test_the_interval_that_ties_leave_open():
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    result = rs.evaluate({"q": {"b": 1, "d": 1}}, run, ["RR", "AP"], tie_interval=True)
    low, high = result.ties.interval["RR"]
    assert (low, high) == (1 / 3, 1)
    assert result.ties.interval["AP"] == (5 / 12, 3 / 4)
    assert (result.ties.documents, result.ties.retrieved) == (1, 2)


@pytest.mark.parametrize(("judged", "noted"), [(4, True), (5, False), (6, False)])
def test_a_low_share_of_judged_documents_is_noted(judged, noted):
    documents = {f"d{i}": 1 for i in range(judged)} | {f"x{i}": 0 for i in range(10)}
    run = {"q": [f"d{i}" for i in range(10)]}
    result = rs.evaluate({"q": documents}, run, ["P@10"])
    assert ("judged-share" in codes(result, "note")) == noted
    if noted:
        (note,) = [n for n in result.notices if n.code == "judged-share"]
        assert "only 40% of the documents down to rank 10 are judged" in note.text


@pytest.mark.parametrize(("tied", "level"), [(2, "note"), (1, "info")])
def test_few_ties_are_mentioned_on_request_only(tied, level):
    judged = {"q": {f"d{i:03}": 1 for i in range(200 if tied == 2 else 101)}}
    scores = {doc: float(-i) for i, doc in enumerate(judged["q"])}
    scores["d000"] = 1.0
    scores["d001" if tied == 2 else "x"] = 1.0
    result = rs.evaluate(judged, {"q": scores}, ["AP"])
    assert codes(result, level)["ties"] == tied


@pytest.mark.parametrize(("more", "fine"), [(0, True), (1, False)])
def test_the_longest_line(engine, tmp_path, more, fine):
    path = tmp_path / "run"
    row = "q1 Q0 {} 1 1 t"
    path.write_text(
        row.format("d" * (MIB - 1 + more - len(row.format("")))) + "\nq1 Q0 d1 2 0.5 t\n"
    )
    if fine:
        assert rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])["RR"] == 0.5
    else:
        with pytest.raises(rs.DataError, match=":1: the line is longer than 1 MiB"):
            rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])


@pytest.mark.parametrize(("more", "fine"), [(0, True), (1, False)])
def test_the_longest_line_of_other_formats(tmp_path, monkeypatch, more, fine):
    monkeypatch.setattr("rankstone.io.streams._LONGEST_LINE", 1000)
    path = tmp_path / "run.jsonl"
    row = '{"query_id": "q1", "doc_id": "%s", "score": 1}\n'
    path.write_text(row % ("d" * (1000 + more - len(row % ""))) + row % "d1")
    if fine:
        assert rs.evaluate({"q1": {"d1": 1}}, path, ["NumRet"])["NumRet"] == 2
    else:
        with pytest.raises(rs.DataError, match=":1: the line is longer than"):
            rs.evaluate({"q1": {"d1": 1}}, path, ["NumRet"])


@pytest.mark.parametrize("sums", ["exact", "plain"])
@pytest.mark.parametrize("times", [2, 3])
def test_a_measure_that_repetitions_leave_undefined(sums, times):
    """The log-odds of more than all there is; the other query is averaged alone."""
    judged, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["a"] * times, "r": ["a"]}
    result = rs.evaluate(judged, run, "YAAP", duplicates="count", sums=sums)
    assert math.isnan(result.per_query["q"]["YAAP"])
    assert result["YAAP"] == result.per_query["r"]["YAAP"] == math.log(2)


def test_the_largest_gains_that_can_be_added_up():
    assert rs.CG([1e290, 1e290]) == 2e290
    with pytest.raises(rs.DataError, match="too large to be added up"):
        rs.CG([np.nextafter(1e290, np.inf)])


def test_a_text_without_a_number_is_0_for_a_lenient_reader(engine, tmp_path):
    path = tmp_path / "qrels"
    path.write_text("q 0 a x\nq 0 b 2x\nq 0 c -3\n")
    assert load_judgments(path, input_format="trec-lenient").grades.tolist() == [0.0, 2.0, -3.0]


def test_a_weighted_mean_is_that_of_the_weights():
    values, weight = np.array([1.0, 0.0, 0.5]), np.array([0.25, 0.5, 0.75])
    assert summarise(values, "mean", weight=weight).value == (0.25 + 0.375) / 1.5


def test_grades_that_a_table_does_not_list():
    judged = {"q": {"a": 0.5, "b": -1, "c": 2}}
    run = {"q": ["a", "b", "c"]}
    listed, own = "CG(gain={2: 3})", "DCG(gain={2: 3}, discount='none', unlisted='grade')"
    result = rs.evaluate(judged, run, [listed, own], negatives="nonrelevant")
    assert [result[name] for name in result.measures] == [3, 3.5]


@pytest.mark.parametrize("sizes", [(3, 1, 2, 3, 2), (7, 1)])
def test_running_operations_start_anew_in_each_segment(sizes):
    offsets = np.cumsum([0, *sizes])
    values = np.arange(1.0, offsets[-1] + 1)
    expected = [np.cumprod(values[a:b]) for a, b in pairwise(offsets)]
    assert (
        segments.running(np.multiply, values, offsets).tolist() == np.concatenate(expected).tolist()
    )


def test_ndcg_over_relevant_documents_of_a_query_without_any_retrieved():
    judged = {"q": {"a": 1}, "r": {"b": 1}}
    result = rs.evaluate(judged, {"q": ["x"], "r": ["b"]}, "nDCGRel")
    assert result.per_query == {"q": {"nDCGRel": 0.0}, "r": {"nDCGRel": 1.0}}


@pytest.mark.parametrize(
    ("ranking", "value"), [("xa", 0.0), ("xay", 1 / math.log2(3) / 2), ("axy", 1.0), ("xyz", 0.0)]
)
def test_ndcg_over_levels_looks_at_the_end_of_a_ranking_with_two_more_documents(ranking, value):
    """With one relevant document at ranks 1 and n, if n is above 2; nDCG has the ideal of rank 1."""
    result = rs.evaluate({"q": {"a": 1}}, {"q": [*ranking]}, "RnDCG")
    assert result["RnDCG"] == pytest.approx(value, rel=1e-15)


def test_the_highest_grade_of_err_is_a_thousand():
    """(2^1 - 1) / 2^1000 is still a number."""
    assert rs.ERR(max_grade=1000)([1]) == 2.0**-1000
    with pytest.raises(rs.DataError, match="grade 1001 is too large"):
        rs.ERR(max_grade=1001)([1])


def test_interpolated_precision_is_averaged_over_eleven_points():
    """With the second of two documents relevant, precision is 1/2 at every recall."""
    assert rs.measures.AvgIPrec.params["points"] == tuple(i / 10 for i in range(11))
    assert rs.measures.AvgIPrec([0, 1]) == 0.5


@pytest.mark.parametrize(("size", "end"), [(62, "'"), (63, "...")])
def test_long_values_are_cut_short_in_messages(size, end):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"a": "x" * size}}, {"q": ["a"]}, "AP")
    kept = size if end == "'" else 59
    assert f"'{'x' * kept}{end} is not a number" in str(caught.value)
