"""What people hold: answers of vector stores, and nuggets that were assigned to answers."""

import json
import random
from statistics import fmean
from types import SimpleNamespace

import pytest

import rankstone as rs
from rankstone.cli import main

ANSWERS = [
    {"query": "how", "qid": "q1", "run_id": "mine", "nuggets": [
        {"text": "n1", "importance": "vital", "assignment": "support"},
        {"text": "n2", "importance": "vital", "assignment": "partial_support"},
        {"text": "n3", "importance": "okay", "assignment": "not_support"},
    ]},
    {"query": "why", "qid": "q2", "run_id": "mine", "nuggets": [
        {"text": "n1", "importance": "okay", "assignment": "support"},
        {"text": "n4", "importance": "vital", "assignment": "not_support"},
    ]},
]  # fmt: skip


def written(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("NuggetRecall(partial=strict)", (1 / 3 + 1 / 2) / 2),
        ("NuggetRecall(partial=lenient)", (2 / 3 + 1 / 2) / 2),
        ("NuggetRecall(which=vital,partial=strict)", (1 / 2 + 0) / 2),
        ("NuggetRecall(which=weighted)", (1.5 / 2.5 + 0.5 / 1.5) / 2),
    ],
)
def test_answers_are_scored_by_their_nuggets(tmp_path, measure, value):
    path = written(tmp_path / "answers.jsonl", ANSWERS)
    result = rs.evaluate(path, path, measure)
    assert result.aggregates[str(rs.parse_measure(measure))] == pytest.approx(value, abs=1e-15)


def test_answers_of_two_systems_are_compared(tmp_path):
    others = [{**record, "run_id": "other"} for record in ANSWERS]
    others[1]["nuggets"] = [{**nugget, "assignment": "support"} for nugget in ANSWERS[1]["nuggets"]]
    judged = written(tmp_path / "all.jsonl", ANSWERS + others)
    runs = {name: written(tmp_path / f"{name}.jsonl", own) for name, own in (("mine", ANSWERS), ("other", others))}  # fmt: skip
    pair = rs.compare(judged, runs, "NuggetRecall").comparisons[0]
    assert (pair.baseline_mean, pair.mean) == pytest.approx((0.5, 0.75))
    verdict = rs.gate(judged, runs["mine"], runs["other"], max_drop={"NuggetRecall": 0.1})
    assert verdict.status == "fail"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"run_id": None}, "Name the document ('docid') or the answer ('run_id')"),
        ({"nuggets": [{"text": "n1", "assignment": "perhaps"}]}, "'support', 'partial_support'"),
        ({"nuggets": [{"assignment": "support"}]}, "a nugget or subtopic"),
        ({"nuggets": [{"text": "n1", "importance": "high", "assignment": 1}]}, "either 'vital' or 'okay'"),
    ],
)  # fmt: skip
def test_assignments_that_cannot_be_read_are_refused(tmp_path, change, words):
    record = {k: v for k, v in {**ANSWERS[0], **change}.items() if v is not None}
    path = written(tmp_path / "answers.jsonl", [record])
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(path, path, "NuggetRecall")
    assert words in str(caught.value)


