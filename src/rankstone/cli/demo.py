"""``rankstone demo``: the bundled examples, evaluated, and the commands that do it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.core.result import Result

_SEARCH = "search/qrels.txt"
_SETS = {
    _SEARCH: "Search in an outdoor shop: graded judgments, three systems",
    "recommender/test.qrels": "Films for 120 users: implicit feedback, two recommenders",
}
_BOLD, _DIM, _PLAIN, _RESET = "\x1b[1m", "\x1b[2m", "", "\x1b[0m"
_WIDTH = 80
_EACH_WAY = 4

Line = tuple[str, str]  # the style and the text


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "demo",
        help="evaluate the bundled examples",
        description="Evaluate the bundled examples and show the commands that do it.",
    )
    parser.set_defaults(run=run)


def run(_: Namespace) -> int:
    """Evaluate both sets and print."""
    folder = _folder()
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for style, text in _lines(folder, colour):
        print(f"{style}{text}{_RESET}" if colour and style else text)
    return 0


def _folder() -> str:
    """Return where the examples are: in the package, or at the root of a checkout."""
    from rankstone.errors import UsageError

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    root = os.path.dirname(os.path.dirname(package))
    places = (os.path.join(package, "examples"), os.path.join(root, "examples"))
    for place in places:
        if all(os.path.isfile(os.path.join(place, judgments)) for judgments in _SETS):
            return place
    raise UsageError(
        f"the examples are neither in {places[0]} nor in {places[1]}. "
        "Reinstall rankstone to get them."
    )


def _lines(folder: str, colour: bool) -> Iterator[Line]:
    from shlex import quote

    from rankstone import __version__

    yield _BOLD, f"Rankstone {__version__}: two small sets of made-up data"
    yield _PLAIN, f"$ cd {quote(folder)}"
    found = {judgments: _evaluate(folder, judgments) for judgments in _SETS}
    for judgments, results in found.items():
        yield from _overview(judgments, results, colour)
    yield from _comparison(found[_SEARCH], _texts(folder))
    yield from _next(found[_SEARCH])


def _evaluate(folder: str, judgments: str) -> list[Result]:
    """Return the results of the runs next to the judgments, by the measures listed there."""
    import warnings
    from glob import escape, glob

    from rankstone.errors import SlowEngineWarning
    from rankstone.evaluation import evaluate
    from rankstone.io.load import load_judgments

    path = os.path.join(folder, judgments)
    place = os.path.dirname(path)
    loaded = load_judgments(path)
    with open(os.path.join(place, "measures.txt"), encoding="utf-8") as stream:
        measures = stream.read().split()
    with warnings.catch_warnings():
        # That the engine is the slower one makes no difference to data this small.
        warnings.simplefilter("ignore", SlowEngineWarning)
        runs = sorted(glob(os.path.join(escape(place), "*.run")))
        return [evaluate(loaded, run, measures) for run in runs]


def _overview(judgments: str, results: Sequence[Result], colour: bool) -> Iterator[Line]:
    """Yield the table of a set and what there is to know about it."""
    from textwrap import wrap

    from rankstone.report import notices, write

    yield _PLAIN, ""
    yield _BOLD, _SETS[judgments]
    yield _PLAIN, f"$ rankstone evaluate {judgments} {os.path.dirname(judgments)}/*.run \\"
    yield _PLAIN, "    " + " ".join(f"-m {name}" for name in results[0].measures)
    for text in write.write(results, "table", colour=colour):
        yield _PLAIN, text
    for text in notices.lines(results):
        for part in wrap(f"rankstone: {text}", _WIDTH, subsequent_indent="    "):
            yield _DIM, part


def _texts(folder: str) -> dict[str, str]:
    """Return what was searched for, by query."""
    path = os.path.join(folder, os.path.dirname(_SEARCH), "queries.tsv")
    with open(path, encoding="utf-8") as stream:
        return dict(line.rstrip("\n").split("\t") for line in stream)


def _comparison(results: Sequence[Result], texts: dict[str, str]) -> Iterator[Line]:
    """Yield the queries on which the first two runs differ most, some each way."""
    one, other = results[:2]
    first = one.measures[0]
    change = dict(zip(one.queries, other.values(first) - one.values(first), strict=True))
    order = sorted(change, key=lambda query: change[query])
    yield _PLAIN, ""
    yield _BOLD, f"The queries on which {one.name} and {other.name} differ most in {first}"
    yield _PLAIN, f"$ rankstone evaluate {_SEARCH} {_path(one)} {_path(other)} \\"
    yield _PLAIN, f"    -m {first} --per-query"
    yield _BOLD, f"query  {one.name:>6}  {other.name:>6}   change  text"
    yield _DIM, "  ".join("─" * width for width in (5, 6, 6, 7, 45))
    for query in order[:_EACH_WAY] + order[-_EACH_WAY:]:
        before, after = (result.per_query[query][first] for result in (one, other))
        values = f"{before:6.4f}  {after:6.4f}  {change[query]:+7.4f}"
        yield _PLAIN, f"{query:<5}  {values}  {texts[query]}"


def _next(results: Sequence[Result]) -> Iterator[Line]:
    """Yield commands to try."""
    _, dense, hybrid = results
    yield _PLAIN, ""
    yield _BOLD, "Next:"
    yield _PLAIN, f"$ rankstone measures {dense.measures[0]}"
    yield _DIM, "    what a measure means, with an example worked out"
    yield _PLAIN, f"$ rankstone evaluate {_SEARCH} {_path(hybrid)} -c ties=pessimistic"
    yield _DIM, "    its scores are rounded: the worst that the order of equal ones could do"
    yield _PLAIN, f"$ rankstone evaluate {_SEARCH} {_path(dense)} -c queries=both"
    yield _DIM, "    without the queries that it did not answer"


def _path(result: Result) -> str:
    return f"{os.path.dirname(_SEARCH)}/{result.name}.run"
