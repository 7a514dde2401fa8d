"""Every public name of the package, from its docstring and signature."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import rankstone as rs
from _site.tables import code, table
from rankstone.measures import manual

_KINDS = ("Functions", "Classes", "Errors and warnings", "Constants")
#: Classes that nobody creates, but that functions return, or that are parts of what they return.
RETURNED = (
    "rankstone.io.convert.Conversion",
    "rankstone.io.validate.FileReport",
    "rankstone.core.unjudged.UnjudgedDocument",
    "rankstone.core.aggregate.Summary",
    "rankstone.core.result.Provenance",
    "rankstone.core.result.TieReport",
    "rankstone.core.unjudged.UnjudgedInterval",
    "rankstone.core.unjudged.UnjudgedReport",
    "rankstone.verbs.gate.verdict.Check",
    "rankstone.measures.request.Candidate",
    "rankstone.measures.request.ToolMeasure",
    "rankstone.page.plots.Picture",
    "rankstone.stats.agreement.JudgesAgreement",
    "rankstone.stats.agreement.JudgmentAgreement",
    "rankstone.stats.agreement.OrderingAgreement",
    "rankstone.stats.agreement.RankingAgreement",
    "rankstone.stats.agreement.RunAgreement",
    "rankstone.stats.comparison.Missing",
    "rankstone.stats.comparison.Moved",
    "rankstone.stats.comparison.PairComparison",
    "rankstone.stats.intervals.Interval",
    "rankstone.stats.judges.Confusion",
    "rankstone.stats.power.Plan",
    "rankstone.stats.rank_biased_overlap.RBO",
    "rankstone.stats.repeats.VarianceParts",
    "rankstone.verbs.verify.ChangedValue",
)
#: Modules that pages tell users to import, with what they are for.
MODULES = {
    "rankstone.testing": "Assertions for tests of search quality ([the gate](../gate.md)).",
    "rankstone.spark": "Evaluation inside Apache Spark ([scale](../scale.md)).",
}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of the page."""
    yield "reference/api.md", "\n".join(_page())


def public_names(module: ModuleType) -> list[str]:
    """Return the names that a module offers, without its measures."""
    names = getattr(module, "__all__", None) or dir(module)
    values = {
        name: getattr(module, name) for name in names if name not in ("__version__", "measures")
    }
    return sorted(n for n, value in values.items() if not hasattr(value, "definition"))


def _page() -> Iterator[str]:
    yield "# Python"
    yield ""
    yield (
        "Everything that `import rankstone as rs` gives. Measures are values; each has "
        "[a page of its own](measures.md). Those that people type most are here, all of them in "
        "`rs.measures`."
    )
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for name in public_names(rs):
        names[_kind(getattr(rs, name))].append(name)
    for kind, members in names.items():
        yield f"\n## {kind}\n"
        yield from _entries(f"rankstone.{name}" for name in members)
    yield "\n## Parts of results\n\nFunctions return these; there is no need to create one.\n"
    yield from _entries(RETURNED)
    for module, text in MODULES.items():
        yield f"\n## {module}\n\n{text}\n"
        yield from _entries(f"{module}.{name}" for name in public_names(import_module(module)))
    yield "\n## Measures\n"
    rows = [
        (f"[{code(m.name)}](measures/{m.name}.md)", manual.summary(m)) for m in rs.all_measures()
    ]
    yield from table(("name", "what it is"), rows)


def _kind(value: object) -> str:
    if isinstance(value, type):
        return "Errors and warnings" if issubclass(value, Exception) else "Classes"
    return "Functions" if inspect.isroutine(value) or callable(value) else "Constants"


def _entries(paths: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    yield "```{eval-rst}"
    yield from (f"{_entry(path)}\n" for path in paths)
    yield "```"


def _entry(path: str) -> str:
    """Return the directive that describes a name."""
    module, _, name = path.rpartition(".")
    value = getattr(import_module(module), name)
    if isinstance(value, type):
        members = "" if issubclass(value, Exception) else "\n   :members:"
        return f".. autoclass:: {path}{members}"
    if inspect.isfunction(value):
        return f".. autofunction:: {path}"
    return f".. py:data:: {path}\n\n   {(type(value).__doc__ or '').splitlines()[0]}"
