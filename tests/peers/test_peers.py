"""Rankstone, asked for a tool's numbers, against the tool itself."""

import random

import pytest

import rankstone as rs
from peers import compare, items, table
from peers.compare import CUTS, SLOW, TESTED, stem

# Other tools use what is deprecated, and leave files open; their numbers are what is tested here.
pytestmark = pytest.mark.filterwarnings("ignore")

CASES = [
    (name, function)
    for name in TESTED
    for function in compare.adapter(name).FUNCTIONS
    if compare.entry(rs.TOOLS[name], function)
]


@pytest.fixture
def peer(request):
    """Return the adapter of a tool, or skip if the tool is not installed."""

    def get(family):
        name = rs.tool(family).name
        if name in SLOW and not request.config.getoption("--thorough"):
            pytest.skip(f"{name} takes long to start; 'make test-all' runs it")
        adapter = compare.adapter(name)
        try:
            adapter.version()
        except ImportError:
            pytest.skip(f"{name} is not installed ('make test-all' installs it)")
        return adapter

    return get


@pytest.mark.parametrize(("name", "function"), CASES, ids=[f"{n}-{f}" for n, f in CASES])
def test_the_tool_says_the_same(peer, request, name, function):
    peer(name)
    seeds = compare.seeds(name, thorough=request.config.getoption("--thorough"))
    try:
        different = [d for seed in range(seeds) for d in compare.differences(name, function, seed)]
    except ImportError as error:
        pytest.skip(f"{name} needs {error.name} for {function}")
    assert not different, different[:3]


BEYOND = [(name, function) for name, own in items.FUNCTIONS.items() for function in own]


@pytest.mark.parametrize(("name", "function"), BEYOND, ids=[f"{n}-{f}" for n, f in BEYOND])
def test_the_tool_says_the_same_beyond_accuracy(peer, request, name, function):
    peer(name)
    seeds = 200 if request.config.getoption("--thorough") else 20
    different = [d for seed in range(seeds) for d in items.differences(name, function, seed)]
    assert not different, different[:3]


@pytest.mark.parametrize("name", TESTED)
def test_every_name_in_the_registry_of_a_tool_is_known(peer, name):
    """A name is in the tool's file, as a measure or as unsupported; and no name is invented."""
    listed = set(peer(name).registry())
    tool = rs.TOOLS[name]
    names = {stem(n.pattern) for n in tool.names}
    if name.startswith("article"):
        assert not listed
        return
    assert listed <= names | {stem(p) for p in tool.unsupported}
    assert names <= listed


def test_collections_hold_what_the_tools_take():
    """Guards the generator: the cases that matter do occur, and no others."""
    rng = random.Random(0)
    for name, function in CASES:
        takes = compare.accepts(compare.adapter(name), function)
        drawn = [compare.draw(rng, takes) for _ in range(60)]
        grades = {g for qrels, _ in drawn for d in qrels.values() for g in d.values()}
        lists = [s for _, run in drawn for s in run.values()]
        repeats = any(isinstance(s, list) and len(set(s)) < len(s) for s in lists)
        assert repeats == takes.repeats
        scores = [list(range(len(s), 0, -1) if takes.repeats else s.values()) for s in lists]
        assert any(g < 0 for g in grades) == takes.negative
        assert any(g != int(g) for g in grades) == takes.fractional
        assert any(g > 1 for g in grades) == (takes.graded or takes.negative or takes.fractional)
        if not takes.repeats:
            assert any(len(set(s)) < len(s) for s in scores) == takes.ties
            assert any(s <= 0 for row in scores for s in row) == takes.nonpositive_scores
        assert any(set(q) - set(r) for q, r in drawn) == takes.unretrieved_queries
        assert any(set(r) - set(q) for q, r in drawn) == takes.unjudged_queries
        assert any(len(s) < max(CUTS) for s in scores) == takes.short_lists
        empty = [all(g <= 0 for g in d.values()) for qrels, _ in drawn for d in qrels.values()]
        assert any(empty) == takes.no_relevant


# What tools do that no choice expresses: it is said in a note, and pinned here.

ONE = {"q": {"a": 1, "b": 0, "c": 1}}
RANKED = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}


def test_torchmetrics_orders_ties_as_it_happens(peer):
    tool = peer("torchmetrics")
    tied = {"q": dict.fromkeys("abcdef", 1.0)}
    judged = {"q": {"a": 1}}
    precision = tool.FUNCTIONS["RetrievalPrecision@{k}"](judged, tied, 3)[1]
    recall = tool.FUNCTIONS["RetrievalRecall@{k}"](judged, tied, 3)[1]
    assert (precision, recall) == (0, 1)
    like = rs.evaluate(judged, tied, ["RetrievalPrecision@3"], like="torchmetrics")
    assert any("torch happens to sort" in n.text for n in like.notices)


