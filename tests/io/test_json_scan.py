"""JSON that the core scans: the numbers, the notices and the errors of the strict reader."""

import json
import random
from contextlib import suppress
from dataclasses import replace

import pytest

import rankstone as rs
from rankstone.core import engine
from rankstone.io.formats import format_of
from rankstone.io.input_file import Input, ReadOptions

MEASURES = ["nDCG@3", "AP", "RR", "R@2"]
IDS = [
    "q1",
    "q2",
    "7",
    "07",
    "-3",
    "ä",
    "日本",
    "a b",
    "#x",
    "gold",
    "id",
    "x" * 40,
    "\U0001d538",
    "results",
    "queries",
]
DOCS = ["d1", "d2", "d3", "10", "9", "ä", "e\u0301", "a b", "#x", "hits", "y" * 30, "id"]
NUMBERS = ["1", "2", "0", "-1", "0.5", "1e2", "2.50", "17.123456789012345", "-0.0", "1E-3", "3"]
ODD_NUMBERS = [
    "-0",
    "NaN",
    "Infinity",
    "1e999",
    "01",
    "1.",
    ".5",
    "+1",
    "true",
    "null",
    '"2"',
    "1" * 400,
    "[1]",
    "{}",
]
TEMPLATES = [
    ("query_id", "doc_id"),
    ("qid", "docno"),
    ("user_id", "item_id"),
    ("Topic", "docid"),
    ("query-id", "corpus-id"),
]
NAMES = {
    "judgments": ["relevance", "label", "rating"],
    "run": ["score", "sim", "rank"],
}


def quoted(draw, text):
    style = draw.random()
    if style < 0.005:
        return "".join(f"\\u{unit:04x}" for unit in _units(text)).join('""')
    if 0.1 < style < 0.2 and text.lstrip("-").isdigit():
        return text
    if style < 0.01:
        return draw.choice(
            ['""', '"\\ud800"', '"a\\/b"', '"a\\qb"', '"a\tb"', "null", "1.5", '"\\u12"']
        )
    return json.dumps(text, ensure_ascii=draw.random() < 0.02)


def _units(text):
    raw = text.encode("utf-16-be")
    return [raw[i] << 8 | raw[i + 1] for i in range(0, len(raw), 2)]


def number(draw):
    return draw.choice(ODD_NUMBERS) if draw.random() < 0.01 else draw.choice(NUMBERS)


def records(draw, kind):
    query, doc = draw.choice(TEMPLATES)
    value = draw.choice(NAMES[kind] if draw.random() < 0.95 else ["stars"])
    keys = [query, doc, value]
    more = draw.choice(
        [[], ["text"], ["rank"], ["tag"], ["id"], ["subtopic"], ["score"], ["metadata"]]
    )
    keys += [key for key in more if key not in keys]
    draw.shuffle(keys)
    comma, colon = draw.choice([(", ", ": "), (",", ":"), (" ,\t", " : ")])
    lines = []
    for _ in range(draw.randint(1, 12)):
        values = {
            query: quoted(draw, draw.choice(IDS[:5])),
            doc: quoted(draw, draw.choice(DOCS)),
            value: number(draw),
        }
        extra = draw.choice(
            ['"plain"', '"\\u00e9\\n \\" x"', "3", "true", "null", '"ä"', "1.5e3", "[]"]
            if draw.random() < 0.05
            else ['"t"', "4"]
        )
        own = list(keys)
        if draw.random() < 0.02:
            draw.shuffle(own)
        if draw.random() < 0.01:
            own.append(draw.choice(own))
        lines.append(
            "{" + comma.join(f'"{key}"{colon}{values.get(key, extra)}' for key in own) + "}"
        )
        if draw.random() < 0.03:
            lines.append(draw.choice(["", "  ", "\x0b", "[]", "{}", "x"]))
    return draw.choice(["\n", "\r\n", " \n"]).join(lines) + draw.choice(["", "\n", "\r\n\n"])


