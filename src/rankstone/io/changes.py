"""Changes to the data before documents are ranked, and how a result records them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

from rankstone.choices.base import Choices
from rankstone.choices.setup import Setup
from rankstone.core.cutoff import Cutter
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.provenance import MEMORY, Given
from rankstone.core.run import NO_DOCUMENT, EmptyRun, Row, Run
from rankstone.errors import Notice, UsageError
from rankstone.io.column_roles import Columns
from rankstone.io.rows import Id


@dataclass(frozen=True, eq=False)
class Exclusions:
    """Pairs of a query and a document that are removed from the run; read on first use."""

    data: Any
    setup: Setup

    @cached_property
    def judgments(self) -> Judgments:
        """The pairs, as judgments without grades."""
        from rankstone.io.load import is_empty, load_judgments

        if is_empty(self.data):
            return EMPTY
        # The format is that of the judgments; a list of pairs may have any other.
        plain = replace(self.setup, reading=self.setup.reading.replace(input_format=None))
        return load_judgments(self.data, plain, graded=False)

    @property
    def given(self) -> Given:
        """The pairs as a result records them."""
        if type(self.data).__module__.startswith("scipy.sparse"):
            cells = self.data.tocoo()
            return Given(
                "exclude",
                cells.nnz,
                lambda: (f"{q}\t{d}" for q, d in zip(*cells.coords, strict=True)),
            )
        pairs = self.judgments
        name = pairs.source.name if pairs.source is not MEMORY else "exclude"
        return Given(name, len(pairs), lambda: _pairs(pairs))


def _pairs(judgments: Judgments) -> Iterator[str]:
    lists = zip(judgments.queries, judgments.docs_by_query, strict=True)
    return (f"{query}\t{doc}" for query, docs in lists for doc in docs)


def prepared(setup: Setup) -> Setup:
    """Return a setup whose data are read once, however many runs are read with it."""
    reading, changes = setup.reading, setup.changes
    if not isinstance(reading.columns, Columns) and reading.columns is not None:
        setup = replace(setup, reading=reading.replace(columns=Columns.of(reading.columns)))
    if changes.exclude is not None and not isinstance(changes.exclude, Exclusions):
        setup = setup.replace(exclude=Exclusions(changes.exclude, setup))
    if changes.parents is not None:
        from rankstone.io.parents import Parents

        setup = setup.replace(parents=Parents.of(changes.parents, setup))
    if changes.same_as is not None:
        from rankstone.io.parents import Parents

        setup = setup.replace(same_as=Parents.of_same(changes.same_as, setup))
    if changes.lengths is not None:
        from rankstone.io.lengths import Lengths

        setup = setup.replace(lengths=Lengths.of(changes.lengths, setup))
    if changes.items is not None or changes.history is not None:
        from rankstone.io.items import History, Items

        if changes.items is not None:
            setup = setup.replace(items=Items.of(changes.items, setup))
        if changes.history is not None and not isinstance(changes.history, History):
            setup = setup.replace(history=History(changes.history, setup))
    return setup


def cutter_of(run: Run, judgments: Judgments, setup: Setup) -> Cutter | None:
    """Return the cutter for budgets and chunks; None if cutoffs are ranks of documents."""
    changes = setup.changes
    lengths, keeps_last = changes.lengths and changes.lengths.plain, changes.over_budget == "keep"
    if changes.parents is None:
        return None if lengths is None else Cutter(lengths, keeps_last)
    counts_chunks = changes.cutoff_unit == "chunk"
    if counts_chunks and changes.parent_rule == "sum":
        raise UsageError(
            "cutoff_unit='chunk' goes with the rules 'first' and 'max': a sum over the chunks of a "
            "document changes with the number of chunks that are read."
        )
    # What needs parents goes before these.
    plain = setup.replace(cutoff_unit="document", parent_rule="first", judged_chunks=False)
    chunks = partial(changed_run, run, judgments, plain.replace(parents=None, exclude=None))
    return Cutter(lengths, keeps_last, chunks, changes.parents.find, counts_chunks)


def changed_run(run: Run, judgments: Judgments, setup: Setup) -> Run:
    """Return a run with every change that is made before it is ranked.

    A query that is left without documents stays a query of the run.
    """
    changes = setup.changes
    if not isinstance(run, EmptyRun):
        check_scores(run.name, run.direction, setup)
    if not isinstance(run, EmptyRun) and (changes.min_score, changes.merged_by) != (None, None):
        run = _rebuilt(run, judgments, setup)
    if changes.exclude is not None:
        if hasattr(run, "without"):
            return run.without(changes.exclude)
        from rankstone.core.exclude import ExcludingRun

        run = ExcludingRun(run, changes.exclude.judgments)
    return run


def check_scores(name: str, direction: int, setup: Setup) -> None:
    """Refuse changes that need scores on a run that has none."""
    changes = setup.changes
    if direction:
        return
    if changes.rank_by == "score":
        raise UsageError(f"{name}: rank_by='score' needs scores, and this run has none.")
    if changes.min_score is not None:
        raise UsageError(f"{name}: min_score= needs scores, and this run has none.")
    if changes.parent_rule != "first":
        raise UsageError(
            f"{name}: the rule '{changes.parent_rule}' needs scores, and this run has none. Choose "
            "'first'."
        )


def _rebuilt(run: Run, judgments: Judgments, setup: Setup) -> Run:
    """Return a run without documents of a worse score than a threshold, or of documents for chunks."""
    from rankstone.io.gathered import GatheredRun, ShownRun, run_from
    from rankstone.io.input_file import ReadOptions
    from rankstone.io.parents import documents_of

    changes = setup.changes
    direction, against = run.direction, cast("tuple[Notice, ...]", ())
    scored: Run = run
    if isinstance(run, ShownRun):
        scored, against = run.by_score, run.against
        if changes.parent_rule == "first":
            direction = 0  # places rank what is left
        else:
            run, against = scored, ()
    rows: Iterable[Row] = run.rows(judgments)
    if changes.min_score is not None:
        scores = (row[2] for row in scored.rows(judgments)) if scored is not run else None
        rows = _kept(rows, scored.direction * changes.min_score, scores)
    typed = bool(getattr(run, "typed", False))
    if changes.merged_by is None:
        left = cast(
            "GatheredRun",
            run_from(rows, run.source, run.name, ReadOptions(), name=run.name, typed=typed),
        )
        return replace(left, made_from=direction, about=against)
    made, notice = documents_of(rows, changes.merged_by, changes.parent_rule)
    return GatheredRun(
        made, run.name, run.source, typed=typed, made_from=direction, about=(*against, notice)
    )


def _kept(rows: Iterable[Row], min_score: float, scores: Iterable[float] | None) -> Iterator[Row]:
    """Yield rows with a high score, which is their own if it does not come beside them."""
    seen: set[Id] = set()
    own = ((row, row[2]) for row in rows) if scores is None else zip(rows, scores, strict=True)
    for (query, doc, place), score in own:
        if query not in seen:
            seen.add(query)
            yield query, NO_DOCUMENT, 0.0
        if doc != NO_DOCUMENT and score >= min_score:
            yield query, doc, place


def record(choices: Choices, leave_out: Iterable[str] = ()) -> dict[str, Any]:
    """Return the choices that are not the default, as a result records them."""
    return {
        name: _recorded(name, value)
        for name, value in choices.given().items()
        if name not in leave_out
    }


def _recorded(name: str, value: Any) -> Any:
    if hasattr(value, "given"):
        return value.given
    if isinstance(value, Mapping):
        return {key: v if v is None or isinstance(v, str) else list(v) for key, v in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if name == "not_retrieved":
        return [float(grade) for grade in value]
    # The order of an array matters, so each entry has its place.
    return Given(name, len(value), lambda: (f"{i:012d}\t{v}" for i, v in enumerate(value)))
