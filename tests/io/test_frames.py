"""Tables in, tables out: every kind of frame and file gives what the dicts give, bit for bit."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyarrow import parquet
from scipy import sparse
from sources import FRAMES, MEASURES, TABLES, chunked, columns_of, texts_as
from strategies import NATIVE, collections, examples, plain, write_qrels, write_run

import rankstone as rs
from rankstone.core import python_engine
from rankstone.core.ids import Ids, key_of, numbers_of
from rankstone.io import frames
from rankstone.io.frames.columns import as_narwhals, open_table
from rankstone.io.input_file import ReadOptions
from rankstone.io.split_query import joined
from rankstone.verbs.load import load_judgments

ENGINES = ["native", "python"] if NATIVE else ["python"]
TIES = ["docid-desc", "docid-asc", "input", "expected", "pessimistic"]


def bits(result):
    columns = {n: c.tobytes() for n, c in result.columns.items()}
    notices = [(n.code, n.count) for n in result.notices]
    return result.queries, columns, result.aggregates, notices


def same_everywhere(judgments, run, order, frames, **choices):
    measures = [m for m in MEASURES if m != "ERR" or choices["ties"] != "expected"]
    expected = None
    for name in ENGINES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RANKSTONE_ENGINE", name)
            expected = expected or bits(rs.evaluate(judgments, run, measures, **choices))
            for kind in frames:
                make = FRAMES[kind]
                judged = make(columns_of(judgments, "relevance"))
                ranked = make(columns_of(run, "score", order))
                got = rs.evaluate(judged, ranked, measures, **choices)
                assert bits(got) == expected, (name, kind)


numbers = st.integers(-3, 30) | st.sampled_from([1 << 40, -(1 << 62), (1 << 63) - 1])


@settings(max_examples=60)
@given(collections(), st.data(), st.sampled_from(["docid-desc", "docid-asc", "expected"]))
def test_every_frame_gives_what_the_dicts_give(collection, data, ties):
    judgments, run = collection
    order = data.draw(st.permutations(range(sum(map(len, run.values())))))
    kinds = data.draw(st.lists(st.sampled_from(list(FRAMES)), min_size=4, max_size=4))
    precision = data.draw(st.sampled_from(["float64", "float32"]))
    same_everywhere(judgments, run, order, kinds, ties=ties, precision=precision)


@settings(max_examples=60)
@given(collections(ids=numbers), st.data(), st.sampled_from(["docid-desc", "docid-asc"]))
def test_whole_numbers_as_ids_sort_as_numbers(collection, data, ties):
    judgments, run = collection
    order = data.draw(st.permutations(range(sum(map(len, run.values())))))
    kinds = [k for k in FRAMES if not k.startswith("pandas s")]
    kinds = data.draw(st.lists(st.sampled_from(kinds), min_size=4, max_size=4))
    same_everywhere(judgments, run, order, kinds, ties=ties)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("ties", TIES)
def test_a_collection_in_every_frame(kind, ties):
    judgments = {"q2": {"é": 1, "b": 0}, "q10": {"a-long-name-of-a-document": 2, "c": 1}}
    run = {
        "q10": {"c": 1.0, "x": 1.0, "a-long-name-of-a-document": 1.0, "b": 0.5},
        "q2": {"b": 3.0, "é": -1.0, "日本語": 3.0},
        "q3": {"b": 1.0},
    }
    same_everywhere(judgments, run, None, [kind], ties=ties)


def alike(a, b):
    assert plain(a) == plain(b)


ids = st.sampled_from(["q1", "q2", "q3", "é", "d1", "d2", "d3", "a-longer-identifier", None, ""])
rows = st.lists(
    st.tuples(ids, ids, st.sampled_from([1.0, 2.0, 0.5, None, float("nan")]), st.integers(-1, 4)),
    max_size=30,
)
good = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3", "é"]),
        st.sampled_from(["d1", "d2", "d3", "a-longer-identifier"]),
        st.sampled_from([1.0, 2.0, 0.5]),
        st.integers(-1, 4),
    ),
    max_size=40,
)

# Long stretches of one query, in which documents stand again and scores rise, fall and are tied.
stretches = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3", "é"]),
        st.integers(1, 40),
        st.integers(1, 60),
        st.sampled_from([lambda i: -i, lambda i: i, lambda i: -(i // 3), lambda i: i % 7]),
    ),
    max_size=4,
).map(
    lambda parts: [
        (query, f"d{i * 7 % documents}", float(score(i)), i % 5)
        for query, length, documents, score in parts
        for i in range(length)
    ]
)


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
@settings(max_examples=examples(300))
@given(
    rows | good | stretches,
    st.booleans(),
    st.booleans(),
    st.tuples(st.sampled_from([1, 3, 1000]), st.booleans()),
)
def test_engines_read_columns_alike(rows, float32, ascending, how):
    from rankstone._native import _core

    names = ["q", "d", "s", "r"]
    types = [pa.string(), pa.string_view(), pa.float32(), pa.int16()]
    arrays = [pa.array([row[i] for row in rows], t) for i, t in enumerate(types)]
    table = chunked(dict(zip(names, arrays, strict=True))) if rows else pa.table(arrays, names)
    index = (b"q1q2\xc3\xa9", np.array([0, 2, 4, 6]), np.array([0, 2, 4, 5]), b"d1d2d1d4d3", np.arange(0, 11, 2))  # fmt: skip
    for columns in (names, ["q", "d", None, None], ["q", "d", "s", None]):
        found = []
        for core in (_core, python_engine):
            held = {n.decode(): c for n, c in core.columns_of_stream(table.__arrow_c_stream__())}
            parts = [held[n] if n else None for n in columns]
            found.append(
                core.match_columns(*parts, ascending, core.Index(*index), float32, 2, *how)
            )
            found.append(core.judge_columns(*parts[:3]))
        if found[0]["fault"]:
            assert found[0]["fault"] == found[2]["fault"]
        else:
            alike(found[0], found[2])
        alike(found[1], found[3])


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
def test_a_rank_that_is_missing_is_not_looked_up():
    """What stands for a missing value in a column of codes may be the code of nothing."""
    from rankstone._native import _core

    missing, stray = pa.py_buffer(b"\x01"), pa.py_buffer(np.array([0, 2**30], np.int32))
    codes = pa.Array.from_buffers(pa.int32(), 2, [missing, stray])
    ranks = pa.DictionaryArray.from_arrays(codes, pa.array([1.0]), safe=False)
    table = pa.table({"qid": ["q", "q"], "docno": ["d", "e"], "score": [2.0, 1.0], "rank": ranks})
    columns = [c for _, c in _core.columns_of_stream(table.__arrow_c_stream__())]
    ends = np.array([0, 1], np.int64)
    index = _core.Index(b"q", ends, ends, b"d", ends)
    found = _core.match_columns(*columns, False, index, False, 1, 1000)
    assert (found["retrieved"].tolist(), found["rank_disagrees"].tolist()) == ([2], [0])


# Types a column of ids or numbers may have, with what makes one of Python's values.
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
         pa.dictionary(pa.uint32(), pa.large_string())]  # fmt: skip
WHOLE = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(),
         pa.uint64(), pa.dictionary(pa.int16(), pa.int32())]  # fmt: skip
REALS = [
    *WHOLE[:-1],
    pa.float32(),
    pa.float64(),
    pa.bool_(),
    pa.dictionary(pa.int8(), pa.float64()),
]


@st.composite
def arrow_columns(draw, types, values, rows):
    """Draw a column in chunks, each cut out of a longer array, some of them empty."""
    kind = draw(st.sampled_from(types))
    if kind == pa.bool_():
        values = st.booleans()
    if draw(st.integers(0, 3)) == 3:
        values = values | st.none()
    chunks, left = [], rows
    while left or not chunks or draw(st.integers(0, 3)) == 3:
        take = left - draw(st.integers(0, left))
        before, after = draw(st.integers(0, 9)), draw(st.integers(0, 3))
        size = before + take + after
        held = draw(st.lists(values, min_size=size, max_size=size))
        chunks.append(pa.array(held, kind).slice(before, take))
        left -= take
    return pa.chunked_array(chunks, kind)


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
@settings(max_examples=examples(300))
@given(st.data(), st.integers(0, 12), st.booleans(), st.sampled_from([1, 4, 1000]))
def test_engines_read_any_arrow_data_alike(data, rows, texts, range_size):
    from rankstone._native import _core

    words = st.sampled_from(
        ["q1", "q2", "d1", "é", "a-longer-identifier", "another, as long as it", ""]
    )
    ids = (
        arrow_columns(TEXTS, words, rows)
        if texts
        else arrow_columns(WHOLE, st.integers(0, 3), rows)
    )
    numbers = arrow_columns(REALS, st.integers(0, 5), rows)
    columns = [data.draw(ids), data.draw(ids), data.draw(numbers), data.draw(numbers)]
    if texts:
        index = (b"q1q2\xc3\xa9", np.array([0, 2, 4, 6]), np.array([0, 2, 4, 5]),
                 b"d1a-longer-identifierd1q2q1", np.array([0, 2, 21, 23, 25, 27]))  # fmt: skip
    else:
        index = (b"".join(map(key_of, [0, 1, 3])), np.arange(0, 28, 9), np.array([0, 2, 3, 4]),
                 b"".join(map(key_of, [0, 2, 1, 3])), np.arange(0, 37, 9))  # fmt: skip
    found = []
    for core in (_core, python_engine):
        held = [core.columns_of_stream(c.__arrow_c_stream__())[0][1] for c in columns]
        found.append(
            core.match_columns(*held, True, core.Index(*index), False, 2, range_size, False)
        )
        found.append(core.judge_columns(*held[:3]))
        found.append([c.format for c in held])
    assert found[0]["fault"] == found[3]["fault"]
    if not found[0]["fault"]:
        alike(found[0], found[3])
    alike(found[1], found[4])
    assert found[2] == found[5]


@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built here")
@given(st.lists(st.text(max_size=30) | st.integers() | st.none() | st.floats() | st.booleans()))
def test_engines_take_objects_alike(values):
    from rankstone._native import _core

    (ours, row), (theirs, expected) = (m.column_of_objects(values) for m in (_core, python_engine))
    assert row == expected
    if row is None:
        assert (ours.format, len(ours)) == (theirs.format, len(values))


@given(st.lists(st.integers(-(1 << 63), (1 << 64) - 1)))
def test_keys_sort_as_the_numbers_do(values):
    assert sorted(values, key=key_of) == sorted(values)
    assert numbers_of(b"".join(map(key_of, values))) == values
    assert list(Ids.from_keys(b"".join(map(key_of, values)))) == values


JUDGED = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "c"], "relevance": [1, 0, 2]}
RUN = {"query_id": ["1", "2", "1"], "doc_id": ["b", "c", "a"], "score": [0.9, 0.5, 0.8]}


def rr(judged=JUDGED, run=RUN, **more):
    return rs.evaluate(pl.DataFrame(judged), pl.DataFrame(run), "RR", **more).per_query


@pytest.mark.parametrize(
    "names",
    ["query_id doc_id", "qid docno", "user_id item_id", "query-id corpus-id", "userId movieId",
     "Topic Document_ID", "q_id pid", "query doc", "user item"],
)  # fmt: skip
@pytest.mark.parametrize("number", ["score", "prediction", "pred", "sim"])
def test_columns_go_by_many_names(engine, names, number):
    query, doc = names.split()
    run = {query: RUN["query_id"], doc: RUN["doc_id"], number: RUN["score"], "text": ["x"] * 3}
    assert rr(run=run) == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


@pytest.mark.parametrize("number", ["relevance", "label", "rating", "grade", "rel", "gain"])
def test_grades_go_by_many_names(engine, number):
    judged = {"qid": JUDGED["query_id"], "docno": JUDGED["doc_id"], number: JUDGED["relevance"]}
    assert rr(judged) == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


def test_columns_say_otherwise(engine):
    judged = {"u": JUDGED["query_id"], "sku": JUDGED["doc_id"], "stars": JUDGED["relevance"]}
    run = {"who": RUN["query_id"], "sku": RUN["doc_id"], "yhat": RUN["score"], "score": [1, 2, 3]}
    columns = {"query": ["u", "who"], "doc": "sku", "grade": "stars", "score": "yhat"}
    assert rr(judged, run, columns=columns) == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


def test_ranks_and_the_order_of_rows(engine):
    base = {"query_id": ["1", "1", "1", "2"], "doc_id": ["x", "a", "y", "c"]}
    assert rr(run=base)["1"] == {"RR": 0.5}
    assert rr(run=base | {"rank": [3, 1, 2, 1]})["1"] == {"RR": 1.0}
    assert rr(run=base | {"rank": [1, 3, 2, 1]})["1"] == {"RR": 1 / 3}
    repeated = {"query_id": ["1"] * 4, "doc_id": ["x", "x", "a", "a"]}
    result = rs.evaluate(pl.DataFrame(JUDGED), pl.DataFrame(repeated), ["RR", "NumRet"])
    assert result.per_query["1"] == {"RR": 0.5, "NumRet": 2.0}
    assert "duplicate-documents" in {n.code for n in result.notices}


def test_a_rank_that_disagrees_is_counted(engine):
    result = rs.evaluate(pl.DataFrame(JUDGED), pl.DataFrame(RUN | {"rank": [2, 1, 1]}), "RR")
    assert [n.code for n in result.warnings] == ["rank-disagrees"]


def test_judgments_without_grades_are_relevant_documents(engine):
    judged = {"user": ["1", "2"], "item": ["a", "c"], "timestamp": [1, 2]}
    assert rr(judged) == {"1": {"RR": 0.5}, "2": {"RR": 1.0}}


def test_text_files_and_numbers_meet(engine, tmp_path):
    """A TREC file does not say whether 1 is a number; frames and dicts do."""
    qrels = write_qrels(tmp_path / "qrels", {"1": {"10": 1, "9": 0}})
    run = write_run(tmp_path / "run", {"1": {"9": 2.0, "10": 2.0}})
    frame = pl.DataFrame({"qid": [1, 1], "docno": [9, 10], "score": [2.0, 2.0]})
    judged = pl.DataFrame({"qid": [1, 1], "docno": [10, 9], "rel": [1, 0]})
    assert rs.evaluate(qrels, frame, "RR")["RR"] == 1.0
    assert rs.evaluate(judged, frame, "RR")["RR"] == 1.0
    assert rs.evaluate(judged, run, "RR")["RR"] == 0.5
    with pytest.raises(rs.DataError, match=r"'1' is not 1 \(judged ids are text"):
        rs.evaluate(pl.DataFrame(JUDGED), frame, "RR")
    mixed = pl.DataFrame({"qid": ["1"], "docno": [9], "score": [1.0]})
    judged_text = pl.DataFrame({"qid": ["1"], "docno": ["9"], "rel": [1]})
    assert [n.code for n in rs.evaluate(judged_text, mixed, "RR").warnings] == ["ids-look-alike"]


def without(columns, name):
    return {n: v for n, v in columns.items() if n != name}


BAD = {
    "no query": (without(RUN, "query_id") | {"qery": ["1"] * 3}, r"cannot tell which column holds the queries\. .* \(--columns query=qery\)"),
    "no score": (without(RUN, "score") | {"bm25": [1.0] * 3}, r"columns=\{'score': 'bm25'\} \(--columns score=bm25\); .* ranks by the order"),
    "null query": (RUN | {"query_id": ["1", "2", None]}, r"column 'query_id' has no value in row 2"),
    "null id": (RUN | {"doc_id": ["a", None, "b"]}, r"column 'doc_id' has no value in row 1"),
    "null score": (RUN | {"score": [1.0, 2.0, None]}, r"'score' has no value in row 2|score in row 2"),
    "nan": (RUN | {"score": [1.0, float("nan"), 2.0]}, r"score in row 1 .* is not a finite number"),
    "inf": (RUN | {"score": [1.0, 2.0, float("inf")]}, r"score in row 2 .* is not a finite number"),
    "text": (RUN | {"score": ["a", "b", "c"]}, r"column 'score' holds text, not numbers"),
    "floats": (RUN | {"query_id": [1.0, 2.0, 1.0]}, r"holds floats; a query id is text or a whole"),
    "empty id": (RUN | {"doc_id": ["a", "", "b"]}, r"empty document id in row 1 .* 'doc_id'"),
    "no rows": ({n: v[:0] for n, v in RUN.items()}, r"the table has no rows|holds nothing but"),
    "bool": (RUN | {"doc_id": [True, False, True]}, r"'doc_id' holds "),
}  # fmt: skip


@pytest.mark.parametrize("make", [pd.DataFrame, texts_as(object), pl.DataFrame, pa.table])
@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_precise_errors(engine, make, case):
    columns, message = BAD[case]
    if case == "no rows":
        frame = make(RUN)[:0] if not hasattr(make(RUN), "slice") else make(RUN).slice(0, 0)
    elif make is FRAMES["pandas object"] or (case == "bool" and make is pd.DataFrame):
        frame = pd.DataFrame(columns)
        frame = frame.astype({n: object for n in frame if not pd.api.types.is_numeric_dtype(frame[n])})  # fmt: skip
    else:
        frame = make(columns)
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate(JUDGED_DICT, frame, "RR")


AS_JUDGED = {
    "null query": (JUDGED | {"query_id": [None, "1", "2"]}, r"the judgments: column 'query_id' has no value in row 0"),
    "null grade": (JUDGED | {"relevance": [1.0, None, 2.0]}, r"'relevance' has no value in row 1"),
    "nan": (JUDGED | {"relevance": [1.0, float("nan"), 2.0]}, r"the grade in row 1 .* is not a finite number"),
    "text": (JUDGED | {"relevance": ["a", "b", "c"]}, r"column 'relevance' holds text, not numbers"),
    "floats": (JUDGED | {"doc_id": [12.0, 13.0, 14.0]}, r"holds floats; a document id is text or a whole number\. .*cast the column to int64"),
    "empty id": (JUDGED | {"query_id": ["1", "", "2"]}, r"empty query id in row 1"),
    "dates": (JUDGED | {"doc_id": [date(2020, 1, 1)] * 3}, r"'doc_id' holds dates or times; a document id is"),
    "bytes": (JUDGED | {"doc_id": [b"a", b"b", b"c"]}, r"'doc_id' holds bytes; a document id is"),
    "lists": (JUDGED | {"doc_id": [["a"], ["b"], ["c"]]}, r"'doc_id' holds lists or records; a document id"),
    "decimals": (JUDGED | {"relevance": [Decimal("1.5")] * 3}, r"'relevance' holds decimals, not numbers\. Cast it to float64"),
    "booleans": (JUDGED | {"doc_id": [True, False, True]}, r"'doc_id' holds booleans; a document id"),
    "nothing": (JUDGED | {"doc_id": [None] * 3}, r"'doc_id' holds nothing but missing values"),
    "no rows": ({n: pa.array([], pa.string()) for n in ("qid", "docno")}, r"the judgments: the table has no rows"),
    "no columns": ({}, r"cannot tell which columns hold the queries and the documents\. Columns: none"),
    "no grade": ({"qid": ["1"], "docno": ["a"], "stars": [3]}, r"columns=\{'grade': 'stars'\}"),
}  # fmt: skip


@pytest.mark.parametrize("case", AS_JUDGED)
def test_bad_tables_of_judgments_are_precise_errors(engine, case):
    columns, message = AS_JUDGED[case]
    with pytest.raises(rs.DataError, match=message):
        rs.evaluate(pa.table(columns), JUDGED_DICT, "RR")


CSV = {
    "no rows": ("qid,docno,score\n", r"the table has no rows"),
    "ragged": (
        "qid,docno,score\n1,a,1\n1,b,2,3,4\n",
        r"the table cannot be read|:3: 5 fields, and the header has 3",
    ),
    "text": ("qid,docno,score\n1,a,high\n", r":2: 'high' in column 'score' is not a number"),
    "decimal comma": ("qid;docno;score\n1;a;2.5\n1;b;0,5\n", r":3: '0,5' in column 'score'"),
    "no value": ("qid,docno,score\n1,a,1\n1,b,\n", r"no value in row 2 under the header"),
    "no id": ("qid,docno,score\n1,a,1\n1,,2\n", r"no value in row 2|empty document id in row 2"),
    "nan": (
        "qid,docno,score\n1,a,nan\n",
        r"score in row 1 under the header .* is not a finite number",
    ),
    "no score": ("qid,docno,bm25\n1,a,1\n", r"cannot tell which column holds the scores"),
    "stray quote far down": (
        "qid,docno,score\n" + "1,document,1\n" * 200_000 + '1,5" b,2\n',
        r":200002: a quote within a field",
    ),
    "stray quote": ('qid,docno,score\n1,a,1\n1,5" b,2\n1,7" b,3\n', r":3: a quote within a field"),
    "quote in a name": ('qid,docno,score,x"y\n1",a,1,2\n1,b,2,3\n', r":1: a quote within a field"),
    "text after quotes": ('qid,docno,score\n1,"a"b,1\n', r":2: a quote within a field"),
    "open quote": ('qid,docno,score\n1,"a,1\n1,b,2\n', r"a quote is opened and never closed"),
    "CR": (
        "qid,docno,score,x,y\n1,a,1,2,3\n1,a,1\r1,b,2\n",
        r":3: a CR that is not followed by LF",
    ),
    "header on two lines": ('qid,docno,score,"x\n1",a,1,2\n', r"expected|not a number"),
    "twice": ("qid,docno,docno,score\n1,a,b,1\n", r"several columns 'docno'|cannot be read"),
}


@pytest.mark.parametrize("libraries", ["polars", "pyarrow", "none"])
@pytest.mark.parametrize("case", CSV)
def test_bad_csv_is_an_error(engine, tmp_path, monkeypatch, case, libraries):
    text, message = CSV[case]
    path = tmp_path / "run.csv"
    path.write_text(text, newline="")
    monkeypatch.setattr(
        "rankstone.io.formats.tables.find_spec", lambda name: name if name == libraries else None
    )
    with pytest.raises(rs.DataError, match=f"{path}.*({message})"):
        rs.evaluate(JUDGED_DICT, path, "RR")


JUDGED_DICT = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}


def test_more_errors(engine):
    mixed = pd.DataFrame(RUN).astype(object)
    mixed.iloc[1, 0] = 2
    assert rs.evaluate(JUDGED_DICT, mixed, "RR")["RR"] == 0.75  # as text, as in a file
    twice = pa.table([["1"], ["a"], ["b"], [1.0]], ["qid", "docno", "docno", "score"])
    with pytest.raises(rs.DataError, match="several columns 'docno'"):
        rs.evaluate(JUDGED_DICT, twice, "RR")
    twice = pd.DataFrame([["1", "a", "b", 1.0]], columns=["qid", "docno", "docno", "score"])
    with pytest.raises(rs.DataError, match="several columns 'docno'"):
        rs.evaluate(JUDGED_DICT, twice, "RR")
    with pytest.raises(rs.DataError, match=r"no column 'scor'\. Did you mean score\?"):
        rr(columns={"score": "scor"})
    with pytest.raises(rs.UsageError, match=r"columns names 'docs'\. Did you mean doc\?"):
        rr(columns={"docs": "doc_id"})
    with pytest.raises(rs.DataError, match="is one column; give a table"):
        rs.evaluate(JUDGED_DICT, pl.Series([1, 2]), "RR")
    for index in (["a", "b"], pd.MultiIndex.from_tuples([("1", "a"), ("1", "b")])):
        with pytest.raises(rs.RankstoneError, match="is one column; give a table|cannot read a "):
            rs.evaluate(JUDGED_DICT, pd.Series([1.0, 2.0], index=index), "RR")
    reader = pa.table(RUN).to_reader()
    assert rs.evaluate(JUDGED_DICT, reader, "RR")["RR"] == 0.75
    with pytest.raises(rs.DataError, match="the table has no rows|cannot be read"):
        rs.evaluate(JUDGED_DICT, reader, "RR")
    with pytest.raises(rs.UsageError, match="or a dataframe"):
        rs.evaluate(JUDGED_DICT, 7, "RR")


@pytest.mark.parametrize("libraries", ["polars", "pyarrow", "none"])
@pytest.mark.parametrize("kind", TABLES)
def test_tables_in_files(engine, tmp_path, monkeypatch, kind, libraries):
    judged, run = {**JUDGED, "query_id": ["01", "01", "2"]}, {**RUN, "query_id": ["01", "2", "01"]}
    paths = tmp_path / f"judged.{kind}", tmp_path / f"run.{kind}"
    for path, columns in zip(paths, (judged, run), strict=True):
        TABLES[kind](pa.table(columns), str(path))
    names = {"polars": ["polars", "pyarrow"], "pyarrow": ["pyarrow"], "none": []}[libraries]
    monkeypatch.setattr(
        "rankstone.io.formats.tables.find_spec", lambda name: name if name in names else None
    )
    if libraries == "none" and "sv" not in kind:
        with pytest.raises(rs.MissingDependencyError, match=r"pip install '\.\[frames\]'"):
            rs.evaluate(*paths, "RR")
        return
    result = rs.evaluate(*paths, "RR")
    assert result.name.split(".")[0] == "run"
    assert result.per_query == {"01": {"RR": 0.5}, "2": {"RR": 1.0}}
    assert result.provenance.run.to_dict()["sha256"]


def write_row_groups(columns, sizes, path):
    """Write a Parquet file whose row groups have some sizes, 0 among them; the rest is the last."""
    table = pa.table(columns)
    with parquet.ParquetWriter(path, table.schema) as out:
        for size in sizes:
            out.write_table(table.slice(0, size))
            table = table.slice(size)
        out.write_table(table)


@pytest.mark.parametrize("polars", [True, False])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(collections(), st.data(), st.sampled_from(["docid-desc", "input"]))
def test_row_groups_change_nothing(engine, tmp_path, polars, collection, data, ties):
    judgments, run = collection
    order = data.draw(st.permutations(range(sum(map(len, run.values())))))
    sizes = data.draw(st.lists(st.integers(0, 4), max_size=6))
    columns = columns_of(run, "score", order)
    write_row_groups(columns, sizes, tmp_path / "run")
    expected = bits(rs.evaluate(judgments, pa.table(columns), MEASURES, ties=ties))
    with pytest.MonkeyPatch.context() as patch:
        if not polars:
            patch.setattr(
                "rankstone.io.formats.tables.find_spec", lambda n: n if n == "pyarrow" else None
            )
        assert bits(rs.evaluate(judgments, tmp_path / "run", MEASURES, ties=ties)) == expected


@pytest.mark.parametrize("sizes", [[3], [0, 2, 0, 1, 0, 0], [1, 1, 1, 1]])
@pytest.mark.parametrize("judged", ["1", "2"])
@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("query_id", None, "column 'query_id' has no value in row 4"),
        ("doc_id", None, "column 'doc_id' has no value in row 4"),
        ("score", None, "column 'score' has no value in row 4"),
        ("score", float("nan"), "the score in row 4 .* of column 'score' is not a finite number"),
        ("doc_id", "", "empty document id in row 4"),
    ],
)
def test_rows_at_fault_are_counted_through_row_groups(
    engine, tmp_path, sizes, judged, column, value, words
):
    columns = {
        "query_id": ["1", "2", "1", "2", "1", "2"],
        "doc_id": list("abcabc"),
        "score": [9.0, 8.0, 7.0, 6.0, 5.0, 4.0],
    }
    columns[column][4] = value
    write_row_groups(columns, sizes, tmp_path / "run")
    with pytest.raises(rs.DataError, match=words):
        rs.evaluate({judged: {"a": 1}}, tmp_path / "run", "RR")


def test_broken_files_are_errors(engine, tmp_path):
    whole = tmp_path / "whole.parquet"
    pl.DataFrame(RUN).write_parquet(whole)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-20])
    with pytest.raises(rs.DataError, match=f"{cut}: the table cannot be read"):
        rs.evaluate(JUDGED_DICT, cut, "RR")
    words = tmp_path / "words.csv"
    words.write_text("qid,docno,score\n1,a,high\n")
    with pytest.raises(rs.DataError, match=f"{words}:2: 'high' in column 'score'"):
        rs.evaluate(JUDGED_DICT, words, "RR")


@settings(max_examples=examples(150))
@given(collections(), st.data(), st.sampled_from(["docid-desc", "docid-asc", "expected"]))
def test_excluding_equals_removing_by_hand(collection, data, ties):
    judgments, run = collection
    pairs = [(q, d) for q, docs in run.items() for d in docs]
    gone = set(data.draw(st.lists(st.sampled_from(pairs))))
    measures = [m for m in MEASURES if m != "ERR" or ties != "expected"]
    exclude = {}
    for query, doc in gone:
        exclude.setdefault(query, {})[doc] = 1
    exclude.setdefault("nobody", {})["nothing"] = 1
    left = {q: {d: s for d, s in docs.items() if (q, d) not in gone} for q, docs in run.items()}
    expected = rs.evaluate(judgments, left, measures, ties=ties)
    frame = pl.DataFrame(columns_of(run, "score"))
    listed = pd.DataFrame(columns_of(exclude, "rating"))
    for ranked, out in ((run, exclude), (frame, listed), (run, listed), (frame, exclude)):
        got = rs.evaluate(judgments, ranked, measures, ties=ties, exclude=out)
        assert bits(got)[:3] == bits(expected)[:3]
        codes = {n.code: n.count for n in got.notices}
        counted = sum(q in judgments for q, _ in gone)
        assert codes.get("excluded", 0) == counted
        both = sum(d in judgments.get(q, ()) for q, d in gone)
        assert codes.get("excluded-judged", 0) == both
        assert codes.get("cold-queries", 0) == len(set(judgments) - set(exclude))


def test_all_queries_of_a_run_may_be_averaged(engine):
    """More of them without judgments than an example would show."""
    run = {
        "query_id": ["1"] + [f"x{i}" for i in range(300)],
        "doc_id": ["a"] * 301,
        "score": [1.0] * 301,
    }
    held = {q: {"a": 1.0} for q in run["query_id"]}
    got = rs.evaluate(JUDGED_DICT, pl.DataFrame(run), "RR", queries="run")
    assert bits(got) == bits(rs.evaluate(JUDGED_DICT, held, "RR", queries="run"))
    assert len(got.queries) > 300


def test_exclude_needs_ids_of_one_kind():
    with pytest.raises(rs.DataError, match="exclude: query ids are whole numbers"):
        rs.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "RR", exclude={1: ["a"]})


@pytest.mark.parametrize(
    ("pair", "n"),
    [
        ("1,11", 1),
        ("1,1_1", 0),
        ("1,011", 0),
        ("01,11", 0),
        ("1,x", 0),
        ("1,11.0", 0),
        ("1,\u00b2", 0),
    ],
)
def test_text_to_exclude_stands_for_the_number_that_is_written_alike(engine, tmp_path, pair, n):
    judged = pd.DataFrame({"query": [1, 2], "document": [12, 12], "grade": [1, 1]})
    run = pd.DataFrame({"query": [1, 1, 2], "document": [11, 12, 12], "score": [2.0, 1.0, 1.0]})
    (tmp_path / "seen.csv").write_text(f"query,document\n{pair}\n", encoding="utf-8")
    got = rs.evaluate(judged, run, "RR", exclude=tmp_path / "seen.csv")
    assert {c.code: c.count for c in got.notices}.get("excluded", 0) == n
    assert got.values("RR").tolist() == [1.0 if n else 0.5, 1.0]


def test_results_leave_as_tables():
    result = rs.evaluate({1: {"a": 1}, 2: {"b": 1}}, {1: ["x", "a"], 2: ["b"]}, ["RR", "R@1"])
    long = {"query": [1, 2, 1, 2], "measure": ["RR", "RR", "R@1", "R@1"], "value": [0.5, 1, 0, 1]}
    wide = {"query": [1, 2], "RR": [0.5, 1.0], "R@1": [0.0, 1.0]}
    assert result.to_pandas().to_dict("list") == long
    assert result.to_polars().to_dict(as_series=False) == long
    assert result.to_arrow().to_pydict() == long
    assert result.to_pandas(wide=True).to_dict("list") == wide
    assert result.to_polars(wide=True).to_dict(as_series=False) == wide
    assert result.to_arrow(wide=True).to_pydict() == wide


def test_what_is_missing_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    result = rs.evaluate({"1": {"a": 1}}, {"1": ["a"]}, "RR")
    with pytest.raises(rs.MissingDependencyError, match="pip install polars"):
        result.to_polars()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_loads_no_other_library(library):
    make = {"pandas": "pandas.DataFrame", "polars": "polars.DataFrame", "pyarrow": "pyarrow.table"}
    code = f"""
