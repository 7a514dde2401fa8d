"""What a measure is: a definition, and values made from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core import segments
from rankstone.core.expected_ties import weight
from rankstone.core.gpu import CutoffNeeds
from rankstone.core.ranked import Ranked
from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.measures.param import Param

Array = np.ndarray


class Working(NamedTuple):
    """The working of a measure: contributions of judged documents, and what their sum is over.

    ``terms`` (with ``low``, what rounding took from them) has one entry for each row of the
    Ranked it was made from; only rows within the cut-off are added up, unless ``cut`` says that
    the terms know it already. ``columns`` are the steps behind a term, for showing, and
    ``ideal`` is the working of the ranking whose sum ``over`` is. ``value`` replaces the sum
    where there is none, ``instead`` a single query's value where it is finite or NaN.
    ``weight`` is what a query counts in the mean, 1 unless given. ``sums`` may know a quicker
    way to the same sums of terms down to a cut-off; the terms are then worked out by ``slowly``,
    for whoever wants to see them or where the quicker way fails.
    """

    terms: Array | None = None
    over: Array | float | None = None
    low: Array | None = None
    columns: Mapping[str, Array] = MappingProxyType({})
    value: Array | None = None
    cut: bool = False
    ideal: tuple[Ranked, Working] | None = None
    weight: Array | None = None
    sums: Callable[[int | None], Array | None] | None = None
    slowly: Callable[[], Working] | None = None
    instead: Array | None = None

    def in_full(self) -> Working:
        """Return the working with its terms."""
        if self.slowly is None:
            return self
        return self.slowly()._replace(over=self.over, ideal=self.ideal, weight=self.weight)


@dataclass(frozen=True)
class Example:
    """A worked example: grades in rank order, grades that were not retrieved, the value.

    A grade of None is a document without a judgment. The value is a formula in Python.
    """

    measure: str
    grades: tuple[float | None, ...]
    value: str
    missed: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Definition:
    """Everything there is to know about a measure.

    ``conventions`` are those whose choice changes it most often. ``graded`` says that any grade above
    0 is of use, so a query is empty only without one; ``needs_relevant`` that an empty query's
    value is up to the conventions. ``attained`` says that the relevant documents alone, best
    first, reach the top of the range, and ``expected`` that the kernel knows the mean over all
    orders of tied documents, or does not read it; where that is up to the parameters, a function
    of the measure says so.
    ``at`` is the parameter that ``@`` sets.
    """

    name: str
    pretty: str
    text: str
    kernel: Callable[[Ranked, Any], Working]
    params: tuple[Param, ...]
    range: tuple[float, float]
    example: Example
    aggregate: str = "mean"
    higher_is_better: bool = True
    conventions: tuple[str, ...] = ()
    needs_relevant: bool = True
    graded: bool = False
    attained: bool = True
    expected: bool | Callable[[Measure], bool] = False
    at: str = "k"

    def param(self, name: str) -> Param:
        """Return the parameter of that name, or say which there are."""
        for param in self.params:
            if param.name == name:
                return param
        known = [p.name for p in self.params]
        has = f"It has: {', '.join(known)}." if known else "It has none."
        hint = did_you_mean(name, known)
        raise UsageError(f"{self.name} has no parameter {name!r}.{hint} {has}")


class Measure:
    """A measure with its parameters, as a value.

    >>> from rankstone import nDCG
    >>> nDCG(gain="exp2") @ 10
    nDCG(gain='exp2')@10
    """

    definition: Definition
    _params: dict[str, Any]

    def __init__(self, definition: Definition, params: Mapping[str, Any] | None = None) -> None:
        values = {p.name: p.default for p in definition.params}
        for name, value in (params or {}).items():
            values[name] = definition.param(name).check(value, definition.name)
        # As attributes, parameters are read at once.
        self.__dict__.update(values, definition=definition, _params=values)

    def __getattr__(self, name: str) -> Any:
        """Say which parameter is missing."""
        raise AttributeError(f"{self.__dict__['definition'].name} has no parameter {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change."""
        raise AttributeError(f"a measure does not change; write {self.name}({name}={value!r})")

    @property
    def name(self) -> str:
        """The measure's name without parameters."""
        return self.definition.name

    @property
    def params(self) -> dict[str, Any]:
        """All parameters by name."""
        return dict(self._params)

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are not at their default."""
        return {
            p.name: v for p in self.definition.params if (v := self._params[p.name]) != p.default
        }

    def __call__(self, *data: Any, conventions: Conventions | None = None, **params: Any) -> Any:
        """Return the measure with some parameters set; or, given data, its value.

        Data are grades in rank order; true grades and predicted scores; relevant documents and
        a ranked list; or a table of these, for a value of each row. Two lists of numbers are
        grades and scores; relevant documents whose ids are numbers go into a set.

        >>> from rankstone import P, nDCG
        >>> (nDCG @ 6)([3, 2, 3, 0, 1, 2])
        0.9608081943360616
        >>> P(k=3)({"a", "c"}, ["a", "b", "c"])
        0.6666666666666666
        """
        measure = Measure(self.definition, {**self._params, **params}) if params else self
        if not data:
            return measure
        from rankstone.evaluation import call

        return call(measure, data, conventions)

    def reach(self) -> CutoffNeeds | None:
        """Return how much of a list the measure reads, None where it is all of it."""
        k = self._params.get("k")
        tables = (self._params[p.name] for p in self.definition.params if p.table)
        if k is None or any(0.0 in dict(t) for t in tables if isinstance(t, tuple)):
            return None  # a table may give worth to the grade 0
        return CutoffNeeds(k, self.closed)

    @property
    def closed(self) -> bool:
        """Whether the mean over all orders of tied documents is known, in closed form."""
        known = self.definition.expected
        return known(self) if callable(known) else known

    def __matmul__(self, k: float) -> Measure:
        """Return the measure cut off at rank k."""
        return Measure(self.definition, {**self._params, self.definition.at: k})

    def __str__(self) -> str:
        shown = [
            f"{p.name}={_show(self._params[p.name], p)}"
            for p in self.definition.params
            if p.name != self.definition.at and self._params[p.name] != p.default
        ]
        inside = f"({', '.join(shown)})" if shown else ""
        cut = self._params.get(self.definition.at)
        return f"{self.definition.name}{inside}" + (f"@{cut}" if cut is not None else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name."""
        from rankstone.measures.parse import parse_measure

        return parse_measure, (str(self),)

    def working(self, ranked: Ranked) -> Working:
        """Return contributions and normaliser on a ranking."""
        if ranked.ties_averaged and not self.closed:
            able = ", ".join(n for n, m in REGISTRY.items() if m.closed)
            raise UsageError(
                f"{self} has no closed form for ties='expected'; choose another rule for "
                f"ties, such as 'input'. Closed forms are known for {able}."
            )
        return self.definition.kernel(ranked, self)

    def compute(self, ranked: Ranked) -> Array:
        """Return the value of every query; NaN where the conventions leave a query out."""
        parts = ranked.in_parts(lambda part: self.values(part, self.working(part)))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def values(self, ranked: Ranked, working: Working) -> Array:
        """Return the value of every query from its working."""
        if working.value is not None:
            values = working.value.astype(np.float64)
        else:
            values = _ratio(cut_total(ranked, working, self._params.get("k")), working.over)
        if working.instead is not None:
            values = np.where(np.isinf(working.instead), values, working.instead)
        if not self.definition.needs_relevant:
            return values
        empty = self.is_empty(ranked)
        return _fill(values, empty, ranked, self) if empty.any() else values

    def is_empty(self, ranked: Ranked) -> Array:
        """Return which queries have no document of use to the measure."""
        if self.definition.graded and self._params.get("gain") != "binary":
            return ranked.highest() <= 0
        return ranked.relevant_count(self._params.get("rel")) == 0


