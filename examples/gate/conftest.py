"""Gives tests the fixture ``quality_gate``."""

pytest_plugins = ["rankstone.testing.fixtures"]
