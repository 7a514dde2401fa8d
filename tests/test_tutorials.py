"""The tutorials, as a new user follows them."""

import doctest
import shutil

import pytest
from test_pages import TUTORIALS, printed, sessions

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash runs the commands")


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_tutorials_go_from_an_empty_folder_to_their_results(page, tmp_path, monkeypatch):
    commands = list(sessions(page))
    assert "rankstone demo --save examples" in [command for command, _ in commands]
    for command, output in commands:
        assert command.startswith("rankstone "), command
        got = printed(command, tmp_path)
        assert got == output, got
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 2
    assert results.failed == 0


def test_there_are_four_tutorials():
    assert len(TUTORIALS) == 4
