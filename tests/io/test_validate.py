"""Tests of validate."""

from __future__ import annotations

import json

import pytest
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.cli import main


def written(path, data):
    path.write_text(json.dumps(data))
    return str(path)


def validated(tmp_path, judged, run, **options):
    """Return the reports on judgments and a run that are written to files."""
    first = written(tmp_path / "judged.json", judged)
    return rs.validate(first, [written(tmp_path / "run.json", run)], **options)


def notices_of(report):
    return {notice.code: notice for notice in report.notices}


@pytest.mark.parametrize("count", [255, 256, 257, 258])
def test_documents_of_so_many_queries_are_compared_by_looks(tmp_path, count):
    """A document that looks alike comes second in each query."""
    queries = [f"q{i:03}" for i in range(count)]
    _, report = validated(
        tmp_path,
        {q: {"D1": 1, "x": 1} for q in queries},
        {q: {"x": 3, "other": 2, "d1": 1} for q in queries},
    )
    least, n = ("at least ", 257) if count > 256 else ("", count)
    notice = notices_of(report)["ids-look-alike"]
    assert notice.count == n
    assert notice.text.startswith(f"{least}{n} judged documents are not in the run but look like")


@pytest.mark.parametrize(("others", "found"), [(254, True), (255, True), (256, False)])
def test_so_many_unjudged_documents_of_a_query_are_compared_by_looks(tmp_path, others, found):
    run = {"q": {f"other{i}": 1000 - i for i in range(others)} | {"d1": 1}}
    _, report = validated(tmp_path, {"q": {"D1": 1}}, run)
    assert ("ids-look-alike" in notices_of(report)) == found


@pytest.mark.parametrize(
    ("side", "before", "found"),
    [("judged", 998, True), ("judged", 999, True), ("judged", 1000, False), ("run", 1000, True)],
)
def test_so_many_queries_are_compared_by_looks(tmp_path, side, before, found):
    others = {f"a{i:04}": {"d": 1} for i in range(before)}
    judged, run = {"z": {"d": 1}}, {"Z": {"d": 1}}
    judged, run = (others | judged, run) if side == "judged" else (judged, others | run)
    _, report = validated(tmp_path, judged, run)
    assert ("ids-look-alike" in notices_of(report)) == found


def test_relevant_documents_are_counted_by_query(tmp_path):
    judged = {"a": {"d": 1}, "b": {}, "c": {"e": 1, "f": 2, "g": 0}, "d": {"h": 1}}
    report, _ = validated(tmp_path, judged, {"a": {"d": 1}})
    assert report.facts["relevant_per_query"] == {"least": 0, "median": 1, "most": 2}
    notice = notices_of(report)["no-relevant"]
    assert (notice.count, notice.text) == (1, "1 of 4 queries without a relevant document")


@pytest.mark.parametrize("count", [20, 21])
def test_so_many_grades_are_counted_one_by_one(tmp_path, count):
    report, _ = validated(tmp_path, {"q": {f"d{i}": i for i in range(count)}}, {"q": {"d1": 1}})
    one_by_one = {str(i): 1 for i in range(count)}
    assert report.facts["grades"] == (one_by_one if count == 20 else "21 different ones")


@pytest.mark.parametrize(("ids", "look"), [(["1.0"], "id looks"), (["1.0", "2.0"], "ids look")])
def test_ids_that_look_like_something_else_are_counted(tmp_path, ids, look):
    report, _ = validated(tmp_path, {q: {"d": 1} for q in ids}, {"1.0": {"d": 1}})
    text = f"{len(ids)} query {look} like a number made a decimal, or padded"
    assert notices_of(report)["suspicious-ids"].text == text


def test_a_report_on_a_file_shows_three_examples(tmp_path):
    judged = {f"{i}.0": {"d": 1} for i in range(1, 5)}
    judgments, run = validated(tmp_path, judged, {q: {"d": 1} for q in "abcd"})
    odd, missing, extra = (
        notices_of(judgments)["suspicious-ids"],
        notices_of(run)["missing-queries"],
        notices_of(run)["unjudged-queries"],
    )
    assert (odd.count, odd.examples) == (4, ("'1.0'", "'2.0'", "'3.0'"))
    assert (missing.count, missing.examples) == (4, ("1.0", "2.0", "3.0"))
    assert (extra.count, extra.examples) == (4, ("a", "b", "c"))


