"""Two runs, without and with an instruction that makes documents irrelevant."""

import pytest

import rankstone as rs


def test_documents_that_fall_count_for_the_instruction():
    before = {"q": ["a", "b", "c"], "r": ["x", "y"]}
    after = {"q": ["b", "c", "a"], "r": ["y", "x"]}
    found = rs.p_mrr({"q": ["a", "b"], "r": ["y"]}, before, after)
    assert found.per_query == {
        "q": pytest.approx(((1 - 1 / 3) + (1 / 2 - 1)) / 2),
        "r": pytest.approx(1 / 2 - 1),
    }
    assert found.value == pytest.approx(sum(found.per_query.values()) / 2)


def test_a_document_that_is_gone_ranks_behind_the_last(engine):
    found = rs.p_mrr({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1.0, "c": 0.5}})
    assert found.value == pytest.approx(1 - 1 / 3)


def test_ties_follow_the_convention():
    before, after = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}
    assert rs.p_mrr({"q": ["a"]}, before, after).value == -0.5  # greater ids are first
    assert rs.p_mrr({"q": ["a"]}, before, after, ties="docid-asc").value == 0


def test_runs_need_a_query_in_common():
    with pytest.raises(rs.DataError, match="no query"):
        rs.p_mrr({"q": ["a"], "r": ["a"]}, {"q": ["a"]}, {"r": ["a"]})


def test_warnings_are_part_of_the_result():
    found = rs.p_mrr({"q": ["01", "b"], "r": ["x"]}, {"q": ["1", "b"]}, {"q": ["b"], "r": ["x"]})
    assert [n.code for n in found.notices["before"]] == ["missing-queries", "ids-look-alike"]
    assert found.notices["after"] == ()
    assert "ids-look-alike" in repr(found)
