"""Write src/rankstone/choices/options.pyi: the options of each verb, for editors and type checkers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from rankstone.choices.setup import VERBS, fields_of

TARGET = Path(__file__).resolve().parent.parent / "src/rankstone/choices/options.pyi"
_TYPES = {"flag": "bool", "number": "float", "whole": "int", "text": "str"}
_LONGEST = 100
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


def wrapped(line: str) -> str:
    """Return a line whose list of values is on a line of its own if it is too long."""
    if len(line) <= _LONGEST:
        return line
    begin, _, rest = line.partition("[")
    values, _, end = rest.rpartition("]")
    return f"{begin}[\n        {values}\n    ]{end}"


def text() -> str:
    """Return the whole file."""
    lines = [_HEAD]
    for verb in VERBS:
        lines.append(f"\nclass {class_name(verb)}(TypedDict, total=False):")
        pairs = ((name, type_of(field)) for name, (_, field) in fields_of(verb).items())
        lines += [wrapped(f"    {name}: {kind}") for name, kind in pairs]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
