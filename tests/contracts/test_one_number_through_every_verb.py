"""One number through every verb: whatever holds the data, whichever verb reads them."""

import ast
import itertools
import math
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings, strategies as st
from strategies import examples, measures, write_qrels, write_run

import rankstone as rs
from rankstone.core.collection import default_conventions
from rankstone.core.tie_breaking import TiedRows, tied_before

SOURCE = Path(rs.__file__).parent
MOVING = (
    "ties",
    "negatives",
    "unjudged",
    "missed",
    "nonpositive",
    "no_relevant",
    "queries",
    "sums",
)
CHOICES = {n: v for n, v in rs.Conventions.choices().items() if n in MOVING}
WITHOUT_IDS = [t for t in CHOICES["ties"] if not t.startswith("docid")]


@st.composite
def conventions(draw, *, ids):
    """Any conventions; those that data without ids may have."""
    chosen = {name: draw(st.sampled_from(values)) for name, values in CHOICES.items()}
    if not ids:
        chosen["ties"] = draw(st.sampled_from(WITHOUT_IDS))
    chosen["relevance"] = draw(st.sampled_from([1, 2, 0.5]))
    if chosen["no_relevant"] == "error":
        chosen["no_relevant"] = "skip"
    return chosen


@st.composite
def lists(draw, *, ties=True):
    """Labels, None where there is none, and scores of one to three queries."""
    labels = st.sampled_from([-1, 0, 0, 1, 2, 3, None])
    scores = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 2.5]) if ties else st.floats(-9, 9)
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    return [
        (
            draw(st.lists(labels, min_size=n, max_size=n)),
            draw(st.lists(scores, min_size=n, max_size=n, unique=not ties)),
        )
        for n in sizes
    ]


def as_dicts(queries):
    judged = [
        {f"d{i:02d}": g for i, g in enumerate(labels) if g is not None} for labels, _ in queries
    ]
    scored = [{f"d{i:02d}": s for i, s in enumerate(scores)} for _, scores in queries]
    return dict(enumerate(judged)), dict(enumerate(scored))


def as_arrays(queries):
    label = np.array([math.nan if g is None else g for labels, _ in queries for g in labels])
    score = np.array([s for _, scores in queries for s in scores])
    return label, score, {"group_sizes": [len(labels) for labels, _ in queries]}


def outcome(call):
    """The values, or the kind of error."""
    try:
        return call()
    except rs.RankstoneError as error:
        return type(error).__name__


def bits(values):
    """The values as text that tells every bit, NaN included."""
    return [float(v).hex() for v in np.atleast_1d(values)]


def by_query(result, measure):
    return bits(result.values(measure))


@settings(max_examples=examples(1500))
@given(measures(), lists(), conventions(ids=False))
def test_arrays_have_the_numbers_of_dicts(measure, queries, choices):
    assume(measure.name != "Hole")  # it needs ids of documents
    label, score, sizes = as_arrays(queries)

    def of_dicts():
        return by_query(rs.evaluate(*as_dicts(queries), measure, **choices), measure)

    def of_arrays():
        return by_query(rs.evaluate(label, score, measure, **sizes, **choices), measure)

    assert outcome(of_dicts) == outcome(of_arrays)


@settings(max_examples=examples(500))
@given(measures(), lists(), conventions(ids=False))
def test_a_direct_call_has_the_number_of_evaluate(measure, queries, choices):
    labels, scores = queries[0]
    judged, run = as_dicts(queries[:1])
    chosen = rs.Conventions(**choices)

    def of_dicts():
        return by_query(rs.evaluate(judged, run, measure, conventions=chosen), measure)

    def of_ids():
        return bits(measure(judged[0], run[0], conventions=chosen))

    def explained():
        return bits(rs.explain(measure, judged, run, conventions=chosen).value)

    expected = outcome(of_dicts)
    assert outcome(of_ids) == expected
    assert outcome(explained) == expected
    if None not in labels:
        assert outcome(lambda: bits(measure(labels, scores, conventions=chosen))) == expected
        table = outcome(lambda: bits(measure([labels], [scores], conventions=chosen)))
        assert table == expected
        shown = outcome(lambda: bits(rs.explain(measure, labels, scores, **choices).value))
        assert shown == expected


@settings(max_examples=examples(500))
@given(measures(), lists(ties=False), conventions(ids=False))
def test_grades_in_rank_order_have_the_number_of_a_ranked_list(measure, queries, choices):
    assume(measure.name != "Hole")  # it needs ids of documents, and says so
    choices["nonpositive"] = "any"  # positions are not scores
    labels, scores = queries[0]
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    graded = [labels[i] for i in order]
    judged, _ = as_dicts(queries[:1])
    ranking = {0: [f"d{i:02d}" for i in order]}
    expected = outcome(lambda: by_query(rs.evaluate(judged, ranking, measure, **choices), measure))
    chosen = rs.Conventions(**choices)
    assert outcome(lambda: bits(measure(graded, conventions=chosen))) == expected
    assert outcome(lambda: bits(rs.explain(measure, graded, **choices).value)) == expected
    result = outcome(lambda: by_query(rs.evaluate(graded, None, measure, **choices), measure))
    assert result == expected


