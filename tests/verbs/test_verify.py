"""Tests of verify."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main


def output(capsys, *words):
    assert main([*words]) == 0
    return capsys.readouterr().out


def test_a_saved_result_is_verified(tmp_path, capsys, monkeypatch):
    qrels, run, saved = tmp_path / "qrels", tmp_path / "run", tmp_path / "result.json"
    qrels.write_text("1 0 a 1\n2 0 b 1\n")
    run.write_text("1 Q0 x 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n")
    for options in ({}, {"like": "lightgbm-4"}, {"ties": "input", "queries": "both"}):
        rs.evaluate(qrels, run, ["nDCG@5", "AP"], **options).save(saved)
        assert "verified; 2 measures of 2 queries, the same" in output(capsys, "verify", str(saved))
    text = json.loads(saved.read_text())
    text["provenance"]["rankstone"] = "0.0.9"
    saved.write_text(json.dumps(text))
    assert "made by rankstone 0.0.9" in output(capsys, "verify", str(saved))
    run.write_text("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n")
    assert main(["verify", str(saved)]) == 1
    out = capsys.readouterr().out
    assert "NOT the same; 4 values changed" in out
    assert f"{run}: the content changed since." in out
    assert "AP, query 1: 0.5 then, 1.0 now" in out
    qrels.rename(tmp_path / "moved")
    assert main(["verify", str(saved)]) == 3
    assert "are not there. Say where they are now: judgments=" in capsys.readouterr().err
    assert (
        main(["verify", str(saved), "--judgments", str(tmp_path / "moved"), "--format", "json"])
        == 1
    )
    assert json.loads(capsys.readouterr().out)[0]["changed_inputs"] == [str(run)]


@pytest.mark.parametrize("options", [{}, {"tie_interval": True, "unjudged_interval": True}])
@pytest.mark.parametrize("fact", ["ties", "unanswered", "counted", "notices", "unjudged"])
def test_verify_notices_what_was_changed_beside_the_values(fact, options):
    search = Path(__file__).parents[2] / "examples" / "search"
    files = str(search / "qrels.txt"), str(search / "bm25.run")
    result = rs.evaluate(*files, ["nDCG@10", "AP", "AUC"], **options)
    assert rs.verify(result).holds
    data = json.loads(result.to_json())
    if fact == "ties":
        data["ties"]["documents"] += 1
    elif fact == "unanswered":
        data["unanswered"] = [] if data["unanswered"] else data["queries"][:1]
    elif fact == "counted":
        data["counted"]["AP"] -= 1
    elif fact == "notices":
        del data["notices"][0]
    elif not data["unjudged"]:
        return
    else:
        data["unjudged"]["documents"] += 1
    forged = rs.verify(rs.Result.from_json(json.dumps(data)))
    assert (forged.holds, forged.facts) == (False, (fact,))
    assert f"not as saved: {fact}." in str(forged)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("which", ["value", "mean"])
def test_verify_notices_the_last_bit(which):
    result = rs.evaluate("judged.json", "late.json", ["RR"])
    assert rs.verify(result).holds
    if which == "value":
        changed = result.columns["RR"].copy()
        changed[2] = np.nextafter(changed[2], 1.0)
        result = replace(result, columns={"RR": changed})
    else:
        result = replace(result, aggregates={"RR": math.nextafter(result["RR"], 1.0)})
    found = rs.verify(result)
    assert [(v.measure, v.query) for v in found.values] == [
        ("RR", result.queries[2] if which == "value" else None)
    ]
