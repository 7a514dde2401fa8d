"""What measures are called, what their pages say, and what is known about them."""

import math

import numpy as np
import pytest

import rankstone as rs
from rankstone.core.collection import MatchedCollection
from rankstone.measures import manual
from rankstone.measures.explain import parameters_in_words, workings
from rankstone.measures.parse import read_measure, split_names
from rankstone.measures.request import requested_measures, ways_in_tool
from rankstone.verbs.load import load_judgments, load_run


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        (" nDCG@10\tAP ,\n P@5 ", ["nDCG@10", "AP", "P@5"]),
        ("P.5,10 AP", ["P.5,10", "AP"]),
        ("nDCG(gain=exp2, ideal=uncut)@10, AP", ["nDCG(gain=exp2, ideal=uncut)@10", "AP"]),
        ("", [""]),
        (", AP", [", AP"]),
        ("AP,", ["AP,"]),
    ],
)
def test_a_text_names_several_measures(text, names):
    assert split_names(text) == names


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("P@123456789012345", rs.P @ 123456789012345),
        ("IPrec(recall=0.25)", rs.IPrec @ 0.25),
        ("iprec_at_recall_0.5", rs.IPrec @ 0.5),
        ("map(k=3)", rs.AP @ 3),
        ("hits@5", rs.measures.NumRelRet @ 5),
        ("hits", rs.measures.NumRelRet),
        ("set_recall", rs.R),
        ("11pt_avg", rs.measures.AvgIPrec),
        ("accuracy@3", rs.Success @ 3),
        ("nDCG(dcg='exp-log2')@5", rs.nDCG(gain="exp2") @ 5),
        ("nDCG(gain=exp2)", rs.nDCG(gain="exp2")),
        ("ndcg_5", rs.nDCG @ 5),
        ("ndcg.5", rs.nDCG @ 5),
    ],
)
def test_names_that_are_read(text, measure):
    assert rs.parse_measure(text) == measure