@settings(max_examples=examples(300))
@given(measures(), lists(), st.lists(st.sampled_from([-1, 0, 1, 2]), max_size=4), st.data())
def test_missed_grades_are_judged_documents_that_were_not_retrieved(measure, queries, missed, data):
    assume(measure.name != "Hole")  # it needs ids of documents
    choices = data.draw(conventions(ids=False))
    choices["nonpositive"] = "any"
    graded = queries[0][0]
    judged = {f"d{i:02d}": g for i, g in enumerate(graded) if g is not None}
    judged |= {f"m{i}": g for i, g in enumerate(missed)}
    ranking = [f"d{i:02d}" for i in range(len(graded))]
    expected = outcome(
        lambda: bits(measure(judged, ranking, conventions=rs.Conventions(**choices)))
    )
    shown = rs.explain, (measure, graded), {"not_retrieved": missed, **choices}
    assert outcome(lambda: bits(shown[0](*shown[1], **shown[2]).value)) == expected


@settings(max_examples=60)
@given(measures(), lists(), conventions(ids=True))
def test_files_and_frames_have_the_numbers_of_dicts(tmp_path_factory, measure, queries, choices):
    folder = tmp_path_factory.mktemp("data")
    judged, run = as_dicts(queries)
    if not all(judged.values()):
        return  # a file cannot hold a query without judgments
    judged, run = ({f"q{q}": docs for q, docs in d.items()} for d in (judged, run))
    rows = [{"query": q, "doc": d, "grade": g} for q, ds in judged.items() for d, g in ds.items()]
    scored = [{"query": q, "doc": d, "score": s} for q, ds in run.items() for d, s in ds.items()]
    ways = {
        "files": (
            str(write_qrels(folder / "qrels", judged)),
            str(write_run(folder / "run", run)),
        ),
        "pandas": (pd.DataFrame(rows), pd.DataFrame(scored)),
        "polars": (pl.DataFrame(rows), pl.DataFrame(scored)),
        "records": (rows, scored),
    }
    expected = outcome(lambda: by_query(rs.evaluate(judged, run, measure, **choices), measure))
    for name, (judgments, ranking) in ways.items():
        result = outcome(
            lambda j=judgments, r=ranking: by_query(rs.evaluate(j, r, measure, **choices), measure)
        )
        assert result == expected, name


@settings(max_examples=40)
@given(measures(), lists())
def test_reconcile_starts_from_the_number_of_evaluate(measure, queries):
    if measure.definition.aggregate != "mean":
        return
    label, score, sizes = as_arrays(queries)
    result = outcome(lambda: rs.evaluate(label, score, measure, **sizes)[measure])
    found = outcome(lambda: rs.reconcile(measure, label, score, value=0.123, **sizes).usual.value)
    assert (result == found) or (math.isnan(result) and math.isnan(found))


@settings(max_examples=examples(300))
@given(measures(), lists(), st.booleans(), st.data())
def test_a_convention_at_its_default_changes_no_bit(measure, queries, has_ids, data):
    default = default_conventions(has_ids=has_ids).to_dict()
    name = data.draw(st.sampled_from(sorted(default)))
    label, score, sizes = as_arrays(queries)
    source = as_dicts(queries) if has_ids else (label, score)
    options = {} if has_ids else sizes
    plain = outcome(lambda: by_query(rs.evaluate(*source, measure, **options), measure))
    chosen = {name: default[name]}
    result = outcome(lambda: by_query(rs.evaluate(*source, measure, **options, **chosen), measure))
    assert result == plain
    labels, scores = queries[0]
    if not has_ids and None not in labels:
        conventions = default_conventions(has_ids=False).replace(**chosen)
        assert outcome(lambda: bits(measure(labels, scores))) == outcome(
            lambda: bits(measure(labels, scores, conventions=conventions))
        )
        assert outcome(lambda: bits(rs.explain(measure, labels, scores).value)) == outcome(
            lambda: bits(rs.explain(measure, labels, scores, **chosen).value)
        )


def readers():
    """The modules that read each convention from an object of conventions."""
    names = {f.name for f in fields(rs.Conventions)}
    found = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        module = path.relative_to(SOURCE).as_posix()
        if module == "conventions.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Attribute) or node.attr not in names:
                continue
            owner = node.value
            text = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if text in ("conventions", "chosen", "c", "base", "plain"):
                found[node.attr].add(module)
    return found


def test_each_convention_is_read_in_one_module():
    found = readers()
    assert set(found) == {f.name for f in fields(rs.Conventions)}
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


WHOLE = [
    ([[1, 3, 5]], [[1, 2, 3]]),
    (np.array([[1, 3, 5]]), np.array([[1, 2, 3]])),
    ([[1, 3, 5]], np.array([[1, 2, 3]])),
    (np.array([[1, 3, 5]], np.uint8), [[1, 2, 3]]),
    ([1, 3, 5], [1, 2, 3]),
]


