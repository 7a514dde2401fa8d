"""Results as people and programs read them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """This package, which is also the verb: ``rankstone.report(...)`` makes a report.

    Importing any module of the package puts the package into the place of the verb of that name.
    """

    def __call__(self, *data: Any, **options: Any) -> Any:
        from rankstone.reporting import report

        return report(*data, **options)


sys.modules[__name__].__class__ = _Callable
