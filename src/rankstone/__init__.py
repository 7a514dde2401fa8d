"""Rankstone: right numbers for rankings, with their working.

>>> import rankstone as rs
>>> rs.evaluate({"q1": {"d1": 2}}, {"q1": ["d7", "d1"]}, [rs.nDCG @ 10, "RR"])["RR"]
0.5
"""

from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "evaluate": "rankstone.evaluation",
    "Conventions": "rankstone.conventions",
    "Result": "rankstone.core.result",
    "DataError": "rankstone.errors",
    "MissingDependencyError": "rankstone.errors",
    "Notice": "rankstone.errors",
    "RankstoneError": "rankstone.errors",
    "RankstoneNotice": "rankstone.errors",
    "StrictError": "rankstone.errors",
    "UsageError": "rankstone.errors",
}


def __getattr__(name: str) -> Any:
    """Resolve public names on first use, so that importing costs nothing."""
    from importlib import import_module

    if name.startswith("_"):
        raise AttributeError(f"module 'rankstone' has no attribute {name!r}")
    home = _HOMES.get(name, "rankstone.measures")
    try:
        value = getattr(import_module(home), name)
    except AttributeError:
        raise AttributeError(f"module 'rankstone' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, measures included."""
    from rankstone.measures import all_measures

    names = [*_HOMES, "Measure", "all_measures", "parse_measure", "__version__"]
    return sorted(names + [m.name for m in all_measures()])
