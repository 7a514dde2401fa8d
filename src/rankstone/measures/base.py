"""Measures: their definitions, and values made from these."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Literal

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.core import segments
from rankstone.core.cutoff import Budget, needs_lengths, units_of
from rankstone.core.items import ListCounts
from rankstone.core.rank import ListNeeds, asks_for_extremes
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import truncated, with_ties_by
from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures import summation
from rankstone.measures.param import Param
from rankstone.measures.summation import Computation

Array = np.ndarray


@frozen
class Example:
    """A worked example: grades in rank order, grades that were not retrieved, the value.

    A grade of None is a document without a judgment, a mapping holds a document's grades by
    subtopic. A measure that reads items has a list ``shown`` instead of grades, and what is ``given``
    beside it. The value is a formula in Python.
    """

    measure: str
    grades: tuple[float | Mapping[str, float] | None, ...]
    value: str
    missed: tuple[float | Mapping[str, float], ...] = ()
    shown: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


def relevance_gain(r: Ranked, m: Measure, grade: Array) -> Array:
    """Return 1 for relevant grades, 0 for others."""
    return (grade >= r.level(m.get("rel"))).astype(np.float64)


def is_judged(r: Ranked, m: Measure, grade: Array) -> Array:  # noqa: ARG001
    """Return 1 for every grade: that a document was judged is all that counts."""
    return np.ones(len(grade))


@frozen(eq=False)
class Definition:
    """Everything there is to know about a measure.

    Args:
        name: short name, as in ``nDCG``.
        pretty: name in words.
        text: manual page.
        kernel: function of a ranking and a measure that returns what is added up.
        params: parameters.
        range: lowest and highest value.
        example: worked example.
        aggregate: how values of queries become one number.
        higher_is_better: direction.
        conventions: those whose choice changes the measure most often; ``no_relevant`` follows
            from ``undefined_without_relevant``.
        undefined_without_relevant: the value of a query without relevant documents is up to the
            conventions.
        uses_grades: a document counts by its gain, so a query is empty if no judged document has
            one; else if none is relevant.
        gain: what a judged document of each grade is good for. It decides which order of tied
            documents is best.
        unjudged_gain: what a document without a judgment is good for.
        best_order: function that puts tied documents in their best (1) or worst (-1) order, if
            that is not the order of gains.
        reaches_max: the relevant documents alone, best first, reach the top of the range.
        supports_expected_ties: the kernel gives the mean over all orders of tied documents, or
            does not depend on their order; a bool, or a function of the measure.
        supports_extreme_ties: the best and the worst order of tied documents are known; a bool,
            or a function of the measure.
        rises: the value never falls if a document has a higher gain; a bool, or a function of
            the measure.
        lowest_at_ends: over all grades of some documents the value is lowest where each has the
            lowest or the highest gain.
        pools_queries: the value of a query depends on the others; a bool, or a function of the
            measure.
        reads_ids: with subtopics the value depends on which of two judged documents has the greater
            id; a bool, or a function of the measure.
        reads_subtopics: documents count by the subtopics they cover; without judgments by
            subtopic a query is its only subtopic.
        reads_max_grade: it depends on the highest grade of all; a function of the measure.
        reads_whole_list: documents below the cutoff count, too, though they gain nothing.
        reads_below: the rows below the cutoff are read, though they do not count; a bool, or a function of
            the measure.
        reads_nonrelevant: documents that are judged not relevant count otherwise than documents
            without a judgment; a bool, or a function of the measure.
        ties_as_one: tied documents are one point of a curve, whatever their order. The curve is a
            ``line`` to it, which lies between those of two orders, or a ``step``, which may not;
            a word, or a function of the measure.
        reads_items: it reads the items of a list, judged or not, and what is known of them.
        of_all_lists: function of a measure and of how often items were shown in all lists that returns
            its number; there are no values of single queries then.
        cutoff_param: parameter that ``@`` sets.
        mistaken_for: measures whose values are often reported under the name of this one, the most
            common first.
    """

    name: str
    pretty: str
    text: str
    kernel: Callable[[Ranked, Any], Computation]
    example: Example
    params: tuple[Param, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    aggregate: str = "mean"
    higher_is_better: bool = True
    conventions: tuple[str, ...] = ("ties",)
    undefined_without_relevant: bool = True
    uses_grades: bool = False
    gain: Callable[[Ranked, Any, Array], Array] = relevance_gain
    unjudged_gain: float = 0.0
    best_order: Callable[[Ranked, Any, int], Ranked] | None = None
    reaches_max: bool = True
    supports_expected_ties: bool | Callable[[Measure], bool] = False
    supports_extreme_ties: bool | Callable[[Measure], bool] = True
    rises: bool | Callable[[Measure], bool] = False
    lowest_at_ends: bool = False
    pools_queries: bool | Callable[[Measure], bool] = False
    reads_ids: bool | Callable[[Measure], bool] = False
    reads_subtopics: bool = False
    reads_max_grade: Callable[[Measure], bool] = lambda _: False
    reads_whole_list: bool = False
    reads_below: bool | Callable[[Measure], bool] = False
    reads_nonrelevant: bool | Callable[[Measure], bool] = False
    ties_as_one: Literal["", "line", "step"] | Callable[[Measure], str] = ""
    reads_items: bool = False
    of_all_lists: Callable[[Any, ListCounts], float] | None = None
    cutoff_param: str = "k"
    mistaken_for: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Add the convention that follows from the definition."""
        if self.undefined_without_relevant:
            object.__setattr__(self, "conventions", (*self.conventions, "no_relevant"))

    @property
    def formula(self) -> str:
        """The paragraph of the manual page that holds the formula, in one line."""
        paragraphs = self.text.split("\n\n")
        formulas = (p for p in paragraphs[1:] if "=" in p)
        return " ".join(next(formulas, paragraphs[0]).split())

    def paragraphs(self) -> list[str]:
        """Return the paragraphs of the manual page in the language in force, each in one line."""
        parts = (
            " ".join(text.split()).partition(" Reference: ") for text in self.text.split("\n\n")
        )
        return [
            tr(text) + (tr(" Reference: {}").format(source) if mark else "")
            for text, mark, source in parts
        ]

    def takes(self, name: str) -> bool:
        """Return whether the measure has a parameter of that name."""
        return any(param.name == name for param in self.params)

    def param(self, name: str) -> Param:
        """Return the parameter of that name; an error lists those that exist."""
        for param in self.params:
            if param.name == name:
                return param
        known = [p.name for p in self.params]
        has = f"It has: {', '.join(known)}." if known else "It has none."
        hint = did_you_mean(name, known)
        raise UsageError(f"{self.name} has no parameter {name!r}.{hint} {has}")