def cut_total(ranked: Ranked, working: Working, k: int | None) -> Array:
    """Return the sum of each query's terms down to rank k."""
    quick = working.sums(k) if working.sums is not None else None
    if quick is not None:
        return quick
    working = working.in_full()
    terms, low, offsets = working.terms, working.low, ranked.offsets
    if terms is None:
        raise TypeError("this working has a value and no terms")
    if k is not None and ranked.width and not (working.cut and ranked.ties_averaged):
        terms, offsets = _first(terms, ranked.width, k)
        low = None if low is None else _first(low, ranked.width, k)[0]
    elif k is not None and not working.cut:
        within, offsets = ranked.once(("within", k), lambda: _within(ranked, k))
        terms = terms[within]
        low = None if low is None else low[within]
    if ranked.conventions.sums == "plain":
        return segments.plain_total(terms.astype(np.float64, copy=False), offsets)
    return segments.total(terms.astype(np.float64, copy=False), offsets, low)


def _first(values: Array, width: int, k: int) -> tuple[Array, Array]:
    """Return the first k columns of a table, laid end to end, and the offsets of its rows."""
    cut = min(k, width)
    first = values.reshape(-1, width)[:, :cut]
    return first.reshape(-1), np.arange(len(first) + 1) * cut


def _within(ranked: Ranked, k: int) -> tuple[Array, Array]:
    """Return which rows stand within the cut-off, and the offsets of those."""
    within = np.flatnonzero(ranked.rank <= k)
    return within, np.searchsorted(within, ranked.offsets)


