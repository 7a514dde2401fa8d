"""The outcome of an evaluation."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core.aggregate import FLOOR, Summary, summarise
from rankstone.core.provenance import Provenance, in_words, recorded, replayed
from rankstone.core.shown import ByGroup
from rankstone.errors import DataError, Notice, UsageError, did_you_mean, plural, require
from rankstone.frozen import frozen
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.core.unjudged import UnjudgedReport
    from rankstone.page.plots import Picture
    from rankstone.stats.intervals import Gap, Interval

SCHEMA = "rankstone/result/3"
OLDER = ("rankstone/result/2",)


@frozen
class TieReport:
    """Ties among the judged documents of a run.

    ``documents`` of the ``retrieved`` judged documents share their score with another;
    ``interval`` holds, on request, each measure's value with ties in their worst and best order.
    """

    documents: int
    retrieved: int
    interval: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        interval = {n: [_plain(low), _plain(high)] for n, (low, high) in self.interval.items()}
        return {"documents": self.documents, "retrieved": self.retrieved, "interval": interval}


@frozen(eq=False)
class Result:
    """Values by query and measure, their aggregates, and how they came about.

    ``result["nDCG@10"]`` is the aggregate; ``result.per_query["q1"]["nDCG@10"]`` one value.
    NaN marks a query that the conventions leave out of a measure's mean; ``counted`` is the
    number of queries in each mean, and ``weights`` their weights, for weighted means. ``like`` is
    the tool whose conventions were followed; ``requested`` maps names that were requested to
    measures, if the two differ, and ``exceptions`` the conventions of single measures that differ
    from ``conventions``. ``changes`` are those that were made to the data before ranking; how
    judgments and run were read is in ``provenance``. ``unanswered`` are evaluated queries for which the run has no documents,
    ``unjudged`` is, on request, what documents without a judgment leave open. ``of_all_lists`` are
    measures of all lists together, such as the coverage of a catalogue: they have no value per query.
    ``of_items`` are other measures of the items that lists show, of which fewer intervals hold.
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
    ties: TieReport
    like: str | None = None
    requested: Mapping[str, str] = field(default_factory=dict)
    exceptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unanswered: tuple[Any, ...] = ()
    unjudged: UnjudgedReport | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    of_all_lists: tuple[str, ...] = ()
    of_items: tuple[str, ...] = ()
    #: The value of some rows of ``queries`` together, for these measures; not saved.
    pools: Mapping[str, Callable[[np.ndarray], float]] = field(default_factory=dict, repr=False)

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.columns)

    def __getitem__(self, measure: object) -> float:
        """Return the aggregate of a measure."""
        return self.aggregates[self._known(measure)]

    def values(self, measure: object, queries: Iterable[Any] | None = None) -> np.ndarray:
        """Return a measure's value for each query, in the order of ``queries``.

        Of other queries, NaN for those without a value, if these are given.
        """
        column = self.columns[self._known(measure)]
        if queries is None:
            return column
        own = dict(zip(self.queries, column.tolist(), strict=True))
        return np.array([own.get(query, np.nan) for query in queries], np.float64)

    def _known(self, measure: object) -> str:
        name = self.requested.get(str(measure), str(measure))
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
        if name in self.of_all_lists:
            return Summary(self.aggregates[name], "all lists", self.counted[name], 0)
        return summarise(self.columns[name], how, floor, self.weights.get(name))

    def interval(
        self,
        measure: object,
        method: str | None = None,
        confidence: float = 0.95,
        clusters: Any = None,
        queries: Container[Any] | None = None,
        trusted: Result | None = None,
    ) -> Interval:
        """Return the confidence interval of a mean: how far another sample of queries may move it.

        Args:
            measure: one of the measures.
            method: ``bca`` (bootstrap), ``percentile`` or ``t`` (default: bca, or t of few clusters).
            confidence: the share of such intervals that contain the true mean.
            clusters: of queries that belong together, ``{query: cluster}`` or a pattern of query ids
                such as ``{cluster}_{n}``; the interval is then that of the means of clusters.
            queries: those of a group (default: all).
            trusted: result of the same run by people's judgments of some of the queries; this one is
                then by a model's judgments, and the interval is that of both together.
        """
        from rankstone.stats.clusters import Clusters
        from rankstone.stats.intervals import Interval, interval

        name = self._known(measure)
        if name in self.of_all_lists:
            # Queries drawn again repeat lists, and so show fewer items than the same number of others.
            caution = tr(
                "{} has no interval: it is a number of all lists together, and users drawn again repeat "
                "lists, which show fewer different items"
            ).format(name)
            nan = math.nan
            return Interval(
                nan, nan, confidence, method or "bca", self.counted[name], None, caution
            )
        mean = self.summary(name)
        if not np.array_equal(mean.value, self.aggregates[name], equal_nan=True):
            raise UsageError(
                f"{name} is not aggregated as a mean, and intervals are of means over queries."
            )
        weights = self.weights.get(name)
        grouped = None if clusters is None else Clusters.of(self.queries, clusters)
        values = self.columns[name]
        if queries is not None:
            values = np.where([query in queries for query in self.queries], values, np.nan)
        if trusted is None:
            return interval(
                values,
                weights=weights,
                method=method,
                confidence=confidence,
                clusters=grouped,
                of_items=name in self.of_items,
            )
        from rankstone.stats.trusted import trusted_interval

        if method not in (None, "t"):
            raise UsageError("with trusted= the interval is that of Student's t.")
        # In the order of ids, so that the number does not depend on that of the data.
        order = np.array(sorted(range(len(values)), key=lambda i: str(self.queries[i])))
        values, people = values[order], trusted.values(name, self.queries)[order]
        weights = None if weights is None else weights[order]
        if grouped is not None:
            grouped = replace(grouped, codes=grouped.codes[order])
        return trusted_interval(people, values, confidence, weights, grouped)

    def gap(
        self,
        measure: object,
        groups: Mapping[Any, Any],
        of: tuple[Any, Any],
        confidence: float = 0.95,
    ) -> Gap:
        """Return the mean of one group of queries less that of another, with its interval.

        >>> import rankstone as rs
        >>> judged, run = {q: {"a"} for q in "xyz"}, {"x": ["a"], "y": ["b", "a"], "z": ["a"]}
        >>> found = rs.evaluate(judged, run, "RR")
        >>> found.gap("RR", {"x": "new", "y": "new", "z": "old"}, of=("new", "old")).difference
        -0.25
        """
        from rankstone.stats.intervals import gap

        means = self.by_group(measure, groups)
        if missing := [group for group in of if group not in means]:
            raise UsageError(
                f"no query is of the group {missing[0]!r}.{did_you_mean(str(missing[0]), map(str, means))}"
            )
        name = self._known(measure)
        if name in self.of_all_lists:
            raise UsageError(f"{self.interval(name).caution}; so has the gap of two groups.")
        masks = np.array([[groups.get(query) == group for query in self.queries] for group in of])
        values, weights = self.columns[name], self.weights.get(name)
        of_items = name in self.of_items
        made = gap(masks, values, weights=weights, confidence=confidence, of_items=of_items)
        return replace(made, difference=means[of[0]].value - means[of[1]].value)

    def by_group(
        self, measure: object, groups: Mapping[Any, Any], how: str = "mean", floor: float = FLOOR
    ) -> dict[Any, Summary]:
        """Return an aggregate for each group of queries; queries without a group are in None."""
        if hasattr(groups, "columns"):
            raise UsageError(
                f"groups are given by query, not in a {type(groups).__name__}: "
                "dict(zip(frame['query'], frame['group']))."
            )
        name = self._known(measure)
        members: dict[Any, list[int]] = {}
        for i, query in enumerate(self.queries):
            members.setdefault(groups.get(query), []).append(i)
        if len(groups) and {*members} == {None}:
            raise DataError(
                f"no query that was evaluated has a group (evaluated: {self.queries[0]!r}, ...). "
                "Ids are compared exactly, by type too."
            )
        if name in self.of_all_lists:
            known = self.pools.get(name)
            return {
                group: Summary(
                    math.nan if known is None else known(np.array(rows)), "all lists", len(rows), 0
                )
                for group, rows in members.items()
            }
        weight = self.weights.get(name)
        return ByGroup(
            (
                group,
                summarise(
                    self.columns[name][rows], how, floor, None if weight is None else weight[rows]
                ),
            )
            for group, rows in members.items()
        )

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Return the aggregates under names that MLflow, W&B and TensorBoard take.

        >>> import rankstone as rs
        >>> rs.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR", "P@2"]).flat("valid/")
        {'valid/RR': 0.5, 'valid/P_at_2': 0.5}
        """
        return {prefix + _key(name): value for name, value in self.aggregates.items()}

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The notices that ``strict`` makes errors."""
        return tuple(n for n in self.notices if n.level == "warning")

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v:.4f}" for n, v in self.aggregates.items())
        # A result without values of queries knows how many are in its means.
        most, fewest = (f(self.counted.values(), default=0) for f in (max, min))
        every = len(self.queries) or most
        over = plural(every, "query")
        if fewest < every:
            means = tr("{} to {}").format(fewest, most) if fewest < most else fewest
            over = tr("means over {} of {}").format(means, over)
        shown = f"{self.name}: {values} ({over}, {self.choices_in_words()})"
        shown_notices = self.warnings or [n for n in self.notices if n.level == "note"]
        if shown_notices:
            shown += f"; {plural(len(shown_notices), shown_notices[0].level)}: {shown_notices[0]}"
            shown += "; ..." if len(shown_notices) > 1 else ""
        return f"<Result {shown}>"

    def _repr_html_(self) -> str:
        """Show the result in a notebook."""
        from rankstone.text.notebook import of_result

        return of_result(self)

    def plot(self, measure: object = None) -> Picture:
        """Return a picture of how a measure (default: the first) is distributed over queries."""
        from rankstone.page.plots import distribution

        return distribution(self, self._known(self.measures[0] if measure is None else measure))

    def __eq__(self, other: object) -> bool:
        """Compare values and changes to the data: the same value of each query and measure."""
        if not isinstance(other, Result):
            return NotImplemented
        if self.changes != other.changes:
            return False
        if set(self.queries) != set(other.queries) or set(self.columns) != set(other.columns):
            return False
        row = {query: i for i, query in enumerate(other.queries)}
        order = [row[query] for query in self.queries]
        return all(
            np.array_equal(values, other.columns[name][order], equal_nan=True)
            and np.array_equal(self.aggregates[name], other.aggregates[name], equal_nan=True)
            for name, values in self.columns.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def choices_in_words(self) -> str:
        """Return in words how the values were made: reading, changes to the data, and conventions."""
        sources = (self.provenance.judgments, self.provenance.run)
        read = [part for source in sources for part in in_words(source.reading)]
        parts = [*dict.fromkeys(read), *in_words(self.changes), self.conventions_in_words()]
        return ", ".join(parts)

    def conventions_in_words(self) -> str:
        """Return in words the conventions that are not the default."""
        own = _listed(self.conventions.diff(Conventions()))
        if self.like:
            words = tr("like {}").format(self.like) + (tr(" ({})").format(own) if own else "")
        else:
            words = own or tr("default conventions")
        for name, departures in self.exceptions.items():
            words += tr("; {} with {}").format(name, _listed(departures))
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
            "changes": recorded(self.changes),
            "requested": dict(self.requested),
            "unanswered": list(self.unanswered),
            **({"of_all_lists": list(self.of_all_lists)} if self.of_all_lists else {}),
            **({"of_items": list(self.of_items)} if self.of_items else {}),
            "ties": self.ties.to_dict(),
            "unjudged": None if self.unjudged is None else self.unjudged.to_dict(),
            "notices": [n.to_dict() for n in self.notices],
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Result:
        """Read what ``to_dict`` returned; anything else raises an error of Python's."""
        from rankstone.core import saved
        from rankstone.core.unjudged import UnjudgedReport

        if data["schema"] != SCHEMA and data["schema"] not in OLDER:
            raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA!r}")
        columns = {n: saved.column(c) for n, c in data["values"].items()}
        weights = {n: saved.column(w) for n, w in data["weights"].items()}
        queries, unjudged = saved.ids(data["queries"]), data.get("unjudged")
        if not columns:
            raise ValueError("it has no measures")
        if any(c.shape != (len(queries),) for c in [*columns.values(), *weights.values()]):
            raise ValueError("its columns differ in length")
        return cls(
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
            unjudged=saved.optional(
                lambda own: UnjudgedReport.from_dict(own, len(queries)), unjudged
            ),
            changes=replayed(data.get("changes", {})),
        )

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
    def from_json(cls, text: str | bytes, name: str | None = None) -> Result:
        """Read what ``to_json`` or ``--format json`` wrote; ``name`` chooses one of several runs."""
        results = cls.all_from_json(text)
        names = [result.name for result in results]
        if name is None and len(results) > 1:
            raise UsageError(
                f"there are {len(results)} results: {', '.join(names)}. Choose one with "
                f"name={names[0]!r}, or read them all with Result.load_all."
            )
        if name is not None and name not in names:
            hint = did_you_mean(name, names)
            raise UsageError(f"there is no result {name!r}.{hint} There are: {', '.join(names)}.")
        return results[0 if name is None else names.index(name)]

    @classmethod
    def all_from_json(cls, text: str | bytes) -> list[Result]:
        """Read one result or a list of them."""
        import json

        try:
            data = json.loads(text)
            several = data if isinstance(data, list) else [data]
            if not several:
                raise ValueError("it is empty")
            return [cls.from_dict(one) for one in several]
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
        ) as error:  # fmt: skip
            raise DataError(
                f"this is not a saved Rankstone result ({error}). "
                "Save one with Result.save or 'rankstone evaluate --format json'."
            ) from None

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the result to a file, whole or not at all.

        A file that rankstone did not save is replaced only with ``force``.
        """
        from rankstone.core.atomic import SAVED, check_own, write_text

        check_own(path, SAVED, force=force)
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str], name: str | None = None) -> Result:
        """Read what ``save`` or ``--format json`` wrote; ``name`` chooses one of several runs."""
        return cls.from_json(_content(path), name)

    @classmethod
    def load_all(cls, path: str | os.PathLike[str]) -> list[Result]:
        """Read every result of a file, of one run or of several."""
        return cls.all_from_json(_content(path))


class _Listed:
    """An attribute that makes a list of any column of ids, on first access."""

    def __set__(self, result: Result, queries: Sequence[Any]) -> None:
        result.__dict__["queries"] = queries

    def __get__(self, result: Result | None, owner: type | None = None) -> Any:
        if result is None:
            return self
        queries = result.__dict__["queries"]
        if not isinstance(queries, list):
            queries = result.__dict__["queries"] = list(queries)
        return queries


Result.queries = _Listed()  # type: ignore[assignment]  # beside the field, which has no default


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: {error.strerror}.") from None


def _listed(choices: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={str(value).removesuffix('.0')}" for name, value in choices.items())


def _library(name: str) -> Any:
    return require(name, f"this needs the library {name}: pip install {name}.")


def _key(name: str) -> str:
    """Return a name of the letters that trackers of experiments take: no @, = or brackets."""
    words = name.replace("@", "_at_").replace("=", "_")
    return "".join(c if c.isalnum() or c in "_-./ " else " " for c in words).strip()


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _notice(data: dict[str, Any]) -> Notice:
    from rankstone.core import saved

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
    from rankstone.core import saved

    pairs = {
        n: (saved.number(low), saved.number(high)) for n, (low, high) in data["interval"].items()
    }
    return TieReport(saved.whole(data["documents"]), saved.whole(data["retrieved"]), pairs)
