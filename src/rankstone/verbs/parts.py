"""Evaluation in parts: a plan, the values and counts of each part, and a result of all parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import groupby
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankstone import __version__
from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import DEFAULT, Setup
from rankstone.core import engine
from rankstone.core.collection import Collection
from rankstone.core.cutoff import Budget, units_of
from rankstone.core.ids import at
from rankstone.core.notices import (
    data_notices,
    first_cutoff,
    no_subtopics,
    ranking_notices,
    tally_ranked,
)
from rankstone.core.provenance import Provenance, Source
from rankstone.core.rank import ListNeeds, ScoreNeeds, reads_input_order, score_needs
from rankstone.core.ranked import Ranked
from rankstone.core.ranked_rows import RankedRows, concatenated, rows_of
from rankstone.core.result import Result, TieReport
from rankstone.core.tally import Tally
from rankstone.errors import Notice, StrictError, UsageError, plural, show_in_python
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.measures import Measure
from rankstone.measures.cautions import cautions
from rankstone.measures.compute import (
    State,
    Values,
    compute,
    compute_each,
    final_values,
    list_needs,
    side_by_side,
)
from rankstone.measures.dcg import worthless_grades
from rankstone.measures.request import RequestedMeasure, requested_measures
from rankstone.tools import conventions_of, tool

if TYPE_CHECKING:
    from rankstone.tools.base import Tool

Array = np.ndarray
_EXTREMES = ("pessimistic", "optimistic")


@frozen(eq=False)
class Request:
    """Measures and choices as they were requested; the data say which defaults hold.

    With ``tied_measures`` only that many measures, the first ones, have tie intervals. ``shown`` are
    the codes of notices that Python has shown in this call.
    """

    measures: list[RequestedMeasure]
    setup: Setup
    followed: Tool | None
    tied_measures: int | None = None
    shown: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def of(
        cls, measures: str | Measure | Iterable[str | Measure], setup: Setup = DEFAULT
    ) -> Request:
        """Read names of measures, and of the tool that is followed."""
        like = setup.evaluation.like
        followed = tool(like) if like is not None else None
        requested = requested_measures(measures, followed)
        budgets = [r.measure for r in requested if isinstance(r.measure.get("k"), Budget)]
        if len({m.k.unit for m in budgets}) > 1:
            raise UsageError(
                f"budgets of one evaluation have one unit, that of lengths=, not those of "
                f"{' and '.join(map(str, budgets))}. Evaluate them one after the other."
            )
        return cls(requested, setup, followed)

    @property
    def tie_interval(self) -> bool:
        """Whether each measure has its values with ties at their worst and best, too."""
        return self.setup.evaluation.tie_interval

    def plan(self, default: Conventions) -> Plan:
        """Return the measures to compute, each under its conventions, on data with these defaults."""
        single = self.setup.single
        base = self.setup.evaluation.conventions or (default if self.followed is None else None)
        chosen = conventions_of(self.followed, base, single)
        steps = [(r.column, r.measure, r.conventions_for(chosen, single)) for r in self.measures]
        return Plan(self, default, chosen, steps)

    def needs(self, default: Conventions) -> tuple[ListNeeds, ScoreNeeds]:
        """Return the parts of lists and scores that the measures read."""
        plan = self.plan(default)
        needs = list_needs([(m, c) for _, m, c in plan.steps])._replace(count_ties=True)
        if self.setup.evaluation.unjudged_interval:
            needs = needs._replace(k=None, nonrelevant=True)
        return needs, score_needs([plan.conventions, *(c for _, _, c in plan.steps)])


Step = tuple[str, Measure, Conventions]


class Origin(NamedTuple):
    """The origin of a result: the run's name, the sources, and the changes made to the data."""

    name: str
    sources: tuple[Source, Source]
    changes: Mapping[str, Any]


