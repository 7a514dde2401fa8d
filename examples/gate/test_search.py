"""Search quality as a test: the rules are those of rankstone.toml."""

import rankstone as rs
from rankstone.testing import assert_not_worse


def test_the_new_run_passes_the_gate(quality_gate):
    quality_gate("search/qrels.txt", "search/new.run")


def test_reciprocal_rank_is_not_worse():
    before, after = (
        rs.evaluate("search/qrels.txt", f"search/{name}.run", "RR") for name in ("old", "new")
    )
    assert_not_worse(after, before)
