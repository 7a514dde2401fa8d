"""Rankstone as a provider of ir_measures: its own functions, answered here.

``install()`` puts Rankstone before the providers of ``ir_measures.calc_aggregate`` and the like;
what it does not have is left to them. ``uninstall()`` takes it out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures

import rankstone as rs
from rankstone.compat import ir_measures as face

_PROBE = {"q": {"d": 1}}, {"q": {"d": 1.0}}


class RankstoneProvider(ir_measures.Provider):
    """Gives Rankstone's numbers, like ir_measures', for the measures it has."""

    NAME = "rankstone"

    def supports(self, measure: Any) -> bool:
        """Whether Rankstone has a measure, with these parameters."""
        measure.validate_params()
        try:
            _face(measure).calc_aggregate(*_PROBE)
        except rs.UsageError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Evaluator:
        return _Evaluator(list(measures), qrels)


class _Evaluator(ir_measures.Evaluator):
    def __init__(self, measures: list[Any], qrels: Any) -> None:
        self._own = {_face(m): m for m in measures}
        self._face = face.Evaluator(self._own, qrels)
        super().__init__(measures, self._face.queries)

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        for metric in self._face.iter_calc(run):
            yield ir_measures.Metric(metric.query_id, self._own[metric.measure], metric.value)


def _face(measure: Any) -> face.Measure:
    return face.Measure(measure.NAME, measure.params)


_PROVIDER = ir_measures.providers.register(RankstoneProvider())


def install() -> None:
    """Let ``ir_measures.calc_aggregate``, ``calc`` and ``iter_calc`` ask Rankstone first."""
    uninstall()
    ir_measures.DefaultPipeline.providers.insert(0, _PROVIDER)


def uninstall() -> None:
    """Let ir_measures ask its own providers alone."""
    providers = ir_measures.DefaultPipeline.providers
    providers[:] = [p for p in providers if p is not _PROVIDER]