def hits_within(r: Ranked, hit: Array, k: int | None, over: Array | None = None) -> Working:
    """Return the working of a count of the hits within the cut-off, over something or nothing."""

    def slowly() -> Working:
        return Working(counted(r, hit, k), over, columns={"relevant": hit}, cut=True)

    if not r.width or r.ties_averaged:
        return slowly()
    table = hit.reshape(-1, r.width)
    return Working(
        over=over,
        sums=lambda cut: np.count_nonzero(table[:, :cut], axis=1).astype(np.float64),
        slowly=slowly,
    )


def counted(r: Ranked, hit: Array, k: Array | int | None) -> Array:
    """Return 1 for each hit within the cut-off, or the chance of that where ties are averaged."""
    return np.where(hit, weight(r, "none", k)[0], 0.0)


def _ratio(total: Array, over: Array | float | None) -> Array:
    if over is None:
        return total
    return np.divide(total, over, out=np.zeros(len(total)), where=np.not_equal(over, 0))


def _fill(values: Array, empty: Array, ranked: Ranked, measure: Measure) -> Array:
    """Give queries without relevant documents the value the conventions say."""
    rule = ranked.conventions.no_relevant
    if rule == "error":
        query = ranked.queries[int(np.flatnonzero(empty)[0])]
        raise DataError(
            f"query {query!r} has no relevant document, so {measure} is undefined for it. "
            "Remove the query, or choose no_relevant='zero' or 'skip'."
        )
    fill = {"zero": 0.0, "skip": np.nan, "one": 1.0}[rule]
    if rule == "one" and measure.definition.range[1] != 1:
        fill = 0.0
    return np.where(empty, fill, values)


def _show(value: Any, param: Param) -> str:
    if param.table and isinstance(value, tuple):
        return "{" + ", ".join(f"{g:g}: {v!r}".replace(".0", "") for g, v in value) + "}"
    return repr(value)


REGISTRY: dict[str, Measure] = {}


def measure(
    name: str,
    pretty: str,
    *,
    example: Example,
    params: tuple[Param, ...] = (),
    range: tuple[float, float] = (0.0, 1.0),  # noqa: A002
    **more: Any,
) -> Callable[[Callable[[Ranked, Any], Working]], Measure]:
    """Register the decorated kernel as a measure; its docstring is the manual page."""

    def register(kernel: Callable[[Ranked, Any], Working]) -> Measure:
        definition = Definition(
            name=name,
            pretty=pretty,
            text=re.sub(r"\n    ", "\n", kernel.__doc__ or "").strip(),
            kernel=kernel,
            params=params,
            range=range,
            example=example,
            **more,
        )
        REGISTRY[name] = Measure(definition)
        return REGISTRY[name]

    return register
