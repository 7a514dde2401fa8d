"""Formulas of manual pages as trees that a page sets as mathematics.

A manual page writes a formula in one line, as in ``AP = (sum over relevant documents at rank i of
P@i) / R``. Its tree is a list of nodes ``[kind, ...]``: ``n`` a number, ``i`` a name, ``o`` an
operator and ``t`` words, each with its text; ``frac``, ``sub``, ``sup`` and ``under``, each with
lists of nodes.
"""

from __future__ import annotations

import re
from typing import Any

Node = list[Any]

_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[A-Za-z]\w*(?:@\w+)?|<=|>=|[-+*/^()|=<>,])")
#: Where a formula ends and its explanation begins.
_END = re.compile(r"; |, where |, for |\. |\.$| by default|, and at | if ")
_FUNCTIONS = ("log2", "ln", "exp", "min", "max", "gain", "discount")
_SYMBOLS = {"<=": "≤", ">=": "≥", "*": "·", "-": "−", "beta": "β", "log2": "log₂"}  # noqa: RUF001
_BIG = {"sum": "∑", "product": "∏", "mean": "mean"}


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
    return {"math": nodes, "rest": text[len(head) :].lstrip(" ;,.")}


def _symbol(text: str) -> str:
    return _SYMBOLS.get(text, text)


class _Parser:
    """Reads a formula: sums of products of factors, each a list of nodes."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != text.replace(" ", "") or "=" not in self.tokens:
            raise _NotAFormulaError
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def formula(self) -> list[Node]:
        nodes = self.sum()
        while self.peek() in ("=", ",", "<", "<=", ">="):
            nodes += [["o", _symbol(self.take())], *self.sum()]
        if self.peek():
            raise _NotAFormulaError
        return nodes

    def sum(self) -> list[Node]:
        nodes = self.product()
        while self.peek() in ("+", "-"):
            nodes += [["o", _symbol(self.take())], *self.product()]
        return nodes

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
            elif re.match(r"[A-Za-z0-9(]", self.peek()):
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
            inside = self.sum()
            while self.peek() == ",":
                inside += [["o", self.take()], *self.sum()]
            if self.take() != close:
                raise _NotAFormulaError
            return [["o", word], *inside, ["o", close]]
        if re.match(r"\d", word):
            return [["n", word]]
        if not re.match(r"[A-Za-z]", word):
            raise _NotAFormulaError
        if word in _BIG and self.peek() == "over":
            return self.big(word)
        if word in _FUNCTIONS:
            return [["i", _symbol(word)], *self.factor()]
        if _is_word(word) and word not in _SYMBOLS:
            return self.words(word)
        name = [_name(word)]
        if self.peek() == "of":  # as in "DCG@k of the ideal ranking"
            name += [["t", f"\u00a0{self.words(self.take())[0][1]}"]]
        return name

    def big(self, word: str) -> list[Node]:
        """Return a sum or product with what it is over below its sign, and what is added up."""
        self.take()
        below = []
        while self.peek() != "of":
            if not self.peek():
                raise _NotAFormulaError
            below.append(_symbol(self.take()))
        self.take()
        kind = "t" if word == "mean" else "o"
        over = " ".join(below).replace(" ,", ",")
        return [["under", [[kind, _BIG[word]]], [["t", over]]], *self.product()]

    def words(self, first: str) -> list[Node]:
        """Return a phrase: a word and all words and names behind it."""
        phrase = [first]
        while re.match(r"[A-Za-z]", self.peek()) and self.peek() not in _BIG:
            phrase.append(self.take())
        return [["t", " ".join(phrase)]]


def _is_word(word: str) -> bool:
    """Return whether a name is a word of a sentence, not the name of a quantity."""
    return len(word) > 1 and word.isalpha() and word.islower()


def _name(word: str) -> Node:
    base, underscore, index = word.rpartition("_")
    if underscore and len(index) == 1:
        return ["sub", [["i", base]], [["i", index]]]
    return ["i", _symbol(word.replace("_", " "))]


def _bare(nodes: list[Node]) -> list[Node]:
    """Return nodes without the brackets around all of them, which a bar or an index replaces."""
    if nodes[0] != ["o", "("] or nodes[-1] != ["o", ")"]:
        return nodes
    depth = 0
    for node in nodes[:-1]:
        depth += (node == ["o", "("]) - (node == ["o", ")"])
        if depth == 0:
            return nodes
    return nodes[1:-1]
