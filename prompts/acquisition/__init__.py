"""Templates of the optimise workflow."""
