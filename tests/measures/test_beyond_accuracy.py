"""Measures beyond accuracy: by hand, in parts, in every form of data, and on bad input."""

import math
import random
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import rankstone as rs

ITEMS = [f"i{n}" for n in range(12)]
EVERY = [
    "Coverage@3", "Gini(discount='geometric')@3", "Entropy@3", "Personalisation@3", "Novelty@3",
    "Popularity(scale='lift')@3", "Exposure@3", "Diversity@3", "Diversity(by='history')@3",
    "Categories@3", "Categories(value='entropy')@3", "Calibration@3", "Serendipity@3",
    "Serendipity(expected='history', by='history')@3", "Filled@3", "P@3",
]  # fmt: skip


def drawn(seed, users=7):
    """Judgments, a run, a history and items, with short lists, unknown items and users without history."""
    rng = random.Random(seed)
    names = [f"u{n}" for n in range(users)]
    run = {u: rng.sample([*ITEMS, "new"], rng.randint(1, 6)) for u in names}
    judged = {u: rng.sample(ITEMS, 3) for u in names}
    history = {u: rng.sample(ITEMS[:8], rng.randint(1, 5)) for u in names[:-1]}
    items = rs.Items(
        categories={i: rng.sample("xyz", rng.randint(1, 2)) for i in ITEMS[:10]},
        vectors={i: [rng.gauss(0, 1) for _ in range(3)] for i in ITEMS[:9]},
        catalogue=ITEMS,
    )
    return judged, run, history, items