import sys, {library}
frame = {make[library]}({{"qid": [1], "docno": ["d"], "score": [3.0], "rel": [1]}})
before = set(sys.modules)
import rankstone as rs
assert rs.evaluate(frame, frame, "RR")["RR"] == 1.0
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & ({"pandas", "polars", "pyarrow", "narwhals", "duckdb"} - {library})


def test_the_command_takes_tables(tmp_path, capsys):
    from rankstone.cli import main

    judged, run, train = tmp_path / "j.parquet", tmp_path / "r.csv", tmp_path / "t.csv"
    columns = {"u": JUDGED["query_id"], "doc_id": JUDGED["doc_id"], "grade": JUDGED["relevance"]}
    pl.DataFrame(columns).write_parquet(judged)
    pl.DataFrame(RUN).write_csv(run)
    pl.DataFrame({"u": ["1"], "item": ["b"]}).write_csv(train)
    call = ["evaluate", str(judged), str(run), "-m", "RR", "--columns", "query=u,query=query_id"]
    assert main(call) == 0
    assert capsys.readouterr().out.splitlines()[-1].split("\t")[-1] == "0.75"
    assert main([*call, "--exclude", str(train)]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].split("\t")[-1] == "1"
    assert main([*call, "--columns", "query"]) == 2
    assert "write a column as ROLE=NAME" in capsys.readouterr().err


