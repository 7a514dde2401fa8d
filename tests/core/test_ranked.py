"""Every column of a ranking against one worked out document by document."""

import math
from itertools import chain, pairwise, permutations, product

import numpy as np
import pytest
from loading import collection
from strategies import NATIVE

import rankstone as rs
from rankstone.core import ranked as ranked_module
from rankstone.core.collection import CollectionPart
from rankstone.core.hypothetical_grades import UnjudgedPositions, judged_by_rank
from rankstone.core.ranked_rows import (
    concatenated,
    condensed,
    rows_of,
    select,
    truncated,
    with_ranks,
)
from rankstone.core.ranked_table import RankedTable

DEFAULT = rs.Conventions()
NAN = math.nan
# Queries as (score, grade) of each document in input order; NaN is no judgment.
SHARED = [
    [(1, 0), (3, 2), (3, 1), (3, NAN), (0, 1), (0, NAN)],
    [(5, 1)],
    [(5, 2)],
    [],
    [(2, NAN), (2, -1), (2, 0), (2, 2), (1, -2), (-1, 3)],
    [(0, NAN)],
    [(4, 1), (4, 0), (3, 1), (2, 0), (2, NAN), (2, 1)],
    [],
]
ALL_JUDGED = [
    [(1, 0), (3, 2), (3, 1), (3, 0), (0, 1), (0, 2)],
    [(9, 1), (8, 0), (7, 2), (6, 0), (5, 0), (4, 1)],
    [(1, 1), (1, 0), (1, 2), (1, 0), (1, 0), (1, 1)],
]
RULES = ["input", "optimistic", "pessimistic", "expected"]


def as_dicts(data):
    """Return judgments and a run; ids fall in input order."""
    judged = {
        f"q{q}": {f"d{9 - i}": g for i, (_, g) in enumerate(docs) if not math.isnan(g)}
        for q, docs in enumerate(data)
    }
    run = {
        f"q{q}": {f"d{9 - i}": s for i, (s, _) in enumerate(docs)} for q, docs in enumerate(data)
    }
    return judged, run


def as_lists(data):
    """Return grades and scores: a table if lists have one length, else laid end to end."""
    grades = [[g for _, g in docs] for docs in data]
    scores = [[float(s) for s, _ in docs] for docs in data]
    sizes = [*map(len, data)]
    if len({*sizes}) == 1:
        return {"judgments": grades, "run": scores}
    return {"judgments": [*chain(*grades)], "run": [*chain(*scores)], "group_sizes": sizes}


def wanted(docs, rule):
    """Return (rank, grade, score, above, tied, place) of each document of a query by rank."""

    def key(i):
        score, grade = docs[i]
        gain = max(0, grade)
        luck = {"optimistic": -gain, "pessimistic": gain}.get(rule, 0)
        unknown = {"optimistic": -1, "pessimistic": 1}.get(rule, 0) * (not grade >= 0)
        place = -i if rule == "docid-asc" else i
        return (-score, luck, unknown, place)

    order = sorted(range(len(docs)), key=key)
    rows = []
    for rank, i in enumerate(order, 1):
        score, grade = docs[i]
        above = sum(s > score for s, _ in docs)
        tied = sum(s == score for s, _ in docs)
        rows.append((rank, grade, score, above, tied, i))
    return rows