def test_queries_and_documents_of_a_run_are_counted_against_judgments(tmp_path):
    judged = {"a": {"d": 1, "e": 1}, "b": {"d": 1}}
    _, report = validated(tmp_path, judged, {"a": {"d": 1}, "x": {"d": 1}, "y": {"d": 1}})
    assert report.facts["judged_queries"] == 1
    assert report.facts["judged_documents"] == 1
    assert "no-document-found" not in notices_of(report)


@pytest.mark.parametrize(("run", "count"), [({"a": {"x": 1}, "b": {"d": 1}}, 1), ({"b": {"d": 1}}, 0)])  # fmt: skip
def test_that_nothing_is_found_is_said_once_and_of_judged_queries(tmp_path, run, count):
    _, report = validated(tmp_path, {"a": {"d": 1}}, run)
    found = notices_of(report).get("no-document-found")
    assert (found.count if found else 0) == count


def test_rows_that_share_a_score_are_counted(tmp_path):
    run = {"a": {"d": 1, "e": 1, "f": 1, "g": 2}, "b": {"d": 1, "e": 2}}
    _, report = validated(tmp_path, {"a": {"d": 1}, "b": {"d": 1}}, run)
    notice = notices_of(report)["ties"]
    text = "3 of 6 rows share their score with another of their query"
    assert (report.facts["tied_rows"], notice.count, notice.text) == (3, 3, text)


@pytest.mark.parametrize(
    ("depths", "median"), [([1], 1), ([1, 2], 1.5), ([1, 2, 4], 2), ([32, 1, 16, 2, 8, 4], 6)]
)
def test_the_depth_of_a_run_is_described(tmp_path, depths, median):
    run = {f"q{i}": {f"d{j}": j for j in range(depth)} for i, depth in enumerate(depths)}
    _, report = validated(tmp_path, {"q0": {"d0": 1}}, run)
    described = {"least": min(depths), "median": median, "most": max(depths)}
    assert report.facts["depth"] == described


def test_the_first_repeated_document_is_the_example(tmp_path):
    run = tmp_path / "run"
    run.write_text("".join(f"q Q0 {d} {i} {9 - i} t\n" for i, d in enumerate("aabb", 1)))
    _, report = rs.validate(str(write_qrels(tmp_path / "qrels", {"q": {"a": 1}})), [str(run)])
    notice = notices_of(report)["duplicate-documents"]
    assert (notice.count, notice.examples) == (2, ("document a of query q",))


def test_columns_that_no_file_has_are_an_error_where_files_can_be_read(tmp_path):
    judged = str(write_qrels(tmp_path / "qrels", {"q": {"a": 1}}))
    run = str(write_run(tmp_path / "run", {"q": {"a": 1}}))
    named = {"columns": {"grade": "g"}}
    with pytest.raises(rs.UsageError, match=r"columns are named \(grade='g'\)"):
        rs.validate(judged, [run], **named)
    reports = rs.validate(judged, [run, str(tmp_path / "none")], **named)
    assert [report.error is None for report in reports] == [True, True, False]


def test_convert_takes_a_folder_and_compresses_nothing(tmp_path, capsys):
    folder = tmp_path / "beir" / "qrels"
    folder.mkdir(parents=True)
    (folder / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert main(["convert", str(tmp_path / "beir"), "-", "--to", "trec"]) == 0
    assert capsys.readouterr().out == "q 0 d 1\n"
    packed = tmp_path / "out.json.gz"
    assert main(["convert", str(tmp_path / "beir"), str(packed)]) == 2
    assert "not compressed" in capsys.readouterr().err
    assert not packed.exists()


def test_validate_shows_every_grade_and_takes_a_run_alone(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1.12345671\n1 0 b 1.12345672\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 t\n")
    assert main(["validate", str(tmp_path / "qrels")]) == 0
    assert "1 of grade 1.12345671, 1 of grade 1.12345672" in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "run")]) == 3
    assert "A run alone is validated with --as run." in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "run"), "--as", "run"]) == 0
