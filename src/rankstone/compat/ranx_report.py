"""What ``compare`` of ranx's face returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from string import ascii_lowercase
from typing import Any

import numpy as np

import rankstone as rs


class Report:
    """Means of several runs, and on how many queries each beats each other."""

    def __init__(
        self,
        values: Mapping[str, Mapping[str, np.ndarray]],
        metrics: list[str],
        rounding_digits: int = 3,
        show_percentages: bool = False,
    ) -> None:
        self.model_names = list(values)
        self.metrics = metrics
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.results = {
            model: {m: float(np.mean(columns[m])) for m in metrics}
            for model, columns in values.items()
        }
        self.win_tie_loss = {
            (one, other): {m: _counts(values[one][m], values[other][m]) for m in metrics}
            for one in values
            for other in values
            if one != other
        }

    @property
    def comparisons(self) -> Any:
        """Refused: no significance test was made."""
        raise rs.UsageError(
            "this report has no p-values: no significance test was made. Its means, wins, ties and "
            "losses are in results and win_tie_loss."
        )

    def format_score(self, score: float) -> str:
        """Return a mean with the digits asked for."""
        if self.show_percentages:
            return f"{score * 100:.{max(0, self.rounding_digits - 2)}f}"
        return f"{score:.{self.rounding_digits}f}"

    def to_table(self) -> str:
        """Return the means as a table of text."""
        rows = [["#", "Model", *self.metrics]]
        for i, (model, means) in enumerate(self.results.items()):
            letter = ascii_lowercase[i] if i < 26 else str(i + 1)
            rows.append([letter, model, *map(self.format_score, means.values())])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, "no significance test was made"])

    __str__ = to_table
    __repr__ = to_table

    def to_dict(self) -> dict[str, Any]:
        """Return scores, and wins, ties and losses, by model."""
        table: dict[str, Any] = {"metrics": self.metrics, "model_names": self.model_names}
        for one in self.model_names:
            against = {b: c for (a, b), c in self.win_tie_loss.items() if a == one}
            table[one] = {"scores": self.results[one], "win_tie_loss": against}
        return table

    def to_dataframe(self) -> Any:
        """Return the means as a pandas frame, one row for each model."""
        import pandas as pd

        return pd.DataFrame([{"model_names": m, **means} for m, means in self.results.items()])

    def save(self, path: str) -> None:
        """Write the report as JSON."""
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(self.to_dict(), stream, indent=4)

    def print_results(self) -> None:
        """Print the means as JSON."""
        print(json.dumps(self.results, indent=4))


def _counts(ours: np.ndarray, theirs: np.ndarray) -> dict[str, int]:
    return {
        "W": int((ours > theirs).sum()),
        "T": int((ours == theirs).sum()),
        "L": int((ours < theirs).sum()),
    }
