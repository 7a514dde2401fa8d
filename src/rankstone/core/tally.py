"""Counts on the way from data to values; those of parts add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields, replace
from typing import Any

from rankstone.core.notice_texts import merged_notices
from rankstone.errors import Notice
from rankstone.frozen import frozen

#: Number of ids that are kept of the queries on one side only when parts are merged.
SAMPLE = 1000
EXAMPLES = 3


@frozen(kw_only=True)
class Tally:
    """Counts over some queries and their documents, from which notices are worded.

    ``documents`` is the number of judged documents that were retrieved, of which ``tied`` share
    their score with another. ``judged_in_top`` of the ``top`` documents down to the first cutoff
    are judged. ``single_relevant`` queries have one relevant document, which was retrieved for
    ``single_found`` of them; the ``longest`` list has that many documents, as ``as_long`` lists have. ``large_ties`` documents are tied at a score so large that whole numbers are
    rounded; ``by_subtopic`` counts the parts judged by subtopic. Of the queries
    ``without_relevant`` documents, ``without_judgments`` have no judgment, or labels in an array.
    ``reading`` are notices of those who read the data, ``missing`` and ``unjudged`` some of the
    queries that are only in the judgments or only in the run, ``twins`` some that are
    in both and look like a missing one, and ``examples`` some examples by the code of a notice.
    """

    judged_queries: int = 0
    missing_queries: int = 0
    unjudged_queries: int = 0
    unjudged_capped: int = 0
    look_alike_documents: int = 0
    look_alike_samples: int = 0
    documents: int = 0
    tied: int = 0
    duplicates: int = 0
    rank_disagrees: int = 0
    large_ties: int = 0
    by_subtopic: int = 0
    evaluated: int = 0
    without_relevant: int = 0
    without_judgments: int = 0
    single_relevant: int = 0
    single_found: int = 0
    longest: int = 0
    as_long: int = 0
    judged_in_top: int = 0
    top: int = 0
    reading: tuple[Notice, ...] = ()
    missing: tuple[Any, ...] = ()
    unjudged: tuple[Any, ...] = ()
    twins: tuple[Any, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def merge(self, other: Tally) -> Tally:
        """Return the counts of both, with the smallest of their ids and examples."""
        codes = {*self.examples, *other.examples}
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        counts["longest"] = longest = max(self.longest, other.longest)
        counts["as_long"] = sum(t.as_long for t in (self, other) if t.longest == longest)
        return replace(
            self,
            **counts,
            reading=merged_notices(self.reading, other.reading),
            missing=_smallest({*self.missing, *other.missing}, SAMPLE),
            unjudged=_smallest({*self.unjudged, *other.unjudged}, SAMPLE),
            twins=_smallest({*self.twins, *other.twins}, SAMPLE),
            examples={
                code: _smallest(
                    {*self.examples.get(code, ()), *other.examples.get(code, ())}, EXAMPLES
                )
                for code in sorted(codes)
            },
        )


#: The names of the counts.
COUNTS = tuple(f.name for f in fields(Tally) if f.type == "int")


def _smallest(ids: Iterable[Any], most: int) -> tuple[Any, ...]:
    return tuple(sorted(ids, key=lambda i: (isinstance(i, str), i))[:most])
