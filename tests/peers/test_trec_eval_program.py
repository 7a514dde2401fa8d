"""``rankstone trec_eval`` against the program itself, where it is at hand.

Set RANKSTONE_TREC_EVAL_9 and RANKSTONE_TREC_EVAL_10 to folders with a built checkout of trec_eval
9.0.8 and 10.0. Its own expected outputs are compared to the byte, and so is what the two print
on random collections.
"""

import os
import random
import subprocess
from pathlib import Path

import pytest

from rankstone.cli.trec_eval import main

CHECKOUTS = {
    version: os.environ.get(f"RANKSTONE_TREC_EVAL_{version.split('.')[0]}")
    for version in ("9.0.8", "10.0")
}

MANY = (
    "-miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 "
    "-msuccess.2,5,20"
)
#: Expected output, options, judgments, run. ``--lenient``: results.trunc has words after the tag,
#: and 23.4 is no cut-off.
OWN = [
    ("out.test", "", "qrels.test", "results.test"),
    ("out.test", "", "qrels.test.with-comments", "results.test"),
    ("out.comment.test", "", "qrels.comment.test", "results.comment.test"),
    ("out.test.a", "-m all_trec", "qrels.test", "results.test"),
    ("out.test.aq", "-m all_trec -q", "qrels.test", "results.test"),
    ("out.test.aqc", "--lenient -m all_trec -q -c", "qrels.test", "results.trunc"),
    ("out.test.aqcM", "--lenient -m all_trec -q -c -M100", "qrels.test", "results.trunc"),
    ("out.test.aql", "-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level", "results.test"),
    ("out.test.prefs", "-m all_prefs -q -R prefs", "prefs.test", "prefs.results.test"),
    ("out.test.prefs", "-m all_prefs -q -R prefs", "prefs.comment.test", "prefs.results.test"),
    ("out.test.qrels_prefs", "-m all_prefs -q -R qrels_prefs", "qrels.test", "results.test"),
    ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg", "qrels.123", "results.test"),
    ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg", "qrels.comments.123", "results.test"),
    ("out.test.meas_params", f"--lenient -q {MANY}", "qrels.test", "results.test"),
    ("out.test.aqZ", "-q -m all_trec -Z {}/zscores_file", "qrels.test", "results.test"),
]  # fmt: skip


def checkout(version):
    if not CHECKOUTS[version]:
        pytest.skip(f"RANKSTONE_TREC_EVAL_{version.split('.')[0]} is not set")
    return Path(CHECKOUTS[version])


@pytest.mark.parametrize("version", CHECKOUTS)
@pytest.mark.parametrize(("expected", "options", "qrels", "run"), OWN, ids=lambda v: v[:40])
def test_its_own_expected_outputs_to_the_byte(version, expected, options, qrels, run, capfdbinary):
    folder = checkout(version) / "test"
    if not (folder / qrels).exists():
        pytest.skip(f"{version} has no {qrels}")
    options = options.format(folder).split()
    code = main(["--compat", version, *options, str(folder / qrels), str(folder / run)])
    out, err = capfdbinary.readouterr()
    assert (code, err) == (0, b"")
    assert out == (folder / expected).read_bytes()


def collection(rng, folder, version):
    """Random files: ties, negative grades, missing queries, documents and queries of any kind."""
    documents = [f"{rng.choice('abZ09')}{i}" for i in range(rng.choice([5, 40, 150]))]
    levels = [round(rng.uniform(-5, 5), 3) for _ in range(rng.choice([1, 4, 1000]))]
    qrels, run = [], []
    complete = rng.random() < 0.5
    for i in range(rng.randint(1, 8)):
        query = rng.choice(["q{}", "{}", "0{}"]).format(i)
        grades = rng.choice([[0, 1], [-1, 0, 1, 2], [-1, 0, 0, 3], [0, 1, 2, 3, 12]])
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        for j, doc in enumerate(judged):
            # Without a grade from 0 up trec_eval fails or crashes.
            grade = max(0, rng.choice(grades)) if j == 0 else rng.choice(grades)
            qrels.append(f"{query} 0 {doc} {grade}\n")
        # trec_eval 10 stops at a query that the run lacks, unless -c is given.
        if i == 0 or not complete or rng.random() < 0.7:
            for doc in rng.sample(documents, rng.randint(1, len(documents))):
                score = rng.choice(levels) + rng.choice([0, 0, 1e-9])
                run.append(f"{query} Q0 {doc} 0 {score!r} tag-{i}\n")
    rng.shuffle(qrels)
    (folder / "qrels").write_text("".join(qrels))
    (folder / "run").write_text("".join(run))
    flags = ["-c"] if complete else []
    flags += rng.choice([[], [], ["-l2"], ["-M5"], ["-J"], ["-l2", "-M20", "-J"]])
    return [*flags, "-q", "-m", "all_trec", "-m", "yaap"]