@pytest.mark.parametrize("function", ["ndcg", "map"])
def test_xgboost_reads_32_documents_unless_told(peer, function):
    tool = peer("xgboost")
    run = {"q": {f"d{i:03d}": 100.0 - i for i in range(60)}}
    for place, seen in ((31, True), (32, False)):
        judged = {"q": {f"d{place:03d}": 1}}
        value = tool.FUNCTIONS[function](judged, run, None)[1]
        assert (value > 0) == seen
        ours = rs.evaluate(judged, run, [function], like="xgboost")
        assert next(iter(ours.aggregates.values())) == pytest.approx(value, abs=1e-6)


def test_xgboost_auc_is_another_area(peer):
    value = peer("xgboost").FUNCTIONS["auc"](ONE, RANKED, None)[1]
    assert value == pytest.approx(2 / 3)
    assert rs.AUC([1, 0, 1], [3.0, 2.0, 1.0]) == 0.5


def test_beir_fails_without_relevant_documents(peer):
    with pytest.raises(ZeroDivisionError):
        peer("beir").FUNCTIONS["R_cap@{k}"]({"q": {"a": 0}}, RANKED, 5)


def test_beir_fails_on_a_query_without_judgments(peer):
    tool = peer("beir")
    with pytest.raises(KeyError):
        tool.FUNCTIONS["MRR@{k}"](ONE, {**RANKED, "other": {"a": 1.0}}, 5)


def test_lenskit_average_precision_fails_without_relevant_items(peer):
    with pytest.raises(ZeroDivisionError):
        peer("lenskit").FUNCTIONS["AveragePrecision@{k}"]({"q": {"a": 0}}, RANKED, 5)


def test_recbole_recall_is_not_a_number_without_relevant_items(peer):
    _, mean = peer("recbole").FUNCTIONS["Recall@{k}"]({"q": {"a": 0}}, RANKED, 5)
    assert mean != mean


def test_rectools_ideal_is_k_relevant_items(peer):
    judged, run = {"q": {"a": 1, "d": 1}}, {"q": dict(zip("abcde", range(5, 0, -1), strict=True))}
    _, mean = peer("rectools").FUNCTIONS["NDCG@{k}"](judged, run, 5)
    assert mean == pytest.approx(0.4852, abs=5e-5)
    assert rs.evaluate(judged, run, ["NDCG@5"], like="rectools").aggregates == {
        "nDCG(gain='binary', ideal='full')@5": pytest.approx(mean, abs=1e-12)
    }


def test_cornac_reciprocal_rank_fails_where_nothing_is_found(peer):
    with pytest.raises(ValueError, match="No matched"):
        peer("cornac").FUNCTIONS["MRR"]({"q": {"z": 1}}, RANKED, None)


def test_sklearn_turns_ties_round_where_it_ignores_them(peer):
    tool = peer("sklearn")
    tied = {"q": dict.fromkeys("abc", 1.0)}
    first = tool.FUNCTIONS["ndcg_score(ignore_ties=True)@{k}"]({"q": {"a": 1}}, tied, 3)[1]
    last = tool.FUNCTIONS["ndcg_score(ignore_ties=True)@{k}"]({"q": {"c": 1}}, tied, 3)[1]
    assert (first, last) == (0.5, 1.0)


def test_ranx_cuts_grades_to_whole_numbers(peer):
    value = peer("ranx").FUNCTIONS["ndcg@{k}"]({"q": {"a": 0.5, "b": 1.5}}, RANKED, 5)[1]
    assert value == pytest.approx(0.6309297535714575)


def test_ir_measures_accuracy_fails_if_all_documents_are_relevant(peer):
    accuracy = peer("ir_measures").FUNCTIONS["Accuracy"]
    with pytest.raises(ZeroDivisionError):
        accuracy({"q": {"a": 1}}, {"q": {"a": 1.0}}, None)


def test_ranx_takes_a_grade_as_its_own_gain_in_rbp(peer):
    value = peer("ranx").FUNCTIONS["rbp.80"]({"q": {"a": 3}}, RANKED, None)[1]
    assert value == pytest.approx(3 * 0.2)
    ours = rs.evaluate({"q": {"a": 3}}, RANKED, ["rbp.80"], like="ranx")["rbp.80"]
    assert ours == pytest.approx(0.2)


def test_spark_does_not_read_the_grades_it_is_given(peer):
    graded = peer("spark").FUNCTIONS["ndcgAt(graded)@{k}"]
    for judged in ({"a": 3, "z": 1}, {"a": 1, "z": 3}, {"a": 0, "z": 0}):
        assert graded({"q": judged}, RANKED, 3)[1] == pytest.approx(0.6131471927654584)


