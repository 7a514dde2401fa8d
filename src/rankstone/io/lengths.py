"""The lengths of documents, for cutoffs that are budgets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rankstone.choices.setup import Setup
from rankstone.core.cutoff import UNITS
from rankstone.core.provenance import Given
from rankstone.core.scalars import number_of, shown
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.io.column_roles import SYNONYMS, column_or_none, plain_name
from rankstone.io.input_file import ReadOptions
from rankstone.io.two_fields import read_pairs

_LENGTH_NAMES = ("length", *(start + unit for unit in UNITS for start in ("", "n", "num")))


@frozen(eq=False)
class Lengths:
    """The length of each document, by its id as text."""

    plain: dict[str, float]
    name: str

    @classmethod
    def of(cls, source: Any, setup: Setup) -> Lengths:
        """Take a dict, the path of a file, a series by document, or a table of documents and lengths."""
        if isinstance(source, Lengths):
            return source
        pairs, name = _pairs(source, setup)
        lengths: dict[str, float] = {}
        for doc, value in pairs:
            where = f"{name}: document {shown(doc)}"
            length = number_of(value, "length", where)
            if not 0 <= length < float("inf"):
                raise DataError(f"{where} has the length {value}; lengths are 0 or more.")
            if lengths.setdefault(str(doc), length) != length:
                raise DataError(f"{where} has two lengths, {lengths[str(doc)]:g} and {length:g}.")
        if not lengths:
            raise DataError(f"{name}: there are no lengths.")
        return cls({d: int(n) if n == int(n) else n for d, n in lengths.items()}, name)

    @property
    def given(self) -> Given:
        """The lengths as a result records them."""
        return Given.of_pairs(self.name, self.plain.items())


def _pairs(source: Any, setup: Setup) -> tuple[Iterable[tuple[Any, Any]], str]:
    if isinstance(source, str | os.PathLike):
        path, what = os.fspath(source), "a document and its length"
        head = (*SYNONYMS["doc"], "document", "chunk")
        return read_pairs(path, ReadOptions.of_run(setup), head, what).items(), path
    if hasattr(source, "columns"):
        names = [str(name) for name in source.columns]
        doc = column_or_none("doc", names, None)
        length = next((name for name in names if plain_name(name) in _LENGTH_NAMES), None)
        if doc is None or length is None:
            raise DataError(
                "lengths: cannot tell which columns hold documents and lengths, of "
                f"{', '.join(names)}. Name them 'doc_id' and 'length'."
            )
        return zip(source[doc], source[length], strict=True), "lengths"
    if hasattr(source, "items"):
        return source.items(), "lengths"
    raise UsageError(
        "lengths= is a dict {document: length}, the path of a file with a document and its length "
        f"in each line, or a dataframe of both, not {type(source).__name__}."
    )
