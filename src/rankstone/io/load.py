"""The entry for data: files, dicts, lists, tables and arrays become a Collection."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankstone.choices.changes import Changes
from rankstone.choices.reading import Reading, first_of, last_of
from rankstone.choices.setup import DEFAULT, Setup
from rankstone.core.collection import (
    LEAST_SHOWN,
    Collection,
    LabelledCollection,
    MatchedCollection,
)
from rankstone.core.judgments import Judgments
from rankstone.core.notices import scale_notices
from rankstone.core.provenance import MEMORY
from rankstone.core.run import Run
from rankstone.errors import Notice, UsageError
from rankstone.io.changes import changed_run, cutter_of, prepared, record
from rankstone.io.column_roles import Columns, looks_like_header, roles_of_kind

if TYPE_CHECKING:
    from rankstone.core.items import ItemTable
    from rankstone.io.arrays import Needs

_PATH = str | os.PathLike
_Part = Callable[[str | None], str | None]
#: Choices that may be made for judgments and run apart, as in ``cp1252:utf-8``.
_SPLIT = Reading.going_with("files")


def load_judgments(data: Any, setup: Setup = DEFAULT, *, graded: bool = True) -> Judgments:
    """Return judgments from a path, a dict, a list or a table.

    Args:
        data: a path, a dict, a list, a table, or Judgments.
        setup: how to read them.
        graded: whether the grades matter; if not, every row counts 1.
    """
    if isinstance(data, Judgments):
        return data
    _refuse_spark(data)
    from rankstone.io.input_file import ReadOptions

    columns, reader = _columns_of(setup), _reader_of(data)
    if reader is None:
        raise UsageError(
            f"cannot read judgments from {type(data).__name__}; give a path to a file, a dict "
            "{query: {document: grade}}, a list of lists of relevant documents or a dataframe."
        )
    options = replace(ReadOptions.of_judgments(setup, graded=graded), columns=columns)
    return _noted(reader.judgments_of(data, options), setup, columns, first_of)


def _reader_of(data: Any) -> Any:
    """Return the module that reads judgments and runs in the form of some data; None if none does."""
    name = "frames"
    if isinstance(data, _PATH):
        name = "files"
    elif isinstance(data, Mapping | list | tuple):
        name = "json_like"
    elif is_sparse(data):
        name = "sparse"
    reader = import_module(f"rankstone.io.{name}")
    return None if name == "frames" and not reader.is_frame(data) else reader


def load_run(data: Any, setup: Setup = DEFAULT) -> Run:
    """Return a run from a path, a dict, a list or a table, without changes to its documents."""
    _refuse_spark(data)
    ascending = setup.changes.scores == "ascending"
    if is_run(data):
        is_fused = "fuse" in data.source.reading  # of runs that were read in their direction
        if ascending and data.direction >= 0 and not is_fused:
            raise UsageError(
                f"{data.name}: scores='ascending' is said when a run is loaded: "
                "load_run(..., scores='ascending')."
            )
        run: Run = data.by_score if setup.by_score and hasattr(data, "by_score") else data
        return run
    data = _plain_run(data, setup)
    if scorer_of(data) is not None:
        from rankstone.io import factors

        name = setup.evaluation.name
        return factors.run_of(data, name, setup.effort.block_bytes, ascending=ascending)
    from rankstone.io.input_file import ReadOptions

    columns, reader = _columns_of(setup), _reader_of(data)
    if reader is None:
        from rankstone.io.id_matrices import ids_of, lists_of

        if (ids := ids_of(data)) is not None:
            return load_run(lists_of(ids, None), setup)
        raise UsageError(
            f"cannot read a run from {type(data).__name__}; give a path to a file, a dict "
            "{query: {document: score}}, a dict {query: [document, ...]}, a list of lists or a "
            "dataframe."
        )
    options = replace(ReadOptions.of_run(setup), columns=columns)
    return _noted(reader.run_of(data, options), setup, columns, last_of)


def _columns_of(setup: Setup) -> Columns:
    """Return the columns for one table, which notes by itself whether they are of use."""
    return Columns(Columns.of(setup.reading.columns))


def _noted(data: Any, setup: Setup, columns: Columns, part: _Part) -> Any:
    """Return data whose source says how they were read.

    ``part`` takes from ``judgments:run`` what is about these data.
    """
    is_run_ = part is last_of
    if isinstance(data, Judgments) and "ratings-as-grades" not in {n.code for n in data.notices}:
        data = replace(data, notices=(*data.notices, *scale_notices(data.grades)))
    reading: dict[str, Any] = {}
    if data.source is not MEMORY:
        for name in _SPLIT:
            if own := part(getattr(setup.reading, name)):
                reading[name] = own
        for name in Reading.going_with("arrays"):
            if not is_run_ and name in setup.reading.given():
                reading[name] = os.fspath(getattr(setup.reading, name))
    ids: Any = setup.reading.query_ids
    if is_run_ and ids is not None:
        reading["query_ids"] = os.fspath(ids) if isinstance(ids, _PATH) else [*map(str, ids)]
    if columns.used:
        given = setup.reading.columns
        if isinstance(given, Columns):
            given.used = True
        roles = roles_of_kind("run" if is_run_ else "judgments")
        if named := {role: columns[role] for role in roles if role in columns}:
            reading["columns"] = named
    if is_run_ and setup.changes.scores != "descending":
        reading["scores"] = setup.changes.scores
    return replace(data, source=replace(data.source, reading=reading)) if reading else data


def is_run(data: Any) -> bool:
    """Return whether data are a run that was loaded."""
    return hasattr(data, "match") and hasattr(data, "source")


def is_sparse(data: Any) -> bool:
    """Return whether data are a sparse matrix, without loading what reads one."""
    return type(data).__module__.startswith("scipy.sparse")


def _is_matrix(data: Any, reading: Reading) -> bool:
    """Return whether data are an array, or a dataframe without columns of queries and documents."""
    if not hasattr(data, "__array__") or not hasattr(type(data), "columns"):
        return hasattr(data, "__array__")
    from rankstone.io.frames.columns import open_table

    return not (reading.columns or looks_like_header(open_table(data).names))


def scorer_of(run: Any) -> Any:
    """Return the scorer of a run; None if the run does not score a whole catalogue."""
    factors = sys.modules.get("rankstone.io.factors")  # who has none of these has not loaded it
    return None if factors is None else factors.scorer_of(run)


def is_empty(data: Any) -> bool:
    """Return whether data are a dict or a table without rows, as a part may be."""
    if isinstance(data, str | Judgments) or is_sparse(data) or not hasattr(data, "__len__"):
        return False
    return not len(data)


def _plain_run(data: Any, setup: Setup) -> Any:
    """Return result objects as ids with scores, a pair of tables as its ids, and other runs as they are."""
    if isinstance(data, tuple):
        from rankstone.io.id_matrices import ids_of

        ids = ids_of(data)
        data = data if ids is None else ids
    if setup.reading.query_ids is not None and not (isinstance(data, _PATH) or is_run(data)):
        from rankstone.io.id_matrices import ids_of, lists_of

        ids = ids_of(data)
        if ids is not None and not isinstance(setup.reading.query_ids, _PATH):
            return lists_of(ids, list(setup.reading.query_ids))
        raise UsageError(
            "query_ids= goes with a file of a search engine's responses, or with a table of ids; in "
            "memory responses are {query: response}."
        )
    if isinstance(data, Mapping | list | tuple):
        from rankstone.io.llm_results import has_objects, plain_results, unwrapped

        data = unwrapped(data)
        if has_objects(data):
            return plain_results(data, setup.evaluation.name or "the run", _columns_of(setup))
    return data


def collection(
    judgments: Any,
    run: Any = None,
    setup: Setup = DEFAULT,
    *,
    needs: Needs | None = None,
    finite: bool = False,
) -> Collection:
    """Return judgments and a run, in whatever form the user holds them.

    Args:
        judgments: judgments, labels, relevant documents, or (without a run) grades in rank order.
        run: a run, scores, or ranked documents.
        setup: how to read them, and what to change before documents are ranked.
        needs: what measures and conventions will read, to move no more from another device.
        finite: refuse labels that are NaN.
    """
    _refuse_spark(judgments)
    _refuse_spark(run)
    setup = prepared(setup)
    reading, changes = setup.reading, setup.changes
    _refuse_options_of_files(judgments, run, setup)
    if run is None:
        return _grades(judgments, setup)
    if changes.not_retrieved is not None:
        raise UsageError(
            "not_retrieved= goes with grades in rank order; judgments say it themselves."
        )
    single = False
    padding: list[Notice] = []
    given_run, run = run, _plain_run(run, setup)
    if run is not given_run and reading.query_ids is not None:
        setup = setup.replace(query_ids=None)  # the rows have their names
    run = _as_catalogue(judgments, run, setup)
    scorer = scorer_of(run)
    if scorer is not None:
        from rankstone.io.factors import judgments_beside

        judgments = judgments_beside(judgments, scorer)
    if is_sparse(run) and _is_matrix(judgments, reading):
        from rankstone.io.sparse import check_shape

        check_shape("judgments", judgments, run)
        judgments = type(run)(judgments)
    if scorer is None and not (
        isinstance(judgments, _PATH | Judgments) or (is_sparse(judgments) and is_sparse(run))
    ):
        labelled = _labelled(judgments, run, setup, needs, finite=finite)
        if labelled is not None:
            return labelled
        if not is_sparse(judgments):
            from rankstone.io.recognise import by_query

            judgments, run, single, padding = by_query(judgments, run)
    for name, value in reading.given().items():
        if not (isinstance(value, _PATH) and isinstance(judgments, _PATH | Judgments)):
            _refuse({name}, Reading.going_with("arrays"), _IS_OF_ARRAYS)
    judged = load_judgments(judgments, setup)
    if padding:
        judged = replace(judged, notices=(*judged.notices, *padding))
    if changes.merged_by is not None:
        from rankstone.io.parents import judged_documents, missing_notices

        judged = judged_documents(judged, changes)
        if missing := missing_notices(judged, changes.parents):
            judged = replace(judged, notices=(*judged.notices, *missing))
    loaded = load_run(run, setup)
    items = _items_of(setup)
    return MatchedCollection(
        _keeping(changed_run(loaded, judged, setup), items),
        judged,
        single,
        changes=record(changes, ["scores"]),
        cutter=cutter_of(loaded, judged, setup),
        items=items,
        scores_all=scorer is not None,
    )


def _as_catalogue(judgments: Any, run: Any, setup: Setup) -> Any:
    """Return scores in an array as a run of all documents if they cannot be those of labels."""
    exclude = setup.changes.exclude and setup.changes.exclude.data
    if not _is_matrix(run, setup.reading):
        return run
    if hasattr(type(judgments), "columns") and not _is_matrix(judgments, setup.reading):
        from rankstone.io.factors import catalogue_of

        is_table = getattr(run, "ndim", 0) == 2 and "float" in str(getattr(run, "dtype", ""))
        return catalogue_of(run) if is_table else run
    if is_sparse(exclude):
        from rankstone.io.factors import as_catalogue

        return as_catalogue(judgments, run, exclude, setup.reading)
    return run


def _keeping(run: Run, items: ItemTable | None) -> Run:
    """Return a run that keeps the lists that measures of items read, if it makes them itself."""
    return run.keeping(LEAST_SHOWN) if items is not None and hasattr(run, "keeping") else run


def _items_of(setup: Setup) -> ItemTable | None:
    """Return the table of items and history; None if neither was given."""
    if setup.changes.items is None and setup.changes.history is None:
        return None
    from rankstone.io.items import table_of

    return table_of(setup.changes.items, setup.changes.history)


def _labelled(
    judgments: Any, run: Any, setup: Setup, needs: Needs | None, *, finite: bool
) -> LabelledCollection | None:
    """Return labels and scores in arrays as a collection, None if data are something else."""
    from rankstone.io.recognise import are_labels

    reading, changes = setup.reading, setup.changes
    removed: Any = ()
    mask, exclude = reading.mask, changes.exclude and changes.exclude.data
    if (is_sparse(judgments) or is_sparse(exclude)) and _is_matrix(run, reading):
        from rankstone.io import sparse

        judgments, mask, removed = sparse.beside_scores(judgments, run, exclude, mask)
        exclude = None if is_sparse(exclude) else exclude
    elif is_sparse(judgments):
        return None
    sizes = None if isinstance(reading.group_sizes, _PATH) else reading.group_sizes
    is_keyed = any(value is not None for value in (mask, reading.qid, sizes))
    if not is_sparse(judgments) and not are_labels(judgments, run, keyed=is_keyed):
        return None
    from rankstone.io.arrays import labels_and_scores

    if exclude is not None:
        raise UsageError(
            "exclude= removes documents by their ids, and arrays have none; use mask=."
        )
    if not is_sparse(changes.exclude and changes.exclude.data):
        reason = "goes with runs of documents that have ids, not with labels and scores."
        _refuse(changes.given(), Changes.going_with("documents"), reason)
    if isinstance(reading.group_sizes, _PATH):
        raise UsageError("beside arrays group_sizes= is an array of sizes, not a file.")
    lists = labels_and_scores(
        judgments,
        run,
        name=setup.evaluation.name or "run",
        ascending=changes.scores == "ascending",
        needs=needs,
        finite=finite,
        mask=mask,
        qid=reading.qid,
        group_sizes=sizes,
        qid_blocks=reading.qid_blocks,
    )
    own = record(reading, ["columns"])
    if changes.scores != "descending":
        own["scores"] = changes.scores
    sources = lists.sources[0], replace(lists.sources[1], reading=own)
    return replace(
        lists,
        own_notices=(*lists.own_notices, *removed),
        negated=changes.scores == "ascending",
        sources=sources if own else lists.sources,
        changes=record(changes, ["scores"]),
    )


def _grades(grades: Any, setup: Setup) -> Collection:
    """Return grades in rank order as a collection; what changes runs or reads tables is refused."""
    from rankstone.io.arrays import are_arrays, grades_in_rank_order

    if not are_arrays(grades):
        raise UsageError(
            f"a run is missing. Give judgments and a run, or grades in rank order such as "
            f"[3, 2, 0]; not {type(grades).__name__} alone."
        )
    given = [*setup.reading.given(), *setup.changes.replace(not_retrieved=None).given()]
    _refuse(given, given, "goes with judgments and a run; grades in rank order are all there is.")
    missed, name = setup.changes.not_retrieved, setup.evaluation.name
    if missed is None:
        return grades_in_rank_order(grades, name or "run")
    judged = enumerate([*grades, *missed])
    judgments = {0: {doc: grade for doc, grade in judged if grade is not None}}
    ranking = {0: list(range(len(grades)))}
    plain = DEFAULT.replace(name=name)
    return MatchedCollection(
        load_run(ranking, plain),
        load_judgments(judgments),
        single=True,
        has_ids=False,
        changes=record(setup.changes),
    )


def _refuse_options_of_files(judgments: Any, run: Any, setup: Setup) -> None:
    """Refuse options on how to read files and workbooks if nothing is read from one."""
    reading, changes = setup.reading, setup.changes
    in_files = isinstance(judgments, _PATH | Judgments) or isinstance(run, _PATH) or is_run(run)
    excluded_in_file = isinstance(changes.exclude and changes.exclude.data, _PATH)
    if not (in_files or excluded_in_file or changes.merged_by is not None):
        in_memory = "is for files, and these data are in memory. Leave it out."
        _refuse(reading.given(), _SPLIT, in_memory)
    if not isinstance(judgments, _PATH | Judgments):
        in_memory = "is for judgments in a workbook, and these are in memory. Leave it out."
        _refuse(reading.given(), Reading.going_with("sheets"), in_memory)


_IS_OF_ARRAYS = (
    "goes with labels and scores in arrays; files and dicts say by themselves which document belongs "
    "to which query."
)


def _refuse(given: Iterable[str], names: Iterable[str], reason: str) -> None:
    """Refuse the given choices whose names are listed, for a reason."""
    chosen = set(given)
    for name in names:
        if name in chosen:
            raise UsageError(f"{name}= {reason}")


def _refuse_spark(data: Any) -> None:
    """Refuse to collect a Spark DataFrame, which may not fit here."""
    if type(data).__module__.startswith("pyspark.") and hasattr(data, "toPandas"):
        raise UsageError(
            "a Spark DataFrame is evaluated inside Spark: rankstone.spark.evaluate("
            "judgments, run, measures), with both sides in Spark. If the data are small, collect "
            "them: judgments.toPandas(), run.toPandas()."
        )


def read(judgments: Any, run: Any, setup: Setup) -> Collection:
    """Return the data of a verb that takes what ``evaluate`` takes, with its columns checked."""
    if judgments is None:
        raise UsageError("give judgments and a run, or grades in rank order.")
    setup = prepared(setup)
    source = collection(judgments, run, setup)
    source.documents(float32=False, run_queries=False, repeats=False)
    check_columns_used(setup)
    return source


def check_columns_used(setup: Setup) -> None:
    """Refuse columns that were named if no table was read with them."""
    if isinstance(setup.reading.columns, Columns):
        setup.reading.columns.check_used()
