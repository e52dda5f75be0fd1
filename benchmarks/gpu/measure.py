"""Candidates per second of one cell through the full protected path, one and several at once."""

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from eurisko.evaluators import Dataset, Evaluation, Problem, evaluate
from eurisko.sandbox import Limits, OutcomeKind, Sandbox, SandboxError

INTERFACE = "batched"
ENOUGH_S = 1.0
ENOUGH_RUNS = 5
"""Each thread stops once it has spent so many seconds and made so many runs."""

CPU_FACTOR = 16.0
"""Processor seconds allowed per second on the clock: the clock is what ends a run."""


@dataclass(frozen=True)
class Measured:
    """What came of a cell on one device.

    Args:
        first_s: the first evaluation, by the clock, with the wait for a worker.
        rates: candidates per second by how many were evaluated at once; None where a run failed
            or the cell's time was up.
        program_s: median of a program's own seconds on the clock, inside its worker.
        kind: ``ok``, or how a program ended.
        remark: what else there is to say.
        failed: whether nothing at all could be measured: larger cells will fail, too.
    """

    first_s: float
    rates: dict[int, float | None] = field(default_factory=dict)
    program_s: float | None = None
    kind: str = OutcomeKind.OK.value
    remark: str = ""
    failed: bool = False

    @property
    def best(self) -> float | None:
        """The largest number of candidates per second."""
        return max((rate for rate in self.rates.values() if rate is not None), default=None)


@dataclass(frozen=True)
class Work:
    """One program on one data set on one device, and what it may use."""

    sandbox: Sandbox
    problem: Problem
    data: Dataset
    device: str
    seconds: float
    memory_mib: int

    def run(self) -> Evaluation:
        """Evaluate the seed heuristic once.

        Raises:
            SandboxError: the sandbox cannot run anything.
        """
        limits = Limits(
            cpu_s=CPU_FACTOR * self.seconds, wall_s=self.seconds, memory_mib=self.memory_mib
        )
        code = self.problem.spec.interface(INTERFACE).seed
        return evaluate(
            self.sandbox, self.problem, INTERFACE, code, self.data, limits, device=self.device
        )


def measure(work: Work, at_once: Sequence[int]) -> Measured:
    """Measure a cell within its seconds: a first run, then a share of the rest for each number."""
    began = time.perf_counter()
    try:
        first = work.run()
        first_s = time.perf_counter() - began
        if first.kind is not OutcomeKind.OK:
            return Measured(first_s, {}, None, first.kind.value, reason(first.message), failed=True)
        return steady(work, at_once, first, first_s)
    except SandboxError as error:
        took, kind = time.perf_counter() - began, OutcomeKind.SANDBOX_FAILURE.value
        return Measured(took, {}, None, kind, reason(str(error)), failed=True)


def steady(work: Work, at_once: Sequence[int], first: Evaluation, first_s: float) -> Measured:
    """Measure the rates of a cell whose first run went well.

    Raises:
        SandboxError: the sandbox cannot run anything any more.
    """
    share = (work.seconds - first_s) / len(at_once)
    rates: dict[int, float | None] = {}
    programs, kind, remarks = [first.wall_s], OutcomeKind.OK.value, []
    for count in at_once:
        if share < first_s * (1 if count == 1 else 0.5 * count):
            rates[count] = 1 / first_s if count == 1 else None
            remarks.append("x1: the first run only" if count == 1 else f"x{count}: no time left")
            continue
        seen, spent = together(work.run, count, share)
        bad = next((one for one in seen if one.kind is not OutcomeKind.OK), None)
        rates[count] = len(seen) / spent if bad is None else None
        if bad is not None:
            kind = bad.kind.value
            remarks.append(f"x{count}: {kind}, {reason(bad.message)}")
        elif count == 1:
            programs = [one.wall_s for one in seen]
    return Measured(first_s, rates, statistics.median(programs), kind, "; ".join(remarks))


def together(
    run: Callable[[], Evaluation], count: int, seconds: float
) -> tuple[list[Evaluation], float]:
    """Let ``count`` threads evaluate for so many seconds at most; return results and seconds spent.

    Each thread begins no run after the end, and one in any case.
    """
    began = time.perf_counter()

    def keep_on(_: int) -> list[Evaluation]:
        seen = [run()]
        while (spent := time.perf_counter() - began) < seconds:
            if spent >= ENOUGH_S and len(seen) >= ENOUGH_RUNS:
                break
            seen.append(run())
        return seen

    with ThreadPoolExecutor(count) as pool:
        seen = [one for some in pool.map(keep_on, range(count)) for one in some]
    return seen, time.perf_counter() - began


def reason(message: str) -> str:
    """Return why a run failed, short enough for a table's cell."""
    text = " ".join(message.split()).replace("|", "/")
    return text if len(text) <= 80 else f"{text[:77]}..."
