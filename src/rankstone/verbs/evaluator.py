"""Evaluation in parts: batches of a training loop, shards, processes, partitions, streams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import (
    Collection,
    CollectionPart,
    LabelledCollection,
    MatchedCollection,
)
from rankstone.core.engine import load_engine
from rankstone.core.ids import sort_key
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.notices import nothing_in_common
from rankstone.core.provenance import MEMORY, Source, recorded
from rankstone.core.result import Result
from rankstone.core.run import EmptyRun
from rankstone.core.tally import Tally
from rankstone.errors import DataError, UsageError
from rankstone.io.changes import prepared, record
from rankstone.io.column_roles import Columns
from rankstone.io.load import check_columns_used, collection, is_empty, load_judgments
from rankstone.io.split_query import joined, last_query_apart
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import Values
from rankstone.verbs.evaluator_state import from_bytes, to_bytes
from rankstone.verbs.parts import Origin, Part, Plan, Request

if TYPE_CHECKING:
    from rankstone.choices.options import EvaluatorAddOptions, EvaluatorOptions

_MERGED_AT = 64  # parts are merged when there are so many of them


class Evaluator:
    """Evaluate a run that comes in parts; the result is that of ``evaluate``, bit for bit.

    Each query is in one part. Parts may come in any order, and evaluators of several processes
    are merged: their states are small (values of queries and counts) and are plain bytes.

    Args:
        judgments: as in ``evaluate``; None if each part brings its own.
        measures: names or measures.
        carry: the last query of a part goes on in the next one. Its rows are kept until a part
            begins with another query (default: a query in two parts is an error).
        per_query: keep the values of queries; without them a result has aggregates only, and a
            query that is in two parts is noticed only if the Evaluator has the judgments.
        max_grade: highest grade of all judgments, if each part brings its own. Without it,
            measures that depend on it keep the judged documents until the end.
        options: see below.

    >>> judgments = {"q1": {"d1": 2}, "q2": {"d4": 1}}
    >>> evaluator = Evaluator(judgments, ["RR"])
    >>> evaluator.add({"q1": ["d7", "d1"]}).add({"q2": ["d4"]}).result()["RR"]
    0.75
    """

    @verb("Evaluator")
    def __init__(
        self,
        judgments: Any = None,
        measures: str | Measure | Iterable[str | Measure] = DEFAULT,
        *,
        carry: bool = False,
        per_query: bool = True,
        max_grade: float | None = None,
        **options: Unpack[EvaluatorOptions],
    ) -> None:
        setup = Setup.of("Evaluator", options)
        self._request = Request.of(measures, setup)
        load_engine()
        self._setup = prepared(setup)
        self._judgments = None if judgments is None else load_judgments(judgments, self._setup)
        if carry and judgments is None:
            raise UsageError("carry= is for parts of a run; give the judgments to the Evaluator.")
        if max_grade is not None and judgments is not None:
            raise UsageError(
                "max_grade= is for parts that bring judgments of their own; those that the "
                "Evaluator has say it themselves."
            )
        self._per_query, self._max_grade = per_query, max_grade
        self._carry, self._open = carry, None
        self._plan: Plan | None = None
        self._parts: list[Part] = []
        self.last_part: Part | None = None  # for streams that pass values on
        self._seen: set[Any] = set()
        self._numbered: bool | None = None  # queries are numbers of rows, not ids
        self._data: Collection | None = None  # the first part, which names the result
        self._name, self._added = setup.evaluation.name, 0

    @verb("Evaluator.add")
    def add(
        self, run: Any, *, judgments: Any = None, **options: Unpack[EvaluatorAddOptions]
    ) -> Evaluator:
        """Evaluate a part of the run; rows of arrays without ``qid`` are numbered from part to part.

        Args:
            run: whatever ``evaluate`` takes.
            judgments: of this part, if the Evaluator has none; by its name, since ``evaluate`` has
                the two in the other order.
            options: see below.
        """
        if (judgments is None) == (self._judgments is None):
            raise UsageError(
                "judgments are given to the Evaluator for all parts, or to add() for each part: "
                "Evaluator(judgments, measures).add(run), or Evaluator(measures=measures)"
                ".add(run, judgments=judgments)."
            )
        if self._judgments is not None:
            for name in options:
                raise UsageError(
                    f"{name}= of add() goes with judgments of the part; this Evaluator has them "
                    "for all parts."
                )
            if self._carry and not is_empty(run):
                columns = Columns.of(self._setup.reading.columns)
                run, self._open = last_query_apart(joined(self._open, run), columns)
            return self if run is None or is_empty(run) else self._add_run(run)
        setup = self._setup
        if options:
            Setup.of("Evaluator.add", options)
            if "exclude" in options and setup.changes.exclude is not None:
                raise UsageError("exclude= is given to the Evaluator or to add(), not to both.")
            setup = prepared(setup.replace(**options))
        if is_empty(judgments) and setup.changes.judged_chunks:
            setup = setup.replace(judged_chunks=False)
        data = collection(
            EMPTY if is_empty(judgments) else judgments,
            EmptyRun() if is_empty(run) else run,
            setup,
            needs=self._request.needs,
        )
        numbered = isinstance(data, LabelledCollection) and setup.reading.qid is None
        if self._numbered not in (None, numbered):
            raise _mixed()
        self._numbered = numbered
        if isinstance(data, LabelledCollection) and numbered:
            first, n = self._count(), len(data.bounds) - 1
            data = replace(data, queries=list(range(first, first + n)))
        elif isinstance(data, MatchedCollection):
            data = replace(data, is_part=True, max_grade=self._max_grade)
        return self._add(data)

    def _add_run(self, run: Any) -> Evaluator:
        data = collection(self._judgments, run, self._setup)
        if not isinstance(data, MatchedCollection):
            raise UsageError(
                "labels and scores in arrays belong together: Evaluator(measures=measures)"
                ".add(scores, judgments=labels)."
            )
        return self._add(CollectionPart(replace(data, is_part=True)))

    def _add(self, data: Collection) -> Evaluator:
        plan = self._plan_for(data.default)
        known = self._judgments is not None or (
            self._max_grade is not None and isinstance(data, MatchedCollection)
        )
        part = plan.evaluate(data, max_grade_known=known)
        if self._data is None:
            self._name, self._data = self._name or data.name, data
        self._take(part)
        self.last_part = part
        self._added += 1
        return self

    def _plan_for(self, default: Conventions) -> Plan:
        plan = self._request.plan(default)
        if self._plan is not None and self._plan.conventions != plan.conventions:
            raise _mixed()
        self._plan = plan
        return plan

    def _count(self) -> int:
        return sum(part.tally.evaluated for part in self._parts)

    def _take(self, part: Part) -> None:
        if self._per_query or self._judgments is not None:
            self._see(_queries(part))
        if not self._per_query:
            part = part.without_values()
        self._parts.append(part)
        if len(self._parts) == _MERGED_AT:
            self._parts = [Part.merged(self._parts)]

    def _see(self, queries: Iterable[Any]) -> None:
        again = self._seen.intersection(queries)
        if again:
            raise _split(min(again, key=str), again=len(again))
        self._seen.update(queries)

    def merge(self, other: Evaluator | bytes) -> Evaluator:
        """Take over the parts of another evaluator, or of the state of one."""
        state = other.state() if isinstance(other, Evaluator) else other
        part, about = from_bytes(state)
        plan = self._request.plan(Conventions(**about["default"]))
        own = self._about(plan)
        for name, words in _WORDS.items():
            if own[name] != about[name]:
                raise DataError(
                    f"the other evaluator differs in its {words}, so the two cannot be merged. "
                    "Make both with the same arguments."
                )
        if about["parts"]:
            self._plan_for(Conventions(**about["default"]))
            if self._numbered not in (None, about["numbered"]):
                raise _mixed()
            self._numbered = about["numbered"]
            if self._numbered:
                part = _renumbered(part, self._count())
            if not self._per_query:
                self._see(about["seen"])
            self._take(part)
            self._name = self._name or about["name"]
            self._added += about["parts"]
        return self

    def state(self) -> bytes:
        """Return all parts so far as bytes, for ``merge``; a query that is carried ends here."""
        self._close()
        plan = self._plan or self._request.plan(Conventions())
        part = Part.merged(self._parts) if self._parts else Part(Values([], {}, {}, {}), Tally())
        return to_bytes(part, self._about(plan))

    def _about(self, plan: Plan) -> dict[str, Any]:
        judged = None if self._judgments is None else self._judgments.digest()
        return {
            "plan": plan.fingerprint(),
            "default": plan.default.to_dict(),
            "judgments": judged,
            "reading": recorded(record(self._setup.reading)),
            "changes": recorded(record(self._setup.changes)),
            "per_query": self._per_query,
            "max_grade": self._max_grade,
            "numbered": self._numbered,
            "name": self._name,
            "parts": self._added,
            "seen": [] if self._per_query else sorted(self._seen, key=str),
        }

    def _close(self) -> None:
        if self._open is not None:
            run, self._open = self._open, None
            self._add_run(run)

    def result(self) -> Result:
        """Return the result of all parts; more may be added afterwards."""
        self._close()
        plan, parts = self._plan, list(self._parts)
        if plan is None or not parts:
            raise DataError("nothing was added to the Evaluator: add at least one part of a run.")
        if self._judgments is not None:
            missing = self._missing_queries(plan, self._judgments)
            parts.append(missing if self._per_query else missing.without_values())
        part = Part.merged(parts)
        check_parts(part.tally, self._name or "run")
        check_columns_used(self._setup)
        part = plan.completed(part)
        part = self._in_order(part) if self._per_query else part.without_values()
        return plan.result(part, self._origin())

    def _missing_queries(self, plan: Plan, judgments: Judgments) -> Part:
        """Evaluate the judged queries that are in no part."""
        whole = collection(judgments, EmptyRun(), self._setup)
        if not isinstance(whole, MatchedCollection):
            raise TypeError
        seen = self._seen
        missing = np.array([query not in seen for query in whole.judgments.queries], bool)
        return plan.evaluate(CollectionPart(replace(whole, is_part=True), missing))

    def _in_order(self, part: Part) -> Part:
        """Return the queries in the order of the judgments, then by id."""
        queries = part.values.queries
        keys: Any = sort_key(queries)
        if self._judgments is not None:
            place = {query: i for i, query in enumerate(self._judgments.queries)}
            last = len(place)
            keys = [(place.get(q, last), key) for q, key in zip(queries, keys, strict=True)]
        order = sorted(range(len(queries)), key=keys.__getitem__)
        unanswered = {*part.unanswered}
        values = part.values
        ordered = [queries[i] for i in order]
        return replace(
            part,
            values=replace(
                values,
                queries=ordered,
                columns={n: column[order] for n, column in values.columns.items()},
                weights={n: weight[order] for n, weight in values.weights.items()},
            ),
            unanswered=[query for query in ordered if query in unanswered],
        )

    def _origin(self) -> Origin:
        """Return the origin of the result: that of the only part, or the number of parts."""
        changes = record(self._setup.changes, ["scores"])
        first = self._data.sources if self._data is not None else (MEMORY, MEMORY)
        name = self._name or "run"
        if self._added == 1 and self._data is not None:
            return Origin(name, first, self._data.changes)
        judgments = MEMORY if self._judgments is None else self._judgments.source
        run = Source(f"{self._added} parts", reading=first[1].reading)
        return Origin(name, (judgments, run), changes)


#: The choices in which evaluators that are merged agree, in words.
_WORDS = {
    "plan": "measures or conventions",
    "judgments": "judgments",
    "reading": "choices on how data are read",
    "changes": "changes to the data",
    "per_query": "per_query=",
    "max_grade": "max_grade=",
}


def check_parts(tally: Tally, name: str) -> None:
    """Refuse queries whose judgments and documents are in different parts, or in none together."""
    apart = {*tally.missing} & {*tally.unjudged}
    if apart:
        raise _split(min(apart, key=str), again=len(apart))
    if tally.judged_queries and tally.judged_queries == tally.missing_queries:
        raise nothing_in_common(name, tally.missing, tally.unjudged)


def _queries(part: Part) -> Sequence[Any]:
    """Return the queries of a part, whether their values are known or deferred."""
    for ranking in part.rankings.values():
        if len(ranking.queries) > len(part.values.queries):
            return ranking.queries
    return part.values.queries


def _renumbered(part: Part, first: int) -> Part:
    """Return a part whose queries are numbers with those numbers moved up."""

    def moved(numbers: Sequence[Any]) -> list[Any]:
        return [first + number for number in numbers]

    return replace(
        part,
        values=replace(part.values, queries=moved(part.values.queries)),
        unanswered=moved(part.unanswered),
        rankings={c: replace(r, queries=moved(r.queries)) for c, r in part.rankings.items()},
    )


def _split(query: Any, *, again: int) -> DataError:
    more = f" (and {again - 1} more)" if again > 1 else ""
    return DataError(
        f"query {query!r}{more} is in more than one part, and its documents can only be ranked "
        "together. Divide the run between queries; or, if parts follow each other in a stream "
        "that is grouped by query, give carry=True."
    )


def _mixed() -> UsageError:
    return UsageError(
        "parts differ in kind: documents with ids, arrays with qid=, or arrays without. Give all "
        "parts alike."
    )
