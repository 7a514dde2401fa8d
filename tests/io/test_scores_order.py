"""Tests of scores order."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from sources import JUDGED, JUDGMENT_FILES, MEASURES, RANKED, RUN_FILES, SCORED, pairs
from strategies import collections

import rankstone as rs
from rankstone.cli import main
from rankstone.core.collection import MatchedCollection
from rankstone.io.convert import convert
from rankstone.verbs.load import load_judgments, load_run


def bits(result):
    return result.queries, {n: c.tobytes() for n, c in result.columns.items()}, result.aggregates


def ranked(run, judged=None, **options):
    """Return rank and grade of the judged documents."""
    judgments = load_judgments(judged or JUDGED)
    ranking = MatchedCollection(load_run(run, **options), judgments).ranked(rs.Conventions())
    return ranking.rank.tolist(), ranking.grade.tolist(), ranking.offsets.tolist()


DISTANCES = {q: {d: 10.0 - s for d, s in docs.items()} for q, docs in SCORED.items()}


def table(data, number):
    return pl.DataFrame(pairs(data), schema=["qid", "docno", number], orient="row")


def written(form):
    def put(folder):
        path = folder / "run"
        path.write_text(form)
        return path

    return put


ASCENDING = {
    "dict": lambda _: DISTANCES,
    "list of dicts": lambda _: [*DISTANCES.values()],
    "polars": lambda _: table(DISTANCES, "score"),
    "pandas": lambda _: table(DISTANCES, "score").to_pandas(),
    "records": lambda _: table(DISTANCES, "score").to_dicts(),
    "trec": written("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in pairs(DISTANCES))),
    "header": written(
        "qid docno score\n" + "".join(f"{q} {d} {s}\n" for q, d, s in pairs(DISTANCES))
    ),
    "csv": written("qid,docno,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in pairs(DISTANCES))),
    "json": written(json.dumps(DISTANCES)),
    "jsonl": written(
        "".join(
            json.dumps({"qid": q, "docid": d, "score": s}) + "\n" for q, d, s in pairs(DISTANCES)
        )
    ),
}


@pytest.mark.parametrize("held", ASCENDING)
def test_the_lowest_may_be_the_best(engine, tmp_path, held):
    run = ASCENDING[held](tmp_path)
    judged = dict(enumerate(JUDGED.values())) if held == "list of dicts" else JUDGED
    wanted = ranked([*SCORED.values()] if held == "list of dicts" else SCORED, judged)
    assert ranked(run, judged, scores="ascending") == wanted
    assert ranked(run, judged) != wanted


def test_scores_of_rows_may_be_distances(tmp_path):
    (tmp_path / "rows").write_text("1 qid:1 1:1\n0 qid:1 1:1\n")
    (tmp_path / "scores").write_text("0.5\n0.7\n")
    for scores, rank in (("descending", [2, 1]), ("ascending", [1, 2])):
        run = load_run(tmp_path / "scores", scores=scores)
        judgments = load_judgments(tmp_path / "rows")
        ranking = MatchedCollection(run, judgments).ranked(rs.Conventions())
        assert ranking.rank.tolist() == [1, 2]
        assert ranking.grade.tolist() == [2.0 - r for r in rank]


@settings(max_examples=60)
@given(collections())
def test_distances_are_negative_scores(collection):
    judged, run = collection
    negative = {q: {d: -s for d, s in docs.items()} for q, docs in run.items()}
    assert ranked(negative, judged, scores="ascending") == ranked(run, judged)


@pytest.mark.parametrize("run", [RANKED, [*RANKED.values()]], ids=["dict", "lists"])
def test_positions_have_no_direction(run):
    with pytest.raises(rs.UsageError, match="the run has no scores"):
        load_run(run, scores="ascending")


def test_ranks_have_their_own_direction(tmp_path):
    (tmp_path / "run").write_text(RUN_FILES["msmarco"](RANKED))
    with pytest.raises(rs.UsageError, match="have their own direction"):
        load_run(tmp_path / "run", scores="ascending")
    with pytest.raises(rs.UsageError, match=r"unknown value of scores 'rising'"):
        load_run(SCORED, scores="rising")


def test_the_sign_of_a_distance_means_nothing(engine):
    run = load_run({"q": {"a": 1.0, "b": 2.0}}, scores="ascending")
    result = rs.evaluate({"q": {"a": 1}}, run, "RR", nonpositive="nonrelevant")
    assert result["RR"] == 1.0


def test_a_column_of_distances_is_named(engine, tmp_path, capsys):
    frame = table(DISTANCES, "dist")
    frame.write_csv(tmp_path / "run.csv")
    frame.write_parquet(tmp_path / "run.parquet")
    (tmp_path / "qrels").write_text(JUDGMENT_FILES["trec"](JUDGED))
    wanted = bits(rs.evaluate(JUDGED, SCORED, MEASURES))
    for run in (frame, frame.to_pandas(), tmp_path / "run.csv", tmp_path / "run.parquet"):
        assert bits(rs.evaluate(JUDGED, run, MEASURES, columns={"distance": "dist"})) == wanted
        with pytest.raises(
            rs.DataError,
            match=r"Pass columns=\{'distance': 'dist'\} \(--columns distance=dist\) to rank the lowest",
        ):
            rs.evaluate(JUDGED, run, "RR")
    call = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run.csv"), "-m", "RR"]
    assert main([*call, "--columns", "distance=dist"]) == 0
    shown = capsys.readouterr().out.splitlines()[-1].split("\t")[-1]
    assert float(shown) == rs.evaluate(JUDGED, SCORED, "RR")["RR"]
    assert main(call) == 3
    assert "--columns distance=dist" in capsys.readouterr().err
    with pytest.raises(rs.UsageError, match="names a score, .* and a distance"):
        rs.evaluate(JUDGED, frame, "RR", columns={"score": "dist", "distance": "dist"})
    target = tmp_path / "out.run"
    convert(str(tmp_path / "run.csv"), str(target), columns={"distance": "dist"})
    assert bits(rs.evaluate(JUDGED, target, MEASURES)) == wanted
