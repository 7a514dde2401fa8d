"""``rankstone trec_eval``: options, output, exit codes, and what is refused."""

import io
import random
import subprocess
import sys
from itertools import permutations

import numpy as np
import pytest

import rankstone as rs
from rankstone.cli import main as rankstone
from rankstone.cli.trec_eval import main
from rankstone.tools.trec_eval import lines, nicknames

QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq1 0 p -1\nq2 0 a 1\nq10 0 a 1\nq10 0 b 0\n"
RUN = (
    "q1 Q0 a 1 3 tag1\nq1 Q0 x 2 2.5 tag1\nq1 Q0 p 3 2.25 tag1\nq1 Q0 c 4 2 tag1\n"
    "q10 Q0 b 1 1 tag1\nq10 Q0 a 2 0.5 last\n"
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def shown(capsys, *argv):
    code = main(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def values(out):
    rows = [line.split("\t") for line in out.splitlines()]
    return {(label.strip(), query): value for label, query, value in rows}


def test_the_official_measures(files, capsys, engine):
    code, out, err = shown(capsys, *files)
    assert (code, err) == (0, "")
    assert out.splitlines()[:7] == [
        "runid                 \tall\tlast",
        "num_q                 \tall\t2",
        "num_ret               \tall\t6",
        "num_rel               \tall\t3",
        "num_rel_ret           \tall\t3",
        "map                   \tall\t0.6250",
        "gm_map                \tall\t0.6124",
    ]
    assert len(out.splitlines()) == 30


def test_queries_stand_in_the_order_of_their_bytes(files, capsys):
    _, out, _ = shown(capsys, "-q", "-n", "-m", "map", "-m", "relstring", *files)
    assert out.splitlines() == [
        "map                   \tq1\t0.7500",
        "relstring             \tq1\t'1-.2'",
        "map                   \tq10\t0.5000",
        "relstring             \tq10\t'01'",
    ]


def test_missing_queries(files, capsys):
    """Left out unless -c; version 10 does not go on, and with -c prints them."""
    asked = ["-q", "-m", "map", "-m", "num_q", *files]
    assert values(shown(capsys, *asked)[1])["num_q", "all"] == "2"
    code, out, err = shown(capsys, "--compat", "10.0", *asked)
    assert (code, out) == (4, "")
    assert "1 judged query not in the run (for example 'q2')" in err
    for more, printed in ([], True), (["--compat", "9.0.8"], False), (["--compat=10.0"], True):
        found = values(shown(capsys, "-c", *more, *asked)[1])
        assert found["num_q", "all"] == "3"
        assert found["map", "all"] == "0.4167"
        assert (("map", "q2") in found) == printed


def test_options_are_read_as_getopt_reads_them(files, capsys):
    plain = shown(capsys, "-q", "-c", "-l", "2", "-M", "3", "-m", "P.1,2", *files)
    for options in (
        ["-qcl2", "-M3", "-mP.1,2", *files],
        [files[0], "-q", files[1], "-c", "-M", "3", "-l2", "-m", "P.2,1"],
        ["--query_eval", "--complete", "--level=2", "--Max=3", "--measure", "P.1,2", "--", *files],
        ["-o", "-T", "trec_results", "-R", "qrels", "-qc", "-l2", "-M3", "-m", "P.1,2", *files],
    ):
        assert shown(capsys, *options) == plain
    assert plain[0] == 0


def test_parameters_stand_in_the_names(files, capsys):
    asked = ["-mP.7,3", "-m", "set_F.2", "-m", "utility.2,-1,0,0", "-m", "ndcg.1=3,2=9"]
    asked += ["-m", "iprec_at_recall..5", "-m", "11pt_avg.0,.5,1", "-m", "relstring.2", "-n", "-q"]
    _, out, _ = shown(capsys, *asked, *files)
    labels = [line.split("\t")[0].strip() for line in out.splitlines() if "\tq10\t" in line]
    assert labels == [
        "iprec_at_recall_0.50",
        "P_3",
        "P_7",
        "relstring_2",
        "utility_2,-1,0,0",
        "11pt_avg_0,.5,1",
        "ndcg_1=3,2=9",
        "set_F_2",
    ]


def test_a_table_of_gains_keeps_the_grades_it_does_not_list(files, capsys):
    _, out, _ = shown(capsys, "-q", "-m", "ndcg.1=3", *files)
    ranked = rs.evaluate(*files, ["nDCG(gain={1: 3, 2: 2})"]).per_query["q1"]
    assert values(out)["ndcg_1=3", "q1"] == f"{ranked['nDCG(gain={1: 3, 2: 2})']:.4f}"


def test_a_gain_for_grade_0_counts_in_a_query_without_relevant_documents(tmp_path, capsys):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 0\nq 0 c 0\n")
    run.write_text("q Q0 x 1 3 t\nq Q0 a 2 2 t\n")
    names = ("ndcg", "G", "ndcg_rel", "Rndcg")
    wanted = [part for name in names for part in ("-m", f"{name}.0=1,1=4")]
    _, out, _ = shown(capsys, *wanted, str(qrels), str(run))
    # What trec_eval 10 prints; it looks for relevant documents in Rndcg.
    found = {label.partition("_0=")[0]: value for (label, _), value in values(out).items()}
    assert found == {"ndcg": "0.3869", "G": "0.3155", "ndcg_rel": "0.3869", "Rndcg": "0.0000"}


def test_only_judged_documents(files, capsys):
    found = values(shown(capsys, "-J", "-q", "-m", "num_ret", "-m", "map", *files)[1])
    assert (found["num_ret", "q1"], found["map", "q1"]) == ("2", "1.0000")


def test_one_query_alone(files, capsys):
    found = values(shown(capsys, "-D", "1.q10", "-m", "num_q", "-m", "map", *files)[1])
    assert found == {("num_q", "all"): "1", ("map", "all"): "0.5000"}
    assert shown(capsys, "-D0.q99", *files)[0] == 7


def test_deviations_from_means(files, capsys, tmp_path):
    (tmp_path / "z").write_text("q1 map 0.5 0.25\nq10 map 0.5 0\nq1 num_ret 3 2\n")
    asked = ["-q", "-m", "map", "-m", "num_ret", "-Z", str(tmp_path / "z"), *files]
    found = values(shown(capsys, *asked)[1])
    assert found["Zmap", "q1"] == "1.0000"
    assert found["Zmap", "q10"] == "0.0000"
    assert found["Znum_ret", "q1"] == "0.5000"
    assert found["Znum_ret", "q10"] == "-1000000.0000"


def test_standard_input(files, capsys, monkeypatch):
    with open(files[1], "rb") as run:
        done = subprocess.run(
            [sys.executable, "-m", "rankstone", "trec_eval", "-m", "runid", files[0], "-"],
            stdin=run,
            capture_output=True,
            check=True,
        )
    assert done.stdout == b"runid                 \tall\tlast\n"


def test_the_command_is_reached_through_rankstone(files, capsys):
    assert rankstone(["trec_eval", "-m", "map", *files]) == 0
    assert capsys.readouterr().out == "map                   \tall\t0.6250\n"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-m", "nonsense"], 1, "trec_eval has no measure 'nonsense'"),
        (["-m", "ndgc"], 1, "Did you mean ndcg?"),
        (["-m", "P."], 1, "parameters are missing after the dot"),
        (["-m", "P.5,5"], 1, "a cutoff is given twice"),
        (["-m", "P.0"], 1, "must be at least 1"),
        (["-m", "ndcg_cut.23.4"], 1, "'23.4' is not a whole number"),
        (["-m", "ndcg.1"], 1, "write gains as grade=gain"),
        (["-m", "utility.1,2"], 1, "wrong number of parameters"),
        (["--compat", "9.0.8", "-m", "rbp"], 1, "trec_eval has no measure 'rbp'"),
        (["-l", "x"], 1, "-l takes a whole number, not 'x'"),
        (["-l", "0"], 1, "-l must be at least 1"),
        (["-x"], 1, "option -x not recognized"),
        (["--compat", "8"], 1, "'8' is not one of 9.0.8, 10.0"),
        (["-R", "runs"], 2, "'runs' is not one of qrels"),
        (["-Z", "nowhere"], 2, "nowhere: No such file"),
        (["-R", "prefs", "-m", "map"], 4, "map needs '-R qrels', not prefs"),
        (["-m", "map_avgjg"], 4, "map_avgjg needs '-R qrels_jg', not qrels"),
        (["third"], 1, "give judgments and a run, not 3 files"),
    ],
)
def test_what_is_refused_says_why(files, capsys, options, code, message):
    found, out, err = shown(capsys, *options, *files)
    assert (found, out) == (code, "")
    assert err.startswith("rankstone trec_eval: ")
    assert message in err


