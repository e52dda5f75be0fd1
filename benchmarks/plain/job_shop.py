"""Giffler and Thompson's active schedules by most work remaining, in plain Python."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def measures(arrays: Mapping[str, Any], seed: int) -> Iterator[float]:
    """Yield makespans, instance by instance; nothing is random."""
    for times, machines in zip(arrays["times"].tolist(), arrays["machines"].tolist(), strict=True):
        yield float(makespan(times, machines))


def makespan(times: Sequence[Sequence[int]], machines: Sequence[Sequence[int]]) -> int:
    """Return when the last operation of the schedule ends.

    At each step the machine is taken on which an operation could end first; among the jobs that
    wait for it and could start before that end, the one with most work left goes (ties: the lowest
    number).
    """
    jobs, count = len(times), len(times[0])
    done, ready, free = [0] * jobs, [0] * jobs, [0] * count
    work = [sum(one) for one in times]
    for _ in range(jobs * count):
        first, soonest = -1, math.inf
        start = [0] * jobs
        for job in range(jobs):
            if done[job] == count:
                continue
            start[job] = max(ready[job], free[machines[job][done[job]]])
            end = start[job] + times[job][done[job]]
            if end < soonest:
                first, soonest = job, end
        machine = machines[first][done[first]]
        chosen, most = first, work[first]
        for job in range(jobs):
            waits = done[job] < count and machines[job][done[job]] == machine
            if not waits or not (start[job] < soonest or job == first):
                continue
            if work[job] > most or (work[job] == most and job < chosen):
                chosen, most = job, work[job]
        time = times[chosen][done[chosen]]
        ready[chosen] = free[machine] = start[chosen] + time
        work[chosen] -= time
        done[chosen] += 1
    return max(ready)
