"""What documents without a judgment leave open: intervals, pools, and what to judge first."""

import itertools
import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from loading import collection
from strategies import write_qrels, write_run

import rankstone as rs
from rankstone.cli import main
from rankstone.core import hypothetical_grades
from rankstone.core.hypothetical_grades import UnjudgedPositions
from rankstone.measures.unjudged import MOST_TRIED, unjudged_extremes
from rankstone.stats.comparison import _holes_notice, difference_interval
from rankstone.verbs.load import load_judgments

#: Measures that judgments change; those that look items up by their ids read none.
BY_GRADES = [m for m in rs.all_measures() if not m.definition.reads_items]


def drawn(rng):
    """Return judgments and a ranking with at most four holes, and all ways to judge these."""
    scale = rng.choice([[0, 1], [0, 0, 1, 2], [0, 1, 3], [-1, 0, 1]])
    found = [rng.choice(scale) for _ in range(rng.randint(1, 7))]
    for i in rng.sample(range(len(found)), min(len(found), rng.randint(1, 4))):
        found[i] = None
    missed = [rng.choice(scale) for _ in range(rng.randint(0, 3))]
    judged = {f"d{i}": g for i, g in enumerate(found) if g is not None}
    judged |= {f"m{i}": g for i, g in enumerate(missed)} or {"m": 1}
    levels = sorted({0, *(g for g in judged.values() if g > 0)})
    unjudged = [f"d{i}" for i, g in enumerate(found) if g is None]
    ways = itertools.product(levels, repeat=len(unjudged))
    completed = [{"q": judged | dict(zip(unjudged, way, strict=True))} for way in ways]
    return {"q": judged}, {"q": [f"d{i}" for i in range(len(found))]}, completed


def with_parameters(rng, measure):
    chosen = {p.name: rng.choice([p.default, *p.examples]) for p in measure.definition.params}
    return measure(**{name: value for name, value in chosen.items() if value is not None})


@pytest.mark.parametrize("measure", BY_GRADES, ids=str)
def test_intervals_are_those_of_all_completions(measure):
    """With everything tried, and with the few ways that are tried if there are many."""
    rng = random.Random(str(measure))
    exact = 0
    for _ in range(8):
        judged, run, completed = drawn(rng)
        chosen = with_parameters(rng, measure)
        rules = {"no_relevant": rng.choice(["zero", "one", "skip"])}
        try:
            values = [rs.evaluate(c, run, chosen, **rules).values(chosen)[0] for c in completed]
        except rs.RankstoneError:
            continue
        values = [value for value in values if not math.isnan(value)]
        expected = (min(values), max(values)) if values else (math.nan, math.nan)
        data = collection(judged, run)
        ranked = data.ranked(rs.Conventions(**rules))
        for tried in (MOST_TRIED, 6):
            ends = unjudged_extremes(chosen, UnjudgedPositions.of(ranked), tried)
            low, high = ends.low[0], ends.high[0]
            if ends.queries_exact:
                assert (low, high) == pytest.approx(expected, nan_ok=True), (chosen, judged, run)
                exact += 1
            elif values:
                assert low <= expected[0] + 1e-12, (chosen, judged, run)
                assert high >= expected[1] - 1e-12, (chosen, judged, run)
    assert exact


def test_an_interval_of_long_rankings_is_exact_where_the_order_of_gains_is_best():
    rng = random.Random(5)
    docs = [f"d{i:03d}" for i in range(300)]
    judged = {q: {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(docs, 40)} for q in "abc"}
    run = {q: rng.sample(docs, 250) for q in "abc"}
    names = ["AP", "P@10", "R@100", "RR", "nDCG@10", "DCG", "ERR@20", "Rprec"]
    report = rs.evaluate(judged, run, names, unjudged_interval=True).unjudged
    assert all(report.interval[name].exact for name in names)
    assert (
        not rs.evaluate(judged, run, "nDCG", unjudged_interval=True).unjudged.interval["nDCG"].exact
    )
    # Recall is lowest if everything below the cutoff is relevant, and nothing above it.
    known = rs.evaluate(judged, run, ["R@100", "NumRel", "NumRelRet@100"]).per_query["a"]
    below = sum(d not in judged["a"] for d in run["a"][100:])
    low, _ = report.interval["R@100"].per_query
    assert low[0] == known["NumRelRet@100"] / (known["NumRel"] + below)


