"""The pictures, each defined once as Vega-Lite: for the page, for files and for notebooks.

A definition leaves open the rows, the width, and words in braces after a ``§``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Spec = dict[str, Any]

#: Colours that people with any kind of colour vision tell apart; the first is the baseline's.
_RUNS = {
    "light": ["#5b6570", "#0072b2", "#d55e00", "#00a76d", "#a38ab2", "#9e4e31", "#8877f4", "#7820d6"],
    "dark": ["#a7b0ba", "#56b4e9", "#bb5227", "#308661", "#ffd98d", "#b6eb21", "#98f2c5", "#8a6d96"],
}  # fmt: skip
#: Lines of runs: where the colours begin again they are dashed, then dotted.
_DASHES = [dash for dash in ([1, 0], [7, 4], [2, 3]) for _ in _RUNS["light"]]
_INK = {
    "light": {"text": "#1b1f24", "quiet": "#57606a", "line": "#d9dde3", "ground": "#ffffff"},
    "dark": {"text": "#e8eaed", "quiet": "#a5adb8", "line": "#363c44", "ground": "#14171b"},
}
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
_HEIGHT = 270


def themes() -> dict[str, Spec]:
    """Return the configuration of pictures in each theme."""
    return {theme: _config(theme) for theme in _INK}


def _config(theme: str) -> Spec:
    ink, runs = _INK[theme], _RUNS[theme]
    axis = {
        "labelColor": ink["quiet"], "titleColor": ink["quiet"], "gridColor": ink["line"],
        "domainColor": ink["line"], "tickColor": ink["line"], "titleFontWeight": "normal",
        "labelFontSize": 12, "titleFontSize": 12, "labelSeparation": 8,
        "titleLimit": 240,
    }  # fmt: skip
    return {
        "background": ink["ground"],
        "font": _FONT,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {"labelColor": ink["text"], "titleColor": ink["quiet"], "labelFontSize": 12, "titleFontWeight": "normal"},
        "title": {"color": ink["text"], "fontSize": 14, "anchor": "start"},
        "range": {"category": runs, "diverging": [runs[1], "#8b949e", runs[2]]},
        "rule": {"color": ink["quiet"]},
    }  # fmt: skip


def definitions(strings: Mapping[str, str]) -> dict[str, Spec]:
    """Return the pictures by name, with the words of a language."""
    runs = {
        "field": "run",
        "type": "nominal",
        "title": None,
        "sort": None,
        "legend": {
            "orient": "bottom",
            "columns": {"expr": "§{columns}"},
            "labelLimit": {"expr": "§{limit}"},
        },
    }
    change = {
        "calculate": "datum.value == datum.baseline ? 'same' : "
        "(datum.value - datum.baseline) * datum.sign > 0 ? 'better' : 'worse'",
        "as": "side",
    }
    sides = {
        "field": "side", "type": "nominal", "legend": None,
        "scale": {"domain": ["better", "same", "worse"], "range": "diverging"},
    }  # fmt: skip
    pair_tip = [
        {"field": "query", "type": "nominal", "title": strings["query"]},
        {"field": "baseline", "type": "quantitative", "title": "§{baseline}", "format": ".4f"},
        {"field": "value", "type": "quantitative", "title": "§{run}", "format": ".4f"},
    ]
    differences = {
        "height": _HEIGHT,
        "transform": [
            {"calculate": "datum.value - datum.baseline", "as": "difference"},
            change,
            {
                "window": [{"op": "row_number", "as": "place"}],
                "sort": [{"field": "difference", "order": "descending"}],
            },
            {"calculate": "datum.place - 1", "as": "from"},
        ],
        "mark": {"type": "rect"},
        "encoding": {
            "x": _x("from", strings["axis_query"], axis={"labels": False, "ticks": False, "grid": False}, scale={"nice": False, "zero": True}),
            "x2": {"field": "place"},
            "y": _y("difference", "§" + strings["axis_difference"]),
            "y2": {"datum": 0},
            "color": sides,
            "tooltip": [*pair_tip, {"field": "difference", "type": "quantitative", "title": strings["difference"], "format": "+.4f"}],
        },
    }  # fmt: skip
    scatter = {
        "height": _HEIGHT,
        "layer": [
            {
                "transform": [{"aggregate": [{"op": "min", "field": "baseline", "as": "a"}, {"op": "min", "field": "value", "as": "b"}, {"op": "max", "field": "baseline", "as": "c"}, {"op": "max", "field": "value", "as": "d"}]},
                    {"calculate": "min(datum.a, datum.b)", "as": "low"}, {"calculate": "max(datum.c, datum.d)", "as": "high"}],
                "mark": {"type": "rule", "strokeDash": [4, 4]},
                "encoding": {"x": _x("low", "§{baseline}"), "y": _y("low", "§{run}"), "x2": {"field": "high"}, "y2": {"field": "high"}},
            },
            {
                "transform": [change],
                "mark": {"type": "circle", "size": {"expr": "§{size}"}, "opacity": 0.65},
                "encoding": {"x": _x("baseline", "§{baseline}"), "y": _y("value", "§{run}"), "color": sides, "tooltip": pair_tip},
            },
        ],
    }  # fmt: skip
    cutoffs = {
        "height": _HEIGHT,
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": _x("k", strings["axis_k"], scale={"type": "log", "nice": False}, axis={"grid": False, "format": "d", "values": [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000]}),
            "y": _y("value", "§{measure}"),
            "color": runs,
            "strokeDash": _dashed(runs),
            "tooltip": [_run_tip(strings), {"field": "k", "type": "quantitative"}, {"field": "value", "type": "quantitative", "title": strings["axis_mean"], "format": ".4f"}],
        },
    }  # fmt: skip
    distribution = {
        "height": _HEIGHT,
        "transform": [
            {"bin": {"maxbins": 10}, "field": "value", "as": ["from", "to"]},
            {"aggregate": [{"op": "count", "as": "queries"}], "groupby": ["run", "place", "from", "to"]},
            {"joinaggregate": [{"op": "max", "field": "place", "as": "last"}]},
            {"calculate": "format(datum.from, '.3~f') + ' - ' + format(datum.to, '.3~f')", "as": "range"},
            {"calculate": "0.9 * (datum.to - datum.from) / (datum.last + 1)", "as": "width"},
            {"calculate": "datum.from + 0.05 * (datum.to - datum.from) + datum.place * datum.width", "as": "left"},
            {"calculate": "datum.left + datum.width", "as": "right"},
        ],
        "mark": {"type": "rect"},
        "encoding": {
            "x": _x("left", "§{measure}", axis={"grid": False}, scale={"nice": True, "zero": False}),
            "x2": {"field": "right"},
            "y": _y("queries", strings["axis_queries"], axis={"tickMinStep": 1}),
            "y2": {"datum": 0},
            "color": runs,
            "tooltip": [_run_tip(strings), {"field": "range", "type": "nominal", "title": "§{measure}"}, {"field": "queries", "type": "quantitative", "title": strings["axis_queries"]}],
        },
    }  # fmt: skip
    judged = {
        "height": {"step": 30},
        "mark": {"type": "rect"},
        "encoding": {
            "x": {"field": "rank", "type": "ordinal", "title": strings["axis_rank"], "axis": {"labelAngle": 0, "labelOverlap": True}},
            "y": {"field": "run", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 140}},
            "color": {"field": "share", "type": "quantitative", "title": strings["axis_share"], "scale": {"domain": [0, 1], "scheme": "viridis"}, "legend": {"orient": "bottom", "format": ".0%", "values": [0, 0.5, 1]}},
            "tooltip": [_run_tip(strings), {"field": "rank", "type": "ordinal", "title": strings["axis_rank"]}, {"field": "share", "type": "quantitative", "title": strings["axis_share"], "format": ".1%"}],
        },
    }  # fmt: skip
    return {
        "differences": differences,
        "scatter": scatter,
        "cutoffs": cutoffs,
        "distribution": distribution,
        "roc": _curve(strings["axis_fpr"], strings["axis_tpr"], runs, diagonal=True),
        "pr": _curve(strings["axis_recall"], strings["axis_precision"], runs, diagonal=False),
        "judged": judged,
    }


def _x(field: str, title: str, **more: Any) -> Spec:
    return {"field": field, "type": "quantitative", "title": title, **more}


_y = _x


def _dashed(runs: Spec) -> Spec:
    """Return the pattern of lines that goes with the colours; both share a legend."""
    return {**runs, "scale": {"range": _DASHES}}


def _run_tip(strings: Mapping[str, str]) -> Spec:
    return {"field": "run", "type": "nominal", "title": strings["run"]}


def _curve(x: str, y: str, runs: Spec, *, diagonal: bool) -> Spec:
    unit = {"domain": [0, 1]}
    line = {
        "mark": {"type": "line", "interpolate": "linear" if diagonal else "step-before"},
        "encoding": {
            "x": _x("x", x, scale=unit),
            "y": _y("y", y, scale=unit),
            "color": runs,
            "strokeDash": _dashed(runs),
            "order": {"field": "x", "type": "quantitative"},
            "tooltip": [
                {"field": "run", "type": "nominal", "title": " "},
                {"field": "x", "type": "quantitative", "title": x, "format": ".3f"},
                {"field": "y", "type": "quantitative", "title": y, "format": ".3f"},
            ],
        },
    }
    chance = {
        "mark": {"type": "rule", "strokeDash": [4, 4]},
        "encoding": {"x": {"datum": 0}, "y": {"datum": 0}, "x2": {"datum": 1}, "y2": {"datum": 1}},
    }
    if diagonal:
        return {"height": _HEIGHT, "layer": [chance, line]}
    # Above the first relevant document precision is 0 at a recall of 0: a line on the axis.
    return {"height": _HEIGHT, "transform": [{"filter": "datum.x > 0 || datum.y > 0"}], **line}


def for_page(strings: Mapping[str, str]) -> dict[str, Any]:
    """Return the definitions and themes that a page draws with."""
    return {"pictures": definitions(strings), "themes": themes()}
