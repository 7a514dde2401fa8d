"""Collect every text for people, update the Chinese catalogue, and compile it.

Texts are the literals in calls of ``tr`` and ``plural``, which Babel finds, and texts that are data, such
as manual pages of measures and the help of commands: these are shown once, and what is looked up
meanwhile is recorded.

    python release/messages.py        updates rankstone.po and rankstone.mo, and lists what is missing
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

SOURCES = Path(__file__).resolve().parent.parent / "src" / "rankstone"
PO = SOURCES / "locale" / "zh" / "LC_MESSAGES" / "rankstone.po"
MO = PO.with_suffix(".mo")
_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # a header that does not change each time
_NUMBER = re.compile(r"\d[\w.]*( \(\S+\))?")  # a number or a version
#: Nouns that are counted by way of a variable.
NOUNS = (
    "query", "changed query", "cluster", "warning", "note", "row", "pair", "chunk", "document", "item",
    "interaction", "run",
)  # fmt: skip


def texts() -> dict[str, str]:
    """Return every text that can be looked up, with where it is from."""
    return written() | dict.fromkeys(sorted(recorded()), "data")


def written() -> dict[str, str]:
    """Return the literals in the sources, each with its module."""
    found = {f"{{}} {noun}": "nouns" for noun in NOUNS}
    for path in sorted(SOURCES.rglob("*.py")):
        module = path.relative_to(SOURCES).as_posix()
        for function, place in {"tr": (1,), "plural": (2,)}.items():
            for _, message, _, _ in extract(
                "python", BytesIO(path.read_bytes()), {function: place}
            ):
                text = f"{{}} {message}" if function == "plural" else str(message)
                found.setdefault(text, module)
    return found


def columns() -> set[str]:
    """Return the names of the columns of explanations, which kernels write as keys."""
    names = {"interactions", "users"}  # those that a parameter names
    for path in (SOURCES / "measures").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names |= {
                key.value
                for table in _tables(node)
                if isinstance(table, ast.Dict)
                for key in table.keys
                if isinstance(key, ast.Constant)
            }
    return names


def _tables(node: ast.AST) -> list[ast.expr | None]:
    """Return what a piece of code hands on as columns."""
    if isinstance(node, ast.keyword) and node.arg == "columns":
        return [node.value]
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "columns":
        return [node.value]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "_mean":
        return [*node.args]
    if (
        isinstance(node, ast.FunctionDef)
        and node.returns
        and ast.unparse(node.returns) == "Columns"
    ):
        return [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return)]
    return []


def recorded() -> set[str]:
    """Return the texts that are data."""
    with recording() as texts:
        _show_everything()
    texts |= columns()
    # The help of a choice with fixed values is its text and a list of these.
    listed = {text for text in texts if text.rpartition(": ")[0] in texts and _is_list(text)}
    return {text for text in texts - listed if not _NUMBER.fullmatch(text)}


def _is_list(text: str) -> bool:
    words = text.rpartition(": ")[2].split(", ")
    return len(words) > 1 and all(word.replace("-", "").isalnum() for word in words)


@contextmanager
def recording() -> Iterator[set[str]]:
    """Record what is looked up, as in a language whose texts are the English ones."""
    from rankstone import language

    seen: set[str] = set()

    def lookup(text: str) -> str:
        seen.add(text)
        return text

    before, language._lookup = language._lookup, lookup  # noqa: SLF001
    try:
        yield seen
    finally:
        language._lookup = before  # noqa: SLF001


def _show_everything() -> None:
    """Show all texts that are data: help, manual pages, tools, conventions, notices, pages."""
    from rankstone.choices.conventions import AGGREGATES as HOWS, Conventions
    from rankstone.choices.setup import GROUPS
    from rankstone.cli import COMMANDS
    from rankstone.core import notice_texts
    from rankstone.core.aggregate import AGGREGATES
    from rankstone.core.timing import STAGES
    from rankstone.io.formats import trec_layout
    from rankstone.language import tr
    from rankstone.measures import all_measures, manual
    from rankstone.page.html import texts as page_texts
    from rankstone.stats.comparison import CHOSEN, INTERVALS, TESTS
    from rankstone.stats.corrections import CORRECTION_NAMES
    from rankstone.text import tools
    from rankstone.text.agreements import _COEFFICIENTS
    from rankstone.text.notice_meanings import meanings
    from rankstone.tools import TOOLS
    from rankstone.verbs.explain import explain
    from rankstone.verbs.gate import verdict

    _show(["--help"], *([name, "--help"] for name in COMMANDS if name != "trec_eval"))
    _show(*(["gate", "baseline", *verb, "--help"] for verb in ([], ["save"], ["accept"], ["show"])))
    for choices in GROUPS:
        for field in choices.__dataclass_fields__.values():
            for text in field.metadata.get("values", {}).values():
                tr(text)
            for effects in field.metadata.get("effects", {}).values():
                for text in effects.values():
                    tr(text)
    for measure in all_measures():
        list(manual.page(measure))
        manual.family(measure)
        for param in measure.definition.params:
            for meaning in (param.choices or {}).values():
                tr(meaning)
        example = measure.definition.example
        str(_explained(explain, example))
    list(tools.all_tools())
    for tool in TOOLS.values():
        list(tools.one_tool(tool))
    for _, text in notice_texts.TABLE.values():
        tr(text)
    for layout in vars(trec_layout).values():
        if isinstance(layout, trec_layout.TrecLayout) and layout.dropped:
            layout.dropped.translated()
    for aggregate in AGGREGATES.values():
        tr(aggregate.text)
        tr(aggregate.note)
    words: Any = (
        *HOWS, *TESTS.values(), *INTERVALS.values(), *CHOSEN.values(), *CORRECTION_NAMES.values(),
        *_COEFFICIENTS.values(), verdict.PASS, verdict.WARN, verdict.FAIL, verdict.CANNOT_TELL,
        "better", "worse", "note", "warning", "judgments", "run", "document", "chunk", "query",
        "tokens", "characters", "cost", "group", "aggregate", "against", "all", *STAGES,
        "rows", "queries", "grades", "documents", "judged per query",
        "relevant per query", "depth", "tied rows", "judged queries", "judged documents",
        *chain(*map(dict.values, meanings().values())),
        "candidate", "baseline", "difference", "One choice explains", "Two choices explain",
        "Three choices explain", "level", "documents", "pages", "spans", "characters", "before", "now",
    )  # fmt: skip
    for word in words:
        tr(word)
    page_texts(None)
    Conventions().effect("missing-queries")


def _explained(explain: Any, example: Any) -> Any:
    """Return the working of a measure's example; some need data that grades alone are not."""
    from rankstone.errors import RankstoneError

    try:
        return explain(example.measure, list(example.grades))
    except (RankstoneError, ValueError, TypeError):
        return ""


