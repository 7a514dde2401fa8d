"""Values that a notebook shows as tables."""

from __future__ import annotations

from typing import Any


class Shown:
    """A value of a few numbers, which a notebook shows by name; ``to_dict`` returns them."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        from rankstone.text.notebook import of_numbers

        return of_numbers(self)


class ByGroup(dict[Any, Any], Shown):
    """Aggregates by group of queries."""

    def to_dict(self) -> dict[str, Any]:
        """Return the number and the queries of each group."""
        names = {group: "(no group)" if group is None else str(group) for group in self}
        return {names[group]: {"value": s.value, "queries": s.n} for group, s in self.items()}
