"""Runs untrusted programs in single-use jailed processes."""
