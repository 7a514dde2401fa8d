"""Names of measures: what is printed can be read, and so can other tools' spellings."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from rankstone.errors import UsageError, did_you_mean
from rankstone.measures.base import REGISTRY, As, Definition, Measure

_GRAMMAR = re.compile(r"\s*([A-Za-z0-9][\w-]*)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?\s*", re.DOTALL)
_SUFFIX = re.compile(r"(.+?)(?:@|_at_|[._])([0-9]+)")


def _spellings(tools: tuple[str, ...] = ()) -> dict[str, list[tuple[str, As]]]:
    """Return what each spelling may stand for, by its lower case, in all tools or in some."""
    found: dict[str, list[tuple[str, As]]] = {}
    for name, default in REGISTRY.items():
        for tool, spellings in default.definition.names.items():
            if not tools or tool in tools:
                for spelling in spellings:
                    found.setdefault(spelling.base.lower(), []).append((name, spelling))
    return found


def _meaning(base: str, cut: bool, tools: tuple[str, ...]) -> tuple[Measure, As | None] | None:
    """Return the measure a spelling stands for, with or without cut-off, and its choices.

    Where tools share a spelling and part on what it is, it stands for the measure most of them
    mean, alone.
    """
    if tools:
        own = _spellings(tools).get(base.lower())
        if own:
            fitting = [o for o in own if ("{k}" in o[1].pattern) == cut] or own
            return REGISTRY[fitting[0][0]], fitting[0][1]
    canonical = {name.lower(): name for name in REGISTRY}
    name = base if base in REGISTRY else canonical.get(base.lower())
    if name is not None:
        return REGISTRY[name], None
    shared = _spellings().get(base.lower())
    if not shared:
        return None
    usual = Counter(n for n, _ in shared).most_common(1)[0][0]
    name, spelling = next(one for one in shared if one[0] == usual)
    agreed = all(n == name and s.params == spelling.params for n, s in shared)
    return REGISTRY[name], spelling if agreed else None


def parse_measure(text: str | Measure) -> Measure:
    """Read a measure's name, in Rankstone's spelling or another tool's.

    >>> parse_measure("ndcg_cut_10"), parse_measure("P(rel=2)@5")
    (nDCG@10, P(rel=2)@5)
    """
    return read_measure(text)[0]


def read_measure(text: str | Measure, tools: tuple[str, ...] = ()) -> tuple[Measure, As | None]:
    """Return a measure as ``tools`` compute it, and the entry of theirs that says so, if any.

    ``tools`` are names of one tool, the most specific first. A spelling of theirs is read their
    way first; what is said of a parameter in so many words holds.
    """
    if isinstance(text, Measure):
        return _with(text.definition, None, text.given, tools)
    if not isinstance(text, str):
        raise UsageError(f"a measure is given by name or as an object, not as {text!r}.")
    special = _literal(text.strip(), tools) or _from_pattern(text.strip(), tools)
    if special is not None:
        return special
    match = _GRAMMAR.fullmatch(text)
    if match:
        base, inside, cut = match.groups()
        meaning = _meaning(base, cut is not None, tools)
        if meaning is not None:
            params = _arguments(inside, text) if inside else {}
            if cut is not None:
                at = meaning[0].definition.cutoff_param
                if at in params:
                    raise UsageError(f"{text!r} gives its cut-off twice, as {at}= and after @.")
                params[at] = _cut(cut, text, whole=at == "k")
            return _with(meaning[0].definition, meaning[1], params, tools)
    suffix = _SUFFIX.fullmatch(text.strip())
    meaning = _meaning(suffix[1], True, tools) if suffix else None
    if suffix and meaning is not None:
        return _with(
            meaning[0].definition, meaning[1], {"k": _cut(suffix[2], text, whole=True)}, tools
        )
    raise _unknown(text, {s: e[0][0] for s, e in _spellings().items()})


def _literal(text: str, tools: tuple[str, ...]) -> tuple[Measure, As | None] | None:
    """Read a spelling with parameters in a tool's own words, such as MAP(divide_by_k=True)@5."""
    base, _, cut = text.partition("@")
    if "(" not in base:
        return None
    own = _spellings(tools).get(base.lower())
    if not own:
        return None
    params = {"k": _cut(cut, text, whole=True)} if cut else {}
    return _with(REGISTRY[own[0][0]].definition, own[0][1], params, tools)


