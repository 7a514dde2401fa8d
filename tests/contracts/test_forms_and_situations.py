"""What each form of data answers in situations that used to give a silent wrong number.

A cell is the right number, with the code of the warning that comes with it (None: no warning). A form
that cannot express a situation has no cell.
"""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import rankstone as rs


def _rows(run):
    return [(q, d, s) for q, docs in run.items() for d, s in docs]


def _hits(docs):
    return {"hits": {"hits": [{"_id": d, "_score": s} for d, s in docs]}}


#: Forms of a run of (document, score) pairs by query: in memory, or as the text of a file.
LISTED = {
    "list of objects": lambda run: {q: [{"id": d, "score": s} for d, s in docs] for q, docs in run.items()},
    "search responses": lambda run: {q: _hits(docs) for q, docs in run.items()},
    "records": lambda run: [
        {"query_id": q, "retrieved": [{"id": d, "score": s} for d, s in docs]} for q, docs in run.items()
    ],
    "responses.json": lambda run: json.dumps({q: _hits(docs) for q, docs in run.items()}),
    "records.jsonl": lambda run: "".join(
        json.dumps({"query_id": q, "retrieved": [{"id": d, "score": s} for d, s in docs]}) + "\n"
        for q, docs in run.items()
    ),
}  # fmt: skip
TABLES = {
    "dict": lambda run: {q: dict(docs) for q, docs in run.items()},
    "frame": lambda run: pd.DataFrame(_rows(run), columns=["query_id", "doc_id", "score"]),
    "rows.jsonl": lambda run: "".join(
        json.dumps({"query_id": q, "doc_id": d, "score": s}) + "\n" for q, d, s in _rows(run)
    ),
    "rows.csv": lambda run: "query_id,doc_id,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in _rows(run)),
    "trec.run": lambda run: "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in _rows(run)),
}  # fmt: skip
JUDGED = {"q": {"a": 1, "b": 0}}


def held(form, content, tmp_path):
    """Return data as they are, or the path of a file that holds them."""
    if isinstance(content, str):
        (tmp_path / form).write_text(content)
        return tmp_path / form
    return content


def answer(judgments, run, measure="RR", **options):
    """Return the number, and the codes of the warnings."""
    result = rs.evaluate(judgments, run, measure, **options)
    return result[measure], {n.code for n in result.warnings}


@pytest.mark.parametrize("form", [*LISTED, *TABLES])
def test_an_order_that_contradicts_the_scores(form, tmp_path):
    run = held(form, {**LISTED, **TABLES}[form]({"q": [("a", 0.1), ("b", 0.9)]}), tmp_path)
    if form in TABLES:
        assert answer(JUDGED, run) == (0.5, set())
        return
    assert answer(JUDGED, run) == (1.0, {"order-against-scores"})
    assert answer(JUDGED, run, rank_by="score") == (0.5, set())
    if isinstance(run, type(tmp_path)):
        qrels = held("qrels", "q 0 a 1\nq 0 b 0\n", tmp_path)
        _, report = rs.validate(str(qrels), [str(run)])
        assert "order-against-scores" in {n.code for n in report.notices}


@pytest.mark.parametrize("form", [*LISTED, *TABLES])
def test_equal_scores(form, tmp_path):
    run = held(form, {**LISTED, **TABLES}[form]({"q": [("a", 1.0), ("b", 1.0)]}), tmp_path)
    # In a list the order counts; in a table the greater id is first, as the conventions say.
    assert answer(JUDGED, run) == (1.0 if form in LISTED else 0.5, set())


@pytest.mark.parametrize(
    "form", ["dict", "trec.qrels", "frame", "rows.csv", "table", "long arrays"]
)
@pytest.mark.parametrize(
    ("grades", "code"), [((1, 3, 5), "grades-without-zero"), ((0, 3, 5), None), ((1, 1, 1), None)]
)
def test_a_scale_without_0(form, grades, code, tmp_path):
    named = dict(zip("abc", grades, strict=True))
    run, options = {"q": ["a", "b", "c"]}, {}
    judged = {
        "dict": {"q": named},
        "trec.qrels": "".join(f"q 0 {d} {g}\n" for d, g in named.items()),
        "frame": pd.DataFrame({"query_id": "q", "doc_id": [*named], "label": [*named.values()]}),
        "rows.csv": "query_id,doc_id,label\n" + "".join(f"q,{d},{g}\n" for d, g in named.items()),
        "table": np.array([grades], float),
        "long arrays": np.array(grades, float),
    }[form]
    if form == "table":
        run = np.array([[0.3, 0.2, 0.1]])
    elif form == "long arrays":
        run, options = np.array([0.3, 0.2, 0.1]), {"group_sizes": [3]}
    number, codes = answer(held(form, judged, tmp_path), run, **options)
    assert number == (1.0 if grades[0] else 0.5)
    assert codes == ({code} if code else set())


