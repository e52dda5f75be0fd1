"""Test functions of BoTorch, and Easom's, which it lacks."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .measurement import Measurement, Point

if TYPE_CHECKING:
    from ..bayesopt import Space


@dataclass(frozen=True)
class TestFunction:
    """A function of BoTorch's ``test_functions.synthetic``, evaluated in double precision.

    Args:
        name: how users call it.
        kind: name of the class there.
        dimensions: for those that are defined for any number; None for the others.
        minimise: Cosine8 alone is meant to be maximised.
        best: the best value, where BoTorch states none.
    """

    __test__ = False  # not a test class, for pytest

    name: str
    kind: str
    dimensions: int | None = None
    minimise: bool = True
    best: float | None = None

    @cached_property
    def _function(self) -> Any:
        import torch
        from botorch.test_functions import synthetic

        more = {} if self.dimensions is None else {"dim": self.dimensions}
        return getattr(synthetic, self.kind)(**more, dtype=torch.double)

    @cached_property
    def space(self) -> "Space":
        """The box in which the function is defined; parameters x1, x2, ..."""
        return box(self._function.bounds.T.tolist())

    @property
    def optimum(self) -> float | None:
        """The best value."""
        if self.best is not None:
            return self.best
        return float(self._function.optimal_value)

    def evaluate(self, point: Point) -> Measurement:
        """Return the value at a point."""
        import torch

        x = torch.tensor([[float(value) for value in point.values()]], dtype=torch.double)
        return Measurement.of(float(self._function(x).item()))


@dataclass(frozen=True)
class Easom:
    """Easom's function: flat, with one narrow dent of depth 1 at (pi, pi)."""

    name: str = "easom"
    minimise: bool = True
    optimum: float | None = -1.0

    @cached_property
    def space(self) -> "Space":
        """The usual box."""
        return box([[-100.0, 100.0]] * 2)

    def evaluate(self, point: Point) -> Measurement:
        """Return the value at a point."""
        x, y = (float(value) for value in point.values())
        dent = math.exp(-((x - math.pi) ** 2) - (y - math.pi) ** 2)
        return Measurement.of(-math.cos(x) * math.cos(y) * dent)


def box(bounds: list[list[float]]) -> "Space":
    """Return a space of real parameters x1, x2, ... with these bounds."""
    from ..bayesopt import Real, Space

    return Space([Real(f"x{i}", low, high) for i, (low, high) in enumerate(bounds, start=1)])


PUBLISHED = (
    TestFunction("ackley-50", "Ackley", 50),
    TestFunction("beale", "Beale"),
    TestFunction("bukin", "Bukin"),
    TestFunction("cosine8", "Cosine8", minimise=False),
    TestFunction("dixonprice-15", "DixonPrice", 15),
    TestFunction("dropwave", "DropWave"),
    TestFunction("eggholder", "EggHolder"),
    TestFunction("griewank-9", "Griewank", 9),
    TestFunction("hartmann6", "Hartmann", 6),
    TestFunction("holdertable", "HolderTable"),
    TestFunction("levy-13", "Levy", 13),
    TestFunction("michalewicz-10", "Michalewicz", 10),
    TestFunction("styblinskitang-21", "StyblinskiTang", 21),
    TestFunction("shekel", "Shekel"),
    TestFunction("sixhumpcamel", "SixHumpCamel"),
)
"""The fifteen of LMABO's main table."""

LEFT_OUT = (
    TestFunction("branin", "Branin"),
    Easom(),
    TestFunction("powell-18", "Powell", 18),
    TestFunction("rastrigin-23", "Rastrigin", 23),
    TestFunction("rosenbrock-24", "Rosenbrock", 24),
)
"""Run by its authors, but not in the table."""

MORE = (
    TestFunction("ackley-2", "Ackley", 2),
    TestFunction("ackley-10", "Ackley", 10),
    TestFunction("hartmann3", "Hartmann", 3),
    TestFunction("levy-4", "Levy", 4),
    TestFunction("rosenbrock-4", "Rosenbrock", 4),
    TestFunction("rastrigin-4", "Rastrigin", 4),
    TestFunction("griewank-4", "Griewank", 4),
    TestFunction("michalewicz-5", "Michalewicz", 5),
    TestFunction("styblinskitang-4", "StyblinskiTang", 4),
)
"""Smaller ones, for quick looks."""