def _with(
    definition: Definition, spelling: As | None, given: dict[str, Any], tools: tuple[str, ...]
) -> tuple[Measure, As | None]:
    """Return a measure with what was given, and otherwise as its spelling or its tool has it."""
    if spelling is None and tools:
        own = next((definition.names[t] for t in tools if t in definition.names), ())
        cut = given.get("k") is not None
        fitting = [s for s in own if ("{k}" in s.pattern) == cut] or own
        spelling = fitting[0] if fitting else None
    params = given if spelling is None else {**spelling.params, **given}
    return Measure(definition, params), spelling


def _from_pattern(text: str, tools: tuple[str, ...]) -> tuple[Measure, As | None] | None:
    """Read a spelling that holds other parameters than a cut-off at its end."""
    if text[-1:].isalpha() or not any(c.isdigit() for c in text):
        return None
    if not tools and re.split(r"[@(]", text, maxsplit=1)[0] in REGISTRY:
        return None  # a name of Rankstone's own is read Rankstone's way
    found = []
    for entries in _spellings(tools).values():
        for name, spelling in entries:
            holes = re.findall(r"\{(\w+)\}", spelling.pattern)
            if holes in ([], ["k"]) and spelling.pattern.endswith(("{k}", spelling.base)):
                continue
            plan = re.sub(
                r"\\\{(\w+)\\\}", r"(?P<\1>[0-9]+(?:\\.[0-9]+)?)", re.escape(spelling.pattern)
            )
            match = re.fullmatch(plan, text, re.IGNORECASE)
            if match:
                values = {n: float(v) for n, v in match.groupdict().items()}
                found.append((name, spelling, values))
    if not found:
        return None
    name, spelling, values = found[0]
    if not tools and any(s.params != spelling.params for _, s, _ in found):
        return _with(REGISTRY[name].definition, None, values, tools)
    return _with(REGISTRY[name].definition, spelling, values, tools)


def _cut(text: str, name: str, *, whole: bool) -> float:
    digits = text if whole else text.replace(".", "", 1)
    if not text.isascii() or not digits.isdigit():
        kind = "whole number" if whole else "number"
        raise UsageError(
            f"the cut-off in {name!r} must be a {kind}, not {text!r}; "
            "each measure is named on its own."
        )
    if len(text) > 15:
        raise UsageError(f"the cut-off in {name!r} is too large; leave it out for all documents.")
    return int(text) if whole else float(text)


def _unknown(text: str, spellings: dict[str, str]) -> UsageError:
    base = re.split(r"[@(]", text.strip(), maxsplit=1)[0]
    base = re.sub(r"(_at)?[._]?[0-9]*$", "", base) or base
    rest = re.search(r"@\s*[0-9]+$|[._]([0-9]+)$", text.strip())
    hint = did_you_mean(base, [*REGISTRY, *spellings])
    if hint:
        found = hint.removeprefix(" Did you mean ").removesuffix("?")
        canonical = REGISTRY.get(found) or REGISTRY[spellings[found]]
        cut = re.sub(r"\D", "", rest[0]) if rest else ""
        has_cut = any(p.name == "k" for p in canonical.definition.params)
        hint = f" Did you mean {canonical}{'@' + cut if cut and has_cut else ''}?"
    return UsageError(f"unknown measure {text!r}.{hint} 'rankstone measures' lists them all.")


def _arguments(inside: str, text: str) -> dict[str, Any]:
    """Read ``name=value, ...`` without evaluating anything."""
    import ast

    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError
        params = {}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in params:
                raise ValueError
            word = isinstance(keyword.value, ast.Name)  # text without quotes, as shells leave it
            params[keyword.arg] = (
                ast.unparse(keyword.value) if word else ast.literal_eval(keyword.value)
            )
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise UsageError(
            f"cannot read the parameters of {text!r}; write them as in "
            "nDCG(gain='exp2', ideal='uncut')@10."
        ) from None
    return params


def all_measures() -> list[Measure]:
    """Return every registered measure with its default parameters, by name."""
    return [REGISTRY[name] for name in sorted(REGISTRY, key=str.lower)]
