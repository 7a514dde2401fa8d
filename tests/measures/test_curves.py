"""Curves and areas, worked by hand, and the data that they refuse."""

import math

import pytest

import rankstone as rs
from rankstone.measures.curves import curves_and_areas, risk_area, risk_coverage_curve

INF, NAN = math.inf, math.nan
LABELS, SCORES = [1, 0, 1, 0, 2], [0.9, 0.8, 0.8, 0.1, 0.5]


def points(curve):
    return curve.x.tolist(), curve.y.tolist(), curve.thresholds.tolist()


def test_the_points_of_a_roc_curve():
    x, y = [0, 0, 0.5, 0.5, 1], [0, 1 / 3, 2 / 3, 1, 1]
    assert points(rs.roc_curve(LABELS, SCORES)) == (x, y, [INF, 0.9, 0.8, 0.5, 0.1])
    weighted = rs.roc_curve(LABELS, SCORES, [1, 3, 2, 1, 5])
    assert points(weighted) == ([0, 0, 0.75, 0.75, 1], [0, 1 / 8, 3 / 8, 1, 1], [INF, 0.9, 0.8, 0.5, 0.1])  # fmt: skip


def test_the_points_of_a_precision_recall_curve():
    curve = rs.pr_curve(LABELS, SCORES)
    x, y = [0, 1 / 3, 2 / 3, 1, 1], [1, 1, 2 / 3, 3 / 4, 3 / 5]
    assert points(curve) == (x, y, [INF, 0.9, 0.8, 0.5, 0.1])
    nothing_yet = rs.pr_curve([1, 1], [2, 1], [0, 1])
    assert points(nothing_yet) == ([0, 0, 1], [1, 0, 1], [INF, 2, 1])


@pytest.mark.parametrize(
    ("labels", "x", "y", "area"),
    [
        ([1, 1, 0], [0, 0, 0, 1], [0, 0.5, 1, 1], 1),
        ([0, 0, 1], [0, 0.5, 1, 1], [0, 0, 0, 1], 0),
        ([1, 0, 0, 1], [0, 0, 0.5, 1, 1], [0, 0.5, 0.5, 0.5, 1], 0.5),
    ],
)
def test_the_best_and_the_worst_curve(labels, x, y, area):
    scores = [-i for i in range(len(labels))]
    assert points(rs.roc_curve(labels, scores)) == (x, y, [INF, *scores])
    assert rs.auc(labels, scores) == area
    assert rs.pr_curve(labels, scores).x.tolist() == y


def test_a_single_document_has_a_precision():
    assert points(rs.pr_curve([1], [3])) == ([0, 1], [1, 1], [INF, 3])


def test_areas():
    assert rs.auc(LABELS, SCORES) == pytest.approx((0.5 * (1 / 3 + 2 / 3) / 2) + 0.5, rel=1e-15)
    assert rs.auc(LABELS, SCORES, max_fpr=1) == rs.auc(LABELS, SCORES)
    area = 1 / 3 + 2 / 3 * 2 / 3 - 1 / 3 * 2 / 3 + 1 / 3 * 3 / 4
    assert rs.pr_area(LABELS, SCORES) == pytest.approx(area, rel=1e-15)


@pytest.mark.parametrize(
    ("max_fpr", "area"),
    [(0.25, 0.25 * (1 / 3 + 1 / 2) / 2), (0.5, 0.5 * (1 / 3 + 2 / 3) / 2), (0.75, 0.25 + 0.25)],
)
def test_partial_areas(max_fpr, area):
    least = max_fpr**2 / 2
    value = 0.5 * (1 + (area - least) / (max_fpr - least))
    assert rs.auc(LABELS, SCORES, max_fpr=max_fpr) == pytest.approx(value, rel=1e-14)
    judged = {"q": {f"d{i}": label for i, label in enumerate(LABELS)}}
    run = {"q": {f"d{i}": score for i, score in enumerate(SCORES)}}
    name = f"AUC(max_fpr={max_fpr})"
    assert rs.evaluate(judged, run, name)[name] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("bad", [0, -0.5, 1.01, NAN])
def test_a_partial_area_has_a_width(bad):
    with pytest.raises(rs.UsageError) as caught:
        rs.auc([1, 0], [2, 1], max_fpr=bad)
    assert str(caught.value) == f"max_fpr must be above 0 and at most 1, not {bad!r}."


SHAPES = "labels {}, scores {} and weights {} must be lists of the same length."
FINITE = "scores and weights must be finite, and weights not below 0."
ROC = "a ROC curve needs relevant and other documents, with weight."
PR = "a precision-recall curve needs relevant documents, with weight."


