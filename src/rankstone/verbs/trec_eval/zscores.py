"""Deviations of values from means, for trec_eval's option -Z."""

from __future__ import annotations

from dataclasses import replace

from rankstone.errors import TrecEvalError
from rankstone.verbs.trec_eval.options import FILES
from rankstone.verbs.trec_eval.values import TrecEvalValues

#: What trec_eval prints for a value whose mean and deviation are not known.
_UNKNOWN = -1000000.0


def standardised(evaluated: TrecEvalValues, shown: list[int], path: str) -> TrecEvalValues:
    """Return deviations from the means in a file, in standard deviations."""
    known = _read(path)
    values = {}
    for label, column in evaluated.values.items():
        values[label] = column.copy()
        for i in shown:
            mean, deviation = known.get((evaluated.queries[i], label), (None, 0.0))
            if mean is not None and deviation:
                values[label][i] = (column[i] - mean) / deviation
            else:
                values[label][i] = 0.0 if column[i] == mean else _UNKNOWN
    return replace(evaluated, values=values)


def _read(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Read lines of query, measure, mean and standard deviation."""
    known = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            for number, text in enumerate(stream, 1):
                try:
                    query, label, mean, deviation = text.split()
                    known[query, label] = float(mean), float(deviation)
                except ValueError:
                    raise TrecEvalError(
                        FILES, f"{path}:{number}: expected query, measure, mean, deviation."
                    ) from None
    except OSError as error:
        raise TrecEvalError(FILES, f"{path}: {error.strerror}.") from None
    return known
