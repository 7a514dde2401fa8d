"""Chunks against documents, and parts of documents against parts of documents."""

from __future__ import annotations

import json
import random
import re

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples, write_qrels, write_run

import rankstone as rs
from rankstone.cli import main
from rankstone.io.parents import Parents
from rankstone.io.spans import Span, load_pages, load_spans

JUDGED = {"q": {"A": 1, "B": 0, "C": 1}, "r": {"A": 1}}
CHUNKS = {
    "q": {"B#1": 0.9, "A#1": 0.8, "A#2": 0.7, "C#1": 0.1},
    "r": {"B#1": 0.5, "A#1": 0.4, "A#2": 0.3},
}
PARENTS = {"A#1": "A", "A#2": "A", "B#1": "B", "C#1": "C"}


@pytest.mark.parametrize("measure", rs.measures.all_measures(), ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_chunks_of_which_none_is_judged_have_the_value_of_their_document(measure):
    def value(run, **options):
        try:
            return rs.evaluate({"q": {"A": 1}}, run, measure, **options)[measure]
        except rs.UsageError as error:
            return str(error)

    of_chunks = value({"q": ["B#1", "B#2"]}, parents="{doc}#{n}")
    assert repr(of_chunks) == repr(value({"q": ["B"]}))


@pytest.mark.parametrize(
    ("rule", "first"), [("first", [1 / 2, 1 / 2]), ("max", [1 / 2, 1 / 2]), ("sum", [1.0, 1.0])]
)
def test_chunks_become_documents(engine, tmp_path, rule, first):
    file = tmp_path / "parents.tsv"
    file.write_text("# chunk document\n" + "".join(f"{c}\t{d}\n" for c, d in PARENTS.items()))
    rows = [(q, d, s) for q, docs in CHUNKS.items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    for run in (CHUNKS, write_run(tmp_path / "run", CHUNKS), frame):
        for parents in (PARENTS, file, "{doc}#{n}"):
            result = rs.evaluate(
                JUDGED, run, ["RR", "R", "NumRet"], parents=parents, parent_rule=rule
            )
            assert result.values("RR").tolist() == first
            assert (result["R"], result["NumRet"]) == (1.0, 5)
            (notice,) = (n for n in result.notices if n.code == "parents")
            assert "7 chunks of 5 documents in the run; " in notice.text
    assert rs.explain("RR", JUDGED, CHUNKS, query="q", parents="{doc}#{n}").value == 1 / 2


def test_recall_of_chunks_never_exceeds_one():
    """Each chunk of a relevant document would be a hit, if chunks were documents."""
    ranked = {"q": ["A#1", "A#2", "A#3", "C#1"]}
    result = rs.evaluate({"q": {"A", "C"}}, ranked, ["R@3", "R@2"], parents="{doc}#{n}")
    assert result.aggregates == {"R@3": 1.0, "R@2": 1.0}


def test_distances_of_chunks():
    near = {"q": {"A#1": 0.9, "A#2": 0.1, "B#1": 0.5}}
    options = {"parents": "{doc}#{n}", "scores": "ascending"}
    assert rs.evaluate(JUDGED, near, "RR", **options).per_query["q"]["RR"] == 1
    assert rs.evaluate(JUDGED, near, "RR", min_score=0.4, **options).per_query["q"]["RR"] == 1
    less = rs.evaluate(JUDGED, near, "NumRet", min_score=0.4, **options)
    assert less["NumRet"] == 1


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        (CHUNKS, {"parents": {"A#1": "A"}}, "chunk 'B#1' of the run has no document"),
        (CHUNKS, {"parents": "{doc}/{n}"}, "chunk 'B#1' of the run does not have the pattern"),
        (CHUNKS, {"parents": "{n}#{m}"}, "must hold {doc} once"),
        (CHUNKS, {"parents": 7}, "parents= is a dict"),
        (
            CHUNKS,
            {"parents": PARENTS, "parent_rule": "mean"},
            "unknown value of parent_rule 'mean'",
        ),
        ({"q": ["A#1"]}, {"parents": PARENTS, "parent_rule": "sum"}, "'sum' needs scores"),
    ],
)
def test_bad_parents_teach(run, options, message):
    with pytest.raises(rs.RankstoneError) as caught:
        rs.evaluate(JUDGED, run, "RR", **options)
    assert message in str(caught.value)