@pytest.mark.parametrize(("judged", "run"), WHOLE)
def test_whole_numbers_in_both_places_are_refused_by_every_verb(judged, run):
    verbs = [
        lambda: rs.evaluate(judged, run, "R@3"),
        lambda: rs.AP(judged, run),
        lambda: rs.explain("AP", judged, run),
        lambda: rs.reconcile("AP", judged, run, value=0.5),
        lambda: rs.across_tools("AP", judged, run),
    ]
    for verb in verbs:
        with pytest.raises(rs.UsageError, match="numpy.asarray.scores, float.*into a set"):
            verb()
    sets = [set(row) for row in np.atleast_2d(judged).tolist()]
    table = np.atleast_2d(run)
    assert rs.evaluate(sets, table, "R@3")["R@3"] == pytest.approx(2 / 3)
    assert rs.evaluate(np.atleast_2d(judged), table.astype(float), "R@3")["R@3"] == 1.0


def test_whole_numbers_in_tensors_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(rs.UsageError, match="may be labels and scores, or ids"):
        rs.evaluate(torch.tensor([[1, 3, 5]]), torch.tensor([[1, 2, 3]]), "R@3")


def test_verbs_take_arrays_groups_frames_and_what_is_excluded():
    label, score = np.array([1, 0, 0, 1]), np.array([0.2, 0.9, 0.4, 0.3])
    shown = rs.explain("RR", label, score, qid=["b", "a", "b", "a"], query="a")
    assert (shown.value, shown.query) == (0.5, "a")
    rows = rs.across_tools("RR", label, score, group_sizes=[1, 3])
    assert {row.value for row in rows if row.tool == "sklearn"} <= {None, 2 / 3}
    judged = pd.DataFrame({"query": ["q"], "doc": ["d"], "grade": [1]})
    ranked = pd.DataFrame({"query": ["q", "q"], "doc": ["x", "d"], "score": [2.0, 1.0]})
    assert rs.explain("RR", judged, ranked).value == 0.5
    assert rs.explain("RR", judged, ranked, exclude={"q": ["x"]}).value == 1.0
    found = rs.reconcile("RR", judged, ranked, exclude={"q": ["x"]}, value="1.0")
    assert found.usual.value == 1.0


def test_equal_scores_in_arrays_are_noticed():
    result = rs.evaluate([[1, 0, 0]], [[0.5, 0.5, 0.5]], "RR", ties="input")
    (notice,) = [n for n in result.notices if n.code == "ties"]
    assert "1 of 1 judged document found shares its score" in notice.text
    assert "ties=input decides" in notice.text
    quiet = rs.evaluate([[1, 0, 0]], [[0.5, 0.5, 0.5]], "RR")
    assert [n.code for n in quiet.notices] == []


@pytest.mark.parametrize("rule", rs.Conventions.choices()["ties"])
def test_every_tie_rule_that_picks_one_order_is_noticed(rule):
    result = rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", ties=rule)
    picks = not {"expected", "optimistic", "pessimistic"} & {rule}
    assert ("ties" in [n.code for n in result.notices]) == picks


def test_a_tie_rule_without_an_order_gives_no_number():
    """Whoever adds a rule is told, if nothing says in which order it puts tied documents."""
    row = np.zeros(2, np.int64)
    rows = TiedRows(np.array([0, 2]), *[row] * 5)
    with pytest.raises(KeyError, match="by colour"):
        tied_before("by colour", rows)


@pytest.mark.parametrize("rule", ["docid-desc", "docid-asc"])
def test_the_error_on_ids_that_are_missing_names_every_other_rule(rule):
    with pytest.raises(rs.UsageError, match="needs document ids") as caught:
        rs.evaluate([[1, 0]], [[0.5, 0.5]], "RR", ties=rule)
    assert all(repr(other) in str(caught.value) for other in WITHOUT_IDS)


@pytest.mark.parametrize(
    ("grades", "missed", "choices"),
    list(itertools.product(["0,-1,1,0,1", "-1,1,0,1"], ["0,1", None], [[], ["relevance=1"], ["negatives=unjudged"]])),
)  # fmt: skip
def test_the_command_explains_what_evaluate_computes(capsys, grades, missed, choices):
    from rankstone.cli import main

    options = [o for choice in choices for o in ("-c", choice)]
    more = [] if missed is None else ["--missed", missed]
    assert main(["explain", "Bpref", f"--grades={grades}", *more, *options]) == 0
    last = next(s for s in capsys.readouterr().out.splitlines() if s.startswith("Bpref = "))
    found, extra = ([float(g) for g in s.split(",")] if s else [] for s in (grades, missed))
    judged = dict(enumerate([*found, *extra]))
    negatives = "unjudged" if "negatives=unjudged" in choices else "nonrelevant"
    ranking = {"q": list(range(len(found)))}
    result = rs.evaluate({"q": judged}, ranking, "Bpref", negatives=negatives)
    assert float(last.split("=")[-1]) == result["Bpref"]
