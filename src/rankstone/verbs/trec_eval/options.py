"""The options of trec_eval, and its exit codes."""

from __future__ import annotations

from dataclasses import dataclass

USAGE, FILES, MEASURES, NOTHING = 1, 2, 4, 7


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of one call.

    Args:
        files: judgments and run.
        measures: the -m options.
        per_query: print values of each query (-q).
        summary: print values of all queries (without -n).
        complete: average over all judged queries (-c).
        judged_only: take unjudged documents out of the run (-J).
        level: lowest relevant grade (-l).
        depth: number of documents of a query that are read (-M).
        collection: number of documents in the collection (-N).
        format: format of the judgments (-R).
        zscores: file of means and standard deviations (-Z).
        query: the only query to evaluate (-D).
        compat: the version to follow where 9.0.8 and 10.0 differ.
        lenient: read numbers as C does.
        help: print the help text (-h).
        show_version: print the version (-v).
    """

    files: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection: int = 0
    format: str = "qrels"
    zscores: str | None = None
    query: str | None = None
    compat: str | None = None
    lenient: bool = False
    help: bool = False
    show_version: bool = False

    @property
    def version(self) -> int:
        """The version of trec_eval."""
        return 9 if self.compat == "9.0.8" else 10
