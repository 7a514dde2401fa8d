"""The outcome of each rule for a candidate, and whether it could have been different."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankstone.choices.statistics import Statistics
from rankstone.core.result import Result
from rankstone.errors import DataError, UsageError, did_you_mean, plural
from rankstone.frozen import frozen
from rankstone.language import tr
from rankstone.stats.clusters import FEW_UNITS
from rankstone.stats.compare import compare
from rankstone.stats.comparison import PairComparison
from rankstone.stats.power import detectable_difference, queries_needed
from rankstone.stats.values import QueryValues
from rankstone.verbs.compare import read_values
from rankstone.verbs.gate.rules import RELATIVE, ROUNDING, Limit, MustFind, Needs, Rules
from rankstone.verbs.gate.verdict import CANNOT_TELL, FAIL, PASS, WARN, Check, Verdict

_WORST = 5  # queries listed that lost most
_EXAMPLES = 3
#: Notices on what queries belong together.
_OF_CLUSTERS = ("clusters", "clustered", "unknown-clusters")
_MOST_QUERIES = 1_000_000
#: Notices on what people and a model contributed to a difference.
OF_PEOPLE = ("trusted", "too-few-trusted", "judge-favours-run")


@frozen
class Gain:
    """A difference in the direction of the measure: above 0 is better, whatever the measure."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, pair: PairComparison) -> Gain:
        """Turn a difference round if a smaller value is better."""
        if pair.higher_is_better:
            return cls(pair.difference, pair.ci_low, pair.ci_high)
        return cls(-pair.difference, -pair.ci_high, -pair.ci_low)


def drop_status(kind: str, limit: float, gain: Gain, detectable: float) -> str:
    """Return the status of a limit of a drop, given a difference.

    ``max-drop`` fails if the drop of the mean is larger than the limit. ``non-inferior`` passes
    only if the interval shows that the drop is not larger. Either cannot tell if the queries would
    not have found a drop of the size of the limit with a chance of 80 %, unless the interval shows
    that there is none, or (``non-inferior``) that the candidate is worse.
    """
    if gain.low >= -limit - ROUNDING:
        return PASS
    is_blind = not detectable <= limit
    if kind == "max-drop":
        if gain.value < -limit - ROUNDING:
            return FAIL
        return CANNOT_TELL if is_blind else PASS
    return CANNOT_TELL if is_blind and not gain.high < 0 else FAIL


def drop_check(limit: Limit, pair: PairComparison, lost: Sequence[Any]) -> Check:
    """Check a limit of a drop; ``drop_status`` has the rule.

    Args:
        limit: the rule.
        pair: candidate against baseline.
        lost: queries with a value of the baseline and none of the candidate.
    """
    if lost:
        text = tr(
            "{} has no value of the candidate for {} that the baseline has one for ({}), so "
            "the means are of different queries"
        ).format(pair.measure, plural(len(lost), "query"), _some(lost))
        return _of_pair(limit, pair, FAIL, text)
    gain, text = Gain.of(pair), _moved(pair)
    status = drop_status(limit.kind, limit.value, gain, pair.detectable)
    if status == CANNOT_TELL:
        text += tr("; ") + _sight(limit, pair)
    elif status == FAIL and limit.kind == "max-drop":
        text += tr("; at most {:g} is allowed{}").format(limit.value, _noise(gain, pair))
    elif status == FAIL:
        text += tr(
            "; with {} confidence it may be worse by {:.4f}, and at most {:g} is allowed"
        ).format(_level(pair), -gain.low, limit.value)
    return _of_pair(limit, pair, status, text)


def gain_check(limit: Limit, pair: PairComparison) -> Check:
    """Warn of a gain that is too good to be true."""
    if Gain.of(pair).value <= limit.value + ROUNDING:
        return _of_pair(limit, pair, PASS, _moved(pair))
    text = tr(
        "{}, more than {:g}: too good to be true? Look for judged documents in the "
        "training data, changed judgments, or a broken baseline"
    ).format(_moved(pair), limit.value)
    return _of_pair(limit, pair, WARN, text)