CITED = [
    {"topic_id": "q1", "run_id": "mine", "answer": [
        {"text": "One.", "citations": [
            {"docid": "d1", "support": "FS"}, {"docid": "d2", "support": "NS"}]},
        {"text": "Two.", "citations": [{"docid": "d1", "support": "partial_support"}]},
        {"text": "Three.", "citations": []},
    ]},
    {"topic_id": "q2", "run_id": "mine", "answer": [{"text": "None.", "citations": []}]},
    {"topic_id": "q3", "run_id": "mine", "answer": [
        {"text": "Wrong.", "citations": [{"docid": "d9", "support": "no_support"}]}]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("measure", "values"),
    [
        ("CitationPrecision", [1.5 / 3, 0, 0]),
        ("CitationPrecision(partial=strict)", [1 / 3, 0, 0]),
        ("CitationRecall", [1.5 / 3, 0, 0]),
        ("CitationRecall(partial=lenient)", [2 / 3, 0, 0]),
    ],
)
def test_answers_are_scored_by_their_citations(tmp_path, measure, values):
    path = written(tmp_path / "answers.jsonl", CITED)
    for skip in ("zero", "skip"):
        result = rs.evaluate(path, path, measure, no_relevant=skip)
        (column,) = result.columns.values()
        assert column.tolist() == pytest.approx(values, abs=1e-15)


def random_answers(draw, name):
    support = ("full_support", "partial_support", "no_support")
    return [
        {"qid": f"q{q}", "run_id": name, "answer": [
            {"text": "s", "citations": [
                {"docid": f"d{c}", "support": draw.choice(support)} for c in range(draw.randint(0, 3))
            ]}
            for _ in range(draw.randint(1, 5))
        ]}
        for q in range(12)
    ]  # fmt: skip


def test_citations_of_two_systems_are_compared_and_gated(tmp_path):
    draw, worth = random.Random(6), {"full_support": 1, "partial_support": 0.5, "no_support": 0}
    answers = {name: random_answers(draw, name) for name in ("one", "two")}
    judged = written(tmp_path / "all.jsonl", [*answers["one"], *answers["two"]])
    runs = {name: written(tmp_path / f"{name}.jsonl", own) for name, own in answers.items()}
    measures = ["CitationPrecision", "CitationRecall"]
    expected = {}
    for name, own in answers.items():
        grades = [
            [[worth[c["support"]] for c in s["citations"]] for s in record["answer"]]
            for record in own
        ]
        cited = [[grade for s in answer for grade in s] for answer in grades]
        expected[name] = [
            fmean(fmean(all_) if all_ else 0 for all_ in cited),
            fmean(fmean(max(s, default=0) for s in answer) for answer in grades),
        ]
    comparison = rs.compare(judged, runs, measures)
    for measure, one, two in zip(measures, *expected.values(), strict=True):
        pair = comparison["two", measure]
        assert (pair.baseline_mean, pair.mean) == pytest.approx((one, two), abs=1e-15)
    assert rs.gate(judged, runs["two"], minimum={measures[1]: 0.0}).status == "pass"
    assert rs.gate(judged, runs["two"], minimum={measures[1]: 0.99}).status == "fail"


def test_nuggets_and_citations_of_one_answer(tmp_path):
    both = {**ANSWERS[0], "answer": CITED[0]["answer"]}
    path = written(tmp_path / "answers.jsonl", [both])
    names = ["NuggetRecall(partial=strict)", "CitationRecall"]
    assert [*rs.evaluate(path, path, names).aggregates.values()] == pytest.approx([1 / 3, 0.5])


@pytest.mark.parametrize(
    ("records", "run", "measure", "words"),
    [
        ([{"qid": "q", "run_id": "a", "answer": [{"citations": [{"docid": "d"}]}]}], None, "CitationRecall", "a cited document and its support"),
        ([{"qid": "q", "run_id": "a", "answer": [{"citations": [3]}]}], None, "CitationRecall", "sentence 1: citations: expected an object"),
        ([{"qid": "q", "run_id": "a", "answer": [{"citations": [{"docid": "d", "support": "so"}]}]}], None, "CitationRecall", "'support', 'partial_support'"),
        ([{"qid": "q", "answer": [{"citations": []}]}], None, "CitationRecall", "Name the document ('docid') or the answer ('run_id')"),
        (ANSWERS, [{**record, "run_id": "other"} for record in ANSWERS], "NuggetRecall",
         "nothing was assigned to the answer 'other' to query 'q1'; the judgments know 'mine'"),
        ([*ANSWERS, {**ANSWERS[0], "run_id": "other", "nuggets": [*ANSWERS[0]["nuggets"], {"text": "n9", "assignment": 1}]}], ANSWERS, "NuggetRecall",
         "the nugget 'n9' of the answer 'other' is unknown to the answer 'mine'"),
    ],
)  # fmt: skip
def test_answers_that_cannot_be_scored_are_refused(tmp_path, records, run, measure, words):
    judged = written(tmp_path / "judged.jsonl", records)
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(judged, written(tmp_path / "run.jsonl", run or records), measure)
    assert words in str(caught.value)


def point(id_, score):
    return SimpleNamespace(id=id_, version=0, score=score, payload={"source": f"s{id_}"})


def test_answers_of_qdrant_are_a_run():
    answers = [SimpleNamespace(points=[point(1, 0.9), point(2, 0.8)]), SimpleNamespace(points=[point(5, 0.9)])]  # fmt: skip
    assert rs.evaluate([[2], [5]], answers, "RR")["RR"] == 0.75
    by_query = dict(zip("ab", answers, strict=True))
    assert rs.evaluate({"a": {2}, "b": {5}}, by_query, "RR")["RR"] == 0.75
    points = [answer.points for answer in answers]
    assert rs.evaluate([[2], [5]], points, "RR")["RR"] == 0.75
    sources = rs.evaluate({"a": ["s2"]}, {"a": answers[0]}, "RR", columns={"doc": "payload.source"})
    assert sources["RR"] == 0.5


def test_answers_of_chroma_are_a_run():
    answer = {
        "ids": [["d1", "d2"], ["d5"]], "distances": [[0.1, 0.2], [0.3]], "embeddings": None,
        "metadatas": [[None, None], [None]], "documents": None, "included": ["distances"],
    }  # fmt: skip
    assert rs.evaluate([["d2"], ["d5"]], answer, "RR")["RR"] == 0.75


def responses(*lists):
    return [
        {"hits": {"hits": [{"_id": d, "_score": 9 - i} for i, d in enumerate(docs)]}}
        for docs in lists
    ]


@pytest.mark.parametrize("form", ["_msearch", "_search"])
def test_responses_take_their_queries_from_a_list(tmp_path, form, capsys):
    own = responses(["d1", "d2"], ["d5"])[: 1 if form == "_search" else 2]
    answer = own[0] if form == "_search" else {"responses": own}
    path, ids = tmp_path / "answer.json", ["one", "two"][: len(own)]
    path.write_text(json.dumps(answer))
    judged = {"one": ["d2"], "two": ["d5"]}
    (tmp_path / "ids.txt").write_text("\n".join(ids) + "\n")
    expected = rs.evaluate(judged, {q: ["d1", "d2"] if q == "one" else ["d5"] for q in ids}, "RR")
    for given in (ids, str(tmp_path / "ids.txt")):
        found = rs.evaluate(judged, path, "RR", query_ids=given)
        assert found["RR"] == expected["RR"]
        assert "query_ids" in found.provenance.run.reading
        written_qrels = written(
            tmp_path / "judged.jsonl", [{"qid": q, "expected": d} for q, d in judged.items()]
        )
        result = rs.evaluate(written_qrels, path, "RR", query_ids=given)
        result.save(tmp_path / "result.json")
        assert rs.verify(tmp_path / "result.json").holds


def test_query_ids_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"responses": responses(["d1"], ["d5"])}))
    with pytest.raises(rs.DataError, match="names 1 query for 2 responses"):
        rs.evaluate({"one": ["d1"]}, path, "RR", query_ids=["one"])
    (tmp_path / "ids").write_text("two\ntwo\n")
    with pytest.raises(
        rs.DataError, match=r"answer.json: query_ids= \(--query-ids\) names 'two' twice"
    ):
        rs.evaluate({"two": ["d1"]}, path, "RR", query_ids=tmp_path / "ids")
    path.write_text(json.dumps(dict(zip("ab", responses(["d1"], ["d5"]), strict=True))))
    with pytest.raises(rs.UsageError, match="these responses have query ids"):
        rs.evaluate({"a": ["d1"]}, path, "RR", query_ids=["a", "b"])
    with pytest.raises(rs.UsageError, match="query_ids= goes with a file"):
        rs.evaluate({"a": ["d1"]}, {"a": ["d1"]}, "RR", query_ids=["a"])
    (tmp_path / "run").write_text("a Q0 d1 1 1.0 x\n")
    with pytest.raises(rs.UsageError, match="format 'trec', which names its queries"):
        rs.evaluate({"a": ["d1"]}, tmp_path / "run", "RR", query_ids=["a"])


