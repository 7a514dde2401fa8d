"""Runs compared, as a person does it: the verb, the command, and what they print."""

import csv
import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.text.comparison_table import write_comparison
from rankstone.text.latex import escape

SEARCH = Path(__file__).resolve().parents[2] / "examples" / "search"
QRELS = str(SEARCH / "qrels.txt")
RUNS = [str(SEARCH / f"{name}.run") for name in ("bm25", "dense", "hybrid")]
FIELDS = [
    "measure", "baseline", "run", "n", "baseline_mean", "mean", "difference", "ci_low", "ci_high",
    "confidence", "p_value", "p_adjusted", "test", "correction", "wins", "ties", "losses",
    "effect_size", "warnings",
]  # fmt: skip


def run(capsys, *args):
    code = main(["compare", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def results():
    return [rs.evaluate(QRELS, path, ["nDCG@10", "AP"]) for path in RUNS]


@pytest.fixture(scope="module")
def comparison():
    return rs.compare(QRELS, RUNS, ["nDCG@10", "AP"])


def test_paths_names_results_and_dicts_give_the_same(results, comparison):
    named = dict(zip(("bm25", "dense", "hybrid"), RUNS, strict=True))
    assert comparison == rs.compare(QRELS, named, [rs.nDCG @ 10, rs.AP], baseline="bm25")
    assert comparison == rs.compare(results)
    assert comparison == rs.compare(None, {r.name: r for r in results}, measures=["nDCG@10", "AP"])
    by_query = {r.name: r.per_query for r in results}
    values = rs.compare(by_query)
    assert values["hybrid", "AP"].p_value == comparison["hybrid", "AP"].p_value
    assert comparison["hybrid", "AP"].verdict == "better"


def test_names_that_are_given_count(results):
    first = results[0]
    renamed = rs.compare(QRELS, {"old": first, "new": RUNS[2]}, "AP")
    assert renamed.runs == ("old", "new")
    assert rs.compare({"a": first, "b": results[2]}).runs == ("a", "b")


def test_a_query_without_an_answer_is_known(results, comparison):
    assert results[1].unanswered == ("q15", "q29")
    assert rs.Result.from_json(results[1].to_json()).unanswered == ("q15", "q29")
    pair = comparison["dense", "AP"]
    assert (pair.verdict, pair.missing.run, pair.common.n) == ("incomplete", 2, 38)


def test_direction_comes_from_the_measure():
    judgments = {str(q): {"a": 1} for q in range(8)}
    runs = {"few": {q: ["a"] for q in judgments}, "many": {q: ["a", "b"] for q in judgments}}
    assert rs.compare(judgments, runs, "Unjudged@2")["many", "Unjudged@2"].verdict == "worse"
    values = {n: {q: {"latency": n == "few"} for q in judgments} for n in runs}
    given = rs.compare(values, lower_is_better=["latency"])
    assert given["many", "latency"].verdict == "better"


def test_options_of_evaluate_are_passed_on():
    options = {"ties": "pessimistic", "threads": 1}
    mine = rs.compare(QRELS, RUNS, "AP", **options)
    lowest = rs.evaluate(QRELS, RUNS[2], "AP", ties="pessimistic")["AP"]
    assert mine["hybrid", "AP"].mean == lowest
    with pytest.raises(rs.UsageError, match="tis"):
        rs.compare(QRELS, RUNS, "AP", tis="input")


def test_weights_may_be_a_file(tmp_path, results):
    file = tmp_path / "traffic.tsv"
    weights = {q: 1.0 + i for i, q in enumerate(results[0].queries)}
    file.write_text("query\ttraffic\n" + "".join(f"{q}\t{w}\n" for q, w in weights.items()))
    assert rs.compare(results, weights=file) == rs.compare(results, weights=weights)
    file.write_text("q01 often\n")
    with pytest.raises(rs.DataError, match="the weight of query 'q01' is 'often'"):
        rs.compare(results, weights=str(file))


def test_an_interval_of_one_run(results):
    interval = results[0].interval("nDCG@10")
    assert 0.34 < interval.low < results[0]["nDCG@10"] < interval.high < 0.52
    t = results[0].interval(rs.AP, method="t", confidence=0.9)
    values = results[0].values("AP")
    half = values.std(ddof=1) / np.sqrt(40) * 1.6848751195
    assert t.high == pytest.approx(values.mean() + half, rel=1e-9)
    counted = rs.evaluate(QRELS, RUNS[0], "NumRet")
    with pytest.raises(rs.UsageError, match="NumRet is not aggregated as a mean"):
        counted.interval("NumRet")


# ---- files of values per query


def as_trec_eval(result):
    rows = [f"{m:<22}\t{q}\t{v:.4f}" for q, r in result.per_query.items() for m, v in r.items()]
    return "\n".join(["runid                 \tall\tx", *rows, "map\tall\t0.3"])


def as_ir_measures(result):
    rows = [f"{q}\t{m}\t{v:.4f}" for q, r in result.per_query.items() for m, v in r.items()]
    return "\n".join([*rows, "AP\t0.3"])


def as_long_csv(result):
    rows = [f"{q},{m},{v:.4f}" for q, r in result.per_query.items() for m, v in r.items()]
    return "\n".join(["query_id,metric,value", *rows])


def as_wide_csv(result):
    rows = [",".join([q, *(f"{v:.4f}" for v in r.values())]) for q, r in result.per_query.items()]
    return "\n".join([",".join(["query", *result.measures]), *rows])


def as_json(result):
    return json.dumps(
        {q: {m: round(v, 4) for m, v in r.items()} for q, r in result.per_query.items()}
    )


@pytest.mark.parametrize("write", [as_trec_eval, as_ir_measures, as_long_csv, as_wide_csv, as_json])
def test_values_that_other_tools_wrote(tmp_path, results, write):
    paths = []
    for result in results[::2]:
        paths.append(tmp_path / f"{result.name}.eval")
        paths[-1].write_text(write(result))
    rounded = {
        r.name: {q: {m: round(v, 4) for m, v in row.items()} for q, row in r.per_query.items()}
        for r in results[::2]
    }
    expected, got = rs.compare(rounded), rs.compare(paths)
    assert got["hybrid", "AP"].p_value == expected["hybrid", "AP"].p_value
    assert got.measures == ("nDCG@10", "AP")
    assert rs.compare(paths, measures=["map"]).measures == ("AP",)


@pytest.mark.parametrize("line", ["mine {query} {value}", "{query} mine {value}"])
def test_a_measure_that_nobody_knows_is_named_less_often_than_queries(tmp_path, line):
    rows = {"a": {"x": 0.1, "y": 0.2, "z": 0.3}, "b": {"x": 0.4, "y": 0.2, "z": 0.6}}
    for name, values in rows.items():
        text = "".join(line.format(query=q, value=v) + "\n" for q, v in values.items())
        (tmp_path / f"{name}.eval").write_text(text)
    result = rs.compare([tmp_path / "a.eval", tmp_path / "b.eval"])
    assert (result.measures, result.queries) == (("mine",), 3)
    assert result["b", "mine"].difference == pytest.approx(0.2)


def test_saved_results_and_our_own_tables(tmp_path, capsys, results):
    main(["evaluate", QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10", "-q", "--quiet"])
    table = tmp_path / "all.tsv"
    table.write_text(capsys.readouterr().out)
    assert rs.compare([table]).runs == ("bm25", "dense", "hybrid")
    paths = []
    for result in results:
        paths.append(tmp_path / f"{result.name}.json")
        result.save(paths[-1])
    assert rs.compare(paths) == rs.compare(results)
    twice = [tmp_path / "one.json", tmp_path / "two.json"]
    for path in twice:
        results[0].save(path)
    assert rs.compare(twice).runs == ("one", "two")


@pytest.mark.parametrize("parts", [0, 1, 3])
def test_values_in_parquet(tmp_path, results, parts, capsys):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    paths = []
    for result in results[::2]:
        table = pa.table({"query": result.queries, **result.columns})
        paths.append(tmp_path / (result.name if parts else f"{result.name}.parquet"))
        if parts:  # a folder, as Spark writes it
            paths[-1].mkdir()
            (paths[-1] / "_SUCCESS").touch()
            rows = -(-table.num_rows // parts)
            for i in range(parts):
                parquet.write_table(table.slice(i * rows, rows), paths[-1] / f"part-{i}.parquet")
        else:
            parquet.write_table(table, paths[-1])
    expected = rs.compare(results[::2])["hybrid", "AP"]
    assert rs.compare(paths)["hybrid", "AP"].p_value == expected.p_value
    assert run(capsys, "--values", *paths)[0] == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"AP": [0.5]},
            "cannot tell which column holds the queries. Columns: 'AP'",
        ),
        ({"query": ["q"], "AP": ["low"]}, "column 'AP' is of type string, not numbers"),
        (None, "these are not readable Parquet files"),
    ],
)
def test_bad_values_in_parquet(tmp_path, columns, message):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    if columns is None:
        path.write_bytes(b"PAR1")
    else:
        parquet.write_table(pa.table(columns), path)
    with pytest.raises(rs.DataError, match=message):
        rs.compare({"a": str(path), "b": str(path)})


BAD_VALUES = {
    "only aggregates": ("map\tall\t0.3\n", "there are only aggregates here"),
    "aggregates of ir_measures": ("AP\t0.3\nRR\t0.2\n", "there are only aggregates here"),
    "empty": ("\n", "the file is empty"),
    "text": ("map\tq1\tlow\n", r":1: the value of 'map' for query 'q1' is 'low'"),
    "twice": ("map\tq1\t1\nmap\tq1\t0\n", ":2: map of query 'q1' has a second value"),
    "a run": ("q1 Q0 d 1 0.5 t\n", ":1: 6 fields, expected 3"),
    "a short row": ("query,AP\nq1\n", ":2: 1 fields, and the header has 2"),
    "other JSON": ('{"a": [1]}', "expected {query: {measure: value}}"),
    "broken JSON": ('{"a": ', "this is not valid JSON"),
    "infinite": ("map\tq1\tinf\nmap\tq2\t1\n", "map of query 'q1' is infinite"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_bad_files_of_values(tmp_path, capsys, case):
    content, message = BAD_VALUES[case]
    bad, good = tmp_path / "bad.eval", tmp_path / "good.eval"
    bad.write_text(content)
    good.write_text("map\tq1\t0.5\nmap\tq2\t0.5\n")
    with pytest.raises(rs.DataError, match=message):
        rs.compare([bad, good])
    code, out, err = run(capsys, "--values", bad, good)
    assert (code, out) == (3, "")
    assert re.search(message, err)


# ---- what cannot be compared


def values(**runs):
    return {name: {f"q{i}": {"AP": v} for i, v in enumerate(row)} for name, row in runs.items()}


BAD = {
    "one run": (values(a=[1.0]), {}, "at least two runs"),
    "no such baseline": (values(bm25=[1], dense=[0]), {"baseline": "bm52"}, "Did you mean bm25"),
    "no common query": (
        {"a": {"q1": {"AP": 1.0}}, "b": {"q2": {"AP": 1.0}}}, {}, "no query with a value of AP in common",
    ),
    "all skipped": (values(a=[np.nan], b=[1.0]), {}, "no query with a value of AP in common"),
    "no common measure": ({"a": {"q": {"AP": 1}}, "b": {"q": {"RR": 1}}}, {}, "no measure in common"),
    "unknown measure": (values(a=[1], b=[0]), {"measures": ["RR"]}, "no values of RR"),
    "negative weights": (values(a=[1, 0], b=[0, 0]), {"weights": {"q0": -1, "q1": 1}}, "not negative"),
    "weights missing": (values(a=[1, 0], b=[0, 0]), {"weights": {"q0": 1}}, "1 query without a weight"),
    "an unknown test": (values(a=[1], b=[0]), {"test": "ttest"}, "unknown test 'ttest'"),
    "an option of evaluate": (values(a=[1], b=[0]), {"ties": "input"}, "cannot be applied to values that exist already"),
    "a path alone": ("a.eval", {}, "give runs as {name: run} or as a list of paths"),
    "runs without names": ([{"q": {"AP": 1}}, {"q": {"AP": 0}}], {}, "a run without a name"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_compared(case):
    data, options, message = BAD[case]
    with pytest.raises(rs.RankstoneError, match=re.escape(message)):
        rs.compare(data, **options)


def test_runs_that_cannot_be_compared(results):
    with pytest.raises(rs.UsageError, match="two runs are called 'bm25'"):
        rs.compare([results[0], results[0]])
    with pytest.raises(rs.UsageError, match="at least two runs, not 1"):
        rs.compare(QRELS, RUNS[:1])
    with pytest.raises(rs.UsageError, match="GMAP is not a mean over queries"):
        rs.compare(QRELS, RUNS, ["AP", "GMAP"])
    many = {n: {"q": {f"m{i}": 1.0 for i in range(11)}} for n in "ab"}
    with pytest.raises(rs.UsageError, match="11 measures in common, .* Choose"):
        rs.compare(many)


def sentence_of(data, **options):
    found = rs.compare(data, **options)
    return " ".join("\n".join(write_comparison(found, "table")).split("\n\n")[0].split())


def test_sentences_say_what_to_conclude():
    rng = np.random.default_rng(1)
    base = rng.random(40) * 0.5
    better = sentence_of(values(a=base, b=base + 0.1 + 0.01 * rng.random(40)))
    assert better.startswith("b is better than a on AP: +0.10")
    assert "95 % interval +0.10" in better
    assert "p < 0.001." in better
    worse = sentence_of(values(a=base + 0.1 + 0.01 * rng.random(40), b=base))
    assert worse.startswith("b is worse than a on AP: -0.10")
    noise = sentence_of(values(a=base, b=rng.random(40) * 0.5))
    assert noise.startswith("Cannot tell whether b is better than a on AP: ")
    assert re.search(r"40 queries can only show differences of 0\.\d+ or more", noise)
    assert sentence_of(values(a=base, b=base)) == "b and a have the same AP for every query."
    one = sentence_of(values(a=[0.1], b=[0.9]))
    assert one.startswith("Cannot tell whether b is better than a on AP: one common query")
    four = sentence_of(values(a=[0.1, 0.2, 0.3, 0.4], b=[0.9, 0.8, 0.9, 0.8]))
    assert "With 4 queries no outcome can be significant at 0.05; at least 6 are needed." in four
    constant = sentence_of(values(a=base, b=base + 0.125))
    assert "The difference is the same for every query" in constant


def test_a_run_that_was_not_run_is_not_worse():
    judgments = {f"q{i}": {"d": 1} for i in range(30)}
    full = {q: ["d"] for q in judgments}
    data = {"full": full, "broken": {"q0": ["d"]}}
    text = sentence_of_runs(judgments, data)
    assert text.startswith(
        "Incomplete, broken against full on RR: broken has no answer for 29 of 30 queries, and "
        "100 % of the difference (-0.967) comes from that. On the 1 query that both answered both "
        "are equal."
    )
    assert "worse than" not in text


def sentence_of_runs(judgments, runs):
    found = rs.compare(judgments, runs, "RR")
    return " ".join("\n".join(write_comparison(found, "table")).split("\n\n")[0].split())


def test_repeated_runs_are_one_system(tmp_path, capsys):
    rng = np.random.default_rng(3)
    base = rng.random(30)
    for name, shift in {"bm25": 0, "dense.1": 0.1, "dense.2": 0.12, "dense.3": 0.08}.items():
        rows = base * 0.8 + shift + 0.02 * rng.random(30)
        text = "".join(f"AP\tq{i}\t{v:.6f}\n" for i, v in enumerate(rows))
        (tmp_path / f"{name}.eval").write_text(text)
    pattern = f"dense={tmp_path}/dense.*.eval"
    code, out, _ = run(
        capsys, "--values", tmp_path / "bm25.eval", "--repeats", pattern, "--format", "table"
    )
    assert code == 0
    words = " ".join(out.split())
    assert words.startswith("dense is better than bm25 on AP: +0.099")
    assert re.search(r"Of the uncertainty \d+ % comes from queries and \d+ % from repeated", words)
    code, _, err = run(capsys, "--values", tmp_path / "bm25.eval", "--repeats", "dense")
    assert (code, "write repeated runs as NAME=PATTERN" in err) == (2, True)


def test_sentences_write_the_names_of_runs_as_they_are():
    runs = {"bm25": "examples/search/bm25.run", "dense": "examples/search/dense.run"}
    comparison = rs.compare("examples/search/qrels.txt", runs, "Unjudged@10", resamples=200)
    assert " dense has no answer for 2 queries; 0 %" in comparison._repr_html_()
    assert "Dense" not in comparison._repr_html_()


# ---- the command


def test_the_table_fits_and_leads_with_the_answer(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capsys, QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10", "--format", "table")
    assert code == 0
    assert "dense: 2 of 40 judged queries not in the run" in err
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    assert words.startswith("Incomplete, dense against bm25 on AP: dense has no answer for 2 of 40")
    assert "hybrid is better than bm25 on AP: +0.140 (95 % interval +0.076 to +0.204)" in words
    assert "hybrid 0.5393 ▲ 0.5721 ▲" in words
    for part in ("10000 resamples, seed 0", "Holm correction over 2 comparisons", "31/1/8"):
        assert part in words


def test_the_best_is_bold(comparison):
    lines = list(write_comparison(comparison, "table", colour=True))
    assert any("\x1b[1m0.5721 ▲\x1b[0m" in line for line in lines)
    shown = "\n".join(write_comparison(comparison, "md"))
    assert "| hybrid | **0.5721 ▲** | **0.5393 ▲** |" in shown


def test_json_has_the_promised_fields(capsys, tmp_path):
    saved = tmp_path / "comparison.json"
    _, out, _ = run(capsys, QRELS, *RUNS, "-m", "AP", "--format", "json", "--quiet", "-o", saved)
    data = json.loads(out)
    assert [set(FIELDS) <= set(one) for one in data["comparisons"]] == [True, True]
    assert rs.Comparison.from_json(out) == rs.Comparison.load(saved)


def test_the_seed_decides_and_the_order_does_not(capsys):
    args = ("-m", "AP", "--baseline", "bm25", "--quiet", "--format", "csv")
    _, first, _ = run(capsys, QRELS, *RUNS, *args)
    _, again, _ = run(capsys, QRELS, *RUNS[::-1], *args)
    assert sorted(first.splitlines()) == sorted(again.splitlines())
    _, other, _ = run(capsys, QRELS, *RUNS, *args, "--seed", 1)
    drawn = [
        [line["p_value"] for line in csv.DictReader(text.splitlines())] for text in (first, other)
    ]
    assert drawn[0] != drawn[1]


def test_every_line_of_a_table_says_how_it_was_computed(capsys, comparison):
    _, out, _ = run(capsys, QRELS, *RUNS, "-m", "AP", "--quiet", "--format", "csv", "--seed", 3)
    dense, hybrid = csv.DictReader(out.splitlines())
    for line in (dense, hybrid):
        method = [line[name] for name in ("test", "resamples", "seed", "correction", "family")]
        assert method == ["randomization", "10000", "3", "holm", "2"]
        assert line["interval"] == "bca"
    common = comparison["dense", "AP"].common
    assert (int(dense["common_n"]), float(dense["common_difference"])) == (38, common.difference)
    assert {hybrid[name] for name in hybrid if name.startswith("common_")} == {""}


def test_all_pairs(capsys):
    args = ("-m", "AP", "--all-pairs", "--quiet")
    _, out, _ = run(capsys, QRELS, *RUNS, *args)
    pairs = [line.split("\t")[1:3] for line in out.splitlines()[1:]]
    assert pairs == [["bm25", "dense"], ["bm25", "hybrid"], ["dense", "hybrid"]]
    _, out, _ = run(capsys, QRELS, *RUNS, *args, "--format", "table")
    assert "3 hybrid  0.5393 >1" in out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([QRELS], 2, "at least QRELS and two runs: rankstone compare qrels.txt"),
        ([QRELS, RUNS[0]], 2, "at least QRELS and two runs"),
        (["--values", RUNS[0]], 2, "at least two files of values"),
        ([QRELS, *RUNS, "--baseline", "bm52"], 2, "Did you mean bm25?"),
        ([QRELS, *RUNS, "--test", "welch"], 2, "unknown test 'welch'"),
        ([QRELS, *RUNS, "--correction", "hom"], 2, "Did you mean holm?"),
        ([QRELS, *RUNS, "--confidence", "95"], 2, "for 95 % use 0.95"),
        ([QRELS, *RUNS, "--weights", "no.tsv"], 3, "no.tsv"),
        ([QRELS, *RUNS, "--seed", "-1"], 2, "the seed must be a whole number from 0"),
        ([QRELS, *RUNS, "--strict", "-m", "AP"], 3, "an error because of strict"),
        (["--values", *RUNS, "--like", "ranx"], 2, "--like cannot be applied to values that exist already"),
        ([QRELS, RUNS[0], RUNS[0]], 2, "two runs are called"),
    ],
)  # fmt: skip
def test_errors_of_the_command(capsys, args, code, message):
    got, out, err = run(capsys, *args)
    assert (got, out) == (code, "")
    assert message in err.splitlines()[-1]


def write_values(folder, **runs):
    paths = []
    for name, row in runs.items():
        paths.append(folder / f"{name}.eval")
        paths[-1].write_text("".join(f"AP\t{q}\t{v}\n" for q, v in row.items()))
    return paths


def test_means_over_other_queries_than_the_difference_are_marked(tmp_path, capsys):
    first, second = {"q1": 0.2, "q2": 0.4, "q3": 0.9}, {"q1": 0.4, "q2": 0.5, "q4": 0.0}
    paths = write_values(tmp_path, a=first, b=second)
    _, out, _ = run(capsys, "--values", *paths, "--format", "table")
    words = " ".join(out.split())
    assert (
        "means over each run's own queries, differences over those that both have (2 queries)"
        in words
    )
    _, out, _ = run(
        capsys, "--values", *write_values(tmp_path, a=first, b=first), "--format", "table"
    )
    assert "means over 3 queries;" in " ".join(out.split())


def test_the_direction_of_an_unknown_measure(tmp_path, capsys):
    paths = []
    for name, shift in (("a", 0), ("b", 10)):
        paths.append(tmp_path / f"{name}.csv")
        rows = (f"q{i},{100 + i + shift + (shift and i % 3)}\n" for i in range(12))
        paths[-1].write_text("query,latency\n" + "".join(rows))
    args = ("--values", *paths, "--format", "table")
    words = " ".join(run(capsys, *args)[1].split())
    assert words.startswith("b is better than a on latency")
    assert "Rankstone does not know latency, so higher counts as better" in words
    words = " ".join(run(capsys, *args, "--lower-is-better", "latency")[1].split())
    assert words.startswith("b is worse than a on latency: +11.000 (lower is better)")
    assert "does not know" not in words
    code, _, err = run(capsys, *args, "--lower-is-better", "latncy")
    assert (code, "Did you mean latency?" in err) == (2, True)
    paths = write_values(tmp_path, a=FIVE, b=FIVE)
    code, _, err = run(capsys, "--values", *paths, "--lower-is-better", "AP")
    assert (code, "higher values of AP are better" in err) == (2, True)


def test_the_name_of_a_run_keeps_its_case():
    values = {q: {"d1": 1} for q in "abcdefgh"}
    runs = {"one": {"a": ["d1"], "b": ["d2", "d1"]}, "two": {"a": ["d2", "d1"], "b": ["d1"]}}
    shown = " ".join(write_comparison(rs.compare(values, runs, "RR"), "md"))
    assert "one has no answer for 6 queries" in shown
    assert "One has" not in shown


FIVE = {f"q{i}": 0.1 * i for i in range(5)}
ODD = {
    "one common query": ({"q0": 0.5, "x": 1}, 0, "one common query: it shows a difference"),
    "no common query": ({"x": 0.5}, 3, "no query with a value of AP in common"),
    "zero variance": ({q: v + 0.25 for q, v in FIVE.items()}, 0, "same for every query"),
    "all ties": (FIVE, 0, "b and a have the same AP for every query."),
    "skipped": ({**FIVE, "q0": "nan"}, 0, "1 of 5 queries left out, because a run has no value"),
    "all skipped": (dict.fromkeys(FIVE, "nan"), 3, "no query with a value of AP in common"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_values_through_the_command(tmp_path, capsys, case):
    second, code, message = ODD[case]
    paths = write_values(tmp_path, a=FIVE, b=second)
    got, out, err = run(capsys, "--values", *paths, "--format", "table")
    assert got == code
    assert message in " ".join((out + err).split())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("q0 -1\nq1 1\nq2 1\nq3 1\nq4 1\n", "weights must be finite and not negative"),
        ("q0 1\n", "4 queries without a weight (q1, q2, q3, ...)"),
        ("q0 0\nq1 0\nq2 0\nq3 0\nq4 0\n", "all weights are 0"),
        ("q0 1\nq0 2\n", "query 'q0' has the weight '2' here, and '1' in "),
        ("q0\n", "expected a query and its weight"),
    ],
)
def test_bad_weights_through_the_command(tmp_path, capsys, weights, message):
    paths = write_values(tmp_path, a=FIVE, b={q: v / 2 for q, v in FIVE.items()})
    (tmp_path / "w.txt").write_text(weights)
    code, out, err = run(capsys, "--values", *paths, "--weights", tmp_path / "w.txt")
    assert (code, out) == (3, "")
    assert message in err


# ---- LaTeX


def document_of(table):
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    return f"{head}{table}\\end{{document}}\n"


def check_latex(table, tmp_path):
    """Compile the table if there is a TeX engine; check its structure anyway."""
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", table):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    assert [table.count(f"\\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 1, 1]
    columns = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", table)[1])
    rows = [line for line in table.splitlines() if line.endswith("\\\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {columns - 1}
    bare = re.sub(r"\\[\\&%$#_{}]", "", table)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[#$]", bare)
    engine = next(filter(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic")), None)
    if engine:
        (tmp_path / "t.tex").write_text(document_of(table))
        subprocess.run([engine, "t.tex"], cwd=tmp_path, check=True, timeout=120, input=b"")


def test_latex_of_a_comparison(capsys, tmp_path):
    _, out, _ = run(capsys, QRELS, *RUNS, "-m", "AP", "--format", "latex", "--quiet")
    check_latex(out, tmp_path)
    assert "hybrid & \\textbf{0.5393}\\(^{\\uparrow}\\) \\\\" in out
    caption = next(line for line in out.splitlines() if "caption" in line)
    for part in ("40 queries", "randomization test", "Holm correction over 2 comparisons"):
        assert part in caption


def test_the_caption_of_all_pairs_explains_the_marks_of_the_cells(capsys, tmp_path):
    args = [QRELS, *RUNS, "-m", "AP", "--all-pairs", "--format", "latex", "--quiet"]
    _, out, _ = run(capsys, *args)
    check_latex(out, tmp_path)
    assert r"\textbf{0.5393}\(^{>1}\) \\" in out
    assert r"\textgreater{}1,2 is better than runs 1 and 2" in out


def test_latex_of_an_evaluation(capsys, tmp_path):
    args = ["evaluate", QRELS, *RUNS, "-m", "P(rel=2)@5", "--format", "latex", "--interval"]
    assert main([*args, "--quiet"]) == 0
    out = capsys.readouterr().out
    check_latex(out, tmp_path)
    assert re.search(r"bm25 & 0\.\d{4} \{\[\}0\.\d{3}, 0\.\d{3}\]", out)


def test_latex_prints_any_name(tmp_path):
    names = ["a_b & 95 % $x$ #1 {y}", '~^\\ <>|[1]"', "[x]"]
    rng = np.random.default_rng(0)
    found = rs.compare(values(**{n: rng.random(9) for n in names}))
    check_latex("\n".join(write_comparison(found, "latex")) + "\n", tmp_path)
    assert escape("50%_a") == "50\\%\\_a"


# ---- intervals of evaluate


def test_intervals_in_every_format(capsys, results):
    def shown(form, *more):
        args = ["evaluate", QRELS, *RUNS[:2], "-m", "AP", "--interval", "--quiet"]
        assert main([*args, "--format", form, *more]) == 0
        return capsys.readouterr().out

    interval = results[0].interval("AP")
    assert f"bm25   0.3995 [{interval.low:.3f}, {interval.high:.3f}]" in shown("table")
    assert "95 % interval, BCa bootstrap" in shown("table")
    assert "90 % interval" in shown("table", "--confidence", "0.9")
    assert json.loads(shown("json"))[0]["intervals"]["AP"] == interval.to_dict()
    assert json.loads(shown("jsonl").splitlines()[0])["intervals"]["AP"] == interval.to_dict()
    head, line, _ = shown("tsv").splitlines()
    assert head == "run\tquery\tAP\tAP low\tAP high"
    assert float(line.split("\t")[3]) == interval.low
    assert main(["evaluate", QRELS, RUNS[0], "--interval", "--aggregate", "median"]) == 2
    assert "--interval is of means; leave --aggregate" in capsys.readouterr().err


@pytest.mark.usefixtures("small_files")
def test_a_t_test_of_one_query_has_no_p_value():
    found = rs.compare({"q": {"a": 1}}, {"late": {"q": ["x", "a"]}, "first": {"q": ["a"]}}, ["RR"],
                       baseline="late", test="t").comparisons[0]  # fmt: skip
    assert found.difference == 1 / 2
    assert math.isnan(found.p_value)
    assert [notice.code for notice in found.warnings] == ["one-query"]
    two = rs.compare({"q": {"a": 1}, "r": {"a": 1}}, {"late": {"q": ["x", "a"], "r": ["a"]}, "first": {"q": ["a"], "r": ["a"]}},
                     ["RR"], baseline="late", test="t").comparisons[0]  # fmt: skip
    assert two.p_value == pytest.approx(1 / 2)  # Student's t of 1 with one degree of freedom
