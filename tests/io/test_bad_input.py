"""Bad input: an error that names file, line and reason, or a counted warning; never a number."""

import bz2
import gzip
import lzma
import os
import sys

import numpy as np
import pytest
import zstandard

import rankstone as rs
from rankstone.cli import main
from rankstone.core import engine as core_engine
from rankstone.io import files as files_of
from rankstone.io.formats.trec_prefs import read_groups
from rankstone.verbs.load import load_run

GOOD_QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
GOOD_RUN = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"

BAD_RUNS = {
    "short line": ("q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0\n", ":2: expected 6 fields (query Q0 document rank score tag), found 5"),
    "long line": ("q1 Q0 d1 1 2.0 t\nq1 Q0 d1 1 2.0 my tag\n", ":2: expected 6 fields (query Q0 document rank score tag), found 7"),
    "longer line": ("q1 Q0 d1 1 2.0 my long tag\n", ":1: expected 6 fields (query Q0 document rank score tag), found 8"),
    "tag only at first": ("q1 Q0 d1 1 2.0 my tag\nq1 Q0 d2 2 1.0 tag\n", ":2: expected 7 fields (query Q0 document rank score tag more) like the first row, found 6"),
    "no tag at first": ("q1 Q0 d1 1 2.0\nq1 Q0 d2 2 1.0 tag\n", ":2: expected 5 fields (query Q0 document rank score) like the first row, found 6"),
    "five columns, no rank": ("q1 Q0 d1 2.5 t\n", ":1: expected 6 fields (query Q0 document rank score tag), found 5"),
    "rank or score": ("q1 d1 1\nq1 d2 1\n", "three columns, but is the third a rank or a score?"),
    "unknown names": ("query-id what score\nq1 d1 1.5\n", ":1: expected 6 fields"),
    "six unknown names": ("a b c d e f\nq1 Q0 d1 1 1.5 t\n", ":1:9: score 'e' is not a number. Write it like 3, -0.25 or 1e-3. A first line of names is known by its query, document and number columns."),
    "only comments": ("# a\n#b\n", "the file holds no rows"),
    "bad row under a header": ("query-id\tcorpus-id\tscore\nq1\td1\t1.5\nq1\td2\thigh\n", ":3:7: score 'high' is not a number"),
    "qrels as run": (GOOD_QRELS, "found 4: 'q1 0 d1 1'. This looks like TREC qrels; the order is judgments first, then runs."),
    "nan": ("q1 Q0 d1 1 NaN t\n", ":1:12: score 'NaN' is not a finite number"),
    "inf": ("\n\nq1 Q0 d1 1 -inf t\n", ":3:12: score '-inf' is not a finite number"),
    "overflow": ("q1 Q0 d1 1 1e999 t\n", ":1:12: score '1e999' is not a finite number"),
    "text score": ("q1 Q0 d1 1 high t\n", ":1:12: score 'high' is not a number. Write it like 3, -0.25 or 1e-3."),
    "decimal comma": ("q1 Q0 d1 1 1,5 t\n", "score '1,5' is not a number"),
    "underscore": ("q1 Q0 d1 1 1_000 t\n", "score '1_000' is not a number"),
    "hexadecimal": ("q1 Q0 d1 1 0x1A t\n", "score '0x1A' is not a number"),
    "trailing junk": ("q1 Q0 d1 1 0.8abc t\n", "score '0.8abc' is not a number"),
    "nul": ("q1 Q0 d\0 1 1 t\n", ":1:8: control character 0x00. Is this a TREC run? It looks like binary data."),
    "binary": ("\x7fELF\x02\x01\x01 \x00\x00", ":1:5: control character 0x02"),
    "cr line ends": ("q1 Q0 d1 1 2 t\rq1 Q0 d2 1 1 t\r", ":1:15: control character 0x0d. The file seems to have CR-only line ends"),
    "empty": ("", "the file is empty"),
    "only blank lines": ("\n \n\t\n", "the file holds no rows"),
    "huge line": ("q1 Q0 " + "d" * (2 << 20) + " 1 1 t\n", ":1: the line is longer than 1 MiB"),
    "unjudged queries only": ("q7 Q0 d1 1 2 t\n", "no query is both judged and in the run (judged: 'q1', ...; in the run: 'q7')"),
    "padded queries": ("q1 Q0 d1 1 2 t\n".replace("q1", "Q1"), "'q1' is not 'Q1'"),
}  # fmt: skip

BAD_QRELS = {
    "short line": ("q1 0 d1 1\nq1 0 d2\n", ":2: expected 4 fields (query iteration document grade), found 3"),
    "long line": ("q1 0 d1 1\nq1 0 d1 1 0.5\n", ":2: expected 4 fields (query iteration document grade), found 5"),
    "longer line": ("q1 0 d1 1 0.5 x\n", "expected 4 fields (query iteration document grade), found 6"),
    "ranks for grades": ("".join(f"q1 d{i} {i}\n" for i in range(1, 7)), "the grades count up like ranks (column 3). This looks like a run"),
    "a run of five columns": ("".join(f"q1 Q0 d{i} {i} 0.5\n" for i in range(1, 7)), "the grades count up like ranks (column 4). This looks like a run"),
    "ranks alone": ("qid\tdocid\trank\nq1\td1\t1\n", ":1: expected 4 fields"),
    "nan under a header": ("query-id corpus-id score\nq1 d1 nan\n", ":2:7: grade 'nan' is not a finite number"),
    "run as qrels": (GOOD_RUN, "This looks like a TREC run; the order is judgments first, then runs."),
    "text grade": (GOOD_QRELS + "q1 0 d3 high\n", ":3:9: grade 'high' is not a number"),
    "nan grade": ("q1 0 d1 nan\n", "grade 'nan' is not a finite number"),
    "binary": ("\x00\x01\x02", "control character 0x00"),
    "empty": ("", "the file is empty"),
    "only blank lines": ("\n\n", "the file holds no judgments"),
}  # fmt: skip


