"""Names of measures: what is printed can be read, and so can other tools' spellings."""

from __future__ import annotations

import re
from typing import Any

from rankstone.errors import UsageError, did_you_mean
from rankstone.measures.base import REGISTRY, Measure

_GRAMMAR = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?\s*", re.DOTALL)
_SUFFIX = re.compile(r"(.+?)(?:@|_at_|[._])([0-9]+)")


def _spellings() -> dict[str, str]:
    """Return canonical names by spelling: each name itself and its names in other tools."""
    spellings: dict[str, str] = {}
    for name, default in REGISTRY.items():
        for patterns in default.definition.names.values():
            for pattern in patterns:
                base = pattern.replace("{k}", "").rstrip("@._").removesuffix("_at")
                spellings.setdefault(base.lower(), name)
    for name in REGISTRY:
        spellings[name.lower()] = name
    return spellings


def parse_measure(text: str | Measure) -> Measure:
    """Read a measure's name, in Rankstone's spelling or another tool's.

    >>> parse_measure("ndcg_cut_10"), parse_measure("P(rel=2)@5")
    (nDCG@10, P(rel=2)@5)
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise UsageError(f"a measure is given by name or as an object, not as {text!r}.")
    match = _GRAMMAR.fullmatch(text)
    spellings = _spellings()
    if match:
        base, inside, cut = match.groups()
        name = REGISTRY.get(base) or REGISTRY.get(spellings.get(base.lower(), ""))
        if name is not None:
            params = _arguments(inside, text) if inside else {}
            if cut is not None:
                if "k" in params:
                    raise UsageError(f"{text!r} gives its cut-off twice, as k= and after @.")
                params["k"] = _cut(cut, text)
            return Measure(name.definition, params)
    suffix = _SUFFIX.fullmatch(text.strip())
    if suffix and suffix[1].lower() in spellings:
        return REGISTRY[spellings[suffix[1].lower()]](k=int(suffix[2]))
    raise _unknown(text, spellings)


def _cut(text: str, whole: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise UsageError(
            f"the cut-off in {whole!r} must be a whole number, not {text!r}; "
            "each measure is named on its own."
        )
    return int(text[:18])


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
            params[keyword.arg] = ast.literal_eval(keyword.value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise UsageError(
            f"cannot read the parameters of {text!r}; write them as in nDCG-like "
            "Name(param=value, other='text')@10."
        ) from None
    return params


def all_measures() -> list[Measure]:
    """Return every registered measure with its default parameters, by name."""
    return [REGISTRY[name] for name in sorted(REGISTRY, key=str.lower)]
