"""Edges of reading: what is counted, shown and looked at, up to the last that is."""

import json

import pytest
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.io.parents import Parents
from rankstone.io.query_groups import groups_in_records, read_query_groups
from rankstone.io.spans import Span, load_pages, load_spans


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


@pytest.mark.parametrize("data", [{"c": ["d"]}, {"b": "d", "c": ["d"]}, {"c": None}, {"c": {}}])
def test_a_document_of_a_chunk_in_json_is_text_or_a_number(tmp_path, data):
    path = written(tmp_path / "parents.json", data)
    with pytest.raises(rs.DataError) as caught:
        Parents.of(path)
    assert (
        str(caught.value)
        == f"{path}: expected a JSON object: a chunk and its document in each entry."
    )


def test_only_the_first_line_of_chunks_names_columns(tmp_path):
    path = tmp_path / "parents"
    path.write_text("chunk doc\nid A\nc1,2 B\n{x D\n")
    assert Parents.of(path).plain == {"id": "A", "c1,2": "B", "{x": "D"}


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


def grouped(tmp_path, text):
    path = tmp_path / "groups"
    path.write_text(text)
    return read_query_groups(str(path))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ('"q1"\ta\nq2\t"b c"\n', {'"q1"': "a", "q2": '"b c"'}),
        ('"q,1",a\nq2,b,c\n', {"q,1": "a", "q2": "b,c"}),
        ('"q;1";a\nq2;"b;c"\n', {"q;1": "a", "q2": "b;c"}),
        ('q1 "a b"\nq2 c, d\n', {"q1": '"a b"', "q2": "c, d"}),
        ("sep=;\nq1;a\n", {"q1": "a"}),
        ("SEP=,\nq1,a\n", {"q1": "a"}),
        ("sep=;x y\nq1;a\n", {"sep=": "x y", "q1": "a"}),
        ("sep;a\nq1;b\n", {"sep": "a", "q1": "b"}),
        ("q1 a\nsep b\n", {"q1": "a", "sep": "b"}),
        ("q1;a,b\nq2;c\n", {"q1": "a,b", "q2": "c"}),
        ("q1,a;b\nq2,c\n", {"q1": "a;b", "q2": "c"}),
        ("#x y\n\nq1 a\n", {"q1": "a"}),
    ],
)
def test_what_stands_between_a_query_and_its_group(tmp_path, text, groups):
    assert grouped(tmp_path, text).group_of == groups


def test_a_line_without_a_group_is_shown_up_to_80_characters(tmp_path):
    with pytest.raises(rs.DataError) as caught:
        grouped(tmp_path, "\n# c\nq1\ta\n" + "x" * 81 + "\n")
    assert str(caught.value) == (
        f"{tmp_path / 'groups'}:4: expected a query and its group, with a tab between them as in "
        f"line 3, found {'x' * 80!r}."
    )


def test_queries_without_a_group_and_groups_without_a_query_are_counted(tmp_path):
    groups = grouped(tmp_path, "".join(f"q{i} a\n" for i in range(5)))
    without, unused = groups.notices(["q0", "x1", "x2", "x3", "x4"])
    assert (without.count, without.examples) == (4, ("x1", "x2", "x3"))
    assert without.text == f"4 of 5 queries without a group in {groups.path}; shown as (no group)"
    assert (unused.count, unused.examples) == (4, ("q1", "q2", "q3"))
    assert unused.text == f"4 queries of {groups.path} not evaluated; ignored"
    assert groups.notices([f"q{i}" for i in range(5)]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 a\x1fb\n", ":1: control character 0x1f."),
        ("q1\ta\nq2\tb\rq3\tc\n", ":2: control character 0x0d. The file seems to have CR-only line ends; convert them."),
        ("q1 a\nq2 b\nq1 b\n", ":3: query 'q1' has the group 'b' here, and 'a' in line 1. Give it one group."),
        ("q1 (no group)\n", ":1: '(no group)' cannot be a group's name; it has a meaning."),
        ("query group\n", ": the file names no query. Write a query and its group in each line, with a tab between them."),
    ],
)  # fmt: skip
def test_a_file_of_groups_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(rs.DataError) as caught:
        grouped(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'groups'}{message}"


