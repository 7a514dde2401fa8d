"""Tests of matches."""

import numpy as np

from rankstone.core.matches import Matches


def matches(**changed):
    """Return matches of three queries with 2, 0 and 3 rows."""
    columns = {
        "offsets": [0, 2, 2, 5],
        "judgment": [0, 1, 4, 4, 5],
        "above": [0, 1, 2, 2, 0],
        "tied": [1, 1, 2, 2, 1],
        "greater": [0, 0, 0, 0, 0],
        "earlier": [0, 0, 0, 1, 0],
        "present": [True, False, True],
        "retrieved": [2, 0, 3],
        "duplicates": [1, 0, 1],
        "rank_disagrees": [False, False, True],
    }
    arrays = {name: np.array(values) for name, values in columns.items()}
    return Matches(**arrays, score=np.array([2.0, 1.0, 5.0, 5.0, 9.0]), **changed)


def test_matches_of_some_queries_keep_what_belongs_to_them():
    rows = np.array([-1, -1, -1, 0, 1, 2])
    kept = matches(duplicate={0: "a", 2: "c"}).select(np.array([False, True, True]), rows)
    assert kept.offsets.tolist() == [0, 0, 3]
    assert kept.judgment.tolist() == [1, 1, 2]
    assert kept.score.tolist() == [5, 5, 9]
    assert kept.duplicate == {1: "c"}
    assert (kept.present.tolist(), kept.retrieved.tolist()) == ([False, True], [0, 3])


def test_copies_of_a_document_in_a_tie_are_in_order_of_id():
    of = matches()
    assert of.with_distinct_ids(earlier_is_greater=True).greater.tolist() == [0, 0, 0, 1, 0]
    assert of.with_distinct_ids(earlier_is_greater=False).greater.tolist() == [0, 0, 1, 0, 0]


def test_a_run_without_rows_has_no_matches():
    none = Matches.none(2)
    assert none.offsets.tolist() == [0, 0, 0]
    assert none.retrieved.tolist() == none.duplicates.tolist() == [0, 0]
    assert none.present.tolist() == none.rank_disagrees.tolist() == [False, False]
    assert len(none.judgment) == len(none.score) == none.unjudged_queries == 0
    assert not none.unjudged_capped
