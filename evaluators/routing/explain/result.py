"""What an explanation says."""

from dataclasses import dataclass

from ..checker import Report
from ..instance import RoutingInstance
from ..plan import Plan


@dataclass(frozen=True)
class Block:
    """A rule that stands in the way, and the names of the customers concerned.

    ``proved``: no plan can exist because of it; else a plan was found once it was loosened.
    """

    rule: str
    customers: tuple[str, ...]
    message: str
    proved: bool


@dataclass(frozen=True, eq=False)
class Relaxation:
    """One change that makes a plan possible, with that plan as the checker judges it.

    ``share`` is the change relative to what is there (0.1: a tenth more), 1 where a rule is
    dropped; relaxations are ordered by it. ``instance`` and ``names`` are the changed problem.
    """

    rule: str
    change: str
    amount: float
    share: float
    instance: RoutingInstance
    names: frozenset[str]
    plan: Plan
    report: Report


@dataclass(frozen=True, eq=False)
class Explanation:
    """``plan`` keeps all rules where one was found; else ``proved`` says whether none can exist."""

    plan: Plan | None
    proved: bool
    blocks: tuple[Block, ...]
    relaxations: tuple[Relaxation, ...]
    notes: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """Whether a plan was found."""
        return self.plan is not None

    def lines(self) -> list[str]:
        """Return the explanation as sentences."""
        if self.feasible:
            return ["A plan that keeps every rule was found."]
        head = "No plan can keep every rule." if self.proved else "No plan was found."
        if not self.proved:
            head += " That is no proof that there is none."
        found = [head]
        for block in self.blocks:
            found.append(f"{block.rule}: {block.message}.")
        found += [f"It works with {one.change}." for one in self.relaxations]
        if not self.relaxations:
            found.append("No single change that was tried makes a plan possible.")
        return found + [f"{note}." for note in self.notes]