JUDGED_CHUNKS = {"q": {"A#1": 1, "A#4": 3, "C#2": 0}}


def test_judgments_of_chunks_become_judgments_of_documents(tmp_path, capsys):
    run = {"q": ["B#1", "A#2", "A#1", "C#9"]}
    options = {"parents": "{doc}#{n}", "judged_chunks": True}
    measures = ["RR", "CG", "NumRel", "Judged"]
    result = rs.evaluate(JUDGED_CHUNKS, run, measures, **options)
    assert result.per_query["q"] == {"RR": 1 / 2, "CG": 3, "NumRel": 1, "Judged": 2 / 3}
    by_document = rs.evaluate({"q": {"A": 3, "C": 0}}, {"q": ["B", "A", "C"]}, measures)
    assert result.per_query == by_document.per_query
    assert rs.explain("RR", JUDGED_CHUNKS, run, query="q", **options).value == 1 / 2
    qrels, path = write_qrels(tmp_path / "qrels", JUDGED_CHUNKS), tmp_path / "run"
    write_run(path, {"q": {d: -i for i, d in enumerate(run["q"])}})
    call = ["evaluate", str(qrels), str(path), "-m", "RR", "--parents", "{doc}#{n}"]
    assert main([*call, "--judged-chunks"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[1].split("\t")[2] == "0.5"
    assert "3 judged chunks of 2 judged documents" in captured.err


def test_a_question_without_an_answer_stays_one():
    judged = {"q": {"A#1": 1}, "none": {}}
    options = {"parents": "{doc}#{n}", "judged_chunks": True, "no_relevant": "silence"}
    result = rs.evaluate(judged, {"q": ["A#2"], "none": []}, "RR", **options)
    assert result.per_query == {"q": {"RR": 1}, "none": {"RR": 1}}
    by_subtopic = {1: {"A#1": {"x": 1}, "B#1": {"y": 1}}, 2: {}}
    result = rs.evaluate(by_subtopic, {1: ["A#2"], 2: []}, "StRecall", **options)
    assert result.per_query == {1: {"StRecall": 0.5}, 2: {"StRecall": 1}}


def test_a_column_of_distances_ranks_the_lowest_first(tmp_path):
    frame = pd.DataFrame(
        {"query": ["q"] * 3, "doc": ["B#1", "A#1", "A#2"], "distance": [0.4, 0.1, 0.9]}
    )
    path = tmp_path / "run.csv"
    frame.to_csv(path, index=False)
    options = {"parents": "{doc}#{n}", "columns": {"distance": "distance"}}
    for run in (frame, path, frame.to_dict("records")):
        assert rs.evaluate({"q": ["A"]}, run, "RR", **options)["RR"] == 1
        cut = rs.evaluate({"q": ["A"]}, run, ["RR", "NumRet"], min_score=0.2, **options)
        assert cut.per_query["q"] == {"RR": 1, "NumRet": 1}


@pytest.mark.parametrize(
    "options",
    [
        {"parents": "{doc}#{n}"},
        {"parents": PARENTS, "parent_rule": "sum"},
        {"min_score": 0.4},
        {"parents": "{doc}#{n}", "judged_chunks": True},
    ],
)
def test_runs_in_parts(options):
    """The result of an Evaluator is that of ``evaluate``, notices included."""
    judged = JUDGED
    if "judged_chunks" in options:
        judged = {q: {f"{d}#1": g for d, g in docs.items()} for q, docs in JUDGED.items()}
    names = ["RR", "NumRet"]
    whole = rs.evaluate(judged, CHUNKS, names, **options)
    given_once = rs.Evaluator(judged, names, **options)
    given_each = rs.Evaluator(measures=names, **options)
    for query, scores in CHUNKS.items():
        given_once.add({query: scores})
        given_each.add({query: scores}, judgments={query: judged[query]})
    given_each.add({}, judgments={})
    for result in (given_once.result(), given_each.result()):
        assert result.per_query == whole.per_query
        assert {n.text for n in result.notices} == {n.text for n in whole.notices}
    with pytest.raises(rs.UsageError, match="judged_chunks= needs parents="):
        rs.Evaluator(JUDGED, names, judged_chunks=True)


def test_pools_holes_and_risk_of_chunks(tmp_path, capsys):
    qrels, run = write_qrels(tmp_path / "qrels", JUDGED), write_run(tmp_path / "run", CHUNKS)
    parents = ["--parents", "{doc}#{n}"]
    assert main(["pool", str(run), "--depth", "2", *parents]) == 0
    assert capsys.readouterr().out == "q\tA\nq\tB\nr\tA\nr\tB\n"
    assert main(["pool", str(run), "--depth", "2", *parents, "--judged", str(qrels)]) == 0
    assert capsys.readouterr().out == "r\tB\n"
    chunks = write_qrels(tmp_path / "chunks", {"q": {"A#9": 1, "B#9": 0}, "r": {"A#9": 1}})
    call = ["pool", str(run), "--depth", "2", *parents, "--judged", str(chunks), "--judged-chunks"]
    assert main(call) == 0
    assert capsys.readouterr().out == "r\tB\n"
    assert main(["holes", str(qrels), str(run), "-m", "P@2", *parents]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[1:] == [["r", "B", "1", "0.25"]]
    assert main(["holes", str(chunks), str(run), "-m", "P@2", *parents, "--judged-chunks"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert main(["risk", str(qrels), str(run), "-m", "RR", *parents, "--parent-rule", "sum"]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[1:3]] == [
        "1.5",
        "0.7",
    ]


def test_subtopics_of_chunks_become_subtopics_of_documents():
    judged = {"q": {"A#1": {"x": 1}, "A#2": {"y": 1, "x": 0}, "B#1": {"z": 1}}}
    result = rs.evaluate(
        judged, {"q": ["A#7"]}, ["StRecall"], parents="{doc}#{n}", judged_chunks=True
    )
    assert result["StRecall"] == 2 / 3


def test_judgments_of_chunks_need_parents():
    with pytest.raises(rs.UsageError, match="judged_chunks= needs parents="):
        rs.evaluate(JUDGED_CHUNKS, {"q": ["A#1"]}, "RR", judged_chunks=True)
    with pytest.raises(rs.DataError, match="chunk 'A#1' of the judgments has no document"):
        rs.evaluate(JUDGED_CHUNKS, {"q": ["B#1"]}, "RR", parents={"B#1": "B"}, judged_chunks=True)


def test_files_of_parents(tmp_path, capsys):
    qrels, run = write_qrels(tmp_path / "qrels", JUDGED), write_run(tmp_path / "run", CHUNKS)
    call = ["evaluate", str(qrels), str(run), "-m", "RR", "--quiet"]
    assert main([*call, "--parents", "{doc}#{n}", "--parent-rule", "sum"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t")[2] == "1"
    for content, message in (
        ("A#1 A\nA#1 B\n", ":2: chunk 'A#1' has two documents, 'A' and 'B'"),
        ("A#1\n", ":1: expected a chunk and its document, with blanks between them, found 'A#1'"),
        ("", "the file is empty"),
        ("# none\n", "the file holds no chunk"),
    ):
        (tmp_path / "parents").write_text(content)
        assert main([*call, "--parents", str(tmp_path / "parents")]) == 3
        assert message in capsys.readouterr().err


# Spans ----------------------------------------------------------------------------------------

SPANS = {"q": [("manual", 100, 200), ("faq", 0, 50)]}


def test_three_levels_side_by_side():
    run = {"q": [("manual", 150, 400), ("other", 0, 50), ("manual", 0, 180), ("faq", 0, 40)]}
    found = rs.evaluate_spans(SPANS, run, k=[1, 3, 4], overlap=0.6)
    assert found.documents.aggregates["R@1"] == 1 / 2
    assert found.documents.aggregates["R@3"] == 1  # manual, other, faq
    spans = [found.spans[f"StRecall(rel=0.6)@{k}"] for k in (1, 3, 4)]
    assert spans == [0, 1 / 2, 1]
    recall = [found.characters[f"CharRecall@{k}"] for k in (1, 3, 4)]
    assert recall == pytest.approx([50 / 150, 100 / 150, 140 / 150])
    precision = [found.characters[f"CharPrecision@{k}"] for k in (1, 3, 4)]
    assert precision == pytest.approx([50 / 250, 100 / 450, 140 / 490])


def test_what_was_not_retrieved_is_missed():
    found = rs.evaluate_spans({**SPANS, "r": [("x", 0, 1)]}, {"q": [("y", 0, 9)]}, k=5)
    assert found.characters.per_query == {
        q: {"CharRecall@5": 0, "CharPrecision@5": 0} for q in ("q", "r")
    }
    assert found.spans["StRecall(rel=0.5)@5"] == 0


@st.composite
def cuts(draw):
    """A text of 60 characters, judged parts of it, and the parts that were retrieved."""
    borders = draw(st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True))
    judged = list(zip(sorted(borders)[::2], sorted(borders)[1::2], strict=False))
    found = draw(st.lists(st.tuples(st.integers(0, 59), st.integers(1, 30)), min_size=1))
    return judged, [(start, min(60, start + size)) for start, size in found]


@settings(max_examples=examples(150))
@given(cuts(), st.randoms(use_true_random=False))
def test_moving_the_borders_of_chunks_leaves_recall_by_characters(case, rng):
    judged, found = case
    characters = {i for start, end in found for i in range(start, end)}
    relevant = {i for start, end in judged for i in range(start, end)}
    judgments = {"q": [("d", start, end) for start, end in judged]}
    again = recut(characters, rng)
    for spans in (found, again):
        result = rs.evaluate_spans(
            judgments, {"q": [("d", start, end) for start, end in spans]}, k=1000
        ).characters
        assert result["CharRecall@1000"] == len(relevant & characters) / len(relevant)
        assert result["CharPrecision@1000"] == len(relevant & characters) / len(characters)


def recut(characters, rng):
    """Return other chunks that hold the same characters."""
    chunks, start = [], None
    for i in range(62):
        inside = i in characters
        if start is not None and (not inside or rng.random() < 0.3):
            chunks.append((start, i))
            start = None
        if inside and start is None:
            start = i
    rng.shuffle(chunks)
    return chunks


def write_spans(path, data):
    rows = [(q, *span) for q, spans in data.items() for span in spans]
    path.write_text(
        "".join(
            json.dumps({"query_id": q, "doc_id": d, "start": a, "end": b, "score": -i}) + "\n"
            for i, (q, d, a, b) in enumerate(rows)
        )
    )
    return path


def test_files_of_spans(tmp_path, capsys):
    run = {"q": [("manual", 100, 180), ("faq", 0, 50)]}
    judged, ranked = (
        write_spans(tmp_path / f"{name}.jsonl", data)
        for name, data in (("judged", SPANS), ("run", run))
    )
    expected = rs.evaluate_spans(SPANS, run)
    assert rs.evaluate_spans(judged, ranked).characters == expected.characters
    both = tmp_path / "both.jsonl"
    record = {
        "question": "q",
        "expected": [{"doc_id": d, "start": a, "end": b} for d, a, b in SPANS["q"]],
        "retrieved": [{"doc_id": d, "start": a, "end": b} for d, a, b in run["q"]],
    }
    both.write_text(json.dumps(record) + "\n")
    assert rs.evaluate_spans(both, both).spans == expected.spans
    assert main(["spans", str(judged), str(ranked), "-k", "2", "--format", "table"]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()[2:-1]]
    levels = ("documents", "spans", "characters")
    assert list(dict.fromkeys(row[0] for row in rows)) == list(levels)
    shown = {(level, measure): value for level, measure, value in rows}
    assert shown["characters", "CharRecall@2"] == f"{130 / 150:.4f}"
    assert shown["spans", "StCoverage@2"] == f"{1.8 / 2:.4f}"
    assert main(["spans", str(judged), str(ranked), "-k", "2", "-q"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "level\tmeasure\tquery\trun"
    assert "spans\tStCoverage@2\tq\t0.9\n" in out


PAGES = {"manual": [0, 100, 150], "faq": [0]}


def test_pages_are_a_level_of_their_own(tmp_path, capsys):
    run = {"q": [("manual", 0, 100), ("manual", 120, 160), ("faq", 0, 9)]}
    found = rs.evaluate_spans(SPANS, run, k=[1, 2, 4], pages=PAGES)
    assert list(found.levels) == ["documents", "pages", "spans", "characters"]
    # judged: manual p. 2 and 3, faq p. 1; retrieved: manual p. 1, p. 2 and 3, faq p. 1
    assert [found.pages[f"R@{k}"] for k in (1, 2, 4)] == [0, 1 / 3, 1]
    assert found.pages["RR@4"] == 1 / 2
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(PAGES))
    assert rs.evaluate_spans(SPANS, run, k=[1, 2, 4], pages=path).pages == found.pages


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ({"manual": [0, 100]}, "there are no pages of document 'faq'"),
        ({"manual": [0, 100, 100], "faq": [0]}, "begin at 0 and at rising positions"),
        ({"manual": [5], "faq": [0]}, "begin at 0"),
        ({"manual": 7, "faq": [0]}, "not at 7"),
        ([0, 100], "expected an object of documents"),
    ],
)
def test_bad_pages_teach(pages, message):
    with pytest.raises(rs.DataError, match=re.escape(message)):
        rs.evaluate_spans(SPANS, SPANS, pages=pages)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 60)), min_size=1, max_size=5))
def test_graded_coverage_is_the_best_share_of_each_judged_part(found):
    wanted = [(10, 30), (50, 90)]
    run = [("d", start, start + size) for start, size in found]
    value = rs.evaluate_spans({"q": [("d", *part) for part in wanted]}, {"q": run}, k=3).spans
    first = list(dict.fromkeys(run))[:3]
    best = [
        max(max(0, min(b, end) - max(a, start)) / (b - a) for _, start, end in first)
        for a, b in wanted
    ]
    assert value["StCoverage@3"] == pytest.approx(sum(best) / 2)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([("d", 5, 5)], "ends at 5, not after its start 5"),
        ([("d", 9, 5)], "ends at 5, not after its start 9"),
        ([("d", -1, 5)], "the start -1 of a span is not a position from 0 up"),
        ([("d", 0, 2.5)], "the end 2.5 of a span is not a position"),
        ([("d", 0, 10), ("d", 5, 20)], "d[0:10] and d[5:20] overlap"),
        ([("d", 0)], "a span is (document, start, end), not ('d', 0)"),
        ([{"doc_id": "d", "start": 0}], "the record has no end"),
    ],
)
def test_bad_spans_teach(spans, message):
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate_spans({"q": spans}, {"q": [("d", 0, 1)]})
    assert message in str(caught.value)


