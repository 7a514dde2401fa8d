"""Tests of provenance."""

import gzip
import hashlib
import json
import os
import shlex
import sys

import numpy as np
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


def test_results_and_comparisons_record_the_command_and_the_software(tmp_path, capsys):
    from rankstone.cli import main

    for name, text in {
        "qrels": "q 0 a 1\n",
        "x.run": "q Q0 a 1 1 t\n",
        "y.run": "q Q0 b 1 1 t\n",
    }.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("qrels", "x.run", "y.run")]
    software = {
        "rankstone": rs.__version__,
        "python": sys.version.split()[0],
        "numpy": np.__version__,
    }
    for words in (["evaluate", *files[:2]], ["compare", *files]):
        words += ["-m", "RR", "--quiet", "--format", "json"]
        assert main(words) == 0
        made = json.loads(capsys.readouterr().out)["provenance"]
        assert software | {"command": shlex.join(["rankstone", *words])} == {
            name: made[name] for name in (*software, "command")
        }
    made = json.loads(rs.evaluate(*files[:2], "RR").to_json())["provenance"]
    assert made.items() >= software.items()
    assert "command" not in made
    comparison = rs.compare(files[0], {"x": files[1], "y": files[2]}, "RR")
    assert rs.Comparison.from_json(comparison.to_json()).provenance == software
