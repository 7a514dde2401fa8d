"""Write the tables of docs/tools.md: ``python tests/peers/table.py [TOOL ...]``.

A tool that is not installed keeps the rows it has, so that the page can be written in more than
one environment. What is written is what the comparison finds.
"""

# ruff: noqa: E402 -- the tools are found before what is imported from here
from __future__ import annotations

import importlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# In place of this folder, whose files are named like the tools.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from peers import compare
from peers.compare import ADAPTERS
from rankstone.conventions import Conventions
from rankstone.measures.base import REGISTRY, As, Measure
from rankstone.profiles import Profile, profile

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "tools.md"
BEGIN, END = "<!-- written by tests/peers/table.py -->\n", "<!-- end of what it writes -->\n"
EXACT, BUT, BEYOND, NOT_RUN = "exact", "exact, but: ", "not expressible: ", "not compared"
ABSENT = "no such measure"


@dataclass(frozen=True)
class Row:
    """A tool's name of a measure, what it is here, and how the numbers compare."""

    name: str
    ours: str
    verdict: str

    def __str__(self) -> str:
        ours = f"`{self.ours}`" if self.ours else ""
        return f"| `{self.name}` | {ours} | {self.verdict} |"


def words(measure: Measure, spelling: As) -> str:
    """Return a measure as a tool computes it, with the conventions on which it parts from itself."""
    own = Measure(measure.definition, spelling.params)
    cut = "@k" if "{k}" in spelling.pattern else ""
    own_choices = ", ".join(f"{n}={v}" for n, v in spelling.conventions.items())
    return f"{own}{cut}" + (f" with {own_choices}" if own_choices else "")


def rows(name: str) -> list[Row]:
    """Return a tool's rows as the registry and its adapter have them."""
    like = profile(name)
    tool = importlib.import_module(f"peers.{name}")
    compared = {
        found[1].pattern for f in tool.FUNCTIONS if (found := compare.entry(like, f)) is not None
    }
    listed: dict[str, Row] = {}
    for measure, spelling in spellings(like):
        if spelling.pattern not in compared and (spelling.base in listed or like.speaks):
            continue  # another form of the same name, or a name its elder alone has
        verdict = BUT + spelling.note if spelling.note else EXACT
        row = Row(
            spelling.pattern.replace("{k}", "k"),
            words(measure, spelling),
            verdict if spelling.pattern in compared else NOT_RUN,
        )
        listed[spelling.base] = row
    reasons = getattr(tool, "BEYOND", {})
    for function in tool.FUNCTIONS:
        if compare.entry(like, function) is None:
            reason = reasons.get(function, ABSENT)
            listed[function] = Row(function.replace("{k}", "k"), "", BEYOND + reason)
    return list(listed.values())


def spellings(like: Profile) -> list[tuple[Measure, As]]:
    """Return a tool's names of measures, and the measures."""
    return [
        (measure, spelling)
        for measure in REGISTRY.values()
        for key in dict.fromkeys(like.keys)
        for spelling in measure.definition.names.get(key, ())
    ]


def measured(name: str) -> list[Row] | None:
    """Return a tool's rows as the comparison finds them, None where it is not installed."""
    try:
        tool = compare.adapter(name)
    except ImportError:
        return None
    wrong = {}
    for function in tool.FUNCTIONS:
        found = compare.entry(profile(name), function)
        if found is None:
            continue
        for seed in range(compare.seeds(name, thorough=False)):
            different = compare.differences(tool, function, seed)
            if different:
                wrong[found[1].pattern.replace("{k}", "k")] = f"differs: {different[0][:80]}"
                break
    return [Row(r.name, r.ours, wrong.get(r.name, r.verdict)) for r in rows(name)]


def read(page: str) -> dict[str, list[Row]]:
    """Return the rows that stand on the page, by tool."""
    found: dict[str, list[Row]] = {}
    for part in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        cells = re.findall(r"^\| `(.+?)` \| (?:`(.+?)`)? ?\| (.+) \|$", part, flags=re.MULTILINE)
        found[part.split()[0]] = [Row(*cell) for cell in cells]
    return found


def kept(name: str, known: list[Row]) -> list[Row]:
    """Return the rows of a tool that was not run; what has changed since then is not compared."""
    old = {(row.name, row.ours): row.verdict for row in known}
    return [
        row
        if row.verdict.startswith(BEYOND)
        else Row(row.name, row.ours, old.get((row.name, row.ours), NOT_RUN))
        for row in rows(name)
    ]


def share(found: dict[str, list[Row]]) -> str:
    """Return how many of the tools' names give the tools' numbers."""
    every = [row.verdict for listed in found.values() for row in listed]
    exact, absent = every.count(EXACT), every.count(BEYOND + ABSENT)
    but = sum(v.startswith(BUT) for v in every)
    beyond = sum(v.startswith(BEYOND) for v in every) - absent
    here = len(every) - absent
    return (
        f"{len(found)} tools have {len(every)} names of measures. {absent} are of measures that "
        f"Rankstone does not have. Of the other {here}, {exact} are exact, {but} exact with an "
        f"exception that is stated, {beyond} not expressible and {here - exact - but - beyond} not "
        f"compared: {(exact + but) / here:.0%} give the tool's number, {exact / here:.0%} always."
    )


def tables(found: dict[str, list[Row]]) -> str:
    """Return the tables as Markdown."""
    lines = [share(found), ""]
    for name, listed in found.items():
        like = profile(name)
        chosen = (
            ", ".join(f"{n}={v}" for n, v in like.conventions.diff(Conventions()).items())
            or "the defaults"
        )
        lines += [f"### {name} {like.tested}", "", f"`{like.name}`: {like.text}.", ""]
        lines += [f"Conventions: `{chosen}`.", ""]
        lines += [f"Beyond them: {'; '.join(like.beyond)}.", ""] if like.beyond else []
        lines += ["| its name | in Rankstone | numbers |", "|---|---|---|", *map(str, listed), ""]
    return "\n".join(lines)


def main() -> None:
    """Write the page, and say how much of it is exact; tools may be named, all if none."""
    asked = sys.argv[1:] or ADAPTERS
    now = {name: measured(name) if name in asked else None for name in ADAPTERS}
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    old, _, after = rest.partition(END)
    known = read(old)
    found = {name: now[name] or kept(name, known.get(name, [])) for name in ADAPTERS}
    PAGE.write_text(f"{before}{BEGIN}\n{tables(found)}{END}{after}", encoding="utf-8")
    print(share(found))


if __name__ == "__main__":
    main()
