"""The benchmark runs, and the pages show the results that are in the repository."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return pytest.importorskip("pages")


def test_all_pages_show_one_table_of_what_was_measured(pages):
    results = pages.Results.read()
    table = results.table()
    assert len(table.splitlines()) > 12
    for page in pages.PAGES:
        assert table in (FOLDER.parent / page).read_text(encoding="utf-8"), page
    text = "".join(f"{line}\n" for line in results.page())
    assert (FOLDER / "RESULTS.md").read_text(encoding="utf-8") == text


def test_a_table_is_written_between_the_marks_of_a_page(pages, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- written by make bench -->\nold\n<!-- end of the table -->\nafter\n"
    )
    results = pages.Results.read()
    pages.write_table(results, str(page))
    assert page.read_text(encoding="utf-8") == f"before\n{results.table()}\nafter\n"
    page.write_text("no marks\n")
    with pytest.raises(SystemExit, match="are not there"):
        pages.write_table(results, str(page))


def test_a_small_run_measures_each_form_of_data(tmp_path):
    pytest.importorskip("pytrec_eval")
    for shape, peer in (
        ("short", "pytrec_eval"),
        ("object", "json.load"),
        ("one relevant", "NumPy"),
    ):
        command = [sys.executable, str(FOLDER / "run.py"), "--scale", "0", "--rounds", "1"]
        paths = ["--data", str(tmp_path / "data"), "--output", str(tmp_path)]
        subprocess.run([*command, "--shape", shape, *paths], check=True, capture_output=True)
        saved = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
        for measurement in saved["measurements"]:
            assert shape in measurement["shape"]
            assert not measurement["different"]
            assert any(peer in lead["peer"] for lead in measurement["leads"])
            assert measurement["seconds"] > 0
        assert "| times as fast as |" in (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