def check(ranked, data, rule, top=None):
    """Compare the columns with those of each query alone; ``top`` is the highest grade."""
    offsets, judged_offsets = ranked.offsets.tolist(), ranked.judged_offsets.tolist()
    assert len(ranked) == len(data)
    for q, docs in enumerate(data):
        rows = [row for row in wanted(docs, rule) if row[1] >= 0]
        mine = slice(offsets[q], offsets[q + 1])
        columns = (ranked.grade, ranked.score, ranked.above, ranked.tied)
        found = list(zip(*(column[mine].tolist() for column in columns), strict=True))
        assert found == [row[1:5] for row in rows]
        assert ranked.rank[mine].tolist() == [row[0] for row in rows]
        assert ranked.original_grade[mine].tolist() == ranked.grade[mine].tolist()
        grades = sorted((g for _, g in docs if g >= 0), reverse=True)
        assert ranked.judged_grade[judged_offsets[q] : judged_offsets[q + 1]].tolist() == grades
        assert ranked.retrieved[q] == len(docs)
        assert ranked.highest()[q] == (grades[0] if grades else -math.inf)
        assert ranked.relevant_count()[q] == sum(g >= 1 for g in grades)
        assert ranked.relevant_count(2)[q] == sum(g >= 2 for g in grades)
        assert ranked.hits()[mine].tolist() == np.cumsum([r[1] >= 1 for r in rows]).tolist()
        negative = [row[0] for row in wanted(docs, rule) if row[1] < 0]
        if ranked.pooled is not None and rule not in ("optimistic", "pessimistic"):
            pooled = ranked.pooled[ranked.pooled_offsets[q] : ranked.pooled_offsets[q + 1]]
            assert pooled.tolist() == negative
            before = [sum(p < row[0] for p in negative) for row in rows]
            assert ranked.pooled_above()[mine].tolist() == before
    shared = any(row[4] > 1 for docs in data for row in wanted(docs, rule) if row[1] >= 0)
    assert ranked.has_ties == shared
    assert ranked.ties_averaged == (shared and rule == "expected")
    assert ranked.tie_luck == shared * {"optimistic": 1, "pessimistic": -1}.get(rule, 0)
    every = [row for docs in data for row in wanted(docs, rule) if row[1] >= 0]
    is_table = isinstance(ranked, RankedTable)
    counted = [row[4] > 1 for row in every if row[1] > 0 or not is_table]
    assert ranked.count_ties() == (sum(counted), len(counted))
    assert ranked.max_grade == (top or max((row[1] for row in every), default=0))
    assert ranked.depth(2).tolist() == [min(2, len(docs)) for docs in data]
    assert ranked.depth(None).tolist() == [len(docs) for docs in data]


DATA = {
    "mixed": SHARED,
    "table": ALL_JUDGED,
    "without ties": [[(3, 1), (2, 0)], [(1, 0), (9, 2)]],
    "unjudged ties": [[(3, 1), (2, NAN), (2, NAN), (1, 1)], [(1, 0), (0, NAN), (0, -1)]],
    "pairs": [[(2, 1), (2, NAN), (1, 0)], [(1, NAN), (3, 1)]],
    "one tied": [[(1, 1), (2, 0)], [(1, 1), (1, 0)], [(2, 2), (1, 0)]],
}


def check_documents(data, *rules):
    """Compare the columns of documents with ids."""
    some = [docs for docs in data if any(g >= 0 for _, g in docs)]
    for rule in rules:
        ranked = collection(*as_dicts(some)).ranked(rs.Conventions(ties=rule))
        check(ranked, some, rule)
        assert ranked.whole is ranked
        assert not ranked.all_judged


def test_columns_of_documents_in_ties_of_judged_and_others():
    check_documents(SHARED, "input", "expected")


def test_columns_of_documents_in_order_of_id():
    check_documents(SHARED, "docid-asc", "docid-desc")


def test_a_grade_below_1_is_better_than_none():
    check_documents([[(1, 0.5), (1, NAN), (1, 0)]], "optimistic", "pessimistic")


def test_columns_of_documents_in_their_best_and_worst_order():
    check_documents(SHARED, "optimistic", "pessimistic")


@pytest.mark.parametrize("name", DATA)
def test_columns_of_documents(engine, name):
    check_documents(DATA[name], *RULES, "docid-asc", "docid-desc")


def check_lists(data, *rules):
    """Compare the columns of lists of grades and scores."""
    for rule in rules:
        conventions = rs.Conventions(ties=rule)
        ranked = collection(**as_lists(data)).ranked(conventions)
        assert isinstance(ranked, RankedTable)
        check(ranked, data, rule)
        assert ranked.all_judged == all(g >= 0 for docs in data for _, g in docs)
        places = [row[5] for docs in data for row in wanted(docs, rule) if row[1] >= 0]
        if rule in ("input", "expected"):
            assert ranked.judgment.tolist() == places
        assert ranked.queries == list(range(len(data)))
        assert not ranked.has_repeats
        assert (ranked.pooled is not None) == any(g < 0 for docs in data for _, g in docs)