LISTS = " 'rankstone measures' lists them all."
WRITE = "; write them as in nDCG(gain='exp2', ideal='uncut')@10."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P@1.5", "the cutoff in 'P@1.5' must be a whole number, or a budget such as 2000tokens, not '1.5'; each measure is named on its own."),
        ("P@²", "the cutoff in 'P@²' must be a whole number, or a budget such as 2000tokens, not '²'; each measure is named on its own."),
        ("P@x", "the cutoff in 'P@x' must be a whole number, or a budget such as 2000tokens, not 'x'; each measure is named on its own."),
        ("IPrec@0.5.5", "the cutoff in 'IPrec@0.5.5' must be a number, not '0.5.5'; each measure is named on its own."),
        ("P@1234567890123456", "the cutoff in 'P@1234567890123456' is too large; leave it out for all documents."),
        ("P(k=3)@5", "'P(k=3)@5' gives its cutoff twice, as k= and after @."),
        ("IPrec(recall=0.5)@0.5", "'IPrec(recall=0.5)@0.5' gives its cutoff twice, as recall= and after @."),
        ("P(3)", "cannot read the parameters of 'P(3)'" + WRITE),
        ("P(k=3, k=4)", "cannot read the parameters of 'P(k=3, k=4)'" + WRITE),
        ("P(k=[)", "cannot read the parameters of 'P(k=[)'" + WRITE),
        ("P(k=1)(rel=2)", "cannot read the parameters of 'P(k=1)(rel=2)'" + WRITE),
        ("P(k=1).f(rel=2)", "cannot read the parameters of 'P(k=1).f(rel=2)'" + WRITE),
        ("P(k=1)+f(rel=2)", "cannot read the parameters of 'P(k=1)+f(rel=2)'" + WRITE),
        ("P(foo=1)", "P has no parameter 'foo'. It has: k, rel, denominator."),
        ("P(rell=1)", "P has no parameter 'rell'. Did you mean rel? It has: k, rel, denominator."),
        ("NumQ(rel=1)", "NumQ has no parameter 'rel'. It has none."),
        ("P(gain='exp2')@3", "P has no parameter 'gain'. It has: k, rel, denominator."),
        ("nDCG(gain='exp3')", None),
        ("pxx", "unknown measure 'pxx'." + LISTS),
        ("5", "unknown measure '5'." + LISTS),
        ("ngcd", "unknown measure 'ngcd'. Did you mean nDCG?" + LISTS),
        ("recalll@7", "unknown measure 'recalll@7'. Did you mean R@7?" + LISTS),
        ("ndgc_5", "unknown measure 'ndgc_5'. Did you mean nDCG@5?" + LISTS),
        ("ndgc.5", "unknown measure 'ndgc.5'. Did you mean nDCG@5?" + LISTS),
        ("ndgc_at_5", "unknown measure 'ndgc_at_5'. Did you mean nDCG@5?" + LISTS),
        ("Bpreff@5", "unknown measure 'Bpreff@5'. Did you mean Bpref?" + LISTS),
        ("hit_rat@5", "unknown measure 'hit_rat@5'. Did you mean Success@5?" + LISTS),
        ("nDCG(gain=exp2", "unknown measure 'nDCG(gain=exp2'. Did you mean nDCG?" + LISTS),
        ("zndcg", "unknown measure 'zndcg'." + LISTS),
        ("relstring", "unknown measure 'relstring': trec_eval has one (it is text, not a number; 'rankstone trec_eval' prints it); pytrec_eval has one (it is text, not a number; 'rankstone trec_eval' prints it)."),
        ("accuracy", "'accuracy' means different measures: AUC in ir_measures, Success in beir, R in mteb, Success in sentence_transformers. Name the tool with like= or --like, or write the measure's own name."),
    ],
)  # fmt: skip
def test_names_that_are_not_read(text, message):
    with pytest.raises(rs.UsageError) as caught:
        rs.parse_measure(text)
    if message is None:
        message = "unknown value for gain of nDCG 'exp3'"
        assert str(caught.value).startswith(message)
    else:
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "tool", "message"),
    [
        ("auc", "lightgbm-4", "cannot give the number of lightgbm-4's 'auc': "),
        ("rbp", "trec_eval-9", "cannot give the number of trec_eval-9's 'rbp': "),
        ("rbp", "ranx-0.3", "cannot give the number of ranx-0.3's 'rbp': "),
        ("nDCG(dcg='exp-log2')@5.5", "ir_measures-0.4", "the cutoff in \"nDCG(dcg='exp-log2')@5.5\" must be a whole number"),
    ],
)  # fmt: skip
def test_names_that_a_tool_has_and_rankstone_does_not(text, tool, message):
    with pytest.raises(rs.UsageError) as caught:
        read_measure(text, rs.TOOLS[tool])
    assert str(caught.value).startswith(message)
    ours = {"auc": " Write AUC for Rankstone's own.", "rbp": " Write RBP for Rankstone's own."}
    assert str(caught.value).endswith(ours.get(text.partition("@")[0], "."))


@pytest.mark.parametrize(
    ("text", "tool", "measure", "base"),
    [
        ("AUC", "lightgbm-4", rs.AUC, None),
        ("RBP", "trec_eval-9", rs.RBP, None),
        ("accuracy", "ir_measures-0.4", rs.AUC(negatives="retrieved", missed="ignore", tied="order"), "Accuracy"),
        ("AP(k=3)", "trec_eval-9", rs.AP @ 3, "map_cut"),
        ("AP", "trec_eval-9", rs.AP, "map"),
        ("ERR", "trec_eval-9", rs.ERR, None),
        ("nDCG(dcg='exp-log2')@5", "ir_measures-0.4", rs.nDCG(gain="exp2") @ 5, "nDCG(dcg='exp-log2')"),
        ("nDCG(cutoff=5)", "ir_measures-0.4", rs.nDCG @ 5, "nDCG"),
        ("SetF(beta=4)", "ir_measures-0.4", rs.F(beta=2), "SetF"),
        ("SetP(relative=True)", "ir_measures-0.4", rs.P(denominator="min(k,R)"), "SetP(relative=True)"),
        ("P(rel=2)@3", "ir_measures-0.4", rs.P(rel=2) @ 3, "P"),
        ("map", "ranx-0.3", rs.AP, "map"),
        ("rbp@5", "ranx-0.3", rs.RBP(p=0.5), "rbp@{p:decimals}"),
        ("P@5", "lightgbm-4", rs.P @ 5, None),
        (rs.nDCG @ 5, "trec_eval-9", rs.nDCG @ 5, "ndcg_cut"),
        (rs.nDCG, "trec_eval-9", rs.nDCG, "ndcg"),
        (rs.nDCG, "sklearn-1", rs.nDCG, "ndcg_score"),
    ],
)  # fmt: skip
def test_measures_as_a_tool_has_them(text, tool, measure, base):
    found, name = read_measure(text, rs.TOOLS[tool])
    assert (found, name.base if name else None) == (measure, base)


