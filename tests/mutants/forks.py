"""A pytest plugin that judges mutants in forks of one process, which has collected the tests once.

The environment names two files: ``MUTANTS_PLAN`` has a line of JSON for each mutant (its place in the
list, the path and number of the change, the tests to run, the seconds they may take), and a line is
added to ``MUTANTS_FOUND`` when one is judged: its place, and the test that failed, or null.

A child puts the changed code into the functions that exist, and the changed file where programs that
tests start find it. What runs when a module is imported cannot be changed so: its mutants are marked
``"unfit"`` and wait for a process of their own.
"""

from __future__ import annotations

import ast
import functools
import gc
import importlib.util
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

sys.path.insert(0, os.path.dirname(__file__))
from mutate import Mutant, mutated

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "rankstone"
_FAILED = 1
_UNFIT = 3


def pytest_runtestloop(session: Any) -> bool:
    """Judge each mutant of the plan, as many at once as there are processors."""
    plan = [json.loads(line) for line in Path(os.environ["MUTANTS_PLAN"]).read_text().splitlines()]
    items = {item.nodeid: item for item in session.items}
    functions = _functions()
    gc.collect()
    gc.freeze()
    free = [Path(tempfile.mkdtemp(prefix="mutants-")) for _ in range(os.cpu_count() or 1)]
    for folder in free:
        shutil.copytree(SOURCE, folder / "src" / "rankstone", ignore=_no_caches)
        os.symlink(ROOT / "examples", folder / "examples")
    folders = [*free]
    running: dict[int, tuple[dict[str, Any], Path, float]] = {}
    with Path(os.environ["MUTANTS_FOUND"]).open("a") as found:
        while plan or running:
            while plan and free:
                row, folder = plan.pop(0), free.pop()
                (folder / "failed").unlink(missing_ok=True)
                pid = os.fork()
                if not pid:
                    _child(row, folder, items, functions)
                running[pid] = row, folder, time.monotonic() + row["seconds"]
            for pid, killer in _ended(running):
                row, folder, _ = running.pop(pid)
                shutil.copy(SOURCE / row["path"], folder / "src" / "rankstone" / row["path"])
                free.append(folder)
                found.write(json.dumps({"place": row["place"], "killer": killer}) + "\n")
                found.flush()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return True


def _no_caches(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__"]


def _ended(running: dict[int, tuple[dict[str, Any], Path, float]]) -> Iterator[tuple[int, Any]]:
    """Yield the children that have ended, or are stopped because their time is over."""
    time.sleep(0.01)
    for pid, (_, folder, until) in [*running.items()]:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            if code == _FAILED:
                yield pid, (folder / "failed").read_text()
            else:
                yield pid, {0: None, _UNFIT: "unfit"}.get(code, "a crash")
        elif time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            yield pid, "the clock"


def _child(row: dict[str, Any], folder: Path, items: dict[str, Any], functions: Any) -> None:
    """Run tests with a change, and end the process."""
    try:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if row["number"] is not None:
            original = (SOURCE / row["path"]).read_text()
            changed = mutated(original, Mutant(row["path"], row["number"], 0, "", ""))
            (folder / "src" / "rankstone" / row["path"]).write_text(changed)
            if not _changed(row["path"], original, changed, folder, functions):
                os._exit(_UNFIT)
        os.environ["PYTHONPATH"] = str(folder / "src")
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os._exit(_run([items[test] for test in row["tests"] if test in items], folder))
    except BaseException as error:  # noqa: BLE001 - nothing may go on in a child
        (folder / "failed").write_text(f"the judge: {error!r}")
        os._exit(_FAILED)


def _run(items: list[Any], folder: Path) -> int:
    failed: list[str] = []

    class Watch:
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                failed.append(report.nodeid)

    if not items:
        return 0
    config = items[0].config
    config.pluginmanager.register(Watch())
    temporary = folder / "temporary"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    config._tmp_path_factory._basetemp = temporary
    for item, following in zip(items, [*items[1:], None], strict=True):
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            (folder / "failed").write_text(failed[0])
            return _FAILED
    return 0


Key = tuple[str, str, int]


def _functions() -> tuple[dict[Key, list[FunctionType]], list[Any]]:
    """Return the functions of the package by file, name and line, and what keeps results."""
    own = str(SOURCE)
    functions: dict[Key, list[FunctionType]] = defaultdict(list)
    caches = []
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(own):
            code = thing.__code__
            functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(thing)
        elif type(thing) is functools._lru_cache_wrapper:
            caches.append(thing)
    return functions, caches


def _changed(path: str, original: str, changed: str, folder: Path, functions: Any) -> bool:
    """Put a change into effect; return whether that was possible."""
    name = ".".join(("rankstone", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
    if name not in sys.modules:
        sys.meta_path.insert(0, _Finder(name, folder / "src" / "rankstone" / path))
        return True
    by_key, caches = functions
    file = str(SOURCE / path)
    before = [*_codes(compile(ast.unparse(ast.parse(original)), file, "exec"))]
    after = [*_codes(compile(changed, file, "exec"))]
    real = [*_codes(compile(original, file, "exec"))]
    put = False
    for old, new, own in zip(before, after, real, strict=True):
        if _is_run_at_once(old):
            if _plain(old) != _plain(new):
                return False
        elif old != new:
            for function in by_key.get((file, own.co_qualname, own.co_firstlineno), ()):
                function.__code__ = new
                put = True
    for cache in caches:
        cache.cache_clear()
    return put


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module, and of all that is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_run_at_once(code: CodeType) -> bool:
    """Return whether code is of a module or of the body of a class."""
    return not code.co_flags & 0x02  # CO_NEWLOCALS


def _plain(code: CodeType) -> tuple[Any, ...]:
    """Return what code does itself, without the functions that it defines."""
    return (
        code.co_code,
        tuple((type(c), c) for c in code.co_consts if not isinstance(c, CodeType)),
        code.co_names,
    )


class _Finder:
    """Finds one module, that is not yet loaded, in a file of its own."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.path = name, path

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path)
