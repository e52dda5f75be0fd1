"""Run a function over items in daemon threads, results as they come.

Unlike ``concurrent.futures`` the threads are daemons: a model that never answers must not keep the
process alive after Ctrl-C.
"""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

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
