"""Parsing in many threads at once."""

import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from eurisko.syntax import parse

SOURCE = "def f(x):\n" + "".join(
    f"    y{i} = (((x + {i}) * [a for a in (x, {i})][0]) ** 2, {{'k': (x,)}})\n" for i in range(300)
)


@pytest.fixture
def busy_collector() -> Iterator[None]:
    """Let threads change places as often as can be, also by the collector."""
    switch, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(1)
    gc.callbacks.append(_pause)
    yield
    gc.callbacks.remove(_pause)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(switch)


def _pause(phase: str, info: dict[str, int]) -> None:
    """Run some bytecode in the middle of a parse, where the interpreter may change threads."""
    for _ in range(20):
        pass


def test_threads_that_parse_at_once_do_not_disturb_each_other(busy_collector: None) -> None:
    """Four threads parse a long program a few times; each gets the whole tree."""
    lengths: list[int] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            lengths.extend(len(parse(SOURCE).body[0].body) for _ in range(2))
        except BaseException as error:  # noqa: BLE001 - whatever comes is the finding
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert lengths == [300] * 8
