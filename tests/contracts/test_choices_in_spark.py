"""Each choice inside Spark: the outcome of the same evaluation here, or an error that says why not."""

import pytest
from choice_cases import CASES, EXCLUDED
from spark_session import require_spark, spark_session

import rankstone as rs
from rankstone.choices.setup import VERBS

pytestmark = [
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


def frame(spark, data, number):
    pairs = {
        q: d.items() if isinstance(d, dict) else ((doc, 1.0) for doc in d) for q, d in data.items()
    }
    rows = [(q, doc, float(value)) for q, own in pairs.items() for doc, value in own]
    return spark.createDataFrame(rows, f"query string, doc string, {number} double")


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c.choice not in ("parents", "duplicates", "rank_by")],
    ids=lambda c: c.choice,
)
def test_a_choice_is_obeyed_or_refused_in_spark(case):
    require_spark()
    spark = spark_session()
    judged, run = case.data
    options = dict(case.options)
    if "exclude" in options:
        options["exclude"] = frame(spark, EXCLUDED, "grade")
    here = rs.evaluate(judged, run, case.measure, **case.options)
    call = (frame(spark, judged, "grade"), frame(spark, run, "score"), case.measure)
    done = rs_spark().evaluate(*call, spark=spark, **options)
    assert done[case.measure] == here[case.measure]
    assert case.choice in done.summary.choices_in_words()
    done.unpersist()


def rs_spark():
    from rankstone import spark

    return spark


def test_choices_that_spark_does_not_take_are_refused():
    require_spark()
    for name in {n for names in VERBS.values() for n in names} - set(VERBS["spark.evaluate"]):
        with pytest.raises(rs.UsageError, match=f"{name}= goes with .*, not with spark.evaluate"):
            rs_spark().evaluate(None, None, "RR", **{name: None})
