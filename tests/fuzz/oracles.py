"""What a text says, format by format, read a second time: slowly, and apart from the readers.

Each oracle takes the bytes of a file and what they are to be (``judgments`` or ``run``) and returns
``{query: {document: number}}``. It raises where it can see no meaning, so that a reader which finds
one has misread. Only the names of columns and keys are taken from the package.
"""

import csv
import io
import json
import math
import re

from rankstone.io import column_roles

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MARK = b"\xef\xbb\xbf"


class Meaningless(Exception):
    """There is no such thing in the text."""


def number(value):
    if isinstance(value, str):
        value = value.strip(" \t\r\n")
        if not NUMBER.fullmatch(value):
            raise Meaningless(f"{value!r} is no number")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise Meaningless(f"{value!r} is no number")
    found = float(value)
    if not math.isfinite(found):
        raise Meaningless(f"{value!r} is not finite")
    return found


def name(value):
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise Meaningless(f"{value!r} is no id")
    value.encode()
    return value


class Gathered(dict):
    """Numbers by query and document; of several the highest counts."""

    def add(self, query, rows=()):
        held = self.setdefault(query, {})
        for doc, value in rows:
            held[doc] = max(value, held.get(doc, value))


def ranked(docs):
    """Give documents scores that keep their order; the first of a repeated one counts."""
    kept = list(dict.fromkeys(docs))
    return [(doc, float(len(kept) - i)) for i, doc in enumerate(kept)]


def lines_of(data):
    return data.removeprefix(MARK).split(b"\n")


def text_of(raw):
    return raw.decode("utf-8", "surrogateescape")


# JSON


def value_of(data):
    def once(pairs):
        if len(dict(pairs)) < len(pairs):
            raise Meaningless("a key twice")
        return dict(pairs)

    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)


ONE = (str, int, float, bool, type(None))
MANY = (list, dict)
DOCS, RANKS = column_roles.SYNONYMS["doc"], column_roles.SYNONYMS["rank"]
NUMBERS, GRADES, ITEM = column_roles.SCORE_NAMES, column_roles.GRADE_NAMES, column_roles.ITEM_NAMES


def key_of(record, names, kinds=(*ONE, *MANY)):
    """Return the key under the first of the names that the record has, None without one."""
    for wanted in names:
        for key, value in record.items():
            if column_roles.plain_name(key) == wanted and isinstance(value, kinds):
                return key
    return None


def one_way(keys):
    """Check that what is said at all is always said under the same name."""
    if len({key and column_roles.plain_name(key) for key in keys}) > 1:
        raise Meaningless(f"several keys for one thing: {keys!r}")


def listed(held, names, *, null=False):
    """Return documents and the numbers they have; all have one or none has, which null may say."""
    objects = [item for item in held if isinstance(item, dict)]
    for which in (ITEM, names):
        one_way([key for item in objects if (key := key_of(item, which))])
    docs = [name(item[key_of(item, ITEM)] if isinstance(item, dict) else item) for item in held]
    numbers = [item[key] for item in objects if (key := key_of(item, names))]
    numbers = [value for value in numbers if not null or value is not None]
    if numbers and len(numbers) < len(held):
        raise Meaningless("numbers for some")
    return docs, numbers


def by_subtopic(grades):
    """Return the highest of the grades that a document has for subtopics."""
    if not isinstance(grades, dict):
        raise Meaningless("grades by subtopic for some documents only")
    for subtopic in grades:
        name(subtopic)
    words = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
    known = [
        float(g) if isinstance(g, bool) else words[g] if g in words else number(g)
        for g in grades.values()
    ]
    return max(known, default=0.0)


def judged_items(held):
    """Return documents and grades; where no grade is given a document is relevant."""
    if isinstance(held, dict) and any(isinstance(grade, dict) for grade in held.values()):
        return [(name(doc), by_subtopic(grades)) for doc, grades in held.items()]
    if isinstance(held, dict):
        return [(name(doc), number(grade)) for doc, grade in held.items()]
    docs, grades = listed(held, GRADES)
    return list(zip(docs, map(number, grades or [1] * len(docs)), strict=True))


