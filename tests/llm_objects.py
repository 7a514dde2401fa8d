"""Results of libraries for language models, by shape: LangChain, LlamaIndex and Haystack."""

from dataclasses import dataclass, field


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    node_id: str
    text: str = ""


@dataclass
class NodeWithScore:
    node: Node
    score: float | None = None


@dataclass
class HaystackDocument:
    id: str
    content: str = ""
    score: float | None = None
    meta: dict = field(default_factory=dict)


def langchain(doc, score):
    return LangChainDocument("text", {"chunk_id": doc})
