"""One running program per device: whoever asked first gets the first device that will do."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .devices import Device


@dataclass(eq=False)
class _Waiting:
    wanted: Sequence[Device]
    turn: threading.Event = field(default_factory=threading.Event)
    given: Device | None = None


class Places:
    """Shares devices out in the order of asking; nobody overtakes for the same device."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._queue: list[_Waiting] = []

    @contextlib.contextmanager
    def take(self, wanted: Sequence[Device]) -> Iterator[Device]:
        """Wait for one of ``wanted`` and keep it until the end of the block."""
        mine = _Waiting(wanted)
        with self._lock:
            self._queue.append(mine)
            self._share_out()
        try:
            mine.turn.wait()
            assert mine.given is not None
            yield mine.given
        finally:
            with self._lock:
                if mine.given is not None:
                    self._busy.remove(mine.given.name)
                else:
                    self._queue.remove(mine)
                self._share_out()

    def _share_out(self) -> None:
        for one in list(self._queue):
            free = next((d for d in one.wanted if d.name not in self._busy), None)
            if free is not None:
                self._busy.add(free.name)
                self._queue.remove(one)
                one.given = free
                one.turn.set()
