"""Queries that belong together: tests, intervals and plans act on their clusters."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from comparisons import compare
from scipy import stats

from rankstone.errors import DataError, UsageError
from rankstone.stats.bootstrap import Means
from rankstone.stats.clusters import Clusters, Intraclass
from rankstone.stats.distributions import f_tail
from rankstone.stats.intervals import interval, mean_intervals
from rankstone.stats.likely_clusters import likely_clusters
from rankstone.stats.power import plan, queries_needed
from rankstone.stats.tests import TESTS
from rankstone.stats.values import QueryValues
from rankstone.text.verdicts import sentence


def data(sizes, icc=0.3, seed=1, shift=0.0):
    """Return ids, values of a baseline and of a run, and the cluster of each query."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    common = rng.normal(size=len(sizes))[codes]
    d = 0.1 * (math.sqrt(icc) * common + math.sqrt(1 - icc) * rng.normal(size=len(codes)))
    ids = [f"conv{c}_q{i}" for i, c in enumerate(codes)]
    base = rng.uniform(0.4, 0.6, len(ids))
    return ids, base, base + d + shift, dict(zip(ids, codes.tolist(), strict=True))


def two(sizes, measures=("AP",), **options):
    ids, base, run, clusters = data(sizes, **options)
    runs = [
        QueryValues(name, ids, dict.fromkeys(measures, x)) for name, x in (("a", base), ("b", run))
    ]
    return runs, clusters, run - base


EQUAL, UNEQUAL = [7] * 12, [2, 3, 5, 9, 14, 4, 6, 8, 3, 11]


def means_of(d, clusters):
    codes = np.array(list(clusters.values()))
    return np.array([d[codes == c].mean() for c in range(codes.max() + 1)])


def test_clusters_of_equal_size_are_the_t_test_of_their_means():
    runs, clusters, d = two(EQUAL)
    pair = compare(runs, clusters=clusters, test="t", interval="t")["b", "AP"]
    theirs = stats.ttest_1samp(means_of(d, clusters), 0.0)
    ends = theirs.confidence_interval(0.95)
    assert pair.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((ends.low, ends.high), rel=1e-12)
    assert (pair.n, pair.clusters) == (84, 12)


@pytest.mark.parametrize("sizes", [EQUAL, UNEQUAL])
def test_the_variance_is_that_of_cluster_robust_regression(sizes):
    """statsmodels multiplies by G / (G - 1), here by the effective number of clusters like that."""
    runs, clusters, d = two(sizes)
    groups = np.array(list(clusters.values()))
    fit = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    grouped = Clusters.of(list(clusters), clusters)
    means, weights = grouped.means(d[None], None)
    ours = Means.of(means, weights)
    count, effective = len(grouped), float(ours.effective[0])
    convention = count / (count - 1) / (effective / (effective - 1))
    assert math.sqrt(ours.variance()[0] * convention) == pytest.approx(fit.bse[0], rel=1e-12)
    pair = compare(runs, clusters=clusters)["b", "AP"]
    assert pair.difference == pytest.approx(fit.params[0], rel=1e-12)
    if sizes == EQUAL:
        assert convention == 1.0


def test_wilcoxon_is_that_of_the_means_of_clusters():
    runs, clusters, d = two(EQUAL)
    pair = compare(runs, clusters=clusters, test="wilcoxon")["b", "AP"]
    theirs = stats.wilcoxon(means_of(d, clusters), method="exact")
    assert pair.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("sizes", [EQUAL[:8], UNEQUAL])
def test_all_signs_of_few_clusters_are_enumerated(sizes):
    runs, clusters, d = two(sizes, shift=0.02)
    codes = np.array(list(clusters.values()))
    sums = np.array([d[codes == c].sum() for c in range(len(sizes))])
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(sizes))).reshape(len(sizes), -1)
    expected = (np.abs(sums @ signs) >= abs(sums.sum()) - 1e-9).mean()
    pair = compare(runs, clusters=clusters)["b", "AP"]
    assert (pair.p_value, pair.resamples) == (pytest.approx(expected, rel=1e-12), None)


