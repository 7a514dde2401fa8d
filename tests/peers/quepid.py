"""Quepid: its scorers under Node.js, from the checkout that the variable QUEPID names."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from peers.common import Accepts, Qrels, Run, Values, both, ranking

ACCEPTS = Accepts(
    takes="ranking", negative=False, fractional=False, no_relevant=False, digits=1e-12,
    refuses={"no_relevant": "AP is NaN", "negative": "its scales begin with 0"},
)  # fmt: skip
EXCEPT: dict[str, Accepts] = {}


def _folder() -> Path:
    folder = os.environ.get("QUEPID")
    if not folder or not shutil.which("node"):
        raise ImportError("set QUEPID to a checkout of o19s/quepid, and install node")
    return Path(folder)


def version() -> str:
    return re.search(r"^## (\S+)", (_folder() / "CHANGELOG.md").read_text(), re.MULTILINE)[1]


def score(name: str, k: int, cases: list[dict]) -> list[float]:
    """Return what a scorer says of documents, ``docs`` as retrieved and ``best`` by rating."""
    scorer = (_folder() / "db" / "scorers" / f"{name}@10.js").read_text()
    code = re.sub(r"= 10(.*@Rank)", rf"= {k}\1", scorer, count=1)
    assert "@Rank" in code
    program = (
        f"{(_folder() / 'lib' / 'scorer_logic.js').read_text()}\n"
        "var docs, bestDocs, max, total, options = {};\n"
        f"const scored = {json.dumps(cases)}.map(function(one) {{\n"
        "docs = one.docs; bestDocs = one.best; max = one.max;\n"
        f"(function() {{ {code}\n }})(); return String(getScore()); }});\n"
        "process.stdout.write(JSON.stringify(scored));"
    )
    done = subprocess.run(
        ["node", "-e", program], capture_output=True, text=True, check=True, timeout=60
    )
    return [float(value) for value in json.loads(done.stdout)]


def _each(qrels: Qrels, run: Run, k: int | None, *, name: str) -> Values:
    highest = max(int(g) for judged in qrels.values() for g in judged.values())
    queries = both(qrels, run)
    cases = [
        {
            "docs": [{"rating": qrels[q].get(d)} for d in ranking(run[q])],
            "best": [{"rating": g} for g in sorted(qrels[q].values(), reverse=True)],
            "max": highest,
        }
        for q in queries
    ]
    return dict(zip(queries, score(name, k or 10, cases), strict=True)), None


FUNCTIONS = {
    f"{name}@{{k}}": partial(_each, name=name.lower())
    for name in ("AP", "CG", "DCG", "nDCG", "nDCG_cut", "ERR", "P", "RR")
}
_NAMES = {
    pattern.removesuffix("@{k}").lower(): pattern.removesuffix("@{k}") for pattern in FUNCTIONS
}


def registry() -> list[str]:
    files = (_folder() / "db" / "scorers").glob("*@10.js")
    stems = [file.name.removesuffix("@10.js") for file in files]
    return sorted(_NAMES.get(stem, stem) for stem in stems)
