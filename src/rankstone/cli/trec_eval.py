"""``rankstone trec_eval``: trec_eval's options, output and exit codes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankstone.errors import DataError, NothingInCommonError, RankstoneError, UsageError

if TYPE_CHECKING:
    import numpy as np

    from rankstone.core.ranked import Ranked
    from rankstone.measures.trec_eval import Column
    from rankstone.report.trec_eval import Row

USAGE, FILES, MEASURES, NOTHING = 1, 2, 4, 7

_HELP = """\
usage: rankstone trec_eval [OPTIONS] QRELS RUN      (RUN may be - for standard input)

Evaluate a run and print what trec_eval prints.

  -q, --query_eval_wanted            values of each query too
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

Exit codes: 0 fine; 1 usage; 2 a file cannot be read; 4 the data cannot be measured (a document
twice, a format without the measure; with --compat 10.0 a judged query that the run lacks);
7 no query in common.
"""

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
class _Options:
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


class _Stop(Exception):
    """The end, with an exit code and a message."""

    def __init__(self, code: int, message: object) -> None:
        super().__init__(str(message))
        self.code = code


def add_to(commands: Any) -> None:
    """List the command; its options are read by ``main``."""
    commands.add_parser(
        "trec_eval", help="trec_eval's options, output and exit codes", add_help=False
    )


def command() -> None:
    """Run as a process of its own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main(argv: list[str]) -> int:
    """Run and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        return _main(argv)
    except _Stop as stop:
        sys.stdout.flush()
        print(f"rankstone trec_eval: {stop}", file=sys.stderr)
        return stop.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _main(argv: list[str]) -> int:
    options = _parse(argv)
    if "v" in options.flags:
        from rankstone import __version__

        print(f"trec_eval {options.compat or '10.0'}, by rankstone {__version__}", file=sys.stderr)
        return 0
    if "h" in options.flags:
        return _help(options)
    if len(options.files) != 2:
        raise _Stop(USAGE, f"give judgments and a run, not {len(options.files)} files; -h helps.")
    from rankstone.measures.trec_eval import columns

    try:
        wanted = columns(
            options.measures or ["official"],
            options.version,
            lenient=options.lenient,
            collection=options.collection,
        )
    except UsageError as error:
        raise _Stop(USAGE, error) from None
    for column in wanted:
        _fits(column, options)
    for part in _evaluate(wanted, options):
        sys.stdout.write(part)
    sys.stdout.flush()
    return 0


def _parse(argv: list[str]) -> _Options:
    from getopt import GetoptError, gnu_getopt

    try:
        found, files = gnu_getopt(argv, _SHORT, list(_LONG))
    except GetoptError as error:
        raise _Stop(USAGE, f"{error}; -h lists the options.") from None
    options = _Options(files=files)
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
        raise _Stop(code, f"{text!r} is not one of {', '.join(known)}.")
    return text


def _whole(name: str, text: str, options: _Options, lowest: int) -> int:
    import re

    found = re.match(r"\s*[+-]?\d+", text)
    if not options.lenient and (found is None or found.end() < len(text)):
        raise _Stop(USAGE, f"-{name} takes a whole number, not {text!r}.")
    value = int(found[0]) if found else 0
    if value < lowest:
        raise _Stop(USAGE, f"-{name} must be at least {lowest}, not {value}.")
    return value


def _fits(column: Column, options: _Options) -> None:
    """Check that a measure can be had of the format."""
    wanted = column.line.format
    given = "prefs" if options.format == "qrels_prefs" else options.format
    if wanted not in ("any", given):
        raise _Stop(MEASURES, f"{column.line.name} needs '-R {wanted}', not {options.format}.")


def _help(options: _Options) -> int:
    from rankstone.measures.trec_eval import columns

    sys.stdout.write(_HELP)
    if options.measures:
        from rankstone.report import manual

        try:
            wanted = columns(options.measures, options.version, lenient=options.lenient)
        except UsageError as error:
            raise _Stop(USAGE, error) from None
        seen: set[str] = set()
        for column in wanted:
            if column.measure is not None and column.line.name not in seen:
                seen.add(column.line.name)
                print(f"\n-- {column.line.name}")
                print(*manual.page(column.measure), sep="\n")
    return 0


def _evaluate(wanted: list[Column], options: _Options) -> list[str]:
    """Return the output in parts."""
    import numpy as np

    from rankstone.report import trec_eval as report

    evaluated = _read(wanted, options)
    missing = ~evaluated.present
    if missing.any() and not options.complete and options.compat == "10.0":
        lost = [q for q, gone in zip(evaluated.queries, missing.tolist(), strict=True) if gone]
        raise _Stop(
            MEASURES,
            f"{len(lost)} judged queries are not in the run (for example {lost[0]!r}). "
            "-c counts them as 0; without --compat 10.0 they are left out.",
        )
    shown = np.flatnonzero(
        evaluated.present
        if not options.complete or options.version < 10
        else evaluated.present | missing
    )
    keys = [evaluated.queries[i].encode("utf-8", "surrogateescape") for i in shown.tolist()]
    shown = shown[np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)]
    if not len(shown):
        raise _Stop(NOTHING, f"query {options.query!r} is not both judged and in the run.")
    queries = [evaluated.queries[i] for i in shown.tolist()]
    if options.zscores is not None:
        _standardise(evaluated, queries, shown, options.zscores)
    parts: list[str] = []
    zscore = options.zscores is not None
    if "q" in options.flags:
        rows = [r for c in wanted if (r := evaluated.row(c, shown)) is not None]
        parts += report.lines(rows, queries, zscore=zscore)
    if "n" not in options.flags:
        last = [r for c in wanted if (r := evaluated.summary(c, shown, options)) is not None]
        for row in last:
            parts += report.lines([row], ["all"], zscore=zscore and not row.text)
    return parts


@dataclass(eq=False)
class _Evaluated:
    """Values of all judged queries, by label."""

    queries: list[str]
    present: np.ndarray
    values: dict[str, np.ndarray]
    complete: dict[str, float]
    strings: dict[str, list[str]]
    tag: str

    def row(self, column: Column, shown: np.ndarray) -> Row | None:
        """Return what is printed for each query."""
        from rankstone.report.trec_eval import Row

        if column.label in self.strings:
            texts = self.strings[column.label]
            return Row(column.label, [f"'{texts[i]}'" for i in shown.tolist()], text=True)
        if column.measure is None or column.line.quiet:
            return None
        return Row(column.label, self.values[column.label][shown], whole=column.line.whole)

    def summary(self, column: Column, shown: np.ndarray, options: _Options) -> Row | None:
        """Return what is printed for all queries."""
        import math

        from rankstone.report.trec_eval import Row

        if column.measure is None:
            return None if column.length else Row(column.label, [self.tag], text=True)
        how, whole = column.measure.definition.aggregate, column.line.whole
        values = self.values[column.label][shown].tolist()
        n = len(self.present) if options.complete else len(values)
        if column.line.complete is not None and (options.complete or column.line.quiet):
            value = self.complete[column.label] if options.complete else float(len(values))
        elif how == "geometric":
            value = math.exp((_added(values) + (n - len(values)) * math.log(1e-5)) / n)
        else:
            value = _added(values) / (n if how == "mean" else 1)
        return Row(column.label, [value], whole=whole)


def _added(values: list[float]) -> float:
    """Add up in order, as trec_eval does (``sum`` may do better than that)."""
    total = 0.0
    for value in values:
        total += value
    return total


def _read(wanted: list[Column], options: _Options) -> _Evaluated:
    """Read the files and measure all judged queries."""
    from rankstone.conventions import Conventions
    from rankstone.io.load import load_judgments, load_run

    conventions = Conventions(
        precision="float32" if options.version < 10 else "float64",
        relevance=options.level,
        duplicates="error",
        sums="plain",
        ties="docid-desc" if options.format in ("qrels", "qrels_jg") else "docid-asc",
    )
    try:
        run = load_run(options.files[1], lenient=options.lenient)
        if options.format == "qrels":
            judged = load_judgments(options.files[0], lenient=options.lenient)
            _check(judged, options)
            return _measured(wanted, options, conventions, judged, run)
        from rankstone.io import grouped

        if options.format == "qrels_jg":
            groups = grouped.read_groups(options.files[0], lenient=options.lenient)
            found = [_measured(wanted, options, conventions, j, run) for j in _kept(groups, run)]
            return _averaged(found)
        said = grouped.read_preferences(
            options.files[0], sittings=options.format == "prefs", lenient=options.lenient
        )
        return _measured(wanted, options, conventions, said.judgments, run, said)
    except NothingInCommonError as error:
        raise _Stop(NOTHING, error) from None
    except RankstoneError as error:
        raise _Stop(FILES, error) from None


def _kept(groups: dict[str, Any], run: Any) -> list[Any]:
    if run.path == "-":
        raise DataError("standard input cannot be read once for each group; give a file.")
    return list(groups.values())


def _check(judged: Any, options: _Options) -> None:
    """Refuse what trec_eval would refuse, or would cut off in silence."""
    import numpy as np

    for notice in judged.notices:
        if notice.code in ("repeated-judgments", "contradicting-judgments"):
            raise _Stop(MEASURES, f"{options.files[0]}: {notice}; trec_eval takes each once.")
    broken = np.flatnonzero(judged.grades != np.floor(judged.grades))
    if len(broken) and not options.lenient:
        i = int(broken[0])
        raise _Stop(
            FILES,
            f"{options.files[0]}: the grade {judged.grades[i]:g} of document {judged.docs[i]!r} is "
            "no whole number; trec_eval would cut its fraction off. --lenient does so too; "
            "'rankstone evaluate' takes it as it is.",
        )


def _measured(
    wanted: list[Column],
    options: _Options,
    conventions: Any,
    judged: Any,
    run: Any,
    said: Any = None,
) -> _Evaluated:
    import numpy as np

    from rankstone.core.align import join, select
    from rankstone.measures.trec_eval import relevance_strings

    found = join(run, judged, conventions)
    present = found.matches(conventions).present
    try:
        ranked: Ranked = found.ranked(conventions)
    except DataError as error:
        raise _Stop(MEASURES, error) from None
    if options.depth is not None:
        ranked = ranked.first(options.depth)
    if "J" in options.flags or said is not None:
        ranked = ranked.condensed()
    if options.query is not None:
        chosen = np.array([q == options.query for q in ranked.queries])
        ranked, present = select(ranked, chosen), present[chosen]
    if said is not None:
        ranked = said.placed(ranked)
    values, complete, strings = {}, {}, {}
    try:
        for column in wanted:
            if column.measure is None:
                if column.length:
                    strings[column.label] = relevance_strings(ranked, column.length)
                continue
            values[column.label] = column.measure.compute(ranked)
            if column.measure.definition.aggregate == "geometric":
                values[column.label] = np.log(np.maximum(values[column.label], 1e-5))
            if options.complete and column.line.complete is not None:
                whole = column.measure(**column.line.complete).compute(ranked)
                complete[column.label] = float(whole.sum())
    except RankstoneError as error:
        raise _Stop(MEASURES, error) from None
    return _Evaluated(list(ranked.queries), present, values, complete, strings, run.tag)


def _averaged(found: list[_Evaluated]) -> _Evaluated:
    """Return the mean of each query over the groups that judged it."""
    import numpy as np

    queries = list(dict.fromkeys(q for one in found for q in one.queries))
    place = {q: i for i, q in enumerate(queries)}
    values = {label: np.zeros(len(queries)) for label in found[0].values}
    times, present = np.zeros(len(queries)), np.zeros(len(queries), bool)
    for one in found:
        at = np.array([place[q] for q in one.queries], np.int64)
        times[at] += 1
        present[at] |= one.present
        for label, total in values.items():
            total[at] += one.values[label]
    mean = {label: total / times for label, total in values.items()}
    complete = {label: float(len(queries)) for label in found[0].complete}
    return _Evaluated(queries, present, mean, complete, {}, found[0].tag)


def _standardise(evaluated: _Evaluated, queries: list[str], shown: Any, path: str) -> None:
    """Replace values by their deviations from a mean, in standard deviations."""
    known = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            for number, text in enumerate(stream, 1):
                try:
                    query, label, mean, deviation = text.split()
                    known[query, label] = float(mean), float(deviation)
                except ValueError:
                    raise _Stop(
                        FILES, f"{path}:{number}: expected query, measure, mean, deviation."
                    ) from None
    except OSError as error:
        raise _Stop(FILES, f"{path}: {error.strerror}.") from None
    for label, values in evaluated.values.items():
        for query, i in zip(queries, shown.tolist(), strict=True):
            centre, spread = known.get((query, label), (None, 0.0))
            if centre is not None and spread:
                values[i] = (values[i] - centre) / spread
            else:
                values[i] = 0.0 if values[i] == centre else -1000000.0
