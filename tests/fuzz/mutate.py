"""Changes to a text that keep some of its structure, beside those that keep none."""

import bz2
import gzip
import json
import lzma
import re
import zlib

# What readers look for, or trip over.
WORDS = [
    *["query_id", "qid", "query", "id", "doc_id", "docno", "corpus-id", "item", "rating", "relevance", "score", "rank", "ratings"],
    *["requests", "_id", "details", "hits", "hit", "metric_score", "topics", "query_groups", "queries", "gain", "name"],
    *["placeholders", "$query", "relevant_documents", "judgmentRatings", "docId", "relevant_docs", "user"],
    *["expected_ids", "retrieved_ids", "results", "relevant", "qrels", "recommendations", "label", "prediction"],
    *["q1", "q2", "d1", "d2", "d3", "Q0", "0", "1", "2", "3", "-1", "0.5", "1e3", "+.5", "5.", "1e400", "1e-400", "-0.0", "nan", "inf", "1_0", "1,5", "0x1A"],
    *["1234567", "12345678901234567890", "0.1234567", "#", "#d1", "qid:1", "qid:", "1:0.5", "docid=d1", "true", "null"],
    "", " ", "\t", "\n", "\r", "\r\n", "\n\n", ",", ";", '"', '""', "'", "\\", "{", "[", "{}",
    "\ufeff", "\x00", "\x0b", "\x1c", "\x85", "\u2028", "\xa0", "é", "\u0663", "\U0001f600",
]  # fmt: skip
SCALARS = [
    None, True, False, 0, 1, -1, 2.5, 12.0, 1e300, 10**400, 1e-320, -0.0, float("nan"), "", " ",
    "q1", "d1", "1", "0.5", "x", "NaN", "1_0", "\u0663", "\ud800", "\x00", "a\nb", "a b",
    [], {}, [[]], {"": {}}, ["d1"], {"d1": 1}, {"id": "d1"}, {"d1": None},
]  # fmt: skip
# Values that may stand where another of their type stands.
ALIKE = {
    str: ["q1", "d1", "x", "1", "a b", "é", "RR", "nDCG@10", "memory", "info", "warning", "zero"],
    int: [0, 1, 2, 3, 7, 1 << 40, 10**400],
    float: [0.0, -0.0, 0.5, 1.0, -2.5, 1e300, 1e-320, float("nan"), float("inf")],
    bool: [True, False],
    type(None): [None, 1, 0.5, "x"],
}
TOKENS = re.compile(r"[\w.+-]+|\s|[^\w\s]")


def mutated(data, random, mutate):
    """Change a text: its values where it is JSON, its words, or, with ``mutate``, its bytes."""
    way = random.random()
    if way < 0.3:
        return mutate(data)
    try:
        if data[:2] in (b"\x1f\x8b", b"BZ", b"\xfd7") and way < 0.8:
            return _packed(data, random, mutate)
        text = data.decode()
        if way < 0.75 and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
            return _json(text, random)
    except (ValueError, OSError, EOFError, RecursionError, lzma.LZMAError, zlib.error):
        return mutate(data)
    return _words(text, random).encode("utf-8", "surrogatepass")


def _packed(data, random, mutate):
    for magic, way in ((b"\x1f\x8b", gzip), (b"BZ", bz2), (b"\xfd7", lzma)):
        if data.startswith(magic):
            return way.compress(mutated(way.decompress(data), random, mutate))
    return data


def _words(text, random):
    words = TOKENS.findall(text) or [""]
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(words) + 1)
        to = min(len(words), at + random.choice((1, 1, 2, 7, 20)))
        way = random.random()
        if way < 0.35:
            words[at:to] = [random.choice(WORDS)]
        elif way < 0.5:
            words.insert(at, random.choice(WORDS))
        elif way < 0.65:
            del words[at:to]
        elif way < 0.8:
            words[at:at] = words[at:to]
        else:
            other = random.randrange(len(words) + 1)
            words[other:other] = words[at:to]
        words = words or [""]
    return "".join(words)


