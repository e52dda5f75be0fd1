"""Plans of one small instance with what the checker says of each."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..checker import Report, check
from ..instance import RoutingInstance
from ..plan import Plan
from .plans import random_plan

ORDERLY = 48
WILD = 64


@dataclass(frozen=True, eq=False)
class Judged:
    """A plan and the checker's report of it."""

    plan: Plan
    report: Report

    def slack(self, name: str) -> float:
        """Return the smallest margin of a rule, infinite where it is not checked."""
        verdict = self.report.verdicts.get(name)
        return float("inf") if verdict is None else verdict.slack


@dataclass(frozen=True, eq=False)
class Pool:
    """``good`` plans keep every rule of the wide instance; ``wild`` ones may break any."""

    instance: RoutingInstance
    names: frozenset[str]
    good: tuple[Judged, ...]
    wild: tuple[Judged, ...]

    def everything(self) -> Iterator[Judged]:
        """Yield all plans, those that keep all rules first."""
        yield from self.good
        yield from self.wild


def make_pool(instance: RoutingInstance, names: frozenset[str], rng: np.random.Generator) -> Pool:
    """Return random plans, judged."""

    def judged(orderly: bool) -> Judged:
        plan = random_plan(instance, names, rng, orderly=orderly)
        return Judged(plan, check(instance, plan, names))

    first = [judged(True) for _ in range(ORDERLY)]
    wild = [judged(False) for _ in range(WILD)]
    good = tuple(one for one in [*first, *wild] if one.report.feasible)
    return Pool(instance, names, good, tuple(one for one in wild if not one.report.feasible))
