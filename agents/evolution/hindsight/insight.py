"""An insight, and the pool of them that a run works with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Whether an insight says what helped or what hurt."""

    DO = "do"
    AVOID = "avoid"


class Scope(StrEnum):
    """Where an insight holds."""

    PROBLEM = "problem"
    FAMILY = "family"
    GENERAL = "general"


@dataclass(frozen=True)
class Insight:
    """One design principle and how it has done in this run.

    Args:
        id: its row in the knowledge base.
        text: the principle, in one or two sentences.
        kind: what helped, or what hurt.
        scope: this problem, its family, or all.
        problem: the problem that it was learnt on; empty for seeds.
        pinned: never evicted.
        uses: N, how often a prompt showed it in this run.
        effectiveness: E, the moving average of its credit, from −1 to 1.
        last_used: the step at which it was last shown, credited or admitted.
        support: how often it was stated, paraphrases included.
        regimes: uses and moving average of credit by regime.

    """

    id: int
    text: str
    kind: Kind = Kind.DO
    scope: Scope = Scope.PROBLEM
    problem: str = ""
    pinned: bool = False
    uses: int = 0
    effectiveness: float = 0.0
    last_used: int = 0
    support: int = 1
    regimes: Mapping[str, tuple[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Pool:
    """The insights that a run has at hand, oldest first."""

    members: tuple[Insight, ...] = ()

    def __post_init__(self) -> None:
        if len({one.id for one in self.members}) != len(self.members):
            raise ValueError("an insight is in a pool once")

    def __len__(self) -> int:
        return len(self.members)

    def find(self, id_: int) -> Insight | None:
        """Return the member with this id, or None."""
        return next((one for one in self.members if one.id == id_), None)

    def update(self, changed: Iterable[Insight]) -> "Pool":
        """Return the pool with these members in the place of those with the same ids."""
        by_id = {one.id: one for one in changed}
        return Pool(tuple(by_id.get(one.id, one) for one in self.members))

    def without(self, id_: int) -> "Pool":
        """Return the pool without one member."""
        return Pool(tuple(one for one in self.members if one.id != id_))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the numbers of the members; their texts stay in the knowledge base."""
        return [
            {
                "id": one.id,
                "uses": one.uses,
                "effectiveness": one.effectiveness,
                "last_used": one.last_used,
                "support": one.support,
                "regimes": {name: list(pair) for name, pair in one.regimes.items()},
            }
            for one in self.members
        ]

    @classmethod
    def from_json(cls, plain: Sequence[Mapping[str, Any]], facts: Mapping[int, Insight]) -> "Pool":
        """Return the pool that :meth:`to_json` wrote, with texts from ``facts`` by id."""
        return cls(
            tuple(
                replace(
                    facts[one["id"]],
                    uses=one["uses"],
                    effectiveness=one["effectiveness"],
                    last_used=one["last_used"],
                    support=one["support"],
                    regimes={name: (pair[0], pair[1]) for name, pair in one["regimes"].items()},
                )
                for one in plain
            )
        )
