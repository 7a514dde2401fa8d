"""What the pages show is what the commands print."""

import doctest
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from strategies import shown_on_a_terminal

ROOT = Path(__file__).resolve().parents[2]
README, CHINESE = ROOT / "README.md", ROOT / "README.zh-CN.md"
PAGES = [
    README,
    CHINESE,
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


# The commands of tutorials build on each other, in a folder of their own: see the end of this file.
TUTORIALS = [page for page in PAGES if page.name.startswith("for-")]
# The commands of the Chinese page are those of the English one, which a test below compares.
SHOWN = [
    (page, *session)
    for page in PAGES
    if page not in TUTORIALS and page != CHINESE
    for session in sessions(page)
]


def printed(command, folder):
    """Return what a person at a terminal sees of a command."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    call = command.replace("rankstone", f"{sys.executable} -m rankstone", 1)
    return shown_on_a_terminal(["bash", "-c", call], words=True, cwd=folder, env=environment)


@pytest.mark.skipif(shutil.which("bash") is None, reason="commands on pages are run by bash")
@pytest.mark.parametrize(("page", "command", "output"), SHOWN, ids=[c for _, c, _ in SHOWN])
def test_commands_print_what_the_pages_show(page, command, output):
    if command == "make demo":
        command = "rankstone demo"
    assert command.startswith("rankstone "), command
    folder = page.parent if page.parent.name == "examples" else ROOT
    pattern = re.escape(output).replace(re.escape("...\n"), r"(?:.*\n)*?")
    got = printed(command, folder)
    assert re.fullmatch(pattern, got), got


def code(page):
    """The blocks of code and commands of a page."""
    return re.findall(r"```(?:console|python)\n.*?```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_both_readmes_show_the_same_code_and_link_the_same_pages():
    assert len(code(README)) >= 8
    assert code(README) == code(CHINESE)
    pages = [
        set(re.findall(r"\]\((docs/[\w.-]+)", page.read_text(encoding="utf-8")))
        for page in (README, CHINESE)
    ]
    assert pages[0] <= pages[1]


def test_the_first_screen_has_the_install_line_two_commands_and_then_the_gate():
    for page, time in ((README, "ten minutes"), (CHINESE, "十分钟")):
        first = page.read_text(encoding="utf-8").split("\n## ")[0]
        commands = ("`pip install .`", "`make demo`", "`make test`", time, "$ rankstone gate")
        places = [first.index(command) for command in commands]
        assert places == sorted(places)
        assert first[: places[-1]].count("\n") < 40


def test_the_demo_says_what_it_does_and_how_long_it_takes():
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert '@echo "Building and installing Rankstone into $(VENV): about a minute' in made
    chinese = (ROOT / "docs" / "quickstart.zh.md").read_text(encoding="utf-8")
    assert "pip install ." in chinese
    assert ">>> import rankstone as rs" in chinese


def test_every_page_is_reachable_from_the_index():
    docs = ROOT / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)", index))
    assert {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - linked == {
        "README.md"
    }
    assert "docs/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere():
    more = [*ROOT.glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    for page in {*PAGES, *(ROOT / "examples").rglob("*.md"), *more}:
        text = page.read_text(encoding="utf-8")
        pictures = re.findall(r'<img src="([^"]+)"', text)
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) + pictures:
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name}: {link}"


@pytest.mark.skipif(shutil.which("bash") is None, reason="commands on pages are run by bash")
@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_tutorials_go_from_an_empty_folder_to_their_results(page, tmp_path, monkeypatch):
    commands = list(sessions(page))
    assert "rankstone demo --save examples" in [command for command, _ in commands]
    for command, output in commands:
        assert command.startswith("rankstone "), command
        got = printed(command, tmp_path)
        assert got == output, got
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 2
    assert results.failed == 0


def test_there_are_four_tutorials():
    assert len(TUTORIALS) == 4
