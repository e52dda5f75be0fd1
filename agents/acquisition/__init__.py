"""Choose acquisition functions for Bayesian optimisation (LMABO)."""
