"""What people try first with the data they hold, mistakes among it."""

from __future__ import annotations

import json
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.core import counted, segments

ROWS = [
    {"user_id": 1, "item_id": 10, "rating": 4.0},
    {"user_id": 1, "item_id": 20, "rating": 0.0},
    {"user_id": 2, "item_id": 10, "rating": 5.0},
]
RANKED = [
    {"user": 1, "item": 20, "score": 0.9},
    {"user": 1, "item": 10, "score": 0.1},
    {"user": 2, "item": 10, "score": 0.3},
]


def values(*data, **options):
    return rs.evaluate(*data, "RR", **options).per_query


def test_records_are_rows():
    assert values(ROWS, RANKED) == {1: {"RR": 0.5}, 2: {"RR": 1.0}}
    assert values(ROWS, RANKED, exclude=[{"user": 1, "item": 20}])[1] == {"RR": 1.0}
    odd = [{"who": r["user_id"], "sku": r["item_id"], "stars": r["rating"]} for r in ROWS]
    columns = {"query": ["who", "user"], "doc": ["sku", "item"], "grade": "stars"}
    assert values(odd, RANKED, columns=columns) == values(ROWS, RANKED)
    with pytest.raises(rs.DataError, match="record 1 .* other keys than the first .*'rating'"):
        values([ROWS[0], {"user_id": 1, "item_id": 2}], RANKED)


def test_dicts_of_documents_in_a_list_stay_what_they_are():
    assert values([{"d1": 1, "d2": 0}], [{"d2": 0.9, "d1": 0.3}]) == {0: {"RR": 0.5}}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", [list, tuple, set])
def test_records_may_hold_lists(named, kind):
    records = [
        {"expected_ids": kind(["d1"]), "retrieved_ids": ["d2", "d1"]},
        {"expected_ids": kind(["d4", "d3"]), "retrieved_ids": ["d3"]},
    ]
    if named:
        records = [{"question": q, **r} for q, r in zip("ab", records, strict=True)]
    assert [*values(records, records).values()] == [{"RR": 0.5}, {"RR": 1.0}]


RECORDS = {
    "no such list": (
        [{"query": "a", "retrieved_ids": ["d"]}],
        "record 1: no key .*list of expected ids",
    ),
    "a list as query": ([{"query": ["a"], "expected_ids": ["d"]}], r"query id \['a'\] is neither"),
    "nothing": ([], "the judgments are empty"),
    "rows as tuples": ([("u", "i", 4.0)], r"\('u', 'i', 4.0\) looks like a row"),
    "rows of numbers": ([(1, 10, 4.0)], r"\(1, 10, 4.0\) looks like a row"),
    "rows with whole numbers": ([("u", 10, 4)], r"\('u', 10, 4\) looks like a row"),
    "rows of two texts": ([("u", "i", 4)], r"\('u', 'i', 4\) looks like a row"),
}


@pytest.mark.parametrize("ranking", [(1, 10, 4), ("u", "i", "4"), ("u", "i"), ["u", "i", 4]])
def test_tuples_that_are_no_rows(ranking):
    """Three whole numbers may be documents, so they are."""
    assert rs.evaluate([{ranking[1]}], [ranking], "RR").per_query == {0: {"RR": 0.5}}


@pytest.mark.parametrize("case", RECORDS)
def test_records_that_cannot_be_used(case):
    judgments, message = RECORDS[case]
    with pytest.raises(rs.RankstoneError, match=message):
        rs.evaluate(judgments, [["d"]], "RR")


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ([("d1", 0.3)], "query 'q': document id .*is neither text.* go into a dict"),
        ([{"score": 0.3}], "query 'q': no key of the record is known to hold a document id"),
        ([1.0], "query 'q': document id 1.0 is neither .* give group_sizes="),
        (["d1", None], "query 'q': document id None is neither"),
        ([""], "query 'q': empty document id"),
    ],
)
def test_a_ranking_lists_ids(listed, message):
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate({"q": ["d1"]}, {"q": listed}, "RR")


