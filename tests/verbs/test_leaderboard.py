"""Systems ranked over several collections: ranks as intervals, tiers, formats and bad input."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import rankstone as rs
from rankstone.cli import main
from rankstone.stats.leaderboard import CollectionValues, leaderboard_of


def saved(values):
    """Values per query of a system, as another tool would give them."""
    return {f"q{i}": {"nDCG@10": float(v)} for i, v in enumerate(values)}


@pytest.fixture
def collections():
    """Four systems on two collections: two good ones that are alike, one bad, one on one only."""
    rng = np.random.default_rng(3)
    data = {}
    for name, n in (("nq", 40), ("fiqa", 60)):
        difficulty = rng.uniform(0.3, 0.7, n)
        data[name] = {
            "good": saved(difficulty + 0.1 + rng.normal(0, 0.05, n)),
            "alike": saved(difficulty + 0.1 + rng.normal(0, 0.05, n)),
            "bad": saved(difficulty - 0.2 + rng.normal(0, 0.05, n)),
        }
    data["nq"]["half"] = saved(rng.uniform(0, 1, 40))
    return data


def mean_of(values):
    return np.mean([row["nDCG@10"] for row in values.values()])


def test_ranks_tiers_and_macro_means(collections):
    board = rs.leaderboard(collections)
    by_name = {s.system: s for s in board.standings}
    assert [s.system for s in board.standings][2:] == ["bad", "half"]
    for name in ("good", "alike", "bad"):
        expected = np.mean([mean_of(collections[c][name]) for c in collections])
        assert by_name[name].mean == pytest.approx(expected, abs=1e-14)
        assert by_name[name].means["nq"] == pytest.approx(mean_of(collections["nq"][name]))
    assert {(s.best_rank, s.worst_rank, s.tier) for s in board.standings[:2]} == {(1, 2, 1)}
    assert (by_name["bad"].best_rank, by_name["bad"].worst_rank, by_name["bad"].tier) == (3, 3, 2)
    half = by_name["half"]
    assert math.isnan(half.mean)
    assert (half.tier, half.best_rank, list(half.means)) == (0, 0, ["nq"])
    assert [n.code for n in board.notices] == ["incomplete-systems"]
    assert board.p_value("good", "bad") == board.p_value("bad", "good") < 0.001


def test_the_order_of_systems_and_of_queries_does_not_matter(collections):
    board = rs.leaderboard(collections)
    turned = {
        c: {s: dict(reversed(v.items())) for s, v in reversed(systems.items())}
        for c, systems in collections.items()
    }
    assert rs.leaderboard(turned).to_dict() == board.to_dict()


def test_one_collection_and_two_systems_are_a_t_test():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.5, 0.2, (2, 30))
    table = CollectionValues("c", "RR", ["a", "b"], np.array([a, b]))
    board = leaderboard_of([table], resamples=200_000)
    expected = stats.ttest_rel(a, b)
    assert board.p_value("a", "b") == pytest.approx(expected.pvalue, abs=0.004)
    low, high = stats.t.interval(0.95, 29, a.mean(), stats.sem(a))
    assert (board["a"].low, board["a"].high) == pytest.approx((low, high), abs=1e-9)


def test_clusters_are_the_units():
    """Queries that repeat each other say no more than one of them."""
    rng = np.random.default_rng(2)
    once = rng.normal(0.5, 0.2, (3, 12))
    names = ["a", "b", "c"]
    alone = leaderboard_of([CollectionValues("c", "RR", names, once)])
    fifty = np.repeat(once, 50, axis=1)
    codes = np.repeat(np.arange(12), 50)
    together = leaderboard_of([CollectionValues("c", "RR", names, fifty, codes)])
    assert np.allclose(alone.p_values, together.p_values, atol=1e-12)
    assert alone["a"].low == pytest.approx(together["a"].low, abs=1e-12)
    assert "12 clusters" in _printed(together)


def _printed(board):
    from rankstone.text.leaderboard import write_leaderboard

    return "\n".join(write_leaderboard(board, "table", columns=100))


def test_few_changes_carry_no_verdict():
    """On five changed queries of 200 no test can reach 5 %, whatever t says."""
    a = np.zeros(200)
    b = a.copy()
    b[:5] = 1.0
    board = leaderboard_of([CollectionValues("c", "RR", ["a", "b"], np.array([a, b]))])
    assert board.p_value("a", "b") >= 2 * 0.5**5
    b[:8] = 1.0
    board = leaderboard_of([CollectionValues("c", "RR", ["a", "b"], np.array([a, b]))])
    assert board["b"].tier == 1
    assert board["a"].tier == 2


def test_equal_systems_share_the_first_tier():
    shared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(0.5, 0.2, 40) + rng.normal(0, 0.1, (6, 40))
        table = CollectionValues("c", "RR", list("abcdef"), values)
        board = leaderboard_of([table], resamples=500, rng=seed)
        shared += all(s.tier == 1 for s in board.standings)
    assert shared >= 182  # 190 expected; fewer than 182 has a probability below 0.01


def test_a_measure_of_which_lower_is_better(collections):
    latency = {
        "web": {
            "fast": {f"q{i}": {"NumRet": 1.0 + i % 3} for i in range(20)},
            "slow": {f"q{i}": {"NumRet": 9.0 + i % 3} for i in range(20)},
        }
    }
    higher = rs.leaderboard(latency, "NumRet")
    assert [s.system for s in higher.standings] == ["slow", "fast"]
    ranks = leaderboard_of(
        [CollectionValues("c", "rank", ["a", "b"], np.array([[1.0, 2, 1, 2] * 5, [5.0, 6] * 10]))],
        higher_is_better=False,
    )
    assert [s.system for s in ranks.standings] == ["a", "b"]


def files(folder):
    """A folder of two collections with judgments and two runs each."""
    for name in ("nq", "fiqa"):
        (folder / name).mkdir()
        queries = [f"q{i}" for i in range(12)]
        (folder / name / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in queries))
        for system, rows in (("new", ["d1", "d2"]), ("old", ["d2", "d1"])):
            lines = [
                f"{q} Q0 {d} {rank} {9 - rank} {system}\n"
                for q in queries
                for rank, d in enumerate(rows, 1)
            ]
            (folder / name / f"{system}.run").write_text("".join(lines))
    return folder


def test_folders_and_toml_files_are_collections(tmp_path, capsys):
    folder = files(tmp_path)
    board = rs.leaderboard(folder, "RR")
    assert [(s.system, s.mean, s.tier) for s in board.standings] == [("new", 1, 1), ("old", 0.5, 2)]
    (tmp_path / "board.toml").write_text(
        'measure = "RR"\n[collections.nq]\nqrels = "nq/qrels.txt"\nruns = "nq/*.run"\n'
        '[collections.fiqa]\nqrels = "fiqa/qrels.txt"\nruns = ["fiqa/new.run", "fiqa/old.run"]\n'
        'measure = "P@1"\n'
    )
    other = rs.leaderboard(tmp_path / "board.toml")
    assert other["old"].means == {"nq": 0.5, "fiqa": 0.0}
    assert main(["leaderboard", str(tmp_path / "board.toml"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == other.to_dict()
    page = tmp_path / "board.html"
    assert main(["leaderboard", str(folder), "-m", "RR", "--format", "csv", "-o", str(page)]) == 0
    first, new, _old = capsys.readouterr().out.splitlines()
    assert first == "system,tier,best_rank,worst_rank,mean,low,high,fiqa,nq"
    assert new.split(",")[:5] == ["new", "1", "1", "1", "1"]
    assert "rank 2, tier 2" in page.read_text()
    assert (
        main(["leaderboard", str(folder), "-m", "nq=RR", "-m", "fiqa=P@1", "--format", "md"]) == 0
    )
    assert "RR on nq" in capsys.readouterr().out
    for form in ("latex", "tsv", "table", "html"):
        assert main(["leaderboard", str(folder), "-m", "RR", "--format", form]) == 0
        assert "old" in capsys.readouterr().out


def test_options_reach_the_evaluation(tmp_path):
    folder = files(tmp_path)
    assert rs.leaderboard(folder, "RR", min_score=8.5, queries="judged")["old"].mean == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.clear(), "at least one collection"),
        (lambda d: [d["nq"].pop(s) for s in ("good", "alike", "half")], "nq has 1 system"),
        (lambda d: [d["nq"].pop(s) for s in ("good", "alike")], "two systems that have all"),
        (lambda d: d["fiqa"]["good"].clear(), "no measure in common|has no values"),
    ],
)
def test_data_that_cannot_be_ranked(collections, change, message):
    change(collections)
    with pytest.raises(rs.RankstoneError, match=message):
        rs.leaderboard(collections)


def test_bad_input(tmp_path, collections, capsys):
    with pytest.raises(rs.UsageError, match="no collection 'nx'. Collections: nq, fiqa"):
        rs.leaderboard(collections, {"nx": "RR"})
    with pytest.raises(rs.UsageError, match="higher is better by some"):
        rs.leaderboard(collections, {"nq": "FallOut@3", "fiqa": "RR"})
    with pytest.raises(rs.StrictError, match="no macro mean"):
        rs.leaderboard(collections, strict=True)
    with pytest.raises(rs.DataError, match="one cluster"):
        rs.leaderboard(collections, clusters={f"q{i}": "all" for i in range(60)})
    with pytest.raises(rs.UsageError, match="no system 'nobody'"):
        rs.leaderboard(collections)["nobody"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(rs.DataError, match="has no folders"):
        rs.leaderboard(tmp_path / "empty")
    toml = tmp_path / "board.toml"
    for text, message in (
        ("a = [", "board.toml"),
        ("x = 1", r"one table \[collections.NAME\]"),
        ("[collections.nq]\nqrel = 'a'", "no key 'qrel'. Did you mean qrels"),
        ("[collections.nq]\nruns = '*'", "needs qrels and runs, or values"),
    ):
        toml.write_text(text)
        with pytest.raises(rs.DataError, match=message):
            rs.leaderboard(toml)
    assert main(["leaderboard", str(tmp_path / "nowhere.toml")]) == 3
    assert "No such file" in capsys.readouterr().err
    assert main(["leaderboard", str(toml), "-m", "RR", "-m", "nq=P@1"]) == 2