def test_spark_counts_a_repeated_document_again(peer):
    assert peer("spark").of_rows([(["a", "a", "b"], ["a"])], 2, name="precisionAt") == 1
    assert rs.evaluate({"q": ["a"]}, {"q": ["a", "a", "b"]}, ["P@2"])["P@2"] == 0.5


REPEATED = {"q": ["a", "a", "x", "b"]}
TWO = {"q": {"a": 1, "b": 1}}


def test_llama_index_counts_a_repeated_node_again(peer):
    tool = peer("llama_index")
    for name in ("ap", "ndcg", "hit_rate(use_granular_hit_rate=True)"):
        value = tool.FUNCTIONS[name](TWO, REPEATED, None)[0]["q"]
        assert value > 1
        assert rs.evaluate(TWO, REPEATED, [name], like="llama_index")[name] == value


def test_mlflow_ideal_holds_repeated_documents_and_ends_with_the_list(peer):
    ndcg = peer("mlflow").FUNCTIONS["ndcg_at_{k}"]
    assert ndcg({"q": {"a": 1}}, {"q": ["a", "a"]}, 2)[1] == pytest.approx(1.0)
    assert ndcg(TWO, {"q": ["a"]}, 5)[1] == pytest.approx(1.0)


def test_mteb_accuracy_leaves_out_queries_without_a_hit(peer):
    peer("mteb")
    from mteb._evaluators.retrieval_metrics import top_k_accuracy

    judged, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "r": {"c": 1.0}}
    assert top_k_accuracy(judged, run, [1]) == {"Accuracy@1": [1.0]}


def test_p_mrr_of_two_runs_is_that_of_mteb(peer):
    peer("mteb")
    from mteb._evaluators.retrieval_metrics import calculate_pmrr

    for seed in range(20):
        rng = random.Random(seed)
        docs = [f"d{i}" for i in range(9)]
        queries = [f"q{i}" for i in range(4)]
        changed = {q: rng.sample(docs, rng.randint(1, 4)) for q in queries}
        before, after = (
            {q: {d: float(rng.randint(0, 6)) for d in rng.sample(docs, 6)} for q in queries}
            for _ in range(2)
        )
        expected = calculate_pmrr(
            {f"{q}-og": own for q, own in before.items()},
            {f"{q}-changed": own for q, own in after.items()},
            changed,
        )
        assert rs.p_mrr(changed, before, after).value == pytest.approx(expected, abs=1e-12)


def test_quepid_is_not_a_number_on_the_server_if_a_document_is_not_rated(peer):
    case = {"docs": [{"rating": 1}, {}], "best": [{"rating": 1}], "max": 1}
    for name in ("cg", "dcg"):
        (value,) = peer("quepid").score(name, 10, [case])
        assert value != value


def test_azure_takes_the_last_score_of_a_repeated_document(peer):
    peer("azure_ai_evaluation")
    from azure.ai.evaluation import DocumentRetrievalEvaluator

    scores = [("a", 3.0), ("b", 2.0), ("a", 1.0)]
    found = DocumentRetrievalEvaluator()(
        retrieval_ground_truth=[
            {"document_id": "a", "query_relevance_label": 1},
            {"document_id": "b", "query_relevance_label": 0},
        ],
        retrieved_documents=[{"document_id": d, "relevance_score": s} for d, s in scores],
    )["document_retrieval_properties"]
    assert (found["top1_relevance"], found["total_retrieved_documents"]) == (0, 3)


# The page says what the files of the tools and the comparison say.


@pytest.fixture(scope="module")
def page():
    return {name: table.read(name) for name in TESTED}


def test_the_pages_have_the_rows_of_every_tested_tool(page):
    assert {path.stem for path in table.FOLDER.glob("*.md")} == {*TESTED}
    for name in TESTED:
        assert page[name] == table.rows(rs.TOOLS[name]), f"{name}: run python tests/peers/table.py"
        text = "\n".join(table.tool_page(rs.TOOLS[name], page[name])) + "\n"
        assert table.page_of(name).read_text(encoding="utf-8") == text


def test_the_list_of_tools_counts_what_is_missing(page):
    assert "\n".join(table.index(page)) in table.PAGE.read_text(encoding="utf-8")


def test_nothing_on_the_page_is_left_uncompared(page):
    left = {
        (n, row.name) for n, rows in page.items() for row in rows if row.verdict == table.NOT_RUN
    }
    assert left == {("trec_eval-10", "rbp"), ("trec_eval-10", "rbp.{gain}")}
