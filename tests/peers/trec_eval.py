"""trec_eval itself, built in the folders that RANKSTONE_TREC_EVAL_9 and ..._10 name."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from peers.common import Accepts, Qrels, Run, Values, both, whole
from peers.pytrec_eval import FUNCTIONS as IN_PYTHON

#: Four decimals are printed. A query that the run lacks ends version 10.
ACCEPTS = Accepts(
    takes="scores",
    fractional=False,
    all_negative=False,
    unretrieved_queries=False,
    digits=5.01e-5,
)
_NEW = (
    "dcg",
    "ideal_dcg",
    "unj_{k}",
    "dcg.1=3,2=9",
    "ideal_dcg.1=3,2=9",
    "rbp_resid",
    "rbp_resid.p=0.5",
)
#: Measures of preferences; grades imply them, if they are read as such.
_PREFERENCES = (
    "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp",
    "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret",
    "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp",
    "prefs_avgjg_imp",
)  # fmt: skip
_FORMS = (
    "yaap", "utility.2,-1,0.5,0", "ndcg.1=3,2=9", "ndcg_rel.1=3,2=9", "Rndcg.1=3", "G.2=9",
    "11pt_avg.0,.5,1",
)  # fmt: skip


def _folder(number: int) -> Path:
    folder = os.environ.get(f"RANKSTONE_TREC_EVAL_{number}")
    if not folder:
        raise ImportError(f"RANKSTONE_TREC_EVAL_{number} names no folder with trec_eval")
    return Path(folder)


def _run(number: int, *arguments: str) -> str:
    program = _folder(number) / "trec_eval"
    return subprocess.run([program, *arguments], capture_output=True, check=True, text=True).stdout


def version(number: int) -> str:
    return re.search(r"[\d.]+", subprocess.run(
        [_folder(number) / "trec_eval", "-v"], capture_output=True, text=True, check=False
    ).stderr)[0]  # fmt: skip


def _evaluate(qrels: Qrels, run: Run, k: int | None, *, number: int, name: str) -> Values:
    """Evaluate files; a cutoff is a parameter after a dot there."""
    stem, underscore, _ = name.partition("_{k}")
    asked = f"{stem}.{k}" if underscore else re.sub(r"_(?=\d\.\d\d$)", ".", name)
    with tempfile.TemporaryDirectory() as folder:
        judged, scored = Path(folder, "qrels"), Path(folder, "run")
        judged.write_text(
            "".join(f"{q} 0 {d} {g}\n" for q, docs in whole(qrels).items() for d, g in docs.items())
        )
        scored.write_text(
            "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, docs in run.items() for d, s in docs.items())
        )
        if not both(qrels, run):
            return {}, None
        form = "qrels_prefs" if name in _PREFERENCES else "qrels"
        files = str(judged), str(scored)
        lines = _run(number, "-q", "-R", form, "-m", asked, *files).splitlines()
    rows = [line.split("\t") for line in lines]
    values = {query: float(value) for _, query, value in rows}
    mean = values.pop("all", None)
    return values or None, mean


def registry(number: int) -> list[str]:
    """Return the table of measures in its source."""
    source = (_folder(number) / "measures.c").read_text(encoding="utf-8")
    return sorted(re.findall(r"&te_meas_(\w+)", source))


def _version(number: int) -> SimpleNamespace:
    names = [*IN_PYTHON, *_FORMS, *_PREFERENCES, *(_NEW if number > 9 else ())]
    return SimpleNamespace(
        ACCEPTS=ACCEPTS,
        EXCEPT=dict.fromkeys(_PREFERENCES, replace(ACCEPTS, negative=False)),
        FUNCTIONS={n: partial(_evaluate, number=number, name=n) for n in names},
        version=partial(version, number),
        registry=partial(registry, number),
    )


VERSIONS = {f"trec_eval-{number}": _version(number) for number in (9, 10)}
