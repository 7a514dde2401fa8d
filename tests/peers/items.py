"""Measures beyond accuracy, as four tools compute them, and as Rankstone does like these tools."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import rankstone as rs
from peers.common import quiet, ranking

CUTS = (1, 2, 3, 5)


class Data(NamedTuple):
    """Test items, recommendations, training data and items, as a tool and Rankstone are given them."""

    judged: dict[str, list[str]]
    run: dict[str, dict[str, float]]
    history: dict[str, list[str]]
    catalogue: list[str]
    categories: dict[str, list[str]]
    vectors: dict[str, list[float]]

    def lists(self, k: int) -> dict[str, list[str]]:
        """Return the first k items of lists that are not empty, ties in input order."""
        return {u: ranking(s)[:k] for u, s in self.run.items() if s}


Values = tuple[dict[str, float] | None, float | None]
Function = Callable[[Data, int], Values]


def draw(seed: int, function: str) -> Data:
    """Draw data with ties, empty and short lists, unknown items, items and users without data."""
    rng = random.Random(f"{function} {seed}")
    users = [f"u{n}" for n in range(rng.randint(2, 7))]
    items = [f"i{n:02d}" for n in range(rng.randint(6, 14))]
    strict = function.startswith(("ListGini", "ExposureGini", "entropy", "rank_biased"))
    unknown = [] if strict else ["new1", "new2"]
    apart = function in _RECOMMENDERS  # it refuses what a user has used before
    fewest = 1 if function.startswith("Sufficient") else 0  # no list is empty in its table
    known = users if function.startswith("Novelty@") else users[: rng.randint(2, len(users))]
    past = items[: rng.randint(4, len(items))]
    history = {u: rng.sample(past, rng.randint(1, 4)) for u in known}
    judged = {u: rng.sample(items, rng.randint(1, 3)) for u in users if rng.random() < 0.85}
    judged.setdefault(users[0], items[:1])
    if function.startswith("Novelty@"):
        judged = dict.fromkeys(users, items[:1])
    run: dict[str, dict[str, float]] = {}
    for user in users:
        if rng.random() < 0.1 and run:
            continue
        pool = [i for i in [*items, *unknown] if not apart or i not in history.get(user, [])]
        shown = rng.sample(pool, rng.randint(fewest if run else 1, min(6, len(pool))))
        spread = [9, 8, 7, 6, 5, 4, 3] if function.startswith("Categorical") else [3, 2, 2, 1]
        scores = rng.sample(spread, len(spread)) if len(spread) > 6 else None
        run[user] = {
            i: float(scores[n] if scores else rng.choice(spread)) for n, i in enumerate(shown)
        }
    one = function.startswith("Categorical")
    categories = {
        i: rng.sample("wxyz", 1 if one else rng.randint(1, 2))
        for i in [*items, *(unknown if one else [])]
        if one or rng.random() < 0.85
    }
    whole = "Intra" in function
    vectors = {
        i: [float(rng.randint(0, 2)) if whole else rng.gauss(0, 1) for _ in range(3)]
        for i in items
        if rng.random() < 0.85
    }
    return Data(judged, run, history, items, categories, vectors or {items[0]: [1.0, 2.0, 3.0]})


def differences(tool: str, function: str, seed: int) -> list[str]:
    """Return how Rankstone, asked for a tool's numbers, differs from the tool."""
    data = draw(seed, function)
    k = CUTS[seed % len(CUTS)]
    values, mean = FUNCTIONS[tool][function](data, k)
    parts = {
        "categories": data.categories or {data.catalogue[0]: ["w"]},
        "vectors": data.vectors,
    }
    if tool.startswith(("rectools", "lenskit")):
        parts["catalogue"] = data.catalogue
        parts = {n: v for n, v in parts.items() if n != "catalogue" or "Pop" not in function}
    if function.startswith("Categorical"):
        parts.pop("catalogue", None)
    if "catalogue" in parts:
        parts = {
            n: v if n == "catalogue" else {i: x for i, x in v.items() if i in data.catalogue}
            for n, v in parts.items()
        }
    name = function.format(k=k)
    found = rs.evaluate(
        data.judged, data.run, [name], like=tool, history=data.history, items=rs.Items(**parts)
    )
    (column,) = found.columns
    digits = 1e-6 if function.startswith("ExposureGini") else 1e-9
    wrong = []
    if mean is not None and not _close(found[column], mean, digits):
        wrong.append(f"seed {seed}: {name} is {mean}, here {found[column]}")
    own = {u: row[column] for u, row in found.per_query.items() if row[column] == row[column]}
    if values is not None:
        values = {u: v for u, v in values.items() if v == v}
        if own.keys() != values.keys():
            wrong.append(f"seed {seed}: {name} has users {sorted(values)}, here {sorted(own)}")
        wrong += [
            f"seed {seed}: {name} of {u} is {v}, here {own[u]}"
            for u, v in values.items()
            if u in own and not _close(own[u], v, digits)
        ]
    return wrong


