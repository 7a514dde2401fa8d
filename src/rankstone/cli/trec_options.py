"""The options of ``rankstone trec_eval``, read as getopt reads them."""

from __future__ import annotations

from dataclasses import dataclass, field

USAGE, FILES, MEASURES, NOTHING = 1, 2, 4, 7

_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel=": "l",
    "nosummary": "n",
    "Debug_level=": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Output_old_results_format=": "o",
    "Zscore=": "Z",
    "compat=": "compat",
    "lenient": "lenient",
}
_FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")


@dataclass
class Options:
    """What was asked for."""

    measures: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    level: int = 1
    depth: int | None = None
    collection: int = 0
    format: str = "qrels"
    zscores: str | None = None
    query: str | None = None
    compat: str | None = None
    files: list[str] = field(default_factory=list)

    @property
    def version(self) -> int:
        """The version of trec_eval."""
        return 9 if self.compat == "9.0.8" else 10

    @property
    def complete(self) -> bool:
        """Whether all judged queries count."""
        return "c" in self.flags

    @property
    def lenient(self) -> bool:
        """Whether numbers are read as C does."""
        return "lenient" in self.flags


class Stop(Exception):
    """The end, with an exit code and a message."""

    def __init__(self, code: int, message: object) -> None:
        super().__init__(str(message))
        self.code = code


def parse(argv: list[str]) -> Options:
    """Return what the command line asks for."""
    from getopt import GetoptError, gnu_getopt

    try:
        found, files = gnu_getopt(argv, _SHORT, list(_LONG))
    except GetoptError as error:
        raise Stop(USAGE, f"{error}; -h lists the options.") from None
    options = Options(files=files)
    long = {name.removesuffix("="): short for name, short in _LONG.items()}
    letters = [(long.get(name.lstrip("-"), name.lstrip("-")), text) for name, text in found]
    options.flags = {name for name, text in letters if not text}
    for name, text in letters:
        if name == "m":
            options.measures.append(text)
        elif name == "l":
            options.level = _whole(name, text, options, 1)
        elif name == "M":
            options.depth = _whole(name, text, options, 1)
        elif name == "N":
            options.collection = _whole(name, text, options, 0)
        elif name == "D":
            options.query = text.partition(".")[2] or None
        elif name == "Z":
            options.zscores = text
        elif name == "R":
            options.format = _one_of(text, _FORMATS, FILES)
        elif name == "T":
            _one_of(text, ("trec_results",), FILES)
        elif name == "compat":
            options.compat = _one_of(text, ("9.0.8", "10.0"), USAGE)
    return options


def _one_of(text: str, known: tuple[str, ...], code: int) -> str:
    if text not in known:
        raise Stop(code, f"{text!r} is not one of {', '.join(known)}.")
    return text


def _whole(name: str, text: str, options: Options, lowest: int) -> int:
    import re

    found = re.match(r"\s*[+-]?\d+", text)
    if not options.lenient and (found is None or found.end() < len(text)):
        raise Stop(USAGE, f"-{name} takes a whole number, not {text!r}.")
    value = int(found[0]) if found else 0
    if value < lowest:
        raise Stop(USAGE, f"-{name} must be at least {lowest}, not {value}.")
    return value
