"""Fused runs: each method against its formula, other tools, files, verbs and bad input."""

import json
import math
import random
from statistics import fmean, median, pstdev

import numpy as np
import pytest

import rankstone as rs
from rankstone.choices.fusion import Fusion
from rankstone.cli import main
from rankstone.core.python_engine import write_rows
from rankstone.tools.fusion import FUSIONS

METHODS = ["rrf", "combsum", "combmnz", "combmax", "combmin", "combmed", "wsum", "borda", "isr"]
OF_SCORES = ["combsum", "combmnz", "combmax", "combmin", "combmed", "wsum"]
NORMS = ["min-max", "max", "sum", "z-score", "rank", "none"]


def random_runs(seed, queries=1000, runs=2, *, missing=True, positive=False):
    """Return runs of many small rankings with ties, missing queries and different depths."""
    rng = random.Random(seed)
    made = [{} for _ in range(runs)]
    for q in range(queries):
        for r, run in enumerate(made):
            if missing and rng.random() < 0.1 and any(f"q{q}" in m for m in (*made[:r], *made[:r])):
                continue
            docs = rng.sample([f"d{i}" for i in range(14)], rng.randint(1, 10))
            low = 1 if positive else -3
            digits = rng.choice([0, 0, 3])
            run[f"q{q}"] = {d: round(rng.uniform(low, 9), digits) or 1.0 for d in docs}
    return made


# The formulas, as one would write them by hand --------------------------------------------------


def ranking(scores, ties="docid-desc"):
    if ties == "input":
        return sorted(scores, key=lambda d: -scores[d])
    reverse = ties == "docid-desc"
    return sorted(sorted(scores, reverse=reverse), key=lambda d: -scores[d])


def normalised(scores, norm, union, over="retrieved", constant="one"):
    values = list(scores.values())
    low, high, n = min(values), max(values), len(values)
    if norm == "none":
        return dict(scores)
    if norm == "rank":
        order = ranking(scores)
        size = len(union) if over == "union" else n
        return {d: 1 - order.index(d) / size for d in scores}
    if norm == "max":
        return {d: s / high for d, s in scores.items()}
    if low == high:
        equal = {"min-max": 1, "sum": 1 / n, "z-score": 0}[norm] if constant == "one" else 0
        return dict.fromkeys(scores, equal)
    if norm == "min-max":
        return {d: (s - low) / (high - low) for d, s in scores.items()}
    if norm == "sum":
        return {d: (s - low) / sum(v - low for v in values) for d, s in scores.items()}
    if over == "union":
        values += [low] * (len(union) - n)
    return {d: (s - fmean(values)) / pstdev(values) for d, s in scores.items()}


def by_formula(lists, method, *, norm=None, weights=None, k=60, first_rank=1, absent=None,
               over="retrieved", constant="one", depth=None, ties="docid-desc"):  # fmt: skip
    """Return the fused scores of one query, of a list of dicts of scores."""
    weights = weights or [1.0] * len(lists)
    first = [ranking(scores, ties)[:depth] for scores in lists]
    union = {d for docs in first for d in docs}
    points = []
    for scores, docs in zip(lists, first, strict=True):
        rank = {d: i + first_rank for i, d in enumerate(docs)}
        after = len(docs) + first_rank
        if method == "rrf":
            own, last = {d: 1 / (k + rank[d]) for d in docs}, 1 / (k + after)
        elif method == "isr":
            own, last = {d: 1 / rank[d] ** 2 for d in docs}, 1 / after**2
        elif method == "borda":
            own, last = {d: len(union) - docs.index(d) for d in docs}, len(union) - len(docs)
        else:
            basis = {d: scores[d] for d in docs} if over != "retrieved" else scores
            every = normalised(basis, norm or "min-max", union, over, constant) if basis else {}
            own = {d: every[d] for d in docs}
            last = own[docs[-1]] if docs else 0.0
        share = (len(union) - len(docs) + 1) / 2
        rule = absent or ("share" if method == "borda" else "none")
        missing = {"zero": 0.0, "last": last, "share": share}.get(rule)
        points.append({d: own.get(d, missing) for d in union})
    fused = {}
    for d in union:
        given = [w * p[d] for w, p in zip(weights, points, strict=True) if p[d] is not None]
        count = sum(d in docs for docs in first)
        fused[d] = {
            "combmax": max(given), "combmin": min(given), "combmed": median(given),
            "combmnz": count * sum(given), "isr": count * sum(given),
        }.get(method, sum(given))  # fmt: skip
    return fused


