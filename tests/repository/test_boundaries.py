"""What loads what, who knows whom, and that the pages say what is."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import rankstone as rs
from rankstone.choices.changes import Changes
from rankstone.choices.conventions import Conventions
from rankstone.choices.effort import Effort
from rankstone.choices.reading import Reading
from rankstone.io import streams
from rankstone.io.formats import trec

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "rankstone"
HEAVY = ["pandas", "polars", "scipy", "rich", "pyarrow", "pyspark", "torch", "zstandard"]


def loaded(code):
    """Return the modules loaded after running code in a new interpreter."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_loads_nothing_heavy():
    assert not loaded("import rankstone") & {*HEAVY, "numpy"}


def test_evaluating_loads_numpy_and_nothing_heavier():
    code = "import rankstone as rs; rs.evaluate({'q': {'d': 1}}, {'q': ['d']}, ['RR', rs.nDCG @ 5])"
    modules = loaded(code)
    assert "numpy" in modules
    assert not modules & {*HEAVY, "pathlib._local", "importlib.metadata", "hashlib", "email"}


@pytest.mark.parametrize(
    "flags",
    ["--help", "--version", "evaluate --help", "compare --help", "gate --help", "measures --help"],
)
def test_help_and_version_load_no_numpy(flags):
    code = f"""
import sys
from rankstone.cli import main
try:
    main({flags.split()!r})
except SystemExit:
    pass
"""
    assert "numpy" not in loaded(code)


def names_in(path):
    """Return the identifiers of a module and the words in its strings, but for docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    docs = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    for node in (n for n in nodes if id(n) not in docs):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\w+", node.value)


def test_no_measure_is_named_in_core_io_report_and_cli():
    # One-letter names (P, R, F) are also everyday type variables and words.
    names = {m.name for m in rs.all_measures() if len(m.name) > 1}
    spellings = names | {"ndcg", "ndcg_cut", "recip_rank", "map_cut", "hit_rate", "precision_at"}
    for path in SOURCE.rglob("*.py"):
        # Tools and faces of tools name measures: that is what they are for.
        if {"measures", "tools", "compat", "trec_eval"} & {*path.relative_to(SOURCE).parts}:
            continue
        if path == SOURCE / "__init__.py":  # which lists those that people type
            continue
        found = spellings & set(names_in(path))
        assert not found, f"{path.relative_to(ROOT)} names {found}"


def test_the_stub_lists_what_the_package_resolves():
    nodes = [*ast.walk(ast.parse((SOURCE / "__init__.pyi").read_text()))]
    listed = {a.asname for n in nodes if isinstance(n, ast.ImportFrom) for a in n.names}
    listed |= {n.target.id for n in nodes if isinstance(n, ast.AnnAssign)}
    assert listed == set(dir(rs))
    for name in listed:
        assert getattr(rs, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = rs.nonsense
    with pytest.raises(
        AttributeError, match="it is in rankstone.measures: rankstone.measures.NumQ"
    ):
        _ = rs.NumQ


def test_every_measure_is_re_exported():
    import rankstone.measures

    for measure in rs.all_measures():
        assert getattr(rankstone.measures, measure.name) is measure


def test_input_never_meets_assert():
    for path in SOURCE.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not any(isinstance(n, ast.Assert) for n in nodes), path


def test_the_examples_are_what_their_generator_makes():
    import importlib.util

    spec = importlib.util.spec_from_file_location("make_examples", ROOT / "examples" / "make.py")
    make = importlib.util.module_from_spec(spec)
    sys.modules["make_examples"] = make
    spec.loader.exec_module(make)
    for path, text in make.files().items():
        assert (ROOT / "examples" / path).read_text(encoding="utf-8") == text, path


def test_every_notice_has_a_meaning():
    from rankstone.text.notice_meanings import meaning

    makers = ("Notice", "reading_notice")
    codes = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in makers:
                codes |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
    codes |= {"repeated-judgments", "contradicting-judgments"}
    assert len(codes) >= 10
    missing = [code for code in codes if meaning(code) is None]
    assert not missing, "write what they mean into src/rankstone/text/notices.json"


def test_every_kind_of_fault_is_described_and_is_of_modules_that_exist():
    from rankstone.errors import _FAULTS
    from rankstone.text.notice_meanings import meanings

    described = meanings()["error"]
    assert set(_FAULTS.values()) == set(described)
    paths = [path for part in ("core", "io", "measures") for path in (SOURCE / part).rglob("*.py")]
    names = [path.parent.name if path.stem == "__init__" else path.stem for path in paths]
    assert {name: names.count(name) for name in _FAULTS} == dict.fromkeys(_FAULTS, 1)
    page = (ROOT / "docs" / "bad-input.md").read_text(encoding="utf-8").splitlines()
    assert [f"- **{code}**: {text}." for code, text in described.items()] == [
        line for line in page if line.startswith("- **bad-")
    ]


def test_limits_of_files_are_those_in_the_docs():
    page = (ROOT / "docs" / "bad-input.md").read_text(encoding="utf-8")
    line, long_line, large, large_json = (
        f"{limit >> 20} MiB"
        for limit in (
            trec._LONGEST_LINE,
            streams._LONGEST_LINE,
            streams._ALWAYS_FINE,
            streams._ALWAYS_FINE_JSON,
        )
    )
    assert f"a line longer than {line} ({long_line} in JSONL and LETOR)" in page
    times = f"expands to {streams._MOST_TIMES} times its size"
    assert f"{times} and to more than {large} (JSON: {large_json})" in page


def convention_rows():
    """A line of the page's table for each convention and each of its values."""
    for field in dataclasses.fields(rs.Conventions):
        yield f"| `{field.name}` | | {field.metadata['text']} |"
        for value, text in field.metadata.get("values", {}).items():
            default = " (default)" if value == field.default else ""
            yield f"| | `{value}`{default} | {text} |"


