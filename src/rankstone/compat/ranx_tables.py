"""Judgments and runs as ranx has them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

import rankstone as rs
from rankstone.compat.pytrec_eval import parse_qrel, parse_run


class _Table:
    """Numbers by query and document; queries are shown by id, their best documents first."""

    def __init__(
        self, data: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        self.name = name
        for query, docs in (data or {}).items():
            self.add(query, list(docs), list(docs.values()))

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Add a document to a query, or change it."""
        self._rows.setdefault(q_id, {})[doc_id] = self._checked(q_id, doc_id, score)

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[float]) -> None:
        """Set the documents of a query."""
        self._rows[q_id] = {
            d: self._checked(q_id, d, s) for d, s in zip(doc_ids, scores, strict=True)
        }

    def add_multi(
        self,
        q_ids: Iterable[str],
        doc_ids: Iterable[Iterable[str]],
        scores: Iterable[Iterable[float]],
    ) -> None:
        """Set the documents of several queries."""
        for query, docs, values in zip(q_ids, doc_ids, scores, strict=True):
            self.add(query, docs, values)

    def _checked(self, query: str, doc: str, score: float) -> Any:
        return float(score)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the numbers as a dict of dicts."""
        return {query: self[query] for query in self.get_query_ids()}

    def to_dataframe(self) -> Any:
        """Return the numbers as a pandas frame with the columns q_id, doc_id and score."""
        import pandas as pd

        rows = [(q, d, s) for q, docs in self.to_dict().items() for d, s in docs.items()]
        return pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])

    def get_query_ids(self) -> list[str]:
        """Return the queries."""
        return sorted(self._rows)

    keys = get_query_ids

    def __getitem__(self, q_id: str) -> dict[str, Any]:
        return dict(sorted(self._rows[q_id].items(), key=lambda item: -item[1]))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self)

    def __repr__(self) -> str:
        return repr(self.to_dict())

    def save(self, path: str, kind: str | None = None) -> None:
        """Write JSON, TREC lines or Parquet, as the name of the file or ``kind`` says."""
        kind = _kind(path, kind)
        if kind == "parquet":
            self.to_dataframe().to_parquet(path, index=False)
            return
        with _open(path, kind, "wt") as stream:
            if kind == "json":
                json.dump(self.to_dict(), stream, indent=2)
            else:
                stream.writelines(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterable[str]:
        raise NotImplementedError

    @classmethod
    def of(cls, data: Any) -> Self:
        """Return a table from itself, a dict of dicts, or arrays: one for each query, in order.

        A row of an array is the number of a document and its grade or score.
        """
        if isinstance(data, cls):
            return data
        if isinstance(data, Mapping):
            return cls(data)
        digits = len(str(len(data)))
        return cls({f"{i:0{digits}d}": cls._documents(i, rows) for i, rows in enumerate(data)})

    @classmethod
    def _documents(cls, place: int, array: Any) -> dict[str, float]:
        rows = np.asarray(array)
        if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iuf":
            raise rs.DataError(
                f"list {place}: expected rows of a document's number and its grade or score, found an array "
                f"of {rows.dtype} in the shape {rows.shape}."
            )
        docs = [str(int(d) if float(d).is_integer() else d) for d in rows[:, 0].tolist()]
        pairs = set(zip(docs, cls._numbers(rows).tolist(), strict=True))
        if len(pairs) > len(set(docs)):
            doc = next(d for d in docs if docs.count(d) > 1)
            raise rs.DataError(f"list {place}: document {doc} is there more than once.")
        return dict(pairs)

    @staticmethod
    def _numbers(rows: np.ndarray) -> np.ndarray:
        """Return the numbers of an array's documents."""
        return rows[:, 1]

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Self:
        """Return a table from a dict of dicts."""
        return cls(d, name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Return a table from a dataframe."""
        columns = (q_id_col, doc_id_col, score_col)
        missing = [c for c in columns if c not in df.columns]
        if missing:
            raise rs.DataError(
                f"the frame has no column {missing[0]!r}; it has {', '.join(map(str, df.columns))}."
            )
        queries: dict[Any, dict[Any, Any]] = {}
        for query, doc, value in zip(*(df[c].tolist() for c in columns), strict=True):
            if not isinstance(query, str) or not isinstance(doc, str):
                makes_text = f"df.astype({{{q_id_col!r}: str, {doc_id_col!r}: str}})"
                raise rs.DataError(
                    f"ids in {q_id_col!r} and {doc_id_col!r} must be text, as in ranx; {makes_text} "
                    "makes them so."
                )
            queries.setdefault(query, {})[doc] = value
        return cls(queries, name)

    @classmethod
    def from_parquet(
        cls,
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Read a table from a Parquet file."""
        import pandas as pd

        frame = pd.read_parquet(path, **(pd_kwargs or {}))
        return cls.from_df(frame, q_id_col, doc_id_col, score_col, name)


class Qrels(_Table):
    """Judgments: whole grades by query and document."""

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades as a dict of dicts."""
        return self.to_dict()

    def _checked(self, query: str, doc: str, score: float) -> int:
        if int(score) != score:
            raise rs.DataError(
                f"query {query!r}: the grade {score!r} of {doc!r} is not a whole number, and ranx would "
                "cut it. Round the grades, or call rankstone.evaluate, which takes them as they are."
            )
        return int(score)

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower every grade, so that ``rel_lvl`` becomes 1."""
        for query, docs in self.to_dict().items():
            self.add(query, list(docs), [g - (rel_lvl - 1) for g in docs.values()])

    def _lines(self) -> Iterable[str]:
        return (f"{q} 0 {d} {g}" for q, docs in self.to_dict().items() for d, g in docs.items())

    @staticmethod
    def from_file(path: str, kind: str | None = None) -> Qrels:
        """Read JSON or TREC qrels, gzipped where the name ends in .gz."""
        kind = _kind(path, kind)
        with _open(path, kind, "rt") as stream:
            return Qrels(json.load(stream) if kind == "json" else parse_qrel(stream))


class Run(_Table):
    """A run: scores by query and document, and the results of its evaluation."""

    def __init__(
        self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = {}
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores as a dict of dicts."""
        return self.to_dict()

    @staticmethod
    def _numbers(rows: np.ndarray) -> np.ndarray:
        """Return scores that keep the order of an array, which is the ranking as in ranx."""
        return -np.arange(len(rows))

    def make_comparable(self, qrels: Qrels) -> Run:
        """Add queries that are judged and missing, with no document; drop those not judged."""
        self._rows = {query: self._rows.get(query, {}) for query in qrels.get_query_ids()}
        return self

    def _lines(self) -> Iterable[str]:
        for query, docs in self.to_dict().items():
            for rank, (doc, score) in enumerate(docs.items(), 1):
                yield f"{query} Q0 {doc} {rank} {score} {self.name}"

    @staticmethod
    def from_file(path: str, kind: str | None = None, name: str | None = None) -> Run:
        """Read JSON or a TREC run, gzipped where the name ends in .gz; a tag is its name."""
        kind = _kind(path, kind)
        with _open(path, kind, "rt") as stream:
            if kind == "json":
                return Run(json.load(stream), name)
            lines = stream.readlines()
        tag = lines[0].split()[-1] if lines and lines[0].strip() else None
        return Run(parse_run(lines), name or tag)


def _kind(path: str, kind: str | None) -> str:
    ending = kind or os.path.splitext(path)[1][1:]
    ending = {"txt": "trec", "parq": "parquet"}.get(ending, ending)
    if ending not in {"json", "trec", "gz", "parquet"}:
        raise rs.UsageError(
            f"{path}: cannot tell the kind of file; give kind='json', 'trec', 'gz' or 'parquet'."
        )
    return ending


def _open(path: str, kind: str, mode: str) -> Any:
    import gzip

    try:
        if kind == "gz":
            return gzip.open(path, mode, encoding="utf-8")
        return open(path, mode, encoding="utf-8")
    except OSError as error:
        raise rs.DataError(f"{path}: {error.strerror}.") from None