@pytest.mark.parametrize(
    ("curve", "data", "message"),
    [
        (rs.roc_curve, ([1, 0, 1], [1, 2]), SHAPES.format("(3,)", "(2,)", "(2,)")),
        (rs.roc_curve, ([1, 0], [1, 2], [1]), SHAPES.format("(2,)", "(2,)", "(1,)")),
        (rs.pr_curve, ([[1]], [[1]], [[1]]), SHAPES.format("(1, 1)", "(1, 1)", "(1, 1)")),
        (rs.roc_curve, ([1, 0], [1, NAN]), FINITE),
        (rs.roc_curve, ([1, 0], [INF, 1]), FINITE),
        (rs.pr_curve, ([1, 0], [2, 1], [1, INF]), FINITE),
        (rs.pr_curve, ([1, 0], [2, 1], [1, -0.5]), FINITE),
        (rs.roc_curve, ([], []), ROC),
        (rs.roc_curve, ([1, 1], [1, 2]), ROC),
        (rs.roc_curve, ([0, -1], [1, 2]), ROC),
        (rs.roc_curve, ([1, 0], [1, 2], [0, 1]), ROC),
        (rs.roc_curve, ([1, 0], [1, 2], [1, 0]), ROC),
        (rs.pr_curve, ([], []), PR),
        (rs.pr_curve, ([0, 0], [1, 2]), PR),
        (rs.pr_curve, ([1, 0], [1, 2], [0, 1]), PR),
    ],
)
def test_curves_of_nothing_are_refused(curve, data, message):
    with pytest.raises(rs.DataError) as caught:
        curve(*data)
    assert str(caught.value) == message


def test_a_weight_of_zero_and_one_of_a_half():
    curve = rs.roc_curve([1, 0, 1, 0], [4, 3, 2, 1], [0.5, 0, 0.5, 0.5])
    assert points(curve) == ([0, 0, 0, 0, 1], [0, 0.5, 0.5, 1, 1], [INF, 4, 3, 2, 1])


def test_curves_that_exist_have_areas():
    both = curves_and_areas([1, 0, 1], [3, 2, 1])
    areas = {name: area for name, (_, area) in both.items()}
    assert areas == {"roc": 0.5, "pr": pytest.approx(5 / 6, rel=1e-15)}
    assert curves_and_areas([1, 1], [2, 1]) == {}  # only relevant ones: precision is always 1
    assert curves_and_areas([0, 0], [2, 1]) == {}


def test_risk_and_coverage():
    curve = risk_coverage_curve([0.5, 1.0, 0.0, 0.25], [0.2, 0.9, 0.2, -INF])
    assert points(curve) == ([0.25, 0.75], [0, 0.5], [0.9, 0.2])
    assert risk_area(curve) == (0.25 * 0 + 0.5 * 0.5) / 0.75
    first = risk_coverage_curve([0.0, 1.0], [1, 1])
    assert (points(first), risk_area(first)) == (([1], [0.5], [1]), 0.5)
    nobody = risk_coverage_curve([1.0], [-INF])
    assert len(nobody.x) == 0
    assert math.isnan(risk_area(nobody))
    assert risk_area(risk_coverage_curve([0.25], [1])) == 0.75


EMPTY = "values and confidences must be lists of the same length, and not empty."
RANGE = "values must be from 0 to 1, and every query needs a confidence."


@pytest.mark.parametrize(
    ("values", "confidence", "message"),
    [
        ([], [], EMPTY),
        ([0.5], [1, 2], EMPTY),
        ([[0.5]], [[1]], EMPTY),
        ([1.01], [1], RANGE),
        ([0.5, -0.01], [1, 2], RANGE),
        ([0.5, NAN], [1, 2], RANGE),
        ([0.5, 0.5], [1, NAN], RANGE),
    ],
)
def test_risk_needs_values_and_confidences(values, confidence, message):
    with pytest.raises(rs.DataError) as caught:
        risk_coverage_curve(values, confidence)
    assert str(caught.value) == message


JUDGED = {"q": {"a": 1, "b": 1, "x": 0, "y": 0, "z": 0}, "r": {"a": 1, "c": 0}, "s": {"c": 0, "b": 0}}  # fmt: skip
RUN = {
    "q": {"x": 5.0, "a": 4.0, "y": 4.0, "u": 3.0},
    "r": {"c": 2.0, "v": 1.5, "a": 1.0},
    "s": {"c": 1.0, "b": 0.5},
}


