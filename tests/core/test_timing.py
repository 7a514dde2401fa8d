"""Tests of timing."""

import sys
import time

import pytest

from rankstone.core import timing


def test_time_is_charged_to_the_innermost_stage(monkeypatch):
    ticks = iter([0.0, 1.0, 3.0, 10.0, 20.0, 21.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    with timing.timed() as seconds:
        with timing.stage("reading"), timing.stage("matching"):
            pass
        with timing.stage("matching"):
            pass
    assert seconds["matching"] == 2 + 1
    assert seconds["reading"] == 10 - 2
    assert {name: s for name, s in seconds.items() if s} == {"matching": 3, "reading": 8}
    with timing.stage("reading"):
        pass
    assert seconds["reading"] == 8


@pytest.mark.parametrize(("platform", "peak"), [("linux", 7 * 1024), ("darwin", 7)])
def test_the_most_memory_is_in_bytes(monkeypatch, platform, peak):
    import resource

    class Usage:
        ru_maxrss = 7

    monkeypatch.setattr(resource, "getrusage", lambda _: Usage)
    monkeypatch.setattr(sys, "platform", platform)
    assert timing.peak_memory() == peak