def users_of(history):
    return Counter(item for own in history.values() for item in own)


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_the_formulas(seed):
    judged, run, history, items = drawn(seed)
    found = rs.evaluate(judged, run, EVERY, history=history, items=items)
    known, top = users_of(history), {u: docs[:3] for u, docs in run.items()}
    shown = {item for docs in top.values() for item in docs}
    assert found["Coverage@3"] == len(shown & {*ITEMS}) / 12
    for user, docs in top.items():
        value = found.per_query[user]["Novelty@3"]
        bits = [math.log2(len(history) / (known[d] or 1)) for d in docs]
        assert value == pytest.approx(sum(bits) / len(docs), rel=1e-12)
    similar = [
        len({*a} & {*b}) / math.sqrt(len(a) * len(b)) for a, b in combinations(top.values(), 2)
    ]
    assert found["Personalisation@3"] == pytest.approx(1 - np.mean(similar), rel=1e-12)
    counts = sorted(Counter(d for docs in top.values() for d in docs if d != "new").values())
    x = np.array([0] * (12 - len(counts)) + counts)
    mean_gap = np.abs(x[:, None] - x[None, :]).mean()
    plain = rs.evaluate(judged, run, "Gini@3", history=history, items=items)["Gini@3"]
    assert plain == pytest.approx(mean_gap / 2 / x.mean(), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_parts_merged_in_any_tree_give_the_same_bits(seed):
    judged, run, history, items = drawn(seed, users=11)
    options = {"history": history, "items": items}
    whole = rs.evaluate(judged, run, EVERY, **options)
    rng = random.Random(seed)
    users = list(run)
    rng.shuffle(users)
    parts = []
    for some in (users[:1], users[1:4], users[4:5], users[5:]):
        part = rs.Evaluator(judged, EVERY, **options).add({u: run[u] for u in some})
        parts.append(part.state())
    while len(parts) > 1:
        rng.shuffle(parts)
        merged = rs.Evaluator(judged, EVERY, **options).merge(parts.pop()).merge(parts.pop())
        parts.append(merged.state())
    made = rs.Evaluator(judged, EVERY, **options).merge(parts[0]).result()
    assert made.aggregates == whole.aggregates
    assert made == whole


def test_every_form_of_a_run_gives_the_same(tmp_path):
    rng = np.random.default_rng(3)
    users, vectors = rng.normal(size=(6, 4)), rng.normal(size=(9, 4))
    judged = {u: {int(i): 1 for i in rng.choice(9, 2, replace=False)} for u in range(6)}
    history = {u: [int(i) for i in rng.choice(9, 3, replace=False)] for u in range(6)}
    scores = users @ vectors.T
    order = np.argsort(-scores, axis=1)
    items = rs.Items(
        vectors=vectors, catalogue=range(9), categories={i: "xyz"[i % 3] for i in range(9)}
    )
    lines = [
        f"{u} Q0 {i} {n} {float(scores[u, i])!r} x\n"
        for u in range(6)
        for n, i in enumerate(order[u].tolist())
    ]
    (tmp_path / "run").write_text("".join(lines))
    pandas = pytest.importorskip("pandas")
    pairs = [(u, i, float(scores[u, i])) for u in range(6) for i in range(9)]
    forms = {
        "dict": {u: dict(enumerate(scores[u].tolist())) for u in range(6)},
        "lists": {u: order[u].tolist() for u in range(6)},
        "matrix": order,
        "file": tmp_path / "run",
        "factors": rs.Factors(users, vectors),
        "scorer": rs.Scorer(lambda rows: scores[rows], 6, 9),
        "frame": pandas.DataFrame(pairs, columns=["user", "item", "score"]),
    }
    names = [name for name in EVERY if name != "P@3"]
    found = {
        form: rs.evaluate(
            {str(u): {str(i): 1 for i in own} for u, own in judged.items()}
            if form == "file"
            else list(judged.values())
            if form == "matrix"
            else judged,
            run,
            names,
            history=history,
            items=items,
            ties="input",
        ).aggregates
        for form, run in forms.items()
    }
    assert all(values == found["dict"] for values in found.values())


def test_measures_of_all_lists_have_no_value_per_user_and_one_by_group():
    judged, run, history, items = drawn(1)
    found = rs.evaluate(judged, run, ["Coverage@3", "P@3"], history=history, items=items)
    assert np.isnan(found.values("Coverage@3")).all()
    assert found.summary("Coverage@3").value == found["Coverage@3"]
    assert not any(n.code == "undefined" for n in found.notices)
    groups = {u: "even" if i % 2 == 0 else "odd" for i, u in enumerate(run)}
    by_group = found.by_group("Coverage@3", groups)
    for name in ("even", "odd"):
        own = {item for u in run if groups[u] == name for item in run[u][:3]} - {"new"}
        assert by_group[name].value == len(own) / 12
    interval = found.interval("Coverage@3")
    assert math.isnan(interval.low)
    assert "all lists together" in interval.caution
    with pytest.raises(rs.UsageError, match="all lists together"):
        rs.explain("Coverage@3", judged, run, query="u1", items=items)
    again = rs.Result.from_json(found.to_json())
    assert again == found
    assert again.summary("Coverage@3").value == found["Coverage@3"]


def test_items_in_files_are_read_by_the_names_of_their_columns(tmp_path):
    (tmp_path / "items.csv").write_text(
        "item,popularity,genres,vector\na,3,x|y,1 0\nb,1,,0 1\nc,0,z,\n"
    )
    (tmp_path / "items.jsonl").write_text(
        '{"item_id": "a", "popularity": 3, "categories": ["x", "y"], "vector": [1, 0]}\n'
        '{"item_id": "b", "popularity": 1, "vector": [0, 1]}\n'
        '{"item_id": "c", "popularity": 0, "categories": "z"}\n'
    )
    given = rs.Items(
        popularity={"a": 3, "b": 1},
        categories={"a": ["x", "y"], "c": "z"},
        vectors={"a": [1, 0], "b": [0, 1]},
        catalogue=["a", "b", "c"],
    )
    names = ["Popularity@2", "Diversity@2", "Categories@2", "Coverage@2"]
    results = [
        rs.evaluate({"u": ["a"]}, {"u": ["a", "b"]}, names, items=items)
        for items in (tmp_path / "items.csv", tmp_path / "items.jsonl", given)
    ]
    assert [r.aggregates for r in results] == [
        dict(zip(names, (2.0, 1.0, 1.0, 2 / 3), strict=True))
    ] * 3
    assert results[0] == results[1] == results[2]  # the digest of the items is the same


BAD = [
    ({"popularity": {"a": -1}}, "popularity of 'a' is -1; it is 0 or more"),
    ({"popularity": {"a": math.nan}}, "popularity"),
    ({"popularity": {"a": "many"}}, "popularity"),
    ({"categories": {"z": "x"}, "catalogue": ["a"]}, "'z', which is not in the catalogue"),
    ({"categories": {"a": [1.5]}}, "a category is a name"),
    ({"vectors": {"a": [1, 2], "b": [1]}}, "has 1 numbers and that of 'a' 2"),
    ({"vectors": {"a": [1, math.nan]}}, "NaN or infinite"),
    ({"vectors": np.ones((3, 2)), "catalogue": ["a"]}, "3 rows are given for 1 items"),
    ({"catalogue": ["a", "b", "a"]}, "'a' is in the catalogue twice"),
    ({"popularity": {1: 1, "1": 2}}, "'1' has two entries of popularity"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: str(value)[:40])
def test_bad_items_are_refused(arguments, words):
    with pytest.raises(rs.RankstoneError, match=words):
        rs.Items(**arguments)


BAD_FILES = [
    ("item,popularity\na,1\na,2\n", r":3: item 'a' is listed twice"),
    ("name,popularity\na,1\n", r":2: cannot tell which item"),
    ("item,popularity\na\n", r":2: 1 fields for 2 columns"),
    ("item,vector\na,1 x\n", r":2: the vector is not a row of numbers"),
    ("item,popularity\na,-2\n", r"0 or more"),
    ('{"item": "a", \n', r":1: this is not valid JSON"),
    ("", "no items|empty"),
]


@pytest.mark.parametrize(("text", "words"), BAD_FILES, ids=range(len(BAD_FILES)))
def test_bad_files_of_items_are_refused_with_their_line(text, words, tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(text)
    with pytest.raises(rs.RankstoneError, match=words):
        rs.evaluate({"u": ["a"]}, {"u": ["a"]}, "Popularity", items=path)


NEEDS = [
    ("Novelty", "history"), ("Calibration", "history"), ("Diversity", "vectors"),
    ("Categories", "categories"), ("Coverage", "could be shown"), ("Exposure(of='x')", "categories"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "words"), NEEDS)
def test_a_measure_says_what_it_needs(name, words):
    with pytest.raises(rs.UsageError, match=words):
        rs.evaluate({"u": ["a"]}, {"u": ["a"]}, name)


def test_labels_and_lists_without_unjudged_items_are_refused():
    with pytest.raises(rs.UsageError, match="by their ids"):
        rs.evaluate([[1, 0]], [[0.5, 0.1]], "Personalisation@2")
    with pytest.raises(rs.UsageError, match="unjudged='nonrelevant'"):
        rs.evaluate({"u": ["a"]}, {"u": ["a"]}, "Personalisation@2", unjudged="remove")


def test_the_gap_of_two_groups_is_a_mean_with_an_interval():
    judged, run, history, items = drawn(2, users=120)
    names = ["Exposure(of='x')@3", "Exposure(of='y')@3", "Exposure(of='x', minus='y')@3"]
    hits = ["Exposure(of='head', count='hits')@3", "Exposure(of='tail', count='hits')@3"]
    found = rs.evaluate(judged, run, [*names, *hits, "P@3"], history=history, items=items)
    assert found[names[2]] == pytest.approx(found[names[0]] - found[names[1]], abs=1e-12)
    interval = found.interval(names[2])
    assert interval.low < found[names[2]] < interval.high
    full = [i for i, u in enumerate(found.queries) if len(run[u]) >= 3]
    both = found.values(hits[0]) + found.values(hits[1])
    assert both[full] == pytest.approx(found.values("P@3")[full], abs=1e-12)


def test_tools_and_reconcile_know_numbers_of_all_lists():
    judged, run, history, items = drawn(4)
    given = {"history": history, "items": items}
    rows = {row.name: row.value for row in rs.across_tools("Coverage@3", judged, run, **given)}
    shown = {item for own in run.values() for item in own[:3]}
    assert rows["CatalogCoverage@3"] == len(shown)
    used = {item for own in history.values() for item in own}
    assert rows["Coverage@3"] == len(shown & used) / len(used)
    value = rs.evaluate(judged, run, "Gini(discount='log2')@3", **given)
    (found,) = rs.reconcile(
        "Gini@3", judged, run, value=f"{next(iter(value.aggregates.values())):.9f}", **given
    ).found
    assert str(found.measure) == "Gini(discount='log2')@3"


def test_the_gap_of_two_groups_of_users_has_the_interval_of_welch():
    judged, run, history, items = drawn(5, users=240)
    found = rs.evaluate(judged, run, ["Novelty@3", "Coverage@3"], history=history, items=items)
    groups = {u: "new" if i % 3 == 0 else "old" for i, u in enumerate(run)}
    gap = found.gap("Novelty@3", groups, of=("new", "old"))
    stats = pytest.importorskip("scipy.stats")
    values = dict(zip(found.queries, found.values("Novelty@3").tolist(), strict=True))
    sides = [[values[u] for u in run if groups[u] == name] for name in ("new", "old")]
    ends = stats.ttest_ind(*sides, equal_var=False).confidence_interval(0.95)
    assert (gap.low, gap.high) == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert gap.difference == pytest.approx(np.mean(sides[0]) - np.mean(sides[1]), rel=1e-12)
    with pytest.raises(rs.UsageError, match="all lists together"):
        found.gap("Coverage@3", groups, of=("new", "old"))
    with pytest.raises(rs.UsageError, match="no query is of the group 'nwe'"):
        found.gap("Novelty@3", groups, of=("nwe", "old"))


def test_there_is_no_interval_of_items_where_simulated_ones_do_not_hold(tmp_path):
    users = [f"u{n}" for n in range(400)]
    judged = {u: ["a"] if n % 8 == 0 else ["z"] for n, u in enumerate(users)}
    run = {u: ["a" if n % 4 == 0 else "b", "c"] for n, u in enumerate(users)}
    history = {u: ["b"] if n % 3 else ["b", "c"] for n, u in enumerate(users)}
    tail, novelty = "Exposure(of='tail', count='hits')@2", "Novelty@2"

    def evaluated(some, measures=(tail, novelty)):
        own = [{u: data[u] for u in some} for data in (judged, run)]
        return rs.evaluate(*own, list(measures), history=history)

    whole = evaluated(users)
    for name in (tail, novelty):
        interval = whole.interval(name)
        assert interval.low < whole[name] < interval.high
    # 50 values of 1/2 among 350 of 0 are not few; 25 are, and allow for values not yet seen.
    half = evaluated(users[:200]).interval(tail)
    assert "values not yet seen" in half.caution
    interval = evaluated(users[:99]).interval(novelty)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert "99 users" in interval.caution
    few = evaluated([*users[:8], *(u for u in users if judged[u] == ["z"])]).interval(tail)
    assert "and 1 such values" in few.caution
    groups = {u: n < 40 for n, u in enumerate(users)}
    gap = whole.gap(novelty, groups, of=(True, False))
    assert math.isnan(gap.low)
    assert "50 users in a group" in gap.caution
    whole.save(tmp_path / "result.json")
    saved = rs.Result.load(tmp_path / "result.json")
    assert saved.of_items == whole.of_items == tuple(whole.measures)
    # Other measures keep theirs, and values without an interval are on the page without one.
    assert not math.isnan(evaluated(users[:60], ["P@1"]).interval("P@1").low)
    few = {u: run[u] for u in users[:60]}
    page = rs.report(
        judged, {"a": few}, ["P@1", novelty], history=history, pictures=False, queries="both"
    )
    assert page.model.intervals[0][0] is not None
    assert page.model.intervals[0][1] is None


def test_the_gap_of_values_that_are_nearly_all_equal_has_no_interval():
    judged = {f"u{n}": ["a"] for n in range(90)}
    run = {u: ["a" if n % 9 == 0 else "b"] for n, u in enumerate(judged)}
    found = rs.evaluate(judged, run, "P@1")
    gap = found.gap("P@1", {u: n % 2 for n, u in enumerate(run)}, of=(0, 1))
    assert math.isnan(gap.low)
    assert "nearly all values are equal" in gap.caution
    assert gap.difference == pytest.approx(5 / 45 - 5 / 45)


def test_users_with_an_empty_history_have_none():
    items = rs.Items(vectors={"a": [1, 0], "b": [0, 1]})
    names = [
        f"Serendipity(expected='history', count='all', by='{by}')@2"
        for by in ("vectors", "history")
    ]
    names += ["Novelty(of='own')@2", "Popularity(scale='lift')@2"]
    found = rs.evaluate(
        {"u": ["a"], "v": ["a"], "w": ["b"]},
        {"u": ["a", "b"], "v": ["b"], "w": ["a"]},
        names,
        history={"u": [], "v": ["a"]},
        items=items,
    )
    values = {user: [*row.values()] for user, row in found.per_query.items()}
    assert values["v"] == [1.0, 1.0, 1.0, -1.0]
    assert np.isnan(values["u"]).all()
    assert np.isnan(values["w"]).all()


def test_users_without_interactions_do_not_count_in_any_form_of_a_history():
    matrices, pandas = pytest.importorskip("scipy.sparse"), pytest.importorskip("pandas")
    frame = pandas.DataFrame({"user_id": [0, 1, 1], "item_id": [2, 2, 0]})
    cells = np.ones(3), (frame.user_id, frame.item_id)
    names = ["Novelty@2", "Surprisal@2", "Novelty(of='interactions')@2"]
    forms = [{0: [2], 1: [2, 0]}, {0: [2], 1: [2, 0], 2: [], 3: []}, frame]
    forms += [matrices.csr_matrix(cells, shape=(4, 3)), matrices.coo_matrix(cells, shape=(2, 3))]
    values = [rs.evaluate({0: {2: 1}}, {0: [2, 0]}, names, history=h).aggregates for h in forms]
    assert values == [values[0]] * len(forms)
    assert values[0]["Novelty@2"] == 0.5  # item 2 has both users, item 0 one


@pytest.mark.parametrize(
    ("name", "given", "level", "n", "example"),
    [
        ("Coverage@2", {"items": {"catalogue": ["A", "B"]}}, "warning", 4, "'a' looks like 'A'"),
        ("Coverage@2", {"items": {"catalogue": ["a", "B"]}}, "note", 2, "'x' is not in catalogue"),
        ("Novelty@2", {"history": {"u": ["P"], "w": ["Q"]}}, "warning", 4, "'a' is not in history"),
        ("Novelty@2", {"history": {"u": ["a"], "w": ["Q"]}}, "note", 2, "'x' is not in history"),
        ("Novelty@1", {"history": {"u": ["a", "y"]}}, None, 0, ""),
        ("RR", {"history": {"u": ["P"]}}, None, 0, ""),
        (
            "Coverage@2",
            {"items": {"categories": {"a": "k", "x": "k", "z": "k"}}, "history": {"w": ["a", "x", "y"]}},
            "note", 1, "'y' is not in categories",
        ),
    ],
)  # fmt: skip
def test_recommended_items_of_which_nothing_is_known_are_counted(name, given, level, n, example):
    run = {"u": ["a", "x"], "v": ["y", "a"]}
    judged = {"u": {"a": 1}, "v": {"a": 1}}
    parts = rs.Evaluator(judged, [name], **given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = rs.evaluate(judged, run, name, **given).notices
        for user, items in run.items():
            parts.add({user: items})
        for notices in (whole, parts.result().notices):
            counted = [(w.level, w.count, w.of) for w in notices if w.code == "unknown-items"]
            assert counted == ([(level, n, 4)] if level else [])
    if level:
        assert example in next(w for w in whole if w.code == "unknown-items").examples


def test_a_table_by_group_shows_gaps_and_says_what_has_no_interval(tmp_path, capsys):
    from rankstone.cli import main

    judged, run, history, _ = drawn(6, users=24)
    lines = {
        "qrels": [f"{u} 0 {i} 1" for u, own in judged.items() for i in own],
        "run": [f"{u} Q0 {i} 0 {-n} x" for u, own in run.items() for n, i in enumerate(own)],
        "train": [f"{u} 0 {i} 1" for u, own in history.items() for i in own],
        "groups": [f"{u} {'old' if n % 2 else 'new'}" for n, u in enumerate(run)],
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    paths = {name: str(tmp_path / name) for name in lines}
    main([
        "evaluate", paths["qrels"], paths["run"], "--history", paths["train"], "-m", "Novelty@3",
        "-m", "Coverage@3", "--by", paths["groups"], "--interval", "--format", "table",
    ])  # fmt: skip
    shown = capsys.readouterr().out
    assert "old - new" in shown
    assert "Welch" in shown
    assert "Coverage@3 has no interval" in shown


@pytest.mark.parametrize("users", [2, 3, 5])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 7])
def test_lists_that_share_all_or_nothing_are_at_the_ends_of_the_range(users, k):
    names = [f"u{i}" for i in range(users)]
    judged, history = {user: {"z": 1} for user in names}, {"u0": ["x0"]}
    for run, expected in (
        ({user: [f"{user}{j}" for j in range(k)] for user in names}, 1.0),
        ({user: [f"x{j}" for j in range(k)] for user in names}, 0.0),
    ):
        result = rs.evaluate(judged, run, "Personalisation@7", history=history)
        assert result["Personalisation@7"] == expected
