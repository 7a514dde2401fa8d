"""The catalogue of texts: every text has its Chinese, with the same places, and none is left over."""

import ast
import re
import sys
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter

import pytest

pytest.importorskip("babel", reason="the package babel is missing")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "release"))

import messages  # noqa: E402

CATALOGUE = {str(m.id): str(m.string) for m in messages.catalogue() if m.id}
AGAIN = "run: python release/messages.py, and fill in what is empty in rankstone.po"


@pytest.fixture(scope="module")
def texts():
    return messages.texts()


def test_every_text_has_its_chinese(texts):
    assert [text for text in texts if not CATALOGUE.get(text)] == [], AGAIN


def test_no_chinese_is_left_over(texts):
    assert [text for text in CATALOGUE if text not in texts] == [], AGAIN


def test_the_compiled_catalogue_is_that_of_the_written_one():
    with messages.MO.open("rb") as stream:
        compiled = GNUTranslations(stream)
    assert {text: compiled.gettext(text) for text in CATALOGUE} == CATALOGUE, AGAIN


def places(text):
    """Return the names or numbers of the places in a text, in both ways of writing them."""
    try:
        fields = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError:  # braces that are not places
        fields = re.findall(r"{(\w*)}", text)
    numbered = (str(i) for i in range(len(fields)))
    return {(name or next(numbered)).partition("|")[0] for name in fields}


def test_places_are_the_same():
    for text, chinese in CATALOGUE.items():
        nested = {"effect"} if "{effect}" in text else set()  # within the place of a count
        assert places(chinese) == places(text) | nested, text


def test_chinese_has_no_space_at_its_marks():
    """There is none before %, none behind a mark, and no mark of English behind a Chinese word."""
    odd = re.compile(r"[}\d] %(?!%)|[，。；：、] |[一-鿿）][,;:!?]")  # noqa: RUF001
    found = [text for text in CATALOGUE.values() if odd.search(text)]
    assert found == [CATALOGUE["usage: "]]  # of the same width


def test_translations_can_be_filled_in():
    """A text has places in their order, or numbered ones, not both."""
    for text in CATALOGUE.values():
        names = re.findall(r"{(\d*)[:!}]", text)
        assert not ("" in names and any(names)), text


def test_words_are_those_of_the_glossary():
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = dict(re.findall(r"^\| \*\*([\w -]+)\*\* \| (\S+) \|", glossary, re.MULTILINE))
    known = {word: chinese for word, chinese in words.items() if word in CATALOGUE}
    assert len(known) > 8
    assert {word: CATALOGUE[word] for word in known} == known


def test_errors_are_made_of_english():
    """No error has a translated text in it; ``amount`` counts there, not ``plural``."""
    found = []
    for path in sorted(messages.SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc:
                names = {n.id for n in ast.walk(node.exc) if isinstance(n, ast.Name)}
                found += [f"{path.name}:{node.lineno}"] * bool(names & {"tr", "plural"})
    assert found == []
