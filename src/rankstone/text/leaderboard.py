"""The formats a leaderboard can be written in."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rankstone.errors import plural
from rankstone.language import language, tr
from rankstone.stats.leaderboard import Leaderboard, Standing
from rankstone.text.blocks import Grid, Line, Paragraphs, Sentence, rounded
from rankstone.text.delimited import Cells, delimited, exact
from rankstone.text.html import escaped, html
from rankstone.text.latex import latex
from rankstone.text.markdown import markdown
from rankstone.text.terminal import grid_width, terminal


def write_leaderboard(
    board: Leaderboard, form: str, *, digits: int = 4, colour: bool = False, columns: int = 80
) -> Iterator[str]:
    """Return the lines of a leaderboard in a format; ``columns`` is the width of the terminal."""
    if form == "json":
        return iter([board.to_json(indent=2)])
    if form in ("tsv", "csv"):
        return delimited(_cells(board), form)
    if form == "latex":
        return latex([_grid(board, digits)], "tab:leaderboard")
    if form == "md":
        return markdown(blocks(board, digits))
    if form == "html":
        return iter([page(board, digits)])
    texts = blocks(board, digits)
    if grid_width(_grid(board, digits)) > columns:
        texts = blocks(board, digits, collections=False)
    return terminal(texts, colour, columns)


def blocks(board: Leaderboard, digits: int = 4, *, collections: bool = True) -> Paragraphs:
    """Return the conclusion, the table, and how it was made."""
    how = Sentence([tr("How: {}.").format(board.method())])
    first = [s for s in board.ranked if s.tier == 1]
    if len(first) == 1:
        text = tr("{} is first: it is better than each of the others.").format(first[0].system)
    else:
        text = tr(
            "{} has the highest mean; it cannot be distinguished from {} in the first tier."
        ).format(first[0].system, plural(len(first) - 1, "other"))
    grid = _grid(board, digits, collections=collections)
    more = Sentence([tr("Values by collection: --format md, csv or json.")])
    return [[Sentence([text])], [grid] if collections else [grid, more], [how]]


def _grid(board: Leaderboard, digits: int, *, collections: bool = True) -> Grid:
    names = list(board.measures) if collections else []
    lines = []
    for s in board.standings:
        numbers = [ranks(s), rounded(s.mean, digits), _ends(s, max(digits - 1, 0))]
        numbers += [rounded(s.means.get(name, math.nan), digits) for name in names]
        lines.append(Line([str(s.tier) if s.tier else "-", s.system], numbers))
    measures = list(dict.fromkeys(board.measures.values()))
    level = tr("{:g} % interval").format(board.confidence * 100)
    shown = measures[0] if len(measures) == 1 else tr(", ").join(
        tr("{} on {}").format(measure, name) for name, measure in board.measures.items()
    )  # fmt: skip
    sizes = tr(", ").join(
        f"{name} {plural(n, 'query')}"
        + (
            tr(" in {}").format(plural(board.clusters[name], "cluster"))
            if name in board.clusters
            else ""
        )
        for name, n in board.queries.items()
    )
    foot = [
        tr("; ").join([shown, sizes]),
        tr(
            "ranks: those that a system may have; systems of a tier cannot be distinguished "
            "from its first"
        ),
    ]
    if any(not s.tier for s in board.standings):
        foot.append(tr("-: no rank without a run on every collection"))
    heads = [tr("ranks"), tr("mean"), level, *names]
    return Grid([tr("tier"), tr("system")], heads, lines, foot)


def ranks(standing: Standing) -> str:
    """Return the ranks that a system may have, in words."""
    low, high = standing.best_rank, standing.worst_rank
    return "-" if not standing.tier else str(low) if low == high else f"{low}-{high}"


def _ends(standing: Standing, digits: int) -> str:
    if math.isnan(standing.low):
        return "-"
    return tr("{} to {}").format(f"{standing.low:.{digits}f}", f"{standing.high:.{digits}f}")


def _cells(board: Leaderboard) -> Iterator[Cells]:
    names = list(board.measures)
    yield ["system"], ["tier", "best_rank", "worst_rank", "mean", "low", "high", *names]
    for s in board.standings:
        own: list[float] = [s.tier, s.best_rank, s.worst_rank] if s.tier else [math.nan] * 3
        own += [s.mean, s.low, s.high, *(s.means.get(name, math.nan) for name in names)]
        yield [s.system], list(map(exact, own))


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
    "svg{width:100%;height:auto;margin:1em 0}@media(prefers-color-scheme:dark)"
    "{body{background:#16181b;color:#e6e6e6}}.scroll{overflow-x:auto}td,th{white-space:nowrap}"
)
_ROW, _NAME, _PLOT = 22, 190, 600  # height of a line, width of names, and of the picture


def page(board: Leaderboard, digits: int = 4) -> str:
    """Return an HTML page: the ranks of systems as intervals, and the table."""
    ranked, count = board.ranked, len(board.ranked)
    place, label = tr("rank {}, tier {}"), tr("Ranks of systems as intervals")
    step = _PLOT / max(count, 2)
    parts = []
    for i, s in enumerate(ranked):
        y = _ROW * (i + 1.5)
        x = _NAME + step * (s.best_rank - 0.5)
        width = step * (s.worst_rank - s.best_rank)
        colour = ("#1f83c6", "#d4641a")[s.tier % 2 == 0]
        name = s.system if len(s.system) <= 24 else s.system[:23] + "…"
        parts.append(
            f'<text x="{_NAME - 12}" y="{y + 5:g}" text-anchor="end">{escaped(name)}</text>'
            f'<line x1="{x:g}" x2="{x + width:g}" y1="{y:g}" y2="{y:g}" stroke="{colour}" '
            f'stroke-width="8" stroke-linecap="round"><title>{escaped(s.system)}: '
            f"{place.format(ranks(s), s.tier)}</title></line>"
            f'<circle cx="{_NAME + step * (i + 0.5):g}" cy="{y:g}" r="2" fill="currentColor"/>'
        )
    every = max(1, round(count / 10))
    axis = "".join(
        f'<text x="{_NAME + step * (r - 0.5):g}" y="14" text-anchor="middle">{r}</text>'
        for r in range(1, count + 1, every)
    )
    box = f"0 0 {_NAME + _PLOT} {_ROW * (count + 2)}"
    picture = (
        f'<svg viewBox="{box}" font-size="13" fill="currentColor" role="img" '
        f'aria-label="{label}">{axis}{"".join(parts)}</svg>'
    )
    title = tr("Leaderboard")
    about = tr(
        "Bars are the ranks that a system may have, dots the order of means; colours change with "
        "the tier."
    )
    notices = "".join(f"<p>{escaped(str(notice))}</p>" for notice in board.notices)
    return (
        f'<!doctype html><html lang="{language()}"><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{title}</title>'
        f"<style>{_STYLE}</style><h1>{title}</h1>{notices}<p>{escaped(about)}</p>"
        f'{picture}<div class="scroll">{html(blocks(board, digits))}</div></html>'
    )