def test_columns_of_lists_with_ties():
    check_lists(SHARED, "input", "expected")


def test_columns_of_lists_in_their_best_and_worst_order():
    check_lists(SHARED, "optimistic", "pessimistic")


def test_columns_of_tables():
    check_lists(ALL_JUDGED, *RULES)


def test_columns_of_tables_of_which_some_rows_have_ties():
    check_lists(DATA["one tied"], *RULES)


def test_columns_of_lists_without_ties():
    check_lists(DATA["without ties"], *RULES)


def test_columns_of_lists_with_ties_of_unjudged_documents():
    check_lists(DATA["unjudged ties"], *RULES)
    check_lists(DATA["pairs"], *RULES)


def test_columns_of_parts_of_lists(monkeypatch):
    monkeypatch.setattr(ranked_module, "_BLOCK", 2)
    check_lists(SHARED, "input", "optimistic")


def test_columns_of_parts_of_tables(monkeypatch):
    monkeypatch.setattr(ranked_module, "_BLOCK", 2)
    check_lists(ALL_JUDGED, "expected", "pessimistic")


@pytest.mark.parametrize("block", [1 << 18, 2])
@pytest.mark.parametrize("name", DATA)
def test_columns_of_lists(engine, monkeypatch, name, block):
    monkeypatch.setattr(ranked_module, "_BLOCK", block)
    check_lists(DATA[name], *RULES)


def test_columns_of_lists_in_order_of_rank():
    ranked = collection([[2, 0, None], [1, 0, 0]]).ranked(DEFAULT)
    assert ranked.rank.tolist() == [1, 2, 1, 2, 3]
    assert ranked.score.tolist() == [-1, -2, -1, -2, -3]
    assert ranked.above.tolist() == [0, 1, 0, 1, 2]
    assert ranked.tied.tolist() == [1] * 5
    assert ranked.judgment.tolist() == [0, 1, 0, 1, 2]
    assert (ranked.has_ties, ranked.count_ties()) == (False, (0, 2))


MEANS = [
    "nDCG",
    "P@3",
    "R@3",
    "Judged@3",
    "AP",
    "AP@1",
    "AP@2",
    "AP@3",
    "RR",
    "RR@1",
    "RR@2",
    "RR@3",
    "RR@4",
]
MEANS += [f"DCG(discount='{d}'){k}" for d in ("log2", "jarvelin", "reciprocal") for k in ("", "@1", "@3", "@4")]  # fmt: skip


def check_parts(monkeypatch, given, rule, *blocks):
    """Compare the values and notices of parts with those of the whole."""
    names = [*MEANS] if rule == "expected" else [*MEANS, "Bpref", "ERR", "infAP"]
    whole = rs.evaluate(**given, measures=names, ties=rule)
    for block in blocks:
        with monkeypatch.context() as patch:
            patch.setattr(ranked_module, "_BLOCK", block)
            parts = rs.evaluate(**given, measures=names, ties=rule)
        assert parts.queries == whole.queries
        assert parts.notices == whole.notices
        for name in names:
            np.testing.assert_array_equal(parts.values(name), whole.values(name))


def as_arguments(data):
    judged, run = as_dicts([docs for docs in data if any(g >= 0 for _, g in docs)])
    return {"judgments": judged, "run": run}


def test_values_of_parts_of_documents_are_those_of_the_whole(monkeypatch):
    check_parts(monkeypatch, as_arguments(SHARED), "input", 2)


def test_values_of_two_parts_are_those_of_the_whole(monkeypatch):
    check_parts(monkeypatch, as_lists(DATA["without ties"]), "input", 2)


def test_values_of_parts_of_lists_are_those_of_the_whole(monkeypatch):
    check_parts(monkeypatch, as_lists(SHARED), "optimistic", 2)


def test_values_of_parts_of_tables_are_those_of_the_whole(monkeypatch):
    check_parts(monkeypatch, as_lists(ALL_JUDGED), "expected", 2)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", DATA)
def test_values_of_parts_are_those_of_the_whole(monkeypatch, name, rule):
    for given in (as_arguments(DATA[name]), as_lists(DATA[name])):
        check_parts(monkeypatch, given, rule, 1, 2, 5)