@pytest.mark.parametrize(
    ("qrels", "run", "code", "message"),
    [
        ("q1 0 a 1.5\n", RUN, 2, "the grade 1.5 of document 'a' is not a whole number"),
        ("q1 0 a 1\nq1 0 a 1\n", RUN, 4, "repeated judgment"),
        (QRELS, "q1 Q0 a 1 1 t\nq1 Q0 a 2 2 t\n", 4, "document 'a' is ranked more than once"),
        (QRELS, "q1 Q0 a 1 1.2abc t\n", 2, "'1.2abc' is not a number"),
        (QRELS, "q9 Q0 a 1 1 t\n", 7, "no query is both judged and in the run"),
        (QRELS, "", 2, "empty"),
    ],
)
def test_data_is_refused_rather_than_misread(tmp_path, capsys, qrels, run, code, message):
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    found, out, err = shown(capsys, str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert (found, out) == (code, "")
    assert message in err


def test_lenient_reads_numbers_as_c_does(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 a 1.9\nq 0 b 0.9\n")
    (tmp_path / "run").write_text("q Q0 a 1 1.2abc t and more\nq Q0 b 2 1.5e t\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    asked = ["-q", "-n", "-m", "relstring", "-m", "ndcg_cut.2.9", "--lenient"]
    code, out, _ = shown(capsys, *asked, *files)
    assert code == 0
    assert values(out)["relstring", "q"] == "'01'"
    assert ("ndcg_cut_2", "q") in values(out)


def test_help_and_version(capsys):
    code, out, _ = shown(capsys, "-h", "-m", "bpref", "-m", "P.5")
    assert code == 0
    assert "Exit codes" in out
    assert "Binary preference" in out
    code, out, err = shown(capsys, "-v")
    assert (code, out) == (0, "")
    assert f"rankstone {rs.__version__}" in err


def test_the_table_is_trec_evals():
    assert len(lines(9)) == 53 - 1
    assert len(lines(10)) == 57
    assert set(lines(10)) - set(lines(9)) == {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}
    assert {n: len(names) for n, names in nicknames(9).items()} == {
        "official": 12,
        "all_trec": 34,
        "set": 11,
        "prefs": 8,
        "all_prefs": 16,
        "qrels_jg": 5,
    }


PREFS = "q u1 s1 a 3\nq u1 s1 b 2\nq u1 s1 c 1\nq u1 s2 b 5\nq u1 s2 d 4\nq u2 s a 0\nq u2 s c 1\n"


def test_preferences_of_several_people(tmp_path, capsys):
    """u1 prefers a>b, a>c, b>c, b>d and so a>d; u2 prefers c>a. The run is b a c."""
    (tmp_path / "prefs").write_text(PREFS)
    (tmp_path / "run").write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\nq Q0 z 4 9 t\n")
    files = [str(tmp_path / "prefs"), str(tmp_path / "run")]
    found = values(shown(capsys, "-R", "prefs", "-m", "all_prefs", *files)[1])
    wanted = {
        "prefs_num_prefs_poss": "6",
        "prefs_num_prefs_ful": "4",
        "prefs_num_prefs_ful_ret": "2",
        "prefs_simp": f"{4 / 6:.4f}",
        "prefs_pair": f"{(0 + 0.5 + 1 + 1 + 1) / 5:.4f}",
        "prefs_avgjg": f"{(4 / 5 + 0) / 2:.4f}",
        "prefs_simp_ret": f"{2 / 4:.4f}",
    }
    assert {n: found[n, "all"] for n in wanted} == wanted


def test_preferences_of_three_sessions_form_a_chain(tmp_path, capsys):
    """From a>b, b>c and c>d follow a>c, b>d and a>d; the run d c b a keeps none of the six."""
    (tmp_path / "prefs").write_text(
        "q u s1 a 2\nq u s1 b 1\nq u s2 b 2\nq u s2 c 1\nq u s3 c 2\nq u s3 d 1\n"
    )
    (tmp_path / "run").write_text("".join(f"q Q0 {d} 0 {i} t\n" for i, d in enumerate("abcd")))
    files = [str(tmp_path / "prefs"), str(tmp_path / "run")]
    found = values(shown(capsys, "-R", "prefs", "-m", "all_prefs", *files)[1])
    assert found["prefs_num_prefs_poss", "all"] == "6"
    assert found["prefs_num_prefs_ful", "all"] == "0"


def test_preferences_of_one_query_do_not_depend_on_others(tmp_path, capsys):
    run = "q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\nq Q0 z 4 9 t\n"
    (tmp_path / "prefs").write_text(PREFS + PREFS.replace("q ", "r "))
    (tmp_path / "run").write_text(run + run.replace("q ", "r "))
    files = [str(tmp_path / "prefs"), str(tmp_path / "run")]
    found = values(shown(capsys, "-q", "-R", "prefs", "-m", "all_prefs", *files)[1])
    own = {query: {n: v for (n, q), v in found.items() if q == query} for query in "qr"}
    assert len(own["q"]) > 10
    assert own["q"] == own["r"]
    assert own["q"]["prefs_simp"] == f"{4 / 6:.4f}"


@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
def test_documents_of_the_pool_mix_with_relevant_ones_in_the_best_order(rule):
    """Of all orders of a tie, infAP takes the best or the worst, whatever is in the tie."""
    best = {"optimistic": max, "pessimistic": min}[rule]
    rng = random.Random(5)
    for _ in range(40):
        docs = "abcde"[: rng.randint(2, 5)]
        judged = {d: rng.choice([-1, -1, 0, 1, 1, 2]) for d in docs if rng.random() < 0.9}
        judged |= {"x": 1, "y": rng.choice([-1, 0, 1])}
        below = {"y": 1.0, "x": 0.5}
        above = {"z": 3.0} if rng.random() < 0.5 else {}
        values = [
            rs.evaluate(
                {"q": judged},
                {"q": {**above, **dict.fromkeys(order, 2.0), **below}},
                "infAP",
                ties="input",
            )["infAP"]
            for order in permutations(docs)
        ]
        run = {"q": {**above, **dict.fromkeys(docs, 2.0), **below}}
        found = rs.evaluate({"q": judged}, run, "infAP", ties=rule)["infAP"]
        assert found == pytest.approx(best(values), abs=1e-15)


def test_a_cut_keeps_a_document_of_the_pool_at_its_last_rank(tmp_path, capsys):
    """Half of the one document above r's relevant one counts: 1/2 + 1/2 * 1/2."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 p -1\nr 0 a 1\nr 0 p -1\n")
    (tmp_path / "run").write_text(
        "q Q0 a 1 3 t\nq Q0 p 2 2 t\nq Q0 x 3 1 t\nr Q0 p 1 3 t\nr Q0 a 2 2 t\n"
    )
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    found = values(shown(capsys, "-q", "-M", "2", "-m", "infAP", *files)[1])
    assert (found["infAP", "q"], found["infAP", "r"]) == ("1.0000", "0.7500")


@pytest.mark.parametrize(("rule", "order"), [("optimistic", "a ( b d"), ("pessimistic", "b ( a d")])
def test_ranks_of_a_tie_with_the_pool_stay_within_the_tie(rule, order):
    run = {"q": {"b": 2.0, "a": 2.0, "c": 2.0, "d": 1.0}}
    judged = {"q": {"a": 1, "b": 0, "c": -1, "d": 1}}
    text = str(rs.explain("infAP", judged, run, query="q", ties=rule))
    rows = [line.split()[:2] for line in text.splitlines() if line[:4].strip().isdigit()]
    assert [rank for rank, _ in rows] == ["1", "2", "3", "4"]
    assert [doc[0] for _, doc in rows] == order.split()


@pytest.mark.parametrize(
    "prefs",
    [
        "q u s1 a 2\nq u s1 b 1\nq u s2 b 2\nq u s2 a 1\n",
        "q u s a 2\nq u s b 1\nq u s a 1\n",  # a over itself, in a single session
        "q u s1 a 2\nq u s1 b 1\nq u s2 b 2\nq u s2 c 1\nq u s3 c 2\nq u s3 a 1\n",
    ],
)
def test_people_who_contradict_themselves_are_an_error(tmp_path, capsys, prefs):
    (tmp_path / "prefs").write_text(prefs)
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    files = [str(tmp_path / "prefs"), str(tmp_path / "run")]
    code, _, err = shown(capsys, "-R", "prefs", "-m", "prefs", *files)
    assert code == 4
    assert "contradict each other for query 'q'" in err


def test_judgments_of_groups_are_averaged(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q u1 a 1\nq u1 b 0\nq u2 b 1\nr u1 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\nr Q0 a 1 1 t\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    found = values(shown(capsys, "-q", "-R", "qrels_jg", "-m", "qrels_jg", *files)[1])
    assert found["map_avgjg", "q"] == "0.7500"
    assert found["map_avgjg", "all"] == "0.8750"
    assert found["num_q", "all"] == "2"
    assert found["P_avgjg_5", "r"] == "0.2000"


@pytest.mark.parametrize(
    ("levels", "message"), [("q u a\n", "expected 4 fields"), ("q u a x\n", "is not a number")]
)
def test_files_of_groups_are_checked(tmp_path, capsys, levels, message):
    (tmp_path / "qrels").write_text(levels)
    (tmp_path / "run").write_text("q Q0 a 1 2 t\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    code, _, err = shown(capsys, "-R", "qrels_jg", "-m", "qrels_jg", *files)
    assert code == 2
    assert f"{files[0]}:1:" in err
    assert message in err


def test_a_pooled_document_without_a_judgment_counts_in_inferred_precision():
    """At rank 3, two documents above: one of the pool, not judged, and one outside it."""
    run = {"q": {"p": 3.0, "x": 2.0, "a": 1.0}}
    got = rs.evaluate({"q": {"a": 1, "p": -1}}, run, ["infAP"])["infAP"]
    assert got == pytest.approx(1 / 3 + 2 / 3 * (1 / 2) * (1e-5 / 2e-5))
    without = rs.evaluate({"q": {"a": 1}}, run, ["infAP"])["infAP"]
    assert without == pytest.approx(1 / 3)


def test_sums_added_in_order_differ_in_the_last_digits_only():
    rng = np.random.default_rng(0)
    judgments = {"q": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 3, 300))}}
    run = {"q": {f"d{i}": float(s) for i, s in enumerate(rng.random(300))}}
    for name in ("AP", "nDCG", "DCG", "Bpref", "F"):
        exact = rs.evaluate(judgments, run, [name])[name]
        plain = rs.evaluate(judgments, run, [name], sums="plain")[name]
        assert plain == pytest.approx(exact, rel=1e-13)


def test_output_for_many_queries_is_written_in_parts():
    from rankstone.tools.trec_eval import Line
    from rankstone.verbs.trec_eval.columns import Column
    from rankstone.verbs.trec_eval.values import lines, row_of

    share, count = (
        Column("x%", Line(name="x"), rs.AP),
        Column("n", Line(name="n", integer=True), rs.AP),
    )
    rows = [row_of(share, np.arange(700) / 700, zscore=False),
            row_of(count, np.arange(700.0), zscore=False)]  # fmt: skip
    text = "".join(lines(rows, [f"q%s{i}" for i in range(700)]))
    expected = io.StringIO()
    for i in range(700):
        expected.write(f"{'x%':<22}\tq%s{i}\t{i / 700:6.4f}\n{'n':<22}\tq%s{i}\t{i}\n")
    assert text == expected.getvalue()