def test_a_column_whose_name_holds_a_nul_is_a_column():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a\0b": ["q"], "doc": ["d"], "rel": [1]})
    columns = {"query": "a\0b"}
    assert rs.evaluate(frame, {"q": ["d"]}, "RR", columns=columns)["RR"] == 1.0


def test_a_file_that_a_library_gives_up_on_is_an_error(tmp_path):
    pytest.importorskip("polars")
    path = tmp_path / "odd.csv"
    path.write_bytes(b"query_id,doc_id,rank\r\n\xc3\xa9,',\r\ntrue,2020-01-01,\"")
    with pytest.raises(rs.DataError, match="odd.csv"):
        rs.evaluate({"q": {"d": 1}}, path, "RR")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_ranks_are_not_distances(kind):
    frame = kind({"query": ["q", "q"], "doc": ["a", "b"], "rank": [1, 2]})
    assert rs.evaluate({"q": {"b": 1}}, frame, "RR")["RR"] == 0.5
    with pytest.raises(rs.UsageError, match="scores"):
        rs.evaluate({"q": {"b": 1}}, frame, "RR", scores="ascending")
    scored = kind({"query": ["q", "q"], "doc": ["a", "b"], "score": [0.9, 0.1]})
    assert rs.evaluate({"q": {"b": 1}}, scored, "RR", scores="ascending")["RR"] == 1