# Role, content, what is said.
BAD_FILES = {
    "json cut short": ("run", '{"q1": {"d1": 1.5', "this is not valid JSON (Expecting ',' delimiter, character 18)"),
    "json with a trailing comma": ("run", '{"q1": {"d1": 1.5},}', "this is not valid JSON"),
    "json on several lines": ("run", '{"q1": {\n  "d1": 1.5,\n  oops\n}}', ":3: this is not valid JSON"),
    "json key twice": ("run", '{"q1": {"d1": 1.5, "d1": 2}}', "the key 'd1' is twice in one JSON object"),
    "json query twice": ("judgments", '{"q1": {"d1": 1}, "q1": {"d2": 2}}', "the key 'q1' is twice in one JSON object"),
    "json NaN": ("run", '{"q1": {"d1": NaN}}', "NaN is not a finite number"),
    "json infinity": ("run", '{"q1": {"d1": -Infinity}}', "-Infinity is not a finite number"),
    "json overflow": ("run", '{"q1": {"d1": 1e999}}', "score inf is not a finite number"),
    "json text score": ("run", '{"q1": {"d1": "high"}}', "query 'q1': score 'high' is not a number"),
    "json null score": ("run", '{"q1": {"d1": null, "d2": 1}}', "query 'q1': score None is not a number"),
    "json null scores": ("run", '{"q1": {"d1": null, "d2": null}}', "query 'q1': score None is not a number"),
    "json null grade": ("judgments", '{"q1": {"d1": null}}', "query 'q1': grade None is not a number"),
    "json null grade in a list": ("judgments", '{"q1": [{"id": "d1", "rating": null}]}', "query 'q1': grade None is not a number"),
    "json score in other digits": ("run", '{"q1": {"d1": "\u0663"}}', "score '\\u0663' is not a number"),
    "json record on several lines": ("judgments", '{"query": "q1",\n "expected_ids": ["d1"]}', "a record over several lines. Write it in one line, which is JSONL."),
    "json record or queries": ("judgments", '{"expected_ids": ["d1"], "retrieved_ids": ["d2"]}', "is 'expected_ids' a query, or does it name a part of a record? Name the format: 'json'"),
    "json true score": ("run", '{"q1": {"d1": true}}', "score True is not a number"),
    "json score underscored": ("run", '{"q1": {"d1": "1_0"}}', "score '1_0' is not a number"),
    "json scalar": ("run", '{"q1": 3}', "query 'q1': expected an object of documents with numbers, or an array of documents"),
    "json scalar judgments": ("judgments", '{"q1": "d1"}', "query 'q1': expected an object of documents with numbers"),
    "json float id": ("run", '{"q1": [12.0]}', "document id 12.0 is neither text nor a whole number. Write it as 12, in the judgments and in the run."),
    "json bool id": ("judgments", '{"q1": [true]}', "document id True is neither text nor a whole number"),
    "json null id": ("judgments", '{"q1": [null]}', "document id None is neither text nor a whole number"),
    "json empty id": ("judgments", '{"q1": {"": 1}}', "query 'q1': empty document id"),
    "json empty query": ("judgments", '{"": {"d1": 1}}', "empty query id"),
    "json lone surrogate": ("judgments", '{"q1": {"\\ud800": 1}}', "document id '\\ud800' is not valid text"),
    "json empty object": ("judgments", "{}", "the file holds no judgments"),
    "json empty run": ("run", "{}", "the file holds no rows"),
    "json empty array": ("run", "[]", "the file holds no rows"),
    "json no judged": ("judgments", '{"q1": {}}', "the file holds no judgments"),
    "json mixed": ("run", '{"q1": {"d1": 1}, "q2": ["d1"]}', "some records hold scores and some hold lists"),
    "json deep": ("run", "[" * 100_000, "the JSON is nested too deeply"),
    "json long number": ("run", '{"q1": {"d1": ' + "1" * 5000 + "}}", "this JSON cannot be read"),
    "json array of numbers": ("run", "[1, 2]", "record 1: expected an object with a query and its documents"),
    "jsonl not json": ("run", '{"query_id": 1, "doc_id": 2, "score": 1}\nq1 d1 1\n', ":2: this is not valid JSON"),
    "jsonl cut short": ("run", '{"query_id": 1, "doc_id": 2, "score": 1}\n{"query_id": 1, "doc', ":2: this is not valid JSON"),
    "jsonl unknown keys": ("run", '{"a": 1}\n{"a": 2}\n', ":1: no key of the record is known to hold a document and its score, or a list of retrieved ids (keys: 'a')"),
    "jsonl no grade": ("judgments", '{"query_id": 1, "doc_id": 2}\n', ":1: no key of the record is known to hold a document and its grade"),
    "jsonl run as judgments": ("judgments", '{"query_id": 1, "retrieved_ids": [2]}\n', ":1: no key of the record is known to hold a document and its grade, or a list of expected ids"),
    "jsonl judgments as run": ("run", '{"query_id": 1, "expected_ids": [2]}\n', "or a list of retrieved ids (keys: 'query_id', 'expected_ids')"),
    "jsonl score text": ("run", '{"query_id": "q1", "doc_id": 2, "score": "x"}\n', ":1: score 'x' is not a number"),
    "jsonl score missing later": ("run", '{"query_id": "q1", "doc_id": 2, "score": 1}\n{"query_id": "q1", "doc_id": 3}\n', ":2: no key of the record"),
    "jsonl score missing, label not": ("run", '{"qid": 1, "docid": "a", "label": 1, "score": 0.5}\n{"qid": 1, "docid": "b", "label": 1}\n', ":2: the score is under 'label', in a record before under 'score'. Use one key."),
    "jsonl ranks and scores": ("run", '{"qid": 1, "docid": "a", "score": 0.5}\n{"qid": 1, "docid": "b", "rank": 2}\n', ":2: the score is under 'rank', in a record before under 'score'"),
    "jsonl grade missing, score not": ("judgments", '{"qid": 1, "docid": "a", "grade": 1}\n{"qid": 1, "docid": "b", "score": 7}\n', ":2: the grade is under 'score', in a record before under 'grade'"),
    "jsonl query sometimes": ("run", '{"qid": "1", "retrieved": ["a"]}\n{"retrieved": ["b"]}\n', ":2: the query is missing, in a record before under 'qid'"),
    "json grades for some": ("judgments", '{"q1": [{"id": "a", "rating": 3}, "b"]}', "query 'q1': some documents have grades and some have none"),
    "json keys that change": ("judgments", '{"q1": [{"id": "a", "rating": 3}, {"id": "b", "rel": 1}]}', "query 'q1': documents and numbers are under 'id' and 'rating', then under 'id' and 'rel'"),
    "jsonl query object": ("run", '{"query_id": {"a": 1}, "doc_id": 2, "score": 1}\n', ":1: query id {'a': 1} is neither text"),
    "jsonl row and list": ("judgments", '{"query_id": 1, "doc_id": 2, "rating": 1, "relevant_ids": [3]}\n', ":1: the record holds a row ('doc_id') and a list of documents ('relevant_ids')"),
    "jsonl query null": ("run", '{"query_id": null, "doc_id": 2, "score": 1}\n', ":1: query id None is neither text"),
    "jsonl query twice": ("run", '{"query_id": 1, "retrieved_ids": [2]}\n{"query_id": 1, "retrieved_ids": [3]}\n', ":2: a second ranking of query '1'"),
    "jsonl record without id": ("run", '{"query_id": 1, "results": [{"score": 2}]}\n', ":1: no key of the record is known to hold a document id (keys: 'score')"),
    "jsonl of numbers": ("run", '{"query_id": "q1", "doc_id": "d1", "score": 1}\n7\n', ":2: expected an object"),
    "jsonl NUL": ("run", '{"query_id": "q1", "doc_id": "d1", "score": 1}\n\0\n', ":2: a NUL byte. It looks like binary data."),
    "rank-eval request as run": ("run", '{"requests": [{"id": "q1", "ratings": []}]}', "a _rank_eval request holds no ranking. Give the response."),
    "rank-eval response as judgments": ("judgments", '{"metric_score": 1, "details": {}}', "a _rank_eval response rates only what was retrieved. Give the request"),
    "rank-eval no id": ("judgments", '{"requests": [{"ratings": [{"_id": "d1", "rating": 1}]}]}', "request 1: query id None is neither text"),
    "rank-eval no rating": ("judgments", '{"requests": [{"id": "q1", "ratings": [{"_id": "d1"}]}]}', "request 1: rating None is not a number"),
    "rank-eval ratings": ("judgments", '{"requests": [{"id": "q1", "ratings": 7}]}', "request 1: expected an array of objects"),
    "rank-eval details": ("run", '{"requests": [], "details": 5}', "a _rank_eval request holds no ranking. Give the response."),
    "rank-eval requests": ("judgments", '{"metric_score": 1, "details": {}, "requests": [7]}', "a _rank_eval response rates only what was retrieved"),
    "rank-eval no hits": ("run", '{"metric_score": 1, "details": {"q1": {}}}', "query 'q1': expected an array of objects"),
    "opensearch as run": ("run", '{"judgmentRatings": []}', "the format 'opensearch'"),
    "opensearch rating": ("judgments", '{"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "good"}]}]}', "entry 1: rating 'good' is not a number"),
    "opensearch no ratings": ("judgments", '{"judgmentRatings": [{"query": "q1"}]}', "entry 1: expected a query and its ratings"),
    "rre as run": ("run", '{"topics": []}', "the format 'rre'"),
    "rre without gain": ("judgments", '{"query_groups": [{"name": "q1", "relevant_documents": {"d1": {}}}]}', "query group 1: gain None is not a number"),
    "rre without documents": ("judgments", '{"query_groups": [{"name": "q1"}]}', "query group 1: expected relevant_documents as an object"),
    "rre without a name": ("judgments", '{"query_groups": [{"relevant_documents": {"d1": 2}}]}', "query group 1: query id None"),
    "vespa without ids": ("judgments", '[{"query_id": 1, "relevant_docs": [{"score": 1}]}]', "record 1: no key of the record is known to hold a document id"),
    "vespa as run": ("run", '[{"query_id": 1, "relevant_docs": []}]', "the format 'vespa'"),
    "quepid as run": ("run", "query,docid,rating\nq1,d1,1\n", "the format 'quepid' (CSV: query,docid,rating) holds no run; the order is judgments first, then runs."),
    "quepid rating": ("judgments", "query,docid,rating\nq1,d1,good\n", ":2: 'good' in column 'rating' is not a number"),
    "quepid short": ("judgments", "query,docid,rating\nq1,d1\n", ":2: 2 fields, and the header has 3"),
    "quepid CR": ("judgments", "query,docid,rating\rq1,d1,1\r", ":1:19: control character 0x0d. The file seems to have CR-only line ends"),
    "quepid CR within": ("judgments", "query,docid,rating\nq1,d1,1\rq1,d2,1\n", ":2: a CR that is not followed by LF"),
    "quepid header on two lines": ("judgments", 'query,docid,"rating\nq1",d1,1\n', "expected 4 fields"),
    "quepid column twice": ("judgments", "query,docid,rating,Rating\nq1,d1,1,2\n", "which column holds the grades, 'rating' or 'Rating'?"),
    "quepid open quote": ("judgments", 'query,docid,rating\nq1,"d1,1\n', "a quote is opened and never closed"),
    "quepid no ratings": ("judgments", "query,docid,rating\nq1,d1,\n", "column 'rating' has no grade in any row"),
    "quepid empty query": ("judgments", "query,docid,rating\n,d1,1\n", ":2: empty query id"),
    "letor as run": ("run", "1 qid:1 1:0.5\n", "the format 'letor'"),
    "letor label": ("judgments", "1 qid:1 1:0.5\nx qid:1 1:0.5\n", ":2: label 'x' is not a number"),
    "letor nan label": ("judgments", "1 qid:1 1:0.5\nnan qid:1 1:0.5\n", ":2: label 'nan' is not a finite number"),
    "letor query sometimes": ("judgments", "1 qid:1 1:0.5\n1 1:0.5\n", ":2: this row has no qid, but others have one"),
    "letor empty query": ("judgments", "1 qid:1 1:0.5\n1 qid: 1:0.5\n", ":2: empty query id"),
    "letor not a feature": ("judgments", "1 qid:1 1:0.5\n1 foo 1:0.5\n", ":2: expected 'label qid:query feature:value ...', found '1 foo 1:0.5'"),
    "letor CR": ("judgments", "1 qid:1 1:0.5\r0 qid:1 1:0.3\r", ":1: a CR within the line. The file seems to have CR-only line ends; convert them to LF."),
    "letor document sometimes": ("judgments", "1 qid:1 # docid = d1\n0 qid:1 1:0.3\n", ":2: this row names no document, but others do"),
    "letor two rows": ("judgments", "1 qid:1 1:0.5 0 qid:1 1:0.3\n", ":1: two rows in one line"),
    "letor without groups": ("judgments", "1 1:0.5\n", "the rows have no qid, and there is no"),
    "scores as judgments": ("judgments", "0.5\n0.25\n", "the format 'scores' (0.731 (one number in each line)) holds no judgments"),
    "scores for other judgments": ("run", "0.5\n0.25\n", "one number in each line is a score for each row of a LETOR or SVMlight file"),
    "scores with a separator": ("run", "0.5\n\u2028\n", ":2: score '\\u2028' is not a number"),
    "scores with a word": ("run", "0.5\nhigh\n", ":2: score 'high' is not a number"),
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    def write(qrels=GOOD_QRELS, run=GOOD_RUN):
        (tmp_path / "qrels").write_bytes(qrels.encode())
        (tmp_path / "run").write_bytes(run.encode())
        return tmp_path / "qrels", tmp_path / "run"

    return write


@pytest.mark.parametrize("case", BAD_RUNS)
def test_bad_runs(engine, files, case):
    text, message = BAD_RUNS[case]
    qrels, run = files(run=text)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(qrels, run, ["RR"])
    assert message in str(caught.value)
    assert str(run) in str(caught.value) or "run: no query" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", BAD_QRELS)
def test_bad_qrels(engine, files, case):
    text, message = BAD_QRELS[case]
    qrels, run = files(qrels=text)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(qrels, run, ["RR"])
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(qrels))


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(files, tmp_path, case, capsys):
    role, text, message = BAD_FILES[case]
    pair = files(**{"qrels" if role == "judgments" else "run": text})
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(*pair, ["RR"])
    assert message in str(caught.value)
    assert str(pair[role == "run"]) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert main(["evaluate", *map(str, pair)]) == 3
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"rankstone: error: {caught.value}\n")


