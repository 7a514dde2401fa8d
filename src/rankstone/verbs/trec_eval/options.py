"""The options of trec_eval, read as getopt reads them, and its exit codes."""

from __future__ import annotations

import re
from typing import Any

from rankstone.errors import TrecEvalError
from rankstone.frozen import frozen

USAGE, FILES, MEASURES, NOTHING = 1, 2, 4, 7
HELP = """usage: rankstone trec_eval [OPTIONS] QRELS RUN      (RUN may be - for standard input)

Evaluate a run and print what trec_eval prints.

  -q, --query_eval_wanted            also print the values of each query
  -m, --measure NAME[.PARAMETERS]    a measure or a nickname (official, set, all_trec, prefs,
                                     all_prefs, qrels_jg); may be repeated
  -n, --nosummary                    no values over all queries
  -c, --complete_rel_info_wanted     average over all judged queries; missing ones count as 0
  -l, --level_for_rel N              lowest grade that is relevant (1)
  -M, --Max_retrieved_per_topic N    read only the first N documents of a query
  -J, --Judged_docs_only             take documents without a judgment out first
  -N, --Number_docs_in_coll N        documents in the collection, for utility
  -R, --Rel_info_format FORMAT       qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        trec_results
  -Z, --Zscore FILE                  print deviations from means; lines of FILE are
                                     query, measure, mean, standard deviation
  -D, --Debug_level N[.QUERY]        evaluate QUERY alone ('rankstone explain' shows the working)
  -h, --help                         this text, and the manual pages of measures named by -m
  -v, --version                      what this is

  --compat 9.0.8|10.0   follow that version where the two differ. Without it, topics missing
                        from the run are left out as in 9.0.8, and all else is as in 10.0.
  --lenient             read numbers as C does, up to the first character that does not fit,
                        and ignore what follows the tag of a run

Exit codes: 0 fine; 1 usage; 2 a file cannot be read, the output
cannot be written or there is too little memory; 4 the data cannot be measured (a document
twice, a format without the measure; with --compat 10.0 a judged query that the run lacks);
7 no query in common.
"""
#: Letter, name and argument of each option in that text.
_OPTIONS = re.findall(r"(?m)^  (?:-(\w), )?--(\w+)( \S+)?  ", HELP)


@frozen(kw_only=True)
class Options:
    """The options of one call.

    Args:
        files: judgments and run.
        measures: the -m options.
        per_query: print values of each query (-q).
        summary: print values of all queries (without -n).
        complete: average over all judged queries (-c).
        judged_only: take unjudged documents out of the run (-J).
        level: lowest relevant grade (-l).
        depth: number of documents of a query that are read (-M).
        collection: number of documents in the collection (-N).
        format: format of the judgments (-R).
        zscores: file of means and standard deviations (-Z).
        query: the only query to evaluate (-D).
        compat: the version to follow where 9.0.8 and 10.0 differ.
        lenient: read numbers as C does.
        help: print the help text (-h).
        show_version: print the version (-v).
    """

    files: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection: int = 0
    format: str = "qrels"
    zscores: str | None = None
    query: str | None = None
    compat: str | None = None
    lenient: bool = False
    help: bool = False
    show_version: bool = False

    @property
    def version(self) -> int:
        """The version of trec_eval."""
        return 9 if self.compat == "9.0.8" else 10


_FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")


def parse(argv: list[str]) -> Options:
    """Return the options of a command line."""
    from getopt import GetoptError, gnu_getopt

    letters = {name: letter or name for letter, name, _ in _OPTIONS}
    short = "o" + "".join(letter + ":" * bool(takes) for letter, _, takes in _OPTIONS if letter)
    long = [name + "=" * bool(takes) for _, name, takes in _OPTIONS]
    try:
        given, files = gnu_getopt(argv, short, [*long, "Output_old_results_format="])
    except GetoptError as error:
        raise TrecEvalError(USAGE, f"{error}; -h lists the options.") from None
    options = [(letters.get(name.lstrip("-"), name.lstrip("-")), text) for name, text in given]
    last = dict(options)
    lenient = "lenient" in last
    values: dict[str, Any] = {
        "measures": tuple(text for letter, text in options if letter == "m"),
        "query": last.get("D", "").partition(".")[2] or None,
        "zscores": last.get("Z"),
    }
    for letter, field, lowest in (("l", "level", 1), ("M", "depth", 1), ("N", "collection", 0)):
        for name, text in options:
            if name == letter:
                values[field] = _whole(letter, text, lowest, lenient=lenient)
    if "R" in last:
        values["format"] = _one_of(last["R"], _FORMATS, FILES)
    if "T" in last:
        _one_of(last["T"], ("trec_results",), FILES)
    if "compat" in last:
        values["compat"] = _one_of(last["compat"], ("9.0.8", "10.0"), USAGE)
    return Options(
        files=tuple(files),
        per_query="q" in last,
        summary="n" not in last,
        complete="c" in last,
        judged_only="J" in last,
        lenient=lenient,
        help="h" in last,
        show_version="v" in last,
        **values,
    )


def _one_of(text: str, known: tuple[str, ...], code: int) -> str:
    if text not in known:
        raise TrecEvalError(code, f"{text!r} is not one of {', '.join(known)}.")
    return text


def _whole(name: str, text: str, lowest: int, *, lenient: bool) -> int:
    match = re.match(r"\s*[+-]?\d+", text)
    if not lenient and (match is None or match.end() < len(text)):
        raise TrecEvalError(USAGE, f"-{name} takes a whole number, not {text!r}.")
    value = int(match[0]) if match else 0
    if value < lowest:
        raise TrecEvalError(USAGE, f"-{name} must be at least {lowest}, not {value}.")
    return value
