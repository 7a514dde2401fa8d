"""Every choice outside a measure's own parameters that changes a number."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rankstone.choices.base import Choices, option
from rankstone.frozen import frozen
from rankstone.language import tr

#: Names of the ways to make one number of the values of queries, each defined in core.aggregate.
AGGREGATES = ("mean", "geometric", "median", "sum")


def _choice(text: str, effects: dict[str, dict[str, str]] | None = None, **values: str) -> Any:
    """Declare a convention by the meaning of each value; the first value is the default.

    ``effects`` gives, by the code of a notice, the effect of a value on it; the other values are
    named, as in ``ties=input``.
    """
    named = {name.replace("_", "-"): meaning for name, meaning in values.items()}
    return option(next(iter(named)), text, values=named, flag=None, effects=effects or {})


@frozen(kw_only=True)
class Conventions(Choices):
    """The choices made between the data and the measures, as one value.

    >>> Conventions(ties="input").ties
    'input'
    """

    title, noun = "conventions", "convention"

    ties: str = _choice(
        "order of documents with equal scores",
        # Rules that account for every order need no notice.
        {"ties": {"expected": "", "optimistic": "", "pessimistic": ""}},
        docid_desc="greater id first, as trec_eval does",
        docid_asc="smaller id first",
        input="in input order",
        expected="the exact mean over all orders of the tied documents",
        optimistic="the best order for each measure: the best that luck could do",
        pessimistic="the worst order for each measure: the worst that luck could do",
    )
    precision: str = _choice(
        "precision in which scores are compared",
        float64="as read",
        float32="rounded to 32 bits first, as trec_eval 9 does",
    )
    queries: str = _choice(
        "queries that are averaged",
        {
            "missing-queries": {
                "judged": "count as 0",
                "both": "are left out of the mean",
                "run": "are left out of the mean",
            },
            "unjudged-queries": {
                "judged": "ignored",
                "both": "ignored",
                "run": "no relevant document",
            },
        },
        judged="all judged queries; one that is missing from the run counts as nothing retrieved",
        both="queries that are both judged and in the run",
        run="queries of the run; one without judgments has no relevant document",
    )
    no_relevant: str = _choice(
        "value of a query without relevant documents",
        {"no-relevant": {}},
        zero="0",
        one="1, for measures whose best value is 1",
        silence="1 if nothing was retrieved, else 0, for measures whose best value is 1",
        skip="none: the query is left out of the mean",
        error="an error",
    )
    relevance: float = option(
        1.0,
        "lowest grade that counts as relevant, where a measure has no rel=",
        kind="number",
        check=lambda level: None if level > 0 else "a number above 0",
        flag=None,
    )
    negatives: str = _choice(
        "meaning of negative grades (their gain is 0 either way)",
        unjudged="as if the document had not been judged, as trec_eval does",
        nonrelevant="judged, and not relevant",
    )
    unjudged: str = _choice(
        "retrieved documents without a judgment",
        nonrelevant="count as not relevant",
        remove="are taken out before ranks are given (condensed list)",
    )
    missed: str = _choice(
        "judged documents that were not retrieved",
        count="count as not retrieved",
        ignore="are left out, as in tools that see only a list of candidates",
    )
    nonpositive: str = _choice(
        "documents with a score of 0 or less",
        any="are like any other",
        nonrelevant="are not relevant, whatever their grade, as in some of torchmetrics",
    )
    duplicates: str = _choice(
        "a document that occurs more than once in a query's ranking",
        {
            "duplicate-documents": {
                "first": "the best-ranked occurrence counts",
                "keep": "the best-ranked occurrence counts, the others keep their ranks as not "
                "relevant",
                "count": "each occurrence counts again (duplicates=count), so values may be above 1",
                "error": "",
            }
        },
        first="its best-ranked occurrence counts, the others are dropped",
        keep="its best-ranked occurrence counts, the others keep their ranks as not relevant",
        count="each occurrence counts again, as in many tools, whose recall may then be above 1",
        error="an error",
    )
    sums: str = _choice(
        "how the terms of a measure are added up",
        exact="without rounding on the way, whatever their number or order",
        plain="one after the other in double precision from rank 1 on, as trec_eval does",
    )

    def __post_init__(self) -> None:
        """Check every choice."""
        super().__post_init__()
        object.__setattr__(self, "relevance", float(self.relevance))

    @classmethod
    def choices(cls) -> dict[str, list[str]]:
        """Return the values of each convention that has a fixed set of them."""
        return {f.name: list(f.metadata["values"]) for f in fields(cls) if "values" in f.metadata}

    @property
    def counts_unanswered(self) -> bool:
        """Whether a judged query that is missing from the run counts in the mean."""
        return self.queries == "judged"

    @property
    def skips_queries(self) -> bool:
        """Whether queries without relevant documents are left out of means."""
        return self.no_relevant == "skip"

    @property
    def removes_unjudged(self) -> bool:
        """Whether documents without a judgment are taken out of rankings."""
        return self.unjudged == "remove"

    @property
    def needs_judgments(self) -> bool:
        """Whether only judged queries are averaged."""
        return self.queries != "run"

    def effect(self, notice: str) -> str:
        """Return the effect of the chosen values on a notice, in words; empty if it is not needed.

        >>> Conventions(queries="both").effect("missing-queries")
        'are left out of the mean'
        """
        for f in fields(self):
            texts = f.metadata.get("effects", {}).get(notice)
            if texts is not None:
                value = getattr(self, f.name)
                if value == "judged" and self.no_relevant in ("one", "silence"):
                    return tr("count as nothing retrieved")  # which is 1 if nothing is relevant
                return tr(texts[value]) if value in texts else f"{f.name}={value}"
        raise KeyError(notice)

    def diff(self, other: Conventions) -> dict[str, Any]:
        """Return the choices that differ from another's."""
        theirs = other.to_dict()
        return {name: value for name, value in self.to_dict().items() if value != theirs[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return the choices as plain data."""
        return {name: getattr(self, name) for name in self.names()}
