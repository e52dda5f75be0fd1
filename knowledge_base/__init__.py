"""The knowledge base: runs, candidates, evaluations and model calls in SQL.

SQLite at ``./eurisko.db`` by default; ``EURISKO_DATABASE_URL`` names any other database that
SQLAlchemy knows.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import KnowledgeBaseError as KnowledgeBaseError
    from .errors import UnknownRun as UnknownRun
    from .identity import EvaluationKey as EvaluationKey
    from .models import Candidate as Candidate
    from .models import ModelCall as ModelCall
    from .models import Run as Run
    from .store import KnowledgeBase as KnowledgeBase

_HOMES = {
    "KnowledgeBase": "store",
    "KnowledgeBaseError": "errors",
    "UnknownRun": "errors",
    "EvaluationKey": "identity",
    "Run": "models",
    "Candidate": "models",
    "Evaluation": "models",
    "ModelCall": "models",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
