"""The report that ``compare`` of ranx's face returns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from string import ascii_lowercase
from typing import Any

import numpy as np

import rankstone as rs

_SUPERSCRIPTS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ"


class PValues(dict[frozenset[str], dict[str, dict[str, Any]]]):
    """p-values by pair of models, in any order, and metric."""

    @classmethod
    def of(cls, tested: rs.Comparison | None, max_p: float) -> PValues:
        """Take the pairs of a comparison; ``significant`` are p-values of at most ``max_p``."""
        table = cls()
        for pair in tested.comparisons if tested else ():
            outcome = {"p_value": pair.p_value, "significant": pair.p_value <= max_p}
            table.setdefault(frozenset((pair.baseline, pair.run)), {})[pair.measure] = outcome
        return table

    def __getitem__(self, models: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the outcomes of two models."""
        return super().__getitem__(frozenset(models))


class Report:
    """Means of several runs, p-values, and on how many queries each beats each other."""

    def __init__(
        self,
        values: Mapping[str, Mapping[str, np.ndarray]],
        metrics: list[str],
        rounding_digits: int = 3,
        show_percentages: bool = False,
        comparisons: PValues | None = None,
        stat_test: str = "student",
    ) -> None:
        self.model_names = list(values)
        self.metrics = metrics
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages
        self.comparisons = PValues() if comparisons is None else comparisons
        self.stat_test = stat_test
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
            cells = [f"{self.format_score(v)}{self._beaten(model, m)}" for m, v in means.items()]
            rows.append([letter, model, *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, ["-" * width for width in widths])
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join(lines)

    def _beaten(self, model: str, metric: str) -> str:
        """Return superscripts of the models that a model is significantly better than."""
        mine = self.results[model][metric]
        return "".join(
            _SUPERSCRIPTS[i] if i < len(_SUPERSCRIPTS) else f"({i + 1})"
            for i, other in enumerate(self.model_names)
            if other != model
            and mine > self.results[other][metric]
            and self.comparisons[model, other][metric]["significant"]
        )

    __str__ = to_table
    __repr__ = to_table

    def to_dict(self) -> dict[str, Any]:
        """Return scores, p-values, and wins, ties and losses, by model."""
        table: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for one in self.model_names:
            against = {b: c for (a, b), c in self.win_tie_loss.items() if a == one}
            p_values = {
                b: {m: outcome["p_value"] for m, outcome in self.comparisons[one, b].items()}
                for b in against
            }
            scores = self.results[one]
            table[one] = {"scores": scores, "comparisons": p_values, "win_tie_loss": against}
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
