"""Judgments by groups of people, and preferences, as trec_eval reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from rankstone.core import segments
from rankstone.core.dicts import judgments_of
from rankstone.core.judgments import Judgments
from rankstone.core.ranked import Ranked, Said
from rankstone.errors import DataError
from rankstone.io.streams import read_all

_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _rows(
    path: str, shape: str, *, lenient: bool, comments: bool
) -> Iterator[tuple[list[str], float]]:
    """Yield the fields of each line and the number at its end."""
    text, _ = read_all(path)
    size = len(shape.split())
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        raw = line.split()
        if not raw or (comments and line.startswith(b"#")):
            continue
        fields = [field.decode("utf-8", "surrogateescape") for field in raw]
        if len(fields) != size:
            shown = line[:80].decode("utf-8", "surrogateescape")
            raise DataError(
                f"{path}:{number}: expected {size} fields ({shape}), found {len(fields)}: {shown!a}."
            )
        found = _NUMBER.match(raw[-1])
        if not lenient and (found is None or found.end() < len(raw[-1])):
            raise DataError(
                f"{path}:{number}: {fields[-1]!a} is not a number. Write it like 3 or 0.5."
            )
        value = float(found[0]) if found else 0.0
        if not isfinite(value):
            raise DataError(f"{path}:{number}: {fields[-1]!a} is not a finite number.")
        yield fields, value


def read_groups(path: str, *, lenient: bool = False, comments: bool = True) -> dict[str, Judgments]:
    """Read judgments of several groups: query, group, document, grade."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    shape = "query group document grade"
    for (query, group, doc, _), grade in _rows(path, shape, lenient=lenient, comments=comments):
        if grade != int(grade) and not lenient:
            raise DataError(f"{path}: the grade {grade} of document {doc!r} is no whole number.")
        judged = groups.setdefault(group, {}).setdefault(query, {})
        if doc in judged:
            raise DataError(
                f"{path}: group {group!r} judged document {doc!r} of query {query!r} twice."
            )
        judged[doc] = float(int(grade))
    if not groups:
        raise DataError(f"{path}: the file holds no judgments.")
    ordered = sorted(groups, key=lambda g: g.encode("utf-8", "surrogateescape"))
    return {group: judgments_of(groups[group]) for group in ordered}


@dataclass(frozen=True, eq=False)
class Preferences:
    """Levels given to documents by groups of people, and all the documents as judgments."""

    judgments: Judgments
    rows: dict[Any, list[tuple[str, str, str, float]]]

    def placed(self, ranked: Ranked) -> Ranked:
        """Return the ranking of the documents alone, with what was said of each."""
        said = []
        docs = self.judgments.docs
        place = segments.positions(ranked.offsets)
        for q, query in enumerate(ranked.queries):
            rows = slice(ranked.offsets[q], ranked.offsets[q + 1])
            places = {
                docs[j]: p
                for j, p in zip(ranked.judgment[rows].tolist(), place[rows].tolist(), strict=True)
            }
            rest = {d for _, _, d, _ in self.rows[query]} - set(places)
            for doc in sorted(rest, key=lambda d: d.encode("utf-8", "surrogateescape")):
                places[doc] = len(places)
            groups, sittings, names, levels = zip(*self.rows[query], strict=True)
            said.append(
                Said(
                    np.array([places[d] for d in names]),
                    _numbers(groups),
                    _numbers(sittings),
                    np.array(levels),
                )
            )
        return replace(ranked.rows(), preferences=tuple(said))


def _numbers(names: tuple[str, ...]) -> np.ndarray:
    known = sorted(set(names), key=lambda n: n.encode("utf-8", "surrogateescape"))
    number = {name: i for i, name in enumerate(known)}
    return np.array([number[n] for n in names])


def read_preferences(
    path: str, *, sittings: bool, lenient: bool = False, comments: bool = True
) -> Preferences:
    """Read preferences: query, group, document, level; with ``sittings`` after the group."""
    shape = "query group sitting document level" if sittings else "query group document level"
    rows: dict[Any, list[tuple[str, str, str, float]]] = {}
    for fields, level in _rows(path, shape, lenient=lenient, comments=comments):
        query, group, *sitting, doc, _ = fields
        rows.setdefault(query, []).append((group, sitting[0] if sitting else "0", doc, level))
    if not rows:
        raise DataError(f"{path}: the file holds no preferences.")
    documents = {q: {doc: 1.0 for _, _, doc, _ in said} for q, said in rows.items()}
    return Preferences(judgments_of(documents), rows)
