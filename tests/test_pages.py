"""What the pages show is what the commands print."""

import doctest
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from strategies import shown_on_a_terminal

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def sessions(page):
    """Yield (command, output) for every command in the page's console blocks."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.strip()
            yield command, output


def starts_from_nothing(page):
    """Whether a page copies its data into the reader's folder, so that its commands build on it."""
    return any("demo --save" in command for command, _ in sessions(page))


TUTORIALS = [page for page in PAGES if starts_from_nothing(page)]
SHOWN = [(p, *session) for p in PAGES if p not in TUTORIALS for session in sessions(p)]


def printed(command, folder):
    """Return what a person at a terminal sees of a command."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    call = command.replace("rankstone", f"{sys.executable} -m rankstone", 1)
    return shown_on_a_terminal(["bash", "-c", call], words=True, cwd=folder, env=environment)


def expected(output):
    """Return the pattern of an output, in which a line of three dots stands for any lines."""
    return re.escape(output).replace(re.escape("...\n"), r"(?:.*\n)*?")


@pytest.mark.skipif(shutil.which("bash") is None, reason="commands on pages are run by bash")
@pytest.mark.parametrize(("page", "command", "output"), SHOWN, ids=[c for _, c, _ in SHOWN])
def test_commands_print_what_the_pages_show(page, command, output):
    if command == "make demo":
        command = "rankstone demo"
    assert command.startswith("rankstone "), command
    got = printed(command, page.parent if page.parent.name == "examples" else ROOT)
    assert re.fullmatch(expected(output), got), got


@pytest.mark.skipif(shutil.which("bash") is None, reason="commands on pages are run by bash")
@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_tutorials_go_from_an_empty_folder_to_their_results(page, tmp_path, monkeypatch):
    for command, output in sessions(page):
        assert command.startswith("rankstone "), command
        got = printed(command, tmp_path)
        assert re.fullmatch(expected(output), got), got
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 2
    assert results.failed == 0


def test_every_tutorial_starts_from_nothing():
    assert [p.stem for p in TUTORIALS] == [p.stem for p in PAGES if p.stem.startswith("for-")]


def test_the_readme_shows_commands():
    assert len(SHOWN) >= 8


def test_every_page_is_reachable_from_the_index():
    docs = ROOT / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)", index))
    assert {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - linked == {
        "README.md"
    }
    assert "docs/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name}: {link}"