@pytest.mark.parametrize(
    ("grades", "code"), [([1, 1, 0], "repeated-judgments"), ([1, 2, 0], "contradicting-judgments")]
)
def test_judgments_of_whole_numbers_that_are_there_twice_are_named(engine, grades, code):
    frame = pd.DataFrame({"query": [10, 10, 10], "doc": [7, 7, 300], "relevance": grades})
    (notice,) = load_judgments(frame).notices
    assert (notice.code, notice.count) == (code, 1)
    assert notice.examples == ("document 7 of query 10",)


def test_parts_of_two_libraries_are_not_joined():
    one, other = pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})
    for parts in ((one, other), (other, one), ([1], [2])):
        with pytest.raises(rs.UsageError, match="all parts are of one kind"):
            joined(*parts)
    assert joined(None, one) is one
    assert joined(one, one)["a"].tolist() == [1, 1]


def test_a_name_with_brackets_is_no_pattern(tmp_path):
    frame = pl.DataFrame({"query": ["q"], "doc": ["a"], "relevance": [2]})
    frame.write_ipc(tmp_path / "a[1].arrow")
    frame.write_parquet(tmp_path / "a[1].parquet")
    for ending in ("arrow", "parquet"):
        assert load_judgments(tmp_path / f"a[1].{ending}").grades.tolist() == [2.0]


