"""Tests of provenance."""

import gzip
import hashlib
import json
import os

import pytest
from sources import JUDGED, JUDGMENT_FILES, RANKED, RUN_FILES, SCORED

import rankstone as rs
from rankstone.core.provenance import Source
from rankstone.verbs.load import load_run


def test_a_checksum_of_the_content_is_kept_beside_that_of_the_file():
    known = Source("run", sha256="a", content_sha256="b")
    assert known.to_dict() == {"name": "run", "bytes": None, "sha256": "a", "content_sha256": "b"}
    assert Source.from_dict(known.to_dict()) == known
    assert Source("run", sha256="a").to_dict()["content_sha256"] == "a"
    assert Source("run").to_dict()["content_sha256"] is None
    expanded = Source("run", sha256="a", expand=lambda: [b"x", b"y"])
    assert expanded.to_dict()["content_sha256"] == hashlib.sha256(b"xy").hexdigest()
    assert expanded == Source("run", sha256="a")
    assert "expand" not in repr(expanded)


def test_checksums_are_of_the_file_and_of_its_content(tmp_path, monkeypatch):
    text = JUDGMENT_FILES["trec"](JUDGED).encode()
    plain, packed = tmp_path / "qrels", tmp_path / "qrels.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    content = hashlib.sha256(text).hexdigest()
    for path in (plain, packed):
        result = rs.evaluate(path, SCORED, "RR")
        source = json.loads(result.to_json())["provenance"]["judgments"]
        assert source["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert source["content_sha256"] == content
        again = rs.Result.from_json(result.to_json()).provenance.judgments
        assert (again.sha256, again.content_sha256) == (source["sha256"], content)
    packed.write_bytes(gzip.compress(text, mtime=1) + gzip.compress(b""))
    with pytest.raises(rs.DataError, match="the file changed after it was read"):
        result.to_json()


def test_checksums_of_a_pipe(tmp_path):
    text = RUN_FILES["trec"](RANKED).encode()
    for raw in (text, gzip.compress(text)):
        reader, writer = os.pipe()
        with os.fdopen(writer, "wb") as out:
            out.write(raw)
        run = load_run(f"/dev/fd/{reader}")
        os.close(reader)
        assert run.source.digest() == hashlib.sha256(raw).hexdigest()
        assert run.source.content_digest() == hashlib.sha256(text).hexdigest()