def test_tensors_are_lists_of_ids():
    torch = pytest.importorskip("torch")
    assert values({"q": {1}}, {"q": torch.tensor([3, 1])}) == {"q": {"RR": 0.5}}
    assert values({"q": torch.tensor([1])}, {"q": np.array([3, 1])}) == {"q": {"RR": 0.5}}


def test_pandas_columns_that_are_elsewhere():
    pd = pytest.importorskip("pandas")
    judged, ranked = pd.DataFrame(ROWS), pd.DataFrame(RANKED)
    message = r"The index holds 'user_id': give frame.reset_index\(\)"
    with pytest.raises(rs.DataError, match=message):
        values(judged.set_index("user_id"), ranked)
    lists = pd.DataFrame({"user_id": [1], "expected_ids": [[10]]})
    with pytest.raises(rs.DataError, match="Column 'expected_ids' holds lists") as error:
        values(lists, ranked)
    assert "Did you mean" not in str(error.value)
    with pytest.raises(rs.UsageError, match=r"a Series of lists.* judgments.to_dict\(\)"):
        values(judged.groupby("user_id")["item_id"].apply(list), ranked)


JUDGED = "1 0 d8 1\n1 0 56 0\n"
RUN_TABLES = {
    "docno before docid, qid before query": "qid docid docno rank score query\n1 55 d7 0 3 red\n1 56 d8 1 2 red\n",
    "a query of two words": "qid\tdocno\tscore\tquery\n1\td7\t3.0\tred shoes\n1\td8\t2.0\tred shoes\n",
}


@pytest.mark.parametrize("table", RUN_TABLES.values(), ids=RUN_TABLES)
def test_names_mean_the_same_in_every_table(tmp_path, table):
    (tmp_path / "qrels").write_text(JUDGED)
    for separator in ("\t", ",", ";"):
        text = table if "\t" in table else table.replace(" ", "\t")
        (tmp_path / "run").write_text(text.replace("\t", separator))
        assert values(tmp_path / "qrels", tmp_path / "run") == {"1": {"RR": 0.5}}


FIRST_LINES = {
    "csv without names": ("judgments", "1,10,4.0\n", "',' .* the first line has to name them, such as query_id,doc_id,relevance"),
    "names nobody knows": ("run", "who;what\n1;2\n", "';' .* --columns query=NAME,doc=NAME"),
    "two colons": ("judgments", "1::10::4\n", "not by '::'"),
    "bars": ("run", "qid|docno|score\n", "not by '|'"),
    "scores with a name": ("run", "prediction\n0.5\n", "one number in each line, and no header"),
    "scores with commas": ("run", "0,5\n0,6\n", "decimals with a point"),
    "times": ("judgments", "196\t242\t3\t881250949\n186\t302\t3\t891717742\n", "look like times .column 4"),
    "too few fields": ("run", "q Q0 a 1 1 t\nq\tQ0\tb\n", r"found 3: 'q.tQ0.tb'\.$"),
    "too few beside names": ("run", "qid docno score\nq d7\n", r"found 2: 'q d7'\.$"),
    "blanks further down": ("run", "qid\tdocno\tscore\n1\td7\n1\td 8\t2\n", "name the format: 'csv'"),
}  # fmt: skip


@pytest.mark.parametrize("case", FIRST_LINES)
def test_other_tables_are_recognised(tmp_path, case):
    side, text, message = FIRST_LINES[case]
    (tmp_path / "file").write_text(text)
    other = {"judgments": {"1": {"d": 1}}, "run": {"1": {"d": 1}}}
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate(**{**other, side: tmp_path / "file"}, measures="RR")


