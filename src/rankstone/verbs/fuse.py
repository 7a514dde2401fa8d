"""The verb ``fuse``: one run of several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankstone.choices.fusion import Fusion
from rankstone.choices.setup import Setup, verb
from rankstone.core import atomic
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.matches import Matches
from rankstone.core.parallel import on_each
from rankstone.core.provenance import Given, Source
from rankstone.core.run import Row, Run
from rankstone.core.scored_lists import ScoredLists
from rankstone.errors import DataError, Notice, UsageError, did_you_mean
from rankstone.io import formats
from rankstone.io.changes import changed_run, prepared
from rankstone.io.convert import output
from rankstone.io.formats import run_name
from rankstone.io.gathered import GatheredRun
from rankstone.io.load import check_columns_used, load_run
from rankstone.io.rows import as_text
from rankstone.io.streams import STDIN
from rankstone.stats.fusion import Runs, Table
from rankstone.tools.fusion import fusion_like
from rankstone.verbs.evaluate import load_engine

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import FuseOptions


class FusedDocument(NamedTuple):
    """A document with its fused score, and the points of the runs that gave it some."""

    document: Any
    score: float
    points: dict[str, float]


_PARTS = 16  # that are in memory at once, when a run is written


@dataclass(frozen=True, eq=False)
class FusedRun:
    """A run made of others, which every verb takes.

    ``runs`` are these, ``fusion`` is how they were fused.
    """

    name: str
    runs: Runs = field(repr=False)
    fusion: Fusion
    source: Source = field(repr=False)
    direction: int = 1

    @cached_property
    def documents(self) -> ScoredLists:
        """The documents and scores of each query, best first."""
        return Table.of(self.runs, self.fusion).fused(self.fusion)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What users should know, such as queries that only some runs have."""
        return self.runs.notices

    def lists(self) -> ScoredLists:
        """Return all documents in columns, to fuse them again."""
        return self.documents

    def rows(self, judgments: Judgments | None = None) -> Iterator[Row]:
        """Yield the documents, best first."""
        return self.documents.rows()

    @cached_property
    def _gathered(self) -> GatheredRun:
        lists = self.documents
        docs, scores = lists.docs.objects, lists.scores.tolist()
        bounds = zip(lists.queries, lists.offsets[:-1], lists.offsets[1:], strict=True)
        data = {query: dict(zip(docs[a:b], scores[a:b], strict=True)) for query, a, b in bounds}
        typed = lists.queries.typed and lists.docs.typed
        return GatheredRun(data, self.name, self.source, typed=typed, about=self.notices)

    def match(self, judgments: Judgments, *, float32: bool, repeats: bool) -> Matches:
        """Find the judged documents."""
        return self._gathered.match(judgments, float32=float32, repeats=repeats)

    def explain(self, query: Any) -> list[FusedDocument]:
        """Return the documents of a query, best first, with the points that each run gives them.

        >>> for document in fuse([{"q": ["a", "b"]}, {"q": ["b"]}], k=0).explain("q"):
        ...     print(*document)
        b 1.5 {'run1': 0.5, 'run2': 1.0}
        a 1.0 {'run1': 1.0}
        """
        known = list(map(str, self.runs.queries))
        if str(query) not in known:
            raise DataError(
                f"{self.name}: there is no query {query!r}.{did_you_mean(str(query), known)}"
            )
        at = known.index(str(query))
        table = Table.of(self.runs.part(at, at + 1), self.fusion)
        given = table.points(self.fusion).T.tolist()
        points = dict(zip(table.docs(np.arange(len(given))), given, strict=True))
        fused = table.fused(self.fusion)
        return [
            FusedDocument(
                doc,
                score,
                {n: p for n, p in zip(self.runs.rows, points[doc], strict=True) if not np.isnan(p)},
            )
            for doc, score in zip(fused.docs, fused.scores.tolist(), strict=True)
        ]

    def save(
        self, path: str | os.PathLike[str], to: str | None = None, *, force: bool = False
    ) -> None:
        """Write the run to a file, which appears whole or not at all.

        Args:
            path: of the file; ``-`` is stdout.
            to: name of the format (default: by the ending of the path).
            force: replace a file.
        """
        target = os.fspath(path)
        writer = formats.named(to or formats.format_for(target))
        if writer.write_run is None:
            raise UsageError(f"the format '{writer.name}' cannot hold a run.")
        if target != STDIN:
            atomic.check_own(target, None, force=force)
        with output(target) as out:
            if writer.text_of_lists is None:
                rows: Iterable[Any] = (row for row in as_text(self.rows()) if row[1])
                writer.write_run(rows, out)
                return
            text_of, parts = writer.text_of_lists, self.runs.parts()
            for first in range(0, len(parts), _PARTS):
                some = parts[first : first + _PARTS]
                out.writelines(
                    on_each(lambda runs: text_of(replace(self, runs=runs).documents), some)
                )