def slice_check(limit: Limit, pair: PairComparison, smallest: int) -> Check:
    """Check a drop within a slice of the queries.

    It fails if the drop is larger than the limit and the interval, which is corrected for the
    number of slices, shows that it is not noise. A slice that is too small does not decide.
    """
    gain = Gain.of(pair)
    text = tr("{} in slice {}").format(_moved(pair), quoted(pair.group))
    if pair.n < smallest:
        check = _of_pair(limit, pair, PASS, tr("{}; too small to decide").format(text))
        return replace(check, decides=False)
    if gain.value < -limit.value - ROUNDING and gain.high < 0:
        return _of_pair(
            limit, pair, FAIL, tr("{}; at most {:g} is allowed").format(text, limit.value)
        )
    if math.isnan(pair.detectable):
        text += tr("; {} can show no drop").format(plural(pair.n, "query"))
    elif not pair.detectable <= limit.value:
        text += tr("; {} can only show a drop of {:.3f} or more").format(
            plural(pair.n, "query"), pair.detectable
        )
    return _of_pair(limit, pair, PASS, text)


def mean_check(limit: Limit, measure: str, value: float, n: int) -> Check:
    """Check the candidate's mean."""
    rule = str(limit)
    if math.isnan(value):
        text = tr("{} of the candidate is undefined for every query").format(measure)
        return Check(rule, FAIL, text, measure=measure, n=n)
    is_outside, words = _outside(limit, value)
    text = tr("{} is {:.4f}, {} {:g}").format(measure, value, words, limit.value)
    return Check(rule, FAIL if is_outside else PASS, text, measure=measure, n=n, candidate=value)


def _outside(limit: Limit, value: float) -> tuple[bool, str]:
    """Return whether a value is beyond its bound, and the words for where it is."""
    if limit.kind == "max":
        is_outside = value - limit.value > ROUNDING
        return is_outside, tr("above") if is_outside else tr("at most")
    is_outside = limit.value - value > ROUNDING
    return is_outside, tr("below") if is_outside else tr("at least")


def queries_check(rules: Rules, answered: int) -> Iterator[Check]:
    """Check the number of queries that decide."""
    if rules.min_queries is None:
        return
    text = tr("the candidate answers {}").format(plural(answered, "query"))
    few = answered < rules.min_queries
    text += tr(", and at least {} are needed").format(rules.min_queries) if few else ""
    yield Check(f"min-queries {rules.min_queries}", FAIL if few else PASS, text, n=answered)


def answers_check(answered: int, lost: Sequence[Any], *, left_out: bool) -> Check:
    """Check that the candidate answers queries, including all that the baseline answers.

    Args:
        answered: number of queries that the candidate answers.
        lost: queries that the baseline answers and the candidate does not.
        left_out: the conventions leave unanswered queries out of means.
    """
    if not answered:
        return Check("answers", FAIL, tr("the candidate is empty: it answers no judged query"), n=0)
    if not lost:
        text = tr("the candidate answers {}").format(plural(answered, "query"))
        return Check("answers", PASS, text, n=answered)
    effect = tr("are left out of its means") if left_out else tr("count as 0")
    text = tr("the candidate does not answer {} that the baseline answers ({}); they {}").format(
        plural(len(lost), "query"), _some(lost), effect
    )
    return Check("answers", FAIL if left_out else WARN, text, n=answered)


def document_check(rule: MustFind, ranks: Mapping[MustFind, int | None]) -> Check:
    """Check the rank of a document that must, or must not, be among the first ones."""
    what = tr("{} of query {}").format(quoted(rule.document), quoted(rule.query))
    rank = ranks.get(rule)
    wanted = rule.kind == "must-find"
    if not wanted and rule not in ranks:
        text = tr("the candidate does not answer query {}, so nothing was checked").format(
            quoted(rule.query)
        )
        return Check(str(rule), WARN, text)
    if rank is None:
        return Check(str(rule), FAIL if wanted else PASS, tr("{} was not retrieved").format(what))
    inside = rank <= rule.cutoff
    text = tr("{} is at rank {}").format(what, rank)
    if inside != wanted:
        text += (tr(", not among the first {}") if wanted else tr(", among the first {}")).format(
            rule.cutoff
        )
    return Check(str(rule), PASS if inside == wanted else FAIL, text)