@pytest.mark.parametrize("form", ["lists of sets", "sparse matrix", "table", "dict"])
def test_queries_without_a_relevant_document_that_other_forms_do_not_have(form):
    judged, run = {
        "lists of sets": ([{1}, set()], [[1, 2], [1, 2]]),
        "sparse matrix": (csr_matrix([[0.0, 1], [0, 0]]), np.array([[0.1, 0.9], [0.1, 0.9]])),
        "table": (np.array([[0.0, 1], [0, 0]]), np.array([[0.1, 0.9], [0.1, 0.9]])),
        "dict": ({"q": {"a": 1}, "r": {}}, {"q": ["a"], "r": ["a"]}),
    }[form]
    assert answer(judged, run) == (0.5, {"no-relevant"})
    assert answer(judged, run, no_relevant="skip") == (1.0, set())
    assert "means over 1 of 2 queries" in repr(rs.evaluate(judged, run, "RR", no_relevant="skip"))


@pytest.mark.parametrize("form", ["arrays", "rows.letor"])
def test_a_query_that_starts_again(form, tmp_path):
    labels, scores = [0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6]
    if form == "arrays":
        data, options = (np.array(labels, float), np.array(scores)), {"qid": np.array([1, 1, 2, 1])}
    else:
        rows = "".join(f"{y} qid:{q} 1:0\n" for y, q in zip(labels, (1, 1, 2, 1), strict=True))
        data = held(form, rows, tmp_path), held("scores.txt", "0.9\n0.8\n0.7\n0.6\n", tmp_path)
        options = {}
    assert answer(*data, **options) == ((1 / 2 + 1) / 2, {"query-starts-again"})
    apart = answer(*data, qid_blocks="separate", **options)
    assert apart[0] == (1 / 2 + 1 + 0) / 3
    assert "query-starts-again" not in apart[1]


@pytest.mark.parametrize("side", ["run", "judgments", "both"])
def test_padding(side):
    run = np.array([[5, 7, -1]]) if side != "judgments" else np.array([[5, 7, 9]])
    judged = np.array([[7, -1]]) if side != "run" else [{7}]
    assert answer(judged, run) == (0.5, set())
    assert answer(judged, run, "R@3") == (1.0, set())


@pytest.mark.parametrize("shape", [(3,), (1, 3)])
def test_labels_and_scores_that_changed_places(shape):
    scores, labels = np.array([0.9, 0.5, 0.1]).reshape(shape), np.array([0.0, 1, 2]).reshape(shape)
    assert "labels-and-scores" in answer(scores, labels)[1]
    assert answer(labels, scores) == (0.5, set())


@pytest.mark.parametrize("form", ["dict", "table"])
def test_a_scale_that_comes_from_the_judgments(form):
    judged = {"q": {"a": 1}, "r": {"b": 4}} if form == "dict" else np.array([[1.0, 0], [0, 4]])
    run = {"q": ["a"], "r": ["a", "b"]} if form == "dict" else np.array([[0.9, 0.1], [0.9, 0.1]])
    result = rs.evaluate(judged, run, "ERR")
    assert "ERR: max_grade=4, from the judgments" in [n.text for n in result.notices]
    named = rs.evaluate(judged, run, "ERR(max_grade=4)")
    assert named["ERR(max_grade=4)"] == result["ERR"]
    assert "scale-from-judgments" not in {n.code for n in named.notices}


@pytest.mark.parametrize("rows", [[[5, 0, 1]], [[3, 0, 1]]])
def test_ratings_in_a_sparse_matrix(rows):
    result = rs.evaluate(csr_matrix(rows), np.array([[0.1, 0.2, 0.3]]), "nDCG@3", relevance=4)
    texts = [n.text for n in result.notices if n.code == "ratings-as-grades"]
    assert len(texts) == (max(rows[0]) >= 4)
    assert all("relevance= (1 by default) is the lowest that is relevant" in t for t in texts)


@pytest.mark.parametrize("labels", ["dense", "sparse"])
def test_a_relevant_document_that_is_excluded_counts_as_missed_in_every_form(labels):
    """Lists of labels and scores cannot hold a document that was missed, and say no other number."""
    rng = np.random.default_rng(5)
    judged = (rng.random((6, 20)) < 0.2).astype(np.int64)
    judged[:, 3] = 1
    scores = rng.integers(0, 9, (6, 20)) / 10 + 0.05
    removed = rng.random((6, 20)) < 0.2
    removed[:, 3] = True
    measures = ["R@5", "nDCG@5", "AP", "RR"]
    options = {"ties": "input", "negatives": "nonrelevant"}
    given = csr_matrix(judged) if labels == "sparse" else judged
    table = rs.evaluate(given, scores, measures, exclude=csr_matrix(removed), **options)
    grades = {
        q: {f"{d:02}": int(g) for d, g in enumerate(row) if g} for q, row in enumerate(judged)
    }
    run = {q: {f"{d:02}": s for d, s in enumerate(row)} for q, row in enumerate(scores)}
    excluded = {q: [f"{d:02}" for d in np.flatnonzero(row)] for q, row in enumerate(removed)}
    dicts = rs.evaluate(grades, run, measures, exclude=excluded, **options)
    assert table.aggregates == dicts.aggregates
    assert {n.code for n in table.notices} >= {"excluded", "excluded-judged"}
