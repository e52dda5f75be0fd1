"""The optimise workflow as a LangGraph graph: observe, choose, suggest, evaluate, and again.

Nothing is checkpointed by the graph: after each step the study in the knowledge base holds all that
the next one needs (see :mod:`.study`).
"""

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from .steps import Steps

RECURSION_LIMIT = 10_000_000
"""LangGraph stops a graph after this many steps; ours ends by its own rule."""

Next = Literal["choose", "suggest", "evaluate", "end"]


class OptimisationState(TypedDict):
    """What one step hands to the next."""

    next: Next
    state: dict[str, Any] | None
    """What the strategist sees, as JSON; None in the initial design."""
    choice: dict[str, Any] | None
    """What it chose: arm, reason, source, memory."""
    number: int | None
    """The trial that waits for its evaluation."""
    stop: str
    """Why the run ends before its budget; empty otherwise."""


def initial_state() -> OptimisationState:
    """Return the state before the first step of this process."""
    return OptimisationState(next="suggest", state=None, choice=None, number=None, stop="")


def build_graph(steps: "Steps") -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the compiled graph of a run."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(OptimisationState)
    graph.add_node("observe", steps.observe)
    graph.add_node("choose", steps.choose)
    graph.add_node("suggest", steps.suggest)
    graph.add_node("evaluate", steps.evaluate)

    def onwards(state: OptimisationState) -> str:
        return state["next"]

    graph.add_edge(START, "observe")
    ways: dict[Any, str] = {one: one for one in ("choose", "suggest", "evaluate")} | {"end": END}
    graph.add_conditional_edges("observe", onwards, ways)
    graph.add_conditional_edges("choose", onwards, {"suggest": "suggest", "end": END})
    graph.add_conditional_edges("suggest", onwards, {"evaluate": "evaluate", "end": END})
    graph.add_edge("evaluate", "observe")
    return graph.compile()
