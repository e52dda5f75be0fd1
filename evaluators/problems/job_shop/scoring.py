"""Trusted schedules: from dispatched jobs to makespans; runs outside the sandbox."""

import numpy as np

from ...problem import Array, Infeasible


def makespans(times: Array, machines: Array, sequence: Array) -> Array:
    """Check dispatching sequences ``[B, N * M]`` and return makespans ``[B]`` in float64.

    The k-th occurrence of a job stands for its k-th operation, which starts as soon as the job and
    its machine are free. So every sequence in which each job occurs M times is a schedule.

    Args:
        times: ``[B, N, M]``, in each job's order.
        machines: ``[B, N, M]``, the machine of each operation.
        sequence: job numbers.

    Raises:
        Infeasible: names the first instance in which a job does not occur M times.
        ValueError: shape or type is wrong (the sandbox checks them first).
    """
    instances, jobs, count = times.shape
    if sequence.shape != (instances, jobs * count) or sequence.dtype.kind != "i":
        raise ValueError(f"sequence {sequence.dtype}{list(sequence.shape)} has the wrong form")
    wanted = np.repeat(np.arange(jobs), count)
    legal = (np.sort(sequence, axis=1) == wanted).all(axis=1)
    if not legal.all():
        instance = int(np.argmin(legal))
        raise Infeasible(instance, _complaint(sequence[instance], jobs, count))
    rows = np.arange(instances)
    done = np.zeros((instances, jobs), dtype=np.int64)
    ready = np.zeros((instances, jobs), dtype=np.int64)
    free = np.zeros((instances, count), dtype=np.int64)
    for step in range(jobs * count):
        job = sequence[:, step]
        operation = done[rows, job]
        machine = machines[rows, job, operation]
        end = np.maximum(ready[rows, job], free[rows, machine]) + times[rows, job, operation]
        ready[rows, job] = free[rows, machine] = end
        done[rows, job] += 1
    spans: Array = ready.max(axis=1).astype(np.float64)
    return spans


def _complaint(sequence: Array, jobs: int, count: int) -> str:
    outside = sequence[(sequence < 0) | (sequence >= jobs)]
    if outside.size:
        return f"job {outside[0]} does not exist, jobs are 0 to {jobs - 1}"
    times = np.bincount(sequence, minlength=jobs)
    job = int((times != count).argmax())
    return f"job {job} is dispatched {times[job]} times, it has {count} operations"
