"""The desk: many threads, one executor, each gets its own answer."""

import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from eurisko.agents.batch.executors import Answer, Desk
from eurisko.agents.batch.tasks import Task
from eurisko.evaluators import InputError


class Echo:
    """Answers each task with its code, the last submitted first; fails as ``failing`` says."""

    slots = 4

    def __init__(self, failing: dict[str, list[Exception]] | None = None) -> None:
        self.failing, self.waiting = failing or {}, list[Task]()
        self.tries = Counter[str]()

    def slots_on(self, device: str) -> int:
        return self.slots

    def submit(self, task: Task) -> None:
        self.tries[task.code] += 1
        self.waiting.append(task)

    def completed(self, timeout_s: float) -> list[Answer]:
        done, self.waiting = self.waiting[::-1], []
        return [Answer(task, cast(Any, self._outcome(task.code))) for task in done]

    def _outcome(self, code: str) -> Any:
        errors = self.failing.get(code)
        return errors.pop(0) if errors else f"answer to {code}"

    def close(self) -> None:
        pass


def task(code: str) -> Task:
    return Task(0, "p", "i", "d", False, code, 0, "cpu", math.nan, 1)


def test_each_thread_gets_its_own_answer() -> None:
    """Answers come in another order than questions, and many have the same item number."""
    desk = Desk(Echo())
    codes = [str(number) for number in range(200)]
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda code: desk.do(task(code)), codes))
    assert answers == [f"answer to {code}" for code in codes]


def test_a_lost_worker_is_tried_again_and_wrong_input_is_not() -> None:
    """Two failures are made good, a third is handed on; an input error is handed on at once."""
    lost = [OSError("lost")]
    echo = Echo({"twice": lost * 2, "ever": lost * 9, "wrong": [InputError("no such problem")] * 9})
    desk = Desk(echo)
    assert cast(Any, desk.do(task("twice"))) == "answer to twice"
    with pytest.raises(OSError, match="lost"):
        desk.do(task("ever"))
    with pytest.raises(InputError, match="no such problem"):
        desk.do(task("wrong"))
    assert echo.tries == {"twice": 3, "ever": 3, "wrong": 1}


def test_who_comes_after_the_end_is_told() -> None:
    """Nobody waits for an answer that cannot come: after close, or after the executor broke."""
    closed = Desk(Echo())
    closed.close()
    with pytest.raises(RuntimeError, match="closed"):
        closed.do(task("late"))

    class Broken(Echo):
        def submit(self, task: Task) -> None:
            raise ConnectionError("no cluster")

    broken = Desk(Broken())
    for _ in range(2):
        with pytest.raises(ConnectionError, match="no cluster"):
            broken.do(task("any"))
