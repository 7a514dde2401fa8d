"""The verb ``fuse``: one run of several."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rankstone.choices.fusion import Fusion
from rankstone.choices.setup import Setup, verb
from rankstone.core.engine import load_engine
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.matches import Matches
from rankstone.core.parallel import on_each
from rankstone.core.provenance import Given, Source
from rankstone.core.result import Result
from rankstone.core.run import Row, Run
from rankstone.core.scored_lists import ScoredLists
from rankstone.errors import DataError, Notice, UsageError, did_you_mean
from rankstone.frozen import frozen
from rankstone.io.changes import changed_run, prepared
from rankstone.io.convert import output, writer_of
from rankstone.io.formats import named_runs
from rankstone.io.gathered import GatheredRun
from rankstone.io.load import check_columns_used, load_run
from rankstone.io.rows import as_text
from rankstone.stats.fusion import Runs, fused
from rankstone.tools.fusion import fusion_like

if TYPE_CHECKING:
    from typing import Unpack

    from rankstone.choices.options import FuseOptions


class FusedDocument(NamedTuple):
    """A document with its fused score, and the points of the runs that gave it some."""

    document: Any
    score: float
    points: dict[str, float]


_PARTS = 16  # that are in memory at once, when a run is written


@frozen(eq=False)
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
        return fused(self.runs, self.fusion)[0]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices on the data, such as queries that only some runs have."""
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
        each = (dict(zip(docs[a:b], scores[a:b], strict=True)) for a, b in pairwise(lists.offsets))
        data = dict(zip(lists.queries, each, strict=True))
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
        lists, points, order = fused(self.runs.part(at, at + 1), self.fusion)
        by_run = [list(zip(self.runs.names, own, strict=True)) for own in points.T[order].tolist()]
        rows = zip(lists.docs, lists.scores.tolist(), by_run, strict=True)
        return [
            FusedDocument(doc, score, {n: p for n, p in own if not math.isnan(p)})
            for doc, score, own in rows
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
        writer, write = writer_of(target, to, "run", force=force)
        text_of, parts = writer.text_of_lists, self.runs.parts()
        with output(target) as out:
            if text_of is None:
                write((row for row in as_text(self.rows()) if row[1]), out)
                return
            for first in range(0, len(parts), _PARTS):
                some = parts[first : first + _PARTS]
                out.writelines(on_each(lambda runs: text_of(fused(runs, self.fusion)[0]), some))


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
    tool = fusion_like(setup.evaluation.like)
    chosen = Fusion.of(fusion, tool, **setup.fusion)
    return fused_run(*read_runs(runs, chosen, setup), chosen, setup.evaluation.name)


def read_runs(runs: Any, fusion: Fusion, setup: Setup) -> tuple[dict[str, Run], Runs]:
    """Return runs with every change that is made before they are ranked, and all their documents."""
    named = dict(named_runs(runs, nameless=True))
    if len(named) < 2:
        raise UsageError("a fusion needs at least two runs. Give another one.")
    fusion.weights_of(list(named))
    setup = prepared(setup)
    load_engine()
    loaded = {}
    reads_scores = not fusion.reads_ranks and fusion.norm != "rank"
    for name, data in named.items():
        run = load_run(data, setup.replace(name=name))
        if reads_scores and run.direction == 0:
            raise UsageError(
                f"{name}: {fusion.method} reads scores, and this run has none. Choose rrf, borda or "
                "isr, or norm='rank'."
            )
        own = run.by_score if reads_scores and hasattr(run, "by_score") else run
        loaded[name] = changed_run(own, EMPTY, setup)
    check_columns_used(setup)
    lists = on_each(ScoredLists.of, list(loaded.values()), setup.effort.threads)
    return loaded, Runs.of(dict(zip(loaded, lists, strict=True)), fusion)


def with_fused(named: Sequence[tuple[str, Any]], setup: Setup) -> list[tuple[str, Any]]:
    """Return runs, and the run that they are fused into."""
    fusion = Fusion.of(setup.evaluation.fuse)
    for name, run in named:
        if isinstance(run, Result):
            raise UsageError(f"{name} is a result, and fuse= needs the run.")
    for change in ("min_score", "parents"):
        if change in setup.changes.given():
            raise UsageError(f"fuse= and {change}= do not go together; fuse the runs first.")
    fused = fused_run(*read_runs(dict(named), fusion, setup), fusion)
    return [*named, (repr(fusion), fused)]


def fused_run(
    loaded: Mapping[str, Run], runs: Runs, fusion: Fusion, name: str | None = None
) -> FusedRun:
    """Return a fused run whose source says how it was made."""
    if isinstance(fusion.weights, Mapping):
        fusion = fusion.replace(weights=fusion.weights_of(runs.names))  # in the order of the runs
    text, sources = f"{fusion} of {' + '.join(loaded)}", [run.source for run in loaded.values()]

    def content() -> list[str]:
        return [repr(fusion), *(f"{s.content_digest()} {sorted(s.reading)}" for s in sources)]

    made = {"fuse": Given(text, len(loaded), content)}
    return FusedRun(name or repr(fusion), runs, fusion, Source(text, reading=made))
