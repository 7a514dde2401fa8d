"""Data that is damaged, or changes under our hands, ends in an error and never in a crash."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import polars as pl
import pyarrow as pa
import pytest
from strategies import NATIVE

import rankstone as rs
from rankstone.core import engine as core_engine
from rankstone.io.formats import tables
from rankstone.verbs.load import load_run

ENGINES = ["python", *(["native"] if NATIVE else [])]


def run_python(code, *args, **environment):
    """Run code in a process of its own, which may crash."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | environment,
        check=False,
    )


DAMAGED = """
import sys
from importlib import util
absent, *paths = sys.argv[1:]
find_spec = util.find_spec
util.find_spec = lambda name, *more: None if name == absent else find_spec(name, *more)
import rankstone as rs
for path in paths:
    try:
        rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])
    except rs.DataError as error:
        print("refused" if "cannot be read" in str(error) else error)
    else:
        print("read")
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_damaged_arrow_files(tmp_path, engine, kind):
    table = pa.table(
        {"query": ["q1"] * 40, "doc": [f"d{i}" for i in range(40)], "score": [0.5] * 40}
    )
    good = tmp_path / "good.arrow"
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(str(good), table.schema) as writer:
        writer.write_table(table)
    content = good.read_bytes()
    # The offsets 0, 2, 4, ... of the ids of queries end at 80.
    at = content.index((2).to_bytes(4, "little") + (4).to_bytes(4, "little"))
    paths = []
    for i, offset in enumerate([1 << 30, -(1 << 30), 1 << 20]):
        bad = tmp_path / f"bad{i}.arrow"
        bad.write_bytes(
            content[:at] + offset.to_bytes(4, "little", signed=True) + content[at + 4 :]
        )
        paths.append(bad)
    done = run_python(DAMAGED, "polars", good, *paths, RANKSTONE_ENGINE=engine)
    assert (done.returncode, done.stdout.split()) == (0, ["read"] + ["refused"] * 3), done.stderr


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("kind", ["ipc", "ipc_stream", "parquet"])
def test_randomly_damaged_tables(tmp_path, kind, library):
    frame = pl.DataFrame(
        {"query": ["q1"] * 40, "doc": [f"d{i}" for i in range(40)], "score": [0.5] * 40}
    )
    good = tmp_path / "good"
    getattr(frame, f"write_{kind}")(good)
    random = Random(1)
    paths = []
    for i in range(100):
        content = bytearray(good.read_bytes())
        for _ in range(random.randint(1, 4)):
            content[random.randrange(8, len(content))] = random.choice([0, 1, 127, 128, 255])
        paths.append(tmp_path / f"{i}.{kind.partition('_')[0]}")
        paths[-1].write_bytes(content[: random.choice([None, -1, -100])])
    done = run_python(DAMAGED, "pyarrow" if library == "polars" else "polars", good, *paths)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 101), done.stderr
    assert done.stdout.startswith("read\n")
    assert "refused\n" in done.stdout


SHRINKS = """
import os, sys
path, hidden = sys.argv[1:]
from importlib import util
find_spec = util.find_spec
util.find_spec = lambda name, *more: None if name == hidden else find_spec(name, *more)
import rankstone as rs
from rankstone.io import frames
roles_of = frames.roles_of
def cut(*args, **options):
    os.truncate(path, 4096)
    return roles_of(*args, **options)
frames.roles_of = cut
try:
    print(rs.evaluate({"q0": {"d1": 1}}, path, ["RR"])["RR"])
except rs.DataError as error:
    print(error)
sys.stdout.flush()
os._exit(0)  # the threads of a library may end the process while Python does
"""


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "ipc"])
def test_a_table_that_is_cut_short_while_it_is_read(tmp_path, kind, library):
    path = tmp_path / f"run.{kind}"
    n = 50_000
    frame = pl.DataFrame({
        "query": [f"q{i // 1000}" for i in range(n)],
        "doc": [f"d{i}" for i in range(n)],
        "score": [float(n - i) for i in range(n)],
    })  # fmt: skip
    getattr(frame, f"write_{kind}")(path)
    done = run_python(SHRINKS, path, "pyarrow" if library == "polars" else "polars")
    assert done.returncode == 0, done.stderr
    assert "the file changed while it was read" in done.stdout


def test_a_table_that_changes_before_it_is_read_whole(tmp_path, monkeypatch):
    path = tmp_path / "run.parquet"
    frame = pl.DataFrame({"query": ["q1"], "doc": ["d1"], "score": [1.0]})
    frame.write_parquet(path)
    from rankstone.io.input_file import Input

    monkeypatch.setattr(
        Input, "head", property(lambda self: os.utime(path, (1, 1)) or b"PAR1\0"), raising=True
    )
    with pytest.raises(rs.DataError, match="the file changed while it was read"):
        rs.evaluate({"q1": {"d1": 1}}, path, ["RR"])


SUB_INTERPRETER = """
import sys
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
code = '''
import os, sys
sys.path[:] = {path!r}
import rankstone as rs
from rankstone.core import engine
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    engine.load_engine()
warned = [str(w.message) for w in caught if w.category is rs.errors.SlowEngineWarning]
print(rs.evaluate({{"q": {{"d": 1}}}}, {{"q": {{"d": 1.0, "e": 2.0}}}}, ["RR"])["RR"])
print(rs.evaluate({{"q": {{"d": 1}}}}, {file!r}, ["RR"])["RR"], engine.name(), *warned, flush=True)
'''
try:
    interpreter = interpreters.create("legacy")