def fused_scores(run):
    made = {}
    for query, doc, score in run.rows():
        own = made.setdefault(query, {})
        if doc:
            own[doc] = score
    return made


def check(runs, fused, method, **choices):
    """Assert that fused scores are those of the formula, and in falling order."""
    assert set(fused) == {q for run in runs for q in run}
    for query, scores in fused.items():
        expected = by_formula([run.get(query, {}) for run in runs], method, **choices)
        assert scores == pytest.approx(expected, rel=1e-9, abs=1e-9), query
        order = [(score, doc) for doc, score in scores.items()]
        assert order == sorted(order, reverse=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("absent", [None, "zero", "last"])
def test_each_method_is_its_formula(method, absent):
    runs = random_runs(1)
    choices = {"absent": absent, "weights": [0.7, 0.3] if method == "wsum" else None}
    check(runs, fused_scores(rs.fuse(runs, method=method, **choices)), method, **choices)


@pytest.mark.parametrize("method", OF_SCORES)
@pytest.mark.parametrize("norm", NORMS)
def test_each_norm_is_its_formula(method, norm):
    runs = random_runs(2, 300, positive=norm == "max")
    choices = {"norm": norm, "weights": [2.0, 0.5]}
    check(runs, fused_scores(rs.fuse(runs, method=method, **choices)), method, **choices)


@pytest.mark.parametrize("norm", NORMS[:-1])
@pytest.mark.parametrize("over", ["retrieved", "depth", "union"])
def test_what_is_normalised_over(norm, over):
    runs = random_runs(3, 300, positive=norm == "max")
    options = {"norm": norm, "depth": 4, "constant": "zero"}
    fused = rs.fuse(runs, method="combsum", normalised_over=over, **options)
    check(runs, fused_scores(fused), "combsum", over=over, **options)


@pytest.mark.parametrize(
    "choices",
    [
        {"k": 1},
        {"k": 0.5, "first_rank": 0},
        {"first_rank": 0, "absent": "last"},
        {"depth": 3},
        {"weights": [1.0, 0.0]},
    ],
)
def test_choices_of_rrf(choices):
    runs = random_runs(4, 300)
    check(runs, fused_scores(rs.fuse(runs, **choices)), "rrf", **choices)


@pytest.mark.parametrize("method", ["rrf", "combmed", "combmin", "borda", "combmnz"])
def test_five_runs(method):
    runs = random_runs(5, runs=5, queries=200)
    check(runs, fused_scores(rs.fuse(runs, method=method, depth=6)), method, depth=6)


@pytest.mark.parametrize("ties", ["docid-asc", "docid-desc", "input"])
def test_ties_in_a_run(ties):
    runs = random_runs(6, queries=300)
    fused = fused_scores(rs.fuse(runs, ties=ties))
    for query, scores in fused.items():
        expected = by_formula([run.get(query, {}) for run in runs], "rrf", ties=ties)
        assert scores == pytest.approx(expected)


LONG = "identifier-of-a-document-"


@pytest.mark.parametrize(
    "ids",
    [
        ["a", "aa", "b", "", "ab"],
        [LONG + "1", LONG + "10", LONG + "2", LONG],
        ["é", "z", "ü" * 9, "ü" * 8],
        [9, 10, -3, 2**63, 0],
        [2**70, 5, -(2**70)],
    ],
)
@pytest.mark.parametrize("ties", ["docid-asc", "docid-desc", "input"])
def test_equal_fused_scores_are_ordered_by_id(ids, ties):
    docs = [doc for doc in ids if doc != ""]
    runs = [{"q": dict.fromkeys(docs, 1.0)}, {"q": dict.fromkeys(docs[::-1], 1.0)}]
    fused = rs.fuse(runs, method="combmax", ties="input", fused_ties=ties)
    rising = sorted(docs, key=lambda d: d.encode() if isinstance(d, str) else d)
    if max(len(str(d)) for d in docs) > 20 and isinstance(docs[0], int):
        rising = sorted(docs, key=lambda d: str(d).encode())  # beyond 64 bits ids are text
        docs = list(map(str, docs))
        rising = list(map(str, rising))
    expected = {"docid-asc": rising, "docid-desc": rising[::-1], "input": docs}[ties]
    assert [doc for _, doc, _ in fused.rows() if doc != ""] == expected


def test_keep_cuts_the_fused_lists():
    runs = random_runs(7, queries=50, missing=False)
    whole, cut = rs.fuse(runs), rs.fuse(runs, keep=2)
    for query, scores in fused_scores(cut).items():
        assert list(scores.items()) == list(fused_scores(whole)[query].items())[:2]


# Other tools ------------------------------------------------------------------------------------


def test_rrf_like_ranx_is_its_formula():
    runs = random_runs(11, queries=200, missing=False)
    fused = fused_scores(rs.fuse(runs, like="ranx"))
    for query in runs[0]:
        expected = by_formula([run[query] for run in runs], "rrf", ties="input")
        assert fused[query] == pytest.approx(expected, rel=1e-12)


def test_rrf_like_pyterrier_is_its_formula():
    runs = random_runs(12, queries=200)
    fused = fused_scores(rs.fuse(runs, like="pyterrier"))
    for query, scores in fused.items():
        lists = [run.get(query, {}) for run in runs]
        expected = by_formula(lists, "rrf", ties="input", first_rank=0)
        assert scores == pytest.approx(expected, rel=1e-12)
    assert FUSIONS["pyterrier-1"]["keep"] == 1000


def test_rrf_like_sentence_transformers_is_its_formula():
    """Follow the loop of ReciprocalRankFusionEvaluator in sentence-transformers 5.1."""
    runs = random_runs(13, queries=200, missing=False)
    fused = fused_scores(rs.fuse(runs, like="sentence_transformers-5"))
    for query, scores in fused.items():
        one, two = (ranking(run[query], "input") for run in runs)
        place = [{doc: i for i, doc in enumerate(docs)} for docs in (one, two)]
        expected = {
            doc: 1 / (60 + place[0].get(doc, len(one))) + 1 / (60 + place[1].get(doc, len(two)))
            for doc in {*one, *two}
        }
        assert scores == pytest.approx(expected, rel=1e-12)


def test_rrf_like_pyserini_is_its_formula():
    """Follow TrecRun.rescore and TrecRun.merge in pyserini 1.6: ties have the smaller id first."""
    runs = random_runs(14, queries=200)
    fused = fused_scores(rs.fuse(runs, like="pyserini"))
    for query, scores in fused.items():
        lists = [run.get(query, {}) for run in runs]
        expected = by_formula(lists, "rrf", ties="input")
        assert scores == pytest.approx(expected, rel=1e-12)
        assert list(scores) == sorted(scores, key=lambda d: (-scores[d], d))


def test_the_tools_differ():
    runs = [{"q": ["a", "b"]}, {"q": ["b", "c"]}]
    first = {
        like: round(next(iter(fused_scores(rs.fuse(runs, like=like))["q"].values())), 6)
        for like in FUSIONS
    }
    assert first == {
        "ranx-0.3": round(1 / 62 + 1 / 61, 6),
        "pyterrier-1": round(1 / 61 + 1 / 60, 6),
        "sentence_transformers-5": round(1 / 61 + 1 / 60, 6),
        "pyserini-1": round(1 / 62 + 1 / 61, 6),
    }  # fmt: skip
    absent = [
        fused_scores(rs.fuse(runs, like=like))["q"]["a"]
        for like in ("pyterrier", "sentence_transformers")
    ]
    assert absent == [pytest.approx(1 / 60), pytest.approx(1 / 60 + 1 / 62)]


def peer(name, request):
    if not request.config.getoption("--thorough"):
        pytest.skip(f"{name} takes long to start; 'make test-all' runs it")
    return pytest.importorskip(name, reason=f"{name} is not installed")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method", ["rrf", "sum", "mnz", "max", "min", "med", "isr", "bordafuse", "wsum"]
)
@pytest.mark.parametrize("norm", ["min-max", "sum", "zmuv", "rank", "max"])
def test_fusions_of_ranx(request, method, norm):
    ranx = peer("ranx", request)
    runs = random_runs(15, queries=200, missing=False, positive=True)
    theirs = ranx.fuse(
        [ranx.Run(run) for run in runs], norm, method,
        params={"weights": [0.25, 0.75]} if method == "wsum" else {},
    )  # fmt: skip
    name = {"bordafuse": "borda"}.get(method, method)
    ours = name if name in METHODS else f"comb{method}"
    choices = {} if ours in ("rrf", "isr", "borda") else {"norm": norm.replace("zmuv", "z-score")}
    if method == "wsum":
        choices["weights"] = [0.25, 0.75]
    fused = fused_scores(rs.fuse(runs, method=ours, like="ranx", **choices))
    for query, scores in theirs.run.items():
        assert dict(scores) == pytest.approx(fused[query], rel=1e-9, abs=1e-9), query