def quoted(name: Any) -> str:
    """Return an id, in quotes if it could be taken for something else.

    >>> quoted("q17"), quoted("::error::x y")
    ('q17', "'::error::x y'")
    """
    text = str(name)
    return text if re.fullmatch(r"[\w./-]+", text) else repr(text)


def _some(queries: Sequence[Any]) -> str:
    return ", ".join(map(quoted, queries[:_EXAMPLES])) + ", ..." * (len(queries) > _EXAMPLES)


def _moved(pair: PairComparison) -> str:
    gain = Gain.of(pair).value
    if gain == 0:
        return tr("{} is as before ({:.4f})").format(pair.measure, pair.mean)
    lower = "" if pair.higher_is_better else tr("; lower is better")
    better, worse = (
        tr("{} is better by {:.4f} ({:.4f} to {:.4f}{})"),
        tr("{} is worse by {:.4f} ({:.4f} to {:.4f}{})"),
    )
    return (better if gain > 0 else worse).format(
        pair.measure, abs(gain), pair.baseline_mean, pair.mean, lower
    )


def _noise(gain: Gain, pair: PairComparison) -> str:
    """Return a remark on a drop that may be noise, empty if it is not."""
    if gain.high < 0:
        return ""
    if math.isnan(gain.high):
        return tr(", and {} do not show whether it is noise").format(plural(pair.n, "query"))
    return tr(
        ", but it may be noise ({} interval {:+.4f} to {:+.4f}); non-inferior allows for that"
    ).format(_level(pair), pair.ci_low, pair.ci_high)


def _sight(limit: Limit, pair: PairComparison) -> str:
    """Return the smallest drop that the queries can show, and the number of queries for the limit."""
    if _few_clusters(pair):
        return tr(
            "{} in {} cannot show whether that is noise; it takes {} clusters or more"
        ).format(plural(pair.n, "query"), plural(pair.clusters or 0, "cluster"), FEW_UNITS)
    if math.isnan(pair.detectable):
        return tr("{} cannot show whether that is noise").format(plural(pair.n, "query"))
    text = tr("{} can only show a drop of {:.3f} or more, and more than {:g} is forbidden").format(
        plural(pair.n, "query"), pair.detectable, limit.value
    )
    if limit.value > 0:
        alpha, units = 1.0 - pair.confidence, pair.clusters or pair.n
        needed: float
        if pair.ties == pair.n:  # what was not seen among n queries may be 3.7 of them
            text = tr("no query changed, and {}").format(text)
            needed = math.ceil(units * pair.detectable / limit.value)
        else:
            sd = pair.detectable / detectable_difference(units, 1.0, alpha=alpha)
            needed = queries_needed(limit.value, sd, alpha=alpha)
        many = (
            f"{needed:,}" if needed <= _MOST_QUERIES else tr("more than {:,}").format(_MOST_QUERIES)
        )
        if pair.clusters is None:
            return text + tr(", for which it takes about {} queries").format(many)
        text += tr(", for which it takes about {} clusters of {:.0f} queries").format(
            many, pair.n / units
        )
    return text


def _few_clusters(pair: PairComparison) -> bool:
    """Return whether clusters are too few to show how they vary."""
    return pair.clusters is not None and pair.clusters < FEW_UNITS


def _level(pair: PairComparison) -> str:
    return tr("{:g} %").format(pair.confidence * 100)


def _of_pair(limit: Limit, pair: PairComparison, status: str, text: str) -> Check:
    return Check(
        rule=str(limit),
        status=status,
        text=text,
        slice=pair.group,
        measure=pair.measure,
        n=pair.n,
        baseline=pair.baseline_mean,
        candidate=pair.mean,
        difference=pair.difference,
        low=pair.ci_low,
        high=pair.ci_high,
        detectable=pair.detectable,
    )


