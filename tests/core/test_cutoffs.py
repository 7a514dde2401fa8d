"""Cutoffs that are budgets, and cutoffs that count chunks."""

import random

import pytest
from strategies import examples

import rankstone as rs
from rankstone.measures.parse import parse_measure

LENGTHS = {"x": 500, "a": 700, "y": 400, "b": 600}
JUDGED = {"q1": {"a": 1, "b": 1, "z": 1}}
RUN = {"q1": ["x", "a", "y", "b"]}


def brute_force(relevant, docs, lengths, budget, keep):
    found, spent = 0, 0
    for doc in docs:
        if spent + lengths[doc] > budget:
            found += keep and spent < budget and doc in relevant
            break
        spent += lengths[doc]
        found += doc in relevant
    return found / len(relevant)


@pytest.mark.parametrize("rule", ["drop", "keep"])
def test_recall_within_a_budget_is_that_of_a_brute_force_and_never_falls(rule):
    draw = random.Random(5)
    for case in range(examples(1000)):
        docs = [f"d{i}" for i in range(draw.randint(1, 15))]
        lengths = {doc: draw.choice((0, 1, draw.randint(1, 400), 0.1)) for doc in docs}
        ranked = draw.sample(docs, draw.randint(1, len(docs)))
        relevant = draw.sample([*docs, "m1", "m2"], draw.randint(1, min(4, len(docs) + 2)))
        total = round(sum(lengths[doc] for doc in ranked), 1)
        budgets = sorted({1, 0.3, draw.randint(1, 300), draw.randint(1, 2000), total or 1})
        names = [f"R@{n}tokens" for n in budgets]
        options = {"lengths": lengths, "over_budget": rule}
        result = rs.evaluate({"q": relevant}, {"q": ranked}, names, **options)
        tenths = {doc: round(10 * n) for doc, n in lengths.items()}  # exact sums
        expected = [
            brute_force(set(relevant), ranked, tenths, round(10 * n), rule == "keep")
            for n in budgets
        ]
        values = [result[parse_measure(name)] for name in names]
        assert values == expected, (case, ranked, lengths, names)
        assert values == sorted(values)


def chunks_by_hand(relevant, chunks, k):
    docs = {chunk.split("#")[0] for chunk in chunks[:k]}
    return len(docs & set(relevant)) / len(relevant)


@pytest.mark.parametrize("listed", [True, False])
def test_cutoffs_of_chunks_count_chunks(listed):
    draw = random.Random(9)
    for _ in range(200):
        every = [f"d{i}#{n}" for i in range(6) for n in range(4)]
        chunks = draw.sample(every, draw.randint(1, 20))
        relevant = draw.sample([f"d{i}" for i in range(8)], draw.randint(1, 4))
        run = chunks if listed else {c: 1.0 - i / 50 for i, c in enumerate(chunks)}
        lengths = {chunk: draw.randint(1, 9) for chunk in every}
        k, budget = draw.randint(1, 22), draw.randint(1, 90)
        options = {"parents": "{doc}#{n}", "cutoff_unit": "chunk", "lengths": lengths}
        found = rs.evaluate({"q": relevant}, {"q": run}, [f"R@{k}", f"R@{budget}tokens"], **options)
        spent = [sum(lengths[c] for c in chunks[: i + 1]) for i in range(len(chunks))]
        within = sum(total <= budget for total in spent)
        assert found[f"R@{k}"] == chunks_by_hand(relevant, chunks, k)
        assert found[f"R@{budget}tokens"] == chunks_by_hand(relevant, chunks, within)


def test_judged_chunks_beside_cutoffs_of_chunks():
    options = {"parents": "{doc}#{n}", "cutoff_unit": "chunk", "judged_chunks": True}
    run = {"q": {"a#1": 0.9, "a#2": 0.8, "b#1": 0.7}}
    for rule in ("first", "max"):
        result = rs.evaluate({"q": ["a#1", "b#9"]}, run, "R@2", parent_rule=rule, **options)
        assert result["R@2"] == 0.5


def test_excluded_documents_have_no_chunks():
    run = {"q": ["x#1", "x#2", "a#1", "b#1"]}
    options = {"parents": "{doc}#{n}", "cutoff_unit": "chunk", "exclude": {"q": ["x"]}}
    assert rs.evaluate({"q": ["a", "b"]}, run, "R@1", **options)["R@1"] == 0.5


