"""Explains why a problem has no solution, and which smallest changes give it one.

First what can be proved; then the reference solver; then one change at a time, amounts by
bisection. A solver that finds nothing proves nothing, and the explanation says so. A change that
is offered always comes with a plan that the checker accepts.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..checker import check
from ..instance import RoutingInstance
from ..plan import Plan
from ..reference import Reference, SolverFailed, Unmodelled, solve_reference
from .bounds import prove
from .changes import Change, Problem, changes
from .result import Block, Explanation, Relaxation

_ITERATIONS = 1500  # of one attempt; makes attempts repeat
_ATTEMPTS = 20  # that could share the time; most end by their iterations
_STEPS = 7  # of a bisection
_FINE = 0.01  # of the base: finer amounts are not looked for
_SUSPECTS = 8


@dataclass
class _Search:
    """Attempts within a time limit."""

    seed: int
    share: float
    ends: float
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self.ends

    def attempt(self, problem: Problem) -> Plan | None:
        """Return a plan that keeps all rules, or None; the checker has judged it."""
        reference = self.reference(problem)
        return reference.plan if reference is not None and reference.found else None

    def reference(self, problem: Problem) -> Reference | None:
        """Return what the reference solver makes of a problem, None where it has no model."""
        left = self.ends - time.monotonic()
        if left <= 0:
            self.notes["time ran out before every change was tried"] = None
            return None
        try:
            return solve_reference(
                *problem,
                seconds=min(self.share, left),
                seed=self.seed,
                iterations=_ITERATIONS,
                first=True,
            )
        except (Unmodelled, SolverFailed) as error:
            self.notes[str(error).rstrip(".")] = None
            return None


def explain(
    instance: RoutingInstance, names: Iterable[str], *, seconds: float = 10.0, seed: int = 0
) -> Explanation:
    """Explain why no plan keeps the rules.

    Args:
        instance: the data.
        names: rules of the vocabulary.
        seconds: limit of the whole search; half-done work is kept, and the notes say so.
        seed: of the solver; with enough time the same seed gives the same explanation.

    Raises:
        SolverMissing: no reference solver is installed.
    """
    rules = frozenset(names)
    search = _Search(seed, max(0.05, seconds / _ATTEMPTS), time.monotonic() + seconds)
    proofs = prove(instance, rules)
    first = None if proofs else search.reference((instance, rules))
    if first is not None and first.found:
        return Explanation(first.plan, False, (), (), tuple(search.notes))
    worst = first.plan if first is not None else None
    suspects = _suspects(instance, rules, proofs, worst)
    relaxations: list[Relaxation] = []
    for change in changes(instance, rules, suspects):
        if search.over:
            search.notes["time ran out before every change was tried"] = None
            break
        found = _smallest(instance, rules, change, search)
        if found is not None:
            relaxations.append(found)
    relaxations.sort(key=lambda one: one.share)
    blocks = (*proofs, *_found_blocks(instance, rules, relaxations, proofs))
    return Explanation(None, bool(proofs), blocks, tuple(relaxations), tuple(search.notes))


def _suspects(
    instance: RoutingInstance, names: frozenset[str], proofs: list[Block], plan: Plan | None
) -> list[int]:
    """Return customers to try one by one: those of the proofs, then those of broken routes."""
    row_of = {name: row for row, name in enumerate(instance.node_ids)}
    rows = [row_of[name] for block in proofs for name in block.customers]
    if plan is not None:
        report = check(instance, plan, names)
        rows += [v.node for v in report.violations if v.node is not None]
        for route in {v.route for v in report.violations if v.route is not None}:
            rows += plan.routes[route].stops
    rows += np.argsort(-instance.distances[instance.depots].min(axis=0)).tolist()
    customers = set(instance.customers.tolist())
    return [row for row in dict.fromkeys(rows) if row in customers][:_SUSPECTS]


def _smallest(
    instance: RoutingInstance, names: frozenset[str], change: Change, search: _Search
) -> Relaxation | None:
    """Return the smallest amount of a change for which a plan was found."""
    high = change.most
    plan = search.attempt(change.apply(high))
    if plan is None:
        return None
    high = _needed(instance, change, plan, high)
    low, fine = 0.0, 1.0 if change.whole else _FINE * change.base
    for _ in range(_STEPS):
        if high - low <= fine:
            break
        middle = (low + high) / 2
        middle = float(np.floor(middle)) if change.whole else _short(middle)
        if not low < middle < high:
            break
        better = search.attempt(change.apply(middle))
        if better is None:
            low = middle
        else:
            plan, high = better, _needed(instance, change, better, middle)
    changed, rules = change.apply(high)
    report = check(changed, plan, rules)
    assert report.feasible
    share = 1.0 if rules != names else high / change.base
    text = change.say(high)
    return Relaxation(change.rule, text, high, share, changed, rules, plan, report)


def _needed(instance: RoutingInstance, change: Change, plan: Plan, amount: float) -> float:
    """Return how much of an amount a plan uses, by the checker's slack, never more than it."""
    if change.whole and change.most == 1:
        return amount
    if change.whole:
        for fewer in range(1, int(amount)):
            if check(*_problem(change, fewer, plan)).feasible:
                return float(fewer)
        return amount
    verdict = check(instance, plan, {change.rule}).verdicts.get(change.rule)
    if verdict is None or verdict.slack >= 0:
        return amount
    for less in (_short(-verdict.slack), -verdict.slack):
        if less < amount and check(*_problem(change, less, plan)).feasible:
            return less
    return amount


def _problem(
    change: Change, amount: float, plan: Plan
) -> tuple[RoutingInstance, Plan, frozenset[str]]:
    changed, rules = change.apply(amount)
    return changed, plan, rules


def _short(amount: float) -> float:
    """Return an amount with three digits, rounded up."""
    if amount <= 0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(amount)) - 2)
    return float(f"{np.ceil(amount / unit - 1e-9) * unit:.12g}")


def _found_blocks(
    instance: RoutingInstance,
    names: frozenset[str],
    relaxations: list[Relaxation],
    proofs: list[Block],
) -> list[Block]:
    """Say of each rule whose change helps which customers the plan then found breaks it for."""
    proved = {block.rule for block in proofs}
    found: dict[str, Block] = {}
    for one in relaxations:
        if one.rule in found or one.rule in proved or one.rule == "visit":
            continue
        report = check(instance, one.plan, names)
        routes = {v.route for v in report.violations if v.constraint == one.rule}
        customers = set(instance.customers.tolist())
        rows = [
            v.node for v in report.violations if v.constraint == one.rule and v.node in customers
        ]
        if not rows:
            stops = [stop for r in routes if r is not None for stop in one.plan.routes[r].stops]
            rows = [stop for stop in stops if stop in customers]
        shown = tuple(instance.node_ids[row] for row in rows if row is not None)
        where = next((v.message for v in report.violations if v.constraint == one.rule), "")
        message = f"in the plan found by loosening it, {where}" if where else "it stands in the way"
        found[one.rule] = Block(one.rule, shown, message, False)
    return list(found.values())
