"""Queries that belong together, as a user of the commands meets them."""

import json
import re

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


def test_clusters_of_unknown_queries_are_said(files, capsys):
    with open(files["clusters.tsv"], "a") as file:
        file.write("other\tconv-0\n")
    assert command(files, "compare", "--clusters", files["clusters.tsv"]) == 0
    assert "that have no values were not used (for example other)" in capsys.readouterr().err


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
