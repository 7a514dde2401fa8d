"""Tests of collection."""

import math

import numpy as np
import pytest
from loading import collection

import rankstone as rs
from rankstone.core.collection import CollectionPart, LabelledCollection, MatchedCollection
from rankstone.verbs.load import load_judgments, load_run

DEFAULT = rs.Conventions()


NAN = math.nan


def test_documents_of_a_query_are_those_that_are_judged():
    data = collection({"q": {"a": 2, "b": 0}, "r": {"c": 1}}, {"q": ["a"], "r": ["c"]})
    assert data.judged_documents("q") == [("a", 2), ("b", 0)]
    assert data.judged_documents("r") == [("c", 1)]
    assert data.judged_documents("s") == []
    assert data.document(2) == "c"
    assert CollectionPart(data).judged_documents("r") == [("c", 1)]
    assert CollectionPart(data).document(0) is None
    lists = collection([[1, -1, NAN], [0, 2, 1]], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert lists.judged_documents(0) == [(0, 1), (1, 0)]
    assert lists.judged_documents(1) == [(0, 0), (1, 2), (2, 1)]
    assert lists.document(2) == 2
    in_order = collection([[1, 0], [0, 2]])
    assert in_order.judged_documents(0) == []
    assert in_order.document(1) is None


def test_a_collection_is_of_several_rankings_with_ids_unless_it_says_otherwise():
    judgments = load_judgments({"q": {"a": 1}})
    data = MatchedCollection(load_run({"q": ["a"]}), judgments)
    assert (data.single, data.has_ids, data.is_part) == (False, True, False)
    assert (data.default.ties, CollectionPart(data).default.ties) == ("docid-desc", "docid-desc")
    assert not CollectionPart(data).single
    lists = LabelledCollection(np.zeros(2), None, np.array([0, 2]))
    assert not lists.single
    assert (lists.default.ties, lists.default.negatives) == ("expected", "nonrelevant")
    assert data.matches() is data.matches(float32=False, run_queries=False, repeats=False)
    for one in (data, CollectionPart(data), lists):
        assert "_rankings" not in repr(one)
        assert "_matches" not in repr(one)


def test_documents_that_share_a_score_are_counted():
    judged = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
    run = {"q": {"a": 1.0, "b": 1.0, "x": 1.0}, "r": {"c": 1.0}}
    assert collection(judged, run).tied(DEFAULT) == (2, 3)
    lists = collection([[1, 0, 1], [0, 2, 1]], [[0.1, 0.1, 0.3], [0.3, 0.2, 0.1]])
    # Of lists only relevant documents are counted.
    assert lists.tied(lists.default) == (1, 4)
    assert lists.tally(lists.default).tied == 1


def test_rankings_are_kept_for_a_few_conventions():
    data = collection({"q": {"a": 1}}, {"q": ["b", "a"]})
    first = data.ranked(DEFAULT)
    assert data.ranked(DEFAULT) is first
    rank = first.rank
    other = data.ranked(DEFAULT.replace(no_relevant="skip"))
    assert other.rank is rank
    assert other.conventions.no_relevant == "skip"
    for relevance in (2, 3, 4, 5):
        assert data.ranked(DEFAULT.replace(relevance=relevance)).conventions.relevance == relevance
    assert data.ranked(DEFAULT).rank.tolist() == [2]


def test_more_unjudged_queries_than_are_remembered_cannot_be_averaged():
    import dataclasses

    data = collection({"q": {"a": 1}}, {"q": ["a"], "r": ["a"]})
    assert len(data.ranked(DEFAULT.replace(queries="run"))) == 2
    for change in ({"unjudged_capped": True}, {"unjudged_queries": 2}):
        again = dataclasses.replace(data, _matches={})
        again._matches[False, False, False] = dataclasses.replace(data.matches(), **change)
        with pytest.raises(rs.DataError, match="more than 1 of them have no judgments"):
            again.ranked(DEFAULT.replace(queries="run"))


def test_scores_beyond_32_bits_are_infinite_there():
    data = collection([[1, 0], [0, 1]], [[1e300, 1e299], [1.0, 1.0 + 1e-12]])
    rounded = data.documents(float32=True, run_queries=False, repeats=False)
    assert rounded.queries == [0, 1]
    assert rounded.scores.tolist() == [math.inf, math.inf, 1.0, 1.0]
    assert data.documents(float32=False, run_queries=False, repeats=False).scores.tolist() == [
        1e300,
        1e299,
        1.0,
        1.0 + 1e-12,
    ]
