"""The formats, one line each; a format is a module here that exports a ``Format``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rankstone.errors import DataError, UsageError, one_of
from rankstone.frozen import frozen
from rankstone.io.input_file import Input
from rankstone.io.streams import STDIN

if TYPE_CHECKING:
    from rankstone.core.judgments import Judgments
    from rankstone.core.run import Row, Run
    from rankstone.core.scored_lists import ScoredLists
    from rankstone.core.subtopics import Aspect
    from rankstone.io.rows import Lists, TextRow


class _Entry(NamedTuple):
    """The module of a format, and the endings of its files.

    The endings are here, and not in the module, so that a file's name is read without imports.
    ``endings`` say in which format a file is written.
    """

    module: str  # and after a colon the constant, if it is not FORMAT
    endings: str = ""
    also: str = ""  # endings of files that are read


# Content is offered to the formats in this order. Content that none of them knows is read as the
# first, whose reader describes best what is wrong with a line.
_FORMATS = {
    "trec": _Entry("trec", ".run .trec .res .txt .qrels", ".tsv"),
    "parquet": _Entry("tables:PARQUET", ".parquet .pq"),
    "arrow": _Entry("tables:ARROW", ".arrow .feather .ipc"),
    "xlsx": _Entry("tables:WORKBOOK", also=".xlsx"),
    "rank-eval": _Entry("search_tools:RANK_EVAL"),
    "opensearch": _Entry("search_tools:OPENSEARCH"),
    "rre": _Entry("search_tools:RRE"),
    "vespa": _Entry("search_tools:VESPA"),
    "search-response": _Entry("search_tools:RESPONSE"),
    "json": _Entry("json_files", ".json"),
    "jsonl": _Entry("json_files:JSONL", ".jsonl"),
    "letor": _Entry("letor", ".letor .svm"),
    "scores": _Entry("letor:SCORES"),
    "quepid": _Entry("tables:QUEPID"),
    "csv": _Entry("tables:CSV", ".csv"),
    # These are never detected.
    "query-document-rank": _Entry("trec:RANKS"),
    "query-document-score": _Entry("trec:SCORES"),
    "query-document-grade": _Entry("trec:GRADES"),
    "trec-lenient": _Entry("trec:LENIENT"),
}
LENIENT = "trec-lenient"  # numbers are read as C reads them
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_ENDINGS = (
    *_COMPRESSED,
    ".eval",  # values per query
    *(e for entry in _FORMATS.values() for e in f"{entry.endings} {entry.also}".split()),
)


@frozen
class Format:
    """The functions that detect, read and write a format; None if it cannot hold such data.

    Args:
        name: its name.
        example: what it looks like.
        detect: whether a file has it, by content.
        judgments: reads judgments, row by row or as a whole.
        run: reads a run, row by row or as a whole.
        write_judgments: writes rows of judgments.
        write_run: writes rows of a run.
        text_of_lists: the text of a run in columns, best first (default: it is written row by row).
        write_subtopics: writes judgments by subtopic.
        may_hold_subtopics: whether judgments that are read may be by subtopic.
        holds_importance: whether it can be written which nuggets are vital.
        accepts: whether a file may have it if somebody says so (default: ``detect``).
        kind: ``judgments`` or ``run``, None if the content does not tell.
        rows: reads row by row, for formats that are otherwise read as a whole.
        scan: reads judgments or a run at once, None if it takes a closer look; tried first.
        holds_empty_queries: whether a query without documents can be written.
        mixes_queries: whether rows of one query are often not together.
        writes_by_query: whether rows of one query have to be together to be written.
        takes_group_sizes: whether queries may be given as sizes of groups of rows, in another file.
    """

    name: str
    example: str
    detect: Callable[[Input], bool]
    judgments: Callable[[Input], Iterable[Row | Aspect] | Judgments] | None = None
    run: Callable[[Input], Iterable[Row] | Lists | Run] | None = None
    write_judgments: Callable[[Iterable[TextRow], IO[bytes]], None] | None = None
    write_run: Callable[[Iterable[TextRow], IO[bytes]], None] | None = None
    accepts: Callable[[Input], bool] | None = None
    kind: Callable[[Input], str | None] | None = None
    rows: Callable[[Input, str], Iterable[TextRow]] | None = None
    scan: Callable[[Input, str], Judgments | Run | None] | None = None
    holds_empty_queries: bool = False
    mixes_queries: bool = False
    writes_by_query: bool = False
    takes_group_sizes: bool = False
    write_subtopics: Callable[[Iterable[Aspect], IO[bytes]], None] | None = None
    may_hold_subtopics: bool = False
    holds_importance: bool = False
    text_of_lists: Callable[[ScoredLists], bytes] | None = None


def names() -> list[str]:
    """Return the names of all formats."""
    return list(_FORMATS)


@cache
def named(name: str) -> Format:
    """Return a format by its name."""
    module, _, constant = _FORMATS[one_of(name, _FORMATS, "format")].module.partition(":")
    format_: Format = getattr(import_module(f"{__name__}.{module}"), constant or "FORMAT")
    return format_


def format_of(file: Input) -> Format:
    """Return the format that was named for a file, else the one its content has."""
    name = file.options.format
    if name is None:
        if file.carrier == "json" and file.lists_form is not None:
            return named("json")
        for form in map(named, _FORMATS):
            if form.detect(file):
                return form
        return named(next(iter(_FORMATS)))
    form = named(name)
    if not (form.accepts or form.detect)(file):
        raise DataError(f"{file.path}: this is not of the format '{name}' ({form.example}).")
    return form


def format_for(path: str) -> str:
    """Return the name of the format in which a file is written, by its ending."""
    ending = os.path.splitext(path)[1].lower()
    if ending in _COMPRESSED:
        raise UsageError(
            f"{path}: files are written plain, not compressed. Compress the output of "
            "'rankstone convert IN - --to FORMAT'."
        )
    by_ending = {e: name for name, entry in _FORMATS.items() for e in entry.endings.split()}
    if ending and ending not in by_ending:
        raise UsageError(
            f"{path}: no format is written to files that end in '{ending}'. Name the format with "
            f"--to, or use one of the endings {', '.join(by_ending)}."
        )
    return by_ending.get(ending, next(iter(_FORMATS)))


def run_name(path: str) -> str:
    """Return a file's name without its folder and without endings that only tell its format."""
    if path == STDIN:
        return "stdin"
    name = os.path.basename(path)
    while name.endswith(_ENDINGS):
        name = name[: name.rindex(".")]
    return name or path