@pytest.mark.parametrize("test", [t for t in TESTS if t not in ("wilcoxon", "sign")])
def test_a_query_of_weight_two_counts_as_two_queries_of_its_cluster(test):
    runs, clusters, _ = two(UNEQUAL)
    twice = []
    for values in runs:
        more = [f"{q}x" for q in values.queries[:20]]
        x = values.columns["AP"]
        columns = {"AP": np.concatenate((x, x[:20]))}
        twice.append(QueryValues(values.name, [*values.queries, *more], columns))
    weights = {q: 2.0 if i < 20 else 1.0 for i, q in enumerate(runs[0].queries)}
    both = {**clusters, **{f"{q}x": clusters[q] for q in runs[0].queries[:20]}}
    one = compare(runs, clusters=clusters, weights=weights, test=test)["b", "AP"]
    other = compare(twice, clusters=both, test=test)["b", "AP"]
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert (one.ci_low, one.ci_high) == pytest.approx((other.ci_low, other.ci_high), rel=1e-9)


def test_clusters_of_one_query_change_nothing():
    runs, clusters, _ = two(EQUAL)
    alone = {q: q for q in clusters}
    for test in TESTS:
        plain, own = compare(runs, test=test), compare(runs, test=test, clusters=alone)
        one, other = plain["b", "AP"], own["b", "AP"]
        assert (one.p_value, one.ci_low, one.ci_high) == (
            other.p_value,
            other.ci_low,
            other.ci_high,
        )


def test_queries_of_clusters_are_worth_fewer_independent_ones():
    runs, clusters, d = two([150] * 10, icc=0.2)
    pair = compare(runs, clusters=clusters)["b", "AP"]
    expected = d.var(ddof=1) / (means_of(d, clusters).var(ddof=1) / 10)
    assert pair.effective_n == pytest.approx(expected, rel=1e-9)
    assert 10 < pair.effective_n < 200
    (note,) = (n for n in pair.warnings if n.code == "clustered")
    assert note.text.startswith("1500 queries in 10 clusters; the effective number of queries is")
    plain = compare(runs)["b", "AP"]
    assert pair.ci_high - pair.ci_low > 2 * (plain.ci_high - plain.ci_low)
    assert (pair.wins, pair.losses, pair.effect_size) == (
        plain.wins, plain.losses, pytest.approx(plain.effect_size, rel=1e-9)
    )  # fmt: skip


def test_five_clusters_cannot_tell_and_say_how_many_it_takes():
    runs, clusters, _ = two([20] * 5, shift=0.5)
    result = compare(runs, clusters=clusters)
    pair = result["b", "AP"]
    assert (pair.verdict, pair.p_value) == ("untestable", 0.0625)
    text = sentence(pair, result)
    assert "Cannot tell whether b is better than a on AP: with 5 clusters no outcome can be" in text
    assert "at least 6 are needed. The test 't' could be chosen: it assumes" in text
    assert compare(runs, clusters=clusters, test="t")["b", "AP"].verdict == "better"
    runs, clusters, _ = two([20] * 6, shift=0.5)
    assert compare(runs, clusters=clusters)["b", "AP"].verdict == "better"


def test_repeated_runs_compose_with_clusters():
    ids, base, run, clusters = data(EQUAL)
    rng = np.random.default_rng(3)
    repeats = [run + rng.normal(0, 0.02, len(run)) + e for e in (-0.02, 0.0, 0.03)]
    runs = [QueryValues("a", ids, {"AP": base})]
    runs += [QueryValues(f"b{i}", ids, {"AP": x}) for i, x in enumerate(repeats)]
    options = {"repeats": {"b": ["b0", "b1", "b2"]}, "clusters": clusters}
    pair = compare(runs, **options)["b", "AP"]
    # The same from the values of clusters, as if these were the queries.
    names = [f"c{i}" for i in range(12)]
    small = [QueryValues(v.name, names, {"AP": means_of(v.columns["AP"], clusters)}) for v in runs]
    other = compare(small, repeats=options["repeats"])["b", "AP"]
    assert pair.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((other.ci_low, other.ci_high), rel=1e-9)
    assert pair.variance.runs == pytest.approx(other.variance.runs, rel=1e-9)


