"""``rankstone report``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.compare import add_methods, add_source, methods_of, refuse_reading
from rankstone.cli.options import (
    add_changes,
    add_conventions,
    add_reading,
    changes_of,
    choice,
    expand,
    groups_of,
    names_of,
    reading_of,
    words_of,
)
from rankstone.cli.terminal import spoken_warnings

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.report.html import Report


_OTHERS = (".pdf", ".png", ".svg", ".jpg", ".md", ".txt", ".csv", ".tsv", ".tex", ".xlsx", ".docx")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "report",
        help="write one page to look at: verdict, tables, pictures, every query",
        description="Write a page on one or more runs: verdicts, the health of the data, tables, "
        "pictures and an explorer of queries. It is one file that works offline and loads nothing.",
    )
    add_contents(parser)
    parser.add_argument("--by", metavar="FILE", help="groups: a query and its group in each line")
    parser.add_argument("--queries", metavar="FILE", help="texts of queries, as TSV or JSONL")
    parser.add_argument("--documents", metavar="FILE", help="texts of documents, as TSV or JSONL")
    parser.add_argument("--title", metavar="TEXT", help="title of the page (the names of the runs)")
    parser.add_argument(
        "-o", "--output", default="report.html", metavar="FILE",
        help="where to write it (report.html); its data alone if the name ends in .json",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace a file that is not a report")
    parser.add_argument("--no-pictures", action="store_true", help="omit the pictures")
    parser.set_defaults(run=run)


def add_contents(parser: Any) -> None:
    """Let a command take what the numbers of a report are made from."""
    add_source(parser)
    add_methods(parser)
    parser.add_argument("--lang", default="en", metavar="LANG", help="en (default) or zh")
    parser.add_argument(
        "--depth", type=int, default=20, metavar="N", help="documents of each ranking (20)"
    )


def run(args: Namespace) -> int:
    """Make the page and write it."""
    import os

    from rankstone.errors import UsageError
    from rankstone.report.html import check_target

    if os.path.splitext(args.output)[1].lower() in _OTHERS:
        raise UsageError(
            f"{args.output}: a report is written as .html, or its data as .json; end the name so. "
            "rankstone plot writes pictures as .svg, .png or .pdf."
        )
    check_target(args.output, force=args.force)  # before the work, not after it
    made = report_of(args, pictures=not args.no_pictures)
    made.save(args.output, force=args.force)
    if not args.quiet:
        size = os.path.getsize(args.output) if os.path.isfile(args.output) else 0
        shown = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
        print(f"rankstone: wrote {args.output} ({shown})", file=sys.stderr)
    return 0


def report_of(args: Namespace, *, pictures: bool) -> Report:
    """Evaluate and compare the runs, and collect what the page shows."""
    from shlex import join

    from rankstone.errors import UsageError
    from rankstone.reporting import report

    paths = list(expand(args.files if args.values else args.files[1:]))
    if not paths:
        what = "a file of values" if args.values else "QRELS and a run"
        example = "--values a.json b.json" if args.values else "qrels.txt bm25.run"
        raise UsageError(f"a report needs {what}: rankstone report {example}")
    names = names_of(paths)
    named = dict(zip(names, paths, strict=True))
    if len(named) < len(paths):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"{twice} is named twice. Name each run once.")
    baseline = dict(zip(paths, names, strict=True)).get(args.baseline, args.baseline)
    evaluation: dict[str, Any] = {}
    if args.values:
        refuse_reading(args)
    else:
        reading = reading_of(args)
        reading |= {"group_sizes": reading.pop("groups"), "exclude": args.exclude}
        evaluation = {"like": args.like, "strict": args.strict, "threads": args.threads}
        evaluation |= changes_of(args) | reading
        evaluation["choices"] = dict(choice(text) for text in args.convention)
        evaluation["unjudged_interval"] = args.unjudged_interval
        shared = words_of(args, add_conventions, add_changes, add_reading)
        evaluation["explain_options"] = join(shared)
    with spoken_warnings(quiet=args.quiet):
        return report(
            named if args.values else args.files[0],
            None if args.values else named,
            args.measure,
            baseline=baseline,
            title=args.title,
            language=args.lang,
            groups=args.by if args.values else groups_of(args.by, args.files[0], args.max_bytes),
            queries=args.queries,
            documents=args.documents,
            depth=args.depth,
            pictures=pictures,
            command=join(["rankstone", *args.words]),
            progress=None if args.quiet else _tell,
            **methods_of(args),
            **evaluation,
        )


def _tell(text: str) -> None:
    sys.stderr.write(f"rankstone: {text} ...\n")
    sys.stderr.flush()