def _show(*commands: list[str]) -> None:
    """Print the help of commands nowhere."""
    from contextlib import redirect_stdout, suppress
    from io import StringIO

    from rankstone.cli import main

    with redirect_stdout(StringIO()):
        for words in commands:
            with suppress(SystemExit):
                main(words)


def catalogue() -> Catalog:
    """Return the catalogue as it is."""
    with PO.open("rb") as stream:
        return read_po(stream, locale="zh")


def updated(old: Catalog) -> Catalog:
    """Return a catalogue of the texts there are, with the translations there were."""
    about = {"project": "Rankstone", "version": "1", "msgid_bugs_address": "-", "charset": "utf-8"}
    about |= {"last_translator": "-", "language_team": "-", "fuzzy": False}
    about |= {"header_comment": "# The Chinese of Rankstone's texts, kept by release/messages.py."}
    new = Catalog("zh", creation_date=_DATE, revision_date=_DATE, **about)
    known = {str(m.id): str(m.string or "") for m in old if m.id}
    for text, place in texts().items():
        new.add(text, known.get(text, ""), locations=[(place, 0)])
    return new


def compiled(chosen: Catalog) -> bytes:
    """Return the bytes of the compiled catalogue."""
    stream = BytesIO()
    write_mo(stream, chosen)
    return stream.getvalue()


def main() -> int:
    """Update both files; the exit code is 1 if a text has no translation."""
    new = updated(catalogue())
    with PO.open("wb") as stream:
        write_po(stream, new, width=100, omit_header=False, include_lineno=False, sort_output=True)
    MO.write_bytes(compiled(new))
    missing = [str(m.id) for m in new if m.id and not m.string]
    print(f"{len(list(new)) - 1 - len(missing)} translated, {len(missing)} missing")
    for text in missing if "-v" in sys.argv else ():
        print(f"  {text}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