def ranked_items(held):
    """Return documents with scores, and whether the scores are their own."""
    if isinstance(held, dict) and isinstance(held.get("hits"), list):
        held = held["hits"]
    if isinstance(held, dict):
        return [(name(doc), number(score)) for doc, score in held.items()], bool(held)
    for names, sign in ((NUMBERS, 1), (RANKS, -1)):
        docs, scores = listed(held, names, null=True)
        if scores:
            return [(d, sign * number(s) + 0.0) for d, s in zip(docs, scores, strict=True)], True
    return ranked(docs), False


def queries_of(found):
    """Return the query of each record; where none names one they are known by their numbers."""
    keys = [
        key_of(r, column_roles.QUERY_NAMES, ONE) or key_of(r, column_roles.QUERY_NAMES)
        for r in found
    ]
    one_way(keys)
    return [
        str(i) if key is None else name(r[key])
        for i, (key, r) in enumerate(zip(keys, found, strict=True))
    ]


def record_judgments(found):
    gathered, rows = Gathered(), []
    for query, record in zip(queries_of(found), found, strict=True):
        doc, grade = (key_of(record, n, ONE) for n in (DOCS, GRADES))
        held = key_of(record, column_roles.EXPECTED_NAMES, MANY)
        if bool(doc and grade) == bool(held):
            raise Meaningless("neither a row nor a list, or both")
        if held:
            gathered.add(query, judged_items(record[held]))
        else:
            rows.append((doc, grade))
            gathered.add(query, [(name(record[doc]), number(record[grade]))])
    for keys in zip(*rows, strict=True):
        one_way(keys)
    return gathered


def record_run(found):
    gathered, rows, bare = Gathered(), [], []
    for query, record in zip(queries_of(found), found, strict=True):
        held = key_of(record, column_roles.RETRIEVED_NAMES, MANY)
        if held:
            items, own = ranked_items(record[held])
            bare += [query] * (bool(items) and not own)
        else:
            doc, score = (key_of(record, n, ONE) for n in (DOCS, NUMBERS))
            rank = None if score else key_of(record, RANKS, ONE)
            rows.append((doc, score or rank))
            value = number(record[score]) if score else 0.0 - number(record[rank])
            items = [(name(record[doc]), value)]
        gathered.add(query, items)
    for keys in zip(*rows, strict=True):
        one_way(keys)
    with_scores = sum(map(bool, gathered.values())) - len(bare)
    if len({*bare}) < len(bare) or (bare and with_scores):
        raise Meaningless("two rankings of a query, or scores and bare lists")
    return gathered


def of_json(data, kind):
    value = value_of(data)
    part = "relevant_docs" if kind == "judgments" else "results"
    lists = "expected_ids" if kind == "judgments" else "retrieved_ids"
    read = record_judgments if kind == "judgments" else record_run
    if isinstance(value, list):
        return read([{lists: v} if isinstance(v, list) else v for v in value])
    if "queries" in value and isinstance(value.get(part), dict):
        value = value[part]
    elif kind == "judgments" and "queries" in value:
        parts = [v for v in value.values() if isinstance(v, dict)]
        if any(isinstance(inner, dict) for v in parts for inner in v.values()):
            raise Meaningless("a data set without judgments")
    if not all(isinstance(v, list | dict) for v in value.values()):
        raise Meaningless("a query without documents")
    return read([{"query_id": name(q), lists: v} for q, v in value.items()])


def of_jsonl(data, kind):
    read = record_judgments if kind == "judgments" else record_run
    return read([value_of(line) for line in lines_of(data) if line.strip()])


def of_vespa(data, _):
    gathered = Gathered()
    for record in value_of(data):
        gathered.add(name(record["query_id"]), judged_items(record["relevant_docs"]))
    return gathered


def of_opensearch(data, _):
    gathered = Gathered()
    for entry in value_of(data)["judgmentRatings"]:
        rated = [(name(r["docId"]), number(r["rating"])) for r in entry["ratings"]]
        gathered.add(name(entry["query"]), rated)
    return gathered


