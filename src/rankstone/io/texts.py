"""Texts of queries and documents, for people to read."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from typing import Any

from rankstone.core.text import decode
from rankstone.errors import DataError
from rankstone.io.column_roles import key_named
from rankstone.io.streams import STDIN, lines, open_seekable

_IDS = ("id", "docid", "qid", "queryid", "docno")
_TITLES = ("title", "name")
_TEXTS = ("text", "query", "contents", "body", "abstract")


def check_readable(path: Any) -> None:
    """Raise the error of a file that does not exist, before other work is done."""
    if isinstance(path, str | os.PathLike) and not os.path.exists(path) and path != STDIN:
        with open_seekable(os.fspath(path)):
            pass


def read_texts(
    path: str, wanted: Collection[str] | None = None, max_bytes: int | None = None
) -> dict[str, str]:
    """Return texts by id, of a file with an id and a text in each line.

    Lines are an id, a tab and the text (further tabs become blanks), or JSON objects with an id
    (``_id``, ``id``, ``docid``, ...) and a ``title``, a ``text`` or both.

    Args:
        path: of the file; may be compressed.
        wanted: ids of interest (default: all).
        max_bytes: maximum size in bytes after decompression.
    """
    texts: dict[str, str] = {}
    with open_seekable(path, max_bytes=max_bytes) as (stream, _, _):
        for number, raw in lines(stream, path):
            if not raw.strip():
                continue
            where = f"{path}:{number}"
            one, text = _of_json(raw, where) if raw.lstrip()[:1] == b"{" else _of_tabs(raw, where)
            if wanted is None or one in wanted:
                texts.setdefault(one, text)
    if not texts and wanted is None:
        raise DataError(f"{path}: the file has no texts. Write an id, a tab and a text per line.")
    return texts


def _of_tabs(raw: bytes, where: str) -> tuple[str, str]:
    one, tab, text = decode(raw).strip("\r\n").partition("\t")
    if not tab:
        raise DataError(
            f"{where}: expected an id, a tab and a text, or a JSON object, found {one[:80]!r}."
        )
    return one.strip(), " ".join(text.split())


def _of_json(raw: bytes, where: str) -> tuple[str, str]:
    try:
        data = {key: value for key, value in json.loads(raw).items() if value is not None}
    except ValueError as error:
        raise DataError(f"{where}: this is not valid JSON ({error}).") from None
    key = key_named(data, _IDS)
    if key is None:
        raise DataError(
            f"{where}: no id. Name it one of _id, id, docid, doc_id, qid, query_id, docno."
        )
    parts = [data.get(key_named(data, names)) for names in (_TITLES, _TEXTS)]
    shown = dict.fromkeys(str(part) for part in parts if part)
    return str(data[key]), " ".join(" · ".join(shown).split())
