"""Tests of convert."""

import json
import os

import pytest
from sources import RANKED, RUN_FILES

import rankstone as rs
from rankstone.cli import main
from rankstone.io.convert import convert


def test_a_file_is_not_converted_into_itself(tmp_path, capsys):
    path = tmp_path / "a.run"
    path.write_text(RUN_FILES["trec"](RANKED))
    os.symlink(path, tmp_path / "link.run")
    for target in (path, tmp_path / "link.run", tmp_path / "." / "a.run"):
        assert main(["convert", str(path), str(target)]) == 2
        assert "this is the file that is read, and would be lost" in capsys.readouterr().err
    assert path.read_text() == RUN_FILES["trec"](RANKED)


@pytest.mark.parametrize("name", ["out.xlsx", "out.tsv", "out.v2", "out.XLSX"])
def test_an_ending_that_no_format_has_is_an_error(tmp_path, capsys, name):
    (tmp_path / "a.run").write_text(RUN_FILES["trec"](RANKED))
    call = ["convert", str(tmp_path / "a.run"), str(tmp_path / name)]
    assert main(call) == 2
    assert "no format is written to files that end in" in capsys.readouterr().err
    assert not (tmp_path / name).exists()
    assert main([*call, "--to", "json"]) == 0
    assert json.loads((tmp_path / name).read_text()).keys() == RANKED.keys()


def test_a_conversion_replaces_another_file_only_on_request(tmp_path):
    source, target = tmp_path / "a.run", tmp_path / "b.json"
    source.write_text(RUN_FILES["trec"](RANKED))
    target.write_text("mine")
    with pytest.raises(rs.RankstoneError, match="b.json"):
        convert(str(source), str(target))
    assert target.read_text() == "mine"
    convert(str(source), str(target), force=True)
    assert json.loads(target.read_text()).keys() == RANKED.keys()


def test_endings_say_what_is_written(tmp_path):
    (tmp_path / "a").write_text(RUN_FILES["trec"](RANKED))
    wanted = {"b.run": "trec", "b.txt": "trec", "b": "trec", "b.json": "json", "b.CSV": "csv", "b.pq": "parquet", "b.jsonl": "jsonl"}  # fmt: skip
    assert {n: convert(str(tmp_path / "a"), str(tmp_path / n)).target for n in wanted} == wanted