def test_a_list_that_a_budget_has_cut_is_a_whole_list():
    names = ["P@1600tokens", "AP@1600tokens", "RR@499tokens", "Success@1200tokens", "Judged@1200tokens"]  # fmt: skip
    result = rs.evaluate(JUDGED, RUN, names, lengths=LENGTHS)
    whole = rs.evaluate(JUDGED, {"q1": ["x", "a", "y"]}, ["P", "AP"])
    assert [result[name] for name in names] == [whole["P"], whole["AP"], 0, 1, 0.5]


def test_holes_within_a_budget():
    judged = {"q1": {"a": 1}, "q2": {"y": 1}}
    found = rs.evaluate(
        judged, {**RUN, "q2": ["a"]}, ["Hole@500tokens", "Hole@2000tokens"], lengths=LENGTHS
    )
    assert found.per_query["q1"] == {"Hole@500tokens": 1.0, "Hole@2000tokens": 1 / 3}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("drop", "Document 4, 'b' of 600, breaks the budget (1,600 of 2,000 tokens before it) and is left out"),
        ("keep", "Document 4, 'b' of 600, breaks the budget (1,600 of 2,000 tokens before it) and counts."),
    ],
)  # fmt: skip
def test_explain_shows_where_the_budget_broke(rule, words):
    shown = rs.explain("R@2000tokens", JUDGED, RUN, lengths=LENGTHS, over_budget=rule)
    assert words in str(shown)
    assert shown.retrieved == {"drop": 3, "keep": 4}[rule]


def test_explain_says_how_many_documents_the_chunks_are_of():
    run = {"q": ["a#1", "a#2", "x#1", "b#1"]}
    options = {"parents": "{doc}#{n}", "cutoff_unit": "chunk"}
    shown = rs.explain("R@3", {"q": ["a", "b"]}, run, **options)
    assert "The first 3 chunks are of 2 documents." in str(shown)
    assert shown.value == 0.5


def test_lengths_are_a_dict_a_series_a_table_or_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    table = {"doc_id": list(LENGTHS), "tokens": list(LENGTHS.values())}
    (tmp_path / "lengths.csv").write_text("doc_id,tokens\nx,500\na,700\ny,400\nb,600\n")
    (tmp_path / "lengths.tsv").write_text("x\t500\na\t700\ny\t400\nb\t600\n")
    (tmp_path / "lengths.json").write_text('{"x": 500, "a": 700, "y": 400, "b": 600}')
    forms = [
        LENGTHS, pandas.Series(LENGTHS), pandas.DataFrame(table), polars.DataFrame(table),
        *(tmp_path / f"lengths.{end}" for end in ("csv", "tsv", "json")),
    ]  # fmt: skip
    results = [rs.evaluate(JUDGED, RUN, "R@1700tokens", lengths=form) for form in forms]
    assert {result["R@1700tokens"] for result in results} == {1 / 3}
    first = results[0].changes["lengths"]
    assert all(result.changes["lengths"] == first for result in results)
    assert first.to_dict()["entries"] == 4
    other = rs.evaluate(JUDGED, RUN, "R@1700tokens", lengths={**LENGTHS, "b": 1})
    assert other.changes["lengths"] != first
    with pytest.raises(rs.DataError, match="lengths"):
        rs.compare({"a": results[0], "b": other}, measures="R@1700tokens")


def test_a_budget_is_printed_as_it_is_read():
    for text in ("R@2000tokens", "nDCG(gain='exp2')@0.5cost", "P@100characters"):
        assert str(rs.parse_measure(text)) == text
    assert str(rs.R @ "2000tokens") == "R@2000tokens"
    assert rs.parse_measure("R(k='2000tokens')") == rs.parse_measure("R@2000tokens")