def lists(draw, kind):
    form = draw.choice(["numbers", "names", "records"])
    space = draw.choice(["", " ", "\n  ", "\t\r\n"])
    keys = (draw.choice(["id", "doc_id", "docno", "_id"]), draw.choice(NAMES[kind]))
    parts = []
    for query in draw.sample(IDS[:6], draw.randint(1, 5)) + (
        [draw.choice(IDS)] if draw.random() < 0.2 else []
    ):
        docs = draw.sample(DOCS, draw.randint(0, 6))
        if draw.random() < 0.04 and docs:
            docs.append(docs[0])
        own = draw.choice(["numbers", "names", "records"]) if draw.random() < 0.02 else form
        values = sorted((number(draw) for _ in docs), key=lambda n: (len(n), n), reverse=True)
        if own == "records" and draw.random() < 0.8:
            values = [str(10 - i) for i in range(len(docs))]
        if own == "numbers":
            items = (f"{json.dumps(d)}:{space}{n}" for d, n in zip(docs, values, strict=True))
        elif own == "names":
            items = (quoted(draw, d) for d in docs)
        else:
            more = draw.choice(["", "", "", ', "text": "t"', ', "title": "t"', ', "score": 1'])
            items = (
                f'{{"{keys[0]}": {quoted(draw, d)}, "{keys[1]}": {n}{more}}}'
                for d, n in zip(docs, values, strict=True)
            )
        brackets = "{}" if own == "numbers" else "[]"
        inner = f",{space}".join(items)
        parts.append(f"{quoted(draw, query)}{space}: {brackets[0]}{space}{inner}{brackets[1]}")
    return (
        "{"
        + f",{space}".join(parts)
        + space
        + "}"
        + draw.choice(["", "\n", " \n\n", "{}", "x"][: 3 if draw.random() < 0.9 else 5])
    )


def damaged(draw, text):
    raw = text.encode()
    if draw.random() < 0.7:
        return raw
    if draw.random() < 0.05:
        raw = b"\xef\xbb\xbf" + raw
    if draw.random() < 0.15:
        raw = raw[: draw.randrange(len(raw))]
    for _ in range(draw.choice([0, 0, 0, 0, 1, 2])):
        at = draw.randrange(len(raw) + 1)
        raw = (
            raw[:at]
            + draw.choice(
                [
                    b"\xff",
                    b"\0",
                    b"\n",
                    b'"',
                    b"\\",
                    b"{",
                    b"}",
                    b",",
                    b"\xed\xa0\x80",
                    b"\xc3",
                    b" ",
                ]
            )
            + raw[at + draw.randint(0, 1) :]
        )
    return raw


def outcome(judgments, run, options):
    """Everything that a user sees of an evaluation, or the error."""
    try:
        result = rs.evaluate(judgments, run, MEASURES, **options)
    except rs.RankstoneError as error:
        return type(error).__name__, str(error)
    # Which document of the run is named as an example depends on the order of reading.
    notices = [
        replace(notice, examples=()) if notice.code == "no-document-found" else notice
        for notice in result.notices
    ]
    return result.per_query, [result[name] for name in MEASURES], notices, result.name


def both(monkeypatch, judgments, run, options):
    monkeypatch.setenv("RANKSTONE_ENGINE", "native")
    native = outcome(judgments, run, options)
    monkeypatch.setenv("RANKSTONE_ENGINE", "python")
    return native, outcome(judgments, run, options)


@pytest.mark.skipif(engine.name() != "native", reason="compares the engines")
@pytest.mark.filterwarnings("ignore::rankstone.RankstoneWarning")
@pytest.mark.parametrize("make", [records, lists])
@pytest.mark.parametrize("seed", range(4))
def test_scan_is_the_strict_reader(tmp_path, monkeypatch, make, seed, pytestconfig):
    draw = random.Random(f"{make.__name__} {seed}")
    evaluated = 0
    for _ in range(4000 if pytestconfig.getoption("--thorough", default=False) else 110):
        paths = [tmp_path / "judgments.json", tmp_path / "run.json"]
        for kind, path in zip(NAMES, paths, strict=True):
            path.write_bytes(damaged(draw, make(draw, kind)))
        options = draw.choice(
            [
                {},
                {},
                {"duplicates": "count"},
                {"scores": "ascending"},
                {"precision": "float32"},
                {"ties": "docid-asc"},
            ]
        )
        native, python = both(monkeypatch, *map(str, paths), options)
        assert native == python, [path.read_bytes() for path in paths]
        evaluated += len(native) == 4
    assert evaluated > 15