def test_times_may_stand_beside_names(tmp_path):
    text = "user_id\titem_id\trating\ttimestamp\n1\t10\t4\t881250949\n"
    (tmp_path / "ratings").write_text(text)
    assert values(tmp_path / "ratings", {"1": ["10"]}) == {"1": {"RR": 1.0}}


def test_swapped_tables_are_recognised(tmp_path):
    for name, column in (("ratings", "rating"), ("run", "prediction")):
        (tmp_path / name).write_text(f"user,item,{column}\n1,2,3\n")
    with pytest.raises(rs.DataError, match=r"like a run; .*\(--columns grade=prediction\)"):
        values(tmp_path / "run", tmp_path / "ratings")
    with pytest.raises(rs.DataError, match=r"like judgments; .*\(--columns score=\) ranks"):
        values(tmp_path / "ratings", tmp_path / "ratings")


def test_quepid_in_detail(tmp_path):
    text = 'Team Name,Query Text,Doc ID,Title,Rating\nT,red,1,"a, b",3\nT,red,2,c,\n'
    (tmp_path / "case.csv").write_text(text)
    assert values(tmp_path / "case.csv", {"red": ["2", "1"]}) == {"red": {"RR": 0.5}}


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
    (tmp_path / "qrels").write_text("1 0 a 0.12345671\n1 0 b 0.12345672\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 t\n")
    assert main(["validate", str(tmp_path / "qrels")]) == 0
    assert "1 of grade 0.12345671, 1 of grade 0.12345672" in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "run")]) == 3
    assert "A run alone is validated with --as run." in capsys.readouterr().out
    assert main(["validate", str(tmp_path / "run"), "--as", "run"]) == 0


ONE_VALUE = {
    '{"id": 1, "gold": "d1"}\n{"id": 2, "gold": "d2"}\n': r"Put 'gold' into a list: \['d1'\]",
    '{"query": "a", "relevant": "d1"}\n': "one record of JSONL",
    "# made today\nquery_id,doc_id,relevance\n": "the first line has to name them",
}


@pytest.mark.parametrize("text", ONE_VALUE)
def test_what_nearly_is_known(tmp_path, text):
    (tmp_path / "file").write_text(text)
    with pytest.raises(rs.DataError, match=ONE_VALUE[text]):
        values(tmp_path / "file", {"1": ["d1"]})


RESPONSE = {
    "took": 3,
    "timed_out": False,
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "hits": [{"_index": "i", "_id": "b", "_score": 2.0}, {"_id": "a", "_score": 1.0}],
    },
}
SEARCHED = {
    "by query": ({"q1": {"a": 1}}, {"q1": RESPONSE}),
    "_msearch": ([{"a": 1}, {"b": 1}], {"took": 1, "responses": [RESPONSE, RESPONSE]}),
    "_search": ([{"a": 1}], RESPONSE),
    "list": ([{"a": 1}], [RESPONSE]),
}


@pytest.mark.parametrize("form", SEARCHED)
def test_responses_of_search_engines_are_runs(tmp_path, form):
    judged, run = SEARCHED[form]
    expected = {str(q): v for q, v in values(judged, run).items()}
    assert next(iter(expected.values())) == {"RR": 0.5}
    (tmp_path / "run.json").write_text(json.dumps(run))
    by_query = judged if isinstance(judged, dict) else {str(i): j for i, j in enumerate(judged)}
    assert values(by_query, tmp_path / "run.json") == expected


def test_a_search_that_failed_is_said():
    failed = {"responses": [RESPONSE, {"error": {"reason": "no such index"}, "status": 404}]}
    with pytest.raises(rs.DataError, match=r"response 2: the search failed \(no such index\)"):
        values([{"a": 1}, {"a": 1}], failed)


