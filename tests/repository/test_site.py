"""The documentation site: it builds, it is complete, and its links lead somewhere."""

import inspect
import json
import os
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from pydoc import locate
from urllib.parse import unquote, urldefrag

import numpy as np
import pytest
from _site.api_pages import MODULES, RETURNED, public_names
from _site.handwritten import GENERATED
from _site.measure_pages import sections
from _site.pictures import drawn_measure, weights

import rankstone as rs
from rankstone.choices.conventions import Conventions
from rankstone.tools import TOOLS

DOCS = Path(__file__).resolve().parents[2] / "docs"
# One process builds the site and looks at it.
pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site; a warning of Sphinx is a failure."""
    for package in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        pytest.importorskip(package, reason="the site needs the dependency group 'docs'")
    folder = tmp_path_factory.mktemp("site") / "html"
    paths = [str(DOCS), *filter(None, [os.environ.get("PYTHONPATH")])]
    build = subprocess.run(
        [sys.executable, "-m", "_site", str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    assert build.stderr == ""
    return folder


class Page(HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[name] for name in ("id", "name") if name in attrs}
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag == "link" and attrs.get("rel") == "stylesheet":
            self.loaded.append(attrs["href"])
        if "src" in attrs:
            self.loaded.append(attrs["src"])


@pytest.fixture(scope="session")
def pages(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def inventory(site):
    """The names that the site describes, with their pages."""
    data = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    for line in zlib.decompress(data).decode().splitlines():
        name, role, _, page, _ = line.split(" ", 4)
        if role.startswith("py:"):
            yield name, page.split("#")[0]


def test_every_public_name_has_an_entry_and_every_entry_is_a_name(site):
    entries = {name.removeprefix("rankstone.") for name, _ in inventory(site)}
    assert {name for name in entries if "." not in name} == {*dir(rs)} - {"__version__", "measures"}
    for name in entries:
        owner, _, member = f"rankstone.{name}".rpartition(".")
        owner = locate(owner)
        # A field of a dataclass without a default is not an attribute of the class.
        assert hasattr(owner, member) or member in owner.__annotations__, name


def test_public_modules_and_the_parts_of_results_have_entries(site):
    entries = {name for name, _ in inventory(site)}
    for module in MODULES:
        assert {f"{module}.{name}" for name in public_names(locate(module))} <= entries
    assert {*RETURNED} <= entries


def test_every_class_that_a_public_function_returns_has_an_entry():
    described = {*dir(rs), *(path.rpartition(".")[2] for path in RETURNED)}
    described |= {"Any", "None", "Judgments", "Run"}  # loaded data are passed on, not looked into
    for name in public_names(rs):
        if inspect.isfunction(function := getattr(rs, name)):
            returned = str(inspect.signature(function).return_annotation)
            assert {*re.findall(r"\b[A-Z]\w+", returned)} <= described, name


def test_a_search_for_the_name_in_another_tool_finds_the_measure(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    names = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    for name, measure in {"mrr": "RR", "map": "AP", "ndcg_cut": "nDCG", "hr": "Success"}.items():
        pages = [
            names["docnames"][page] for page, _, is_main in names["indexentries"][name] if is_main
        ]
        assert f"reference/measures/{measure}" in pages


def test_every_measure_has_a_page_with_all_its_parts(site):
    for measure in rs.all_measures():
        page = site / "reference" / "measures" / f"{measure.name}.html"
        text = page.read_text(encoding="utf-8")
        assert 'class="formula"' in text, measure
        assert "Worked example" in text
        assert measure.definition.pretty in text
        if not measure.definition.reads_items:  # these count items, wherever they are
            drawn = 'class="weights"', "does not count", "No picture: "
            assert any(words in text for words in drawn), measure
        for param in measure.definition.params:
            assert f">{param.name}<" in text
    shown = {p.stem for p in (site / "reference" / "measures").glob("*.html")}
    assert shown == {measure.name for measure in rs.all_measures()}


@pytest.mark.parametrize("measure", rs.all_measures(), ids=str)
def test_every_definition_says_how_to_read_it_and_what_it_is_not_for(measure):
    parts = sections(measure)
    assert parts["Reading"]
    assert parts["Not for"]
    # A page begins the sentence with a capital letter, and a parameter has to keep its own.
    assert parts["Reading"].split()[0] not in [p.name for p in measure.definition.params]
    assert not set(parts) - {"", "Reading", "Not for", "Reference"}


def test_the_weight_of_a_rank_is_the_discount():
    alone, lost = weights(rs.DCG @ 2).values()
    assert alone[:3] == pytest.approx([1, 0.6309297535714574, 0])
    assert lost[:3] == pytest.approx(alone[:3])
    for measure in (m for m in rs.all_measures() if not m.definition.reads_items):
        if measure.name == "Corrected":  # its example has fewer items than the picture
            continue
        drawn = drawn_measure(rs.parse_measure(measure.definition.example.measure))
        assert np.isfinite(list(weights(drawn).values())).all(), measure
    first_only = list(weights(rs.RR).values())[1]
    assert first_only == [0.5] + [0.0] * (len(first_only) - 1)


def test_conventions_tools_and_commands_are_on_the_site(site):
    from rankstone.cli import COMMANDS

    def text(page):
        return (site / "reference" / f"{page}.html").read_text(encoding="utf-8")

    for name, values in Conventions.choices().items():
        assert all(f">{word}<" in text("conventions") for word in [name, *values])
    assert all((site / "tools" / f"{name}.html").exists() for name in TOOLS if TOOLS[name].tested)
    assert all(f"rankstone {name}" in text("cli") for name in COMMANDS)
    assert "--unjudged-interval" in text("cli")


def test_links_lead_to_pages_and_anchors(site, pages):
    count = 0
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                assert re.fullmatch(r"https://[\w.-]+(/[^\s]*)?", link), link
                continue
            target, anchor = urldefrag(unquote(link))
            goal = (path.parent / target).resolve() if target else path
            assert goal.exists(), f"{path.name}: {link}"
            if anchor and goal in pages:
                assert anchor in pages[goal].anchors, f"{path.name}: {link}"
            count += 1
    assert count > 1000


def test_nothing_is_loaded_from_the_network(site, pages):
    for path, page in pages.items():
        for source in page.loaded:
            assert (path.parent / source.split("?")[0]).exists(), f"{path.name}: {source}"
    assert "ndcg" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_every_page_is_in_the_navigation(site):
    index = Page((site / "index.html").read_text(encoding="utf-8"))
    listed = {link.split("#")[0] for link in index.links}
    generated = {page for pages in GENERATED.values() for page in pages}
    written = {page.stem for page in DOCS.glob("*.md")} - {"README"}
    assert {f"{page}.html" for page in generated | written} <= listed
