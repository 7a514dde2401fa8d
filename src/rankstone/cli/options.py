"""Options of commands, made from the choices that their verbs take."""

from __future__ import annotations

import os
import re
from argparse import SUPPRESS, Namespace
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rankstone.choices.conventions import AGGREGATES, Conventions
from rankstone.choices.fusion import Fusion
from rankstone.choices.setup import ARGUMENTS, FIELDS, VERBS, fields_of
from rankstone.errors import DataError, UsageError, one_of
from rankstone.language import tr

#: An argument in a help page: ``--depth N:whole = 20``, ``-m, --measure NAME ...``, ``runs RUN *``.
_ARGUMENT = re.compile(
    r"(\w+|-[\w-]+(?:, -[\w-]+)*)(?: \((\w+)\))?(?: ([^ ].*?))??(?::(\w+))?(?: (\.\.\.|\*))?(?: = (.*))?"
)
_DEST = "choice_"  # so that no option takes the name of something else
_TYPES: dict[str, Any] = {"number": float, "whole": int, "seed": int}


def flag_of(name: str) -> str | None:
    """Return the option of the command that makes a choice, None if there is none."""
    return _flag(name, FIELDS[name][1].metadata)


def _flag(name: str, about: Mapping[str, Any]) -> str | None:
    flag: str | None = about["flag"]
    return f"--{name.replace('_', '-')}" if flag == "" else flag


def add_choices(parser: Any, *verbs: str, without: Iterable[str] = ("not_retrieved",)) -> None:
    """Let a command take every choice that its verbs take, in groups with titles."""
    own = {n: f for verb in verbs for n, (group, f) in fields_of(verb).items() if group is Fusion}
    for name, f in own.items():
        _add(parser, name, f.metadata)
    taken = {name for verb in verbs for name in VERBS[verb]} - {*without, *own}
    groups: dict[str, Any] = {}
    for name, (group, f) in FIELDS.items():
        if name not in taken or (flag_of(name) is None and group is not Conventions):
            continue
        if group.title not in groups:
            groups[group.title] = parser.add_argument_group(group.title)
            if group.title == Conventions.title and taken.intersection(Conventions.names()):
                add_arguments(groups[group.title], [_CONVENTION])
        if group is not Conventions:
            _add(groups[group.title], name, f.metadata)


def _add(group: Any, name: str, about: Mapping[str, Any]) -> None:
    kind, text = about["kind"], tr(about["text"]).replace("%", "%%")
    if "values" in about:
        text = f"{text}{tr(': ')}{tr(', ').join(about['values'])}"
    more: dict[str, Any] = {"dest": _DEST + name, "default": SUPPRESS, "help": text}
    if kind == "flag":
        group.add_argument(_flag(name, about), action="store_true", **more)
        return
    more["metavar"] = about["metavar"]
    if kind in ("columns", "list"):
        more["action"] = "append"
    group.add_argument(_flag(name, about), type=_TYPES.get(kind, str), **more)


def options_of(args: Namespace) -> dict[str, Any]:
    """Return the options of verbs that were given, by their names in Python."""
    options: dict[str, Any] = {}
    for dest, value in vars(args).items():
        if dest.startswith(_DEST):
            name = dest.removeprefix(_DEST)
            kind = FIELDS[name][1].metadata["kind"] if name in FIELDS else ""
            options[name] = _READERS[kind](value) if kind in _READERS else value
    return options | dict(map(choice, getattr(args, "convention", ())))


def arguments_of(args: Namespace, verb: str) -> dict[str, Any]:
    """Return what was given for the arguments of a verb beside choices, by their names."""
    given = {name: getattr(args, name, None) for name in ARGUMENTS[verb]}
    return {name: value for name, value in given.items() if value is not None}


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Return the words of a command that make some choices."""
    words: list[str] = []
    for name, value in options.items():
        flag = flag_of(name)
        kind = FIELDS[name][1].metadata["kind"]
        if flag is None:
            words += ["-c", f"{name}={str(value).removesuffix('.0')}"]
        elif kind == "flag":
            words += [flag] * bool(value)
        elif kind == "columns":
            words += [
                w for role, names in value.items() for w in (flag, _columns_word(role, names))
            ]
        elif kind == "list":
            words += [word for one in value for word in (flag, str(one))]
        else:
            words += [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    return words


def _columns_word(role: str, names: Any) -> str:
    several = [""] if names is None else [names] if isinstance(names, str) else list(names)
    return ",".join(f"{role}={name}" for name in several)


def _columns(texts: list[str]) -> dict[str, Any]:
    """Return the columns by role; a role named twice may have either name."""
    columns: dict[str, Any] = {}
    for part in (part for text in texts for part in text.split(",")):
        role, equals, name = part.partition("=")
        if not equals:
            raise UsageError(f"write a column as ROLE=NAME, such as query=user_id, not {part!r}.")
        columns.setdefault(role.strip(), []).append(name)
    return {role: None if names == [""] else names for role, names in columns.items()}


def grades(text: str) -> list[float | None]:
    """Return grades that are written with commas between them; - is a document without a grade."""
    try:
        return [None if g.strip() == "-" else float(g) for g in text.split(",")]
    except ValueError:
        raise UsageError(f"write grades as numbers with commas, not {text!r}.") from None


_READERS: dict[str, Any] = {"columns": _columns, "grades": grades}


def choice(text: str) -> tuple[str, Any]:
    """Return a convention and its value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"write a convention as NAME=VALUE, such as ties=input, not {text!r}.")
    one_of(name, Conventions.names(), "convention")
    if name != "relevance":
        return name, value
    try:
        return name, float(value)
    except ValueError:
        raise UsageError(f"relevance must be a number above 0, not {value!r}.") from None


