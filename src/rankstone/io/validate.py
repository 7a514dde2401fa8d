"""Facts and oddities of a file, by reading all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankstone.choices.conventions import Conventions
from rankstone.choices.setup import Setup, verb
from rankstone.core.judgments import EMPTY, Judgments
from rankstone.core.look_alike import look_alikes
from rankstone.core.matches import SAMPLED_DOCS
from rankstone.core.notices import data_notices, scale_notices, tally_matches
from rankstone.core.tally import EXAMPLES, Tally
from rankstone.core.text import number_text
from rankstone.errors import Notice, RankstoneError, plural
from rankstone.frozen import frozen
from rankstone.io.changes import prepared
from rankstone.io.files import in_folder, judgments_in, run_in
from rankstone.io.formats import format_of
from rankstone.io.input_file import Input, ReadOptions
from rankstone.io.load import check_columns_used
from rankstone.io.rows import TextRow, as_text
from rankstone.language import tr

if TYPE_CHECKING:
    from rankstone.choices.options import ValidateOptions

_MOST_GRADES = 20
_SAMPLED_QUERIES = 256
_SWAPPED = "the order is judgments first"


@frozen
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
    try:
        with Input.open(path, options) as file:
            form = format_of(file)
            name = form.name
            run = run_in(file, form)
            judged = {} if judgments is None else judgments.texts_by_query
            texts = form.rows(file, "run") if form.rows else as_text(run.rows(judgments))
            rows = _Rows.of(texts, judged)
            matches = run.match(judgments or EMPTY, float32=False, repeats=False)
            file.check_unchanged()
    except RankstoneError as error:
        return FileReport(path, "run", name, {}, error=str(error))
    if not rows.count:
        return FileReport(
            path, "run", name, {}, error=tr("{}: the file holds no rows.").format(path)
        )
    facts: dict[str, Any] = {
        "rows": rows.count,
        "queries": len(rows.docs),
        "depth": _spread([len(docs) for docs in rows.docs.values()]),
        "tied_rows": rows.tied,
    }
    tally = Tally(reading=matches.notices)
    if judgments is not None:
        tally = tally_matches(judgments, matches)
        facts["judged_queries"] = int(matches.present.sum())
        facts["judged_documents"] = len(matches.judgment)
    alike = [
        pair
        for query, docs in rows.unjudged.items()
        for pair in look_alikes((d for d in judged[query] if hash(d) not in rows.docs[query]), docs)
    ]
    examples = {
        "duplicate-documents": (rows.repeated,),
        "ids-look-alike": tuple(map(str, alike[:EXAMPLES])),
    }
    tally = replace(
        tally,
        tied=0,
        duplicates=rows.duplicates,
        look_alike_documents=len(alike),
        look_alike_samples=int(len(rows.unjudged) > _SAMPLED_QUERIES),
        examples={**tally.examples, **examples},
    )
    notices = data_notices(tally, Conventions())
    text = tr("{} of {} share their score with another of their query").format(
        rows.tied, plural(rows.count, "row")
    )
    ties = [Notice("ties", rows.tied, text, level="note")] if rows.tied else []
    return FileReport(path, "run", name, facts, (*notices, *ties, *_odd_ids("query", rows.docs)))


@dataclass
class _Rows:
    """Counts of the rows of a run: one hash of each document is kept, not its text."""

    docs: dict[str, set[int]] = field(default_factory=dict)  # hashes by query
    unjudged: dict[str, list[str]] = field(default_factory=dict)  # a sample by judged query
    count: int = 0
    tied: int = 0  # rows that share their score with another of their query
    duplicates: int = 0
    repeated: str = ""

    @classmethod
    def of(cls, rows: Iterable[TextRow], judged: Mapping[str, Container[str]]) -> _Rows:
        """Count rows."""
        counts = cls()
        samples = counts.unjudged
        scores: dict[str, Counter[float]] = {}
        for query, doc, score in rows:
            docs = counts.docs.setdefault(query, set())
            if not doc:
                continue
            counts.count += 1
            key = hash(doc)
            if key in docs:
                counts.duplicates += 1
                example = tr("document {} of query {}").format(doc, query)
                counts.repeated = counts.repeated or example
            elif (
                query in judged
                and doc not in judged[query]
                and (query in samples or len(samples) <= _SAMPLED_QUERIES)
                and len(samples.setdefault(query, [])) < SAMPLED_DOCS
            ):
                samples[query].append(doc)
            docs.add(key)
            scores.setdefault(query, Counter())[score] += 1
        counts.tied = sum(n for own in scores.values() for n in own.values() if n > 1)
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
