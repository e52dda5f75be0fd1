"""Shares devices and their memory out: whoever asked first is served first."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .devices import Device

CONTEXT_BYTES = 768 * 2**20
"""What a worker's driver and libraries hold of a device's memory beside the program's tensors."""
LEAST_BYTES = 64 * 2**20
"""What a program gets on a device that has hardly anything free."""


@dataclass(eq=False)
class Place:
    """A part of a device.

    ``need`` is what was asked for, None for the whole device. ``granted`` bytes were given: None
    while nobody knows how much the device has, which means all of it.
    """

    wanted: Sequence[Device]
    need: int | None
    turn: threading.Event = field(default_factory=threading.Event)
    given: Device | None = None
    granted: int | None = None

    @property
    def device(self) -> Device:
        """The device that was given."""
        assert self.given is not None
        return self.given


class Places:
    """Reserves memory of devices in the order of asking; nobody overtakes for the same device.

    Args:
        memory: returns how many bytes of a device may be shared out, None while it is not known.
            On such a device, and for whoever needs all, one runs at a time.
    """

    def __init__(self, memory: Callable[[Device], int | None]) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._taken: dict[str, list[Place]] = {}
        self._queue: list[Place] = []

    @property
    def running(self) -> int:
        """How many have a place."""
        with self._lock:
            return sum(map(len, self._taken.values()))

    @property
    def waiting(self) -> int:
        """How many wait for one."""
        with self._lock:
            return len(self._queue)

    @contextlib.contextmanager
    def take(self, wanted: Sequence[Device], need: int | None = None) -> Iterator[Place]:
        """Wait for room on one of ``wanted`` and keep it until the end of the block.

        Who needs more bytes than the device has gets the whole of it.
        """
        mine = Place(wanted, need)
        with self._lock:
            self._queue.append(mine)
            self._share_out()
        try:
            mine.turn.wait()
            yield mine
        finally:
            with self._lock:
                if mine.given is not None:
                    self._taken[mine.given.name].remove(mine)
                else:
                    self._queue.remove(mine)
                self._share_out()

    def settle(self, place: Place) -> None:
        """Take back what a place does not need, once the memory of its device is known."""
        with self._lock:
            place.granted = self._grant(place.device, place.need)
            self._share_out()

    def _grant(self, device: Device, need: int | None) -> int | None:
        memory = self._memory(device)
        if memory is None:
            return None
        room = max(memory - CONTEXT_BYTES, LEAST_BYTES)
        return room if need is None else min(need, room)

    def _fits(self, device: Device, need: int | None) -> bool:
        there = self._taken.setdefault(device.name, [])
        if not there:
            return True
        memory, granted = self._memory(device), self._grant(device, need)
        if memory is None or granted is None:
            return False
        held = 0
        for one in there:
            if one.granted is None:
                return False
            held += one.granted + CONTEXT_BYTES
        return held + granted + CONTEXT_BYTES <= memory

    def _share_out(self) -> None:
        passed_over: set[str] = set()
        for one in list(self._queue):
            fitting = [
                device
                for device in one.wanted
                if device.name not in passed_over and self._fits(device, one.need)
            ]
            if not fitting:
                passed_over |= {device.name for device in one.wanted}
                continue
            free = min(fitting, key=lambda device: len(self._taken[device.name]))
            one.granted = self._grant(free, one.need)
            self._taken[free.name].append(one)
            self._queue.remove(one)
            one.given = free
            one.turn.set()
