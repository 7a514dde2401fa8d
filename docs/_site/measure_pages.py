"""A page for each measure and their index, from the definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import rankstone as rs
from _site.mathml import formula
from _site.pictures import drawn_measure, picture
from _site.tables import code, names_table, prose, slug, table
from rankstone.measures import manual
from rankstone.measures.base import Example, Measure
from rankstone.text import explanation
from rankstone.tools import TOOLS
from rankstone.tools.base import Name

_LABEL = re.compile(r"^(Reading|Not for|Reference): ", re.MULTILINE)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every page."""
    measures = rs.all_measures()
    yield "reference/measures.md", "\n".join(_index(measures))
    yield "reference/users.md", "\n".join(_users(measures))
    for measure in measures:
        yield f"reference/measures/{measure.name}.md", "\n".join(_page(measure))


def _users(measures: list[Measure]) -> Iterator[str]:
    yield "# What each measure assumes about its user"
    yield ""
    yield (
        "A measure is a model of a person who reads a ranking: how far they read, when they stop, "
        "and what a document is worth to them. Choose the measure whose user is most like yours. "
        "Two measures that disagree about two systems disagree about the user."
    )
    for title, members in manual.families(measures).items():
        yield f"\n## {title}\n"
        rows = [
            (
                f"[{code(m.name)}](measures/{m.name}.md)",
                prose(sentence(" ".join(sections(m)["Reading"].split()))),
                prose(sentence(" ".join(sections(m)["Not for"].split()))),
            )
            for m in members
        ]
        yield from table(("measure", "reading", "not for"), rows)


def _index(measures: list[Measure]) -> Iterator[str]:
    yield "# Measures"
    yield ""
    yield (
        f"{len(measures)} measures by family. The families that most other tools have come first. "
        "`rankstone measures NAME` prints a page in the terminal."
    )
    for title, members in manual.families(measures).items():
        yield f"\n## {title}\n"
        rows = [
            (f"[{code(manual.name_with_cutoff(m))}](measures/{m.name}.md)", manual.summary(m))
            for m in members
        ]
        yield from table(("measure", "what it is"), rows)
    yield "\n```{toctree}\n:hidden:\n:titlesonly:\n"
    yield from (f"measures/{m.name}" for ms in manual.families(measures).values() for m in ms)
    yield "```"


def sections(measure: Measure) -> dict[str, str]:
    """Return the parts of a manual page: its prose under the empty label, the others under theirs."""
    paragraphs = measure.definition.text.split("\n\n")[1:]
    text = "\n\n".join(p for p in paragraphs if " ".join(p.split()) != measure.definition.formula)
    before, *labelled = _LABEL.split(text)
    parts = {"": before.strip()}
    parts |= {k: v.strip() for k, v in zip(labelled[::2], labelled[1::2], strict=True)}
    return parts


def _page(measure: Measure) -> Iterator[str]:
    d = measure.definition
    parts = sections(measure)
    yield f"# {d.name}: {d.pretty}"
    yield ""
    yield from _search_terms(measure)
    yield prose(manual.summary(measure))
    yield ""
    here = [name for name in dir(rs) if getattr(rs, name) == measure] or [f"measures.{d.name}"]
    yield "```{eval-rst}"
    yield from (f".. py:data:: rankstone.{name}" for name in here)
    yield "```\n"
    yield formula(measure)
    yield ""
    if parts[""]:
        yield prose(parts[""])
        yield ""
    yield from _facts(measure)
    yield f"\n## How to read it\n\n{prose(sentence(parts['Reading']))}"
    yield f"\n## When not to use it\n\nNot for {prose(parts['Not for'])}"
    yield "\n## Worked example\n"
    yield from _example(d.example)
    if not d.reads_items:
        drawn = drawn_measure(rs.parse_measure(d.example.measure))
        yield "\n## Weight of a rank\n"
        yield f"{code(str(drawn))} of {_fifteen(measure)}.\n"
        yield picture(drawn)
    yield "\n## Parameters\n"
    yield from _parameters(measure)
    yield "\n## Names in other tools\n"
    yield from _elsewhere(measure)
    if "Reference" in parts:
        yield "\n## References\n"
        yield prose(parts["Reference"])


