"""Documents that are listed under a query are in the order of the list; scores rank tables."""

import json

import pandas as pd
import pytest
from llm_objects import HaystackDocument, Node, NodeWithScore, langchain

import rankstone as rs
from rankstone.cli import main

JUDGED = {"q": {"a": 1}, "r": {"b": 1}}
ORDER = {"q": ["a", "x", "y"], "r": ["x", "b"]}  # RR 1 and 1/2
RR = (1 + 1 / 2) / 2
BY_SCORE = (1 / 3 + 1) / 2
RERANKED = {"q": [0.1, 0.5, 0.9], "r": [0.2, 0.7]}  # the worst score is in front
TIED = {"q": [1.0, 1.0, 1.0], "r": [1.0, 1.0]}


def hits(docs, scores):
    return {"hits": {"hits": [{"_id": d, "_score": s} for d, s in zip(docs, scores, strict=True)]}}


def items(docs, scores):
    return [{"id": d, "score": s} for d, s in zip(docs, scores, strict=True)]


def made(one, scores):
    return {query: one(docs, scores[query]) for query, docs in ORDER.items()}


def objects(kind):
    return lambda docs, scores: [kind(d, s) for d, s in zip(docs, scores, strict=True)]


FORMS = {
    "responses": lambda scores: made(hits, scores),
    "objects": lambda scores: made(items, scores),
    "records": lambda scores: [
        {"query_id": q, "retrieved": own} for q, own in made(items, scores).items()
    ],
    "langchain": lambda scores: made(objects(lambda d, s: (langchain(d, s), s)), scores),
    "llamaindex": lambda scores: made(objects(lambda d, s: NodeWithScore(Node(d), s)), scores),
    "haystack": lambda scores: made(objects(lambda d, s: HaystackDocument(d, "", s)), scores),
}
IN_FILES = ("responses", "objects", "records")


def run_in(form, scores, tmp_path=None):
    """Return a run in a form, or the path of a file that holds it."""
    run = FORMS[form](scores)
    if tmp_path is None:
        return run
    path = tmp_path / "run.json"
    if form == "records":
        path = tmp_path / "run.jsonl"
        path.write_text("\n".join(map(json.dumps, run)))
    else:
        path.write_text(json.dumps(run))
    return path


EVERYWHERE = [(form, False) for form in FORMS] + [(form, True) for form in IN_FILES]


def warned(result):
    return {n.code: str(n) for n in result.notices if n.level == "warning"}


@pytest.mark.parametrize(("form", "in_file"), EVERYWHERE)
def test_the_order_that_was_shown_is_the_ranking(form, in_file, tmp_path):
    run = run_in(form, RERANKED, tmp_path if in_file else None)
    result = rs.evaluate(JUDGED, run, "RR")
    assert result["RR"] == RR
    assert warned(result)["order-against-scores"].startswith(
        "in 2 of 2 lists the order disagrees with the scores; the order decides, unless "
        "rank_by='score'; if the lowest score is the best, say scores='ascending' (for example q, r)"
    )
    chosen = rs.evaluate(JUDGED, run, "RR", rank_by="score")
    assert (chosen["RR"], warned(chosen)) == (BY_SCORE, {})
    assert chosen.changes == {"rank_by": "score"}
    distances = rs.evaluate(JUDGED, run, "RR", scores="ascending")
    assert (distances["RR"], warned(distances)) == (RR, {})


@pytest.mark.parametrize(("form", "in_file"), EVERYWHERE)
def test_a_list_has_no_ties(form, in_file, tmp_path):
    run = run_in(form, TIED, tmp_path if in_file else None)
    result = rs.evaluate(JUDGED, run, "RR", tie_interval=True)
    assert (result["RR"], result.ties.interval["RR"], warned(result)) == (RR, (RR, RR), {})
    tied = rs.evaluate(JUDGED, run, "RR", rank_by="score", ties="docid-desc")
    assert tied["RR"] == (1 / 3 + 1 / 2) / 2


def test_other_tools_read_scores():
    """They read files of scores, and their profiles decide as they do."""
    run = FORMS["objects"](RERANKED)
    assert rs.evaluate(JUDGED, run, "RR", like="trec_eval-9")["RR"] == BY_SCORE


TABLES = {
    "dicts": {q: dict(zip(docs, RERANKED[q], strict=True)) for q, docs in ORDER.items()},
    "rows": [
        {"query_id": q, "doc_id": d, "score": s}
        for q, docs in ORDER.items()
        for d, s in zip(docs, RERANKED[q], strict=True)
    ],
}


