"""The state of the evolution graph: small, and all that a resumed run needs to know.

Programs, scores and texts live in the knowledge base; here are only their ids and the numbers that
change. Random generators need no state (see :mod:`.streams`).
"""

from typing import Any, TypedDict


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
    under_way: list[int]
    """In steady state: candidates that were still being evaluated when the last generation ended."""
    history: list[list[float]]
    """Best and mean objective after each generation."""
    stop: str
    """Why the run ends before its last generation; empty while it goes on."""
    best: int | None
    """The candidate chosen on the validation split."""
    doubts: list[str]
    """Champions that decided otherwise when they were re-run in lockstep, and how."""
    cut: bool
    """Whether the last entry of the history is of a generation that a budget cut short."""
    clock: int
    """How many steps are done in all; it never stops counting."""
    settled: list[int]
    """Candidates of the step under way whose credit was given before a budget cut it short."""
    previous: list[int]
    """Candidates of the last step, for strategies that give feedback on them."""
    navigator: dict[str, Any]
    """The navigator's histories and counters (:class:`~.foresight.NavigatorState`)."""
    pool: list[dict[str, Any]]
    """The numbers of the insights at hand (:class:`~.hindsight.Pool`); texts are not here."""
    tuned: list[int]
    """Members whose constants need no more tuning."""
    tuning: dict[str, int]
    """How much was tuned in all (:class:`~.tuning.Tally`)."""
    reflect: int | None
    """The generation that is over and that insights are still to be drawn from."""


def initial_state() -> EvolutionState:
    """Return the state before the first step."""
    from .foresight import NavigatorState

    return EvolutionState(
        generation=0,
        step=0,
        population=[],
        batch=[],
        under_way=[],
        history=[],
        stop="",
        best=None,
        doubts=[],
        cut=False,
        clock=0,
        settled=[],
        previous=[],
        navigator=NavigatorState().to_json(),
        pool=[],
        tuned=[],
        tuning={},
        reflect=None,
    )
