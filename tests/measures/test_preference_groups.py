"""Preferences of groups of people, counted one by one; and documents by the subtopics they cover."""

import math
from itertools import permutations

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.collection import MatchedCollection
from rankstone.io.formats.trec_prefs import read_preferences
from rankstone.measures import subtopics
from rankstone.measures.preference_groups import LevelGroup, TableGroup
from rankstone.verbs.load import load_run

NAN = math.nan
WHICH = ("all", "found", "retrieved")
LEVELS = [
    [2, 0, 1],
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
    [1, NAN, 0, 1, 0, 2, NAN, 0],
    [0, 0, 0, 1],
    [1, 0, 0, 0, 1, 0, 0],
    [2, 2, 1, 0],
    [0, 0, 2, 0, 1, 0, 0],
    [NAN, NAN],
    [3, 1, 5, 2, 4, 0, 9, 7, 8, 6, 1, 1],
    [1, 1, 1],
    [],
]


def over_of(level):
    return [[a > b for b in level] for a in level]


def counted(over, retrieved, which):
    """Return how many preferences are kept, and of how many, looking at each."""
    size = len(over)
    pairs = [(i, j) for i in range(size) for j in range(size) if over[i][j]]
    if which == "retrieved":
        pairs = [(i, j) for i, j in pairs if max(i, j) < retrieved]
    if which == "found":
        pairs = [(i, j) for i, j in pairs if min(i, j) < retrieved]
    return sum(i < j and i < retrieved for i, j in pairs), len(pairs)


def balanced(level, retrieved, which):
    """Return the counts of a session as if as many documents were without as with relevance."""
    part = level[:retrieved] if which == "retrieved" else level
    assessed = [i for i, x in enumerate(part) if not math.isnan(x)]
    relevant = sum(part[i] > 0 for i in assessed)
    more = 2 * relevant - len(assessed)
    if more >= 0:
        kept, of = counted(over_of(level), retrieved, which)
        return kept + sum(x > 0 for x in level[:retrieved]) * more, of + sum(x > 0 for x in level) * more  # fmt: skip
    lowest = min(x for x in level if not math.isnan(x))
    last = [i for i in assessed if part[i] == lowest][:relevant]
    pairs = [(i, j) for i in assessed for j in assessed if part[i] > part[j] > lowest]
    pairs += [(i, j) for i in assessed for j in last]
    return sum(i < j and i < retrieved for i, j in pairs), len(pairs)


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_the_preferences_of_a_session(level):
    for retrieved in range(len(level) + 1):
        group = LevelGroup(np.array(level, float), retrieved)
        table = TableGroup(np.array(level, float), retrieved, np.array(group.over, bool))
        assert group.over.tolist() == over_of(level)
        for which in WHICH:
            assert group.counts(which) == counted(over_of(level), retrieved, which)
            assert table.counts(which) == group.counts(which)
            if any(not math.isnan(x) for x in level):
                assert group.balanced(which) == balanced(level, retrieved, which)


@pytest.mark.parametrize(
    ("level", "retrieved", "which", "counts"),
    [
        # Relevant are a and d. Of the others b, c and e, the last one is left out.
        ([1, 0, 0, 2, 0], 5, "all", (2, 5)),  # a>b a>c d>a d>b d>c
        ([1, 0, 0, 2, 0], 3, "all", (2, 5)),
        ([1, 0, 0, 2, 0], 4, "retrieved", (2, 5)),
        ([0, 0, 0, 0, 2], 5, "all", (0, 1)),
        ([2, 0, 0, 1, 0, 0], 2, "all", (3, 5)),
        ([0, 0, 2, 0, 1, 0, 0], 2, "all", (0, 5)),
        # As many as are relevant in all are left, although only one of the first three is.
        ([1, 0, 0, 2], 3, "retrieved", (2, 2)),
        # Fewer others than relevant ones: each relevant one gets as many more preferences.
        ([2, 1, 0], 3, "all", (3 + 2, 3 + 2)),
        ([2, 1, 0], 1, "all", (2 + 1, 3 + 2)),
        ([2, 1, 0], 2, "retrieved", (1 + 2 * 2, 1 + 2 * 2)),
        ([NAN, 1, NAN], 3, "all", (1, 1)),
    ],
)
def test_a_balanced_table(level, retrieved, which, counts):
    level = np.array(level, float)
    group = TableGroup(level, retrieved, level[:, None] > level[None, :])
    assert group.balanced(which) == counts


PREFS = "q u1 s1 a 3\nq u1 s1 b 2\nq u1 s1 c 1\nq u1 s2 b 5\nq u1 s2 d 4\nq u2 s a 0\nq u2 s c 1\n"