def test_a_mask_and_excluded_documents_both_leave_out():
    judged = sparse.csr_matrix([[1, 0, 1, 0]])
    excluded = sparse.csr_matrix([[1, 0, 0, 0]])
    scores, mask = np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[True, False, True, True]])
    other = sparse.csr_matrix([[0, 0, 0, 1]])
    found = rs.evaluate(judged, scores, ["RR", "NumRet"], exclude=other, mask=mask)
    assert (found["RR"], found["NumRet"]) == (1.0, 2.0)
    with pytest.raises(rs.UsageError, match="exclude= holds relevant items"):
        rs.evaluate(judged, scores, "RR", exclude=excluded, mask=mask)
    kept = rs.evaluate(judged, scores, ["RR", "NumRet"], exclude=excluded)
    assert (kept["RR"], kept["NumRet"]) == (0.5, 3.0)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"query": ["q"], "doc": ["a"], "score": ["x"]}).lazy().with_columns(pl.col("score").cast(pl.Float64)), "conversion from `str` to `f64` failed"),
        (pl.DataFrame({"query": ["q"], "doc": ["a"]}).lazy().with_columns(pl.col("nope")), 'unable to find column "nope"'),
        (pl.DataFrame({"query": ["q"], "doc": ["a"], "score": [1.0]}).lazy().map_batches(lambda _: 1 / 0), "division by zero"),
    ],
    ids=["cast", "column", "function"],
)  # fmt: skip
def test_a_lazy_frame_that_fails_is_named(frame, message):
    with pytest.raises(rs.DataError, match="the LazyFrame cannot be collected") as caught:
        rs.evaluate({"q": {"a": 1}}, frame, "RR")
    assert message in str(caught.value)


