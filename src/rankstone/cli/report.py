"""Write one page to look at: verdict, tables, pictures, every query."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from rankstone.choices.setup import VERBS as TAKEN, Setup
from rankstone.cli.options import arguments_of, expand, names_of, options_of, words_of
from rankstone.cli.terminal import say, spoken_warnings
from rankstone.errors import DataError, UsageError, one_of
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.page.html import Report

HELP = """Write one page to look at: verdict, tables, pictures, every query.

Write a page on one or more runs: verdicts, the health of the data, tables, pictures and an explorer
of queries. It is one file that works offline and loads nothing.
{SOURCE}
  --depth N:whole = 20     first documents of each ranking (20)
  --query-texts FILE       texts of queries, as TSV or JSONL
  --document-texts FILE    texts of documents, as TSV or JSONL
  --title TEXT             title of the page (the names of the runs)
  -o, --output FILE = report.html  where to write it (report.html); its data alone if the name ends in .json
  --force                  replace a file that is not a report
  --no-pictures            omit the pictures
  --plots PATH             instead of a page save its pictures, for papers: one in a file that ends in .svg, .png or .pdf, or all of them in a directory
  --picture NAME ...       with --plots: differences, scatter, cutoffs, tradeoff, distribution, exposure, roc, pr or judged; may be repeated (all)
  --compared NAME          with --plots: run that is compared with the baseline (the second)
  --plot-format FORMAT = svg  of pictures in a directory: svg (default), png or pdf
{MEASURING}
"""

_NOT_PICTURES = ("jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "eps", "ps", "html", "json")
_OTHERS = (".pdf", ".png", ".svg", ".jpg", ".md", ".txt", ".csv", ".tsv", ".tex", ".xlsx", ".docx")

VERBS = ("report",)


def run(args: Namespace) -> int:
    """Make the page and write it."""
    import os

    from rankstone.page.html import check_target

    if args.plots is not None:
        return _save_plots(args)
    if args.picture or args.compared:
        raise UsageError("--picture and --compared go with --plots PATH.")
    if os.path.splitext(args.output)[1].lower() in _OTHERS:
        raise UsageError(
            f"{args.output}: a report is written as .html, or its data as .json; end the name so. "
            "--plots PATH saves pictures as .svg, .png or .pdf."
        )
    check_target(args.output, force=args.force)  # before the work, not after it
    made = report_of(args, pictures=not args.no_pictures)
    made.save(args.output, force=args.force)
    if not args.quiet:
        size = os.path.getsize(args.output) if os.path.isfile(args.output) else 0
        shown = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
        print(tr("rankstone: wrote {} ({})").format(args.output, shown), file=sys.stderr)
        for notice in (made.model.comparison or {}).get("notices", ()):
            if notice["level"] == "warning":
                say(tr("warning: {}").format(notice["text"]))
    return 0


def report_of(args: Namespace, *, pictures: bool) -> Report:
    """Evaluate and compare the runs, and collect what the page shows."""
    from shlex import join

    from rankstone.verbs.report import report

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
    options = options_of(args)
    Setup.of("report", options)
    if "baseline" in options:
        options["baseline"] = dict(zip(paths, names, strict=True)).get(
            options["baseline"], options["baseline"]
        )
    explained = {n: v for n, v in options.items() if n in TAKEN["explain"]}
    own = arguments_of(args, "report") | {
        "pictures": pictures,
        "command": join(["rankstone", *args.words]),
        "explain_options": join(words_of(explained)),
        "progress": None if args.quiet else lambda text: say(tr("{} ...").format(text)),
    }
    judgments, runs = (named, None) if args.values else (args.files[0], named)
    with spoken_warnings(quiet=args.quiet):
        return report(judgments, runs, args.measure, **own, **options)


def _save_plots(args: Namespace) -> int:
    """Draw the pictures of a report and save them."""
    import os

    from rankstone.core.atomic import check_writable
    from rankstone.page.plots import FORMATS, names, picture_of
    from rankstone.page.vega import library

    library()  # say what is missing before the work
    one_of(args.plot_format, FORMATS, "format of a picture")
    chosen = [one_of(name, names(), "picture") for name in args.picture or names()]
    ending = os.path.splitext(args.plots)[1].lower().lstrip(".")
    single = ending in FORMATS
    if ending in _NOT_PICTURES and not os.path.isdir(args.plots):
        raise UsageError(
            f"{args.plots}: pictures are saved as .svg, .png or .pdf; end the name so, or name a "
            "directory."
        )
    if single and len(chosen) > 1:
        raise UsageError(
            f"{args.plots} is one file; choose one picture with --picture {chosen[0]}, or name a "
            "directory."
        )
    if single:
        check_writable(args.plots)
    model = report_of(args, pictures=False).model
    if not single:
        os.makedirs(args.plots, exist_ok=True)
    for name in chosen:
        try:
            picture = picture_of(model, name, args.compared)
        except DataError:  # the data have nothing to draw in it
            if args.picture:
                raise
            continue
        path = args.plots if single else os.path.join(args.plots, f"{name}.{args.plot_format}")
        picture.save(path, force=args.force)
        if not args.quiet:
            print(tr("rankstone: wrote {}").format(path), file=sys.stderr)
    return 0
