"""The verb ``tune``: choices of a fusion that are made on some queries, and their gain on others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from rankstone.choices.changes import Changes
from rankstone.choices.fusion import Fusion
from rankstone.choices.setup import Setup, verb
from rankstone.core.run import Run
from rankstone.errors import UsageError, one_of
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.formats import named_runs
from rankstone.io.load import collection, load_judgments
from rankstone.io.parents import judged_documents
from rankstone.language import tr
from rankstone.measures import Measure
from rankstone.measures.parse import parse_measure
from rankstone.stats.clusters import Clusters
from rankstone.stats.tuning import chosen_before, folds_of
from rankstone.stats.values import QueryValues
from rankstone.verbs.compare import RunValues, with_groups
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.fuse import fused_run, read_runs
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import TuneOptions
    from rankstone.core.result import Result
    from rankstone.stats.comparison import PairComparison

_KS = (1, 2, 5, 10, 20, 40, 60, 100, 200, 500)
_OF_GAIN = attrgetter("baseline_mean", "difference", "confidence", "ci_low", "ci_high")
_STEPS = {2: 10, 3: 6, 4: 4}  # of the weight of a run from 0 to 1, by the number of runs


@frozen(eq=False)
class Tuning:
    """A tuned fusion, and what tuning gains on queries that it was not tuned on.

    ``best`` is chosen on all queries, ``folds`` on those of the folds before each fold but the first.
    ``gain`` compares the values of the latter, each on its own fold, with those of the ``untuned``
    fusion, and ``gain_over_run`` with those of the best single run, chosen in the same way. ``same_queries`` is the
    gain over the untuned fusion if tuning and reporting are on the same queries, which is too high.
    """

    measure: str
    best: Fusion
    untuned: Fusion
    folds: tuple[Fusion, ...]
    gain: PairComparison
    gain_over_run: PairComparison
    same_queries: float

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name} {n}x" for name, n in Counter(map(repr, self.folds)).items())
        gains = [
            tr("gain over {} ({:.4f}): {:+.4f}, {:.0%} interval {:+.4f} to {:+.4f}").format(
                what, *_OF_GAIN(gain)
            )
            for what, gain in ((self.untuned, self.gain), (tr("the best run"), self.gain_over_run))
        ]
        return tr(
            "best on all queries: {}\nchosen for {} folds: {}\n{} on queries that were not tuned "
            "on: {:.4f}\n{}\ntuned and reported on the same queries it would be {:+.4f}"
        ).format(
            self.best,
            len(self.folds),
            chosen,
            self.measure,
            self.gain.mean,
            "\n".join(gains),
            self.same_queries,
        )


@verb("tune")
def tune(
    runs: Any,
    judgments: Any,
    measure: str | Measure,
    *,
    search: Mapping[str, Sequence[Any]] | None = None,
    folds: int = 5,
    **options: Unpack[TuneOptions],
) -> Tuning:
    """Search choices of a fusion on some queries, and report their gain on the others.

    Queries are dealt into folds, those of a cluster into the same one. For each fold but the first the
    choice with the highest mean over the folds before it is taken, and evaluated on the fold.

    Args:
        runs: two or more runs: a list, or a dict by name.
        judgments: whatever ``evaluate`` takes.
        measure: what to maximise (or minimise, if lower is better).
        search: values to try by name of a choice, such as ``{"k": [10, 60]}`` (default: values of k
            for rrf, else weights of the runs).
        folds: number of parts that the queries are dealt into.
        options: see below.

    >>> judgments = {f"q{i}": ["a"] for i in range(40)}
    >>> good = {q: {"a": 2, "b": 1} for q in judgments}
    >>> bad = {q: {"b": 9, "c": 5, "a": 4} for q in judgments}
    >>> tune([good, bad], judgments, "RR", method="wsum").gain.difference
    0.5
    """
    setup = prepared(Setup.of("tune", options))
    if folds < 2:
        raise UsageError(f"tuning needs at least 2 folds, not {folds}.")
    request = Request.of([measure], setup)
    runs = dict(named_runs(runs, nameless=True))
    fusions = _candidates(setup.fusion, search, len(runs))
    loaded, documents = read_runs(runs, fusions[0], setup)
    judged = judged_documents(load_judgments(judgments, setup), setup.changes)
    plain = replace(setup, changes=Changes())  # the runs are changed already

    def evaluated(run: Run) -> Result:
        return evaluate_collection(collection(judged, run, plain), request)

    fused = (fused_run(loaded, documents, fusion) for fusion in fusions)
    results = [evaluated(run) for run in (*loaded.values(), *fused)]
    name, queries = results[0].measures[0], results[0].queries
    sign = 1.0 if parse_measure(name).definition.higher_is_better else -1.0
    setup = with_groups(setup, judgments, queries)
    source = setup.statistics.clusters
    clusters = np.arange(len(queries)) if source is None else Clusters.of(queries, source).codes
    n = int(clusters.max()) + 1
    if folds > n:
        raise UsageError(f"{folds} folds need as many queries or clusters, not {n}.")
    fold = folds_of(clusters, folds, np.random.default_rng(setup.statistics.rng))
    values = sign * np.array([result.columns[name] for result in results])
    alone, values = values[: len(loaded)], values[len(loaded) :]
    chosen, tuned = chosen_before(values, fold)
    _, best_run = chosen_before(alone, fold)
    means = np.nanmean(values, axis=1)
    best = int(np.argmax(means))
    later = [query for query, place in zip(queries, fold.tolist(), strict=True) if place]

    def gain(over: np.ndarray) -> PairComparison:
        named = {"base": over, "tuned": tuned}
        pair = [QueryValues(n, later, {name: sign * v}) for n, v in named.items()]
        return RunValues(pair, [name], (), setup).compared().comparisons[0]

    return Tuning(
        name,
        fusions[best],
        fusions[0],
        tuple(fusions[c] for c in chosen.tolist()),
        gain(values[0, fold > 0]),
        gain(best_run),
        float(sign * (means[best] - means[0])),
    )


def _candidates(
    given: Mapping[str, Any], search: Mapping[str, Sequence[Any]] | None, runs: int
) -> list[Fusion]:
    """Return the fusions to try, the untuned one first."""
    method = given.get("method", "rrf")
    if search is None:
        search = {"k": _KS} if method == "rrf" else {"weights": _weights(runs)}
    for name in search:
        one_of(name, [n for n in Fusion.names() if n != "queries"], "choice to search")
    equal = {"weights": [1 / runs] * runs} if method == "wsum" else {}
    tried = (dict(zip(search, made, strict=True)) for made in product(*search.values()))
    fusions = [Fusion(**{**equal, **given}), *(Fusion(**{**given, **choices}) for choices in tried)]
    return list({repr(fusion): fusion for fusion in fusions}.values())


def _weights(runs: int) -> list[list[float]]:
    """Return weights of runs that add up to 1, in equal steps."""
    steps = _STEPS.get(runs, 3)
    shares = product(range(steps + 1), repeat=runs - 1)
    return [[s / steps for s in (*own, steps - sum(own))] for own in shares if sum(own) <= steps]
