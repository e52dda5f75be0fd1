"""What the navigator's regime means to the offline proposer: larger or smaller changes.

Directives and insights are texts, which this proposer does not read.
"""

from dataclasses import dataclass
from typing import Literal

__all__ = ["BALANCED", "Temper", "temper"]


@dataclass(frozen=True)
class Temper:
    """How far the operators go.

    Args:
        widths: m2's relative steps of constants, one of which is drawn.
        crowd: how many random trees e1 chooses the most different one from.
        invent: how often e1 leaves the parents aside altogether.
        prefer: which of several changed trees m1 takes: any, the one farthest from its parent, or the
            nearest.
        stir: whether e2 changes the structure of what it recombined.

    """

    widths: tuple[float, ...] = (0.1, 0.3, 0.8)
    crowd: int = 3
    invent: float = 0.25
    prefer: Literal["any", "far", "near"] = "any"
    stir: bool = False


BALANCED = Temper()

_TEMPERS = {
    "explore": Temper(widths=(0.8, 1.6), crowd=6, invent=0.5, prefer="far", stir=True),
    "exploit": Temper(widths=(0.03, 0.1), crowd=1, invent=0.0, prefer="near"),
}


def temper(regime: str) -> Temper:
    """Return what a regime asks for; balanced and none are the same."""
    return _TEMPERS.get(regime, BALANCED)
