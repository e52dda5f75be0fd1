"""Prompts of the evolution workflow: one template for each operator."""
