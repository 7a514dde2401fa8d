"""The outcome of a comparison of runs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import Field, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rankstone.core.atomic import SAVED, check_own, write_text
from rankstone.core.provenance import software
from rankstone.core.shown import Shown, plain
from rankstone.errors import DataError, Notice, UsageError, did_you_mean, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.advice import TOO_FEW_CLUSTERS
from rankstone.stats.corrections import CORRECTION_NAMES, CORRECTIONS
from rankstone.stats.intervals import CHOSEN, INTERVALS
from rankstone.stats.repeats import VarianceParts
from rankstone.stats.tests import RANDOMIZED, TESTS
from rankstone.stats.values import QueryValues

if TYPE_CHECKING:
    from rankstone.page.plots import Picture
    from rankstone.stats.trusted import Trusted

SCHEMA = "rankstone/comparison/1"


class Moved(NamedTuple):
    """A query on which a run is much better or worse than the baseline."""

    query: Any
    baseline: float
    value: float
    difference: float


@frozen
class Missing:
    """Queries that a run did not answer, and what they do to the difference.

    ``difference`` is the part of the difference of means that comes from these queries, ``share``
    its size relative to both parts: ``|part| / (|part| + |rest|)``.
    """

    baseline: int
    run: int
    difference: float
    share: float


@frozen
class PairComparison(Shown):
    """A run against a baseline by one measure.

    ``n`` is the number of queries, ``clusters`` that of their clusters, if there are any, and
    ``effective_n`` that of queries that count alike and are independent. ``effect_size``
    is the mean difference in standard deviations of the differences, ``superiority`` the share of
    queries on which the run is better, ties counted half. ``detectable`` is the smallest true
    difference that these queries find with a chance of 80 %. ``resamples`` is None if nothing was
    drawn: the p-value is exact or comes from a formula. ``common`` is the same comparison over the
    queries that both answered, if some were not answered; ``variance`` says how much of the
    uncertainty comes from queries and from runs, if runs were repeated. NaN is a number that
    cannot be computed; ``warnings`` say why. ``group`` is that of the queries, None for all;
    ``trusted`` says what people and a model contributed, if both judged.
    """

    measure: str
    baseline: str
    run: str
    n: int
    baseline_mean: float
    mean: float
    difference: float
    ci_low: float
    ci_high: float
    confidence: float
    p_value: float
    p_adjusted: float
    test: str
    correction: str
    wins: int
    ties: int
    losses: int
    effect_size: float
    warnings: tuple[Notice, ...]
    effective_n: float
    superiority: float
    detectable: float
    interval: str
    resamples: int | None
    higher_is_better: bool
    incomplete: bool
    improved: tuple[Moved, ...]
    worsened: tuple[Moved, ...]
    missing: Missing | None = None
    variance: VarianceParts | None = None
    common: PairComparison | None = None
    clusters: int | None = None
    group: str | None = None
    trusted: Trusted | None = None

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is at most 1 - confidence; never if incomplete."""
        return not self.incomplete and self.p_adjusted <= 1.0 - self.confidence + 1e-12

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, ``undecided``, ``incomplete`` or ``untestable``.

        ``undecided`` means that the queries do not show which is better, not that both are equal.
        """
        if self.incomplete:
            return "incomplete"
        if math.isnan(self.p_value) or any(n.code == TOO_FEW_CLUSTERS for n in self.warnings):
            return "untestable"
        if not self.significant or self.difference == 0:
            return "undecided"
        return "better" if (self.difference > 0) == self.higher_is_better else "worse"

    @property
    def reversible(self) -> bool:
        """Whether grades of unjudged documents could reverse a verdict of better or worse."""
        decided = self.verdict in ("better", "worse")
        return decided and any(n.code == "holes" for n in self.warnings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; NaN is None."""
        return {**super().to_dict(), "verdict": self.verdict}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PairComparison:
        """Read what ``to_dict`` returned."""
        own = {f.name: data[f.name] for f in fields(cls)}
        for name in (f.name for f in fields(cls) if f.type == "float"):
            own[name] = math.nan if own[name] is None else float(own[name])
        own["warnings"] = tuple(_notice(n) for n in own["warnings"])
        for name in ("improved", "worsened"):
            own[name] = tuple(Moved(**moved) for moved in own[name])
        if own["missing"] is not None:
            own["missing"] = Missing(**own["missing"])
        if own["variance"] is not None:
            parts = own["variance"]
            several = (parts.get(k, ()) for k in ("by_system", "repeats", "by_chance"))
            own["variance"] = VarianceParts(parts["queries"], parts["n"], *map(tuple, several))
        if own["trusted"] is not None:
            from rankstone.stats.trusted import Trusted

            own["trusted"] = Trusted.from_dict(own["trusted"])
        if own["common"] is not None:
            own["common"] = cls.from_dict(own["common"])
        return cls(**own)


