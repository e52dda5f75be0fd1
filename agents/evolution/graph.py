"""The evolution workflow as a LangGraph graph.

Begin; propose, evaluate, select, …; tune before the last select of a generation and reflect after it;
validate, test. In steady state one node, flow, proposes and evaluates a whole generation.
"""

from typing import TYPE_CHECKING, Any

from .state import EvolutionState
from .steps import Evolution

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

RECURSION_LIMIT = 10_000_000
"""LangGraph stops a graph after this many steps; ours ends by its own rule."""


def build_graph(
    evolution: Evolution, checkpointer: Any
) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return the compiled graph of a run; its state is checkpointed after each step."""
    from langgraph.graph import END, START, StateGraph

    steady = evolution.settings.schedule == "steady"
    graph = StateGraph(EvolutionState)
    graph.add_node("begin", evolution.begin)
    graph.add_node("tune", evolution.tune)
    graph.add_node("select", evolution.select)
    graph.add_node("reflect", evolution.reflect)
    graph.add_node("validate", evolution.validate)
    graph.add_node("test", evolution.test)
    if steady:
        first = last = "flow"
        graph.add_node("flow", evolution.flow)
    else:
        first, last = "propose", "evaluate"
        graph.add_node("propose", evolution.propose)
        graph.add_node("evaluate", evolution.evaluate)
        graph.add_edge("propose", "evaluate")
    graph.add_edge(START, "begin")
    graph.add_edge("begin", first)
    graph.add_conditional_edges(last, evolution.after_evaluate, ["tune", "select"])
    graph.add_edge("tune", "select")
    after = ["reflect", first, "validate"]
    graph.add_conditional_edges("select", evolution.next_step, after)
    graph.add_conditional_edges("reflect", evolution.next_step, after)
    graph.add_edge("validate", "test")
    graph.add_edge("test", END)
    return graph.compile(checkpointer=checkpointer)
