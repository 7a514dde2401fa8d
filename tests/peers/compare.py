"""The comparison: what a tool says of random collections, and what Rankstone says like it."""

from __future__ import annotations

import importlib
import math
import random
import re
from types import ModuleType, SimpleNamespace

import rankstone as rs
from peers.common import Accepts, Qrels, Run
from rankstone.measures.base import Measure
from rankstone.measures.parse import read_own_name
from rankstone.tools.base import Name, Tool

#: The tools whose numbers were compared; the ones that take long to start or to compile.
TESTED = tuple(tool.name for tool in rs.TOOLS.values() if tool.tested)
SLOW = ("ranx-0.3", "rax-0.4", "spark-4")
CUTS = (1, 2, 3, 5, 10, 20)

Adapter = ModuleType | SimpleNamespace


def adapter(name: str) -> Adapter:
    """Return a tool's adapter, whether or not the tool is installed."""
    module = importlib.import_module(f"peers.{rs.TOOLS[name].family}")
    return getattr(module, "VERSIONS", {name: module})[name]


def accepts(peer: Adapter, function: str) -> Accepts:
    """Return what a function of a tool can be given."""
    return peer.EXCEPT.get(function, peer.ACCEPTS)


def entry(tool: Tool, function: str) -> tuple[Measure, Name] | None:
    """Return what a tool's function is in Rankstone, None if it is unsupported."""
    try:
        return read_own_name(function.format(k=5), tool)
    except rs.UsageError:
        return None


def stem(pattern: str) -> str:
    """Return the bare name in a pattern: what the tool's own registry lists.

    >>> stem("map@{k}-l{rel}"), stem("nDCG(dcg='exp-log2')@{k}"), stem("recall_at_{k}")
    ('map', 'nDCG', 'recall')
    """
    bare = pattern.partition("(")[0]
    return re.sub(r"(_at)?[@._-]+l?(p=)?\{.*", "", bare).rstrip("-")


def draw(rng: random.Random, takes: Accepts) -> tuple[Qrels, Run]:
    """Return a random collection that a tool can be given."""
    letters = (
        ["a", "b", "Z", "0", "9", "é", "日", "\U0001f600", "-", "ß"] if takes.odd_ids else "abZ09"
    )
    documents = sorted({"".join(rng.choices(letters, k=rng.randint(1, 5))) for _ in range(32)})
    lowest = -5.0 if takes.nonpositive_scores else 0.25
    levels = [rng.uniform(lowest, 5) for _ in range(rng.choice([1, 3, 100]))]
    length = rng.choice([None, None, rng.randint(2, 15)]) if takes.short_lists else None
    scales = [[0, 1]]
    if takes.graded:
        scales += [[0, 1, 2, 3, 4], [0, 0, 3]]
    if takes.negative:
        scales += [[-2, -1, 0, 1], [-1, 0, 0, 2]]
    if takes.fractional:
        scales += [[0, 0.5, 1, 1.5], [0, 0.25, 1]]
    if takes.no_relevant:
        scales += [[0]]
    qrels: Qrels = {}
    run: Run = {}
    for i in range(rng.randint(1, 6)):
        query = f"q{i}"
        where = ["both", "both", "both"]
        where += ["judged"] * takes.unretrieved_queries + ["run"] * takes.unjudged_queries
        place = "both" if i == 0 else rng.choice(where)
        least = 1 if takes.single_document else 2
        least = least if takes.short_lists else max(CUTS)
        found = rng.sample(documents, length or rng.randint(least, takes.longest))
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        if place != "run":
            scale = rng.choice(scales)
            qrels[query] = {d: rng.choice(scale) for d in judged}
            if not takes.no_relevant or (i == 0 and not takes.empty):
                qrels[query] |= {found[-1]: 0, found[0]: 1}
            if not takes.all_negative:
                qrels[query][judged[0]] = max(0, qrels[query][judged[0]])
        if place != "judged":
            if takes.repeats:
                run[query] = rng.choices(found, k=len(found))
                run[query][0] = found[0]
            elif takes.ties:
                run[query] = {d: rng.choice(levels) + rng.random() * 1e-9 for d in found}
                if rng.random() < 0.7:
                    run[query] = {d: rng.choice(levels) for d in found}
            else:
                places = rng.sample(range(1000), len(found))
                run[query] = {
                    d: lowest + (p + 1) * (5 - lowest) / 1001
                    for d, p in zip(found, places, strict=True)
                }
    return qrels, run


def seeds(name: str, *, thorough: bool) -> int:
    """Return how many collections a function of a tool is compared on."""
    if name in SLOW:
        return 4 if name == "spark-4" else 200
    return 200 if thorough else 12


def close(ours: float, theirs: float, digits: float) -> bool:
    """Whether two numbers agree to what the tool computes with."""
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return abs(ours - theirs) <= digits * max(1.0, abs(theirs))


def differences(name: str, function: str, seed: int) -> list[str]:
    """Return in words where Rankstone, asked for a tool's numbers, differs from the tool."""
    peer = adapter(name)
    takes = accepts(peer, function)
    rng = random.Random(f"{name} {function} {seed}")
    qrels, run = draw(rng, takes)
    cuts = [cut for cut in CUTS if cut >= takes.shallowest]
    k = rng.choice(cuts) if "{k}" in function else None
    values, mean = peer.FUNCTIONS[function](qrels, run, k)
    asked = function.format(k=k)
    result = rs.evaluate(qrels, run, [asked], like=name)
    (column,) = result.aggregates
    ours = {q: v[column] for q, v in result.per_query.items() if not math.isnan(v[column])}
    different = []
    if values is not None:
        if set(ours) != set(values):
            different.append(f"{asked}: queries {sorted(ours)}, not {sorted(values)}")
        different += [
            f"{asked} of {q}: {ours[q]!r}, not {v!r}: {qrels.get(q)} {run.get(q)}"
            for q, v in values.items()
            if q in ours and not close(ours[q], v, takes.digits)
        ]
    if mean is not None and takes.mean and not close(result[column], mean, takes.digits):
        different.append(f"{asked}, mean: {result[column]!r}, not {mean!r}")
    return different
