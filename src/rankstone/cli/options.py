"""Options that several commands share, and what they mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace


def add_evaluation(parser: Any) -> None:
    """Let a command take the options of an evaluation."""
    parser.add_argument("--strict", action="store_true", help="make warnings about the data errors")
    parser.add_argument(
        "--quiet", action="store_true", help="suppress notes and warnings on stderr"
    )
    add_conventions(parser)
    add_changes(parser)
    add_reading(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="threads for scanning (all cores)")


def add_measure(parser: Any) -> None:
    """Let a command take one measure."""
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="NAME",
        help="default: the first that evaluate shows",
    )


def only_measure(args: Namespace) -> str | None:
    """Return the measure that was named, if any."""
    if len(args.measure or ()) > 1:
        from rankstone.errors import UsageError

        first, second = args.measure[:2]
        raise UsageError(f"give one measure, not {first!r} and {second!r}.")
    return args.measure[0] if args.measure else None


def add_changes(parser: Any) -> None:
    """Let a command take what changes a run before it is ranked."""
    parser.add_argument(
        "--exclude",
        metavar="FILE",
        help="(query, document) pairs to remove from the runs first, such as training data",
    )
    parser.add_argument(
        "--min-score",
        type=float,
        metavar="X",
        help="documents with a lower score count as not retrieved",
    )
    add_parents(parser)


def add_parents(parser: Any) -> None:
    """Let a command take the documents of chunks."""
    parser.add_argument(
        "--parents",
        metavar="FILE",
        help="the document of each chunk: a file with both in each line, or a pattern of "
        "chunk ids such as '{doc}#{n}'",
    )
    parser.add_argument(
        "--parent-rule",
        default="first",
        metavar="NAME",
        help="how chunks become one result: first (default), max or sum of scores",
    )
    parser.add_argument(
        "--judged-chunks",
        action="store_true",
        help="with --parents: the judgments are of chunks too, and become judgments of documents",
    )


def groups_of(by: str | None, judgments: str, max_bytes: int | None) -> dict[str, str] | str | None:
    """Return what ``--by`` names: a file, or the groups under a key of the judgments' records."""
    if by is None or os.path.exists(by) or not os.path.isfile(judgments):
        return by
    from rankstone.io.query_groups import groups_in_records

    groups = groups_in_records(judgments, by, max_bytes=max_bytes)
    return by if groups is None else dict(groups.group_of)


def changes_of(args: Namespace) -> dict[str, Any]:
    """Return the options that change a run before it is ranked, if some are given."""
    if args.min_score is None and args.parents is None and not args.judged_chunks:
        return {}
    return {
        "min_score": args.min_score,
        "parents": args.parents,
        "parent_rule": args.parent_rule,
        "judged_chunks": args.judged_chunks,
    }


def add_conventions(parser: Any) -> None:
    """Let a command take conventions."""
    parser.add_argument(
        "-c",
        "--convention",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a convention, such as ties=input; may be repeated",
    )
    parser.add_argument(
        "--like",
        metavar="TOOL",
        help="give another tool's numbers, such as trec_eval-9 ('rankstone conventions' lists them)",
    )


def add_reading(parser: Any) -> None:
    """Let a command take options on how to read files."""
    parser.add_argument(
        "--input-format",
        metavar="FORMAT",
        help="format of the files, if it cannot be detected; JUDGMENTS:RUN for two",
    )
    parser.add_argument(
        "--max-bytes",
        type=int,
        metavar="N",
        help="maximum size of a file after decompression (default: 100 times its size, or 64 MiB)",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="encoding of text files (UTF-8), such as cp1252; cp1252:utf-8 for judgments and runs",
    )
    parser.add_argument("--groups", metavar="FILE", help="sizes of groups, for rows without qid")
    parser.add_argument(
        "--columns",
        action="append",
        default=[],
        metavar="ROLE=NAME,...",
        help="columns of tables: query=, doc=, score=, distance=, grade=, rank=",
    )


def reading_of(args: Namespace) -> dict[str, Any]:
    """Return the options on how to read files."""
    from rankstone.io.column_roles import Columns

    return {
        "input_format": args.input_format,
        "max_bytes": args.max_bytes,
        "groups": args.groups,
        "encoding": args.encoding,
        "columns": Columns.of(columns_of(args.columns)),
    }


def columns_of(options: list[str]) -> dict[str, Any]:
    """Return the columns by role; a role named twice may have either name."""
    from rankstone.errors import UsageError

    columns: dict[str, Any] = {}
    for part in (part for text in options for part in text.split(",")):
        role, equals, name = part.partition("=")
        if not equals:
            raise UsageError(f"write a column as ROLE=NAME, such as query=user_id, not {part!r}.")
        columns.setdefault(role.strip(), []).append(name)
    return {role: None if names == [""] else names for role, names in columns.items()}


def choice(text: str) -> tuple[str, Any]:
    """Return a convention and its value."""
    from rankstone.errors import UsageError

    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"write a convention as NAME=VALUE, such as ties=input, not {text!r}.")
    if name != "relevance":
        return name, value
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"relevance must be a number above 0, not {value!r}.") from None


def expand(paths: list[str]) -> Iterator[str]:
    """Yield the runs; patterns are for shells that leave them alone."""
    from rankstone.errors import DataError

    for path in paths:
        if any(c in path for c in "*?[") and not os.path.exists(path):
            from glob import glob

            found = sorted(glob(path))
            if not found:
                raise DataError(f"{path}: no file matches this pattern.")
            yield from found
        else:
            yield path


def words_of(args: Namespace, *adders: Callable[[Any], None]) -> list[str]:
    """Return the words of a command that give options the values they have; defaults are left out.

    ``adders`` are the functions that added the options.
    """
    from argparse import ArgumentParser

    parser = ArgumentParser(add_help=False)
    for add in adders:
        add(parser)
    words: list[str] = []
    for action in parser._actions:  # noqa: SLF001, argparse lists its options nowhere else
        value = getattr(args, action.dest)
        if value == action.default:
            continue
        for one in value if isinstance(value, list) else [value]:
            words.append(action.option_strings[-1])
            words += [] if action.nargs == 0 else [str(one)]
    return words


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each run: the file's, or its path where two files share one."""
    from rankstone.io.formats import run_name

    names = [run_name(path) for path in paths]
    return [n if names.count(n) == 1 else p for n, p in zip(names, paths, strict=True)]