def test_a_request_says_what_a_tool_does_not_have():
    missing, other, same = requested_measures(["ERR", "AP@5", "P@5"], rs.TOOLS["torchmetrics-1"])
    assert (missing.notice.code, missing.notice.count, missing.notice.level) == ("not-in-tool", 1, "note")  # fmt: skip
    assert missing.notice.text == (
        "ERR has no name in torchmetrics that Rankstone knows; computed with its conventions"
    )
    assert (other.notice.code, other.notice.count, other.notice.level) == ("tool-differs", 1, "note")  # fmt: skip
    assert other.notice.text.startswith(f"{other.measure} is not quite torchmetrics's ")
    assert [r.column for r in (missing, other)] == ["ERR", str(other.measure)]
    assert same.tool_name is not None
    assert requested_measures("ERR")[0].notice is None


def test_names_of_one_measure_share_a_column():
    first, second = requested_measures(["P@5", "AP", "P(k=5)", "precision@5"])
    assert (first.names, first.column) == (("P@5", "P(k=5)", "precision@5"), "P@5")
    assert (second.names, second.column) == (("AP",), "AP")


def test_two_ways_of_one_measure_have_columns_of_their_own():
    names = ["ndcg_score@5", "ndcg_score(ignore_ties=True)@5"]
    requests = requested_measures(names, rs.TOOLS["sklearn-1"])
    assert [(r.names, r.column) for r in requests] == [((name,), name) for name in names]
    assert [r.measure for r in requests] == [rs.nDCG @ 5, rs.nDCG @ 5]
    ways = ways_in_tool(rs.nDCG @ 5, rs.TOOLS["sklearn-1"])
    assert [way.column for way in ways] == names
    assert [way.column for way in ways_in_tool(rs.AP, rs.TOOLS["trec_eval-9"])] == ["map"]
    assert [w.column for w in ways_in_tool(rs.AP @ 3, rs.TOOLS["trec_eval-9"])] == ["map_cut_3"]
    assert ways_in_tool(rs.ERR, rs.TOOLS["trec_eval-9"]) == []


PAGE = """\
RBP: Rank-biased precision

{text}

Range: 0 to 1; higher is better.
Aggregate over queries: mean.
Conventions that matter most: ties, unjudged, no_relevant.

Parameters:
  k: cutoff: only the first k documents are read; or a budget such as 2000tokens
  rel: lowest grade that counts as relevant
  p: persistence: the probability that the user reads on (default 0.8)
  gain: gain of a grade, from 0 to 1; a table such as {{1: 0.5, 2: 1}} gives it by hand \
(divided by its highest gain, if that is above 1) (default 'binary')
      'binary': 1 for a relevant document
      'scaled': the grade over the highest grade of the query, if that is above 1
  unlisted: gain of grades that a table does not list (default 'zero')
      'zero': 0
      'grade': the grade itself, as in trec_eval
      'error': an error

Example: grades in rank order 1, 0, 1
  RBP(p=0.5) = 0.5 * (1 + 0.25)

Names elsewhere:
  trec_eval-10: rbp, rbp.{{gain}}, rbp_{{gain}}, rbp.p={{p}}, rbp_p={{p}}
  ir_measures-0.4: RBP
  cwl_eval-1: RBPCWLMetric({{p}})
  ranx-0.3: rbp.{{p}}, rbp@{{p}}, rbp.{{p}}-l{{rel}}
  lenskit-2025: RBP@{{k}}"""