@frozen(eq=False)
class Comparison:
    """Runs compared with a baseline, or with each other, by some measures.

    ``comparison["dense", "nDCG@10"]`` is one pair; ``comparisons`` holds all. ``means`` are those
    of each run over its own queries. ``slices`` are the same comparisons in groups of queries, a
    family of their own. ``family`` is the number of comparisons that the correction
    is over. ``seed`` repeats every number.
    """

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    baseline: str | None
    comparisons: tuple[PairComparison, ...]
    means: Mapping[str, Mapping[str, float]]
    queries: int
    test: str
    correction: str
    family: int
    interval: str
    confidence: float
    resamples: int
    seed: int
    weighted: bool = False
    zeros: str | None = None
    notices: tuple[Notice, ...] = field(default=())
    slices: tuple[PairComparison, ...] = ()
    #: Versions of the software, and the command if there was one.
    provenance: Mapping[str, str] = field(default_factory=software)
    #: Values per query of each run, for pictures; they are not saved.
    values: Mapping[str, QueryValues] = field(default_factory=dict, metadata={"saved": False})

    def __getitem__(self, key: tuple[str, str] | tuple[str, str, str]) -> PairComparison:
        """Return one comparison: by run and measure, or by baseline, run and measure."""
        *names, measure = key
        for pair in self.comparisons:
            if pair.measure == measure and [pair.baseline, pair.run][-len(names) :] == names:
                return pair
        known = [name for pair in self.comparisons for name in (pair.run, pair.measure)]
        hint = "".join(did_you_mean(str(name), known) for name in key if name not in known)
        raise UsageError(
            f"{' and '.join(map(repr, names))} by {measure!r} was not compared.{hint} "
            f"Runs: {', '.join(self.runs)}. Measures: {', '.join(self.measures)}."
        )

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The notices on the whole comparison and on single pairs that are warnings."""
        notices = [*self.notices, *(n for pair in self.comparisons for n in pair.warnings)]
        return tuple(dict.fromkeys(n for n in notices if n.level == "warning"))

    def correction_in_words(self, noun: str = "") -> str:
        """Return in words how p-values account for the number of comparisons.

        Tukey's test does so for the pairs of one measure; several measures are left to Bonferroni.
        """
        pairs = len(self.comparisons) // max(len(self.measures), 1)
        measures = self.family // max(pairs, 1)
        over = plural(self.family, "comparison")
        if len(self.measures) > 1:
            of = tr("one measure") if measures == 1 else plural(measures, "measure")
            over = tr("{} of {}").format(over, of)
        if self.test != "tukey":
            return tr("{}{} over {}").format(tr(CORRECTION_NAMES[self.correction]), noun, over)
        text = tr("Tukey over {}").format(plural(pairs, "pair"))
        if measures < 2 or self.correction == "none":
            return text
        return tr("{}, Bonferroni over {}").format(text, plural(measures, "measure"))

    @property
    def slice_family(self) -> int:
        """Number of comparisons in groups that the correction is over."""
        pairs = len(self.comparisons) // max(len(self.measures), 1)
        families = len(self.measures) * pairs // max(self.family, 1)
        return len(self.slices) // max(families, 1)

    def method(self) -> str:
        """Return in one line how p-values and intervals were computed."""
        parts = [tr(TESTS[self.test])]
        if self.test in RANDOMIZED:
            drawn = [p.resamples for p in self.comparisons if p.resamples]
            drawing = tr("{} resamples, seed {}").format(self.resamples, self.seed)
            parts.append(drawing if drawn else tr("exact"))
        if self.zeros:
            parts.append(tr("zeros {}").format(self.zeros))
        if self.family > 1:
            parts.append(self.correction_in_words(tr(" correction")))
        level = tr("{:g} %").format(self.confidence * 100)
        kinds = [INTERVALS[self.interval]] * (self.test != "tukey")
        own = {pair.interval for pair in self.comparisons}
        kinds += [name for kind, name in CHOSEN.items() if kind in own]
        parts.append(tr("{} intervals: {}").format(level, tr(", ").join(map(tr, kinds))))
        if self.weighted:
            parts.append(tr("queries weighted"))
        return tr("; ").join(parts)

    def __repr__(self) -> str:
        against = tr("against {}").format(self.baseline) if self.baseline else tr("all pairs")
        pairs = (*self.comparisons, *self.slices)
        lines = [
            f"{p.measure} {p.run} - {p.baseline}{f' in {p.group}' if p.group else ''}: "
            f"{p.difference:+.4f} [{p.ci_low:+.4f}, {p.ci_high:+.4f}], p={p.p_adjusted:.4f}, "
            f"{p.verdict}"
            for p in pairs[:5]
        ]
        more = len(pairs) - len(lines)
        rest = [f"... and {more} more"] if more else []
        count = len(self.warnings)
        warned = f", {plural(count, 'warning')}" if count else ""
        return "\n".join([f"<Comparison {against} ({self.method()}{warned})>", *lines, *rest])

    def _repr_html_(self) -> str:
        """Show the comparison in a notebook."""
        from rankstone.text.notebook import of_comparison

        return of_comparison(self)

    def plot(
        self, name: str = "differences", run: str | None = None, measure: object = None
    ) -> Picture:
        """Return a picture of a run (default: the first that was compared) and its baseline.

        Args:
            name: ``differences`` per query, ``scatter`` or ``distribution``.
            run: a run that was compared.
            measure: default: the first.
        """
        from rankstone.page.plots import of_comparison

        return of_comparison(self, name, run, None if measure is None else str(measure))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparison):
            return False
        return self.to_dict() | {"provenance": None} == other.to_dict() | {"provenance": None}

    def __hash__(self) -> int:
        return hash((self.runs, self.measures, self.baseline, self.seed))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; NaN is None."""
        data = plain({f.name: getattr(self, f.name) for f in _saved_fields()})
        return {"schema": SCHEMA, **data, "method": self.method()}

    def to_json(self, indent: int | None = None) -> str:
        """Return everything as JSON; ``Comparison.from_json`` reads it back, bit for bit."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Comparison:
        """Read what ``to_json`` wrote."""
        try:
            data = json.loads(text)
            if data["schema"] != SCHEMA:
                raise ValueError(f"schema {data['schema']!r}, expected {SCHEMA!r}")
            return cls._from_dict(data)
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError
        ) as error:  # fmt: skip
            raise DataError(
                f"this is not a saved Rankstone comparison ({error}). "
                "Save one with Comparison.save or 'rankstone compare --format json'."
            ) from None

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Comparison:
        own = {f.name: data[f.name] for f in _saved_fields()}
        own["runs"], own["measures"] = tuple(own["runs"]), tuple(own["measures"])
        for name in ("comparisons", "slices"):
            own[name] = tuple(PairComparison.from_dict(p) for p in own[name])
        own["means"] = {
            run: {m: math.nan if v is None else float(v) for m, v in means.items()}
            for run, means in own["means"].items()
        }
        own["notices"] = tuple(_notice(n) for n in own["notices"])
        if own["correction"] not in (*CORRECTIONS, "tukey") or own["test"] not in TESTS:
            raise ValueError("unknown test or correction")
        return cls(**own)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the comparison to a file, whole or not at all.

        A file that rankstone did not save is replaced only with ``force``.
        """
        check_own(path, SAVED, force=force)
        write_text(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Comparison:
        """Read a comparison that ``save`` wrote."""
        try:
            with open(path, "rb") as stream:
                return cls.from_json(stream.read())
        except OSError as error:
            raise DataError(f"{os.fspath(path)}: {error.strerror}.") from None


def _saved_fields() -> list[Field[Any]]:
    return [f for f in fields(Comparison) if f.metadata.get("saved", True)]


def _notice(data: Mapping[str, Any]) -> Notice:
    return Notice(data["code"], data["count"], data["text"], tuple(data["examples"]), data["level"])


def with_holes(comparison: Comparison, values: Iterable[QueryValues]) -> Comparison:
    """Return the comparison with a notice on each pair whose unjudged intervals are known."""
    known = {run.name: run.unjudged for run in values if run.unjudged}
    if not known:
        return comparison
    pairs = tuple(
        replace(pair, warnings=(*pair.warnings, _holes_notice(pair, ends)))
        if (ends := difference_interval(pair, known)) is not None
        else pair
        for pair in comparison.comparisons
    )
    return replace(comparison, comparisons=pairs)


def difference_interval(
    pair: PairComparison, known: Mapping[str, Mapping[str, tuple[float, float]]]
) -> tuple[float, float] | None:
    """Return between which values the difference lies, whatever the grades of unjudged documents.

    It is a bound: a document that both runs retrieved counts against each of them.
    """
    run, baseline = (known.get(name, {}).get(pair.measure) for name in (pair.run, pair.baseline))
    if run is None or baseline is None:
        return None
    return run[0] - baseline[1], run[1] - baseline[0]


def _holes_notice(pair: PairComparison, ends: tuple[float, float]) -> Notice:
    low, high = ends
    if math.isinf(low) or math.isinf(high):
        span = tr("may be anything")
    else:
        span = tr("is from {:+.3f} to {:+.3f}").format(low, high)
    if low * high > 0:  # both ends on one side of 0
        text = tr(
            "unjudged documents cannot reverse it: whatever their grades, the difference {}"
        ).format(span)
        return Notice("survives-holes", 1, text, level="note")
    text = tr(
        "unjudged documents could reverse it: whatever their grades, the difference {}"
    ).format(span)
    # What is undecided cannot be reversed.
    level = "warning" if pair.verdict in ("better", "worse") else "note"
    return Notice("holes", 1, text, level=level)