@pytest.mark.filterwarnings("ignore")
def test_rrf_of_pyterrier(request):
    fusion, pd = peer("pyterrier_alpha.fusion", request), pytest.importorskip("pandas")
    runs = random_runs(16, queries=200)
    frames = [
        pd.DataFrame([(q, "", d, s) for q, docs in run.items() for d, s in docs.items()],
                     columns=["qid", "query", "docno", "score"])
        for run in runs
    ]  # fmt: skip
    ours = fused_scores(rs.fuse(runs, like="pyterrier"))
    theirs = fusion.rr_fusion(*frames)
    assert len(theirs) == sum(map(len, ours.values()))
    for row in theirs.itertuples():
        assert row.score == pytest.approx(ours[row.qid][row.docno], rel=1e-12)


# Forms, files and verbs ---------------------------------------------------------------------------


def trec(path, run):
    lines = (f"{q} Q0 {d} 1 {s} x\n" for q, docs in run.items() for d, s in docs.items())
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def test_every_form_gives_the_same_fused_run(tmp_path):
    pl = pytest.importorskip("polars")
    runs = random_runs(21, queries=60)
    forms = [
        [trec(tmp_path / f"{i}.run", run) for i, run in enumerate(runs)],
        [
            pl.DataFrame(
                [(q, d, s) for q, docs in run.items() for d, s in docs.items()],
                schema=["query_id", "doc_id", "score"], orient="row",
            )
            for run in runs
        ],
        [rs.load_run(run) for run in runs],
        {"one": runs[0], "two": runs[1]},
    ]  # fmt: skip
    expected = fused_scores(rs.fuse(runs, method="combmnz"))
    for form in forms:
        assert fused_scores(rs.fuse(form, method="combmnz")) == expected
    ordered = [{q: ranking(docs) for q, docs in run.items()} for run in runs]
    assert fused_scores(rs.fuse(ordered)) == fused_scores(rs.fuse(runs))


