"""Names of measures: what is printed can be read, and so can other tools' names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from rankstone.core.cutoff import Budget
from rankstone.errors import UsageError, meant
from rankstone.measures.base import REGISTRY, Measure
from rankstone.tools import TOOLS

if TYPE_CHECKING:
    from rankstone.tools.base import Name, Tool

_GRAMMAR = re.compile(r"\s*(\w[\w-]*)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?\s*", re.DOTALL)
_SUFFIX = re.compile(r"(.+?)(?:@|_at_|[._])([0-9]+)")


class _Form(NamedTuple):
    """A text taken apart: ``base(inside)@cutoff``."""

    base: str
    inside: str | None
    cutoff: str | None


class _Reading(NamedTuple):
    """The measure that a text names, the parameters written in it, and the tool's name, if any."""

    measure: str
    params: dict[str, Any]
    name: Name | None = None


def split_names(text: str) -> list[str]:
    """Return the names in a text: ``nDCG@10,AP`` and ``nDCG@10 AP`` are two.

    A comma or a blank separates names if a letter follows and it is not in parentheses.

    >>> split_names("nDCG(gain=exp2, ideal=uncut)@10, AP P.5,10")
    ['nDCG(gain=exp2, ideal=uncut)@10', 'AP', 'P.5,10']
    """
    names = [""]
    for part in re.split(r"([,\s]+(?=[A-Za-z]))", text.strip()):
        is_between = not part.strip(", \t\n") and names[-1].count("(") == names[-1].count(")")
        if is_between and names[-1]:
            names.append("")
        else:
            names[-1] += part
    return names


def parse_measure(text: str | Measure) -> Measure:
    """Read a measure's name, in Rankstone's spelling or another tool's.

    >>> parse_measure("ndcg_cut_10"), parse_measure("P(rel=2)@5")
    (nDCG@10, P(rel=2)@5)
    """
    return read_measure(text)[0]


def read_measure(text: str | Measure, tool: Tool | None = None) -> tuple[Measure, Name | None]:
    """Return a measure as a tool computes it, and the tool's name for it, if it has one.

    A tool's own name means what it means there, and so do parameters in it. Other names stand
    for the measure as the tool has it; a parameter that is written out is never overruled.
    """
    if isinstance(text, Measure):
        return _as_in_tool(text.name, text.given, tool)
    if not isinstance(text, str):
        raise UsageError(f"a measure is given by name or as an object, not as {text!r}.")
    text = text.strip()
    if tool is not None and (own := read_own_name(text, tool)) is not None:
        return own
    reading = _anywhere(text, tool)
    if tool is None:
        return _measure_of(reading), reading.name
    params = {**(reading.name.params if reading.name else {}), **reading.params}
    return _as_in_tool(reading.measure, params, tool)


def _measure_of(reading: _Reading) -> Measure:
    params = {**(reading.name.params if reading.name else {}), **reading.params}
    return Measure(REGISTRY[reading.measure].definition, params)


def _as_in_tool(
    measure: str, params: Mapping[str, Any], tool: Tool | None
) -> tuple[Measure, Name | None]:
    """Return a measure with the written parameters; the tool's definition gives the others."""
    own = tool.names_of(measure) if tool else []
    has_cutoff = params.get("k") is not None
    name = next((n for n in own if n.has_cutoff == has_cutoff), own[0] if own else None)
    return _measure_of(_Reading(measure, dict(params), name)), name


def _forms(text: str) -> Iterator[_Form]:
    """Yield the ways to take a text apart: by the grammar, and by a number at its end."""
    if match := _GRAMMAR.fullmatch(text):
        yield _Form(*match.groups())
    if match := _SUFFIX.fullmatch(text):
        yield _Form(match[1], None, match[2])


def read_own_name(text: str, tool: Tool) -> tuple[Measure, Name] | None:
    """Read one of the tool's own names, or say that it is unsupported; None if it is neither."""
    for name, params in _special(text, tool.names):
        return _measure_of(_Reading(name.measure, params, name)), name
    for name, _ in _special(text, chain.from_iterable(tool.refused.values())):
        raise _unsupported(text, name, tool)
    for form in _forms(text):
        has_cutoff = form.cutoff is not None or _names_cutoff(text, form, tool)
        own = tool.by_base.get(form.base.lower(), [])
        own = [name for name in own if name.base == form.base] or own
        fitting = [name for name in own if name.has_cutoff == has_cutoff]
        refused = tool.refused.get(form.base.lower(), [])
        # Rankstone's own name, letter by letter, is not another measure of the tool's.
        ours = form.base in REGISTRY and form.base not in {name.base for name in refused}
        if refused and not fitting and not ours:
            raise _unsupported(text, refused[0], tool)
        if own:
            return _with_arguments(text, form, (fitting or own)[0], tool)
    return None