@pytest.mark.parametrize(
    ("bounds", "block", "parts"),
    [
        ([0, 1, 2, 3], 2, [(0, 3)]),
        ([0, 2, 4], 2, [(0, 1), (1, 2)]),
        ([0, 4], 2, [(0, 1)]),
        ([0, 1, 2, 3, 4, 5], 2, [(0, 2), (2, 4), (4, 5)]),
        ([0, 3, 4, 9, 9], 2, [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ],
)
def test_parts_of_queries(monkeypatch, bounds, block, parts):
    monkeypatch.setattr(ranked_module, "_BLOCK", block)
    found = ranked_module.parts_of(np.array(bounds))
    assert found[0][0] == 0
    assert found[-1][1] == len(bounds) - 1
    assert all(end == begin for (_, end), (begin, _) in pairwise(found))
    assert len(found) <= len(parts)


# Orders of ties --------------------------------------------------------------------------------

TIES = {
    "alone": [[(1, 1)]],
    "one row in each query": [[(1, 1)], [(1, 1), (1, NAN)], [(1, 1), (1, 0)], [(1, 0), (0, 1)]],
    "at the top": [[(2, 1), (2, 0), (2, 1), (1, 1), (0, 1)]],
    "below the top": [[(4, 0), (3, 1), (2, 1), (2, 0), (2, NAN), (1, 1), (1, 0)]],
    "twice": [[(2, 1), (2, NAN), (1, 0), (1, 1), (1, 2)], [(1, 0), (1, 1)], [(3, 2), (1, 0), (1, 1)]],
    "without hits": [[(2, 0), (2, 0), (1, 1), (0, 1), (0, 0)]],
    "beyond": [[(5, 0), (4, 0), (3, 1), (3, 0), (3, 1)], [(5, 0), (4, 0), (3, 0), (2, 1)]],
}  # fmt: skip


def orders(docs):
    """Yield every order of a query's documents in which scores fall."""
    levels = sorted({s for s, _ in docs}, reverse=True)
    groups = [[i for i, (s, _) in enumerate(docs) if s == level] for level in levels]
    for chosen in product(*(permutations(group) for group in groups)):
        yield [f"d{9 - i}" for group in chosen for i in group]


def check_means(data, names):
    """Compare expected values with means over all orders."""
    judged, run = as_dicts(data)
    result = rs.evaluate(judged, run, names, ties="expected")
    lists = rs.evaluate(**as_lists(data), measures=names, ties="expected")
    for q, (query, docs) in enumerate(zip(judged, data, strict=True)):
        every = {f"{i}": order for i, order in enumerate(orders(docs))}
        each = rs.evaluate(dict.fromkeys(every, judged[query]), every, names)
        for name in names:
            mean = math.fsum(each.values(name)) / len(every)
            assert result.values(name)[q] == pytest.approx(mean, rel=1e-14, abs=1e-300)
            assert lists.values(name)[q] == pytest.approx(mean, rel=1e-14, abs=1e-300)


def test_expected_average_precision_of_a_tie_below_the_top():
    check_means(TIES["below the top"], ["AP", "AP@3", "AP@4"])


def test_expected_average_precision_of_several_ties():
    check_means(TIES["twice"], ["AP", "AP@1", "AP@2"])


def test_expected_reciprocal_rank_of_a_tie_below_the_top():
    check_means(TIES["beyond"], ["RR", "RR@3", "RR@4"])


def test_expected_reciprocal_rank_of_several_ties():
    check_means(TIES["twice"], ["RR", "RR@1", "RR@2"])


def test_expected_gain_of_ties():
    check_means(TIES["twice"], ["DCG", "DCG@1", "DCG@3"])


def test_expected_values_of_one_row_in_each_query():
    check_means(TIES["one row in each query"], ["AP", "RR", "DCG", "DCG@1"])


@pytest.mark.parametrize("name", TIES)
def test_expected_values_are_means_over_all_orders(name):
    check_means(TIES[name], MEANS)


def test_documents_alone_have_their_bits_beside_a_tie():
    alone = [(9 - i, i % 3 > 0) for i in range(7)]
    tied = [*alone, (0, 0), (0, 0)]
    names = ["AP", "DCG", "nDCG", "RR", "AP@5", "DCG@5"]
    one, other = (rs.evaluate(*as_dicts([d]), names, ties="expected") for d in (alone, tied))
    assert [one[name] for name in names] == [other[name] for name in names]


# Rankings made from others -----------------------------------------------------------------------


def made(data=SHARED, **rules):
    some = [docs for docs in data if any(g >= 0 for _, g in docs)]
    return collection(*as_dicts(some)).ranked(rs.Conventions(**rules)), some


def test_a_truncated_ranking_has_fewer_documents():
    ranked, data = made()
    for n in (1, 2, 3, 9):
        cut = truncated(ranked, n)
        rows = [[r for r in wanted(docs, "input") if r[0] <= n] for docs in data]
        assert cut.retrieved.tolist() == [min(n, len(docs)) for docs in data]
        assert cut.rank.tolist() == [r[0] for q in rows for r in q if r[1] >= 0]
        assert np.diff(cut.offsets).tolist() == [sum(r[1] >= 0 for r in q) for q in rows]
        assert cut.pooled.tolist() == [r[0] for q in rows for r in q if r[1] < 0]
        assert np.diff(cut.pooled_offsets).tolist() == [sum(r[1] < 0 for r in q) for q in rows]
        assert cut.judged_grade.tolist() == ranked.judged_grade.tolist()


def test_other_ranks_put_rows_in_another_order():
    judged = {"q": {"a": 1, "b": 2, "n": -1}, "r": {"a": 3}}
    ranked = collection(judged, {"q": ["a", "b", "n"], "r": ["a"]}).ranked(DEFAULT)
    moved = with_ranks(ranked, np.array([3, 1, 1]))
    assert moved.rank.tolist() == [1, 3, 1]
    assert moved.grade.tolist() == [2, 1, 3]
    assert moved.pooled.tolist() == [3]
    assert with_ranks(ranked, np.array([3, 1, 1]), np.array([2])).pooled.tolist() == [2]


def test_a_condensed_ranking_is_one_of_the_judged_documents():
    ranked, data = made()
    judged = [[(s, g) for s, g in docs if g >= 0] for docs in data]
    check(condensed(ranked), judged, "input")
    assert condensed(ranked).pooled is None


def test_a_selection_is_a_ranking_of_these_queries():
    ranked, data = made()
    for keep in ([True, False, False, True, True], [False, True, True, False, True], [False] * 5):
        some = [docs for docs, kept in zip(data, keep, strict=True) if kept]
        chosen = select(ranked, np.array(keep))
        check(chosen, some, "input", top=3)
        assert chosen.queries == [q for q, kept in zip(ranked.queries, keep, strict=True) if kept]


def test_rankings_of_parts_are_put_together():
    ranked, data = made()
    parts = [rows_of(select(ranked, np.arange(len(data)) == q)) for q in range(len(data))]
    joined = concatenated(parts)
    check(joined, data, "input")
    assert joined.queries == ranked.queries
    single = concatenated(parts[:1])
    assert (single.conventions, single.rule) == (DEFAULT, DEFAULT.ties)
    check(single, data[:1], "input", top=3)


def test_parts_with_pooled_or_repeated_documents_are_put_together_with_others():
    plain = rows_of(
        collection({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["x"], "b": ["y"]}).ranked(DEFAULT)
    )
    pooled = rows_of(collection({"c": {"x": -1, "y": 4}}, {"c": ["z", "x", "y"]}).ranked(DEFAULT))
    both = concatenated([plain, pooled])
    assert both.pooled.tolist() == [2]
    assert both.max_grade == concatenated([pooled, plain]).max_grade == 4
    assert both.pooled_offsets.tolist() == [0, 0, 0, 1]
    assert both.pooled_above().tolist() == [0, 1]
    assert concatenated([plain, plain]).pooled is None
    count = rs.Conventions(duplicates="count")
    again = rows_of(collection({"d": {"x": 1}}, {"d": ["x", "x"]}).ranked(count))
    assert [concatenated(p).has_repeats for p in ([plain], [again], [plain, again])] == [
        False,
        True,
        True,
    ]


def test_holes_that_are_judged_make_a_ranking_with_these_judgments():
    judged = {"q": {"a": 2, "b": 0, "n": -1, "m": 1}, "r": {"a": 1}, "s": {"x": 0}}
    run = {"q": ["u", "a", "n", "v", "b"], "r": ["a", "u", "w"], "s": ["u", "v"]}
    holes = UnjudgedPositions.of(collection(judged, run).ranked(DEFAULT))
    assert holes.rank.tolist() == [1, 4, 2, 3, 1, 2]
    assert holes.count.tolist() == [2, 2, 2]
    assert holes.ranks(1).tolist() == [2, 3]
    assert holes.subtopics(0).tolist() == []
    grades = {"q": {"u": 3, "v": 0}, "r": {"u": 0, "w": 1}, "s": {"u": 1, "v": 2}}
    order = [2, 0, 1, 0]
    filled = holes.filled(
        np.array(order), np.array([g for q in order for g in grades["qrs"[q]].values()], float)
    )
    assert filled.queries == ["s", "q", "r", "q"]
    complete = {q: judged[q] | grades[q] for q in judged}
    ranked = collection(complete, run).ranked(DEFAULT)
    for number, q in enumerate(order):
        mine, other = (slice(*r.offsets[i : i + 2]) for r, i in ((filled, number), (ranked, q)))
        for name in ("rank", "grade", "original_grade", "above", "tied"):
            assert getattr(filled, name)[mine].tolist() == getattr(ranked, name)[other].tolist()
        assert (np.diff(filled.score[mine]) < 0).all()
        mine, other = (
            slice(*r.judged_offsets[i : i + 2]) for r, i in ((filled, number), (ranked, q))
        )
        assert filled.judged_grade[mine].tolist() == ranked.judged_grade[other].tolist()
        mine, other = (
            slice(*r.pooled_offsets[i : i + 2]) for r, i in ((filled, number), (ranked, q))
        )
        assert filled.pooled[mine].tolist() == ranked.pooled[other].tolist()
        assert filled.retrieved[number] == ranked.retrieved[q]
    missed = (np.array([0, 3]), np.array([5.0, 4.0]))
    more = holes.filled(np.array([1, 1]), np.array([0.0, 1, 2, 0]), (missed[0] // 3, missed[1]))
    assert more.judged_grade.tolist() == [5, 1, 1, 0, 4, 2, 1, 0]
    assert more.judged_offsets.tolist() == [0, 4, 8]


@pytest.mark.parametrize("known", [True, False])
def test_holes_are_judged_for_each_subtopic(known):
    negative = {} if known else {"n": {"1": -1}}
    judged = {
        "q": {"a": {"1": 2, "2": 0}, "b": {"2": 1}, **negative},
        "r": {"a": {"x": 1}},
    }
    run = {"q": ["u", "a", "n", "v", "b"], "r": ["u", "a"]}
    run = run if not known else {q: [d for d in docs if d != "n"] for q, docs in run.items()}
    holes = UnjudgedPositions.of(collection(judged, run).ranked(DEFAULT))
    assert [holes.subtopics(q).tolist() for q in (0, 1)] == [[0, 1], [2]]
    tables = [np.array([[1.0]]), np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([[0.0]])]
    filled = holes.filled_by_subtopic(np.array([1, 0, 1]), tables)
    complete = [
        {"r": judged["r"] | {"u": {"x": 1}}},
        {"q": judged["q"] | {"u": {"1": 1, "2": 0}, "v": {"1": 0, "2": 3}}},
        {"r": judged["r"] | {"u": {"x": 0}}},
    ]
    for i, one in enumerate(complete):
        (query,) = one
        ranked = collection(one, {query: run[query]}).ranked(DEFAULT)
        mine = filled.judgment[filled.offsets[i] : filled.offsets[i + 1]]
        assert said(filled.subtopics, mine) == said(ranked.subtopics, ranked.judgment)
        assert (
            filled.grade[filled.offsets[i] : filled.offsets[i + 1]].tolist()
            == ranked.grade.tolist()
        )
        documents, of = filled.subtopics.judged()
        own, _ = ranked.subtopics.judged()
        ours = sorted(map(sorted, said(filled.subtopics, documents[of == i])))
        assert ours == sorted(map(sorted, said(ranked.subtopics, own)))


def said(subtopics, documents):
    """Return the grades of documents by the names of subtopics."""
    found = [{} for _ in documents]
    for i, part, grade in zip(
        *map(np.ndarray.tolist, subtopics.of_documents(documents)), strict=True
    ):
        found[i][subtopics.names[part]] = grade
    return [sorted(grades.items()) for grades in found]


def test_the_share_of_judged_documents_at_each_rank():
    judged = {"q": {"a": 1, "n": -1}, "r": {"a": 1, "b": 0}, "s": {"x": 1}}
    ranked = collection(judged, {"q": ["a", "u", "n"], "r": ["u", "b"], "s": []}).ranked(DEFAULT)
    assert judged_by_rank(ranked) == [0.5, 0.5, 1.0]
    assert judged_by_rank(ranked, 2) == [0.5, 0.5]
    assert judged_by_rank(collection({"q": {"a": 1}}, {"q": []}).ranked(DEFAULT)) == []
    assert judged_by_rank(select(ranked, np.zeros(3, bool))) == []


def test_pooled_documents_are_counted_in_their_own_query():
    judged = {"p": {"n": -1, "a": 1}, "q": {"n": -1, "m": -1, "a": 1}, "r": {"a": 1}}
    run = {"p": ["n", "u", "v", "w", "a"], "q": ["n", "m", "a"], "r": ["a"]}
    ranked = collection(judged, run).ranked(DEFAULT)
    assert ranked.rank.tolist() == [5, 3, 1]
    assert ranked.pooled_above().tolist() == [1, 2, 0]


def test_grades_of_documents_are_not_known_to_be_small():
    ranked, _ = made()
    assert not ranked.has_small_grades
    assert not ranked.has_repeats


def test_grades_of_lists_are_small_once_they_are_known_to_be():
    for grades, small in (
        ([[1, 0], [255, 3]], True),
        ([[0.5, 0], [1, 2]], False),
        ([[256, 0], [1, 2]], False),
    ):
        ranked = collection(grades, [[0.5, 0.25], [0.5, 0.25]]).ranked(
            DEFAULT.replace(ties="input")
        )
        assert not ranked.has_small_grades
        assert len(ranked.judged_grade) == 4
        assert ranked.has_small_grades == (small and NATIVE)


def test_chosen_queries_are_ranked_by_their_own_scores():
    judged = {"p": {"a": 1}, "q": {"a": 1, "b": 2}, "r": {"a": 3}}
    data = collection(judged, {"q": {"x": 2.0, "b": 1.0, "a": 0.0}, "r": {"a": -1.0}})
    rules = DEFAULT.replace(nonpositive="nonrelevant")
    for chosen, grades in ((None, [2, 0, 0]), (np.array([True, False, True]), [0])):
        ranked = CollectionPart(data, chosen).ranked(rules)
        assert ranked.grade.tolist() == grades
        assert ranked.max_grade == 3
    assert CollectionPart(data).ranked(rules).queries == ["q", "r"]
    assert CollectionPart(data).ranked(rules).rank.tolist() == [2, 3, 1]
    listed = collection(judged, {"q": ["x", "b", "a"], "r": ["a"]})
    assert CollectionPart(listed).ranked(rules).grade.tolist() == [2, 1, 3]


def test_a_ranking_with_every_column_is_a_whole():
    for given in (as_arguments(SHARED), as_lists(SHARED)):
        rows = rows_of(collection(**given).ranked(DEFAULT.replace(ties="input")))
        assert rows.whole is rows
        part = select(rows, np.arange(len(rows)) < 1)
        assert part.whole is part


def test_a_ranking_shows_no_caches():
    ranked, _ = made()
    ranked.relevant()
    assert "_cache" not in repr(ranked)
    assert "part_of" not in repr(ranked)
    other = select(ranked, np.ones(len(ranked), bool))
    other.relevant(3)
    assert ("relevant", 3) not in ranked._cache
