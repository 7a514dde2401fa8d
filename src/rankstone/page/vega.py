"""The chart library: Vega and Vega-Lite as the package vl-convert-python carries them."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import Any

from rankstone.core.atomic import replaced
from rankstone.errors import INSTALL, DataError, MissingDependencyError

_SNIPPET = "window.vega = vega; window.vegaEmbed = vegaEmbed;"


def library() -> Any:
    """Return the module vl_convert, or say how to install it."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise MissingDependencyError(
            f"pictures need the library vl-convert-python: {INSTALL.format('report')}. A "
            "report without pictures needs nothing: --no-pictures, or pictures=False."
        ) from None
    return vl_convert


@lru_cache(maxsize=1)
def script() -> tuple[str, bytes]:
    """Return the chart library as one script that loads nothing else, and that script compressed.

    Bundling and compressing it takes seconds, so it is kept in the user's cache, by version.
    """
    module = library()
    path = os.path.join(_cache_folder(), f"charts-{module.__version__}.js.gz")
    with suppress(OSError, EOFError, UnicodeDecodeError, zlib.error), open(path, "rb") as stream:
        content = stream.read()
        return gzip.decompress(content).decode(), content
    text = f"(() => {{{module.javascript_bundle(_SNIPPET)}}})();"
    content = gzip.compress(text.encode(), mtime=0)
    with suppress(OSError, DataError):  # a cache that cannot be written only costs time
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with replaced(path) as out:
            out.write(content)
    return text, content


def _cache_folder() -> str:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rankstone")
