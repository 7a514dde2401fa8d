"""Reports: the model says what evaluate, compare and explain say; files are written safely."""

import base64
import csv
import gzip
import json
import math
import os
import re
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.cli import main
from rankstone.core.documents import kept_documents, top_documents
from rankstone.core.exclude import ExcludingRun
from rankstone.io.formats import trec
from rankstone.io.texts import check_readable, read_texts
from rankstone.measures.base import REGISTRY
from rankstone.page.formulas import formula_tree
from rankstone.page.html import asset, texts
from rankstone.page.model import cells
from rankstone.page.plots import definitions, themes
from rankstone.page.rankings import documents_of
from rankstone.text.verdicts import remarks
from rankstone.verbs.load import load_judgments, load_run

SEARCH = "examples/search"
RUNS = {name: f"{SEARCH}/{name}.run" for name in ("bm25", "dense", "hybrid")}
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "Bpref", "NumRet"]


@pytest.fixture(scope="module")
def report():
    return rs.report(
        f"{SEARCH}/qrels.txt",
        RUNS,
        MEASURES,
        baseline="bm25",
        by=f"{SEARCH}/needs.tsv",
        query_texts=f"{SEARCH}/queries.tsv",
        resamples=500,
        pictures=False,
    )


def tops_of(run, queries, depth, ties="docid-desc"):
    known, tops = top_documents(run, None, queries, depth, rs.Conventions(ties=ties))
    assert known == queries
    return tops.lists()


def documents_in(model):
    return list(documents_of(model.rankings))


def shown_by(model, run=0):
    """Return the documents that a report shows of a run, by query; None where the id is unknown."""
    rankings = model.rankings
    counts = np.minimum(rankings.retrieved[run], rankings.depth)
    places = np.split(rankings.runs[run], np.cumsum(counts)[:-1])
    lists = zip(documents_in(model), places, strict=True)
    return [[docs[i] if i >= 0 else None for i in own] for docs, own in lists]


def test_the_model_holds_the_numbers_of_evaluate_and_compare(report):
    model = report.model
    for r, run in enumerate(model.runs):
        result = rs.evaluate(f"{SEARCH}/qrels.txt", RUNS[run.name], MEASURES)
        assert model.means[r] == pytest.approx([result[m] for m in MEASURES], abs=1e-6)
        for m, measure in enumerate(MEASURES):
            assert model.values[r][m].tolist() == result.values(measure).tolist()
    compared = rs.compare(f"{SEARCH}/qrels.txt", RUNS, MEASURES[:5], baseline="bm25", resamples=500)
    assert {(p["run"], p["measure"]): p["p_adjusted"] for p in model.pairs} == {
        (p.run, p.measure): p.p_adjusted for p in compared.comparisons
    }


def test_workings_are_those_of_explain(report):
    model = report.model
    query = model.queries.ids.index("q07")
    for part in model.workings:
        measure, run = MEASURES[part.measure], model.runs[part.run].name
        own = rs.explain(measure, f"{SEARCH}/qrels.txt", RUNS[run], query="q07")
        if part.steps is None or part.steps.rank is None:
            continue
        a, b = np.append(0, np.cumsum(part.steps.sizes))[query : query + 2]
        steps = [step for step in own.steps if step.rank <= 20]
        assert part.steps.rank[a:b].tolist() == [step.rank for step in steps]
        assert part.steps.term[a:b].tolist() == [step.term for step in steps]
        documents = [documents_in(model)[query][i] for i in part.steps.documents[a:b]]
        assert documents == [step.document for step in steps]
    assert {part.measure for part in model.workings} == set(range(len(MEASURES)))


def test_rankings_show_what_the_run_retrieved(report):
    model = report.model
    rows = [line.split() for line in Path(RUNS["bm25"]).read_text().splitlines()]
    for shown, query in zip(shown_by(model), model.queries.ids, strict=True):
        assert shown == [row[2] for row in rows if row[0] == query][:20]


def test_the_page_holds_the_model_and_nothing_from_outside(report):
    page = report.to_html()
    packed = re.search(r'id="model"[^>]*>([^<]*)<', page)[1]
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert data == json.loads(report.to_json())
    assert data["schema"] == "rankstone/report/3"
    assert data["values"] == [
        [np.round(column, 6).tolist() for column in row] for row in report.model.values
    ]
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_the_same_data_make_the_same_page(report):
    assert report.to_html() == report.to_html()


@pytest.mark.parametrize("engine_name", ["native", "python"])
def test_top_documents_are_those_with_the_highest_scores(tmp_path, monkeypatch, engine_name):
    if engine_name == "python":
        monkeypatch.setenv("RANKSTONE_ENGINE", "python")
    path = tmp_path / "a.run"
    rows = [("q1", f"d{i}", (i * 37) % 101) for i in range(101)]
    rows += [("q2", "x", 1), ("q2", "y", 3), ("q1", "late", 1000), ("q2", "y", 2), ("q3", "z", 1)]
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    assert tops_of(load_run(path), ["q1", "q2"], 3) == [["late", "d30", "d60"], ["y", "x"]]
    excluded = rs.report(
        {"q1": {"d60": 1}, "q2": {"x": 1}}, {"a": path}, "RR", exclude={"q1": ["late"]}, depth=2, pictures=False
    ).model.rankings  # fmt: skip
    assert next(documents_of(excluded)) == ["d60", "d30"]


