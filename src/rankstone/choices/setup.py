"""Every choice of a call as one value, and the one place that knows the names of options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, field, fields, replace
from functools import cache
from typing import Any, TypeVar

from rankstone.choices.base import IDENTITY, Choices, check_choice, option
from rankstone.choices.changes import Changes
from rankstone.choices.conventions import Conventions
from rankstone.choices.effort import Effort
from rankstone.choices.fusion import Fusion
from rankstone.choices.reading import Reading
from rankstone.choices.statistics import Statistics
from rankstone.errors import UsageError, did_you_mean
from rankstone.frozen import frozen

_Verb = TypeVar("_Verb", bound=Callable[..., Any])


@frozen(kw_only=True, eq=False, repr=False)
class Evaluation(Choices):
    """The tool to follow, the name of the run, strictness, and intervals beside the values."""

    title = "conventions"

    like: str | None = option(
        None,
        "give another tool's numbers, such as trec_eval-9 ('rankstone measures --tools' lists them)",
        metavar="TOOL",
    )
    conventions: Conventions | None = option(
        None, "every other choice that changes a number", kind="value", flag=None
    )
    name: str | None = option(None, "the name of the run", kind="value", flag=None)
    tie_interval: bool = option(
        False,
        "also give each value with ties at their worst and best",
        kind="flag",
        goes_with="intervals",
    )
    unjudged_interval: bool = option(
        False,
        "also give the lowest and highest value that unjudged documents allow, and whether they "
        "could reverse a difference",
        kind="flag",
        goes_with="intervals",
    )
    strict: bool = option(False, "make warnings about the data errors", kind="flag")
    fuse: Any = option(
        None,
        "also fuse the runs into one more: a method such as rrf, with choices as in rrf,k=10",
        kind="value",
        metavar="METHOD",
        unit="run",
        part=IDENTITY,
        goes_with="runs",
    )


#: The groups of choices, in the order of help pages.
GROUPS: tuple[type[Choices], ...] = (
    Evaluation, Changes, Conventions, Statistics, Reading, Effort,
)  # fmt: skip
_DATA = (*Changes.names(), *Conventions.names(), *Reading.names(), *Effort.names())
_FILES = (*Reading.names(), *Effort.names())
_RUNS = Evaluation.going_with("runs")
_SIZES, *_ARRAYS = Reading.going_with("arrays")
_ORDER = ("ties", "precision", "duplicates")  # conventions that put documents in order
_INTERVALS = Evaluation.going_with("intervals")
#: Changes that nothing but measures reads.
_OF_MEASURES = tuple(f.name for f in fields(Changes) if f.metadata.get("about") == "measures")


def _without(names: Iterable[str], *others: str) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


_EVALUATE = (*_without(Evaluation.names(), *_RUNS), *_DATA)
_SHEET = Reading.going_with("sheets")
_READ_RUNS = _without(
    (*_FILES, *Changes.names()),
    *_SHEET,
    "not_retrieved",
    "judged_chunks",
    *_ARRAYS,
    _SIZES,
    *_OF_MEASURES,
)

#: The choices that each verb takes.
VERBS: dict[str, tuple[str, ...]] = {
    "evaluate": _EVALUATE,
    "Evaluator": _without(_EVALUATE, "unjudged_interval", "not_retrieved", *_ARRAYS, _SIZES),
    "Evaluator.add": (*_ARRAYS, _SIZES, "exclude"),
    "explain": _without(_EVALUATE, *_INTERVALS, "strict"),
    "reconcile": ("conventions", *_DATA),
    "across_tools": (*_FILES, *Changes.names()),
    "compare": (
        *_without(_EVALUATE, "name", "tie_interval", "not_retrieved"), *_RUNS, *Statistics.names(),
    ),
    "leaderboard": (
        *_without(_EVALUATE, "name", *_INTERVALS, "not_retrieved"), "confidence", "resamples", "rng",
        "clusters",
    ),
    "power": (*_without(_EVALUATE, "name", *_INTERVALS, "not_retrieved"), "clusters", "trusted"),
    "gate": (
        *_without(_EVALUATE, "name", *_INTERVALS, "not_retrieved"), "confidence", "clusters", "by",
        "trusted",
    ),
    "Result.interval": ("interval", "confidence", "clusters", "trusted"),
    "report": (
        *_without(_EVALUATE, "name", "tie_interval", "not_retrieved"),
        *_without(Statistics.names(), "all_pairs", "repeats", "moved"),
    ),
    "risk_coverage": _without(_EVALUATE, *_INTERVALS, "not_retrieved", *_ARRAYS),
    "p_mrr": _without(
        (*Changes.names(), *_FILES, *_ORDER, "queries", "unjudged"), "not_retrieved", *_ARRAYS,
        _SIZES, *_OF_MEASURES,
    ),
    "pool": _without(
        (*Changes.names(), *_FILES, *_ORDER), "not_retrieved", *_ARRAYS, _SIZES, *_OF_MEASURES
    ),
    "holes": _without(
        _DATA, "not_retrieved", *_ARRAYS, _SIZES, "no_relevant", "sums", *_OF_MEASURES
    ),
    "agree_runs": _READ_RUNS,
    "fuse": ("name", "like", *_READ_RUNS),
    "tune": (
        *_without(
            _EVALUATE, "name", "like", "strict", *_INTERVALS, "not_retrieved", *_ARRAYS, _SIZES, "ties",
            "queries",
        ),
        "interval", "confidence", "rng", "clusters",
    ),
    "agree_judgments": (*_without(_FILES, *_ARRAYS, "threads", "query_ids"), "relevance"),
    "agree_orderings": _without(_EVALUATE, "name", *_INTERVALS, "not_retrieved"),
    "verify": (*_FILES, *_without(Changes.names(), "not_retrieved")),
    "validate": _without(_FILES, *_ARRAYS, "threads", "query_ids"),
    "convert": _without(_FILES, *_ARRAYS, "threads", "query_ids"),
    "load_judgments": _without(_FILES, *_ARRAYS, "threads", "columns", "query_ids"),
    "load_run": ("name", *_without(_FILES, *_ARRAYS, _SIZES, *_SHEET), "scores", "rank_by"),
    "spark.evaluate": (
        *_without(_EVALUATE, "unjudged_interval", "not_retrieved", *_FILES),
        "columns",
    ),
    "spark.evaluate_lists": (
        *_without(Evaluation.names(), "unjudged_interval", *_RUNS), *Conventions.names(), "columns",
    ),
}  # fmt: skip

_CUTOFF = "write the cutoff with each measure, as in 'NAME@10'"
_PARAMETER = "it is a parameter of a measure, as in \"NAME({}='...')@10\""
_GROUPS = "give the sizes of the groups with group_sizes="
_SEEN = "give the items to leave out of the run with exclude="
#: Words of other tools, and of other verbs, for what options are called here.
_OTHER_WORDS = {
    "metrics": "name the measures with measures=",
    "metric": "name the measures with measures=",
    "measure": "name the measures with measures=",
    "k": _CUTOFF,
    "cutoff": _CUTOFF,
    "top_k": _CUTOFF,
    "qrels": "judgments are the first argument, the run is the second",
    "gain": _PARAMETER.format("gain"),
    "discount": _PARAMETER.format("discount"),
    "rel": 'write relevance=2 for all measures, or "NAME(rel=2)" for one',
    "relevance_level": "write relevance=2 for grades from 2 up",
    "relevant_from": "write relevance=2 for grades from 2 up",
    "group": _GROUPS,
    "groups": f"{_GROUPS}; groups of queries are by=, in compare, gate and report",
    "train": _SEEN,
    "seen": _SEEN,
    "seed": "the seed of random numbers is rng=, in compare and report",
    "choices": "give conventions by their names, such as ties='input'",
    "grades": "grades in rank order are the first argument, without a name",
    "format": "the format of files is input_format=",
}


#: Each choice with its group, by name.
FIELDS: dict[str, tuple[type[Choices], Field[Any]]] = {
    f.name: (group, f) for group in GROUPS for f in fields(group)
}
_CONVENTIONS = Conventions()
#: Choices of single verbs, some of whose names mean something else in other verbs.
_OWN: dict[str, type[Choices]] = {"fuse": Fusion, "tune": Fusion}


@cache
def fields_of(verb: str) -> dict[str, tuple[type[Choices], Field[Any]]]:
    """Return each choice that a verb takes with its group, by name."""
    own = _OWN.get(verb)
    taken = {name: FIELDS[name] for name in VERBS[verb]}
    return taken | ({f.name: (own, f) for f in fields(own)} if own else {})


def field_named(name: str) -> Field[Any]:
    """Return the field of a choice."""
    return FIELDS[name][1]


@frozen(eq=False)
class Setup:
    """All choices of a call; it travels whole from the verb to the code that obeys it.

    ``single`` are the conventions that were named one by one, ``fusion`` the choices of a fusion.
    """

    evaluation: Evaluation = field(default_factory=Evaluation)
    reading: Reading = field(default_factory=Reading)
    changes: Changes = field(default_factory=Changes)
    statistics: Statistics = field(default_factory=Statistics)
    effort: Effort = field(default_factory=Effort)
    single: Mapping[str, Any] = field(default_factory=dict)
    fusion: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, verb: str, options: Mapping[str, Any]) -> Setup:
        """Read the options of a verb; an unknown one, or one of another verb, is an error."""
        if not options:
            return DEFAULT
        takes = fields_of(verb)
        groups: dict[type[Choices], dict[str, Any]] = {}
        for name, value in options.items():
            if name not in takes:
                raise unknown_option(name, verb)
            groups.setdefault(takes[name][0], {})[name] = value
        single, fusion = groups.pop(Conventions, {}), groups.pop(Fusion, {})
        if single:
            Conventions(**single)
        parts: dict[str, Any] = {_PLACES[g]: g(**own) for g, own in groups.items()}
        return cls(single=single, fusion=fusion, **parts)

    def replace(self, **options: Any) -> Setup:
        """Return the setup with some choices made differently, whichever group they are of."""
        new: dict[str, Any] = {}
        for name, value in options.items():
            group, f = FIELDS[name]
            if group is Conventions:
                new["single"] = {**new.get("single", self.single), name: value}
                continue
            check_choice(f, value)
            place = _PLACES[group]
            new[place] = replace(new.get(place, getattr(self, place)), **{name: value})
        return replace(self, **new)

    def conventions(self, default: Conventions = _CONVENTIONS) -> Conventions:
        """Return the conventions that were chosen, as a whole or one by one."""
        return (self.evaluation.conventions or default).replace(**self.single)

    @property
    def by_score(self) -> bool:
        """Whether scores rank the documents of lists too, as in the files that other tools read."""
        return self.changes.rank_by == "score" or self.evaluation.like is not None

    def options(self) -> dict[str, Any]:
        """Return the choices that are not the default, by name."""
        given: dict[str, Any] = {}
        for place in _PLACES.values():
            given |= getattr(self, place).given()
        return given | dict(self.single)


DEFAULT = Setup()
#: The field of a setup that holds each group.
_PLACES = {type(v): name for name, v in vars(DEFAULT).items() if isinstance(v, Choices)}


#: Arguments that a verb has beside choices, by verb, once its module is loaded.
ARGUMENTS: dict[str, list[str]] = {}


def unknown_option(name: str, verb: str) -> UsageError:
    """Return the error for an option of another verb, or for an unknown one with a suggestion."""
    if (name, verb) == ("by", "evaluate"):
        return UsageError(
            "by= goes with compare, gate and report. The groups of one run are those of its result: "
            "evaluate(...).by_group(measure, {query: group})."
        )
    if name in FIELDS:
        return UsageError(f"{name}= goes with {takers(name)}, not with {verb}.")
    if name in _OTHER_WORDS:
        return UsageError(f"there is no option {name!r}: {_OTHER_WORDS[name]}.")
    names = [*ARGUMENTS.get(verb, ()), *fields_of(verb)]
    hint = did_you_mean(name, names)
    known = ", ".join(names)
    return UsageError(f"{verb} has no option {name!r}.{hint} Options: {known}.")


def takers(name: str, named: Callable[[str], str | None] = lambda verb: verb) -> str:
    """Return the verbs that take a choice, in words; ``named`` gives each the name to show."""
    taking = (named(verb) for verb, names in VERBS.items() if name in names)
    verbs = [verb for verb in dict.fromkeys(taking) if verb is not None]
    shown = verbs[:4] if len(verbs) > 5 else verbs
    last = "others" if len(verbs) > 5 else shown.pop() if len(shown) > 1 else ""
    return ", ".join(shown) + (f" and {last}" if last else "")


def verb(name: str) -> Callable[[_Verb], _Verb]:
    """Let a verb show the options it takes in its signature and in its docstring."""

    def documented(function: _Verb) -> _Verb:
        from inspect import Parameter, Signature, signature
        from textwrap import fill

        own = signature(function)
        ARGUMENTS[name] = [p.name for p in own.parameters.values() if p.kind is p.KEYWORD_ONLY]
        kept = [p for p in own.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        taken = {n: f for n, (_, f) in fields_of(name).items() if n not in own.parameters}
        added = [Parameter(n, Parameter.KEYWORD_ONLY, default=f.default) for n, f in taken.items()]
        target: Any = function
        target.__signature__ = Signature([*kept, *added], return_annotation=own.return_annotation)
        begin, options, end = (function.__doc__ or "").partition("options: see below.\n")
        indent = begin[begin.rfind("\n") + 1 :]
        lines = "".join(
            fill(
                f"{n}: {described(f)}.",
                100,
                initial_indent=indent,
                subsequent_indent=indent + "    ",
            )
            + "\n"
            for n, f in taken.items()
        )
        if options:
            function.__doc__ = f"{begin}{lines.lstrip()}{end}"
        return function

    return documented


def described(field: Field[Any]) -> str:
    """Return the text of a choice, with the values that it has."""
    about = field.metadata
    values = about.get("values")
    if values is None:
        return str(about["text"])
    return f"{about['text']}: " + "; ".join(f"``{v}``, {text}" for v, text in values.items())