@verb("fuse")
def fuse(runs: Any, fusion: str | Fusion | None = None, **options: Unpack[FuseOptions]) -> FusedRun:
    """Fuse runs into one, which every verb takes.

    Args:
        runs: two or more runs in any form that ``evaluate`` takes: a list, or a dict by name.
        fusion: all choices at once: a method such as ``rrf``, choices as in ``rrf,k=10``, or a
            ``Fusion``.
        options: see below.

    >>> fused = fuse([{"q": ["a", "b"]}, {"q": ["b", "c"]}], method="rrf", k=60)
    >>> [(doc, round(score, 5)) for _, doc, score in fused.rows() if doc]
    [('b', 0.03252), ('a', 0.01639), ('c', 0.01613)]
    """
    setup = Setup.of("fuse", options)
    return fuse_runs(named_runs(runs), chosen_fusion(fusion, setup), setup)


def chosen_fusion(fusion: str | Fusion | None, setup: Setup) -> Fusion:
    """Return the fusion that was chosen, as a whole or choice by choice, on top of a tool's."""
    like, single = setup.evaluation.like, dict(setup.fusion)
    if isinstance(fusion, str) and "," not in fusion:
        single.setdefault("method", fusion)
        fusion = None
    if fusion is not None:
        if single or like is not None:
            other = next(iter(single), "like")
            raise UsageError(
                f"{other}= is given beside a whole fusion, {fusion!r}. Put it in there."
            )
        return Fusion.of(fusion)
    tool = dict(fusion_like(like)) if like is not None else {}
    if single.get("method", "rrf") != "rrf":
        tool.pop("first_rank", None)  # which only rrf reads
    return Fusion(**(tool | single))


def named_runs(runs: Any) -> dict[str, Any]:
    """Return runs by name: given, of a file or a run, or their place."""
    if isinstance(runs, Mapping):
        return {str(name): run for name, run in runs.items()}
    if isinstance(runs, str | os.PathLike) or not isinstance(runs, Sequence):
        raise UsageError("give runs to fuse as a list, or as {name: run}; at least two.")
    named: dict[str, Any] = {}
    for place, run in enumerate(runs, 1):
        own = getattr(run, "name", f"run{place}")
        name = run_name(os.fspath(run)) if isinstance(run, str | os.PathLike) else str(own)
        named[f"{name}#{place}" if name in named else name] = run
    return named


def fuse_runs(runs: Mapping[str, Any], fusion: Fusion, setup: Setup) -> FusedRun:
    """Read runs by name and fuse them."""
    if len(runs) < 2:
        raise UsageError("a fusion needs at least two runs. Give another one.")
    fusion.weights_of(list(runs))
    loaded = read_runs(runs, fusion, setup)
    aligned = Runs.of(lists_of(loaded, setup), fusion)
    return fused_run(loaded, aligned, fusion, setup.evaluation.name)


def read_runs(runs: Mapping[str, Any], fusion: Fusion, setup: Setup) -> dict[str, Run]:
    """Return runs with every change that is made before they are ranked."""
    setup = prepared(setup)
    load_engine()
    loaded = {}
    for name, data in runs.items():
        run = load_run(data, setup.replace(name=name))
        reads_scores = not fusion.reads_ranks and fusion.norm != "rank"
        if reads_scores and run.direction == 0:
            raise UsageError(
                f"{name}: {fusion.method} reads scores, and this run has none. Choose rrf, borda or "
                "isr, or norm='rank'."
            )
        if reads_scores and hasattr(run, "by_score"):
            run = run.by_score
        loaded[name] = changed_run(run, EMPTY, setup)
    check_columns_used(setup)
    return loaded


def lists_of(runs: Mapping[str, Run], setup: Setup) -> dict[str, ScoredLists]:
    """Return the documents of runs, read at the same time."""
    lists = on_each(ScoredLists.of, list(runs.values()), setup.effort.threads)
    return dict(zip(runs, lists, strict=True))


def fused_run(
    runs: Mapping[str, Run], aligned: Runs, fusion: Fusion, name: str | None = None
) -> FusedRun:
    """Return a fused run whose source says how it was made."""
    text = f"{fusion} of {' + '.join(runs)}"
    sources = [run.source for run in runs.values()]
    made = Given(text, len(runs), lambda: [repr(fusion), *(_told(s) for s in sources)])
    return FusedRun(name or repr(fusion), aligned, fusion, Source(text, reading={"fuse": made}))


def _told(source: Source) -> str:
    return f"{source.content_digest()} {sorted(source.reading)}"
