"""Search for better constants by CMA-ES (Hansen and Ostermeier 2001; the library pycma)."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from .space import Axis

Values = tuple[float | int, ...]


class ConstantSearch:
    """Ask for values, tell their objectives; nothing is stored or evaluated here.

    All draws come from a generator of its own, never from NumPy's global one. CMA-ES needs two
    coordinates: a lone constant gets a second one that means nothing.

    Args:
        axes: one for each constant.
        start: the objective of the values that they have now.
        seed: of the random numbers.

    """

    def __init__(self, axes: Sequence[Axis], start: float, seed: int) -> None:
        import cma  # half a second: it loads its plots

        self.axes = tuple(axes)
        self._worst = start
        idle = max(0, 2 - len(self.axes))
        options = {
            "CMA_stds": [one.std for one in self.axes] + [1.0] * idle,
            "minstd": [one.floor for one in self.axes] + [0.0] * idle,
            "bounds": [
                [one.low for one in self.axes] + [-10.0] * idle,
                [one.high for one in self.axes] + [10.0] * idle,
            ],
            "randn": partial(np.random.RandomState(seed % 2**32).randn),
            "seed": 1,  # pycma would draw one itself, and use it only with the global generator
            "verbose": -9,
            "verb_log": 0,
            "verb_disp": 0,
        }
        self._strategy = cma.CMAEvolutionStrategy([0.0] * (len(self.axes) + idle), 1.0, options)
        self._asked: list[np.ndarray] = []

    @property
    def over(self) -> bool:
        """Whether the search has converged or cannot move any more."""
        return bool(self._strategy.stop())

    def ask(self) -> list[Values]:
        """Return the values of the next generation."""
        self._asked = self._strategy.ask()
        return [
            tuple(axis.value(float(x)) for axis, x in zip(self.axes, point, strict=False))
            for point in self._asked
        ]

    def tell(self, objectives: Sequence[float]) -> None:
        """Take the objectives of the last generation, infinite where a program failed."""
        finite = [one for one in objectives if math.isfinite(one)]
        self._worst = max([self._worst, *finite])
        punished = self._worst + max(1.0, abs(self._worst))
        self._strategy.tell(
            self._asked, [one if math.isfinite(one) else punished for one in objectives]
        )