def test_the_interval_of_one_run_is_that_of_its_clusters():
    ids, base, _, named = data(EQUAL)
    clusters = Clusters.of(ids, named)
    x = base + 0.1 * np.array(list(named.values())) / 12
    one = interval(x, clusters=clusters)
    low, high = mean_intervals(means_of(x, named)[None])
    assert (one.low, one.high) == pytest.approx((low[0], high[0]), rel=1e-12)
    assert (one.n, one.clusters, one.caution) == (84, 12, None)
    assert one.high - one.low > interval(x).high - interval(x).low
    few = interval(x[:35], clusters=Clusters.of(ids[:35], named), method="t")
    assert few.caution == "5 clusters say little about others: it takes 6 or more"
    assert interval(np.array([0.0, 1.0])).caution.startswith("2 queries say little")


def test_a_query_that_a_pair_leaves_out_is_left_out_of_its_cluster():
    runs, clusters, _ = two(UNEQUAL)
    gap = runs[1].columns["AP"].copy()
    gap[[0, 5, 17]] = np.nan
    kept = np.flatnonzero(~np.isnan(gap))
    short = [
        QueryValues(v.name, [v.queries[i] for i in kept], {"AP": v.columns["AP"][kept]})
        for v in runs
    ]
    one = compare([runs[0], QueryValues("b", runs[1].queries, {"AP": gap})], clusters=clusters)
    other = compare(short, clusters={q: clusters[q] for q in short[0].queries})
    assert one["b", "AP"].p_value == other["b", "AP"].p_value
    assert one["b", "AP"].ci_low == pytest.approx(other["b", "AP"].ci_low, rel=1e-9)


IDS = ["c1_1", "c1_2", "c2_1"]


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({"c1_1": "a", "c1_2": "a"}, DataError, "1 query without a cluster (c2_1). Give every"),
        (dict.fromkeys(IDS, "a"), DataError, "all 3 queries are in one cluster (a)"),
        ([("c1_1", "a"), ("c1_1", "b")], DataError, "'c1_1' is in two clusters, 'a' and 'b'"),
        ({"c1_1": ["a", "b"]}, DataError, "query 'c1_1' is in 2 clusters"),
        ({**dict.fromkeys(IDS, "a"), "c2_1": math.nan}, DataError, "1 query without a cluster"),
        (
            "{cluster}-{n}",
            DataError,
            "the pattern '{cluster}-{n}' does not fit 3 queries, such as 'c1_1'",
        ),
        ("{group}_{n}", UsageError, "a pattern of clusters needs one {cluster}"),
    ],
)
def test_bad_clusters_have_a_clear_answer(source, error, message):
    with pytest.raises(error) as caught:
        Clusters.of(IDS, source)
    assert message in str(caught.value)


def test_clusters_of_unknown_queries_are_counted():
    found = Clusters.of(IDS, {"c1_1": 1, "c1_2": 1, "c2_1": 2, "other": 3})
    (notice,) = found.notices
    assert (notice.code, notice.count, notice.level) == ("unknown-clusters", 1, "warning")


@pytest.mark.parametrize(
    ("pattern", "ids", "names"),
    [
        ("{cluster}_{n}", ["a_b_1", "a_b_2", "c_1"], ("a_b", "c")),
        ("{n}@{cluster}", ["1@x", "2@x", "1@y"], ("x", "y")),
        ("doc{cluster}#{n}", ["doc7#3", "doc7#4", "doc8#1"], ("7", "8")),
    ],
)
def test_a_pattern_of_ids_names_the_cluster(pattern, ids, names):
    assert Clusters.of(ids, pattern).names == names