def of_search_response(data, _):
    value, gathered = value_of(data), Gathered()
    if isinstance(value, dict) and isinstance(value.get("responses"), list):
        value = value["responses"]
    if isinstance(value, dict) and isinstance(value.get("hits"), dict) and "hits" in value["hits"]:
        value = [value]
    responses = enumerate(value) if isinstance(value, list) else value.items()
    for query, response in responses:
        gathered.add(name(query), ranked_items(response["hits"]["hits"])[0])
    return gathered


def of_rank_eval(data, kind):
    value, gathered = value_of(data), Gathered()
    if kind == "judgments":
        for request in value["requests"]:
            rated = [(name(r["_id"]), number(r["rating"])) for r in request["ratings"]]
            gathered.add(name(request["id"]), rated)
    else:
        for query, detail in value["details"].items():
            hits = [hit.get("hit", hit) for hit in detail["hits"]]
            gathered.add(name(query), ranked([name(hit["_id"]) for hit in hits]))
    return gathered


def of_rre(data, _):
    value, gathered = value_of(data), Gathered()
    groups = value.get("query_groups", [])
    for topic in value.get("topics", []):
        groups = groups + topic.get("query_groups", [])
    for group in groups:
        rated = []
        for key, held in group["relevant_documents"].items():
            if isinstance(held, list):
                rated += [(name(doc), number(key)) for doc in held]
            else:
                rated.append((name(key), number(held["gain"] if isinstance(held, dict) else held)))
        for query in group.get("queries", []) or [{}]:
            put = query.get("placeholders")
            asked = put.get("$query") if isinstance(put, dict) else None
            gathered.add(name(group["name"] if asked is None else asked), rated)
    return gathered


def results(data):
    """Return the queries, values and aggregates of each saved result."""

    def plain(value):
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise Meaningless(f"{value!r} is no value")
        return math.nan if value is None else float(value)

    found = json.loads(data)
    for one in found if isinstance(found, list) else [found]:
        queries = one["queries"]
        if not all(type(q) in (str, int) and q != "" for q in queries):
            raise Meaningless("a query that is no id")
        values = {n: [plain(v) for v in column] for n, column in one["values"].items()}
        if len({*queries}) < len(queries) or any(len(c) != len(queries) for c in values.values()):
            raise Meaningless("a query twice, or without a value")
        yield queries, values, {n: plain(one["aggregates"][n]) for n in values}


# Rows


def of_letor(data, _):
    rows, some_named = [], False
    for line in lines_of(data):
        body, _, comment = line.partition(b"#")
        if not body.strip():
            continue
        if b"\r" in line.removesuffix(b"\r"):
            raise Meaningless("another row in the line")
        label, query, *features = body.split()
        if not query.startswith(b"qid:") or any(f.startswith(b"qid:") for f in features):
            raise Meaningless("no query, or two")
        named_ = re.search(rb"doc_?id\s*[=:]\s*(\S+)", comment, re.IGNORECASE)
        words = [named_[1]] if named_ else comment.split()
        some_named |= named_ is not None
        rows.append((text_of(query[4:]), words[:1], number(label.decode())))
    docs = [text_of(words[0]) if words else None for _, words, _ in rows]
    if some_named and None in docs:
        raise Meaningless("some rows name a document and some do not")
    pairs = {(query, doc) for (query, _, _), doc in zip(rows, docs, strict=True)}
    if None in docs or len(pairs) < len(rows):
        docs = [str(i + 1) for i in range(len(rows))]
    gathered = Gathered()
    for (query, _, label), doc in zip(rows, docs, strict=True):
        gathered.add(query, [(doc, label)])
    return gathered


def numbers_in_lines(data):
    lines = [line.strip(b" \t\r") for line in lines_of(data)]
    return [number(line.decode()) for line in lines if line and not line.startswith(b"#")]


