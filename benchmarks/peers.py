"""Other evaluators on the same files: ``python peers.py NAME QRELS RUN`` prints nDCG@10 and AP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from shutil import which
from typing import Any

Values = tuple[float, float]


def read_run(path: str) -> dict[str, dict[str, float]]:
    """Return ``{query: {document: score}}``, read as fast as plain Python reads it."""
    # About twice as fast as pytrec_eval.parse_run, which strips every line and looks the query
    # up three times; splitting larger pieces of text at once is slower than this.
    run: dict[str, dict[str, float]] = {}
    last = None
    docs: dict[str, float] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            query, _, doc, _, score, _ = line.split()
            if query != last:
                docs = run.setdefault(query, {})
                last = query
            docs[doc] = float(score)
    return run


def read_qrels(path: str) -> dict[str, dict[str, int]]:
    """Return ``{query: {document: grade}}``."""
    qrels: dict[str, dict[str, int]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            query, _, doc, grade = line.split()
            qrels.setdefault(query, {})[doc] = int(grade)
    return qrels


def evaluate_dicts(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> Values:
    """Return the means that pytrec_eval gives for dictionaries."""
    import pytrec_eval

    rows = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"}).evaluate(run).values()
    return (
        sum(row["ndcg_cut_10"] for row in rows) / len(rows),
        sum(row["map"] for row in rows) / len(rows),
    )


def pytrec_eval(qrels: str, run: str) -> Values:
    """Return the means that pytrec_eval gives for files."""
    return evaluate_dicts(read_qrels(qrels), read_run(run))


def every_value(
    module: Any, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, dict[str, float]]:
    """Return all of trec_eval's values by query, with pytrec_eval or what looks like it."""
    values: dict[str, dict[str, float]] = module.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(
        run
    )
    return values


def all_trec(qrels: str, run: str) -> None:
    """Print all of trec_eval's values of each query, by pytrec_eval."""
    import pytrec_eval

    found = every_value(pytrec_eval, read_qrels(qrels), read_run(run))
    for query, values in found.items():
        lines = [f"{name:<22}\t{query}\t{value:.4f}\n" for name, value in values.items()]
        sys.stdout.write("".join(lines))


def ir_measures(qrels: str, run: str) -> Values:
    """Return the means that ir_measures gives for files."""
    import ir_measures

    ndcg, ap = ir_measures.nDCG @ 10, ir_measures.AP
    means = ir_measures.calc_aggregate(
        [ndcg, ap], ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
    )
    return means[ndcg], means[ap]


def ranx(qrels: str, run: str) -> Values:
    """Return the means that ranx gives for files."""
    from ranx import Qrels, Run, evaluate

    means = evaluate(
        Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec"), ["ndcg@10", "map"]
    )
    return float(means["ndcg@10"]), float(means["map"])


def polars(qrels: str, run: str) -> Values:
    """Return the means computed by polars expressions, as one would write them by hand."""
    import polars as pl

    def table(path: str, **columns: type[pl.DataType]) -> pl.LazyFrame:
        scan = pl.scan_csv(path, separator=" ", has_header=False, schema=columns, quote_char=None)
        return scan.drop([name for name in columns if name.startswith("_")])

    text, number = pl.String, pl.Float64
    judged = table(qrels, query=text, _iteration=text, doc=text, grade=number)
    scored = table(run, query=text, _q0=text, doc=text, _rank=text, score=number, _tag=text)
    place = pl.int_range(1, pl.len() + 1)
    ranked = scored.sort("query", "score", "doc", descending=[False, True, True]).with_columns(
        rank=place.over("query")
    )
    hits = ranked.join(judged.filter(pl.col("grade") > 0), on=["query", "doc"])
    gain = pl.col("grade") / (pl.col("rank") + 1).log(2)
    found = (
        hits.sort("rank")
        .group_by("query", maintain_order=True)
        .agg(
            dcg=gain.filter(pl.col("rank") <= 10).sum(),
            precisions=(place / pl.col("rank")).sum(),
        )
    )
    best = judged.group_by("query").agg(
        ideal=(pl.col("grade").sort(descending=True) / (place + 1).log(2)).head(10).sum(),
        relevant=(pl.col("grade") > 0).sum(),
    )
    means = best.join(found, on="query", how="left").select(
        (pl.col("dcg") / pl.col("ideal")).fill_null(0.0).mean().alias("ndcg"),
        (pl.col("precisions") / pl.col("relevant")).fill_null(0.0).mean().alias("ap"),
    )
    ndcg, ap = means.collect().row(0)
    return ndcg, ap


PEERS: dict[str, Callable[[str, str], Values]] = {
    peer.__name__: peer for peer in (pytrec_eval, ir_measures, ranx, polars)
}

#: How far the printed values of a tool may be off.
DIGITS = {"trec_eval": 5e-5}


def installed() -> list[str]:
    """Return the names of the peers that can run here, pytrec_eval first."""
    names = [name for name in ("pytrec_eval", "ir_measures", "ranx") if find_spec(name)]
    return [*names, "trec_eval"] if which("trec_eval") else names


def command(name: str, qrels: str, run: str) -> list[str]:
    """Return the command that prints a peer's nDCG@10 and AP."""
    if name == "trec_eval":
        return ["trec_eval", "-m", "ndcg_cut.10", "-m", "map", qrels, run]
    return [sys.executable, os.path.abspath(__file__), name, qrels, run]


def values_of(line: list[str]) -> list[float]:
    """Run a peer's command and return nDCG@10 and AP."""
    printed = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout
    if line[0] == "trec_eval":
        values = {row.split()[0]: float(row.split()[-1]) for row in printed.splitlines()}
        return [values["ndcg_cut_10"], values["map"]]
    return [float(value) for value in printed.split()]


if __name__ == "__main__":
    if sys.argv[1] == "all_trec":
        all_trec(*sys.argv[2:])
        sys.exit()
    print(*map(repr, PEERS[sys.argv[1]](*sys.argv[2:])))
