"""Other tools: their files, and what their names mean."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import rankstone as rs
from peers import compare, items
from peers.compare import TESTED, stem
from rankstone import tools
from rankstone.measures.base import REGISTRY
from rankstone.measures.parse import read_measure
from rankstone.tools.base import Argument, Choices, Name, Tool

#: trec_eval's rbp reads numbers that were never set.
NOT_COMPARABLE = {"trec_eval-10": {"RBP"}}
FOLDER = Path(tools.__file__).parent


def test_every_tested_tool_has_an_adapter_that_compares_its_names():
    for name in TESTED:
        adapter = compare.adapter(name)
        assert callable(adapter.version)
        assert callable(adapter.registry)
        functions = (*adapter.FUNCTIONS, *items.FUNCTIONS.get(name, ()))
        entries = (compare.entry(rs.TOOLS[name], f) for f in functions)
        compared = {entry[1].measure for entry in entries if entry}
        assert compared == {n.measure for n in rs.TOOLS[name].names} - NOT_COMPARABLE.get(
            name, set()
        )


def test_every_file_is_listed_and_named_like_its_tools():
    others = {"__init__", "base", "fusion"}
    assert {path.stem for path in FOLDER.glob("*.py")} == {*tools.FILES, *others}
    for file in tools.FILES:
        versions = importlib.import_module(f"rankstone.tools.{file}").TOOLS
        assert [tool.family for tool in versions] == [file] * len(versions)


@pytest.mark.parametrize("tool", rs.TOOLS.values(), ids=lambda tool: tool.name)
def test_names_stand_for_measures_with_parameters_they_have(tool):
    for name in tool.names:
        definition = REGISTRY[name.measure].definition
        known = {p.name for p in definition.params}
        assert {*name.params} <= known, name
        assert {param for param, _ in tools.base.holes(name.pattern)} <= known, name
        for param, value in name.params.items():
            definition.param(param).check(value, name.measure)
    for argument in tool.arguments.values():
        params = {argument.param} - {""}
        for choices in argument.values.values():
            params |= {*choices.params}
        assert all(any(p in m.params for m in REGISTRY.values()) for p in params)
    bases = {n.base for n in tool.names}
    assert not bases & {Name(p, "").base for p in tool.unsupported if "{k}" not in p}, tool.name


@pytest.mark.parametrize("tool", rs.TOOLS.values(), ids=lambda tool: tool.name)
def test_every_name_of_every_tool_reads_back(tool):
    for name in tool.names:
        written = name.written({"k": 7, "rel": 2, "recall": 0.25, "multiple": 0.5, "p": 0.75,
                                "beta": 0.5, "T": 1.5, "precision": 0.5, "hit": 2, "noise": -1, "miss": 0.5, "rest": 0})  # fmt: skip
        if written is None:
            continue
        measure, read = read_measure(written, tool)
        assert measure.name == name.measure, written
        assert (read.params, read.conventions) == (name.params, name.conventions), written
        fixed = {*name.params} - {param for param, _ in tools.base.holes(name.pattern)}
        for param in fixed:
            check = measure.definition.param(param).check
            assert measure.params[param] == check(name.params[param], "x")


@pytest.mark.parametrize("tool", rs.TOOLS.values(), ids=lambda tool: tool.name)
def test_every_unsupported_name_is_refused_with_its_reason(tool):
    for pattern, reason in tool.unsupported.items():
        text = pattern.replace("{k}", "5").replace("{rel}", "2")
        with pytest.raises(rs.UsageError) as caught:
            read_measure(text, tool)
        assert reason in str(caught.value)
        assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Tool(name="a-1", abuot="x", conventions=rs.Conventions()), TypeError, "abuot"),
        (lambda: Tool(name="a-1", about="x"), TypeError, "conventions"),
        (lambda: Name("x", "AP", conventions={"tise": "input"}), rs.UsageError, "'tise'"),
        (lambda: Name("x", "AP", conventions={"ties": "inptu"}), rs.UsageError, "'inptu'"),
        (lambda: Name("x.{p:decimal}", "RBP"), rs.UsageError, "'decimal'"),
        (lambda: Argument("beta", "squared"), rs.UsageError, "'squared'"),
        (
            lambda: Argument(values={True: Choices(conventions={"unjudge": "remove"})}),
            rs.UsageError,
            "'unjudge'",
        ),
        (lambda: rs.tool("trec_evla"), rs.UsageError, "Did you mean trec_eval"),
        (lambda: rs.tool("ranx-9"), rs.UsageError, "unknown tool 'ranx-9'"),
        (lambda: rs.tool(7), rs.UsageError, "unknown tool 7"),
        (lambda: rs.TOOLS["ranx"], KeyError, "ranx"),
    ],
)
def test_misspelt_keys_fail(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("call", "loaded"),
    [
        ("rs.parse_measure('nDCG@10'); rs.parse_measure('ndcg(gain=exp2)@5')", set()),
        ("rs.evaluate({'q': {'d': 1}}, {'q': ['d']}, ['AP', 'P@5'])", set()),
        ("rs.evaluate({'q': {'d': 1}}, {'q': ['d']}, ['AP', 'map@5'], like='ranx')", {"ranx"}),
        ("rs.parse_measure('ndcg_cut_10')", set(tools.FILES)),
    ],
)
def test_tools_are_loaded_when_they_are_needed(call, loaded):
    script = (
        f"import sys, rankstone as rs; {call}; prefix = 'rankstone.tools.'; "
        "print(*(m.removeprefix(prefix) for m in sys.modules if m.startswith(prefix)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) - {"base", "texts"} == loaded


def test_no_name_of_another_tool_is_in_a_file_of_measures():
    """Names that are also Rankstone's own, or ordinary words, cannot be told apart."""
    ours = {n.lower() for n in REGISTRY} | {
        p.name for m in REGISTRY.values() for p in m.definition.params
    }
    words = {"hits", "precision", "recall", "success", "judged", "hit", "map", "auc", "accuracy",
             "average_precision", "reciprocal_rank", "diversity", "novelty", "entropy"}  # fmt: skip
    names = {stem(n.pattern) for tool in rs.TOOLS.values() for n in tool.names}
    names = {n for n in names if n.lower() not in ours | words and len(n) > 2}
    for path in (FOLDER.parent / "measures").glob("*.py"):
        docstrings, texts = set(), set()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                docstrings.add(ast.get_docstring(node, clean=False))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
        assert not names & (texts - docstrings), path.name


