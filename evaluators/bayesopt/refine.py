"""Where is a function largest that scores whole sets of candidates and has no gradient?

A space-filling set and points near the best observed ones are scored together; then, a few times,
points near the best scored ones take the place of the latter. The space-filling set stays in, since
a score may depend on what else is in the set. All sets have the same size.
"""

from dataclasses import dataclass

import numpy as np

from .arms import ArmFailed, SetScores
from .parameters import Columns
from .sampling import local
from .space import Space

ROUNDS = 5
CENTRES = 4


@dataclass(frozen=True)
class Candidates:
    """What may be proposed.

    Attributes:
        spread: space-filling points [n, columns]; of a small lattice, all points.
        centres: the best observed points [k, columns].
        near: how many points near others a set has besides; 0 for a small lattice.
        seed: of the points near others.
    """

    space: Space
    spread: Columns
    centres: Columns
    near: int
    seed: int

    @property
    def size(self) -> int:
        """How many candidates each set has."""
        return len(self.spread) + self.near

    def best(self, scores: SetScores) -> tuple[Columns, float]:
        """Return the candidate [columns] of highest score in the last set, and that score.

        Raises:
            ArmFailed: no candidate has a score above minus infinity.
        """
        centres = self.centres
        rounds = ROUNDS if self.near else 1
        for round_ in range(rounds):
            rows = self._set(centres, round_)
            values = scores(rows)
            order = np.argsort(-values, kind="stable")
            centres = rows[order[:CENTRES]]
        top = int(order[0])
        if not values[top] > -np.inf:
            raise ArmFailed("no candidate has a score above minus infinity")
        return rows[top], float(values[top])

    def _set(self, centres: Columns, round_: int) -> Columns:
        """Return the space-filling points, the centres, and points near these, ``size`` in all."""
        if not self.near:
            return self.spread
        kept = centres[: self.near] if round_ else centres[:0]
        around = centres if len(centres) else self.spread[:1]
        moved = local(self.space, around, self.near, self.seed + round_)
        rows = np.concatenate([self.spread, kept, moved])[: self.size]
        missing = self.size - len(rows)  # constraints leave fewer points near others
        return np.concatenate([rows, np.repeat(self.spread[:1], missing, axis=0)])