def test_a_manual_page():
    assert "\n".join(manual.page(rs.RBP)) == PAGE.format(text=rs.RBP.definition.text)
    assert rs.RBP.__doc__ == "\n".join(manual.page(rs.RBP))
    assert type(rs.RBP).__doc__.startswith("A measure with its parameters, as a value.")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Utility", "Range: -inf to no upper bound; higher is better."),
        ("NumRet", "Range: 0 to no upper bound; higher is better."),
        ("NumRet", "Aggregate over queries: sum."),
        ("Unjudged", "Range: 0 to 1; lower is better."),
        ("NumQ", "Parameters: none."),
        ("RBPResidual", "Example: grades in rank order 1, unjudged, 1"),
        ("StRecall", "Example: grades in rank order a:1 b:1, none, a:1, b:1; not retrieved: c:1"),
        ("StRecall", "It reads judgments by subtopic; without them a query is its only subtopic."),
    ],
)
def test_lines_of_manual_pages(name, line):
    assert line in manual.page(rs.parse_measure(name))
    assert ("It reads" in "".join(manual.page(rs.parse_measure(name)))) == (name == "StRecall")


def test_the_index_of_measures():
    lines = list(manual.index(rs.all_measures()))
    assert lines[:10] == [
        "Cumulated gain, with and without discount, and normalised",
        "  CG@k              The sum of the gains of the first k documents.",
        "  DCG@k             The sum of the gains of the first k documents, each",
        "                    discounted by its rank.",
        "  IdealDCG@k        The DCG of all judged documents, best first: the most that",
        "                    any ranking can have.",
        "  nDCG@k            DCG over the DCG of the ideal ranking.",
        "",
        "Precision and R-precision",
        "  P@k               The share of the first k documents that are relevant.",
    ]
    assert max(map(len, lines)) <= 79
    longest = max(len(line) for line in lines if line.startswith(" "))
    assert longest > 75
    assert list(manual.families(rs.all_measures()))[:4] == [
        "Cumulated gain, with and without discount, and normalised",
        "Precision and R-precision",
        "Recall, completeness and fall-out",
        "Average precision",
    ]


def test_a_page_as_data():
    page = manual.as_dict(rs.RBP)
    assert (page["range"], page["higher_is_better"], page["aggregate"]) == ([0, 1], True, "mean")
    assert page["summary"] == (
        "The expected gain per document of a user who reads on with probability p."
    )
    assert page["family"] == (
        "C/W/L: the expected gain of a user who reads on, or stops, at each rank"
    )
    assert [(p["name"], p["default"], list(p["choices"])) for p in page["parameters"]] == [
        ("k", None, []),
        ("rel", None, []),
        ("p", 0.8, []),
        ("gain", "binary", ["binary", "scaled"]),
        ("unlisted", "zero", ["zero", "grade", "error"]),
    ]
    assert list(page["names"]) == [
        "trec_eval-10", "ir_measures-0.4", "cwl_eval-1", "ranx-0.3", "lenskit-2025",
    ]  # fmt: skip
    assert manual.as_dict(rs.measures.Utility)["range"] == [-math.inf, None]


def test_parameters_in_words():
    assert list(parameters_in_words(rs.nDCG)) == []
    every = [
        "gain='linear': the grade itself",
        "discount='log2': 1 / log2(rank + 1)",
        "ideal='judged': all judged documents, best first, cut at k",
    ]
    assert list(parameters_in_words(rs.nDCG, every=True)) == every
    table = rs.nDCG(gain={1: 2})
    assert list(parameters_in_words(table)) == ["gain=((1.0, 2.0),): as given"]
    assert list(parameters_in_words(table, every=True)) == [
        "gain=((1.0, 2.0),): as given", "unlisted='zero': 0", *every[1:],
    ]  # fmt: skip
    assert rs.measures.NumPref.definition.formula == (
        "The number of preferences between documents, or of those that the ranking keeps."
    )
    assert rs.RBP.definition.formula == "RBP = (1 - p) * sum over ranks i of gain_i * p^(i - 1)"
    assert (
        rs.RR.definition.formula == "RR = 1 / rank of the first relevant document. Its mean is MRR."
    )


