"""Judgments by groups of assessors, and preferences, as trec_eval reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from rankstone.core import engine, segments
from rankstone.core.dicts import judgments_of
from rankstone.core.judgments import Judgments
from rankstone.core.ranked import Ranked, StatedPreferences
from rankstone.core.ranked_rows import rows_of
from rankstone.core.row_layout import ATOF, NUMBER, RowLayout
from rankstone.core.run import Block
from rankstone.core.text import encode
from rankstone.errors import DataError
from rankstone.frozen import frozen
from rankstone.io.formats.trec_layout import TrecLayout, fault_error
from rankstone.io.input_file import Input, ReadOptions


def _rows(path: str, columns: str, *, lenient: bool) -> Iterator[tuple[list[str], float]]:
    """Yield the fields of each line but the last, and the number that is the last."""
    names = columns.split()
    value = len(names) - 1
    fields: list[list[str]] = []
    numbers: list[float] = []
    with Input.open(path, ReadOptions()) as file:
        file.stream.seek(0)
        text = file.stream.read()
        for column in range(1, value):  # a row has one document, so each column takes its place
            layout = RowLayout(len(names), 0, column, value, reading=ATOF if lenient else NUMBER)
            rows = engine.load().read_rows(text, layout)
            if rows["fault"]:
                raise fault_error(
                    file, rows["fault"], TrecLayout(layout, columns, number=names[-1])
                )
            block = Block(rows["queries"], rows["sizes"], rows["docs"], rows["numbers"])
            fields = [*(fields or [list(block.query_of_rows())]), block.docs]
            numbers = block.numbers.tolist()
    for *row, number in zip(*fields, numbers, strict=True):
        if not isfinite(number):
            raise DataError(f"{path}: the {names[-1]} of document {row[-1]!r} is not finite.")
        yield row, number


def read_groups(path: str, *, lenient: bool = False) -> dict[str, Judgments]:
    """Read judgments of several groups: query, group, document, grade."""
    groups: dict[str, dict[str, dict[str, float]]] = {}
    for (query, group, doc), grade in _rows(path, "query group document grade", lenient=lenient):
        if grade != int(grade) and not lenient:
            raise DataError(f"{path}: the grade {grade} of document {doc!r} is not a whole number.")
        judged = groups.setdefault(group, {}).setdefault(query, {})
        if doc in judged:
            raise DataError(
                f"{path}: group {group!r} judged document {doc!r} of query {query!r} twice."
            )
        judged[doc] = float(int(grade))
    if not groups:
        raise DataError(f"{path}: the file holds no judgments.")
    return {group: judgments_of(groups[group]) for group in sorted(groups, key=encode)}


@frozen(eq=False)
class Preferences:
    """Levels given to documents by groups of people, and all the documents as judgments."""

    judgments: Judgments
    rows: dict[Any, list[tuple[str, str, str, float]]]

    def placed(self, ranked: Ranked) -> Ranked:
        """Return the ranking of the documents alone, with the levels stated for each."""
        stated = []
        docs = self.judgments.docs
        place = segments.positions(ranked.offsets)
        for q, query in enumerate(ranked.queries):
            rows = slice(ranked.offsets[q], ranked.offsets[q + 1])
            places = {
                docs[j]: p
                for j, p in zip(ranked.judgment[rows].tolist(), place[rows].tolist(), strict=True)
            }
            rest = {d for _, _, d, _ in self.rows[query]} - set(places)
            for doc in sorted(rest, key=encode):
                places[doc] = len(places)
            groups, sittings, names, levels = zip(*self.rows[query], strict=True)
            stated.append(
                StatedPreferences(
                    np.array([places[d] for d in names]),
                    _numbers(groups),
                    _numbers(sittings),
                    np.array(levels),
                )
            )
        return replace(rows_of(ranked), preferences=tuple(stated))


def _numbers(names: tuple[str, ...]) -> np.ndarray:
    known = sorted(set(names), key=encode)
    number = {name: i for i, name in enumerate(known)}
    return np.array([number[n] for n in names])


def read_preferences(path: str, *, sittings: bool, lenient: bool = False) -> Preferences:
    """Read preferences: query, group, document, level; with ``sittings`` after the group."""
    columns = "query group sitting document level" if sittings else "query group document level"
    rows: dict[Any, list[tuple[str, str, str, float]]] = {}
    for fields, level in _rows(path, columns, lenient=lenient):
        query, group, *sitting, doc = fields
        rows.setdefault(query, []).append((group, sitting[0] if sitting else "0", doc, level))
    if not rows:
        raise DataError(f"{path}: the file holds no preferences.")
    documents = {q: {doc: 1.0 for _, _, doc, _ in levels} for q, levels in rows.items()}
    return Preferences(judgments_of(documents), rows)
