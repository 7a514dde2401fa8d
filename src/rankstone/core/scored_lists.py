"""All documents of a run with their scores, by query, in columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

import numpy as np

from rankstone.core import engine, segments
from rankstone.core.ids import KEY_SIZE, Ids
from rankstone.core.run import NO_DOCUMENT, Row, Run
from rankstone.errors import DataError
from rankstone.frozen import frozen

_WORD = 8  # bytes of ids that are compared at once


@frozen(eq=False)
class ScoredLists:
    """Documents and scores by query; query q has the rows ``offsets[q]:offsets[q + 1]``.

    Each document of a query is there once. The highest score is the best.
    """

    queries: Ids
    offsets: np.ndarray
    docs: Ids
    scores: np.ndarray

    @classmethod
    def of(cls, run: Run) -> ScoredLists:
        """Read a run; of a document that is there more than once the best score counts."""
        if hasattr(run, "lists"):
            lists: ScoredLists = run.lists()
            return lists
        data: dict[object, dict[object, float]] = {}
        for query, doc, score in run.rows():
            scores = data.setdefault(query, {})
            if doc != NO_DOCUMENT and not score <= scores.get(doc, -np.inf):
                scores[doc] = score
        values = np.fromiter(chain.from_iterable(s.values() for s in data.values()), np.float64)
        if not np.isfinite(values).all():
            raise DataError(f"{run.name}: some scores are not finite numbers.")
        offsets = segments.offsets_of(np.fromiter(map(len, data.values()), np.int64, len(data)))
        docs = Ids.of(chain.from_iterable(data.values()), "document")
        return cls(Ids.of(data, "query"), offsets, docs, values)

    def rows(self) -> Iterator[Row]:
        """Yield the documents of each query in order, after a row without a document."""
        docs, scores = self.docs.objects, self.scores.tolist()
        for query, a, b in zip(self.queries, self.offsets[:-1], self.offsets[1:], strict=True):
            yield query, NO_DOCUMENT, 0.0
            yield from zip(repeat(query), docs[a:b], scores[a:b])


@frozen(eq=False)
class IdBytes:
    """Ids as stretches of a text, of bytes in whose order the ids are."""

    text: bytes
    begins: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, several: Sequence[Ids], *, numbers: bool) -> IdBytes:
        """Take columns of ids, one after the other, as text or as whole numbers."""
        columns = [ids.keys if numbers else ids.encoded for ids in several]
        offsets = np.concatenate([[0], *(offsets[1:] for _, offsets in columns)])
        rows = segments.offsets_of(np.array([len(own) - 1 for _, own in columns])) + 1
        shifts = segments.offsets_of(np.array([len(text) for text, _ in columns]))
        for a, b, shift in zip(rows[:-1], rows[1:], shifts[:-1], strict=True):
            offsets[a:b] += shift
        return cls(b"".join(text for text, _ in columns), offsets[:-1], offsets[1:])

    def at(self, rows: np.ndarray) -> IdBytes:
        """Return some of the ids."""
        return IdBytes(self.text, self.begins[rows], self.ends[rows])

    def packed(self) -> IdBytes:
        """Return the ids laid end to end."""
        offsets = segments.offsets_of(self.ends - self.begins)
        text = engine.load().gather(self.text, self.begins, self.ends)
        return IdBytes(text, offsets[:-1], offsets[1:])

    def words(self) -> list[np.ndarray]:
        """Return whole numbers in whose order the ids are, the most significant last."""
        sizes = self.ends - self.begins
        text = np.frombuffer(self.text + bytes(_WORD), np.uint8)
        keys = [sizes]
        for at in range((int(sizes.max(initial=0)) - 1) // _WORD * _WORD, -1, -_WORD):
            begins = np.minimum(self.begins + at, len(self.text))
            table = text[begins[:, None] + np.arange(_WORD)]
            table[np.arange(at, at + _WORD) >= sizes[:, None]] = 0
            keys.append(table.view(">u8")[:, 0])
        return keys


def are_numbers(ids: Ids) -> bool:
    """Return whether ids are whole numbers of at most 64 bits."""
    return ids.kind == "number" and len(ids.keys[0]) == KEY_SIZE * len(ids)


def best_first(scores: np.ndarray, offsets: np.ndarray, ids: IdBytes, ties: str) -> np.ndarray:
    """Return the rows of each segment in the order of falling scores.

    Args:
        scores: of all rows.
        offsets: of the segments.
        ids: of the documents, which decide between equal scores.
        ties: ``docid-desc``, ``docid-asc``, or ``input``, which keeps the order of equals.
    """
    order = segments.falling_order(scores, offsets)
    if ties == "input":
        return order
    ordered = scores[order]
    follows = np.zeros(len(order), bool)  # and is equal
    follows[1:] = ordered[1:] == ordered[:-1]
    follows[offsets[:-1][offsets[:-1] < len(order)]] = False
    tied = follows.copy()
    tied[:-1] |= follows[1:]
    places = np.flatnonzero(tied)
    if len(places):
        rows, group = order[places], np.cumsum(~follows)[places]
        keys = ids.at(rows).words()
        falling = [np.iinfo(k.dtype).max - k for k in keys] if ties == "docid-desc" else keys
        order[places] = rows[np.lexsort([*falling, group])]
    return order
