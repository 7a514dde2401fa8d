"""How runs are fused into one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rankstone.choices.base import Choices, at_least, field_of, option
from rankstone.errors import UsageError, one_of
from rankstone.frozen import frozen


def _choice(default: str | None, text: str, **values: str) -> Any:
    named = {name.replace("_", "-"): meaning for name, meaning in values.items()}
    return option(default, text, values=named)


def _count(text: str) -> Any:
    return option(None, text, kind="whole", check=at_least(1))


_TIES = {"docid_desc": "greater id first, as trec_eval does", "docid_asc": "smaller id first"}


@frozen(kw_only=True, eq=False, repr=False)
class Fusion(Choices):
    """Every choice of a fusion, as one value; recorded with the fused run.

    >>> Fusion(method="rrf", k=10)
    rrf(k=10)
    """

    title: ClassVar[str] = "fusion"

    method: str = _choice(
        "rrf",
        "how the points of a document become its score",
        rrf="reciprocal rank fusion: the sum of 1 / (k + rank)",
        combsum="the sum of the normalised scores",
        combmnz="their sum times the number of runs that retrieved the document",
        combmax="the highest of them",
        combmin="the lowest of them",
        combmed="their median",
        wsum="the sum of the normalised scores times the weights of the runs",
        borda="the sum of the numbers of documents that it beats, and 1 for each run",
        isr="the sum of 1 / rank^2 times the number of runs that retrieved the document",
    )
    norm: str | None = _choice(
        None,
        "how scores of a query are made comparable (default: min-max; methods of ranks read none)",
        min_max="the lowest becomes 0, the highest 1",
        max="divided by the highest, which has to be above 0",
        sum="the lowest becomes 0, their sum 1",
        z_score="in standard deviations from their mean",
        rank="the first becomes 1, the last of n 1/n, in equal steps",
        none="as they are",
    )
    weights: Any = option(
        None,
        "weight of each run, which its points are multiplied by: a list in the order of the runs, or "
        "a dict by name; on the command line 0.7,0.3",
        kind="weights",
        metavar="X,X,...",
    )
    k: float = option(60, "k of rrf (60)", kind="number", check=at_least(0))
    first_rank: int = option(
        1,
        "rank of the first document in rrf: 1 or 0",
        kind="whole",
        check=lambda rank: None if rank in (0, 1) else "0 or 1",
    )
    absent: str | None = _choice(
        None,
        "what a run gives to a document that it did not retrieve (default: share in borda, else none)",
        none="nothing; lowest, highest and median are of the runs that retrieved it",
        zero="0, which counts in lowest, highest and median, too",
        last="as much as to its last document; with ranks, the place after it",
        share="an equal share of the points that are left, in borda",
    )
    constant: str = _choice(
        "one",
        "what documents get whose scores are all equal, from which no norm can tell them apart",
        one="1 by min-max, equal shares of 1 by sum, 0 by z-score",
        zero="0",
    )
    normalised_over: str = _choice(
        "retrieved",
        "the documents of a query whose scores a norm is computed from",
        retrieved="all that the run retrieved",
        depth="the first ones of the run, down to depth",
        union="all that any run has, down to depth; those that this one lacks have its lowest score",
    )
    depth: int | None = _count("number of first documents of each run that are used (default: all)")
    keep: int | None = _count("number of first documents of each query to keep (default: all)")
    ties: str = _choice(
        "docid-desc",
        "order of documents with equal scores in a run",
        **_TIES,
        input="in input order",
    )
    fused_ties: str = _choice(
        "docid-desc",
        "order in which documents with equal fused scores are written",
        **_TIES,
        input="in the order of the first run that has them",
    )
    queries: str = _choice(
        "any",
        "queries that are fused",
        any="those of any run; a run without the query gives no points, with a warning",
        all="those that all runs have; others are left out, with a warning",
        same="those of all runs, which have to be the same",
    )

    def __post_init__(self) -> None:
        """Refuse choices that contradict each other, or mean nothing together."""
        super().__post_init__()
        own, method, wrong = self.given(), self.method, ""
        if isinstance(self.weights, str):
            try:
                weights = [float(word) for word in re.split("[,:]", self.weights)]
            except ValueError:
                raise UsageError(
                    f"weights are numbers such as 0.7,0.3, not {self.weights!r}."
                ) from None
            object.__setattr__(self, "weights", weights)
        if self.reads_ranks and self.norm is not None:
            wrong = f"norm= has no effect on {method}, which reads ranks; combsum reads scores"
        elif method != "rrf" and (alone := own.keys() & {"k", "first_rank"}):
            wrong = f"{min(alone)}= goes with the method rrf, not with {method}"
        elif method == "rrf" and self.k + self.first_rank == 0:
            wrong = "k=0 with first_rank=0 divides by 0 at the first document"
        elif self.absent == "share" and method != "borda":
            wrong = f"absent='share' goes with borda, not with {method}"
        elif self.normalised_over == "depth" and self.depth is None:
            wrong = "normalised_over='depth' needs depth="
        elif method == "wsum" and self.weights is None:
            wrong = "wsum needs weights=, one for each run, such as [0.7, 0.3]"
        if wrong:
            raise UsageError(f"{wrong}.")

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={_word(v)}" for n, v in self.given().items() if n != "method")
        return f"{self.method}({shown})" if shown else self.method

    @property
    def reads_ranks(self) -> bool:
        """Whether the method reads ranks, and no scores."""
        return self.method in ("rrf", "borda", "isr")

    @classmethod
    def of(cls, value: Any, tool: Mapping[str, Any] | None = None, **more: Any) -> Fusion:
        """Read a fusion: the name of a method, with choices as in ``rrf,k=10``, or a Fusion.

        ``more`` are choices beside it, ``tool`` are those that count where neither chooses.

        >>> Fusion.of("rrf(k=10, depth=100)")
        rrf(k=10, depth=100)
        """
        given = value.given() if isinstance(value, cls) else {}
        is_text = value is not None and not isinstance(value, cls)
        words = re.findall(r"[^(), ]+", f"method={value}") if is_text else []
        try:
            for name, _, word in (part.partition("=") for part in words):
                kind = field_of(cls, one_of(name, cls.names(), "choice of a fusion"))["kind"]
                given[name] = {"number": float, "whole": int}.get(kind, str)(word)
        except ValueError as error:
            raise UsageError(
                f"{value!r}: {error}. Write a fusion as METHOD,NAME=VALUE, such as rrf,k=10 or "
                "wsum,weights=0.7:0.3."
            ) from None
        for name in given.keys() & more.keys():
            raise UsageError(f"{name}= is given beside {value!r}, which has it, too. Choose one.")
        chosen = given | more
        is_rrf = chosen.get("method", "rrf") == "rrf"  # which alone reads the first rank of a tool
        own = {n: v for n, v in (tool or {}).items() if is_rrf or n != "first_rank"}
        return cls(**(own | chosen))

    def weights_of(self, names: Sequence[str]) -> list[float]:
        """Return the weight of each run, 1 if none are given."""
        given = [1.0] * len(names) if self.weights is None else self.weights
        if isinstance(given, Mapping):
            for name in given:
                one_of(name, names, "run in weights")
            given = [given.get(name) for name in names]
        weights = [float(w) for w in given if isinstance(w, int | float) and 0 <= w < float("inf")]
        if not len(weights) == len(given) == len(names) or not any(weights):
            raise UsageError(
                f"weights must be a number from 0 up for each of the {len(names)} runs "
                f"({', '.join(names)}), not all 0; not {self.weights!r}."
            )
        return weights


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    several = value.values() if isinstance(value, Mapping) else value
    return ":".join(f"{n:g}" for n in ([value] if isinstance(value, int | float) else several))