def test_a_fused_run_is_written_and_read_again(tmp_path, capsys):
    runs = random_runs(22, queries=400)
    paths = [trec(tmp_path / f"{i}.run", run) for i, run in enumerate(runs)]
    for ending in ("run", "csv", "jsonl", "json"):
        target = str(tmp_path / f"fused.{ending}")
        assert main(["fuse", *paths, "--method", "combsum", "--norm", "z-score", "-o", target]) == 0
        again = fused_scores(rs.load_run(target))
        expected = fused_scores(rs.fuse(paths, method="combsum", norm="z-score"))
        assert again == expected
    assert main(["fuse", *paths, "-o", target]) == 2
    assert main(["fuse", *paths, "-o", target, "--force"]) == 0
    capsys.readouterr()
    assert main(["fuse", *paths, "--quiet", "-o", "-"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {len(row) for row in rows} == {6}
    by_query = {}
    for query, _, doc, rank, score, _ in rows:
        own = by_query.setdefault(query, {})
        own[doc] = float(score)
        assert int(rank) == len(own)
    assert by_query == fused_scores(rs.fuse(paths))


def test_numbers_are_written_exactly():
    from rankstone.core import engine

    rng = random.Random(5)
    values = [0.0, -0.0, 1.0, 1e15, 1e16, 123456789012345680.0, 1e-4, 1e-5, 5e-324, 1.7e308, 1 / 3]
    values += [rng.random() / 61 for _ in range(2000)] + [
        rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300) for _ in range(2000)
    ]
    begins = np.zeros(len(values), np.int64)
    data = [b"q", b"r"], b"doc", begins, begins + 3, np.array(values), np.array([0, 7, len(values)])
    assert engine.load().write_rows(*data) == write_rows(*data)


JUDGED = {f"q{i}": {"d1": 1, "d2": 2, "d3": 1} for i in range(40)}


def test_a_fused_run_goes_into_every_verb():
    runs = random_runs(23, queries=40, missing=False)
    fused = rs.fuse(runs)
    plain = fused_scores(fused)
    result = rs.evaluate(JUDGED, fused, "nDCG@5")
    assert result["nDCG@5"] == rs.evaluate(JUDGED, plain, "nDCG@5")["nDCG@5"]
    assert rs.pool([fused], depth=3) == rs.pool([plain], depth=3)
    assert (
        rs.compare(JUDGED, {"a": runs[0], "f": fused}, "RR")["f", "RR"].mean
        == rs.evaluate(JUDGED, plain, "RR")["RR"]
    )
    assert rs.fuse([fused, runs[0]]).documents.scores[0] > 0
    verdict = rs.gate(JUDGED, fused, minimum={"RR": 0.0})
    assert verdict.status == "pass"


def test_a_result_says_how_its_run_was_fused():
    runs = {
        "bm25": random_runs(24, queries=40, missing=False)[0],
        "dense": random_runs(25, queries=40, missing=False)[0],
    }
    result = rs.evaluate(JUDGED, rs.fuse(runs, k=10), "RR")
    assert "fuse=rrf(k=10) of bm25 + dense (2 runs)" in repr(result)
    again = rs.Result.from_json(result.to_json())
    assert again.provenance.run.reading == result.provenance.run.reading
    other = rs.evaluate(JUDGED, rs.fuse(runs, k=20), "RR")
    assert other.provenance.run.reading != result.provenance.run.reading


def test_compare_fuses(tmp_path, capsys):
    runs = random_runs(26, queries=40, missing=False)
    paths = [trec(tmp_path / f"{n}.run", run) for n, run in zip("ab", runs, strict=True)]
    qrels = tmp_path / "qrels"
    qrels.write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, docs in JUDGED.items() for d, g in docs.items())
    )
    comparison = rs.compare(str(qrels), paths, "RR", fuse="rrf,k=10", baseline="a")
    fused = rs.fuse(paths, k=10)
    assert comparison["rrf(k=10)", "RR"].mean == rs.evaluate(str(qrels), fused, "RR")["RR"]
    assert not any(w.code == "read-differently" for w in comparison.warnings)
    call = [str(qrels), *paths, "-m", "RR", "--fuse", "rrf,k=10", "--format", "json"]
    assert main(["compare", *call]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["comparisons"][-1]["mean"] == comparison["rrf(k=10)", "RR"].mean
    assert main(["evaluate", *call]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [r["name"] for r in shown] == ["a", "b", "rrf(k=10)"]
    falling = [{q: {d: -s for d, s in docs.items()} for q, docs in run.items()} for run in runs]
    named = dict(zip("ab", falling, strict=True))
    pair = rs.compare(str(qrels), named, "RR", fuse="rrf", scores="ascending")["rrf", "RR"]
    assert pair.mean == rs.evaluate(str(qrels), rs.fuse(runs), "RR")["RR"]
    with pytest.raises(rs.UsageError, match="do not go together"):
        rs.compare(str(qrels), paths, "RR", fuse="rrf", min_score=1.0)


def test_changes_come_before_the_fusion():
    runs = random_runs(27, queries=40, missing=False)
    gone = {f"q{i}": ["d1", "d2"] for i in range(40)}
    left = [
        {q: {d: s for d, s in docs.items() if d not in gone[q]} for q, docs in run.items()}
        for run in runs
    ]
    full = [{q: docs for q, docs in run.items() if docs} for run in left]
    ours = {q: s for q, s in fused_scores(rs.fuse(runs, exclude=gone)).items() if s}
    assert ours == {q: s for q, s in fused_scores(rs.fuse(full)).items() if s}
    high = [
        {q: {d: s for d, s in docs.items() if s >= 4} for q, docs in run.items()} for run in runs
    ]
    assert fused_scores(rs.fuse(runs, min_score=4.0)) == fused_scores(rs.fuse(high))


def test_explain_shows_who_gave_how_many_points(tmp_path, capsys):
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "c"]}}
    fused = rs.fuse(runs, k=1)
    assert [tuple(d) for d in fused.explain("q")] == [
        ("b", pytest.approx(1 / 3 + 1 / 2), {"one": pytest.approx(1 / 3), "two": 0.5}),
        ("a", 0.5, {"one": 0.5}),
        ("c", pytest.approx(1 / 3), {"two": pytest.approx(1 / 3)}),
    ]
    working = rs.explain("RR", {"q": {"b": 1}}, fused)
    assert working.steps[0].columns["one points"] == pytest.approx(1 / 3)
    assert "two points" in str(working)
    paths = [
        trec(tmp_path / f"{n}.run", {"q": {d: 2 - i for i, d in enumerate(run["q"])}})
        for n, run in runs.items()
    ]
    assert main(["fuse", *paths, "--k", "1", "--explain", "q"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split("\t") == [
        "b",
        "0.833333",
        "0.333333",
        "0.5",
    ]
    assert main(["fuse", *paths, "--explain", "Q"]) == 3
    assert "Did you mean q?" in capsys.readouterr().err


# Choices and bad input ----------------------------------------------------------------------------

ONE, TWO = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 3.0, "c": 1.0}}
OTHER = {"x": {"a": 1.0}}