def _by_parameters(name: str) -> property:
    """Return a property that is that of the definition, or a function of the measure's parameters."""

    def answer(measure: Measure) -> Any:
        known = getattr(measure.definition, name)
        return known(measure) if callable(known) else known

    return property(answer)


class _Page(str):
    """The docstring of the class; of a measure, its manual page."""

    __slots__ = ()

    def __get__(self, measure: Measure | None, _: type | None = None) -> str:
        if measure is None:
            return str(self)
        from rankstone.measures.manual import page

        return "\n".join(page(measure))


class Measure:
    """A measure with its parameters, as a value.

    >>> from rankstone import nDCG
    >>> nDCG(gain="exp2") @ 10
    nDCG(gain='exp2')@10
    """

    __doc__ = _Page(__doc__)
    definition: Definition
    #: Its parameters that are tables of gains.
    tables: tuple[tuple[tuple[float, float], ...], ...]
    _params: dict[str, Any]

    def __init__(self, definition: Definition, params: Mapping[str, Any] | None = None) -> None:
        values = {p.name: p.default for p in definition.params}
        for name, value in (params or {}).items():
            values[name] = definition.param(name).check(value, definition.name)
        tables = (values[p.name] for p in definition.params if p.is_table(values[p.name]))
        # As attributes, parameters are read at once.
        self.__dict__.update(values, definition=definition, tables=tuple(tables), _params=values)

    def __getattr__(self, name: str) -> Any:
        """Raise an error that names the missing parameter."""
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

    def get(self, name: str) -> Any:
        """Return a parameter, None if the measure does not have it."""
        return self._params.get(name)

    @property
    def given(self) -> dict[str, Any]:
        """The parameters that are not at their default."""
        return {
            p.name: v for p in self.definition.params if (v := self._params[p.name]) != p.default
        }

    def __call__(self, *data: Any, conventions: Conventions | None = None, **params: Any) -> Any:
        """Return the measure with some parameters set; or, given data, its value.

        Data are whatever ``evaluate`` takes: grades in rank order; labels and scores; relevant
        documents and a ranked list; tables of these or several queries, for a value of each.
        Relevant documents whose ids are numbers go into a set.

        >>> from rankstone import P, nDCG
        >>> (nDCG @ 6)([3, 2, 3, 0, 1, 2])
        0.9608081943360616
        >>> P(k=3)({"a", "c"}, ["a", "b", "c"])
        0.6666666666666666
        """
        measure = self
        if params:
            implied: dict[str, Any] = {}
            for name, value in params.items():
                implied |= self.definition.param(name).implies(value)
            measure = Measure(self.definition, {**self._params, **implied, **params})
        if not data:
            return measure
        from rankstone.verbs.evaluate import call

        return call(measure, data, conventions)

    def list_needs(self, conventions: Conventions) -> ListNeeds:
        """Return how much of a list the measure reads."""
        d = self.definition
        cutoff = self._params.get("k")
        reads_all = (
            any(0.0 in dict(table) for table in self.tables)  # a gain for the grade 0
            or isinstance(cutoff, Budget)
            or summation.depends_on_every_tie(conventions)
            # Any tie is refused, wherever it is.
            or (asks_for_extremes(conventions) and not self.supports_extreme_ties)
        )
        k = None if reads_all or d.reads_whole_list else cutoff
        nonrelevant = reads_all or self.reads_nonrelevant
        below = self.reads_below or self._params.get("unlisted") == "error"  # wherever a grade is
        return ListNeeds(k, self.supports_expected_ties, nonrelevant=nonrelevant, below=below)

    #: Whether the mean over all orders of tied documents is known in closed form.
    supports_expected_ties = _by_parameters("supports_expected_ties")
    #: Whether the best and the worst order of tied documents are known.
    supports_extreme_ties = _by_parameters("supports_extreme_ties")
    #: Whether the value never falls if a document has a higher gain.
    rises = _by_parameters("rises")
    #: Whether the value of a query depends on the others.
    pools_queries = _by_parameters("pools_queries")
    #: Whether the value depends on the order of ids of judged documents.
    reads_ids = _by_parameters("reads_ids")
    #: How documents that share a score count as one, empty if their order counts.
    ties_as_one = _by_parameters("ties_as_one")
    #: Whether rows below the cutoff are read.
    reads_below = _by_parameters("reads_below")
    #: Whether documents of grade 0 count otherwise than documents without a row.
    reads_nonrelevant = _by_parameters("reads_nonrelevant")

    def needs_all_queries(self, *, max_grade_known: bool) -> bool:
        """Return whether values depend on queries of other parts of the data."""
        d = self.definition
        return self.pools_queries or (not max_grade_known and d.reads_max_grade(self))

    def __matmul__(self, k: float | str | Budget) -> Measure:
        """Return the measure with its cutoff at rank k, or with a budget such as 2000tokens."""
        return Measure(self.definition, {**self._params, self.definition.cutoff_param: k})

    def __str__(self) -> str:
        shown = [
            f"{p.name}={p.shown(self._params[p.name])}"
            for p in self.definition.params
            if p.name != self.definition.cutoff_param and self._params[p.name] != p.default
        ]
        inside = f"({', '.join(shown)})" if shown else ""
        cut = self._params.get(self.definition.cutoff_param)
        return f"{self.definition.name}{inside}" + (f"@{cut}" if cut is not None else "")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Show what the measure means in a notebook."""
        from rankstone.text.notebook import of_measure

        return of_measure(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name."""
        from rankstone.measures.parse import parse_measure

        return parse_measure, (str(self),)

    def computation(self, ranked: Ranked) -> Computation:
        """Return the kernel's computation on a ranking, with ties in order for this measure."""
        if self.reads_nonrelevant and not ranked.lists_all:
            raise UsageError(
                f"{self} reads where every document is that is not relevant, and of a whole catalogue "
                "only the judged ones are counted; give it a table of labels and scores."
            )
        measure, ranked = self.cut(ranked)
        return self.definition.kernel(measure.tie_order(ranked), measure)

    def is_cut_apart(self, ranked: Ranked) -> bool:
        """Return whether the cutoff is another rank in each list: a budget, or a number of chunks."""
        k = self._params.get("k")
        return isinstance(k, Budget) or (
            k is not None and ranked.cuts is not None and ranked.cuts.of_chunks
        )

    def cut(self, ranked: Ranked) -> tuple[Measure, Ranked]:
        """Return measure and ranking, cut if ranks do not say where its lists end.

        A list that a budget has cut is a whole list to the measure, which has no cutoff then.
        """
        if not self.is_cut_apart(ranked):
            return self, ranked
        k = self._params["k"]
        if ranked.cuts is None:
            raise needs_lengths(k)
        refused = (
            "it also reads documents below the cutoff"
            if self.definition.reads_whole_list or self.pools_queries
            else f"ties={ranked.rule!r} has more than one order of tied documents"
            if ranked.ties_averaged or ranked.tie_luck
            else ""
        )
        if refused:
            raise UsageError(f"the lists of {self} cannot be cut by {units_of(k)}: {refused}.")
        cuts = ranked.cuts.at(k)
        last = np.array([cuts[query].documents for query in ranked.queries], np.int64)
        return (self(k=None) if isinstance(k, Budget) else self), truncated(ranked, last)

    def tie_order(self, ranked: Ranked) -> Ranked:
        """Return the ranking with tied documents in the order that the conventions ask for.

        What is the best order of tied documents is up to the measure.
        """
        if ranked.ties_averaged and not self.supports_expected_ties:
            able = ", ".join(n for n, m in REGISTRY.items() if m.supports_expected_ties)
            raise UsageError(
                f"{self} has no closed form for ties='expected'; choose another rule for "
                f"ties, such as 'input'. Closed forms are known for {able}."
            )
        if not ranked.tie_luck:
            return ranked
        if not self.supports_extreme_ties:
            raise UsageError(
                f"the best and the worst order of tied documents are not known for {self}; "
                "choose another rule for ties, such as 'input'."
            )
        if self.definition.best_order is not None:
            return self.definition.best_order(ranked, self, ranked.tie_luck)
        gain = self.definition.gain(ranked, self, ranked.grade)
        return with_ties_by(ranked, gain, self.definition.unjudged_gain)

    def compute(self, ranked: Ranked) -> Array:
        """Return the value of every query; NaN if the conventions leave a query out."""
        return ranked.by_query(lambda part: [self.values(self.computation(part))])[0]

    def values(self, computation: Computation) -> Array:
        """Return the value of every query; one without relevant documents as conventions say."""
        values = summation.values(computation)
        if not self.definition.undefined_without_relevant:
            return values
        ranked = computation.ranked
        empty = self.is_empty(ranked)
        return _fill(values, empty, ranked, self) if empty.any() else values

    def is_empty(self, ranked: Ranked) -> Array:
        """Return which queries have no judged document that is of use to the measure."""
        if not self.definition.uses_grades:
            return ranked.relevant_count(self._params.get("rel")) == 0
        if not self.tables:  # gains rise with the grade
            return self.definition.gain(ranked, self, ranked.highest()) <= 0
        gain = self.definition.gain(ranked, self, ranked.judged_grade)
        offsets = ranked.judged_offsets
        return segments.largest(gain, offsets[:-1], offsets[1:]) <= 0


