"""Other tools, one file each; a file is loaded when its tool is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankstone.choices.conventions import Conventions
from rankstone.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from rankstone.tools.base import Tool

#: The files of this folder, in the order in which tools are listed. The file of a tool is called
#: like the tool, without its version; it may hold several versions, the newest last.
FILES = (
    "trec_eval", "pytrec_eval", "ir_measures", "cwl_eval", "ranx", "beir", "mteb",
    "freshstack", "longmemeval", "sentence_transformers", "llama_index", "haystack", "ragas",
    "trulens", "mlflow", "azure_ai_evaluation", "rank_eval", "quepid", "sklearn",
    "torchmetrics", "lightgbm", "xgboost", "rax", "spark", "cornac", "rectools", "lenskit",
    "recbole", "replay", "recommenders", "elliot", "implicit", "recometrics", "article",
)  # fmt: skip


@cache
def _load(file: str) -> tuple[Tool, ...]:
    versions: tuple[Tool, ...] = import_module(f"rankstone.tools.{file}").TOOLS
    return versions


class _Tools(Mapping[str, "Tool"]):
    """Every tool by name and version, loaded on first use."""

    def __getitem__(self, name: str) -> Tool:
        file = str(name).rsplit("-", 1)[0]
        for version in _load(file) if file in FILES else ():
            if version.name == name:
                return version
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (version.name for file in FILES for version in _load(file))

    def __len__(self) -> int:
        return sum(len(_load(file)) for file in FILES)


TOOLS: Mapping[str, Tool] = _Tools()


def tool(name: str) -> Tool:
    """Return the tool of that name and version, or the newest version.

    >>> tool("trec_eval").name
    'trec_eval-10'
    """
    if name in FILES:
        return _load(name)[-1]
    if name in TOOLS:
        return TOOLS[name]
    hint = did_you_mean(str(name), [*TOOLS, *FILES])
    raise UsageError(
        f"unknown tool {name!r}.{hint} Known: {', '.join(TOOLS)}; "
        "'rankstone measures --tools' describes each."
    )


def conventions_of(
    like: Tool | None, conventions: Conventions | None, choices: Mapping[str, Any]
) -> Conventions:
    """Return the conventions of a tool, or those given, with single choices made on top."""
    if like is not None and conventions is not None:
        raise UsageError("give either like= or conventions=; single choices go with both.")
    return (like.conventions if like else conventions or Conventions()).replace(**choices)