def test_what_is_known_is_not_open():
    judged, run = {"q": {"a": 1, "b": -1, "c": 0}}, {"q": ["b", "a", "c"]}
    report = rs.evaluate(judged, run, ["RR", "P@3"], unjudged_interval=True).unjudged
    assert (report.documents, report.retrieved) == (0, 3)
    assert report.judged_by_rank == (1.0, 1.0, 1.0)
    assert [tuple(i[:3]) for i in report.interval.values()] == [
        (0.5, 0.5, True),
        (1 / 3, 1 / 3, True),
    ]
    assert rs.evaluate(judged, run, ["RR"]).unjudged is None


def test_the_interval_is_saved_and_shown(tmp_path, capsys):
    qrels = write_qrels(tmp_path / "qrels", {"q": {"a": 1, "m": 1}, "r": {"b": 1}})
    run = write_run(tmp_path / "run", {"q": {"x": 3.0, "a": 2.0}, "r": {"b": 1.0, "y": 0.5}})
    call = ["evaluate", str(qrels), str(run), "-m", "P@2", "-m", "R@1", "--unjudged-interval"]
    assert main([*call, "--format", "table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        "2 of 4 retrieved documents not judged; judged: 50% at rank 1",
        "whatever their grades, P@2 is from 0.5000 to 1.0000",
        "whatever their grades, R@1 is from 0.2500 to 0.6667",
    ]
    assert main([*call, "--format", "json"]) == 0
    text = capsys.readouterr().out
    again = rs.Result.from_json(text)
    assert again.unjudged.interval["R@1"][:3] == (0.25, 2 / 3, True)
    assert json.loads(again.to_json())["unjudged"] == json.loads(text)["unjudged"]
    assert main([*call, "--format", "table", "--aggregate", "mean"]) == 0
    assert "whatever their grades, P@2 is from 0.5000 to 1.0000" in capsys.readouterr().out


LEVELS = [0, 1, 2]


def drawn_queries(rng, *, by_subtopic):
    """Return judgments and rankings of two queries, and all ways to judge their holes together."""

    def grade():
        return {s: rng.choice(LEVELS) for s in "xy"} if by_subtopic else rng.choice(LEVELS)

    judged, run, holes_ = {}, {}, []
    for q in "qr":
        run[q] = [f"{q}{i}" for i in range(rng.randint(1, 4))]
        own = rng.sample(run[q], min(len(run[q]), rng.randint(0, 1 if by_subtopic else 2)))
        known = [*(d for d in run[q] if d not in own), f"{q} missed"]
        judged[q] = {d: grade() for d in known}
        holes_ += [(q, d) for d in own]
    judged["q"]["q missed"] = {"x": 2, "y": 1} if by_subtopic else 2
    judged["r"]["r missed"] = {"x": 1, "y": 0} if by_subtopic else 1
    levels = [dict(zip("xy", way, strict=True)) for way in itertools.product(LEVELS, repeat=2)]
    completed = []
    for way in itertools.product(levels if by_subtopic else LEVELS, repeat=len(holes_)):
        one = {q: dict(docs) for q, docs in judged.items()}
        for (q, doc), given in zip(holes_, way, strict=True):
            one[q][doc] = given
        completed.append(one)
    return judged, run, completed


def ends_of(values):
    defined = [value for value in values if not math.isnan(value)]
    return (min(defined), max(defined)) if defined else (math.nan, math.nan)


SMALL = [(measure, False) for measure in BY_GRADES]
SMALL += [(measure, True) for measure, _ in SMALL if measure.definition.reads_subtopics]


@pytest.mark.parametrize(("measure", "by_subtopic"), SMALL, ids=str)
def test_intervals_of_small_collections_are_those_of_all_completions(measure, by_subtopic):
    """Of queries and of the aggregate, whatever the weights and the queries that are left out."""
    rng = random.Random(str(measure))
    exact = 0
    for _ in range(4):
        judged, run, completed = drawn_queries(rng, by_subtopic=by_subtopic)
        chosen = with_parameters(rng, measure)
        rules = {"no_relevant": rng.choice(["zero", "one", "skip", "silence"])}
        try:
            result = rs.evaluate(judged, run, chosen, unjudged_interval=True, **rules)
            every = [rs.evaluate(c, run, chosen, **rules) for c in completed]
        except rs.RankstoneError:
            continue
        interval = result.unjudged.interval[str(chosen)]
        expected = ends_of([one[chosen] for one in every])
        if chosen.pools_queries or (by_subtopic and chosen.reads_ids):
            assert not interval.exact or interval[:2] == pytest.approx(expected, nan_ok=True)
            continue
        exact += 1
        assert interval.exact, (chosen, judged, run)
        assert interval[:2] == pytest.approx(expected, nan_ok=True), (chosen, judged, run)
        for q, query in enumerate(result.queries):
            own = ends_of([one.per_query[query][str(chosen)] for one in every])
            assert [end[q] for end in interval.per_query] == pytest.approx(own, nan_ok=True)
    assert exact or (by_subtopic and measure.reads_ids) or measure.name == "AUC"


@pytest.mark.parametrize(
    "measure", ["AUC", "AUC(max_fpr=0.5)", "AUC(negatives='retrieved')", "AUPRC"]
)
def test_intervals_of_curves_know_tied_scores(measure):
    """Ties of unjudged documents with judged ones are known, ties among themselves are not."""
    rng = random.Random(measure)
    exact = 0
    for _ in range(40):
        scores = {f"d{i}": float(rng.randint(0, 3)) for i in range(rng.randint(2, 6))}
        holes_ = rng.sample(sorted(scores), min(len(scores) - 1, rng.randint(1, 3)))
        judged = {d: rng.randint(0, 1) for d in (*scores, "missed") if d not in holes_}
        judged["a"] = 1
        levels = itertools.product([0, 1], repeat=len(holes_))
        every = [judged | dict(zip(holes_, way, strict=True)) for way in levels]
        values = [rs.evaluate({"q": one}, {"q": scores}, measure)[measure] for one in every]
        expected = ends_of(values)
        result = rs.evaluate({"q": judged}, {"q": scores}, measure, unjudged_interval=True)
        interval = result.unjudged.interval[measure]
        if interval.exact:
            exact += 1
            assert interval[:2] == pytest.approx(expected, nan_ok=True), (judged, scores)
        elif not math.isnan(expected[0]):
            assert interval.low <= expected[0] + 1e-12, (judged, scores)
            assert interval.high >= expected[1] - 1e-12, (judged, scores)
    assert 5 < exact < 40


def test_a_tie_with_an_unjudged_document_stays_a_tie():
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "x": 1.0, "b": 0.0}}
    interval = rs.evaluate(judged, run, "AUC", unjudged_interval=True).unjudged.interval["AUC"]
    # x is not relevant: a wins against b and ties with x; relevant: both win against b.
    assert interval[:3] == ((1 + 1 / 2) / 2, 1.0, True)


