"""The noiseless BBOB functions of the COCO platform, through the ``ioh`` package."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .functions import box
from .measurement import Measurement, Point

if TYPE_CHECKING:
    from ..bayesopt import Space


@dataclass(frozen=True)
class Bbob:
    """One instance of a BBOB function in the box from -5 to 5; its optimum is known."""

    function: int
    dimensions: int
    instance: int = 1
    minimise: bool = True

    @property
    def name(self) -> str:
        """Such as ``bbob-f21-5``."""
        more = "" if self.instance == 1 else f"-i{self.instance}"
        return f"bbob-f{self.function}-{self.dimensions}{more}"

    @cached_property
    def _function(self) -> Any:
        try:
            import ioh
        except ModuleNotFoundError as error:
            raise InputError(
                f"{self.name} needs the package ioh: pip install 'eurisko[bbob]'."
            ) from error
        return ioh.get_problem(
            self.function, self.instance, self.dimensions, problem_class=ioh.ProblemClass.BBOB
        )

    @cached_property
    def space(self) -> "Space":
        """Parameters x1, x2, ... from -5 to 5."""
        return box([[-5.0, 5.0]] * self.dimensions)

    @property
    def optimum(self) -> float | None:
        """The true optimum."""
        return float(self._function.optimum.y)

    def evaluate(self, point: Point) -> Measurement:
        """Return the value at a point."""
        return Measurement.of(float(self._function([float(v) for v in point.values()])))


PUBLISHED = tuple(
    Bbob(function, 10 if function == 19 else 5)
    for function in (4, 5, 6, 7, 11, 12, 13, 14, 16, 18, 19, 21, 22, 23, 24)
)
"""The fifteen of LMABO's main table."""

LEFT_OUT = (Bbob(1, 5), Bbob(10, 10), Bbob(9, 10), Bbob(17, 5), Bbob(20, 5))
"""Sphere, rotated ellipsoid and Rosenbrock, Schaffers, Schwefel: run, but not in the table."""
