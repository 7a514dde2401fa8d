"""Saved results, read and checked: content that no result can have is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankstone.choices.conventions import Conventions
from rankstone.core import saved
from rankstone.core.provenance import Provenance, replayed
from rankstone.core.result import OLDER, SCHEMA, Result, TieReport
from rankstone.core.unjudged import UnjudgedReport
from rankstone.errors import Notice


def result_of(data: dict[str, Any]) -> Result:
    """Read what ``Result.to_dict`` returned; anything else raises an error of Python's."""
    if data["schema"] != SCHEMA and data["schema"] not in OLDER:
        raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA!r}")
    columns = {n: saved.column(c) for n, c in data["values"].items()}
    weights = {n: saved.column(w) for n, w in data["weights"].items()}
    queries, unjudged = saved.ids(data["queries"]), data.get("unjudged")
    if not columns:
        raise ValueError("it has no measures")
    if any(c.shape != (len(queries),) for c in [*columns.values(), *weights.values()]):
        raise ValueError("its columns differ in length")
    return Result(
        name=saved.text(data["name"]),
        queries=queries,
        columns=columns,
        aggregates={n: saved.number(data["aggregates"][n]) for n in columns},
        counted={n: saved.whole(data["counted"][n]) for n in columns},
        weights=weights,
        conventions=Conventions(**data["conventions"]),
        notices=tuple(_notice(n) for n in saved.items(data["notices"])),
        provenance=Provenance.from_dict(data["provenance"]),
        ties=_ties(data["ties"]),
        like=saved.optional(saved.text, data["like"]),
        requested=_requested(data["requested"], columns),
        exceptions={n: _departures(e) for n, e in data["exceptions"].items()},
        unanswered=tuple(saved.ids(data.get("unanswered", []))),
        of_all_lists=tuple(map(str, data.get("of_all_lists", []))),
        of_items=tuple(map(str, data.get("of_items", []))),
        unjudged=saved.optional(lambda own: UnjudgedReport.from_dict(own, len(queries)), unjudged),
        changes=replayed(data.get("changes", {})),
    )


def _notice(data: dict[str, Any]) -> Notice:
    examples = tuple(saved.text(e) for e in saved.items(data["examples"]))
    code, words, level = (saved.text(data[key]) for key in ("code", "text", "level"))
    if level not in ("warning", "note", "info"):
        raise ValueError(f"{level!r:.40} is not a level of a notice")
    return Notice(code, saved.whole(data["count"]), words, examples, level)


def _requested(data: dict[str, str], columns: Mapping[str, Any]) -> dict[str, str]:
    for name, measure in data.items():
        if measure not in columns or (name in columns and name != measure):
            raise ValueError(f"{name!r:.40} was requested and is not measured")
    return dict(data)


def _departures(data: dict[str, Any]) -> dict[str, Any]:
    Conventions().replace(**data)  # refuses what is none
    return dict(data)


def _ties(data: dict[str, Any]) -> TieReport:
    pairs = {
        n: (saved.number(low), saved.number(high)) for n, (low, high) in data["interval"].items()
    }
    return TieReport(saved.whole(data["documents"]), saved.whole(data["retrieved"]), pairs)
