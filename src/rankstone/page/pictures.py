"""The pictures, each defined once as Vega-Lite: for the page, for files and for notebooks.

The definitions in ``assets/pictures.json`` leave open the rows, the width, and words in braces after
a ``§``. ``$name`` is a word of the page in its language, or a part that several pictures share.
Colours of runs are told apart with any kind of colour vision, and the first is the baseline's; where
they begin again lines are dashed, then dotted. The curve ``pr`` leaves out its points at (0, 0): above
the first relevant document precision is 0, a line on the axis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from rankstone.page.html import asset

Spec = dict[str, Any]


@lru_cache(maxsize=1)
def _data() -> Spec:
    data: Spec = json.loads(asset("pictures.json"))
    return data


def themes() -> dict[str, Spec]:
    """Return the configuration of pictures in each theme."""
    themes: dict[str, Spec] = _data()["themes"]
    return themes


def definitions(strings: Mapping[str, str]) -> dict[str, Spec]:
    """Return the pictures by name, with the words of a language."""
    return {name: _filled(spec, strings) for name, spec in _data()["pictures"].items()}


def _filled(part: Any, strings: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        return {name: _filled(value, strings) for name, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, strings) for value in part]
    if not isinstance(part, str) or not part.startswith(("$", "§$")):
        return part
    mark, _, name = part.partition("$")
    shared = _data()["shared"].get(name)
    return mark + strings[name] if shared is None else _filled(shared, strings)
