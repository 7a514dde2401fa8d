"""Measures in training loops, with the values that ``evaluate`` gives for the same scores.

Each function takes measures and the options of ``evaluate``, for example ``like="lightgbm"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.setup import Setup
from rankstone.core.as_numpy import all_finite, array_of
from rankstone.core.collection import LabelledCollection
from rankstone.core.engine import load_engine
from rankstone.core.result import Result
from rankstone.errors import UsageError, require
from rankstone.io.changes import prepared
from rankstone.io.load import collection
from rankstone.measures import Measure
from rankstone.measures.compute import compute_each, final_values
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.parts import Request

Measures = str | Measure | Iterable[str | Measure]


class _Measured:
    """Measures of labels and scores, prepared once for all rounds."""

    def __init__(self, measures: Measures, options: dict[str, Any]) -> None:
        self._setup = prepared(Setup.of("evaluate", options))
        self._request = Request.of(measures, self._setup)
        load_engine()
        self.names = [r.column for r in self._request.measures]
        self.higher = [r.measure.definition.higher_is_better for r in self._request.measures]
        self._seen: list[tuple[np.ndarray, Any, LabelledCollection]] = []

    def numbers(self, labels: Any, scores: Any, sizes: Any) -> Mapping[str, float]:
        """Return the aggregates of ``result``.

        Labels that were seen before are not read and checked again, and notices were given then.
        """
        labels, scores = array_of(labels, "labels"), array_of(scores, "scores").astype(np.float64)
        is_plain = scores.shape == labels.shape and all_finite(scores)
        for own, own_sizes, known in self._seen if is_plain else ():
            if np.array_equal(own, labels) and np.array_equal(own_sizes, sizes):
                steps = self._request.plan(known.default).steps
                values = compute_each(known.with_scores(scores), steps)
                return final_values({name: m for name, m, _ in steps}, values.aggregates)
        setup = self._setup.replace(group_sizes=sizes) if sizes is not None else self._setup
        data = collection(labels, scores, setup, needs=self._request.needs)
        can_keep = is_plain and not (setup.evaluation.strict or setup.changes.given())
        if can_keep and isinstance(data, LabelledCollection) and data.matches is None:
            self._seen = [(labels.copy(), sizes, data), *self._seen[:3]]
        return evaluate_collection(data, replace(self._request, setup=setup)).aggregates

    def result(self, labels: Any, scores: Any, **groups: Any) -> Result:
        """Evaluate scores as ``evaluate`` does."""
        setup = self._setup.replace(**{k: v for k, v in groups.items() if v is not None})
        data = collection(labels, scores, setup, needs=self._request.needs)
        return evaluate_collection(data, replace(self._request, setup=setup))

    def one(self, tool: str) -> tuple[str, bool]:
        """Return the name and the direction of the only measure."""
        if len(self.names) != 1:
            raise UsageError(f"training.{tool} takes one measure; make a function for each.")
        return self.names[0], self.higher[0]


def lightgbm(measures: Measures, **options: Any) -> Callable[..., Any]:
    """Return an evaluation function of LightGBM.

    It is ``feval`` of ``lightgbm.train`` and ``eval_metric`` of ``LGBMRanker.fit``, and tells name
    and direction, so early stopping needs nothing else.
    """
    measured = _Measured(measures, options)

    def evaluated(first: Any, second: Any, _weight: Any = None, group: Any = None) -> Any:
        if hasattr(
            second, "get_label"
        ):  # scores and a Dataset; else labels, scores, weights, groups
            labels, scores, group = second.get_label(), first, second.get_group()
        else:
            labels, scores = first, second
        values = measured.numbers(labels, scores, group)
        found = [(n, values[n], h) for n, h in zip(measured.names, measured.higher, strict=True)]
        return found[0] if len(found) == 1 else found

    return evaluated


def xgboost(measure: str | Measure, **options: Any) -> Callable[[Any, Any], tuple[str, float]]:
    """Return a ``custom_metric`` of ``xgboost.train``.

    XGBoost guesses the direction from a name; its attribute ``maximize`` says it:
    ``EarlyStopping(10, maximize=metric.maximize)``.
    """
    measured = _Measured(measure, options)
    name, higher = measured.one("xgboost")

    def evaluated(scores: Any, data: Any) -> tuple[str, float]:
        sizes = np.diff(data.get_uint_info("group_ptr").astype(np.int64))
        return name, measured.numbers(data.get_label(), scores, sizes if len(sizes) else None)[name]

    evaluated.maximize = higher  # type: ignore[attr-defined]
    return evaluated


def catboost(measure: str | Measure, *pools: Any, **options: Any) -> Any:
    """Return an ``eval_metric`` of CatBoost.

    CatBoost tells a metric labels and scores but not which rows are a query, so give the pools of
    training and evaluation; a data set is recognised by its labels.
    """
    measured = _Measured(measure, options)
    name, higher = measured.one("catboost")
    known = [(np.asarray(p.get_label(), np.float64), _runs(p.get_group_id_hash())) for p in pools]

    class Metric:
        """The interface of CatBoost's custom metrics."""

        def is_max_optimal(self) -> bool:
            return higher

        def get_final_error(self, error: float, weight: float) -> float:
            return error / weight

        def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
            labels = np.asarray(target, np.float64)
            for own, sizes in known:
                if np.array_equal(own, labels):
                    return measured.numbers(labels, np.asarray(approxes[0]), sizes)[name], 1.0
            raise UsageError(
                f"{len(labels)} rows that are those of no pool: give training.catboost(measure, train, "
                "valid) each pool that is evaluated."
            )

    Metric.__name__ = name
    return Metric()