JUDGMENTS = {3: [(0, 1, 2)], 4: [(0, 2, 3)], 5: [(0, 2, 3), (0, 1, 2)]}
RUN = {3: [(0, 1, 2)], 4: [(0, 1, 3)], 5: [(0, 2, 4)], 6: [(0, 2, 4)], 7: [(0, 2, 4)]}


def of_rows(data, kind):
    """Return all that rows of columns may mean, since some shapes are told by what is likely."""
    rows = [line.removesuffix(b"\r") for line in lines_of(data)]
    rows = [[f for f in re.split(rb"[ \t]+", row) if f] for row in rows]
    rows = [row for row in rows if row and not row[0].startswith(b"#")]
    (count,) = {len(row) for row in rows}
    given = [column_roles.plain_name(f.decode("utf-8", "replace")) for f in rows[0]]
    values = GRADES if kind == "judgments" else [*NUMBERS, *RANKS]
    found = [
        next((given.index(n) for n in names if n in given), None)
        for names in (column_roles.SYNONYMS["query"], DOCS, values)
    ]
    shapes = (JUDGMENTS if kind == "judgments" else RUN).get(count, [])
    readings = [(rows, *shape) for shape in shapes]
    if None not in found and not any(NUMBER.fullmatch(text_of(f)) for f in rows[0]):
        readings = [(rows[1:], *found)]
    meant = []
    for held, query, doc, value in readings:
        for sign in (1, -1) if kind == "run" else (1,):
            gathered = Gathered()
            try:
                for row in held:
                    score = sign * number(text_of(row[value])) + 0.0
                    gathered.add(text_of(row[query]), [(text_of(row[doc]), score)])
            except Meaningless:
                continue
            meant.append(gathered)
    return meant


def of_quepid(data, _):
    rows = [
        r for r in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True) if r
    ]
    given = [column_roles.plain_name(n) for n in rows[0]]
    at = [given.index(n) for n in ("query", "docid", "rating")]
    gathered = Gathered()
    for row in rows[1:]:
        query, doc, rating = (row[i] for i in at)
        if rating.strip(" \t"):
            gathered.add(name(query), [(name(doc), number(rating))])
    return gathered


def of_csv(data, kind):
    """Return all that a table may mean, whichever of the separators it is read with."""
    text = text_of(data.removeprefix(MARK))
    meant = []
    for separator in ",;\t":
        reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
        try:
            meant.append(_table([row for row in reader if row], kind))
        except (Meaningless, csv.Error, IndexError, UnicodeEncodeError):
            continue
    return meant


def _table(rows, kind):
    names, *rows = rows
    folded = [column_roles.plain_name(n) for n in names]

    def column(role):
        named = [folded.index(n) for n in column_roles.SYNONYMS[role] if n in folded]
        if len(named) > 1 and role in ("grade", "score"):
            named = [c for c in named if all(NUMBER.fullmatch(r[c].strip()) for r in rows)] or named
        at = named[0] if named else None
        if at is not None and names.count(names[at]) > 1:
            raise Meaningless("two columns of one name")
        return at

    query, doc = column("query"), column("doc")
    if query is None or doc is None:
        raise Meaningless("no queries or no documents")
    value = column("grade") if kind == "judgments" else column("score")
    rank = column("rank") if kind == "run" else None
    gathered = Gathered()
    for i, row in enumerate(rows):
        if value is not None:
            held = number(row[value])
        elif rank is not None:
            held = 0.0 - number(row[rank])
        else:
            held = 1.0 if kind == "judgments" else 0.0 - i
        gathered.add(name(row[query]), [(name(row[doc]), held)])
    return gathered


ORACLES = {
    "json": of_json,
    "jsonl": of_jsonl,
    "vespa": of_vespa,
    "opensearch": of_opensearch,
    "rank-eval": of_rank_eval,
    "search-response": of_search_response,
    "rre": of_rre,
    "letor": of_letor,
    "quepid": of_quepid,
    "csv": of_csv,
    "trec": of_rows,
    "query-document-rank": of_rows,
    "query-document-score": of_rows,
    "query-document-grade": of_rows,
}
