"""The measures trec_eval has, against pytrec_eval-terrier (trec_eval 9) on random collections."""

from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from strategies import examples, write_qrels, write_run
from trec_collections import collection

import rankstone as rs

CUTS = (1, 3, 5, 10, 20)
NAMES = {
    "map": "AP",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "ndcg": "nDCG",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_q": "NumQ",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F",
}
for _k in CUTS:
    NAMES |= {
        f"map_cut_{_k}": f"AP@{_k}",
        f"P_{_k}": f"P@{_k}",
        f"recall_{_k}": f"R@{_k}",
        f"success_{_k}": f"Success@{_k}",
        f"ndcg_cut_{_k}": f"nDCG@{_k}",
        f"relative_P_{_k}": f"P(denominator='min(k,R)')@{_k}",
    }
ASKED = {
    "map", "recip_rank", "Rprec", "ndcg", "num_ret", "num_rel", "num_rel_ret", "num_q",
    "set_P", "set_recall", "set_F",
    *(f"{name}.{','.join(map(str, CUTS))}"
      for name in ("map_cut", "P", "recall", "success", "ndcg_cut", "relative_P")),
}  # fmt: skip


def test_random_collections(engine):
    for seed in range(examples(1000)):
        judgments, run = collection(seed)
        compare(judgments, run, rs.evaluate(
            judgments, run, list(NAMES.values()), precision="float32", queries="both"
        ), ASKED, 1)  # fmt: skip


@pytest.mark.parametrize("level", [1, 2])
def test_relevance_levels(engine, level):
    binary = {name for name in ASKED if not name.startswith("ndcg")}
    for seed in range(200):
        judgments, run = collection(seed)
        result = rs.evaluate(
            judgments,
            run,
            [n for n in NAMES.values() if "nDCG" not in n],
            precision="float32",
            queries="both",
            relevance=level,
        )
        compare(judgments, run, result, binary, level)


def test_files_give_the_same(engine, tmp_path):
    for seed in range(60):
        judgments, run = collection(seed)
        qrels = write_qrels(tmp_path / "qrels", judgments)
        file = write_run(tmp_path / "run", run)
        result = rs.evaluate(qrels, file, list(NAMES.values()), precision="float32", queries="both")
        compare(judgments, run, result, ASKED, 1)


def compare(judgments, run, result, asked, level):
    expected = pytrec_eval.RelevanceEvaluator(judgments, asked, relevance_level=level).evaluate(run)
    assert set(result.per_query) == set(expected)
    for query, values in expected.items():
        for theirs, value in values.items():
            ours = result.per_query[query][NAMES[theirs]]
            assert ours == pytest.approx(value, abs=1e-12), (query, theirs)
    for theirs in next(iter(expected.values())):
        total = [values[theirs] for values in expected.values()]
        counted = theirs.startswith("num_")
        mean = np.sum(total) if counted else np.mean(total)
        assert result[NAMES[theirs]] == pytest.approx(mean, abs=1e-12), theirs


def test_seeds_draw_what_they_promise():
    """Guards the generator: the cases that matter do occur."""
    drawn = [collection(seed) for seed in range(200)]
    assert any(set(j) - set(r) for j, r in drawn)
    assert any(set(r) - set(j) for j, r in drawn)
    assert any(g < 0 for j, _ in drawn for docs in j.values() for g in docs.values())
    assert any(
        a == b for _, r in drawn for docs in r.values() for a, b in pairwise(sorted(docs.values()))
    )
    assert any(max(docs.values()) <= 0 for j, _ in drawn for docs in j.values())
