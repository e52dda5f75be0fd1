"""The Bayesian-optimisation engine: surrogate, acquisition functions, ask and tell."""
