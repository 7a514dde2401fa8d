"""The entry for data: files, dicts, lists and tables become Judgments and Runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankstone.conventions import Conventions
from rankstone.core.collection import Collection, MatchedCollection
from rankstone.core.judgments import Judgments
from rankstone.core.run import EmptyRun, Run
from rankstone.errors import Notice, UsageError, one_of
from rankstone.io.column_roles import Columns

if TYPE_CHECKING:
    from rankstone.io.arrays import Needs
    from rankstone.io.input_file import ReadOptions


def load_judgments(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    *,
    graded: bool = True,
    lenient: bool = False,
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: Any = None,
    encoding: str | None = None,
) -> Judgments:
    """Return judgments from a path, a dict, a list or a table.

    Args:
        data: a path, a dict, a list, a table, or Judgments.
        columns: the names of a table's columns, by role.
        graded: whether the grades matter; if not, every row counts 1.
        lenient: read grades as C's atol does, in the four columns of a TREC file.
        input_format: the format of a file (default: detected from its content).
        max_bytes: maximum size of a file in bytes after decompression.
        groups: path of a file of group sizes, for LETOR rows without qid.
        encoding: encoding of a text file (default: UTF-8).
    """
    if isinstance(data, Judgments):
        return data
    _refuse_spark(data)
    if isinstance(data, str | os.PathLike):
        from rankstone.io.files import read_judgments
        from rankstone.io.formats import LENIENT
        from rankstone.io.input_file import ReadOptions, first_of

        options = ReadOptions(
            LENIENT if lenient else first_of(input_format),
            max_bytes,
            None if groups is None else os.fspath(groups),
            columns,
            graded,
            encoding=first_of(encoding),
        )
        return read_judgments(os.fspath(data), options)
    if isinstance(data, Mapping):
        from rankstone.io import objects

        return objects.judgments_of(data, columns)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.judgments_of(data, columns, graded=graded)
    if _is_sparse(data):
        from rankstone.io import sparse

        return sparse.judgments_of(data, graded=graded)
    from rankstone.io import frames

    if frames.is_frame(data):
        return frames.judgments_of(data, columns, graded=graded)
    raise UsageError(
        f"cannot read judgments from {type(data).__name__}; give a path to a file, "
        "a dict {query: {document: grade}}, a list of lists of relevant documents or a dataframe."
    )


def load_run(
    data: Any,
    name: str | None = None,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    scores: str = "descending",
    lenient: bool = False,
    input_format: str | None = None,
    max_bytes: int | None = None,
    encoding: str | None = None,
) -> Run:
    """Return a run from a path, a dict, a list or a table.

    Args:
        data: a path, a dict, a list, a table, or a Run.
        name: what to call the run.
        threads: number of scanning threads (default: all cores).
        columns: the names of a table's columns, by role.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best (a distance).
        lenient: read scores as C's atof does and ignore fields after the tag.
        input_format: the format of a file (default: detected from its content).
        max_bytes: maximum size of a file in bytes after decompression.
        encoding: encoding of a text file (default: UTF-8).
    """
    ascending = is_ascending(scores)
    _refuse_spark(data)
    if isinstance(data, str | os.PathLike):
        from rankstone.io.files import read_run
        from rankstone.io.formats import LENIENT
        from rankstone.io.input_file import ReadOptions, last_of

        options = ReadOptions(
            LENIENT if lenient else last_of(input_format),
            max_bytes,
            columns=columns,
            name=name,
            threads=threads,
            ascending=ascending,
            encoding=last_of(encoding),
        )
        return read_run(os.fspath(data), options)
    data = _plain_run(data, name, scores)
    if isinstance(data, Mapping):
        from rankstone.io import objects

        return objects.run_of(data, name, columns, ascending=ascending)
    if isinstance(data, list | tuple):
        from rankstone.io import lists

        return lists.run_of(data, name, columns, ascending=ascending)
    if _is_sparse(data):
        from rankstone.io import sparse

        return sparse.run_of(data, name, ascending=ascending)
    if hasattr(data, "match") and hasattr(data, "source"):
        run: Run = data
        return run
    from rankstone.io import frames

    if frames.is_frame(data):
        return frames.run_of(data, columns, name, threads, ascending=ascending)
    raise UsageError(
        f"cannot read a run from {type(data).__name__}; give a path to a file, "
        "a dict {query: {document: score}}, a dict {query: [document, ...]}, a list of lists or "
        "a dataframe."
    )


def _is_sparse(data: Any) -> bool:
    """Return whether data are a sparse matrix, without loading what reads one."""
    return type(data).__module__.startswith("scipy.sparse")


def _plain_run(data: Any, name: str | None, scores: str) -> Any:
    """Return a run of result objects as ids and scores, and any other run unchanged."""
    if isinstance(data, Mapping | list | tuple):
        from rankstone.io.retrieved import has_objects, plain_results

        if has_objects(data):
            return plain_results(data, name or "the run", ascending=is_ascending(scores))
    return data


def is_ascending(scores: str) -> bool:
    """Return whether the lowest score is the best."""
    return one_of(scores, ("descending", "ascending"), "order of scores") == "ascending"


def collection(
    judgments: Any,
    run: Any = None,
    *,
    name: str | None = None,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
    input_format: str | None = None,
    max_bytes: int | None = None,
    encoding: str | None = None,
    mask: Any = None,
    qid: Any = None,
    group_sizes: Any = None,
    exclude: Any = None,
    not_retrieved: Any = None,
    scores: str = "descending",
    min_score: float | None = None,
    parents: Any = None,
    parent_rule: str = "first",
    judged_chunks: bool = False,
    needs: Needs | None = None,
    finite: bool = False,
) -> Collection:
    """Return judgments and a run, in whatever form the user holds them.

    Args:
        judgments: judgments, labels, relevant documents, or (without a run) grades in rank order.
        run: a run, scores, or ranked documents.
        name: the name of the run.
        threads: number of scanning threads (default: all cores).
        columns: the columns of tables, by what they hold.
        input_format: the format of the files, if it cannot be detected; ``judgments:run`` for two.
        max_bytes: maximum size of a file in bytes after decompression.
        encoding: encoding of text files (default: UTF-8); ``judgments:run`` for two.
        mask: with arrays, False marks padding.
        qid: with arrays, the query of each item, or of each row of a table.
        group_sizes: with arrays, the number of items of each query; with files, the path of a
            file of group sizes, for LETOR rows without qid.
        exclude: (query, document) pairs, in any form of judgments, that are removed from the run.
        not_retrieved: with grades in rank order, the grades of judged documents that were missed.
        scores: ``"descending"``, or ``"ascending"`` if the lowest score is the best (a distance).
        min_score: a document with a worse score counts as not retrieved.
        parents: the document of each chunk, for a run of chunks and judgments of documents.
        parent_rule: how the chunks of a document become one result: first, max or sum.
        judged_chunks: whether the judgments are of chunks too, and become judgments of documents.
        needs: what measures and conventions will read, to move no more from another device.
        finite: refuse labels that are NaN.
    """
    _refuse_spark(judgments)
    _refuse_spark(run)
    removed: tuple[Notice, ...] = ()
    if (_is_sparse(judgments) or _is_sparse(exclude)) and hasattr(run, "__array__"):
        from rankstone.io import sparse

        judgments, mask, removed = sparse.beside_scores(judgments, run, exclude, mask)
        exclude = None if _is_sparse(exclude) else exclude
    sizes_file = os.fspath(group_sizes) if isinstance(group_sizes, str | os.PathLike) else None
    if sizes_file is not None:
        group_sizes = None
    keyed = {"mask": mask, "qid": qid, "group_sizes": group_sizes}
    is_keyed = any(value is not None for value in keyed.values())
    if run is None:
        _refuse(keyed, exclude)
        return _grades(judgments, not_retrieved, name)
    if not_retrieved is not None:
        raise UsageError(
            "not_retrieved= goes with grades in rank order; judgments say it themselves."
        )
    single = False
    run = _plain_run(run, name, scores)
    if _is_sparse(run) and hasattr(judgments, "__array__"):
        judgments = type(run)(judgments)
    if not (isinstance(judgments, str | os.PathLike | Judgments) or _is_sparse(judgments)):
        from rankstone.io.rankings import are_labels, by_query

        if are_labels(judgments, run, keyed=is_keyed):
            from rankstone.io.arrays import labels_and_scores

            _refuse_exclude(exclude)
            if min_score is not None or parents is not None:
                raise UsageError(
                    "min_score= and parents= go with runs of documents that have ids, not with "
                    "labels and scores."
                )
            lists = labels_and_scores(
                judgments,
                run,
                name=name or "run",
                ascending=is_ascending(scores),
                needs=needs,
                finite=finite,
                **keyed,
            )
            return replace(lists, own_notices=(*lists.own_notices, *removed)) if removed else lists
        judgments, run, single = by_query(judgments, run)
    _refuse(keyed)
    judged = load_judgments(
        judgments,
        columns,
        input_format=input_format,
        max_bytes=max_bytes,
        groups=sizes_file,
        encoding=encoding,
    )
    ranked = load_run(
        run,
        name,
        threads,
        columns,
        scores=scores,
        input_format=input_format,
        max_bytes=max_bytes,
        encoding=encoding,
    )
    if judged_chunks:
        judged = judged_documents(judged, parents, max_bytes)
    is_changed = min_score is not None or parents is not None
    if is_changed and not isinstance(ranked, EmptyRun):
        from rankstone.io.input_file import ReadOptions, last_of
        from rankstone.io.scored import changed_run

        ranked = changed_run(
            run,
            ranked,
            min_score=min_score,
            parents=parents,
            parent_rule=parent_rule,
            columns=columns,
            options=ReadOptions(
                last_of(input_format), max_bytes, columns=columns, encoding=last_of(encoding)
            ),
            ascending=is_ascending(scores),
        )
    if exclude is not None:
        from rankstone.core.exclude import ExcludingRun

        ranked = ExcludingRun(
            ranked, load_judgments(exclude, columns, graded=False, encoding=encoding)
        )
    return MatchedCollection(ranked, judged, single)


def judged_documents(judged: Judgments, parents: Any, max_bytes: int | None) -> Judgments:
    """Return judgments of documents from judgments of their chunks."""
    from rankstone.io import parents as of_chunks

    if parents is None:
        raise UsageError("judged_chunks=True needs parents=, the document of each chunk.")
    return of_chunks.judged_documents(judged, of_chunks.Parents.of(parents, max_bytes))


def _grades(grades: Any, not_retrieved: Any, name: str | None) -> Collection:
    from rankstone.io.arrays import are_arrays, grades_in_rank_order

    if not are_arrays(grades):
        raise UsageError(
            f"a run is missing. Give judgments and a run, or grades in rank order such as "
            f"[3, 2, 0]; not {type(grades).__name__} alone."
        )
    if not_retrieved is None:
        return grades_in_rank_order(grades, name or "run")
    judged = enumerate([*grades, *not_retrieved])
    judgments = {0: {doc: grade for doc, grade in judged if grade is not None}}
    ranking = {0: list(range(len(grades)))}
    return MatchedCollection(
        load_run(ranking, name), load_judgments(judgments), single=True, has_ids=False
    )


def _refuse(keyed: Mapping[str, Any], exclude: Any = None) -> None:
    for name, value in keyed.items():
        if value is not None:
            raise UsageError(
                f"{name}= goes with labels and scores in arrays; files and dicts say by "
                "themselves which document belongs to which query."
            )
    _refuse_exclude(exclude)


def _refuse_spark(data: Any) -> None:
    """Refuse to collect a Spark DataFrame, which may not fit here."""
    if type(data).__module__.startswith("pyspark.") and hasattr(data, "toPandas"):
        raise UsageError(
            "a Spark DataFrame is evaluated inside Spark: rankstone.engines.spark.evaluate("
            "judgments, run, measures), with both sides in Spark. If the data are small, collect "
            "them: judgments.toPandas(), run.toPandas()."
        )


def _refuse_exclude(exclude: Any) -> None:
    if exclude is not None:
        raise UsageError(
            "exclude= removes documents by their ids, and arrays have none; use mask=."
        )


#: The options that say how to read data.
READING = tuple(n for n in collection.__kwdefaults__ or () if n not in ("needs", "finite"))


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that say how to read data, and single conventions."""
    reading = {name: value for name, value in options.items() if name in READING}
    choices = {name: value for name, value in options.items() if name not in READING}
    Conventions().replace(**choices)  # a misspelt option is found before any file is read
    return reading, choices


def run_options(reading: Mapping[str, Any]) -> ReadOptions:
    """Return how the file of a run is read again, for the ids of its documents."""
    from rankstone.io.input_file import ReadOptions, last_of

    return ReadOptions(
        format=last_of(reading.get("input_format")),
        max_bytes=reading.get("max_bytes"),
        columns=Columns.of(reading.get("columns")),
        ascending=reading.get("scores") == "ascending",
        encoding=last_of(reading.get("encoding")),
    )


def read(data: Sequence[Any], reading: Mapping[str, Any]) -> Collection:
    """Return the data of a verb that takes what ``evaluate`` takes."""
    if not 1 <= len(data) <= 2:
        raise UsageError("give judgments and a run, or grades in rank order.")
    names = Columns.of(reading.get("columns"))
    source = collection(*data, **{**reading, "columns": names})
    source.documents(float32=False, run_queries=False, repeats=False)
    names.check_used()
    return source
