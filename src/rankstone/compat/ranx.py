"""ranx's interface: Qrels, Run, evaluate and compare, with ranx's numbers.

>>> from rankstone.compat.ranx import Qrels, Run, evaluate
>>> qrels = Qrels({"q1": {"d1": 1, "d2": 3}})
>>> run = Run({"q1": {"d9": 0.9, "d2": 0.8, "d1": 0.1}}, name="bm25")
>>> evaluate(qrels, run, ["mrr", "precision@2"])
{'mrr': 0.5, 'precision@2': 0.5}
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Self

import numpy as np

import rankstone as rs
from rankstone.compat.pytrec_eval import parse_qrel, parse_run
from rankstone.compat.ranx_report import Report

__all__ = ["Qrels", "Report", "Run", "compare", "evaluate"]

_LIKE = "ranx"
_METRIC = re.compile(r"(.+?)(?:[.@](\d+))?(?:-l(\d+))?")


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
    def _from_frame(cls, df: Any, columns: tuple[str, str, str], name: str | None) -> Self:
        missing = [c for c in columns if c not in df.columns]
        if missing:
            raise rs.DataError(
                f"the frame has no column {missing[0]!r}; it has {', '.join(map(str, df.columns))}."
            )
        made = cls(name=name)
        found: dict[Any, dict[Any, Any]] = {}
        for query, doc, value in zip(*(df[c].tolist() for c in columns), strict=True):
            found.setdefault(query, {})[doc] = value
        for query, docs in found.items():
            if not isinstance(query, str) or not all(isinstance(d, str) for d in docs):
                raise rs.DataError(
                    f"ids in {columns[0]!r} and {columns[1]!r} must be text, as in ranx; "
                    "df.astype({'"
                    + columns[0]
                    + "': str, '"
                    + columns[1]
                    + "': str}) makes them so."
                )
            made.add(query, list(docs), list(docs.values()))
        return made


class Qrels(_Table):
    """Judgments: whole grades by query and document."""

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades as a dict of dicts."""
        return self.to_dict()

    def _checked(self, query: str, doc: str, score: float) -> int:
        if int(score) != score:
            raise rs.DataError(
                f"query {query!r}: the grade {score!r} of {doc!r} is no whole number, and ranx would "
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
    def from_dict(d: Mapping[str, Mapping[str, int]]) -> Qrels:
        """Return judgments from a dict of dicts."""
        return Qrels(d)

    @staticmethod
    def from_file(path: str, kind: str | None = None) -> Qrels:
        """Read JSON or TREC qrels, gzipped where the name ends in .gz."""
        kind = _kind(path, kind)
        with _open(path, kind, "rt") as stream:
            return Qrels(json.load(stream) if kind == "json" else parse_qrel(stream))

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score"
    ) -> Qrels:
        """Return judgments from a dataframe."""
        return Qrels._from_frame(df, (q_id_col, doc_id_col, score_col), None)

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
    ) -> Qrels:
        """Read judgments from a Parquet file."""
        return Qrels.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col)


class Run(_Table):
    """What a system found: scores by query and document, and what was measured of it."""

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

    def make_comparable(self, qrels: Qrels) -> Run:
        """Add queries that are judged and missing, with no document; drop those not judged."""
        self._rows = {query: self._rows.get(query, {}) for query in qrels.get_query_ids()}
        return self

    def _lines(self) -> Iterable[str]:
        for query, docs in self.to_dict().items():
            for rank, (doc, score) in enumerate(docs.items(), 1):
                yield f"{query} Q0 {doc} {rank} {score} {self.name}"

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """Return a run from a dict of dicts."""
        return Run(d, name)

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

    @staticmethod
    def from_df(
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """Return a run from a dataframe."""
        return Run._from_frame(df, (q_id_col, doc_id_col, score_col), name)

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Run:
        """Read a run from a Parquet file."""
        return Run.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col, name)


