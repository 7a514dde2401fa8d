"""Outcomes of evaluations, and of functions of both engines, to compare."""

from __future__ import annotations

import numpy as np
import pytest

import rankstone as rs
from rankstone.core import engine


def outcome(*data, **rules):
    """All that there is in a result, or the error there is."""
    try:
        made = rs.evaluate(*data, **rules).to_dict()
        # Arrays on a device are not looked at before they are cut.
        notices = [n for n in made["notices"] if n["code"] != "labels-and-scores"]
        return repr({**made, "notices": notices, "provenance": None})
    except rs.RankstoneError as error:
        return type(error), str(error)


def alike(name, *data):
    """What both engines make of data."""
    made = []
    for wanted in ("native", "python"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RANKSTONE_ENGINE", wanted)
            found = getattr(engine.load(), name)(*data)
        made.append(None if found is None else [np.asarray(part).tolist() for part in found])
    assert made[0] == made[1]
    return made[0]