def _runs(ids: Any) -> np.ndarray:
    """Return how many equal ids follow each other."""
    starts = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))
    return np.diff(np.append(starts, len(ids)))


def sklearn(measure: str | Measure, **options: Any) -> Any:
    """Return a scorer of scikit-learn, for ``cross_val_score`` and ``GridSearchCV``.

    The query of each row is the metadata ``qid``: ``cross_val_score(..., params={"qid": qid})``.
    Metadata routing must be on: ``sklearn.set_config(enable_metadata_routing=True)``.
    """
    require("sklearn", "training.sklearn needs scikit-learn: pip install scikit-learn.")
    from sklearn import get_config  # type: ignore[import-untyped]
    from sklearn.metrics import make_scorer  # type: ignore[import-untyped]

    if not get_config()["enable_metadata_routing"]:
        raise UsageError(
            "the scorer needs to be told the query of each row. Turn this on first: "
            "sklearn.set_config(enable_metadata_routing=True)."
        )
    measured = _Measured(measure, options)
    name, higher = measured.one("sklearn")

    def score(labels: Any, scores: Any, qid: Any) -> float:
        return measured.result(labels, np.asarray(scores, np.float64), qid=qid).aggregates[name]

    return make_scorer(score, greater_is_better=higher).set_score_request(qid=True)


class Accumulator:
    """Measures over the batches of an epoch, with torchmetrics' methods.

    Args:
        measures: names or measures.
        options: those of ``evaluate``.

    >>> metric = Accumulator(["RR"])
    >>> metric.update([0.1, 0.9, 0.3], [1, 0, 0], indexes=[4, 4, 9])
    >>> metric.update([0.7, 0.2], [1, 0], indexes=[9, 4])
    >>> metric.compute()
    {'RR': 0.6666666666666666}

    In Lightning, on any number of processes::

        def on_validation_epoch_start(self):
            self.metric = rs.training.Accumulator(["nDCG@10", "RR"])

        def validation_step(self, batch, _):
            self.metric.update(self(batch.features), batch.labels, indexes=batch.users)

        def on_validation_epoch_end(self):
            states = [self.metric.state()] * self.trainer.world_size
            if len(states) > 1:
                torch.distributed.all_gather_object(states, self.metric.state())
            self.metric.reset()
            self.metric.merge(*states)
            self.log_dict(self.metric.result().flat("valid/"))
    """

    def __init__(self, measures: Measures, **options: Any) -> None:
        self._measured = _Measured(measures, options)
        self._batches: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def update(self, preds: Any, target: Any, indexes: Any = None) -> None:
        """Add a batch: scores, labels, and the query of each item.

        Without ``indexes`` each row of a table is a query. A query may be in several batches.
        """
        scores, labels = array_of(preds, "preds"), array_of(target, "target")
        if indexes is None:
            if scores.ndim != 2:
                raise UsageError(
                    "give indexes=, the query of each item, or tables with a row for each."
                )
            first = 1 + max((int(q.max()) for *_, q in self._batches if len(q)), default=-1)
            indexes = np.repeat(np.arange(first, first + len(scores)), scores.shape[1])
        queries = array_of(indexes, "indexes").reshape(-1).astype(np.int64)
        self._batches.append((labels.reshape(-1), scores.reshape(-1), queries))

    def compute(self) -> dict[str, float]:
        """Return the value of each measure over all batches, as ``evaluate`` would."""
        return dict(self.result().aggregates)

    def result(self) -> Result:
        """Return the whole result."""
        if not self._batches:
            raise UsageError("no batch has been added: call update(preds, target) first.")
        labels, scores, queries = map(np.concatenate, zip(*self._batches, strict=True))
        return self._measured.result(labels, scores, qid=queries)

    def reset(self) -> None:
        """Forget all batches."""
        self._batches.clear()

    def state(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Return the batches, for ``merge`` in another process."""
        return list(self._batches)

    def merge(self, *others: Any, renumber: bool = False) -> None:
        """Add the batches of other accumulators or their states, as ``all_gather_object`` brings them.

        With ``renumber`` queries of the same number are not the same: rows of tables that each process
        has counted for itself.
        """
        for other in others:
            first = 1 + max((int(q.max()) for *_, q in self._batches if len(q)), default=-1)
            batches = other.state() if isinstance(other, Accumulator) else other
            self._batches += [(a, b, q + first if renumber else q) for a, b, q in batches]
