"""The pages of docs/, and where each is in the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from _site.reference_pages import names
from rankstone.tools import tool

DOCS = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
#: Pages that are generated, with the question each answers, by the heading that lists them.
GENERATED = {
    "Reference": {
        "reference/measures": "what a measure is, with its formula and a worked example",
        "reference/conventions": "which choices change a number, and their values",
        "reference/profiles": "what the names and conventions of another tool mean",
        "reference/cli": "which options a command has",
        "reference/api": "what `import rankstone` gives",
        "reference/formats": "which file formats are read and written",
        "reference/json": "what `--format json` prints",
        "reference/exit-codes": "which exit codes and errors there are",
    },
    "Explanation": {
        "reference/users": "what each measure assumes about its user",
    },
}
#: Where a page has the names of tools.
_NAMES = re.compile(r"<!-- names of (.*?) -->")
#: The blank line that ends the output of an example for doctest.
_LAST_BLANK = re.compile(r"(^```python\n(?:(?!^```).)*?\n)\n(?=```$)", re.DOTALL | re.MULTILINE)
_RULE = "|:---|:---|\n"  # between the head of a table and its rows


def pages() -> dict[str, str]:
    """Return the text of every page by its path; the index comes from README.md."""
    texts = {p.name: _without_outside_links(p) for p in sorted(DOCS.glob("*.md"))}
    texts = {name: _LAST_BLANK.sub(r"\1", _NAMES.sub(_names, text)) for name, text in texts.items()}
    index = "".join(_index(texts.pop("README.md")))
    return texts | {"index.md": index + "\n".join(_toctrees(index))}


def _names(mark: re.Match[str]) -> str:
    """Return the tables of the names of some tools, in their newest version."""
    tools = [tool(name) for name in mark[1].split(", ")]
    tables = ["\n".join(names(t, "reference/measures")) for t in tools]
    titled = (f"{t.name}:\n\n{text}\n" for t, text in zip(tools, tables, strict=True))
    return "\n".join(titled)


def _index(text: str) -> Iterator[str]:
    """Yield the parts of the index, the generated pages in the table of their heading."""
    first, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    yield first
    for section in sections:
        heading = section.removeprefix("## ").split("\n", 1)[0]
        rows = [
            f"| {question} | []({page}.md) |\n"
            for page, question in GENERATED.get(heading, {}).items()
        ]
        yield section.replace(_RULE, _RULE + "".join(rows), 1)


def _without_outside_links(page: Path) -> str:
    """Return a page whose links to files outside of docs are words, since the site lacks the files."""

    def linked(match: re.Match[str]) -> str:
        words, target, _ = match.groups()
        return words if target.startswith("../") else match[0].replace("README.md", "index.md")

    return _LINK.sub(linked, page.read_text(encoding="utf-8"))


def _toctrees(index: str) -> list[str]:
    """Return the navigation: a list of pages for each heading of the index, in its order."""
    lines = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        heading = section.split("\n", 1)[0]
        linked = [target for _, target, _ in _LINK.findall(section) if target.endswith(".md")]
        names = dict.fromkeys(target.removesuffix(".md") for target in linked)
        if not names:
            continue
        lines += [
            "",
            "```{toctree}",
            ":hidden:",
            ":titlesonly:",
            f":caption: {heading}",
            "",
            *names,
            "```",
        ]
    return lines
