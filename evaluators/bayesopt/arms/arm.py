"""The protocol of the portfolio: one acquisition function, one file."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..parameters import Columns

Acquisition = Callable[[Any], Any]  # double tensor [b, 1, columns] -> [b], larger is better
SetScores = Callable[[Columns], Columns]  # rows [n, columns] -> scores [n], larger is better


@dataclass(frozen=True)
class Belief:
    """What an arm may use. Utilities are standardised and larger is better.

    Attributes:
        model: a fitted BoTorch model of the utility on the unit cube, pending points included.
        incumbent: utility of the best point so far.
        evaluations: number of evaluated points N.
        rows: evaluated and pending points, double tensor [n, columns].
        candidates: space-filling points over the whole feasible space, tensor [k, columns].
    """

    model: Any
    incumbent: float
    evaluations: int
    rows: Any
    candidates: Any


class Arm(Protocol):
    """An acquisition function of the portfolio.

    Attributes:
        name: as users and strategists write it.
        help: when it helps, in one sentence.
        cost: processor time of one proposal without the fit, relative to LogEI (measured).
        gradient: whether it is climbed by gradients; otherwise the best candidate is taken.
    """

    name: str
    help: str
    cost: float
    gradient: bool

    def acquisition(self, belief: Belief) -> Acquisition:
        """Return the function to maximise. Random draws come from torch's global generator."""
        ...


class ArmFailed(Exception):
    """An acquisition function from outside gave no scores; the message says why."""


@runtime_checkable
class OutsideArm(Protocol):
    """An acquisition function that is not of the portfolio, such as an evolved program.

    It scores whole sets of candidates, which it may compare with each other, without gradients.

    Attributes:
        name: as users and strategists write it; none of the portfolio's.
        help: when it helps, in one sentence.
    """

    @property
    def name(self) -> str:
        """As users and strategists write it."""
        ...

    @property
    def help(self) -> str:
        """When it helps."""
        ...

    def scoring(self, belief: Belief, size: int, seed: int) -> AbstractContextManager[SetScores]:
        """Open the function for one proposal.

        Args:
            belief: as for the portfolio.
            size: how many candidates each set has.
            seed: of anything random.

        Raises:
            ArmFailed: when it is opened or asked; the proposal is then LogEI's.
        """
        ...
