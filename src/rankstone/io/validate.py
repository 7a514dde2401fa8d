"""What a file holds and what is odd about it, found by reading all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankstone.core.ids import look_alike
from rankstone.core.judgments import Judgments
from rankstone.errors import DataError, Notice, RankstoneError, plural
from rankstone.io.column_roles import Columns
from rankstone.io.convert import rows_in
from rankstone.io.file_run import Reading, judgments_in, opened, read_judgments, run_in
from rankstone.io.rows import shown as written
from rankstone.io.streams import STDIN

_MOST_GRADES = 20
_SWAPPED = "the order is judgments first"


@dataclass(frozen=True)
class Health:
    """The state of one file: facts by name, and what to look at."""

    path: str
    kind: str
    format: str | None
    facts: dict[str, Any]
    notices: tuple[Notice, ...] = ()
    error: str | None = None

    @property
    def exit_code(self) -> int:
        """0 where all is well, 1 with warnings, 3 where the file cannot be used."""
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


def check(
    first: str,
    runs: Sequence[str],
    *,
    kind: str = "judgments",
    input_format: str | None = None,
    max_bytes: int | None = None,
    groups: str | None = None,
    columns: Mapping[str, Any] | None = None,
) -> list[Health]:
    """Read the judgments and every run that belongs to them."""
    named = Columns.of(columns)
    formats = (input_format or "").split(":")
    paths, judged, found = [first, *runs], None, []
    if kind == "judgments":
        reading = Reading(formats[0] or None, False, max_bytes, groups, named)
        health, judged = _judgments(first, reading)
        if health.error and _SWAPPED in health.error and not runs:
            hint = f"{health.error} A run alone is validated with --as run."
            health = replace(health, error=hint)
        paths, found = list(runs), [health]
    reading = Reading(formats[-1] or None, False, max_bytes, columns=named)
    found += [_run(path, reading, judged) for path in paths]
    if not any(health.error for health in found):
        named.check_used()
    return found


def _judgments(path: str, reading: Reading) -> tuple[Health, Judgments | None]:
    form = None
    try:
        if path == STDIN:
            with opened(path, reading) as text:
                form = reading.format_of(text).name
                judged = judgments_in(text, reading.format_of(text))
        else:
            judged = read_judgments(path, reading)
            form = _format_name(path, reading)
    except RankstoneError as error:
        return Health(path, "judgments", form, {}, error=str(error)), None
    grades = Counter(judged.grades.tolist())
    shown = sorted(grades.items()) if len(grades) <= _MOST_GRADES else []
    sizes = np.diff(judged.groups)
    relevant = [int((judged.grades[a:b] > 0).sum())
                for a, b in zip(judged.groups[:-1], judged.groups[1:], strict=True)]  # fmt: skip
    without = sum(n == 0 for n in relevant)
    facts = {
        "rows": len(judged),
        "queries": len(judged.queries),
        "judged_per_query": _spread(sizes.tolist()),
        "relevant_per_query": _spread(relevant),
        "grades": {written(grade): n for grade, n in shown} or f"{len(grades)} different ones",
    }
    notices = list(judged.notices)
    if without:
        text_ = f"{without} of {plural(len(relevant), 'query')} without a grade above 0"
        notices.append(Notice("no-relevant", without, text_, level="note"))
    notices += _odd_ids("query", [str(q) for q in judged.queries])
    notices += _odd_ids("document", [str(d) for d in judged.docs])
    return Health(path, "judgments", form, facts, tuple(notices)), judged


def _format_name(path: str, reading: Reading) -> str | None:
    from rankstone.io.file_run import in_folder

    with opened(in_folder(path), reading) as text:
        return reading.format_of(text).name


def _run(path: str, reading: Reading, judged: Judgments | None) -> Health:
    form = None
    try:
        with opened(path, reading) as text:
            form = reading.format_of(text)
            if form.name == "scores" and judged is not None:
                rows = run_in(text, form, path).rows_for(judged)
            else:
                rows = rows_in(text, form, "run", reading)
            return _counted(path, form, rows, judged)
    except RankstoneError as error:
        return Health(path, "run", form.name if form else None, {}, error=str(error))


def _counted(path: str, form: Any, rows: Any, judged: Judgments | None) -> Health:
    """Count, holding one hash for each row and nothing of its text."""
    known = judged_pairs(judged) if judged is not None else {}
    seen: dict[str, set[int]] = {}
    scores: dict[str, dict[float, int]] = {}
    duplicates = n = hits = 0
    example = ""
    for query, doc, score in rows:
        docs = seen.setdefault(query, set())
        if not doc:
            continue
        n += 1
        if hash(doc) in docs:
            duplicates += 1
            example = example or f"document {doc} of query {query}"
        else:
            hits += doc in known.get(query, ())
        docs.add(hash(doc))
        by_score = scores.setdefault(query, {})
        by_score[score] = by_score.get(score, 0) + 1
    if not n:
        raise DataError(f"{path}: the file holds no rows.")
    tied = sum(k for s in scores.values() for k in s.values() if k > 1)
    facts: dict[str, Any] = {
        "rows": n,
        "queries": len(seen),
        "depth": _spread([len(docs) for docs in seen.values()]),
        "tied_rows": tied,
    }
    notices = []
    if duplicates:
        text = f"{plural(duplicates, 'repeated document')}; the best-ranked occurrence counts"
        notices.append(Notice("duplicate-documents", duplicates, text, (example,)))
    if tied:
        text = f"{tied} of {plural(n, 'row')} share their score with another of their query"
        notices.append(Notice("ties", tied, text, level="note"))
    notices += _odd_ids("query", list(seen))
    if judged is not None:
        facts |= {"judged_queries": sum(q in known for q in seen), "judged_documents": hits}
        notices += _overlap(known, seen, hits)
    return Health(path, "run", form.name, facts, tuple(notices))


def judged_pairs(judged: Judgments) -> dict[str, set[str]]:
    """Return the judged documents of each query, as text."""
    pairs = zip(judged.queries, judged.docs_by_query, strict=True)
    return {str(q): {str(d) for d in docs} for q, docs in pairs}


def _overlap(known: dict[str, set[str]], seen: dict[str, Any], hits: int) -> list[Notice]:
    missing = [q for q in known if q not in seen]
    extra = [q for q in seen if q not in known]
    found = []
    if missing:
        text = f"{len(missing)} of {plural(len(known), 'judged query')} not in the run"
        found.append(Notice("missing-queries", len(missing), text, tuple(missing[:3])))
    if extra:
        text = f"{plural(len(extra), 'query')} of the run without judgments"
        found.append(Notice("unjudged-queries", len(extra), text, tuple(extra[:3])))
    pair = look_alike(missing[:1000], extra[:1000])
    if pair:
        text = f"query ids differ by type or padding only: judged {pair[0]}, run {pair[1]}"
        found.append(Notice("ids-look-alike", 1, text))
    if not hits and len(extra) < len(seen):
        text = "no judged document was retrieved for any query"
        found.append(Notice("no-document-found", 1, text))
    return found


def _odd_ids(what: str, ids: list[str]) -> list[Notice]:
    """Say which ids look like something else: numbers with decimals, blanks at an end."""
    odd = [i for i in ids if i != i.strip() or (i.endswith(".0") and i[:-2].isdigit())]
    if not odd:
        return []
    text = f"{len(odd)} {what} {'id looks' if len(odd) == 1 else 'ids look'} like a number made a decimal, or padded"
    return [Notice("suspicious-ids", len(odd), text, tuple(repr(i) for i in odd[:3]))]


def _spread(values: list[int]) -> dict[str, float]:
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return {"least": ordered[0], "median": middle, "most": ordered[-1]}