def _search_terms(measure: Measure) -> Iterator[str]:
    """Yield the names that a search finds the page by: what other tools call the measure."""
    names = {
        re.split(r"[@.({]", name.shown)[0].strip("_-")
        for tool in TOOLS.values()
        for name in tool.names_of(measure.name)
    }
    if names:
        yield f"```{{index}} {', '.join(f'! {name}' for name in sorted(names))}\n```\n"


def _fifteen(measure: Measure) -> str:
    about = "15 judged documents, graded 0 or 1, and one below them that is not relevant"
    return f"{about}, all of one subtopic" if measure.definition.reads_subtopics else about


def sentence(text: str) -> str:
    """Return text with a capital letter."""
    return f"{text[0].upper()}{text[1:]}"


def _facts(measure: Measure) -> Iterator[str]:
    d = measure.definition
    low, high = d.range
    ends = [f"{end:g}".replace("inf", "∞") for end in (low, high)]
    yield f"- Range: {' to '.join(ends)}; {'higher' if d.higher_is_better else 'lower'} is better."
    yield f"- Aggregate over queries: {d.aggregate}."
    if d.conventions:
        links = ", ".join(f"[{code(c)}](../conventions.md#{slug(c)})" for c in d.conventions)
        yield f"- Conventions that matter most: {links}."
    if d.reads_subtopics:
        yield (
            "- It reads judgments by [subtopic](../../subtopics.md); without them a query is its "
            "only subtopic."
        )


def _example(example: Example) -> Iterator[str]:
    """Yield the working of the example as ``explain`` shows it."""
    if example.shown:
        beside = (code(f"{name}={value!r}") for name, value in example.given.items())
        yield f"Items in rank order: {', '.join(example.shown)}; with {', '.join(beside)}."
        yield f"\nBy hand: {code(f'{example.measure} = {example.value}')}"
        return
    retrieved = {f"d{i + 1}": grade for i, grade in enumerate(example.grades)}
    missed = {f"m{i + 1}": grade for i, grade in enumerate(example.missed)}
    judged = {doc: g for doc, g in (retrieved | missed).items() if g is not None}
    working = rs.explain(example.measure, {"q": judged}, {"q": list(retrieved)})
    grades = ", ".join(manual.grade_in_words(g) for g in example.grades)
    unseen = ", ".join(manual.grade_in_words(g) for g in example.missed)
    yield f"Grades in rank order: {grades}." + (f" Not retrieved: {unseen}." if unseen else "")
    yield ""
    lines = list(explanation.markdown(working))
    first = next((i for i, line in enumerate(lines) if line.startswith("|")), len(lines) - 1)
    yield from lines[first:]
    yield ""
    yield f"By hand: {code(f'{example.measure} = {example.value}')}"


def _parameters(measure: Measure) -> Iterable[str]:
    if not measure.definition.params:
        yield "None."
        return
    rows = []
    for p in measure.definition.params:
        default = "" if p.default is None else code(p.shown(p.default))
        meanings = "".join(f"<br>{code(repr(v))}: {text}" for v, text in p.choices.items())
        rows.append((code(p.name), p.text + meanings, default))
    yield from table(("parameter", "meaning", "default"), rows)


def _elsewhere(measure: Measure) -> Iterator[str]:
    rows: dict[tuple[str, str], list[str]] = {}
    for tool in TOOLS.values():
        link = f"[{tool.name}](../../tools/{tool.name}.md)" if tool.tested else tool.name
        for name in tool.names_of(measure.name):
            rows.setdefault((link, difference(name)), []).append(code(name.shown))
    if not rows:
        yield "No tool that Rankstone knows has it."
        return
    cells = [(tool, ", ".join(names), how) for (tool, how), names in rows.items()]
    yield from names_table(("tool", "its names", "how it differs"), cells)


def difference(name: Name) -> str:
    """Return what a tool's name means that Rankstone's default does not."""
    measure = name.measure + (
        f"({', '.join(f'{k}={v!r}' for k, v in name.params.items())})" if name.params else ""
    )
    parts = [code(measure)] if name.params else []
    parts += [code(f"{k}={v}") for k, v in name.conventions.items()]
    return ", ".join(parts) + (f"; {name.note}" if name.note and parts else name.note)
