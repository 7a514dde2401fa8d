"""Queries that belong together, as a user of the commands meets them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main


@pytest.fixture
def files(tmp_path):
    """Judgments and two runs of 10 conversations, in each of which the second run differs alike."""
    rng = np.random.default_rng(4)
    judgments, runs, clusters = [], {"a": [], "b": []}, []
    for c in range(10):
        shift = rng.normal(0, 0.8)
        for i in range(12):
            query = f"conv-{c}_q{i}"
            clusters.append(f"{query}\tconv-{c}")
            judgments += [f"{query} 0 d{d} {int(d < 2)}" for d in range(4)]
            one = rng.normal(size=6)
            other = one + 0.6 * rng.normal(size=6) + np.where(np.arange(6) < 2, shift, 0.0)
            for name, scores in (("a", one), ("b", other)):
                runs[name] += [f"{query} Q0 d{d} 1 {s:.4f} x" for d, s in enumerate(scores)]
    paths = {}
    lines = {
        "qrels.txt": judgments,
        "a.run": runs["a"],
        "b.run": runs["b"],
        "clusters.tsv": clusters,
    }
    for name, own in lines.items():
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_text("\n".join(own) + "\n")
    return paths


def command(files, verb, *words):
    judged, *runs = (files[name] for name in ("qrels.txt", "a.run", "b.run"))
    if verb == "gate":
        return main(["gate", judged, runs[1], "--baseline", runs[0], *words])
    return main([verb, judged, *runs, "-m", "nDCG@5", *words])


@pytest.mark.parametrize("verb", ["compare", "gate", "report"])
def test_a_command_warns_of_groups_that_ids_name(files, tmp_path, capsys, verb):
    page = ["--no-pictures", "-o", str(tmp_path / "page.html")]
    rule = {"compare": [], "gate": ["--max-drop", "nDCG@5=0.1"], "report": page}[verb]
    command(files, verb, *rule)
    assert "seem to be 10 groups by their ids ({cluster}_{n})" in capsys.readouterr().err
    command(files, verb, *rule, "--clusters", files["clusters.tsv"])
    told = capsys.readouterr()
    assert "seem to be" not in told.err
    if verb == "gate":
        assert "120 queries in 10 clusters" in " ".join(told.out.split())


@pytest.mark.parametrize("verb", ["compare", "gate", "report", "evaluate"])
def test_clusters_of_unknown_queries_are_counted(files, tmp_path, capsys, verb):
    with open(files["clusters.tsv"], "a") as file:
        file.write("other\tconv-0\n")
    words = {
        "gate": ["--max-drop", "nDCG@5=0.9"],
        "report": ["--no-pictures", "-o", str(tmp_path / "page.html")],
        "evaluate": ["--interval"],
    }
    assert command(files, verb, "--clusters", files["clusters.tsv"], *words.get(verb, ())) == 0
    told = capsys.readouterr().err
    assert told.count("clusters of 1 query without values were not used; compare the ids") == 1


def test_a_plan_warns_of_clusters_of_unknown_queries(files):
    known = {f"conv-{c}_q{i}": c for c in range(10) for i in range(12)}
    runs = {name: files[f"{name}.run"] for name in "ab"}
    with pytest.warns(rs.RankstoneWarning, match="clusters of 1 query without values"):
        rs.power(files["qrels.txt"], runs, "nDCG@5", clusters={**known, "other": 3})


@pytest.mark.parametrize("verb", ["compare", "gate", "power", "evaluate"])
def test_clusters_may_be_a_key_of_the_records_of_judgments(files, tmp_path, capsys, verb):
    lines = {}
    for line in Path(files["qrels.txt"]).read_text().splitlines():
        query, _, doc, grade = line.split()
        lines.setdefault(query, {})[doc] = int(grade)
    records = [
        {"query_id": query, "judgments": grades, "talk": query.split("_")[0]}
        for query, grades in lines.items()
    ]
    path = tmp_path / "judgments.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    words = {"gate": ["--max-drop", "nDCG@5=0.9"], "evaluate": ["--interval"]}.get(verb, [])
    shown = []
    for judged, clusters in ((files["qrels.txt"], files["clusters.tsv"]), (str(path), "talk")):
        own = {**files, "qrels.txt": judged}
        form = "tsv" if verb == "evaluate" else "json"
        assert command(own, verb, "--clusters", clusters, *words, "--format", form) == 0
        shown.append(capsys.readouterr().out.partition('"provenance"')[0])
    assert shown[0] == shown[1]


def test_power_counts_clusters_in_every_number(files, capsys):
    words = ["--clusters", files["clusters.tsv"], "--difference", "0.05"]
    command(files, "power", *words)
    shown = capsys.readouterr().out
    command(files, "power", *words, "--format", "json")
    plan = json.loads(capsys.readouterr().out)["nDCG@5"]
    assert f"{plan['queries']:,} queries in {plan['clusters']} clusters" in shown
    row = next(line.split() for line in shown.splitlines() if line.startswith("100 "))
    assert float(row[1]) > plan["detectable"] > 0  # 100 queries show less than the 120 of the pilot


def test_few_clusters_have_the_interval_of_student(files):
    few = {f"conv-{c}_q{i}": c % 4 for c in range(10) for i in range(12)}
    runs = {"a": files["a.run"], "b": files["b.run"]}
    pair = rs.compare(files["qrels.txt"], runs, ["nDCG@5"], clusters=few).comparisons[0]
    assert (pair.interval, pair.verdict) == ("t", "untestable")
    chosen = rs.compare(files["qrels.txt"], runs, ["nDCG@5"], clusters=few, interval="bca")
    assert chosen.comparisons[0].interval == "bca"


@pytest.mark.parametrize("rule", ["non_inferior", "max_drop"])
def test_a_gate_of_few_clusters_cannot_tell(files, rule):
    runs = [rs.evaluate(files["qrels.txt"], files[f"{name}.run"], "nDCG@5") for name in "ba"]
    clusters = {query: int(query[5]) % 5 for query in runs[0].queries}
    verdict = rs.gate(None, *runs, **{rule: {"nDCG@5": 0.9}}, clusters=clusters)
    check = verdict.checks[-1]
    assert (verdict.status, verdict.intervals) == ("cannot tell", ())
    assert check.text.endswith(
        "; 120 queries in 5 clusters cannot show whether that is noise; it takes 6 clusters or more"
    )
    assert check.to_dict()["low"] is check.to_dict()["detectable"] is None
    # A drop of the mean fails whatever its interval.
    both = [
        rs.gate(None, *pair, max_drop={"nDCG@5": 0}, clusters=clusters)
        for pair in (runs, runs[::-1])
    ]
    worse, better = sorted(both, key=lambda one: one.checks[-1].difference)
    assert (worse.status, better.status) == ("fail", "cannot tell")
    assert "do not show whether it is noise" in worse.checks[-1].text


def test_a_gate_counts_the_clusters_that_it_takes(files, capsys):
    words = ["--non-inferior", "nDCG@5=0.01", "--clusters", files["clusters.tsv"]]
    command(files, "gate", *words)
    out = " ".join(capsys.readouterr().out.split())
    plan = rs.power(
        files["qrels.txt"],
        {name: files[f"{name}.run"] for name in "ab"},
        "nDCG@5",
        difference=0.01,
        clusters="{cluster}_{n}",
    )["nDCG@5"]
    number = re.search(r"for which it takes about ([\d,]+) clusters of 12 queries", out)
    assert int(number[1].replace(",", "")) == pytest.approx(plan.clusters, rel=0.02)
    assert "How: 95 % intervals: BCa bootstrap; 120 queries in 10 clusters" in out


def test_slices_of_a_gate_may_be_within_a_cluster(files):
    runs = [rs.evaluate(files["qrels.txt"], files[f"{name}.run"], "nDCG@5") for name in "ba"]
    clusters = {query: query[:6] for query in runs[0].queries}
    groups = {q: "one" if cluster == "conv-0" else "rest" for q, cluster in clusters.items()}
    rules = {"max_drop": {"nDCG@5": 0.9}, "by": groups}
    verdict = rs.gate(None, *runs, **rules, clusters=clusters)
    one, rest = (check for check in verdict.checks if check.slice)
    assert (one.slice, rest.slice, one.n, rest.n) == ("one", "rest", 12, 108)
    assert one.text.endswith("12 queries can show no drop")
    # The interval is corrected for the two slices, and each is as if it were alone.
    queries = [q for q, group in groups.items() if group == "rest"]
    alone = {name: {q: {"x": v} for q, v in zip(r.queries, r.values("nDCG@5"), strict=True) if q in queries}
             for name, r in zip("ba", runs, strict=True)}  # fmt: skip
    pair = rs.compare(
        alone, baseline="a", test="t", confidence=0.975, clusters="{cluster}_{n}"
    ).comparisons[0]
    assert (rest.low, rest.high) == pytest.approx((pair.ci_low, pair.ci_high), rel=1e-12)


def test_a_gate_names_the_intervals_that_decided(files):
    runs = [rs.evaluate(files["qrels.txt"], files[f"{name}.run"], "nDCG@5") for name in "ba"]
    clusters = {query: int(query[5]) % 6 * (int(query[5]) < 8) for query in runs[0].queries}
    rules = {"non_inferior": {"nDCG@5": 0.9}}
    kinds = [
        rs.gate(None, run, runs[1], **rules, **more).intervals
        for run, more in [(runs[0], {}), (runs[0], {"clusters": clusters}), (runs[1], {})]
    ]
    assert kinds == [("bca",), ("t",), ("few",)]
    assert rs.gate(None, runs[0], minimum={"nDCG@5": 0.1}).intervals == ()


def test_an_interval_names_its_clusters(files, capsys):
    words = ["--interval", "--clusters", files["clusters.tsv"], "--format", "table"]
    assert main(["evaluate", files["qrels.txt"], files["a.run"], "-m", "nDCG@5", *words]) == 0
    assert "BCa bootstrap; 10 clusters]" in capsys.readouterr().out
