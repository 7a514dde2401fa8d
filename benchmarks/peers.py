"""Other evaluators on the same files: ``python peers.py NAME QRELS RUN`` prints nDCG@10 and AP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from shutil import which
from typing import Any

Values = tuple[float, float]
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def evaluate_dicts(qrels: Grades, run: Scores) -> Values:
    """Return the means that pytrec_eval gives for dictionaries."""
    import pytrec_eval

    rows = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"}).evaluate(run).values()
    return (
        sum(row["ndcg_cut_10"] for row in rows) / len(rows),
        sum(row["map"] for row in rows) / len(rows),
    )


def with_own_parsers(qrels: str, run: str) -> Values:
    """Return the means of pytrec_eval on files that its own parsers read, as its README does."""
    import pytrec_eval

    with open(qrels, encoding="utf-8") as judgments, open(run, encoding="utf-8") as ranking:
        return evaluate_dicts(pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranking))


def with_faster_reader(qrels: str, run: str) -> Values:
    """Return the means of pytrec_eval on files that are read as fast as plain Python reads them."""
    return evaluate_dicts(read_qrels(qrels), read_run(run))


def read_run(path: str) -> Scores:
    """Return ``{query: {document: score}}``."""
    # About twice as fast as pytrec_eval.parse_run, which strips every line and looks the query
    # up three times; splitting larger pieces of text at once is slower than this.
    run: Scores = {}
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


def read_qrels(path: str) -> Grades:
    """Return ``{query: {document: grade}}``."""
    qrels: Grades = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            query, _, doc, grade = line.split()
            qrels.setdefault(query, {})[doc] = int(grade)
    return qrels


def with_json_lines(qrels: str, run: str) -> Values:
    """Return the means of pytrec_eval on files of JSON lines."""
    return evaluate_dicts(_read_lines(qrels, "grade"), _read_lines(run, "score"))


def _read_lines(path: str, name: str) -> dict[str, dict[str, Any]]:
    numbers: dict[str, dict[str, Any]] = {}
    with open(path, encoding="utf-8") as file:
        for row in map(json.loads, file):
            numbers.setdefault(row["query_id"], {})[row["doc_id"]] = row[name]
    return numbers


def with_json(qrels: str, run: str) -> Values:
    """Return the means of pytrec_eval on files of JSON objects."""
    with open(qrels, encoding="utf-8") as judgments, open(run, encoding="utf-8") as ranking:
        return evaluate_dicts(json.load(judgments), json.load(ranking))


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


_PEERS: dict[str, tuple[str, Callable[[str, str], Values]]] = {
    "pytrec_eval": ("pytrec_eval", with_own_parsers),
    "with a faster reader": ("pytrec_eval", with_faster_reader),
    "pytrec_eval after json.loads": ("pytrec_eval", with_json_lines),
    "pytrec_eval after json.load": ("pytrec_eval", with_json),
    "ir_measures": ("ir_measures", ir_measures),
    "ranx": ("ranx", ranx),
}
_OF_FORM = {
    "trec": ["pytrec_eval", "with a faster reader"],
    "jsonl": ["pytrec_eval after json.loads"],
    "json": ["pytrec_eval after json.load"],
}


def commands(form: str, qrels: str, run: str, *, every: bool) -> dict[str, list[str]]:
    """Return commands that print nDCG@10 and AP, by the name of the peer, of those installed here."""
    names = [*_OF_FORM[form], *(["ir_measures", "ranx"] if every and form == "trec" else [])]
    found = {
        name: [sys.executable, os.path.abspath(__file__), name, qrels, run]
        for name in names
        if find_spec(_PEERS[name][0])
    }
    if form == "trec" and which("trec_eval"):
        found["trec_eval"] = ["trec_eval", "-m", "ndcg_cut.10", "-m", "map", qrels, run]
    return found


if __name__ == "__main__":
    print(*map(repr, _PEERS[sys.argv[1]][1](*sys.argv[2:])))
