"""The notice on recommended items of which nothing is known."""

from __future__ import annotations

import numpy as np

from rankstone.core.look_alike import look_alikes
from rankstone.core.notice_texts import reading_notice
from rankstone.core.ranked import Ranked
from rankstone.errors import Notice
from rankstone.language import tr

_EXAMPLES = 3
_COMPARED = 1000  # items at most with which others are compared


def unknown_items(ranked: Ranked, k: int | None) -> list[Notice]:
    """Count the first k items of all lists that the catalogue, history or another column lacks.

    Of several of these the one that lacks most counts.
    """
    lists = None if ranked.shown is None else ranked.shown(k)
    if lists is None or not len(lists.table):
        return []
    table = lists.table
    known = {"catalogue": table.catalogue} if table.closed else {}
    if table.popularity is not None:
        known["popularity"] = table.popularity > 0
    if table.history is not None:
        known["history"] = table.user_counts > 0
    if table.categories is not None:
        known["categories"] = table.categories.sizes > 0
    if table.has_vector is not None:
        known["vectors"] = table.has_vector
    rows = np.fromiter(map(lists.row.__getitem__, ranked.queries), np.int64, len(ranked))
    shown = lists.items[rows]
    shown = shown[(shown >= 0) & (np.arange(shown.shape[1]) < ranked.depth(k)[:, None])]
    lacking = {
        role: shown[~np.append(column, False)[np.minimum(shown, len(table))]]
        for role, column in known.items()
    }
    role, items = max(lacking.items(), key=lambda pair: len(pair[1]))
    names = lists.names(np.unique(items)[:_COMPARED]).tolist()
    examples = [tr("{!r} is not in {}").format(name, role) for name in names[:_EXAMPLES]]
    if len(items) == len(shown):
        own = [name for name, is_known in zip(table.ids, known[role], strict=True) if is_known]
        twins = look_alikes(names, own)[:1]
        examples = [tr("{!r} looks like {!r}").format(*pair) for pair in twins] or examples
    return reading_notice("unknown-items", len(items), examples, of=len(shown), keep_zero=True)