@pytest.mark.parametrize(
    ("runs", "options", "problem"),
    [
        ([ONE], {}, "at least two runs"),
        ("a.run", {}, "as a list"),
        ([ONE, OTHER], {}, "no query in common: run1 has 'q', run2 has 'x'"),
        ([ONE, {"q": {"a": math.nan}}], {}, "not a finite number"),
        ([ONE, {"q": {"a": math.inf}}], {"method": "combsum"}, "not a finite number"),
        ([ONE, {"q": {"a": -1.0}}], {"method": "combsum", "norm": "max"}, "norm='max' divides by the highest"),
        ([ONE, TWO], {"weights": [1.0, -1.0]}, "weights must be a number from 0 up for each of the 2"),
        ([ONE, TWO], {"weights": [1.0]}, "for each of the 2 runs (run1, run2)"),
        ([ONE, TWO], {"weights": [0, 0]}, "not all 0"),
        ([ONE, TWO], {"weights": {"run1": 1, "run3": 1}}, "unknown run in weights 'run3'"),
        ([ONE, TWO], {"method": "wsum"}, "wsum needs weights="),
        ([ONE, TWO], {"method": "combsun"}, "Did you mean combsum?"),
        ([ONE, TWO], {"method": "rff"}, "Did you mean rrf?"),
        ([ONE, TWO], {"method": "combsum", "norm": "minmax"}, "Did you mean min-max?"),
        ([ONE, TWO], {"norm": "min-max"}, "norm= has no effect on rrf"),
        ([ONE, TWO], {"method": "combsum", "k": 3}, "k= goes with the method rrf"),
        ([ONE, TWO], {"k": 0, "first_rank": 0}, "divides by 0"),
        ([ONE, TWO], {"k": -1}, "at least 0"),
        ([ONE, TWO], {"first_rank": 2}, "0 or 1"),
        ([ONE, TWO], {"depth": 0}, "at least 1"),
        ([ONE, TWO], {"absent": "share"}, "goes with borda"),
        ([ONE, TWO], {"method": "combsum", "normalised_over": "depth"}, "needs depth="),
        ([ONE, TWO], {"like": "trec_eval"}, "not known how 'trec_eval' fuses"),
        ([ONE, TWO], {"fusion": "rrf,k=10", "k": 3}, "is given beside"),
        ([ONE, TWO], {"fusion": "rrf,x"}, "METHOD,NAME=VALUE"),
        ([ONE, TWO], {"fusion": "rrf,k=x"}, "METHOD,NAME=VALUE"),
        ([ONE, TWO], {"fusion": 3}, "unknown value of method"),
        ([ONE, TWO], {"relevance": 1}, "relevance= goes with"),
        ([ONE, {"q": ["a"]}], {"method": "combsum"}, "reads scores, and this run has none"),
        ([ONE, TWO | OTHER], {"queries": "same"}, "in some of the runs only, such as x in run2"),
    ],
)  # fmt: skip
def test_bad_input(runs, options, problem):
    with pytest.raises(rs.RankstoneError) as caught:
        rs.fuse(runs, **options)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "words", [["--method", "x"], ["--weights", "a,b"], ["--k", "-1"], ["--like", "x"]]
)
def test_bad_options_of_the_command(tmp_path, capsys, words):
    paths = [trec(tmp_path / f"{i}.run", run) for i, run in enumerate((ONE, TWO))]
    try:
        code = main(["fuse", *paths, *words])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_constant_scores_have_a_rule():
    runs = [{"q": {"a": 5.0, "b": 5.0}}, {"q": {"c": 1.0}}]
    for norm, value in (("min-max", 1.0), ("sum", 0.5), ("z-score", 0.0)):
        fused = fused_scores(rs.fuse(runs, method="combsum", norm=norm))["q"]
        assert fused["a"] == value
        assert (
            fused_scores(rs.fuse(runs, method="combsum", norm=norm, constant="zero"))["q"]["a"] == 0
        )


