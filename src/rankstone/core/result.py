"""The outcome of an evaluation."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core.aggregate import FLOOR, Summary, summarise
from rankstone.core.provenance import Source
from rankstone.errors import (
    DataError,
    MissingDependencyError,
    Notice,
    UsageError,
    did_you_mean,
    plural,
)

SCHEMA = "rankstone/result/1"


@dataclass(frozen=True)
class Provenance:
    """What a result was made from, and by what."""

    rankstone: str
    engine: str
    judgments: Source
    run: Source

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, with checksums of files."""
        return {
            "rankstone": self.rankstone,
            "engine": self.engine,
            "judgments": self.judgments.to_dict(),
            "run": self.run.to_dict(),
        }


@dataclass(frozen=True)
class Ties:
    """How much of a number is luck.

    ``documents`` of the ``found`` judged documents share their score with another; ``interval``
    holds, where it was asked for, each measure's value with ties at their worst and at their best.
    """

    documents: int
    found: int
    interval: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        interval = {n: [_plain(low), _plain(high)] for n, (low, high) in self.interval.items()}
        return {"documents": self.documents, "found": self.found, "interval": interval}


@dataclass(frozen=True, eq=False)
class Result:
    """Values by query and measure, their aggregates, and how they came about.

    ``result["nDCG@10"]`` is the aggregate; ``result.per_query["q1"]["nDCG@10"]`` one value.
    NaN marks a query the conventions leave out of a measure's mean; ``counted`` says how many
    queries each mean is over, and ``weights`` what each counts, for measures whose mean is
    weighted. ``like`` is the profile that was followed; ``asked`` gives the measure that stands
    for a name that was asked for, where the two differ, and ``exceptions`` the conventions on
    which single measures depart from ``conventions``.
    """

    name: str
    queries: list[Any]
    columns: dict[str, np.ndarray]
    aggregates: dict[str, float]
    counted: dict[str, int]
    weights: dict[str, np.ndarray]
    conventions: Conventions
    notices: tuple[Notice, ...]
    provenance: Provenance
    ties: Ties
    like: str | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    exceptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.columns)

    def __getitem__(self, measure: object) -> float:
        """Return the aggregate of a measure."""
        return self.aggregates[self._known(measure)]

    def values(self, measure: object) -> np.ndarray:
        """Return a measure's value for each query, in the order of ``queries``."""
        return self.columns[self._known(measure)]

    def _known(self, measure: object) -> str:
        name = self.asked.get(str(measure), str(measure))
        if name not in self.columns:
            hint = did_you_mean(name, self.columns)
            raise UsageError(
                f"{name!r} was not measured.{hint} Measured: {', '.join(self.columns)}."
            )
        return name

    @cached_property
    def per_query(self) -> dict[Any, dict[str, float]]:
        """Values by query, then by measure."""
        names = self.measures
        rows = zip(*(self.columns[n].tolist() for n in names), strict=True)
        return {
            q: dict(zip(names, row, strict=True)) for q, row in zip(self.queries, rows, strict=True)
        }

    def summary(self, measure: object, how: str = "mean", floor: float = FLOOR) -> Summary:
        """Return another aggregate, by its name, such as ``geometric`` or ``median``.

        A geometric mean takes values below ``floor`` as ``floor``, so that one 0 does not decide.
        """
        name = self._known(measure)
        return summarise(self.columns[name], how, floor, self.weights.get(name))

    def by_group(
        self, measure: object, groups: Mapping[Any, Any], how: str = "mean", floor: float = FLOOR
    ) -> dict[Any, Summary]:
        """Return an aggregate for each group of queries; queries without a group are in None."""
        name = self._known(measure)
        members: dict[Any, list[int]] = {}
        for i, query in enumerate(self.queries):
            members.setdefault(groups.get(query), []).append(i)
        weight = self.weights.get(name)
        return {
            group: summarise(
                self.columns[name][rows], how, floor, None if weight is None else weight[rows]
            )
            for group, rows in members.items()
        }

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The notices that ``strict`` makes errors."""
        return tuple(n for n in self.notices if n.level == "warning")

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v:.4f}" for n, v in self.aggregates.items())
        over = plural(len(self.queries), "query")
        return f"<Result {self.name}: {values} ({over}, {self.conventions_in_words()})>"

    def conventions_in_words(self) -> str:
        """Say which conventions were followed, as far as they are not the default."""
        own = _listed(self.conventions.diff(Conventions()))
        if self.like:
            words = f"like {self.like}" + (f" ({own})" if own else "")
        else:
            words = own or "default conventions"
        for name, departures in self.exceptions.items():
            words += f"; {name} with {_listed(departures)}"
        return words

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; missing values are None."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "aggregates": {n: _plain(v) for n, v in self.aggregates.items()},
            "counted": self.counted,
            "weights": {n: w.tolist() for n, w in self.weights.items()},
            "queries": self.queries,
            "values": {n: [_plain(v) for v in c.tolist()] for n, c in self.columns.items()},
            "like": self.like,
            "conventions": self.conventions.to_dict(),
            "exceptions": {n: dict(e) for n, e in self.exceptions.items()},
            "asked": dict(self.asked),
            "ties": self.ties.to_dict(),
            "notices": [n.to_dict() for n in self.notices],
            "provenance": self.provenance.to_dict(),
        }

    def to_pandas(self, *, wide: bool = False) -> Any:
        """Return the values as a pandas frame: query, measure, value; or a column per measure."""
        return _library("pandas").DataFrame(self._table(wide))

    def to_polars(self, *, wide: bool = False) -> Any:
        """Return the values as a polars frame: query, measure, value; or a column per measure."""
        return _library("polars").DataFrame(self._table(wide))

    def to_arrow(self, *, wide: bool = False) -> Any:
        """Return the values as an Arrow table: query, measure, value; or a column per measure."""
        return _library("pyarrow").table(self._table(wide))

    def _table(self, wide: bool) -> dict[str, Any]:
        if wide:
            return {"query": list(self.queries), **self.columns}
        names = self.measures
        return {
            "query": list(self.queries) * len(names),
            "measure": [name for name in names for _ in self.queries],
            "value": np.concatenate([np.zeros(0), *self.columns.values()]),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return everything as JSON; ``Result.from_json`` reads it back, bit for bit."""
        import json

        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Result:
        """Read what ``to_json`` wrote."""
        import json

        try:
            return cls._from_dict(json.loads(text))
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
        ) as error:  # fmt: skip
            raise DataError(
                f"this is not a saved Rankstone result ({error}). "
                "Save one with Result.save or 'rankstone evaluate --format json'."
            ) from None

    @classmethod
    def _from_dict(cls, data: dict[str, Any]) -> Result:
        if data["schema"] != SCHEMA:
            raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA!r}")
        columns = {
            n: np.array([math.nan if v is None else v for v in c], np.float64)
            for n, c in data["values"].items()
        }
        queries = list(data["queries"])
        weights = {n: np.array(w, np.float64) for n, w in data["weights"].items()}
        if any(c.shape != (len(queries),) for c in [*columns.values(), *weights.values()]):
            raise ValueError("its columns differ in length")
        made = data["provenance"]
        return cls(
            name=str(data["name"]),
            queries=queries,
            columns=columns,
            aggregates={n: _number(data["aggregates"][n]) for n in columns},
            counted={n: int(data["counted"][n]) for n in columns},
            weights=weights,
            conventions=Conventions(**data["conventions"]),
            notices=tuple(
                Notice(n["code"], n["count"], n["text"], tuple(n["examples"]), n["level"])
                for n in data["notices"]
            ),
            provenance=Provenance(
                made["rankstone"],
                made["engine"],
                _source(made["judgments"]),
                _source(made["run"]),
            ),
            ties=_ties(data["ties"]),
            like=data["like"],
            asked=dict(data["asked"]),
            exceptions={n: dict(e) for n, e in data["exceptions"].items()},
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, whole or not at all."""
        target = os.fspath(path)
        partial = f"{target}.{os.getpid()}.partial"
        try:
            with open(partial, "w", encoding="utf-8") as stream:
                stream.write(self.to_json())
            os.replace(partial, target)
        finally:
            if os.path.exists(partial):
                os.unlink(partial)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result that ``save`` wrote."""
        try:
            with open(path, "rb") as stream:
                return cls.from_json(stream.read())
        except OSError as error:
            raise DataError(f"{os.fspath(path)}: {error.strerror}.") from None


def _listed(choices: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={str(value).removesuffix('.0')}" for name, value in choices.items())


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise MissingDependencyError(
            f"this needs the library {name}: pip install {name}, or 'rankstone[frames]' for "
            "polars and pyarrow."
        ) from None


def _source(data: dict[str, Any]) -> Source:
    return Source(data["name"], size=data["bytes"], sha256=data["sha256"])


def _ties(data: dict[str, Any]) -> Ties:
    interval = {n: (_number(low), _number(high)) for n, (low, high) in data["interval"].items()}
    return Ties(int(data["documents"]), int(data["found"]), interval)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
