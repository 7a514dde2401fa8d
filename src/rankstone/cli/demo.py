"""Evaluate and compare the bundled examples, and report on them."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from rankstone.cli.terminal import in_colour
from rankstone.errors import DataError, UsageError
from rankstone.language import tr

HELP = """Evaluate and compare the bundled examples, and report on them.

Run a few commands on the bundled examples and show them with their output.
  --save FOLDER  only copy the examples into a new folder, to work on them
"""

_SEARCH = "search/qrels.txt search/*.run"
_TEXTS = "--query-texts search/queries.tsv --by search/needs.tsv"
_FILMS = "recommender/test.qrels recommender/*.run"
_NEEDED = ("search/qrels.txt", "recommender/test.qrels")
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"

VERBS = ()


def run(args: Namespace) -> int:
    """Run and print the commands, or copy the examples."""
    if args.save is not None:
        _save(args.save)
        return 0
    from contextlib import chdir, redirect_stderr
    from shlex import quote

    from rankstone import __version__

    folder = _folder()
    _print(_BOLD, tr("Rankstone {}: two small sets of made-up data").format(__version__))
    print(f"$ cd {quote(folder)}")
    # A terminal shows messages and output in one place, in the order in which they are written.
    with chdir(folder), redirect_stderr(sys.stdout):
        _print(_BOLD, "\n" + tr("Search in an outdoor shop: graded judgments, three systems"))
        _call(f"evaluate {_SEARCH} {_measures('search')}")
        _print(_BOLD, "\n" + tr("Films for 120 users: implicit feedback, two recommenders"))
        _call(f"evaluate {_FILMS} {_measures('recommender')}")
        _print(
            _BOLD, "\n" + tr("Is dense or hybrid better than bm25, by how much, on which queries?")
        )
        _call(f"compare {_SEARCH} --baseline bm25 {_measures('search', 1)}")
        _print(_BOLD, "\n" + tr("The same as a page to look at, with pictures and every query:"))
        page = _report()
        _next(_measures("search", 1).removeprefix("-m "))
    _print(_BOLD, "\n" + tr("Open the page in a browser: {}").format(page))
    return 0


def _folder() -> str:
    """Return where the examples are: in the package, or at the root of a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    root = os.path.dirname(os.path.dirname(package))
    places = (os.path.join(package, "examples"), os.path.join(root, "examples"))
    for place in places:
        if all(os.path.isfile(os.path.join(place, judgments)) for judgments in _NEEDED):
            return place
    raise UsageError(
        f"the examples are neither in {places[0]} nor in {places[1]}. "
        "Reinstall rankstone to get them."
    )


def _save(folder: str) -> None:
    """Copy the examples into a new folder."""
    from shutil import copytree, ignore_patterns

    try:
        copytree(_folder(), folder, ignore=ignore_patterns("make.py", "__pycache__"))
    except FileExistsError:
        raise UsageError(f"{folder} exists already. Name a new folder, or remove it.") from None
    except OSError as error:
        raise DataError(
            f"cannot copy the examples to {folder}: {error.strerror or error}."
        ) from None
    print(tr("rankstone: the examples are in {}").format(folder), file=sys.stderr)


def _measures(place: str, count: int | None = None) -> str:
    """Return the options for the measures that are listed next to the data."""
    with open(os.path.join(place, "measures.txt"), encoding="utf-8") as stream:
        return " ".join(f"-m {name}" for name in stream.read().split()[:count])


def _call(command: str) -> None:
    """Print a command, then run it; output that is not for a terminal is a table all the same."""
    from rankstone.cli import main

    command += "" if sys.stdout.isatty() else " --format table"
    print(f"$ rankstone {command}", flush=True)
    main(command.split())


def _report() -> str:
    """Write a report into a new directory and return its path."""
    from importlib.util import find_spec
    from shlex import quote
    from tempfile import mkdtemp

    from rankstone.cli import main

    page = os.path.join(mkdtemp(prefix="rankstone-"), "report.html")
    command = f"report {_SEARCH} --baseline bm25 {_measures('search')} {_TEXTS}"
    command += "" if find_spec("vl_convert") else " --no-pictures"
    print(f"$ rankstone {command} -o {quote(page)}", flush=True)
    main([*command.split(), "-o", page])
    return page


def _next(measure: str) -> None:
    """Print commands to try."""
    _print(_BOLD, "\n" + tr("Next:"))
    for command, why in {
        f"measures {measure}": tr("what a measure means, with an example worked out"),
        "evaluate search/qrels.txt search/hybrid.run -c ties=pessimistic": (
            tr("its scores are rounded: the worst that the order of equal ones could do")
        ),
        "power search/qrels.txt search/bm25.run search/dense.run": (
            tr("how many queries it takes to tell these two apart")
        ),
    }.items():
        print(f"  rankstone {command}")
        _print(_DIM, f"    {why}")


def _print(style: str, text: str) -> None:
    print(f"{style}{text}{_RESET}" if in_colour() else text)