def test_nested_keys_are_named_by_their_path(tmp_path):
    rows = [{"qid": "q", "metadata": {"id": d}, "score": s} for d, s in (("b", 2), ("a", 1))]
    listed = [{"qid": "q", "results": [{"metadata": {"id": d}} for d in ("b", "a")]}]
    columns = {"doc": ["metadata.id", "doc"]}
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for number, records in enumerate((rows, listed)):
        expected = {"q": {"RR": 0.5}}
        assert values({"q": {"a": 1}}, records, columns=columns) == expected
        for suffix, text in (
            ("json", json.dumps(records)),
            ("jsonl", "".join(json.dumps(r) + "\n" for r in records)),
        ):
            path = tmp_path / f"{number}.{suffix}"
            path.write_text(text)
            assert values(tmp_path / "qrels", path, columns=columns) == expected
    with pytest.raises(rs.DataError, match=r"there is no column 'meta.id'"):
        values({"q": {"a": 1}}, rows, columns={"doc": "meta.id"})


def test_an_id_within_another_key_is_pointed_at():
    found = [{"text": "...", "payload": {"id": "c1"}, "score": 0.2}]
    rows = [{"question": "q1", "expected_ids": ["c1"], "retrieved": found}]
    with pytest.raises(
        rs.DataError, match=r"pass columns=\{'doc': 'payload.id'\} \(--columns doc="
    ):
        values(rows, rows)
    assert values(rows, rows, columns={"doc": "payload.id"}) == {"q1": {"RR": 1.0}}


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_matrices_are_judgments_scores_and_exclusions(kind):
    from scipy import sparse

    make = getattr(sparse, kind)
    rng = np.random.default_rng(5)
    grades = rng.integers(1, 4, (20, 50)) * (rng.random((20, 50)) < 0.1)
    scores = rng.random((20, 50))
    known = (rng.random((20, 50)) < 0.2) & (grades == 0)
    names = "nDCG@10,AP,RR,R@5"
    expected = rs.evaluate(grades * 1.0, scores, names, mask=~known).per_query
    beside = rs.evaluate(make(grades), scores, names, exclude=make(known))
    assert beside.per_query == expected
    assert [(n.code, n.count) for n in beside.notices][:1] == [("excluded", int(known.sum()))]
    assert rs.evaluate(grades * 1.0, np.where(known, -np.inf, scores), names).per_query == expected
    stored = make(np.where(known, 0.0, scores))
    assert rs.evaluate(make(grades), stored, names).per_query == expected
    assert rs.evaluate(grades * 1.0, stored, names).per_query == expected
    assert rs.evaluate(make(grades), make(scores), names, exclude=make(known)).per_query == expected
    with pytest.raises(rs.DataError, match="judgments are 20 x 50 and scores 20 x 49"):
        rs.evaluate(make(grades), scores[:, 1:], names)


def test_a_masked_item_that_is_relevant_is_said():
    result = rs.evaluate(np.array([[1.0, 0.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2]]), "RR")
    assert result["RR"] == 0.5
    assert [n.code for n in result.notices] == ["masked-relevant"]
    assert rs.RR(np.array([[1.0, 0.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2]])).tolist() == [0.5]


def test_items_may_be_masked_in_two_ways():
    """By a mask and by the score -inf; what the mask leaves out is not spoken of."""
    labels, scores = np.array([[1.0, 0.0, 1.0, 1.0]]), np.array([[-np.inf, 0.3, 0.2, -np.inf]])
    mask = np.array([[True, True, True, False]])
    result = rs.evaluate(labels, scores, ["RR", "NumRet", "NumRel"], mask=mask)
    assert [*result.aggregates.values()] == [0.5, 2, 1]
    assert [(n.code, n.count) for n in result.notices] == [("masked-relevant", 1)]
    mask[0, 0] = False
    again = rs.evaluate(labels, scores, ["RR", "NumRet", "NumRel"], mask=mask)
    assert (again.aggregates, again.notices) == (result.aggregates, ())