def _close(a: float, b: float, digits: float) -> bool:
    return abs(a - b) <= digits or (math.isnan(a) and math.isnan(b))


def _pairs(lists: dict[str, list[str]], names: list[str]):
    import pandas as pd

    return pd.DataFrame([(u, i) for u, own in lists.items() for i in own], columns=names)


def _of_rectools(data: Data, k: int, *, name: str, needs: str, **more: object) -> Values:
    import pandas as pd
    from rectools import metrics
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    rows = [(u, i, n) for u, own in data.lists(99).items() for n, i in enumerate(own, 1)]
    reco = pd.DataFrame(rows, columns=["user_id", "item_id", "rank"])
    given = {
        "prev_interactions": _pairs(data.history, ["user_id", "item_id"]),
        "interactions": _pairs(data.judged, ["user_id", "item_id"]),
        "catalog": data.catalogue,
    }
    if name == "IntraListDiversity":
        features = pd.DataFrame.from_dict(data.vectors, orient="index")
        more["distance_calculator"] = PairwiseHammingDistanceCalculator(features)
    metric = getattr(metrics, name)(k=k, **more)
    arguments = {n: given[n] for n in needs.split()}
    mean = float(metric.calc(reco, **arguments))
    if not hasattr(metric, "calc_per_user"):
        return None, mean
    values = metric.calc_per_user(reco, **arguments)
    return {u: float(v) for u, v in values.items()}, mean


def _of_replay(data: Data, k: int, *, name: str) -> Values:
    import pandas as pd
    from replay import metrics

    scored = [(u, i, s) for u, own in data.run.items() for i, s in own.items()]
    reco = pd.DataFrame(scored, columns=["query_id", "item_id", "rating"])
    train = _pairs(data.history, ["query_id", "item_id"])
    metric = getattr(metrics, name)
    if name == "Coverage":
        return None, float(next(iter(metric(k)(reco, train).values())))
    if name == "CategoricalDiversity":
        reco["category_id"] = [data.categories[i][0] for i in reco["item_id"]]
        second = ()
    elif name == "Unexpectedness":
        # Of equally popular items those that Rankstone was given first.
        order = list(dict.fromkeys([*data.categories, *data.vectors, *train["item_id"]]))
        known = Counter(train["item_id"])
        top = sorted(known, key=lambda i: (-known[i], order.index(i)))[:k]
        base = [(u, i, -float(n)) for u in data.run for n, i in enumerate(top)]
        second = (pd.DataFrame(base, columns=["query_id", "item_id", "rating"]),)
    else:
        second = (train,)
    (values,) = metric(k, mode=metrics.PerUser())(reco, *second).values()
    (mean,) = metric(k)(reco, *second).values()
    return {u: float(v) for u, v in values.items()}, float(mean)


