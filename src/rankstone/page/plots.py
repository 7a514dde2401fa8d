"""Pictures as values: drawn in a notebook, saved as SVG, PNG or PDF.

Each is defined once as Vega-Lite, for the page, for files and for notebooks. The definitions in
``assets/pictures.json`` leave open the rows, the width, and words in braces after a ``§``. ``$name`` is a word of the page in its language, or a part that several pictures share.
Colours of runs are told apart with any kind of colour vision, and the first is the baseline's; where
they begin again lines are dashed, then dotted. The curve ``pr`` leaves out its points at (0, 0): above
the first relevant document precision is 0, a line on the axis.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rankstone.core.atomic import check_own, replaced
from rankstone.core.result import Result
from rankstone.errors import DataError, UsageError, one_of, printable
from rankstone.frozen import frozen
from rankstone.page.html import asset, texts
from rankstone.page.model import ReportModel
from rankstone.page.vega import library
from rankstone.stats.comparison import Comparison

_BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
FORMATS = tuple(_BEGINNINGS)
_PER_QUERY = ("differences", "scatter", "distribution")
#: Pictures of shares: the column and the field of a run that they show, and the step of the column.
_SHARES = {"exposure": ("group", "exposure", 10), "judged": ("rank", "judged_by_rank", 1)}
_WIDTH = 480
_PANEL = 200  # least width of one of several panels
_MANY = 500  # points of a scatter plot: beyond, they are small
_PIXELS = 3  # of a PNG for each unit of length, enough for print

Rows = list[dict[str, Any]]
Spec = dict[str, Any]


@frozen
class Picture:
    """A picture; ``spec`` is its definition in Vega-Lite, data included."""

    name: str
    spec: Mapping[str, Any]

    def to_svg(self) -> str:
        """Return the picture as SVG."""
        return self.to_bytes("svg").decode()

    def to_bytes(self, form: str) -> bytes:
        """Return the picture as ``svg``, ``png`` or ``pdf``."""
        one_of(form, FORMATS, "format of a picture")
        options = {"scale": _PIXELS} if form == "png" else {}
        content = getattr(library(), f"vegalite_to_{form}")(dict(self.spec), **options)
        return content.encode() if form == "svg" else bytes(content)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the picture to a file, whole or not at all; its name says in which format.

        A file that is not a picture of this format is replaced only with ``force``.
        """
        form = os.fspath(path).rpartition(".")[2].lower()
        if form not in FORMATS:
            raise UsageError(
                f"{os.fspath(path)}: pictures are saved as .svg, .png or .pdf; end the name so."
            )
        check_own(path, _BEGINNINGS[form], force=force)
        content = self.to_bytes(form)
        with replaced(path) as out:
            out.write(content)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"<Picture {self.name}; save it with .save('{self.name}.svg')>"


@lru_cache(maxsize=1)
def _data() -> Spec:
    data: Spec = json.loads(asset("pictures.json"))
    return data


def themes() -> dict[str, Spec]:
    """Return the configuration of pictures in each theme."""
    themes: dict[str, Spec] = _data()["themes"]
    return themes


def definitions(strings: Mapping[str, str]) -> dict[str, Spec]:
    """Return the pictures by name, with the words of a language."""
    return {
        name: _mapped(spec, lambda text: _worded(text, strings))
        for name, spec in _data()["pictures"].items()
    }


def _worded(text: str, strings: Mapping[str, str]) -> Any:
    """Return a text of a definition with the words of a language, or the part that it names."""
    if not text.startswith(("$", "§$")):
        return text
    mark, _, name = text.partition("$")
    shared = _data()["shared"].get(name)
    if shared is None:
        return mark + strings[name]
    return _mapped(shared, lambda own: _worded(own, strings))


def _mapped(part: Any, change: Callable[[str], Any]) -> Any:
    """Return a definition with every text in it changed."""
    if isinstance(part, dict):
        return {name: _mapped(value, change) for name, value in part.items()}
    if isinstance(part, list):
        return [_mapped(value, change) for value in part]
    return change(part) if isinstance(part, str) else part