@frozen(eq=False)
class Plan:
    """The columns of a result, each a measure under its conventions.

    ``default`` are the conventions that the data have if none are chosen.
    """

    request: Request
    default: Conventions
    conventions: Conventions
    steps: list[Step]

    @property
    def cutoff(self) -> int:
        """The lowest cutoff of the measures, 0 if there is none."""
        return first_cutoff(measure.params.get("k") for _, measure, _ in self.steps)

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [name for name, _, _ in self.steps]

    @property
    def reads_input_order(self) -> bool:
        """Whether the order of rows in the input decides between tied documents."""
        return any(reads_input_order(c) for c in (self.conventions, *(c for _, _, c in self.steps)))

    def extremes(self) -> tuple[list[Step], list[Step]]:
        """Return the steps with ties in their worst and best order, for tie intervals."""
        asked = self.steps[: self.request.tied_measures] if self.request.tie_interval else []
        steps = [s for s in asked if s[1].supports_extreme_ties]
        worst, best = ([(n, m, c.replace(ties=rule)) for n, m, c in steps] for rule in _EXTREMES)
        return worst, best

    def deferred(self, steps: list[Step], *, max_grade_known: bool) -> list[Step]:
        """Return the steps whose values depend on queries of other parts."""
        return [s for s in steps if s[1].needs_all_queries(max_grade_known=max_grade_known)]

    def fingerprint(self) -> dict[str, Any]:
        """Return the choices in which evaluations agree whose parts can be merged."""
        return {
            "measures": [[name, str(m), c.to_dict()] for name, m, c in self.steps],
            "conventions": self.conventions.to_dict(),
            "tie_interval": self.request.tie_interval,
        }

    def evaluate(
        self, data: Collection, *, is_whole: bool = False, max_grade_known: bool = True
    ) -> Part:
        """Evaluate all queries, or some; what depends on the queries of other parts is deferred."""

        def deferred(steps: list[Step]) -> list[Step]:
            return [] if is_whole else self.deferred(steps, max_grade_known=max_grade_known)

        chosen = self.conventions
        later = deferred(self.steps)
        now = [s for s in self.steps if s not in later] if later else self.steps
        values = compute_each(data, now) if now else Values([], {}, {}, {})
        ranked = data.ranked(chosen)
        tally = tally_ranked(data.tally(chosen), ranked, self.cutoff)
        if getattr(getattr(data, "whole", data), "scores_all", False):
            tally = replace(tally, as_long=0)  # a whole catalogue is not a sample
        odd = [*_gain_notices(self, ranked), *scale_notices(now, ranked.max_grade)]
        for _, measure, own in [s for s in self.steps if s[1].definition.reads_items][:1]:
            from rankstone.core.item_notices import unknown_items

            odd += unknown_items(data.ranked(own), measure.k)
        tally = replace(tally, reading=(*tally.reading, *sorted(odd, key=str)))
        ends: list[dict[str, State]] = []
        for steps in self.extremes():
            at_end = deferred(steps)
            later = later + at_end
            ends.append({})
            if now := [s for s in steps if s not in at_end]:
                from rankstone.measures.compute import extreme_aggregates

                ends[-1] = extreme_aggregates(data, now, values)
        worst, best = ends
        unanswered = at(ranked.queries, np.flatnonzero(ranked.retrieved == 0))
        for _, measure, _ in later:
            if measure.is_cut_apart(ranked):
                raise UsageError(
                    f"{measure} depends on the queries of all parts, and lists that are cut by "
                    f"{units_of(measure.k)} are evaluated part by part. Evaluate all queries at once."
                )
        rankings = {c: rows_of(data.ranked(c)) for c in dict.fromkeys(c for _, _, c in later)}
        return Part(values, tally, unanswered, worst, best, rankings)

    def completed(self, part: Part) -> Part:
        """Compute what was deferred, now that all queries are here."""
        if not part.rankings:
            return part
        left = [s for s in self.steps if s[0] not in part.values.columns]
        values = side_by_side([part.values, *_compute_deferred(part, left)], self.names)
        ends: list[dict[str, State]] = []
        for steps, known in zip(self.extremes(), (part.worst, part.best), strict=True):
            others = [s for s in steps if s[0] not in known]
            late = {n: a for v in _compute_deferred(part, others) for n, a in v.aggregates.items()}
            ends.append({**known, **late})
        worst, best = ends
        highest = max(ranked.max_grade for ranked in part.rankings.values())
        tally = replace(part.tally, reading=(*part.tally.reading, *scale_notices(left, highest)))
        return Part(values, tally, part.unanswered, worst, best)

    def result(self, part: Part, data: Origin | Collection) -> Result:
        """Return the result of all queries; with ``strict``, warnings are errors."""
        part = self.completed(part)
        values, tally, request = part.values, part.tally, self.request
        measures = {column: measure for column, measure, _ in self.steps}
        aggregates = final_values(measures, values.aggregates)
        limits = cautions(measures.items(), aggregates, tally)
        notices = (*notices_of(self, tally), *_undefined(self, part), *limits)
        if request.setup.evaluation.strict:
            refuse_warnings(data.name, notices)
        show_in_python(data.name, notices, request.shown)
        worst, best = (final_values(measures, ends) for ends in (part.worst, part.best))
        interval = {n: (min(low, best[n]), max(low, best[n])) for n, low in worst.items()}
        return Result(
            name=data.name,
            queries=values.queries,  # type: ignore[arg-type]  # a list when it is read
            columns=values.columns,
            aggregates=aggregates,
            counted={n: a.n for n, a in values.aggregates.items()},
            weights=values.weights,
            conventions=self.conventions,
            changes=data.changes,
            notices=notices,
            provenance=Provenance(__version__, engine.name(), *data.sources),
            ties=TieReport(tally.tied, tally.documents, interval),
            like=request.followed.name if request.followed else None,
            requested={n: r.column for r in request.measures for n in r.names if n != r.column},
            exceptions={
                n: c.diff(self.conventions) for n, _, c in self.steps if c != self.conventions
            },
            unanswered=tuple(part.unanswered),
            of_all_lists=tuple(n for n, m in measures.items() if m.definition.of_all_lists),
            of_items=tuple(
                n
                for n, m in measures.items()
                if m.definition.reads_items and not m.definition.of_all_lists
            ),
            pools=values.pools,
        )