def test_queries_of_some_runs_are_noticed():
    runs = [ONE | OTHER, TWO]
    fused = rs.fuse(runs)
    assert set(fused_scores(fused)) == {"q", "x"}
    assert "1 query of 2 in some of the runs only, such as x in run1; fused from these" in str(
        fused.notices[0]
    )
    assert any(n.code == "partly-fused" for n in rs.evaluate({"q": {"a": 1}}, fused, "RR").notices)
    assert set(fused_scores(rs.fuse(runs, queries="all"))) == {"q"}


def test_a_fusion_is_its_text():
    whole = "wsum,norm=z-score,weights=0.7:0.3,depth=100"
    fusion = Fusion.of(whole)
    assert repr(fusion) == "wsum(norm=z-score, weights=0.7:0.3, depth=100)"
    assert repr(Fusion.of("rrf")) == "rrf"
    assert Fusion.of(fusion).given() == fusion.given()
    assert Fusion.of(repr(fusion)).given() == fusion.given()
    named = rs.fuse({"a": ONE, "b": TWO}, method="wsum", weights={"b": 0.3, "a": 0.7})
    listed = rs.fuse({"a": ONE, "b": TWO}, "wsum,weights=0.7:0.3")
    assert fused_scores(named) == fused_scores(listed)
    assert repr(named.fusion) == "wsum(weights=0.7:0.3)"


