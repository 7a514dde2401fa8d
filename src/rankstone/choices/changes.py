"""Changes to judgments and run that are made before documents are ranked."""

from __future__ import annotations

from functools import partial
from typing import Any

from rankstone.choices.base import RUN, Choices, option
from rankstone.errors import UsageError
from rankstone.frozen import frozen

_of_documents = partial(option, goes_with="documents")  # which have ids


@frozen(kw_only=True, eq=False, repr=False)
class Changes(Choices):
    """Changes to the data; recorded with results.

    ``reader`` names the function of ``rankstone.io`` that reads the value, as ``module:function``.
    """

    title = "changes to the data"

    scores: str = option(
        "descending",
        "direction of the scores",
        values={
            "descending": "the highest score is the best",
            "ascending": "the lowest score is the best, as for a distance",
        },
        part=RUN,
    )
    rank_by: str = _of_documents(
        "order",
        "what ranks documents that are listed under their query with scores, as the hits of a search "
        "are; rows of tables and dicts are ranked by score",
        values={"order": "their order (with like=, their scores)", "score": "their scores"},
        part=RUN,
    )
    min_score: float | None = _of_documents(
        None,
        "documents with a worse score count as not retrieved",
        kind="number",
        part=RUN,
    )
    exclude: Any = _of_documents(
        None,
        "(query, document) pairs, in any form of judgments, to remove from the runs first, such "
        "as training data",
        kind="data",
        unit="pair",
        reader="changes:Exclusions.of",
    )
    parents: Any = _of_documents(
        None,
        "the document of each chunk, for runs of chunks: a dict, a file with both in each line, "
        "a pattern of chunk ids such as '{doc}#{n}', or in Python a function of a chunk's id",
        kind="data",
        unit="chunk",
        reader="parents:Parents.of",
    )
    parent_rule: str = _of_documents(
        "first",
        "how the chunks of a document become one result",
        values={
            "first": "the best-ranked chunk of a document counts, and ranks close up",
            "max": "the highest score of its chunks is the score of a document",
            "sum": "the sum of the scores of its chunks is the score of a document",
        },
        needs="parents",
    )
    judged_chunks: bool = _of_documents(
        False,
        "the judgments are of chunks too: a document has the highest grade of its chunks",
        kind="flag",
        needs="parents",
    )
    same_as: Any = _of_documents(
        None,
        "documents of the same text under several ids, each with the id that it is read as, in run and "
        "judgments: a dict, or a file with both in each line; the best rank and the highest grade count",
        kind="data",
        unit="document",
        reader="parents:Parents.of_same",
    )
    cutoff_unit: str = _of_documents(
        "document",
        "what cutoffs count if there are chunks",
        values={
            "document": "documents, whose chunks were merged before",
            "chunk": "chunks, as a language model is given them: R@5 reads the documents of five chunks",
        },
        needs="parents",
        about="measures",
    )
    lengths: Any = _of_documents(
        None,
        "the length of each document (of each chunk, if cutoffs count these), for measures with a "
        "budget such as 2000tokens: a dict, a file with both in each line, or a dataframe",
        kind="data",
        unit="document",
        about="measures",
        reader="lengths:Lengths.of",
    )
    items: Any = _of_documents(
        None,
        "what is known of items, for measures beyond accuracy: in Python rs.Items(popularity=, "
        "categories=, vectors=, catalogue=), or a file or dataframe with a column for each of these",
        kind="data",
        unit="item",
        about="measures",
        reader="items:Items.of",
    )
    history: Any = _of_documents(
        None,
        "the interactions of users before they were shown anything, such as training data, in any form "
        "of judgments, for measures beyond accuracy",
        kind="data",
        unit="interaction",
        about="measures",
        reader="items:History.of",
    )
    over_budget: str = _of_documents(
        "drop",
        "the document that breaks a budget",
        values={
            "drop": "does not count, and neither do those below it",
            "keep": "counts, as if it were read in part",
        },
        needs="lengths",
        about="measures",
    )
    not_retrieved: Any = option(
        None,
        "with grades in rank order, the grades of judged documents that were missed",
        kind="grades",
        flag="--missed",
        metavar="G,G,...",
        goes_with="grades",
    )

    def __post_init__(self) -> None:
        """Refuse two answers to which document an id is of."""
        super().__post_init__()
        if self.parents is not None and self.same_as is not None:
            raise UsageError(
                "same_as= and parents= do not go together: give chunks of the same text the same "
                "document in parents=."
            )

    @property
    def merged_by(self) -> Any:
        """The mapping that merges ids into documents: ``parents`` or ``same_as``."""
        return self.parents if self.same_as is None else self.same_as

    @property
    def merges_judgments(self) -> bool:
        """Whether judgments are merged, too."""
        return self.judged_chunks or self.same_as is not None
