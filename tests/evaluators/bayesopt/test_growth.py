"""Nothing piles up over a long study, and no step becomes dear all of a sudden."""

import gc
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from eurisko.evaluators.bayesopt import Inner, Optimizer, Real, Space

SMALL = Inner(restarts=2, samples=16, iterations=5)


class _Counted(TorchDispatchMode):
    """Counts the tensor operations inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += 1
        return func(*args, **(kwargs or {}))


def study(count: int) -> Optimizer:
    optimizer = Optimizer(Space([Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)]), seed=3, inner=SMALL)
    golden = (math.sqrt(5) - 1) / 2
    points = [{"x": (at * golden) % 1, "y": at / count} for at in range(count)]
    optimizer.warm_start([(one, math.sin(5 * one["x"]) + one["y"] ** 2) for one in points])
    return optimizer


def tensors() -> int:
    gc.collect()
    return sum(issubclass(type(one), torch.Tensor) for one in gc.get_objects())


def test_tensors_do_not_pile_up() -> None:
    """After eight more steps as many tensors are alive as before (botorch#641, #2728)."""
    optimizer, alive = study(12), []
    for _ in range(3):
        for arm in ("TS", "UCB", "PosMean", "LogEI"):
            (suggestion,) = optimizer.ask(arm)
            optimizer.tell(suggestion.number, suggestion.point["x"])
        alive.append(tensors())
    assert abs(alive[2] - alive[0]) <= 4


def test_no_jump_at_a_hundred_trials() -> None:
    """Fit and proposal with 100 values take about the operations of 99 (optuna#6230).

    Climbs stop earlier or later by chance, within a factor of two or so; no clock is read.
    """
    counts = []
    for values in (99, 100):
        optimizer = study(values)
        with _Counted() as counted:
            optimizer.ask("LogEI")
        counts.append(counted.count)
    assert max(counts) < 4 * min(counts)
