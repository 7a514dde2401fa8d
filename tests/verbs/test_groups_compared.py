"""Comparisons and intervals in groups of queries."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import rankstone as rs
from rankstone.cli import main

RNG = np.random.default_rng(3)
N = 60
QUERIES = [f"q{i:02}" for i in range(N)]
GROUP = {q: ("long" if i % 3 else "short") for i, q in enumerate(QUERIES)}
OLD = dict(zip(QUERIES, RNG.uniform(0.2, 0.6, N).tolist(), strict=True))
NEW = {q: v + float(RNG.normal(0.15 if GROUP[q] == "long" else 0.0, 0.1)) for q, v in OLD.items()}


def values(one):
    return {q: {"AP": v} for q, v in one.items()}


def compared(**options):
    return rs.compare({"old": values(OLD), "new": values(NEW)}, test="t", **options)


def test_each_group_is_compared_as_if_it_were_alone():
    made = compared(by=GROUP)
    assert made.comparisons == compared().comparisons
    assert [(p.group, p.n) for p in made.slices] == [("short", 20), ("long", 40)]
    p_values = []
    for pair in made.slices:
        own = [q for q in QUERIES if GROUP[q] == pair.group]
        alone = rs.compare(
            {n: values({q: v[q] for q in own}) for n, v in (("old", OLD), ("new", NEW))}, test="t"
        )["new", "AP"]
        assert (pair.difference, pair.p_value) == (
            pytest.approx(alone.difference, rel=1e-12),
            pytest.approx(stats.ttest_rel([NEW[q] for q in own], [OLD[q] for q in own]).pvalue),
        )
        assert (pair.ci_low, pair.ci_high) == pytest.approx((alone.ci_low, alone.ci_high))
        p_values.append(pair.p_value)
    short, long = made.slices
    assert long.p_adjusted == pytest.approx(2 * min(p_values))
    assert (short.verdict, long.verdict) == ("undecided", "better")
    assert made.slice_family == 2


@pytest.mark.parametrize(
    "form",
    [
        pd.Series(GROUP),
        pd.DataFrame({"query": list(GROUP), "kind": list(GROUP.values())}),
        pl.DataFrame({"kind": list(GROUP.values()), "query": list(GROUP)}),
        "file",
    ],
    ids=["Series", "pandas", "polars", "file"],
)
def test_groups_may_be_given_in_any_form(form, tmp_path):
    if isinstance(form, str):
        form = tmp_path / "groups.tsv"
        form.write_text("".join(f"{q}\t{g}\n" for q, g in GROUP.items()))
    assert compared(by=form).slices == compared(by=GROUP).slices


def test_a_key_of_records_names_groups(tmp_path, capsys):
    qrels = tmp_path / "qrels.jsonl"
    qrels.write_text(
        "".join(
            json.dumps({"query_id": q, "doc_id": "d", "relevance": 1, "kind": GROUP[q]}) + "\n"
            for q in QUERIES
        )
    )
    runs = []
    for name, depth in (("a", 2), ("b", 3)):
        runs.append(str(tmp_path / f"{name}.run"))
        with open(runs[-1], "w") as out:
            for i, q in enumerate(QUERIES):
                rank = 1 + i % depth
                docs = ["x"] * (rank - 1) + ["d"]
                out.writelines(
                    f"{q} Q0 {doc}{k if doc == 'x' else ''} {k} {9 - k} t\n"
                    for k, doc in enumerate(docs, 1)
                )
    made = rs.compare(str(qrels), runs, "RR", by="kind")
    assert [p.group for p in made.slices] == ["short", "long"]
    words = [str(qrels), *runs, "-m", "RR", "--by", "kind", "--quiet"]
    assert main(["compare", *words, "--format", "json"]) == 0
    assert rs.Comparison.from_json(capsys.readouterr().out).slices == made.slices
    assert main(["compare", *words, "--format", "table"]) == 0
    table = capsys.readouterr().out
    assert "p: Holm over 2 comparisons in groups" in table
    assert main(["compare", *words, "--format", "tsv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("group\tmeasure")
    assert [line.split("\t")[0] for line in lines] == ["all", "short", "long"]
    assert main(["compare", *words, "--clusters", "kind", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"][0]["clusters"] == 2

    assert main(["evaluate", *words, "--interval", "--format", "json"]) == 0
    for data, path in zip(json.loads(capsys.readouterr().out), runs, strict=True):
        result = rs.evaluate(str(qrels), path, "RR")
        for part in data["summaries"]:
            if " - " in part["group"]:  # the gap of two groups, which has tests of its own
                continue
            own = (
                None if part["group"] == "all" else {q for q in GROUP if GROUP[q] == part["group"]}
            )
            assert part["interval"] == result.interval("RR", queries=own).to_dict()
    assert main(["evaluate", *words, "--interval", "--format", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith("left_out\tlow\thigh")
    assert main(["evaluate", *words, "--interval", "--format", "table"]) == 0
    assert "[95 % interval, BCa bootstrap]" in capsys.readouterr().out


def test_a_page_shows_what_was_decided_in_groups():
    page = rs.report({"old": values(OLD), "new": values(NEW)}, by=GROUP, test="t", pictures=False)
    made = compared(by=GROUP)
    for part, pair in zip(page.model.slices, made.slices, strict=True):
        assert part.pairs[0] == [None]
        assert part.pairs[1][0]["verdict"] == pair.verdict
        assert part.pairs[1][0]["interval"] == pytest.approx([pair.ci_low, pair.ci_high], abs=1e-6)


def test_groups_compose_with_clusters_weights_and_repeats():
    clusters = {q: f"c{int(q[1:]) // 4}" for q in QUERIES}
    made = compared(by=GROUP, clusters=clusters, weights={q: 1.0 + int(q[1:]) for q in QUERIES})
    assert [pair.clusters for pair in made.slices] == [15, 15]
    runs = {name: values(NEW if name != "old" else OLD) for name in ("old", "new1", "new2")}
    both = rs.compare(runs, repeats={"new": ["new1", "new2"]}, by=GROUP)
    assert [pair.variance.repeats for pair in both.slices] == [(1, 2), (1, 2)]


def test_bad_groups_are_explained():
    with pytest.raises(rs.UsageError, match="choose another test"):
        rs.compare({"old": values(OLD), "new": values(NEW)}, by=GROUP, test="tukey")
    with pytest.raises(rs.DataError, match="no query that was evaluated has a group"):
        compared(by={"elsewhere": "g"})
    with pytest.raises(rs.UsageError, match="not as list"):
        compared(by=["a", "b"])
    with pytest.raises(rs.UsageError, match="a column of queries, called 'query'"):
        compared(by=pd.DataFrame({"query": QUERIES, "a": 1, "b": 2}))
    with pytest.raises(rs.DataError, match=r"has the group 'a' and 'b'. Give it one"):
        compared(by=pd.DataFrame({"query": ["q00", "q00"], "group": ["a", "b"]}))
    some = compared(by={q: g for q, g in GROUP.items() if g == "long"})
    (notice,) = some.notices
    assert (notice.code, notice.count) == ("ungrouped-queries", 20)
