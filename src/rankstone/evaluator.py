"""Evaluation in parts: batches of a training loop, shards, processes, partitions, streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.conventions import Conventions
from rankstone.core.collection import (
    ChosenQueries,
    Collection,
    LabelledCollection,
    MatchedCollection,
)
from rankstone.core.exclude import ExcludingRun
from rankstone.core.ids import sort_key
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.notices import nothing_in_common
from rankstone.core.provenance import MEMORY, Source
from rankstone.core.result import Result
from rankstone.core.run import EmptyRun, Run
from rankstone.core.tally import Tally
from rankstone.errors import DataError, UsageError
from rankstone.evaluation import load_engine
from rankstone.evaluation_parts import (
    Evaluated,
    Plan,
    Request,
    completed,
    evaluate_part,
    merged,
    notices_of,
    refuse_warnings,
    result_of,
    without_values,
)
from rankstone.evaluator_state import from_bytes, to_bytes
from rankstone.io.carry import joined, last_query_apart
from rankstone.io.column_roles import Columns
from rankstone.io.load import collection, judged_documents, load_judgments
from rankstone.io.parents import Parents
from rankstone.measures import DEFAULT, Measure
from rankstone.measures.compute import Values

_MERGED_AT = 64  # parts are merged when there are so many of them


class Evaluator:
    """Evaluate a run that comes in parts; the result is that of ``evaluate``, bit for bit.

    Each query is in one part. Parts may come in any order, and evaluators of several processes
    are merged: their states are small (values of queries and counts) and are plain bytes.

    Args:
        judgments: as in ``evaluate``; None if each part brings its own.
        measures: names or measures.
        like: a tool whose numbers to give, such as ``"trec_eval-9"``.
        conventions: every other choice that changes a number.
        tie_interval: give each measure's value with ties at their worst and best, too.
        strict: make warnings errors, when the result is made.
        name: the name of the run.
        threads: number of scanning threads (default: all cores).
        columns: the columns of tables whose names do not say what they hold.
        exclude: (query, document) pairs that are removed from the run.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best.
        min_score: a document with a worse score counts as not retrieved.
        parents: the document of each chunk, for parts that are runs of chunks.
        parent_rule: how the chunks of a document become one result: first, max or sum.
        judged_chunks: whether the judgments are of chunks too, and become judgments of documents.
        carry: the last query of a part goes on in the next one. Its rows are kept until a part
            begins with another query (default: a query in two parts is an error).
        per_query: keep the values of queries; without them a result has aggregates only, the
            state has a constant size, and a query that is in two parts is not noticed.
        max_grade: highest grade of all judgments, if each part brings its own. Without it,
            measures that depend on it keep the judged documents until the end.
        choices: single conventions, for example ``ties="input"``.

    >>> judgments = {"q1": {"d1": 2}, "q2": {"d4": 1}}
    >>> evaluator = Evaluator(judgments, ["RR"])
    >>> evaluator.add({"q1": ["d7", "d1"]}).add({"q2": ["d4"]}).result()["RR"]
    0.75
    """

    def __init__(
        self,
        judgments: Any = None,
        measures: str | Measure | Iterable[str | Measure] = DEFAULT,
        *,
        like: str | None = None,
        conventions: Conventions | None = None,
        tie_interval: bool = False,
        strict: bool = False,
        name: str | None = None,
        threads: int | None = None,
        columns: Mapping[str, Any] | None = None,
        exclude: Any = None,
        scores: str = "descending",
        min_score: float | None = None,
        parents: Any = None,
        parent_rule: str = "first",
        judged_chunks: bool = False,
        carry: bool = False,
        per_query: bool = True,
        max_grade: float | None = None,
        **choices: Any,
    ) -> None:
        self._request = Request.of(measures, like, conventions, choices, tie_interval=tie_interval)
        load_engine()
        self._columns = Columns.of(columns)
        self._judgments = None if judgments is None else load_judgments(judgments, self._columns)
        self._parents = None if parents is None else Parents.of(parents)
        self._judged_chunks = judged_chunks
        if judged_chunks and self._judgments is not None:
            self._judgments = judged_documents(self._judgments, self._parents, None)
        if carry and judgments is None:
            raise UsageError("carry= is for parts of a run; give the judgments to the Evaluator.")
        self._exclude = (
            None if exclude is None else load_judgments(exclude, self._columns, graded=False)
        )
        self._reading: dict[str, Any] = {
            "name": name,
            "threads": threads,
            "scores": scores,
            "min_score": min_score,
            "parents": self._parents,
            "parent_rule": parent_rule,
        }
        self._strict, self._per_query, self._max_grade = strict, per_query, max_grade
        self._carry, self._open = carry, None
        self._plan: Plan | None = None
        self._parts: list[Evaluated] = []
        self.last_part: Evaluated | None = None  # for streams that pass values on
        self._seen: set[Any] = set()
        self._numbered: bool | None = None  # queries are numbers of rows, not ids
        self._name, self._sources, self._added = name, (MEMORY, MEMORY), 0

    def add(
        self,
        run: Any,
        judgments: Any = None,
        *,
        mask: Any = None,
        qid: Any = None,
        group_sizes: Any = None,
        exclude: Any = None,
    ) -> Evaluator:
        """Evaluate a part of the run; ``judgments`` are its own if the Evaluator has none.

        ``exclude`` are pairs that are removed from this part, which has judgments of its own.
        ``mask``, ``qid`` and ``group_sizes`` go with labels and scores in arrays. Rows of arrays
        without ``qid`` are queries of their own, numbered from part to part.
        """
        if (judgments is None) == (self._judgments is None):
            raise UsageError(
                "judgments are given to the Evaluator for all parts, or to add() for each part: "
                "Evaluator(judgments, measures).add(run), or Evaluator(measures=measures)"
                ".add(run, judgments)."
            )
        if self._judgments is not None:
            if exclude is not None:
                raise UsageError(
                    "exclude= of add() goes with judgments of the part; give it to the Evaluator."
                )
            if self._carry and not _is_empty(run):
                run = self._without_open_query(run)
            return self if run is None or _is_empty(run) else self._add_run(run)
        data = collection(
            EMPTY if _is_empty(judgments) else judgments,
            EmptyRun() if _is_empty(run) else run,
            **self._reading,
            columns=self._columns,
            exclude=self._excluded(exclude),
            mask=mask,
            qid=qid,
            group_sizes=group_sizes,
            judged_chunks=self._judged_chunks and not _is_empty(judgments),
            needs=self._request.needs,
        )
        numbered = isinstance(data, LabelledCollection) and qid is None
        if self._numbered not in (None, numbered):
            raise _mixed()
        self._numbered = numbered
        if isinstance(data, LabelledCollection) and numbered:
            first, n = self._count(), len(data.bounds) - 1
            data = replace(data, queries=list(range(first, first + n)))
        elif isinstance(data, MatchedCollection):
            data = replace(data, is_part=True, max_grade=self._max_grade)
        return self._add(data)

    def _excluded(self, exclude: Any) -> Judgments | None:
        """Return the pairs to remove from a part: those of the Evaluator, or its own."""
        if exclude is None:
            return self._exclude
        if self._exclude is not None:
            raise UsageError("exclude= is given to the Evaluator or to add(), not to both.")
        if _is_empty(exclude):
            return EMPTY
        return load_judgments(exclude, self._columns, graded=False)

    def _without_open_query(self, run: Any) -> Any:
        """Return a part without its last query, and with the one that was kept before."""
        closed, self._open = last_query_apart(joined(self._open, run), self._columns)
        return closed

    def _add_run(self, run: Any) -> Evaluator:
        data = collection(
            self._judgments, run, **self._reading, columns=self._columns, exclude=self._exclude
        )
        if not isinstance(data, MatchedCollection):
            raise UsageError(
                "labels and scores in arrays belong together: Evaluator(measures=measures)"
                ".add(scores, labels)."
            )
        return self._add(ChosenQueries(replace(data, is_part=True)))

    def _add(self, data: Collection) -> Evaluator:
        plan = self._plan_for(data.default)
        known = self._judgments is not None or (
            self._max_grade is not None and isinstance(data, MatchedCollection)
        )
        part = evaluate_part(plan, data, max_grade_known=known)
        if not self._added:
            self._name, self._sources = self._name or data.name, data.sources
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

    def _take(self, part: Evaluated) -> None:
        if self._per_query:
            queries = _queries(part)
            again = self._seen.intersection(queries)
            if again:
                raise _split(min(again, key=str), again=len(again))
            self._seen.update(queries)
        else:
            part = without_values(part)
        self._parts.append(part)
        if len(self._parts) == _MERGED_AT:
            self._parts = [merged(self._parts)]

    def merge(self, other: Evaluator | bytes) -> Evaluator:
        """Take over the parts of another evaluator, or of the state of one."""
        state = other.state() if isinstance(other, Evaluator) else other
        part, about = from_bytes(state)
        plan = self._request.plan(Conventions(**about["default"]))
        own = self._about(plan)
        for name in ("plan", "judgments", "per_query", "max_grade"):
            if own[name] != about[name]:
                raise DataError(
                    f"the other evaluator differs in its {_WORDS[name]}, so the two cannot be "
                    "merged. Make both with the same arguments."
                )
        if about["parts"]:
            self._plan_for(Conventions(**about["default"]))
            if self._numbered not in (None, about["numbered"]):
                raise _mixed()
            self._numbered = about["numbered"]
            if self._numbered:
                part = _renumbered(part, self._count())
            self._take(part)
            self._name = self._name or about["name"]
            self._added += about["parts"]
        return self

    def state(self) -> bytes:
        """Return all parts so far as bytes, for ``merge``; a query that is carried ends here."""
        self._close()
        plan = self._plan or self._request.plan(Conventions())
        part = merged(self._parts) if self._parts else Evaluated(Values([], {}, {}, {}), Tally())
        return to_bytes(part, self._about(plan))

    def _about(self, plan: Plan) -> dict[str, Any]:
        j = self._judgments
        judged = None if j is None else [len(j.queries), len(j), j.max_grade, float(j.grades.sum())]
        return {
            "plan": plan.fingerprint(),
            "default": plan.default.to_dict(),
            "judgments": judged,
            "per_query": self._per_query,
            "max_grade": self._max_grade,
            "numbered": self._numbered,
            "name": self._name,
            "parts": self._added,
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
            parts.append(self._missing_queries(plan, self._judgments))
        part = merged(parts)
        check_parts(part.tally, self._name or "run")
        self._columns.check_used()
        name = self._name or "run"
        if self._strict:
            refuse_warnings(name, notices_of(plan, part.tally))
        part = completed(plan, part)
        part = self._in_order(part) if self._per_query else without_values(part)
        return result_of(plan, part, name=name, sources=self._provenance())

    def _missing_queries(self, plan: Plan, judgments: Judgments) -> Evaluated:
        """Evaluate the judged queries that are in no part."""
        missing = np.array([query not in self._seen for query in judgments.queries], bool)
        run: Run = EmptyRun()
        if self._exclude is not None:
            run = ExcludingRun(run, self._exclude)
        whole = MatchedCollection(run, judgments, is_part=True)
        return evaluate_part(plan, ChosenQueries(whole, missing), max_grade_known=True)

    def _in_order(self, part: Evaluated) -> Evaluated:
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

    def _provenance(self) -> tuple[Source, Source]:
        if self._added == 1:
            return self._sources
        judgments = MEMORY if self._judgments is None else self._judgments.source
        return judgments, Source(f"{self._added} parts")


_WORDS = {
    "plan": "measures or conventions",
    "judgments": "judgments",
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


def _is_empty(data: Any) -> bool:
    """Return whether data are a dict or a table without rows, as a part may be."""
    return hasattr(data, "__len__") and not isinstance(data, str | Judgments) and not len(data)


def _queries(part: Evaluated) -> list[Any]:
    """Return the queries of a part, whether their values are known or deferred."""
    for ranking in part.rankings.values():
        if len(ranking.queries) > len(part.values.queries):
            return ranking.queries
    return part.values.queries


def _renumbered(part: Evaluated, first: int) -> Evaluated:
    """Return a part whose queries are numbers with those numbers moved up."""

    def moved(numbers: list[Any]) -> list[Any]:
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
