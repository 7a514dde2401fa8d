"""Data on which each choice matters, with the choice and changed by hand."""

from dataclasses import dataclass
from typing import Any

JUDGED = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "d": 0}, "q3": {"b": 1}}
RUN = {
    "q1": {"x": 9.0, "a": 7.0, "b": 5.0},
    "q2": {"d": 8.0, "x": 6.0, "a": 2.0},
    "q3": {"c": 3.0, "b": 1.0},
}


@dataclass(frozen=True)
class Case:
    """A choice with its value, and data on which it matters, with and without it."""

    choice: str
    value: Any
    measure: str = "RR"
    judged: Any = None
    run: Any = None
    by_hand: tuple[Any, Any] | None = None  # judgments and run
    also: tuple[tuple[str, Any], ...] = ()  # choices that go with it
    measure_by_hand: str | None = None  # if it is another

    @property
    def options(self):
        return {self.choice: self.value, **dict(self.also)}

    @property
    def data(self):
        return self.judged or JUDGED, self.run or RUN


def changed(data, change):
    """Return data by query with a function of query, document and number, which may be None."""
    made = {}
    for query, docs in data.items():
        numbers = {doc: change(query, doc, number) for doc, number in docs.items()}
        made[query] = {doc: number for doc, number in numbers.items() if number is not None}
    return made


TIED = changed(RUN, lambda q, d, s: 1.0)
SIGNED = changed(RUN, lambda q, d, s: s - 5)
CLOSE = {"q1": {"x": 1.0, "a": 1.0 + 1e-12}, "q2": {"a": 1.0}, "q3": {"b": 1.0}}
CHUNKS = {"q1": ["x#1", "a#1", "a#2", "b#1"], "q2": ["d#1", "d#2", "a#1"], "q3": ["c#1", "b#7"]}
SCORED_CHUNKS = {
    q: dict(zip(docs, (0.9, 0.6, 0.5, 0.4), strict=False)) for q, docs in CHUNKS.items()
}
DOUBLED = {**SCORED_CHUNKS, "q1": {"x#1": 0.9, "x#2": 0.6, "a#1": 0.5, "b#1": 0.4}}
PARENTS = "{doc}#{n}"
SHOWN = {q: [{"id": d, "score": -s} for d, s in docs.items()] for q, docs in RUN.items()}
ONES = dict.fromkeys("abcdx", 1)
EXCLUDED = {"q1": ["x"], "q2": ["d", "x"]}


def summed(scores):
    made = {}
    for chunk, score in scores.items():
        made[chunk[0]] = made.get(chunk[0], 0.0) + score
    return made


def best(scores):
    made = {}
    for chunk, score in scores.items():
        made[chunk[0]] = max(made.get(chunk[0], score), score)
    return made


CASES = [
    Case("scores", "ascending", by_hand=(JUDGED, changed(RUN, lambda q, d, s: -s))),
    Case("rank_by", "score", run=SHOWN, by_hand=(JUDGED, changed(RUN, lambda q, d, s: -s))),
    Case("min_score", 2.5, by_hand=(JUDGED, changed(RUN, lambda q, d, s: s if s >= 2.5 else None))),
    Case("exclude", EXCLUDED, by_hand=(JUDGED, changed(RUN, lambda q, d, s: None if d in EXCLUDED.get(q, ()) else s))),
    Case("parents", PARENTS, run=CHUNKS, by_hand=(JUDGED, {"q1": ["x", "a", "b"], "q2": ["d", "a"], "q3": ["c", "b"]})),
    Case("parent_rule", "sum", run=SCORED_CHUNKS, by_hand=(JUDGED, {q: summed(s) for q, s in SCORED_CHUNKS.items()}), also=(("parents", PARENTS),)),
    Case("judged_chunks", True, "nDCG", judged={"q1": {"a#1": 1, "a#2": 2, "b#9": 1}, "q2": {"a#4": 1}, "q3": {"b#7": 1}}, run=SCORED_CHUNKS, by_hand=({"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"b": 1}}, {q: best(s) for q, s in SCORED_CHUNKS.items()}), also=(("parents", PARENTS),)),
    Case("same_as", {"z": "a"}, "nDCG", judged={"q1": {"z": 2, "b": 1, "c": 0}, "q2": {"z": 1, "d": 0}, "q3": {"b": 1}}, by_hand=(JUDGED, RUN)),
    Case("cutoff_unit", "chunk", "R@2", run=DOUBLED, by_hand=(JUDGED, {q: best(dict(list(s.items())[:2])) for q, s in DOUBLED.items()}), also=(("parents", PARENTS),)),
    Case("items", {"popularity": ONES}, "Popularity@2", by_hand=(JUDGED, RUN), measure_by_hand="Filled(of='any')@2"),
    Case("history", {q: ["z"] for q in RUN}, "Novelty(of='own')@2", by_hand=(JUDGED, RUN), measure_by_hand="Filled(of='any')@2"),
    Case("lengths", ONES, "R@2tokens", by_hand=(JUDGED, RUN), measure_by_hand="R@2"),
    Case("over_budget", "keep", "R@1.5tokens", by_hand=(JUDGED, RUN), also=(("lengths", ONES),), measure_by_hand="R@2"),
    Case("ties", "docid-asc", run=TIED, by_hand=(JUDGED, {q: {d: 1 - i * 1e-9 for i, d in enumerate(sorted(docs))} for q, docs in TIED.items()})),
    Case("precision", "float32", run=CLOSE, by_hand=(JUDGED, changed(CLOSE, lambda q, d, s: 1.0))),
    Case("queries", "both", run={"q1": RUN["q1"]}, by_hand=({"q1": JUDGED["q1"]}, {"q1": RUN["q1"]})),
    Case("no_relevant", "skip", judged={**JUDGED, "q3": {"b": 0}}, by_hand=({q: JUDGED[q] for q in ("q1", "q2")}, RUN)),
    Case("relevance", 2.0, judged=changed(JUDGED, lambda q, d, g: g + 1), by_hand=(changed(JUDGED, lambda q, d, g: float(g > 0)), RUN)),
    Case("negatives", "nonrelevant", "Judged@2", judged={**JUDGED, "q2": {"a": 1, "d": -1}}, by_hand=(JUDGED, RUN)),
    Case("unjudged", "remove", by_hand=(JUDGED, changed(RUN, lambda q, d, s: s if d in JUDGED[q] else None))),
    Case("missed", "ignore", "R", judged={**JUDGED, "q3": {"b": 1, "z": 1}}, by_hand=(JUDGED, RUN)),
    Case("nonpositive", "nonrelevant", run=SIGNED, by_hand=(changed(JUDGED, lambda q, d, g: g if SIGNED[q].get(d, 1) > 0 else 0), SIGNED)),
    Case("duplicates", "keep", run={"q1": ["x", "x", "a"], "q2": ["a"], "q3": ["b"]}, by_hand=(JUDGED, {"q1": ["x", "y", "a"], "q2": ["a"], "q3": ["b"]})),
]  # fmt: skip