def _names_cutoff(text: str, form: _Form, tool: Tool) -> bool:
    """Whether a cutoff is among the parameters in parentheses."""
    if not form.inside or form.base.lower() not in {**tool.by_base, **tool.refused}:
        return False
    given = _arguments(form.inside, text)
    return "k" in given or any(tool.arguments[n].param == "k" for n in given if n in tool.arguments)


def _special(text: str, names: Iterable[Name]) -> Iterator[tuple[Name, dict[str, Any]]]:
    """Yield the names that match a text by more than a cutoff at the end, with the parameters it sets."""
    base, _, cutoff = text.partition("@")
    for name in names:
        if "(" in base and name.base.lower() == base.lower():
            yield name, {"k": _cutoff(cutoff, text, whole=True)} if cutoff else {}
        elif not name.is_plain and (params := name.match(text)) is not None:
            yield name, params


def _with_arguments(text: str, form: _Form, name: Name, tool: Tool) -> tuple[Measure, Name]:
    """Read a tool's name with parameters in parentheses, which are the tool's if it has them."""
    given = _given(text, form, REGISTRY[name.measure])
    params: dict[str, Any] = {}
    for key, value in given.items():
        argument = tool.arguments.get(key)
        if argument is None or not argument.holds_for(name.measure):
            params[key] = value
            continue
        chosen = argument.choices(key, value)
        params |= chosen.params
        name = replace(
            name,
            params={**name.params, **chosen.params},
            conventions={**name.conventions, **chosen.conventions},
            note="; ".join(filter(None, (name.note, chosen.note))),
        )
    return _measure_of(_Reading(name.measure, params, name)), name


def _anywhere(text: str, tool: Tool | None) -> _Reading:
    """Read a name of Rankstone's, or of any tool; tools are loaded for the latter only."""
    error = None
    if (match := _GRAMMAR.fullmatch(text)) and (measure := _canonical(match[1])):
        try:
            reading = _Reading(measure, _given(text, _Form(*match.groups()), REGISTRY[measure]))
            _measure_of(reading)
        except UsageError as refused:
            if tool is not None:
                raise
            error = refused  # its parameters may be a tool's: nDCG(dcg='exp-log2')
        else:
            return reading
    forms = list(_forms(text))
    tools = list(TOOLS.values())
    special = [pair for other in tools for pair in _special(text, other.names)]
    if special:
        name, params = special[0]
        agreed = all(same.params == name.params for same, _ in special)
        return _Reading(name.measure, params, name if agreed else None)
    if error is not None:
        raise error
    for form in forms:
        if measure := _canonical(form.base):
            return _Reading(measure, _given(text, form, REGISTRY[measure]))
        if shared := _shared(text, form, tools):
            measure, agreed_name = shared
            return _Reading(measure, _given(text, form, REGISTRY[measure]), agreed_name)
    raise _unknown(text, forms, tools)


def _canonical(base: str) -> str | None:
    """Return Rankstone's name of a measure, whatever the case it is written in."""
    if base in REGISTRY:
        return base
    return next((name for name in REGISTRY if name.lower() == base.lower()), None)


def _shared(text: str, form: _Form, tools: Iterable[Tool]) -> tuple[str, Name | None] | None:
    """Return the measure that more than half of the tools mean by a name, and the name if they agree."""
    own = ((tool, n) for tool in tools for n in tool.by_base.get(form.base.lower(), []))
    names = [(tool, n) for tool, n in own if not n.only_here]
    if not names:
        return None
    most = _majority(names)
    if len(most) > 1:  # the form may tell: one tool has the name with a cutoff, another without
        has_cutoff = form.cutoff is not None
        most = _majority([(tool, n) for tool, n in names if n.has_cutoff == has_cutoff])
    if len(most) != 1:
        meanings = ", ".join(dict.fromkeys(f"{n.measure} in {tool.family}" for tool, n in names))
        raise UsageError(
            f"{text!r} means different measures: {meanings}. Name the tool with like= or --like, "
            "or write the measure's own name."
        )
    first = next(n for _, n in names if n.measure == most[0])
    agreed = all((n.measure, n.params) == (first.measure, first.params) for _, n in names)
    return most[0], first if agreed else None