def test_an_overlap_is_a_share():
    with pytest.raises(rs.UsageError, match="above 0 and at most 1, not 0"):
        rs.evaluate_spans(SPANS, SPANS, overlap=0)
    with pytest.raises(rs.DataError, match="cannot read spans from int"):
        rs.evaluate_spans(3, SPANS)


def test_random_runs_of_parts_agree_with_sets():
    """Prefix by prefix, against sets of characters."""
    rng = random.Random(4)
    for _ in range(20):
        spans = [
            (rng.choice("de"), a := rng.randrange(40), a + rng.randint(1, 15)) for _ in range(6)
        ]
        judged = [("d", 0, 10), ("d", 12, 20), ("e", 5, 30)]
        relevant = {(d, i) for d, a, b in judged for i in range(a, b)}
        found = rs.evaluate_spans({"q": judged}, {"q": spans}, k=range(1, 7)).characters
        unique = list(dict.fromkeys(spans))
        for k in range(1, 7):
            read = {(d, i) for d, a, b in unique[:k] for i in range(a, b)}
            assert found[f"CharRecall@{k}"] == pytest.approx(len(read & relevant) / len(relevant))
            assert found[f"CharPrecision@{k}"] == pytest.approx(len(read & relevant) / len(read))


# Documents of the same text -----------------------------------------------------------------------

