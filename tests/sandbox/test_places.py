"""Devices shared out by memory: never more than there is, nobody overtakes, unknown means alone."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

from hypothesis import given
from hypothesis import strategies as st

from eurisko.sandbox.devices import Device
from eurisko.sandbox.places import CONTEXT_BYTES, Place, Places

GIB = 2**30
ONE, TWO = Device("cuda:0"), Device("cuda:1")


class Runner:
    """Somebody who takes a place in a thread of their own and leaves when told."""

    def __init__(self, places: Places, wanted: tuple[Device, ...], need: int | None) -> None:
        self.place: Place | None = None
        self._leave = threading.Event()
        self._places, self._wanted, self._need = places, wanted, need
        before = places.running + places.waiting
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        until(lambda: places.running + places.waiting > before)

    def _run(self) -> None:
        with self._places.take(self._wanted, self._need) as self.place:
            self._leave.wait(30)
        self.place = None

    def leave(self) -> None:
        self._leave.set()
        self._thread.join(30)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def inside(places: Places, *runners: Runner) -> list[bool]:
    until(lambda: sum(one.place is not None for one in runners) == places.running)
    return [one.place is not None for one in runners]


def test_as_many_at_once_as_memory_holds() -> None:
    """Four of 2 GiB and their contexts fit into 12 GiB; the fifth waits for the first to leave."""
    places = Places(lambda _: 12 * GIB)
    runners = [Runner(places, (ONE,), 2 * GIB) for _ in range(5)]
    assert inside(places, *runners) == [True] * 4 + [False]
    runners[1].leave()
    assert inside(places, *runners) == [True, False, True, True, True]
    for one in runners:
        one.leave()
    assert places.running == places.waiting == 0


def test_nobody_overtakes_who_needs_much() -> None:
    """A small one behind a large one waits although it would fit; another device is open to it."""
    places = Places(lambda _: 12 * GIB)
    first = Runner(places, (ONE,), 8 * GIB)
    large = Runner(places, (ONE,), 8 * GIB)
    small = Runner(places, (ONE,), GIB)
    either = Runner(places, (ONE, TWO), GIB)
    assert inside(places, first, large, small, either) == [True, False, False, True]
    assert either.place is not None and either.place.device == TWO
    first.leave()
    assert inside(places, first, large, small, either) == [False, True, True, True]
    for one in (large, small, either):
        one.leave()


def test_who_needs_more_than_there_is_gets_all() -> None:
    """It runs alone with the whole device; so does who does not say what it needs."""
    places = Places(lambda _: 12 * GIB)
    for need in (50 * GIB, None):
        greedy, other = Runner(places, (ONE,), need), Runner(places, (ONE,), GIB)
        assert inside(places, greedy, other) == [True, False]
        assert greedy.place is not None and greedy.place.granted == 12 * GIB - CONTEXT_BYTES
        greedy.leave()
        assert inside(places, greedy, other) == [False, True]
        other.leave()


def test_an_unknown_device_runs_one_until_it_is_known() -> None:
    """The first has it alone; once the memory is known and settled others come in."""
    known: list[int] = []
    places = Places(lambda _: known[0] if known else None)
    first, second = Runner(places, (ONE,), GIB), Runner(places, (ONE,), GIB)
    assert inside(places, first, second) == [True, False]
    place = first.place
    assert place is not None and place.granted is None
    known.append(12 * GIB)
    places.settle(place)
    assert place.granted == GIB
    assert inside(places, first, second) == [True, True]
    first.leave()
    second.leave()


def test_the_emptiest_device_is_taken() -> None:
    """Those who would take any are spread."""
    places = Places(lambda _: 12 * GIB)
    with ExitStack() as stack:
        taken = [stack.enter_context(places.take((ONE, TWO), GIB)) for _ in range(4)]
        assert [one.device for one in taken] == [ONE, TWO, ONE, TWO]


@given(
    memory=st.integers(1, 40),
    needs=st.lists(st.one_of(st.none(), st.integers(1, 60)), min_size=1, max_size=12),
)
def test_never_more_is_promised_than_there_is(memory: int, needs: list[int | None]) -> None:
    """Whatever is asked for, grants and contexts stay within the device, and everybody gets a turn."""
    places = Places(lambda _: memory * GIB)
    runners = [Runner(places, (ONE,), need and need * GIB) for need in needs]
    for _ in runners:
        inside(places, *runners)
        there = [(one, one.place) for one in runners if one.place is not None]
        held = [place.granted for _, place in there if place.granted is not None]
        assert len(held) == len(there) >= 1
        assert sum(held) + CONTEXT_BYTES * len(held) <= memory * GIB or len(held) == 1
        there[0][0].leave()
    assert places.running == places.waiting == 0
