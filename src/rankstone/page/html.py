"""A report as one page that holds all it needs: data, style, scripts."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rankstone.core.atomic import SAVED, check_own, check_writable, write_text
from rankstone.frozen import frozen
from rankstone.language import in_language, tr
from rankstone.page.model import ReportModel

if TYPE_CHECKING:
    from rankstone.page.plots import Picture

_MARK = b'<meta name="generator" content="rankstone">'
_LEVEL = 2  # of compression: a twentieth larger than at 6, in a third of the time
_SCRIPTS = (
    "dom.js", "model.js", "formula.js", "summary.js", "pictures.js", "explorer.js", "page.js",
)  # fmt: skip


@frozen
class Report:
    """A report that can be saved: its model, and whether it has pictures."""

    model: ReportModel
    pictures: bool = True

    def to_html(self) -> str:
        """Return the page."""
        return page(self.model, pictures=self.pictures)

    def to_json(self) -> str:
        """Return the data of the page."""
        return self.model.to_json()

    def plot(self, name: str, run: str | None = None, measure: str | None = None) -> Picture:
        """Return one of the page's pictures, of a run against the baseline by a measure."""
        from rankstone.page.plots import picture_of

        return picture_of(self.model, name, run, measure)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the page to a file, whole or not at all; its data if the name ends in .json.

        A file that is not a report is replaced only with ``force``.
        """
        check_target(path, force=force)
        is_json = os.fspath(path).endswith(".json")
        write_text(path, self.to_json() if is_json else self.to_html())

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        from html import escape

        style = "width: 100%; height: 50rem; border: 1px solid #8884"
        return f'<iframe style="{style}" srcdoc="{escape(self.to_html())}"></iframe>'

    def __repr__(self) -> str:
        return f"<Report {self.model.title}; save it with .save('report.html')>"


def check_target(path: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse a path that cannot be written, or where something else is, before the work."""
    check_writable(path)
    check_own(path, SAVED if os.fspath(path).endswith(".json") else _MARK, force=force)


def page(model: ReportModel, *, pictures: bool) -> str:
    """Return the page of a model.

    Everything that comes from users is inside compressed data or escaped. The page may run the two
    scripts whose checksums its policy names, and load nothing.
    """
    strings = texts(model.language, _words(model))
    extras: dict[str, Any] = {"strings": strings, "pictures": None}
    chart_script, charts = "", b""
    if pictures:
        from rankstone.page import vega
        from rankstone.page.plots import definitions, themes

        chart_script, charts = vega.script()
        extras["pictures"] = {"pictures": definitions(strings), "themes": themes()}
    script, style = _script(), asset("page.css")
    hashes = [_hash(script), *([_hash(chart_script)] if chart_script else [])]
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(hashes)}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    parts = {
        "LANGUAGE": model.language,
        "POLICY": policy,
        "TITLE": escape(model.title.encode("utf-8", "replace").decode()),
        "STYLE": style,
        "LOADING": escape(strings["loading"]),
        "NOSCRIPT": escape(strings["noscript"]),
        "MODEL": _packed(model.to_json()),
        "EXTRAS": _packed(json.dumps(extras)),
        "CHARTS": base64.b64encode(charts).decode(),
        "SCRIPT": script,
    }
    shown = asset("page.html")
    head, *rest = shown.split("{{")
    for part in rest:
        name, _, after = part.partition("}}")
        head += parts[name] + after
    return head


def texts(language: str | None, words: Iterable[str] = ()) -> dict[str, str]:
    """Return the texts of a page in a language (default: in the one in force), and single words."""
    english = json.loads(asset("strings.json")) | {f"word_{word}": word for word in words}
    with in_language(language):
        return {name: tr(text) for name, text in english.items()}


def _words(model: ReportModel) -> set[str]:
    """Return the words in the data of a page that are shown in its language."""
    steps = [s for working in model.workings for s in (working.steps, working.ideal) if s]
    return {name for s in steps for name in s.columns} | {m.aggregate for m in model.measures}


def asset(name: str) -> str:
    """Return a file of the page."""
    return (files("rankstone.page") / "assets" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _script() -> str:
    return "\n".join(['"use strict";', "(() => {", *(asset(name) for name in _SCRIPTS), "})();"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _packed(text: str) -> str:
    """Return text compressed, in characters that mean nothing in HTML."""
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