@pytest.mark.parametrize("distinct", [3, 20, 400, 10**9])
@pytest.mark.parametrize("rule", ["expected", "input", "optimistic"])
def test_a_wide_table_is_counted_and_not_put_in_order(monkeypatch, distinct, rule):
    """Hit rate at 10 of a catalogue: no list is sorted, and nothing about the result differs."""
    rng = np.random.default_rng(distinct)
    scores = rng.integers(0, distinct, (60, 500)).astype(float)
    labels = (rng.random(scores.shape) < 0.02) * rng.integers(-1, 4, scores.shape)
    measures = ["HR@10", "nDCG@10", "P@3", "RR@10"]
    with monkeypatch.context() as patch:
        patch.setattr(counted, "suffices", lambda *_: False)
        whole = rs.evaluate(labels, scores, measures, ties=rule)
    for name in ("falling_order", "falling_beside"):
        monkeypatch.setattr(segments, name, partial(_only_short, getattr(segments, name)))
    cut = rs.evaluate(labels, scores, measures, ties=rule)
    assert cut == whole
    assert (cut.ties, cut.notices) == (whole.ties, whole.notices)


def _only_short(order, values, offsets, *more):
    assert np.diff(offsets).max(initial=0) < 500
    return order(values, offsets, *more)


def test_large_scores_that_may_be_rounded_are_said_of_wide_tables_too():
    scores = np.arange(1000.0)[None] + 2.0**53
    notices = rs.evaluate(scores > 2.0**53 + 990, scores, "HR@10").notices
    assert [n.code for n in notices] == ["large-scores"]


def test_ratings_that_became_grades_are_said_once():
    result = rs.evaluate(ROWS, RANKED, "nDCG@10")
    assert [n.code for n in result.notices if n.level == "note"] == ["ratings-as-grades"]
    assert "the column 'rating' holds the grades" in repr(result)
    named = rs.evaluate(ROWS, RANKED, "nDCG@10", columns={"grade": "rating"})
    chosen = rs.evaluate(ROWS, RANKED, ["HR@10", "nDCG(gain='binary')@10"], relevance=4)
    graded = rs.evaluate(ROWS, RANKED, ["nDCG@10"], relevance=4)
    stars = [{**row, "rating": min(row["rating"], 3)} for row in ROWS]
    search = rs.evaluate(stars, RANKED, "nDCG@10")  # a scale up to 3 has no rating of 4
    codes = [[n.code for n in r.notices if n.level == "note"] for r in (named, chosen, search)]
    assert codes == [[], [], []]
    assert [n.code for n in graded.notices if n.level == "note"] == ["ratings-as-grades"]


def test_words_of_other_libraries_for_options_are_answered():
    for word, answer in {
        "gain": r"as in \"NAME\(gain=",
        "group": r"group_sizes=",
        "train": r"exclude=",
    }.items():
        with pytest.raises(rs.UsageError, match=answer):
            rs.evaluate(ROWS, RANKED, "nDCG@10", **{word: "binary"})


SPREADSHEETS = {
    "semicolons and decimal commas": "query;doc;score\nq1;b;2,5\nq1;a;0,25\n",
    "a separator that is declared": "sep=;\r\nquery;doc;score\r\nq1;b;2,5\r\nq1;a;0,25\r\n",
    "another separator": "sep=|\nquery|doc|score\nq1|b|2.5\nq1|a|0.25\n",
    "tabs and decimal commas": "query\tdoc\tscore\nq1\tb\t2,5\nq1\ta\t0,25\n",
    "a byte order mark": "\ufeffquery;doc;score\r\nq1;b;2,5\r\nq1;a;0,25\r\n",
}


@pytest.mark.parametrize("text", SPREADSHEETS.values(), ids=SPREADSHEETS)
@pytest.mark.parametrize("without", [(), ("polars",), ("polars", "pyarrow")], ids=str)
def test_tables_as_spreadsheets_write_them(tmp_path, monkeypatch, text, without):
    from rankstone.io.formats import tables

    there = tables.find_spec
    monkeypatch.setattr(tables, "find_spec", lambda name: None if name in without else there(name))
    (tmp_path / "run.csv").write_text(text, newline="")
    assert values({"q1": {"a": 1}}, tmp_path / "run.csv") == {"q1": {"RR": 0.5}}


