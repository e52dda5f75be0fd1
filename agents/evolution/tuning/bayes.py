"""Search for better constants by Bayesian optimisation, with the engine of ``eurisko optimize``."""

import math
from collections.abc import Sequence

from ....evaluators.bayesopt import Inner, Optimizer, Real, Space
from .search import Values
from .space import Axis

REACH = 5.0
"""How far the search goes, in standard deviations of the start."""

BATCH = 4
"""Values asked for at once, each given that the earlier ones turn out as expected."""

MOST = 10
"""Points of the space-filling start, at most."""


class BayesianSearch:
    """Ask for values, tell their objectives; for few constants and costly evaluations.

    The values that the constants have now are known from the start. Objectives are taken as exact;
    programs that fail are failed trials.

    Args:
        axes: one for each constant.
        start: the objective of the values that they have now.
        seed: of the random numbers.

    """

    def __init__(self, axes: Sequence[Axis], start: float, seed: int) -> None:
        self.axes = tuple(axes)
        space = Space(
            [
                Real(
                    f"x{at}",
                    max(one.low, -REACH * max(one.std, one.floor)),
                    min(one.high, REACH * max(one.std, one.floor)),
                )
                for at, one in enumerate(self.axes)
            ]
        )
        self._optimizer = Optimizer(
            space,
            seed=seed,
            initial=min(2 * len(self.axes) + 1, MOST),
            inner=Inner(restarts=4, samples=256, iterations=50),
        )
        now = dict.fromkeys((one.name for one in space.free), 0.0)
        self._optimizer.warm_start([(now, start if math.isfinite(start) else None)])
        self._asked: list[int] = []

    @property
    def over(self) -> bool:
        """Never: there is always another point of real coordinates."""
        return False

    def ask(self) -> list[Values]:
        """Return the values of the next batch."""
        suggestions = self._optimizer.ask(count=BATCH)
        self._asked = [one.number for one in suggestions]
        return [
            tuple(axis.value(float(one.point[f"x{at}"])) for at, axis in enumerate(self.axes))
            for one in suggestions
        ]

    def tell(self, objectives: Sequence[float]) -> None:
        """Take the objectives of the last batch, infinite where a program failed."""
        for number, objective in zip(self._asked, objectives, strict=True):
            self._optimizer.tell(number, objective if math.isfinite(objective) else None)
