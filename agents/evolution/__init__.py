"""Evolve a population of heuristics (HiFo-Prompt)."""
