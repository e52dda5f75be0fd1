"""The workflow as a LangGraph graph: describe, confirm, write, review, check, diagnose, and again."""

from typing import TYPE_CHECKING, Any

from .state import CreationState
from .steps import Creation

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

RECURSION_LIMIT = 100_000
"""LangGraph stops a graph after this many steps; ours ends by its own caps."""


def build_graph(creation: Creation, checkpointer: Any) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the compiled graph of a creation; its state is checkpointed after each step."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(CreationState)
    graph.add_node("describe", creation.describe)
    graph.add_node("confirm", creation.confirmation)
    graph.add_node("write", creation.write)
    graph.add_node("review", creation.review)
    graph.add_node("check", creation.check)
    graph.add_node("diagnose", creation.diagnose)
    graph.add_edge(START, "describe")
    graph.add_edge("describe", "confirm")
    ways: dict[Any, str] = {name: name for name in ("write", "review", "check", "diagnose")}
    ways["end"] = END

    def confirmed(state: CreationState) -> str:
        return "end" if state["stop"] else "write"

    graph.add_conditional_edges("confirm", confirmed, ways)
    graph.add_conditional_edges("write", creation.after_write, ways)
    graph.add_conditional_edges("review", creation.after_review, ways)
    graph.add_conditional_edges("check", creation.after_check, ways)
    graph.add_conditional_edges("diagnose", creation.after_diagnose, ways)
    return graph.compile(checkpointer=checkpointer)