def test_text_that_is_not_utf8_is_read_if_somebody_says_how(tmp_path, capsys):
    judged, run = tmp_path / "judged.csv", tmp_path / "run.csv"
    judged.write_text("query;doc;grade\nq1;café;1\n", encoding="cp1252")
    run.write_text("query;doc;score\nq1;x;2,5\nq1;café;0,5\n", encoding="cp1252")
    with pytest.raises(rs.DataError, match=r"judged.csv:2: the byte 0xe9 is not UTF-8; .*cp1252"):
        values(judged, run)
    assert values(judged, run, encoding="cp1252") == {"q1": {"RR": 0.5}}
    assert main(["evaluate", str(judged), str(run), "-m", "RR", "--encoding", "latin-1"]) == 0
    assert "\t0.5\n" in capsys.readouterr().out
    assert main(["evaluate", str(judged), str(run), "--encoding", "latin-one"]) == 2
    err = capsys.readouterr().err
    assert "--encoding must be the name of an encoding, such as cp1252" in err
    assert "not 'latin-one'" in err
    run.write_text("query;doc;score\nq1;café;0,5\n", encoding="utf-16")
    with pytest.raises(rs.DataError, match=r"the file is UTF-16. Say so: encoding='utf-16'"):
        values({"q1": {"café": 1}}, run)
    assert values({"q1": {"café": 1}}, run, encoding="utf-16") == {"q1": {"RR": 1.0}}


def test_workbooks_are_read_or_named(tmp_path, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl")
    from rankstone.io.formats import workbook

    for name, rows in {
        "judged": [["query", "doc", "grade"], ["q1", 12, 1.5], ["q1", "b", 0]],
        "run": [["query", "doc", "score"], ["q1", "b", 0.75], ["q1", 12, 0.5]],
    }.items():
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(tmp_path / f"{name}.xlsx")
    files = tmp_path / "judged.xlsx", tmp_path / "run.xlsx"
    assert values(*files) == {"q1": {"RR": 0.5}}
    indexed = openpyxl.Workbook()  # as pandas writes it: the first column has no name
    for row in [[None, "query", "doc", "grade"], [0, "q1", 12, 1.5], [1, "q1", "b", 0]]:
        indexed.active.append(row)
    indexed.save(tmp_path / "indexed.xlsx")
    assert values(tmp_path / "indexed.xlsx", files[1]) == {"q1": {"RR": 0.5}}
    noted = openpyxl.Workbook()
    noted.active.title = "notes"
    noted.create_sheet("ratings")
    noted.save(tmp_path / "noted.xlsx")
    with pytest.raises(
        rs.DataError, match=r"'notes', has no rows .* first of its sheets \(notes, ratings\)"
    ):
        values(tmp_path / "noted.xlsx", files[1])
    monkeypatch.setattr(workbook, "find_spec", lambda _: None)
    with pytest.raises(
        rs.MissingDependencyError, match="Excel workbook; reading it needs openpyxl"
    ):
        values(*files)


def test_workbooks_are_read_by_the_other_reader_too(tmp_path, monkeypatch):
    pa, openpyxl = pytest.importorskip("pyarrow"), pytest.importorskip("openpyxl")
    from rankstone.io.formats import workbook

    book = openpyxl.Workbook()
    for row in [["query", "doc", "score"], ["q1", "b", 0.75], ["q1", "a", 0.5]]:
        book.active.append(row)
    book.save(tmp_path / "run.xlsx")
    cells = pa.table({"0": ["query", "q1", "q1"], "1": ["doc", "b", "a"], "2": ["score", "3", "2"]})

    def read_excel(content):
        assert content == (tmp_path / "run.xlsx").read_bytes()
        sheets = [SimpleNamespace(to_arrow=lambda: cells)]
        return SimpleNamespace(sheet_names=["Sheet"], load_sheet=lambda place, **_: sheets[place])

    monkeypatch.setitem(sys.modules, "fastexcel", SimpleNamespace(read_excel=read_excel))
    monkeypatch.setattr(workbook, "find_spec", lambda name: name != "openpyxl" or None)
    assert values({"q1": {"a": 1}}, tmp_path / "run.xlsx") == {"q1": {"RR": 0.5}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            r"Excel workbook of the old kind \(.xls\); save it as",
        ),
        (
            b"PK\x03\x04mimetypeapplication/vnd.oasis",
            r"OpenDocument spreadsheets are; save the sheet",
        ),
    ],
)
def test_other_binary_files_are_named_as_what_they_are(tmp_path, content, message):
    (tmp_path / "ratings").write_bytes(content)
    with pytest.raises(rs.DataError, match=message):
        values(tmp_path / "ratings", {"q1": ["a"]})


