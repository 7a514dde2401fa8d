"""Formulas of manual pages as trees that a page sets as mathematics.

A manual page writes a formula in one line, as in ``AP = (sum over relevant documents at rank i of
P@i) / R``. Its tree is a list of nodes ``[kind, ...]``: ``n`` a number, ``i`` a name, ``o`` an
operator and ``t`` words, each with its text; ``frac``, ``sub``, ``sup`` and ``under``, each with
lists of nodes. In Chinese the range of a sum is in brackets: ``AP = (∑[第 i 名的相关文档] P@i) / R``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Node = list[Any]

_TOKEN = re.compile(
    r"\s*(\d+(?:\.\d+)?|(?:[∑∏]|均值)\[|[^\W\d_]\w*(?:@\w+)?|<=|>=|\.\.|[-+*/^()|=<>,\]])"
)
_LETTER = re.compile(r"[^\W\d_]")
#: Where a formula ends and its explanation begins.
_END = re.compile(r"; |, where |, for |\. |\.$| by default|, and at | if |[；，。：]")  # noqa: RUF001
_FUNCTIONS = ("log2", "ln", "exp", "min", "max", "gain", "discount")
_SYMBOLS = {
    "<=": "≤", ">=": "≥", "*": "·", "-": "\u2212", "..": "…", "alpha": "\u03b1", "beta": "β",
    "log2": "log₂",
}  # fmt: skip
_BIG = {
    "sum": ["o", "\u2211"], "product": ["o", "∏"], "mean": ["t", "mean"],
    "∑[": ["o", "\u2211"], "∏[": ["o", "∏"], "均值[": ["t", "均值"],
}  # fmt: skip


class _NotAFormulaError(Exception):
    """The text is not written as formulas are."""


def formula_tree(text: str) -> dict[str, Any] | str:
    """Return the formula at the beginning of a text and the rest; the text if there is none.

    >>> formula_tree("P@k = h / k; without k, over all")["math"]
    [['i', 'P@k'], ['o', '='], ['frac', [['i', 'h']], [['i', 'k']]]]
    """
    end = _END.search(text)
    head = text[: end.start()] if end else text
    try:
        nodes = _Parser(head).formula()
    except _NotAFormulaError:
        return text
    return {"math": nodes, "rest": text[len(head) :].lstrip(" ;,.；，。")}  # noqa: RUF001


def _symbol(text: str) -> str:
    return _SYMBOLS.get(text, text)


class _Parser:
    """Reads a formula: sums of products of factors, each a list of nodes."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != text.replace(" ", "") or "=" not in self.tokens:
            raise _NotAFormulaError
        self.tokens.append("")  # the end

    def peek(self) -> str:
        return self.tokens[0]

    def take(self) -> str:
        return self.tokens.pop(0) if len(self.tokens) > 1 else ""

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise _NotAFormulaError

    def joined(self, operators: tuple[str, ...], part: Callable[[], list[Node]]) -> list[Node]:
        nodes = part()
        while self.peek() in operators:
            nodes += [["o", _symbol(self.take())], *part()]
        return nodes

    def formula(self) -> list[Node]:
        nodes = self.joined(("=", ",", "<", "<=", ">="), self.sum)
        self.expect("")
        return nodes

    def sum(self) -> list[Node]:
        return self.joined(("+", "-"), self.product)

    def product(self) -> list[Node]:
        """Return factors; a bar is below all that is multiplied without a sign."""
        nodes: list[Node] = []
        group = self.factor()
        while True:
            if self.peek() == "*":
                nodes += [*group, ["o", _symbol(self.take())]]
                group = self.factor()
            elif self.peek() == "/":
                self.take()
                group = [["frac", _bare(group), _bare(self.factor())]]
            elif re.match(r"[\w(∑∏]", self.peek()):
                group += self.factor()
            else:
                return nodes + group

    def factor(self) -> list[Node]:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        return [["sup", base, _bare(self.atom())]]

    def atom(self) -> list[Node]:
        word = self.take()
        if word in ("(", "|"):
            close = ")" if word == "(" else "|"
            inside = self.joined((",",), self.sum)
            self.expect(close)
            return [["o", word], *inside, ["o", close]]
        if re.match(r"\d", word):
            return [["n", word]]
        if word in _BIG and (word.endswith("[") or self.peek() == "over"):
            return self.big(word)
        if not _LETTER.match(word):
            raise _NotAFormulaError
        if word in _FUNCTIONS:
            return [["i", _symbol(word)], *self.factor()]
        # Others are names of quantities.
        is_word = len(word) > 1 and word.isalpha() and word.islower()
        is_word = is_word or (word.isalpha() and not word.isascii())
        if is_word and word not in _SYMBOLS:
            return [["t", self.phrase(word)]]
        name = [_name(word)]
        if self.peek() == "of":  # as in "DCG@k of the ideal ranking"
            name += [["t", f"\u00a0{self.phrase(self.take())}"]]
        return name

    def big(self, word: str) -> list[Node]:
        """Return a sum or product with its range below its sign, and its terms."""
        mark, begin = ("]", 0) if word.endswith("[") else ("of", 1)
        end = self.tokens.index(mark) if mark in self.tokens else 0
        if not end:
            raise _NotAFormulaError
        below = " ".join(map(_symbol, self.tokens[begin:end])).replace(" ,", ",")
        del self.tokens[: end + 1]
        return [["under", [_BIG[word]], [["t", below]]], *self.product()]

    def phrase(self, first: str) -> str:
        """Return a word and all words and names behind it."""
        words = [first]
        while _LETTER.match(self.peek()) and self.peek() not in _BIG:
            words.append(self.take())
        return " ".join(words)


def _name(word: str) -> Node:
    base, underscore, index = word.rpartition("_")
    if underscore and len(index) == 1:
        return ["sub", [["i", base]], [["i", index]]]
    return ["i", _symbol(word.replace("_", " ") if word.islower() else word)]


def _bare(nodes: list[Node]) -> list[Node]:
    """Return nodes without the brackets around all of them, which a bar or an index replaces."""
    brackets = [(node == ["o", "("]) - (node == ["o", ")"]) for node in nodes]
    closed_before = any(sum(brackets[:end]) == 0 for end in range(1, len(nodes)))
    is_bracketed = brackets[0] == 1 and brackets[-1] == -1 and not closed_before
    return nodes[1:-1] if is_bracketed else nodes
