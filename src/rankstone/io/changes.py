"""Changes to the data before documents are ranked, and how a result records them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property, partial
from importlib import import_module
from operator import attrgetter
from typing import Any, ClassVar, Self, cast

from rankstone.choices.base import Choices
from rankstone.choices.setup import Setup
from rankstone.core.cutoff import Cutter
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.provenance import MEMORY, Given
from rankstone.core.run import NO_DOCUMENT, EmptyRun, Row, Run
from rankstone.errors import Notice, UsageError
from rankstone.frozen import frozen
from rankstone.io.column_roles import Columns
from rankstone.io.rows import Id


@frozen(eq=False)
class Pairs:
    """Pairs of a query and a document, in any form of judgments; read on first use."""

    data: Any
    setup: Setup
    option: ClassVar[str]

    @classmethod
    def of(cls, data: Any, setup: Setup) -> Self:
        """Take pairs that were given, unless they were taken before."""
        return data if isinstance(data, cls) else cls(data, setup)

    @cached_property
    def judgments(self) -> Judgments:
        """The pairs, as judgments without grades."""
        from rankstone.io.load import load_judgments

        # The format is that of the judgments; a list of pairs may have any other.
        plain = replace(self.setup, reading=self.setup.reading.replace(input_format=None))
        return load_judgments(self.data, plain, graded=False)

    @property
    def plain(self) -> dict[Any, list[Any]]:
        """The documents of each query, to be sent to another process."""
        return dict(zip(self.judgments.queries, self.judgments.docs_by_query, strict=True))

    @property
    def given(self) -> Given:
        """The pairs as a result records them."""
        pairs = self.judgments
        name = self.option if pairs.source is MEMORY else pairs.source.name
        return Given(
            name,
            len(pairs),
            lambda: (f"{query}\t{doc}" for query, docs in self.plain.items() for doc in docs),
        )


class Exclusions(Pairs):
    """Pairs that are removed from the run."""

    option = "exclude"

    @cached_property
    def judgments(self) -> Judgments:
        """The pairs, as judgments without grades; there may be none."""
        from rankstone.io.load import is_empty

        return EMPTY if is_empty(self.data) else super().judgments

    @property
    def given(self) -> Given:
        """The pairs as a result records them."""
        if not type(self.data).__module__.startswith("scipy.sparse"):
            return super().given
        cells = self.data.tocoo()
        return Given(
            self.option,
            cells.nnz,
            lambda: (f"{q}\t{d}" for q, d in zip(*cells.coords, strict=True)),
        )


def prepared(setup: Setup) -> Setup:
    """Return a setup whose data are read once, however many runs are read with it."""
    if setup.reading.columns is not None:
        setup = setup.replace(columns=Columns.of(setup.reading.columns))
    for f in fields(setup.changes):
        data = getattr(setup.changes, f.name)
        if data is not None and "reader" in f.metadata:
            module, _, reader = f.metadata["reader"].partition(":")
            read = attrgetter(reader)(import_module(f"rankstone.io.{module}"))
            setup = setup.replace(**{f.name: read(data, setup)})
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
    """Return a run after ``min_score``, and after ids were merged into documents."""
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
    """Yield rows whose score reaches ``min_score``; ``scores`` replace those of the rows if given."""
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