LATIN = "q1 0 d\xe9 1\n".encode("latin-1")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q1": {"d\xe9": 1}}'.encode("latin-1"), "byte 11 is not UTF-8, which JSON has to be"),
        ("query,docid,rating\nq1,d\xe9,1\n".encode("latin-1"), ":2: the byte 0xe9 is not UTF-8; say how it is encoded"),
        ('{"q1": {"d1": 1}}'.encode("utf-16"), "the file is UTF-16. Say so: encoding='utf-16'"),
        (gzip.compress(b'{"q1": {"d1": 1}}')[:-9], "the gz file is truncated"),
        (gzip.compress(b'{"q1": {"d1": 1}}')[:-9] + b"12345678", "the gz file is "),
        (b'{"query_id": "q1", "relevant_ids": ["' + b"d" * (65 << 20) + b'"]}\n[]\n', "the line is longer than 64 MiB"),
        (b"q1 0 " + b"d" * (100 << 20) + b" 1\n", ":1: the line is longer than 1 MiB"),
    ],
    ids=["latin-1 json", "latin-1 csv", "utf-16", "cut gz", "broken gz", "long jsonl", "100 MB"],
)  # fmt: skip
def test_bad_bytes(files, content, message):
    qrels, run = files()
    qrels.write_bytes(content)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(qrels, run, ["RR"])
    assert message in str(caught.value)