def picture(
    name: str,
    rows: Rows,
    words: Mapping[str, str],
    language: str | None = None,
    theme: str = "light",
) -> Picture:
    """Return a picture with its rows; ``words`` fill what its definition leaves open."""
    known = definitions(texts(language))
    one_of(name, known, "picture")
    if not rows:
        raise DataError(f"there is nothing to draw in the picture '{name}'.")
    longest = max(len(str(row.get("run", ""))) for row in rows)
    columns = max(1, _WIDTH // (40 + 8 * longest))
    sizes = {"columns": str(columns), "limit": str(_WIDTH - 30)}
    sizes["size"] = "16" if len(rows) > _MANY else "55"
    words = {**words, **sizes}
    filled = _mapped(
        known[name], lambda text: text[1:].format_map(words) if text.startswith("§") else text
    )
    if "facet" in filled:
        panels = {row["measure"] for row in rows}
        widest = max(_PANEL, *(7 * len(panel) for panel in panels))
        filled["columns"] = min(len(panels), max(1, _WIDTH // widest))
        own = (_WIDTH - 60) // filled["columns"] - 20
        filled["spec"]["width"] = filled["facet"]["header"]["labelLimit"] = own
    else:
        filled["width"] = _WIDTH
    schema = "https://vega.github.io/schema/vega-lite/v5.json"
    spec = {"$schema": schema, **filled, "data": {"values": rows}, "config": themes()[theme]}
    return Picture(name, spec)


def pair_rows(
    queries: Sequence[Any], baseline: Sequence[Any], values: Sequence[Any], *, higher: bool
) -> Rows:
    """Return the rows of pictures that show two runs query by query."""
    sign = 1 if higher else -1
    every = zip(queries, baseline, values, strict=True)
    return [
        {"query": printable(str(query)), "baseline": before, "value": after, "sign": sign}
        for query, before, after in every
        if before is not None and after is not None
    ]


def value_rows(values: Mapping[str, Sequence[Any]]) -> Rows:
    """Return the rows of a distribution: a run and a value each."""
    return [
        {"run": printable(run), "place": place, "value": value}
        for place, (run, column) in enumerate(values.items())
        for value in column
        if value is not None
    ]


def picture_of(
    model: ReportModel, name: str, run: str | None = None, measure: str | None = None
) -> Picture:
    """Return a picture of a report.

    Args:
        model: of the report.
        name: of the picture: ``differences``, ``scatter``, ``cutoffs``, ...
        run: the run to compare with the baseline (default: the second).
        measure: default: the first.
    """
    names = [printable(part.name) for part in model.runs]
    measures = [part.name for part in model.measures]
    m = 0 if measure is None else measures.index(one_of(measure, measures, "measure"))
    r = min(1, len(names) - 1) if run is None else names.index(one_of(run, names, "run"))
    words = {"baseline": names[0], "run": names[r], "measure": measures[m]}
    if name in ("differences", "scatter"):
        higher = model.measures[m].higher_is_better
        own = _plain(model.values[r][m]) if len(names) > 1 else []
        before = _plain(model.values[0][m]) if len(names) > 1 else []
        rows = pair_rows(model.queries.ids[: len(own)], before, own, higher=higher)
    elif name == "distribution":
        rows = value_rows({n: _plain(row[m]) for n, row in zip(names, model.values, strict=True)})
    elif name == "cutoffs":
        rows, words["measure"] = _cutoff_rows(model, names, measures[m])
    elif name == "tradeoff":
        rows, words["accuracy"] = _tradeoff(model, names, m)
    elif name in _SHARES:
        column, field, step = _SHARES[name]
        rows = [
            {"run": n, column: step * i, "share": share}
            for n, part in zip(names, model.runs, strict=True)
            for i, share in enumerate(getattr(part, field), 1)
            if share is not None
        ]
    else:
        rows = [
            {"run": f"{part.areas[name]:.3f} {n}", "x": x, "y": y}
            for n, part in zip(names, model.runs, strict=True)
            if name in part.curves
            for x, y in zip(*part.curves[name], strict=True)
        ]
    return picture(name, rows, words, model.language)


def _tradeoff(model: ReportModel, names: Sequence[str], chosen: int) -> tuple[Rows, str]:
    """Return each run by each measure beyond accuracy and one of accuracy, and the latter's name."""
    beyond = [x for x, part in enumerate(model.measures) if part.beyond_accuracy]
    others = [y for y in range(len(model.measures)) if y not in beyond]
    y = chosen if chosen in others or not others else others[0]
    rows = [
        {"run": name, "measure": _directed(model, x), "place": x, "x": own[x], "y": own[y]}
        for x in beyond
        for name, own in zip(names, model.means, strict=True)
    ]
    drawn = [row for row in rows if None not in row.values()] if others and len(names) > 1 else []
    return drawn, model.measures[y].name


def _directed(model: ReportModel, m: int) -> str:
    """Return a measure's name, and that less is better if so."""
    part = model.measures[m]
    return part.name + ("" if part.higher_is_better else texts(model.language)["lower"])


def distribution(result: Result, measure: str) -> Picture:
    """Return how the values of a result are distributed over queries."""
    return picture(
        "distribution",
        value_rows({result.name: _plain(result.values(measure))}),
        {"measure": measure},
    )


def of_comparison(
    comparison: Comparison, name: str, run: str | None, measure: str | None
) -> Picture:
    """Return a picture of a run and the baseline that it was compared with."""
    one_of(name, _PER_QUERY, "picture of a comparison")
    compared = [pair for pair in comparison.comparisons if run in (None, pair.run)]
    chosen = measure or comparison.measures[0]
    pair = next((p for p in compared if p.measure == chosen), None)
    if pair is None:  # its error says what was compared
        pair = comparison[run or comparison.runs[-1], chosen]
    runs = [comparison.values.get(n) for n in (pair.baseline, pair.run)]
    if any(one is None for one in runs):
        raise UsageError(
            "this picture needs values per query of both runs, and the comparison has none: it was "
            "loaded from a file, or a system has several runs. Compare the runs again."
        )
    before, after = (
        dict(zip(one.queries, _plain(np.asarray(one.columns[chosen], np.float64)), strict=True))
        for one in runs
        if one is not None
    )
    words = {
        "baseline": printable(pair.baseline),
        "run": printable(pair.run),
        "measure": chosen,
    }
    if name == "distribution":
        both = {pair.baseline: list(before.values()), pair.run: list(after.values())}
        return picture(name, value_rows(both), words)
    shared = [query for query in before if query in after]
    rows = pair_rows(
        shared,
        [before[q] for q in shared],
        [after[q] for q in shared],
        higher=pair.higher_is_better,
    )
    return picture(name, rows, words)


def _plain(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(v) else v for v in values.tolist()]


def _cutoff_rows(model: ReportModel, names: Sequence[str], measure: str) -> tuple[Rows, str]:
    base = measure.partition("@")[0]
    family = base if base in model.cutoffs else next(iter(model.cutoffs), None)
    if family is None:
        return [], measure
    own = model.cutoffs[family]
    rows = [
        {"run": name, "k": k, "value": value}
        for name, means in zip(names, own["means"], strict=True)
        for k, value in zip(own["k"], means, strict=True)
    ]
    return rows, family


def names() -> list[str]:
    """Return the names of the pictures."""
    return list(definitions(texts("en")))