# Names and parameters.


@pytest.mark.parametrize(
    ("like", "text", "printed"),
    [
        ("trec_eval", "set_F.4", "F(beta=2)"),
        ("trec_eval-9", "set_F_0.25", "F(beta=0.5)"),
        (None, "set_F.4", "F(beta=2)"),
        ("trec_eval", "utility.2,-1,0.5,0", "Utility(hit=2, miss=0.5)"),
        ("trec_eval", "ndcg.1=3,2=9", "nDCG(gain={1: 3, 2: 9}, unlisted='grade')"),
        ("trec_eval", "11pt_avg.0,.5,1", "AvgIPrec(points=(0, 0.5, 1))"),
        ("trec_eval", "rbp.p=0.5", "RBP(p=0.5, gain='scaled')"),
        ("trec_eval", "rbp", "RBP(p=0.9, gain='scaled')"),
        ("ranx", "rbp.95", "RBP(p=0.95)"),
        ("ranx", "rbp@95", "RBP(p=0.95)"),
        (None, "rbp.95", "RBP(p=0.95)"),
        (None, "RBP@95", "RBP@95"),
        ("ranx", "rbp.50-l2", "RBP(rel=2, p=0.5)"),
        ("ranx", "mrr@3-l2", "RR(rel=2)@3"),
        ("ir_measures", "SetF(beta=4)", "F(beta=2)"),
        ("ir_measures", "F(beta=4)", "F(beta=4)"),
        ("ir_measures", "SetF(rel=2, beta=0.25)", "F(rel=2, beta=0.5)"),
        ("ir_measures", "nDCG(cutoff=5, gains={1: 2})", "nDCG(gain={1: 2}, unlisted='grade')@5"),
        ("ir_measures", "Accuracy", "AUC(negatives='retrieved', missed='ignore', tied='order')"),
        ("ir_measures", "SetP(relative=True, rel=2)", "P(rel=2, denominator='min(k,R)')"),
        ("xgboost", "ndcg-", "nDCG(gain='exp2')@32"),
        ("xgboost", "AUC", "AUC"),
        ("lenskit", "RBP(patience=0.5)@3", "RBP(p=0.5)@3"),
        ("spark", "AP(denominator='R')@2", "AP@2"),
        ("torchmetrics", "retrieval_auroc",
         "AUC(negatives='retrieved', missed='ignore', single_class='zero')"),
    ],
)  # fmt: skip
def test_parameters_in_a_name_mean_what_they_mean_in_its_tool(like, text, printed):
    measure, _ = read_measure(text, rs.tool(like) if like else None)
    assert str(measure) == printed


