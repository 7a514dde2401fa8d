"""The pages of docs/, and where each is in the site."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
#: Pages that are generated, by the heading of the index under which they are listed.
_GENERATED = {
    "Reference": (
        "reference/measures",
        "reference/conventions",
        "reference/profiles",
        "reference/cli",
        "reference/api",
        "reference/formats",
        "reference/exit-codes",
    ),
}


def pages() -> dict[str, str]:
    """Return the text of every page by its path; the index comes from README.md."""
    texts = {p.name: _without_outside_links(p) for p in sorted(DOCS.glob("*.md"))}
    index = texts.pop("README.md")
    return texts | {"index.md": index + "\n".join(_toctrees(index))}


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
        names = dict.fromkeys([*(t.removesuffix(".md") for t in linked), *_GENERATED.get(heading, ())])
        lines += ["", "```{toctree}", ":hidden:", f":caption: {heading}", "", *names, "```"]
    return lines
