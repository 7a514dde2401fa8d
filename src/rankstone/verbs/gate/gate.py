"""The verb ``gate``: may the candidate ship?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.collection import MatchedCollection
from rankstone.core.engine import load_engine
from rankstone.core.ids import Ids
from rankstone.core.result import Result
from rankstone.errors import DataError, EmptyError, NothingInCommonError, Notice, UsageError
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.formats import run_name
from rankstone.io.load import check_columns_used, collection, load_judgments
from rankstone.io.streams import STDIN, open_seekable
from rankstone.language import tr
from rankstone.measures import Measure
from rankstone.stats.trusted import estimated
from rankstone.verbs.compare import (
    by_people,
    refuse_evaluation,
    values_of_result,
    with_groups,
)
from rankstone.verbs.evaluate import evaluate_collection
from rankstone.verbs.gate.baseline import Baseline, is_saved, require_comparable, require_measures
from rankstone.verbs.gate.checks import Amounts, Values, answers_check, decide
from rankstone.verbs.gate.rules import RELATIVE, MustFind, Needs, Rules, Settings, rules_of
from rankstone.verbs.gate.verdict import WARN, Check, Verdict
from rankstone.verbs.parts import Request

if TYPE_CHECKING:
    from rankstone.choices.options import GateOptions

_PATH = str | os.PathLike
_HEAD = 4096
Limits = Mapping[str | Measure, float] | Iterable[str] | None


@verb("gate")
def gate(
    judgments: Any,
    candidate: Any,
    baseline: Any = None,
    *,
    max_drop: Limits = None,
    non_inferior: Limits = None,
    max_gain: Limits = None,
    minimum: Limits = None,
    maximum: Limits = None,
    min_judged: Mapping[int | str, float] | Iterable[str] | None = None,
    min_queries: int | None = None,
    must_find: Iterable[Any] = (),
    must_not_find: Iterable[Any] = (),
    values: Any = None,
    baseline_values: Any = None,
    max_rise: Limits = None,
    smallest_slice: int | None = None,
    inconclusive: str | None = None,
    settings: str | os.PathLike[str] | None = None,
    **options: Unpack[GateOptions],
) -> Verdict:
    """Decide whether a candidate may ship.

    Args:
        judgments: whatever ``evaluate`` takes; None if the candidate is a Result.
        candidate: a run, as ``evaluate`` takes it, a Result, or the path of a saved Result.
        baseline: a run, a Result, or the path of a run, a saved Result or a baseline file.
        max_drop: ``{measure: number}``; fails if the mean drops by more. The point estimate
            decides.
        non_inferior: ``{measure: number}``; passes if the interval of the difference shows that
            the mean does not drop by more.
        max_gain: ``{measure: number}``; warns if the mean rises by more.
        minimum: ``{measure: number}``; fails if the candidate's mean is below.
        maximum: ``{measure: number}``; fails if the candidate's mean is above.
        min_judged: ``{cutoff: share}``; fails if fewer of the first documents were judged.
        min_queries: fails if the candidate answers fewer queries.
        must_find: documents that have to be found, as ``"query:document@cutoff"`` or
            ``(query, document, cutoff)``, or the path of a file with one in each line.
        must_not_find: documents that must not be found, likewise.
        values: further values of the evaluated queries, such as latency: a file, or ``{query: {name:
            value}}``. ``maximum`` and ``minimum`` take their names, with ``.p95`` and the like.
        baseline_values: those of the baseline.
        max_rise: ``{name: number}``, or ``{name: "5%"}``; fails if these values rise by more.
        smallest_slice: smallest number of queries of a group that may decide (default: 10).
        inconclusive: what a rule does that could not have seen the drop it forbids: ``fail``,
            ``warn`` (default) or ``pass``.
        settings: path of a ``rankstone.toml`` or ``pyproject.toml`` with further rules; those of
            the other arguments replace them one by one.
        options: see below.

    >>> judgments = {f"q{i}": {"d1": 1} for i in range(9)}
    >>> old = {f"q{i}": ["d1", "d2"] for i in range(9)}
    >>> new = {f"q{i}": ["d2", "d1"] for i in range(9)}
    >>> gate(judgments, new, old, max_drop={"RR": 0.1})
    <Verdict FAIL: candidate against baseline, 1 of 2 checks failed (9 queries)>
    fail: RR is worse by 0.5000 (1.0000 to 0.5000); at most 0.1 is allowed
    """
    own = {
        "max-drop": max_drop,
        "non-inferior": non_inferior,
        "max-gain": max_gain,
        "min": minimum,
        "max": maximum,
        "min-judged": min_judged,
        "min-queries": min_queries,
        "must-find": must_find,
        "must-not-find": must_not_find,
        "max-rise": max_rise,
        "smallest-slice": smallest_slice,
        "inconclusive": inconclusive,
        "baseline": baseline,
        "values": values,
        "baseline-values": baseline_values,
    }
    shared = Settings() if settings is None else Settings.read(os.fspath(settings))
    return Inputs.of(candidate, own, dict(options), shared).verdict(judgments)


@frozen(eq=False)
class Inputs:
    """A candidate, what it is compared with, the rules, and the options of its evaluation.

    ``files`` are further values of the candidate's queries and of the baseline's.
    """

    rules: Rules
    candidate: Any
    baseline: Any
    files: tuple[Any, Any]
    options: Mapping[str, Any]

    @classmethod
    def of(
        cls, candidate: Any, own: Mapping[str, Any], options: dict[str, Any], settings: Settings
    ) -> Inputs:
        """Take what a call has, and the rest from settings; ``own`` has the names of these."""
        rules = rules_of(settings.rules(), {**own, "confidence": options.pop("confidence", None)})
        options["by"] = settings.file("by") if options.get("by") is None else options["by"]
        candidate = saved_candidate(candidate, Setup.of("gate", options).effort.max_bytes)
        if not isinstance(candidate, Result):
            options = {**settings.evaluation(), **options}
        baseline, *files = (
            settings.file(name) if own[name] is None else own[name]
            for name in ("baseline", "values", "baseline-values")
        )
        return cls(rules, candidate, baseline, (files[0], files[1]), options)

    def verdict(self, judgments: Any) -> Verdict:
        """Apply the rules."""
        rules, amounts = Amounts.of(self.rules, *self.files)
        setup = Setup.of("gate", self.options)
        candidate, baseline = self.candidate, self.baseline
        is_result, original = isinstance(candidate, Result), judgments
        like = candidate.like if is_result else setup.evaluation.like
        needs = Needs.of(rules, like, baseline, setup.statistics.by, amounts)
        if is_result:
            refuse_evaluation(setup)
        setup = prepared(setup)
        if isinstance(judgments, _PATH) and not is_result:  # read once
            judgments = load_judgments(judgments, setup)
        try:
            result = _result(judgments, candidate, needs.names, setup, "candidate")
        except EmptyError as error:
            return _empty(rules, candidate, str(error))
        for column in needs.columns.values():
            result.values(column)  # an error if a Result does not have it
        values: Values | None = None
        notices: tuple[Notice, ...] = ()
        grouped = with_groups(setup, original, result.queries).statistics
        if baseline is not None:
            base = _baseline(judgments, baseline, needs.names, setup)
            compared = needs.columns_of(*RELATIVE)
            require_measures(base, compared)
            shared = [m for m in result.measures if m in base.columns]
            notices = require_comparable(result, base, shared)
            for name in {*compared} & {*result.of_all_lists}:
                raise UsageError(
                    f"{name} is a number of all lists together, of which no interval is known, so that a gate "
                    f"cannot tell a drop from noise. Give it a lowest value: --min {name}=0.5."
                )
            mine = values_of_result(result, result.name, compared)
            values = Values.of(mine, base, needs, grouped)
        if grouped.trusted is not None:
            people = _by_people(candidate, baseline, needs, setup)
            if values is not None:
                names = (("candidate", values.candidate.name), ("baseline", values.baseline.name))
                own = [values_of_result(people[role], name, compared) for role, name in names]
                values = replace(values, statistics=grouped.replace(trusted=own))
            means = needs.columns_of("min", "max")
            every = dict.fromkeys([*means, *compared] if values is not None else means)
            both, _ = estimated(
                result, people["candidate"], every, rules.confidence, grouped.clusters
            )
            of_means = (
                n for n in both.notices if n.code != "trusted" or n.text.split(": ")[0] in means
            )
            result = replace(both, notices=tuple(of_means))
        check_columns_used(setup)
        ranks: dict[MustFind, int | None] = {}
        if rules.must_find:
            if is_result or (isinstance(candidate, str) and candidate == STDIN):
                raise UsageError(
                    "must-find looks for documents: give the run in a file or in memory."
                )
            ranks = ranks_of(rules.must_find, candidate, result.conventions, result.queries, setup)
        verdict = decide(needs, result, values, ranks)
        measured = amounts.checks(result.queries, result.unanswered) if amounts else ()
        differing = (Check("comparable", WARN, notice.text) for notice in notices)
        return replace(verdict, checks=(*verdict.checks, *measured, *differing))


def saved_candidate(candidate: Any, max_bytes: int | None = None) -> Any:
    """Return the Result that a file holds; the candidate itself if it is something else."""
    if not isinstance(candidate, _PATH) or not os.path.isfile(candidate):
        return candidate
    path = os.fspath(candidate)
    try:
        content = _saved(path, max_bytes)
    except EmptyError:  # a run without rows, which fails the gate
        return candidate
    if content is None:
        return candidate
    try:
        return Result.from_json(content)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _saved(path: str, max_bytes: int | None) -> bytes | None:
    """Return the content of a file of saved values, None if it may be a run."""
    with open_seekable(path, max_bytes) as (stream, _, _):
        stream.seek(0)
        if not is_saved(stream.read(_HEAD)):
            return None
        stream.seek(0)
        return stream.read()


def _by_people(candidate: Any, baseline: Any, needs: Needs, setup: Setup) -> dict[str, Result]:
    """Return the results of the candidate and of the baseline by the trusted judgments."""
    if setup.statistics.by is not None or not needs.columns_of("min", "max", *RELATIVE):
        raise UsageError(
            "trusted= goes with rules on measures, such as max_drop, over all queries: leave by= out."
        )
    if isinstance(baseline, Baseline) or (
        isinstance(baseline, _PATH) and saved_baseline(os.fspath(baseline)) is not None
    ):
        raise UsageError(
            "the baseline holds values by the model's judgments, and trusted= needs its run, which "
            "people's judgments evaluate."
        )
    runs = {"candidate": candidate} | ({} if baseline is None else {"baseline": baseline})
    return by_people(list(runs.items()), needs.names, setup)


def _result(judgments: Any, run: Any, names: Sequence[str], setup: Setup, role: str) -> Result:
    if isinstance(run, Result):
        return run
    if judgments is None:
        raise UsageError(f"judgments are needed to evaluate the {role}; or give a Result.")
    if not (isinstance(run, _PATH) or hasattr(run, "name")):
        setup = setup.replace(name=role)
    request = Request.of(names, setup)
    load_engine()
    return evaluate_collection(collection(judgments, run, setup, needs=request.needs), request)


def _baseline(judgments: Any, baseline: Any, names: Sequence[str], setup: Setup) -> Result:
    if isinstance(baseline, Baseline):
        return baseline.result
    if isinstance(baseline, _PATH):
        saved = saved_baseline(os.fspath(baseline), setup.effort.max_bytes)
        if saved is not None:
            return saved.result
    try:
        return _result(judgments, baseline, names, setup, "baseline")
    except DataError as error:
        if isinstance(baseline, _PATH) and str(error).startswith(os.fspath(baseline)):
            raise type(error)(
                f"{error} It was read as a run, because it is neither a baseline file (made by "
                "'rankstone gate baseline save') nor a saved result."
            ) from None
        raise


def saved_baseline(path: str, max_bytes: int | None = None) -> Baseline | None:
    """Return the baseline or the Result that a file holds, None if it may be a run."""
    if path == STDIN:
        raise UsageError("the baseline cannot be standard input; give a file.")
    if not os.path.exists(path):
        raise DataError(
            f"{path}: there is no such baseline. Make one with 'rankstone gate baseline save {path} "
            "QRELS RUN', or give a run."
        )
    if os.path.isdir(path):
        return None
    content = _saved(path, max_bytes)
    return None if content is None else Baseline.load(content, path)


def _empty(rules: Rules, candidate: Any, reason: str) -> Verdict:
    """Return the verdict on a candidate that holds nothing."""
    name = run_name(os.fspath(candidate)) if isinstance(candidate, _PATH) else "candidate"
    check = replace(
        answers_check(0, [], left_out=False), text=tr("{} It answers no query").format(reason)
    )
    return Verdict(
        candidate=name,
        baseline=None,
        queries=0,
        checks=(check,),
        inconclusive=rules.inconclusive,
        confidence=rules.confidence,
        conventions="",
    )


def ranks_of(
    rules: Sequence[MustFind],
    run: Any,
    conventions: Conventions,
    queries: Iterable[Any],
    setup: Setup,
) -> dict[MustFind, int | None]:
    """Return the rank of each document, None if it was not retrieved; queries without answers have none.

    Tied documents are in the order of the conventions; if these account for every order, the worst
    counts for the rule: the last rank of what must be found, the first of what must not.

    Args:
        rules: the documents.
        run: whatever ``evaluate`` takes.
        conventions: those of the evaluation.
        queries: that were evaluated; a rule may write the ids of queries and documents as text.
        setup: how to read the run, and what to change in it.
    """
    known = {str(query): query for query in queries}
    documents: dict[Any, dict[str, Any]] = {}
    for rule in rules:
        query = known.setdefault(str(rule.query), rule.query)
        documents.setdefault(query, {})[str(rule.document)] = rule.document
    judgments = {query: dict.fromkeys(docs.values(), 1) for query, docs in documents.items()}
    # Every other document counts, judged or not, and only its place matters.
    conventions = conventions.replace(unjudged="nonrelevant", queries="judged")
    if setup.changes.judged_chunks:  # rules name documents
        setup = setup.replace(judged_chunks=False)
    try:
        source = collection(judgments, run, setup)
        if isinstance(source, MatchedCollection):  # as ids in files match text and numbers
            docs = Ids([str(doc) for doc in source.judgments.docs], "text")
            docs.typed = False
            source = replace(source, judgments=replace(source.judgments, docs=docs))
        ranked = source.ranked(conventions)
    except NothingInCommonError:
        return {}
    # A rule that accounts for every order leaves no notice of ties.
    in_order = bool(conventions.effect("ties"))
    last = ranked.rank if in_order else ranked.above + ranked.tied
    first = ranked.rank if in_order else ranked.above + 1
    rows = {
        (str(query), str(source.document(int(ranked.judgment[row])))): row
        for q, query in enumerate(ranked.queries)
        for row in range(*ranked.offsets[q : q + 2].tolist())
    }
    answered = {str(query) for q, query in enumerate(ranked.queries) if ranked.retrieved[q] > 0}
    places: dict[MustFind, int | None] = {}
    for rule in rules:
        row = rows.get((str(rule.query), str(rule.document)))
        if str(rule.query) in answered:
            place = last if rule.kind == "must-find" else first
            places[rule] = None if row is None else int(place[row])
    return places