def _fill(values: Array, empty: Array, ranked: Ranked, measure: Measure) -> Array:
    """Give queries without relevant documents the value the conventions say."""
    rule = ranked.conventions.no_relevant
    if rule == "error":
        query = ranked.queries[int(np.flatnonzero(empty)[0])]
        raise DataError(
            f"query {query!r} has no relevant document, so {measure} is undefined for it. "
            "Remove the query, or choose no_relevant='zero' or 'skip'."
        )
    fill = {
        "zero": 0.0,
        "skip": np.nan,
        "one": 1.0,
        "silence": (ranked.retrieved == 0).astype(np.float64),
    }[rule]
    if rule in ("one", "silence") and measure.definition.range[1] != 1:
        fill = 0.0
    return np.where(empty, fill, values)


REGISTRY: dict[str, Measure] = {}


def measure(pretty: str, **more: Any) -> Callable[[Callable[[Ranked, Any], Computation]], Measure]:
    """Register the decorated kernel as a measure of its name; its docstring is the manual page."""

    def register(kernel: Callable[[Ranked, Any], Computation]) -> Measure:
        text = re.sub(r"\n    ", "\n", kernel.__doc__ or "").strip()
        made = Measure(Definition(kernel.__name__, pretty, text, kernel, **more))
        REGISTRY[made.name] = made
        return made

    return register
