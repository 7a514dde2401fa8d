"""What the page on the architecture says of the code."""

import importlib
import re
import sys
import types
from pathlib import Path

import pytest

import rankstone as rs
from rankstone.io import formats

PAGE = Path(__file__).resolve().parents[2] / "docs" / "architecture.md"
WALK = re.findall(r"^\| \d+ \| `([\w.]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def calls(work):
    """Return the functions of Rankstone that are called, in order."""
    names = []

    def note(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("rankstone"):
            names.append(f"{module}.{frame.f_code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return names


def function(path):
    """Return what a dotted path names."""
    parts = path.split(".")
    for i in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        for name in parts[i:]:
            found = getattr(found, name)
        return found
    raise AssertionError(path)


@pytest.mark.parametrize("path", WALK)
def test_the_functions_of_the_walk_exist(path):
    assert callable(function(path))


def test_a_row_takes_the_way_that_the_page_describes():
    assert len(WALK) > 20
    data = PAGE.parent.parent / "examples" / "search"
    called = calls(lambda: rs.evaluate(data / "qrels.txt", data / "bm25.run", "nDCG@10"))
    first = [called.index(name) for name in WALK if name != "rankstone.core.engine.load"]
    assert first == sorted(first)
    assert "rankstone.core.engine.load" in called


def test_the_format_in_the_contributing_page_works(tmp_path, monkeypatch):
    page = (PAGE.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = re.search(r'```python\n("""Arrows.*?)```', page, re.DOTALL)[1]
    entry = re.search(r'`"arrows": (_Entry\(.*?\)),`', page)[1]
    module = types.ModuleType("rankstone.io.formats.arrows")
    exec(source, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(formats._FORMATS, "arrows", eval(entry, vars(formats)))
    (tmp_path / "judged.arrows").write_text("q1->d1=2\nq1->d2=0\n")
    (tmp_path / "ranked.arrows").write_text("q1->d2=0.9\nq1->d1=0.5\n")
    files = tmp_path / "judged.arrows", tmp_path / "ranked.arrows"
    assert rs.evaluate(*files, "RR").per_query == {"q1": {"RR": 0.5}}
    files[1].write_text("q1->d2\n")
    with pytest.raises(rs.DataError, match="ranked.arrows:1: expected 'query->document"):
        rs.evaluate(*files, "RR", input_format="arrows")
    formats.named.cache_clear()
