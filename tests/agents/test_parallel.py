"""Work in daemon threads: all results, errors as values, and a stop that does not wait."""

import threading
import time

from eurisko.agents.parallel import as_completed


def test_every_result_comes_with_its_index() -> None:
    """Each item's result is yielded once, whatever order they finish in."""
    items = list(range(50))
    got = dict(as_completed(lambda one: one * one, items, workers=8))
    assert got == {one: one * one for one in items}


def test_an_exception_is_a_value() -> None:
    """One item's failure does not touch the others, with threads and without."""

    def half(one: int) -> float:
        return 1 / one

    for workers in (1, 4):
        got = dict(as_completed(half, [0, 1, 2], workers=workers))
        assert isinstance(got[0], ZeroDivisionError)
        assert (got[1], got[2]) == (1.0, 0.5)


def test_a_stop_ends_the_iteration_without_waiting() -> None:
    """Workers that hang do not hold up a stop."""
    stop, release = threading.Event(), threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    started = time.monotonic()
    got = list(as_completed(lambda _: release.wait(30), range(4), workers=2, stop=stop))
    release.set()
    assert got == []
    assert time.monotonic() - started < 10


def test_nothing_starts_after_a_stop() -> None:
    """A stop that is set before the start means that no item runs."""
    stop = threading.Event()
    stop.set()
    ran: list[int] = []
    for workers in (1, 3):
        assert list(as_completed(ran.append, [1, 2, 3], workers=workers, stop=stop)) == []
    assert ran == []