def test_intraclass_correlation_is_that_of_analysis_of_variance():
    _, base, run, clusters = data(UNEQUAL)
    d, codes = run - base, np.array(list(clusters.values()))
    groups = [d[codes == c] for c in range(len(UNEQUAL))]
    theirs = stats.f_oneway(*groups)
    ours = Intraclass.of(d, codes)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    size = (len(d) - sum(n * n for n in UNEQUAL) / len(d)) / (len(UNEQUAL) - 1)
    icc = (theirs.statistic - 1) / (theirs.statistic + size - 1)
    assert ours.icc == pytest.approx(icc, rel=1e-9)
    assert ours.design_effect == pytest.approx(1 + (size - 1) * icc, rel=1e-9)


@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.7, 1.0, 3.2, 40.0, math.inf])
def test_the_tail_of_f_is_that_of_scipy(ratio):
    for df in ((1, 5), (9, 1490), (49, 950), (2, 3)):
        assert f_tail(ratio, *df) == pytest.approx(stats.f.sf(ratio, *df), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ("conv-{c}_q{i}", "{cluster}_{n}"),
        ("doc{c}#{i}", "{cluster}#{n}"),
        ("user{c}/{i}", "{cluster}/{n}"),
        ("{i}@c{c}", None),
        ("q{i}", None),
    ],
)
def test_groups_are_seen_in_ids_if_the_values_vary_by_them(form, pattern):
    rng = np.random.default_rng(2)
    ids = [form.format(c=c, i=i) for c in range(20) for i in range(15)]
    codes = np.repeat(np.arange(20), 15)
    x = rng.normal(size=300) + rng.normal(size=20)[codes]
    found = likely_clusters(ids, x)
    assert not likely_clusters(ids, rng.normal(size=300))
    if pattern is None:
        assert not found
        return
    (notice,) = found
    assert (notice.code, notice.count, notice.level) == ("clusters", 20, "warning")
    assert f"clusters='{pattern}'" in notice.text
    assert len(Clusters.of(ids, pattern)) == 20
    wider = math.sqrt(Intraclass.of(x, codes).design_effect)
    assert f"about {wider:.1f} times as long" in notice.text


def test_a_plan_counts_clusters():
    _, base, run, named = data([30] * 20, icc=0.2)
    d, codes = run - base, np.array(list(named.values()))
    both = plan(d, difference=0.02), plan(d, difference=0.02, clusters=codes)
    effect = Intraclass.of(d, codes).design_effect
    unit = d.std(ddof=1) * math.sqrt(effect / 30)
    assert both[1].design_effect == pytest.approx(effect, rel=1e-12)
    assert both[1].clusters == queries_needed(0.02, unit)
    assert both[1].queries == 30 * both[1].clusters > 3 * both[0].queries
    assert both[1].detectable > both[0].detectable
    # More clusters of fewer queries need fewer queries.
    small = plan(d, difference=0.02, clusters=codes, per_cluster=5)
    assert small.clusters > both[1].clusters
    assert small.queries < both[1].queries
    assert "clusters" not in both[0].to_dict()
    assert both[1].to_dict()["per_cluster"] == 30


@pytest.mark.parametrize(
    ("sizes", "kind"),
    [([7] * 5, "t"), ([7] * 6, "bca"), ([7] * 18 + [8], "t"), ([7] * 19 + [8], "bca")],
)
def test_the_interval_by_default_is_one_that_holds(sizes, kind):
    queries = [f"{c}_{i}" for c, size in enumerate(sizes) for i in range(size)]
    clusters = Clusters.of(queries, "{cluster}_{n}")
    assert clusters.interval(weighted=False) == kind
    values = np.random.default_rng(3).random(len(queries))
    assert interval(values, clusters=clusters).method == kind
    assert interval(values, clusters=clusters, method="percentile").method == "percentile"
