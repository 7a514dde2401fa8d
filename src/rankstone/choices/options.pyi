# The options of the verbs, for editors and type checkers. Written by
# ``python release/option_types.py`` from the fields of the choices; a test compares the two.
from typing import Any, Literal, TypedDict

class EvaluateOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    tie_interval: bool
    unjudged_interval: bool
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
    not_retrieved: Any
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class EvaluatorOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    tie_interval: bool
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class EvaluatorAddOptions(TypedDict, total=False):
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    group_sizes: Any
    exclude: Any

class ExplainOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
    not_retrieved: Any
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class ReconcileOptions(TypedDict, total=False):
    conventions: Any
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
    not_retrieved: Any
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class AcrossToolsOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
    not_retrieved: Any

class CompareOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    unjudged_interval: bool
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    fuse: Any
    baseline: str | None
    all_pairs: bool
    test: str | None
    correction: str
    interval: str | None
    confidence: float
    resamples: int
    rng: Any
    family: Literal["measure", "all"]
    clusters: Any
    by: Any
    trusted: Any
    weights: Any
    repeats: Any
    lower_is_better: Any
    minimum_difference: float | None
    incomplete_above: float
    zeros: str
    moved: int

class LeaderboardOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    confidence: float
    resamples: int
    rng: Any
    clusters: Any

class PowerOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    clusters: Any
    trusted: Any

class GateOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    confidence: float
    clusters: Any
    by: Any
    trusted: Any

class ResultIntervalOptions(TypedDict, total=False):
    interval: str | None
    confidence: float
    clusters: Any
    trusted: Any

class ReportOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    unjudged_interval: bool
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    baseline: str | None
    test: str | None
    correction: str
    interval: str | None
    confidence: float
    resamples: int
    rng: Any
    family: Literal["measure", "all"]
    clusters: Any
    by: Any
    trusted: Any
    weights: Any
    lower_is_better: Any
    minimum_difference: float | None
    incomplete_above: float
    zeros: str

class RiskCoverageOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class PMrrOptions(TypedDict, total=False):
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    ties: Literal["docid-desc", "docid-asc", "input", "expected", "optimistic", "pessimistic"]
    precision: Literal["float64", "float32"]
    duplicates: Literal["first", "keep", "count", "error"]
    queries: Literal["judged", "both", "run"]
    unjudged: Literal["nonrelevant", "remove"]

class PoolOptions(TypedDict, total=False):
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    ties: Literal["docid-desc", "docid-asc", "input", "expected", "optimistic", "pessimistic"]
    precision: Literal["float64", "float32"]
    duplicates: Literal["first", "keep", "count", "error"]

class HolesOptions(TypedDict, total=False):
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    ties: Literal["docid-desc", "docid-asc", "input", "expected", "optimistic", "pessimistic"]
    precision: Literal["float64", "float32"]
    queries: Literal["judged", "both", "run"]
    relevance: float
    negatives: Literal["unjudged", "nonrelevant"]
    unjudged: Literal["nonrelevant", "remove"]
    missed: Literal["count", "ignore"]
    nonpositive: Literal["any", "nonrelevant"]
    duplicates: Literal["first", "keep", "count", "error"]
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class AgreeRunsOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    same_as: Any

class FuseOptions(TypedDict, total=False):
    name: Any
    like: str | None
    input_format: str | None
    encoding: str | None
    columns: Any
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    same_as: Any
    method: Literal[
        "rrf", "combsum", "combmnz", "combmax", "combmin", "combmed", "wsum", "borda", "isr"
    ]
    norm: Literal["min-max", "max", "sum", "z-score", "rank", "none"] | None
    weights: Any
    k: float
    first_rank: int
    absent: Literal["none", "zero", "last", "share"] | None
    constant: Literal["one", "zero"]
    normalised_over: Literal["retrieved", "depth", "union"]
    depth: int | None
    keep: int | None
    ties: Literal["docid-desc", "docid-asc", "input"]
    fused_ties: Literal["docid-desc", "docid-asc", "input"]
    queries: Literal["any", "all", "same"]

class TuneOptions(TypedDict, total=False):
    conventions: Any
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
    precision: Literal["float64", "float32"]
    no_relevant: Literal["zero", "one", "silence", "skip", "error"]
    relevance: float
    negatives: Literal["unjudged", "nonrelevant"]
    unjudged: Literal["nonrelevant", "remove"]
    missed: Literal["count", "ignore"]
    nonpositive: Literal["any", "nonrelevant"]
    duplicates: Literal["first", "keep", "count", "error"]
    sums: Literal["exact", "plain"]
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    interval: str | None
    confidence: float
    rng: Any
    clusters: Any
    method: Literal[
        "rrf", "combsum", "combmnz", "combmax", "combmin", "combmed", "wsum", "borda", "isr"
    ]
    norm: Literal["min-max", "max", "sum", "z-score", "rank", "none"] | None
    weights: Any
    k: float
    first_rank: int
    absent: Literal["none", "zero", "last", "share"] | None
    constant: Literal["one", "zero"]
    normalised_over: Literal["retrieved", "depth", "union"]
    depth: int | None
    keep: int | None
    ties: Literal["docid-desc", "docid-asc", "input"]
    fused_ties: Literal["docid-desc", "docid-asc", "input"]
    queries: Literal["any", "all", "same"]

class AgreeJudgmentsOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    group_sizes: Any
    block_bytes: int | None
    max_bytes: int | None
    relevance: float

class AgreeOrderingsOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None

class VerifyOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    query_ids: Any
    group_sizes: Any
    qid: Any
    mask: Any
    qid_blocks: Literal["merge", "separate"]
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]

class ValidateOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    group_sizes: Any
    block_bytes: int | None
    max_bytes: int | None

class ConvertOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    columns: Any
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    group_sizes: Any
    block_bytes: int | None
    max_bytes: int | None

class LoadJudgmentsOptions(TypedDict, total=False):
    input_format: str | None
    encoding: str | None
    sheet: Any
    header_row: int | None
    fill_down: bool
    faulty_rows: Literal["error", "skip"]
    group_sizes: Any
    block_bytes: int | None
    max_bytes: int | None

class LoadRunOptions(TypedDict, total=False):
    name: Any
    input_format: str | None
    encoding: str | None
    columns: Any
    query_ids: Any
    threads: int | None
    block_bytes: int | None
    max_bytes: int | None
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]

class SparkEvaluateOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    tie_interval: bool
    strict: bool
    scores: Literal["descending", "ascending"]
    rank_by: Literal["order", "score"]
    min_score: float | None
    exclude: Any
    parents: Any
    parent_rule: Literal["first", "max", "sum"]
    judged_chunks: bool
    same_as: Any
    cutoff_unit: Literal["document", "chunk"]
    lengths: Any
    items: Any
    history: Any
    over_budget: Literal["drop", "keep"]
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
    columns: Any

class SparkEvaluateListsOptions(TypedDict, total=False):
    like: str | None
    conventions: Any
    name: Any
    tie_interval: bool
    strict: bool
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
    columns: Any
