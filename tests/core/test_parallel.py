"""Tests of parallel."""

import os
import threading
import time

import pytest

from rankstone.core import parallel


@pytest.mark.parametrize(
    ("cores", "parts", "most", "workers"),
    [
        (1, 3, None, 1), (2, 1, None, 1), (2, 2, None, 2), (2, 6, None, 2), (3, 9, None, 3),
        (9, 3, None, 3), (9, 8, 1, 1), (9, 8, 2, 2), (1, 8, 3, 3), (9, 2, 3, 2),
    ],
)  # fmt: skip
def test_there_are_as_many_threads_as_cores_and_parts_allow(
    monkeypatch, cores, parts, most, workers
):
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    threads = set()
    all_at_once = threading.Barrier(workers, timeout=10)

    def task(part):
        threads.add(threading.get_ident())
        if part < workers:
            all_at_once.wait()
        else:
            time.sleep(0.02)
        return part * part

    assert parallel.on_each(task, range(parts), most) == [i * i for i in range(parts)]
    assert len(threads) == workers
    assert threading.get_ident() in threads


def test_of_several_errors_that_of_the_first_part_is_raised(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    both = threading.Barrier(2, timeout=10)

    def fail(part):
        both.wait()
        raise ValueError(f"part {part}")

    with pytest.raises(ValueError, match=r"^part 0$"):
        parallel.on_each(fail, range(2))


def test_nothing_new_begins_after_an_error(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    begun = []

    def fail(i):
        begun.append(i)
        if i == 0:
            raise KeyboardInterrupt
        time.sleep(0.05)

    with pytest.raises(KeyboardInterrupt):
        parallel.on_each(fail, range(1000))
    assert len(begun) < 10


def test_fewer_threads_do_the_work_if_no_more_can_be_started(monkeypatch):
    monkeypatch.setattr(parallel, "cores", lambda: 8)

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert parallel.on_each(lambda i: i * i, range(9)) == [i * i for i in range(9)]


def test_cores_are_those_of_this_process(monkeypatch):
    mine = {0: {1, 4, 5}}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: mine.get(pid, {1}), raising=False)
    assert parallel.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for known, cores in ((None, 1), (5, 5)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert parallel.cores() == cores


def test_products_are_computed_alone_by_one_caller_at_a_time():
    control = parallel._product_threads()
    if not control:
        pytest.skip("NumPy has another library for products")
    count, limit = control
    before = count()
    try:
        limit(3)
        with parallel.products_alone(False) as alone:
            assert (alone, count()) == (False, 3)
        with parallel.products_alone() as alone:
            assert (alone, count()) == (True, 1)
            with parallel.products_alone() as again:  # it would leave behind the 1 that it found
                assert not again
            assert count() == 1
        assert count() == 3
    finally:
        limit(before)


def test_another_library_for_products_keeps_its_threads(monkeypatch):
    monkeypatch.setattr(parallel, "_product_threads", lambda: ())
    with parallel.products_alone() as alone:
        assert not alone
