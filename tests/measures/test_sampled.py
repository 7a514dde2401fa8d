"""Estimates from judgments of a sample: xinfAP and infNDCG."""

import math
import random

import pytest
from loading import collection

import rankstone as rs


def drawn(rng):
    """Return rows of prels and a ranking; strata are drawn at rates of their own."""
    docs = [f"d{i}" for i in range(25)]
    rates = {doc: rng.choice([1, 0.5, 0.2]) for doc in docs}
    rows = {
        doc: (rng.choice([0, 0, 1, 2]) if rng.random() < p else -1, p) for doc, p in rates.items()
    }
    rows["d0"] = (1, rates["d0"])
    return rows, rng.sample([*docs, "x", "y", "z"], rng.randint(3, 28))


def write(path, queries):
    path.write_text(
        "".join(f"{q} {d} {g} 1 {p}\n" for q, rows in queries.items() for d, (g, p) in rows.items())
    )
    return path


def expected_ap(rows, ranking):
    """Return the estimate, one document after the other."""
    total = 0.0
    for rank, doc in enumerate(ranking, 1):
        grade, p = rows.get(doc, (-1, 1))
        if grade < 1:
            continue
        above = 0.0
        for rate in {rate for _, rate in rows.values()}:
            listed = [rows[d][0] for d in ranking[: rank - 1] if d in rows and rows[d][1] == rate]
            hits, others = sum(g > 0 for g in listed), sum(g == 0 for g in listed)
            above += len(listed) * (hits + 1e-5) / (hits + others + 2e-5)
        total += (1 / rank + above / rank) / p
    return total / sum(1 / p for g, p in rows.values() if g > 0)


def expected_dcg(rows, ranking, k):
    found = sum(
        rows[doc][0] / rows[doc][1] / math.log2(rank + 1)
        for rank, doc in enumerate(ranking[:k], 1)
        if rows.get(doc, (-1, 1))[0] > 0
    )
    best, place = 0.0, 0.0
    for grade, p in sorted(((g, p) for g, p in rows.values() if g > 0), reverse=True):
        left = 1 / p
        while left > 1e-12:
            part = min(left, math.floor(place + 1e-12) + 1 - place)
            if place < k - 1e-12:
                best += grade * part / math.log2(math.floor(place + 1e-12) + 2)
            place, left = place + part, left - part
    return found / best


@pytest.mark.parametrize("seed", range(60))
def test_estimates_are_those_of_the_formulas(seed, tmp_path):
    rng = random.Random(seed)
    queries = {f"q{i}": drawn(rng) for i in range(3)}
    file = write(tmp_path / "a.prels", {q: rows for q, (rows, _) in queries.items()})
    k = rng.choice([1, 5, 10])
    names = ["xinfAP", f"infNDCG@{k}", "infNDCG"]
    found = rs.evaluate(file, {q: own for q, (_, own) in queries.items()}, names)
    for query, (rows, ranking) in queries.items():
        values = [found.per_query[query][name] for name in names]
        expected = [
            expected_ap(rows, ranking),
            expected_dcg(rows, ranking, k),
            expected_dcg(rows, ranking, 1000),
        ]
        assert values == pytest.approx(expected, rel=1e-12)


def test_without_samples_they_are_the_usual_measures(tmp_path):
    judged, run = {"q": {"a": 1, "b": -1, "c": 2, "d": 0}}, {"q": ["b", "x", "a", "d"]}
    names = ["xinfAP", "infAP", "infNDCG@3", "nDCG@3"]
    found = rs.evaluate(judged, run, names)
    assert found["xinfAP"] == found["infAP"]
    assert found["infNDCG@3"] == found["nDCG@3"]
    certain = {"q": {doc: (grade, 1) for doc, grade in judged["q"].items()}}
    drawn_all = rs.evaluate(write(tmp_path / "a.prels", certain), run, names)
    assert [drawn_all[n] for n in names] == pytest.approx([found[n] for n in names], abs=1e-15)


def test_what_is_no_sample_is_refused(tmp_path):
    run = {"q": ["a", "x", "b"]}
    for p in (0, 1.5):
        file = write(tmp_path / "a.prels", {"q": {"a": (1, p), "b": (0, 0.5)}})
        with pytest.raises(rs.DataError, match="not above 0 and at most 1"):
            rs.evaluate(file, run, ["xinfAP"])
    file = write(tmp_path / "a.prels", {"q": {"a": (1, 0.5), "b": (0, 0.5)}})
    with pytest.raises(rs.UsageError, match="estimate from drawn documents"):
        rs.evaluate(file, run, ["infNDCG"], unjudged="remove")
    with pytest.raises(rs.UsageError, match="estimate from drawn documents"):
        rs.evaluate(file, run, ["xinfAP"], unjudged_interval=True)


def test_other_probabilities_are_other_judgments(tmp_path):
    digests = set()
    for p in (0.5, 1):
        file = write(tmp_path / f"{p}.prels", {"q": {"a": (1, p), "b": (0, 1)}})
        digests.add(collection(file, {"q": ["a"]}).judgments.digest())
    assert len(digests) == 2
