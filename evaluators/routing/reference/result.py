"""A reference solution."""

from dataclasses import dataclass

from ..checker import Report
from ..plan import Plan


@dataclass(frozen=True, eq=False)
class Reference:
    """What a reference solver found, as the checker judges it in the instance's own units.

    ``plan`` is None where the solver returned none at all. A plan that the solver returned and
    the checker refuses is kept with its report, so that one can see what blocks. ``notes`` say
    how the model differs from the rules, and how numbers were made integers.
    """

    plan: Plan | None
    report: Report | None
    solver: str
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is a plan that keeps every rule."""
        return self.report is not None and self.report.feasible

    @property
    def cost(self) -> float:
        """Value of the objective's first level, infinite where nothing feasible was found."""
        return (
            self.report.cost if self.report is not None and self.report.feasible else float("inf")
        )
