"""What a notebook shows: tables, notices, and errors with the message first."""

import pytest

import rankstone as rs
from rankstone.errors import RankstoneError

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2, "a": 0}, "q3": {"d": 1}}
RUNS = {
    "x": {"q1": ["a", "b"], "q2": ["a", "c"]},
    "y": {"q1": ["b", "a"], "q2": ["c", "a"], "q3": ["d"]},
}


def shown(value):
    """Return the HTML of a value."""
    html = value._repr_html_()
    assert html.startswith("<")
    return html


@pytest.mark.filterwarnings("ignore")
def test_values_are_shown_as_html():
    result = rs.evaluate(JUDGED, RUNS["x"], "RR")
    other = rs.evaluate({**JUDGED, "q4": {"a": 0}}, RUNS["y"] | {"q4": ["a"]}, "RR")
    assert "warning:</b> 1 of 3 judged queries not in the run" in shown(result)
    assert "note:</b> 1 of 4 queries without a relevant document" in shown(other)
    assert "0.9500" in shown(other.interval("RR"))
    groups = other.by_group("RR", {"q1": "<i>", "q2": "b", "q3": "b"})
    html = shown(groups)
    assert [word in html for word in ("&lt;i&gt;", "(no group)", "queries")] == [True] * 3
    assert {name: s.value for name, s in groups.items()} == {"<i>": 0.5, "b": 1.0, None: 0.0}
    assert ">group<" in html
    assert "fleiss" in shown(rs.agree_judgments(JUDGED, JUDGED, JUDGED))
    pair = rs.compare(JUDGED, RUNS, "RR")["y", "RR"]
    assert f"warning:</b> {pair.warnings[0]}" in shown(pair)
    assert "tau_ap" in shown(rs.agree_runs(RUNS["x"], RUNS["y"]))
    assert "bias: all" in shown(rs.agree_judgments(JUDGED, JUDGED))
    verdict = rs.gate(JUDGED, RUNS["x"], baseline=RUNS["y"], max_drop={"RR": 0.01})
    assert verdict.headline() in shown(verdict)
    page = shown(rs.report(JUDGED, RUNS, "RR", pictures=False))
    assert page.startswith("<iframe")
    assert "&lt;!DOCTYPE html&gt;" in page


def test_an_error_in_a_notebook_begins_with_the_message():
    with pytest.raises(RankstoneError) as caught:
        rs.evaluate(JUDGED, RUNS["x"], "nDGC")
    first, empty, *frames = caught.value._render_traceback_()
    assert first == f"UsageError: {caught.value}"
    assert empty == ""
    assert "test_notebook.py" in frames[0]
