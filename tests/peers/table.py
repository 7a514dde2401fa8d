"""Write docs/tools/ and the list in docs/tools.md: ``python tests/peers/table.py [TOOL ...]``.

A tool that is not installed keeps the rows it has, so that the pages can be written in more than
one environment. What is written is what the comparison finds.
"""

# ruff: noqa: E402 -- the tools are found before what is imported from here
from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# In place of this folder, whose files are named like the tools.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

import rankstone as rs
from peers import compare, items
from peers.compare import TESTED, stem
from rankstone.choices.conventions import Conventions
from rankstone.measures.base import REGISTRY
from rankstone.tools.base import Name, Tool

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "tools.md"
FOLDER = PAGE.with_suffix("")
MARK = "<!-- written by tests/peers/table.py -->\n"
BEGIN, END = MARK, "<!-- end of what it writes -->\n"
EXACT, BUT, MISSING, NOT_RUN = "exact", "exact, but: ", "missing: ", "not compared"


@dataclass(frozen=True)
class Row:
    """A tool's name of a measure, what it is here, and how the numbers compare."""

    name: str
    ours: str
    verdict: str

    def __str__(self) -> str:
        ours = f"`{self.ours}`" if self.ours else ""
        return f"| `{self.name}` | {ours} | {self.verdict} |"


def in_rankstone(name: Name) -> str:
    """Return a measure as a tool computes it, with the conventions that hold for it alone."""
    measure = str(REGISTRY[name.measure](**name.params))
    cutoff = "@k" if name.has_cutoff and "@" not in measure else ""
    own = ", ".join(f"{n}={v}" for n, v in name.conventions.items())
    return f"{measure}{cutoff}" + (f" with {own}" if own else "")


def compared(tool: Tool) -> dict[str, list[str]]:
    """Return the adapter's functions by the pattern of the tool's name they compare."""
    patterns: dict[str, list[str]] = {}
    for function in (*compare.adapter(tool.name).FUNCTIONS, *items.FUNCTIONS.get(tool.name, ())):
        if (entry := compare.entry(tool, function)) is not None:
            patterns.setdefault(entry[1].pattern, []).append(function)
    return patterns


def rows(tool: Tool) -> list[Row]:
    """Return a tool's rows as its file and its adapter have them."""
    run = compared(tool)
    listed: dict[tuple[str, str], Row] = {}
    for name in tool.names:
        key = stem(name.pattern), in_rankstone(name)
        if key in listed and name.pattern not in run:
            continue  # another form of the same name
        verdict = BUT + name.note if name.note else EXACT
        verdict = verdict if name.pattern in run else NOT_RUN
        if key not in listed or listed[key].verdict == NOT_RUN:
            listed[key] = Row(name.shown.replace("{k}", "k"), in_rankstone(name), verdict)
    missing = [
        Row(pattern.replace("{k}", "k"), "", MISSING + reason)
        for pattern, reason in tool.unsupported.items()
    ]
    return [*listed.values(), *missing]


def measured(tool: Tool) -> list[Row] | None:
    """Return a tool's rows as the comparison finds them, None if it is not installed."""
    try:
        compare.adapter(tool.name).version()
    except ImportError:
        return None
    wrong = {}
    for pattern, functions in compared(tool).items():
        for function in functions:
            for seed in range(compare.seeds(tool.name, thorough=False)):
                beyond = function in items.FUNCTIONS.get(tool.name, ())
                differences = items.differences if beyond else compare.differences
                different = differences(tool.name, function, seed)
                if different:
                    shown = Name(pattern, "").shown.replace("{k}", "k")
                    wrong[shown] = f"differs: {different[0][:80]}"
                    break
    return [Row(r.name, r.ours, wrong.get(r.name, r.verdict)) for r in rows(tool)]


def page_of(name: str) -> Path:
    """Return the path of the page of a tool."""
    return FOLDER / f"{name}.md"


def read(name: str) -> list[Row]:
    """Return the rows on the page of a tool, none if it has no page yet."""
    if not page_of(name).exists():
        return []
    text = page_of(name).read_text(encoding="utf-8")
    cells = re.findall(r"^\| `(.+?)` \| (?:`(.+?)`)? ?\| (.+) \|$", text, flags=re.MULTILINE)
    return [Row(*cell) for cell in cells]