def named_runs(runs: Any, *, nameless: bool = False) -> list[tuple[str, Any]]:
    """Return runs with their names: given, of a file or an object, or, for ``nameless``, their place."""
    if isinstance(runs, Mapping):
        return [(str(name), run) for name, run in runs.items()]
    if _own_name(runs) is not None or not isinstance(runs, Iterable):
        raise UsageError("give runs as {name: run} or as a list of paths; at least two.")
    items = list(runs)
    own = [_own_name(run) for run in items]
    names = [name or f"run{place}" for place, name in enumerate(own, 1)]
    for place, run in enumerate(items):
        if own[place] is None and not nameless:
            raise UsageError(
                f"a run without a name ({type(run).__name__}). Give runs as {{name: run}}."
            )
        if own[place] and own.count(own[place]) > 1:
            is_path = isinstance(run, str | os.PathLike)
            names[place] = os.fspath(run) if is_path else names[place] + f"#{place + 1}" * nameless
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two runs are called {name!r}. Give runs as {{name: run}}.")
    return list(zip(names, items, strict=True))


def _own_name(run: Any) -> str | None:
    if isinstance(run, str | os.PathLike):
        return run_name(os.fspath(run))
    name = getattr(run, "name", None)  # of a data frame it is a column
    return name if isinstance(name, str) else None