def _majority(names: Iterable[tuple[Tool, Name]]) -> list[str]:
    """Return the measure that more than half of the tools mean by a name, or all that they mean."""
    # One vote for each tool, whatever its versions and its forms of the name.
    votes = Counter(m for _, m in dict.fromkeys((tool.family, n.measure) for tool, n in names))
    return [measure for measure in votes if 2 * votes[measure] > votes.total()] or list(votes)


def _given(text: str, form: _Form, measure: Measure) -> dict[str, Any]:
    """Return the parameters written in parentheses and after @."""
    params = _arguments(form.inside, text) if form.inside else {}
    if form.cutoff is not None:
        at = measure.definition.cutoff_param
        if at in params:
            raise UsageError(f"{text!r} gives its cutoff twice, as {at}= and after @.")
        params[at] = _cutoff(form.cutoff, text, whole=at == "k")
    return params


def _cutoff(written: str, text: str, *, whole: bool) -> float | Budget:
    if whole and (budget := Budget.read(written)):
        return budget
    digits = written if whole else written.replace(".", "", 1)
    if not written.isascii() or not digits.isdigit():
        kind = "whole number, or a budget such as 2000tokens" if whole else "number"
        raise UsageError(
            f"the cutoff in {text!r} must be a {kind}, not {written!r}; "
            "each measure is named on its own."
        )
    if len(written) > 15:
        raise UsageError(f"the cutoff in {text!r} is too large; leave it out for all documents.")
    return int(written) if whole else float(written)


def _arguments(inside: str, text: str) -> dict[str, Any]:
    """Read ``name=value, ...`` without evaluating anything."""
    import ast

    try:
        call = ast.parse(f"f({inside})", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
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


def _unsupported(text: str, name: Name, tool: Tool) -> UsageError:
    """Return the error for a measure of a tool whose number cannot be given, with the reason."""
    ours = _canonical(name.base)
    hint = f" Write {ours} for Rankstone's own." if ours else ""
    return UsageError(f"cannot give the number of {tool.name}'s {text!r}: {name.note}.{hint}")


def _unknown(text: str, forms: Iterable[_Form], tools: Iterable[Tool]) -> UsageError:
    """Return the error for an unknown name, or for a name that only some tools have."""
    having = {
        tool.family: names[0].note
        for tool in tools
        for form in forms
        if (names := tool.refused.get(form.base.lower()))
    }
    if having:
        reasons = "; ".join(f"{family} has one ({reason})" for family, reason in having.items())
        return UsageError(f"unknown measure {text!r}: {reasons}.")
    return UsageError(
        f"unknown measure {text!r}.{suggestion(text, tools)} 'rankstone measures' lists them all."
    )


def suggestion(text: str, tools: Iterable[Tool]) -> str:
    """Return ``' Did you mean X?'`` for a name that is misspelt, never for another name."""
    from difflib import get_close_matches

    base = re.split(r"[@(]", text)[0]
    base = re.sub(r"(_at)?[._]?[0-9]*$", "", base).lower() or base.lower()
    known = {n.lower(): n for n in REGISTRY}
    for tool in tools:
        own = ((b, names[0]) for b, names in tool.by_base.items())
        known |= {b: n.measure for b, n in own if b not in known and not n.only_here}
    swapped = [name for name in known if sorted(name) == sorted(base)]
    same_start = [name for name in known if name[:1] == base[:1]]
    near = swapped or get_close_matches(base, same_start, n=1, cutoff=0.8)
    if not near:
        return ""
    measure = REGISTRY[known[near[0]]]
    written = re.search(r"@\s*([0-9]+)$|[._]([0-9]+)$", text)
    has_cutoff = any(p.name == "k" for p in measure.definition.params)
    cutoff = f"@{written[1] or written[2]}" if written and has_cutoff else ""
    return meant(f"{measure}{cutoff}")


def all_measures() -> list[Measure]:
    """Return every registered measure with its default parameters, by name."""
    return [REGISTRY[name] for name in sorted(REGISTRY, key=str.lower)]