def _of_lenskit(data: Data, k: int, *, name: str) -> Values:
    import numpy as np
    from lenskit import metrics
    from lenskit.data import ItemList, ItemListCollection, from_interactions_df

    lists = data.lists(99)
    if name in ("entropy", "rank_biased_entropy"):
        names = list(dict.fromkeys(c for own in data.categories.values() for c in own))
        values = {}
        for user, own in lists.items():
            rows = [[float(c in data.categories.get(i, [])) for c in names] for i in own]
            shown = ItemList(item_ids=own, ordered=True)
            values[user] = float(getattr(metrics, name)(shown, np.array(rows), n=k))
        return values, None
    if name == "MeanPopRank":
        train = from_interactions_df(_pairs(data.history, ["user_id", "item_id"]))
        metric = metrics.MeanPopRank(train, n=k)
    else:
        metric = getattr(metrics, name)(n=k, items=len(data.catalogue))
    shown, tests = ItemListCollection(["query"]), ItemListCollection(["query"])
    for user, own in lists.items():
        shown.add(ItemList(item_ids=own, ordered=True), query=user)
        tests.add(ItemList(item_ids=data.judged.get(user, [])), query=user)
    with quiet(RuntimeWarning, "invalid value"):
        found = metrics.RunAnalysis(metric).measure(shown, tests)
    if name == "MeanPopRank":
        return {u: float(v) for u, v in found.list_metrics()[metric.label].items()}, None
    return None, float(found.global_metrics()[metric.label])


def _of_recommenders(
    data: Data, k: int, *, name: str, relevance: bool = False, **more: object
) -> Values:
    import numpy as np
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    train = _pairs(data.history, ["userID", "itemID"])
    reco = _pairs(data.lists(k), ["userID", "itemID"])
    if relevance:
        hits = [float(i in data.judged.get(u, [])) for u, i in reco.itertuples(index=False)]
        more["col_relevance"], reco["relevance"] = "relevance", hits
    if "item_sim_measure" in more:
        rows = [(i, np.array(data.vectors.get(i, [0.0, 0.0, 1e-300]))) for i in data.vectors]
        more["item_feature_df"] = pd.DataFrame(rows, columns=["itemID", "features"])
    if name.startswith("user_") or name in ("diversity", "serendipity"):
        bare = name.removeprefix("user_")
        with quiet(Warning):
            per_user = getattr(python_evaluation, f"user_{bare}")(train, reco, **more)
            mean = float(getattr(python_evaluation, bare)(train, reco, **more))
        return dict(per_user.itertuples(index=False)), mean
    with quiet(Warning):
        return None, float(getattr(python_evaluation, name)(train, reco, **more))


_RECTOOLS = {
    "CatalogCoverage@{k}": ("catalog", {}),
    "CatalogCoverage(normalize=True)@{k}": ("catalog", {"normalize": True}),
    "MeanInvUserFreq@{k}": ("prev_interactions", {}),
    "AvgRecPopularity@{k}": ("prev_interactions", {}),
    "AvgRecPopularity(normalize=True)@{k}": ("prev_interactions", {"normalize": True}),
    "IntraListDiversity@{k}": ("", {}),
    "Serendipity@{k}": ("interactions prev_interactions catalog", {}),
    "SufficientReco@{k}": ("", {}),
    "SufficientReco(deep=True)@{k}": ("", {"deep": True}),
    "CoveredUsers@{k}": ("interactions", {}),
}
_BY = {"item_sim_measure": "item_feature_vector"}
_RECOMMENDERS = {
    "catalog_coverage@{k}": {},
    "distributional_coverage@{k}": {},
    "novelty@{k}": {},
    **{
        f"{name}{argument}@{{k}}": more
        for name in ("diversity", "user_diversity", "serendipity", "user_serendipity")
        for argument, more in (("", {}), ("(item_sim_measure=item_feature_vector)", _BY))
    },
    "serendipity(col_relevance=)@{k}": {"relevance": True},
}
_BARE = {name: name.partition("(")[0].partition("@")[0] for name in (*_RECTOOLS, *_RECOMMENDERS)}
FUNCTIONS: dict[str, dict[str, Function]] = {
    "rectools-0.19": {
        name: partial(_of_rectools, name=_BARE[name], needs=needs, **more)
        for name, (needs, more) in _RECTOOLS.items()
    },
    "replay-0.22": {
        f"{name}@{{k}}": partial(_of_replay, name=name)
        for name in ("Coverage", "CategoricalDiversity", "Novelty", "Surprisal", "Unexpectedness")
    },
    "lenskit-2025": {
        f"{name}@{{k}}": partial(_of_lenskit, name=name)
        for name in ("MeanPopRank", "ListGini", "ExposureGini", "entropy", "rank_biased_entropy")
    },
    "recommenders-1": {
        name: partial(_of_recommenders, name=_BARE[name], **more)
        for name, more in _RECOMMENDERS.items()
    },
}
