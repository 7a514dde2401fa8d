"""Try an installed Rankstone: import, compiled core, bundled data, commands. Needs NumPy only."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from importlib.metadata import version

os.environ.setdefault("RANKSTONE_ENGINE", "native")  # an error if the core was not compiled

import rankstone as rs
from rankstone.core import engine

PACKAGE = os.path.dirname(os.path.abspath(rs.__file__))
SEARCH = os.path.join(PACKAGE, "examples", "search")
QRELS, RUN = os.path.join(SEARCH, "qrels.txt"), os.path.join(SEARCH, "bm25.run")


def check(what: str, passed: bool) -> None:
    """End with an error if a check failed."""
    if not passed:
        sys.exit(f"smoke: {what}: failed ({PACKAGE}, Python {sys.version.split()[0]})")


def printed(program: str, *arguments: str) -> str:
    """Return what an installed program prints."""
    path = os.path.join(sysconfig.get_path("scripts"), program)
    done = subprocess.run([path, *arguments], capture_output=True, check=False, encoding="utf-8")
    check(f"{program} {' '.join(arguments)}\n{done.stderr}", done.returncode == 0)
    return done.stdout


def values() -> dict[str, float]:
    """Evaluate the bundled data."""
    return dict(rs.evaluate(QRELS, RUN, ["nDCG@10", "AP", "RR"]).aggregates)


def main() -> None:
    """Run the checks, one after the other."""
    check("installed, not a checkout", "site-packages" in PACKAGE)
    check("the version is that of the distribution", rs.__version__ == version("rankstone"))
    check("the engine", engine.name() == os.environ["RANKSTONE_ENGINE"])
    check("a value worked out by hand", rs.RR({"b"}, ["a", "b"]) == 1 / 2)
    native = values()
    os.environ["RANKSTONE_ENGINE"] = "python"
    check("both engines give the same bits", native == values())
    os.environ["RANKSTONE_ENGINE"] = "native"
    check("rankstone --version", rs.__version__ in printed("rankstone", "--version"))
    check("rankstone demo", f"{native['nDCG@10']:.4f}" in printed("rankstone", "demo"))
    lines = printed("rankstone", "trec_eval", "-m", "map", QRELS, RUN)
    check("rankstone trec_eval", lines.split() == ["map", "all", f"{native['AP']:.4f}"])
    check("rs-trec_eval", printed("rs-trec_eval", "-m", "map", QRELS, RUN) == lines)
    print(f"smoke: Rankstone {rs.__version__} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
