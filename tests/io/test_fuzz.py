"""The fuzz targets on what is kept of their inputs; ``make fuzz`` runs them on new ones."""

import os
from pathlib import Path

import pytest
from fuzz.engines import _core
from fuzz.target import TARGETS, Misread, run_target
from fuzz.written import read_alike

from rankstone import errors
from rankstone.core import python_engine, saved
from rankstone.io import input_file, rows
from rankstone.io.formats import csv_header, json_records, letor, trec

CORPUS = Path(__file__).parents[1] / "fuzz" / "corpus"
KEPT = sorted(path.relative_to(CORPUS).as_posix() for path in CORPUS.glob("*/*"))
MOST_BYTES = 6000  # of all inputs of a target

test_what_is_written_anyhow_is_read_alike = read_alike


@pytest.mark.parametrize("kept", KEPT)
def test_readers_refuse_or_read_what_there_is(tmp_path, kept):
    run_target(kept.split("/")[0], (CORPUS / kept).read_bytes(), tmp_path)


def test_every_target_has_a_small_corpus():
    sizes = {t: sum(p.stat().st_size for p in (CORPUS / t).iterdir()) for t in TARGETS}
    assert sorted(sizes) == sorted(os.listdir(CORPUS))
    assert {t: n for t, n in sizes.items() if not 0 < n <= MOST_BYTES} == {}


def without_last(lines):
    def changed(stream, path):
        held = list(lines(stream, path))
        yield from held[:-1]

    return changed


# A fault planted in a reader or a writer, and an input on which a target has to find it.
PLANTED = {
    "signs are lost": (json_records, "number_of", lambda f: lambda *a: abs(f(*a)), "json", b'{"q": {"d": -1}}'),
    "ids are trimmed": (json_records, "id_of", lambda f: lambda *a: f(*a).strip(), "jsonl", b'{"qid": "1", "docid": " d", "rel": 1}'),
    "the last line is lost": (input_file, "lines", without_last, "letor", b"1 qid:1 # d1\n0 qid:1 # d2\n"),
    "grades are rounded": (letor, "number_of", lambda f: lambda *a: float(round(f(*a))), "letor", b"0.5 qid:1 # d1\n"),
    "few digits are written": (trec, "number_text", lambda f: "{:g}".format, "trec", b"q 0 d 1234567\n"),
    "stray quotes are let pass": (csv_header, "check_alike", lambda f: lambda *a: None, "csv", b'qid,docno,rel,x"y\nq",d,1,2\nr,d,2,3\n'),
    "the best row is lost": (rows, "max", lambda f: min, "json", b'[{"qid": "q", "docid": "d", "rel": 2}, {"qid": "q", "docid": "d", "rel": 1}]'),
    "a message breaks a line": (errors, "printable", lambda f: lambda m: m + "\n", "json", b"{"),
    "values are rounded": (saved, "number", lambda f: lambda v: round(f(v), 1), "results", (CORPUS / "results" / "fine").read_bytes()),
    "texts are values": (saved, "_NUMBERS", lambda f: {*f, str}, "results", (CORPUS / "results" / "of-text").read_bytes()),
    "a place is lost": (python_engine, "falling_order", lambda f: lambda v, o: (f(v, o)[0][::-1], f(v, o)[1]), "orders", b"\x00\x02\x01\x05\x04\x03\x02\x01"),
    "an error of no kind of ours": (json_records, "keys_of", lambda f: lambda *_: {}["x"], "jsonl", b'{"qid": 1}\n{}'),
}  # fmt: skip


@pytest.mark.parametrize("fault", PLANTED)
def test_the_targets_find_what_is_planted(tmp_path, monkeypatch, fault):
    module, name, change, target, data = PLANTED[fault]
    if module is python_engine and _core is None:
        pytest.skip("the compiled core was not built here")
    run_target(target, data, tmp_path)
    real = getattr(module, name, None)
    monkeypatch.setattr(module, name, change(real), raising=real is not None)
    with pytest.raises((Misread, KeyError)):
        run_target(target, data, tmp_path)