@frozen(eq=False)
class Part:
    """The evaluated queries of a part: values, exact parts of aggregates, and counts.

    ``worst`` and ``best`` are the aggregates with ties in those orders. ``rankings`` holds, by
    conventions, the judged documents that measures over all queries read at the end.
    """

    values: Values
    tally: Tally
    unanswered: list[Any] = field(default_factory=list)
    worst: dict[str, State] = field(default_factory=dict)
    best: dict[str, State] = field(default_factory=dict)
    rankings: dict[Conventions, RankedRows] = field(default_factory=dict)

    @staticmethod
    def merged(parts: list[Part]) -> Part:
        """Return several parts as one; their queries differ."""
        if len(parts) == 1:
            return parts[0]
        tally = parts[0].tally
        for part in parts[1:]:
            tally = tally.merge(part.tally)
        rankings = {
            c: concatenated([part.rankings[c] for part in parts]) for c in parts[0].rankings
        }
        values = [part.values for part in parts]
        queries = [query for v in values for query in v.queries]
        names = list(values[0].columns)
        return Part(
            Values(
                queries,
                {n: np.concatenate([v.columns[n] for v in values]) for n in names},
                {n: np.concatenate([v.weights[n] for v in values]) for n in values[0].weights},
                _merged_aggregates([v.aggregates for v in values]),
            ),
            tally,
            [query for part in parts for query in part.unanswered],
            _merged_aggregates([part.worst for part in parts]),
            _merged_aggregates([part.best for part in parts]),
            rankings,
        )

    def without_values(self) -> Part:
        """Return a part with its aggregates and counts only, whatever the number of queries."""
        columns = {name: np.zeros(0) for name in self.values.columns}
        values = Values([], columns, {}, self.values.aggregates)
        return replace(self, values=values, unanswered=[])


