"""Facts and oddities of a file, by reading all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.judgments import Judgments
from rankstone.core.look_alike import look_alike_notices, look_alikes
from rankstone.core.matches import SAMPLED_DOCS
from rankstone.core.notices import scale_notices
from rankstone.core.text import number_text
from rankstone.errors import Notice, RankstoneError, plural
from rankstone.io.changes import prepared
from rankstone.io.files import in_folder, judgments_in, rows_in
from rankstone.io.formats import format_of
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.load import check_columns_used
from rankstone.io.rows import TextRow
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.choices.options import ValidateOptions

_MOST_GRADES = 20
_SAMPLED_QUERIES = 256
_SWAPPED = "the order is judgments first"


@dataclass(frozen=True)
class FileReport:
    """The state of one file: facts by name, and what to look at."""

    path: str
    kind: str
    format: str | None
    facts: dict[str, Any]
    notices: tuple[Notice, ...] = ()
    error: str | None = None

    @property
    def exit_code(self) -> int:
        """0 without warnings, 1 with warnings, 3 if the file cannot be used."""
        if self.error:
            return 3
        return int(any(notice.level == "warning" for notice in self.notices))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "path": self.path,
            "kind": self.kind,
            "format": self.format,
            **self.facts,
            "notices": [notice.to_dict() for notice in self.notices],
            "error": self.error,
        }


@verb("validate")
def validate(
    judgments: str,
    runs: Sequence[str] = (),
    *,
    kind: str = "judgments",
    **options: Unpack[ValidateOptions],
) -> list[FileReport]:
    """Read files whole, and report what they hold and what is odd about it.

    Args:
        judgments: path of the judgments, or of a single run.
        runs: paths of runs that belong to the judgments.
        kind: ``judgments`` or ``run``: what the first file holds.
        options: see below.
    """
    setup = prepared(Setup.of("validate", options))
    first = judgments
    paths: list[str] = [first, *runs]
    judged, reports = None, []
    if kind == "judgments":
        report, judged = _check_judgments(first, ReadOptions.of_judgments(setup))
        if report.error and _SWAPPED in report.error and not runs:
            hint = tr("{} A run alone is validated with --as run.").format(report.error)
            report = replace(report, error=hint)
        paths, reports = list(runs), [report]
    reports += [_check_run(path, ReadOptions.of_run(setup), judged) for path in paths]
    if not any(report.error for report in reports):
        check_columns_used(setup)
    return reports


def _check_judgments(path: str, options: ReadOptions) -> tuple[FileReport, Judgments | None]:
    name = None
    try:
        with Input.open(in_folder(path), options) as file:
            form = format_of(file)
            name = form.name
            judgments = judgments_in(file, form)
            file.check_unchanged()
    except RankstoneError as error:
        return FileReport(path, "judgments", name, {}, error=str(error)), None
    grades = Counter(judgments.grades.tolist())
    relevant = np.add.reduceat(
        np.append(judgments.grades >= Conventions().relevance, 0), judgments.groups[:-1]
    )
    relevant[np.diff(judgments.groups) == 0] = 0
    facts = {
        "rows": len(judgments),
        "queries": len(judgments.queries),
        "judged_per_query": _spread(np.diff(judgments.groups).tolist()),
        "relevant_per_query": _spread(relevant.tolist()),
        "grades": {number_text(grade): n for grade, n in sorted(grades.items())}
        if len(grades) <= _MOST_GRADES
        else tr("{} different ones").format(len(grades)),
    }
    notices = [*judgments.notices, *scale_notices(judgments.grades)]
    without = int((relevant == 0).sum())
    if without:
        text = tr("{} of {} without a relevant document").format(
            without, plural(len(relevant), "query")
        )
        notices.append(Notice("no-relevant", without, text, level="note"))
    notices += _odd_ids("query", map(str, judgments.queries))
    notices += _odd_ids("document", map(str, judgments.docs))
    return FileReport(path, "judgments", name, facts, tuple(notices)), judgments


def _check_run(path: str, options: ReadOptions, judgments: Judgments | None) -> FileReport:
    name = None
    odd: list[Notice] = []
    try:
        with Input.open(path, options) as file:
            form = format_of(file)
            name = form.name
            counts = _counted(rows_in(file, form, "run", judgments, odd), judgments)
            file.check_unchanged()
    except RankstoneError as error:
        return FileReport(path, "run", name, {}, error=str(error))
    if not counts.rows:
        return FileReport(
            path, "run", name, {}, error=tr("{}: the file holds no rows.").format(path)
        )
    notices = odd + counts.notices()
    if judgments is not None:
        notices += counts.overlap()
    return FileReport(path, "run", name, counts.facts(judgments), tuple(notices))


@dataclass
class _RunCounts:
    """Counts while the rows of a run pass: one hash for each row is kept, not its text."""

    judged: Mapping[str, frozenset[str]]  # documents by query
    docs: dict[str, set[int]] = field(default_factory=dict)  # hashes by query
    scores: dict[str, dict[float, int]] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)  # unjudged documents
    rows: int = 0
    duplicates: int = 0
    example: str = ""

    @property
    def tied(self) -> int:
        """The number of rows that share their score with another of their query."""
        return sum(n for scores in self.scores.values() for n in scores.values() if n > 1)

    @property
    def hits(self) -> int:
        """The number of judged documents in the run."""
        return sum(len(docs) - len(self.missing(q)) for q, docs in self.judged.items())

    def missing(self, query: str) -> list[str]:
        """Return the judged documents of a query that are not in the run."""
        docs = self.docs.get(query, set())
        return [doc for doc in self.judged[query] if hash(doc) not in docs]

    def facts(self, judgments: Judgments | None) -> dict[str, Any]:
        """Return the counts by name."""
        facts = {
            "rows": self.rows,
            "queries": len(self.docs),
            "depth": _spread([len(docs) for docs in self.docs.values()]),
            "tied_rows": self.tied,
        }
        if judgments is not None:
            facts["judged_queries"] = sum(q in self.judged for q in self.docs)
            facts["judged_documents"] = self.hits
        return facts

    def notices(self) -> list[Notice]:
        """Return notices on the run alone."""
        notices = []
        if self.duplicates:
            n = self.duplicates
            text = tr("{}; the best-ranked occurrence counts").format(
                plural(n, "repeated document")
            )
            notices.append(Notice("duplicate-documents", n, text, (self.example,)))
        if tied := self.tied:
            text = tr("{} of {} share their score with another of their query").format(
                tied, plural(self.rows, "row")
            )
            notices.append(Notice("ties", tied, text, level="note"))
        return notices + _odd_ids("query", self.docs)

    def overlap(self) -> list[Notice]:
        """Return notices on the run and its judgments together."""
        missing = [q for q in self.judged if q not in self.docs]
        extra = [q for q in self.docs if q not in self.judged]
        notices = []
        if missing:
            text = tr("{} of {} not in the run").format(
                len(missing), plural(len(self.judged), "judged query")
            )
            notices.append(Notice("missing-queries", len(missing), text, tuple(missing[:3])))
        if extra:
            text = tr("{} of the run without judgments").format(plural(len(extra), "query"))
            notices.append(Notice("unjudged-queries", len(extra), text, tuple(extra[:3])))
        others = extra[:1000] + [q for q in self.docs if q in self.judged][:1000]
        notices += look_alike_notices("query", look_alikes(missing[:1000], others))
        pairs = [p for q, docs in self.samples.items() for p in look_alikes(self.missing(q), docs)]
        whole = len(self.samples) <= _SAMPLED_QUERIES
        notices += look_alike_notices("document", pairs, at_least=not whole)
        if not self.hits and len(extra) < len(self.docs):
            text = tr("no judged document was retrieved for any query")
            notices.append(Notice("no-document-found", 1, text))
        return notices


def _counted(rows: Iterable[TextRow], judgments: Judgments | None) -> _RunCounts:
    counts = _RunCounts({} if judgments is None else judgments.texts_by_query)
    seen, by_query, samples, judged = counts.docs, counts.scores, counts.samples, counts.judged
    for query, doc, score in rows:
        docs = seen.setdefault(query, set())
        if not doc:
            continue
        counts.rows += 1
        key = hash(doc)
        if key in docs:
            counts.duplicates += 1
            counts.example = counts.example or tr("document {} of query {}").format(doc, query)
        elif (
            query in judged
            and doc not in judged[query]
            and (query in samples or len(samples) <= _SAMPLED_QUERIES)
        ):
            sample = samples.setdefault(query, [])
            if len(sample) < SAMPLED_DOCS:
                sample.append(doc)
        docs.add(key)
        scores = by_query.setdefault(query, {})
        scores[score] = scores.get(score, 0) + 1
    return counts


def _odd_ids(what: str, ids: Iterable[str]) -> list[Notice]:
    """Return a notice of ids that look like something else: numbers with decimals, blanks at an end."""
    odd = [i for i in ids if i != i.strip() or (i.endswith(".0") and i[:-2].isdigit())]
    if not odd:
        return []
    look = tr("id looks") if len(odd) == 1 else tr("ids look")
    text = tr("{} {} {} like a number made a decimal, or padded").format(len(odd), what, look)
    return [Notice("suspicious-ids", len(odd), text, tuple(repr(i) for i in odd[:3]))]


def _spread(values: list[int]) -> dict[str, float]:
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return {"least": ordered[0], "median": middle, "most": ordered[-1]}
