"""The state of the evolution graph: small, and all that a resumed run needs to know.

Programs, scores and texts live in the knowledge base; here are only their ids. Random generators need
no state (see :mod:`.streams`).
"""

from typing import TypedDict


class EvolutionState(TypedDict):
    """What the checkpoint holds between two steps."""

    generation: int
    """0 while the initial population is made."""
    step: int
    """Index of the operator within the generation."""
    population: list[int]
    """Candidate ids, best first."""
    batch: list[int]
    """Candidate ids proposed in this step and not yet selected from."""
    history: list[list[float]]
    """Best and mean objective after each generation."""
    stop: str
    """Why the run ends before its last generation; empty while it goes on."""
    best: int | None
    """The candidate chosen on the validation split."""
    doubts: list[str]
    """Champions that decided otherwise when they were re-run in lockstep, and how."""


def initial_state() -> EvolutionState:
    """Return the state before the first step."""
    return EvolutionState(
        generation=0, step=0, population=[], batch=[], history=[], stop="", best=None, doubts=[]
    )