def test_ids_in_latin_1_are_kept_as_they_are(engine, files):
    qrels, run = files()
    qrels.write_bytes(LATIN)
    run.write_bytes(LATIN.replace(b"0", b"Q0").replace(b" 1", b" 1 2.5 t"))
    assert rs.evaluate(qrels, run, ["RR"], strict=True)["RR"] == 1.0


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_a_file_that_expands_beyond_reason(files, kind, monkeypatch):
    monkeypatch.setattr("rankstone.io.streams._ALWAYS_FINE", 1 << 20)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
            "zst": zstandard.ZstdCompressor().compress}[kind]  # fmt: skip
    qrels, run = files()
    bomb = GOOD_RUN.encode() + b"\n" * (16 << 20)
    run.write_bytes(pack(bomb))
    with pytest.raises(
        rs.DataError, match=f"too large: the {kind} file expands to more than 100 times its"
    ):
        rs.evaluate(qrels, run, ["RR"])
    assert rs.evaluate(qrels, run, ["RR"], max_bytes=len(bomb))["RR"] == 1.0
    with pytest.raises(rs.DataError, match=f"more than {len(bomb) - 1} bytes. If it is meant to"):
        rs.evaluate(qrels, run, ["RR"], max_bytes=len(bomb) - 1)


def test_a_limit_holds_for_plain_files_too(files):
    with pytest.raises(rs.DataError, match="more than 5 bytes"):
        rs.evaluate(*files(), ["RR"], max_bytes=5)
    with pytest.raises(rs.UsageError, match="max_bytes must be at least 1, not 0"):
        rs.evaluate(*files(), ["RR"], max_bytes=0)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(files):
    qrels, run = files()
    run.chmod(0)
    with pytest.raises(rs.DataError, match="cannot be read .Permission denied."):
        rs.evaluate(qrels, run, ["RR"])


