"""The result of an evaluation inside Spark, and errors of its tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankstone import errors
from rankstone.core.ids import sort_key
from rankstone.core.result import Result
from rankstone.frozen import frozen
from rankstone.measures.compute import Values
from rankstone.verbs.parts import Origin, Part, Plan

if TYPE_CHECKING:
    from rankstone.spark.job import Job

T = TypeVar("T")


@frozen(eq=False)
class SparkEvaluation:
    """An evaluation whose values of queries stay in Spark.

    ``summary`` is a Result without values of queries: aggregates, notices, conventions.
    """

    summary: Result
    _plan: Plan = field(repr=False)
    _part: Part = field(repr=False)
    _job: Job = field(repr=False)
    _rows: Any = field(repr=False)

    def __getitem__(self, measure: object) -> float:
        """Return the aggregate of a measure."""
        return self.summary[measure]

    @property
    def per_query(self) -> Any:
        """The values of queries as a Spark DataFrame: query, then a column for each measure."""
        now, names = self._job.columns, self._plan.names
        columns = [f"c{i}" for i in range(len(now))]
        frame = self._rows.where("state IS NULL").select("query", *columns).toDF("query", *now)
        if len(now) == len(names):
            return frame
        # Measures over all queries were computed here, from the judged documents.
        values = self._plan.completed(self._part).values
        late = [name for name in names if name not in now]
        rows = zip(values.queries, *(values.columns[n].tolist() for n in late), strict=True)
        kind = frame.schema["query"].dataType.simpleString()
        schema = ", ".join([f"query {kind}", *(f"`{n}` double" for n in late)])
        more = frame.sparkSession.createDataFrame(list(rows), schema)
        joined = more.join(frame, "query", "left") if now else more
        return joined.select("query", *(f"`{n}`" for n in names))

    def collect(self) -> Result:
        """Return an ordinary Result, with the values of all queries on the driver."""
        now = self._job.columns
        columns = _collected(self._rows.where("state IS NULL").drop("state"))
        queries = columns["query"]
        order = sorted(range(len(queries)), key=sort_key(queries).__getitem__)

        def floats(name: str) -> np.ndarray:
            return np.array(columns[name], np.float64)[order]

        values = Values(
            [queries[i] for i in order],
            {n: floats(f"c{i}") for i, n in enumerate(now)},
            {n: floats(f"w{i}") for i, n in enumerate(now) if n in self._job.weighted},
            self._part.values.aggregates,
        )
        unanswered = [queries[i] for i in order if not columns["answered"][i]]
        part = self._plan.completed(replace(self._part, values=values, unanswered=unanswered))
        made = self.summary.provenance
        origin = Origin(self.summary.name, (made.judgments, made.run), self.summary.changes)
        return self._plan.result(part, origin)

    def unpersist(self) -> None:
        """Let Spark forget the values of queries."""
        self._rows.unpersist()


def _collected(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a DataFrame as lists."""
    if hasattr(frame, "toArrow"):
        columns: dict[str, list[Any]] = frame.toArrow().to_pydict()
        return columns
    rows = frame.collect()
    return {name: [row[name] for row in rows] for name in frame.columns}


_RAISED = re.compile(r"^rankstone\.errors\.(\w+): (.*)$", re.MULTILINE)


def with_errors(action: Callable[[], T]) -> T:
    """Return the result of an action; an error that a worker raised is raised here as it was."""
    try:
        return action()
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        raised = _RAISED.search(str(error))
        if raised is not None:
            raise getattr(errors, raised[1])(raised[2].strip()) from None
        if "No module named 'rankstone'" in str(error):
            raise errors.MissingDependencyError(
                "Spark's executors cannot import rankstone. Install its wheel on every node, or "
                "ship it with spark.archives (docs/spark.md shows how)."
            ) from None
        raise
