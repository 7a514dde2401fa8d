"""Random collections and random measures; new measures are drawn as soon as they are registered."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from functools import cache

import numpy as np
from hypothesis import assume, settings, strategies as st

import rankstone as rs
from rankstone.measures.param import Table

NATIVE = importlib.util.find_spec("rankstone._native._core") is not None


def examples(thorough):
    """Return how many examples to draw: all of them with --thorough, a quarter in the daily run."""
    return thorough if settings.get_current_profile_name() == "thorough" else max(25, thorough // 4)


plain_ids = st.integers(0, 40).map(lambda i: f"d{i}")
odd_ids = st.text(
    st.characters(codec="utf-8", min_codepoint=0x21, exclude_categories=["Cc", "Zs", "Zl", "Zp"]),
    min_size=1,
    max_size=12,
)
ids = plain_ids | odd_ids
tied_scores = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 2.0])
scores = tied_scores | st.floats(-1e6, 1e6, allow_nan=False)
grades = st.sampled_from([-2, -1, 0, 0, 0, 1, 1, 2, 3, 4, 0.5])


@st.composite
def collections(draw, *, min_queries=1, grades=grades, scores=scores, ids=ids):
    """Judgments and a run as dicts, with overlap, unjudged and missing queries."""
    queries = draw(st.lists(ids, min_size=min_queries, max_size=5, unique=True))
    pool = draw(st.lists(ids, min_size=1, max_size=14, unique=True))
    documents = st.sampled_from(pool)
    judgments, run = {}, {}
    for i, query in enumerate(queries):
        where = "both" if i == 0 else draw(st.sampled_from(["both", "both", "judged", "run"]))
        if where != "run":
            judgments[query] = draw(st.dictionaries(documents, grades, min_size=1, max_size=12))
        if where != "judged":
            run[query] = draw(st.dictionaries(documents, scores, min_size=1, max_size=14))
    return judgments, run


@st.composite
def rankings(draw):
    """Grades in rank order and grades that were missed, at least one of them above 0."""
    given = st.sampled_from([0, 0, 1, 2, 3])
    found = draw(st.lists(given, min_size=1, max_size=15))
    missed = draw(st.lists(given, max_size=5))
    if not any(found + missed):
        found[draw(st.integers(0, len(found) - 1))] = 1
    return found, missed


gain_tables = st.dictionaries(
    st.sampled_from([0, 1, 2, 3, 4, 0.5]), st.sampled_from([0, 1, 2, 5, 0.5, 1.05]), min_size=1
)


def values_of(param):
    """Values a parameter may take: its default, its examples, and any table."""
    values = st.sampled_from([param.default, *param.examples])
    return values | gain_tables if isinstance(param, Table) else values


@st.composite
def measures(draw):
    """Any registered measure with any parameters that go together."""
    default = draw(st.sampled_from([m for m in rs.all_measures() if not m.definition.reads_items]))
    chosen = {p.name: draw(values_of(p)) for p in default.definition.params}
    measure = default(**{n: v for n, v in chosen.items() if v is not None})
    assume(_computes(str(measure)))
    return measure


@cache
def _computes(name):
    """Whether a measure accepts the grades 0 to 4 and 0.5, and a query with documents of one kind."""
    try:
        for judged, ranking in (
            ({"a": 4, "b": 0.5, "c": 0, "d": 1, "e": 2, "f": 3}, ["a", "b"]),
            ({"a": 1}, ["a"]),
        ):
            rs.evaluate({"q": judged}, {"q": ranking}, [name])
    except rs.RankstoneError:
        return False
    return True


def as_collection(found, missed):
    """Judgments and a ranked list for grades in rank order."""
    judged = {f"d{i:02d}": g for i, g in enumerate(found) if g is not None}
    judged |= {f"m{i:02d}": g for i, g in enumerate(missed)}
    return {"q": judged}, {"q": [f"d{i:02d}" for i in range(len(found))]}


def write_qrels(path, judgments):
    """Write judgments as a TREC file and return its path."""
    lines = [f"{q} 0 {d} {g}\n" for q, docs in judgments.items() for d, g in docs.items()]
    path.write_text("".join(lines), encoding="utf-8", newline="")
    return path


def write_run(path, run, order=None):
    """Write a run as a TREC file, its lines in the given order, and return its path."""
    lines = [f"{q} Q0 {d} 0 {s!r} tag\n" for q, docs in run.items() for d, s in docs.items()]
    if order is not None:
        lines = [lines[i] for i in order]
    path.write_text("".join(lines), encoding="utf-8", newline="")
    return path


def shown_on_a_terminal(call, *, words=False, **more):
    """Run a command with a terminal for its output (and its words) and return what it shows."""
    import pty

    leader, follower = pty.openpty()
    errors = follower if words else subprocess.PIPE
    with subprocess.Popen(call, stdout=follower, stderr=errors, **more):
        os.close(follower)
        shown = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # Linux says so when the other side has closed
                break
            if not part:
                break
            shown += part
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


def plain(value):
    """Return what an engine reports as plain data, with the types of its arrays, to be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.tolist()
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return repr(value) if type(value).__name__ == "Index" else value
