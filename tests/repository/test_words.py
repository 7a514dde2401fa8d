"""One word for one thing, and sentences that are understood at first reading."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").rglob("*.md"),
    *(ROOT / "src" / "rankstone").rglob("*.py"),
    *(ROOT / "src" / "rankstone").rglob("*.json"),
]
AVOIDED = {
    "cut-off": "cutoff",
    "unless told": "(default: ...)",
    "is told": "is shown, is passed",
    "told by": "detected from",
    "as they came in": "in input order",
    "in silence": "silently",
    "much else": "name it",
    "will do": "is enough",
    "where there is none": "if there is none",
    "cannot be told": "does not show",
    "relevancy": "relevance",
}


@pytest.mark.parametrize("phrase", AVOIDED)
def test_avoided_words(phrase):
    pattern = re.compile(rf"\b{phrase}\b".replace(" ", r"\s+"), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {hit.group()!r}; write {AVOIDED[phrase]}"
        for path in TEXTS
        for hit in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_glossary_is_sorted_and_explains_a_word_once():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| \*\*([\w -]+)\*\* \|", page, re.MULTILINE)
    assert len(words) > 20
    assert words == sorted(set(words))