def is_scanned(path, kind, content, **options):
    path.write_text(content, encoding="utf-8")
    with Input.open(str(path), ReadOptions(**options)) as file:
        form = format_of(file)
        return form.scan is not None and form.scan(file, kind) is not None


ROW = '{"query_id": "q1", "doc_id": "d%d", "score": %s}'
PLAIN = {
    "records": "\n".join(ROW % (i, 9.5 - i) for i in range(5)),
    "blank lines and CRLF": "\r\n".join([ROW % (1, 2), "", ROW % (2, "1e0"), "  "]),
    "further keys": '{"id": "x\\u00e9", "qid": 1, "docno": "ä", "sim": 2, "tag": null}\n' * 2,
    "scores by document": '{"q1": {"d1": 2, "d2": 1.5}, "q2": {}}',
    "over several lines": '{\n  "q1": {\n    "d1": 2\n  }\n}\n',
    "documents": '{"q1": ["d1", 2], "q2": []}',
    "objects": '{"q1": [{"id": "d1", "score": 2}, {"id": "d2", "score": 1}]}',
    "byte order mark": '\ufeff{"q1": {"d1": 2}}',
}
UNUSUAL = {
    "a key that is missing": ROW % (1, 2) + '\n{"query_id": "q1", "doc_id": "d2"}',
    "another order of keys": ROW % (1, 2) + '\n{"doc_id": "d2", "query_id": "q1", "score": 1}',
    "an escape in an id": '{"query_id": "q1", "doc_id": "d\\u0031", "score": 2}',
    "an object within a row": '{"query_id": "q1", "doc_id": "d1", "score": 2, "more": {"a": 1}}',
    "two scores": '{"query_id": "q1", "doc_id": "d1", "score": 2, "sim": 1}',
    "a query twice": '{"q1": {"d1": 2}, "q1": {"d2": 1}}',
    "a document twice": '{"q1": {"d1": 2, "d1": 1}}',
    "a document twice, unjudged": '{"q1": ["d1", "d1"]}',
    "the name of a list": '{"gold": ["d1"], "results": ["d1"]}',
    "both forms": '{"q1": {"d1": 2}, "q2": ["d1"]}',
    "scores that rise": '{"q1": [{"id": "d1", "score": 1}, {"id": "d2", "score": 2}]}',
    "texts": '{"q1": [{"id": "d1", "score": 2, "text": "a"}]}',
    "a number as text": '{"q1": {"d1": "2"}}',
    "grades by subtopic": '{"q1": {"d1": {"s1": 1}}}',
}


@pytest.mark.skipif(engine.name() != "native", reason="the other engine leaves JSON to the reader")
@pytest.mark.parametrize("what", PLAIN)
def test_plain_json_is_scanned(tmp_path, what):
    assert is_scanned(tmp_path / "run.json", "run", PLAIN[what])


@pytest.mark.parametrize("what", UNUSUAL)
def test_unusual_json_is_left_to_the_strict_reader(tmp_path, what):
    with suppress(rs.DataError):  # which the strict reader raises when it looks for the format
        assert not is_scanned(tmp_path / "run.json", "run", UNUSUAL[what])


@pytest.mark.skipif(engine.name() != "native", reason="the other engine leaves JSON to the reader")
def test_scanned_lists_show_their_documents(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(PLAIN["scores by document"])
    run = rs.load_run(str(path))
    assert [row for row in run.rows() if row[1]] == [("q1", "d1", 2.0), ("q1", "d2", 1.5)]
    assert run.direction == 1
    path.write_text(PLAIN["documents"])
    assert rs.load_run(str(path)).direction == 0
    with pytest.raises(rs.UsageError, match="no scores"):
        rs.evaluate({"q1": {"d1": 1}}, str(path), ["RR"], scores="ascending")


def test_a_scanned_file_that_changes_is_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(PLAIN["scores by document"])
    run = rs.load_run(str(path))
    path.write_text('{"q1": {"d1": 2, "d2": oops}}')
    if engine.name() == "native":
        with pytest.raises(rs.DataError, match="changed"):
            rs.evaluate({"q1": {"d1": 1}}, run, ["RR"])