def test_every_convention_and_its_values_are_in_the_docs():
    page = (ROOT / "docs" / "conventions.md").read_text(encoding="utf-8").splitlines()
    rows = list(convention_rows())
    assert len(rows) > 30
    assert [row for row in rows if row not in page] == []


def test_every_format_is_in_the_docs():
    from _site.reference_pages import formats_table

    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    assert "\n".join(formats_table()) in page, "put this table into docs/formats.md"


def test_data_is_never_run_and_nothing_is_fetched():
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            roots = {name.partition(".")[0] for name in names}
            assert not roots & {"pickle", "marshal", "shelve", "socket", "urllib", "http", "ssl"}, (
                path
            )


JUDGED, RUN = {"q1": {"a": 1, "b": 2}}, {"q1": ["x", "b", "a"]}


def test_other_words_for_options_are_answered():
    with pytest.raises(
        rs.UsageError, match=r"no option 'metrics': name the measures with measures="
    ):
        rs.evaluate(JUDGED, RUN, metrics=["AP"])
    with pytest.raises(rs.UsageError, match=r"no option 'k': .*'NAME@10'"):
        rs.evaluate(JUDGED, RUN, "nDCG", k=10)


def test_the_signature_of_evaluate_has_every_convention_and_how_data_are_read():
    parameters = inspect.signature(rs.evaluate).parameters
    for group in (Conventions, Reading, Changes, Effort):
        assert set(group.names()) <= set(parameters)
    assert all(parameters[f.name].default == f.default for f in fields(Conventions))


def test_a_misspelt_convention_is_found_by_the_type_checker(tmp_path):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "use.py").write_text(
        "import rankstone as rs\n"
        'rs.evaluate({}, {}, "AP", ties="input")\n'
        'rs.evaluate({}, {}, "AP", tise="input")\n'
        'rs.evaluate({}, {}, "AP", ties="inputs")\n'
        'rs.explain("AP", {}, {}, tise="input")\n'
        'rs.reconcile("AP", {}, {}, value=0.5, tise="input")\n'
        'rs.compare({}, {}, "AP", tise="input")\n'
        'rs.compare({}, {}, "AP", ties="input", like="ranx", strict=True)\n'
        'rs.gate({}, {}, tise="input")\n'
        "rs.evaluate({}, {}, [rs.MRR @ 10, rs.MAP, rs.NDCG @ 10, rs.HR, rs.Recall, rs.Precision])\n"
    )
    out, _, _ = api.run(
        [str(tmp_path / "use.py"), "--cache-dir", str(tmp_path), "--no-error-summary"]
    )
    lines = [line.split(":")[1] for line in out.splitlines() if "error" in line]
    assert lines == ["3", "4", "5", "6", "7", "9"], out