@pytest.mark.parametrize(
    ("measures", "options", "words"),
    [
        ("R@2000tokens", {}, "lengths={document: number} (--lengths FILE)"),
        ("R@2000tokens", {"lengths": {"x": 1}}, "document 'a', retrieved for query 'q1', has no length"),
        ("R@2000tokens", {"lengths": {**LENGTHS, "a": -1}}, "lengths are 0 or more"),
        ("R@2000tokens", {"lengths": {**LENGTHS, "a": "long"}}, "is not a number"),
        ("R@2000tokens", {"lengths": {}}, "there are no lengths"),
        ("R@2000tokens", {"lengths": [1, 2]}, "lengths= is a dict"),
        ("R@2000tokens", {"over_budget": "keep"}, "over_budget= needs lengths="),
        ("R@2", {"cutoff_unit": "chunk"}, "cutoff_unit= needs parents="),
        (["R@2tokens", "R@2bytes"], {"lengths": LENGTHS}, "one unit"),
        ("R@2apples", {"lengths": LENGTHS}, "a budget such as 2000tokens"),
        ("R@0tokens", {"lengths": LENGTHS}, "a budget such as 2000tokens"),
        ("FallOut@9tokens", {"lengths": LENGTHS}, "reads documents below the cutoff"),
        ("R@9tokens", {"lengths": LENGTHS, "unjudged": "remove"}, "unjudged documents were removed"),
        ("R@9tokens", {"lengths": LENGTHS, "unjudged_interval": True}, "is not known for R@9tokens"),
    ],
)  # fmt: skip
def test_budgets_that_cannot_be_kept_are_refused(measures, options, words):
    with pytest.raises((rs.UsageError, rs.DataError)) as caught:
        rs.evaluate(JUDGED, RUN, measures, **options)
    assert words in str(caught.value)


def test_ties_without_an_order_and_sums_of_chunks_are_refused():
    tied = {"q1": {"x": 1.0, "a": 1.0, "y": 0.5, "b": 0.1}}
    with pytest.raises(rs.UsageError, match="more than one order of tied documents"):
        rs.evaluate(JUDGED, tied, "R@900tokens", lengths=LENGTHS, ties="expected")
    assert rs.evaluate(JUDGED, tied, "R@1000tokens", lengths=LENGTHS, ties="docid-asc")["R@1000tokens"] == 1 / 3  # fmt: skip
    options = {"parents": "{doc}#{n}", "parent_rule": "sum", "cutoff_unit": "chunk"}
    with pytest.raises(rs.UsageError, match="goes with the rules 'first' and 'max'"):
        rs.evaluate({"q": ["a"]}, {"q": {"a#1": 1.0}}, "R@1", **options)


def test_ranks_beside_lengths_are_ranks():
    result = rs.evaluate(
        JUDGED, RUN, ["R@2", "FallOut@2", "R@10tokens"], lengths=LENGTHS, unjudged="nonrelevant"
    )
    plain = rs.evaluate(JUDGED, RUN, ["R@2", "FallOut@2"])
    assert [result[m] for m in plain.measures] == [plain[m] for m in plain.measures]


def test_a_report_draws_a_measure_over_its_budget():
    runs = {"one": RUN, "two": {"q1": ["a", "b", "x", "y"]}}
    model = rs.report(JUDGED, runs, ["R@1300tokens"], lengths=LENGTHS).model
    family = model.cutoffs["R"]
    assert family["k"] == [162.5, 325, 650, 1300, 2600, 5200]
    assert family["means"][1] == pytest.approx([0, 0, 0, 2 / 3, 2 / 3, 2 / 3])


def test_parents_may_be_a_function():
    run = {"q": ["a#1", "a#2", "x#1", "b#1"]}
    by_function = rs.evaluate(
        {"q": ["a", "b"]}, run, "R@2", parents=lambda chunk: chunk.split("#")[0]
    )
    assert (
        by_function["R@2"] == rs.evaluate({"q": ["a", "b"]}, run, "R@2", parents="{doc}#{n}")["R@2"]
    )
    assert "function" in by_function.changes["parents"]
    assert rs.Result.from_json(by_function.to_json()).changes == by_function.changes
    with pytest.raises(rs.DataError, match="returned None for chunk"):
        rs.evaluate({"q": ["a"]}, run, "R@2", parents=lambda chunk: None)


class Document:
    """As LangChain has it."""

    def __init__(self, source, n):
        self.page_content, self.id, self.metadata = "text", f"{source}-{n}", {"source": source}


@pytest.mark.parametrize("scored", [False, True])
def test_a_path_of_result_objects_is_the_document(scored):
    documents = [Document("x.md", 1), Document("a.md", 1), Document("a.md", 2)]
    run = {"q": [(d, 1 - i / 9) for i, d in enumerate(documents)] if scored else documents}
    result = rs.evaluate({"q": ["a.md"]}, run, "RR", columns={"doc": "metadata.source"})
    assert result["RR"] == 0.5
    assert "doc=metadata.source" in repr(result)
    with pytest.raises(rs.DataError, match="a Document has no value at 'metadata.url'"):
        rs.evaluate({"q": ["a.md"]}, run, "RR", columns={"doc": "metadata.url"})