def test_rankings_of_any_format_are_shown(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query,doc,score\nq,a,1\nq,b,3\nq,c,2\n")
    model = rs.report({"q": {"a": 1}}, [path], "RR", pictures=False).model
    assert shown_by(model) == [["b", "c", "a"]]
    scores = tmp_path / "scores.txt"
    scores.write_text("0.1\n0.7\n")
    letor = tmp_path / "rank.letor"
    letor.write_text("1 qid:1 1:0.5\n0 qid:1 1:0.2\n")
    model = rs.report(letor, [scores], "RR", pictures=False).model
    assert model.means == [[0.5]]


def test_judged_documents_are_where_ties_put_them():
    judgments = {"q": {"b": 1, "c": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    for ties, order in (("docid-desc", "cbad"), ("docid-asc", "abcd")):
        model = rs.report(judgments, {"r": run}, "RR", ties=ties, pictures=False).model
        assert "".join(shown_by(model)[0]) == order
        assert model.runs[0].ties["interval"] == {"RR": [pytest.approx(1 / 3), 1.0]}


def placed(ranks, judged, top, count):
    """Return documents by rank as a loop over one query would place them."""
    slots, late = [None] * count, []
    for rank, doc in zip(ranks, judged, strict=True):
        if rank <= count and slots[rank - 1] is None:
            slots[rank - 1] = doc
        elif rank <= count:
            late.append(doc)
    rest = iter([*late, *(doc for doc in top if doc not in judged)])
    return [next(rest, None) if doc is None else doc for doc in slots]


@pytest.mark.parametrize("ties", ["docid-desc", "input", "expected", "pessimistic"])
@pytest.mark.parametrize("ids", [40, 4000])
def test_documents_of_all_queries_are_placed_as_those_of_each(tmp_path, ties, ids):
    random = np.random.default_rng(ids)
    judgments = {
        f"q{q}": {f"d{d}": int(random.integers(0, 3)) for d in random.choice(40, 6, replace=False)}
        for q in range(60)
    }
    runs = {}
    for r in range(3):  # scores that are often equal, rows out of order, documents twice
        rows = [
            f"q{q} Q0 d{random.integers(0, ids if random.random() < 0.5 else 40)} 1 {random.integers(0, 9)} t\n"
            for q in random.permutation(np.repeat(np.arange(62), random.integers(0, 40, 62)))
        ]
        runs[f"r{r}"] = tmp_path / f"r{r}.run"
        runs[f"r{r}"].write_text("".join(rows))
    model = rs.report(judgments, runs, "RR", ties=ties, depth=7, pictures=False).model
    for r, path in enumerate(runs.values()):
        data = collection(judgments, path)
        ranked = data.ranked(data.default.replace(ties=ties))
        tops = tops_of(data.run, model.queries.ids, 7, ties)
        docs = [str(data.document(j)) for j in ranked.judgment]
        for q, query in enumerate(model.queries.ids):
            row = ranked.queries.index(query)
            own = slice(*ranked.offsets[row : row + 2])
            count = min(int(ranked.retrieved[row]), 7)
            assert model.rankings.retrieved[r][q] == ranked.retrieved[row]
            assert shown_by(model, r)[q] == placed(ranked.rank[own], docs[own], tops[q], count)
    grades = np.split(model.rankings.grades, np.cumsum(model.rankings.judged)[:-1])
    for query, listed, own in zip(model.queries.ids, documents_in(model), grades, strict=True):
        assert [judgments[query].get(doc) for doc in listed[: len(own)]] == own.tolist()
        assert not judgments[query].keys() & set(listed[len(own) :])
        assert len(set(listed)) == len(listed)


def test_the_shares_of_judged_documents_are_judged_at_k():
    rng = np.random.default_rng(2)
    judgments = {f"q{i}": {f"d{d}": d % 2 for d in range(0, 40, 3)} for i in range(6)}
    run = {
        q: {f"d{d}": float(rng.integers(9)) for d in range(5 * i + 3)}
        for i, q in enumerate(judgments)
    }
    model = rs.report(judgments, {"a": run}, "RR", pictures=False).model
    names = [f"Judged@{k}" for k in (1, 5, 10, 20)]
    values = rs.evaluate(judgments, run, names).aggregates
    assert {f"Judged@{k}": share for k, share in model.runs[0].judged.items()} == pytest.approx(
        values
    )


def test_a_verdict_on_rankings_with_many_unjudged_documents_says_so():
    judgments = {f"q{i}": {"good": 1, "bad": 0} for i in range(12)}
    worse = {q: ["bad", "good"] for q in judgments}
    choices = {"baseline": "worse", "pictures": False}

    def texts(runs, **more):
        pair = rs.report(judgments, runs, "RR", **choices, **more).model.pairs[0]
        return [pair["sentence"], " ".join(pair["remarks"])]

    deep = {"worse": worse, "better": {q: ["good", *"uvwxyz"] for q in judgments}}
    for text in texts(deep):
        assert "of the first 5 documents of better are judged" in text
        assert "Only 20 %" in text
    for text in texts(deep, unjudged_interval=True):
        assert "are judged" not in text
    fully = {"worse": worse, "better": {q: ["good", "bad"] for q in judgments}}
    assert not any("are judged" in text for text in texts(fully))


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [0.0],
        [0.1, 1 / 3, -2.5, math.nan, 1e6],
        [math.nan, math.nan],
        [3.0, math.inf, 12.0],
        [1e300, math.nan, 1.0],
        [1e300, 1.0],
        [7.0, 64.0, 4095.0, 4096.0],
    ],
)
def test_columns_hold_six_decimals_of_every_number(numbers):
    column = np.array(numbers, np.float64)
    written = json.loads(json.dumps(cells(column), allow_nan=False))
    read = np.array([math.nan if v is None else v for v in written])
    known = np.where(np.isfinite(column), np.round(column, 6), np.nan)
    assert np.array_equal(read, known, equal_nan=True)


def test_texts_come_from_tsv_and_jsonl(tmp_path):
    tsv, jsonl = tmp_path / "a.tsv", tmp_path / "a.jsonl"
    tsv.write_text("d1\tone\ttwo\nd2\tthree\n")
    jsonl.write_text('{"_id": "d1", "title": "T", "text": "one"}\n{"id": 2, "contents": "x"}\n')
    assert read_texts(str(tsv)) == {"d1": "one two", "d2": "three"}
    assert read_texts(str(jsonl), {"d1"}) == {"d1": "T · one"}
    tsv.write_text("no tab here\n")
    with pytest.raises(rs.DataError, match=r"a\.tsv:1: expected an id, a tab and a text"):
        read_texts(str(tsv))


def test_every_formula_is_set_as_mathematics():
    texts = {name: measure.definition.formula for name, measure in REGISTRY.items()}
    plain = {name for name, text in texts.items() if isinstance(formula_tree(text), str)}
    # Their formulas are sentences.
    in_words = {"OPA", "infNDCG", "Entropy", "Novelty", "Personalisation"}
    assert {name for name in plain if re.match(r"\w+(@k)? = ", texts[name])} <= in_words
    assert formula_tree("F = (1 + beta^2) P R / (beta^2 P + R)")["math"][2] == [
        "frac",
        [["o", "("], ["n", "1"], ["o", "+"], ["sup", [["i", "β"]], [["n", "2"]]], ["o", ")"],
         ["i", "P"], ["i", "R"]],
        [["sup", [["i", "β"]], [["n", "2"]]], ["i", "P"], ["o", "+"], ["i", "R"]],
    ]  # fmt: skip


def test_definitions_say_what_a_formula_is_made_of(report):
    by_name = {part.name: part for part in report.model.measures}
    ndcg = by_name["nDCG@10"]
    assert [tree["math"][0] for tree in ndcg.used] == [["i", "DCG@k"]]
    assert list(ndcg.choices) == [
        "gain='linear': the grade itself",
        "discount='log2': 1 / log2(rank + 1)",
        "ideal='judged': all judged documents, best first, cut at k",
    ]
    assert [tree["math"][0] for tree in by_name["AP"].used] == [["i", "P@k"]]
    assert by_name["RR"].used == []


def test_a_distribution_keeps_its_empty_ranges():
    pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    judgments = {f"q{i}": {"d": 1} for i in range(4)}
    run = {query: ["d"] if query < "q2" else [*"abcefghij", "d"] for query in judgments}
    svg = rs.evaluate(judgments, run, "RR").plot().to_svg()  # half are 0.1, half are 1
    bars = re.findall(r'aria-roledescription="(?:rect mark|bar)" d="M([0-9.]+),', svg)
    low, high = sorted(map(float, bars))
    assert high - low > 380  # of 480


#: What eyes without one kind of cones see of linear red, green and blue (Machado et al. 2009).
VISION = {
    "all": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def linear(colour):
    """Return the light of a colour such as #0072b2."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light):
    """Return light in CIELAB, in which distances are those that people see."""
    to_xyz = [[0.4339, 0.3762, 0.1898], [0.2127, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]]
    xyz = np.array(to_xyz) @ np.clip(light, 0, 1)
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_runs_are_told_apart_by_every_eye(theme):
    config = themes()[theme]
    colours = config["range"]["category"]
    css = re.findall(r"--run-\d: light-dark\((#\w+), (#\w+)\)", asset("page.css"))
    assert [pair[theme == "dark"] for pair in css] == colours
    weights = np.array([0.2126, 0.7152, 0.0722])
    ground = weights @ linear(config["background"])
    for colour in colours:
        low, high = sorted((ground, weights @ linear(colour)))
        assert (high + 0.05) / (low + 0.05) >= 3  # WCAG, of what is no text
    for vision in VISION.values():
        seen = [lab(np.array(vision) @ linear(colour)) for colour in colours]
        assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 18


def test_every_word_of_the_page_is_there():
    words = json.loads(asset("strings.json"))
    used = set()
    for name in ("summary.js", "pictures.js", "explorer.js", "page.js", "dom.js"):
        used |= set(re.findall(r"\bt\(\"(\w+)\"", asset(name)))
    assert used <= words.keys()


def test_a_spreadsheet_runs_no_formula_of_the_page():
    judgments = {"q1": {"d": 1}, "q2": {"d": 1}}
    runs = {"=cmd|' /C calc'!A0": {"q1": ["d"], "q2": ["d"]}, "b": {"q1": ["x", "d"], "q2": ["d"]}}
    table = rs.report(judgments, runs, "RR", pictures=False).model.tables["csv"]
    cells = [cell for row in csv.reader(table.splitlines()) for cell in row]
    assert "'=cmd|' /C calc'!A0" in cells
    assert not any(cell.startswith("=") for cell in cells)


def test_one_run_makes_a_report_without_a_comparison():
    page = rs.report(f"{SEARCH}/qrels.txt", [RUNS["bm25"]], pictures=False)
    assert page.model.comparison is None
    assert page.model.pairs == []
    assert "<Report bm25" in repr(page)


def command(*words):
    return main([*words, "--resamples", "200", "--quiet"])


def test_the_command_writes_a_page_or_its_data(tmp_path, capsys):
    words = ["report", f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"], "--no-pictures"]
    assert command(*words, "-o", str(tmp_path / "r.html"), "--lang", "zh") == 0
    assert '<html lang="zh">' in (tmp_path / "r.html").read_text()
    assert command(*words, "-o", str(tmp_path / "r.json")) == 0
    assert json.loads((tmp_path / "r.json").read_text())["language"] == "en"
    assert sorted(os.listdir(tmp_path)) == ["r.html", "r.json"]
    assert main([*words, "--resamples", "200", "-o", str(tmp_path / "r.html")]) == 0
    said = capsys.readouterr().err
    assert "evaluating hybrid (2 of 2)" in said
    assert "wrote" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "no/such/dir/r.html"], "no/such/dir does not exist"),
        (["-o", "."], "this is a directory"),
        (["--lang", "fr"], "unknown language 'fr'. Known: en, zh"),
        (["--baseline", "bm52"], "Did you mean bm25?"),
        (["--depth", "0"], "depth must be from 1 to 100, not 0"),
        (["--query-texts", "missing.tsv"], "missing.tsv"),
    ],
)
def test_errors_of_the_command_say_what_to_do(capsys, words, message):
    data = [f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"], "--no-pictures"]
    assert command("report", *data, "-m", "RR", *words) in (2, 3)
    assert message in capsys.readouterr().err


def test_saved_results_and_values_make_a_report(tmp_path, capsys):
    names = ("bm25", "dense")
    results = {n: rs.evaluate(f"{SEARCH}/qrels.txt", RUNS[n], ["AP", "RR"], name=n) for n in names}
    model = rs.report(results, baseline="dense", by=f"{SEARCH}/needs.tsv", resamples=200).model
    compared = rs.compare(results, baseline="dense", resamples=200)
    assert [run.name for run in model.runs] == ["dense", "bm25"]
    assert [run.answered for run in model.runs] == [38, 40]
    assert model.means == [
        [round(results[n][m], 6) for m in ("AP", "RR")] for n in ("dense", "bm25")
    ]
    assert [p["p_adjusted"] for p in model.pairs] == [p.p_adjusted for p in compared.comparisons]
    assert model.rankings is None
    assert (model.workings, model.cutoffs, model.conventions) == ([], {}, [])
    assert sum(part.queries for part in model.slices) == 40
    for name, result in results.items():
        result.save(tmp_path / f"{name}.json")
    files = [str(tmp_path / f"{name}.json") for name in names]
    target = tmp_path / "r.json"
    words = ["report", "--values", *files, "--baseline", "dense", "-o", str(target)]
    assert command(*words) == 0
    assert json.loads(target.read_text())["pairs"] == json.loads(json.dumps(model.pairs))
    assert command(*words, "--like", "trec_eval-9") == 2
    assert "--like cannot be applied to values that exist already" in capsys.readouterr().err
    assert command("report", "--values", "-o", str(target)) == 2
    assert "rankstone report --values a.json b.json" in capsys.readouterr().err


def test_values_of_other_measures_make_a_report():
    values = {
        name: {f"q{i}": {"latency": i + shift, "AP": 0.5} for i in range(9)}
        for name, shift in (("old", 1.0), ("new", 0.0))
    }
    model = rs.report(values, measures=["latency", "AP"], lower_is_better=["latency"]).model
    assert [part.higher_is_better for part in model.measures] == [False, True]
    assert (model.pairs[0]["measure"], model.pairs[0]["verdict"]) == ("latency", "better")
    assert model.intervals[0][0] is not None
    with pytest.raises(rs.UsageError, match="cannot be applied to values that exist already"):
        rs.report(values, measures=["AP"], ties="input")


def test_only_reports_are_replaced(tmp_path, capsys):
    target = tmp_path / "a.run"
    target.write_text("q Q0 d 1 1.0 t\n")
    words = ["report", f"{SEARCH}/qrels.txt", RUNS["bm25"], "--no-pictures", "-m", "RR", "-o"]
    assert command(*words, str(target)) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text().startswith("q Q0")
    assert command(*words, str(target), "--force") == 0
    for name in ("r.html", "r.json"):
        assert [command(*words, str(tmp_path / name)) for _ in range(2)] == [0, 0]


def test_a_target_that_cannot_be_written_keeps_what_is_there(tmp_path, capsys):
    target = tmp_path / "r.html"
    page = rs.report({"q": {"d": 1}}, {"a": {"q": ["d"]}}, "RR", pictures=False)
    page.save(target)
    words = ["report", f"{SEARCH}/qrels.txt", "missing.run", "-o", str(target), "--no-pictures"]
    assert command(*words) == 3
    assert target.read_text() == page.to_html()
    assert os.listdir(tmp_path) == ["r.html"]


def test_without_the_chart_library_an_error_says_what_to_install(monkeypatch, tmp_path):
    from rankstone.page import vega

    monkeypatch.setitem(sys.modules, "vl_convert", None)
    vega.script.cache_clear()
    judgments, run = {"q": {"d": 1}}, {"q": ["d"]}
    with pytest.raises(rs.MissingDependencyError, match=r"pip install '\.\[report\]'"):
        rs.report(judgments, {"a": run}, "RR").to_html()
    with pytest.raises(rs.MissingDependencyError):
        rs.evaluate(judgments, run, "RR").plot().to_svg()
    assert "no_pictures" in texts("en")
    assert rs.report(judgments, {"a": run}, "RR", pictures=False).to_html()


def test_pictures_are_saved_as_svg_png_and_pdf(tmp_path, capsys):
    pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    data = [f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"], "-m", "nDCG@10"]
    assert command("report", *data, "--plots", str(tmp_path / "all")) == 0
    # Without items there is neither exposure nor a measure beyond accuracy to draw.
    names = sorted(definitions(texts("en")).keys() - {"exposure", "tradeoff"})
    assert sorted(os.listdir(tmp_path / "all")) == [f"{name}.svg" for name in names]
    svg = (tmp_path / "all" / "differences.svg").read_text()
    assert svg.startswith("<svg")
    assert svg.count('aria-roledescription="rect mark"') == 40
    assert len(re.findall(r">q\d\d</text>", svg)) == 40  # each bar carries its query
    for form, magic in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = tmp_path / f"scatter.{form}"
        assert command("report", *data, "--picture", "scatter", "--plots", str(path)) == 0
        assert path.read_bytes().startswith(magic)
    assert command("report", *data, "--plots", str(tmp_path / "one.svg")) == 2
    assert "--picture differences" in capsys.readouterr().err


def test_long_names_of_runs_leave_room_for_areas_and_plots():
    pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    long = {name * 40: run for name, run in RUNS.items()}
    report = rs.report(f"{SEARCH}/qrels.txt", long, "RR", resamples=100)
    areas = [f"{part.areas['roc']:.3f}" for part in report.model.runs]
    svg = report.plot("roc").to_svg()
    assert re.findall(r">(0\.\d{3}) (?:bm25|dense|hybrid)", svg) == areas
    for name in ("roc", "scatter"):
        height = float(re.match(r'<svg[^>]* height="([0-9.]+)"', report.plot(name).to_svg())[1])
        assert height < 400


def test_results_and_comparisons_draw_themselves(tmp_path):
    pytest.importorskip("vl_convert", reason="needs vl-convert-python")
    comparison = rs.compare(f"{SEARCH}/qrels.txt", RUNS, ["nDCG@10"], resamples=200)
    picture = comparison.plot("scatter", run="hybrid")
    assert len(picture.spec["data"]["values"]) == 40
    assert "hybrid" in picture._repr_svg_()
    result = rs.evaluate(f"{SEARCH}/qrels.txt", RUNS["bm25"], ["AP", "RR"])
    assert [row["value"] for row in result.plot("RR").spec["data"]["values"]] == pytest.approx(
        result.values("RR").tolist()
    )
    loaded = rs.Comparison.from_json(comparison.to_json())
    assert loaded == comparison
    with pytest.raises(rs.UsageError, match="Compare the runs again"):
        loaded.plot()
    with pytest.raises(rs.UsageError, match=r"saved as \.svg, \.png or \.pdf"):
        picture.save(tmp_path / "a.gif")


def test_a_document_that_is_all_of_a_ranking_is_shown_once(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 a 2 1 t\nr Q0 b 1 1 t\n")
    assert tops_of(load_run(tmp_path / "run"), ["q", "r"], 2) == [["a"], ["b"]]


@pytest.mark.parametrize("ties", ["docid-desc", "docid-asc", "input"])
def test_a_scan_keeps_the_first_documents_whatever_the_order_of_rows(
    tmp_path, engine, monkeypatch, ties
):
    """Scattered, tied, repeated and in one piece: the same documents as those read afterwards."""
    monkeypatch.setattr(trec, "_RANGE", 97)
    rng = np.random.default_rng(11)
    rows = [(f"q{q}", f"d{d}", int(s)) for q, d, s in rng.integers(0, (9, 30, 12), (800, 3))]
    rows[300:] = sorted(rows[300:], key=lambda row: row[0])
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    judgments = {f"q{q}": {f"d{d}": 1 for d in range(3)} for q in range(9)}
    queries = [f"q{q}" for q in (8, 1, 0, 5)]
    plain, chosen = collection(judgments, tmp_path / "run"), rs.Conventions(ties=ties)
    data = plain.keeping_top(7, chosen)
    kept = kept_documents(data.matches(), data.judgments, queries)
    by_query = {query: {} for query in queries}
    for query, doc, score in rows:
        if query in by_query:
            by_query[query][doc] = max(score, by_query[query].get(doc, -1))
    first = {row: i for i, row in reversed([*enumerate(rows)])}
    by_id = {doc: i for i, doc in enumerate(sorted({row[1] for row in rows}))}
    sign = {"docid-desc": -1, "docid-asc": 1, "input": 0}[ties]

    def place(query, doc, score):
        return -score, sign * by_id[doc] if sign else first[query, doc, score]

    expected = [
        sorted(docs, key=lambda d: place(query, d, docs[d]))[:7] for query, docs in by_query.items()
    ]
    assert kept.lists() == expected
    assert kept_documents(data.matches(), data.judgments, ["q0", "none"]) is None
    assert kept_documents(plain.matches(), plain.judgments, queries) is None
    for either in (data, plain):
        known, tops = either.top(7, chosen, queries)
        assert (known, tops.lists()) == (queries, expected)


def test_a_scan_keeps_no_documents_that_count_again(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n")
    data, twice = collection({"q": {"a": 1}}, tmp_path / "run"), rs.Conventions(duplicates="count")
    assert data.keeping_top(2, twice) is data
    assert data.top(2, twice, ["q"])[1].lists() == [["a", "a"]]


def test_excluded_documents_make_room_for_others():
    run = load_run({"q": {d: -float(i) for i, d in enumerate("abcdef")}, "r": {"a": 2.0, "b": 1.0}})
    gone = load_judgments({"q": ["a", "c", "d"], "r": ["a"]})
    assert tops_of(ExcludingRun(run, gone), ["q", "r"], 2) == [["b", "e"], ["b"]]


@pytest.mark.parametrize("repeats", [1, 3, 4, 5, 40, 500])
def test_documents_that_are_repeated_hide_no_others(tmp_path, repeats):
    path = tmp_path / "run"
    rows = [f"q Q0 a 1 {1000 - i} t\n" for i in range(repeats)]
    path.write_text("".join([*rows, "r Q0 a 1 1 t\n", "q Q0 b 1 2 t\n", "q Q0 c 1 1 t\n"]))
    assert tops_of(load_run(path), ["q", "r"], 3) == [["a", "b", "c"], ["a"]]
    assert tops_of(load_run(path), ["q", "r"], 2) == [["a", "b"], ["a"]]


def messages_about(tmp_path, capfd, paths):
    """Make a report on runs of one document, and return what is said meanwhile."""
    for path in paths:
        path.write_text("q1 Q0 a 1 1 t\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    files = [tmp_path / "qrels", *paths, "-o", tmp_path / "p.html"]
    assert main(["report", *map(str, files), "-m", "RR", "--no-pictures"]) == 0
    return capfd.readouterr().err


def test_progress_is_one_line_at_a_time(tmp_path, capfd):
    err = messages_about(tmp_path, capfd, [tmp_path / f"r{i}.run" for i in range(9)])
    told = [line for line in err.splitlines() if "evaluating" in line]
    assert sorted(told) == [f"rankstone: evaluating r{i} ({i + 1} of 9) ..." for i in range(9)]


def test_options_of_an_evaluation_are_those_of_a_report(tmp_path, capsys):
    files = [f"{SEARCH}/qrels.txt", RUNS["bm25"], RUNS["hybrid"]]
    target = tmp_path / "r.json"
    words = ["report", *files, "-m", "nDCG@10", "-o", str(target), "-c", "queries=both"]
    assert command(*words, "--unjudged-interval") == 0
    model = json.loads(target.read_text())
    assert ["queries", "both"] in [[row["name"], row["value"]] for row in model["conventions"]]
    compared = rs.compare(files[0], files[1:], "nDCG@10", unjudged_interval=True, queries="both")
    (remark,) = model["pairs"][0]["remarks"]
    assert remark.startswith("Unjudged documents could reverse it")
    assert remark == remarks(compared.comparisons[0])[0]
    made = rs.report(files[0], files[1:], "AP", queries="both", pictures=False).model
    assert made.means[0][0] == round(rs.evaluate(*files[:2], "AP", queries="both")["AP"], 6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x.pdf"], "x.pdf: a report is written as .html"),
        ([RUNS["bm25"], "-o", "x.html"], "bm25.run is named twice"),
        (["--query-texts", "none.tsv", "-o", "x.html"], "none.tsv"),
        (["--query-texts", RUNS["bm25"], "-o", "x.html"], "expected an id, a tab and a text"),
        (["--document-texts", f"{SEARCH}/queries.tsv", "-o", "x.html"], "none of its ids is that of a document"),
        (["--query-texts", f"{SEARCH}/needs.tsv", "--weights", "w.tsv", "-o", "x.html"], "w.tsv"),
    ],
)  # fmt: skip
def test_reports_that_cannot_be_made(tmp_path, capsys, words, message):
    words = [
        str(tmp_path / w) if w in ("x.pdf", "x.html", "none.tsv", "w.tsv") else w for w in words
    ]
    first = ["report", "-m", "RR", "--no-pictures", f"{SEARCH}/qrels.txt", RUNS["bm25"]]
    code = command(*first, *words)
    err = capsys.readouterr().err
    assert code in (2, 3)
    assert message in re.sub(r"\n  ", " ", err)
    assert not (tmp_path / "x.html").exists()


def test_measures_that_saved_values_lack(tmp_path, capsys):
    rs.evaluate(f"{SEARCH}/qrels.txt", RUNS["bm25"], "nDCG@10").save(tmp_path / "a.json")
    words = ["report", "--values", str(tmp_path / "a.json"), "-o", str(tmp_path / "x.html")]
    assert command(*words, "-m", "nDCG") == 2
    assert "has no values of 'nDCG'. Did you mean nDCG@10?" in capsys.readouterr().err
    assert (
        command("report", "--values", str(tmp_path / "a.json"), "--plots", str(tmp_path / "plots"))
        == 0
    )
    assert [p.name for p in (tmp_path / "plots").iterdir()] == ["distribution.svg"]
    assert (
        command("report", f"{SEARCH}/qrels.txt", RUNS["bm25"], "--plots", str(tmp_path / "x.jpg"))
        == 2
    )
    assert "pictures are saved as .svg" in capsys.readouterr().err


def test_no_group_is_called_as_all_queries_are():
    with pytest.raises(rs.DataError, match="cannot be the name of a group"):
        rs.report({"q": {"a": 1}}, {"r": {"q": ["a"]}}, "RR", by={"q": "all"}, pictures=False)


def test_names_of_runs_send_no_commands_to_the_terminal(tmp_path, capfd):
    err = messages_about(tmp_path, capfd, [tmp_path / "r\x1b[2J\u202e\n.run"])
    assert "evaluating r\\x1b[2J" in err
    assert not {"\x1b", "\u202e"} & set(err)
    assert len(err.splitlines()) == 3


def test_files_that_are_missing_are_named_before_the_work(tmp_path):
    told = []
    with pytest.raises(rs.DataError, match=r"none\.tsv"):
        rs.report(
            {"q": {"a": 1}},
            {"r": {"q": ["a"]}},
            "RR",
            query_texts=tmp_path / "none.tsv",
            progress=told.append,
        )
    assert told == []
    (tmp_path / "empty").write_text("")
    for path in ("-", tmp_path / "empty", {"q": "text"}, None):
        assert check_readable(path) is None  # it is read later


@pytest.mark.parametrize(
    ("weight", "message"),
    [(-1.0, "not negative"), (math.inf, "must be finite"), (0.0, "all weights are 0")],
)
@pytest.mark.parametrize("runs", [["bm25"], ["bm25", "hybrid"]])
def test_weights_that_cannot_be(weight, message, runs):
    weights = {f"q{i:02}": weight for i in range(1, 41)}
    with pytest.raises(rs.DataError, match=message):
        rs.report(
            f"{SEARCH}/qrels.txt", [RUNS[n] for n in runs], "RR", weights=weights, pictures=False
        )


@pytest.mark.parametrize("options", [{"ties": "input"}, {"unjudged_interval": True}], ids=str)
def test_values_that_exist_already_are_not_evaluated_differently(options):
    with pytest.raises(rs.UsageError, match="cannot be applied to values that exist already"):
        rs.report({"a": {"q1": {"RR": 1.0}, "q2": {"RR": 0.5}}}, pictures=False, **options)


JUDGED = {f"q{i}": {"a": 1} for i in range(6)}


LATE = {f"q{i}": [f"x{j}" for j in range(i % 3)] + ["a"] for i in range(6)}  # RR 1, 1/2, 1/3, ...


FIRST = {query: ["a"] for query in JUDGED}


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("ending", ["html", "json"])
def test_a_report_replaces_reports_only(ending):
    path = f"report.{ending}"
    report = rs.report(JUDGED, {"late": LATE}, ["RR"])
    report.save(path)
    report.save(path)
    with open(path, "w") as out:
        out.write("<html></html>" if ending == "html" else '{"schema": "other/1"}')
    with pytest.raises(rs.UsageError, match="what it holds would be lost"):
        report.save(path)
    report.save(path, force=True)


@pytest.mark.usefixtures("small_files")
def test_a_report_weighs_queries_once():
    weights = {query: i + 1.0 for i, query in enumerate(JUDGED)}
    model = rs.report(JUDGED, {"late": LATE, "first": FIRST}, ["RR"], weights=weights).model
    values = [1, 1 / 2, 1 / 3] * 2
    mean = sum(w * v for w, v in zip(weights.values(), values, strict=True)) / 21
    assert [row[0] for row in model.means] == pytest.approx([mean, 1.0], abs=1e-6)
    plain = rs.compare(
        JUDGED, {"late": LATE, "first": FIRST}, ["RR"], baseline="late", weights=weights
    )
    assert plain.comparisons[0].difference == pytest.approx(1 - mean)
    assert np.concatenate(model.values[0]).tolist() == pytest.approx(values, abs=1e-6)
    low, high = model.intervals[0][0]
    assert low <= mean <= high


@pytest.mark.usefixtures("small_files")
def test_a_mean_with_weights_of_its_own_is_not_weighted_again():
    judged = {"p": {"a": 1, "b": 1, "x": 0}, "q": {"a": 1, "x": 0}}
    run = {"p": ["a", "b", "x"], "q": ["x", "a"]}
    measure = "AUC(weight='positives')"
    plain = rs.evaluate(judged, run, measure)
    assert plain[measure] == pytest.approx((2 * 1 + 1 * 0) / 3)
    report = rs.report(judged, {"run": run}, [measure, "RR"], weights={"p": 1.0, "q": 9.0})
    assert report.model.means[0] == pytest.approx([2 / 3, (1 * 1 + 9 * 0.5) / 10], abs=1e-6)


@pytest.mark.usefixtures("small_files")
def test_a_report_has_no_curves_where_only_relevant_documents_are_judged():
    """Precision would be 1 throughout, whatever the ranking."""
    (part,) = rs.report(JUDGED, {"late": LATE}, ["RR"]).model.runs
    assert (part.curves, part.areas) == ({}, {})
    judged = {**JUDGED, "q2": {"a": 1, "x0": 0}}
    (part,) = rs.report(judged, {"late": LATE}, ["RR"]).model.runs
    assert part.curves.keys() == part.areas.keys() == {"roc", "pr"}


def test_accuracy_against_coverage_and_exposure_by_popularity_are_drawn():
    from rankstone.page.plots import picture_of

    judged = {f"u{n}": ["a"] for n in range(4)}
    runs = {"same": {u: ["a", "b"] for u in judged}, "own": {u: [u, "a"] for u in judged}}
    history = {u: ["a", "b", u] if u == "u1" else ["a", u] for u in judged}
    names = ["P@2", "Coverage@2", "Gini@2", "Novelty(of='own')@2", "RR@2"]
    model = rs.report(judged, runs, names, history=history, pictures=False).model
    tradeoff = picture_of(model, "tradeoff").spec
    assert tradeoff["spec"]["encoding"]["y"]["title"] == "P@2"
    rows = tradeoff["data"]["values"]
    assert [row for row in rows if row["measure"] == "Coverage@2"] == [
        {"run": run, "measure": "Coverage@2", "place": 1, "x": pytest.approx(x, abs=1e-6), "y": 0.5}
        for run, x in (("same", 2 / 6), ("own", 5 / 6))
    ]
    # One panel for each measure beyond accuracy, as wide as its title takes.
    panels = list(dict.fromkeys(row["measure"] for row in rows))
    assert panels == ["Coverage@2", "Gini@2 (lower is better)", "Novelty(of='own')@2"]
    assert tradeoff["columns"] == 2
    assert picture_of(model, "tradeoff", measure="Gini@2").spec == tradeoff
    shown = picture_of(model, "tradeoff", measure="RR@2").spec["spec"]["encoding"]["y"]
    assert shown["title"] == "RR@2"
    rows = picture_of(model, "exposure").spec["data"]["values"]
    shares = [row["share"] for row in rows if row["run"] == "same"]
    assert (len(shares), shares[0], sum(shares)) == (10, 0.5, 1)


def test_the_words_of_pictures_are_chinese():
    def titles(part):
        if isinstance(part, list):
            return [title for one in part for title in titles(one)]
        if not isinstance(part, dict):
            return []
        own = [part["title"]] if isinstance(part.get("title"), str) else []
        return own + titles([*part.values()])

    shown = titles(definitions(texts("zh")))
    words = [re.sub(r"§|\{\w+\}|\bk\b", "", title) for title in shown]
    assert len(shown) > 30
    assert [word for word in words if re.search("[A-Za-z]", word)] == []
