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
#: What the pages may have together that no program writes.
MOST_WORDS = 25_000
#: Lines and columns of a screen; a how-to has at most two.
LINES, COLUMNS = 65, 140
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


def test_the_first_screen_says_what_for_whom_why_and_the_two_commands():
    words = {
        README: ("Rankstone tells", "for\npeople who build", "Why another one?", "ten minutes"),
        CHINESE: ("Rankstone 回答", "适合", "为什么还需要", "十分钟"),
    }
    for page, (what, whom, why, time) in words.items():
        first = page.read_text(encoding="utf-8").split("\n## ")[0]
        python, commands = (
            ">>> import rankstone as rs",
            ("`make demo`", "`make test`", "`pip install .`"),
        )
        parts = (what, whom, python, why, *commands[:2], time, commands[2], "$ rankstone gate")
        places = [first.index(part) for part in parts]
        assert places == sorted(places)
        assert first[: places[-2]].count("\n") < 25
        assert first[: places[-1]].count("\n") < 50


def test_the_demo_says_what_it_does_and_how_long_it_takes():
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert '@echo "Building and installing Rankstone into $(VENV): about a minute' in made
    chinese = (ROOT / "docs" / "quickstart.zh.md").read_text(encoding="utf-8")
    assert "pip install ." in chinese
    assert ">>> import rankstone as rs" in chinese


def test_every_page_is_reachable_from_the_index():
    docs = ROOT / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    tools = (docs / "tools.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)", index + tools))
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


def make_files(page, folder):
    """Write the files that a page shows: a block or, of a workbook, a table under "`NAME`: ..."."""
    text = page.read_text(encoding="utf-8")
    shown = r"^`([\w.-]+)`[^\n]*:\n\n"
    for name, content in re.findall(rf"{shown}```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        (folder / name).write_text(content, encoding="utf-8")
    for name, table in re.findall(rf"{shown}((?:\|[^\n]*\n)+)", text, re.MULTILINE):
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if not re.fullmatch("[:-]+", "".join(cells)):  # the rule below the head
                book.active.append([int(c) if c.isdigit() else c or None for c in cells])
        book.save(folder / name)


@pytest.mark.skipif(shutil.which("bash") is None, reason="commands on pages are run by bash")
@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_tutorials_go_from_an_empty_folder_to_their_results(page, tmp_path, monkeypatch):
    make_files(page, tmp_path)
    commands = list(sessions(page))
    for command, output in commands:
        assert command.startswith("rankstone "), command
        got = printed(command, tmp_path)
        pattern = re.escape(output).replace(re.escape("...\n"), r"(?:.*\n)*?")
        assert re.fullmatch(pattern, got), got
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 2
    assert results.failed == 0


#: What five articles print, by article; the second and the fifth print formulas alone.
PRINTED = {
    1: "2/3 2/4 3/5 0.76 1/2",
    3: "0.83 0.45 0.64 11 8.10 8.69 0.932",
    4: "3.0 5.0 4.2618595071429155 9.6051177391888114 0.9203032077642922 0.96519546960144276 "
    "0.6309 0.4307 (6 + 5 + 4) / (10 + 12 + 8)",
}


@pytest.mark.parametrize("article", PRINTED)
def test_each_number_of_the_articles_is_on_the_page_for_students(article):
    page = (ROOT / "docs" / "for-students.zh.md").read_text(encoding="utf-8")
    numbers = re.findall(r"\(.*\)|\S+", PRINTED[article])
    assert [number for number in numbers if number not in page] == []


def test_there_is_a_tutorial_for_each_group():
    groups = ("search", "recommenders", "llm-retrieval", "ltr", "researchers", "students")
    assert {page.stem for page in TUTORIALS} >= {f"for-{group}" for group in groups}


def commands(block):
    """The commands of a console block, without their output."""
    return "".join(re.findall(r"^\$ (?:.*\\\n)*.*\n", block, re.MULTILINE))


def written_words(page):
    """The words of a page that no program writes: no tables of the code, of a tool or of a benchmark,
    and no output of a command."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```console\n(.*?)```", lambda block: commands(block[1]), text, flags=re.DOTALL)
    text = re.sub(r"<!-- (?:from the code|written by).*?<!-- end.*?-->", "", text, flags=re.DOTALL)
    if page.stem in ("costs", "simulations"):  # what benchmarks print
        text = re.sub(r"^\|.*\n", "", text, flags=re.MULTILINE)
    return len(text.split())


def test_the_pages_are_short_enough_to_be_read():
    pages = [page for page in (ROOT / "docs").glob("*.md") if not page.stem.endswith(".zh")]
    words = {page.stem: written_words(page) for page in pages}
    assert sum(words.values()) <= MOST_WORDS, words
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    howto = index.partition("## How-to")[2].partition("## Reference")[0]
    for name in re.findall(r"\]\(([\w-]+)\.md", howto):
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        lines = sum(max(1, -(-len(line) // COLUMNS)) for line in text.splitlines())
        assert lines <= 2 * LINES, f"{name}: a how-to fits two screens"