@pytest.mark.parametrize("name", Fusion.names())
def test_every_choice_of_a_fusion_counts(name):
    """A choice changes some fused run, or the order in which it is written."""
    runs = [
        r | extra
        for r, extra in zip(random_runs(31, queries=30, missing=False), (OTHER, {}), strict=True)
    ]
    base, value = {
        "method": ({}, "borda"), "norm": ({"method": "combsum"}, "z-score"), "weights": ({}, [0.9, 0.1]),
        "k": ({}, 1), "first_rank": ({}, 0), "absent": ({}, "last"),
        "constant": ({"method": "combsum"}, "zero"),
        "normalised_over": ({"method": "combsum", "norm": "z-score"}, "union"), "depth": ({}, 2),
        "keep": ({}, 3), "ties": ({}, "input"), "fused_ties": ({}, "docid-asc"), "queries": ({}, "all"),
    }[name]  # fmt: skip
    plain, chosen = rs.fuse(runs, **base), rs.fuse(runs, **base, **{name: value})
    assert list(plain.rows()) != list(chosen.rows())
    assert plain.source.reading != chosen.source.reading
    assert name in {**base, name: value}
    assert f"{name}=" in repr(chosen.fusion) or name == "method"


def test_whole_numbers_stay_numbers():
    fused = rs.fuse([{1: {10: 2.0, 9: 1.0}}, {1: {9: 5.0}}])
    assert [(q, d) for q, d, _ in fused.rows() if d] == [(1, 9), (1, 10)]
    assert rs.evaluate({1: {9: 1}}, fused, "RR")["RR"] == 1.0
    mixed = rs.fuse([{1: {10: 2.0}}, {"1": {"10": 5.0}}])
    assert [(q, d) for q, d, _ in mixed.rows() if d] == [("1", "10")]


