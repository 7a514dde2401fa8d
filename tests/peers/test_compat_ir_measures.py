"""``rankstone.compat.ir_measures`` against ir_measures: measures, inputs, and as its provider."""

import math
import random
import warnings

import pandas as pd
import pytest

import rankstone as rs
from peers import compare
from peers.ir_measures import ACCEPTS
from rankstone.compat import ir_measures as ours

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ir_measures as theirs

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::SyntaxWarning"),
]

MEASURES = [
    "AP", "AP@5", "AP(rel=2)", "AP(judged_only=True)", "MAP@3", "nDCG", "nDCG@5", "NDCG@3",
    "nDCG(gains={0:0,1:2,2:5})@5", "nDCG(gains={1:3})", "nDCG(judged_only=True)@5", "nDCG(dcg='log2')@2",
    "P@1", "P(rel=2)@5", "P(rel=2,judged_only=True)@5", "Precision@3", "R@5", "R(rel=2)@5", "Recall@2",
    "R(judged_only=True)@2", "RR", "RR@2", "RR(rel=2)", "RR(rel=2)@3", "RR(judged_only=True)", "MRR@5",
    "Rprec", "Rprec(rel=2)", "RPrec(judged_only=True)", "Bpref", "BPref(rel=2)", "infAP", "infAP(rel=2)",
    "Success@1", "Success(rel=2)@5", "Success(judged_only=True)@3", "IPrec@0.5", "IPrec(rel=2)@0.1",
    "IPrec(judged_only=True)@0.3", "SetP", "SetP(rel=2)", "SetP(relative=True)", "SetP(relative=False)",
    "SetP(rel=2,relative=True)", "SetP(relative=True,judged_only=True)", "SetRelP", "SetR",
    "SetR(rel=2)", "SetF", "SetF(beta=0.5)", "SetF(rel=2,beta=2.0)", "SetAP", "SetAP(rel=2)",
    "SetAP(judged_only=True)", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRelRet", "NumRel", "NumQ",
    "Judged@3", "Judged", "RBP(rel=1)", "RBP(rel=2,p=0.5)",
]  # fmt: skip


def collection(seed):
    """A random collection that every provider takes, and whose grades are whole."""
    qrels, run = compare.draw(random.Random(seed), ACCEPTS)
    return {q: {d: int(g) for d, g in docs.items()} for q, docs in qrels.items()}, run


def values(module, measure, qrels, run):
    measure = module.parse_measure(measure)
    aggregated, per_query = module.calc([measure], qrels, run)
    return aggregated[measure], {m.query_id: m.value for m in per_query}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_numbers_are_the_same(measure):
    for seed in range(40):
        qrels, run = collection(seed)
        mean, per_query = values(theirs, measure, qrels, run)
        our_mean, our_values = values(ours, measure, qrels, run)
        whole = {q: 0.0 if math.isnan(v) else v for q, v in per_query.items()}  # 0 / 0 there
        assert our_values == pytest.approx(whole, abs=1e-12), seed
        if whole == per_query:
            assert our_mean == pytest.approx(mean, abs=1e-12), seed