def test_data_sets_that_are_not_one(tmp_path, files):
    _, run = files()
    with pytest.raises(rs.DataError, match="this is a directory; give a file, or a data set"):
        rs.evaluate(tmp_path, run, ["RR"])
    (tmp_path / "qrels").unlink()
    (tmp_path / "qrels").mkdir()
    for name in ("dev.tsv", "train.tsv"):
        (tmp_path / "qrels" / name).write_text("q\td\t1\n")
    with pytest.raises(rs.DataError, match="which of dev.tsv, train.tsv in .*qrels. Give one"):
        rs.evaluate(tmp_path, run, ["RR"])


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("1\n2\n", "the groups have 3 rows in all, but"),
        ("x\n", ":1: expected the size of a group, found 'x'"),
        ("1\n" + "1" * 5000, ":2: expected the size of a group, found '1111"),
    ],
)
def test_groups_that_do_not_fit(tmp_path, files, sizes, message):
    qrels, run = files(qrels="1 1:0.5\n0 1:0.25\n", run="0.5\n0.25\n")
    (tmp_path / "sizes").write_text(sizes)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(qrels, run, ["RR"], group_sizes=tmp_path / "sizes")
    assert message in str(caught.value)


def test_ranks_are_no_grades(engine, files):
    qrels, run = files(qrels="q1 d1 1\nq1 d2 2\n", run="q1 d1 1\nq1 d2 2\n")
    with pytest.raises(rs.DataError, match="write ':query-document-rank'"):
        rs.evaluate(qrels, run, "RR", input_format="query-document-rank")
    both = "query-document-grade:query-document-rank"
    assert rs.evaluate(qrels, run, "RR", input_format=both)["RR"] == 1.0


@pytest.mark.parametrize("lenient", [False, True])
def test_bad_judgments_by_groups(tmp_path, lenient):
    path = tmp_path / "judged"
    for text, message in {
        "q g d 1e999\n": "grade (of document 'd'|'1e999') is not a? ?finite",
        "q g d\xa0e 1\nq g\xa0d 1\n": ":2: expected 4 fields",
    }.items():
        path.write_text(text)
        with pytest.raises(rs.DataError, match=message):
            read_groups(str(path), lenient=lenient)
    path.write_text("q g d \u0663\n")
    if not lenient:
        with pytest.raises(rs.DataError, match=r":1:7: grade '\\u0663' is not a number"):
            read_groups(str(path))
    path.write_text("\ufeffq g d 1\n")
    assert read_groups(str(path))["g"].queries.objects == ["q"]


def test_a_message_is_one_line_whatever_it_quotes():
    error = rs.DataError("a\nb \x1b[31m \u2028 \udcff é")
    assert str(error) == "a\\nb \\x1b[31m \\u2028 \\xff é"


def test_scores_that_do_not_fit(files):
    qrels, run = files(
        qrels="1 qid:1\n0 qid:1 1:0.25\n".replace("qid:1\n", "qid:1 2:1\n"), run="0.5\n"
    )
    with pytest.raises(rs.DataError, match="1 scores for the 2 rows of"):
        rs.evaluate(qrels, run, ["RR"])


@pytest.mark.parametrize("odd", ["\v0.5", "0.5\f", "\x1c0.5"], ids=ascii)
def test_scores_hold_no_control_characters(files, odd):
    qrels, run = files(qrels="1 qid:1 1:0.5\n0 qid:1 1:0.25\n", run=f"0.25\n{odd}\n")
    with pytest.raises(rs.DataError, match="is not a number|control character"):
        rs.evaluate(qrels, run, ["RR"], input_format="letor:scores")


