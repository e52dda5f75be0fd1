"""How long a reference solver may work."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Budget:
    """Seconds, and optionally iterations, which make a run repeat; ``first``: any feasible plan."""

    seconds: float
    seed: int = 0
    iterations: int | None = None
    first: bool = False

    def part(self, parts: int) -> "Budget":
        """Return an equal part of the budget."""
        count = None if self.iterations is None else max(1, self.iterations // parts)
        return replace(self, seconds=self.seconds / parts, iterations=count)
