"""``rankstone agree``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rankstone.cli.options import add_conventions, add_reading, choice, expand, names_of, reading_of
from rankstone.cli.terminal import look, spoken_warnings

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.io.input_file import ReadOptions


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "agree",
        help="how much two runs, two sets of judgments or two orderings of systems agree",
        description="RUN RUN: agreement of two rankings, query by query. QRELS QRELS: agreement of "
        "two sets of judgments; with RUN... also what they do to the order of systems. QRELS "
        "RUN RUN... with two -m: the order of systems by two measures.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="judgments first, then runs")
    parser.add_argument(
        "--as", dest="kind", choices=("judgments", "run"),
        help="what two files contain, if it cannot be detected",
    )  # fmt: skip
    parser.add_argument("-m", "--measure", action="append", default=[], metavar="NAME",
                        help="a measure that orders systems; one or two")  # fmt: skip
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="also print the values of each query"
    )
    parser.add_argument("-p", type=float, default=0.9, metavar="P", help="persistence of RBO (0.9)")
    parser.add_argument("--ties", default="a", metavar="NAME",
                        help="treatment of ties by RBO: w, a (default) or b")  # fmt: skip
    parser.add_argument("--depth", type=int, action="append", metavar="K",
                        help="depth of the overlap (10); may be repeated")  # fmt: skip
    parser.add_argument("--relevant-from", type=float, default=1.0, metavar="GRADE",
                        help="lowest grade of a relevant document (1)")  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_conventions(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Compare and print."""
    import json

    from rankstone.errors import UsageError

    paths = list(expand(args.files))
    kinds = _kinds(paths, args)
    if kinds == ["run", "run"]:
        agreement = _runs
    elif kinds[:2] == ["judgments", "judgments"] and set(kinds[2:]) <= {"run"}:
        agreement = _judgments
    elif kinds[:1] == ["judgments"] and len(kinds) > 2 and set(kinds[1:]) == {"run"}:
        agreement = _measures
    else:
        raise UsageError(
            f"give RUN RUN, QRELS QRELS [RUN...] or QRELS RUN RUN...; these are {', '.join(kinds)}."
        )
    if args.measure and kinds in (["run", "run"], ["judgments", "judgments"]):
        raise UsageError("-m orders systems: give it with judgments and two or more runs.")
    with spoken_warnings(quiet=False):
        data, lines = agreement(paths, args)
    if args.format == "json":
        print(json.dumps(data, indent=2))
    else:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _kinds(paths: list[str], args: Namespace) -> list[str]:
    from rankstone.io.whole import kind_in

    if args.kind:
        return [args.kind] * len(paths)
    return [kind_in(path, _options(args)) for path in paths]


def _options(args: Namespace) -> ReadOptions:
    from rankstone.io.input_file import ReadOptions

    reading = reading_of(args)
    return ReadOptions(
        reading["input_format"],
        reading["max_bytes"],
        reading["groups"],
        reading["columns"],
        encoding=reading["encoding"],
    )


def _runs(paths: list[str], args: Namespace) -> tuple[dict[str, Any], Iterator[str]]:
    from rankstone.agreeing import agree_runs
    from rankstone.io.whole import whole_run
    from rankstone.report.agreements import run_lines

    runs = [whole_run(path, _options(args)) for path in paths]
    found = agree_runs(*runs, p=args.p, ties=args.ties, depths=args.depth or (10,))
    alone = (len(found.only_first), len(found.only_second))
    return found.to_dict(), run_lines(
        found.means(), found.per_query, alone, each=args.per_query, colour=look()["colour"]
    )


def _judgments(paths: list[str], args: Namespace) -> tuple[dict[str, Any], Iterator[str]]:
    from rankstone.agreeing import agree_judgments, agree_orderings
    from rankstone.measures import DEFAULT
    from rankstone.report.agreements import judgment_lines, ordering_lines

    first, second, *runs = paths
    reading = reading_of(args)
    found = agree_judgments(first, second, relevant_from=args.relevant_from, **reading)
    data = {"judgments": found.to_dict()}
    lines = list(judgment_lines(found, colour=look()["colour"]))
    if len(runs) > 1:
        measure = str((args.measure or DEFAULT)[0])
        named = dict(zip(names_of(runs), runs, strict=True))
        order = agree_orderings(first, second, named, [measure], **_evaluating(args))
        data["orderings"] = order.to_dict()
        lines += ["", *ordering_lines(order, f"{measure} on {first}", f"{measure} on {second}")]
    return data, iter(lines)


def _measures(paths: list[str], args: Namespace) -> tuple[dict[str, Any], Iterator[str]]:
    from rankstone.agreeing import agree_orderings
    from rankstone.errors import UsageError
    from rankstone.io.load import load_judgments
    from rankstone.measures import DEFAULT
    from rankstone.report.agreements import ordering_lines

    if len(args.measure) != 2:
        example = " ".join(f"-m {measure}" for measure in DEFAULT[:2])
        raise UsageError(f"name the two measures that order the systems: {example}.")
    judged = load_judgments(paths[0], **reading_of(args))
    named = dict(zip(names_of(paths[1:]), paths[1:], strict=True))
    options = _evaluating(args)
    order = agree_orderings(judged, judged, named, args.measure, **options)
    return {"orderings": order.to_dict()}, ordering_lines(order, *args.measure)


def _evaluating(args: Namespace) -> dict[str, Any]:
    """Return how runs are evaluated and read."""
    reading = reading_of(args)
    del reading["groups"]
    choices = dict(choice(text) for text in args.convention)
    return {"like": args.like, **reading, **choices}