def test_a_document_that_is_repeated_counts_once(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\nq Q0 a 3 1 x\n")
    fused = rs.fuse([str(path), {"q": {"a": 1.0}}], k=0)
    assert fused_scores(fused)["q"] == {"a": 2.0, "b": 0.5}


# Tuning -------------------------------------------------------------------------------------------


def noisy(seed, queries=60):
    """Return judgments, a good run and a bad one."""
    rng = random.Random(seed)
    judged = {f"q{i}": {f"d{j}": 1 for j in rng.sample(range(40), 5)} for i in range(queries)}
    runs = {
        name: {
            q: {f"d{j}": (f"d{j}" in docs) + rng.gauss(0, noise) for j in range(40)}
            for q, docs in judged.items()
        }
        for name, noise in (("good", 1.0), ("bad", 3.0))
    }
    return judged, runs


def test_tuning_reports_on_queries_that_were_not_tuned_on():
    judged, runs = noisy(1)
    tuning = rs.tune(runs, judged, "nDCG@10", method="wsum", rng=3)
    assert len(tuning.folds) == 4
    assert tuning.gain.n == tuning.gain_over_run.n == 48
    assert tuning.untuned.weights == [0.5, 0.5]
    values = {
        repr(f): rs.evaluate(judged, rs.fuse(runs, f), "nDCG@10")
        for f in (tuning.best, tuning.untuned)
    }
    best, untuned = (values[repr(f)]["nDCG@10"] for f in (tuning.best, tuning.untuned))
    assert tuning.same_queries == pytest.approx(best - untuned)
    assert best >= untuned
    assert tuning.gain.ci_low <= tuning.gain.difference <= tuning.gain.ci_high
    assert "on queries that were not tuned on" in str(tuning)
    again = rs.tune(runs, judged, "nDCG@10", method="wsum", rng=3)
    assert str(again) == str(tuning)


def test_the_search_can_be_named():
    judged, runs = noisy(2, 20)
    tuning = rs.tune(
        runs, judged, "RR", search={"k": [1, 5], "first_rank": [0, 1]}, depth=10, folds=2
    )
    assert {f.depth for f in (tuning.best, tuning.untuned, *tuning.folds)} == {10}
    assert tuning.untuned.k == 60
    lower = rs.tune(
        runs, judged, "RR", method="combmnz", search={"norm": ["sum", "z-score"]}, folds=2
    )
    assert lower.best.norm in (None, "sum", "z-score")


def test_clusters_stay_together():
    from rankstone.stats.tuning import folds_of

    clusters = np.repeat(np.arange(20), 3)
    fold = folds_of(clusters, 5, np.random.default_rng(0))
    assert all(len(set(fold[clusters == c])) == 1 for c in range(20))
    assert np.bincount(fold).tolist() == [12] * 5
    judged, runs = noisy(3)
    groups = {f"q{i}": i // 3 for i in range(60)}
    tuning = rs.tune(runs, judged, "RR", clusters=groups)
    assert tuning.gain.clusters == 16
    with pytest.raises(rs.UsageError, match="7 folds need as many queries or clusters, not 6"):
        rs.tune(runs, judged, "RR", clusters={f"q{i}": i // 10 for i in range(60)}, folds=7)


def test_bad_requests_to_tune():
    judged, runs = noisy(4, 10)
    for options, problem in (
        ({"folds": 1}, "at least 2 folds"),
        ({"search": {"queries": ["any"]}}, "unknown choice to search"),
        ({"method": "x"}, "unknown value of method"),
        ({"like": "ranx"}, "like= goes with"),
    ):
        with pytest.raises(rs.UsageError, match=problem):
            rs.tune(runs, judged, "RR", **options)
    with pytest.raises(rs.UsageError, match="at least two runs"):
        rs.tune({"a": runs["good"]}, judged, "RR")


def test_on_noise_the_interval_of_the_gain_covers_0(request):
    """The same queries for tuning and reporting show a gain where there is none."""
    from rankstone.stats.distributions import t_quantile
    from rankstone.stats.tuning import chosen_before, folds_of

    trials = 20_000 if request.config.getoption("--thorough") else 1000
    rng = np.random.default_rng(5)
    covered, gains, same = 0, [], []
    for _ in range(trials):
        values = rng.standard_normal(50) + rng.standard_normal((10, 50))
        fold = folds_of(np.arange(50), 5, rng)
        gain = chosen_before(values, fold)[1] - values[0, fold > 0]
        error = gain.std(ddof=1) / math.sqrt(len(gain))
        covered += abs(gain.mean()) <= t_quantile(0.975, len(gain) - 1) * error + 1e-12
        gains.append(gain.mean())
        same.append(values.mean(axis=1).max() - values[0].mean())
    assert covered / trials == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / trials))
    assert abs(np.mean(gains)) < 4 * np.std(gains) / math.sqrt(trials)
    assert np.mean(same) > 0.15


def test_a_bad_weight_and_an_unknown_tool_are_named(tmp_path, capsys):
    paths = [trec(tmp_path / f"{i}.run", run) for i, run in enumerate((ONE, TWO))]
    assert main(["fuse", *paths, "--weights", "1,x"]) == 2
    assert "weights are numbers such as 0.7,0.3, not '1,x'" in capsys.readouterr().err
    assert main(["fuse", *paths, "--like", "ranxx"]) == 2
    assert "Did you mean ranx?" in capsys.readouterr().err
    assert main(["fuse", *paths, "--explain", "9"]) == 3
    assert capsys.readouterr().out == ""
