"""Build a travelling-salesman tour city by city."""
