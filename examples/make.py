"""Write the example data: made up, and the same bytes every time.

Usage: python examples/make.py
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from random import Random

Scores = dict[str, float]

# How much each system sees of a document's grade, by what the query needs: a system that
# matches words or one that matches meanings.
SIGHT = {"words": (1.0, 0.3), "meaning": (0.2, 1.1), "both": (0.7, 0.8)}

QUERIES = {
    "q01": ("tent", "meaning", "tent that stays dry in a week of rain"),
    "q02": ("tent", "words", "Fjellvik 2 footprint"),
    "q03": ("tent", "both", "lightweight two person tent"),
    "q04": ("tent", "meaning", "shelter for winter nights above the tree line"),
    "q05": ("tent", "words", "aluminium tent peg 18 cm"),
    "q06": ("pack", "both", "backpack 45 litres women"),
    "q07": ("pack", "meaning", "bag for a weekend hut tour"),
    "q08": ("pack", "words", "Norrvatn 60 hip belt replacement"),
    "q09": ("pack", "meaning", "carry a toddler on the trail"),
    "q10": ("pack", "both", "rain cover for backpack"),
    "q11": ("boot", "meaning", "shoes for scree and broken rock"),
    "q12": ("boot", "both", "waterproof hiking boots wide fit"),
    "q13": ("boot", "meaning", "my heels blister on long descents"),
    "q14": ("boot", "words", "resole kit B2 boots"),
    "q15": ("boot", "both", "approach shoes sticky rubber"),
    "q16": ("jacket", "meaning", "what to wear for summer rain"),
    "q17": ("jacket", "both", "down jacket under 400 g"),
    "q18": ("jacket", "meaning", "keep warm while belaying"),
    "q19": ("jacket", "words", "Skarv jacket zip puller"),
    "q20": ("jacket", "meaning", "wind protection for trail running"),
    "q21": ("sleep", "both", "sleeping bag minus 10 degrees"),
    "q22": ("sleep", "meaning", "I am always cold at night when camping"),
    "q23": ("sleep", "words", "valve for Dunmark 6 mat"),
    "q24": ("sleep", "meaning", "quiet mattress for side sleepers"),
    "q25": ("sleep", "both", "silk liner mummy"),
    "q26": ("stove", "meaning", "boil water above 4000 metres"),
    "q27": ("stove", "words", "gas cartridge 230 g thread EN 417"),
    "q28": ("stove", "both", "titanium pot 900 ml"),
    "q29": ("stove", "meaning", "cook for a group of eight"),
    "q30": ("stove", "words", "Glimt 3 jet needle"),
    "q31": ("lamp", "both", "rechargeable head torch 400 lumens"),
    "q32": ("lamp", "meaning", "light for reading in the tent"),
    "q33": ("lamp", "words", "CR2032 battery"),
    "q34": ("climb", "both", "single rope 9.5 mm 60 m"),
    "q35": ("climb", "meaning", "first harness for a child"),
    "q36": ("climb", "words", "quickdraw sling 11 mm 17 cm"),
    "q37": ("climb", "none", "avalanche airbag rental"),
    "q38": ("water", "meaning", "make stream water safe to drink"),
    "q39": ("water", "both", "insulated bottle 1 litre"),
    "q40": ("water", "words", "bite valve hose 6 mm"),
    "q41": ("water", "meaning", "flask that fits the bike cage"),
}
# Asked after the judging was done, when only the dense system was still logged.
UNJUDGED = "q41"
# The dense system timed out on these.
TIMED_OUT = ("q15", "q29")
SPAM = 7

USERS = [f"u{n:03}" for n in range(1, 121)]
FILMS = [f"film-{n:04}" for n in range(1, 241)]
# Users without history: the factor model has nothing to say about them.
COLD = ("u017", "u058", "u059", "u101")
TASTES = 5
DEPTH = 20


def main() -> None:
    """Write every file next to this one."""
    folder = Path(__file__).parent
    for name, text in files().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def files() -> dict[str, str]:
    """Return the text of each generated file by its path in this folder."""
    return {**search(Random(417)), **recommender(Random(2032))}


def search(rng: Random) -> dict[str, str]:
    """Return judgments, queries and three runs of an outdoor shop's search."""
    catalogue = _catalogue(rng)
    qrels: dict[str, dict[str, int]] = {}
    bm25: dict[str, Scores] = {}
    dense: dict[str, Scores] = {}
    hybrid: dict[str, Scores] = {}
    for query, (category, need, _) in QUERIES.items():
        truth = _truth(rng, catalogue, category, need)
        words, meanings = SIGHT.get(need, (0.0, 0.0))
        lure = {d: rng.gauss(0.5 * d.startswith(category), 0.6) for d in truth}
        lexical = _seen(rng, truth, lure, words)
        semantic = _seen(rng, truth, lure, meanings)
        depth = rng.randint(30, 40)
        if query != UNJUDGED:
            qrels[query] = _judged(rng, truth, lexical, semantic)
            bm25[query] = _top(_scaled(lexical, 4.0, rng.uniform(14, 29), 4), depth)
            both = _mixed(lexical, semantic)
            # The order of the full scores, and next to it the scores as they were logged.
            hybrid[query] = {d: round(both[d], 2) for d in _top(both, depth)}
        if query not in TIMED_OUT:
            dense[query] = _top(_scaled(semantic, 0.42, rng.uniform(0.74, 0.93), 6), depth)
    _mark_spam(rng, qrels)
    return {
        "search/queries.tsv": "".join(f"{q}\t{text}\n" for q, (*_, text) in QUERIES.items()),
        "search/needs.tsv": "".join(
            f"{q}\t{need}\n" for q, (_, need, _) in QUERIES.items() if need in SIGHT
        ),
        "search/qrels.txt": _qrels(qrels),
        "search/bm25.run": _run(bm25, "bm25", 4),
        "search/dense.run": _run(dense, "dense", 6),
        "search/hybrid.run": _run(hybrid, "hybrid", 2),
    }


