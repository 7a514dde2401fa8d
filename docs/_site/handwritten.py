"""The pages of docs/, and where each is in the site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
#: Pages that are generated, with the question each answers, by the heading that lists them.
GENERATED = {
    "Reference": {
        "reference/measures": "what a measure is, with its formula and a worked example",
        "reference/conventions": "which choices change a number, and their values",
        "reference/cli": "which options a command has",
        "reference/api": "what `import rankstone` gives",
        "reference/formats": "which file formats are read and written",
        "reference/notices": "what a notice means",
        "reference/json": "what `--format json` prints",
        "reference/exit-codes": "which exit codes and errors there are",
    },
    "Explanation": {
        "reference/users": "what each measure assumes about its user",
    },
}
#: A row of a tool's page: its name of a measure, and what it is here.
_TOOL_ROW = re.compile(r"^(\| `.+?` \| )(`(\w+)[^`]*`)", re.MULTILINE)
#: The blank line that ends the output of an example for doctest.
_LAST_BLANK = re.compile(r"(^```python\n(?:(?!^```).)*?\n)\n(?=```$)", re.DOTALL | re.MULTILINE)
_RULE = "|:---|:---|\n"  # between the head of a table and its rows


def pages() -> dict[str, str]:
    """Return the text of every page by its path; the index comes from README.md."""
    texts = {p.name: _without_outside_links(p) for p in sorted(DOCS.glob("*.md"))}
    texts = {name: _LAST_BLANK.sub(r"\1", text) for name, text in texts.items()}
    index = "".join(_index(texts.pop("README.md")))
    tools = {f"tools/{p.name}": _tool_page(p) for p in sorted((DOCS / "tools").glob("*.md"))}
    texts["tools.md"] += "\n".join(_toctree("", [page.removesuffix(".md") for page in tools]))
    return texts | tools | {"index.md": index + "\n".join(_toctrees(index))}


def _tool_page(page: Path) -> str:
    """Return the page of a tool, each measure in its table with a link to the page of the measure."""
    text = page.read_text(encoding="utf-8")
    return _TOOL_ROW.sub(r"\1[\2](../reference/measures/\3.md)", text)


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
        if names:
            lines += _toctree(heading, names)
    return lines


def _toctree(caption: str, names: Iterable[str]) -> list[str]:
    """Return a list of pages for the navigation."""
    options = [":hidden:", ":titlesonly:", *([f":caption: {caption}"] if caption else [])]
    return ["", "```{toctree}", *options, "", *names, "```"]