def kept(tool: Tool, known: list[Row]) -> list[Row]:
    """Return the rows of a tool that was not run; what has changed since then is not compared."""
    old = {(row.name, row.ours): row.verdict for row in known}
    return [
        row
        if row.verdict.startswith(MISSING)
        else Row(row.name, row.ours, old.get((row.name, row.ours), NOT_RUN))
        for row in rows(tool)
    ]


def names(tool: Tool) -> tuple[list[str], list[str]]:
    """Return the names of measures that Rankstone has, and those that it does not have."""
    here = list(dict.fromkeys(stem(name.pattern) for name in tool.names))
    new = "it is new in"  # a later version has it
    others = [p for p, reason in tool.unsupported.items() if not reason.startswith(new)]
    return here, [s for s in dict.fromkeys(map(stem, others)) if s not in here]


def share(tables: dict[str, list[Row]]) -> str:
    """Return how many of the tools' names give the tools' numbers."""
    listed = [name for name in tables if not name.startswith("article-")]
    counted = [names(rs.TOOLS[name]) for name in listed]
    here = sum(len(some) for some, _ in counted)
    absent = sum(len(some) for _, some in counted)
    verdicts = [row.verdict for some in tables.values() for row in some if row.ours]
    exact = verdicts.count(EXACT)
    but = sum(v.startswith(BUT) for v in verdicts)
    rest = len(verdicts) - exact - but
    return (
        f"{len({rs.TOOLS[n].family for n in listed})} tools, trec_eval in two versions, list "
        f"{here + absent} names of measures in their own registries. "
        f"{here} of them are here, {absent} are missing; each page names them. With its forms "
        "and parameters a name may have several rows. Of all "
        f"{len(verdicts)} rows with a measure, those of the articles included, {exact} are exact, "
        f"{but} exact with an exception that is stated, and {rest} not compared."
    )


def tool_page(tool: Tool, listed: list[Row]) -> Iterator[str]:
    """Yield the lines of the page of a tool."""
    chosen = ", ".join(f"{n}={v}" for n, v in tool.conventions.diff(Conventions()).items())
    here, absent = names(tool)
    yield from (f"# {tool.name}", "", MARK)
    yield from (f"Compared with {tool.tested}: {tool.about}.", "")
    yield from (f"Conventions: `{chosen or 'the defaults'}`.", "")
    if tool.limits:
        yield from (f"Beyond them: {'; '.join(tool.limits)}.", "")
    missing = f"; missing: {', '.join(f'`{n}`' for n in absent)}" if absent else ""
    yield from (f"Names: {len(here) + len(absent)}, here: {len(here)}{missing}.", "")
    yield from ("| its name | in Rankstone | numbers |", "|---|---|---|", *map(str, listed), "")
    yield "[All tools, and what the words in the last column mean](../tools.md)"


def index(tables: dict[str, list[Row]]) -> Iterator[str]:
    """Yield the lines of the list of tools."""
    yield from (share(tables), "", "| tool | compared with | names | here |", "|---|---|--:|--:|")
    for name in tables:
        here, absent = names(rs.TOOLS[name])
        link = f"[{name}]({FOLDER.name}/{name}.md)"
        yield f"| {link} | {rs.TOOLS[name].tested} | {len(here) + len(absent)} | {len(here)} |"


def main() -> None:
    """Write the pages, and say how much of them is exact; tools may be named, all if none."""
    asked = [rs.tool(name).name for name in sys.argv[1:]] or TESTED
    now = {name: measured(rs.TOOLS[name]) if name in asked else None for name in TESTED}
    tables = {n: now[n] or kept(rs.TOOLS[n], read(n)) for n in TESTED}
    FOLDER.mkdir(exist_ok=True)
    for name, listed in tables.items():
        text = "\n".join(tool_page(rs.TOOLS[name], listed))
        page_of(name).write_text(text + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    text = "\n".join(index(tables))
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    print(share(tables))


if __name__ == "__main__":
    main()
