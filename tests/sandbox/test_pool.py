"""Waiting in order, asynchronous use, cancelling, ageing servers, and the watch on memory."""

import asyncio
import threading
import time

import numpy as np
import pytest

from eurisko.sandbox import Inputs, Limits, OutcomeKind, Program, Sandbox
from eurisko.sandbox.gate import FairGate

from .conftest import DRIVER, EXPECTS, VALUES

DEFINE = "def heuristic(values):\n    "


def test_the_gate_serves_in_the_order_of_asking() -> None:
    """Nobody overtakes: waiting threads enter one after the other as they came."""
    gate, order = FairGate(1), []

    def enter(number: int) -> None:
        with gate:
            order.append(number)

    threads = [threading.Thread(target=enter, args=(n,)) for n in range(20)]
    with gate:
        for asked, thread in enumerate(threads, 1):
            thread.start()
            while len(gate._waiting) < asked:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == sorted(order)
    assert gate._free == 1


def test_a_place_given_up_goes_to_the_next() -> None:
    """A waiter that is interrupted neither keeps nor loses a place."""
    gate = FairGate(1)
    turn = threading.Event()
    with gate:
        gate._waiting.append(turn)
        gate._give_up(turn)
    assert gate._free == 1 and not gate._waiting
    turn.set()
    gate._free = 0
    gate._give_up(turn)
    assert gate._free == 1


def test_hundreds_of_tasks_can_wait(sandbox: Sandbox, inputs: Inputs) -> None:
    """Two hundred evaluations queued at once each get their own right answer."""

    async def all_of_them() -> list[float]:
        async def one(number: int) -> float:
            program = Program(DEFINE + f"return values + {number}", "heuristic", DRIVER)
            outcome = await sandbox.run_async(program, inputs, EXPECTS)
            return float(outcome.arrays["answer"][0])

        return await asyncio.gather(*(one(number) for number in range(200)))

    assert asyncio.run(all_of_them()) == list(range(200))


def test_cancelling_a_task_kills_its_program(sandbox: Sandbox, inputs: Inputs) -> None:
    """A cancelled evaluation frees its worker at once, also one that had not begun."""

    async def cancel() -> float:
        sleep = Program(DEFINE + "import time; time.sleep(30)", "heuristic", DRIVER)
        limits = Limits(cpu_s=60.0)
        tasks = [
            asyncio.create_task(sandbox.run_async(sleep, inputs, EXPECTS, limits))
            for _ in range(sandbox.workers + 3)
        ]
        await asyncio.sleep(0.3)
        began = time.monotonic()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert all(task.cancelled() for task in tasks)
        honest = Program(DEFINE + "return values", "heuristic", DRIVER)
        assert (await sandbox.run_async(honest, inputs, EXPECTS)).ok
        return time.monotonic() - began

    assert asyncio.run(cancel()) < 20


def test_an_old_server_is_replaced_without_losing_a_run(inputs: Inputs) -> None:
    """After its number of runs a fresh server takes over, warmed beforehand; nothing fails."""
    program = Program(DEFINE + "return values", "heuristic", DRIVER)
    with Sandbox(workers=1, policy=None, recycle_after=50) as own:
        while own._servers.started < 2 or own._servers._current is None:
            outcome = own.run(program, inputs, EXPECTS)
            assert outcome.ok, outcome
        for _ in range(60):
            assert own.run(program, inputs, EXPECTS).ok
        assert own._servers.started >= 2


def test_programs_that_together_hold_too_much_are_stopped(inputs: Inputs) -> None:
    """The watch kills the largest program when all of them pass the common bound."""
    code = DEFINE + "import numpy as n, time\n    x = n.ones(60_000_000); time.sleep(20); return x"
    with Sandbox(workers=1, policy=None, memory_total_mib=200) as own:
        outcome = own.run(
            Program(code, "heuristic", DRIVER), inputs, EXPECTS, Limits(memory_mib=4096)
        )
        assert outcome.kind is OutcomeKind.MEMORY, outcome
        honest = own.run(Program(DEFINE + "return values", "heuristic", DRIVER), inputs, EXPECTS)
        np.testing.assert_array_equal(honest.arrays["answer"], VALUES)


@pytest.mark.parametrize("options", [{"recycle_after": 0}, {"require": "L8"}])
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    """A wrong option raises ValueError before anything starts."""
    with pytest.raises(ValueError, match=r"recycle_after|isolation level"):
        Sandbox(**options)  # type: ignore[arg-type]