@frozen(eq=False)
class Values:
    """Values per query of a candidate and of a baseline, by the measures that rules need."""

    candidate: QueryValues
    baseline: QueryValues
    needs: Needs
    statistics: Statistics

    @classmethod
    def of(
        cls, candidate: QueryValues, baseline: Result, needs: Needs, statistics: Statistics
    ) -> Values:
        """Match a candidate with a baseline; their names differ."""
        unanswered = set(baseline.unanswered)
        name = baseline.name if baseline.name != candidate.name else f"{baseline.name} (baseline)"
        answered = np.array([query not in unanswered for query in baseline.queries], bool)
        values = QueryValues(name, baseline.queries, baseline.columns, answered)
        return cls(candidate, values, needs, statistics)

    def pairs(
        self, measure: str, confidence: float, *, in_groups: bool = False
    ) -> list[PairComparison]:
        """Compare by one measure: over all queries, or in each group in the order of their names."""
        definitions = {r.column: r.measure.definition for r in self.needs.requests.values()}
        lower = [m for m, d in definitions.items() if not d.higher_is_better]
        statistics = self.statistics.replace(
            test="t", correction="none", confidence=confidence, lower_is_better=lower, moved=_WORST,
            by=self.statistics.by if in_groups else None,
        )  # fmt: skip
        ranges = {m: d.range for m, d in definitions.items()}
        both = [self.baseline, self.candidate]
        made = compare(both, statistics, measures=[measure], ranges=ranges, exact=True)
        pairs = sorted(made.slices, key=lambda pair: str(pair.group)) or made.comparisons
        pairs = [replace(pair, warnings=(*pair.warnings, *made.notices)) for pair in pairs]
        nan = math.nan  # nothing is decided by an interval that assumes how clusters vary
        return [
            replace(pair, ci_low=nan, ci_high=nan, detectable=nan) if _few_clusters(pair) else pair
            for pair in pairs
        ]

    def valued(self, measure: str) -> tuple[list[Any], list[Any]]:
        """Return the queries for which the candidate, and the baseline, have a value."""
        mine, theirs = (
            [own.queries[i] for i in np.flatnonzero(~np.isnan(own.columns[measure])).tolist()]
            for own in (self.candidate, self.baseline)
        )
        return mine, theirs

    def unanswered(self) -> list[Any]:
        """Return the queries that the baseline answers and the candidate does not."""
        mine, theirs = (
            [q for i, q in enumerate(own.queries) if own.answered is None or own.answered[i]]
            for own in (self.candidate, self.baseline)
        )
        return _without(theirs, mine)


def _without(queries: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    left_out = set(others)
    return [query for query in queries if query not in left_out]


def decide(
    needs: Needs, result: Result, values: Values | None, ranks: Mapping[MustFind, int | None]
) -> Verdict:
    """Check every rule.

    Args:
        needs: the rules with their measures.
        result: of the candidate.
        values: of the candidate and the baseline; None if there is no baseline.
        ranks: rank of each document of a rule, None if it was not retrieved.
    """
    rules, answered = needs.rules, len(result.queries) - len(result.unanswered)
    lost = values.unanswered() if values else []
    left_out = not result.conventions.counts_unanswered
    outcomes = [answers_check(answered, lost, left_out=left_out), *queries_check(rules, answered)]
    pairs: dict[str, PairComparison] = {}
    for limit in rules.limits:
        column = needs.columns[limit.target]
        if limit.kind not in RELATIVE:
            outcomes.append(mean_check(limit, column, result[column], result.counted[column]))
        elif values is not None:
            outcomes.append(_relative(limit, column, values, pairs))
    if values is not None and values.statistics.by:
        outcomes += _slices(values, values.statistics.by)
    outcomes += [document_check(rule, ranks) for rule in rules.must_find]
    worst = next(iter(pairs.values()), None)
    on_clusters = (n for pair in pairs.values() for n in pair.warnings if n.code in _OF_CLUSTERS)
    by_both = (
        replace(n, text=tr("difference in {}: {}").format(pair.measure, n.text))
        for pair in pairs.values()
        for n in pair.warnings
        if n.code in OF_PEOPLE
    )
    return Verdict(
        candidate=result.name,
        baseline=values.baseline.name if values else None,
        queries=answered,
        checks=tuple(outcomes),
        inconclusive=rules.inconclusive,
        confidence=rules.confidence,
        intervals=tuple(
            dict.fromkeys(p.interval for p in pairs.values() if not math.isnan(p.ci_low))
        ),
        conventions=result.choices_in_words(),
        worst_measure=worst.measure if worst else None,
        worst=worst.worsened if worst else (),
        notices=(*result.notices, *dict.fromkeys(on_clusters), *by_both),
    )


def _relative(limit: Limit, column: str, values: Values, pairs: dict[str, PairComparison]) -> Check:
    mine, theirs = values.valued(column)
    if not set(mine) & set(theirs):
        text = tr("{}: candidate and baseline have no query with a value in common").format(column)
        return Check(str(limit), FAIL, text, measure=column, n=0)
    if column not in pairs:
        [pairs[column]] = values.pairs(column, values.needs.rules.confidence)
    if limit.kind == "max-gain":
        return gain_check(limit, pairs[column])
    return drop_check(limit, pairs[column], _without(theirs, mine))


def _slices(values: Values, groups: Mapping[Any, str]) -> Iterator[Check]:
    """Yield the checks of each slice, their intervals corrected for the number of slices."""
    needs, rules = values.needs, values.needs.rules
    limits = rules.of_kind("max-drop", "non-inferior")
    sizes = Counter(groups[q] for q in values.candidate.queries if q in groups)
    large = sum(size >= rules.smallest_slice for size in sizes.values())
    confidence = 1.0 - (1.0 - rules.confidence) / max(1, large * len(limits))
    for limit in limits:
        column = needs.columns[limit.target]
        mine, theirs = values.valued(column)
        if set(mine) & set(theirs) & set(groups):
            for pair in values.pairs(column, confidence, in_groups=True):
                yield slice_check(limit, pair, rules.smallest_slice)


#: How the values of queries become one number, by the ending of a target.
SUMMARIES: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda x: float(np.mean(x)),
    "median": lambda x: float(np.median(x)),
    "p90": lambda x: float(np.quantile(x, 0.9)),
    "p95": lambda x: float(np.quantile(x, 0.95)),
    "p99": lambda x: float(np.quantile(x, 0.99)),
    "max": lambda x: float(np.max(x)),
    "sum": lambda x: float(np.sum(x)),
}


