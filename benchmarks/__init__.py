"""Measurements against peers and limits; each is one command and keeps its table in results/."""
