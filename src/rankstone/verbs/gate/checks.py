"""Each rule applied to a candidate: what it says, and whether it could have said otherwise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankstone.errors import plural
from rankstone.stats.comparison import PairComparison
from rankstone.stats.power import detectable_difference, queries_needed
from rankstone.verbs.gate.rules import ROUNDING, Limit, MustFind, Rules
from rankstone.verbs.gate.verdict import CANNOT_TELL, FAIL, PASS, WARN, Check

_EXAMPLES = 3
_MOST_QUERIES = 1_000_000


@dataclass(frozen=True)
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
    """Return what a limit of a drop says about a difference.

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
        some = ", ".join(map(quoted, lost[:_EXAMPLES])) + (", ..." * (len(lost) > _EXAMPLES))
        text = (
            f"{pair.measure} has no value of the candidate for {plural(len(lost), 'query')} that "
            f"the baseline has one for ({some}), so the means are of different queries"
        )
        return _of_pair(limit, pair, FAIL, text)
    gain, text = Gain.of(pair), _moved(pair)
    status = drop_status(limit.kind, limit.value, gain, pair.detectable)
    if status == CANNOT_TELL:
        text += f"; {_sight(limit, pair)}"
    elif status == FAIL and limit.kind == "max-drop":
        text += f"; at most {limit.value:g} is allowed{_noise(gain, pair)}"
    elif status == FAIL:
        text += (
            f"; with {_level(pair)} confidence it may be worse by {-gain.low:.4f}, and at most "
            f"{limit.value:g} is allowed"
        )
    return _of_pair(limit, pair, status, text)


def gain_check(limit: Limit, pair: PairComparison) -> Check:
    """Warn of a gain that is too good to be true."""
    if Gain.of(pair).value <= limit.value + ROUNDING:
        return _of_pair(limit, pair, PASS, _moved(pair))
    text = (
        f"{_moved(pair)}, more than {limit.value:g}: too good to be true? Look for judged documents "
        "in the training data, changed judgments, or a broken baseline"
    )
    return _of_pair(limit, pair, WARN, text)


def slice_check(limit: Limit, pair: PairComparison, group: str, smallest: int) -> Check:
    """Check a drop within a slice of the queries.

    It fails if the drop is larger than the limit and the interval, which is corrected for the
    number of slices, shows that it is not noise. A slice that is too small does not decide.
    """
    gain = Gain.of(pair)
    text = f"{_moved(pair)} in slice {quoted(group)}"
    if pair.n < smallest:
        check = _of_pair(limit, pair, PASS, f"{text}; too small to decide", group)
        return replace(check, decides=False)
    if gain.value < -limit.value - ROUNDING and gain.high < 0:
        return _of_pair(limit, pair, FAIL, f"{text}; at most {limit.value:g} is allowed", group)
    if math.isnan(pair.detectable):
        text += f"; {plural(pair.n, 'query')} can show no drop"
    elif not pair.detectable <= limit.value:
        text += f"; {plural(pair.n, 'query')} can only show a drop of {pair.detectable:.3f} or more"
    return _of_pair(limit, pair, PASS, text, group)


def mean_check(limit: Limit, measure: str, value: float, n: int) -> Check:
    """Check the candidate's mean."""
    rule = str(limit)
    if math.isnan(value):
        text = f"{measure} of the candidate is undefined for every query"
        return Check(rule, FAIL, text, measure=measure, n=n)
    below = limit.kind != "max"
    excess = limit.value - value if below else value - limit.value
    ends = ("at least", "below") if below else ("at most", "above")
    text = f"{measure} is {value:.4f}, {ends[1] if excess > ROUNDING else ends[0]} {limit.value:g}"
    return Check(
        rule, FAIL if excess > ROUNDING else PASS, text, measure=measure, n=n, candidate=value
    )


def queries_check(rules: Rules, answered: int) -> Iterator[Check]:
    """Check the number of queries that decide."""
    if rules.min_queries is None:
        return
    text = f"the candidate answers {plural(answered, 'query')}"
    few = answered < rules.min_queries
    text += f", and at least {rules.min_queries} are needed" if few else ""
    yield Check(f"min-queries {rules.min_queries}", FAIL if few else PASS, text, n=answered)


