"""Which operators of a solver take its time, and how far they are from memory bandwidth.

The solver runs in this process with the seed heuristic, under torch.profiler. A dispatch mode sees
each operator with its tensors, so that the least bytes of a call are known from real shapes, strides
and data types of arguments and results (`traffic`), lists of tensors included; it puts a named range
around the call, by which the profiler's times find their call. Time of an operator is that of the
kernels that it starts on a graphics processor, else that of the call on the processor.
"""

import contextlib
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils._python_dispatch import TorchDispatchMode

from eurisko.evaluators import Dataset, Problem

from .bandwidth import seconds_of, synchronize
from .measure import INTERFACE
from .trace import RANGE, device_times, processor_times
from .traffic import between_devices, least_bytes

ITERATIONS = 2
"""Of solvers that iterate: the profiler keeps every event, and more of them take it minutes."""

ROUNDS = 3
"""Runs under the profiler, of which the one with the least operators' time counts."""

LAUNCH_US = 10.0
"""Calls shorter than this cost as much to launch as to do."""


@dataclass(frozen=True)
class Operator:
    """All calls of one operator.

    Args:
        name: with an underscore at the end where it works in place.
        calls: those that took time on the device.
        time_us: of all of them, on the device.
        share: of the time of all operators.
        least: bytes that they moved at least; None where there is no bound.
    """

    name: str
    calls: int
    time_us: float
    share: float
    least: int | None

    @property
    def bytes_per_s(self) -> float | None:
        """Bytes that had to be moved, by the time taken."""
        return None if self.least is None else self.least / self.time_us * 1e6

    @property
    def mean_us(self) -> float:
        """Microseconds of a call on the device."""
        return self.time_us / self.calls


@dataclass(frozen=True)
class Profile:
    """Operators of one run, those that took most first.

    Args:
        operators: all of them.
        wall_s: of the same run without profiler.
    """

    operators: Sequence[Operator]
    wall_s: float

    @property
    def busy(self) -> float:
        """Share of the undisturbed run's time in which operators were at work, at most 1.

        On the processor the profiler itself makes it too large.
        """
        return min(1.0, sum(one.time_us for one in self.operators) / 1e6 / self.wall_s)


class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Names a range for each call and keeps its operator and least bytes, in the same order."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[tuple[str, int | None]] = []

    def __torch_dispatch__(
        self,
        func: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Let a call happen within its range."""
        kwargs = kwargs or {}
        number = len(self.calls)
        name = str(func.overloadpacket.__name__)
        self.calls.append((name, None))
        with record_function(f"{RANGE}{number}"):
            result = func(*args, **kwargs)
        name += " between devices" if between_devices(args, list(kwargs.values()), result) else ""
        self.calls[number] = (name, least_bytes(func, args, kwargs, result))
        return result


def watched(work: Callable[[], object], device: str) -> list[Operator]:
    """Run something under the profiler; return its operators, those that took most first."""
    activities = [ProfilerActivity.CPU]
    if device != "cpu":
        activities.append(ProfilerActivity.CUDA)
    watch = Watch()
    synchronize(device)
    with profile(activities=activities) as seen:
        with watch:
            work()
        synchronize(device)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        seen.export_chrome_trace(str(path))  # much quicker to make and to read than seen.events()
        events = json.loads(path.read_text(encoding="utf-8", errors="replace"))["traceEvents"]
    return summed(watch.calls, (processor_times if device == "cpu" else device_times)(events))


def summed(calls: Sequence[tuple[str, int | None]], taken: Mapping[int, float]) -> list[Operator]:
    """Sum the microseconds of calls, by their numbers, and their least bytes by operator."""
    counts: dict[str, int] = defaultdict(int)
    times: dict[str, float] = defaultdict(float)
    least: dict[str, int | None] = {}
    for number, took in taken.items():
        name, moved = calls[number]
        counts[name] += 1
        times[name] += took
        before = least.get(name, 0)
        least[name] = None if moved is None or before is None else before + moved
    total = sum(times.values())
    found = [
        Operator(name, counts[name], took, took / total, least[name])
        for name, took in times.items()
    ]
    return sorted(found, key=lambda one: -one.time_us)


def iterates(problem: Problem) -> bool:
    """Whether a problem's solver says how many iterations it makes."""
    return "\nITERATIONS = " in problem.spec.interface(INTERFACE).driver


def profiled(problem: Problem, data: Dataset, device: str) -> Profile:
    """Return the operators of a problem's solver with its seed heuristic on a data set.

    Raises:
        torch.OutOfMemoryError: the device's memory is too small.
    """
    face = problem.spec.interface(INTERFACE)
    driver: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    exec(face.driver, driver)
    exec(face.seed, candidate)
    if iterates(problem):
        driver["ITERATIONS"] = min(ITERATIONS, driver["ITERATIONS"])

    def solve() -> None:
        for seed in (random.seed, np.random.seed, torch.manual_seed):  # as in the sandbox
            seed(0)
        driver["solve"](candidate[face.function], dict(data.arrays), device)

    with contextlib.nullcontext() if device == "cpu" else torch.cuda.device(device):
        with Watch():  # first uses: libraries are loaded, memory is taken, operators looked up
            solve()
        if device != "cpu":
            watched(lambda: torch.zeros(8, device=device), device)  # the profiler starts up, too
        wall_s = seconds_of(solve, device)
        runs = [watched(solve, device) for _ in range(ROUNDS)]
        return Profile(min(runs, key=lambda run: sum(one.time_us for one in run)), wall_s)


def hint(operator: Operator) -> str:
    """Return why an operator may be far from the bandwidth."""
    if operator.least == 0:
        return "moves nothing: its price is the call"
    bound = [] if operator.least is not None else ["no bound for this operator"]
    short = [f"launch-bound: calls under {LAUNCH_US:.0f} µs"] * (operator.mean_us < LAUNCH_US)
    return "; ".join(short + bound)