def evaluate(
    qrels: Qrels | Mapping[str, Mapping[str, float]],
    run: Run | Mapping[str, Mapping[str, float]],
    metrics: str | list[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Return the mean of each metric, or with ``return_mean=False`` the value of every query."""
    judged = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    found = run if isinstance(run, Run) else Run(run)
    if make_comparable:
        found.make_comparable(judged)
    _check_queries(judged, found)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values = _values(judged, found, names, threads)
    scores: dict[str, Any] = {}
    for name, of_queries in values.items():
        mean, std = float(np.mean(of_queries)), float(np.std(of_queries))
        scores[name] = {"mean": mean, "std": std} if return_std else mean
        if save_results_in_run:
            found.scores[name] = dict(zip(found.get_query_ids(), of_queries.tolist(), strict=True))
            found.mean_scores[name] = mean
            if return_std:
                found.std_scores[name] = std
    answer = scores if return_mean else values
    return answer[names[0]] if len(names) == 1 else answer


def compare(
    qrels: Qrels,
    runs: list[Run],
    metrics: str | list[str],
    stat_test: str | None = None,
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """Evaluate several runs, side by side, and count wins, ties and losses.

    No significance test is made, and the report says so: ``max_p``, ``n_permutations`` and
    ``random_seed`` have no effect, and asking for a ``stat_test`` by name is an error.
    """
    del n_permutations, max_p, random_seed
    if stat_test is not None:
        raise rs.UsageError(
            f"stat_test={stat_test!r}: Rankstone's face of ranx makes no significance tests. "
            "Leave stat_test out for means, wins, ties and losses."
        )
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values: dict[str, dict[str, np.ndarray]] = {}
    for number, run in enumerate(runs, 1):
        label = run.name if run.name is not None else f"run_{number}"
        if label in values:
            raise rs.UsageError(f"two runs are called {label!r}; give each a name of its own.")
        evaluated = evaluate(
            qrels, run, names, False, threads=threads, make_comparable=make_comparable
        )
        values[label] = {names[0]: evaluated} if len(names) == 1 else evaluated
    return Report(values, names, rounding_digits, show_percentages)


def _values(qrels: Qrels, run: Run, metrics: list[str], threads: int) -> dict[str, np.ndarray]:
    """Return the value of each query, in the order of the run's, by metric."""
    asked = {metric: _asked(metric, qrels) for metric in metrics}
    found: dict[str, np.ndarray] = {}
    for level in {level for _, level in asked.values()}:
        same = {metric: parts for metric, (parts, at) in asked.items() if at == level}
        result = rs.evaluate(
            _from_level(qrels.qrels, level),
            run.run,
            [text for parts in same.values() for text in parts],
            like=_LIKE,
            threads=threads or None,
        )
        place = {query: i for i, query in enumerate(result.queries)}
        order = [place[query] for query in run.get_query_ids()]
        for metric, parts in same.items():
            total = sum(weight * result.values(text) for text, weight in parts.items())
            found[metric] = np.asarray(total)[order]
    return {metric: found[metric] for metric in metrics}


def _asked(metric: str, qrels: Qrels) -> tuple[dict[str, int], int]:
    """Return a metric such as map@10-l2 or rbp.95 as a sum of Rankstone's, and its level."""
    parts = _METRIC.fullmatch(metric) if isinstance(metric, str) else None
    if parts is None:
        raise rs.UsageError(f"a metric is given by name, such as 'mrr@10', not as {metric!r}.")
    base, number, level = parts.groups()
    if "p" not in rs.parse_measure(base).params:
        return {base if number is None else f"{base}@{number}": 1}, int(level or 1)
    if number is None:
        raise rs.UsageError(f"{base} needs a persistence: '{base}.95'.")
    # The digits are no cut-off. A grade is its own gain: the sum of the steps up to it.
    grades = sorted({g for docs in qrels.qrels.values() for g in docs.values() if g > 0}) or [1]
    steps = {f"{base}(p=0.{number}, rel={g})": g - h for h, g in pairwise([0, *grades])}
    return steps, int(level or 1)


def _from_level(qrels: dict[str, dict[str, int]], level: int) -> dict[str, dict[str, int]]:
    """Return judgments whose grades below the level are 0."""
    if level <= 1:
        return qrels
    return {q: {d: g if g >= level else 0 for d, g in docs.items()} for q, docs in qrels.items()}


def _check_queries(qrels: Qrels, run: Run) -> None:
    judged, found = set(qrels.get_query_ids()), set(run.get_query_ids())
    if judged != found:
        query = min(judged ^ found)
        which = "judged and not in the run" if query in judged else "in the run and not judged"
        raise rs.DataError(
            f"judgments and run have different queries: {query!r} is {which}. make_comparable=True adds empty "
            "results for missing queries and drops those that are not judged."
        )


def _kind(path: str, kind: str | None) -> str:
    found = kind or os.path.splitext(path)[1][1:]
    found = {"txt": "trec", "parq": "parquet"}.get(found, found)
    if found not in {"json", "trec", "gz", "parquet"}:
        raise rs.UsageError(
            f"{path}: cannot tell the kind of file; give kind='json', 'trec', 'gz' or 'parquet'."
        )
    return found


def _open(path: str, kind: str, mode: str) -> Any:
    import gzip

    try:
        if kind == "gz":
            return gzip.open(path, mode, encoding="utf-8")
        return open(path, mode, encoding="utf-8")
    except OSError as error:
        raise rs.DataError(f"{path}: {error.strerror}.") from None


def _parquet(path: str, options: Mapping[str, Any] | None) -> Any:
    import pandas as pd

    return pd.read_parquet(path, **(options or {}))