@pytest.mark.parametrize("library", ["pyarrow", "neither"])
def test_a_header_that_is_not_utf8_is_refused_row_by_row(tmp_path, monkeypatch, library):
    from rankstone.io.convert import convert
    from rankstone.io.formats import tables

    monkeypatch.setattr(tables, "find_spec", lambda name: name if name == library else None)
    path = tmp_path / "run.csv"
    path.write_bytes(b"qi\xef\xef\xefd,docno\nq1,d2\nq0,d1\n")
    with pytest.raises(rs.DataError, match=r"run\.csv"):
        convert(str(path), str(tmp_path / "out"), "json", kind="run", input_format="csv")


def test_decimal_ids_are_pointed_out(engine, files):
    qrels, run = files("1.0 0 d1 1\n2 0 d1 1\n", "1 Q0 d1 1 1 t\n2 Q0 d1 1 1 t\n")
    codes = warned(rs.evaluate(qrels, run, ["RR"]))
    assert set(codes) == {"missing-queries", "unjudged-queries", "ids-look-alike"}


def test_utf16_is_named(engine, tmp_path, files):
    qrels, run = files()
    run.write_bytes(GOOD_RUN.encode("utf-16"))
    with pytest.raises(rs.DataError, match="the file is UTF-16. Say so: encoding='utf-16'"):
        rs.evaluate(qrels, run, ["RR"])


def test_a_fault_far_down_is_found_on_its_line(engine, files):
    good = "".join(f"q1 Q0 d{i} {i} {-i} t\n" for i in range(60_000))
    qrels, run = files(run=good + "q1 Q0 dx 1 oops t\n" + good.replace("q1", "q2"))
    for threads in (1, 2, 8):
        with pytest.raises(rs.DataError, match=r":60001:12: score 'oops' is not a number"):
            rs.evaluate(qrels, run, ["RR"], threads=threads)


def test_the_first_of_several_faults_is_reported(engine, files):
    rows = [f"q{i % 50} Q0 d{i} 1 {i} t\n" for i in range(150_000)]
    rows[149_000] = "bad\n"
    rows[60_123] = "q1 Q0 d 1 nan t\n"
    qrels, run = files(run="".join(rows))
    for threads in (1, 2, 8):
        with pytest.raises(rs.DataError, match=r":60124:11: score 'nan'"):
            rs.evaluate(qrels, run, ["RR"], threads=threads)


@pytest.mark.parametrize("which", ["qrels", "run"])
def test_files_that_cannot_be_read(tmp_path, files, which):
    def evaluate(path):
        good = files()
        return rs.evaluate(*((path, good[1]) if which == "qrels" else (good[0], path)), ["RR"])

    with pytest.raises(rs.DataError, match="there is no such file in"):
        evaluate(tmp_path / "absent.txt")
    why = (
        "this is a directory; give" if which == "qrels" else "without responses of a search engine"
    )
    with pytest.raises(rs.DataError, match=why):
        evaluate(tmp_path)


def warned(result):
    return {n.code: n.count for n in result.warnings}


def test_what_is_counted_in_files(engine, files):
    qrels, run = files(
        "q1 0 d1 1\nq1 0 d1 1\nq1 0 d2 2\nq1 0 d2 0\nq1 0 d2 1\nq1 0 d3 -1\nq2 0 d1 1\n",
        "q1 Q0 d1 1 1.0 t\nq1 Q0 d2 2 2.0 t\nq1 Q0 d2 3 1.5 t\nq3 Q0 d1 1 1 t\n",
    )
    result = rs.evaluate(qrels, run, ["RR"])
    assert warned(result) == {
        "repeated-judgments": 1,
        "contradicting-judgments": 2,
        "negative-grades": 1,
        "missing-queries": 1,
        "unjudged-queries": 1,
        "duplicate-documents": 1,
        "rank-disagrees": 1,
    }
    by_code = {n.code: str(n) for n in result.warnings}
    assert by_code["missing-queries"].endswith("missing ones count as 0 (for example q2)")
    assert by_code["unjudged-queries"].endswith("ignored (for example q3)")
    assert "document d2 of query q1" in by_code["duplicate-documents"]
    assert "document d2 of query q1" in by_code["contradicting-judgments"]
    assert rs.evaluate(qrels, run, ["NumRel"]).per_query["q1"]["NumRel"] == 2
    with pytest.raises(rs.StrictError, match=r"\[repeated-judgments; an error because of strict\]"):
        rs.evaluate(qrels, run, ["RR"], strict=True)


def test_the_highest_of_contradicting_grades_counts(engine, files):
    qrels, run = files("q1 0 d1 2\nq1 0 d1 0\n")
    assert rs.evaluate(qrels, run, ["CG"])["CG"] == 2.0
    qrels, run = files("q1 0 d1 0\nq1 0 d1 2\n")
    assert rs.evaluate(qrels, run, ["CG"])["CG"] == 2.0


@pytest.mark.parametrize(
    ("ranks", "scores", "disagrees"),
    [
        ("1 2 3", "3 2 1", False),
        ("1 2 3", "3 2 2", False),
        ("1 2 3", "1 2 3", True),
        ("3 2 1", "1 2 3", False),
        ("3 1 2", "1 2 3", True),
        ("0 0 0", "1 2 3", False),
        ("1 1 2", "1 2 1", False),
        ("1 1 2", "1 3 2", True),
        ("a b c", "1 2 3", False),
    ],
)
def test_a_rank_column_that_disagrees(engine, files, ranks, scores, disagrees):
    rows = zip("abc", ranks.split(), scores.split(), strict=True)
    qrels, run = files(run="".join(f"q1 Q0 {d} {r} {s} t\n" for d, r, s in rows))
    codes = warned(rs.evaluate(qrels, run, ["RR"]))
    assert ("rank-disagrees" in codes) == disagrees


