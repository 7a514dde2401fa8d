"""Data as verbs load them, with options by name."""

from rankstone.choices.setup import Setup
from rankstone.io import load


def collection(judgments, run=None, *, needs=None, finite=False, **options):
    """Return judgments and a run as ``evaluate`` would load them."""
    setup = Setup.of("evaluate", options)
    return load.collection(judgments, run, setup, needs=needs, finite=finite)