def grouped(rng, folder):
    """Random judgments and preferences of several people, who agree with themselves."""
    documents = [f"{rng.choice('abZ09')}{i}" for i in range(rng.choice([3, 12, 30]))]
    form = rng.choice(["qrels_jg", "prefs", "qrels_prefs"])
    lines, run = [], []
    for i in range(rng.randint(1, 4)):
        for group in rng.sample(["u1", "u2", "u10"], rng.randint(1, 3)):
            level = {doc: rng.choice([0, 0, 1, 2, 5]) for doc in documents}
            sittings = range(rng.choice([1, 1, 3]) if form == "prefs" else 1)
            for sitting in sittings:
                for doc in rng.sample(documents, rng.randint(1, len(documents))):
                    between = f"{group} s{sitting}" if form == "prefs" else group
                    lines.append(f"q{i} {between} {doc} {level[doc]}\n")
        found = rng.sample([*documents, "other"], rng.randint(1, len(documents)))
        run += [f"q{i} Q0 {doc} 0 {rng.randint(0, 20)} t\n" for doc in found]
    rng.shuffle(lines)
    (folder / "qrels").write_text("".join(lines))
    (folder / "run").write_text("".join(run))
    flags = rng.choice([[], ["-M3"], ["-l2"]])
    return [*flags, "-q", "-R", form, "-m", "qrels_jg" if form == "qrels_jg" else "all_prefs"]


@pytest.mark.parametrize("version", CHECKOUTS)
def test_random_groups_and_preferences_to_the_byte(version, tmp_path, capfdbinary):
    program = checkout(version) / "trec_eval"
    for seed in range(int(os.environ.get("RANKSTONE_TREC_EVAL_COLLECTIONS", "300"))):
        flags = grouped(random.Random(seed), tmp_path)
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        theirs = subprocess.run([program, *flags, *files], capture_output=True, check=False)
        code = main(["--compat", version, *flags, *files])
        out, err = capfdbinary.readouterr()
        assert theirs.returncode == code, (seed, flags, err, theirs.stderr)
        agree(out, theirs.stdout)


def agree(ours, theirs):
    """Compare line by line, but for rbp, which reads memory that was never written.

    Where nothing is left under -J trec_eval divides 0 by 0; the value is then 0.
    """
    ours, theirs = ours.decode().splitlines(), theirs.decode().splitlines()
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        if mine.startswith("rbp "):
            continue
        if other.endswith("nan"):
            label, query, value = mine.split("\t")
            assert other.startswith(f"{label}\t{query}\t")
            assert query == "all" or value == "0.0000"
        else:
            assert mine == other


@pytest.mark.parametrize("version", CHECKOUTS)
def test_random_collections_to_the_byte(version, tmp_path, capfdbinary):
    program = checkout(version) / "trec_eval"
    count = int(os.environ.get("RANKSTONE_TREC_EVAL_COLLECTIONS", "300"))
    for seed in range(count):
        flags = collection(random.Random(seed), tmp_path, version)
        files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
        theirs = subprocess.run([program, *flags, *files], capture_output=True, check=False)
        code = main(["--compat", version, *flags, *files])
        out, err = capfdbinary.readouterr()
        assert theirs.returncode == code, (seed, flags, err, theirs.stderr)
        agree(out, theirs.stdout)