@pytest.mark.parametrize(
    ("like", "text"), [("trec_eval", "set_F.-4"), ("ir_measures", "SetF(beta=-4)")]
)
def test_parameters_out_of_bounds_are_refused(like, text):
    with pytest.raises(rs.UsageError, match="beta of F must be above 0, not -2"):
        read_measure(text, rs.tool(like))


def test_an_argument_of_a_tool_may_be_a_convention():
    judged, run = {"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}
    result = rs.evaluate(judged, run, ["RR", "RR(judged_only=True)"], like="ir_measures")
    assert (result["RR"], result["RR(judged_only=True)"]) == (0.5, 1.0)
    with pytest.raises(rs.UsageError, match="unknown value of judged_only '2'. Known: False, True"):
        rs.evaluate(judged, run, ["RR(judged_only=2)"], like="ir_measures")


@pytest.mark.parametrize(
    ("like", "text", "message"),
    [
        ("xgboost", "auc", "it is not the area under a query's ROC curve"),
        ("xgboost", "auc", "Write AUC for Rankstone's own."),
        ("mteb", "nauc", "mteb-2's 'nauc'"),
        ("rectools", "PAP@10", "it reads k items beyond the number of relevant ones"),
        ("ranx", "rbp", "'rbp.95' is p = 0.95"),
        ("trec_eval-9", "unj_5", "it is new in trec_eval 10"),
        ("trec_eval", "relstring", "it is text"),
        ("trec_eval", "map_avgjg", "judgments of several people"),
        (None, "nauc", "unknown measure 'nauc': mteb has one"),
        (None, "PAP@10", "unknown measure 'PAP@10': rectools has one"),
        ("ranx", "PAP@10", "unknown measure 'PAP@10': rectools has one"),
        (None, "Accuracy", "means different measures: AUC in ir_measures, Success in beir"),
    ],
)
def test_a_name_that_cannot_be_expressed_is_an_error_that_says_so(like, text, message):
    with pytest.raises(rs.UsageError) as caught:
        read_measure(text, rs.tool(like) if like else None)
    assert message in str(caught.value)
    assert "Did you mean" not in str(caught.value)


def test_a_tool_with_two_versions_is_named_once():
    assert reading("Accuracy").count("sentence_transformers") == 1


def reading(text):
    """Return a measure as text, or the error that reading it raises."""
    try:
        return str(rs.parse_measure(text))
    except rs.UsageError as error:
        return str(error)


@given(st.sampled_from(sorted({stem(p) for t in rs.TOOLS.values() for p in t.unsupported})))
def test_a_suggestion_is_never_a_measure_of_another_kind(name):
    assert "Did you mean" not in reading(name)


@pytest.mark.parametrize("text", ["rbo", "nauc@5", "compatibility"])
def test_what_is_no_typing_error_has_no_suggestion(text):
    with pytest.raises(rs.UsageError) as caught:
        rs.parse_measure(text)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "base"), [("NDCG@5", "NDCG"), ("nDCG@5", "nDCG"), ("ndcg@5", "nDCG")]
)
def test_of_names_that_differ_in_case_the_one_that_was_written_is_taken(text, base):
    measure, name = read_measure(text, rs.tool("ir_measures"))
    assert (str(measure), name.base) == ("nDCG@5", base)


def test_a_name_refused_with_a_cutoff_is_read_without_one():
    assert str(read_measure("accuracy", rs.tool("mteb"))[0]) == "R@1"
    with pytest.raises(rs.UsageError, match="it leaves out queries without a hit"):
        read_measure("Accuracy@5", rs.tool("mteb"))


def test_two_names_of_one_measure_can_both_be_read():
    judged, run = {"q": {"a": 1}}, {"q": ["a", "b"]}
    result = rs.evaluate(judged, run, ["P_5", "precision@5", rs.P @ 5])
    assert result.measures == ["P@5"]
    assert result["P_5"] == result["precision@5"] == result["P@5"] == result[rs.P @ 5] == 0.2
    again = rs.Result.from_json(result.to_json())
    assert again["precision@5"] == 0.2


