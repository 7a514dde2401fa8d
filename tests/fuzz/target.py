"""What has to hold of any bytes, whichever text reader is given them.

A reader refuses them with a ``RankstoneError`` of one line, or it finds what an oracle finds. Then
a byte order mark, other line ends and compression change nothing, what is written from it in any
format reads the same, and evaluating the file gives what evaluating the dict gives.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import sys
import zlib
from functools import partial
from unittest import mock

from fuzz import oracles
from fuzz.engines import _core, matched, ordered
from fuzz.oracles import Gathered

import rankstone as rs
from rankstone.core.result import Result
from rankstone.errors import RankstoneError
from rankstone.io import formats, validate
from rankstone.io.convert import convert
from rankstone.io.files import rows_in
from rankstone.io.formats import format_of, tables, trec_prefs
from rankstone.io.input_file import Input, ReadOptions
from rankstone.verbs.load import load_judgments, load_run

KINDS = ("judgments", "run")
WRITTEN = {
    "judgments": ("trec", "json", "jsonl", "csv", "letor", "quepid"),
    "run": ("trec", "json", "jsonl", "csv"),
}
MEASURES = ["nDCG@10", "AP", "NumRet", "NumRelRet"]
# Ids that a format has no way to write down are refused with these words.
UNWRITABLE = ("cannot be written", "cannot hold", "holds no", "names no queries")


class Misread(AssertionError):
    """A reader found something else than what there is."""


def same(found, wanted, what):
    if found != wanted:
        raise Misread(f"{what}: found {found!r}, not {wanted!r}")


def refused(error):
    """Check that a refusal is one line of words, and return it."""
    words = str(error)
    if not words or not words.isprintable():
        raise Misread(f"a message that is not one line of words: {words!r}") from error
    return words


def attempt(call):
    """Return what a call gives, None where it is refused."""
    try:
        return call()
    except RankstoneError as error:
        refused(error)
        return None


def judged_in(path, form):
    judged = load_judgments(path, input_format=form)
    docs = zip(judged.docs, judged.grades.tolist(), strict=True)
    sizes = zip(judged.queries, (judged.groups[1:] - judged.groups[:-1]).tolist(), strict=True)
    return {str(q): {str(d): g for d, g in [next(docs) for _ in range(n)]} for q, n in sizes}


def rows_as(path, form, kind):
    """Return what a file holds as it would be converted."""
    found = Gathered()
    with Input.open(str(path), ReadOptions(form)) as file:
        for query, doc, number in rows_in(file, format_of(file), kind):
            found.add(query, [(doc, number)] if doc else [])
    return found


def read(path, form, kind):
    """Return what a file holds, None where it is refused: both ways to read it have to agree."""
    rows = attempt(lambda: rows_as(path, form, kind))
    if kind == "run":
        return rows or None
    held = attempt(lambda: judged_in(path, form))
    kept = {q: docs for q, docs in (rows or {}).items() if docs}
    same({q: docs for q, docs in (held or {}).items() if docs}, kept, "read, and row by row")
    return held


def evaluated(path, form, kind, held, some):
    """Evaluate a file beside the dict of what it holds; what cannot be read gives no number."""
    known = held or {"q1": {"d1": 1.0}}
    graded = {q: {d: i % 5 for i, d in enumerate(sorted(docs))} for q, docs in known.items()}
    other = {q: docs or {"other": 1} for q, docs in graded.items()}
    for ties in chosen(("docid-desc", "input"), some):
        evaluate = partial(rs.evaluate, measures=MEASURES, ties=ties)
        if kind == "run":
            found = attempt(lambda e=evaluate: e(other, path, input_format=f":{form or ''}"))
            wanted = held and attempt(lambda e=evaluate: e(other, held))
        else:
            found = attempt(lambda e=evaluate: e(path, other, input_format=f"{form or ''}:"))
            wanted = held and attempt(lambda e=evaluate: e(held, other))
        same(found and found.per_query, wanted and wanted.per_query, f"evaluated with ties {ties}")


def explained(data, form, kind, held):
    """Check that an oracle finds the same."""
    try:
        meant = oracles.ORACLES[form](data, kind)
    except Exception as error:
        raise Misread(f"{form} as {kind}: read {held!r}, but there is {error!r}") from error
    if held not in (meant if isinstance(meant, list) else [meant]):
        raise Misread(f"{form} as {kind}: read {held!r}, but it says {meant!r}")


def told(path, form=None):
    with Input.open(str(path), ReadOptions(form)) as file:
        return format_of(file).name


def check(data, folder, form, *, all_ways=True):
    """Check one format, named and told by content."""
    path = folder / "given"
    path.write_bytes(data)
    some = None if all_ways else zlib.crc32(data)
    turns = chosen(("evaluated", "unmoved", "written"), some)
    some = some and some // 3
    for kind in KINDS:
        for wanted in (form, None):
            found = read(path, wanted, kind)
            if found is not None:
                explained(data, wanted or told(path), kind, found)
            if "evaluated" in turns:
                evaluated(path, wanted, kind, found, some)
                options = {"kind": kind, "input_format": wanted}
                attempt(lambda o=options: validate.validate(str(path), [str(path)], **o))
            if "unmoved" in turns and found is not None:
                unmoved(data, wanted, kind, found, folder, some)
            if "written" in turns and found is not None and wanted:
                written_again(path, form, kind, found, folder, some)


def chosen(options, some):
    """Return all options, or one of them."""
    return options if some is None or not options else [options[some % len(options)]]


def unmoved(data, form, kind, found, folder, some):
    """Check that what does not matter changes nothing."""
    variants = [("packed", gzip.compress(data))]
    if not data.startswith(oracles.MARK):
        variants.append(("with a mark", oracles.MARK + data))
    if b"\r" not in data and b'"' not in data:
        variants.append(("with CRLF", data.replace(b"\n", b"\r\n")))
    for what, changed in chosen(variants, some):
        path = folder / "changed"
        path.write_bytes(changed)
        same(read(path, form, kind), found, what)


def written_again(path, form, kind, found, folder, some):
    """Check that what is written in any format is read again."""
    for to in chosen(WRITTEN[kind], some):
        out = folder / "written"
        try:
            convert(str(path), str(out), to, kind=kind, input_format=form, force=True)
        except RankstoneError as error:
            words = refused(error)
            if not any(u in words for u in UNWRITABLE):
                raise Misread(f"read, but not written as {to}: {words}") from error
            continue
        kept = {q: docs for q, docs in found.items() if docs or to == "json"}
        same(read(out, to, kind), kept, f"written as {to} and read again")
        again = read(out, None, kind)
        if again is not None:
            same(again, kept, f"written as {to} and read as {told(out)}")


def tables_of_every_library(data, folder, *, all_ways=True):
    some = None if all_ways else zlib.crc32(data) >> 4
    for library in chosen(("polars", "pyarrow", "neither"), some):
        with mock.patch.object(tables, "find_spec", lambda n, of=library: n if n == of else None):
            check(data, folder, "csv", all_ways=all_ways)


def scores(data, folder, *, all_ways=True):
    """Scores for as many rows as there are numbers."""
    try:
        meant = oracles.numbers_in_lines(data)
    except (oracles.Meaningless, UnicodeDecodeError):
        meant = None
    n = len(meant) if meant else 3
    judged = {"1": {str(i + 1): i % 5 for i in range(n)}}
    (folder / "rows").write_text("".join(f"{i % 5} qid:1 1:0.5\n" for i in range(n)))
    (folder / "given").write_bytes(data)
    both = folder / "rows", folder / "given"
    for form in ("letor:scores", None):
        found = attempt(lambda f=form: rs.evaluate(*both, MEASURES, ties="input", input_format=f))
        if found is not None and (form or told(both[1]) == "scores"):
            run = {"1": {str(i + 1): s for i, s in enumerate(meant or ())}}
            same(
                found.per_query,
                rs.evaluate(judged, run, MEASURES, ties="input").per_query,
                "scores",
            )
    attempt(lambda: validate.validate(str(both[0]), [str(both[1])]))
    check(data, folder, "scores", all_ways=all_ways)


def groups(data, folder, *, all_ways=True):
    """Sizes of groups, for as many rows as they have."""
    try:
        lines = data.removeprefix(oracles.MARK).decode("ascii").splitlines()
        meant = [int(line) for line in lines if line.strip()]
        meant = meant if all(0 <= n <= 50 for n in meant) else None
    except ValueError:
        meant = None
    n = sum(meant) if meant else 3
    (folder / "rows").write_text("".join(f"{i % 5} 1:0.5\n" for i in range(n)))
    (folder / "given").write_bytes(data)
    found = attempt(lambda: load_judgments(folder / "rows", group_sizes=folder / "given"))
    if found is not None:
        wanted = [(str(q + 1), size) for q, size in enumerate(meant or ()) if size]
        sizes = (found.groups[1:] - found.groups[:-1]).tolist()
        same(list(zip(found.queries, sizes, strict=True)), wanted, "groups")


def judged_by_groups(data, folder, *, all_ways=True):
    """Judgments by groups of people, and preferences, as trec_eval takes them."""
    path = folder / "given"
    path.write_bytes(data)
    rows = [[oracles.text_of(f) for f in line.split()] for line in oracles.lines_of(data)]
    by_group, said = {}, {}
    for row in rows:
        if row and not row[0].startswith("#"):
            said.setdefault(row[0], []).append(row[1:])
            if len(row) == 4:
                by_group.setdefault(row[1], {}).setdefault(row[0], {})[row[2]] = row[3]
    for lenient in (False, True):
        judged = attempt(lambda n=lenient: trec_prefs.read_groups(str(path), lenient=n))
        if judged is not None and not lenient:
            for group, held in judged.items():
                docs = [
                    (q, d)
                    for q, docs in zip(held.queries, held.docs_by_query, strict=True)
                    for d in docs
                ]
                wanted = [oracles.number(by_group[group][q][d]) for q, d in docs]
                same(held.grades.tolist(), wanted, "grades by group")
            same(sorted(judged), sorted(by_group), "groups")
        for sittings in (False, True):
            prefs = partial(
                trec_prefs.read_preferences, str(path), sittings=sittings, lenient=lenient
            )
            found = attempt(prefs)
            if found is not None and not lenient:
                held = {q: [(d, v) for _, _, d, v in rows] for q, rows in found.rows.items()}
                wanted = {
                    q: [(r[-2], oracles.number(r[-1])) for r in rows] for q, rows in said.items()
                }
                same(held, wanted, "preferences")


UNPACK = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": partial(lzma.decompress, format=lzma.FORMAT_XZ),
}


def packed(data, folder, *, all_ways=True):
    """Compressed text reads as the text that other code makes of it."""
    path = folder / "given"
    path.write_bytes(data)
    unpack = next((u for magic, u in UNPACK.items() if data.startswith(magic)), None)
    for kind in KINDS:
        found = read(path, None, kind)
        if found is None or unpack is None:
            continue
        try:
            plain = unpack(data)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise Misread("a damaged file was read") from error
        (folder / "plain").write_bytes(plain)
        same(read(folder / "plain", None, kind), found, "unpacked")


def results(data, folder, *, all_ways=True):
    """A result as JSON is refused, or read as what it says, and can be shown and written again."""
    found = attempt(lambda: Result.all_from_json(data))
    if found is None:
        return
    try:
        said = list(oracles.results(data))
    except Exception as error:
        raise Misread(f"read as a result, but there is {error!r}") from error
    for result, meant in zip(found, said, strict=True):
        values = {n: result.values(n).tolist() for n in result.measures}
        same(repr((result.queries, values, result.aggregates)), repr(meant), "values of a result")
        again = result.to_json()
        same(Result.from_json(again).to_json(), again, "a result")
        same(list(result.per_query), result.queries, "queries of a result")
        same(result == result, True, "a result beside itself")
        for show in (repr, Result._repr_html_, Result.conventions_in_words):
            attempt(lambda s=show, r=result: s(r))
        for name in result.measures:
            attempt(lambda n=name, r=result: r.summary(n, "median"))


def measures(data, folder, *, all_ways=True):
    """The name of a measure is refused, or is the measure whose name is printed."""
    found = attempt(lambda: rs.parse_measure(data.decode("utf-8", "surrogateescape")))
    if found is not None:
        same(rs.parse_measure(str(found)), found, "a measure")


def rows_of_columns(data, folder, *, all_ways=True):
    """Rows as they are, and as trec_eval would take them."""
    check(data, folder, "trec", all_ways=all_ways)
    path = folder / "given"
    judged = attempt(lambda: load_judgments(path, input_format="trec-lenient"))
    known = judged or load_judgments({"q1": {"d1": 1}})
    attempt(
        lambda: load_run(path, input_format="trec-lenient").match(
            known, float32=True, repeats=False
        )
    )


def engines(found, data, folder, *, all_ways=True):
    """The compiled core finds what the pure-Python engine finds."""
    if _core is None:
        return
    for what, (native, python) in found(data):
        same(native, python, what)


TARGETS = {
    **{
        n: partial(check, form=n)
        for n in formats.names()
        if n not in ("parquet", "arrow", "xlsx", "trec-lenient")
    },
    "trec": rows_of_columns,
    "csv": tables_of_every_library,
    "scores": scores,
    "groups": groups,
    "judged-by-groups": judged_by_groups,
    "packed": packed,
    "results": results,
    "measures": measures,
    "orders": partial(engines, ordered),
    "mappings": partial(engines, matched),
}


def run_target(name, data, folder, *, all_ways=True):
    """Give bytes to one of the targets, in a folder for its files.

    Without ``all_ways`` the bytes decide which of many like checks is made.
    """
    ignored = []
    with (
        mock.patch.object(sys, "unraisablehook", ignored.append),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        TARGETS[name](data, folder, all_ways=all_ways)
        if ignored:
            raise Misread(f"an error nobody saw: {ignored[0].exc_value!r}")