@frozen
class Amounts:
    """Values of the candidate's queries and of the baseline's, and the limits on them."""

    candidate: QueryValues
    baseline: QueryValues | None
    limits: tuple[Limit, ...]

    @classmethod
    def of(cls, rules: Rules, values: Any, baseline: Any) -> tuple[Rules, Amounts | None]:
        """Return the rules without those on values of files, and these.

        Args:
            rules: all of them.
            values: of the candidate: a file, or ``{query: {name: value}}``; None if there are none.
            baseline: of the baseline, likewise.
        """
        rises = rules.of_kind("max-rise")
        if values is None:
            if rises or baseline is not None:
                what = rises[0] if rises else "baseline_values="
                raise UsageError(f"{what} needs the values of the candidate: --values FILE.")
            return rules, None
        own = _read(values, "values")
        limits = tuple(
            limit
            for limit in rules.of_kind("min", "max", "max-rise")
            if limit.kind == "max-rise" or _column(limit, own) is not None
        )
        for limit in limits:
            if _column(limit, own) is None:
                hint = did_you_mean(limit.target, list(own.columns))
                raise UsageError(
                    f"{limit}: the values have no column of that name.{hint} They have: "
                    f"{', '.join(own.columns)}, each with an ending of {', '.join(SUMMARIES)}."
                )
        if rises and baseline is None:
            raise UsageError(f"{rises[0]} compares with a baseline: give --baseline-values FILE.")
        if not limits:
            raise UsageError(
                f"values= is given, and no rule is on {', '.join(own.columns)}. Add one, such as "
                f"max {next(iter(own.columns))}.p95=50."
            )
        rest = tuple(limit for limit in rules.limits if limit not in limits)
        before = None if baseline is None else _read(baseline, "baseline_values")
        return replace(rules, limits=rest), cls(own, before, limits)

    def checks(self, queries: Sequence[Any], unanswered: Sequence[Any]) -> Iterator[Check]:
        """Yield the outcome of each limit over the evaluated queries, and warnings of missing values.

        Args:
            queries: that were evaluated; those of a file may be numbers written as text.
            unanswered: those of which no value is expected.
        """
        own = _of_queries(self.candidate, queries, "values")
        before = self.baseline and _of_queries(self.baseline, queries, "baseline_values")
        amounts = replace(self, candidate=own, baseline=before)
        yield from (amounts.check(limit) for limit in self.limits)
        for rule, values in (("values", own), ("baseline-values", before)):
            for name in dict.fromkeys(amounts.column(limit)[0] for limit in self.limits):
                column = values.columns.get(name, ()) if values else ()
                without = np.flatnonzero(np.isnan(column)).tolist()
                missing = _without([queries[i] for i in without], unanswered)
                if missing:
                    text = tr("{}: no {} for {} ({}), which the rules leave out").format(
                        rule, name, plural(len(missing), "query"), _some(missing)
                    )
                    yield Check(rule, WARN, text, measure=name)

    def column(self, limit: Limit) -> tuple[str, str]:
        """Return the column of a limit and how its values become one number."""
        return _column(limit, self.candidate) or (limit.target, "mean")

    def check(self, limit: Limit) -> Check:
        """Check one limit; the point estimate decides."""
        name, how = self.column(limit)
        what = f"{name} ({how})"
        values = self.candidate.columns[name]
        known = ~np.isnan(values)
        if limit.kind != "max-rise":
            now = _summary(values[known], how)
            is_outside, words = _outside(limit, now)
            text = tr("{} is {:g}, {} {}").format(what, now, words, limit.amount())
            return _checked(limit, is_outside, text, int(known.sum()), now)
        if self.baseline is None or name not in self.baseline.columns:
            raise DataError(f"{limit}: the values of the baseline have no column {name!r}.")
        earlier = self.baseline.columns[name]
        known &= ~np.isnan(earlier)  # means of other queries say nothing
        now, then = _summary(values[known], how), _summary(earlier[known], how)
        allowed = limit.value * abs(then) if limit.relative else limit.value
        share = f" ({(now - then) / abs(then):+.1%})" if then else ""
        text = tr("{} went from {:g} to {:g}{}; a rise of {} is allowed").format(
            what, then, now, share, limit.amount()
        )
        failed = now - then > allowed + ROUNDING
        return _checked(limit, failed, text, int(known.sum()), now, then)


