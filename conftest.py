"""Fixtures for the tests and for the examples in the pages."""

import json
import os

import pytest
from hypothesis import HealthCheck, settings
from strategies import NATIVE

from rankstone.measures.base import REGISTRY

# The same examples each time, so that a failure is of the change at hand; --thorough explores.
settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "thorough", settings.get_profile("ci"), max_examples=1500, derandomize=False
)
# A change that random examples notice, they notice soon.
settings.register_profile("mutants", settings.get_profile("ci"), max_examples=40)
settings.load_profile("mutants" if os.environ.get("MUTANTS") else "ci")


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="many more random examples")


def pytest_configure(config):
    if config.getoption("--thorough"):
        settings.load_profile("thorough")


@pytest.fixture(params=["native", "python"])
def engine(request, monkeypatch):
    """Each of the two implementations of the core."""
    if request.param == "native" and not NATIVE:
        pytest.skip("the compiled core was not built on this machine")
    monkeypatch.setenv("RANKSTONE_ENGINE", request.param)
    return request.param


@pytest.fixture(autouse=True)
def _known_engine(monkeypatch):
    """Without a compiled core the twin is asked for by name, so no test hears the notice."""
    if not NATIVE:
        monkeypatch.setenv("RANKSTONE_ENGINE", "python")


@pytest.fixture(autouse=True)
def _same_measures_afterwards():
    """A page or a test may register a measure; it is gone when it ends."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


@pytest.fixture
def small_files(tmp_path, monkeypatch):
    """Go to a folder with judgments of six queries and two runs: one is late for some, one is not."""
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i}" for i in range(6)]
    late = {q: [f"x{j}" for j in range(i % 3)] + ["a"] for i, q in enumerate(queries)}
    (tmp_path / "judged.json").write_text(json.dumps({q: {"a": 1} for q in queries}))
    (tmp_path / "late.json").write_text(json.dumps(late))
    (tmp_path / "first.json").write_text(json.dumps({q: ["a"] for q in queries}))
