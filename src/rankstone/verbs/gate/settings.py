"""Settings of a gate in ``rankstone.toml`` or ``pyproject.toml``."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankstone.choices.setup import VERBS, field_named
from rankstone.errors import DataError, UsageError, did_you_mean
from rankstone.verbs.gate.rules import DOCUMENTS, KINDS

OWN, SHARED = "rankstone.toml", "pyproject.toml"
_LIMITS = dict.fromkeys(KINDS, dict)
#: Options of the evaluation by key, such as ``min-score``; conventions have a table of their own.
_OPTIONS = {
    name.replace("_", "-"): name
    for name in VERBS["gate"]
    if field_named(name).metadata["flag"] is not None and name not in ("confidence", "by")
}
_TYPES: dict[str, type | tuple[type, ...]] = {
    **_LIMITS,
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


@dataclass(frozen=True)
class Settings:
    """The values of the table ``gate`` by key; ``path`` is its file, None if there is none."""

    path: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

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


def find_settings(folder: str = ".") -> Settings:
    """Return the settings of a folder: of ``rankstone.toml``, else of ``pyproject.toml``."""
    for name in (OWN, SHARED):
        path = name if folder == "." else os.path.join(folder, name)
        if os.path.isfile(path):
            settings = read_settings(path)
            if name == OWN or settings.values:
                return settings
    return Settings()


def read_settings(path: str) -> Settings:
    """Read the settings in a file: ``[gate]``, or ``[tool.rankstone.gate]`` in a pyproject.toml."""
    try:
        with open(path, "rb") as stream:
            data = tomllib.load(stream)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: this is not valid TOML ({error}).") from None
    shared = os.path.basename(path) == SHARED
    table = _table(_table(data, "tool", path), "rankstone", path) if shared else data
    where = "[tool.rankstone]" if shared else "the file"
    _check_keys(table, {"gate"}, f"{path}: {where}")
    values = _table(table, "gate", path)
    _check_keys(values, set(_TYPES), f"{path}: [{'tool.rankstone.' * shared}gate]")
    for key, value in values.items():
        _check_type(key, value, path)
    return Settings(path, values)


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
