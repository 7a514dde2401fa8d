"""Ids that a spreadsheet, a keyboard or a library wrote differently are counted, never matched."""

import json
import unicodedata

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from strategies import examples

import rankstone as rs
from rankstone.cli import main
from rankstone.core.look_alike import look_alikes
from rankstone.core.matches import SAMPLED_QUERIES

MANGLED = {
    "leading zeros": ("123", "00123"),
    "zeros that are gone": ("00123", "123"),
    "a decimal": ("12", "12.0"),
    "decimals": ("120", "120.00"),
    "an exponent": ("4006381333931", "4.00638E+12"),
    "an exponent in the judgments": ("4.00638E+12", "4006381333931"),
    "quotes": ("d7", '"d7"'),
    "case": ("Doc7", "doc7"),
    "accents": (unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")),
    "zeros in quotes": ("7", "'007'"),
    "commas between thousands": ("1234567", "1,234,567"),
    "a byte order mark": ("d7", "\ufeffd7"),
    "a zero-width space": ("d7\u200b", "d7"),
}
BLANKS = {"a blank before": ("d7", " d7"), "a blank after": ("d7 ", "d7"), "wide": ("d7", "\xa0d7")}


def trec(folder, judged, run):
    (folder / "qrels").write_text("".join(f"q 0 {d} {g}\n" for d, g in judged["q"].items()))
    rows = enumerate(run["q"].items(), 1)
    (folder / "run").write_text("".join(f"q Q0 {d} {r} {s} t\n" for r, (d, s) in rows))
    return folder / "qrels", folder / "run"


def dicts(_, judged, run):
    return judged, run


def lists(_, judged, run):
    return judged, {q: list(docs) for q, docs in run.items()}


def frames(_, judged, run):
    return tuple(
        pl.DataFrame(
            [(q, d, n) for q, docs in data.items() for d, n in docs.items()],
            schema=["qid", "docno", number],
            orient="row",
        )
        for data, number in ((judged, "label"), (run, "score"))
    )


def files(folder, judged, run):
    (folder / "judged.json").write_text(json.dumps(judged))
    frames(folder, judged, run)[1].write_csv(folder / "run.csv")
    return folder / "judged.json", folder / "run.csv"


HOLDERS = [trec, dicts, lists, frames, files]


@pytest.mark.parametrize("hold", HOLDERS)
@pytest.mark.parametrize("case", [*MANGLED, *BLANKS])
def test_documents_that_look_alike_are_counted(engine, tmp_path, case, hold):
    """The run is right, but for how two of the ids are written; one other document matches."""
    judged, written = {**MANGLED, **BLANKS}[case]
    if hold is trec and case in BLANKS:
        pytest.skip("blanks separate the columns")
    data = hold(
        tmp_path,
        {"q": {judged: 1, "other": 1, "gone": 1}},
        {"q": {written: 4.0, "x": 3.0, "y": 2.0, "other": 1.0}},
    )
    result = rs.evaluate(*data, "RR")
    assert result["RR"] == 0.25
    (notice,) = result.warnings
    assert (notice.code, notice.count) == ("ids-look-alike", 1)
    assert notice.examples == (f"judged {judged!r}, run {written!r}",)
    with pytest.raises(rs.StrictError, match="ids-look-alike"):
        rs.evaluate(*data, "RR", strict=True)


def repeated_rows(folder, judged, run):
    (folder / "run").write_text("".join(f"q Q0 {d} 0 {s} t\n" for d, s in run))
    return judged, folder / "run"


def repeated_items(_, judged, run):
    return judged, {"q": [d for d, _ in run]}


def repeated_records(_, judged, run):
    docs, scores = zip(*run, strict=True)
    return judged, pl.DataFrame({"qid": "q", "docno": docs, "score": scores})


@pytest.mark.parametrize("hold", [repeated_rows, repeated_items, repeated_records])
def test_repetitions_do_not_stand_for_missing_documents(engine, tmp_path, hold):
    """As many rows are judged as there are judgments, but of one document."""
    data = hold(tmp_path, {"q": {"d1": 1, "d2": 1}}, [("d1", 3.0), ("d1", 2.0), ("D2", 1.0)])
    result = rs.evaluate(*data, "P@3", duplicates="count")
    (notice,) = (n for n in result.warnings if n.code == "ids-look-alike")
    assert notice.examples == ("judged 'd2', run 'D2'",)


def test_numbers_and_text_look_alike(engine):
    result = rs.evaluate({1: {"3": 1, "4": 1, "9": 1}}, {1: {3: 1.0, 4: 0.5}}, "RR")
    (notice,) = result.warnings
    assert (notice.count, notice.examples[0]) == (2, "judged '3', run 3")
    assert notice.text.startswith("2 judged documents are not in the run but look like others")


def test_documents_of_another_query_do_not_count(engine):
    judged = {"1": {"d7": 1, "a": 1}, "2": {"b": 1}}
    run = {"1": {"a": 1.0, "x": 0.5}, "2": {"b": 1.0, "D7": 0.5}}
    assert rs.evaluate(judged, run, "RR").warnings == ()


def test_a_document_that_is_judged_itself_is_no_look_alike(engine):
    judged = {"q": {"a1": 1, "A1": 0}}
    assert rs.evaluate(judged, {"q": {"a1": 1.0, "b": 0.5}}, "RR").warnings == ()


@pytest.mark.parametrize("hold", HOLDERS)
def test_many_queries_are_sampled(engine, tmp_path, hold):
    """However many queries there are, a few are looked at, and it is said that there may be more."""
    n = 3 * SAMPLED_QUERIES
    judged = {f"{i}": {f"{i}7": 1, "same": 1} for i in range(n)}
    run = {q: {f"0{d}" if d != "same" else d: 1.0 for d in docs} for q, docs in judged.items()}
    if hold is trec:
        (tmp_path / "qrels").write_text(
            "".join(f"{q} 0 {d} 1\n" for q, docs in judged.items() for d in docs)
        )
        (tmp_path / "run").write_text(
            "".join(f"{q} Q0 {d} 1 1.0 t\n" for q, docs in run.items() for d in docs)
        )
        data = tmp_path / "qrels", tmp_path / "run"
    else:
        data = hold(tmp_path, judged, run)
    (notice,) = rs.evaluate(*data, "RR").warnings
    assert notice.count == SAMPLED_QUERIES
    assert notice.text.startswith(f"at least {SAMPLED_QUERIES} judged documents")


def test_queries_that_look_alike_are_counted(engine):
    judged = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    result = rs.evaluate(judged, {"1": {"a": 1.0}, "02": {"a": 1.0}, "3.0": {"a": 1.0}}, "RR")
    (notice,) = (n for n in result.warnings if n.code == "ids-look-alike")
    assert notice.count == 2
    assert notice.examples == ("judged '2', run '02'", "judged '3', run '3.0'")


@pytest.mark.parametrize("case", MANGLED)
def test_validate_counts_them_too(tmp_path, capsys, case):
    judged, written = MANGLED[case]
    paths = trec(tmp_path, {"q": {judged: 1, "other": 1}}, {"q": {written: 2.0, "other": 1.0}})
    assert main(["validate", *map(str, paths)]) == 1
    out = capsys.readouterr().out
    assert "1 judged document is not in the run but looks like one that is" in out
    assert f"(for example judged {judged!r}, run {written!r}) [ids-look-alike]" in out


def alike(result):
    return [n for n in result.warnings if n.code == "ids-look-alike"]


def test_queries_that_look_like_judged_ones_of_the_run_are_counted(engine, tmp_path, capsys):
    """As in a workbook in which some rows of a query were typed in another way."""
    judged = {"mütze": {"a": 1}, "Mütze": {"b": 1}, "mütze ": {"c": 1}, "hut": {"a": 1}}
    run = {"mütze": ["a"], "hut": ["a"]}
    (notice,) = alike(rs.evaluate(judged, run, "RR"))
    assert notice.count == 2
    assert notice.examples == ("judged 'Mütze', run 'mütze'", "judged 'mütze ', run 'mütze'")
    evaluator = rs.Evaluator(judged, "RR").add({"mütze": ["a"]}).add({"hut": ["a"]})
    assert alike(evaluator.result()) == [notice]
    again = rs.Evaluator(judged, "RR").merge(evaluator.state())
    assert alike(again.result()) == [notice]
    (tmp_path / "judged.json").write_text(json.dumps(judged), encoding="utf-8")
    (tmp_path / "run.json").write_text(json.dumps(run), encoding="utf-8")
    main(["validate", str(tmp_path / "judged.json"), str(tmp_path / "run.json")])
    assert "judged 'Mütze', run 'mütze'" in capsys.readouterr().out


def test_the_command_says_it(tmp_path, capsys):
    paths = trec(tmp_path, {"q": {"123": 1, "b": 1}}, {"q": {"00123": 2.0, "b": 1.0}})
    assert main(["evaluate", *map(str, paths), "-m", "RR"]) == 0
    assert "judged '123', run '00123'" in capsys.readouterr().err


ids = st.text(st.sampled_from("abAB01.,7 \ufeffé\"\n'e+"), min_size=1, max_size=6)


@settings(max_examples=examples(300))
@given(st.lists(ids, max_size=8), st.lists(ids, max_size=8))
def test_folding_all_at_once_is_folding_each(missing, present):
    together = look_alikes(missing, present)
    alone = [p for m in missing for p in look_alikes([m], present)]
    assert together == alone
    assert all(p.judged != p.run for p in together)


def test_ids_that_differ_are_not_alike():
    for pair in (
        ("12", "120"),
        ("1.5", "15"),
        ("d1", "d01"),
        ("a", "b"),
        ("1e3", "1000"),
        ("", "0"),
        ("1,23", "123"),
        ("a,123", "a123"),
    ):
        assert look_alikes([pair[0]], [pair[1]]) == []


def test_ids_that_look_alike_in_a_later_part_are_all_there_are():
    """A part in which every document is found says nothing about how many were looked at."""
    judged = {"q1": {"d1": 1}, "q2": {"doc-1": 1}}
    parts = {"q1": ["d1"]}, {"q2": ["DOC-1"]}
    whole = rs.evaluate(judged, parts[0] | parts[1], "RR")
    evaluator = rs.Evaluator(judged, ["RR"])
    for part in parts:
        evaluator.add(part)
    (notice,) = (n for n in whole.notices if n.code == "ids-look-alike")
    assert [n for n in evaluator.result().notices if n.code == "ids-look-alike"] == [notice]
    assert "at least" not in notice.text


@pytest.mark.parametrize(
    ("judged", "run", "alike"),
    [
        ("1000", "1,000", True),
        ("1234567", "1,234,567", True),
        ("10000", "1,0000", False),
        ("100", "1,00", False),
    ],
)
def test_thousands_are_set_apart_by_threes(judged, run, alike):
    assert bool([*look_alikes([judged], [run])]) == alike