except TypeError:  # before Python 3.13
    interpreter = interpreters.create(isolated=False)
failed = run(interpreter, code.format(path=sys.path, file=sys.argv[1]))
assert failed is None, failed
"""


def test_a_sub_interpreter_works(tmp_path):
    path = tmp_path / "run"
    path.write_text("q Q0 e 1 2 t\nq Q0 d 2 1 t\n")
    done = run_python(SUB_INTERPRETER, path, RANKSTONE_ENGINE="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0.5\n0.5 python the compiled core of rankstone does not run")


class ClearingId(int):
    """An id whose order clears the dictionary it is a key of."""

    rows: dict = {}  # noqa: RUF012

    def __lt__(self, other):
        self.rows.clear()
        return True

    __gt__ = __lt__
    __hash__ = int.__hash__


class ClearingScore:
    """A score that clears the dictionary it is a value of when it is read."""

    def __init__(self, rows):
        self.rows = rows

    def __float__(self):
        self.rows.clear()
        raise ValueError("no number")


def test_ids_that_change_the_dictionary():
    rows = {ClearingId(i): 1.0 for i in range(1000)}
    ClearingId.rows = rows
    result = rs.evaluate({"q": {5: 1}}, {"q": rows}, ["NumRet", "RR"])
    # Of 1,000 tied documents, ids in falling order, 5 is at rank 995.
    assert (result["NumRet"], result["RR"]) == (1000, 1 / 995)


def test_scores_that_change_the_dictionary(engine):
    rows = {}
    rows |= {f"d{i}": ClearingScore(rows) for i in range(1000)}
    with pytest.raises((rs.DataError, ValueError)):
        rs.evaluate({"q": {"d5": 1}}, {"q": rows}, ["RR"])


def test_numbers_without_from_chars(tmp_path):
    """Where the library has no from_chars for double, strtod gives the same numbers."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler on this machine")
    root = Path(__file__).resolve().parents[2]
    native = root / "src" / "rankstone" / "_native"
    program = tmp_path / "numbers"
    source = root / "tests" / "native" / "read_numbers.cpp"
    command = [compiler, "-std=c++20", "-DRANKSTONE_STRTOD", "-I", native, source, "-o", program]
    subprocess.run(command, check=True)
    random = Random(2)
    digits = ["".join(random.choices("0123456789", k=random.randint(1, 40))) for _ in range(2000)]
    texts = [
        f"{random.choice(['', '-', '+'])}{d[:k]}{random.choice(['', '.'])}{d[k:]}"
        f"{random.choice(['', f'e{random.randint(-340, 320)}'])}"
        for d in digits
        for k in [random.randint(1, len(d))]
    ]
    texts += ["4.9406564584124654e-324", "2.4e-324", "1e-400", "1.7976931348623157e308", "1e309"]
    done = subprocess.run(
        [program], input="\n".join(texts), capture_output=True, text=True, check=True, env={}
    )
    expected = [None if float(t) in (float("inf"), -float("inf")) else float(t) for t in texts]
    lines = done.stdout.split()
    assert [None if line == "not_finite" else float(line) for line in lines] == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_that_is_cut_short_during_the_scan(tmp_path, monkeypatch, engine):
    monkeypatch.setenv("RANKSTONE_ENGINE", engine)
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1 t\n" * 100)
    run = load_run(path)
    path.write_text("q1 Q0 d1 1 1 t\n")
    with pytest.raises(rs.DataError, match="a.run: the file changed"):
        rs.evaluate({"q1": {"d1": 1}}, run, "RR")


def test_a_file_that_the_scan_cannot_read(tmp_path, monkeypatch):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1 t\n")

    def fail(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(core_engine.load(), "scan_run", fail)
    with pytest.raises(rs.DataError, match=r"a\.run: cannot be read \(Input/output error\)"):
        rs.evaluate({"q1": {"d1": 1}}, path, "RR")


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (MemoryError("malloc of size 1910159973427257920 failed"), rs.DataError),
        (MemoryError("malloc of size 4096 failed"), MemoryError),
        (MemoryError(), MemoryError),
    ],
    ids=str,
)
def test_an_absurd_size_is_a_damaged_table_and_no_lack_of_memory(
    tmp_path, monkeypatch, error, wanted
):
    path = tmp_path / "a.arrow"
    pl.DataFrame({"query": ["q1"], "doc": ["d1"], "score": [1.0]}).write_ipc(path)

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(tables, "_polars_binary", fail)
    with pytest.raises(wanted):
        rs.evaluate({"q1": {"d1": 1}}, path, "RR")