def values(tmp_path, prefs, run, name):
    (tmp_path / "prefs").write_text(prefs)
    said = read_preferences(str(tmp_path / "prefs"), sittings=True)
    ranked = MatchedCollection(load_run(run), said.judgments).ranked(rs.Conventions())
    return rs.parse_measure(name).compute(said.placed(ranked)).tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # u1: a>b a>c b>c b>d a>d; u2: c>a. The list is b a c; d was not retrieved.
        ("NumPref", 6),
        ("NumPref(which='found')", 6),
        ("NumPref(which='retrieved')", 4),
        ("NumPref(kept='yes')", 4),
        ("NumPref(kept='yes', which='retrieved')", 2),
        ("Pref", 4 / 6),
        ("Pref(which='retrieved')", 2 / 4),
        ("Pref(mean='pairs')", (0 + 0.5 + 1 + 1 + 1) / 5),
        ("Pref(mean='pairs', which='found')", (0 + 0.5 + 1 + 1 + 1) / 5),
        ("Pref(mean='pairs', which='retrieved')", (0 + 0.5 + 1) / 3),
        ("Pref(mean='groups')", (4 / 5 + 0) / 2),
        ("Pref(mean='groups', which='retrieved')", (2 / 3 + 0) / 2),
        # u1 called nothing not relevant: 4 more for each of its 4 documents, 3 of them retrieved.
        ("Pref(mean='balanced')", ((4 + 3 * 4) / (5 + 4 * 4) + 0) / 2),
    ],
)
def test_preferences_of_two_groups(tmp_path, name, value):
    found = values(tmp_path, PREFS, {"q": ["z", "b", "a", "c"]}, name)
    assert found == pytest.approx([value], rel=1e-15)


@pytest.mark.parametrize("which", WHICH)
def test_pairs_that_were_not_retrieved(tmp_path, which):
    """Both groups say a>b; u says b>c and v says c>b; only c was retrieved, or nothing else."""
    prefs = "q u s a 3\nq u s b 2\nq u s c 1\nq v s a 3\nq v s b 1\nq v s c 2\n"
    found = values(tmp_path, prefs, {"q": ["c"]}, f"Pref(mean='pairs', which='{which}')")
    assert found == [{"all": (0 + 0 + 0.5) / 3, "found": (0 + 0.5) / 2, "retrieved": 0}[which]]


def test_a_group_that_compared_nothing(tmp_path):
    prefs = "q u s a 2\nq u s b 1\nq v s a 0\n"
    run = {"q": ["a", "b"]}
    assert values(tmp_path, prefs, run, "Pref(mean='groups')") == [0.5]
    assert values(tmp_path, prefs, run, "Pref(mean='balanced')") == [0]
    assert values(tmp_path, prefs, run, "Pref(mean='pairs')") == [1]
    assert values(tmp_path, prefs, run, "Pref") == [1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q u s a 2\nq u s b 1\nq u t b 2\nq u t a 1\n", "circular"),
        ("q u s a 2\nq u s a 1\n", "circular"),
        ("q u s a 2\nq u s b 1\nq u t b 2\nq u t c 1\nq u w c 2\nq u w a 1\n", "circular"),
        ("q u s a 1\nq u s b 0\nq u t b 1\n", "both the level 0 and another"),
        ("q u s a 1\nq u s b 2\nq u t b 0\n", "both the level 0 and another"),
    ],
)
def test_groups_that_contradict_themselves(tmp_path, rows, message):
    with pytest.raises(rs.DataError, match=message):
        values(tmp_path, rows, {"q": ["a", "b"]}, "Pref")


def test_groups_that_agree_with_themselves(tmp_path):
    """A document may have a level in each session, and the same level twice in one."""
    rows = "q u s a 2\nq u s b 1\nq u t b 3\nq u t c 2\nq u s a 2\n"
    assert values(tmp_path, rows, {"q": ["a", "c", "b"]}, "NumPref(kept='yes')") == [2]
    assert values(tmp_path, rows, {"q": ["a", "c", "b"]}, "NumPref") == [3]


def test_sessions_without_a_document_in_common(tmp_path):
    rows = "q u s a 2\nq u s b 1\nq u t c 5\nq u t d 4\n"
    assert values(tmp_path, rows, {"q": ["a", "c", "d", "b"]}, "NumPref") == [2]


def test_a_document_may_have_the_level_0_in_each_session(tmp_path):
    rows = "q u s a 1\nq u s b 0\nq u t b 0\nq u t c 2\n"
    assert values(tmp_path, rows, {"q": ["a", "b", "c"]}, "NumPref(kept='yes')") == [1]