def test_a_dictionary_of_a_dictionary_is_named():
    inner = pa.array(["q", "q"]).dictionary_encode()
    nested = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), inner)
    table = pa.table({"query": nested, "doc": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(rs.DataError, match="column 'query' is a dictionary of a dictionary"):
        rs.evaluate({"q": {"a": 1}}, table, "RR")
    decoded = table.set_column(0, "query", table["query"].combine_chunks().dictionary_decode())
    assert rs.evaluate({"q": {"a": 1}}, decoded, "RR")["RR"] == 1 / 2


def run_of(**columns):
    return pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "e"], "score": [1, 2]} | columns)


@pytest.mark.parametrize("kind", [object, "str"])
def test_categories_are_ids_of_text_or_numbers(kind):
    texts = pd.Categorical(["d", "e"], categories=pd.Index(["e", "d"], dtype=kind))
    assert rs.evaluate({"q": {"d": 1}}, run_of(doc_id=texts), "RR")["RR"] == 0.5
    numbers = pd.Categorical([7, 5], categories=pd.Index([5, 7]))
    assert rs.evaluate({"q": {7: 1}}, run_of(doc_id=numbers), "RR")["RR"] == 0.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2020-01-02"]).astype("datetime64[ns]"), "column 'doc_id' is of type datetime64[ns]; ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", 1.5], dtype=object), "column 'doc_id' holds 1.5 (float) in row 1 (rows count from 0); ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", ["e"]], dtype=object), "column 'doc_id' holds ['e'] (list) in row 1 (rows count from 0); ids are text or whole numbers, scores and grades are numbers."),
        (pd.Series(["d", float("nan")], dtype=object), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Series(["d", None], dtype=object), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Series([1, pd.NA], dtype="Int64"), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
        (pd.Categorical(["d", None]), "column 'doc_id' has no value in row 1 (rows count from 0); fill it or drop the row."),
    ],
)  # fmt: skip
def test_a_column_that_cannot_be_ids(values, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, run_of(doc_id=values), "RR")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (pa.array([1, 2], pa.date32()), "holds dates or times"),
        (pa.array([1, 2]).cast(pa.decimal128(21, 2)), "holds decimals"),
        (pa.array([True, False]), "holds booleans"),
        (pa.array([[1], [2]]), "holds lists or records"),
        (pa.array([b"d", b"e"]), "holds bytes"),
    ],
)
def test_a_column_of_an_arrow_type_that_cannot_be_ids(values, words):
    docs = pd.Series(pd.arrays.ArrowExtensionArray(values))
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"d": 1}}, run_of(doc_id=docs), "RR")
    message = f"run: column 'doc_id' {words}; a document id is text or a whole number."
    assert str(caught.value).startswith(message)


