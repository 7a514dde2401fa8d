"""Files are written whole or not at all."""

import os
import stat
import threading

import pytest

import rankstone as rs
from rankstone.cli import main
from rankstone.core import atomic


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")

    def fail():
        with atomic.replaced(path) as out:
            out.write(b"half of")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_the_mode_of_a_file_is_kept_and_a_new_one_follows_the_umask(tmp_path):
    private, new = tmp_path / "private", tmp_path / "new"
    private.write_text("")
    private.chmod(0o600)
    mask = os.umask(0o027)
    try:
        for path in (private, new):
            atomic.write_text(path, "x")
    finally:
        os.umask(mask)
    assert [stat.S_IMODE(p.stat().st_mode) for p in (private, new)] == [0o600, 0o640]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    atomic.write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_planted_link_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "urandom", bytes)  # the name can be foreseen
    (tmp_path / f".rankstone-{bytes(8).hex()}").symlink_to("victim")
    with pytest.raises(rs.DataError, match="cannot be written"):
        atomic.write_text(tmp_path / "out", "x")
    assert not (tmp_path / "victim").exists()


def test_what_cannot_be_written_is_an_error_that_names_it(tmp_path):
    for path in (tmp_path / "no" / "folder", tmp_path):
        with pytest.raises(rs.RankstoneError, match=r"cannot be written \("):
            atomic.write_text(path, "x")
    assert os.listdir(tmp_path) == []


def test_a_reader_never_sees_half_a_result(tmp_path):
    result = rs.evaluate({f"q{i}": {"a": 1} for i in range(200)}, {"q1": ["a"]}, ["RR", "AP"])
    path = tmp_path / "result.json"
    result.save(path)
    stop = threading.Event()

    def save():
        while not stop.is_set():
            result.save(path)

    writers = [threading.Thread(target=save) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(50):
            assert rs.Result.load(path) == result
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert os.listdir(tmp_path) == ["result.json"]


def test_what_rankstone_did_not_write_is_not_replaced(tmp_path):
    result = rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["RR"])
    comparison = rs.compare({"q": {"d": 1}}, {"a": {"q": ["d"]}, "b": {"q": ["e"]}}, ["RR"])
    path = tmp_path / "notes.txt"
    for made in (result, comparison):
        path.write_text("important")
        with pytest.raises(rs.UsageError, match=r"would be lost.*--force \(force=True\)"):
            made.save(path)
        assert path.read_text() == "important"
        made.save(path, force=True)
        made.save(path)  # its own file it may replace
        assert type(made).load(path)
    empty = tmp_path / "empty"
    empty.touch()
    result.save(empty)
    assert rs.Result.load(empty)["RR"] == 1


def test_commands_ask_before_they_replace_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("q Q0 d 1 1 t\n")
    out = tmp_path / "out.json"
    for words in (["convert", "qrels", out.name], ["compare", "qrels", "a.run", "b.run", "-o", out.name]):  # fmt: skip
        out.write_text("important")
        assert main(words) == 2
        assert "the file is there already" in capsys.readouterr().err
        assert out.read_text() == "important"
        assert main([*words, "--force"]) == 0
        assert "important" not in out.read_text()


@pytest.mark.parametrize("name", ["out.md", "out.txt", "out.xml", "out.json", "out.svg"])
def test_verdicts_and_pictures_replace_only_their_like(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 d 1\n" for i in range(9)))
    for run in ("a.run", "b.run"):
        (tmp_path / run).write_text("".join(f"q{i} Q0 d 1 1 t\n" for i in range(9)))
    words = ["gate", "qrels", "a.run", "--baseline", "b.run", "--max-drop", "RR=0.1", "-o", name]
    if name.endswith("svg"):
        pytest.importorskip("vl_convert")
        words = [
            "report",
            "qrels",
            "a.run",
            "b.run",
            "-m",
            "RR",
            "--picture",
            "scatter",
            "--plots",
            name,
        ]
    (tmp_path / name).write_text("important")
    assert main(words) == 2
    assert "the file is there already" in capsys.readouterr().err
    assert (tmp_path / name).read_text() == "important"
    for more in (["--force"], [], []):
        assert main([*words, *more]) == 0
    assert "important" not in (tmp_path / name).read_text()


def test_a_file_is_private_until_it_is_whole_and_then_as_open_as_others(tmp_path):
    mask = os.umask(0o022)
    try:
        with atomic.replaced(tmp_path / "out"):
            (unfinished,) = tmp_path.iterdir()
            assert stat.S_IMODE(unfinished.stat().st_mode) == 0o600
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o644


@pytest.mark.parametrize("before", [252, 253])
def test_a_mark_is_looked_for_in_the_first_256_bytes(tmp_path, before):
    path = tmp_path / "out"
    path.write_bytes(b" " * before + b"mark")
    if before + len(b"mark") <= 256:
        atomic.check_own(path, b"mark", force=False)
    else:
        with pytest.raises(rs.UsageError, match="the file is there already"):
            atomic.check_own(path, b"mark", force=False)
    atomic.check_own(path, b"another", force=True)


@pytest.mark.parametrize("allowed", [0, os.W_OK, os.X_OK, os.W_OK | os.X_OK])
def test_a_file_needs_a_folder_that_can_be_written_and_searched(tmp_path, monkeypatch, allowed):
    monkeypatch.setattr(os, "access", lambda _, asked: asked & allowed == asked)
    path = tmp_path / "out"
    if allowed == os.W_OK | os.X_OK:
        atomic.check_writable(path)
    else:
        with pytest.raises(rs.DataError) as caught:
            atomic.check_writable(path)
        assert str(caught.value) == f"{path}: the directory {tmp_path} cannot be written to."


def test_a_device_needs_no_folder_that_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    atomic.check_writable(pipe)
    (tmp_path / "file").touch()
    with pytest.raises(rs.DataError, match="cannot be written to"):
        atomic.check_writable(tmp_path / "file")


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    atomic.write_text(pipe, "x")
    reader.join(10)
    assert read == [b"x"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("head", "mark", "refused"),
    [(b"", None, False), (b"", b"m", False), (b"x", None, True), (b"x", b"m", True), (b"xm", b"m", False)],
)  # fmt: skip
def test_only_what_bears_the_mark_is_replaced(tmp_path, head, mark, refused):
    path = tmp_path / "out"
    path.write_bytes(head)
    atomic.check_own(path, mark, force=True)
    atomic.check_own(tmp_path / "new", mark, force=False)
    if refused:
        with pytest.raises(rs.UsageError, match="the file is there already"):
            atomic.check_own(path, mark, force=False)
    else:
        atomic.check_own(path, mark, force=False)


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o000])
def test_new_files_have_the_mode_that_the_umask_leaves(tmp_path, mask):
    before = os.umask(mask)
    try:
        rs.evaluate({"q": {"d": 1}}, {"q": ["d"]}, ["RR"]).save(tmp_path / "result.json")
        assert os.umask(mask) == mask  # and the umask is what it was
    finally:
        os.umask(before)
    assert os.stat(tmp_path / "result.json").st_mode & 0o777 == 0o666 & ~mask
