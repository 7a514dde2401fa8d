"""Input that once gave a number of its own making: now the right one, an error or a note."""

import re
from math import log2

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankstone as rs
from rankstone import RR, nDCG
from rankstone.cli import main

JUDGED = {"q1": {"d1": 1}}
RUN = {"query": ["q1", "q1"], "doc": ["d1", "d2"], "score": [2.0, 1.0]}
RECORDS = [{"a": "d1", "b": "x"}, {"a": "d2", "b": "y"}]


def rr(judged, run):
    return rs.evaluate(judged, run, ["RR"])["RR"]


class Stream:
    """A table that speaks Arrow and nothing else."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.chunked_array([self.column]).__arrow_c_stream__()


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
@pytest.mark.parametrize("role", ["query", "doc", "score"])
def test_a_column_of_records_is_not_its_first_field(engine, make, role):
    column = [{"a": value, "b": 7} for value in RUN[role]]
    with pytest.raises(rs.DataError, match=f"column '{role}' holds lists or records"):
        rr(JUDGED, make(RUN | {role: column}))


def test_a_pandas_column_of_records_is_not_its_first_field(engine):
    records = pd.array(RECORDS, pd.ArrowDtype(pa.struct([("a", pa.string()), ("b", pa.string())])))
    with pytest.raises(rs.DataError, match="column 'doc' holds lists or records"):
        rr(JUDGED, pd.DataFrame(RUN | {"doc": records}))


@pytest.mark.parametrize("offset", [0, 1])
def test_a_record_that_is_missing_is_not_its_fields(engine, offset):
    fields = [pa.array(["q1", "q1", "q1"]), pa.array(["d0", "d1", "d2"]), pa.array([0.0, 1, 2])]
    table = pa.StructArray.from_arrays(
        fields, ["query", "doc", "score"], mask=pa.array([False, False, True])
    )
    with pytest.raises(rs.DataError, match=rf"row {2 - offset} is missing"):
        rr(JUDGED, Stream(table[offset:]))
    assert rr(JUDGED, Stream(table[offset:2])) == 1


MASKED = np.ma.array([1.0, 0.0, 2.0], mask=[False, False, True])
SCORES = np.array([0.9, 0.1, 0.3])


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


def test_the_index_of_a_series_holds_its_documents(engine):
    scores = pd.Series([1.0, 2.0], index=["d1", "d2"])
    assert rr(JUDGED, {"q1": scores}) == 0.5
    assert rr(JUDGED, {"q1": scores.astype(int)}) == 0.5
    assert rr({"q1": pd.Series([0, 3], index=["d2", "d1"])}, {"q1": ["d2", "d1"]}) == 0.5
    assert rr({"q1": {7: 1}}, {"q1": pd.Series([0.5, 0.7], index=[7, 9])}) == 0.5
    assert rr([{"d1": 1}], [scores]) == 0.5


def test_a_series_of_documents_is_a_list(engine):
    assert rr(JUDGED, {"q1": pd.Series(["d2", "d1"], index=[10, 5])}) == 0.5
    assert rr({"q1": {5: 1}}, {"q1": pd.Series([4, 5]).tolist()}) == 0.5


def test_a_series_that_may_be_either_is_refused():
    with pytest.raises(rs.DataError, match=r"series\.tolist\(\) for the first"):
        rr({"q1": {5: 1}}, {"q1": pd.Series([4, 5], index=[3, 9])})
    for judged, run in (([1, 2, 0], [0.1, 0.9, 0.3]), ([1.0, 2.0, 0.0], [1, 9, 3])):
        with pytest.raises(rs.DataError, match=r"series\.to_dict\(\) for the second"):
            rr({"q1": pd.Series(judged)}, {"q1": pd.Series(run)})
    with pytest.raises(rs.DataError, match="holds a document twice"):
        rr(JUDGED, {"q1": pd.Series([0.4, 0.5], index=["d1", "d1"])})


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        (["1", "0", "2"], ["0.9", "0.1", "0.3"]),
        ([1, 0, 2], ["0.9", "0.1", "0.3"]),
        ([["1", "0"]], [["0.9", "1"]]),
        (np.array(["1", "0", "2"]), np.array(["0.9", "0.1", "0.3"])),
        (["0.5", "1"], ["9", "8"]),
        ([b"1", b"0", b"2"], [b"0.9", b"0.1", b"0.3"]),
    ],
)
def test_numbers_that_are_text_are_not_ids(labels, scores):
    with pytest.raises(rs.UsageError, match=r"numpy\.asarray\((labels|scores), float\)"):
        nDCG(labels, scores)


@pytest.mark.parametrize(
    ("relevant", "ranking"),
    [([1, 0], ["2", "1"]), (["1", "0"], [2, 1]), ({1: 1, 0: 2}, ["1", "0"]), (["A"], ["b", "a"])],
)
def test_ids_that_only_look_alike_give_no_number(relevant, ranking):
    with pytest.raises(rs.NothingInCommonError, match="write them alike"):
        nDCG(relevant, ranking)


def test_no_relevant_document_retrieved_is_0():
    assert nDCG(["a"], ["b", "c"]) == 0
    assert nDCG({1, 2}, [3, 4]) == 0


def test_ids_that_look_like_whole_numbers_are_ids():
    assert RR(["17"], ["3", "17"]) == 0.5
    assert RR(["v1.5"], ["2.5", "v1.5"]) == 0.5


@pytest.mark.parametrize("odd", [None, float("nan"), pd.NA, "", (1, 2), 1.5, True], ids=repr)
def test_ids_of_documents_that_are_not_judged_are_checked(engine, odd):
    with pytest.raises(rs.DataError, match=r"query 'q1': (empty )?document id"):
        rr(JUDGED, {"q1": {"d1": 1.0, odd: 2.0}})


class NoNumber:
    def __float__(self):
        raise ValueError("no number")

    def __repr__(self):
        return "NoNumber()"


@pytest.mark.parametrize("odd", [10**400, NoNumber(), None, pd.NA, b"1", 1j], ids=type)
def test_scores_that_are_no_numbers_are_refused(engine, odd):
    with pytest.raises(
        rs.DataError, match=r"query 'q1': score .+ of document 'd2' is not a number"
    ) as e:
        rr(JUDGED, {"q1": {"d1": 1.0, "d2": odd}})
    assert len(str(e.value)) < 150


@pytest.mark.parametrize("odd", [b"d7", np.str_("d7"), 7, np.int64(7)], ids=repr)
def test_ids_of_other_makes_are_text(engine, odd):
    assert rr(JUDGED, {"q1": {"d1": 1.0, odd: 2.0}}) == 0.5
    text = "7" if isinstance(odd, int | np.integer) else "d7"
    assert rr({"q1": {text: 1}}, {"q1": {"d1": 3.0, odd: 2.0}}) == 0.5


def test_ids_may_be_text_in_one_query_and_numbers_in_another(engine):
    judged = {1: {"d1": 1}, 2: {5: 1}}
    run = {1: {"d0": 2.0, "d1": 1.0}, 2: {5: 1.0}}
    assert rs.evaluate(judged, run, ["RR"]).per_query[1]["RR"] == 0.5


@pytest.mark.parametrize("twice", [{"7": 1.0, 7: 2.0}, {"d1": 1.0, b"d1": 2.0}], ids=repr)
def test_an_id_in_two_types_is_refused(engine, twice):
    with pytest.raises(rs.DataError, match="is there twice"):
        rr(JUDGED, {"q1": twice})


BLANKS = {
    "six columns": "q1\tQ0\td 1\t1\t0.5\ttag\nq1\tQ0\td 2\t2\t0.9\ttag\n",
    "seven columns": "q1\tQ0\td 1\t1\t0.5\ta tag\tx\n",
    "five columns": "q1\tQ0\td 1\t1\t0.5\nq1\tQ0\td 2\t2\t0.9\n",
    "four columns": "q1\td 1\t1\t0.5\nq1\td 2\t2\t0.9\n",
    "three columns": "q1\td 1\t0.5\nq1\td 2\t0.9\n",
    "only later": "q1\tQ0\td1\t1\t0.5\tt\nq1\tQ0\td 2\t2\t0.9\tt\n",
    "in a query": "q 1\td1\t0.5",
}


@pytest.mark.parametrize("text", BLANKS.values(), ids=BLANKS)
def test_blanks_between_tabs_do_not_move_columns(engine, tmp_path, text):
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(rs.DataError, match=r"an id holds a blank \('(d|q) \d'\)"):
        rr({"q1": {"d": 1}}, path)


@pytest.mark.parametrize(
    "text", ["q1\t0\td 1\t1\n", "q1\td 1\t1\n", "q 1\t0\td1\t1\n", "q1\t0\td 1\t1\tx\n"]
)
def test_blanks_between_tabs_do_not_move_grades(engine, tmp_path, text):
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(rs.DataError, match="an id holds a blank"):
        rr(path, {"q1": ["d 1"]})


def test_the_remedy_for_blanks_between_tabs(engine, tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text("query_id\tdoc_id\tscore\nq1\td 1\t0.5\nq1\td 2\t0.9\n")
    assert rr({"q1": {"d 1": 1}}, path) == 0.5


def test_tabs_and_blanks_may_still_be_mixed(engine, tmp_path):
    path = tmp_path / "run"
    path.write_text("q1\tQ0 d2 1 0.9\tt\nq1\tQ0 d1 2 0.5\tt\n")
    assert rr(JUDGED, path) == 0.5


LARGE = 2**53


def large_runs(tmp_path):
    path = tmp_path / "run"
    path.write_text(f"q1 Q0 d1 1 {LARGE} t\nq1 Q0 d2 2 {LARGE + 1} t\n")
    frame = pl.DataFrame(RUN | {"score": [LARGE, LARGE + 1]})
    return [path, {"q1": {"d1": LARGE, "d2": LARGE + 1}}, frame]


@pytest.mark.parametrize("which", range(3))
def test_scores_that_rounding_ties_are_noted(engine, tmp_path, which):
    result = rs.evaluate(JUDGED, large_runs(tmp_path)[which], ["RR"])
    notes = {note.code: note.count for note in result.notices}
    assert notes["large-scores"] == 1


def test_scores_in_arrays_that_rounding_ties_are_noted():
    scores = np.array([[LARGE, LARGE + 1, 5], [LARGE, 1, 2]])
    result = rs.evaluate(np.array([[1.0, 0, 0], [1, 0, 0]]), scores, ["RR"])
    assert {note.code: note.count for note in result.notices}["large-scores"] == 2


@pytest.mark.parametrize("scores", [[LARGE - 1, LARGE - 2], [float(LARGE), 1.0], [0.5, 0.5]])
def test_scores_that_rounding_does_not_tie_are_not_noted(scores):
    result = rs.evaluate([1.0, 0.0], scores, ["RR"])
    assert "large-scores" not in {note.code for note in result.notices}
    run = {"q1": dict(zip(["d1", "d2"], scores, strict=True))}
    notices = rs.evaluate(JUDGED, run, ["RR"]).notices
    assert "large-scores" not in {note.code for note in notices}


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


@pytest.mark.parametrize(
    ("judged", "ranking", "measure", "said"),
    [
        ("ab", "ax", "P@2", None),  # half is enough
        ("ab", "xya", "P@2", "only 0% of the documents down to rank 2 are judged"),
        ("abc", "xay", "P@3", "only 33% of the documents down to rank 3 are judged"),
        ("ab", "xya", "P@3", None),  # judgments too few for this cutoff
        ("a", "x", "P@1", "only 0% of the documents down to rank 1 are judged"),
        ("ab", "xya", "AP", None),
    ],
)
def test_few_judged_documents_above_the_first_cutoff_are_noted(judged, ranking, measure, said):
    result = rs.evaluate({"q": dict.fromkeys(judged, 1)}, {"q": [*ranking]}, measure)
    (text,) = [n.text for n in result.notices if n.code == "judged-share"] or [None]
    assert text == said or text.startswith(said)


@pytest.mark.parametrize(("documents", "level"), [(200, "note"), (201, "info")])
def test_one_tied_document_in_a_hundred_is_noted(documents, level):
    judged = {"q": {f"d{i}": 1 for i in range(documents)}}
    run = {"q": {f"d{i}": float(max(i, 1)) for i in range(documents)}}
    (notice,) = rs.evaluate(judged, run, "AP").notices
    assert (notice.code, notice.count, notice.level) == ("ties", 2, level)


@pytest.mark.parametrize(
    ("judged", "run", "said"),
    [
        ("abcd", "wxyz", "(judged: 'a', 'b', 'c', ...; in the run: 'w', 'x', 'y'). Check that"),
        ([1], ["1"], "1 is not '1' (judged ids are whole numbers (int), the run's text (str))"),
        (["1"], [1], "'1' is not 1 (judged ids are text (str), the run's whole numbers (int))"),
        (["x1"], ["X1"], "'x1' is not 'X1': write them alike"),
        ("a", "01", "are numbered from 0: give them by query"),
        ("a", "12", "Check that the two belong together"),
    ],
)
def test_queries_without_any_in_common_are_shown(judged, run, said):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({q: {"d": 1} for q in judged}, {q: ["d"] for q in run}, "AP")
    assert said in str(caught.value)


def test_notices_show_three_examples():
    (missing,) = rs.evaluate({q: {"a": 1} for q in "abcdef"}, {"a": ["a"]}, "AP").notices
    assert (missing.count, missing.examples) == (5, ("b", "c", "d"))
    found = rs.evaluate({"a": {"a": 1}}, {q: ["a", "a"] for q in "abcdef"}, "AP").notices
    assert {n.code: (n.count, n.examples) for n in found} == {
        "unjudged-queries": (5, ("b", "c", "d")),
        "duplicate-documents": (1, ("document a of query a",)),
    }


@pytest.mark.parametrize(
    "scores", [["10", "20", "30"], ["0,9", "0,1", "0,3"], np.array(["7", "8", "9"])]
)
def test_numbers_as_text_in_both_places(scores):
    with pytest.raises(rs.UsageError, match=r"numpy\.asarray\(scores, float\)"):
        nDCG(["1", "0", "2"], scores)


def test_ids_that_are_whole_numbers_as_text():
    assert nDCG(["1", "0", "2"], ["3", "1", "2"]) > 0.5
    assert nDCG({"1", "0", "2"}, ["10", "20", "30"]) == 0
    assert nDCG(["1", "0"], ["10", "20", "30"]) == 0


def test_options_that_would_be_ignored(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    paths = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["evaluate", *paths, "--group-sizes", "sizes"]) == 2
    assert "is for rows without ids of documents" in re.sub(r"\s+", " ", capsys.readouterr().err)
    assert main(["agree", paths[1], paths[1], "-m", "nDCG"]) == 2
    assert "-m orders systems" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["evaluate", "parts"])
def test_a_table_of_gains_that_lacks_a_high_grade_warns(way):
    judged, run = {"q": {"a": 3, "b": 1}}, {"q": ["a", "b"]}

    def notices(measure):
        if way == "evaluate":
            result = rs.evaluate(judged, run, measure)
        else:
            result = rs.Evaluator(judged, measure).add(run).result()
        return [n for n in result.warnings if n.code == "gain-not-listed"]

    measure = "nDCG(gain={1: 1, 2: 3})@5"
    (notice,) = notices(measure)
    assert "does not list the highest grades of the judgments" in notice.text
    assert rs.evaluate(judged, run, measure)[measure] == pytest.approx(1 / log2(3))
    for complete in ("gain={1: 1, 3: 3}", "gain={1: 1, 2: 3}, unlisted=grade", "gain={3: 1}"):
        assert not notices(f"nDCG({complete})@5")
    with pytest.raises(rs.StrictError, match="does not list the highest grades"):
        rs.evaluate(judged, run, measure, strict=True)


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