def test_rows_without_numbers_are_scored_by_their_order():
    run = frames.run_of(run_of()[["query_id", "doc_id"]])
    found = run.match(load_judgments({"q": {"d": 1, "e": 1}}), float32=False, repeats=False)
    score = dict(zip(found.judgment.tolist(), found.score.tolist(), strict=True))
    assert score[0] > score[1]


def test_a_processor_that_cannot_be_counted_is_one(monkeypatch):
    monkeypatch.setattr(frames.os, "cpu_count", lambda: None)
    assert frames.run_of(run_of()).threads == 1
    assert frames.run_of(run_of(), ReadOptions(threads=3)).threads == 3


def test_a_column_of_sets_is_not_one_of_lists():
    frame = pd.DataFrame({"query_id": ["q"], "x": [{1}]})
    with pytest.raises(rs.DataError, match=r"\(--columns doc=\.\.\.\)\.$"):
        rs.evaluate({"q": {"d": 1}}, frame, "RR")


def test_an_object_that_is_no_table():
    with pytest.raises(rs.DataError, match=f"^cannot read a table from {type(Path()).__name__}.$"):
        open_table(Path())


def test_tables_that_narwhals_knows_are_told_from_other_objects():
    assert as_narwhals(run_of()).columns == ["query_id", "doc_id", "score"]
    assert as_narwhals(Path()) is None
    assert as_narwhals([1]) is None


