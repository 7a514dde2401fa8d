"""The rules of a gate: as values, as text, in settings files, and the measures they need."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from rankstone.choices.setup import VERBS, field_named
from rankstone.errors import DataError, UsageError, did_you_mean, one_of
from rankstone.frozen import frozen
from rankstone.io.streams import read_toml
from rankstone.measures import Measure
from rankstone.measures.judged import share_judged
from rankstone.measures.parse import split_names
from rankstone.measures.request import RequestedMeasure, requested_measures
from rankstone.stats.intervals import check_confidence
from rankstone.tools import tool

#: Kinds of limits, in the order in which checks are listed; ``gate`` says what each asks for.
KINDS = ("max-drop", "non-inferior", "max-gain", "min", "max", "max-rise", "min-judged")
#: Rules of documents.
DOCUMENTS = ("must-find", "must-not-find")
#: Kinds that compare with a baseline.
RELATIVE = ("max-drop", "non-inferior", "max-gain")
SMALLEST_SLICE = 10
INCONCLUSIVE = ("fail", "warn", "pass")
#: Differences of this size are rounding: 0.57 - 0.56 is 0.010000000000000009.
ROUNDING = 1e-12


@frozen
class Limit:
    """A number that a measure is held to.

    ``target`` is a measure, a cutoff such as ``@10``, or values of a file such as ``latency.p95``. If
    ``relative``, the value is a share of the baseline's.
    """

    kind: str
    target: str
    value: float
    relative: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.target}={self.amount()}"

    def amount(self) -> str:
        """Return the number as it is written."""
        return f"{100 * self.value:.12g}%" if self.relative else f"{self.value:g}"

    def option(self) -> list[str]:
        """Return the option of the command, in words."""
        exact = self.amount() if self.relative else repr(self.value)
        return [f"--{self.kind}", f"{self.target}={exact}"]


@frozen
class MustFind:
    """A document that has to be among the first ``cutoff`` of a query, or must not be (``kind``)."""

    query: Any
    document: Any
    cutoff: int
    kind: str = "must-find"

    def __str__(self) -> str:
        return f"{self.kind} {self.query}:{self.document}@{self.cutoff}"

    def option(self) -> list[str]:
        """Return the option of the command, in words."""
        return [f"--{self.kind}", f"{self.query}:{self.document}@{self.cutoff}"]


@frozen
class Rules:
    """Everything a candidate has to fulfil.

    ``inconclusive`` says what a rule does that could not have seen what it forbids. A slice (a
    group of queries) decides if it has at least ``smallest_slice`` queries.
    """

    limits: tuple[Limit, ...] = ()
    min_queries: int | None = None
    must_find: tuple[MustFind, ...] = ()
    inconclusive: str = "warn"
    confidence: float = 0.95
    smallest_slice: int = SMALLEST_SLICE

    def of_kind(self, *kinds: str) -> list[Limit]:
        """Return the limits of some kinds."""
        return [limit for limit in self.limits if limit.kind in kinds]

    def __bool__(self) -> bool:
        return bool(self.limits or self.must_find or self.min_queries is not None)


def rules_of(*sources: Mapping[str, Any]) -> Rules:
    """Return the rules of one or more sources; a later source replaces rules of earlier ones.

    Args:
        sources: values by the names of a settings file, such as ``max-drop`` or ``min-queries``;
            None is a value that is not there.

    >>> shared, own = {"min": {"AP": 0.3}, "min-queries": 50}, {"min": ["AP=0.4"]}
    >>> rules = rules_of(shared, own)
    >>> [str(limit) for limit in rules.limits], rules.min_queries
    (['min AP=0.4'], 50)
    """
    values: dict[str, Any] = {}
    limits: dict[str, list[Limit]] = {kind: [] for kind in KINDS}
    must_find: list[MustFind] = []
    for source in sources:
        here = {name: value for name, value in source.items() if value is not None}
        for kind in KINDS:
            new = limits_of(kind, here.get(kind, ()))
            targets = {limit.target for limit in new}
            limits[kind] = [limit for limit in limits[kind] if limit.target not in targets] + new
        for kind in DOCUMENTS:
            given = here.get(kind, ())
            several = [given] if isinstance(given, str | os.PathLike) else given
            must_find += [rule for value in several for rule in document_rules(value, kind)]
        values.update(here)
    queries, smallest = values.get("min-queries"), values.get("smallest-slice", SMALLEST_SLICE)
    inconclusive = values.get("inconclusive", "warn")
    return Rules(
        limits=tuple(limit for kind in KINDS for limit in limits[kind]),
        min_queries=None if queries is None else whole(queries, "min-queries"),
        must_find=tuple(dict.fromkeys(must_find)),
        inconclusive=one_of(inconclusive, INCONCLUSIVE, "value of inconclusive"),
        confidence=check_confidence(values.get("confidence", 0.95)),
        smallest_slice=whole(smallest, "smallest-slice"),
    )


def limits_of(kind: str, values: Any) -> list[Limit]:
    """Return the limits of one kind: ``{measure: number}``, or texts such as ``NAME=0.01``."""
    what = "a cutoff and a share, such as @10=0.8" if kind == "min-judged" else "MEASURE=NUMBER"
    pairs: list[tuple[str, Any]] = []
    if isinstance(values, Mapping):
        pairs = [(str(name), value) for name, value in values.items()]
    elif isinstance(values, Iterable):
        for text in [values] if isinstance(values, str) else values:
            # A measure may have parameters with an equals sign; a number has none.
            name, equals, value = str(text).rpartition("=")
            if not (name and equals):
                raise UsageError(f"{kind}: write {what}, not {text!r}.")
            pairs.append((name.strip(), value))
    else:
        raise UsageError(f"{kind}: write {what}, not {values!r}.")
    limits = []
    for name, value in pairs:
        if kind == "min-judged":
            digits = name.removeprefix("@")
            if not digits.isdecimal() or int(digits) < 1:
                raise UsageError(f"{kind}: write {what}; {name!r} is not a cutoff.")
            targets = [f"@{int(digits)}"]
        else:
            targets = split_names(name)
        is_share = kind == "max-rise" and str(value).rstrip().endswith("%")
        amount = _number(kind, name, str(value).rstrip()[:-1] if is_share else value)
        amount = amount / 100.0 if is_share else amount
        limits += [Limit(kind, target, amount, is_share) for target in targets]
    return limits


def _number(kind: str, name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{kind} {name}: {value!r} is not a number; write it like 0.01.")
    if number < 0 and (kind in RELATIVE or kind in ("min-judged", "max-rise")):
        raise UsageError(f"{kind} {name}={number:g}: the number must be 0 or more.")
    if number > 1 and kind == "min-judged":
        raise UsageError(f"{kind} {name}={number:g}: a share is from 0 to 1.")
    return number


def document_rules(value: Any, kind: str) -> list[MustFind]:
    """Return the rules of one value: those of a file with one in each line, or itself.

    Blank lines and those that begin with # are left out.
    """
    if not isinstance(value, str | os.PathLike) or not os.path.isfile(value):
        return [must_find_of(value, kind)]
    path = os.fspath(value)
    try:
        with open(path, encoding="utf-8-sig") as lines:
            texts = [(n, line.strip()) for n, line in enumerate(lines, 1)]
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: the rules cannot be read ({error}).") from None
    rules = []
    for number, text in texts:
        if text and not text.startswith("#"):
            try:
                rules.append(must_find_of(text, kind))
            except UsageError as error:
                raise DataError(f"{path}:{number}: {error}") from None
    if not rules:
        raise DataError(f"{path}: no rule. Write QUERY:DOCUMENT@CUTOFF in each line.")
    return rules


def must_find_of(value: Any, kind: str = "must-find") -> MustFind:
    """Return a rule of a document: ``query:document@cutoff``, its three parts, or a table of them.

    >>> must_find_of("q17:doc3@5")
    MustFind(query='q17', document='doc3', cutoff=5, kind='must-find')
    """
    if isinstance(value, MustFind):
        return value
    if isinstance(value, Mapping):
        if set(value) != {"query", "document", "cutoff"}:
            raise UsageError(
                f"{kind}: a table needs query, document and cutoff; it has {', '.join(value)}."
            )
        parts: list[Any] = [value["query"], value["document"], value["cutoff"]]
    elif isinstance(value, str | os.PathLike):
        front, at, cutoff = os.fspath(value).rpartition("@")
        query, colon, document = front.partition(":")
        if not (at and colon and query and document):
            raise UsageError(
                f"{kind}: write QUERY:DOCUMENT@CUTOFF, such as q17:doc3@5, or the path of a file of "
                f"such lines, not {os.fspath(value)!r}. If the query has a colon, use the table of "
                "a settings file."
            )
        parts = [query, document, cutoff]
    else:
        parts = list(value)
        if len(parts) != 3:
            raise UsageError(f"{kind}: give query, document and cutoff, not {value!r}.")
    return MustFind(parts[0], parts[1], whole(parts[2], f"{kind}: the cutoff"), kind)


def whole(value: Any, what: str) -> int:
    """Return a whole number of at least 1."""
    text = str(value).strip()
    if isinstance(value, bool) or not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{what} must be a whole number of at least 1, not {value!r}.")
    return int(text)


@frozen
class Needs:
    """Rules and the measures that they need.

    ``columns`` holds the name in results of each target of a limit, ``requests`` the measures.
    """

    names: list[str]
    columns: dict[str, str]
    requests: dict[str, RequestedMeasure]
    rules: Rules

    def columns_of(self, *kinds: str) -> list[str]:
        """Return the names in results of the measures with limits of some kinds."""
        return [self.columns[limit.target] for limit in self.rules.of_kind(*kinds)]

    @classmethod
    def of(cls, rules: Rules, like: str | None, baseline: Any, by: Any, amounts: Any) -> Needs:
        """Look the measures up, and refuse rules that make no sense.

        Args:
            rules: of the gate.
            like: the tool whose names of measures they use.
            baseline: what the candidate is compared with, None if there is nothing.
            by: groups of queries, None if there are none.
            amounts: rules on values of files, None if there are none.
        """
        if not rules and amounts is None:
            raise UsageError(
                "a gate needs a rule: max-drop or non-inferior with a baseline, min, max, "
                "min-judged, min-queries, must-find or must-not-find."
            )
        relative = rules.of_kind(*RELATIVE)
        if relative and baseline is None:
            raise UsageError(f"{relative[0]} compares with a baseline; give one: --baseline FILE.")
        drops = rules.of_kind("max-drop", "non-inferior")
        if by is not None and not drops:
            raise UsageError("by= checks drops in groups of queries; add max-drop or non-inferior.")
        targets = {
            limit.target: str(share_judged(int(limit.target[1:])))
            if limit.kind == "min-judged"
            else limit.target
            for limit in rules.limits
        }
        names = list(dict.fromkeys(targets.values()))
        if not names:
            names = [str(share_judged(1))]  # a result needs a measure, and this one is cheap
        requests = {
            name: request
            for request in requested_measures(names, tool(like) if like else None)
            for name in request.names
        }
        columns = {target: requests[name].column for target, name in targets.items()}
        needs = cls(names, columns, requests, rules)
        for limit in rules.limits:
            _check_range(limit, requests[targets[limit.target]].measure)
        _check_contradictions(rules, columns)
        return needs


def _check_range(limit: Limit, measure: Measure) -> None:
    """Refuse a number that no value can reach, such as a percentage."""
    low, high = measure.definition.range
    reach = high - low if limit.kind in RELATIVE else high
    least = 0.0 if limit.kind in RELATIVE else low
    if not least <= limit.value <= reach:
        raise UsageError(
            f"{limit}: {measure} is from {low:g} to {high:g}, so this rule says nothing. For "
            f"{limit.value:g} % write {limit.value / 100:g}."
        )


def _check_contradictions(rules: Rules, columns: Mapping[str, str]) -> None:
    limits: dict[tuple[str, str], Limit] = {}
    for limit in rules.limits:
        other = limits.setdefault((limit.kind, columns[limit.target]), limit)
        if other.value != limit.value:
            raise UsageError(f"two rules contradict each other: {other} and {limit}. Keep one.")
    for (kind, column), limit in limits.items():
        ceiling = limits.get(("max", column))
        if kind == "min" and ceiling is not None and limit.value > ceiling.value:
            raise UsageError(f"two rules contradict each other: {limit} and {ceiling}.")


OWN, SHARED = "rankstone.toml", "pyproject.toml"
#: Options of the evaluation by key, such as ``min-score``; conventions have a table of their own.
_OPTIONS = {
    name.replace("_", "-"): name
    for name in VERBS["gate"]
    if field_named(name).metadata["flag"] is not None and name not in ("confidence", "by")
}
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(KINDS, dict),
    "min-queries": int,
    **dict.fromkeys(DOCUMENTS, (list, str)),
    "baseline": str,
    "values": str,
    "baseline-values": str,
    "by": str,
    "smallest-slice": int,
    "inconclusive": str,
    "confidence": (int, float),
    "conventions": dict,
    **dict.fromkeys(_OPTIONS, object),  # checked where they are read
}
_WORDS = {
    dict: "a table such as { MEASURE = 0.01 }",
    int: "a whole number",
    list: "a list",
    str: "text",
}


@frozen
class Settings:
    """The values of the table ``gate`` by key; ``path`` is its file, None if there is none."""

    path: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def find(cls, folder: str = ".") -> Settings:
        """Return the settings of a folder: of ``rankstone.toml``, else of ``pyproject.toml``."""
        for name in (OWN, SHARED):
            path = name if folder == "." else os.path.join(folder, name)
            if os.path.isfile(path):
                settings = cls.read(path)
                if name == OWN or settings.values:
                    return settings
        return cls()

    @classmethod
    def read(cls, path: str) -> Settings:
        """Read the settings in a file: ``[gate]``, or ``[tool.rankstone.gate]`` in a pyproject.toml."""
        data = read_toml(path)
        shared = os.path.basename(path) == SHARED
        table = _table(_table(data, "tool", path), "rankstone", path) if shared else data
        where = "[tool.rankstone]" if shared else "the file"
        _check_keys(table, {"gate"}, f"{path}: {where}")
        values = _table(table, "gate", path)
        _check_keys(values, set(_TYPES), f"{path}: [{'tool.rankstone.' * shared}gate]")
        for key, value in values.items():
            _check_type(key, value, path)
        return cls(path, values)

    def file(self, key: str) -> str | None:
        """Return a path; relative ones start at the folder of the settings."""
        value = self.values.get(key)
        return value if value is None or self.path is None else self._near(value)

    def rules(self) -> dict[str, Any]:
        """Return the values; files of rules are relative to the folder of the settings."""
        values = dict(self.values)
        for kind in DOCUMENTS:
            given = values.get(kind, [])
            several = [given] if isinstance(given, str) else given
            near = ((value, self._near(value)) for value in several)
            values[kind] = [path if os.path.isfile(path) else value for value, path in near]
        return values

    def _near(self, value: Any) -> str:
        folder = os.path.dirname(self.path or "")
        return os.path.normpath(os.path.join(folder, value)) if isinstance(value, str) else ""

    def evaluation(self) -> dict[str, Any]:
        """Return the options of the evaluation; files are relative to the folder of the settings."""
        options = dict(self.values.get("conventions", {}))
        for key, name in _OPTIONS.items():
            if key in self.values:
                value = self.values[key]
                is_file = field_named(name).metadata["kind"] == "data" and "{" not in str(value)
                options[name] = self.file(key) if is_file else value
        return options


def _table(data: Mapping[str, Any], key: str, path: str) -> dict[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"{path}: {key} must be a table, not {value!r}.")
    return value


def _check_keys(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            names = sorted(known)
            raise UsageError(
                f"{where} has an unknown key {key!r}.{did_you_mean(key, names)} "
                f"Known: {', '.join(names)}."
            )


def _check_type(key: str, value: Any, path: str) -> None:
    kind = _TYPES[key]
    if kind is not object and (isinstance(value, bool) or not isinstance(value, kind)):
        words = (
            "a number" if kind == (int, float) else _WORDS[kind if isinstance(kind, type) else list]
        )
        raise UsageError(f"{path}: {key} must be {words}, not {value!r}.")