def test_one_measure_in_two_ways_beside_each_other():
    """P@5 with and without unjudged documents is one measure under different conventions."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    asked = [ours.parse_measure(m) for m in ("RR", "RR(judged_only=True)")]
    assert list(ours.calc_aggregate(asked, qrels, run).values()) == [0.5, 1.0]
    assert ours.SetP(relative=True).calc_aggregate(qrels, run) == 1.0


DICTS = (
    {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"z": 1}},
    {"q1": {"b": 3.0, "a": 2.5, "x": 2.0, "c": 1.0}, "q2": {"x": 1.0, "a": 1.0}, "q9": {"a": 1.0}},
)
ASKED = ["nDCG@3", "AP", "P(rel=2)@2", "RR(judged_only=True)"]


def rows(module):
    qrels, run = DICTS
    return (
        [module.Qrel(q, d, g) for q, docs in qrels.items() for d, g in docs.items()],
        [module.ScoredDoc(q, d, s) for q, docs in run.items() for d, s in docs.items()],
    )


def files(folder):
    qrels, run = rows(ours)
    (folder / "qrels.txt").write_text("".join(f"{r[0]} 0 {r[1]} {r[2]}\n" for r in qrels))
    (folder / "run.txt").write_text("".join(f"{r[0]} Q0 {r[1]} 0 {r[2]} tag\n" for r in run))
    return folder / "qrels.txt", folder / "run.txt"


def test_every_input_gives_what_dicts_give(tmp_path):
    measures = [ours.parse_measure(m) for m in ASKED]
    expected = ours.calc_aggregate(measures, *DICTS)
    real = theirs.calc_aggregate([theirs.parse_measure(m) for m in ASKED], *DICTS)
    assert {str(m): v for m, v in expected.items()} == pytest.approx(
        {str(m): v for m, v in real.items()}
    )
    qrels, run = files(tmp_path)
    read = ours.read_trec_qrels(str(qrels)), ours.read_trec_run(str(run))
    with qrels.open() as lines:
        opened = ours.read_trec_qrels(lines), ours.read_trec_run(run.read_text())
    for inputs in (
        rows(ours),
        rows(theirs),
        (iter(rows(ours)[0]), iter(rows(ours)[1])),
        (pd.DataFrame(rows(ours)[0]), pd.DataFrame(rows(ours)[1])),
        (pd.DataFrame(rows(ours)[0]), DICTS[1]),
        (str(qrels), run),
        read,
        read,  # a second time: nothing was used up
        opened,
    ):
        assert ours.calc_aggregate(measures, *inputs) == expected
    for name, found in zip(("qrels", "run"), read, strict=True):
        path = str(tmp_path / f"{name}.txt")
        assert list(found) == list(getattr(theirs, f"read_trec_{name}")(path))


def test_an_evaluator_serves_several_runs():
    evaluator = ours.evaluator([ours.AP, "RR@10"], DICTS[0])
    first = evaluator.calc_aggregate(DICTS[1])
    assert evaluator.calc_aggregate({"q1": {"a": 1.0}}) != first
    assert evaluator.calc_aggregate(DICTS[1]) == first
    assert ours.AP.calc_aggregate(*DICTS) == first[ours.AP]
    assert list(ours.AP.iter_calc(*DICTS)) == ours.AP.calc(*DICTS).per_query
    assert (ours.RR @ 10).calc(*DICTS).aggregated == first[ours.RR @ 10]


@pytest.mark.parametrize("run", [{}, [], {"other": {"a": 1.0}}], ids=["none", "no rows", "others"])
def test_a_run_without_a_judged_query_is_0(run):
    for measure in ("AP", "NumRet", "P@5"):
        assert values(ours, measure, DICTS[0], run) == values(theirs, measure, DICTS[0], run)


def test_measures_are_values():
    assert ours.MAP is not None
    assert ours.parse_measure("MRR@10") == ours.RR @ 10
    assert ours.nDCG(cutoff=5) == ours.nDCG @ 5
    assert len({ours.P @ 5, ours.P(cutoff=5), ours.P @ 10}) == 2
    for text in (
        "AP",
        "AP(rel=2)",
        "nDCG@20",
        "P(rel=2)@10",
        "nDCG(dcg='exp-log2')@5",
        "IPrec@0.5",
    ):
        assert str(ours.parse_measure(text)) == str(theirs.parse_measure(text)) == text


def test_names_of_trec_eval_are_read_alike(capsys):
    import pytrec_eval

    names = {*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames} - {"runid"}
    names |= {"P.3,8", "ndcg_cut_7", "recall_2", "success_4", "iprec_at_recall_0.25", "map_5"}
    names |= {"set_F.2", "set_F.0.5,2.4", "set_F_3", "Rprec_mult.0.2", "set_P.2", "nonsense"}
    known = 0
    for name in sorted(names):
        try:
            real = theirs.parse_trec_measure(name)
        except ValueError:
            with pytest.raises(ValueError, match="no measure|has no parameter|unsupported"):
                ours.parse_trec_measure(name)
            continue
        assert list(map(str, ours.parse_trec_measure(name))) == list(map(str, real)), name
        known += 1
    assert known > 20


def test_a_parameter_behind_a_name_of_trec_eval_counts():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "b": 2.0, "x": 1.0, "y": 0.5}}
    # P = 2/4 and R = 2/2; with trec_eval's parameter b, F is (1 + b) P R / (b P + R).
    (f,) = ours.parse_trec_measure("set_F.2")
    assert ours.calc_aggregate([f], qrels, run)[f] == pytest.approx(3 * 0.5 / (2 * 0.5 + 1))


def test_the_names_are_those_of_ir_measures():
    namespace = {}
    exec("from rankstone.compat.ir_measures import *", namespace)
    assert set(ours.__all__) == namespace.keys() - {"__builtins__"}
    assert set(ours.__all__) <= set(theirs.__all__)
    measures = {n for n in theirs.__all__ if isinstance(getattr(theirs, n), theirs.Measure)}
    assert measures - set(ours.__all__) == {"Accuracy"}
    assert str(namespace["MAP"] @ 5) == str(theirs.MAP @ 5) == "AP@5"


@pytest.mark.parametrize(
    ("measure", "error", "message"),
    [
        ("Accuracy@5", NameError, "'Accuracy' is not a measure"),
        ("P(5)", ValueError, "cannot read the measure"),
        ("P@", ValueError, "cannot read the measure"),
        ("P(cut=5)", ValueError, "P has no parameter 'cut'"),
        ("P@0", ValueError, "must be at least 1"),
        ("RBP(p=0.8)", ValueError, "RBP needs rel="),
        ("nDCG(dcg='exp')@5", ValueError, "unknown value of dcg"),
    ],
)
def test_bad_measures_teach(measure, error, message):
    with pytest.raises(error) as caught:
        ours.calc_aggregate([measure], *DICTS)
    assert isinstance(caught.value, rs.UsageError)
    assert message in str(caught.value)


def test_bad_data_teaches():
    with pytest.raises(rs.UsageError, match="rows must have query_id, doc_id and relevance"):
        ours.calc_aggregate([ours.AP], [("q", "d", 1)], DICTS[1])
    with pytest.raises(rs.DataError, match="line 2: expected 'query iteration document grade'"):
        ours.read_trec_qrels("q 0 d 1\nq 0 d\n")
    with pytest.raises(
        AttributeError,
        match="not a measure of ir_measures that is here: its mean depends on which other",
    ):
        _ = ours.Accuracy


@pytest.fixture
def provider():
    from rankstone.compat import ir_measures_provider

    ir_measures_provider.install()
    yield ir_measures_provider
    ir_measures_provider.uninstall()


def refuse(*args, **kwargs):
    raise AssertionError("another provider was asked")


def test_as_a_provider_rankstone_answers_for_ir_measures(provider, monkeypatch):
    expected = {}
    provider.uninstall()
    measures = [theirs.parse_measure(m) for m in MEASURES]
    for seed in range(5):
        # One at a time: in one call, its counts may be those of another measure's judged_only.
        data = collection(seed)
        expected[seed] = {m: theirs.calc_aggregate([m], *data)[m] for m in measures}
    provider.install()
    for other in theirs.DefaultPipeline.providers[1:]:
        monkeypatch.setattr(other, "_evaluator", refuse)
    for seed, real in expected.items():
        found = theirs.calc_aggregate(measures, *collection(seed))
        for measure in measures:
            if not math.isnan(real[measure]):  # 0 / 0 there
                assert found[measure] == pytest.approx(real[measure], abs=1e-12), measure


def test_what_rankstone_lacks_is_left_to_the_other_providers(provider):
    measures = [theirs.AP, theirs.Compat(p=0.9), theirs.Accuracy]
    found = theirs.calc_aggregate(measures, *DICTS)
    provider.uninstall()
    assert found == pytest.approx(theirs.calc_aggregate(measures, *DICTS))
    assert provider.RankstoneProvider().supports(theirs.AP @ 5)
    for measure in (theirs.Accuracy, theirs.RBP):
        assert not provider.RankstoneProvider().supports(measure)


def test_the_provider_can_be_asked_for_by_name(provider):
    provider.uninstall()
    own = theirs.providers.registry["rankstone"]
    real = theirs.calc_aggregate([theirs.AP, theirs.RR @ 2], *DICTS)
    assert own.calc_aggregate([theirs.AP, theirs.RR @ 2], *DICTS) == pytest.approx(real)
    assert sum(p is own for p in theirs.DefaultPipeline.providers) == 0
