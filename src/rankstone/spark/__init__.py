"""Evaluation inside Apache Spark, where the data are: ``rankstone.spark.evaluate``."""

from typing import Any

__all__ = ["SparkEvaluation", "evaluate", "evaluate_lists"]


def __getattr__(name: str) -> Any:
    """Resolve the verbs on first use, so that workers load only what they need."""
    if name not in __all__:
        raise AttributeError(f"module 'rankstone.spark' has no attribute {name!r}")
    from rankstone.spark import driver

    return getattr(driver, name)
