"""Random data, written down in every way a format allows, is read as what it is.

The writers here know nothing of the package's own: they choose blanks, quotes, escapes, forms of
numbers, the order of keys and what else stands beside the data.
"""

import gzip
import os
import tempfile
from pathlib import Path

from fuzz.oracles import MARK
from fuzz.target import judged_in, rows_as
from hypothesis import given, strategies as st

plain = st.integers(0, 30).map(lambda i: f"d{i}") | st.integers(0, 99).map(str)
odd = st.text(
    st.characters(codec="utf-8", min_codepoint=0x21, exclude_categories=["Cc", "Zs", "Zl", "Zp"]),
    min_size=1,
    max_size=8,
).filter(lambda s: s[0] not in "#{[\ufeff\"'")
blank = st.sampled_from(["a b", " x", "y ", "a,b", 'a"b', '"', "a;b", "a\tb", "x\\n", "\\", "'"])
broken = st.sampled_from(["a\nb", "a\r\nb", "\n", "a\rb"])
numbers = st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 0.25, 1234567.0, 1e22, 1e-9]) | st.floats(
    allow_nan=False, allow_infinity=False
)
SPACES = ["", "", "", " ", "\t", "  "]


def data_of(ids):
    return st.dictionaries(
        ids, st.dictionaries(ids, numbers, min_size=1, max_size=5), min_size=1, max_size=4
    )


def number(draw, value):
    """Write a number in one of the ways that mean it exactly."""
    shown = [repr(value), f"{value:.17g}", f"{value:.20e}"]
    if value == int(value) and abs(value) < 1e15:
        shown += [str(int(value)), f"{int(value)}.0", f"{int(value)}.000"]
    return draw(st.sampled_from(shown))


def text(draw, value):
    """Write a JSON string, some of its characters escaped."""
    out = []
    for c in value:
        way = draw(st.integers(0, 5))
        short = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\", "/": "\\/"}
        if way == 0 or (c < " " and c not in short):
            units = c.encode("utf-16-be")
            out += [f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2)]
        elif c in short and (c != "/" or way == 1):
            out.append(short[c])
        else:
            out.append(c)
    return '"' + "".join(out) + '"'


def dumped(draw, value, spaces):
    """Write a JSON value with blanks anywhere and the keys of objects in any order."""

    def gap():
        return draw(st.sampled_from(spaces))

    if isinstance(value, dict):
        items = [
            f"{gap()}{text(draw, k)}{gap()}:{gap()}{dumped(draw, v, spaces)}{gap()}"
            for k, v in value.items()
        ]
        return "{" + (",".join(items) or gap()) + "}"
    if isinstance(value, list):
        return (
            "["
            + (",".join(f"{gap()}{dumped(draw, v, spaces)}{gap()}" for v in value) or gap())
            + "]"
        )
    if isinstance(value, float):
        return number(draw, value)
    return (
        text(draw, value)
        if isinstance(value, str)
        else {None: "null", True: "true"}.get(value, str(value))
    )


def shuffled(draw, **named):
    """Return a record with its keys in any order, and perhaps one more that says nothing."""
    if draw(st.booleans()):
        named["note"] = draw(st.sampled_from([None, "x", 7, [1, "d1"], {"query_id": "q9"}]))
    return {key: named[key] for key in draw(st.permutations(list(named)))}


def scored(draw, key, number_key, docs):
    return [shuffled(draw, **{key: d, number_key: n}) for d, n in docs.items()]


def json_value(draw, data, kind):
    """Return one of the values that hold the data."""
    if kind == "run":
        falling = {q: sorted(docs.items(), key=lambda d: -d[1]) for q, docs in data.items()}
        lists = {
            q: scored(draw, draw(st.sampled_from(["id", "doc_id"])), "score", dict(docs))
            for q, docs in falling.items()
        }
        # The order of a list counts, so it holds only scores that fall.
        is_order = all(len({*docs.values()}) == len(docs) for docs in data.values())
        ways = [
            data,
            *([lists] if is_order else []),
            *(
                [[shuffled(draw, query_id=q, results=docs) for q, docs in lists.items()]]
                if is_order
                else []
            ),
            [
                shuffled(draw, qid=q, docno=d, score=n)
                for q, docs in data.items()
                for d, n in docs.items()
            ],
            {"queries": {}, "results": data},
        ]
    else:
        lists = {
            q: scored(draw, "id", draw(st.sampled_from(["grade", "label"])), docs)
            for q, docs in data.items()
        }
        ways = [
            data,
            lists,
            [shuffled(draw, user_id=q, relevant_docs=docs) for q, docs in data.items()],
            [
                shuffled(draw, topic=q, item_id=d, rating=n)
                for q, docs in data.items()
                for d, n in docs.items()
            ],
            {"queries": {}, "corpus": {}, "relevant_docs": data},
        ]
    return draw(st.sampled_from(ways))


