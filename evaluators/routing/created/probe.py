"""Probes of created solvers: what each rule is tested with, in the format of the user's file."""

from dataclasses import dataclass

from ..instance import RoutingInstance
from ..plan import Plan


@dataclass(frozen=True, eq=False)
class CreatedProbe:
    """A binding instance in the user's format, a plan that keeps all rules, one that breaks one.

    ``kind`` says what the rejected plan does wrong, where a rule has several probes. ``also`` names
    rules that no plan can keep while it breaks this one in this way; it is empty where the rejected
    plan breaks only its rule.
    """

    constraint: str
    kind: str
    text: str
    instance: RoutingInstance
    accepted: Plan
    rejected: Plan
    also: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """The rule, and what is done to it."""
        return f"{self.constraint} ({self.kind})" if self.kind else self.constraint


@dataclass(frozen=True, eq=False)
class ProbeSet:
    """Probes, and the rules that have none, each with the reason."""

    probes: tuple[CreatedProbe, ...]
    missing: dict[str, str]