def _catalogue(rng: Random) -> dict[str, list[str]]:
    """Return the shop's products by category."""
    categories = dict.fromkeys(category for category, *_ in QUERIES.values())
    return {c: [f"{c}-{n:04}" for n in sorted(rng.sample(range(1, 400), 90))] for c in categories}


def _truth(
    rng: Random, catalogue: Mapping[str, list[str]], category: str, need: str
) -> dict[str, int]:
    """Return the grade of every product that could be found for a query."""
    own = rng.sample(catalogue[category], 55)
    others = [d for c, docs in catalogue.items() if c != category for d in docs]
    truth = dict.fromkeys([*own, *rng.sample(others, 20)], 0)
    if need == "none":
        return truth
    at = 0
    for grade, fewest, most in ((3, 1, 3), (2, 1, 5), (1, 3, 9)):
        n = rng.randint(fewest, most)
        truth.update(dict.fromkeys(own[at : at + n], grade))
        at += n
    return truth


def _seen(rng: Random, truth: Mapping[str, int], lure: Scores, sight: float) -> Scores:
    """Return what a system makes of each product: what it sees, what lures all, and noise."""
    return {d: sight * grade + lure[d] + rng.gauss(0, 1) for d, grade in truth.items()}


def _judged(
    rng: Random, truth: Mapping[str, int], lexical: Scores, semantic: Scores
) -> dict[str, int]:
    """Return grades for the pool of two systems and a few chance finds, nearly all of them judged."""
    pool = dict.fromkeys([*_top(lexical, 19), *_top(semantic, 19), *rng.sample(sorted(truth), 6)])
    return {d: truth[d] for d in sorted(pool) if rng.random() < 0.95}


def _mark_spam(rng: Random, qrels: dict[str, dict[str, int]]) -> None:
    """Turn a few grades of 0 into -1."""
    for query in rng.sample(sorted(qrels), SPAM):
        doc = rng.choice([d for d, grade in qrels[query].items() if grade == 0])
        qrels[query][doc] = -1


def _top(scores: Scores, depth: int) -> Scores:
    """Return the best documents, best first."""
    order = sorted(scores, key=lambda d: (scores[d], d), reverse=True)
    return {d: scores[d] for d in order[:depth]}


def _scaled(scores: Scores, low: float, high: float, digits: int) -> Scores:
    """Return the scores moved to a range and rounded."""
    least, most = min(scores.values()), max(scores.values())
    step = (high - low) / (most - least)
    return {d: round(low + step * (s - least), digits) for d, s in scores.items()}


def _mixed(lexical: Scores, semantic: Scores) -> Scores:
    """Return the mean of two systems' scores, each between 0 and 1."""
    one, other = _scaled(lexical, 0, 1, 9), _scaled(semantic, 0, 1, 9)
    return {d: (one[d] + other[d]) / 2 for d in one}


def recommender(rng: Random) -> dict[str, str]:
    """Return held-out films of users and two runs: the most popular, and a factor model."""
    appeal = {f: rng.gauss(0, 1) for f in FILMS}
    film_taste = {f: [rng.gauss(0, 1) for _ in range(TASTES)] for f in FILMS}
    held_out: dict[str, dict[str, int]] = {}
    known: dict[str, list[str]] = {}
    als: dict[str, Scores] = {}
    for user in USERS:
        taste = [rng.gauss(0, 1) for _ in range(TASTES)]
        # fsum, since what sum gives in the last digit depends on Python's version.
        liking = {
            f: math.fsum([appeal[f], *(1.1 * a * b for a, b in zip(taste, own, strict=True))])
            for f, own in film_taste.items()
        }
        watched = _watched(rng, liking, rng.randint(7, 16))
        left_out = min(rng.choice((1, 1, 2, 2, 3, 4, 5, 6)), len(watched) - 5)
        held_out[user] = dict.fromkeys(sorted(watched[:left_out]), 1)
        known[user] = [] if user in COLD else watched[left_out:]
        guess = {f: s + rng.gauss(0, 1.2) for f, s in liking.items() if f not in known[user]}
        if user not in COLD:
            als[user] = _top(_scaled(guess, -0.08, rng.uniform(0.7, 1.1), 5), DEPTH)
    counts = dict.fromkeys(FILMS, 0)
    for film in (f for films in known.values() for f in films):
        counts[film] += 1
    popular = {
        u: _top({f: float(n) for f, n in counts.items() if f not in known[u]}, DEPTH) for u in USERS
    }
    return {
        "recommender/test.qrels": _qrels(held_out),
        "recommender/popular.run": _run(popular, "popular", 0),
        "recommender/als.run": _run(als, "als", 5),
    }


def _watched(rng: Random, liking: Scores, n: int) -> list[str]:
    """Return n films a user has watched: the liked ones more often."""
    luck = {f: s - math.log(-math.log(rng.random())) for f, s in liking.items()}
    films = list(_top(luck, n))
    rng.shuffle(films)
    return films


def _qrels(judgments: Mapping[str, Mapping[str, int]]) -> str:
    return "".join(
        f"{query} 0 {doc} {grade}\n"
        for query, grades in judgments.items()
        for doc, grade in grades.items()
    )


def _run(ranking: Mapping[str, Scores], tag: str, digits: int) -> str:
    return "".join(
        f"{query} Q0 {doc} {rank} {score:.{digits}f} {tag}\n"
        for query, scores in ranking.items()
        for rank, (doc, score) in enumerate(scores.items(), 1)
    )


if __name__ == "__main__":
    main()