def _merged_aggregates(parts: list[dict[str, State]]) -> dict[str, State]:
    together = dict(parts[0])
    for part in parts[1:]:
        for name, aggregate in part.items():
            together[name] = together[name].merge(aggregate)  # type: ignore[arg-type]
    return together


def scale_notices(steps: list[Step], highest: float) -> Iterator[Notice]:
    """Yield a note on the measures whose scale is that of the judgments."""
    names = [
        name
        for name, measure, _ in steps
        if "max_grade" in measure.params and measure.definition.reads_max_grade(measure)
    ]
    if names:
        text = tr("{}: max_grade={:g}, from the judgments").format(", ".join(names), highest)
        yield Notice("scale-from-judgments", len(names), text, level="note")


def _compute_deferred(part: Part, steps: list[Step]) -> list[Values]:
    by_conventions = groupby(sorted(steps, key=lambda s: str(s[2])), key=lambda s: s[2])
    return [compute(part.rankings[c], {n: m for n, m, _ in some}) for c, some in by_conventions]


def _undefined(plan: Plan, part: Part) -> Iterator[Notice]:
    """Yield a notice for each measure that is not defined for some queries, which its mean leaves out."""
    for name, _, conventions in plan.steps:
        skipped = part.tally.without_relevant if conventions.skips_queries else 0
        counted = part.values.aggregates[name].n
        if counted and counted >= part.tally.evaluated - skipped:
            continue
        left = part.tally.evaluated - counted
        text = tr("{} is not defined for {}; the mean is over {} of {} queries").format(
            name, plural(left, "query"), counted, part.tally.evaluated
        )
        if not counted:
            text = tr("{} is not defined for any query, so it has no value").format(name)
        yield Notice("undefined", left, text, level="note" if counted else "warning")


def _chooses_relevance(measure: Measure, conventions: Conventions) -> bool:
    """Return whether it was said which grades are relevant to a measure."""
    chosen = Conventions().diff(conventions)
    return "relevance" in chosen or measure.params.get("rel") is not None


def _gain_notices(plan: Plan, ranked: Ranked) -> Iterator[Notice]:
    """Yield a warning for each measure whose table of gains makes high grades worthless."""
    for name, measure, _ in plan.steps:
        if worthless_grades(ranked, measure):
            text = tr(
                "{}: the table of gains does not list the highest grades of the judgments, so such "
                "documents gain nothing; list them, or choose unlisted='grade'"
            ).format(name)
            yield Notice("gain-not-listed", 1, text)


def notices_of(plan: Plan, tally: Tally) -> tuple[Notice, ...]:
    """Return the notices on data, ranking and requested measures."""
    threshold = [_chooses_relevance(m, c) for _, m, c in plan.steps]
    answered = ["grades-without-zero"] if all(threshold) else []
    if answered and all(m.params.get("gain") in (None, "binary") for _, m, _ in plan.steps):
        answered.append("ratings-as-grades")
    graded = (m.definition.uses_grades for _, m, _ in plan.steps)
    if all(map(or_, threshold, graded)):
        answered.append("grades-below-one")
    setup = plan.request.setup
    chosen = plan.request.followed or setup.evaluation.conventions or "no_relevant" in setup.single
    return (
        *(n for n in data_notices(tally, plan.conventions) if n.code not in answered),
        *ranking_notices(tally, plan.conventions, plan.cutoff, chosen=bool(chosen)),
        *no_subtopics(tally, [n for n, m, _ in plan.steps if m.definition.reads_subtopics]),
        *(r.notice for r in plan.request.measures if r.notice),
    )


def refuse_warnings(name: str, notices: Iterable[Notice]) -> None:
    """Make the first warning an error, as ``strict`` has it."""
    for notice in notices:
        if notice.level == "warning":
            raise StrictError(f"{name}: {notice} [{notice.code}; an error because of strict].")
