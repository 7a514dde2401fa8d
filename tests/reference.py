"""A second, slow reading of every measure and convention, written from their definitions alone.

Plain Python: fractions where a number is rational, 50 digits where it is not, and every order of
tied documents. It shares no code with the package, and decides what the right number is.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, permutations, product
from typing import Any

import mpmath

mpmath.mp.dps = 50
Number = Any  # a Fraction, or a number of 50 digits


@dataclass(frozen=True)
class Item:
    """A retrieved document. Without a judgment its grade is None; ``pooled``: because it is negative."""

    grade: Fraction | None
    score: float
    pooled: bool = False
    name: Any = None
    original: Fraction | None = None  # the grade in the judgments, whatever the score


@dataclass(frozen=True)
class Ranking:
    """The documents of a query in one order, and the grades of the judged ones among all.

    ``judged`` holds every judged grade; ``missed`` those of documents that were not retrieved.
    """

    items: tuple[Item, ...]
    judged: tuple[Fraction, ...]
    missed: tuple[Fraction, ...]
    max_grade: Fraction
    level: Fraction

    def grades(self) -> list[Fraction | None]:
        return [item.grade for item in self.items]

    def relevant(self, rel: float | None = None) -> list[bool]:
        level = self.level if rel is None else exactly(rel)
        return [grade is not None and grade >= level for grade in self.grades()]

    def hit_ranks(self, rel: float | None = None) -> list[int]:
        return [i for i, hit in enumerate(self.relevant(rel), 1) if hit]

    def count(self, rel: float | None = None) -> int:
        level = self.level if rel is None else exactly(rel)
        return sum(grade >= level for grade in self.judged)

    def depth(self, k: int | None) -> int:
        return len(self.items) if k is None else min(k, len(self.items))


#: Measures that are computed in plain double precision, as docs/engine.md says.
PLAIN = {"YAAP", "Utility", "NRBP", "nNRBP", "nDCGRel", "RnDCG", "G", "BinG"}


def exactly(number: float) -> Fraction:
    """Return the number that a float64 holds, which for 0.9 is a little more than nine tenths."""
    return Fraction(float(number))


def log2(x: Number) -> Number:
    return mpmath.log(mpmath.mpf(x)) / mpmath.log(2)


def over(a: Number, b: Number) -> Number:
    return a / b if b else Fraction(0)


# Gains and discounts -------------------------------------------------------------------------


def gain_of(grade: Fraction | None, r: Ranking, gain: Any, unlisted: str, rel: Any = None):
    if grade is None:
        return Fraction(0)
    useful = max(grade, Fraction(0))
    if gain in ("linear", "exp2") and rel is not None and grade < exactly(rel):
        return Fraction(0)
    if gain == "linear":
        return useful
    if gain == "exp2":
        power = Fraction(2) ** useful if useful.denominator == 1 else mpmath.mpf(2) ** useful
        return power - 1
    if gain == "binary":
        return Fraction(grade >= (r.level if rel is None else exactly(rel)))
    table = {exactly(g): exactly(v) for g, v in gain}
    return table.get(grade, useful if unlisted == "grade" else Fraction(0))


def discount(rank: int, name: str) -> Number:
    return {
        "log2": lambda: 1 / log2(rank + 1),
        "jarvelin": lambda: 1 / log2(max(rank, 2)),
        "log2+1": lambda: 1 / (log2(rank) + 1),
        "reciprocal": lambda: Fraction(1, rank),
        "none": lambda: Fraction(1),
    }[name]()


def gains(r: Ranking, p: dict, grades=None) -> list:
    grades = r.grades() if grades is None else grades
    return [gain_of(g, r, p["gain"], p.get("unlisted", "zero"), p.get("rel")) for g in grades]


def ideal_gains(r: Ranking, p: dict) -> list:
    return sorted(gains(r, p, r.judged), reverse=True)


def dcg_of(values: list, name: str = "log2", k: int | None = None) -> Number:
    return sum((g * discount(i, name) for i, g in enumerate(values[:k], 1)), Fraction(0))


def cg(r, p):
    return sum(gains(r, p)[: p["k"]], Fraction(0))


def dcg(r, p):
    return dcg_of(gains(r, p), p["discount"], p["k"])


def ideal_dcg(r, p):
    return dcg_of(ideal_gains(r, p), p["discount"], p["k"])


def ndcg(r, p):
    k = None if p["ideal"] == "uncut" else p["k"]
    if p["ideal"] == "retrieved":
        best = sorted(gains(r, p), reverse=True)
    elif p["ideal"] == "full":
        listed = [] if isinstance(p["gain"], str) else [exactly(g) for g, _ in p["gain"]]
        top = max(gains(r, p, [r.max_grade, *listed]))
        best = [top] * (len(r.items) if p["k"] is None else p["k"])
    else:
        best = ideal_gains(r, p)
    return over(dcg(r, p), dcg_of(best, p["discount"], k))


def ndcg_at(r, p, rank):
    return dcg_of(gains(r, p), "log2", rank) / dcg_of(ideal_gains(r, p), "log2", rank)


def ndcg_rel(r, p):
    useful = sum(g > 0 for g in ideal_gains(r, p))
    if not useful:
        return Fraction(0)
    at = [i for i, g in enumerate(gains(r, p), 1) if g > 0]
    whole = dcg_of(gains(r, p)) / dcg_of(ideal_gains(r, p))
    total = sum((ndcg_at(r, p, i) for i in at), Fraction(0))
    return (total + (useful - len(at)) * whole) / useful


def rndcg(r, p):
    best = [g for g in ideal_gains(r, p) if g > 0]
    ranks = [i for i in range(1, len(best) + 1) if i == len(best) or best[i] != best[i - 1]]
    values = [ndcg_at(r, p, i) for i in ranks]
    if best and len(r.items) > len(best) + 1:
        values.append(ndcg_at(r, p, len(r.items)))
    return over(sum(values, Fraction(0)), len(values))


def normalised_gain(r, p):
    best = ideal_gains(r, p)
    total = Fraction(0)
    reached = ideal = Fraction(0)
    for i, gain in enumerate(gains(r, p)):
        reached += gain
        ideal += max(best[i], Fraction(1)) if i < len(best) else 1
        if gain:
            total += gain / log2(2 + max(ideal - reached, Fraction(0)))
    return over(total, sum(best))


def bin_g(r, p):
    others, total = 0, Fraction(0)
    for hit in r.relevant(p["rel"]):
        if hit:
            total += 1 / log2(2 + others)
        others += not hit
    return over(total, r.count(p["rel"]))


# Precision, recall and their like ------------------------------------------------------------


def hits(r, p):
    return sum(r.relevant(p["rel"])[: p["k"]])


def precision(r, p):
    size = len(r.items) if p["k"] is None else p["k"]
    if p["denominator"] == "retrieved":
        size = r.depth(p["k"])
    elif p["denominator"] == "min(k,R)":
        size = min(size, r.count(p["rel"]))
    return over(Fraction(hits(r, p)), size)


def r_precision(r, p):
    count = r.count(p["rel"])
    if p["multiple"] != 1:
        count = int(p["multiple"] * count + 0.9)
    return over(Fraction(sum(r.relevant(p["rel"])[:count])), count)


def recall(r, p):
    size = r.count(p["rel"])
    if p["denominator"] == "min(R,k)" and p["k"] is not None:
        size = min(size, p["k"])
    elif p["denominator"] == "min(R,retrieved)":
        size = min(size, r.depth(p["k"]))
    return over(Fraction(hits(r, p)), size)


def success(r, p):
    if p["how"] == "pooled":
        return over(Fraction(hits(r, p)), r.count(p["rel"]))
    return Fraction(hits(r, p) > 0)


def reciprocal_rank(r, p):
    ranks = [i for i in r.hit_ranks(p["rel"]) if p["k"] is None or i <= p["k"]]
    return Fraction(1, ranks[0]) if ranks else Fraction(0)


def f_measure(r, p):
    size = len(r.items) if p["k"] is None else p["k"]
    square = exactly(p["beta"]) ** 2
    return over((1 + square) * hits(r, p), square * r.count(p["rel"]) + size)


def set_ap(r, p):
    found = sum(r.relevant(p["rel"]))
    return over(Fraction(found * found), len(r.items) * r.count(p["rel"]))


def utility(r, p):
    found = sum(r.relevant(p["rel"]))
    noise, miss = len(r.items) - found, r.count(p["rel"]) - found
    counts = (found, noise, miss, p["collection"] - found - noise - miss)
    worth = (exactly(p[name]) for name in ("hit", "noise", "miss", "rest"))
    return sum((w * n for w, n in zip(worth, counts, strict=True)), Fraction(0))


def precisions(r, rel, k=None):
    """Return the precision at each relevant document down to k."""
    ranks = [i for i in r.hit_ranks(rel) if k is None or i <= k]
    return [Fraction(n, rank) for n, rank in enumerate(ranks, 1)]


def complete(r, p):
    return Fraction(hits(r, p) >= r.count(p["rel"]))


def recall_at_precision(r, p):
    hit, size = r.relevant(p["rel"]), r.depth(p["k"])
    shares = [
        Fraction(sum(hit[:i]), r.count(p["rel"]))
        for i in range(1, size + 1)
        if sum(hit[:i]) / i >= p["precision"]
    ]
    return max(shares, default=Fraction(0))


def fall_out(r, p):
    hit, k = r.relevant(p["rel"]), p["k"]
    if p["negatives"] == "judged":
        other = [g is not None and not h for g, h in zip(r.grades(), hit, strict=True)]
        size = len(r.judged) - r.count(p["rel"])
    else:
        other = [not h for h in hit]
        size = sum(other)
    if not size:
        return {"zero": Fraction(0), "one": Fraction(1), "skip": None}[p["empty"]]
    return Fraction(sum(other[:k]), size)


def first_rank(r, p):
    if not r.count(p["rel"]):
        return None
    return Fraction(min(r.hit_ranks(p["rel"]), default=len(r.items) + 1))


def distinct_hits(r, p):
    return len({r.items[i - 1].name for i in r.hit_ranks(p["rel"])})


def last_rank(r, p):
    if not r.count(p["rel"]):
        return {"skip": None, "zero": Fraction(0)}[p["empty"]]
    missed = r.count(p["rel"]) - sum(r.relevant(p["rel"]))
    if missed > 0:
        return Fraction(len(r.items) + missed)
    if p["tied"] == "order":
        return Fraction(max(r.hit_ranks(p["rel"])))
    lowest = min(i.score for i, h in zip(r.items, r.relevant(p["rel"]), strict=True) if h)
    return Fraction(sum(i.score >= lowest for i in r.items))


def amri(r, p):
    relevant = r.count(p["rel"])
    n = len(r.items) + relevant - sum(r.relevant(p["rel"]))
    if not relevant or n == relevant:
        return None
    return 1 - (first_rank(r, p) - 1) / (Fraction(n + 1, relevant + 1) - 1)


def overlap(ranking, ideal, keep, depth):
    return sum(
        (keep ** (d - 1) * Fraction(len({*ranking[:d]} & {*ideal[:d]}), d))
        for d in range(1, depth + 1)
    )


def compatibility(r, p):
    """The overlap with every ideal ranking: the greatest, or the mean."""
    level, keep = r.level if p["rel"] is None else exactly(p["rel"]), exactly(p["p"])
    ranking = [item.name for item in r.items]
    known = {i.name: i.grade for i in r.items if i.grade is not None}
    known |= {("missed", i): g for i, g in enumerate(r.missed)}
    known = {name: grade for name, grade in known.items() if grade >= level}
    groups = [
        [name for name, g in known.items() if g == grade]
        for grade in sorted(set(known.values()), reverse=True)
    ]
    depth = max(len(ranking), len(known))
    if math.prod(math.factorial(len(group)) for group in groups) <= 5040:
        every = [
            overlap(ranking, [name for group in chosen for name in group], keep, depth)
            for chosen in product(*(permutations(group) for group in groups))
        ]
        value = max(every) if p["ideal"] == "closest" else sum(every) / len(every)
    elif p["ideal"] == "closest":
        # The order of the ranking itself, the missed ones last, is at least as good at any depth.
        place = {name: i for i, name in enumerate(ranking)}
        ideal = [n for group in groups for n in sorted(group, key=lambda n: place.get(n, depth))]
        value = overlap(ranking, ideal, keep, depth)
    else:
        # A mean of sums is the sum of the chances that each document is among the first d.
        chances = Fraction(0)
        for d in range(1, depth + 1):
            before, first = 0, {*ranking[:d]}
            for group in groups:
                within = min(max(d - before, 0), len(group))
                chances += keep ** (d - 1) * Fraction(
                    within * len(first & {*group}), len(group) * d
                )
                before += len(group)
        value = chances
    ideal = [*known]
    if p["normalize"] == "ideal":
        return over(value, overlap(ideal, ideal, keep, depth))
    return over(value, sum(keep**d for d in range(depth)))


def q_measure(r, p):
    values, best = gains(r, p)[: p["k"]], ideal_gains(r, p)
    beta, total = exactly(p["beta"]), Fraction(0)
    for i, gain in enumerate(values, 1):
        if gain > 0:
            count = sum(g > 0 for g in values[:i])
            total += (count + beta * sum(values[:i])) / (i + beta * sum(best[:i]))
    return over(total, sum(g > 0 for g in best))


def average_precision(r, p):
    found = precisions(r, p["rel"], p["k"])
    relevant, size = r.count(p["rel"]), len(r.items) if p["k"] is None else p["k"]
    if p["denominator"] == "ranks":
        hit = r.relevant(p["rel"])
        return over(sum((Fraction(sum(hit[:i]), i) for i in range(1, size + 1)), Fraction(0)), size)
    by = {
        "R": relevant,
        "min(R,k)": relevant if p["k"] is None else min(relevant, p["k"]),
        "min(R,retrieved)": min(relevant, r.depth(p["k"])),
        "hits": len(found),
        "k": size,
    }[p["denominator"]]
    return over(sum(found, Fraction(0)), by)


def gmap(r, p):
    return average_precision(r, {"denominator": "R", "k": None, **p})


def yaap(r, p):
    s = sum(precisions(r, p["rel"]), Fraction(0))
    below = 1 + r.count(p["rel"]) - s
    return mpmath.log(mpmath.mpf((1 + s) / below)) if below > 0 else None


def interpolated(r, p):
    share = p["recall"] * r.count(p["rel"])  # as C rounds it
    needed = int(share + 0.9) if p["rounding"] == "up" else math.floor(share + 0.5)
    return max(precisions(r, p["rel"])[max(needed, 1) - 1 :], default=Fraction(0))


def average_interpolated(r, p):
    each = [interpolated(r, {**p, "recall": point}) for point in p["points"]]
    return over(sum(each, Fraction(0)), len(each))


# Models of users, samples and comparisons ----------------------------------------------------


def err(r, p):
    top = r.max_grade if p["max_grade"] is None else exactly(p["max_grade"])
    reached, total = Fraction(1), Fraction(0)
    for rank, grade in enumerate(r.grades()[: p["k"]], 1):
        stop = gain_of(grade, r, "exp2", "zero") / two_to(top)
        total += reached * stop * discount(rank, p["discount"])
        reached *= 1 - stop
    return total


def normalised_err(r, p):
    top = r.max_grade if p["max_grade"] is None else exactly(p["max_grade"])

    def of(grades):
        reached, total = Fraction(1), Fraction(0)
        for rank, grade in enumerate(grades[: p["k"]], 1):
            useful = Fraction(0) if grade is None else max(grade, Fraction(0))
            stop = useful / (top + 1)
            if p["satisfaction"] == "exp2":
                stop = gain_of(grade, r, "exp2", "zero") / two_to(top)
            total += reached * stop * discount(rank, p["discount"])
            reached *= 1 - stop
        return total

    return over(of(r.grades()), of(sorted(r.judged, reverse=True)))


def two_to(power: Fraction) -> Number:
    return Fraction(2) ** power if power.denominator == 1 else mpmath.mpf(2) ** power


def rbp_gains(r, p, grades):
    if p["gain"] == "scaled":
        p = {**p, "gain": "linear"}
    values = gains(r, p, grades)
    if p["gain"] == "binary":
        return values
    listed = [] if isinstance(p["gain"], str) else [exactly(v) for _, v in p["gain"]]
    top = max([Fraction(1), *listed, *gains(r, p, r.judged)])
    return [value / top for value in values]


def rbp(r, p):
    keep = exactly(p["p"])
    values = rbp_gains(r, p, r.grades())[: p["k"]]
    return (1 - keep) * sum((g * keep**i for i, g in enumerate(values)), Fraction(0))


def rbp_residual(r, p):
    keep = exactly(p["p"])
    unjudged = [i for i, grade in enumerate(r.grades()) if grade is None]
    if p["tail"] == "unjudged" and not unjudged:
        return Fraction(0)
    return keep ** len(r.items) + (1 - keep) * sum((keep**i for i in unjudged), Fraction(0))


def cwl(r, p, keep, *, endless=None):
    """Return the sum of gain times W, from C: the chance ``keep(i, gain_i, sum of gains)``.

    Documents behind the list gain nothing. ``endless(i, sum of gains)`` is what the chances of
    reading rank i and all below it add up to, if rank i is read, for lists without end.
    """
    if p["gain"] in ("linear", "exp2"):
        top = r.max_grade if p["max_grade"] is None else exactly(p["max_grade"])
        top = gains(r, p, [top])[0] or Fraction(1)
    else:
        listed = [] if isinstance(p["gain"], str) else [exactly(v) for _, v in p["gain"]]
        top = max([Fraction(1), *listed])
        if listed and p["unlisted"] == "grade":
            top = max(top, r.max_grade if p["max_grade"] is None else exactly(p["max_grade"]))
    values = [g / top for g in gains(r, p)]
    last = p["k"] or (len(values) if endless is None else max(len(values), 1))
    read, found, utility, depth = Fraction(1), Fraction(0), Fraction(0), Fraction(0)
    for i in range(1, last + 1):
        gain = values[i - 1] if i <= len(values) else Fraction(0)
        utility += read * gain
        depth += read
        found += gain
        read *= keep(i, gain, found)
    if endless is not None and p["k"] is None:
        depth += read * endless(last + 1, found)
    return over(utility, depth)


def goal_chance(i, t):
    return ((i + t - 1) / (i + t)) ** 2


def goal_rest(i, t):
    x = mpmath.mpf(i - 1 + t)
    return x**2 * mpmath.zeta(2, x)


def sdcg(r, p):
    return cwl(r, p, lambda i, g, _: log2(i + 1) / log2(i + 2))


def insq(r, p):
    t = 2 * exactly(p["T"])
    return cwl(r, p, lambda i, g, _: goal_chance(i, t), endless=lambda i, _: goal_rest(i, t))


def inst(r, p):
    t = 2 * exactly(p["T"])
    return cwl(
        r,
        p,
        lambda i, g, found: goal_chance(i, t - found),
        endless=lambda i, found: goal_rest(i, t - found),
    )


def bpm(r, p):
    return cwl(r, p, lambda i, g, found: int(found < exactly(p["T"])))


def nerr(r, p):
    t, keep = 2 * exactly(p["T"]), exactly(p["p"])
    chance, endless = {
        "none": (lambda i: 1, None),
        "reciprocal": (lambda i: Fraction(i, i + 1), None),
        "geometric": (lambda i: keep, lambda i, _: 1 / (1 - keep)),
        "goal": (lambda i: goal_chance(i, t), lambda i, _: goal_rest(i, t)),
    }[p["patience"]]
    return cwl(r, p, lambda i, g, _: chance(i) * (1 - g), endless=endless)


def judged_share(r, p):
    first = r.grades()[: p["k"]]
    return over(Fraction(sum(g is not None for g in first)), len(first))


def unjudged_share(r, p):
    first = r.grades()[: p["k"]]
    size = len(first) if p["k"] is None else p["k"]
    return over(Fraction(sum(g is None for g in first)), size)


def bpref(r, p):
    relevant = r.count(p["rel"])
    others = len(r.judged) - relevant
    above, total = 0, Fraction(0)
    for item, hit in zip(r.items, r.relevant(p["rel"]), strict=True):
        if hit:
            most = min(others, relevant)
            total += 1 - (Fraction(min(above, relevant), most) if most else 0)
        elif item.grade is not None:
            above += 1
    return over(total, relevant)


def inferred_ap(r, p):
    e = Fraction(1, 100_000)
    h = n = pool = 0
    total = Fraction(0)
    for i, (item, hit) in enumerate(zip(r.items, r.relevant(p["rel"]), strict=True), 1):
        if hit:
            total += Fraction(1, i)
            if i > 1:
                above = Fraction(i - 1)
                total += above / i * (pool / above) * ((h + e) / (h + n + 2 * e))
            h += 1
        elif item.grade is not None:
            n += 1
        pool += item.grade is not None or item.pooled
    return over(total, r.count(p["rel"]))


def cut(r, k):
    """Return the ranking as if no more than its first k documents had been retrieved."""
    if k is None:
        return r
    names = {item.name for item in r.items[:k]}
    beyond = {i.name: i.original for i in r.items[k:] if i.original is not None}
    missed = (*r.missed, *(g for name, g in beyond.items() if name not in names))
    return replace(r, items=r.items[:k], missed=missed)


def auc(r, p, pool=None):
    """Pairs of a relevant and another document; missed ones stand behind all retrieved ones."""
    r = cut(r, p["k"])
    if p["tied"] == "order":
        r = replace(r, items=tuple(replace(x, score=-i) for i, x in enumerate(r.items)))
    hit = r.relevant(p["rel"])
    level = r.level if p["rel"] is None else exactly(p["rel"])
    behind = p["missed"] == "last"
    wanted = [i.score for i, is_hit in zip(r.items, hit, strict=True) if is_hit]
    missed = sum(g >= level for g in r.missed) if behind else 0
    if pool is None:
        others, missed_others = auc_others(r, p)
    else:
        others, missed_others = pool
    size, total = len(wanted) + missed, len(others) + missed_others
    if not size or not total:
        return {
            "skip": None,
            "zero": Fraction(0),
            "half": Fraction(1, 2),
            "one": Fraction(1),
            "kind": Fraction(size > 0) if r.count(p["rel"]) else None,
        }[p["single_class"]]
    half = Fraction(1, 2) if p["tied"] == "half" else Fraction(0)
    if p["max_fpr"] is None:
        won = sum(
            Fraction(w > o) + half * (w == o) for w in wanted for o in others
        ) + missed_others * len(wanted)
        return Fraction(won) / (size * total)
    most = exactly(p["max_fpr"])
    area = Fraction(0)
    for w in wanted:  # the curve rises by 1/size at w, along its ties in a straight line
        a = Fraction(sum(o > w for o in others), total)
        b = a + Fraction(sum(o == w for o in others), total)
        a = a if half else b
        area += max(most - b, Fraction(0))
        if b > a and most > a:
            area += (min(most, b) - a) ** 2 / (2 * (b - a))
    area /= size
    least = most * most / 2
    return Fraction(1, 2) * (1 + (area - least) / (most - least))


def ranking_loss(r, p):
    more = {"tied": "lost", "k": None, "max_fpr": None, "single_class": "one"}
    return 1 - auc(r, {**p, **more})


def opa(r, p):
    grades = [
        (Fraction(0) if item.grade is None else max(item.grade, Fraction(0)), item.score)
        for item in r.items
        if item.grade is not None or p["documents"] == "retrieved"
    ]
    pairs = [(a, b) for a in grades for b in grades if a[0] > b[0]]
    return over(Fraction(sum(a[1] > b[1] for a, b in pairs)), len(pairs))


def auc_others(r, p):
    """Return the scores of documents that are not relevant, and how many such were missed."""
    hit = r.relevant(p["rel"])
    level = r.level if p["rel"] is None else exactly(p["rel"])
    scores = [
        item.score
        for item, is_hit in zip(r.items, hit, strict=True)
        if not is_hit and (p["negatives"] == "retrieved" or item.grade is not None)
    ]
    behind = p["missed"] == "last" and p["negatives"] == "judged"
    return scores, sum(g < level for g in r.missed) if behind else 0


def auprc(r, p):
    total, relevant = Fraction(0), r.relevant(p["rel"])
    for item, hit in zip(r.items, relevant, strict=True):
        if hit:
            reached = [h for i, h in zip(r.items, relevant, strict=True) if i.score >= item.score]
            total += Fraction(sum(reached), len(reached))
    return over(total, r.count(p["rel"]))


def preferences(r, which):
    """Return how many preferences the ranking keeps, and how many there are."""
    found = [g for g in r.grades() if g is not None]
    every = [*found, *r.missed]
    kept = of = 0
    for i, first in enumerate(every):
        for j, second in enumerate(every[i + 1 :], i + 1):
            seen = (i < len(found)) + (j < len(found))
            if first == second or seen < {"all": 0, "found": 1, "retrieved": 2}[which]:
                continue
            of += 1
            kept += first > second if seen == 2 else (seen == 1 and first > second)
    return kept, of


def balanced_preferences(r, which):
    """The same with as many documents of no relevance as relevant ones.

    Missing ones are added, at the end; of too many the first ones by rank are kept, and these
    are compared with every document, themselves included.
    """
    found = [g for g in r.grades() if g is not None]
    every = [*found, *r.missed]
    looked_at = found if which == "retrieved" else every
    relevant, others = sum(g > 0 for g in looked_at), sum(g <= 0 for g in looked_at)
    if relevant >= others:
        kept, of = preferences(r, which)
        added = relevant - others
        return kept + sum(g > 0 for g in found) * added, of + sum(g > 0 for g in every) * added
    lowest = min(every)
    last = [i for i, g in enumerate(looked_at) if g == lowest][:relevant]
    rest = [i for i, g in enumerate(looked_at) if g != lowest]
    pairs = [(i, j) for i in rest for j in rest if looked_at[i] > looked_at[j]]
    pairs += [(i, j) for i in range(len(looked_at)) for j in last]
    return sum(i < j and i < len(found) for i, j in pairs), len(pairs)


def pref(r, p):
    count = balanced_preferences if p["mean"] == "balanced" else preferences
    kept, of = count(r, p["which"])
    return over(Fraction(kept), of)


def num_pref(r, p):
    kept, of = preferences(r, p["which"])
    return Fraction(kept if p["kept"] == "yes" else of)


#: Each measure's value on one order of the documents.
VALUES = {
    "AMRI": amri,
    "AP": average_precision,
    "AUC": auc,
    "AUPRC": auprc,
    "AvgIPrec": average_interpolated,
    "BPM": bpm,
    "BinG": bin_g,
    "Bpref": bpref,
    "CG": cg,
    "Compat": compatibility,
    "Complete": complete,
    "DCG": dcg,
    "ERR": err,
    "F": f_measure,
    "FallOut": fall_out,
    "FirstRank": first_rank,
    "G": normalised_gain,
    "GMAP": gmap,
    "GMBpref": bpref,
    "INSQ": insq,
    "INST": inst,
    "IPrec": interpolated,
    "IdealDCG": ideal_dcg,
    "Judged": judged_share,
    "LastRank": last_rank,
    "NERR": nerr,
    "NumNonrelRet": lambda r, p: Fraction(
        sum(g is not None and not h for g, h in zip(r.grades(), r.relevant(p["rel"]), strict=True))
    ),
    "NumPref": num_pref,
    "NumQ": lambda r, p: Fraction(1),
    "NumRel": lambda r, p: Fraction(r.count(p["rel"])),
    "NumRelRet": lambda r, p: Fraction(hits(r, p)),
    "NumRet": lambda r, p: Fraction(r.depth(p["k"])),
    "OPA": opa,
    "P": precision,
    "Pref": pref,
    "Q": q_measure,
    "R": recall,
    "RankingLoss": ranking_loss,
    "RecallAtP": recall_at_precision,
    "RBP": rbp,
    "RBPResidual": rbp_residual,
    "RR": reciprocal_rank,
    "RnDCG": rndcg,
    "Rprec": r_precision,
    "SDCG": sdcg,
    "SetAP": set_ap,
    "Success": success,
    "Unjudged": unjudged_share,
    "Utility": utility,
    "YAAP": yaap,
    "infAP": inferred_ap,
    "nDCG": ndcg,
    "nERR": normalised_err,
    "nDCGRel": ndcg_rel,
}
CWL = ("SDCG", "INSQ", "INST", "BPM", "NERR")
GRADED = ("CG", "DCG", "IdealDCG", "nDCG", "nDCGRel", "G", "ERR", "nERR", "Q", *CWL)
ALWAYS_DEFINED = (
    "AUC", "Judged", "Unjudged", "RBPResidual", "Utility", "YAAP", "Pref", "NumPref", "NumQ",
    "NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "FirstRank", "LastRank", "AMRI", "FallOut",
    "RankingLoss", "OPA",
)  # fmt: skip
UNBOUNDED = ("CG", "DCG", "IdealDCG")
LOWER_IS_BETTER = (
    "NumNonrelRet", "Unjudged", "RBPResidual", "FirstRank", "LastRank", "FallOut", "RankingLoss",
)  # fmt: skip


def is_empty(name: str, r: Ranking, p: dict) -> bool:
    """Return whether the query has no document that is of use to the measure."""
    if name in ALWAYS_DEFINED:
        return False
    if name == "RBP":
        return not any(rbp_gains(r, p, r.judged))
    if name in GRADED:
        return not any(gains(r, {"gain": "linear", **p}, r.judged))
    return not r.count(p.get("rel"))


# Conventions ---------------------------------------------------------------------------------


def meant(grade: float, negatives: str) -> Fraction | None:
    """Return a grade as the conventions mean it, None for not judged."""
    if grade < 0:
        return Fraction(0) if negatives == "nonrelevant" else None
    return exactly(grade)


def rounded(score: float, precision: str) -> float:
    if precision == "float64":
        return score
    return struct.unpack("f", struct.pack("f", score))[0]


def with_repetitions(pairs: list, rule: str) -> list:
    """Return documents, scores and whether they count, in input order, as a rule has repeated ones.

    A repetition that keeps its rank and does not count is a document without a judgment.
    """
    best = {d: min((-s, i) for i, (e, s) in enumerate(pairs) if e == d)[1] for d, _ in pairs}
    rows = [(d, s, rule == "count" or best[d] == i) for i, (d, s) in enumerate(pairs)]
    return rows if rule in ("count", "keep") else [row for row in rows if row[2]]


def ranking_of(judged: dict, run: dict | list | None, max_grade: Fraction, c: dict):
    """Return the documents of a query in input order, as a ranking, and their names.

    A run is a dict of scores, a list of documents, or a list of documents with scores.
    """
    rows = list(run.items()) if isinstance(run, dict) else list(run or [])
    scored = all(isinstance(row, tuple) for row in rows)
    if scored:
        pairs = [(d, rounded(s, c["precision"])) for d, s in rows]
    else:
        pairs = [(d, -float(i)) for i, d in enumerate(rows)]
    pairs = with_repetitions(pairs, c["duplicates"])
    items, names, kept = [], [], {}
    for doc, score, counts in pairs:
        known = counts and doc in judged
        grade = meant(judged[doc], c["negatives"]) if known else None
        original = grade
        if grade is not None:
            kept[doc] = grade
        if scored and c["nonpositive"] == "nonrelevant" and score <= 0 and grade is not None:
            grade = min(grade, Fraction(0))
        if grade is None and c["unjudged"] == "remove":
            continue
        items.append(Item(grade, score, grade is None and known, doc, original))
        names.append(doc)
    retrieved = {doc for doc, _, _ in pairs}
    missed = []
    if c["missed"] == "count":
        grades = (meant(g, c["negatives"]) for d, g in judged.items() if d not in retrieved)
        missed = [g for g in grades if g is not None]
    level = exactly(c["relevance"])
    return Ranking(tuple(items), (*kept.values(), *missed), tuple(missed), max_grade, level), names


def orders(r: Ranking, names: list, rule: str) -> Iterator[Ranking]:
    """Yield the ranking in each order that a tie rule allows."""
    places = sorted(range(len(r.items)), key=lambda i: -r.items[i].score)
    ties = [list(tie) for _, tie in groupby(places, key=lambda i: r.items[i].score)]
    if rule == "input":
        choices = [[tie] for tie in ties]
    elif rule.startswith("docid"):
        down = rule == "docid-desc"
        choices = [[sorted(tie, key=lambda i: names[i], reverse=down)] for tie in ties]
    else:
        choices = [list(permutations(tie)) for tie in ties]
    for chosen in product(*choices):
        yield replace(r, items=tuple(r.items[i] for tie in chosen for i in tie))


def combined(values: list, name: str, rule: str) -> Number | None:
    """Return the mean over all orders, or the best or the worst; None is above all numbers."""
    if None in values:
        defined = [v for v in values if v is not None]
        return min(defined) if defined and rule == "pessimistic" else None
    if rule in ("optimistic", "pessimistic"):
        best = (rule == "optimistic") != (name in LOWER_IS_BETTER)
        return max(values) if best else min(values)
    return sum(values, Fraction(0)) / len(values)


def is_free_of_order(name: str, p: dict) -> bool:
    """Return whether a tie is one step, such as a part of a curve, whatever its order."""
    if name == "AUC":
        return p["k"] is None and p["tied"] != "order"
    return name in ("AUPRC", "RankingLoss", "OPA")


def per_query(name: str, params: dict, judgments: dict, run: dict, c: dict) -> dict:
    """Return the value of each query that is averaged; None where it has none."""
    top = max([Fraction(0), *(exactly(g) for d in judgments.values() for g in d.values())])
    if c["queries"] == "judged":
        queries = list(judgments)
    elif c["queries"] == "both":
        queries = [q for q in judgments if q in run]
    else:
        queries = list(run)
    made = {q: ranking_of(judgments.get(q, {}), run.get(q), top, c) for q in queries}
    pool = None
    if params.get("pairs") == "all":
        parts = [auc_others(r, params) for r, _ in made.values()]
        pool = ([s for scores, _ in parts for s in scores], sum(n for _, n in parts))
    values: dict[Any, Number | None] = {}
    for query, (ranking, names) in made.items():
        if is_empty(name, ranking, params):
            top_is_one = name not in UNBOUNDED
            silent = not ranking.items
            values[query] = {
                "zero": 0,
                "one": int(top_is_one),
                "silence": int(top_is_one and silent),
                "skip": None,
            }[c["no_relevant"]]
        elif is_free_of_order(name, params):
            more = {"pool": pool} if pool is not None else {}
            values[query] = VALUES[name](ranking, params, **more)
        else:
            each = [VALUES[name](r, params) for r in orders(ranking, names, c["ties"])]
            values[query] = combined(each, name, c["ties"])
    return values