def test_bounds_are_said():
    """A greedy ideal depends on ids, and there are too many ways to judge many holes."""
    judged = {"q": {"a": {"s": 1}, "b": {"t": 1}}}
    interval = rs.evaluate(judged, {"q": ["x", "a"]}, "alpha_nDCG", unjudged_interval=True).unjudged
    assert interval.interval["alpha_nDCG"][:3] == (0.0, 1.0, False)
    many = {"q": ["a", *(f"x{i}" for i in range(7))]}
    open_ = rs.evaluate(judged, many, "alpha_DCG", unjudged_interval=True)
    assert open_.unjudged.interval["alpha_DCG"].high == math.inf
    again = rs.Result.from_json(open_.to_json())
    assert again.unjudged.interval["alpha_DCG"].high == math.inf


def test_a_query_may_come_into_the_mean():
    judged = {"q": {"a": 1}, "r": {"b": 0}}
    run = {"q": ["a"], "r": ["b", "b2", "x"]}
    result = rs.evaluate(judged, run, "RR", no_relevant="skip", unjudged_interval=True)
    interval = result.unjudged.interval["RR"]
    assert result["RR"] == 1
    assert interval[:3] == ((1 + 1 / 3) / 2, 1.0, True)
    counted = rs.evaluate(judged, run, "RR", unjudged_interval=True).unjudged.interval["RR"]
    assert counted[:3] == (0.5, 0.75, True)
    long = {**run, "r": ["b", *(f"x{i}" for i in range(20))]}
    bound = rs.evaluate(judged, long, "RR", no_relevant="skip", unjudged_interval=True)
    assert bound.unjudged.interval["RR"][:3] == (1 / 21, 1.0, False)


