"""Trusted checks and makespans of permutations; runs outside the sandbox."""

import numpy as np

from ...problem import Array, Infeasible


def makespans(times: Array, orders: Array) -> Array:
    """Check the permutations ``[B, N]`` and return makespans ``[B]`` for times ``[B, N, M]``.

    Job by job: a machine starts a job when it is free and the job has left the machine before.

    Raises:
        Infeasible: names the first instance that is no permutation of its jobs, and why.
        ValueError: shape or type is wrong (the sandbox checks them first).
    """
    instances, jobs, machines = times.shape
    if orders.shape != (instances, jobs) or orders.dtype.kind != "i":
        raise ValueError(f"orders {orders.dtype}{list(orders.shape)}, wanted [{instances}, {jobs}]")
    legal = (np.sort(orders, axis=1) == np.arange(jobs)).all(axis=1)
    if not legal.all():
        instance = int(np.argmin(legal))
        raise Infeasible(instance, _complaint(orders[instance], jobs))
    free = np.zeros((instances, machines), dtype=np.int64)
    rows = np.arange(instances)
    for position in range(jobs):
        job = times[rows, orders[:, position]]
        left = np.zeros(instances, dtype=np.int64)
        for machine in range(machines):
            left = np.maximum(free[:, machine], left) + job[:, machine]
            free[:, machine] = left
    spans: Array = free[:, -1].astype(np.float64)
    return spans


def _complaint(order: Array, jobs: int) -> str:
    outside = order[(order < 0) | (order >= jobs)]
    if outside.size:
        return f"job {outside[0]} does not exist, jobs are 0 to {jobs - 1}"
    counts = np.bincount(order, minlength=jobs)
    return f"job {counts.argmax()} is done {counts.max()} times, job {counts.argmin()} never"
