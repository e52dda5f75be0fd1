"""Who survives."""

from collections.abc import Iterable
from dataclasses import dataclass

OBJECTIVE_DECIMALS = 5
"""Two members whose objectives agree to this many decimals count as duplicates (as in EoH)."""


@dataclass(frozen=True)
class Member:
    """A candidate that was evaluated without error on the search split (objective minimised)."""

    id: int
    hash: str
    objective: float
    thought: str
    code: str
    genome: str | None


def survivors(members: Iterable[Member], size: int) -> list[Member]:
    """Return the ``size`` best members, best first, without duplicates.

    Of members with the same program or the same objective (to :data:`OBJECTIVE_DECIMALS`) the
    oldest stays.
    """
    hashes: set[str] = set()
    objectives: set[float] = set()
    kept: list[Member] = []
    for member in sorted(
        members, key=lambda one: (round(one.objective, OBJECTIVE_DECIMALS), one.id)
    ):
        objective = round(member.objective, OBJECTIVE_DECIMALS)
        if member.hash in hashes or objective in objectives:
            continue
        hashes.add(member.hash)
        objectives.add(objective)
        kept.append(member)
        if len(kept) == size:
            break
    return kept