def test_ties_need_an_order():
    with pytest.raises(
        rs.UsageError, match="needs one order of tied documents, and ties='expected'"
    ):
        rs.evaluate(
            {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", ties="expected",
            unjudged_interval=True,
        )  # fmt: skip


def test_unjudged_documents_that_are_taken_out_may_come_back():
    judged, run = {"q": {"a": 1, "b": 0}}, {"q": ["x", "b", "a"]}
    result = rs.evaluate(judged, run, "RR", unjudged="remove", unjudged_interval=True)
    assert result["RR"] == 0.5
    assert result.unjudged.interval["RR"][:2] == (1 / 3, 1.0)


# Comparisons ----------------------------------------------------------------------------------

QUERIES = [f"q{i}" for i in range(12)]
JUDGED = {q: {"good": 1, "bad": 0} for q in QUERIES}
BEST = {q: ["good", "bad"] for q in QUERIES}
WORST = {q: ["bad", "good"] for q in QUERIES}


def test_a_verdict_may_survive_its_holes():
    runs = {"old": WORST, "new": BEST}
    sure = rs.compare(JUDGED, runs, "RR", unjudged_interval=True)["new", "RR"]
    (notice,) = (n for n in sure.warnings if n.code == "survives-holes")
    assert "cannot reverse it: whatever their grades, the difference is from +0.500" in notice.text
    holey = {q: ["x", "bad", "good"] for q in QUERIES}
    comparison = rs.compare(JUDGED, {"old": holey, "new": BEST}, "RR", unjudged_interval=True)
    (notice,) = (n for n in comparison["new", "RR"].warnings if n.code == "holes")
    assert notice.level == "warning" if comparison["new", "RR"].verdict == "better" else "note"
    assert "could reverse it: whatever their grades, the difference is from +0.000" in notice.text
    assert rs.stats.comparison.Comparison.from_json(comparison.to_json()) == comparison
    assert not any("holes" in n.code for n in rs.compare(JUDGED, runs, "RR")["new", "RR"].warnings)


def test_a_difference_lies_between_the_ends_of_both():
    comparison = rs.compare(JUDGED, {"old": WORST, "new": BEST}, "RR")
    pair = comparison["new", "RR"]
    new, old = {"new": {"RR": (0.25, 1.0)}}, {"old": {"RR": (0.5, 0.75)}}
    assert difference_interval(pair, {**new, **old}) == (-0.5, 0.5)
    for known in (new, old, {}, {**new, "old": {"AP": (0.0, 1.0)}}):
        assert difference_interval(pair, known) is None


@pytest.mark.parametrize(
    ("ends", "code"),
    [
        ((0.001, 0.5), "survives-holes"),
        ((-0.5, -0.001), "survives-holes"),
        ((0.0, 0.5), "holes"),
        ((-0.5, 0.0), "holes"),
        ((-0.1, 0.1), "holes"),
        ((-math.inf, -0.1), "survives-holes"),
        ((0.1, math.inf), "survives-holes"),
    ],
)
def test_what_is_above_0_at_both_ends_survives(ends, code):
    pair = rs.compare(JUDGED, {"old": WORST, "new": BEST}, "RR")["new", "RR"]
    notice = _holes_notice(pair, ends)
    assert (notice.code, notice.count) == (code, 1)
    assert ("may be anything" in notice.text) == any(map(math.isinf, ends))
    assert notice.level == ("note" if code == "survives-holes" else "warning")
    undecided = replace(pair, p_adjusted=1.0)
    assert _holes_notice(undecided, ends).level == "note"


def test_compare_says_whether_a_verdict_survives(tmp_path, capsys):
    qrels = write_qrels(tmp_path / "qrels", JUDGED)
    scored = {
        name: {q: {d: float(-i) for i, d in enumerate(docs)} for q, docs in run.items()}
        for name, run in (("old", WORST), ("new", BEST))
    }
    paths = [str(write_run(tmp_path / f"{name}.run", run)) for name, run in scored.items()]
    call = ["compare", str(qrels), *paths, "-m", "RR", "--unjudged-interval"]
    assert main([*call, "--format", "table"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Unjudged documents cannot reverse it" in text
    assert main(["compare", "--values", *paths, "--unjudged-interval"]) == 2
    err = capsys.readouterr().err
    assert "--unjudged-interval cannot be applied to values that exist already" in err


# What to judge --------------------------------------------------------------------------------


def test_a_pool_is_the_union_of_the_tops(tmp_path, capsys):
    a = write_run(tmp_path / "a.run", {"q2": {"x": 1.0}, "q1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    b = tmp_path / "b.jsonl"
    b.write_text('{"query_id": "q1", "retrieved_ids": ["d", "a", "e"]}\n')
    assert main(["pool", str(a), str(b), "--depth", "2"]) == 0
    out, err = capsys.readouterr()
    assert out == "q1\ta\nq1\tb\nq1\td\nq2\tx\n"
    assert err == "rankstone: 4 documents to judge for 2 queries\n"
    qrels = write_qrels(tmp_path / "qrels", {"q1": {"a": 1}})
    call = ["pool", str(a), str(b), "--depth", "2", "--judged", str(qrels), "--format", "jsonl"]
    assert main(call) == 0
    docs = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert docs == [{"query_id": "q1", "doc_id": "b"}, {"query_id": "q1", "doc_id": "d"}]
    assert main(["pool", str(a), "--depth", "0"]) == 2
    assert "a depth is at least 1, not 0" in capsys.readouterr().err


def test_tops_are_the_first_of_long_runs(tmp_path):
    rng = random.Random(2)
    scores = {f"d{i}": rng.choice([1.0, 2.0, rng.random()]) for i in range(5000)}
    path = write_run(tmp_path / "run", {"q": scores}, rng.sample(range(5000), 5000))
    expected = sorted(scores, key=lambda d: (scores[d], d), reverse=True)[:7]
    tops = collection({"q": ["d1"]}, path).top(7, rs.Conventions())
    assert (tops[0], tops[1].lists()) == (["q"], [expected])


def test_holes_are_listed_by_their_effect(tmp_path, capsys):
    qrels = write_qrels(tmp_path / "qrels", {"q": {"a": 1, "b": 0}})
    first = write_run(tmp_path / "first.run", {"q": {"x": 3.0, "y": 2.0, "a": 1.0}})
    other = write_run(tmp_path / "other.run", {"q": {"x": 3.0, "a": 2.0, "z": 1.0}})
    assert main(["holes", str(qrels), str(first), str(other), "-m", "DCG@3"]) == 0
    out, err = capsys.readouterr()
    heads, *rows = [line.split("\t") for line in out.splitlines()]
    assert heads == ["query", "document", "rank in first", "rank in other", "effect"]
    assert [row[:4] for row in rows] == [
        ["q", "y", "2", "-"],
        ["q", "z", "-", "3"],
        ["q", "x", "1", "1"],
    ]
    assert [float(row[4]) for row in rows] == pytest.approx([1 / math.log2(3), -0.5, 0])
    assert "3 unjudged documents down to rank 100; effect on DCG@3" in err
    assert main(["holes", str(qrels), str(first), "-m", "RR", "-n", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t")[:3] == ["q", "x", "1"]
    assert main(["holes", str(qrels), str(first), str(other), str(first)]) == 2
    assert "give one run, or two to compare, not 3" in capsys.readouterr().err


def test_subtopics_decide_what_a_document_adds():
    judged = load_judgments({"q": {"a": {"s": 1}, "b": {"t": 1}}})
    with pytest.raises(rs.UsageError, match="StRecall depends on which subtopics it covers"):
        rs.holes(judged, [{"q": ["x", "a"]}], rs.measures.StRecall)
    assert rs.holes(judged, [{"q": ["x", "a"]}], rs.RR)[0].document == "x"


def judged_more(known, truth, documents):
    """Return judgments with the truth about some more documents."""
    judged = {q: dict(docs) for q, docs in known.items()}
    for query, doc in documents:
        judged[query][doc] = truth[query].get(doc, 0)
    return judged


def effects(judged, runs, measure):
    listed = rs.holes(judged, runs, measure)
    return {(hole.query, hole.document): hole.effect for hole in listed}


@pytest.mark.parametrize("measure", ["DCG@3", "P@2"])
def test_effects_that_add_up_are_the_interval_of_a_difference(measure):
    judged = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}
    runs = [{"q": ["x", "a", "y"], "r": ["z", "a"]}, {"q": ["b", "x", "z"], "r": ["a", "y", "z"]}]
    found = effects(judged, runs, measure)
    differences = []
    for way in itertools.product([0, 1], repeat=len(found)):
        completed = judged_more(judged, {"q": {}, "r": {}}, found)
        for (query, doc), grade in zip(found, way, strict=True):
            completed[query][doc] = grade
        first, second = (rs.evaluate(completed, run, measure)[measure] for run in runs)
        differences.append(first - second)
    now = [rs.evaluate(judged, run, measure)[measure] for run in runs]
    sizes = np.array(list(found.values()))
    assert min(differences) == pytest.approx(now[0] - now[1] + sizes[sizes < 0].sum())
    assert max(differences) == pytest.approx(now[0] - now[1] + sizes[sizes > 0].sum())


@pytest.mark.parametrize("measure", ["DCG@10", "P@5", "CG@10"])
def test_judging_by_effect_narrows_faster_than_from_the_top(measure):
    """Top-down: rank 1 of both runs, then rank 2, and so on, over all queries."""
    for seed in range(4):
        rng = random.Random(seed)
        docs = [f"d{i}" for i in range(40)]
        truth = {f"q{i}": dict.fromkeys(rng.sample(docs, 8), 1) for i in range(8)}
        runs = [
            {
                q: sorted(docs, key=lambda d, own=own: rng.random() - 0.3 * (d in own))[:20]
                for q, own in truth.items()
            }
            for _ in range(2)
        ]
        known = {q: {d: own.get(d, 0) for d in rng.sample(docs, 12)} for q, own in truth.items()}
        by_effect = list(effects(known, runs, measure))
        top_down = list(
            dict.fromkeys(
                (q, run[q][rank])
                for rank in range(20)
                for run in runs
                for q in truth
                if run[q][rank] not in known[q]
            )
        )
        ours, theirs = (
            [
                sum(map(abs, effects(judged_more(known, truth, order[:n]), runs, measure).values()))
                for n in range(0, 60, 10)
            ]
            for order in (by_effect, top_down)
        )
        assert ours[0] == theirs[0]
        assert sum(ours) < sum(theirs)
        assert all(a <= b + 1e-12 for a, b in zip(ours, theirs, strict=True))


def test_a_document_that_one_run_missed_counts_against_it():
    """Judged relevant, it is one more that the other run did not find."""
    judged = {"q": {"a": 1}}
    runs = [{"q": ["a", "x"]}, {"q": ["a", "y"]}]
    for measure in ("AP", "nDCG", "R"):
        completed = {"q": {"a": 1, "x": 1, "y": 0}}
        first, second = (rs.evaluate(completed, run, measure)[measure] for run in runs)
        found = effects(judged, runs, measure)
        assert found["q", "x"] == pytest.approx(first - second)
        assert found["q", "y"] == pytest.approx(second - first)


def small_collection(seed):
    """Return the truth about a few queries, two runs, and the part of the truth that is known."""
    rng = random.Random(seed)
    docs = [f"d{i:02d}" for i in range(14)]
    truth = {f"q{i}": dict.fromkeys(rng.sample(docs, 5), 1) for i in range(6)}
    runs = [
        {
            q: sorted(docs, key=lambda d, own=own: rng.random() - 0.3 * (d in own))[:8]
            for q, own in truth.items()
        }
        for _ in range(2)
    ]
    known = {}
    for q, own in truth.items():
        known[q] = {d: own.get(d, 0) for d in rng.sample(docs, 6)} | {next(iter(own)): 1}
    return truth, runs, known


def width_of_difference(judged, runs, measure):
    """Return how far apart the difference of two runs can be, over all ways to judge the rest."""
    completed, tops = {}, ({}, {})
    for q, own in judged.items():
        rest = sorted({d for run in runs for d in run[q]} - set(own))
        for n, way in enumerate(itertools.product([0, 1], repeat=len(rest))):
            completed[f"{q} {n}"] = own | dict(zip(rest, way, strict=True))
            for top, run in zip(tops, runs, strict=True):
                top[f"{q} {n}"] = run[q]
    first, second = (rs.evaluate(completed, top, measure).per_query for top in tops)
    differences = {}
    for key in completed:
        difference = first[key][measure] - second[key][measure]
        differences.setdefault(key.split()[0], []).append(difference)
    return sum(max(some) - min(some) for some in differences.values()) / len(differences)


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "ERR@5"])
def test_judging_by_effect_narrows_faster_where_effects_do_not_add_up(measure):
    """Against all completions, as judging goes on: in all collections together and in nearly each."""
    sums = []
    for seed in range(8):
        truth, runs, known = small_collection(seed)
        by_effect = list(effects(known, runs, measure))
        top_down = list(
            dict.fromkeys(
                (q, run[q][rank])
                for rank in range(8)
                for run in runs
                for q in truth
                if run[q][rank] not in known[q]
            )
        )
        assert set(by_effect) == set(top_down)
        sums.append(
            [
                sum(
                    width_of_difference(judged_more(known, truth, order[:n]), runs, measure)
                    for n in range(0, len(order), 6)
                )
                for order in (by_effect, top_down)
            ]
        )
    ours, theirs = zip(*sums, strict=True)
    assert sum(ours) < sum(theirs)
    assert sum(a < b for a, b in sums) >= 7


def test_shares_of_judged_documents_by_rank():
    """At rank 1 one of two documents is judged, at rank 2 the only one is not."""
    judged = {"q": {"a": 1}, "r": {"b": 1}}
    ranked = collection(judged, {"q": ["a", "x"], "r": ["y"]}).ranked(rs.Conventions())
    assert hypothetical_grades.judged_by_rank(ranked) == [0.5, 0.0]


def test_shares_of_judged_documents_end_at_rank_100():
    run = {"q": [f"d{i}" for i in range(101)]}
    ranked = collection({"q": {"d100": 1, "d99": 1}}, run).ranked(rs.Conventions())
    assert hypothetical_grades.judged_by_rank(ranked) == [0.0] * 99 + [1.0]
