"""Prompt templates and reply parsers; no model calls."""