_CONVENTION = (
    " -c, --convention NAME=VALUE ... = []  a convention, such as ties=input; may be repeated"
)
#: Lines of help pages that several commands have.
SHARED = {
    "MEASURE": "-m, --measure NAME ...  default: the first that evaluate shows",
    "PER_QUERY": "-q, --per-query  also print the values of each query",
    "QUIET": "--quiet  suppress notes and warnings on stderr",
    "TEXT_OR_JSON": "--format text|json = text  default: text",
    "FUSE": FIELDS["fuse"][1].metadata["text"],
    "AGGREGATES": ", ".join(AGGREGATES),
    "BASELINE": """\
  file FILE               the baseline file
  judgments QRELS         judgments
  candidate RUN           the run
  -m, --measure NAME ...  a measure; may be repeated (accept: default those of the file)
  --reason TEXT           why; kept in the file
  {QUIET}""",
    "DATA": """\
  files QRELS RUN *     judgments and a run
  --grades G,G,...      grades in rank order; - is unjudged""",
    "SOURCE": """\
  files QRELS RUN *  judgments, then runs
  --values           the files contain per-query values, one run each
  {QUIET}""",
    "MEASURING": """\
what to measure
  -m, --measure NAME ...  a measure, with @k for a cutoff; may be repeated""",
    "OUTPUT": """\
  {PER_QUERY}
  -n, --no-summary  omit the aggregates
  --format table|tsv|csv|json|jsonl|md|latex  default: a table on a terminal, tsv in a pipe
  --digits N:whole  decimals (table and md: 4, else all)
  --sort NAME       sort runs and queries by this measure, best first
  --top N:whole     show the first N runs, and queries of each
  {QUIET}
  --timing          print on stderr where time and memory went
what to measure
  -m, --measure NAME ...  measures, with @k for a cutoff and commas between them; may be repeated ('rankstone measures' lists them)
  --aggregate HOW ...     how queries become one number: {AGGREGATES}; may be repeated (default: each measure's own)
  --by FILE               also print values for groups of queries: a file with a query and its group in each line, or a key of the records in QRELS
  --interval              confidence interval of each mean""",
}


def add_command(commands: Any, name: str, page: str, run: Any, *verbs: str, **more: Any) -> Any:
    """Add a command from its help page.

    The first line says what it does, then come the description and, indented, the arguments: names,
    what they take, and the text, as in ``--depth N:whole = 20  documents to show``. ``...`` means one or
    more, ``*`` any number, ``a|b`` one of some words; a default may be ``required``. A line without
    indent among them is the title of a group, ``{QUIET}`` a line that several pages have.

    Args:
        commands: of the parser.
        name: of the command.
        page: its help.
        run: what the command does.
        verbs: whose choices it takes, too.
        more: arguments of ``add_parser``, ``without`` of ``add_choices``, and ``hidden`` if help does not
            list the command.
    """
    own = {"without": more.pop("without")} if "without" in more else {}
    for _ in range(2):  # shared lines have shared parts
        page = re.sub(r"\{([A-Z_]+)\}", lambda part: SHARED[part[1]], page)
    head, *rest = page.rstrip().splitlines()
    first = next((i for i, line in enumerate(rest) if line.startswith("  ")), len(rest))
    if not more.pop("hidden", False):
        more["help"] = head[0].lower() + head[1:-1]
    parser = commands.add_parser(name, description=" ".join(rest[1:first]), **more)
    add_arguments(parser, rest[first:])
    add_choices(parser, *verbs, **own)
    parser.set_defaults(run=run)
    return parser


def add_arguments(parser: Any, lines: Iterable[str]) -> None:
    """Add the arguments that lines of a help page describe; ``add_command`` has their form."""
    group = parser
    for line in lines:
        if not line.startswith(" "):
            group = parser.add_argument_group(line)
            continue
        form, text = line.strip().split("  ", 1)
        match = _ARGUMENT.fullmatch(form)
        if match is None:
            raise ValueError(f"not an argument of a command: {line!r}")
        names, dest, metavar, kind, several, default = match.groups()
        more: dict[str, Any] = {"help": text.strip()} | ({"dest": dest} if dest else {})
        if kind:
            more["type"] = _TYPES[kind]
        if default == "required":
            more["required"] = True
        elif default is not None:
            more["default"] = [] if default == "[]" else more.get("type", str)(default)
        if not metavar:
            more["action"] = "store_true"
        else:
            more |= {"choices": metavar.split("|")} if "|" in metavar else {"metavar": metavar}
        if several:
            is_option = names.startswith("-")
            more |= {"action": "append"} if is_option else {"nargs": several.replace("...", "+")}
        group.add_argument(*names.split(", "), **more)


def only_measure(args: Namespace) -> str | None:
    """Return the measure that was named, if any."""
    if len(args.measure or ()) > 1:
        first, second = args.measure[:2]
        raise UsageError(f"give one measure, not {first!r} and {second!r}.")
    return args.measure[0] if args.measure else None


def expand(paths: list[str]) -> Iterator[str]:
    """Yield the runs; patterns are for shells that leave them alone."""
    for path in paths:
        if any(c in path for c in "*?[") and not os.path.exists(path):
            from glob import glob

            matching = sorted(glob(path))
            if not matching:
                raise DataError(f"{path}: no file matches this pattern.")
            yield from matching
        else:
            yield path


def names_of(paths: list[str]) -> list[str]:
    """Return a name for each run: the file's, or its path where two files share one."""
    from rankstone.io.formats import run_name

    names = [run_name(path) for path in paths]
    return [n if names.count(n) == 1 else p for n, p in zip(names, paths, strict=True)]
