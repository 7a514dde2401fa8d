"""Cutoffs: a rank, or a budget such as 2,000 tokens; and where lists end under them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from rankstone.core.run import Run
from rankstone.errors import DataError, UsageError
from rankstone.frozen import frozen
from rankstone.language import tr

if TYPE_CHECKING:
    from decimal import Decimal

#: The units of budgets. They are names: lengths are counted by the user.
UNITS = ("tokens", "words", "characters", "bytes", "cost")
_BUDGET = re.compile(rf"([0-9]{{1,15}}(?:\.[0-9]{{1,9}})?)({'|'.join(UNITS)})")


@frozen
class Budget:
    """The most that the documents of a list may amount to, such as 2,000 tokens."""

    amount: float
    unit: str

    def __post_init__(self) -> None:
        """Write whole amounts without a point."""
        if self.amount == int(self.amount):
            object.__setattr__(self, "amount", int(self.amount))

    @classmethod
    def read(cls, text: str) -> Budget | None:
        """Read ``2000tokens``; None if a text is not a budget above 0."""
        match = _BUDGET.fullmatch(text)
        return cls(float(match[1]), match[2]) if match and float(match[1]) else None

    def __str__(self) -> str:
        return f"{self.amount}{self.unit}"

    __repr__ = __str__


def units_of(cutoff: Cutoff) -> str:
    """Return the unit that a cutoff counts, other than documents."""
    return cutoff.unit if isinstance(cutoff, Budget) else "chunks"


def needs_lengths(budget: Budget) -> UsageError:
    """Return the error for a budget without lengths."""
    return UsageError(
        f"a list is cut at {budget} where the sum of lengths passes {budget.amount:,}, so the "
        f"{budget.unit} of each document are needed: lengths={{document: number}} (--lengths FILE)."
    )


#: Where a list ends: at a rank, or where a budget is spent.
Cutoff = int | Budget


class Cut(NamedTuple):
    """The end of one query's list: its number of documents, and why it ends there, in words."""

    documents: int
    reason: str


@frozen(eq=False)
class Cuts:
    """The ends of the lists of a ranking: ``at`` returns them by query, for a cutoff.

    Budgets are cut so, and numbers if they are ``of_chunks``; other numbers are ranks. ``chunks``
    returns the document of each retrieved chunk, by query: its judgment, a negative number if it has
    none; None if documents have no chunks.
    """

    at: Callable[[Cutoff], Mapping[Any, Cut]]
    of_chunks: bool
    chunks: Callable[[], Mapping[Any, Sequence[int]]] | None = None


@frozen(eq=False)
class Cutter:
    """Finds how many documents of each list are within a cutoff; the only place that cuts lists.

    Args:
        lengths: the length of each document, or of each chunk if cutoffs count chunks.
        keeps_last: the document that breaks a budget counts.
        chunks: returns the run of chunks, if there are any.
        document_of: the document of a chunk.
        counts_chunks: cutoffs count chunks.
    """

    lengths: Mapping[str, float] | None = None
    keeps_last: bool = False
    chunks: Callable[[], Run] | None = None
    document_of: Callable[[Any], Any] = str
    counts_chunks: bool = False

    def cut(self, query: Any, docs: Sequence[str], chunks: Sequence[str], cutoff: Cutoff) -> Cut:
        """Return where a list of documents ends; of ``chunks``, if cutoffs count these."""
        units, of = docs, docs
        if self.counts_chunks:
            known = set(docs)
            pairs = [(chunk, str(self.document_of(chunk))) for chunk in chunks]
            pairs = [pair for pair in pairs if pair[1] in known]
            units, of = [chunk for chunk, _ in pairs], [doc for _, doc in pairs]
        noun = "chunk" if self.counts_chunks else "document"
        if isinstance(cutoff, Budget):
            size, reason = self._within(query, units, cutoff, noun)
        else:
            size, reason = min(cutoff, len(units)), ""
        documents = len(set(of[:size]))
        if self.counts_chunks:
            chunks_read = tr("The first {} chunks are of {} documents.").format(size, documents)
            reason = f"{chunks_read} {reason}".strip()
        return Cut(documents, reason)

    def _within(
        self, query: Any, units: Sequence[str], budget: Budget, noun: str
    ) -> tuple[int, str]:
        """Return how many documents or chunks a budget is enough for, and where it broke."""
        if self.lengths is None:
            raise needs_lengths(budget)
        from decimal import Decimal

        sums = [Decimal(0), *accumulate(_lengths_of(self.lengths, query, units, noun))]
        most = Decimal(repr(budget.amount))
        size = sum(total <= most for total in sums) - 1
        spent = tr("{:,f} of {:,f} {}").format(sums[size], most, tr(budget.unit))
        if size == len(units):
            return size, tr("The whole list is within the budget ({}).").format(spent)
        breaks = sums[size] < most  # else it is spent to the last unit
        counts = self.keeps_last and breaks
        length = sums[size + 1] - sums[size]
        name = tr("{} {}, {!r} of {:,f}").format(tr(noun), size + 1, units[size], length)
        what = tr("breaks") if breaks else tr("is beyond")
        verdict = tr("counts") if counts else tr("is left out, as are all below it")
        text = tr("{}, {} the budget ({} before it) and {}.").format(name, what, spent, verdict)
        return size + counts, text


def _lengths_of(
    lengths: Mapping[str, float], query: Any, units: Sequence[str], noun: str
) -> Iterator[Decimal]:
    from decimal import Decimal

    for unit in units:
        length = lengths.get(unit)
        if length is None:
            raise DataError(
                f"lengths: {noun} {unit!r}, retrieved for query {query!r}, has no length. Give "
                f"the length of every retrieved {noun}."
            )
        yield Decimal(repr(length))
