"""Write src/rankstone/choices/options.pyi: the options of each verb, for editors and type checkers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from rankstone.choices.setup import FIELDS, VERBS

TARGET = Path(__file__).resolve().parent.parent / "src/rankstone/choices/options.pyi"
_TYPES = {"flag": "bool", "number": "float", "whole": "int", "text": "str"}
_HEAD = """# The options of the verbs, for editors and type checkers. Written by
# ``python release/option_types.py`` from the fields of the choices; a test compares the two.
from typing import Any, Literal, TypedDict"""


def type_of(field: Any) -> str:
    """Return the annotation of a choice."""
    if "values" in field.metadata:
        kind = f"Literal[{', '.join(map(repr, field.metadata['values']))}]".replace("'", '"')
    else:
        kind = _TYPES.get(field.metadata["kind"], "Any")
    return kind if kind == "Any" or field.default is not None else f"{kind} | None"


def class_name(verb: str) -> str:
    """Return what the options of a verb are called: EvaluateOptions."""
    return "".join(w[0].upper() + w[1:] for w in verb.replace(".", "_").split("_")) + "Options"


def text() -> str:
    """Return the whole file."""
    known = FIELDS
    lines = [_HEAD]
    for verb, names in VERBS.items():
        lines.append(f"\nclass {class_name(verb)}(TypedDict, total=False):")
        lines += [f"    {name}: {type_of(known[name][1])}" for name in names]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
