"""Which members a run's population had, worked out again from what is stored of its candidates."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....knowledge_base import Candidate, Run
from ..ledger import strategy_of
from ..strategies import STRATEGIES
from ..survival import Member, survivors, trade_offs
from ..tuning.moments import TUNE

SEED = "seed"


@dataclass(frozen=True)
class Populations:
    """Who was ever a member, and the members' mean objective after each generation."""

    entered: set[int] = field(default_factory=set)
    means: dict[int, float] = field(default_factory=dict)


def populations(
    run: Run,
    rows: Sequence[Candidate],
    scored: Mapping[int, float],
    seconds: Mapping[str, float],
) -> Populations:
    """Select the members of each step as the run did, by its strategy, size and objective.

    Args:
        run: the run.
        rows: its candidates, in the order they were made in.
        scored: objective of each candidate that ran, by id.
        seconds: CPU seconds per instance of each program, by hash, where measured on this machine.

    """
    named = strategy_of(run)
    strategy = STRATEGIES[named] if named in STRATEGIES else STRATEGIES["hifo"]
    size = int(run.config.get("population", 8))
    choose = trade_offs if run.config.get("objective") == "gap+time" else survivors
    found, members = Populations(), list[Member]()
    for step in _steps(rows, strategy.batch(size)):
        new = [
            Member(one.id, one.hash, scored[one.id], "", "", None, seconds.get(one.hash, math.inf))
            for one in step
            if one.id in scored
        ]
        members = choose([*members, *new], strategy.kept(size))
        found.entered.update(one.id for one in members)
        if members:
            mean = sum(one.objective for one in members) / len(members)
            found.means[step[-1].generation] = mean
    return found


def _steps(rows: Sequence[Candidate], batch: int) -> Iterator[list[Candidate]]:
    """Yield what was selected among at once: a batch with its repairs, and tuned ones at the end."""
    step: list[Candidate] = []
    name = None
    for one in rows:
        if one.operator in (SEED, TUNE):
            step.append(one)
            continue
        parts = one.key.split("/")
        operator = parts[1] if len(parts) > 1 else one.operator
        mine = (one.generation, operator, one.slot // batch)
        if name is not None and mine != name:
            yield step
            step = []
        name = mine
        step.append(one)
    if step:
        yield step
