"""Prizes: optional customers may be left out as long as enough is collected."""

import numpy as np

from ..instance import Kind, RoutingInstance
from .base import BASIC, Constraint, Context, Probe, Verdict, Violation, judge, line_instance, plan


def _evidence(instance: RoutingInstance) -> str | None:
    free = (instance.kinds == Kind.CUSTOMER) & ~instance.required
    free[[node for group in instance.groups for node in group]] = False
    if not free.any() and instance.min_prize <= 0:
        return None
    return f"{int(free.sum())} customers are optional, prizes of {instance.prizes.sum():g} in all"


def _check(context: Context) -> Verdict:
    instance = context.instance
    collected = float(instance.prizes[context.counts > 0].sum())
    slack = np.array([collected - instance.min_prize])

    def say(index: tuple[int, ...]) -> Violation:
        message = f"prizes of {collected:g} are collected, {instance.min_prize:g} are wanted"
        return Violation("prizes", message)

    return judge("prizes", slack, instance.min_prize, say)


def _probe() -> Probe:
    instance = line_instance(
        [0, 1, 2, -9],
        prizes=[0, 1, 2, 5],
        min_prize=3.0,
        required=[False, False, False, False],
    )
    return Probe(instance, BASIC | {"prizes"}, plan((0, 1, 2, 0)), plan((0, 1, 0)))


constraint = Constraint(
    "prizes",
    "optional customers with prizes",
    "Optional customers may be left out; the prizes collected reach the quota (0: none is asked). "
    "Prizes left behind count in the objective.",
    "prize",
    _evidence,
    _check,
    _probe,
)
