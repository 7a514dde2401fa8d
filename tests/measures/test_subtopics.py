"""Judgments by subtopic and by nugget: every way to hold them, and the measures that read them."""

import io
import json
import math
import random
import sys
from contextlib import redirect_stderr
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples

import rankstone as rs
from rankstone.cli import main
from rankstone.core.subtopics import aspects_of
from rankstone.verbs.load import load_judgments

JUDGED = {
    "q1": {"a": {"1": 1, "2": 1}, "b": {"1": 2, "3": 0}, "c": {"3": 1}},
    "q2": {"x": {"1": 0, "2": 0}, "y": {"1": 1}},
}
RUN = {"q1": ["a", "b", "z", "c"], "q2": ["y", "x"]}
READING = [m for m in rs.all_measures() if m.definition.reads_subtopics]
ROWS = [
    {"query_id": q, "subtopic": s, "doc_id": d, "relevance": g}
    for q, docs in JUDGED.items()
    for d, grades in docs.items()
    for s, g in grades.items()
]


def lines(rows, form):
    return "".join(form.format(**row) + "\n" for row in rows)


FILES = {
    "trec": ("qrels.txt", lines(ROWS, "{query_id} {subtopic} {doc_id} {relevance}")),
    "five columns": ("qrels.txt", lines(ROWS, "{query_id} {subtopic} {doc_id} {relevance} x")),
    "header": (
        "qrels.txt",
        "query_id doc_id relevance subtopic\n"
        + lines(ROWS, "{query_id} {doc_id} {relevance} {subtopic}"),
    ),
    "csv": (
        "qrels.csv",
        "query_id,intent,doc_id,relevance\n"
        + lines(ROWS, "{query_id},{subtopic},{doc_id},{relevance}"),
    ),
    "json": ("qrels.json", json.dumps(JUDGED)),
    "jsonl": ("qrels.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
    "jsonl of nuggets": (
        "qrels.jsonl",
        "".join(
            json.dumps(
                {
                    "qid": q,
                    "docid": d,
                    "nuggets": [{"text": s, "assignment": g} for s, g in grades.items()],
                }
            )
            + "\n"
            for q, docs in JUDGED.items()
            for d, grades in docs.items()
        ),
    ),
}
NUMBERED = [{**row, "subtopic": int(row["subtopic"])} for row in ROWS]
OBJECTS = {
    "records": lambda: ROWS,
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(NUMBERED),
    "pyarrow": lambda: pl.DataFrame(NUMBERED).to_arrow(),
    "iterations": lambda: pd.DataFrame(ROWS).rename(columns={"subtopic": "iteration"}),
}


def values(judgments, run=RUN, **options):
    return rs.evaluate(judgments, run, READING, **options)


EXPECTED = values(JUDGED).per_query


@pytest.mark.parametrize("form", FILES)
def test_files_say_what_a_dict_says(engine, tmp_path, form):
    name, content = FILES[form]
    (tmp_path / name).write_text(content)
    result = values(tmp_path / name)
    assert result.per_query == EXPECTED
    assert {n.code for n in result.notices} <= {"subtopics", "ignored-columns"}


@pytest.mark.parametrize("form", OBJECTS)
def test_objects_say_what_a_dict_says(engine, form):
    assert values(OBJECTS[form]()).per_query == EXPECTED


def test_columns_can_be_named(tmp_path):
    renamed = pd.DataFrame(ROWS).rename(columns={"subtopic": "facet"})
    assert values(renamed, columns={"subtopic": "facet"}).per_query == EXPECTED
    path = tmp_path / "qrels.csv"
    renamed.to_csv(path, index=False)
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    call = ["evaluate", str(path), str(tmp_path / "run"), "-m", "StRecall@1"]
    assert main([*call, "--columns", "subtopic=facet"]) == 0
    with pytest.raises(rs.DataError, match="there is no column 'facette'. Did you mean facet"):
        values(renamed, columns={"subtopic": "facette"})


def test_a_column_with_one_subtopic_counts_if_it_is_named():
    table = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "grade": 1, "subtopic": "7"})
    assert load_judgments(table).subtopics is None
    named = load_judgments(table, {"subtopic": "subtopic"}).subtopics
    assert named is not None
    assert named.names == ["7"]


