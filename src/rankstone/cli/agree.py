"""How much two runs, two sets of judgments or two orderings of systems agree."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from rankstone.choices.setup import VERBS as TAKEN, Setup
from rankstone.cli.options import arguments_of, expand, names_of, options_of
from rankstone.cli.terminal import look, print_json, print_text, spoken_warnings
from rankstone.errors import UsageError
from rankstone.language import tr

HELP = """How much two runs, two sets of judgments or two orderings of systems agree.

RUN RUN: agreement of two rankings, query by query. QRELS QRELS: agreement of two sets of judgments;
with RUN... also what they do to the order of systems, and whether the second favours one. QRELS QRELS
QRELS...: three and more judges. QRELS RUN RUN... with two -m: the order of systems by two measures.
  files FILE ...              judgments first, then runs
  --as (kind) judgments|run   what two files contain, if it cannot be detected
  -m, --measure NAME ... = []  a measure that orders systems; one or two
  {PER_QUERY}
  -p P:number                 persistence of RBO (0.9)
  --rbo-ties NAME             treatment of ties by RBO: w, a (default) or b
  --overlap-at (depths) K:whole ...    depth of the overlap (10); may be repeated
  {TEXT_OR_JSON}
"""

VERBS = ("agree_runs", "agree_judgments", "agree_orderings")


Agreement = tuple[dict[str, Any], Iterator[str]]  # as plain data, and as lines


def run(args: Namespace) -> int:
    """Compare and print."""
    paths = list(expand(args.files))
    kinds = _kinds(paths, args)
    judged, runs = (
        [path for path, kind in zip(paths, kinds, strict=True) if kind == own]
        for own in ("judgments", "run")
    )
    if kinds == ["run", "run"]:
        agreement = _runs
    elif kinds.count("judgments") > 1 and kinds == sorted(kinds):
        agreement = _judgments
    elif kinds[:1] == ["judgments"] and len(kinds) > 2 and set(kinds[1:]) == {"run"}:
        agreement = _measures
    else:
        raise UsageError(
            f"give RUN RUN, QRELS QRELS [RUN...] or QRELS RUN RUN...; these are {', '.join(kinds)}."
        )
    if args.measure and kinds in (["run", "run"], ["judgments", "judgments"]):
        raise UsageError("-m orders systems: give it with judgments and two or more runs.")
    of_runs = {
        "-p": args.p,
        "--rbo-ties": args.rbo_ties,
        "--overlap-at": args.depths,
        "--per-query": args.per_query,
    }
    for flag, value in of_runs.items():
        if kinds != ["run", "run"] and value:
            raise UsageError(f"{flag} goes with RUN RUN, whose rankings it compares.")
    with spoken_warnings(quiet=False):
        data, lines = agreement(judged, runs, args)
    if args.format == "json":
        print_json(data)
    else:
        print_text(lines)
    return 0


def _kinds(paths: list[str], args: Namespace) -> list[str]:
    from rankstone.io.changes import prepared
    from rankstone.io.convert import kind_in
    from rankstone.io.input_file import ReadOptions

    if args.kind:
        return [args.kind] * len(paths)
    options = {n: v for n, v in options_of(args).items() if n in TAKEN["convert"]}
    reading = ReadOptions.of_judgments(prepared(Setup.of("convert", options)))
    return [kind_in(path, reading) for path in paths]


def _runs(judged: list[str], runs: list[str], args: Namespace) -> Agreement:  # noqa: ARG001
    from rankstone.text.agreements import run_lines
    from rankstone.verbs.agree import agree_runs

    own = arguments_of(args, "agree_runs")
    agreement = agree_runs(runs[0], runs[1], **own, **options_of(args))
    lines = run_lines(agreement, each=args.per_query, colour=look()["colour"])
    return agreement.to_dict(), lines


def _judgments(judged: list[str], runs: list[str], args: Namespace) -> Agreement:
    from rankstone.measures import DEFAULT
    from rankstone.stats.agreement import JudgesAgreement
    from rankstone.text.agreements import judges_lines, judgment_lines, ordering_lines
    from rankstone.verbs.agree import agree_judgments, agree_orderings

    first, second, *others = judged
    if len(runs) == 1 or (runs and others):
        raise UsageError(
            "runs go with two sets of judgments, and the order of systems needs two runs."
        )
    options = options_of(args)
    of_judgments = TAKEN["agree_judgments"]
    own = {n: v for n, v in options.items() if n in of_judgments} if len(runs) > 1 else options
    found = agree_judgments(first, second, *others, **own)
    data = {"judgments": found.to_dict()}
    if isinstance(found, JudgesAgreement):
        return data, judges_lines(found, judged, colour=look()["colour"])
    lines = list(judgment_lines(found, colour=look()["colour"]))
    if len(runs) > 1:
        measure = str((args.measure or DEFAULT)[0])
        named = dict(zip(names_of(runs), runs, strict=True))
        order = agree_orderings(first, second, named, [measure], **options)
        data["orderings"] = order.to_dict()
        named_by = (tr("{} on {}").format(measure, judged) for judged in (first, second))
        lines += ["", *ordering_lines(order, *named_by)]
    return data, iter(lines)


def _measures(judged: list[str], runs: list[str], args: Namespace) -> Agreement:
    from rankstone.measures import DEFAULT
    from rankstone.text.agreements import ordering_lines
    from rankstone.verbs.agree import agree_orderings

    if len(args.measure) != 2:
        example = " ".join(f"-m {measure}" for measure in DEFAULT[:2])
        raise UsageError(f"name the two measures that order the systems: {example}.")
    named = dict(zip(names_of(runs), runs, strict=True))
    order = agree_orderings(judged[0], judged[0], named, args.measure, **options_of(args))
    return {"orderings": order.to_dict()}, ordering_lines(order, *args.measure)
