"""Factors and scorers: a whole catalogue, block by block, against the table of all scores."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import rankstone as rs

MEASURES = ["nDCG@10", "R@10", "RR", "AP", "AUC", "P@5", "Success@1"]


def values(result):
    """Return the values of all queries, of which NaN equals NaN."""
    return repr(sorted(result.per_query.items()))


def interactions(rng, users, items, at_most, apart=None):
    """Return a sparse matrix of up to so many items of each user, apart from some others."""
    table = np.zeros((users, items))
    for row in range(users):
        chosen = rng.choice(items, rng.integers(0, at_most + 1), replace=False)
        table[row, chosen] = rng.integers(1, 4, len(chosen))
    if apart is not None:
        table[apart.toarray() > 0] = 0
    return csr_matrix(table)


@pytest.fixture(scope="module")
def tables():
    """Return scores with many ties, held-out items, and training items; some users have none."""
    rng = np.random.default_rng(5)
    users, items = 2000, 5000
    scores = rng.integers(0, 300, (users, items)).astype(np.float32) / 8
    train = interactions(rng, users, items, 30)
    return scores, interactions(rng, users, items, 12, train), train


@pytest.mark.parametrize("block_bytes", [None, 1, 700_000])
def test_a_scorer_of_a_stored_table_is_evaluated_as_the_table(tables, block_bytes):
    scores, test, train = tables
    if block_bytes == 1:  # a user at a time
        scores, test, train = scores[:50], test[:50], train[:50]
    scorer = rs.Scorer(lambda rows: scores[rows], *scores.shape)
    stored = rs.evaluate(test, scores, MEASURES, exclude=train)
    before = scores.copy()
    made = rs.evaluate(test, scorer, MEASURES, exclude=train, block_bytes=block_bytes)
    assert values(made) == values(stored)
    assert made.aggregates == stored.aggregates
    assert np.array_equal(before, scores)


def test_a_view_of_the_stored_table_is_not_changed(tables):
    scores, test, train = (table[:300] for table in tables)
    before = scores.copy()
    scorer = rs.Scorer(lambda rows: scores[rows[0] : rows[-1] + 1], *scores.shape)
    rs.evaluate(test, scorer, "RR", exclude=train)
    assert np.array_equal(before, scores)


@pytest.mark.parametrize("form", ["dict", "frame", "sets", "dense", "sparse", "ids"])
def test_judgments_have_any_form(tables, form):
    import pandas as pd

    scores, test, train = (table[:200] for table in tables)
    binary = (test > 0).astype(float)
    rows = [set(row.indices.tolist()) for row in binary]
    cells = binary.tocoo()
    most = max(map(len, rows))
    forms = {
        "dict": dict(enumerate(rows)),
        "frame": pd.DataFrame({"user": cells.row, "item": cells.col}),
        "sets": rows,
        "dense": binary.toarray(),
        "sparse": binary,
        "ids": np.array([sorted(row) + [-1] * (most - len(row)) for row in rows]),
    }
    exclude = {i: row.indices.tolist() for i, row in enumerate(train)}
    scorer = rs.Scorer(lambda at: scores[at], *scores.shape)
    made = rs.evaluate(forms[form], scorer, MEASURES, exclude=exclude, no_relevant="skip")
    stored = rs.evaluate(binary, scores, MEASURES, exclude=train, no_relevant="skip")
    for name in MEASURES:
        assert made[name] == stored[name]


def test_ids_name_users_and_items(tables):
    scores, test, _ = (table[:40, :60] for table in tables)
    test = (test + csr_matrix(np.eye(40, 60))).tocsr()
    users, items = [f"u{i}" for i in range(40)], [f"i{i}" for i in range(60)]
    by_name = {users[r]: {items[c]: float(test[r, c]) for c in test[r].indices} for r in range(40)}
    scorer = rs.Scorer(lambda names: scores[[users.index(n) for n in names]], users, items)
    plain = rs.Scorer(lambda rows: scores[rows], 40, 60)
    stored = rs.evaluate(test, plain, MEASURES)
    for judgments in (by_name, test):
        named = rs.evaluate(judgments, scorer, MEASURES)
        assert named.aggregates == stored.aggregates
        assert named.per_query["u7"] == stored.per_query[7]


@pytest.mark.parametrize(
    "ties", ["docid-desc", "docid-asc", "input", "expected", "optimistic", "pessimistic"]
)
@pytest.mark.parametrize("ordered", [True, False])
def test_ties_follow_the_convention(ties, ordered):
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 4, (30, 40)).astype(float)
    items = [f"i{i:02d}" for i in (range(40) if ordered else rng.permutation(40))]
    judged = {u: {items[i]: 1 for i in rng.choice(40, 5, replace=False)} for u in range(30)}
    run = {u: dict(zip(items, scores[u].tolist(), strict=True)) for u in range(30)}
    scorer = rs.Scorer(lambda rows: scores[rows], 30, items)
    measures = ["nDCG@10", "RR", "AP"]
    made = rs.evaluate(judged, scorer, measures, ties=ties)
    assert values(made) == values(rs.evaluate(judged, run, measures, ties=ties))


def factors(rng, users=300, items=500, width=16, kind=np.float32):
    return rng.standard_normal((users, width)).astype(kind), rng.standard_normal(
        (items, width)
    ).astype(kind)


def formula(left, right, bias, user_bias, metric):
    left, right = left.astype(float), right.astype(float)
    if metric == "euclidean":
        made = -((left[:, None] - right[None]) ** 2).sum(axis=2)
    else:
        made = left @ right.T
        if metric == "cosine":
            made /= np.linalg.norm(left, axis=1)[:, None] * np.linalg.norm(right, axis=1)
    return made + bias + np.asarray(user_bias)[:, None]


@pytest.mark.parametrize("metric", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_factors_are_the_products(metric, kind):
    rng = np.random.default_rng(2)
    left, right = factors(rng, kind=kind)
    bias, user_bias = rng.standard_normal(500), rng.standard_normal(300)
    scores = formula(left, right, bias, user_bias, metric)
    test = interactions(rng, 300, 500, 8)
    model = rs.Factors(left, right, bias, user_bias, metric=metric, float64=True)
    made = rs.evaluate(test, model, MEASURES)
    assert values(made) == values(rs.evaluate(test, scores, MEASURES))


def test_what_is_close_is_said_and_computed_again():
    rng = np.random.default_rng(3)
    left, right = factors(rng, 200, 3000, 32)
    right[1500:] = right[:1500] * np.float32(1 + 2**-23)  # twins, an ulp apart
    test = interactions(rng, 200, 3000, 10)
    exact = left.astype(float) @ right.astype(float).T
    plain = rs.evaluate(test, rs.Factors(left, right), MEASURES)
    close = next(n for n in plain.notices if n.code == "close-scores")
    assert close.count == test.nnz
    assert "float32" in str(close)
    assert plain.provenance.run.name == "memory (float32)"
    stored = rs.evaluate(test, exact, MEASURES)
    again = rs.evaluate(test, rs.Factors(left, right, float64=True), MEASURES)
    assert values(again) == values(stored)
    assert values(plain) != values(stored)


def test_ranks_differ_only_where_scores_are_close():
    rng = np.random.default_rng(4)
    left, right = factors(rng, 400, 4000, 64)
    test = interactions(rng, 400, 4000, 10)
    exact = left.astype(float) @ right.astype(float).T
    made = rs.evaluate(test, rs.Factors(left, right), "RR")
    assert 0 < next(n for n in made.notices if n.code == "close-scores").count < test.nnz / 4
    run = rs.load_run(rs.Factors(left, right))
    judgments = rs.load_judgments(test)
    matches = run.match(judgments, float32=False, repeats=False)
    rows = np.repeat(np.arange(400), np.diff(test.indptr))
    own = exact[rows, test.indices]
    above = np.array([(exact[r] > s).sum() for r, s in zip(rows, own, strict=True)])
    bound = run.scorer.tolerance(rows)
    alone = np.array(
        [(np.abs(exact[r] - s) <= b).sum() == 1 for r, s, b in zip(rows, own, bound, strict=True)]
    )
    assert alone.mean() > 0.8
    assert np.array_equal(matches.above[alone], above[alone])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_recometrics_finds_the_same(kind):
    recometrics = pytest.importorskip("recometrics")
    rng = np.random.default_rng(10)
    left, right = factors(rng, 300, 2000, 32, kind)
    train = interactions(rng, 300, 2000, 20)
    test = interactions(rng, 300, 2000, 12, train)
    test = ((test + csr_matrix(np.eye(300, 2000))) > 0).astype(float).tocsr()
    train = csr_matrix(np.where(test.toarray() > 0, 0, train.toarray()))
    theirs = recometrics.calc_reco_metrics(
        train, test, left, right, k=10, all_metrics=True, break_ties_with_noise=False, nthreads=1
    )
    names = {"NDCG@10": "nDCG@10", "R@10": "R@10", "P@10": "P@10", "AP@10": "AP@10",
             "RR@10": "RR@10", "Hit@10": "Success@10", "ROC_AUC": "AUC"}  # fmt: skip
    made = rs.evaluate(test, rs.Factors(left, right), [*names.values()], exclude=train)
    # In 32 bits rounding of the products may swap one pair of a relevant and another item.
    bound = 1 / (np.diff(test.indptr).min() * (2000 - 40)) if kind == np.float32 else 0.0
    for name, own in names.items():
        values = np.array([v[own] for v in made.per_query.values()])
        assert values == pytest.approx(theirs[name].to_numpy(), abs=1e-6 + bound * (own == "AUC"))


def test_many_held_out_items_are_counted_as_few():
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 100, (5, 800)).astype(np.float32)
    test = csr_matrix((rng.random((5, 800)) < 0.3).astype(float))
    scorer = rs.Scorer(lambda rows: scores[rows], 5, 800)
    stored = rs.evaluate(test, scores, MEASURES)
    assert values(rs.evaluate(test, scorer, MEASURES)) == values(stored)


def test_engines_agree(tables, monkeypatch):
    scores, test, train = (table[:60, :300] for table in tables)
    left, right = factors(np.random.default_rng(8), 60, 300)
    results = []
    for engine in ("native", "python"):
        monkeypatch.setenv("RANKSTONE_ENGINE", engine)
        runs = rs.Scorer(lambda rows: scores[rows], 60, 300), rs.Factors(left, right)
        results += [rs.evaluate(test, run, MEASURES, exclude=train) for run in runs]
    assert values(results[0]) == values(results[2])
    assert values(results[1]) == values(results[3])
    assert results[1].notices == results[3].notices


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_threads_share_the_blocks(monkeypatch, cores):
    left, right = factors(np.random.default_rng(11))
    rng = np.random.default_rng(11)
    train = interactions(rng, 300, 500, 9)
    test = interactions(rng, 300, 500, 5, train)
    wanted = rs.evaluate(test, rs.Factors(left, right, float64=True), MEASURES, exclude=train)
    monkeypatch.setattr("rankstone.io.factors.cores", lambda: cores)
    monkeypatch.setattr("rankstone.core.parallel.cores", lambda: cores)
    for block_bytes in (None, 1, 90_000):
        model = rs.Factors(left, right, float64=True)
        made = rs.evaluate(test, model, MEASURES, exclude=train, block_bytes=block_bytes)
        assert values(made) == values(wanted)


def test_an_interruption_ends_all_threads(monkeypatch):
    left, right = factors(np.random.default_rng(12))
    test = interactions(np.random.default_rng(12), 300, 500, 5)
    model, calls = rs.Factors(left, right), []
    made = model.scores

    def scores(rows, out):
        calls.append(len(rows))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return made(rows, out)

    monkeypatch.setattr(model, "scores", scores)
    with pytest.raises(KeyboardInterrupt):
        rs.evaluate(test, model, "RR", block_bytes=1)
    assert len(calls) < 300


def test_lowest_scores_may_be_the_best():
    distances = np.array([[3.0, 1.0, 2.0]])
    scorer = rs.Scorer(lambda rows: distances[rows], 1, 3)
    assert rs.evaluate([{1}], scorer, "RR", scores="ascending")["RR"] == 1
    assert rs.evaluate([{0}], scorer, "RR")["RR"] == 1


class OnDevice:
    """An array in the memory of a device, as torch has them."""

    device = "cuda:0"

    def __init__(self, array):
        self.array = np.asarray(array)
        self.T = self if self.array.ndim < 2 else None

    def __getitem__(self, rows):
        return OnDevice(self.array[rows])

    def __matmul__(self, other):
        return OnDevice(self.array @ other.array.T)

    def __getattribute__(self, name):
        return self if name == "T" else object.__getattribute__(self, name)

    def new_tensor(self, array):
        return OnDevice(array)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.array


def test_products_are_made_where_the_factors_are():
    left, right = factors(np.random.default_rng(9))
    test = interactions(np.random.default_rng(9), 300, 500, 5)
    here = rs.evaluate(test, rs.Factors(left, right), MEASURES)
    there = rs.Factors(OnDevice(left), OnDevice(right))
    assert isinstance(there._left, OnDevice)
    assert values(rs.evaluate(test, there, MEASURES)) == values(here)


LEFT, RIGHT = np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)


def broken(array, value):
    array = array.copy()
    array[1, 2] = value
    return array


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rs.Factors(LEFT, RIGHT[:, :3]), "users have 4 numbers and those of items 3"),
        (lambda: rs.Factors(broken(LEFT, np.nan), RIGHT), "vector of user 1 holds"),
        (lambda: rs.Factors(LEFT, broken(RIGHT, np.inf), item_ids=list("abcde")), "vector of item"),
        (lambda: rs.Factors(LEFT, RIGHT, bias=[1, 2]), "bias of items has 2 numbers for 5"),
        (lambda: rs.Factors(LEFT, RIGHT, item_ids=["a"]), "1 ids for 5 items"),
        (lambda: rs.Factors(LEFT, RIGHT, item_ids=list("abcda")), "'a' is that of two items"),
        (lambda: rs.Factors(LEFT[0], RIGHT), "table of numbers"),
        (lambda: rs.Factors(LEFT, RIGHT, metric="cos"), "unknown metric 'cos'"),
        (lambda: rs.Scorer([1], 3, 5), "function of users"),
        (lambda: rs.Scorer(len, "abc", 5), "number of users"),
        (lambda: rs.evaluate([{1}, {9}], rs.Factors(LEFT, RIGHT), "RR"), "item 9, judged for user 1"),
        (lambda: rs.evaluate([{-1}], rs.Factors(LEFT, RIGHT), "RR"), "item -1, judged for user 0"),
        (lambda: rs.evaluate({0: {"x"}}, rs.Factors(LEFT, RIGHT, item_ids=list("abcde")), "RR"), "item 'x', judged for user 0"),
        (lambda: rs.evaluate(np.ones((3, 4)), rs.Factors(LEFT, RIGHT), "RR"), "3 x 4, and factors has 3 x 5"),
        (lambda: rs.evaluate([{1}], rs.Factors(LEFT, RIGHT), "RR", exclude=csr_matrix((2, 5))), "exclude are 2 x 5"),
        (lambda: rs.evaluate([{1}], rs.Factors(LEFT * 1e30, RIGHT * 1e30), "RR"), "score of item 0 for user 0 is inf; the product overflows float32"),
        (lambda: rs.evaluate([{1}], rs.Scorer(lambda r: np.ones((len(r), 4)), 3, 5), "RR"), "users 0 to 0 the scorer returned 1 x 4 scores; expected 1 x 5"),
        (lambda: rs.evaluate([{1}], rs.Scorer(lambda r: np.full((len(r), 5), np.nan), 3, 5), "RR"), "score of item 0 for user 0 is nan"),
        (lambda: rs.evaluate([{1}], rs.Scorer(lambda r: [["x"] * 5], 1, 5), "RR"), "scores are numbers"),
        (lambda: rs.evaluate([{1}], rs.Factors(LEFT, RIGHT), "Bpref"), "Bpref reads where every document"),
        (lambda: rs.evaluate({7: {1}}, rs.Factors(LEFT, RIGHT), "RR"), "no query is both judged and in the run"),
    ],
)  # fmt: skip
def test_bad_input_is_named(make, words):
    with pytest.raises(rs.RankstoneError) as error:
        make()
    assert words in str(error.value)


def test_short_floats_do_not_overflow():
    left, right = (np.full((2, 600), 200, np.float16) for _ in range(2))
    right[1] = 100
    assert rs.evaluate([{0}, {1}], rs.Factors(left, right), "RR")["RR"] == 0.75


def test_users_without_history_or_judgments_are_counted():
    result = rs.evaluate({0: {1}, 1: {2}}, rs.Factors(LEFT, RIGHT), "RR", exclude={0: [0, 3]})
    words = " ".join(map(str, result.notices))
    assert "2 documents of the run excluded" in words
    assert "1 of 2 judged queries not in exclude (cold)" in words
    assert "1 query of the run without judgments" in words


def test_an_interruption_ends_within_a_block():
    calls = []

    def score(rows):
        calls.append(len(rows))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return np.zeros((len(rows), 50))

    with pytest.raises(KeyboardInterrupt):
        rs.evaluate([{1}] * 100, rs.Scorer(score, 100, 50), "RR", block_bytes=10 * 50 * 4)
    assert calls == [10, 10, 10]


def test_progress_is_shown_on_a_terminal(monkeypatch, capsys):
    from rankstone.io import factors as module

    monkeypatch.setattr(module, "_EVERY", -1)
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True, raising=False)
    rs.evaluate([{1}] * 30, rs.Scorer(lambda r: np.eye(len(r), 50), 30, 50), "RR", block_bytes=2000)
    shown = capsys.readouterr().err
    assert "scorer: 10 of 30 users" in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize("excluded", [False, True])
def test_lists_that_are_kept_from_the_count_are_those_of_a_second_product(monkeypatch, excluded):
    rng = np.random.default_rng(3)
    users, items = rng.integers(-2, 3, (40, 3)), rng.integers(-2, 3, (300, 3))  # many ties
    judged = {u: set(rng.integers(0, 300, 3).tolist()) for u in range(40)}
    history = {u: set(rng.integers(0, 300, 9).tolist()) for u in range(40)}
    judged[7] = set(history[7])  # a user without judged items, if these are excluded
    given = {"history": history, "ties": "input", **({"exclude": history} if excluded else {})}
    products = []
    scores = rs.Factors.scores
    monkeypatch.setattr(
        rs.Factors, "scores", lambda *own: products.append(len(own[1])) or scores(*own)
    )

    def evaluated(cutoff):
        products.clear()
        run = rs.Factors(users.astype(np.float32), items.astype(np.float32))
        names = [f"Novelty@{cutoff}", f"Coverage@{cutoff}", "nDCG@5"]
        return rs.evaluate(judged, run, names, **given), sum(products)

    kept, scored = evaluated(15)
    assert scored == 40
    monkeypatch.setattr("rankstone.io.load.LEAST_SHOWN", 0)
    again, scored = evaluated(15)
    assert scored >= 79
    assert kept == again
    assert evaluated(30)[0]["nDCG@5"] == kept["nDCG@5"]