def test_preferences_of_two_queries(tmp_path):
    run = {"q": ["z", "b", "a", "c"], "r": ["a", "b"]}
    rows = PREFS + "r u s a 2\nr u s b 1\nr u s c 0\n"
    assert values(tmp_path, rows, run, "NumPref(kept='yes')") == [4, 3]
    assert values(tmp_path, rows, run, "NumPref(which='retrieved')") == [4, 1]
    assert values(tmp_path, rows, run, "Pref(mean='pairs')") == [3.5 / 5, 1]


def test_a_query_without_judgments_has_no_preferences():
    found = rs.explain(
        "Pref(mean='pairs')", {"r": {"a": 1}}, {"q": ["a"], "r": ["a"]}, query="q", queries="run"
    )
    assert (found.steps, found.denominator, found.value) == ((), 0, 0)


def test_grades_that_documents_share():
    judged = {"q": {"a": 2, "b": 1, "c": 1, "m": 1, "n": 2, "o": 0}}
    run = {"q": ["b", "a", "x", "c"]}
    names = ["NumPref", "NumPref(kept='yes')", "NumPref(which='found')", "NumPref(which='retrieved')"]  # fmt: skip
    # 2 > 1: 2 * 3, 2 > 0: 2, 1 > 0: 3. Kept are a>c a>m a>o b>o c>o; of m>o n>m n>o nothing is found.
    assert list(rs.evaluate(judged, run, names).aggregates.values()) == [11, 5, 8, 2]


GRADED = {
    "a": {"s": 1, "t": 1, "u": 1},
    "b": {"s": 1, "t": 2},
    "c": {"u": 1, "v": 0},
    "d": {"v": 1},
    "e": {"s": 0, "t": 0.5},
}


def gain(order, alpha, rel=1):
    seen, gains = {}, []
    for doc in order:
        covered = [s for s, grade in GRADED.get(doc, {}).items() if grade >= rel]
        gains.append(sum((1 - alpha) ** seen.get(s, 0) for s in covered))
        seen.update({s: seen.get(s, 0) + 1 for s in covered})
    return gains


def dcg(order, alpha, k=None):
    return sum(g / math.log2(i + 1) for i, g in enumerate(gain(order, alpha)[:k], 1))


def err(order, alpha, k=None):
    return sum(g / i for i, g in enumerate(gain(order, alpha)[:k], 1))


ORDER = ["c", "x", "b", "a"]
BEST = ["a", "d", "b", "c"]  # greedy; of equals the greater id


@pytest.mark.parametrize("alpha", [0, 0.25, 0.5, 1])
@pytest.mark.parametrize("k", [1, 2, 3, None])
def test_subtopics_by_hand(alpha, k):
    judged, run = {"q": GRADED}, {"q": ORDER}
    at = "" if k is None else f"@{k}"
    names = [f"{n}(alpha={alpha}){at}" for n in ("alpha_DCG", "ERR_IA")]
    names += [f"{n}(alpha={alpha}, ideal='exact'){at}" for n in ("alpha_nDCG", "nERR_IA")]
    plain, share, normal, other = (rs.evaluate(judged, run, name)[name] for name in names)
    assert plain == pytest.approx(dcg(ORDER, alpha, k), rel=1e-14)
    size = len(ORDER) if k is None else k
    most = 4 * sum((1 - alpha) ** i / (i + 1) for i in range(size))
    assert share == pytest.approx(err(ORDER, alpha, k) / most, rel=1e-14)
    orders = list(permutations("abcd"))
    assert normal == pytest.approx(dcg(ORDER, alpha, k) / max(dcg(o, alpha, k) for o in orders))
    assert other == pytest.approx(err(ORDER, alpha, k) / max(err(o, alpha, k) for o in orders))


def test_a_greedy_ideal():
    value = rs.evaluate({"q": GRADED}, {"q": ORDER}, ["alpha_nDCG", "nERR_IA@3"]).aggregates
    # After a (3 subtopics), d adds 1, and then b as much as two halves, c a half.
    assert value["alpha_nDCG"] == pytest.approx(dcg(ORDER, 0.5) / dcg(BEST, 0.5), rel=1e-14)
    assert value["nERR_IA@3"] == pytest.approx(err(ORDER, 0.5, 3) / err(BEST, 0.5, 3), rel=1e-14)


