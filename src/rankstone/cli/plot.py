"""``rankstone plot``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from rankstone.cli.report import add_contents, report_of

if TYPE_CHECKING:
    from argparse import Namespace

    from rankstone.report.model import ReportModel


_OTHERS = ("jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "eps", "ps", "html", "json")


def add_to(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "plot",
        help="save the pictures of a report as SVG, PNG or PDF",
        description="Save the pictures of a report, for papers: one with a name that ends in "
        ".svg, .png or .pdf, or all of them in a directory.",
    )
    add_contents(parser)
    parser.add_argument(
        "--picture", action="append", metavar="NAME",
        help="differences, scatter, cutoffs, distribution, roc, pr or judged; may be repeated (all)",
    )  # fmt: skip
    parser.add_argument("--run", dest="compared", metavar="NAME",
                        help="run that is compared with the baseline (the second)")  # fmt: skip
    parser.add_argument(
        "--format",
        default="svg",
        metavar="FORMAT",
        help="svg (default), png or pdf, in a directory",
    )
    parser.add_argument(
        "-o", "--output", default=".", metavar="PATH", help="a file or a directory (this one)"
    )
    parser.add_argument("--force", action="store_true",
                        help="replace files that are not pictures")  # fmt: skip
    parser.set_defaults(run=run, by=None, queries=None, documents=None, title=None)


def run(args: Namespace) -> int:
    """Draw and save."""
    from rankstone.core.atomic import check_writable
    from rankstone.errors import UsageError, one_of
    from rankstone.report.plots import FORMATS, names, picture_of
    from rankstone.report.vega import library

    library()  # say what is missing before the work
    one_of(args.format, FORMATS, "format of a picture")
    chosen = [one_of(name, names(), "picture") for name in args.picture or names()]
    ending = os.path.splitext(args.output)[1].lower().lstrip(".")
    single = ending in FORMATS
    if ending in _OTHERS and not os.path.isdir(args.output):
        raise UsageError(
            f"{args.output}: pictures are saved as .svg, .png or .pdf; end the name so, or name a "
            "directory."
        )
    if single and len(chosen) > 1:
        raise UsageError(
            f"{args.output} is one file; choose one picture with --picture {chosen[0]}, or name a "
            "directory."
        )
    if single:
        check_writable(args.output)
    model = report_of(args, pictures=False).model
    drawn = chosen if args.picture else [name for name in chosen if _has(model, name)]
    if not single:
        os.makedirs(args.output, exist_ok=True)
    for name in drawn:
        picture = picture_of(model, name, args.compared)
        path = args.output if single else os.path.join(args.output, f"{name}.{args.format}")
        picture.save(path, force=args.force)
        if not args.quiet:
            print(f"rankstone: wrote {path}", file=sys.stderr)
    return 0


def _has(model: ReportModel, name: str) -> bool:
    """Return whether the data have what a picture shows."""
    if name in ("differences", "scatter"):
        return len(model.runs) > 1
    if name in ("roc", "pr"):
        return any(name in run.curves for run in model.runs)
    if name == "judged":
        return any(run.judged_by_rank for run in model.runs)
    return name != "cutoffs" or bool(model.cutoffs)
