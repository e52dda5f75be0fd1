"""LangGraph workflows: evolve heuristics, create solvers, optimise black boxes."""