@pytest.mark.parametrize(("ids", "gains"), [("acb", [2, 1.5, 1.5]), ("bac", [2, 2, 1])])
def test_of_equal_documents_the_greater_id_is_ideal(ids, gains):
    """Each of three documents covers two subtopics, and the second shares one with each other."""
    judged = dict(zip(ids, ({"1": 1, "2": 1}, {"2": 1, "3": 1}, {"3": 1, "4": 1}), strict=True))
    ideal = rs.explain("alpha_nDCG", {"q": judged}, {"q": ["a"]}).ideal
    assert [step.columns["gain"] for step in ideal] == gains
    shorter = rs.explain("alpha_nDCG@2", {"q": judged}, {"q": ["a"]}).ideal
    assert [step.columns["gain"] for step in shorter] == gains[:2]


def test_subtopics_that_no_document_covers():
    judged = {"q": {"a": {"s": 0, "t": 1}, "b": {"t": 1}}}
    found = rs.evaluate(judged, {"q": ["a", "b"]}, ["alpha_DCG", "StRecall@1"]).aggregates
    assert [*found.values()] == pytest.approx([1 + 0.5 / math.log2(3), 1], rel=1e-15)


@pytest.mark.parametrize(("rel", "first"), [(1, [2, 2, 1]), (2, [1, 0, 0])])
def test_gains_of_subtopics_depend_on_the_level(rel, first):
    judged = {"q": {"a": {"s": 2, "t": 1}, "b": {"u": 1, "v": 1}, "c": {"s": 1, "t": 0}}}
    name = f"alpha_DCG(alpha=0, rel={rel})@3"
    steps = rs.explain(name, judged, {"q": ["a", "b", "c"]}).steps
    assert [step.columns["gain"] for step in steps] == first


@pytest.mark.parametrize(
    ("documents", "k", "refused"),
    [("aab", "", False), ("aabb", "", True), ("aaabb", "@1", False), ("aabc", "@1", True)],
)
def test_how_many_orders_are_too_many(monkeypatch, documents, k, refused):
    """Of 2 documents of one kind and 1 of another, 3 * 2 sets can be chosen; of 2 and 2, 3 * 3."""
    monkeypatch.setattr(subtopics, "_MOST_STATES", 6)
    judged = {f"d{i}": {kind: 1} for i, kind in enumerate(documents)}
    name = f"alpha_nDCG(ideal='exact'){k}"
    if not refused:
        assert rs.evaluate({"q": judged}, {"q": ["d0"]}, name)[name] > 0
        return
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate({"q": judged}, {"q": ["d0"]}, name)
    assert str(caught.value) == (
        "query 'q': the exact ideal of 4 documents takes too long; choose ideal='greedy'."
    )


def test_what_a_document_adds_and_repeats():
    judged = {"q": {"a": {"s": 1, "t": 1}, "b": {"t": 1, "u": 1, "v": 0}, "c": {"s": 0}}}
    steps = rs.explain("alpha_DCG", judged, {"q": ["a", "b", "c"]}).steps
    words = [(step.columns["adds"], step.columns["repeats"]) for step in steps]
    assert words == [("s, t", ""), ("u", "t"), ("", "")]
    (step,) = rs.explain("alpha_DCG", {"q": {"a": 1}}, {"q": ["a"]}).steps
    assert step.columns == {"gain": 1}


def test_relevant_documents_of_a_query_without_subtopics():
    """The query is its only subtopic, so each further relevant document is worth half as much."""
    judged, run = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}, {"q": ["b", "a", "c"]}
    names = ["alpha_DCG", "alpha_nDCG", "alpha_nDCG@2", "alpha_nDCG(rel=2)", "StRecall@1", "StRecall@2", "AP_IA"]  # fmt: skip
    own = 1 / math.log2(3) + 0.5 / 2
    best = 1 + 0.5 / math.log2(3) + 0.25 / 2
    found = rs.evaluate(judged, run, names).aggregates
    assert [*found.values()] == pytest.approx(
        [
            own,
            own / best,
            (1 / math.log2(3)) / (1 + 0.5 / math.log2(3)),
            1 / 2,
            0,
            1,
            (1 / 2 + 2 / 3) / 3,
        ],
        rel=1e-14,
    )


@pytest.mark.parametrize(
    ("docs", "preferences"),
    [(["d0", "d0"], 3), (["d2", "d2", "d0"], 4), (["d0", "d1", "d0"], 3), (["d2"], 2), ([], 2)],
)
def test_repeated_documents_hide_no_preference(tmp_path, docs, preferences):
    judged = {"q": {"d0": 0, "d1": 0, "d2": 1}, "r": {"d0": 1}}
    rows = [f"q Q0 {doc} {i} {9 - i} t\n" for i, doc in enumerate(docs)]
    (tmp_path / "run").write_text("".join([*rows, "r Q0 d0 1 1 t\n"]))
    result = rs.evaluate(judged, tmp_path / "run", "NumPref", duplicates="count")
    assert result.per_query["q"]["NumPref"] == preferences
