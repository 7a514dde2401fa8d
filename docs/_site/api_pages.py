"""Every public name of the package, from its docstring and signature."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import rankstone as rs
from _site.tables import code, table
from rankstone.measures import manual
from rankstone.measures.base import Measure

_KINDS = ("Functions", "Classes", "Errors and warnings", "Constants")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of the page."""
    yield "reference/api.md", "\n".join(_page())


def _page() -> Iterator[str]:
    yield "# Python"
    yield ""
    yield (
        "Everything that `import rankstone as rs` gives. Measures are values; each has "
        "[a page of its own](measures.md)."
    )
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    measures = []
    for name in dir(rs):
        value = getattr(rs, name)
        if isinstance(value, Measure):
            measures.append(value)
        elif name != "__version__":
            names[_kind(value)].append(name)
    for kind, members in names.items():
        yield f"\n## {kind}\n\n```{{eval-rst}}"
        yield from (f"{_entry(name)}\n" for name in members)
        yield "```"
    yield "\n## Measures\n"
    rows = [(f"[{code(m.name)}](measures/{m.name}.md)", manual.summary(m)) for m in measures]
    yield from table(("name", "what it is"), rows)


def _kind(value: object) -> str:
    if isinstance(value, type):
        return "Errors and warnings" if issubclass(value, Exception) else "Classes"
    return "Functions" if inspect.isroutine(value) or callable(value) else "Constants"


def _entry(name: str) -> str:
    """Return the directive that describes a name."""
    value = getattr(rs, name)
    if isinstance(value, type):
        members = "" if issubclass(value, Exception) else "\n   :members:"
        return f".. autoclass:: rankstone.{name}{members}"
    if inspect.isfunction(value):
        return f".. autofunction:: rankstone.{name}"
    return f".. py:data:: rankstone.{name}\n\n   {(type(value).__doc__ or '').splitlines()[0]}"