def test_scores_rank_tables(tmp_path):
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, TABLES["rows"])))
    (tmp_path / "dicts.json").write_text(json.dumps(TABLES["dicts"]))
    runs = [*TABLES.values(), pd.DataFrame(TABLES["rows"]), *tmp_path.iterdir()]
    for run in runs:
        result = rs.evaluate(JUDGED, run, "RR")
        assert (result["RR"], warned(result)) == (BY_SCORE, {})


def test_scores_still_cut_and_count():
    run = FORMS["objects"]({"q": [0.1, 0.5, 0.9], "r": [0.7, 0.2]})
    cut = rs.evaluate(JUDGED, run, ["RR", "NumRet"], min_score=0.4)
    assert cut.per_query == {"q": {"RR": 0, "NumRet": 2}, "r": {"RR": 0, "NumRet": 1}}
    assert "order-against-scores" in warned(cut)
    signed = FORMS["objects"]({"q": [-0.1, 0.5, 0.9], "r": [-0.7, 0.2]})
    plain = rs.evaluate(JUDGED, signed, "RR", nonpositive="nonrelevant")
    assert plain.per_query == {"q": {"RR": 0}, "r": {"RR": 0.5}}
    curve = rs.risk_coverage(JUDGED, run, "RR")
    assert curve.thresholds.tolist() == [0.9, 0.7]


def test_chunks_are_in_the_order_shown():
    chunks = {"q": items(["x#1", "a#1", "a#2"], [0.1, 0.3, 0.9])}
    judged = {"q": {"a": 1}}
    assert rs.evaluate(judged, chunks, "RR", parents="{doc}#{n}")["RR"] == 0.5
    assert rs.evaluate(judged, chunks, "RR", parents="{doc}#{n}", parent_rule="max")["RR"] == 1


@pytest.mark.parametrize("form", IN_FILES)
def test_validate_reports_the_order_against_scores(form, tmp_path, capsys):
    path = run_in(form, RERANKED, tmp_path)
    (report,) = rs.validate(str(path), kind="run")
    assert [n.code for n in report.notices] == ["order-against-scores"]
    assert report.exit_code == 1
    (report,) = rs.validate(str(run_in(form, TIED, tmp_path)), kind="run")
    assert (report.notices, report.facts["tied_rows"]) == ((), 0)


def test_the_command_takes_the_choice(tmp_path, capsys):
    path = str(run_in("responses", RERANKED, tmp_path))
    (tmp_path / "qrels.json").write_text(json.dumps(JUDGED))
    for words, value in ([], RR), (["--rank-by", "score"], BY_SCORE):
        assert main(["evaluate", str(tmp_path / "qrels.json"), path, "-m", "RR", "--format", "json", *words]) == 0  # fmt: skip
        out, err = capsys.readouterr()
        assert json.loads(out)["aggregates"]["RR"] == value
        assert ("rank_by='score'" in err) == (not words)


def test_a_run_without_scores_cannot_be_ranked_by_them():
    with pytest.raises(rs.UsageError, match="rank_by='score' needs scores"):
        rs.evaluate(JUDGED, ORDER, "RR", rank_by="score")


def test_verbs_that_read_documents_see_the_order():
    run = FORMS["objects"](RERANKED)
    assert rs.pool([run], depth=1) == rs.pool([ORDER], depth=1)
    assert rs.explain("RR", JUDGED, run, query="q").value == 1
    assert rs.agree_runs(run, ORDER).means()["rbo"] == 1
    loaded = rs.load_run(run)
    assert rs.evaluate(JUDGED, loaded, "RR")["RR"] == RR
    assert rs.evaluate(JUDGED, loaded, "RR", rank_by="score")["RR"] == BY_SCORE
    assert rs.evaluate(JUDGED, run, "RR", exclude={"r": ["x"]}).per_query["r"]["RR"] == 1


def test_convert_keeps_the_order(tmp_path):
    for scores in (RERANKED, {"q": [0.9, 0.5, 0.1], "r": [0.7, 0.2]}):
        path = run_in("objects", scores, tmp_path)
        assert (
            main(["convert", str(path), str(tmp_path / "run.trec"), "--as", "run", "--force"]) == 0
        )
        assert rs.evaluate(JUDGED, tmp_path / "run.trec", "RR")["RR"] == RR
    assert " 0.9 " in (tmp_path / "run.trec").read_text()


def test_confidence_comes_from_scores_though_documents_are_excluded():
    judged = {"a": {"x": 1}, "b": {"x": 1}}
    shown = {
        "a": [{"id": "z", "score": 0.1}, {"id": "x", "score": 0.9}],
        "b": [{"id": "y", "score": 0.2}, {"id": "z", "score": 0.1}],
    }
    curve = rs.risk_coverage(judged, shown, "RR", exclude={"a": ["z"], "b": ["z"]})
    assert curve.thresholds.tolist() == [0.9, 0.2]
    assert curve.risk.tolist() == [0.0, 0.5]
