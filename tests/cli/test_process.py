"""The process around a command: broken streams, signals, little memory, and its exit codes."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from strategies import NATIVE

import rankstone as rs
from rankstone.cli.process import EXIT_CODES
from rankstone.core import engine
from rankstone.verbs.load import load_judgments, load_run

COMMANDS = [
    ["evaluate", "qrels", "run", "-m", "RR"],
    ["trec_eval", "qrels", "run"],
    ["explain", "RR", "qrels", "run", "--query", "q1"],
    ["convert", "qrels", "-", "--to", "json", "--as", "judgments"],
    ["--version"],
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 1 t\n")
    return tmp_path


def shell(line, *words):
    """Run the command in a shell that may close streams or set limits."""
    command = f'exec "{sys.executable}" -m rankstone "$@" {line}'
    return subprocess.run(
        ["/bin/sh", "-c", command, "sh", *words], capture_output=True, text=True, timeout=60, check=False
    )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("line", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
)
def test_output_that_cannot_be_written(here, command, line, reason):
    done = shell(line, *command)
    assert done.returncode == (2 if command[0] == "trec_eval" else 3)
    (message,) = done.stderr.splitlines()
    assert message.endswith(f"error: cannot write the output: {reason}.")


@pytest.mark.parametrize("line", ["2>&-", "2>/dev/full"])
def test_messages_that_cannot_be_written(here, line):
    assert shell(line, *COMMANDS[0]).stdout == "run\tquery\tRR\nrun\tall\t1\n"
    assert shell(line, "evaluate", "qrels", "absent", "-m", "RR").returncode == 3
    assert shell(line, "evaluate", "qrels", "run", "-m", "absent").returncode == 2


@pytest.mark.parametrize("command", ["evaluate", "trec_eval"])
def test_a_closed_input(here, command):
    done = shell("<&-", command, "qrels", "-")
    assert done.returncode == (3 if command == "evaluate" else 2)
    assert done.stderr.endswith("-: cannot be read (Bad file descriptor).\n")


def test_all_streams_closed(here):
    assert shell("<&- >&- 2>&-", *COMMANDS[0]).returncode == 3
    assert (here / "qrels").read_text() == "q1 0 d1 1\n"  # no file took the place of a stream


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # JAX, if another test loaded it
def test_too_little_memory(here):
    # Ids with escapes are left to the strict reader, which keeps the whole file.
    ranking = json.dumps({f"\N{DEGREE SIGN}{j}": j for j in range(500)})
    queries = ", ".join(f'"q{i}": {ranking}' for i in range(5000))
    (here / "run.json").write_text(f"{{{queries}}}")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (180 << 20, 180 << 20))

    done = subprocess.run(
        [sys.executable, "-m", "rankstone", "evaluate", "qrels", "run.json", "-m", "RR"],
        capture_output=True, text=True, preexec_fn=limit, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    (message,) = done.stderr.splitlines()
    assert "there is not enough memory for this" in message or "cannot be loaded" in message


def test_no_room_for_temporary_files(here, monkeypatch):
    (here / "run.gz").write_bytes(gzip.compress((here / "run").read_bytes()))

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(rs.DataError, match=r"no temporary file can be written \(No space left"):
        rs.evaluate("qrels", "run.gz", ["RR"])


BOMB = b'{"q1": [' + b"[]," * (3 << 20) + b"[]]}"


def test_bombs_are_too_large_and_not_corrupt(here):
    (here / "bomb.json.gz").write_bytes(gzip.compress(BOMB))
    (here / "bomb.run.gz").write_bytes(
        gzip.compress(b"q1 Q0 d1 1 1 t\n" + b"#" * 100 + b"\n" * (65 << 20))
    )
    for name in ("bomb.json.gz", "bomb.run.gz"):
        done = shell("", "evaluate", "qrels", name, "-m", "RR")
        assert done.returncode == 3
        assert "too large: the gz file expands to more than 100 times its size" in done.stderr
        assert "corrupt" not in done.stderr


def test_the_limit_for_json_leaves_room(here):
    size = 8 << 20
    text = json.dumps({"q1": ["d1"]}).encode()
    (here / "fits.json.gz").write_bytes(gzip.compress(text + b" " * (size - len(text))))
    (here / "beyond.json.gz").write_bytes(gzip.compress(text + b" " * (size + 1 - len(text))))
    assert rs.evaluate("qrels", "fits.json.gz", ["RR"])["RR"] == 1
    with pytest.raises(rs.DataError, match="too large"):
        rs.evaluate("qrels", "beyond.json.gz", ["RR"])
    assert rs.evaluate("qrels", "beyond.json.gz", ["RR"], max_bytes=size + 1)["RR"] == 1


def test_examples_in_messages_are_short():
    run = {"q1": {"d" * 100_000: 1.0}}
    (warning,) = rs.evaluate({"q1": {"e" * 100_000: 1}}, run, ["RR"]).warnings
    assert len(str(warning)) < 600


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 143, "terminated"),
        (signal.SIGINT, 130, "interrupted"),
    ],
)
def test_signals_leave_nothing_behind(here, number, code, word):
    with open("large.run", "w") as out:
        for q in range(4000):
            out.writelines(f"q{q} Q0 d{i} {i} {i} t\n" for i in range(1000))
    command = [sys.executable, "-m", "rankstone", "convert", "large.run", "out.json", "--as", "run"]
    # Under nohup, or in the background of a script, the tests ignore signals, and so would the command.
    heeded = f"import os, signal; signal.signal({int(number)}, signal.SIG_DFL); os.execv({command[0]!r}, {command})"
    process = subprocess.Popen([sys.executable, "-c", heeded], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while not any(name.startswith(".rankstone-") for name in os.listdir()):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, f"rankstone: {word}\n")
    assert sorted(os.listdir()) == ["large.run", "qrels", "run"]


def test_a_hangup_that_is_ignored_stays_ignored():
    """As under nohup."""
    code = (
        "import signal\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from rankstone.cli.process import run_process\n"
        "run_process(lambda: signal.raise_signal(signal.SIGHUP) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_signal_outside_of_the_work_of_a_command():
    code = (
        "import os, signal\n"
        "from rankstone.cli.process import run_process\n"
        "run_process(lambda: signal.raise_signal(signal.SIGTERM) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


@pytest.fixture
def _own_interrupt():
    """Ctrl-C raises KeyboardInterrupt, whatever other libraries have made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_own_interrupt")
