"""What ``--format json`` prints: the keys and types of real output."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _site.command_pages import parsers
from _site.handwritten import DOCS
from _site.tables import code, table
from rankstone.cli import main

_FILES = "examples/search/qrels.txt examples/search/bm25.run"
#: A command line for each command that prints JSON.
_LINES = {
    "evaluate": f"{_FILES} -m nDCG@10",
    "compare": f"{_FILES} examples/search/dense.run -m nDCG@10",
    "gate": f"{_FILES} --baseline examples/search/hybrid.run --non-inferior nDCG@10=0.02",
    "agree": "examples/search/bm25.run examples/search/hybrid.run",
    "power": f"{_FILES} examples/search/dense.run -m nDCG@10",
    "explain": f"nDCG@10 {_FILES} --query q01",
    "reconcile": "nDCG@6 --grades 3,2,3,0,1,2 --value 0.932",
    "measures": "nDCG",
    "validate": _FILES,
    "verify": "result.json",
    "leaderboard": "board.toml -m nDCG@10",
}
_TYPES = {dict: "object", list: "array", str: "text", bool: "true or false", type(None): "null"}
_LONGEST = 60


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of the page."""
    yield "reference/json.md", "\n".join(_page())


def _page() -> Iterator[str]:
    yield "# JSON output"
    yield ""
    yield (
        "What each command prints with `--format json`, by key. Documents that are meant to be "
        "stored name their `schema`; a change that older readers would misread changes its number. "
        "`[]` is each item of an array, `NAME` a key that comes from the data."
    )
    printing = [name for name, parser in parsers().items() if _prints_json(parser)]
    commands = [name for name in printing if name != "spark"]  # which prints what evaluate does
    with _folder():
        examples = Path("examples").resolve().as_posix()
        Path("board.toml").write_text(
            f"[collections.search]\nqrels = '{examples}/search/qrels.txt'\n"
            f"runs = '{examples}/search/*.run'\n",
            encoding="utf-8",
        )
        Path("result.json").write_text(_printed(f"evaluate {_LINES['evaluate']}"), encoding="utf-8")
        for name in commands:
            line = f"{name} {_LINES[name]}"
            yield f"\n## {name}\n\n```text\nrankstone {line} --format json\n```\n"
            rows = {path: row for path, *row in _rows("", json.loads(_printed(line)))}
            yield from table(
                ("key", "type", "example"), [(code(k), *row) for k, row in rows.items() if k]
            )


def _prints_json(parser: Any) -> bool:
    formats = [a.choices or () for a in parser._actions if a.dest == "format"]  # noqa: SLF001
    return any("json" in choices for choices in formats)


@contextlib.contextmanager
def _folder() -> Iterator[None]:
    """Work in a folder of its own that has the examples."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(DOCS.parent / "examples", Path(folder) / "examples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _printed(line: str) -> str:
    words = [*line.split(), "--format", "json"]
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        main(words)
    return out.getvalue()


def _rows(path: str, value: Any) -> Iterator[tuple[str, str, str]]:
    """Yield path, type and example of a value and of all that is in it."""
    kind = _TYPES.get(type(value), "number")
    shown = "" if isinstance(value, dict | list) else json.dumps(value, ensure_ascii=False)
    yield (
        path,
        kind,
        code(shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…") if shown else "",
    )
    if isinstance(value, dict):
        for key, inner in value.items():
            name = key if key.isidentifier() or key == "$schema" else "NAME"
            yield from _rows(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list):
        for inner in value[:20]:
            yield from _rows(f"{path}[]", inner)