A_IS_RELEVANT = {"q1": {"d1": 1}}


A_IS_SECOND = {"query": ["q1", "q1"], "doc": ["d1", "d2"], "score": [2.0, 1.0]}


RECORDS = [{"a": "d1", "b": "x"}, {"a": "d2", "b": "y"}]


def rr_of(judged, run):
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
    column = [{"a": value, "b": 7} for value in A_IS_SECOND[role]]
    with pytest.raises(rs.DataError, match=f"column '{role}' holds lists or records"):
        rr_of(A_IS_RELEVANT, make(A_IS_SECOND | {role: column}))


def test_a_pandas_column_of_records_is_not_its_first_field(engine):
    records = pd.array(RECORDS, pd.ArrowDtype(pa.struct([("a", pa.string()), ("b", pa.string())])))
    with pytest.raises(rs.DataError, match="column 'doc' holds lists or records"):
        rr_of(A_IS_RELEVANT, pd.DataFrame(A_IS_SECOND | {"doc": records}))


@pytest.mark.parametrize("offset", [0, 1])
def test_a_record_that_is_missing_is_not_its_fields(engine, offset):
    fields = [pa.array(["q1", "q1", "q1"]), pa.array(["d0", "d1", "d2"]), pa.array([0.0, 1, 2])]
    table = pa.StructArray.from_arrays(
        fields, ["query", "doc", "score"], mask=pa.array([False, False, True])
    )
    with pytest.raises(rs.DataError, match=rf"row {2 - offset} is missing"):
        rr_of(A_IS_RELEVANT, Stream(table[offset:]))
    assert rr_of(A_IS_RELEVANT, Stream(table[offset:2])) == 1


def test_the_index_of_a_series_holds_its_documents(engine):
    scores = pd.Series([1.0, 2.0], index=["d1", "d2"])
    assert rr_of(A_IS_RELEVANT, {"q1": scores}) == 0.5
    assert rr_of(A_IS_RELEVANT, {"q1": scores.astype(int)}) == 0.5
    assert rr_of({"q1": pd.Series([0, 3], index=["d2", "d1"])}, {"q1": ["d2", "d1"]}) == 0.5
    assert rr_of({"q1": {7: 1}}, {"q1": pd.Series([0.5, 0.7], index=[7, 9])}) == 0.5
    assert rr_of([{"d1": 1}], [scores]) == 0.5


def test_a_series_of_documents_is_a_list(engine):
    assert rr_of(A_IS_RELEVANT, {"q1": pd.Series(["d2", "d1"], index=[10, 5])}) == 0.5
    assert rr_of({"q1": {5: 1}}, {"q1": pd.Series([4, 5]).tolist()}) == 0.5


def test_a_series_that_may_be_either_is_refused():
    with pytest.raises(rs.DataError, match=r"series\.tolist\(\) for the first"):
        rr_of({"q1": {5: 1}}, {"q1": pd.Series([4, 5], index=[3, 9])})
    for judged, run in (([1, 2, 0], [0.1, 0.9, 0.3]), ([1.0, 2.0, 0.0], [1, 9, 3])):
        with pytest.raises(rs.DataError, match=r"series\.to_dict\(\) for the second"):
            rr_of({"q1": pd.Series(judged)}, {"q1": pd.Series(run)})
    with pytest.raises(rs.DataError, match="holds a document twice"):
        rr_of(A_IS_RELEVANT, {"q1": pd.Series([0.4, 0.5], index=["d1", "d1"])})


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
