"""Eurisko: language-model agents that discover heuristics.

The public names load their rooms on first use, so that ``import eurisko`` stays light.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Sandbox": "sandbox",
    "Limits": "sandbox",
    "Outcome": "sandbox",
    "Problem": "evaluators",
    "evaluate": "evaluators",
    "get_problem": "evaluators",
    "KnowledgeBase": "knowledge_base",
    "evolve": "agents.evolution",
    "optimize": "agents.acquisition",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'eurisko' has no attribute {name!r}")
    return getattr(import_module(f".{_PUBLIC[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