@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built on this machine")
def test_a_signal_during_the_loading_of_the_core_is_not_lost(monkeypatch):
    loaded = []

    def load_and_drop_exceptions(name):  # as the start of a compiled module does
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            loaded.append(name)

    monkeypatch.setattr(engine, "import_module", load_and_drop_exceptions)
    monkeypatch.setattr(engine, "is_sub_interpreter", lambda: False)
    with pytest.raises(KeyboardInterrupt):
        engine._load.__wrapped__("native")
    assert loaded == ["rankstone._native._core"]
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & {signal.SIGINT, signal.SIGTERM}


@pytest.mark.usefixtures("_own_interrupt")
@pytest.mark.skipif(not NATIVE, reason="the compiled core was not built on this machine")
def test_an_interrupt_ends_a_scan(here, monkeypatch):
    monkeypatch.setenv("RANKSTONE_ENGINE", "native")
    part = "".join(
        f"q{q} Q0 document{i} {i} {1000 - i} t\n" for q in range(500) for i in range(200)
    )
    with open("large.run", "w") as out:
        out.writelines(part for _ in range(100))
    judgments = load_judgments({"q1": {"document5": 1}})
    judgments.index()
    run = load_run("large.run", threads=1)
    sent = []

    def interrupt():
        while run.progress[0] == 0:
            time.sleep(0.001)
        sent.append(time.process_time())  # on a busy machine the clock says little
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run.match(judgments, float32=False, repeats=False)
    worked = time.process_time() - sent[0]
    thread.join()
    assert worked < 0.2
    assert run.progress[0] < os.path.getsize("large.run")  # it did not read to the end


def test_faults_of_our_own_are_one_line(here):
    code = "from rankstone.cli import process\nprocess.run_process(lambda: 1 / 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    (message,) = done.stderr.splitlines()
    assert message.startswith("rankstone: internal error: ZeroDivisionError: division by zero.")


def test_the_codes_are_documented(here):
    shown = " ".join(shell("", "--help").stdout.split())
    assert EXIT_CODES in shown
