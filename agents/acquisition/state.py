"""What a strategist sees of an optimisation: one frozen record per step.

The fields of LMABO (ICLR 2026), of the model that includes the newest point, and what that paper's
state lacks: noise, quality of the fit, what was tried and whether it helped, stagnation, distances
from the incumbent. All values are turned so that they are minimised. No field depends on the clock,
so that a resumed or replayed run sees the same states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

VERSION = 1


@dataclass(frozen=True)
class Past:
    """One evaluated suggestion.

    Args:
        number: of the evaluation, from 1.
        arm: the acquisition function that proposed it.
        improved: whether it became the incumbent.
        gain: by how much the incumbent fell, in standard deviations of the values before; 0 if not.
        failed: the evaluation gave no value.
    """

    number: int
    arm: str
    improved: bool
    gain: float
    failed: bool = False


@dataclass(frozen=True)
class State:
    """How an optimisation stands before a step.

    Args:
        evaluations: values so far, initial ones included (N).
        remaining: evaluations left in the budget, this one included.
        dimensions: free parameters (D).
        lowest, highest, mean, deviation: of the observed values.
        since_improvement: evaluations since the incumbent changed.
        nearest: distance of the newest point to its nearest earlier one, in the unit cube, divided by
            the square root of D; None with fewer than two points.
        from_incumbent: distance of the newest point to the incumbent, likewise.
        length_scales: of the fit, per free parameter, in unit-cube units.
        output_scale: signal variance of the fit, standardised units.
        noise: noise standard deviation of the fit, standardised units.
        loo_error: root mean squared leave-one-out error, standardised units (1: no better than the
            mean); None with too few points.
        loo_coverage: share of values within two standard deviations of their leave-one-out prediction.
        incumbent_deviation: posterior standard deviation at the incumbent, standardised units.
        fit: how the fit came about when the usual way failed; empty otherwise.
        arms: the acquisition functions to choose from.
        history: evaluated suggestions, oldest first.
    """

    evaluations: int
    remaining: int
    dimensions: int
    lowest: float
    highest: float
    mean: float
    deviation: float
    since_improvement: int
    nearest: float | None
    from_incumbent: float | None
    length_scales: tuple[float, ...]
    output_scale: float
    noise: float
    loo_error: float | None
    loo_coverage: float | None
    incumbent_deviation: float
    fit: str
    arms: tuple[str, ...]
    history: tuple[Past, ...]
    version: int = VERSION

    @property
    def last(self) -> Past | None:
        """The newest evaluated suggestion; None right after the initial design."""
        return self.history[-1] if self.history else None

    @property
    def failures_in_a_row(self) -> int:
        """How many of the newest suggestions did not improve, failed evaluations included."""
        count = 0
        for past in reversed(self.history):
            if past.improved:
                break
            count += 1
        return count

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the state that :meth:`to_json` gave."""
        fields = dict(data)
        history: Sequence[Mapping[str, Any]] = fields.pop("history")
        for name in ("length_scales", "arms"):
            fields[name] = tuple(fields[name])
        return cls(**fields, history=tuple(Past(**one) for one in history))
