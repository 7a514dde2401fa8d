"""The scorers of memory and RAG benchmarks: sessions made of turns, and nuggets of queries."""

import contextlib
import io
import random

import pytest
from strategies import examples

import rankstone as rs
from peers import freshstack, longmemeval

CASES = 1000


def history(draw):
    """Return the ranked turns of a question's whole history, and the turns that answer it."""
    turns = [f"s_{i}_{n}" for i in range(draw.randint(1, 8)) for n in range(draw.randint(1, 5))]
    draw.shuffle(turns)
    return turns, draw.sample(turns, draw.randint(1, min(4, len(turns))))


def scorer():
    try:
        return longmemeval.scorer()
    except ImportError as error:
        pytest.skip(str(error))


def test_scores_of_turns_are_those_of_longmemeval():
    theirs, draw = scorer(), random.Random(1)
    for _ in range(examples(CASES)):
        turns, gold = history(draw)
        k = draw.choice([1, 2, 3, 5, 10, 30])
        expected = theirs.evaluate_retrieval(list(range(len(turns))), gold, turns, k)
        names = [f"recall_any@{k}", f"recall_all@{k}", f"ndcg_any@{k}"]
        found = rs.evaluate({"q": gold}, {"q": turns}, names, like="longmemeval")
        assert [found[name] for name in names] == pytest.approx(expected, abs=1e-12)


def test_scores_of_sessions_are_those_of_longmemeval():
    theirs, draw = scorer(), random.Random(2)
    for _ in range(examples(CASES)):
        turns, gold = history(draw)
        k = draw.choice([1, 2, 3, 5, 10])
        places = list(range(len(turns)))
        expected = theirs.evaluate_retrieval_turn2session(places, gold, turns, k)
        names = [f"recall_any@{k}", f"recall_all@{k}", f"ndcg_any@{k}"]
        options = {"parents": "{doc}_{n}", "judged_chunks": True, "like": "longmemeval"}
        found = rs.evaluate({"q": gold}, {"q": turns}, names, **options)
        assert [found[name] for name in names] == pytest.approx(expected, abs=1e-12)


def test_ndcg_of_sessions_is_that_of_their_turns():
    """Each turn of a gold session gains, and the list ends where the k-th session is in."""
    draw = random.Random(4)
    options = {"parents": "{doc}_{n}", "judged_chunks": True}
    for _ in range(CASES // 10):
        turns, gold = history(draw)
        k = draw.choice([1, 2, 3, 5, 10])
        sessions = [turn.rpartition("_")[0] for turn in turns]
        wanted = {turn.rpartition("_")[0] for turn in gold}
        seen = [len(set(sessions[: i + 1])) for i in range(len(turns))]
        cut = max(k, next((i + 1 for i, n in enumerate(seen) if n >= k), len(turns)))
        expected = (rs.nDCG @ cut)([float(session in wanted) for session in sessions])
        measure = f"ChunkNDCG@{k}"
        found = rs.evaluate({"q": gold}, {"q": turns}, measure, **options)[measure]
        assert found == pytest.approx(expected, abs=1e-14)
        plain = [rs.evaluate({"q": gold}, {"q": turns}, f"{m}@{k}") for m in ("ChunkNDCG", "nDCG")]
        assert plain[0][measure] == plain[1][f"nDCG@{k}"]
    with pytest.raises(rs.UsageError, match="cannot be cut by chunks"):
        rs.evaluate({"q": gold}, {"q": turns}, "ChunkNDCG@2", cutoff_unit="chunk", **options)
    with pytest.raises(rs.UsageError, match="Choose unjudged='nonrelevant'"):
        rs.evaluate({"q": gold}, {"q": turns}, "ChunkNDCG@2", unjudged="remove", **options)


def test_scores_of_nuggets_are_those_of_freshstack():
    try:
        theirs = freshstack.metrics()
    except ImportError:
        pytest.skip("freshstack is not installed ('make test-all' installs it)")
    draw = random.Random(3)
    for _ in range(CASES // 5):
        k = draw.choice([1, 3, 5, 10, 20])
        nuggets, judged, run = {}, {}, {}
        for q in ("q1", "q2", "q3"):
            for n in range(draw.randint(1, 4)):
                docs = draw.sample(range(30), draw.randint(1, 5))
                nuggets[f"{q}.{n}"] = {f"d{d}": draw.choice([0, 1, 1]) for d in docs}
                for doc, grade in nuggets[f"{q}.{n}"].items():
                    judged.setdefault(q, {}).setdefault(doc, {})[f"{q}.{n}"] = grade
            if q != "q3" or draw.random() < 0.6:
                docs = draw.sample(range(30), draw.randint(1, 25))
                run[q] = {f"d{d}": draw.random() for d in docs}
        own = {q: [n for n in nuggets if n.startswith(f"{q}.")] for q in judged}
        whole = {q: {d: max(g.values()) for d, g in docs.items()} for q, docs in judged.items()}
        with contextlib.redirect_stderr(io.StringIO()):
            expected = {
                **theirs.alpha_ndcg(nuggets, own, run, [k]),
                **theirs.coverage(nuggets, own, run, [k]),
                **theirs.recall(whole, run, [k]),
                **theirs.ndcg(whole, run, [k]),
            }
        found = rs.evaluate(judged, run, list(expected), like="freshstack")
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)
        holes = theirs.hole(whole, run, [k])
        found = rs.evaluate(whole, run, [f"Hole@{k}"], like="freshstack")
        assert {q: found.per_query[q] for q in run} == holes
