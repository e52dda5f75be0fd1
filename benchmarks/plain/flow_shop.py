"""NEH without acceleration in plain Python: every position is tried by computing its makespan."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def makespan(order: Sequence[int], times: Sequence[Sequence[int]]) -> int:
    """Return when the last job leaves the last machine."""
    done = [0] * len(times[0])
    for job in order:
        before = 0
        for machine, time in enumerate(times[job]):
            before = max(before, done[machine]) + time
            done[machine] = before
    return done[-1]


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield makespans, instance by instance; nothing is random."""
    for times in arrays["times"].tolist():
        order: list[int] = []
        for job in sorted(range(len(times)), key=lambda one: (-sum(times[one]), one)):
            tried = ([*order[:at], job, *order[at:]] for at in range(len(order) + 1))
            order = min(tried, key=lambda one: makespan(one, times))
        yield float(makespan(order, times))