def test_clean_data_is_silent(engine, files):
    assert rs.evaluate(*files(), ["RR", "P@1"], strict=True).notices == ()


def test_ties_are_noted_and_never_an_error(engine):
    run = {"q": {"a": 1.0, "b": 1.0}}
    result = rs.evaluate({"q": {"a": 1}}, run, ["RR"], strict=True)
    (note,) = result.notices
    assert (note.code, note.count, note.level) == ("ties", 1, "note")


@pytest.mark.parametrize(
    ("judged", "run"),
    [
        ({1: {1: 1}}, {"1": {"1": 1.0}}),
        ({"1": {"1": 1}}, {1: {1: 1.0}}),
        ({"1": {"1": 1}}, {"001": {"1": 1.0}}),
        ({"7.0": {"1": 1}}, {"7": {"1": 1.0}}),
    ],
)
def test_ids_that_differ_by_type_or_padding_are_pointed_out(engine, judged, run):
    with pytest.raises(rs.DataError, match="write them alike on both sides"):
        rs.evaluate(judged, run, ["RR"])


def test_the_kinds_of_ids_are_named(engine):
    with pytest.raises(rs.DataError, match=r"judged ids are whole numbers \(int\), the run's text"):
        rs.evaluate({1: {1: 1}}, {"1": {"1": 1.0}}, ["RR"])


def test_padded_documents_are_pointed_out(engine):
    result = rs.evaluate({"q": {"007": 1}}, {"q": {"7": 1.0, "8": 0.5}}, ["RR"])
    (notice,) = result.warnings
    assert notice.code == "ids-look-alike"
    assert notice.examples == ("judged '007', run '7'",)


def test_some_padded_queries_are_pointed_out(engine):
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    result = rs.evaluate(judged, {"1": {"a": 1.0}, "02": {"a": 1.0}}, ["RR"])
    assert {"missing-queries", "unjudged-queries", "ids-look-alike"} == set(warned(result))


def test_no_document_found_is_said(engine):
    result = rs.evaluate({"q": {"x": 1}}, {"q": {"a": 1.0}}, ["RR"])
    (notice,) = result.warnings
    assert notice.code == "no-document-found"


