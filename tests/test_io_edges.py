"""Edges of reading: what is counted, shown and looked at, up to the last that is."""

import json

import pytest
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.io.parents import Parents, plain_parents
from rankstone.io.validate import check


def written(path, data):
    path.write_text(json.dumps(data))
    return str(path)


def validated(tmp_path, judged, run, **options):
    """Return the reports on judgments and a run that are written to files."""
    first = written(tmp_path / "judged.json", judged)
    return check(first, [written(tmp_path / "run.json", run)], **options)


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


@pytest.mark.parametrize(("before", "found"), [(998, True), (999, True), (1000, False)])
@pytest.mark.parametrize("side", ["judged", "run"])
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
    assert (notice.count, notice.text) == (1, "1 of 4 queries without a grade above 0")


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


def test_the_first_repeated_document_is_the_example(tmp_path):
    run = tmp_path / "run"
    run.write_text("".join(f"q Q0 {d} {i} {9 - i} t\n" for i, d in enumerate("aabb", 1)))
    _, report = check(str(write_qrels(tmp_path / "qrels", {"q": {"a": 1}})), [str(run)])
    notice = notices_of(report)["duplicate-documents"]
    assert (notice.count, notice.examples) == (2, ("document a of query q",))


def test_columns_that_no_file_has_are_an_error_where_files_can_be_read(tmp_path):
    judged = str(write_qrels(tmp_path / "qrels", {"q": {"a": 1}}))
    run = str(write_run(tmp_path / "run", {"q": {"a": 1}}))
    named = {"columns": {"grade": "g"}}
    with pytest.raises(rs.UsageError, match=r"columns are named \(grade='g'\)"):
        check(judged, [run], **named)
    reports = check(judged, [run, str(tmp_path / "none")], **named)
    assert [report.error is None for report in reports] == [True, True, False]


@pytest.mark.parametrize("data", [{"c": ["d"]}, {"b": "d", "c": ["d"]}, {"c": None}, {"c": {}}])
def test_a_document_of_a_chunk_in_json_is_text_or_a_number(tmp_path, data):
    path = written(tmp_path / "parents.json", data)
    with pytest.raises(rs.DataError) as caught:
        plain_parents(path)
    assert str(caught.value) == f"{path}: expected a JSON object of chunks and their documents."


def test_only_the_first_line_of_chunks_names_columns(tmp_path):
    path = tmp_path / "parents"
    path.write_text("chunk doc\nid A\nc1,2 B\n{x D\n")
    assert plain_parents(path) == {"id": "A", "c1,2": "B", "{x": "D"}


@pytest.mark.parametrize(("place", "hint"), [(9_999, " Did you mean chunk?"), (10_000, "")])
def test_a_near_chunk_is_sought_among_the_first(place, hint):
    chunks = [f"{i:05}" for i in range(10_001)]
    chunks[place] = "chunk"
    find = Parents.of(dict.fromkeys(chunks, "d")).find
    with pytest.raises(rs.DataError) as caught:
        find("chunky")
    assert str(caught.value) == f"parents: chunk 'chunky' of the run has no document.{hint}"


def test_judged_chunks_of_one_grade_become_as_many_documents():
    judged = {"q": {"A#1": 1, "A#2": 1, "B#1": 1, "C#1": 1}}
    options = {"parents": "{doc}#{n}", "judged_chunks": True}
    result = rs.evaluate(judged, {"q": ["A#1", "B#2"]}, ["NumRel", "NumRelRet"], **options)
    assert result.aggregates == {"NumRel": 3, "NumRelRet": 2}
    assert "contradicting-judgments" not in {notice.code for notice in result.notices}


def test_a_run_without_chunks_is_a_run_without_documents():
    result = rs.evaluate({"q": {"A": 1}}, {"q": {}}, ["NumRet", "R"], parents="{doc}#{n}")
    assert result.aggregates == {"NumRet": 0, "R": 0}