def test_how_much_of_a_list_is_read():
    plain, tied = rs.Conventions(), rs.Conventions(ties="optimistic")
    assert (rs.P @ 5).list_needs(plain).k == 5
    assert rs.R.list_needs(plain).k is None
    assert (rs.P @ 5).list_needs(plain).supports_expected_ties
    assert not (rs.RBP @ 9).list_needs(plain).supports_expected_ties
    assert (rs.P @ 5).list_needs(rs.Conventions(sums="plain")).k is None
    assert (rs.P @ 5).list_needs(tied).k == 5
    assert (rs.measures.P_IA @ 5).list_needs(tied).k is None
    assert (rs.measures.P_IA @ 5).list_needs(plain).k == 5
    assert (rs.nDCG(gain={1: 2}) @ 5).list_needs(plain).k == 5
    assert (rs.nDCG(gain={0: 1, 1: 2}) @ 5).list_needs(plain).k is None
    assert rs.Bpref.list_needs(plain).nonrelevant
    assert rs.AUC(pairs="all").list_needs(plain).nonrelevant
    assert not rs.AP.list_needs(plain).nonrelevant


def ranked(judged, run, **conventions):
    data = MatchedCollection(load_run(run), load_judgments(judged))
    return data.ranked(rs.Conventions(**conventions))


def columns(steps):
    return [steps.offsets.tolist(), *(c.tolist() for c in (steps.term, steps.rank, steps.grade))]


def test_workings_down_to_a_depth():
    data = ranked({"q": {"a": 2, "b": 0, "c": 1}, "r": {"a": 1}}, {"q": ["b", "x", "c", "a"], "r": ["a"]})  # fmt: skip
    found = workings(rs.CG, data, 3)
    assert columns(found.steps) == [[0, 2, 3], [0, 1, 1], [1, 3, 1], [0, 1, 1]]
    assert found.total.tolist() == [3, 1]
    assert (found.ideal, found.denominator, found.constant) == (None, None, None)
    assert columns(workings(rs.CG @ 2, data, 3).steps) == [[0, 1, 2], [0, 1], [1, 1], [0, 1]]
    ideal = workings(rs.nDCG, data, 1).ideal
    assert columns(ideal) == [[0, 1, 2], [2, 1], [1, 1], [2, 1]]
    weighted = workings(rs.RBP(p=0.5), data, 4).steps
    assert weighted.term.tolist() == [0, 0.125, 0.0625, 0.5]
    assert weighted.columns["weight"].tolist() == [0.5, 0.125, 0.0625, 0.5]
    assert columns(workings(rs.Rprec, data, 9).steps)[0] == [0, 1, 2]


def test_workings_whose_steps_are_no_documents():
    data = ranked({"q": {"a": 2, "b": 1}, "r": {"a": 1}}, {"q": ["b", "a"], "r": ["x", "a"]})
    for depth, sizes in ((1, [0, 1, 2]), (2, [0, 2, 3]), (3, [0, 2, 3])):
        steps = workings(rs.measures.RnDCG, data, depth).steps
        assert steps.offsets.tolist() == sizes
        assert (steps.rank, steps.grade, steps.judgment) == (None, None, None)
    assert steps.columns["rank"].tolist() == [1, 2, 1]
    parts = workings(rs.measures.RBPResidual(p=0.5), data, 3)
    assert (parts.steps, parts.total) == (None, None)
    assert parts.expression == "t + (1 - p) * s"
    assert parts.parts["p"].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(parts.parts["t"], [0.25, 0.25])
