"""Evaluate many programs on many data sets."""