def _json(text, random):
    """Change a value of a JSON text, or of one of its lines, and write it in one of many ways."""
    try:
        values = [json.loads(text.lstrip("\ufeff"))]
    except ValueError:
        values = [json.loads(line) for line in text.split("\n") if line.strip()]
    for _ in range(random.choice((1, 1, 2, 3))):
        i = random.randrange(len(values))
        change = _changed if random.random() < 0.5 else _kept
        values[i] = change(values[i], random)
        if random.random() < 0.1:
            values.insert(i, values[random.randrange(len(values))])
    indent = random.choice((None, None, 1)) if len(values) == 1 else None
    dumped = [json.dumps(v, indent=indent, ensure_ascii=random.random() < 0.5) for v in values]
    return "\n".join(dumped).encode("utf-8", "surrogatepass")


def _changed(value, random):
    """Return a value with something within it replaced, removed, moved or said again."""
    if not isinstance(value, list | dict) or not value or random.random() < 0.12:
        way = random.random()
        if way < 0.6:
            return random.choice(SCALARS)
        return [value] if way < 0.8 else {random.choice(WORDS): value}
    if isinstance(value, list):
        at = random.randrange(len(value))
        way = random.random()
        if way < 0.15:
            return value[:at] + value[at + 1 :]
        if way < 0.3:
            return [*value, value[at]]
        return [_changed(v, random) if i == at else v for i, v in enumerate(value)]
    key = random.choice(list(value))
    way = random.random()
    if way < 0.12:
        return {k: v for k, v in value.items() if k != key}
    if way < 0.3:
        return {random.choice(WORDS) if k == key else k: v for k, v in value.items()}
    if way < 0.45:
        return {**value, random.choice(WORDS): random.choice((value[key], *SCALARS))}
    return {k: _changed(v, random) if k == key else v for k, v in value.items()}


def _kept(value, random):
    """Return a value with something changed that leaves its structure as it is.

    A scalar becomes another of its type, rows are left out or said again in all lists of one length,
    or a word is replaced wherever it stands, be it a key or a value.
    """
    inner = [*_within(value)]
    scalars = [v for v in inner if not isinstance(v, list | dict)]
    lists = [v for v in inner if isinstance(v, list)]
    way = random.random()
    if way < 0.3 and lists:
        length = len(random.choice(lists))
        at, twice = random.randrange(length) if length else 0, random.random() < 0.5
        keep = [i for i in range(length) for _ in range(1 + twice if i == at else 1)]
        keep = keep if twice else [i for i in range(length) if i != at]
        return _mapped(value, lists=lambda v: [v[i] for i in keep] if len(v) == length else v)
    words = [v for v in scalars if isinstance(v, str)]
    words += [k for v in inner if isinstance(v, dict) for k in v]
    if way < 0.45 and words:
        old, new = random.choice(words), random.choice((random.choice(words), *ALIKE[str]))
        return _mapped(value, words=lambda word: new if word == old else word)
    if not scalars:
        return _changed(value, random)
    at = random.randrange(len(scalars))
    new = random.choice(ALIKE[type(scalars[at])])
    count = iter(range(len(scalars)))
    return _mapped(value, scalars=lambda v: new if next(count) == at else v)


def _within(value):
    """Yield a value and everything in it, scalars in the order of _mapped."""
    yield value
    for inner in (
        value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    ):
        yield from _within(inner)


def _mapped(value, *, lists=None, words=None, scalars=None):
    """Return a value with its lists, its words, keys among them, or its scalars put through a function."""
    again = {"lists": lists, "words": words, "scalars": scalars}
    if isinstance(value, list):
        items = [_mapped(v, **again) for v in value]
        return lists(items) if lists else items
    if isinstance(value, dict):
        return {words(k) if words else k: _mapped(v, **again) for k, v in value.items()}
    if words and isinstance(value, str):
        return words(value)
    return scalars(value) if scalars else value