def _checked(
    limit: Limit, failed: bool, text: str, n: int, now: float, then: float | None = None
) -> Check:
    return Check(
        str(limit),
        FAIL if failed or math.isnan(now) else PASS,
        text,
        measure=limit.target,
        n=n,
        baseline=then,
        candidate=now,
        difference=None if then is None else now - then,
    )


def _of_queries(values: QueryValues, queries: Sequence[Any], what: str) -> QueryValues:
    """Return the values of some queries, NaN for those that have none."""
    place = {str(query): i for i, query in enumerate(values.queries)}
    rows = np.array([place.get(str(query), -1) for query in queries], np.int64)
    if not (rows >= 0).any():
        raise DataError(
            f"{what}: no query that was evaluated has values (evaluated: {_some(queries)}; with "
            f"values: {_some(values.queries)}). Ids are compared exactly, so write them alike."
        )
    columns = {m: np.where(rows < 0, np.nan, column[rows]) for m, column in values.columns.items()}
    return QueryValues(values.name, queries, columns)


def _read(values: Any, what: str) -> QueryValues:
    if isinstance(values, str | os.PathLike):
        read = read_values(os.fspath(values))
        if len(read) != 1:
            raise DataError(
                f"{os.fspath(values)}: {what} of one run are needed, not of {len(read)}."
            )
        return read[0][0]
    if isinstance(values, Mapping) and all(isinstance(row, Mapping) for row in values.values()):
        if names := [name for row in values.values() for name in row if not isinstance(name, str)]:
            raise UsageError(
                f"{what}= is {{query: {{name: value}}}}; a name is text, not {names[0]!r}."
            )
        return QueryValues.from_dicts(what, values)
    raise UsageError(f"{what}= is a file, or {{query: {{name: value}}}}, not {values!r:.60}.")


def _column(limit: Limit, values: QueryValues) -> tuple[str, str] | None:
    """Return the column of a limit and how its values become one number."""
    name, dot, how = limit.target.rpartition(".")
    if limit.target in values.columns:
        return limit.target, "mean"
    return (name, how) if dot and name in values.columns and how in SUMMARIES else None


def _summary(values: np.ndarray, how: str) -> float:
    return SUMMARIES[how](values) if len(values) else math.nan