@pytest.mark.parametrize(("record", "group"), [({"kind": "a"}, "a"), ({"metadata": {"kind": "b"}}, "b"), ({"kind": ["a", 1]}, "a, 1"), ({"kind": "a", "metadata": {"kind": "b"}}, "a")])  # fmt: skip
def test_groups_in_records(tmp_path, record, group):
    path = tmp_path / "records.jsonl"
    rows = [{"query_id": "q", "expected": ["d"]} | record, {"query_id": "r", "expected": ["d"]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n")
    assert groups_in_records(str(path), "kind").group_of == {"q": group}


@pytest.mark.parametrize("group", ["(no group)", "mean"])
def test_a_group_in_records_has_a_name_of_its_own(tmp_path, group):
    path = tmp_path / "records.jsonl"
    rows = [{"query_id": q, "expected": ["d"], "kind": group} for q in "qr"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(rs.DataError) as caught:
        groups_in_records(str(path), "kind", taken=["mean"])
    assert str(caught.value) == f"{path}:1: {group!r} cannot be a group's name; it has a meaning."


@pytest.mark.parametrize(
    "starts", [[True, 5], [False, 5], [0, True], [0, 5, 5], [0, 5, 3], [0, 2.0], [1, 5], [], "0", 0]
)
def test_pages_begin_at_zero_and_rise(starts):
    with pytest.raises(rs.DataError) as caught:
        load_pages({"ok": [0, 1], "d": starts})
    assert str(caught.value) == (
        "pages: the pages of document 'd' must begin at 0 and at rising positions, such as "
        f"[0, 1800, 3600], not at {starts!r}."
    )


@pytest.mark.parametrize(
    ("start", "end", "pages"),
    [(0, 10, [1]), (0, 11, [1, 2]), (9, 10, [1]), (10, 20, [2]), (9, 21, [1, 2, 3]), (20, 99, [3])],
)
def test_a_span_lies_on_pages(start, end, pages):
    found = load_pages({"d": (0, 10, 20)}).of(Span("d", start, end))
    assert found == [f"d p. {page}" for page in pages]


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (("d", -1, 5), "the start -1 of a span is not a position from 0 up."),
        (("d", 0, True), "the end True of a span is not a position from 0 up."),
        (("d", 0, 2.0), "the end 2.0 of a span is not a position from 0 up."),
        (("d", 5, 5), "the span of document 'd' ends at 5, not after its start 5. The end is the position after the last character."),
        (("d", 5), "a span is (document, start, end), not ('d', 5)."),
        (("d", 0, 5, 1, 2), "a span is (document, start, end), not ('d', 0, 5, 1, 2)."),
    ],
)  # fmt: skip
def test_a_span_that_cannot_be(item, message):
    with pytest.raises(rs.DataError) as caught:
        load_spans({"q": [item]}, "run")
    assert str(caught.value) == f"run of query 'q': {message}"


def test_spans_are_ranked_by_score_and_judged_ones_lie_apart():
    items = [("a", 0, 1), ("b", 0, 1), ("a", 0, 1)]
    assert [s.doc for s in load_spans({"q": items}, "run")["q"]] == ["a", "b"]
    scored = [("a", 0, 1, 1), ("b", 0, 1, 3), ("c", 0, 1, 2)]
    assert [s.doc for s in load_spans({"q": scored}, "run")["q"]] == ["b", "c", "a"]
    beside = [("a", 5, 9), ("a", 0, 5), ("b", 3, 6), ("a", 0, 5)]
    assert load_spans({"q": beside}, "judgments")["q"] == [("a", 0, 5), ("a", 5, 9), ("b", 3, 6)]
    with pytest.raises(rs.DataError, match=r"the judged spans a\[0:5\] and a\[4:9\] overlap"):
        load_spans({"q": [("a", 4, 9), ("a", 0, 5)]}, "judgments")
    with pytest.raises(rs.DataError, match="run: there are no spans"):
        load_spans({"q": [], "r": []}, "run")
    assert load_spans({"q": [], "r": [("a", 0, 1)]}, "run")["q"] == []
