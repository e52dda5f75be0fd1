"""Solvers created from raw files for the paper's 20 variants: do they run, keep the rules, and cost."""