def test_ratings_in_cp1252_and_responses_in_utf8(tmp_path, capsys):
    """A spreadsheet beside what a search engine answers; JSON is UTF-8 by its standard."""
    judged, run, by = (str(tmp_path / name) for name in ("judged.csv", "run.json", "by.csv"))
    (tmp_path / "judged.csv").write_text(
        'sep=;\nSuche;SKU;Note\nmüsli;a;0\nmüsli;b;2,5\n"zelt; groß";c;1\n', encoding="cp1252"
    )
    hits = {"müsli": ["a", "b"], "zelt; groß": ["c"]}
    response = {q: {"hits": {"hits": [{"_id": d} for d in ids]}} for q, ids in hits.items()}
    (tmp_path / "run.json").write_text(json.dumps(response, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "by.csv").write_text('sep=;\n"zelt; groß";Zelte\nmüsli;Essen\n', encoding="cp1252")
    words = ["-m", "RR", "--encoding", "cp1252", "--columns", "query=Suche,doc=SKU,grade=Note"]
    assert main(["evaluate", judged, run, *words, "-q"]) == 0
    assert capsys.readouterr().out.endswith("müsli\t0.5\nrun\tzelt; groß\t1\nrun\tall\t0.75\n")
    assert main(["evaluate", judged, run, *words, "--by", by]) == 0
    assert "run\tEssen\tmean\tRR\t0.5\t1\t0\n" in capsys.readouterr().out
    (tmp_path / "run.txt").write_text("müsli Q0 b 1 2.5 x\n", encoding="utf-8")
    assert main(["evaluate", judged, str(tmp_path / "run.txt"), *words]) == 3
    assert "run.txt: the file is UTF-8, not cp1252" in capsys.readouterr().err
    words[3] = "cp1252:utf-8"
    assert main(["evaluate", judged, str(tmp_path / "run.txt"), *words]) == 0


def test_a_rating_that_is_missing_is_named_as_spreadsheets_count(tmp_path):
    (tmp_path / "judged.csv").write_text("query;doc;grade\nq1;a;1\nq1;b;\n")
    with pytest.raises(rs.DataError, match=r"'grade' has no value in row 2 under the header; fill"):
        values(tmp_path / "judged.csv", {"q1": ["a"]})


def test_groups_of_queries_from_a_spreadsheet(tmp_path):
    from rankstone.io.query_groups import read_query_groups

    (tmp_path / "by.csv").write_text("sep=;\nquery;type\nq1;a, b\nq2;c\n")
    assert read_query_groups(str(tmp_path / "by.csv")).group_of == {"q1": "a, b", "q2": "c"}
    (tmp_path / "by.csv").write_text("q1,a; b\n")
    assert read_query_groups(str(tmp_path / "by.csv")).group_of == {"q1": "a; b"}