@pytest.mark.parametrize(
    ("name", "values", "mean"),
    [
        ("AUC", [1.5 / 6, 0, NAN], 1.5 / 12),
        ("AUC(missed='ignore')", [0.5 / 2, 0, NAN], 0.5 / 4),
        ("AUC(negatives='retrieved')", [1.5 / 6, 0, NAN], 1.5 / 12),
        ("AUC(negatives='retrieved', missed='ignore')", [1.5 / 3, 0, NAN], 1.5 / 6),
        ("AUC(single_class='zero')", [1.5 / 6, 0, 0], 1.5 / 18),
        ("AUC(single_class='half')", [1.5 / 6, 0, 0.5], 0.25),
        ("AUC(single_class='one')", [1.5 / 6, 0, 1], 1.25 / 3),
        ("AUC(weight='positives')", [1.5 / 6, 0, NAN], (2 * 1.5 / 6) / 3),
        ("AUC(weight='impressions')", [1.5 / 6, 0, NAN], (5 * 1.5 / 6) / 7),
        ("AUC(max_fpr=1)", [1.5 / 6, 0, NAN], 1.5 / 12),
        # Over all 6 others: a of q (4.0) beats c, c, b and z, ties with y; a of r (1.0) beats b and z, ties c.
        ("AUC(pairs='all')", [4.5 / 12, 2.5 / 6, NAN], 7 / 18),
        ("AUC(pairs='all', missed='ignore')", [3.5 / 5, 1.5 / 5, NAN], 5 / 10),
        ("AUPRC", [1 / 3 / 2, 1 / 3, 0], (1 / 6 + 1 / 3) / 3),
    ],
)  # fmt: skip
def test_areas_of_queries(name, values, mean):
    result = rs.evaluate(JUDGED, RUN, name)
    assert result.values(name).tolist() == pytest.approx(values, rel=1e-14, nan_ok=True)
    assert result[name] == pytest.approx(mean, rel=1e-14)


def test_documents_of_one_kind_may_be_an_error():
    with pytest.raises(rs.DataError) as caught:
        rs.evaluate(JUDGED, RUN, "AUC(single_class='error')")
    assert str(caught.value) == (
        "query 's' has documents of one kind only, so AUC(single_class='error') is undefined for "
        "it. Remove the query, or choose another single_class."
    )
    both = {q: JUDGED[q] for q in "qr"}
    name = "AUC(single_class='error')"
    assert rs.evaluate(both, RUN, name).values(name).tolist() == [0.25, 0]
    relevant = {"q": {"a": 1}}
    with pytest.raises(rs.DataError, match="query 'q' has documents of one kind only"):
        rs.evaluate(relevant, {"q": {"a": 1.0}}, "AUC(single_class='error')")


@pytest.mark.parametrize(
    ("others", "max_fpr", "area"),
    [
        ((9.0, 5.0, 5.0, 1.0), 0.5, 0.25**2 / (2 * 0.5)),  # along the line from 1/4 to 3/4
        ((9.0, 5.0, 5.0, 1.0), 0.875, 0.5 / 2 + 0.125),
        ((9.0, 5.0, 5.0, 1.0), 0.125, 0),
        ((9.0, 1.0, 1.0, 1.0), 0.5, 0.25),
        ((5.0,), 0.5, 0.5**2 / 2),
        ((9.0, 5.0), 0.75, 0.25**2 / (2 * 0.5)),
    ],
)
def test_partial_areas_with_ties(others, max_fpr, area):
    judged = {"q": {"a": 1} | {f"x{i}": 0 for i in range(len(others))}}
    run = {"q": {"a": 5.0} | {f"x{i}": score for i, score in enumerate(others)}}
    least = max_fpr**2 / 2
    name = f"AUC(max_fpr={max_fpr})"
    value = 0.5 * (1 + (area - least) / (max_fpr - least))
    assert rs.evaluate(judged, run, name)[name] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("judged", [{"a": 1, "b": 1}, {"a": 0, "b": 0}])
@pytest.mark.parametrize("name", ["AUC(max_fpr=0.5)", "AUC(max_fpr=1)", "AUC"])
def test_documents_of_one_kind_have_no_area(judged, name):
    result = rs.evaluate({"q": judged}, {"q": {"a": 2.0, "b": 1.0}}, name)
    assert math.isnan(result.values(name)[0])


def test_the_whole_area_is_counted_in_pairs():
    judged = {"q": {"a": 1, "b": 1, "x": 0, "y": 0, "z": 0}}
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0, "y": 1.0, "z": 0.0}}
    for name in ("AUC", "AUC(max_fpr=1)"):
        found = rs.explain(name, judged, run)
        assert sorted(step.term for step in found.steps) == [0, 0, 0, 1.5, 2]
        assert (found.total, found.denominator, found.value) == (3.5, 6, 7 / 12)


def test_a_partial_area_counts_what_was_missed():
    judged = {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}
    result = rs.evaluate(judged, {"q": {"a": 2.0, "x": 1.0}}, "AUC(max_fpr=0.5)")
    area, least = 0.5 * 0.5, 0.5**2 / 2  # half of the relevant documents, from the start on
    assert result["AUC(max_fpr=0.5)"] == pytest.approx(0.5 * (1 + (area - least) / (0.5 - least)))