def answers_check(answered: int, lost: Sequence[Any], *, left_out: bool) -> Check:
    """Check that the candidate answers queries, and those that the baseline answers.

    Args:
        answered: number of queries that the candidate answers.
        lost: queries that the baseline answers and the candidate does not.
        left_out: the conventions leave unanswered queries out of means.
    """
    if not answered:
        return Check("answers", FAIL, "the candidate is empty: it answers no judged query", n=0)
    if not lost:
        text = f"the candidate answers {plural(answered, 'query')}"
        return Check("answers", PASS, text, n=answered)
    some = ", ".join(map(quoted, lost[:_EXAMPLES])) + (", ..." * (len(lost) > _EXAMPLES))
    text = (
        f"the candidate does not answer {plural(len(lost), 'query')} that the baseline answers "
        f"({some}); they {'are left out of its means' if left_out else 'count as 0'}"
    )
    return Check("answers", FAIL if left_out else WARN, text, n=answered)


def document_check(rule: MustFind, ranks: Mapping[MustFind, int | None]) -> Check:
    """Check the rank of a document that must, or must not, be among the first ones."""
    what, rank = f"{quoted(rule.document)} of query {quoted(rule.query)}", ranks.get(rule)
    wanted = rule.kind == "must-find"
    if not wanted and rule not in ranks:
        text = f"the candidate does not answer query {quoted(rule.query)}, so nothing was checked"
        return Check(str(rule), WARN, text)
    if rank is None:
        return Check(str(rule), FAIL if wanted else PASS, f"{what} was not retrieved")
    inside = rank <= rule.cutoff
    text = f"{what} is at rank {rank}"
    if inside != wanted:
        text += f", {'not ' if wanted else ''}among the first {rule.cutoff}"
    return Check(str(rule), PASS if inside == wanted else FAIL, text)


def quoted(name: Any) -> str:
    """Return an id, in quotes if it could be taken for something else.

    >>> quoted("q17"), quoted("::error::x y")
    ('q17', "'::error::x y'")
    """
    text = str(name)
    return text if re.fullmatch(r"[\w./-]+", text) else repr(text)


def _moved(pair: PairComparison) -> str:
    gain = Gain.of(pair).value
    if gain == 0:
        return f"{pair.measure} is as before ({pair.mean:.4f})"
    word = "better" if gain > 0 else "worse"
    lower = "" if pair.higher_is_better else "; lower is better"
    return (
        f"{pair.measure} is {word} by {abs(gain):.4f} "
        f"({pair.baseline_mean:.4f} to {pair.mean:.4f}{lower})"
    )


def _noise(gain: Gain, pair: PairComparison) -> str:
    """Say so if a drop may be noise."""
    if gain.high < 0:
        return ""
    if math.isnan(gain.high):
        return f", and {plural(pair.n, 'query')} do not show whether it is noise"
    return (
        f", but it may be noise ({_level(pair)} interval {pair.ci_low:+.4f} to "
        f"{pair.ci_high:+.4f}); non-inferior allows for that"
    )


def _sight(limit: Limit, pair: PairComparison) -> str:
    """Say what the queries can see, and how many would see the limit."""
    if math.isnan(pair.detectable):
        return f"{plural(pair.n, 'query')} cannot show whether that is noise"
    text = (
        f"{plural(pair.n, 'query')} can only show a drop of {pair.detectable:.3f} or more, and "
        f"more than {limit.value:g} is forbidden"
    )
    if limit.value > 0:
        alpha = 1.0 - pair.confidence
        needed: float
        if pair.ties == pair.n:  # what was not seen among n queries may be 3.7 of them
            text = f"no query changed, and {text}"
            needed = math.ceil(pair.n * pair.detectable / limit.value)
        else:
            sd = pair.detectable / detectable_difference(pair.n, 1.0, alpha=alpha)
            needed = queries_needed(limit.value, sd, alpha=alpha)
        many = f"{needed:,}" if needed <= _MOST_QUERIES else f"more than {_MOST_QUERIES:,}"
        text += f", for which it takes about {many} queries"
    return text


def _level(pair: PairComparison) -> str:
    return f"{pair.confidence * 100:g} %"


def _of_pair(
    limit: Limit, pair: PairComparison, status: str, text: str, group: str | None = None
) -> Check:
    return Check(
        rule=str(limit),
        status=status,
        text=text,
        slice=group,
        measure=pair.measure,
        n=pair.n,
        baseline=pair.baseline_mean,
        candidate=pair.mean,
        difference=pair.difference,
        low=pair.ci_low,
        high=pair.ci_high,
        detectable=pair.detectable,
    )