def engine_value(draw, data, form):
    """Return what a search engine's tool would write."""
    if form == "opensearch":
        ratings = {
            q: [shuffled(draw, docId=d, rating=repr(n)) for d, n in docs.items()]
            for q, docs in data.items()
        }
        return {"judgmentRatings": [shuffled(draw, query=q, ratings=r) for q, r in ratings.items()]}
    if form == "rank-eval":
        ratings = {q: scored(draw, "_id", "rating", docs) for q, docs in data.items()}
        return {"requests": [shuffled(draw, id=q, ratings=r) for q, r in ratings.items()]}
    if form == "vespa":
        return [
            shuffled(draw, query_id=q, relevant_docs=scored(draw, "id", "score", docs))
            for q, docs in data.items()
        ]
    groups = [
        shuffled(
            draw,
            name=q,
            relevant_documents={
                d: draw(st.sampled_from([{"gain": n}, n])) for d, n in docs.items()
            },
            queries=draw(st.sampled_from([[], [{"placeholders": {"$query": q}}]])),
        )
        for q, docs in data.items()
    ]
    return draw(st.sampled_from([{"query_groups": groups}, {"topics": [{"query_groups": groups}]}]))


def quoted(draw, value, separator):
    """Write a field of CSV, quoted where it has to be, or anyhow."""
    needed = any(c in value for c in f'{separator}"\r\n') or value != value.strip()
    if needed or draw(st.integers(0, 3)) == 0:
        return '"' + value.replace('"', '""') + '"'
    return value


def table(draw, data, kind, form):
    """Write a table with its columns in any order, and perhaps one more."""
    if form == "quepid":
        separator, names = ",", ["query", "docid", "rating"]
    else:
        separator = draw(st.sampled_from(",;\t"))
        value = ["score", "sim"] if kind == "run" else ["relevance", "Label", "rating"]
        roles = (["query_id", "user-id", "QID"], ["doc_id", "item", "docno"], value)
        names = [draw(st.sampled_from(role)) for role in roles]
    extra = draw(st.booleans())
    order = draw(st.permutations(range(3 + extra)))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    rows = [[*names, *["note"] * extra]]
    rows += [
        [q, d, number(draw, n), *[draw(st.sampled_from(["x", "7", "a,b"]))] * extra]
        for q, docs in data.items()
        for d, n in docs.items()
    ]
    lines = [separator.join(quoted(draw, row[i], separator) for i in order) for row in rows]
    return end.join(lines) + draw(st.sampled_from(["", end]))


def rows(draw, data, kind, form):
    """Write rows of columns, with blank lines and comments between."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    spaces = draw(st.sampled_from([[" ", "  "], ["\t"]]))  # both may be ids with blanks
    out = []
    for query, docs in data.items():
        for doc, value in docs.items():
            shown = number(draw, value)
            if form == "letor":
                ways = [f"# docid = {doc} inc = 1", f"#docid={doc}", f"# DOC_ID: {doc}"]
                features = draw(st.sampled_from([[], ["1:0.5", "2:-1e3"]]))
                fields = [shown, f"qid:{query}", *features, draw(st.sampled_from(ways))]
            elif kind == "judgments":
                fields = [query, draw(st.sampled_from(["0", "Q0", "x"])), doc, shown]
            else:
                fields = [query, "Q0", doc, draw(st.sampled_from(["1", "0", "x"])), shown, "tag"]
            gaps = [draw(st.sampled_from(spaces)) for _ in fields]
            out.append("".join(f + g for f, g in zip(fields, gaps, strict=True))[: -len(gaps[-1])])
            if draw(st.integers(0, 4)) == 0:
                out.append(draw(st.sampled_from(["", "# a comment", " \t", "#"])))
    return (
        draw(st.sampled_from(["", end, f"# x{end}"]))
        + end.join(out)
        + draw(st.sampled_from(["", end]))
    )


JSON = ["json", "jsonl", "opensearch", "rank-eval", "rre", "vespa"]
ROWS = ["trec", "letor"]
TABLES = ["csv", "quepid"]
RUNS = {"json", "jsonl", "trec", "csv"}


@st.composite
def texts(draw):
    """Draw a format, what it is to hold, the data and their text."""
    form = draw(st.sampled_from([*JSON, *ROWS, *TABLES]))
    kind = draw(st.sampled_from(["judgments", "run"])) if form in RUNS else "judgments"
    ids = plain | odd if form in ROWS else plain | odd | blank | broken
    if form == "letor":
        ids = ids.filter(lambda s: "#" not in s)
    if form in TABLES:
        ids = ids.filter(lambda s: "\r" not in s.replace("\r\n", ""))
    data = draw(data_of(ids))
    if form in ROWS:
        return form, kind, data, rows(draw, data, kind, form)
    if form in TABLES:
        return form, kind, data, table(draw, data, kind, form)
    if form == "json":
        value = json_value(draw, data, kind)
    elif form == "jsonl":
        value = draw(st.just(json_value(draw, data, kind)).filter(lambda v: isinstance(v, list)))
        return form, kind, data, "\n".join(dumped(draw, v, SPACES) for v in value)
    else:
        value = engine_value(draw, data, form)
    return form, kind, data, dumped(draw, value, [*SPACES, "\n", "\r\n"])


@given(texts(), st.sampled_from([b"", MARK]), st.booleans(), st.booleans())
def read_alike(written, mark, packed, named):
    """Read what was written, told by content or by name."""
    form, kind, data, shown = written
    raw = mark + shown.encode()
    handle, path = tempfile.mkstemp()
    try:
        with open(handle, "wb") as out:
            out.write(gzip.compress(raw) if packed else raw)
        wanted = form if named else None
        if kind == "judgments":
            assert judged_in(Path(path), wanted) == data
        assert rows_as(Path(path), wanted, kind) == data
    finally:
        os.unlink(path)
