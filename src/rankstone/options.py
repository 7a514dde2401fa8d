"""The types of the options of the verbs, for editors and type checkers.

A test holds them to :class:`rankstone.Conventions` and to the options of ``evaluate``.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class ConventionOptions(TypedDict, total=False):
    """Single conventions."""

    ties: Literal["docid-desc", "docid-asc", "input", "expected", "optimistic", "pessimistic"]
    precision: Literal["float64", "float32"]
    queries: Literal["judged", "both", "run"]
    no_relevant: Literal["zero", "one", "silence", "skip", "error"]
    relevance: float
    negatives: Literal["unjudged", "nonrelevant"]
    unjudged: Literal["nonrelevant", "remove"]
    missed: Literal["count", "ignore"]
    nonpositive: Literal["any", "nonrelevant"]
    duplicates: Literal["first", "keep", "count", "error"]
    sums: Literal["exact", "plain"]


class ReadingOptions(TypedDict, total=False):
    """How to read the data."""

    name: str | None
    threads: int | None
    input_format: str | None
    max_bytes: int | None
    encoding: str | None
    mask: Any
    qid: Any
    group_sizes: Any
    columns: Any
    exclude: Any
    not_retrieved: Any
    scores: Literal["descending", "ascending"]
    min_score: float | None
    parents: Any
    parent_rule: str
    judged_chunks: bool


class DataOptions(ConventionOptions, ReadingOptions, total=False):
    """How to read the data, and single conventions."""


class EvaluationOptions(DataOptions, total=False):
    """The options of ``evaluate``."""

    like: str | None
    conventions: Any
    tie_interval: bool
    unjudged_interval: bool
    strict: bool