@pytest.mark.parametrize(
    ("judged", "run", "message"),
    [
        ({}, {"q": ["d"]}, "the judgments are empty"),
        ({"q": {"d": 1}}, {}, "the run is empty"),
        ({"q": {"d": "high"}}, {"q": ["d"]}, "query 'q': grade 'high' is not a number"),
        ({"q": {"d": None}}, {"q": ["d"]}, "document 'd': grade None is not a number"),
        ({"q": {"d": float("nan")}}, {"q": ["d"]}, "grade nan is not a finite number"),
        ({"q": {"": 1}}, {"q": ["d"]}, "empty document id"),
        ({"": {"d": 1}}, {"q": ["d"]}, "empty query id"),
        ({"q": {1.5: 1}}, {"q": ["d"]}, "document id 1.5 is neither text nor a whole number"),
        ({"q": {"2": 1, 2: 1}}, {"q": ["d"]}, "document '2' is there twice, as text and as a number"),
        ({"2": {"d": 1}, 2: {"d": 1}}, {"q": ["d"]}, "query '2' is there twice, as text and as a number"),
        ({"q": "d"}, {"q": ["d"]}, "expected a dict, or a list or set of document ids, not 'd'"),
        ({"q": 3}, {"q": ["d"]}, "expected a dict, or a list or set of document ids, not 3"),
        ({"q": {"d": 1}}, {"q": {"d": float("nan")}}, "score nan of document 'd' is not a finite"),
        ({"q": {"d": 1}}, {"q": {"d": float("inf")}}, "score inf of document 'd' is not a finite"),
        ({"q": {"d": 1}}, {"q": {"d": "1_0"}}, "query 'q': score '1_0' is not a number"),
        ({"q": {"d": 1}}, {"q": {"d": 1.0, "e": "high"}}, "query 'q', document 'e': score 'high' is not a number"),
        ({"q": {"d": 1}}, {"q": {"d": None}}, "score None of document 'd' is not a number"),
        ({"q": {"d": 1}}, {"q": {"d": 1.0}, "r": ["d"]}, "scores for some queries and lists for others"),
        ({"q": {"d": 1}}, {"q": {"d"}}, "a set has no order; give a list"),
        ({"q": {"d": 1}}, {"q": 5}, "expected a dict, or a list or set"),
        ({"q": {"d": 1}}, {"q": {"2": 1.0, 2: 1.0}}, "document '2' is there twice, as text and as a number"),
        ({"q": {"d": 1}}, {None: ["d"]}, "query id None is neither text"),
    ],
)  # fmt: skip
def test_bad_dicts(engine, judged, run, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(judged, run, ["RR"])
    assert message in str(caught.value)


def test_objects_of_no_known_kind():
    with pytest.raises(rs.UsageError, match="cannot read judgments from int"):
        rs.evaluate(5, {}, ["RR"])
    with pytest.raises(rs.UsageError, match="a run is missing"):
        rs.evaluate({"q": {"d": 1}}, None, ["RR"])


def test_numbers_of_any_make_are_fine(engine):
    judged = {"q": {"a": np.int64(1), "b": True, "c": np.float32(0.5)}}
    run = {"q": {"a": np.float32(3), "b": 2, "c": np.int16(1)}}
    assert rs.evaluate(judged, run, ["P@2", "CG"]).per_query["q"] == {"P@2": 1.0, "CG": 2.5}


def test_whole_numbers_are_ids_too(engine):
    judged = {1: {101: 1}, 2: {np.int64(7): 1}}
    run = {1: {102: 2.0, 101: 2.0, 100: 2.0}, 2: {7: 1.0}}
    result = rs.evaluate(judged, run, ["RR"])
    assert result.per_query == {1: {"RR": 0.5}, 2: {"RR": 1.0}}


def test_lists_and_sets_of_relevant_documents():
    assert rs.evaluate({"q": {"a", "b"}}, {"q": ["x", "a"]}, ["AP"])["AP"] == 0.25
    assert rs.evaluate({"q": ["a", "b", "a"]}, {"q": ["x", "a"]}, ["NumRel"])["NumRel"] == 2


def test_grades_too_large_for_an_exponential_gain():
    judged = {"q": {"a": 2**40}}
    with pytest.raises(rs.DataError, match="too large for an exponential gain"):
        rs.evaluate(judged, {"q": ["a"]}, ["nDCG(gain='exp2')"])
    with pytest.raises(rs.DataError, match=r"too large for ERR: 2\^grade overflows"):
        rs.evaluate(judged, {"q": ["a"]}, ["ERR"])
    with pytest.raises(rs.DataError, match="is above max_grade=4"):
        rs.evaluate(judged, {"q": ["a"]}, ["ERR(max_grade=4)"])
    assert rs.evaluate(judged, {"q": ["a"]}, ["nDCG"])["nDCG"] == 1.0


@pytest.mark.parametrize("measure", ["nDCG", "DCG", "CG", "RnDCG", "nDCG(gain={1: 1e291})"])
def test_gains_too_large_to_add_up(measure):
    judged = {"q": {"a": 1 if "gain" in measure else 1e291}}
    with pytest.raises(rs.DataError, match=r"a gain of 1e\+291 is too large to be added up"):
        rs.evaluate(judged, {"q": ["a"]}, measure)
    with pytest.raises(rs.DataError, match="too large to be added up"):
        rs.evaluate({"q": {"a": 1000}}, {"q": ["a"]}, "nDCG(gain='exp2')")
    assert rs.evaluate({"q": {"a": 1e290, "b": 1e290}}, {"q": ["a", "b"]}, "nDCG")["nDCG"] == 1.0
    assert rs.nDCG([1e290] * 400) == 1.0


def test_a_missing_library_is_named(engine, files, monkeypatch):
    qrels, run = files()
    run.write_bytes(zstandard.ZstdCompressor().compress(run.read_bytes()))
    for library in ("zstandard", "compression.zstd"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(rs.MissingDependencyError, match=r"pip install '\.\[zstd\]'"):
        rs.evaluate(qrels, run, "RR")


def test_a_file_that_changes_under_our_hands(engine, files):
    qrels, path = files()
    opened = load_run(path)
    path.write_text(GOOD_RUN + "q1 Q0 d9 9 0.1 t\n")
    with pytest.raises(rs.DataError, match="the file changed since it was opened"):
        rs.evaluate(qrels, opened, "RR")


@pytest.mark.parametrize("text", [GOOD_QRELS, '{"q1": {"d1": 1}}'], ids=["trec", "json"])
def test_judgments_that_change_while_they_are_read(files, monkeypatch, text):
    qrels, run = files(qrels=text)
    reader = files_of.format_of

    def slowly(file):
        qrels.write_text(text + " " * 99)
        return reader(file)

    monkeypatch.setattr(files_of, "format_of", slowly)
    with pytest.raises(rs.DataError, match="qrels: the file changed while it was read. Try again"):
        rs.evaluate(qrels, run, "RR")


def test_a_run_that_is_no_dict_within(engine):
    run = {"q": {"a": 1.0}, "r": {"a": 1.0}}
    scored = load_run(run)
    run["r"] = 7
    with pytest.raises(rs.DataError, match="expected a dict of scores, found 7"):
        rs.evaluate({"q": {"a": 1}, "r": {"a": 1}}, scored, "RR")


@pytest.fixture
def without_core(monkeypatch):
    """No compiled core can be imported, nor was before."""
    loaded = core_engine._load
    loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "rankstone._native._core", None)
    yield
    loaded.cache_clear()


@pytest.mark.usefixtures("without_core")
def test_asking_for_a_core_that_is_not_there(files, monkeypatch):
    monkeypatch.setenv("RANKSTONE_ENGINE", "native")
    with pytest.raises(rs.UsageError, match="the compiled core is not installed"):
        rs.evaluate(*files(), "RR")


@pytest.mark.usefixtures("without_core")
def test_without_the_core_one_warning_says_so(files, monkeypatch):
    monkeypatch.delenv("RANKSTONE_ENGINE", raising=False)
    with pytest.warns(rs.SlowEngineWarning, match="pure-Python engine gives the same numbers"):
        result = rs.evaluate(*files(), "RR")
    assert result.provenance.engine == "python"


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


@pytest.mark.parametrize(("size", "end"), [(62, "'"), (63, "...")])
def test_long_values_are_cut_short_in_messages(size, end):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": {"a": "x" * size}}, {"q": ["a"]}, "AP")
    kept = size if end == "'" else 59
    assert f"'{'x' * kept}{end} is not a number" in str(caught.value)
