"""Run a function over items in daemon threads, results as they come.

Unlike ``concurrent.futures`` the threads are daemons: a model that never answers must not keep the
process alive after Ctrl-C.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def as_completed(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    stop: threading.Event | None = None,
) -> Iterator[tuple[int, Result | Exception]]:
    """Yield ``(index, result)`` for each item in the order in which they finish.

    An exception of ``function`` is yielded in place of a result: the caller decides. When ``stop`` is
    set no further item is started, and the iteration ends without waiting for those under way. One
    worker means the calling thread itself.
    """
    if workers <= 1 or len(items) <= 1:
        yield from _one_by_one(function, items, stop)
        return
    todo: queue.SimpleQueue[tuple[int, Item]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Result | Exception]] = queue.SimpleQueue()
    for pair in enumerate(items):
        todo.put(pair)

    def work() -> None:
        while not (stop is not None and stop.is_set()):
            try:
                index, item = todo.get_nowait()
            except queue.Empty:
                return
            done.put((index, _attempt(function, item)))

    for _ in range(min(workers, len(items))):
        threading.Thread(target=work, daemon=True).start()
    for _ in range(len(items)):
        while True:
            try:
                yield done.get(timeout=0.1)
                break
            except queue.Empty:
                if stop is not None and stop.is_set():
                    return


def _one_by_one(
    function: Callable[[Item], Result], items: Sequence[Item], stop: threading.Event | None
) -> Iterator[tuple[int, Result | Exception]]:
    for index, item in enumerate(items):
        if stop is not None and stop.is_set():
            return
        yield index, _attempt(function, item)


def _attempt(function: Callable[[Item], Result], item: Item) -> Result | Exception:
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - handed to the caller as a value, never dropped
        return error


def drain(queue_: "queue.SimpleQueue[Result]", timeout_s: float) -> list[Result]:
    """Return what is in a queue, in its order, waiting for the first at most so long."""
    found: list[Result] = []
    with contextlib.suppress(queue.Empty):
        found.append(queue_.get(timeout=timeout_s) if timeout_s else queue_.get_nowait())
        while True:
            found.append(queue_.get_nowait())
    return found


class Lane(Generic[Item, Result]):
    """Worker threads that are kept busy: hand in an item, take what has ended whenever you like.

    Used by one thread.

    Args:
        function: what is done with an item.
        workers: how many at once.
        done: where results go, when several lanes share one place; ``drain`` it instead of asking
            a lane what has ended.
    """

    def __init__(
        self,
        function: Callable[[Item], Result],
        workers: int,
        done: "queue.SimpleQueue[tuple[Item, Result | Exception]] | None" = None,
    ) -> None:
        self._function, self.workers = function, workers
        self._todo: queue.SimpleQueue[tuple[Item] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Item, Result | Exception]] = (
            queue.SimpleQueue() if done is None else done
        )
        self._started = 0
        self.under_way = 0
        """How many were handed in and not yet taken."""

    def submit(self, item: Item) -> None:
        """Hand in an item; it waits where all workers are busy."""
        if self._started < self.workers:
            self._started += 1
            # A daemon: what never ends must not keep the process alive after Ctrl-C.
            threading.Thread(target=self._work, daemon=True).start()
        self.under_way += 1
        self._todo.put((item,))

    def completed(self, timeout_s: float) -> list[tuple[Item, Result | Exception]]:
        """Return what has ended, in its order, waiting for the first at most so long."""
        ended = drain(self._done, timeout_s)
        self.under_way -= len(ended)
        return ended

    def close(self) -> None:
        """Let the threads end after what they are at; what waits is dropped."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._todo.get_nowait()
        for _ in range(self._started):
            self._todo.put(None)

    def _work(self) -> None:
        while (given := self._todo.get()) is not None:
            self._done.put((given[0], _attempt(self._function, given[0])))
