"""The critical-difference diagram of Demšar (2006, figure 1): where its marks and words are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

SHOWN = 20
"""How many programs the diagram names: the best by mean rank."""
WIDTH, MARGIN, LABELS = 900.0, 40.0, 250.0
"""px: of the drawing, above the axis, and for the names at each side."""
ROW, BAR = 22.0, 9.0


@dataclass(frozen=True)
class Mark:
    """A program: from its rank on the axis at ``x`` down to ``y``, then to its name at ``end``."""

    name: str
    rank: float
    x: float
    y: float
    end: float
    anchor: str


@dataclass(frozen=True)
class Bar:
    """Joins programs that the test does not tell apart."""

    left: float
    right: float
    y: float


@dataclass(frozen=True)
class Diagram:
    """What is drawn, in px; ``ticks`` are ranks with their places, ``span`` the critical difference."""

    ticks: tuple[tuple[int, float], ...]
    marks: tuple[Mark, ...]
    bars: tuple[Bar, ...]
    span: float
    height: float
    width: float = WIDTH
    axis: float = MARGIN
    left: float = LABELS
    right: float = WIDTH - LABELS


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Return the largest groups of neighbours that differ by less than the critical difference.

    Args:
        ranks: mean ranks in rising order.
        difference: the critical difference.

    Returns:
        First and last index of each group of two or more; none lies within another.
    """
    found: list[tuple[int, int]] = []
    for first, low in enumerate(ranks):
        last = max(at for at, rank in enumerate(ranks) if at == first or rank - low < difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def draw(names: Sequence[str], ranks: Sequence[float], difference: float) -> Diagram | None:
    """Return the diagram of the best programs by mean rank; None where there are less than two."""
    order = sorted(range(len(names)), key=lambda at: ranks[at])[:SHOWN]
    if len(order) < 2:
        return None
    chosen = [ranks[at] for at in order]
    low, high = math.floor(chosen[0]), math.ceil(chosen[-1])
    high = max(high, low + 1)
    scale = (WIDTH - 2 * LABELS) / (high - low)

    def place(rank: float) -> float:
        return LABELS + (rank - low) * scale

    groups = cliques(chosen, difference)
    levels = _levels(groups)
    bars = tuple(
        Bar(place(chosen[first]) - 4, place(chosen[last]) + 4, MARGIN + 8 + BAR * level)
        for (first, last), level in zip(groups, levels, strict=True)
    )
    top = MARGIN + 14 + BAR * (max(levels, default=-1) + 1) + 8
    half = (len(order) + 1) // 2
    marks = []
    for at, (number, rank) in enumerate(zip(order, chosen, strict=True)):
        left = at < half
        row = at if left else len(order) - 1 - at
        end = LABELS - 12 if left else WIDTH - LABELS + 12
        anchor = "end" if left else "start"
        marks.append(Mark(names[number], rank, place(rank), top + ROW * row, end, anchor))
    step = max(1, math.ceil((high - low) / 10))
    ticks = tuple((rank, place(rank)) for rank in range(low, high + 1, step))
    return Diagram(ticks, tuple(marks), bars, difference * scale, top + ROW * half)


def _levels(groups: Sequence[tuple[int, int]]) -> list[int]:
    """Return the row of each bar, so that bars of one row never touch."""
    ends: list[int] = []
    levels = []
    for first, last in groups:
        free = next((row for row, end in enumerate(ends) if end < first), len(ends))
        ends[free : free + 1] = [last]
        levels.append(free)
    return levels