REQUESTS = [
    {"query": {"match": {"title": "red tent"}}, "size": 10},
    {"query": {"multi_match": {"query": "stove", "fields": ["title", "text"], "type": "best_fields"}}},
]  # fmt: skip


def test_responses_take_their_queries_from_the_request(tmp_path, capsys):
    path, request, qrels = (tmp_path / n for n in ("answer.json", "request.ndjson", "qrels.jsonl"))
    path.write_text(json.dumps({"responses": responses(["d1", "d2"], ["d5"])}))
    request.write_text("".join(f"{{}}\n{json.dumps(body)}\n" for body in REQUESTS))
    judged = {"red tent": ["d2"], "stove": ["d5"]}
    written(qrels, [{"query": q, "expected": docs} for q, docs in judged.items()])
    words = [str(qrels), str(path), "-m", "RR", "--format", "json"]
    assert main(["evaluate", *words, "--query-ids", str(request)]) == 0
    assert json.loads(capsys.readouterr().out)["aggregates"] == {"RR": 0.75}
    path.write_text(json.dumps(responses(["d1", "d2"])[0]))
    request.write_text(json.dumps(REQUESTS[0], indent=1))
    assert rs.evaluate({"red tent": ["d2"]}, path, "RR", query_ids=request)["RR"] == 0.5
    two = {"bool": {"must": [{"match": {"a": "x"}}, {"match": {"b": "y"}}]}}
    request.write_text(json.dumps({"query": two}))
    with pytest.raises(rs.DataError, match="request 1: its query holds 2 texts"):
        rs.evaluate(judged, path, "RR", query_ids=request)


def test_a_folder_of_responses_is_a_run(tmp_path, capsys):
    folder, qrels = tmp_path / "responses", written(
        tmp_path / "qrels.jsonl", [{"query": "q1", "expected": ["d2"]}, {"query": "q2", "expected": ["d5"]}]
    )  # fmt: skip
    folder.mkdir()
    for name, response in zip(("q1", "q2"), responses(["d1", "d2"], ["d5"]), strict=True):
        (folder / f"{name}.json").write_text(json.dumps(response))
    words = [str(qrels), str(folder), "-m", "RR", "--format", "json"]
    assert main(["evaluate", *words]) == 0
    assert json.loads(capsys.readouterr().out)["aggregates"] == {"RR": 0.75}
    result = rs.evaluate(qrels, folder, "RR")
    assert result.name == "responses"
    result.save(tmp_path / "result.json")
    assert rs.verify(tmp_path / "result.json").holds
    (folder / "q2.json").write_text(json.dumps(responses(["d1", "d5"])[0]))
    assert not rs.verify(tmp_path / "result.json").holds
    (folder / "q2.json").write_text('{"error": {"reason": "too slow"}}')
    with pytest.raises(rs.DataError, match="response 2: the search failed .too slow."):
        rs.evaluate(qrels, folder, "RR")
    with pytest.raises(rs.DataError, match="a response in each file, such as q1.json"):
        rs.evaluate(qrels, tmp_path, "RR")