TWICE = {"q": {"a2": 3.0, "x": 2.0, "a1": 1.0, "b": 0.5}}


@pytest.mark.parametrize(
    "same", [{"a2": "a1"}, {"a1": "a2"}, {"a2": "a3", "a3": "a1"}, {"a1": "a2", "a2": "a1"}]
)
def test_documents_of_the_same_text_are_one(same):
    judged = {"q": {"a1": 1, "a2": 2, "b": 1}}
    result = rs.evaluate(judged, TWICE, ["nDCG", "P@2", "NumRel", "R@1"], same_as=same)
    by_hand = rs.evaluate(
        {"q": {"a": 2, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 0.5}}, list(result.aggregates)
    )
    assert result.aggregates == by_hand.aggregates
    assert "4 documents of the run are 3 documents by same_as" in " ".join(map(str, result.notices))


def test_same_documents_in_a_file(tmp_path, capsys):
    path, qrels, run = (tmp_path / name for name in ("same.tsv", "qrels", "run"))
    path.write_text("doc_id\toriginal\na2\ta1\n")
    qrels.write_text("q 0 a1 1\nq 0 b 1\n")
    run.write_text("".join(f"q Q0 {d} 1 {s} x\n" for d, s in TWICE["q"].items()))
    words = [str(qrels), str(run), "-m", "RR", "--format", "json"]
    assert main(["evaluate", *words, "--same-as", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["aggregates"] == {"RR": 1.0}
    result = rs.evaluate(qrels, run, "RR", same_as=path)
    result.save(tmp_path / "result.json")
    assert rs.verify(tmp_path / "result.json").holds
    path.write_text("a2\ta1\na2\tb\n")
    with pytest.raises(rs.DataError, match="document 'a2' has two originals, 'a1' and 'b'"):
        rs.evaluate(qrels, run, "RR", same_as=path)


def test_numbers_stay_numbers_under_same_as():
    found = rs.evaluate({1: {10: 1}}, {1: {11: 2.0, 12: 1.0}}, "RR", same_as={11: 10})
    assert found["RR"] == 1.0


def test_bad_same_as():
    with pytest.raises(rs.UsageError, match="same_as= and parents= do not go together"):
        rs.evaluate({"q": ["a"]}, {"q": ["a"]}, "RR", same_as={"a": "b"}, parents={"a": "b"})
    with pytest.raises(rs.UsageError, match="same_as= is a dict"):
        rs.evaluate({"q": ["a"]}, {"q": ["a"]}, "RR", same_as=3)


def written(path, data):
    path.write_text(json.dumps(data))
    return str(path)


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


@pytest.fixture
def chunks(tmp_path):
    """Judgments of documents, a run of chunks, and the other run; by type of question."""
    judged = [
        {"query": "q1", "expected_chunks": ["d1"], "type": "how"},
        {"query": "q2", "expected_chunks": ["d2"], "type": "why"},
    ]
    run = [
        {"query": "q1", "found_chunks": ["d9#1", "d1#2"]},
        {"query": "q2", "found_chunks": ["d2#1", "d2#2"]},
    ]
    for name, rows in (("judged", judged), ("run", run), ("again", run)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("judged", "run", "again")]
    columns = ["--columns", "expected=expected_chunks,retrieved=found_chunks"]
    return tmp_path, files, [*columns, "--parents", "{doc}#{n}", "-m", "RR"]


PARENT_LINES = {
    "csv": "chunk_id,doc_id\nd9#1,d9\nd1#2,d1\nd2#1,d2\nd2#2,d2\n",
    "txt": "d9#1 d9\nd1#2 d1\nd2#1 d2\nd2#2 d2\n",
    "json": '{"d9#1": "d9", "d1#2": "d1", "d2#1": "d2", "d2#2": "d2"}',
}


@pytest.mark.parametrize("ending", PARENT_LINES)
def test_files_of_the_documents_of_chunks(chunks, ending):
    folder, (judged, run, _), _ = chunks
    (folder / f"map.{ending}").write_text(PARENT_LINES[ending])
    columns = {"expected": "expected_chunks", "retrieved": "found_chunks"}
    result = rs.evaluate(judged, run, "RR", columns=columns, parents=folder / f"map.{ending}")
    assert result["RR"] == 0.75


RELEVANT = {f"q{i}": {"a": 1} for i in range(6)}


LATE = {f"q{i}": [f"x{j}" for j in range(i % 3)] + ["a"] for i in range(6)}  # RR 1, 1/2, 1/3, ...


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("chunk", ["#1", "a#", "#", "a"])
def test_no_part_of_the_id_of_a_chunk_is_empty(chunk):
    with pytest.raises(rs.DataError, match="does not have the pattern"):
        rs.evaluate({"q": {"a": 1}}, {"q": ["a#1", chunk]}, "RR", parents="{doc}#{n}")


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_judged_chunks_alone_are_refused(command, capsys):
    more = ["-o", "page.html"] if command == "report" else []
    runs = ["late.json"] if command == "evaluate" else ["late.json", "first.json"]
    assert main([command, "judged.json", *runs, "-m", "RR", "--judged-chunks", *more]) == 2
    assert "needs --parents" in capsys.readouterr().err
    with pytest.raises(rs.UsageError, match="needs parents="):
        rs.evaluate(RELEVANT, LATE, "RR", judged_chunks=True)