def test_one_measure_in_two_ways_is_two_columns(capsys, tmp_path):
    judged, run = {"1": {"a": 0}, "2": {"a": 1}}, {"1": ["a"], "2": ["a"]}
    result = rs.evaluate(judged, run, ["ndcg@5", "ndcg@5-", "map@5"], like="xgboost")
    assert result.aggregates == {"ndcg@5": 1.0, "ndcg@5-": 0.5, "map@5": 1.0}
    assert result.exceptions == {"ndcg@5-": {"no_relevant": "zero"}}
    assert result.per_query["1"] == {"ndcg@5": 1.0, "ndcg@5-": 0.0, "map@5": 1.0}
    again = rs.Result.from_json(result.to_json())
    assert (again["ndcg@5"], again["ndcg@5-"]) == (1.0, 0.5)
    from rankstone.cli import main

    (tmp_path / "qrels").write_text("1 0 a 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    asked = ["-m", "ndcg@5", "-m", "ndcg@5-", "--like", "xgboost", "--format", "tsv"]
    assert main(["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), *asked]) == 0
    head, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert dict(zip(head, row, strict=True)) == {
        "run": "run", "query": "all", "ndcg@5": "1", "ndcg@5-": "0.5"
    }  # fmt: skip


def test_nothing_is_said_to_be_compared_that_was_not(capsys):
    from rankstone.text.tools import one_tool

    made = Tool(name="acme-2", about="x", conventions=rs.Conventions())
    assert "Not compared with the tool itself." in list(one_tool(made))
    for tool in rs.TOOLS.values():
        assert (f"Compared with {tool.tested}." in list(one_tool(tool))) == (tool.name in TESTED)


def test_a_repeated_document_keeps_its_ranks_in_the_first_article():
    relevant, ranking = {"a", "b"}, ["x", "x", "x", "b"]
    first = rs.tool("article-1").conventions
    assert rs.RR(relevant, ranking, conventions=first) == 0.25
    assert rs.RR(relevant, ranking) == 0.5
    asked = ["reciprocal_rank", "precision@3", "average_precision"]
    result = rs.evaluate({"q": relevant}, {"q": ranking}, asked, like="article-1")
    assert [result[name] for name in asked] == [0.25, 0.0, 0.125]
    repeated = ["b", "b", "a"]
    result = rs.evaluate({"q": relevant}, {"q": repeated}, asked, like="article-1")
    assert [result[name] for name in asked] == pytest.approx([1.0, 2 / 3, (1 + 2 / 3) / 2])
    assert rs.explain("RR", relevant, ranking, like="article-1").value == 0.25


@given(
    st.sets(st.sampled_from("abcdef"), min_size=1),
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12),
    st.integers(1, 12),
)
def test_the_first_articles_code_on_rankings_with_repetitions(relevant, ranking, k):
    seen = [d in ranking[:i] for i, d in enumerate(ranking)]
    hits = [i for i, d in enumerate(ranking, 1) if d in relevant and not seen[i - 1]]
    expected = {
        f"precision@{k}": sum(i <= k for i in hits) / k,
        "average_precision": sum(n / i for n, i in enumerate(hits, 1)) / len(relevant),
        "reciprocal_rank": 1 / hits[0] if hits else 0.0,
    }
    result = rs.evaluate({"q": relevant}, {"q": ranking}, list(expected), like="article-1")
    keep = rs.Conventions(duplicates="keep")
    for name, value in expected.items():
        assert result[name] == pytest.approx(value, abs=1e-12)
        assert rs.parse_measure(name)(relevant, ranking, conventions=keep) == result[name]


def test_repetitions_keep_their_ranks_in_files_too(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 x 1 3 t\nq Q0 x 2 2 t\nq Q0 a 3 1 t\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert rs.evaluate(*files, "RR", like="article-1")["RR"] == 1 / 3
    assert rs.evaluate(*files, "RR")["RR"] == 0.5


def test_the_readme_counts_the_tools_that_were_compared():
    compared = {
        name.rpartition("-")[0]
        for name, tool in tools.TOOLS.items()
        if tool.tested and not name.startswith("article")
    }
    for page, words in (("README.md", "tools"), ("README.zh-CN.md", "种工具")):
        text = (Path(__file__).resolve().parents[2] / page).read_text(encoding="utf-8")
        assert f"[{len(compared)} {words}]" in text
