"""A bounded number of places, given out in the order in which they were asked for."""

import threading
from collections import deque
from types import TracebackType


class FairGate:
    """Like a semaphore, but nobody overtakes: first come, first served. A context manager."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            if self._free > 0 and not self._waiting:
                self._free -= 1
                return
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            turn.wait()
        except BaseException:
            self._give_up(turn)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._free += 1

    def _give_up(self, turn: threading.Event) -> None:
        with self._lock:
            if turn.is_set():
                self._pass_on()
            else:
                self._waiting.remove(turn)