def test_diversity_qrels_contradict_nothing(engine, tmp_path, capsys):
    """The second column names subtopics: different grades for them are not a contradiction."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("201 1 d1 1\n201 2 d1 0\n201 3 d1 2\n201 1 d2 0\n201 2 d2 0\n202 0 d3 1\n")
    run.write_text("201 Q0 d1 1 2.5 t\n202 Q0 d3 1 2 t\n")
    assert main(["evaluate", str(qrels), str(run), "-m", "alpha_nDCG@20", "-m", "nDCG@20"]) == 0
    err = capsys.readouterr().err
    assert "contradicting" not in err
    assert "judgments of 4 subtopics; measures that do not read subtopics take the highest" in err
    assert rs.evaluate(qrels, run, ["CG"]).per_query["201"]["CG"] == 2
    qrels.write_text("201 1 d1 1\n201 1 d1 0\n201 2 d1 1\n")
    (notice,) = (n for n in rs.load_judgments(qrels).notices if n.level == "warning")
    assert (notice.code, notice.count) == ("contradicting-judgments", 1)


@pytest.mark.parametrize("measure", READING, ids=str)
def test_without_subtopics_a_query_is_its_only_one(measure):
    plain = {q: {d: max(g.values()) for d, g in docs.items()} for q, docs in JUDGED.items()}
    single = {q: {d: {"only": g} for d, g in docs.items()} for q, docs in plain.items()}
    result = rs.evaluate(plain, RUN, measure)
    assert result.per_query == rs.evaluate(single, RUN, measure).per_query
    (notice,) = result.warnings
    assert notice.code == "no-subtopics"
    assert str(measure) in notice.text


def test_conventions_hold_for_subtopics():
    scored = {"q1": {"a": -1.0, "b": 2.0, "c": 1.0}, "q3": {"a": 1.0}}
    judged = {"q1": JUDGED["q1"]}

    def covered(**choices):
        return rs.evaluate(judged, scored, ["StRecall", "P_IA"], **choices)

    assert covered()["StRecall"] == 1
    assert covered(nonpositive="nonrelevant")["StRecall"] == pytest.approx(2 / 3)
    missing = {"q1": {"b": 2.0}}
    assert rs.evaluate(judged, missing, "StRecall")["StRecall"] == pytest.approx(1 / 3)
    assert rs.evaluate(judged, missing, "StRecall", missed="ignore")["StRecall"] == 1
    assert covered(queries="run").per_query["q3"]["StRecall"] == 0
    several = {**scored, "q2": {"z": 3.0, "y": 1.0}}
    ranked = rs.evaluate(JUDGED, several, ["ERR_IA@2"], unjudged="remove")
    assert ranked.per_query["q2"]["ERR_IA@2"] == pytest.approx(1 / 1.25)
    with pytest.raises(rs.UsageError, match="best and the worst order .* not known for alpha_nDCG"):
        rs.evaluate(judged, {"q1": {"a": 1.0, "b": 1.0}}, "alpha_nDCG", ties="optimistic")


# Random judgments by subtopic -----------------------------------------------------------------

DOCS = [f"d{i}" for i in range(25)]
NDEVAL = {
    "ERR-IA@{k}": "ERR_IA(rel={rel}, alpha={alpha})@{k}",
    "nERR-IA@{k}": "nERR_IA(rel={rel}, alpha={alpha})@{k}",
    "alpha-DCG@{k}": "alpha_DCG(rel={rel}, alpha={alpha}, denominator='best')@{k}",
    "alpha-nDCG@{k}": "alpha_nDCG(rel={rel}, alpha={alpha})@{k}",
    "P-IA@{k}": "P_IA(rel={rel})@{k}",
    "strec@{k}": "StRecall(rel={rel})@{k}",
    "NRBP": "NRBP(rel={rel}, alpha={alpha}, beta={beta})",
    "nNRBP": "nNRBP(rel={rel}, alpha={alpha}, beta={beta})",
    "MAP-IA": "AP_IA(rel={rel})",
}


def drawn(rng):
    """Return judgments by subtopic as rows and as a dict, and a run with ties."""
    rows, run = [], {}
    for q in (f"q{i}" for i in range(rng.randint(1, 4))):
        density = rng.choice([0.1, 0.3, 0.6])
        for doc in rng.sample(DOCS, rng.randint(1, 25)):
            for subtopic in map(str, range(1, rng.randint(2, 7))):
                grade = rng.choice([1, 1, 2]) if rng.random() < density else rng.choice([0, 0, -1])
                rows.append((q, subtopic, doc, grade))
        run[q] = {d: rng.choice([1, 2, 3, 4.5, rng.random()]) for d in rng.sample(DOCS, 15)}
    rng.shuffle(rows)
    judged = {}
    for q, subtopic, doc, grade in rows:
        judged.setdefault(q, {}).setdefault(doc, {})[subtopic] = grade
    return rows, judged, run


def frame_of(rows):
    return pl.DataFrame(rows, schema=list(ROWS[0]), orient="row")


def test_numbers_are_those_of_ndeval():
    pyndeval = pytest.importorskip("pyndeval")
    rng = random.Random(7)
    compared = 0
    for _ in range(1000):
        rows, judged, run = drawn(rng)
        choices = {
            "k": rng.randint(2, 20),
            "alpha": rng.choice([0.5, 0.5, 0.3, 0.9, 0.0]),
            "beta": rng.choice([0.5, 0.8]),
            "rel": rng.choice([1, 1, 2]),
        }
        names = [name.format(**choices) for name in NDEVAL]
        theirs = pyndeval.RelevanceEvaluator(
            rows, names, choices["rel"], choices["alpha"], choices["beta"]
        ).evaluate([(q, d, s) for q, docs in run.items() for d, s in docs.items()])
        ours = [name.format(**choices) for name in NDEVAL.values()]
        # Which of two equal documents is ideal depends on rounding, so on the order of subtopics.
        result = rs.evaluate(frame_of(rows), run, ours, ties="docid-asc", queries="both")
        for q in result.queries:
            expected = [theirs[q][name] for name in names]
            got = [result.per_query[q][str(rs.parse_measure(name))] for name in ours]
            if all(value == 0 for value in got):  # 0 / 0 in ndeval
                expected[names.index("nNRBP")] = 0.0
            assert np.allclose(got, expected, rtol=0, atol=1e-9), (choices, judged[q], run[q])
            compared += len(got)
    assert compared > 20_000


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="ir_measures reads ast.Num, which Python 3.14 lacks"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ir_measures, on Python 3.12
def test_numbers_are_those_of_ir_measures():
    pytest.importorskip("pyndeval")
    import ir_measures

    from rankstone.compat import ir_measures as face

    rng = random.Random(3)
    names = ["alpha_nDCG@10", "ERR_IA@20", "nERR_IA@5", "AP_IA", "P_IA@10", "StRecall@5", "NRBP"]
    for _ in range(30):
        rows, _, run = drawn(rng)
        qrels = [ir_measures.Qrel(q, d, g, s) for q, s, d, g in rows]
        for name in names:  # together they would be answered by an exhausted generator
            with redirect_stderr(io.StringIO()):
                measure = ir_measures.parse_measure(name)
                theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
            ours = rs.evaluate(frame_of(rows), run, [name], like="ir_measures").aggregates
            assert next(iter(ours.values())) == pytest.approx(theirs, abs=1e-9), name
            mine = face.parse_measure(name)
            assert face.calc_aggregate([mine], qrels, run)[mine] == pytest.approx(theirs, abs=1e-9)


@st.composite
def small(draw):
    """Judgments of a few documents for a few subtopics, and a ranking of some of them."""
    grades = st.dictionaries(st.sampled_from("stuv"), st.sampled_from([0, 0.5, 1, 2]), min_size=1)
    judged = draw(st.dictionaries(st.sampled_from("abcde"), grades, min_size=1))
    ranking = draw(st.permutations("abcdexy"))[: draw(st.integers(1, 7))]
    return {"q": judged}, {"q": ranking}


def gains_of(judged, order, alpha):
    """Return the gain at each rank, one document after the other."""
    seen: dict[str, int] = {}
    gains = []
    for doc in order:
        covered = [s for s, grade in judged.get(doc, {}).items() if grade >= 1]
        gains.append(sum((1 - alpha) ** seen.get(s, 0) for s in covered))
        seen.update({s: seen.get(s, 0) + 1 for s in covered})
    return gains


@settings(max_examples=examples(150))
@given(small(), st.sampled_from([1, 2, 3, None]), st.sampled_from([0, 0.5, 0.7, 1]))
def test_the_exact_ideal_is_the_best_of_all_orders(collection, k, alpha):
    judged, run = collection[0]["q"], collection[1]["q"]
    for name, discount in (
        ("alpha_nDCG", lambda i: 1 / math.log2(i + 1)),
        ("nERR_IA", lambda i: 1 / i),
    ):

        def total(order, discount=discount):
            gains = gains_of(judged, order[:k], alpha)
            return sum(g * discount(i) for i, g in enumerate(gains, 1))

        best = max(map(total, permutations(judged)))
        exact, greedy = (
            rs.parse_measure(name)(alpha=alpha, ideal=ideal, k=k) for ideal in ("exact", "greedy")
        )
        result = rs.evaluate(*collection, [exact, greedy])
        assert result[exact] == pytest.approx(total(run) / best if best else 0)
        assert result[exact] <= 1 + 1e-12
        assert result[greedy] >= result[exact] - 1e-12


def test_an_exact_ideal_of_many_documents_is_refused():
    rng = random.Random(1)
    judged = {d: {s: 1 for s in "abcdefgh" if rng.random() < 0.5} | {"i": 1} for d in DOCS}
    with pytest.raises(rs.DataError, match="takes too long; choose ideal='greedy'"):
        rs.evaluate({"q": judged}, {"q": DOCS}, "alpha_nDCG(ideal=exact)")


@settings(max_examples=examples(300))
@given(small(), st.sampled_from(READING), st.sampled_from([1, 2, 5]))
def test_the_working_of_subtopics_adds_up(collection, measure, k):
    measure = measure @ k if "k" in measure.params else measure
    explanation = rs.explain(measure, *collection, query="q")
    assert explanation.value == rs.evaluate(*collection, measure)[measure]
    if not explanation.remark:
        total = math.fsum(step.term for step in explanation.steps)
        assert total / (explanation.denominator or 1) == pytest.approx(explanation.value)
    words = [s.columns["adds"].split(", ") for s in explanation.steps if s.columns["adds"]]
    assert len({w for some in words for w in some}) == sum(map(len, words))


def test_the_working_names_what_a_document_adds(capsys, tmp_path):
    lines = str(rs.explain("StRecall@2", JUDGED, RUN, query="q1")).splitlines()
    assert lines[3:7] == [
        "rank  document  grade  adds  repeats  new  term  sum",
        "────  ────────  ─────  ────  ───────  ───  ────  ───",
        "   1  a             1  1, 2             2     2    2",
        "   2  b             2        1          0     0    2",
    ]
    assert "| 1 | a | 1 | 1, 2 |" in rs.explain("P_IA@2", JUDGED, RUN, query="q1")._repr_markdown_()


# Nuggets --------------------------------------------------------------------------------------


def nuggets(*items):
    return [
        {"qid": "q", "docid": doc, "nugget": n, "importance": importance, "assignment": support}
        for doc, n, importance, support in items
    ]


NUGGETS = nuggets(
    ("a", "n1", "vital", "support"),
    ("a", "n2", "okay", "partial_support"),
    ("b", "n2", "okay", "support"),
    ("b", "n3", "vital", "partial_support"),
    ("b", "n4", "okay", "not_support"),
)


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({}, (1 + 1 + 0.5 + 0) / 4),
        ({"k": 1}, (1 + 0.5) / 4),
        ({"which": "vital"}, (1 + 0.5) / 2),
        ({"which": "weighted"}, (1 + 0.5 * 1 + 0.5) / 3),
        ({"partial": "strict"}, 2 / 4),
        ({"partial": "lenient"}, 3 / 4),
        ({"which": "vital", "partial": "strict", "k": 2}, 1 / 2),
    ],
)
def test_nugget_recall(tmp_path, params, value):
    path = tmp_path / "nuggets.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in NUGGETS))
    measure = rs.measures.NuggetRecall(**params)
    assert (
        rs.evaluate(path, {"q": ["a", "x", "b"][:3] if "k" not in params else ["a", "b"]}, measure)[
            measure
        ]
        == value
    )
    frame = pd.DataFrame(NUGGETS)
    frame["grade"] = frame.pop("assignment").map(
        {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
    )
    assert rs.evaluate(frame, {"q": ["a", "b"]}, measure)[measure] == value


WORDS = {
    1.0: ["support", "full_support", "Supported"],
    0.5: ["partial_support", "partial", "partially supported"],
    0.0: ["not_support", "no_support", "not supported"],
}


@pytest.mark.parametrize(("grade", "word"), [(g, w) for g, words in WORDS.items() for w in words])
@pytest.mark.parametrize("importance", ["vital", "okay", "ok", True, False])
def test_words_for_support_and_importance(tmp_path, grade, word, importance):
    path = tmp_path / "nuggets.jsonl"
    records = nuggets(("a", "n1", importance, word), ("b", "n2", "vital", "support"))
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    measures = ["CG", "NuggetRecall", "NuggetRecall(which='vital')"]
    found = rs.evaluate(path, {"q": ["a"]}, measures)
    vital = importance in ("vital", True)
    assert [*found.aggregates.values()] == [grade, grade / 2, grade / 2 if vital else 0]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            nuggets(("a", "n1", "major", "support")),
            "n.jsonl:1: the importance of the nugget 'n1' is 'major'; it is either 'vital' or",
        ),
        (
            nuggets(("a", "n1", "vital", "maybe")),
            "n.jsonl:1: the assignment of the nugget 'n1' is 'maybe'; it is 'support',",
        ),
        (
            nuggets(("a", "n1", "vital", "support"), ("b", "n1", "okay", "support")),
            "query 'q': the nugget 'n1' is vital in one row and okay in another",
        ),
        (
            [{"qid": "q", "docid": "a", "nuggets": [{"text": "n1"}]}],
            "n.jsonl:1: no key of the record is known to hold a nugget or subtopic",
        ),
    ],
)
def test_bad_nuggets_teach(tmp_path, capsys, records, message):
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    code = main(
        ["evaluate", str(tmp_path / "n.jsonl"), str(tmp_path / "run"), "-m", "NuggetRecall"]
    )
    assert code == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("other", [{}, {"b": {"y": -1}}, {"b": {"x": 1, "y": -2}}])
def test_a_nugget_whose_only_grade_is_negative_is_not_judged(other):
    judged = {"q": {"a": {"x": 1, "y": -1}, **other}}
    run = {"q": ["a", "b"]}
    assert rs.evaluate(judged, run, "NuggetRecall")["NuggetRecall"] == 1
    counted = rs.evaluate(judged, run, "NuggetRecall", negatives="nonrelevant")
    assert counted["NuggetRecall"] == 1 / 2
    judged["q"]["c"] = {"y": 0}
    assert rs.evaluate(judged, run, "NuggetRecall")["NuggetRecall"] == 1 / 2


def test_grades_and_grades_by_subtopic_do_not_mix():
    with pytest.raises(rs.DataError, match="document 'b': other documents have grades by subtopic"):
        rs.load_judgments({"q": {"a": {"s": 1}, "b": 1}})


def test_subtopics_are_ids():
    frame = pd.DataFrame(ROWS)
    frame["subtopic"] = frame["subtopic"].astype(float)
    with pytest.raises(rs.DataError, match="column 'subtopic' holds floats; a subtopic is text or"):
        rs.load_judgments(frame)
    plain = rs.load_judgments(frame, columns={"subtopic": None})
    assert plain.subtopics is None


def test_a_data_set_is_not_judgments_by_subtopic(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"queries": {"q": "text"}, "results": {"q": {"d": 1.5}}}))
    with pytest.raises(rs.DataError, match="looks like a data set .* no judgments under"):
        rs.load_judgments(path)
    path.write_text(
        json.dumps([{"query_id": "q", "relevant_docs": {"d": {"s": 1, "t": "support"}}}])
    )
    assert rs.load_judgments(path).subtopics.names == ["s", "t"]


# Conversion -----------------------------------------------------------------------------------

GRADED = [
    ("q", "a", 1.0, "cause", True),
    ("q", "a", 0.5, "cost", False),
    ("q", "b", 1.0, "cost", False),
    ("r", "b", 0.0, "cause", True),
]


def graded_file(path):
    keys = ("query_id", "doc_id", "relevance", "subtopic")
    path.write_text(
        "".join(
            json.dumps(
                {
                    **dict(zip(keys, row[:4], strict=True)),
                    "importance": "vital" if row[4] else "okay",
                }
            )
            + "\n"
            for row in GRADED
        )
    )
    return path


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "arrow", "trec"])
def test_conversion_keeps_subtopics(tmp_path, capsys, form):
    source = graded_file(tmp_path / "nuggets.jsonl")
    target = tmp_path / f"target.{form}"
    command = ["convert", str(source), str(target), "--to", form, "--as", "judgments"]
    assert main(command) == 0
    err = capsys.readouterr().err
    kept = [tuple(row) for row in aspects_of(load_judgments(target))]
    if form == "trec":
        assert "the importance of 1 nugget (okay, not vital) left out: the format 'trec'" in err
        assert sorted(row[:4] for row in kept) == sorted(row[:4] for row in GRADED)
    else:
        assert "left out" not in err
        assert sorted(kept) == sorted(GRADED)


def test_conversion_counts_subtopics_that_a_format_cannot_hold(tmp_path, capsys):
    source = graded_file(tmp_path / "nuggets.jsonl")
    target = tmp_path / "target.json"
    assert main(["convert", str(source), str(target), "--as", "judgments"]) == 0
    assert (
        "rankstone: warning: 3 subtopics left out: the format 'json' cannot hold them."
        in capsys.readouterr().err
    )
    assert json.loads(target.read_text()) == {"q": {"a": 1.0, "b": 1.0}, "r": {"b": 0.0}}


def test_subtopics_of_documents_that_were_missed():
    judged, run = {"q": {"m": {"a": 1}, "d": {"b": 1, "c": 2}}}, {"q": ["x", "d"]}
    names = ["NuggetRecall", "StCoverage", "StRecall", "NuggetRecall@1"]
    found = rs.evaluate(judged, run, names).aggregates
    assert [*found.values()] == pytest.approx([2 / 3, 3 / 4, 2 / 3, 0], rel=1e-15)


@pytest.mark.parametrize("name", ["StCoverage", "NuggetRecall", "StRecall"])
def test_nothing_to_cover(name):
    judged, run = {"q": {"a": {"s": 0}}, "r": {"a": {"s": 1}}}, {"q": ["a"], "r": ["a"]}
    assert rs.evaluate(judged, run, name, no_relevant="one").values(name).tolist() == [1, 1]
    assert rs.evaluate(judged, run, name).values(name).tolist() == [0, 1]
